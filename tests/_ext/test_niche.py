"""The niche room: distances, clusters, shared and normalised fitness."""

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from populations import few_values, many_values

import naive.niche
from moeliga._ext import bits, dominance, niche

SIZES = [1, 2, 10, 63, 64, 65]
ALPHAS = [0.5, 1.0, 1.5, 2.0, 3.7]


def pack(masks):
    return bits.pack(np.ascontiguousarray(masks, dtype=np.uint8))


def members(packed, n):
    """Clusters as sets."""
    return [set(np.flatnonzero(row).tolist()) for row in bits.unpack(packed, n)]


def square_distances(rng, n, space):
    """Squared distances of a random population, with copies in it, and a sigma that makes clusters."""
    if space == "decision":
        masks = rng.random((n, 65)) < 0.1
        return niche.decision_distances(pack(masks[rng.integers(n, size=n)]), 65).matrix(), 0.45
    return niche.objective_distances(many_values(rng, n)[rng.integers(n, size=n)]).matrix(), 0.5


def line(*places):
    """Squared distances of points on a line."""
    places = np.array(places, dtype=np.float64)
    return (places[:, None] - places) ** 2


# distances


@pytest.mark.quick("values")
@pytest.mark.parametrize("n", [0, *SIZES])
@pytest.mark.parametrize("n_features", [1, 63, 64, 65, 321])
def test_decision_distances_equal_the_twin(rng, n, n_features):
    """h / F, to the bit."""
    masks = rng.random((n, n_features)) < 0.3
    got = niche.decision_distances(pack(masks), n_features)
    assert len(got) == n
    got = got.matrix()
    assert got.tolist() == naive.niche.decision_distances(masks.tolist())


@pytest.mark.parametrize("n", [0, *SIZES])
@pytest.mark.parametrize("values", [few_values, many_values])
def test_objective_distances_equal_the_twin(rng, n, values):
    """Each objective over its range, to the bit; one of range 0 counts 0."""
    objectives = values(rng, n)
    objectives[:, 1] = 0.7
    got = niche.objective_distances(objectives).matrix()
    assert got.tolist() == naive.niche.objective_distances(objectives.tolist())
    assert_array_equal(got, got.T)
    assert (got >= 0).all() and (got <= 2).all() and not got.diagonal().any()


def test_objective_distances_by_hand():
    """Ranges 2 and 10 and 0: the first is half of its range and the whole of the other away from the second."""
    got = niche.objective_distances(np.array([[1.0, 0.0, 5.0], [2.0, 10.0, 5.0], [0.0, 0.0, 5.0]])).matrix()
    assert got.tolist() == [[0.0, 1.25, 0.25], [1.25, 0.0, 2.0], [0.25, 2.0, 0.0]]


# clusters


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("space", ["decision", "objective"])
def test_clusters_equal_the_twin(rng, n, space):
    """The same clusters in the same order for every sigma, from copies only to everybody."""
    d2, sigma = square_distances(rng, n, space)
    for factor in (1e-9, 0.5, 0.8, 1.0, 1.2, 2.0, 10.0):
        got = niche.clusters(d2, factor * sigma)
        assert got.dtype == np.uint64
        assert members(got, n) == naive.niche.clusters(d2.tolist(), factor * sigma)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("density", [0.05, 0.5, 0.9])
def test_clusters_are_cliques_that_cover_every_near_pair(rng, n, density):
    """For any graph: members are pairwise nearer than sigma, and two near individuals are together somewhere."""
    far = np.triu(rng.random((n, n)) >= density, 1)
    d2 = np.where(far | far.T, 4.0, 0.25) * ~np.eye(n, dtype=np.bool_)
    found = members(niche.clusters(d2, 1.0), n)
    assert found == naive.niche.clusters(d2.tolist(), 1.0)
    covered = {(i, j) for cluster in found for i in cluster for j in cluster if i < j}
    assert covered == {(i, j) for i in range(n) for j in range(i + 1, n) if d2[i, j] < 1}
    assert all(len(cluster) > 1 for cluster in found)


def test_three_pairwise_near_are_one_cluster():
    """A triangle is one clique."""
    assert members(niche.clusters(line(0.0, 0.4, 0.8), 1.0), 3) == [{0, 1, 2}]


