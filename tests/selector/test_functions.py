"""The public functions: objectives of any subsets, separability, ranks, shared fitness."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB

import naive.niche
import naive.regression
from moeliga import (
    Cardinality,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    FitnessSharing,
    Separability,
    evaluate_subsets,
    pareto_rank,
    separability,
    shared_fitness,
)
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words


def data(rng, sizes=(12, 7, 9), n_features=9):
    """Classes of given sizes in random order, with missing values; every third feature tells something."""
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = np.round(rng.normal(size=(len(y), n_features)), 1)
    X[:, ::3] += y[:, None]
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def random_masks(rng, n, n_features):
    """Masks of all densities, never empty."""
    masks = rng.random((n, n_features)) < rng.random((n, 1))
    masks[np.arange(n), rng.integers(n_features, size=n)] = True
    return masks


def scaled(X):
    """Columns over [0, 1]; constant ones are 0, missing values the mean of the known."""
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    Z = (X - low) / np.where(high > low, high - low, 1.0)
    return np.where(np.isnan(Z), np.nanmean(Z, axis=0), Z)


def slow_separability(X, hits, mask, instances):
    """Nearest miss minus nearest hit, by a double loop; hits[i, j] = j is a hit of i."""
    Z, terms = scaled(X)[:, mask], []
    for i in instances:
        hit = miss = math.inf
        for j in range(len(X)):
            distance = np.abs(Z[i] - Z[j]).sum()
            if j != i and hits[i, j]:
                hit = min(hit, distance)
            if not hits[i, j]:
                miss = min(miss, distance)
        if hit < math.inf and miss < math.inf:
            terms.append((miss - hit) / mask.sum())
    return np.mean(terms) if terms else 0.0


# evaluate_subsets


def slow_objectives(X, y, masks, seed, n_splits, validation_size, shared, max_depth=100):
    """UAR, CR_lambda and separability of every mask: one split, one tree, one instance at a time."""
    rows = np.argsort(y, kind="stable")  # samples are numbered class by class
    sizes = np.bincount(y)
    class_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    share = Fraction(str(validation_size))
    n_validation = np.array([min(n - 1, max(1, math.ceil(share * n))) for n in sizes.tolist()], dtype=np.int32)
    values = []
    for i, mask in enumerate(masks):
        address = (Purpose.PUBLIC, 0, 0, 0 if shared else i)
        scores = []
        for test in range(n_splits):
            held_out = draw.split(seed, (*address, test), class_start, n_validation) == 1
            train, validation = rows[~held_out], rows[held_out]
            tree = DecisionTreeClassifier(max_depth=max_depth).fit(X[train][:, mask], y[train])
            scores.append(balanced_accuracy_score(y[validation], tree.predict(X[validation][:, mask])))
        ratio = (len(mask) - mask.sum()) / len(mask)
        instances = rows[draw.instances(seed, (*address, draw.SAMPLE), len(y), math.ceil(0.3 * len(y)), True)]
        values.append([np.mean(scores), 1 / (1 + math.exp(-0.5 * ratio)),
                       slow_separability(X, y[:, None] == y, mask, instances)])
    return np.array(values)


@pytest.mark.filterwarnings("ignore::UserWarning:sklearn")  # a validation part may lack a class
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("sizes", "n_splits", "validation_size"), [
    ((12, 7, 9), 3, 0.3), ((15, 15), 1, 0.5), ((20, 1, 2), 4, 0.1), ((2, 2, 2, 2), 2, 0.9), ((1, 8), 2, 0.3),
])
def test_objectives_are_those_of_a_plain_loop(rng, seed, sizes, n_splits, validation_size, shared):
    """Balanced accuracy on the drawn splits, the formula of CR_lambda, a double loop of distances."""
    X, y = data(rng, sizes)
    masks = random_masks(rng, 12, 9)
    got = evaluate_subsets(X, y, masks, n_splits=n_splits, validation_size=validation_size, shared=shared,
                           random_state=seed)
    ref = slow_objectives(X, y, masks, seed_words(seed), n_splits, validation_size, shared)
    assert got.shape == (12, 3)
    assert_allclose(got[:, :2], ref[:, :2], rtol=0, atol=1e-14)
    assert_allclose(got[:, 2], ref[:, 2], rtol=0, atol=1e-6)  # distances are summed as float32


def test_an_estimator_sets_the_limits_of_the_tree(rng, seed):
    """max_depth of a moeliga.DecisionTreeClassifier is that of every tree."""
    X, y = data(rng)
    masks = random_masks(rng, 8, 9)
    got = evaluate_subsets(X, y, masks, estimator=DecisionTreeClassifier(max_depth=1), random_state=seed)
    ref = slow_objectives(X, y, masks, seed_words(seed), 3, 0.3, False, max_depth=1)
    assert_allclose(got[:, 0], ref[:, 0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("shared", [False, True])
def test_threads_change_nothing(rng, shared):
    """n_jobs of 1, 2 and all give the same bits."""
    X, y = data(rng, (120, 90, 60), n_features=40)
    masks = random_masks(rng, 60, 40)
    runs = [evaluate_subsets(X, y, masks, shared=shared, random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2, -1, None)]
    assert len({run.tobytes() for run in runs}) == 1


def test_shared_splits_are_those_of_the_first_subset(rng):
    """shared=True: equal subsets are equal, and all have the splits that subset 0 would have alone."""
    X, y = data(rng)
    mask = random_masks(rng, 1, 9)
    shared = evaluate_subsets(X, y, np.repeat(mask, 20, axis=0), shared=True, random_state=1)
    alone = evaluate_subsets(X, y, np.repeat(mask, 20, axis=0), random_state=1)
    assert len(np.unique(shared, axis=0)) == 1
    assert len(np.unique(alone, axis=0)) > 1
    assert_array_equal(shared[0], alone[0])


def test_values_do_not_depend_on_other_rows(rng):
    """A subset at the same place of a shorter list has the same values."""
    X, y = data(rng)
    masks = random_masks(rng, 10, 9)
    assert_array_equal(evaluate_subsets(X, y, masks, random_state=0)[:4],
                       evaluate_subsets(X, y, masks[:4], random_state=0))


def test_order_and_kind_of_objectives_are_the_caller_s(rng):
    """Any columns in any order; callables get mask, X and y."""
    X, y = data(rng)
    masks = random_masks(rng, 6, 9)
    usual = evaluate_subsets(X, y, masks, random_state=0)

    def weight(mask, given, labels):
        assert_array_equal(given, X)
        assert_array_equal(labels, y)
        return float(mask @ np.arange(9))

    got = evaluate_subsets(X, y, masks, objectives=["separability", weight, "uar", Cardinality(None)], random_state=0)
    assert_array_equal(got[:, [2, 0]], usual[:, [0, 2]])
    assert_array_equal(got[:, 1], masks @ np.arange(9))
    assert_array_equal(got[:, 3], (9 - masks.sum(axis=1)) / 9)
    assert_array_equal(evaluate_subsets(X, y, masks, objectives=[weight]), got[:, 1:2])
    every = evaluate_subsets(X, y, masks, objectives=["uar", Separability(1.0, replace=False)], random_state=0)
    assert_array_equal(every[:, 1], [separability(X, y, mask) for mask in masks])


@pytest.mark.parametrize("make", [int, np.random.RandomState, np.random.default_rng])
def test_the_same_random_state_gives_the_same_values(rng, seed, make):
    """And None gives others each time."""
    X, y = data(rng)
    masks = random_masks(rng, 20, 9)
    one, two = (evaluate_subsets(X, y, masks, random_state=make(seed)) for _ in range(2))
    assert_array_equal(one, two)
    assert np.any(evaluate_subsets(X, y, masks) != evaluate_subsets(X, y, masks))


def test_forms_of_the_arguments_change_nothing(rng):
    """Lists, frames, read-only, Fortran and float32 arrays, masks of 0 and 1, labels of strings."""
    pd = pytest.importorskip("pandas")
    X, y = data(rng)
    X = np.round(2 * X) / 2
    masks = random_masks(rng, 6, 9)
    ref = evaluate_subsets(X, y, masks, random_state=0)
    frozen = X.copy()
    frozen.flags.writeable = False
    names = np.array(["a", "b", "c"])[y]
    for given, labels, chosen in [(X.tolist(), y.tolist(), masks.tolist()), (frozen, names, masks.astype(int)),
                                  (np.asfortranarray(X), y, np.asfortranarray(masks)),
                                  (X.astype(np.float32), y, masks.astype(float)),
                                  (pd.DataFrame(X), pd.Series(names), pd.DataFrame(masks))]:
        assert_array_equal(evaluate_subsets(given, labels, chosen, random_state=0), ref)


@pytest.mark.parametrize("n_features", [1, 63, 64, 65])
def test_any_number_of_features(rng, n_features):
    """Across the borders of machine words."""
    X, y = data(rng, n_features=n_features)
    masks = random_masks(rng, 5, n_features)
    got = evaluate_subsets(X, y, masks, random_state=3)
    assert_allclose(got[:, :2], slow_objectives(X, y, masks, seed_words(3), 3, 0.3, False)[:, :2], rtol=0, atol=1e-14)


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"masks": np.ones((2, 3), bool)}, ValueError, "masks must have 9 columns, the features of X, got 3"),
    ({"masks": [[True] * 9, [False] * 9]}, ValueError, "masks must select a feature in every row, row 1 is empty"),
    ({"masks": [[2] * 9]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype int64"),
    ({"masks": [[0.5] * 9]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype float64"),
    ({"masks": [["yes"] * 9]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype <U3"),
    ({"masks": [True] * 9}, ValueError, "masks must be two-dimensional, got shape (9,)"),
    ({"masks": np.ones((2, 2, 9), bool)}, ValueError, "masks must be two-dimensional, got shape (2, 2, 9)"),
    ({"masks": np.ones((0, 9), bool)}, ValueError, "masks must not be empty, got shape (0, 9)"),
    ({"masks": [[np.nan] * 9]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype float64"),
    ({"n_splits": 0}, ValueError, "n_splits must be >= 1, got 0"),
    ({"n_splits": 1.5}, TypeError, "n_splits must be an integer, got 1.5"),
    ({"validation_size": 1}, ValueError, "validation_size must be in (0, 1), got 1"),
    ({"objectives": "uar"}, TypeError, "objectives must be a sequence of objectives, got 'uar'"),
    ({"objectives": ["cardinality"]}, ValueError,
     "objectives must hold 'uar' or begin with a callable, got ['cardinality']"),
    ({"estimator": BernoulliNB()}, TypeError,
     "estimator must be a tree of moeliga, a judge that is compiled or None, got BernoulliNB()"),
    ({"estimator": GaussianNB()}, ValueError, None),  # scikit-learn's words for missing values
    ({"estimator": DecisionTreeClassifier(min_samples_leaf=0)}, ValueError,
     "min_samples_leaf must be in [1, 2147483647], got 0"),
    ({"random_state": -1}, ValueError, "random_state must be >= 0, got -1"),
    ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0, got 0"),
    ({"y": np.zeros(28)}, ValueError, "y must have at least 2 classes, got 1 class: 0.0"),
    ({"y": np.arange(28)}, ValueError, "y must have a class with at least 2 samples, got 28 classes of 1 sample"),
    ({"X": np.full((28, 9), np.inf)}, ValueError, None),
    ({"X": [[10**400] * 9] * 28}, ValueError,
     "X and y must hold numbers that fit into float64: int too large to convert "
     "to float"),
    ({"y": np.array(["a", 1] * 14, dtype=object)}, TypeError,
     "y must hold class labels that can be sorted: '<' not supported between instances of 'int' and 'str'"),
    ({"y": np.arange(27)}, ValueError, None),
], ids=lambda value: "-".join(value) if isinstance(value, dict) else "")
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_bad_arguments_are_named(rng, arguments, error, message):
    """A message names the argument, the rule and the value (None: the words are scikit-learn's)."""
    X, y = data(rng)
    arguments = {"X": X, "y": y, "masks": np.ones((2, 9), bool), **arguments}
    with pytest.raises(error, match=message and f"^{re.escape(message)}$"):
        evaluate_subsets(**arguments)


# evaluate_subsets with a regressor


def target_data(rng, n_samples=60, n_features=9):
    """A target of eighths, some equal, that every third feature tells something of; missing values."""
    y = rng.integers(300, size=n_samples) / 8
    X = np.round(rng.normal(size=(n_samples, n_features)), 1)
    X[:, ::3] += y[:, None] / 10
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, y


def target_hits(y, neighbours):
    """hits[i, j] = j is a hit of i, in the order of y."""
    rows = np.argsort(y, kind="stable")
    hits = np.zeros((len(y), len(y)), dtype=bool)
    hits[np.ix_(rows, rows)] = naive.regression.hits(y[rows].tolist(), Fraction(str(neighbours)))
    return hits


@pytest.mark.quick(2)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("n_samples", "strata", "validation_size", "neighbours"), [
    (60, 6, 0.3, 0.1), (130, 10, 0.2, 0.3), (19, 1, 0.5, 0.05),
])
def test_objectives_of_a_regressor_are_those_of_a_plain_loop(rng, seed, n_samples, strata, validation_size, neighbours,
                                                             shared):
    """scikit-learn's R2 on splits drawn by blocks of ranks, and a double loop of distances."""
    X, y = target_data(rng, n_samples)
    masks = random_masks(rng, 8, 9)
    got = evaluate_subsets(X, y, masks, validation_size=validation_size, shared=shared, random_state=seed,
                           objectives=("r2", "cardinality", Separability(neighbours=neighbours)),
                           estimator=DecisionTreeRegressor(max_depth=5))
    rows, share = np.argsort(y, kind="stable"), Fraction(str(validation_size))
    starts = np.array([i * n_samples // strata for i in range(strata + 1)], np.int32)
    n_validation = np.array([math.ceil(share * n) for n in np.diff(starts).tolist()], np.int32)
    for i, mask in enumerate(masks):
        address, scores = (Purpose.PUBLIC, 0, 0, 0 if shared else i), []
        for test in range(3):
            held_out = draw.split(seed_words(seed), (*address, test), starts, n_validation) == 1
            train, validation = rows[~held_out], rows[held_out]
            tree = DecisionTreeRegressor(max_depth=5).fit(X[train][:, mask], y[train])
            scores.append(r2_score(y[validation], tree.predict(X[validation][:, mask])))
        assert_allclose(got[i, 0], np.mean(scores), rtol=1e-12, atol=1e-12)
        assert_allclose(got[i, 1], 1 / (1 + math.exp(-0.5 * (9 - mask.sum()) / 9)), rtol=0, atol=1e-14)
        drawn = draw.instances(seed_words(seed), (*address, draw.SAMPLE), n_samples, -(-3 * n_samples // 10), True)
        ref = slow_separability(X, target_hits(y, neighbours), mask, rows[drawn])
        assert_allclose(got[i, 2], ref, rtol=0, atol=1e-6)


def test_a_regressor_has_r2_by_default(rng):
    """And cardinality and separability, as a classifier; integer targets and threads change nothing."""
    X, y = target_data(rng, 200)
    masks = random_masks(rng, 10, 9)
    ref = evaluate_subsets(X, 8 * y, masks, objectives=("r2", "cardinality", "separability"), random_state=0,
                           estimator=DecisionTreeRegressor())
    for target, n_jobs in ((8 * y, None), ((8 * y).astype(int), 2), ((8 * y).tolist(), -1)):
        got = evaluate_subsets(X, target, masks, random_state=0, estimator=DecisionTreeRegressor(), n_jobs=n_jobs)
        assert_array_equal(got, ref)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"estimator": DecisionTreeRegressor(), "objectives": ("uar", "cardinality")},
     "objectives must hold 'r2' in place of 'uar' for a regressor, got ('uar', 'cardinality')"),
    ({"estimator": DecisionTreeRegressor(), "objectives": ["cardinality"]},
     "objectives must hold 'r2' or begin with a callable, got ['cardinality']"),
    ({"objectives": ("r2",)}, "objectives must hold 'uar' in place of 'r2' for a classifier, got ('r2',)"),
    ({"estimator": DecisionTreeRegressor(), "objectives": ("r2", Separability(neighbours=1))},
     "separability.neighbours must be in (0, 1), got 1"),
    ({"estimator": DecisionTreeRegressor(), "y": np.full(60, 2.5)}, "y must have at least 2 values, got 1 value: 2.5"),
    ({"estimator": DecisionTreeRegressor(max_depth=-1)}, "max_depth must be >= 0, got -1"),
    ({"estimator": DecisionTreeRegressor(), "y": np.full(60, np.nan)}, None),
    ({"estimator": DecisionTreeRegressor(), "y": np.full(60, "a")}, None),
], ids=lambda value: "-".join(value) if isinstance(value, dict) else "")
def test_bad_arguments_of_a_regressor_are_named(rng, arguments, message):
    """A message names the argument, the rule and the value (None: the words are scikit-learn's)."""
    X, y = target_data(rng)
    with pytest.raises(ValueError, match=message and f"^{re.escape(message)}$"):
        evaluate_subsets(**{"X": X, "y": y, "masks": np.ones((2, 9), bool), **arguments})


