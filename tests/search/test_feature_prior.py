"""Feature priors: the ranking, the draws, and what they do to a search."""

import functools
import math
import os
import re
import subprocess
import sys
import warnings
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csc_array, csr_array
from scipy.stats import chisquare
from sklearn.feature_selection import SelectKBest, chi2, f_classif, f_regression, mutual_info_classif
from threadpoolctl import ThreadpoolController, threadpool_limits

import moeliga
import naive.prior
from moeliga import (
    Checkpoint,
    Constraints,
    DecisionTreeRegressor,
    Evaluation,
    FeaturePrior,
    LocalImprovement,
    Variation,
)
from moeliga._ext import bits
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.feature_space import build_space
from moeliga.data.problem import Problem
from moeliga.data.subsets import Subsets
from moeliga.parameters.feature_prior import by_blocks
from moeliga.search.build import prepare
from moeliga.search.evolution import MAIN, mate
from moeliga.search.feature_prior import Prior
from moeliga.search.islands import Islands
from paper_operators import fitting
from single_search import single_search

SMALL = {"population_size": 16, "n_generations": 4, "evaluation__n_rescore_splits": 2,
         "local_improvement": LocalImprovement(n_populations=2, population_size=9, n_generations=3, every=2)}
SEED = seed_words(5)
WHERE = (Purpose.PRIOR, 0, 3)


def data(rng, n_features=30):
    """Features that tell the less the farther right they stand; the last one is constant."""
    y = np.arange(60) % 3
    X = rng.normal(size=(60, n_features)) + 2.5 * y[:, None] * np.linspace(1, 0, n_features)
    X[:, -1] = 1.0
    return X, y


def prior_of(setting, X, y, regression=False, **constraints):
    space = build_space(X.shape[1], np.arange(X.shape[1]).astype(str), Constraints(**constraints))
    return Prior.of(setting, Problem.from_data(X, y, regression), space, SEED)


def pack(masks):
    return bits.pack(np.ascontiguousarray(masks, dtype=np.bool_).view(np.uint8))


def steered(prior, masks, elders, seed=SEED, where=WHERE):
    given = Subsets(pack(masks), np.arange(masks.shape[1], dtype=np.int32))
    return prior.steered(given, pack(elders), seed, where).masks(masks.shape[1])