def test_a_chain_is_two_overlapping_clusters():
    """a-b-c with d(a, c) >= sigma: b is in both."""
    assert members(niche.clusters(line(0.0, 0.6, 1.2), 1.0), 3) == [{0, 1}, {1, 2}]


def test_sigma_itself_is_too_far():
    """Nearer than sigma is strict."""
    assert members(niche.clusters(line(0.0, 1.0), 1.0), 2) == []
    assert members(niche.clusters(line(0.0, 1.0), math.nextafter(1.0, 2.0)), 2) == [{0, 1}]


def test_the_lonely_are_in_no_cluster():
    """An individual near nobody is in none."""
    assert members(niche.clusters(line(0.0, 5.0, 0.5, 9.0), 1.0), 4) == [{0, 2}]


@pytest.mark.parametrize("n", [0, 1])
def test_up_to_one_individual_makes_no_cluster(n):
    """A cluster has two members at least."""
    assert niche.clusters(np.zeros((n, n)), 1.0).shape == (0, n)


@pytest.mark.parametrize("n", [10, 64, 65, 130])
def test_clusters_may_outnumber_individuals(n):
    """A bipartite graph has no triangle: each of its n^2 / 4 edges is a cluster of its own."""
    sides = np.arange(n) % 2
    d2 = np.where(sides[:, None] != sides, 0.25, 4.0) * ~np.eye(n, dtype=np.bool_)
    found = members(niche.clusters(d2, 1.0), n)
    assert len(found) == n // 2 * (n - n // 2) > n
    assert found == [{i, j} for i in range(n) for j in range(i) if d2[i, j] < 1]
    assert all(niche.shared(d2, np.ones(n), np.ones(n, np.int32), "cluster", 1.0, 1.0) < 1)


@pytest.mark.quick(2)
@pytest.mark.parametrize("space", ["decision", "objective"])
@pytest.mark.parametrize("n", [65, 2048, 2100])
def test_distances_that_are_not_kept_give_the_same(rng, n, space):
    """Found one by one or looked up in a matrix: the same clusters and the same f', to the bit, for every mode."""
    masks = rng.random((n, 321)) < 0.1
    masks[1::2] = masks[::2][: n // 2] ^ (rng.random((n // 2, 321)) < 0.005)
    objectives = many_values(rng, n)
    rank = dominance.rank(objectives)
    fitness = dominance.fitness(rank)

    def distances():
        if space == "decision":
            return niche.decision_distances(pack(masks), 321)
        return niche.objective_distances(objectives)

    d2 = distances().matrix()
    for sigma in (1e-9, 0.03, 0.08, 0.2):
        packed = niche.clusters(distances(), sigma)
        assert_array_equal(packed, niche.clusters(d2, sigma))
        assert len(packed) > 0 or sigma < 0.2
        for mode in niche.MODES:
            got = niche.shared(distances(), fitness, rank, mode, sigma, 1.5)
            assert got.tobytes() == niche.shared(d2, fitness, rank, mode, sigma, 1.5).tobytes()


@pytest.mark.parametrize("n_features", [1, 2, 65, 159_999, 160_000, 160_001])
def test_nearness_is_that_of_the_rounded_distance(n_features):
    """Bits are counted in place of distances: also where sigma is the distance of so many bits, or just above it."""
    for h in {0, 1, 2, 7, n_features} & set(range(n_features + 1)):
        masks = np.zeros((2, n_features), dtype=bool)
        masks[1, n_features - h :] = True
        distance = math.sqrt(h / n_features)
        for sigma in (distance, math.nextafter(distance, 2.0), 0.0025, math.nextafter(0.0025, 1.0), 2.0):
            if sigma > 0:
                found = niche.clusters(niche.decision_distances(pack(masks), n_features), sigma)
                assert len(found) == (distance < sigma)


# shared fitness


@pytest.mark.quick("pairs")
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("space", ["decision", "objective"])
@pytest.mark.parametrize("mode", niche.MODES)
@pytest.mark.parametrize("alpha", [*ALPHAS, 0.3, 16.0])
def test_shared_equals_the_twin(rng, n, space, mode, alpha):
    """Every mode in every space, to the bit."""
    d2, sigma = square_distances(rng, n, space)
    rank = dominance.rank(few_values(rng, n))
    fitness = dominance.fitness(rank)
    for factor in (0.7, 1.3):
        got = niche.shared(d2, fitness, rank, mode, factor * sigma, alpha)
        ref = naive.niche.shared(d2.tolist(), fitness.tolist(), rank.tolist(), mode, factor * sigma, alpha)
        assert got.tolist() == ref
        assert (got >= 0).all()


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("mode", niche.MODES)
def test_shared_leaves_the_lonely_alone(n, mode):
    """Where nobody is near, f' is f."""
    rank = np.ones(n, np.int32)
    fitness = dominance.fitness(rank)
    assert_array_equal(niche.shared(np.zeros((n, n)), fitness, rank, mode, 0.0025, 1.0), fitness)


def test_exact_duplicates_share_everything():
    """Copies lie on their centroid: S = 1, f' = 0; the others keep their fitness."""
    shared = niche.shared(line(0.0, 0.0, 0.0, 3.0), np.full(4, 2.5), np.ones(4, np.int32), "cluster", 0.0025, 1.0)
    assert shared.tolist() == [0.0, 0.0, 0.0, 2.5]


def test_a_cluster_of_two_by_hand():
    """The centroid is half-way: d = 0.25, S = 1 - 0.25 / 1, f' = f / 4."""
    shared = niche.shared(line(0.0, 0.5), np.array([2.0, 1.0]), np.array([1, 2], np.int32), "cluster", 1.0, 1.0)
    assert shared.tolist() == [0.5, 0.25]


def test_overlapping_clusters_multiply():
    """The middle of a chain is reduced by both of its clusters, its ends by one each."""
    shared = niche.shared(line(0.0, 0.5, 1.0), np.ones(3), np.ones(3, np.int32), "cluster", 1.0, 1.0)
    assert shared.tolist() == [0.25, 0.0625, 0.25]


def test_the_centroid_is_the_mean_of_the_members(rng):
    """Squared distances alone give the distance to the centroid of points in space."""
    points = rng.random((9, 4))
    d2 = ((points[:, None] - points) ** 2).sum(axis=2)
    shared = niche.shared(d2, np.ones(9), np.ones(9, np.int32), "cluster", 10.0, 1.0)
    to_centroid = np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1))
    np.testing.assert_allclose(shared, to_centroid / 10, rtol=1e-12)  # another order of the same sums