# separability


@pytest.mark.parametrize("neighbours", [0.02, 0.1, 0.5])
def test_separability_of_a_target_is_that_of_a_double_loop(rng, neighbours):
    """Hits are the samples of nearly the same target."""
    X, y = target_data(rng, 40)
    for mask in random_masks(rng, 4, 9):
        ref = slow_separability(X, target_hits(y, neighbours), mask, range(40))
        assert_allclose(separability(X, y, mask, neighbours=neighbours), ref, rtol=0, atol=1e-6)


def test_separability_of_two_targets_is_that_of_two_classes(rng):
    """Classification is the special case of few targets."""
    X, y = data(rng, (30, 25))
    assert separability(X, y.astype(float), neighbours=0.1) == separability(X, y)


@pytest.mark.parametrize("sizes", [(6, 9), (4, 5, 6), (1, 5), (2, 1, 1)])
def test_separability_is_that_of_a_double_loop(rng, sizes):
    """All instances, all features or some; a sample alone in its class has no hit and is skipped."""
    X, y = data(rng, sizes)
    X[:, 4] = 3.0
    for mask in [np.ones(9, dtype=bool), *random_masks(rng, 6, 9)]:
        assert_allclose(separability(X, y, mask), slow_separability(X, y[:, None] == y, mask, range(len(y))), rtol=0,
                        atol=1e-6)
    assert separability(X, y) == separability(X, y, np.ones(9, dtype=bool))