@pytest.fixture(autouse=True)
def quiet():
    """The last column of the data is constant, and scikit-learn says so when it is asked directly."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Features .* are constant|invalid value encountered in divide")
        yield


def front_of(X, y, **parameters):
    front = single_search(**fitting({**SMALL, "random_state": 0, **parameters})).fit(X, y).pareto_front_
    return front.supports.tobytes() + front.objectives.tobytes()


# the ranking


@pytest.mark.parametrize("name", ["f_classif", "mutual_info_classif"])
def test_a_constant_feature_is_nothing_to_warn_of(name):
    """It ranks last, as documented; nor are so many that scikit-learn's message has several lines."""
    X, y = data(np.random.default_rng(0))
    X = np.hstack((X, np.zeros((60, 70))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        front_of(X, y, feature_prior=name)


@pytest.mark.parametrize("score_func", [f_classif, chi2])
@pytest.mark.parametrize("form", [np.array, csc_array, csr_array])
def test_the_ranking_is_that_of_select_k_best(rng, score_func, form):
    """The k of the largest weights are the k that scikit-learn selects, for any k; by name or as a function."""
    X, y = data(rng)
    X = form(np.abs(X))
    weights = prior_of(FeaturePrior(score_func), X, y).weights
    assert_array_equal(weights, prior_of(FeaturePrior(score_func.__name__), X, y).weights)
    for k in (1, 7, 29):
        best = SelectKBest(score_func, k=k).fit(X, y).get_support()
        assert_array_equal(weights >= np.sort(weights)[-k], best)


@pytest.mark.slow
def test_the_default_ranking_has_the_same_bits_for_every_instruction_set(rng):
    """NumPy's: its faster kernels off, in another process, the scores are the same to the last bit."""
    script = ("import sys, numpy as np; from sklearn.feature_selection import f_classif\n"
              "for seed in range(8):\n"
              "    random = np.random.default_rng(seed)\n"
              "    X, y = random.normal(size=(53 + seed, 97)), random.integers(0, 4, 53 + seed)\n"
              "    for kind in (np.float32, np.float64):\n"
              "        for order in 'CF':\n"
              "            sys.stdout.buffer.write(f_classif(np.asarray(X, kind, order), y)[0].tobytes())\n")
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    runs = [subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, check=True,
                           env={**os.environ, "NPY_DISABLE_CPU_FEATURES": off}).stdout for off in ("", " ".join(found))]
    assert len(runs[0]) == 8 * 4 * 97 * 8 and runs[0] == runs[1]


@pytest.mark.parametrize("block", [1, 61, 200, 1 << 23])
def test_blocks_of_columns_change_nothing(rng, monkeypatch, block):
    """To the last bit, in any order and type, of constant columns too; of sparse X all columns are one."""
    monkeypatch.setattr(moeliga.parameters.feature_prior, "BLOCK", block)
    X, y = data(rng)
    X[:, 8], X[:, 10] = y, 1.0  # of which nothing varies within a class, or at all
    tables = [np.asarray(X, kind, order) for kind in (np.float32, np.float64) for order in "CF"]
    for given in (*tables, *(table[:, ::2] for table in tables), csr_array(X)):
        with np.errstate(divide="ignore", invalid="ignore"):
            with pytest.warns(UserWarning, match="are constant"):
                wanted, _ = f_classif(given, y)
            assert_array_equal(by_blocks(given, y), wanted)


def test_weights_follow_ranks(rng):
    """1 / (rank + offset), relative to the first; NaN last, infinity first, ties by column; any positive factor."""
    scores = rng.integers(0, 9, size=200).astype(float)
    scores[rng.random(200) < 0.1] = np.nan
    scores[[17, 99]] = np.inf
    for offset in (0, 2.5, 10, 1e308):
        got = FeaturePrior(offset=offset).weights(scores)
        assert got.tolist() == naive.prior.weights(scores.tolist(), offset)
        assert got[17] == 1.0 and got.min() == got[np.flatnonzero(np.isnan(scores))[-1]] > 0
    assert FeaturePrior().weights(scores)[99] == 11 / 12


def test_the_function_sees_the_rows_of_fit_once(rng):
    """As they were given, labels too; scores alone or with p-values, of any type of number."""
    X, y = data(rng)
    labels, seen = np.array(["a", "b", "c"])[y], []

    def watch(X, y):
        seen.append((X, y))
        return np.arange(30), None

    found = single_search(feature_prior=watch, **SMALL, random_state=0).fit(X, labels)
    assert len(seen) == 1
    assert_array_equal(seen[0][0], X)
    assert_array_equal(seen[0][1], labels)
    alone = single_search(feature_prior=lambda X, y: list(range(30)), **SMALL, random_state=0).fit(X, labels)
    assert_array_equal(found.pareto_front_.supports, alone.pareto_front_.supports)


def test_the_function_has_one_thread(rng):
    """BLAS and OpenMP, whatever they had: sums may depend on it."""
    X, y = data(rng)
    numbers = []

    def watch(X, y):
        numbers.extend(library["num_threads"] for library in ThreadpoolController().info())
        return np.arange(30)

    with threadpool_limits(2):
        FeaturePrior(watch).scores(X, y, SEED)
    assert set(numbers) == {1}


def test_functions_that_draw_get_a_number_of_the_seed(rng):
    """Mutual information adds noise: the same for the same seed, another for another; one that is given stays."""
    X, y = data(rng)
    asked = []

    def noisy(X, y, random_state=None):
        asked.append(random_state)
        return np.random.RandomState(random_state).random(X.shape[1])

    for seed in (1, 1, 2):
        FeaturePrior(noisy).scores(X, y, seed_words(seed))
    FeaturePrior(functools.partial(noisy, random_state=7)).scores(X, y, SEED)
    assert asked[0] == asked[1] != asked[2] and asked[3] == 7 and all(type(number) is int for number in asked)
    one, two = (FeaturePrior("mutual_info_classif").scores(X, y, SEED) for _ in range(2))
    assert_array_equal(one, two)
    assert_array_equal(FeaturePrior(functools.partial(mutual_info_classif, random_state=3)).scores(X, y, SEED),
                       mutual_info_classif(X, y, random_state=3))


def test_a_group_has_the_best_score_of_its_free_members(rng):
    """Features that are always or never in have no part in the ranks."""
    X, y = data(rng, 8)
    scores = np.array([5.0, 1, 9, 2, 7, np.nan, np.nan, 3])
    prior = prior_of(FeaturePrior(lambda X, y: scores, offset=0), X, y, groups=[[0, 1], [3, 4], [5, 6]],
                     must_include=[2], exclude=[4])
    # groups {0, 1}, {3}, {5, 6}, {7} with 5, 2, nothing, 3
    assert_array_equal(prior.weights, [1, 1 / 3, 1 / 4, 1 / 2])
    assert_array_equal(prior.sizes, [2, 1, 2, 1])


def test_targets_have_their_functions(rng):
    X, _ = data(rng)
    y = X[:, 12] + 0.1 * rng.normal(size=60)
    prior = prior_of(FeaturePrior(f_regression), X[:, :-1], y, regression=True)
    assert prior.weights.argmax() == 12
    single_search(DecisionTreeRegressor(), feature_prior="f_regression", **SMALL).fit(X[:, :-1], y)


# the draws


@pytest.mark.parametrize("n_features", [1, 3, 64, 70, 200])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_draws_equal_the_twin(rng, n_features, share):
    """For any masks, elders and sizes; sizes, elders and the number of features are kept."""
    weights, sizes = FeaturePrior(offset=1).weights(rng.random(n_features)), rng.integers(1, 4, n_features)
    prior = Prior(weights, sizes.astype(np.int32), share)
    masks, elders = rng.random((20, n_features)) < rng.random((20, 1)), rng.random((20, n_features)) < 0.3
    elders[:5] = False
    got = steered(prior, masks, elders)
    ref = [naive.prior.redrawn(SEED, (*WHERE, row), mask, old, prior.weights.tolist(), share, prior.sizes.tolist())
           for row, (mask, old) in enumerate(zip(masks.tolist(), elders.tolist(), strict=True))]
    assert got.tolist() == ref
    assert_array_equal(got & elders, masks & elders)
    for size in (1, 2, 3):
        assert_array_equal(got[:, prior.sizes == size].sum(axis=1), masks[:, prior.sizes == size].sum(axis=1))
    if share == 0:
        assert_array_equal(got, masks)


def successive(weights, m):
    """Probability of each set of `m`, drawn by weight one after the other without replacement."""
    found = Counter({frozenset(): 1.0})
    for _ in range(m):
        after = Counter()
        for taken, p in found.items():
            left = {f: w for f, w in enumerate(weights) if f not in taken}
            for f, w in left.items():
                after[taken | {f}] += p * w / math.fsum(left.values())
        found = after
    return found


@pytest.mark.quick(1)
@pytest.mark.parametrize("m", [1, 2, 3])
def test_sets_have_the_law_of_draws_without_replacement(m):
    """Of six features, five of them free, m are new and all are drawn anew."""
    weights, n = np.array([6.0, 1, 3, 2, 9, 1]), 20_000
    prior = Prior(weights, np.ones(6, dtype=np.int32), 1.0)
    masks, elders = np.zeros((2, n, 6), dtype=np.bool_)
    masks[:, 1 : 1 + m] = True
    masks[:, 4] = elders[:, 4] = True
    got = Counter(map(bytes, steered(prior, masks, elders)[:, [0, 1, 2, 3, 5]]))
    expected = successive(weights[[0, 1, 2, 3, 5]].tolist(), m)
    shares = {bytes(f in taken for f in range(5)): p * n for taken, p in expected.items()}
    assert got.keys() == shares.keys()
    assert chisquare([got[key] for key in shares], list(shares.values())).pvalue > 1e-6


def test_half_of_the_initial_features_go_by_rank(rng):
    """Of one feature each: half of a draw by weight, half of an even one; so are the features that mutation adds."""
    X, y = data(rng, 20)
    scores = rng.permutation(20)
    weights = FeaturePrior().weights(scores)
    expected = 0.5 / 20 + 0.5 * weights / weights.sum()
    got = np.zeros(20)
    for seed in range(60):
        states = []
        single_search(population_size=20, n_generations=0, evaluation=Evaluation(n_splits=1, n_rescore_splits=0),
                      max_features=1, local_improvement=None, feature_prior=lambda X, y: scores,
                      random_state=seed, callbacks=states.append).fit(X, y)
        # the first cannot have been changed for being a copy
        got += bits.unpack(states[0].population.bits[:4], 20).sum(axis=0)
    assert got.sum() == 240 and chisquare(got, 240 * expected).pvalue > 1e-6


def test_children_get_features_of_high_rank(rng):
    """Of those that neither parent has, a share by weight; crossover alone adds nothing, so nothing changes."""
    X, y = data(rng)
    unsteered = front_of(X, y, feature_prior=None)
    assert front_of(X, y, feature_prior=FeaturePrior(share=0.0)) == unsteered
    assert front_of(X, y, feature_prior=FeaturePrior(lambda X, y: np.arange(30))) != unsteered
    seen = []
    for share in (0.0, 1.0):
        states = []
        # subsets of two given features, and children that add many: what they add tells where from
        single_search(**fitting({**SMALL, "population_size": 40, "n_generations": 1,
                                 "local_improvement": None}),
                        init__subsets=[[f, g] for f in range(20, 26) for g in range(f)][:40], survival="moga",
                        variation=Variation(mutation_rate=4.0), random_state=1,
                        feature_prior=FeaturePrior(lambda X, y: -np.arange(30.0), share=share, offset=0),
                        callbacks=states.append).fit(X, y)
        seen.append(bits.unpack(states[-1].population.bits, 30)[6:].sum(axis=0))
    assert seen[1][:6].sum() > 1.5 * seen[0][:6].sum() and abs(int(seen[1].sum()) - int(seen[0].sum())) < 25


@pytest.mark.parametrize("n", [1, 5])
def test_an_odd_number_of_children_are_the_first_of_one_more(rng, n):
    """The elders of the last one are a pair as well."""
    X, y = data(rng)
    ready = prepare(single_search(**fitting({**SMALL, "random_state": 0}), feature_prior=FeaturePrior(share=1.0)), X, y,
                    {})[1]
    population, = Islands(ready.search).start(ready.bits)
    odd, even = (mate(ready.search, population, MAIN, 1, 4, m) for m in (n, n + 1))
    assert_array_equal(odd.bits, even.bits[:n])


# the selector


def test_the_default_is_f_classif_where_it_can_be_computed(rng):
    """And no prior for a target, with missing values, on subsamples, and where squares overflow; silently."""
    X, y = data(rng)
    holed, none = np.where(rng.random(X.shape) < 0.05, np.nan, X), {"feature_prior": None}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert front_of(X, y) == front_of(X, y, feature_prior="f_classif") != front_of(X, y, **none)
        assert front_of(csr_array(X), y) == front_of(csr_array(X), y, feature_prior=FeaturePrior("auto"))
        for other, parameters in ((holed, {}), (csc_array(holed), {}), (X, {"evaluation__subsample": 30}),
                                  (1e300 * X, {}),
                                  (X, {"estimator": DecisionTreeRegressor()})):
            assert front_of(other, y, **parameters) == front_of(other, y, **parameters, **none)
    weights = prior_of(FeaturePrior("auto", share=0.2, offset=3.0), X, y)
    assert_array_equal(weights.weights, prior_of(FeaturePrior("f_classif", offset=3.0), X, y).weights)
    assert weights.share == 0.2


def test_subordinate_populations_are_steered_too(rng):
    """Chromosomes over the features of a template are drawn by the weights of these."""
    weights = 1.0 / np.arange(1, 31)
    prior = Prior(weights, np.ones(30, dtype=np.int32), 1.0)
    positions = np.array([3, 9, 20, 29], dtype=np.int32)
    masks = np.tile(np.array([False, False, False, True]), (2000, 1))
    found = prior.steered(Subsets(pack(masks), positions), pack(masks & False), SEED, WHERE)
    got = bits.unpack(found.bits, 4).sum(axis=0)
    assert chisquare(got, 2000 * weights[positions] / weights[positions].sum()).pvalue > 1e-6


def test_a_checkpoint_goes_with_its_ranking(rng, tmp_path):
    """The function may have its old name and do something else."""
    X, y = data(rng)

    def score(X, y):
        return scores

    scores = np.arange(30)
    setting = {**SMALL, "feature_prior": score, "checkpoint": Checkpoint(tmp_path / "state.npz"), "random_state": 0}
    single_search(**setting).fit(X, y)
    single_search(**setting).fit(X, y)
    scores = -scores
    with pytest.raises(ValueError, match="was made with feature_prior.score_func="):
        single_search(**setting).fit(X, y)


@pytest.mark.parametrize(("prior", "error", "message"), [
    (lambda X, y: np.full(30, np.nan), ValueError,
     "feature_prior must return a number for at least one feature, got NaN for all"),
    (lambda X, y: np.arange(29), TypeError,
     "feature_prior must return 30 numbers, one for each feature of X, got an array of int64 of shape (29,)"),
    (lambda X, y: None, TypeError,
     "feature_prior must return 30 numbers, one for each feature of X, got an array of object of shape ()"),
    (chi2, ValueError, "feature_prior must take X and y, chi2 does not: Input X must be non-negative."),
    ("chi2", ValueError, "feature_prior must take X and y, chi2 does not: Input X must be non-negative."),
    (len, TypeError, "feature_prior must take X and y, len does not: len() takes exactly one argument (2 given)"),
    ("f_regression", ValueError, "feature_prior must be one of ('f_classif', 'mutual_info_classif', 'chi2') or a "
                                 "callable for a classifier, got 'f_regression'"),
])
def test_what_does_not_fit_the_data_is_refused(rng, prior, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        single_search(feature_prior=prior, **SMALL).fit(*data(rng))
    if prior == "f_regression":
        with pytest.raises(ValueError, match="callable for a regressor, got 'chi2'$"):
            single_search(DecisionTreeRegressor(), feature_prior="chi2", **SMALL).fit(*data(rng))