def test_niche_counts_only_the_same_rank():
    """f / (1 + S of the near of one's own rank)."""
    rank = np.array([1, 1, 2, 1], np.int32)
    shared = niche.shared(line(0.0, 0.25, 0.0, 0.5), np.array([6.0, 6.0, 1.0, 6.0]), rank, "niche", 0.5, 1.0)
    assert shared.tolist() == [6 / 1.5, 6 / 2, 1.0, 6 / 1.5]


def test_mean_distance_by_hand():
    """f times the mean distance to all others; f itself where all are copies."""
    fitness, rank = np.array([2.0, 2.0, 1.0]), np.ones(3, np.int32)
    shared = niche.shared(line(0.0, 1.0, 3.0), fitness, rank, "mean_distance", 1.0, 1.0)
    assert shared.tolist() == [2 * 2.0, 2 * 1.5, 2.5]
    assert_array_equal(niche.shared(np.zeros((3, 3)), fitness, rank, "mean_distance", 1.0, 1.0), fitness)


@pytest.mark.parametrize("alpha", [*ALPHAS, 0.1, 7.25, 16.0])
def test_power_agrees_with_the_c_library(rng, alpha):
    """x ** alpha by squares and square roots is `pow` but for rounding."""
    for x in rng.random(300) ** 2:
        assert naive.niche.power(x, alpha) == pytest.approx(math.pow(x, alpha), rel=1e-13, abs=0)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_taper_agrees_with_the_c_library(rng, alpha):
    """1 - S of a pair is (d / 2 sigma) ** alpha but for rounding (that of 1 - (1 - x) is below 2^-53)."""
    for distance in rng.uniform(0.1, 1.0, 100):
        shared = niche.shared(line(0.0, distance), np.ones(2), np.ones(2, np.int32), "cluster", 1.0, alpha)
        expected = math.pow(math.sqrt(line(0.0, distance)[0, 1]) / 2, alpha)
        assert shared.tolist() == pytest.approx([expected] * 2, rel=1e-13, abs=2.0**-52)