@pytest.mark.parametrize(("samples", "replace"), [(5, False), (0.3, False), (40, True), (0.5, True)])
def test_separability_of_a_sample_is_that_of_the_drawn_instances(rng, seed, samples, replace):
    """Instances come from the public stream: with or without replacement, a number or a share."""
    X, y = data(rng)
    n = samples if isinstance(samples, int) else math.ceil(Fraction(str(samples)) * 28)
    drawn = draw.instances(seed_words(seed), (Purpose.PUBLIC, 0, 0, 0, draw.SAMPLE), 28, n, replace)
    rows = np.argsort(y, kind="stable")[drawn]
    got = separability(X, y, samples=samples, replace=replace, random_state=seed)
    assert_allclose(got, slow_separability(X, y[:, None] == y, np.ones(9, dtype=bool), rows), rtol=0, atol=1e-6)
    assert isinstance(got, float)


def test_separability_of_opposite_constants_is_one_and_mirrored_minus_one():
    """The two ends of its range."""
    assert separability([[0.0], [0.0], [1.0], [1.0]], ["a", "a", "b", "b"]) == 1
    assert separability([[0.0], [1.0], [0.0], [1.0]], ["a", "a", "b", "b"]) == -1


def test_separability_without_any_pair_is_zero():
    """Nobody has both a hit and a miss, or all features are constant."""
    assert separability([[0.0], [1.0]], [0, 1]) == 0
    assert separability([[1.0], [1.0], [1.0], [1.0]], [0, 1, 0, 1]) == 0


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"samples": 0}, ValueError, "separability.samples must be >= 1, got 0"),
    ({"samples": 2.0}, ValueError, "separability.samples must be in (0, 1], got 2.0"),
    ({"samples": 9}, ValueError,
     "separability.samples must be <= 4, the number of samples, without replacement, got 9"),
    ({"replace": 1}, TypeError, "separability.replace must be True or False, got 1"),
    ({"neighbours": 0}, ValueError, "separability.neighbours must be in (0, 1), got 0"),
    ({"neighbours": "all"}, TypeError, "separability.neighbours must be a number, got 'all'"),
    ({"neighbours": 0.1, "y": [3, 3, 3, 3]}, ValueError, "y must have at least 2 values, got 1 value: 3.0"),
    ({"mask": [True]}, ValueError, "mask must have 2 entries, the features of X, got 1"),
    ({"mask": [False, False]}, ValueError, "mask must select a feature, got none"),
    ({"mask": [0, 2]}, ValueError, "mask must hold only True and False (or 1 and 0), got dtype int64"),
    ({"mask": [[True, True]]}, ValueError, "mask must be one-dimensional, got shape (1, 2)"),
    ({"mask": True}, ValueError, "mask must be one-dimensional, got shape ()"),
    ({"y": [0, 0, 0, 0]}, ValueError, "y must have at least 2 classes, got 1 class: 0"),
], ids=str)
def test_bad_arguments_of_separability_are_named(arguments, error, message):
    """A message names the argument, the rule and the value."""
    arguments = {"X": np.arange(8.0).reshape(4, 2), "y": [0, 0, 1, 1], **arguments}
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        separability(**arguments)


