"""The dominance room: rank, rank fitness, fronts, crowding distances; what it refuses."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from populations import few_values, many_values

import naive.crowding
import naive.dominance
from moeliga._ext import dominance

SIZES = [1, 2, 10, 63, 64, 65]


# rank and fitness


@pytest.mark.parametrize("n", [0, *SIZES])
@pytest.mark.parametrize("n_objectives", [1, 2, 3, 5])
@pytest.mark.parametrize("values", [few_values, many_values])
def test_rank_equals_the_twin(rng, n, n_objectives, values):
    """Everybody counts those that dominate it, with ties and without."""
    objectives = values(rng, n, n_objectives)
    got = dominance.rank(objectives)
    assert got.dtype == np.int32
    assert got.tolist() == naive.dominance.rank(objectives.tolist())


def test_equal_vectors_do_not_dominate_each_other():
    """Copies of the best are all of rank 1; a copy below counts each of them."""
    assert dominance.rank(np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 1.0], [1.0, 1.0]])).tolist() == [1, 1, 3, 3]


def test_rank_counts_dominators_by_hand():
    """All objectives at least as large and one larger; larger is better; -0.0 equals 0.0."""
    objectives = np.array([[3.0, 1.0], [1.0, 3.0], [2.0, 2.0], [1.0, 1.0], [0.0, 9.0], [-0.0, 9.0], [0.0, 0.0]])
    assert dominance.rank(objectives).tolist() == [1, 1, 1, 4, 1, 1, 7]


def test_rank_does_not_depend_on_the_order_of_rows(rng):
    """A permuted population has permuted ranks."""
    objectives, order = few_values(rng, 65), rng.permutation(65)
    assert_array_equal(dominance.rank(objectives[order]), dominance.rank(objectives)[order])


@pytest.mark.quick("values")
@pytest.mark.parametrize("n", [399, 400, 4096, 4500])
@pytest.mark.parametrize("n_objectives", [1, 2, 3, 5])
@pytest.mark.parametrize("values", [few_values, many_values])
def test_rank_of_many_is_what_comparing_all_pairs_gives(rng, n, n_objectives, values):
    """Many are sorted in place of being compared: the same numbers, with ties, copies and zeros of both signs."""
    objectives = values(rng, n, n_objectives)[rng.integers(n, size=n)]
    objectives[rng.random((n, n_objectives)) < 0.1] = 0.0
    objectives[rng.random((n, n_objectives)) < 0.1] = -0.0
    as_good = np.ones((n, n), dtype=bool)
    for column in objectives.T:
        as_good &= column[:, None] <= column
    got = dominance.rank(objectives)
    assert got.dtype == np.int32
    assert_array_equal(got, 1 + (as_good & ~as_good.T).sum(axis=1))


@pytest.mark.parametrize("n", [0, *SIZES])
def test_fitness_equals_the_twin(rng, n):
    """For ranks that occur and for any others in [1, n]."""
    for rank in (dominance.rank(few_values(rng, n)), rng.integers(1, n, n, endpoint=True, dtype=np.int32)):
        assert dominance.fitness(rank).tolist() == naive.dominance.fitness(rank.tolist())


def test_fitness_of_the_worked_example():
    """P = 10, n = (2, 3, 4), r = 3 gives 10 - 5 - 1.5 = 3.5."""
    rank = np.array([1, 1, 2, 2, 2, 3, 3, 3, 3, 4], dtype=np.int32)
    assert dominance.fitness(rank).tolist() == [9.5] * 2 + [7.0] * 3 + [3.5] * 4 + [1.0]


@pytest.mark.parametrize("n", SIZES)
def test_fitness_is_positive_and_its_sum_is_that_of_a_ranking(rng, n):
    """Ties share: the sum is 1 + 2 + ... + P whatever the ranks."""
    fitness = dominance.fitness(dominance.rank(few_values(rng, n)))
    assert fitness.min() >= 0.5
    assert fitness.sum() == n * (n + 1) / 2


# fronts


@pytest.mark.parametrize("values", [few_values, many_values])
@pytest.mark.parametrize("n_objectives", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 10, 65])
def test_fronts_equal_the_twin(rng, n, n_objectives, values):
    """Peeling off what is not dominated finds the lengths of the longest chains."""
    objectives = values(rng, n, n_objectives)
    found = dominance.fronts(objectives)
    assert found.dtype == np.int32
    assert found.tolist() == naive.crowding.fronts(objectives.tolist())
    assert_array_equal(found == 1, dominance.rank(objectives) == 1)


def test_front_and_rank_differ_where_chains_and_numbers_do():
    """Two individuals of the first front above a third: its rank is 3, its front 2."""
    objectives = np.array([[2.0, 1.0], [1.0, 2.0], [0.5, 0.5], [0.5, 0.5], [0.0, 0.0]])
    assert dominance.rank(objectives).tolist() == [1, 1, 3, 3, 5]
    assert dominance.fronts(objectives).tolist() == [1, 1, 2, 2, 3]


@pytest.mark.slow
def test_fronts_of_many_equal_the_twin(rng):
    """Where the room ranks by sorting; a chain has as many fronts as members."""
    objectives = few_values(rng, 900, 3)
    assert dominance.fronts(objectives).tolist() == naive.crowding.fronts(objectives.tolist())
    assert dominance.fronts(np.arange(500.0)[:, None]).tolist() == list(range(500, 0, -1))


# crowding


@pytest.mark.parametrize("values", [few_values, many_values])
@pytest.mark.parametrize("n_objectives", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 65])
def test_crowding_equals_the_twin_bit_for_bit(rng, n, n_objectives, values):
    """In the fronts, and in parts drawn at random."""
    objectives = values(rng, n, n_objectives)
    for front in (dominance.fronts(objectives), rng.integers(1, 4, size=n).astype(np.int32)):
        expected = naive.crowding.distances(objectives.tolist(), front.tolist())
        assert dominance.crowding(objectives, front).tolist() == expected


def test_crowding_by_hand():
    """Five of a front on a line of slope -1, and two of another."""
    objectives = np.array([[0.0, 8.0], [8.0, 0.0], [1.0, 7.0], [4.0, 4.0], [6.0, 2.0], [0.0, 1.0], [1.0, 0.0]])
    front = np.array([1, 1, 1, 1, 1, 2, 2], dtype=np.int32)
    inf = math.inf
    assert dominance.crowding(objectives, front).tolist() == [inf, inf, 4 / 8 * 2, 5 / 8 * 2, 4 / 8 * 2, inf, inf]


def test_an_objective_that_does_not_vary_counts_nothing():
    """Not for its first and last either: these would be the first and last places."""
    objectives = np.array([[0.5, 1.0], [0.5, 3.0], [0.5, 2.0], [0.5, 3.5]])
    front = np.ones(4, dtype=np.int32)
    assert dominance.crowding(objectives, front).tolist() == [math.inf, 1.5 / 2.5, 2 / 2.5, math.inf]
    assert dominance.crowding(objectives[:, :1].copy(), front).tolist() == [0.0] * 4


def test_crowding_does_not_overflow():
    """Neighbours at both ends of float64."""
    objectives = np.array([[-1.7e308], [0.0], [1.7e308]])
    assert dominance.crowding(objectives, np.ones(3, dtype=np.int32)).tolist() == [math.inf, 1.0, math.inf]


@pytest.mark.parametrize("values", [few_values, many_values])
def test_fitness_falls_with_the_front_then_grows_with_the_distance(rng, values):
    """It is that of Eq. eqfit1 for the places in this order; equals share the mean of theirs."""
    objectives = values(rng, 65, 3)
    front = dominance.fronts(objectives)
    distance = dominance.crowding(objectives, front)
    fitness = dominance.crowded_fitness(front, distance)
    keys = naive.crowding.keys(front.tolist(), distance.tolist())
    assert fitness.tolist() == naive.dominance.fitness(keys)
    places = 65.0 - np.argsort(np.argsort([sorted(keys).index(key) for key in keys], kind="stable"), kind="stable")
    for key in set(keys):
        same = np.array([other == key for other in keys])
        assert np.all(fitness[same] == places[same].mean())
    assert fitness.min() > 0 and dominance.crowded_fitness(front[:1], distance[:1]).tolist() == [1.0]


# doors


def test_inputs_may_be_read_only_and_stay_as_they_were(rng):
    """A door reads its inputs only."""
    objectives = few_values(rng, 9)
    rank = dominance.rank(objectives)
    inputs = [objectives, rank]
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    dominance.rank(objectives)
    dominance.fitness(rank)
    for array, copy in zip(inputs, before, strict=True):
        assert_array_equal(array, copy)


def crowding(objectives):
    """One front."""
    return dominance.crowding(objectives, np.ones(len(objectives), np.int32))


@pytest.mark.parametrize("door", [dominance.rank, dominance.fronts, crowding])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_objectives_must_be_finite(door, value):
    """NaN neither dominates nor is dominated: it would be of rank 1, and near nobody."""
    with pytest.raises(ValueError, match=r"objectives must be finite, got NaN or infinity"):
        door(np.array([[1.0, 2.0], [value, 0.0]]))


@pytest.mark.parametrize("door", [dominance.rank, dominance.fronts, crowding])
def test_there_must_be_an_objective(door):
    """Without objectives nobody can be compared."""
    with pytest.raises(ValueError, match=r"objectives must have at least one column, got 0"):
        door(np.zeros((3, 0)))


@pytest.mark.parametrize("rank", [[0, 1], [1, 3], [-1, 1]])
def test_fitness_refuses_ranks_out_of_range(rank):
    """A rank is in [1, P]."""
    with pytest.raises(ValueError, match=r"rank must be in \[1, 2\], got (0|3|-1)"):
        dominance.fitness(np.array(rank, np.int32))


def test_crowding_refuses_what_does_not_agree():
    """One front and one distance for each individual."""
    front = np.ones(2, np.int32)
    with pytest.raises(ValueError, match=r"front must have 3 entries, got 2"):
        dominance.crowding(np.zeros((3, 1)), front)
    with pytest.raises(ValueError, match=r"front must have 1 entries, got 2"):
        dominance.crowded_fitness(front, np.zeros(1))
    with pytest.raises(ValueError, match=r"distance must not be NaN"):
        dominance.crowded_fitness(front, np.array([1.0, math.nan]))


@pytest.mark.parametrize("call", [
    lambda: dominance.rank(np.zeros((2, 2), np.float32)),
    lambda: dominance.fronts(np.zeros((2, 2), np.float32)),
    lambda: dominance.crowding(np.zeros((2, 2)), np.ones(2, np.int64)),
    lambda: dominance.crowded_fitness(np.ones(2, np.int64), np.zeros(2)),
    lambda: dominance.fitness(np.ones(2, np.int64)),
])
def test_another_dtype_is_refused(call):
    """Objectives and distances are float64, ranks int32."""
    with pytest.raises(ValueError, match="dtype mismatch"):
        call()