def test_the_taper_is_exact_for_alpha_1(rng):
    """The paper's choice needs no power at all."""
    for distance in rng.random(100):
        shared = niche.shared(line(0.0, distance), np.ones(2), np.ones(2, np.int32), "niche", 1.0, 1.0)
        assert shared.tolist() == [1 / (1 + (1 - distance))] * 2


# normalised fitness


@pytest.mark.parametrize("n", [0, *SIZES])
@pytest.mark.parametrize("normalisation", niche.NORMALISATIONS)
@pytest.mark.parametrize("mode", niche.MODES)
def test_normalise_equals_the_twin(rng, n, normalisation, mode):
    """To the bit, for every way to share."""
    d2, sigma = square_distances(rng, n, "decision") if n else (np.zeros((0, 0)), 1.0)
    rank = dominance.rank(few_values(rng, n))
    fitness = dominance.fitness(rank)
    shared = niche.shared(d2, fitness, rank, mode, sigma, 1.0)
    got = niche.normalise(fitness, shared, rank, normalisation)
    assert got.tolist() == naive.niche.normalise(fitness.tolist(), shared.tolist(), rank.tolist(), normalisation)


@pytest.mark.parametrize("normalisation", niche.NORMALISATIONS)
def test_normalised_fitness_keeps_the_sum_of_its_rank(rng, normalisation):
    """"sum" hands out one f to a rank, "mean" one to each of its members."""
    rank = dominance.rank(few_values(rng, 65))
    fitness = dominance.fitness(rank)
    normalised = niche.normalise(fitness, rng.random(65), rank, normalisation)
    for r in set(rank.tolist()):
        same = rank == r
        whole = fitness[same].sum() if normalisation == "mean" else fitness[same][0]
        assert normalised[same].sum() == pytest.approx(whole, rel=1e-14)


@pytest.mark.parametrize(("normalisation", "expected"), [("sum", [3.0, 1.0, 1.0]), ("mean", [6.0, 2.0, 1.0])])
def test_normalise_by_hand(normalisation, expected):
    """f = 4 shared 3 : 1 between two of rank 1, beside a lone one."""
    fitness, shared, rank = np.array([4.0, 4.0, 1.0]), np.array([1.5, 0.5, 0.3]), np.array([1, 1, 3], np.int32)
    got = niche.normalise(fitness, shared, rank, normalisation)
    assert got.tolist() == expected


@pytest.mark.parametrize(("normalisation", "expected"), [("sum", [1.0, 1.0, 1.0]), ("mean", [2.0, 2.0, 1.0])])
def test_a_rank_that_shared_everything_counts_as_equal(normalisation, expected):
    """Where the sum of f' is 0, everybody of the rank has the same f''; roulette needs a positive one."""
    fitness, shared, rank = np.array([2.0, 2.0, 1.0]), np.array([0.0, 0.0, 1.0]), np.array([1, 1, 3], np.int32)
    got = niche.normalise(fitness, shared, rank, normalisation)
    assert got.tolist() == expected


# doors


def test_inputs_may_be_read_only_and_stay_as_they_were(rng):
    """A door reads its inputs only, and never returns one of them."""
    objectives, packed = few_values(rng, 9), pack(rng.random((9, 65)) < 0.5)
    rank = dominance.rank(objectives)
    fitness, d2 = dominance.fitness(rank), niche.decision_distances(packed, 65).matrix()
    inputs = [objectives, packed, rank, fitness, d2]
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    for distances in (d2, niche.decision_distances(packed, 65), niche.objective_distances(objectives)):
        niche.clusters(distances, 0.7)
        for mode in niche.MODES:
            shared = niche.shared(distances, fitness, rank, mode, 0.7, 1.0)
            assert not np.shares_memory(shared, fitness)
            assert not np.shares_memory(niche.normalise(fitness, shared, rank, "sum"), shared)
    for array, copy in zip(inputs, before, strict=True):
        assert_array_equal(array, copy)


def clusters(d2=((0.0, 1.0), (1.0, 0.0)), sigma=1.0):
    niche.clusters(np.array(d2), sigma)