# pareto_rank, shared_fitness


@pytest.mark.parametrize("n_objectives", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 7, 50])
def test_rank_is_one_more_than_the_number_of_those_that_dominate(rng, n, n_objectives):
    """By definition, ties included."""
    points = rng.integers(0, 5, size=(n, n_objectives)) / 4
    ref = [1 + sum(np.all(b >= a) and np.any(b > a) for b in points) for a in points]
    assert_array_equal(pareto_rank(points), ref)
    assert_array_equal(pareto_rank(points.tolist()), ref)
    assert_array_equal(pareto_rank(np.asfortranarray(points.astype(np.float32))), ref)


def test_equal_points_do_not_dominate_each_other():
    """All of them are of rank 1."""
    assert pareto_rank([[1, 2]] * 4).tolist() == [1] * 4


@pytest.mark.parametrize("normalisation", ["mean", "sum"])
@pytest.mark.parametrize("space", ["decision", "objective"])
@pytest.mark.parametrize("mode", ["cluster", "niche", "mean_distance"])
def test_shared_fitness_is_that_of_simple_loops(rng, mode, space, normalisation):
    """Rank fitness, sharing, normalisation: the twin on lists, bit for bit, for narrow and wide niches."""
    objectives = rng.integers(0, 5, size=(30, 2)) / 4
    masks = random_masks(rng, 30, 6)
    for sigma, alpha in itertools.product((0.0025, 0.3, 0.8), (1.0, 2.0)):
        got = shared_fitness(objectives, masks, mode=mode, space=space, sigma=sigma, alpha=alpha,
                             rank_normalisation=normalisation)
        rank = naive.niche.rank(objectives.tolist())
        fitness = naive.niche.fitness(rank)
        d2 = (naive.niche.decision_distances(masks.tolist()) if space == "decision"
              else naive.niche.objective_distances(objectives.tolist()))
        shared = naive.niche.shared(d2, fitness, rank, mode, sigma, alpha)
        assert got.tolist() == naive.niche.normalise(fitness, shared, rank, normalisation)


