"""The public functions of points and of one subset: separability, ranks, shared fitness."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from plain_objectives import data, random_masks, slow_separability, target_data, target_hits

import naive.dominance
import naive.niche
import naive.regression
from moeliga import (
    FitnessSharing,
    pareto_rank,
    separability,
    shared_fitness,
)
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words

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
    ({"samples": 0}, ValueError, "samples must be >= 1, got 0"),
    ({"samples": 2.0}, ValueError, "samples must be in (0, 1], got 2.0"),
    ({"samples": 9}, ValueError,
     "samples must be <= 4, the number of samples, without replacement, got 9"),
    ({"replace": 1}, TypeError, "replace must be True or False, got 1"),
    ({"neighbours": 0}, ValueError, "neighbours must be in (0, 1), got 0"),
    ({"neighbours": "all"}, TypeError, "neighbours must be a number, got 'all'"),
    ({"neighbours": 0.1, "y": [3, 3, 3, 3]}, ValueError, "y must have at least 2 values, got 1 value: 3.0"),
    ({"mask": [True]}, ValueError, "mask must have 2 entries, the features of X, got 1"),
    ({"mask": [False, False]}, ValueError, "mask must select a feature, got none"),
    ({"mask": [0, 2]}, ValueError, "mask must hold only True and False (or 1 and 0), got dtype int64"),
    ({"mask": [[True, True]]}, ValueError, "mask must be one-dimensional, got shape (1, 2)"),
    ({"mask": True}, ValueError, "mask must be one-dimensional, got shape ()"),
    ({"y": [0, 0, 0, 0]}, ValueError, "y must have at least 2 classes, got 1 class: 0"),
    ({"y": [0.5, 1.5, 2.5, 3.5]}, ValueError,
     "y must hold class labels, got numbers such as 0.5: for a continuous target pass neighbours=, the share of the "
     "samples that are hits, such as 0.1; for classes pass text, as y.astype(str)"),
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
        rank = naive.dominance.rank(objectives.tolist())
        fitness = naive.dominance.fitness(rank)
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
    assert_allclose(got, naive.dominance.fitness(rank.tolist()), rtol=1e-12)


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


RAGGED = [[1, 0], [1]]


@pytest.mark.parametrize(("call", "message"), [
    (lambda: pareto_rank(RAGGED), "objectives must be a table of numbers: setting an array element"),
    (lambda: pareto_rank([0.5]), "objectives must be a table of numbers: Expected 2D array"),
    (lambda: shared_fitness([["a"]]), "objectives must be a table of numbers: could not convert"),
    (lambda: shared_fitness([[0.0], [1.0]], RAGGED), "masks must be a table of True and False: setting an array"),
    (lambda: separability(np.eye(4), [0, 0, 1, 1], RAGGED), "mask must be a sequence of True and False: setting an"),
    (lambda: separability(RAGGED, [0, 1]), "X must be a table of numbers: setting an array element"),
    (lambda: separability([0.0, 1.0], [0, 1]), "X must be a table of numbers: Expected 2D array"),
    (lambda: separability([["a"], ["b"]], [0, 1]), "X must be a table of numbers: could not convert"),
    (lambda: separability([[0.0], [1.0]], RAGGED), "y must be a sequence of labels or numbers: setting an array"),
    (lambda: separability([[0.0], [1.0]], np.array([0.0, "a"], dtype=object), neighbours=0.1),
     "y must hold numbers for a regressor: could not convert"),
])
def test_what_is_no_array_is_named(call, message):
    """The words of NumPy and scikit-learn follow."""
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"mode": "x"}, ValueError, "mode must be one of ('cluster', 'niche', 'mean_distance'), got 'x'"),
    ({"space": "x"}, ValueError, "space must be one of ('decision', 'objective'), got 'x'"),
    ({"sigma": 0}, ValueError, "sigma must be > 0, got 0"),
    ({"alpha": "1"}, TypeError, "alpha must be a number, got '1'"),
    ({"rank_normalisation": None}, ValueError,
     "rank_normalisation must be one of ('sum', 'mean'), got None"),
    ({"masks": None}, ValueError, "masks must be given for space='decision', got None"),
    ({"masks": [[True]]}, ValueError, "masks must have 2 rows, as objectives has, got 1"),
    ({"masks": [[True], [3]]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype int64"),
], ids=str)
def test_bad_arguments_of_shared_fitness_are_named(arguments, error, message):
    """A message names the argument, the rule and the value."""
    arguments = {"objectives": [[0.0], [1.0]], "masks": [[True], [False]], **arguments}
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        shared_fitness(**arguments)