def shared(d2=((0.0, 1.0), (1.0, 0.0)), fitness=(1.5, 1.5), rank=(1, 1), mode="cluster", sigma=1.0, alpha=1.0):
    niche.shared(np.array(d2), np.array(fitness), np.array(rank, np.int32), mode, sigma, alpha)


def normalise(fitness=(1.5, 1.5), shared=(1.5, 1.5), rank=(1, 1), normalisation="sum"):
    niche.normalise(np.array(fitness), np.array(shared), np.array(rank, np.int32), normalisation)


def decision_distances(bits=((1, 1), (1, 1)), n_features=65):
    niche.decision_distances(np.array(bits, np.uint64), n_features)


@pytest.mark.parametrize("door", [clusters, shared])
@pytest.mark.parametrize(("options", "message"), [
    ({"d2": np.zeros((2, 3))}, r"d2 must be square, got shape \(2, 3\)"),
    ({"sigma": 0.0}, r"sigma must be > 0, got 0.0"),
    ({"sigma": -1.0}, r"sigma must be > 0, got -1.0"),
    ({"sigma": math.nan}, r"sigma must be > 0, got nan"),
])
def test_distances_and_sigma_are_checked(door, options, message):
    """The message gives the name, the rule and the value."""
    door()
    with pytest.raises(ValueError, match=message):
        door(**options)


@pytest.mark.parametrize(("door", "options", "message"), [
    (decision_distances, {"n_features": 64}, r"bits must have 1 words a row for 64 features, got 2"),
    (decision_distances, {"n_features": 0}, r"n_features must be >= 1, got 0"),
    (decision_distances, {"bits": ((0, 2), (1, 1))}, r"bits must have no bit at or beyond 65, got one in row 0"),
    (shared, {"fitness": (1.0,)}, r"fitness and rank must have 2 entries, got 1 and 2"),
    (shared, {"rank": (1, 1, 1)}, r"fitness and rank must have 2 entries, got 2 and 3"),
    (shared, {"mode": "crowding"}, r"mode must be one of \('cluster', 'niche', 'mean_distance'\), got 'crowding'"),
    (shared, {"alpha": 0.0}, r"alpha must be > 0, got 0.0"),
    (shared, {"alpha": math.nan}, r"alpha must be > 0, got nan"),
    (normalise, {"shared": (1.0,)}, r"shared and rank must have 2 entries, got 1 and 2"),
    (normalise, {"rank": (1,)}, r"shared and rank must have 2 entries, got 2 and 1"),
    (normalise, {"rank": (1, 3)}, r"rank must be in \[1, 2\], got 3"),
    (normalise, {"rank": (0, 1)}, r"rank must be in \[1, 2\], got 0"),
    (normalise, {"normalisation": "max"}, r"normalisation must be one of \('sum', 'mean'\), got 'max'"),
])
def test_shapes_and_numbers_that_do_not_agree_are_refused(door, options, message):
    """The message gives the name, the rule and the value."""
    door()
    with pytest.raises(ValueError, match=message):
        door(**options)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_objectives_must_be_finite(value):
    """NaN would be near nobody."""
    with pytest.raises(ValueError, match=r"objectives must be finite, got NaN or infinity"):
        niche.objective_distances(np.array([[1.0, 2.0], [value, 0.0]]))


def test_there_must_be_an_objective():
    """Without objectives there is no distance."""
    with pytest.raises(ValueError, match=r"objectives must have at least one column, got 0"):
        niche.objective_distances(np.zeros((3, 0)))


@pytest.mark.parametrize("call", [
    lambda: niche.decision_distances(np.zeros((2, 1), np.int64), 3),
    lambda: niche.clusters(np.zeros((2, 2), np.float32), 1.0),
])
def test_another_dtype_is_refused(call):
    """Distances are float64, words uint64."""
    with pytest.raises(ValueError, match="dtype mismatch"):
        call()


def test_distances_of_the_largest_objectives():
    """As of smaller ones: their range is beyond float64."""
    objectives = np.array([[1.5, 0.0], [-1.5, 1.0], [0.25, 0.5]])
    ref = niche.objective_distances(objectives).matrix()
    assert_array_equal(niche.objective_distances(objectives * 2.0**1023).matrix(), ref)
