"""Rankings of features: those of scikit-learn's functions and forests; and the subsets that bands begin with."""

import warnings

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csc_array, csr_array

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import assume, given
from hypothesis import strategies as st

from moeliga import Constraints
from moeliga._ext import bits
from moeliga.base.random_streams import seed_words
from moeliga.data.bands import band_spaces
from moeliga.data.feature_space import build_space
from moeliga.data.problem import Problem
from moeliga.search.ranking import first_prefixes, prefix, rank_features
from naive import ranking
from naive.ranking import f_scores, importances, ordered
from strategies import cases
from thread_backend import ThreadBackend

SEED = seed_words(5)


def data(rng, n_features=20, n_classes=3):
    """Features that tell the less the farther right they stand, two that are the same, and a constant one."""
    y = np.arange(60) % n_classes
    X = rng.normal(size=(60, n_features)) + 2.5 * y[:, None] * np.linspace(1, 0, n_features)
    X[:, 11], X[:, -2] = X[:, 3], 1.0
    return X, y


# rankings


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, csc_array, csr_array])
def test_rankings_of_a_classification_are_those_of_scikit_learn(rng, form, dtype):
    """The F-test and the forest, called directly; equal features by column, constant ones last."""
    X, y = data(rng)
    X = form(X.astype(dtype))
    names = np.array(["b", "a", "c"])[y]
    found = rank_features(Problem.from_data(X, names, False), SEED, 1)
    assert list(found) == ["f_classif", "forest"]
    assert_array_equal(found["f_classif"], ordered(f_scores(X, names)))
    labels = np.unique(names, return_inverse=True)[1]
    assert_array_equal(found["forest"], ordered(importances(X, labels, SEED)))
    assert found["f_classif"].tolist().index(11) == found["f_classif"].tolist().index(3) + 1
    assert found["f_classif"][-1] == 18 and found["f_classif"][0] < 4 and found["forest"][0] < 4


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_rankings_of_a_regression_are_those_of_scikit_learn(rng, form):
    """The F-test of a regression, and a forest of regression trees."""
    X, _ = data(rng)
    y = X[:, 2] + X[:, 5] ** 2
    X = form(X)
    found = rank_features(Problem.from_data(X, y, True), SEED, 1)
    assert list(found) == ["f_regression", "forest"]
    assert_array_equal(found["f_regression"], ordered(f_scores(X, y, regression=True)))
    assert_array_equal(found["forest"], ordered(importances(X, y, SEED, regression=True)))
    assert found["f_regression"][0] in (2, 5)


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_data_that_are_coded_already_are_ranked_alike(rng, form, regression):
    """As the forest reads them where it codes them itself; with missing values, and targets that occur twice."""
    X, y = data(rng)
    X[::7, 2] = np.nan
    y = np.round(X[:, 0], 1) if regression else np.array(["b", "a", "c"])[y]
    problem = Problem.from_data(form(X), y, regression)
    coded = rank_features(problem, SEED, 1, problem.dataset(0.1, 1))
    assert_array_equal(coded["forest"], rank_features(problem, SEED, 1)["forest"])


def test_with_missing_values_the_forest_ranks_alone(rng):
    """It knows what to do with them."""
    X, y = data(rng)
    X[::7, 4] = np.nan
    found = rank_features(Problem.from_data(X, y, False), SEED, 1)
    assert list(found) == ["forest"]
    assert_array_equal(found["forest"], ordered(importances(X, y, SEED)))
    for form in (csc_array, csr_array):
        sparse = rank_features(Problem.from_data(form(X), y, False), SEED, 1)
        assert list(sparse) == ["forest"] and sparse["forest"].tolist() == found["forest"].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_missing_values_may_be_read_only(rng, dtype):
    """As they are in a memory map, or in what joblib sends to workers."""
    X, y = data(rng)
    X[::7, 4] = np.nan
    X = X.astype(dtype)
    wanted = rank_features(Problem.from_data(X, y, False), SEED, 1)
    X.flags.writeable = False
    assert_array_equal(rank_features(Problem.from_data(X, y, False), SEED, 1)["forest"], wanted["forest"])


@pytest.mark.parametrize("n_jobs", [2, -1, None])
def test_any_number_of_threads_ranks_alike(rng, n_jobs):
    """And another seed grows another forest."""
    problem = Problem.from_data(*data(rng), False)
    found = rank_features(problem, SEED, 1)
    assert_array_equal(rank_features(problem, SEED, n_jobs)["forest"], found["forest"])
    assert rank_features(problem, seed_words(6), 1)["forest"].tolist() != found["forest"].tolist()


def test_the_forest_grows_in_threads_of_this_process(rng, monkeypatch):
    """Wherever else the work of a search goes: X is here, and a forest of this size is no work for a cluster."""
    def elsewhere(self, *arguments, **options):
        raise AssertionError("sent to a worker")

    monkeypatch.setattr(ThreadBackend, "submit", elsewhere)
    problem = Problem.from_data(*data(rng), False)
    with joblib.parallel_config(ThreadBackend()):
        found = rank_features(problem, SEED, None)
    assert_array_equal(found["forest"], rank_features(problem, SEED, 1)["forest"])


@pytest.mark.parametrize("scale", [1e39, 1e300])
@pytest.mark.parametrize("form", [np.asarray, csc_array])
def test_values_beyond_single_precision_are_ranked(rng, form, scale):
    """By their order alone: a forest has the same cuts whatever they are."""
    X, y = data(rng)
    X[:, 0] = np.where(y == 0, -scale, scale)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rank_features(Problem.from_data(form(X), y, False), SEED, 1)
    clipped = X.copy()
    clipped[:, 0] = np.where(y == 0, -3e38, 3e38)
    assert_array_equal(found["forest"], ordered(importances(clipped, y, SEED)))
    assert list(found) == ["f_classif", "forest"]