def test_default_sharing_touches_exact_copies_only(rng):
    """sigma = 0.0025 in decision space: different subsets share nothing, and every rank has one fitness."""
    objectives = rng.random((20, 2))
    masks = np.unique(random_masks(rng, 60, 30), axis=0)[:20]
    rank = pareto_rank(objectives)
    got = shared_fitness(objectives, masks)
    assert_allclose(got, naive.niche.fitness(rank.tolist()), rtol=1e-12)


def test_defaults_of_shared_fitness_are_those_of_fitness_sharing():
    """One mechanism, one set of defaults."""
    assert shared_fitness.__kwdefaults__ == FitnessSharing().get_params()


@pytest.mark.parametrize("arguments", [{"objectives": [[0.5, float("nan")]]}, {"objectives": [[0.5, float("inf")]]},
                                       {"objectives": [0.5]}, {"objectives": np.zeros((0, 2))},
                                       {"objectives": np.zeros((2, 0))}, {"objectives": [["a", "b"]]}], ids=str)
@pytest.mark.parametrize("function", [pareto_rank, shared_fitness])
def test_objectives_must_be_finite_numbers_in_two_dimensions(function, arguments):
    """For both functions alike."""
    with pytest.raises(ValueError):
        function(**arguments)


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"mode": "x"}, ValueError, "shared_fitness.mode must be one of ('cluster', 'niche', 'mean_distance'), got 'x'"),
    ({"space": "x"}, ValueError, "shared_fitness.space must be one of ('decision', 'objective'), got 'x'"),
    ({"sigma": 0}, ValueError, "shared_fitness.sigma must be > 0, got 0"),
    ({"alpha": "1"}, TypeError, "shared_fitness.alpha must be a number, got '1'"),
    ({"rank_normalisation": None}, ValueError,
     "shared_fitness.rank_normalisation must be one of ('sum', 'mean'), got None"),
    ({"masks": None}, ValueError, "masks must be given for space='decision', got None"),
    ({"masks": [[True]]}, ValueError, "masks must have 2 rows, as objectives has, got 1"),
    ({"masks": [[True], [3]]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype int64"),
], ids=str)
def test_bad_arguments_of_shared_fitness_are_named(arguments, error, message):
    """A message names the argument, the rule and the value."""
    arguments = {"objectives": [[0.0], [1.0]], "masks": [[True], [False]], **arguments}
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        shared_fitness(**arguments)
