"""What individuals are compared by: means over all evaluations, and lower bounds of them."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import GaussianNB

from moeliga import DecisionTreeRegressor, LocalImprovement, MOELIGASelector
from moeliga.base.random_streams import Purpose
from moeliga.evaluation.objectives import Objectives
from moeliga.search.local_improvement import improve
from moeliga.search.population import Population, join, merged_moments, newcomers
from operators import PAPER

SMALL = {**PAPER, "population_size": 12, "n_generations": 8, "n_elite": 3, "generation_gap": 2, "n_rescore_splits": 0,
         "local_improvement": None, "random_state": 0, "n_jobs": 1, "reevaluate": "lower_bound"}


def small(*arguments, **parameters):
    """A selector that takes milliseconds."""
    return MOELIGASelector(*arguments, **{**SMALL, **parameters})


def data(rng, n_samples=36, n_features=20, n_classes=3):
    """Noise and, in every third feature, something of the class."""
    y = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::3] += y[:, None]
    return X, y


@pytest.fixture
def calls(monkeypatch):
    """Every call of Objectives.evaluate: list of (address, masks, objectives, scores)."""
    found, original = [], Objectives.evaluate

    def evaluate(self, bits, features, address, individuals=None, **options):
        objectives, scores = original(self, bits, features, address, individuals, **options)
        found.append((address, self.masks(bits, features), objectives.copy(), scores.copy()))
        return objectives, scores

    monkeypatch.setattr(Objectives, "evaluate", evaluate)
    return found


def bound(scores):
    """Mean less one standard error, by NumPy."""
    return np.mean(scores) - np.std(scores, ddof=1) / np.sqrt(np.size(scores))


# moments


@pytest.mark.parametrize("n_splits", [1, 2, 3, 10])
def test_merged_moments_are_those_of_all_scores_together(rng, n_splits):
    """Of individuals with different numbers of evaluations, some with none."""
    scores = rng.random((7, 9, n_splits)) * 10.0 ** rng.integers(-3, 4, (7, 1, 1))
    moments, n_scored = rng.random((7, 2)), np.zeros(7, dtype=np.int64)
    for i in range(9):
        rows = np.arange(7) <= i
        moments[rows] = merged_moments(moments[rows], n_scored[rows], scores[rows, n_scored[rows]])
        n_scored[rows] += 1
    for row, n, (mean, squares) in zip(scores, n_scored, moments, strict=True):
        assert_allclose(mean, row[:n].mean(), rtol=1e-12)
        assert_allclose(squares, row[:n].var() * n * n_splits, rtol=1e-9, atol=1e-20)


def test_equal_scores_have_no_scatter():
    """Exactly: the bound is the score."""
    scores = np.full((2, 3), [[1.0], [0.5]])
    moments = np.zeros((2, 2))
    for n in range(20):
        moments = merged_moments(moments, np.full(2, n), scores)
        assert moments.tolist() == [[1.0, 0.0], [0.5, 0.0]]


def test_heirs_know_what_their_places_knew():
    """The others know nothing; the population that they come from is not written to."""
    values = np.arange(8.0).reshape(4, 2)
    parents = Population(np.arange(4, dtype=np.uint64)[:, None], np.arange(5, dtype=np.int32), values, np.arange(1, 5),
                         values / 8)
    bits = np.array([[9], [8], [7]], dtype=np.uint64)
    heirs = parents.inherited(bits, np.array([2, 0]))
    heirs.objectives[0, 0] += 1
    assert heirs.bits.tolist() == [[9], [8], [7]] and heirs.n_scored.tolist() == [3, 1, 0]
    assert heirs.objectives.tolist() == [[5.0, 5.0], [0.0, 1.0], [0.0, 0.0]]
    assert heirs.moments.tolist() == [[0.5, 0.625], [0.0, 0.125], [0.0, 0.0]]
    assert parents.objectives[2, 0] == 4.0
    both = join([parents.take(np.array([3])), newcomers(bits, parents.positions, 2)])
    assert both.moments.tolist() == [[0.75, 0.875]] + 3 * [[0.0, 0.0]] and both.n_scored.tolist() == [4, 0, 0, 0]


# the search


@pytest.mark.parametrize("options", [
    {}, {"survival": "nsga2"}, {"split_mode": "generation", "n_splits": 2}, {"objectives": ("separability", "uar")},
], ids=str)
def test_the_score_counts_for_its_mean_less_its_standard_error(rng, calls, options):
    """Over all splits since an individual came; everything else for its mean."""
    states = []
    selector = small(**{"objectives": ("uar", "cardinality", "separability"), **options}, callbacks=states.append)
    selector.fit(*data(rng))
    seen, primary = {}, states[0].search.objectives.primary
    for _, masks, objectives, scores in calls:
        for mask, values, own in zip(masks, objectives, scores, strict=True):
            seen.setdefault(mask.tobytes(), []).append((values, own))
    longest = 0
    for mask, values, n in zip(states[-1].supports, states[-1].objectives, states[-1].population.n_scored, strict=True):
        last = seen[mask.tobytes()][-n:]
        assert values[primary] == pytest.approx(bound([own for _, own in last]), abs=1e-12)
        others = np.delete(values, primary)
        assert_allclose(others, np.delete(np.mean([row for row, _ in last], axis=0), primary), rtol=0, atol=1e-12)
        longest = max(longest, n)
    assert longest > 3


@pytest.mark.parametrize("replacement", ["parent", "front"])
def test_what_replaces_a_template_begins_with_the_comparison(rng, calls, replacement):
    """Its bound is of the splits on which it was compared, by their mean, with the template."""
    states = []
    small(n_generations=0, callbacks=states.append, init="log_uniform").fit(*data(rng))
    search, population = states[0].search, states[0].population
    n_replaced = 0
    for generation in range(1, 9):
        search.local_improvement = LocalImprovement(3, 9, 4, 1, replacement)
        calls.clear()
        after, n = improve(search, population, generation)
        before = search.space.masks(population.bits, population.positions)
        winners, there = [], Counter(mask.tobytes() for mask in before)
        for address, masks, objectives, scores in calls:
            if address[0] == Purpose.PAIR:
                size, score = masks.sum(axis=1), objectives[:, 0]
                better = (score >= score[0]) & (size <= size[0]) & ((score > score[0]) | (size < size[0]))
                winners += [(masks[i].tobytes(), scores[i]) for i in np.flatnonzero(better)[:1]]
        assert n == len(winners)
        there.update(mask for mask, _ in winners)
        found = {mask.tobytes(): i for i, mask in enumerate(search.space.masks(after.bits, after.positions))}
        for mask, scores in winners:
            if there[mask] > 1:
                continue  # of equal individuals the later one is changed
            i = found[mask]
            assert after.objectives[i, 0] == pytest.approx(bound(scores), abs=1e-12) and after.n_scored[i] == 1
            assert_allclose(after.moments[i], [scores.mean(), scores.var() * 3], atol=1e-12)
        n_replaced += n
    assert n_replaced > 3


def test_it_works_with_other_estimators_and_targets(rng):
    """Whatever gives a score on each split."""
    X, y = data(rng)
    for estimator, target in ((GaussianNB(), y), (DecisionTreeRegressor(), X[:, 0] + y)):
        found = {}
        for reevaluate in ("average", "lower_bound"):
            selector = small(estimator, objectives=None, reevaluate=reevaluate, n_generations=0).fit(X, target)
            found[reevaluate] = selector.history_["best_score"][0]
        assert found["lower_bound"] < found["average"]


def test_a_score_that_never_varies_is_its_own_bound(rng):
    """A perfect feature has a UAR of 1 on every split, and the search says 1."""
    X, y = data(rng)
    X[:, 4] = y
    history = small(must_include=[4], n_generations=3).fit(X, y).history_
    assert history["best_score"].tolist() == 4 * [1.0]


def test_newcomers_do_not_win_by_luck(rng):
    """Where nothing tells the classes apart the search believes in less than with means; in the mean of ten, as now and
    then three equal scores leave no doubt of a newcomer."""
    y, best = np.arange(60) % 2, {"average": 0.0, "lower_bound": 0.0}
    for _ in range(10):
        X = rng.normal(size=(60, 30))
        for reevaluate in best:
            selector = small(reevaluate=reevaluate, n_generations=20, objectives=("uar", "cardinality")).fit(X, y)
            best[reevaluate] += np.mean(selector.history_["best_score"]) / 10
    assert best["lower_bound"] < best["average"]


def test_the_front_shows_the_bounds_of_the_search(rng):
    """As the values that the search saw; re-scoring replaces them by means."""
    X, y = data(rng)
    states = []
    front = small(archive=False, callbacks=states.append).fit(X, y).pareto_front_
    last = {mask.tobytes(): values for mask, values in zip(states[-1].supports, states[-1].objectives, strict=True)}
    assert_array_equal(front.search_objectives, [last[mask.tobytes()] for mask in front.supports])
    rescored = small(archive=False, n_rescore_splits=40).fit(X, y).pareto_front_
    for mask, values, score in zip(rescored.supports, rescored.search_objectives, rescored.score, strict=True):
        assert_array_equal(values, last[mask.tobytes()])
        assert score != values[0]