@pytest.mark.parametrize("form", [np.asarray, csc_array])
def test_an_f_test_that_overflows_everywhere_is_left_out(rng, form):
    """The forest still tells the features apart: by the signs of their values."""
    X, y = data(rng)
    X = 1e300 * (X - np.median(X, axis=0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rank_features(Problem.from_data(form(X), y, False), SEED, 1)
    assert list(found) == ["forest"] and found["forest"][0] in (*range(6), 11)


def test_sparse_data_with_long_indices_are_ranked(rng):
    """As those with short ones."""
    X, y = data(rng)
    wide, short = csc_array(X), csc_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    found, wanted = (rank_features(Problem.from_data(form, y, False), SEED, 1) for form in (wide, short))
    assert wide.indices.dtype == np.int64
    assert found.keys() == wanted.keys() == {"f_classif", "forest"}
    for name in wanted:
        assert_array_equal(found[name], wanted[name])


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("coded", [False, True])
def test_the_forest_ends_growing_when_it_is_told(rng, monkeypatch, coded, regression):
    """Its importances are those of a forest of the trees that it has by then; one at least."""
    X, y = data(rng)
    y = X[:, 2] + X[:, 5] ** 2 if regression else y
    problem = Problem.from_data(X, y, regression)
    monkeypatch.setattr("moeliga.forest.ensemble.GROWN_BYTES", 1)  # asked after each tree
    for n_trees in (1, 4):
        calls = iter([False] * (n_trees - 1) + [True] * 100)
        found = rank_features(problem, SEED, 1, problem.dataset(0.1, 1) if coded else None, calls.__next__)
        assert_array_equal(found["forest"], ordered(importances(X, y, SEED, regression, n_trees)))


# first subsets


def space(n_features, max_features=None, **constraints):
    """Return the space of so many features with these constraints."""
    return build_space(n_features, np.arange(n_features).astype(str), Constraints(**constraints), max_features)


def first_features(order, built, size):
    """The mask over all features that a band begins with, by the twin, or None."""
    groups = [built.members[a:b].tolist() for a, b in zip(built.start[:-1], built.start[1:], strict=True)]
    found = ranking.first_features(order.tolist(), size, groups, np.flatnonzero(built.forced), built.least, built.most)
    return None if found is None else [f in found for f in range(built.n_features)]


@st.composite
def ranked_spaces(draw):
    """(a space, two rankings of its features)."""
    n_features = draw(st.integers(1, 14))
    features = st.lists(st.integers(0, n_features - 1), max_size=n_features // 3, unique=True)
    labels = st.lists(st.integers(0, 4) | st.none(), min_size=n_features, max_size=n_features)
    structure = {"must_include": draw(features), "exclude": draw(features), "groups": draw(st.none() | labels),
                 "min_features": draw(st.integers(1, max(1, n_features // 3)))}
    try:
        built = space(n_features, draw(st.none() | st.integers(1, n_features)), **structure)
    except ValueError:
        assume(False)
    orders = [np.array(draw(st.permutations(range(n_features)))) for _ in range(2)]
    return built, orders


@given(ranked_spaces(), st.integers(0, 15))
@cases(300)
def test_the_first_features_of_a_ranking_equal_the_twin(ranked, size):
    """Groups come whole or not at all, forced features count, excluded ones are not in it."""
    built, (order, _) = ranked
    found, wanted = prefix(order, built, size), first_features(order, built, size)
    assert (found is None) == (wanted is None)
    if wanted is not None:
        masks = built.masks(built.chromosomes(bits.pack(found[None].view(np.uint8))))
        assert masks.tolist() == [wanted]


@given(ranked_spaces(), st.lists(st.integers(1, 15), min_size=1, max_size=4, unique=True).map(sorted))
@cases(150)
def test_what_begins_a_band_is_in_it(ranked, edges):
    """Each once: of both rankings the first features, in the fewest, the most and a middle number that it allows."""
    built, orders = ranked
    assume(built.within(1, edges[-1]) is not None)
    for band in band_spaces(edges, built, None):
        found = first_prefixes(dict(enumerate(orders)), band)
        masks = band.masks(band.chromosomes(found)).tolist()
        sizes = [sum(mask) for mask in masks]
        low, high = max(1, band.least + band.n_forced), band.most + band.n_forced
        assert all(low <= size <= high for size in sizes)
        middle = round(np.sqrt(low * high))
        wanted = [first_features(order, band, size) for order in orders for size in (low, middle, high)]
        wanted = [mask for mask in wanted if mask is not None]
        assert len(masks) == len(set(map(tuple, masks))) and set(map(tuple, masks)) == set(map(tuple, wanted))


def test_without_a_ranking_nothing_begins_a_band():
    """Its first subsets are random then."""
    found = first_prefixes({}, space(70))
    assert found.shape == (0, 2) and found.dtype == np.uint64


def test_the_first_subsets_are_the_prefixes_of_both_rankings():
    """An example by hand: bands of one to four and of five to nine features."""
    up, down = np.arange(12), np.arange(12)[::-1]
    small, large = band_spaces((4, 9), space(12), None)
    found = [[np.flatnonzero(mask).tolist() for mask in band.masks(band.chromosomes(first_prefixes(
        {"f_classif": up, "forest": down}, band)))] for band in (small, large)]
    assert found[0] == [[0], [0, 1], [0, 1, 2, 3], [11], [10, 11], [8, 9, 10, 11]]
    assert found[1] == [[*range(5)], [*range(7)], [*range(9)], [*range(7, 12)], [*range(5, 12)], [*range(3, 12)]]
