"""The vary room: selection, crossover, mutation, repair, distinctness."""

import math
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from plain_objectives import random_masks as random_parents
from scipy.stats import chisquare

import naive.vary
from moeliga._ext import bits, draw, vary
from moeliga.data.feature_space import Limits

ADDRESS = (3, 2**40 + 1, 17)
N_FEATURES = [1, 2, 63, 64, 65, 321]
NO_FLIPS = np.zeros(0, np.uint64)


def pack(masks):
    return bits.pack(np.ascontiguousarray(masks, dtype=np.uint8))


def same_chromosomes(packed, masks, n_features):
    """Whether packed chromosomes are these masks, padding and dtype included."""
    expected = pack(np.array(masks, dtype=np.uint8).reshape(-1, n_features))
    return packed.dtype == np.uint64 and packed.shape == expected.shape and bool((packed == expected).all())


def uniform(outcomes, n_outcomes):
    """Whether all of `n_outcomes` occur, equally often but for chance (one false alarm in a million)."""
    counts = Counter(outcomes)
    return len(counts) == n_outcomes and chisquare(list(counts.values())).pvalue > 1e-6


def always(n_flips):
    """Flip limits by which every child gets so many flips."""
    return np.zeros(n_flips, np.uint64)


def children_of(key, masks, fitness=None, n_children=10, selection="roulette", tournament_size=2, crossover="one_point",
                crossover_rate=0.0, flip_limits=NO_FLIPS, address=ADDRESS):
    """Masks of the offspring of masks; nothing happens to them unless a test asks for it."""
    fitness = np.ones(len(masks)) if fitness is None else fitness
    children = vary.offspring(key, address, pack(masks), fitness, masks.shape[1], n_children, selection,
                              tournament_size, crossover, crossover_rate, flip_limits)
    return bits.unpack(children, masks.shape[1])


# offspring


@pytest.mark.quick("pairs")
@pytest.mark.parametrize("n_features", N_FEATURES)
@pytest.mark.parametrize("n_children", [0, 1, 2, 7, 12])
@pytest.mark.parametrize("crossover", vary.CROSSOVERS)
@pytest.mark.parametrize("selection", vary.SELECTIONS)
def test_offspring_equal_the_twin(key, rng, selection, crossover, n_children, n_features):
    """Same draws, same order, same children: for rates between 0 and 1 and from no flip to many."""
    for n_parents, size, rate, n_limits in [(1, 1, 1.0, 0), (9, 2, 0.9, 1), (65, 3, 0.5, 3), (9, 20, 0.0, 9),
                                            (9, 2, 1.0, n_features)]:
        masks = random_parents(rng, n_parents, n_features)
        fitness = rng.random(n_parents) * (rng.random(n_parents) < 0.8) + 1e-3 * (np.arange(n_parents) == 0)
        limits = np.sort(rng.integers(2**64, size=min(n_limits, n_features), dtype=np.uint64))
        options = (selection, size, crossover, rate, limits)
        got = vary.offspring(key, ADDRESS, pack(masks), fitness, n_features, n_children, *options)
        ref = naive.vary.offspring(key, ADDRESS, masks.tolist(), fitness.tolist(), n_children, *options)
        assert same_chromosomes(got, ref, n_features)


def test_an_odd_number_of_children_is_the_even_number_less_one(key, rng):
    """The last pair draws as always and gives one."""
    masks, limits = random_parents(rng, 9, 65), always(2)
    assert_array_equal(children_of(key, masks, n_children=7, crossover_rate=1.0, flip_limits=limits),
                       children_of(key, masks, n_children=8, crossover_rate=1.0, flip_limits=limits)[:7])


@pytest.mark.parametrize("n_features", N_FEATURES)
def test_without_crossover_and_flips_children_are_copies_of_parents(key, rng, n_features):
    """Selection alone changes nothing."""
    masks = random_parents(rng, 9, n_features)
    parents = set(map(bytes, masks))
    assert all(bytes(child) in parents for child in children_of(key, masks, n_children=50))


@pytest.mark.parametrize("n_features", N_FEATURES)
@pytest.mark.parametrize("crossover", vary.CROSSOVERS)
def test_crossover_only_exchanges(key, rng, crossover, n_features):
    """Two children carry each feature as often as their two parents did."""
    a = rng.random(n_features) < 0.5
    b = ~a
    a[0] = b[0] = True  # no child is empty, so none is mended
    children = children_of(key, np.array([a, b]), n_children=200, crossover=crossover, crossover_rate=1.0)
    pairs = {bytes(one + other.astype(np.uint8)) for one in (a, b) for other in (a, b)}
    assert set(map(bytes, children[::2] + children[1::2].astype(np.uint8))) == pairs


@pytest.mark.parametrize(("crossover", "most_switches"), [("one_point", 1), ("two_point", 2), ("uniform", 320)])
def test_crossover_cuts_as_often_as_its_name_says(key, crossover, most_switches):
    """A child of two complementary parents switches from one to the other at each cut, once at least in some pair."""
    a = np.arange(321) % 2 == 0
    children = children_of(key, np.array([a, ~a]), n_children=400, crossover=crossover, crossover_rate=1.0)
    switches = (np.diff(children ^ a, axis=1)).sum(axis=1)
    assert switches.max() <= most_switches
    assert switches.max() > 100 if crossover == "uniform" else switches.max() == most_switches


def test_every_cut_of_one_point_is_equally_likely(key):
    """A cut lies before feature 1, 2, ..., or F - 1; it always exchanges something."""
    a = np.arange(9) % 2 == 0
    children = children_of(key, np.array([a, ~a]), n_children=16_000, crossover_rate=1.0)
    switched = np.diff(children ^ a, axis=1)[::2]
    mixed = switched.any(axis=1)
    assert uniform(switched[mixed].argmax(axis=1).tolist(), 8)
    assert 0.45 < mixed.mean() < 0.55  # the pairs of different parents


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.9, 1.0])
def test_crossover_happens_at_its_rate(key, rate):
    """Of the pairs of different parents, the share `crossover_rate` is crossed."""
    a = np.arange(64) % 2 == 0
    children = children_of(key, np.array([a, ~a]), n_children=20_000, crossover="uniform", crossover_rate=rate)
    crossed = np.diff(children ^ a, axis=1).any(axis=1)[::2].mean()
    assert crossed == pytest.approx(rate / 2, abs=5 * math.sqrt(0.25 / 10_000) if rate else 0)


def test_a_pair_is_crossed_if_its_unit_is_below_the_rate(key):
    """At the rate itself there is no crossover: so rate 0 never crosses, and rate 1 always."""
    a = np.arange(321) % 2 == 0
    for pair in range(20):
        unit = draw.units(key, (*ADDRESS, pair, 0), 3)[2]  # after the two spins
        for rate, may_cross in ((unit, False), (math.nextafter(unit, 1), True)):
            children = children_of(key, np.array([a, ~a]), n_children=2 * pair + 2, crossover_rate=rate)
            crossed = np.diff(children[-1] ^ a).any()
            same_parents = (children[-1] == children[-2]).all()
            assert crossed == (may_cross and not same_parents)


@pytest.mark.parametrize("n_features", N_FEATURES)
@pytest.mark.parametrize("n_flips", [0, 1, 2, 63, 64, 65, 321])
def test_a_child_gets_exactly_the_flips_it_draws(key, rng, n_flips, n_features):
    """The flipped bits are distinct: a child differs from its parent in just so many."""
    n_flips = min(n_flips, n_features)
    parent = rng.random(n_features) < 0.5
    parent[0] = True
    children = children_of(key, parent[None], n_children=20, flip_limits=always(n_flips))
    # a child that lost all of its features was given one back, the same or another
    mended = {n_flips - 1, n_flips + 1} if 0 < n_flips == parent.sum() else set()
    assert set((children ^ parent).sum(axis=1).tolist()) <= {n_flips} | mended


def test_every_bit_and_every_pair_of_bits_is_flipped_equally_often(key):
    """Mutation has no favourite feature."""
    full = np.ones((1, 6), np.bool_)
    one = children_of(key, full, n_children=12_000, flip_limits=always(1))
    two = children_of(key, full, n_children=15_000, flip_limits=always(2))
    assert uniform(map(bytes, one), 6)
    assert uniform(map(bytes, two), 15)


def test_the_number_of_flips_follows_the_limits(key):
    """Limits at 1/2 and 3/4 of all words: no flip for half of the children, one and two for a quarter each."""
    limits = np.array([2**63, 3 * 2**62], np.uint64)
    flips = (~children_of(key, np.ones((1, 65), np.bool_), n_children=20_000, flip_limits=limits)).sum(axis=1)
    assert chisquare(np.bincount(flips), [10_000, 5_000, 5_000]).pvalue > 1e-6


def test_a_limit_counts_if_it_is_not_above_the_word(key):
    """The word that is drawn for a child, as a limit, gives one flip; one above it gives none."""
    word = draw.words(key, (*ADDRESS, 0, 0), 4)[3]  # after the two spins and the crossover
    for limit, n_flips in ((word - np.uint64(1), 1), (word, 1), (word + np.uint64(1), 0)):
        child = children_of(key, np.ones((1, 65), np.bool_), n_children=1, flip_limits=np.array([limit]))
        assert (~child).sum() == n_flips


@pytest.mark.parametrize("n_features", N_FEATURES)
@pytest.mark.parametrize("crossover", vary.CROSSOVERS)
def test_no_child_is_ever_empty(key, rng, crossover, n_features):
    """Parents of one feature and flips that switch it off: one random feature is switched on."""
    masks = np.zeros((4, n_features), np.bool_)
    masks[np.arange(4), rng.integers(n_features, size=4)] = True
    for n_flips in (0, 1, n_features):
        children = children_of(key, masks, n_children=300, crossover=crossover, crossover_rate=1.0,
                               flip_limits=always(n_flips))
        assert children.any(axis=1).all()


def test_an_emptied_child_gets_each_feature_equally_often(key):
    """The repair has no favourite feature either."""
    children = children_of(key, np.eye(7, dtype=np.bool_)[:1], n_children=20_000, flip_limits=always(1))
    assert uniform(children[children.sum(axis=1) == 1].argmax(axis=1).tolist(), 7)


# select


@pytest.mark.parametrize("selection", vary.SELECTIONS)
@pytest.mark.parametrize("n_individuals", [1, 2, 63, 64, 65])
def test_select_equals_the_twin(key, rng, n_individuals, selection):
    """Twin and kernel draw the same individuals, with zeros and ties in the fitness."""
    fitness = np.floor(5 * rng.random(n_individuals)) * rng.random()
    fitness[rng.integers(n_individuals)] = 4.0
    for size in (1, 2, 7):
        got = vary.select(key, ADDRESS, fitness, 300, selection, size)
        assert got.dtype == np.int32
        assert got.tolist() == naive.vary.select(key, ADDRESS, fitness.tolist(), 300, selection, size)


def test_roulette_frequencies_follow_fitness_index_0_included(key):
    """Each individual is drawn in proportion to its fitness: the first, the last, and never one of fitness 0."""
    fitness = np.array([5.0, 0.0, 1.0, 0.5, 3.5, 0.0, 2.0])
    counts = np.bincount(vary.select(key, ADDRESS, fitness, 60_000, "roulette", 1), minlength=7)
    assert counts[1] == counts[5] == 0
    alive = fitness > 0
    assert chisquare(counts[alive], 5000 * fitness[alive]).pvalue > 1e-6


@pytest.mark.parametrize("fitness", [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1e-300, 0.0], [3.0]])
def test_roulette_finds_the_only_one_with_fitness(key, fitness):
    """Zeros before and after are never hit."""
    assert set(vary.select(key, ADDRESS, np.array(fitness), 500, "roulette", 1).tolist()) == {int(np.argmax(fitness))}


def test_roulette_is_a_binary_search_of_the_cumulative_fitness(key, rng):
    """Draw i is decided by the first unit of stream i alone."""
    fitness = rng.random(90)
    units = np.array([draw.units(key, (*ADDRESS, i, 0), 1)[0] for i in range(400)])
    cumulative = np.cumsum(fitness)
    assert_array_equal(vary.select(key, ADDRESS, fitness, 400, "roulette", 1),
                       np.searchsorted(cumulative, units * cumulative[-1], side="right"))


def test_roulette_that_stops_on_a_border_takes_the_next(key):
    """The first whose cumulative fitness exceeds the target: reaching it is not enough."""
    for i in range(20):
        unit = draw.units(key, (*ADDRESS, i, 0), 1)[0]
        fitness = np.array([unit, 0.0, 1 - unit])  # the sum is 1 exactly, the target the first entry
        assert vary.select(key, ADDRESS, fitness, i + 1, "roulette", 1)[i] == 2


@pytest.mark.parametrize("size", [1, 2, 3])
def test_tournament_frequencies_follow_rank(key, size):
    """The i-th fittest of n wins with probability ((n - i + 1)^t - (n - i)^t) / n^t."""
    fitness = np.array([0.0, 4.0, 1.0, 3.0, 2.0])
    counts = np.bincount(vary.select(key, ADDRESS, fitness, 50_000, "tournament", size), minlength=5)
    expected = (fitness + 1) ** size - fitness**size
    assert chisquare(counts, 50_000 * expected / expected.sum()).pvalue > 1e-6


def test_tournament_ties_go_to_the_lowest_index(key):
    """Among equals only the first of a tournament of all survives."""
    assert set(vary.select(key, ADDRESS, np.ones(4), 300, "tournament", 200).tolist()) == {0}


# create and scatter


@pytest.mark.parametrize("n_features", N_FEATURES)
def test_create_equals_the_twin_and_has_exact_counts(key, rng, n_features):
    """Individual i selects exactly counts[i] features, from one to all."""
    counts = np.concatenate(([1, n_features], rng.integers(1, n_features, 8, endpoint=True))).astype(np.int64)
    got = vary.create(key, ADDRESS, counts, n_features)
    assert same_chromosomes(got, naive.vary.create(key, ADDRESS, counts, n_features), n_features)
    assert_array_equal(bits.count(got), counts)


def test_create_draws_every_subset_of_a_size_equally_often(key):
    """C(6, 3) subsets, each as often as the others."""
    assert uniform(vary.create(key, ADDRESS, np.full(20_000, 3, np.int64), 6)[:, 0].tolist(), math.comb(6, 3))


@pytest.mark.parametrize("n_features", N_FEATURES)
@pytest.mark.parametrize("n", [0, 1, 40])
def test_scatter_equals_the_twin_and_is_never_empty(key, n, n_features):
    """Twin and kernel agree, also where all bits came out 0 and one was switched on."""
    got = vary.scatter(key, ADDRESS, n, n_features)
    assert same_chromosomes(got, naive.vary.scatter(key, ADDRESS, n, n_features), n_features)
    assert (bits.count(got) > 0).all()


def test_scatter_switches_every_bit_on_half_of_the_time(key):
    """Each bit is a fair coin, and so is each pair of neighbours."""
    masks = bits.unpack(vary.scatter(key, ADDRESS, 4000, 65), 65)
    assert abs(masks.mean(axis=0) - 0.5).max() < 6 * 0.5 / math.sqrt(4000)
    assert abs((masks[:, 1:] ^ masks[:, :-1]).mean(axis=0) - 0.5).max() < 6 * 0.5 / math.sqrt(4000)


def test_individuals_draw_from_streams_of_their_own(key):
    """A larger population begins with the smaller one."""
    assert_array_equal(vary.scatter(key, ADDRESS, 50, 65)[:7], vary.scatter(key, ADDRESS, 7, 65))
    counts = np.full(50, 9, np.int64)
    assert_array_equal(vary.create(key, ADDRESS, counts, 65)[:7], vary.create(key, ADDRESS, counts[:7], 65))


# distinct


@pytest.mark.quick("values")
@pytest.mark.parametrize("n_features", N_FEATURES)
@pytest.mark.parametrize("n_flips", [1, 2, 65])
@pytest.mark.parametrize("tries", [0, 1, 30])
def test_distinct_equals_the_twin(key, rng, tries, n_flips, n_features):
    """Twin and kernel agree on chromosomes and flags, where the space is exhausted too."""
    masks = random_parents(rng, 12, n_features)[rng.integers(12, size=65)]
    n_flips = min(n_flips, n_features)
    got, changed = vary.distinct(key, ADDRESS, pack(masks), n_features, n_flips, tries)
    ref, ref_changed = naive.vary.distinct(key, ADDRESS, masks.tolist(), n_flips, tries)
    assert same_chromosomes(got, ref, n_features)
    assert changed.dtype == np.bool_
    assert changed.tolist() == ref_changed


@pytest.mark.parametrize("n_features", [63, 64, 65, 321])
def test_after_distinct_no_two_are_equal(key, n_features):
    """Of 90 copies the first stays, the others become new, and the flags say which."""
    copies = np.zeros((90, n_features), np.bool_)
    copies[:, 5] = True
    got, changed = vary.distinct(key, ADDRESS, pack(copies), n_features, 1, 100)
    assert len(np.unique(got, axis=0)) == 90
    assert (bits.count(got) > 0).all()
    assert changed.tolist() == [False] + [True] * 89
    assert_array_equal(got[0], pack(copies)[0])


def test_distinct_leaves_a_population_without_copies_alone(key, rng):
    """What is new already is neither changed nor flagged."""
    packed = pack(random_parents(rng, 65, 321))
    got, changed = vary.distinct(key, ADDRESS, packed, 321, 1, 100)
    assert_array_equal(got, packed)
    assert not changed.any()


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_distinct_gives_up_where_there_are_too_few_subsets(key, n_features):
    """2^F - 1 subsets cannot make 20 individuals differ: all subsets occur, the rest stay copies."""
    full = np.ones((20, n_features), np.bool_)
    got, changed = vary.distinct(key, ADDRESS, pack(full), n_features, 1, 200)
    assert len(np.unique(got)) == 2**n_features - 1
    assert (bits.count(got) > 0).all()
    assert changed.tolist() == [False] + [True] * 19


def test_distinct_of_no_individual_is_none(key):
    """An empty population is distinct."""
    got, changed = vary.distinct(key, ADDRESS, np.zeros((0, 2), np.uint64), 65, 1, 5)
    assert got.shape == (0, 2) and changed.shape == (0,)


# limits


def weighing(rng, n_features, kind):
    """Limits of a kind, for the room and for its twin."""
    if kind == "may be empty":
        return Limits(0, n_features), (0, n_features, [1] * n_features, None)
    if kind == "between":
        least, most = 1 + n_features // 8, 1 + n_features // 4
        return Limits(least, most), (least, most, [1] * n_features, None)
    weights = rng.integers(1, 6, size=n_features).astype(np.int32)
    witness = np.zeros(n_features, dtype=bool)
    witness[rng.permutation(n_features)[: 1 + n_features // 3]] = True
    weight = int(weights[witness].sum())
    least, most = (weight, weight) if kind == "one weight" else (max(1, weight - 5), weight)
    return Limits(least, most, weights, pack(witness[None])[0]), (least, most, weights.tolist(), witness.tolist())


@pytest.mark.parametrize("kind", ["may be empty", "between", "weights", "one weight"])
@pytest.mark.parametrize("n_features", [1, 2, 9, 63, 65])
def test_limits_equal_the_twin_and_hold(key, rng, n_features, kind):
    """Whatever makes chromosomes keeps to the limits, and draws as the twin does; parents may break them."""
    limits, slow = weighing(rng, n_features, kind)
    masks = random_parents(rng, 8, n_features)
    masks[1] = masks[0]
    fitness, n_flips = rng.random(8), max(1, n_features // 9)
    counts = rng.integers(0, n_features + 1, size=8).astype(np.int64)
    options = ("roulette", 2, "uniform", 0.9, always(n_flips))
    got = [vary.create(key, ADDRESS, counts, n_features, limits),
           vary.scatter(key, ADDRESS, 7, n_features, limits),
           vary.offspring(key, ADDRESS, pack(masks), fitness, n_features, 7, *options, limits)]
    ref = [naive.vary.create(key, ADDRESS, counts, n_features, slow),
           naive.vary.scatter(key, ADDRESS, 7, n_features, slow),
           naive.vary.offspring(key, ADDRESS, masks.tolist(), fitness.tolist(), 7, *options, slow)]
    population = np.concatenate(got)  # small spaces: copies everywhere
    got.append(vary.distinct(key, ADDRESS, population, n_features, n_flips, 5, limits)[0])
    ref.append(naive.vary.distinct(key, ADDRESS, sum(ref, []), n_flips, 5, slow)[0])
    for ours, theirs in zip(got, ref, strict=True):
        assert same_chromosomes(ours, theirs, n_features)
        weights = (bits.unpack(ours, n_features) * np.array(slow[2])).sum(axis=1)
        assert limits.least <= weights.min() and weights.max() <= limits.most


def test_what_fits_nowhere_becomes_the_witness(key):
    """Weights 3, 3 and 4 within [4, 4]: from a chromosome of one 3 no step leads there."""
    weights, witness = np.array([3, 3, 4], np.int32), pack([[0, 0, 1]])[0]
    got = vary.create(key, ADDRESS, np.full(50, 1, np.int64), 3, Limits(4, 4, weights, witness))
    assert_array_equal(got, np.tile(witness, (50, 1)))


def test_the_repair_has_no_favourites(key):
    """Of five features down to two, of one up to three: every pair and triple comes equally often."""
    full = vary.create(key, ADDRESS, np.full(20_000, 5, np.int64), 5, Limits(1, 2))[:, 0]
    assert uniform(full.tolist(), math.comb(5, 2))
    few = vary.create(key, ADDRESS, np.full(20_000, 0, np.int64), 5, Limits(3, 5))[:, 0]
    assert uniform(few.tolist(), math.comb(5, 3))


# doors


def test_inputs_may_be_read_only_and_stay_as_they_were(key, rng):
    """A door reads its inputs only, and never returns one of them."""
    packed, fitness = pack(random_parents(rng, 9, 65)), rng.random(9)
    counts, limits = np.array([1, 65], np.int64), always(3)
    packed[3] = packed[2]
    inputs = [key, packed, fitness, counts, limits]
    before = [array.copy() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    vary.create(key, ADDRESS, counts, 65)
    vary.scatter(key, ADDRESS, 3, 65)
    vary.select(key, ADDRESS, fitness, 3, "roulette", 1)
    children = vary.offspring(key, ADDRESS, packed, fitness, 65, 5, "roulette", 1, "uniform", 1.0, limits)
    new, _ = vary.distinct(key, ADDRESS, packed, 65, 3, 5)
    assert not np.shares_memory(new, packed) and not np.shares_memory(children, packed)
    for array, copy in zip(inputs, before, strict=True):
        assert_array_equal(array, copy)


PARENTS, FITNESS = np.ones((2, 2), np.uint64), np.ones(2)


def create(seed, address=ADDRESS, counts=(1,), n_features=65, limits=None):
    vary.create(seed, address, np.array(counts, np.int64), n_features, limits)


def scatter(seed, address=ADDRESS, n=2, n_features=65, limits=None):
    vary.scatter(seed, address, n, n_features, limits)


def select(seed, address=ADDRESS, fitness=FITNESS, n=3, selection="roulette", tournament_size=2):
    vary.select(seed, address, np.array(fitness), n, selection, tournament_size)


def offspring(seed, address=ADDRESS, parents=PARENTS, fitness=FITNESS, n_features=65, n_children=3,
              selection="roulette", tournament_size=2, crossover="one_point", crossover_rate=0.9, flip_limits=NO_FLIPS,
              limits=None):
    vary.offspring(seed, address, parents, np.array(fitness), n_features, n_children, selection, tournament_size,
                   crossover, crossover_rate, flip_limits, limits)


def distinct(seed, address=ADDRESS, bits=PARENTS, n_features=65, n_flips=1, tries=5, limits=None):
    vary.distinct(seed, address, bits, n_features, n_flips, tries, limits)


def steer(seed, address=ADDRESS, bits=PARENTS, n_features=65, elders=0 * PARENTS, weights=None, share=0.5, sizes=None):
    vary.steer(seed, address, bits, elders, np.ones(n_features) if weights is None else weights, share, sizes)


@pytest.mark.parametrize("door", [create, scatter, select, offspring, distinct, steer])
def test_every_door_checks_seed_and_address(key, door):
    """A seed of the wrong length and an address that does not fit are refused."""
    door(key)
    with pytest.raises(ValueError, match=r"seed must have 2 words, got 1"):
        door(key[:1])
    with pytest.raises(ValueError, match=r"unpack"):
        door(key, address=(1, 2, 3, 4))
    for part, limit in enumerate((2**32, 2**64, 2**32)):
        for value in (-1, limit):
            with pytest.raises(OverflowError):
                door(key, address=tuple(value if i == part else 0 for i in range(3)))


@pytest.mark.parametrize("door", [offspring, distinct, steer])
def test_every_door_checks_chromosomes(key, door):
    """Shape and padding are checked where chromosomes come in."""
    name = "parents" if door is offspring else "bits"
    with pytest.raises(ValueError, match=r"n_features must be >= 1, got 0"):
        door(key, n_features=0)
    with pytest.raises(ValueError, match=r"bits must have 1 words a row for 64 features, got 2"):
        door(key, n_features=64)
    with pytest.raises(ValueError, match=r"bits must have no bit at or beyond 65, got one in row 1"):
        door(key, **{name: np.array([[1, 1], [1, 2]], np.uint64)})
    with pytest.raises(ValueError, match=r"dtype mismatch"):
        door(key, **{name: np.ones((2, 2))})


@pytest.mark.parametrize("door", [select, offspring])
@pytest.mark.parametrize(("options", "message"), [
    ({"fitness": [1.0, -1.0]}, r"fitness must be finite, >= 0 and > 0 somewhere, got values in \[-1.0, 1.0\]"),
    ({"fitness": [0.0, 0.0]}, r"fitness must be finite, >= 0 and > 0 somewhere, got values in \[0.0, 0.0\]"),
    ({"fitness": [1.0, math.nan]}, r"fitness must be finite, >= 0 and > 0 somewhere, got values in \[nan, nan\]"),
    ({"fitness": [1.0, math.inf]}, r"fitness must be finite, >= 0 and > 0 somewhere, got values in \[1.0, inf\]"),
    ({"selection": "rank"}, r"selection must be one of \('roulette', 'tournament'\), got 'rank'"),
    ({"tournament_size": 0}, r"tournament_size must be >= 1, got 0"),
])
def test_selection_checks_its_options(key, door, options, message):
    """The message gives the name, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        door(key, **options)


@pytest.mark.parametrize(("door", "options", "message"), [
    (create, {"counts": [1, -1]}, r"counts must be in \[0, 65\], got -1"),
    (create, {"counts": [66]}, r"counts must be in \[0, 65\], got 66"),
    (create, {"n_features": 0}, r"n_features must be >= 1, got 0"),
    (scatter, {"n_features": 0}, r"n_features must be >= 1, got 0"),
    (scatter, {"n": -1}, r"n must be >= 0, got -1"),
    (select, {"n": -1}, r"n must be >= 0, got -1"),
    (select, {"fitness": []}, r"fitness must have at least one entry, got 0"),
    (offspring, {"fitness": [1.0]}, r"fitness must have 2 entries, got 1"),
    (offspring, {"fitness": [], "parents": PARENTS[:0]}, r"fitness must have at least one entry, got 0"),
    (offspring, {"n_children": -1}, r"n_children must be >= 0, got -1"),
    (offspring, {"crossover": "three_point"},
     r"crossover must be one of \('one_point', 'two_point', 'uniform'\), got 'three_point'"),
    (offspring, {"crossover_rate": 1.5}, r"crossover_rate must be in \[0, 1\], got 1.5"),
    (offspring, {"crossover_rate": -0.1}, r"crossover_rate must be in \[0, 1\], got -0.1"),
    (offspring, {"crossover_rate": math.nan}, r"crossover_rate must be in \[0, 1\], got nan"),
    (offspring, {"flip_limits": always(66)}, r"flip_limits must have at most 65 entries, got 66"),
    (distinct, {"n_flips": 0}, r"n_flips must be in \[1, 65\], got 0"),
    (distinct, {"n_flips": 66}, r"n_flips must be in \[1, 65\], got 66"),
    (distinct, {"tries": -1}, r"tries must be >= 0, got -1"),
    (steer, {"elders": PARENTS[:1]}, r"elders must have 2 rows, got 1"),
    (steer, {"elders": 4 * PARENTS}, r"bits must have no bit at or beyond 65"),
    (steer, {"weights": np.zeros(65)}, r"weights must be finite and > 0, got values in \[0.0, 0.0\]"),
    (steer, {"weights": np.full(65, math.inf)}, r"weights must be finite and > 0, got values in \[inf, inf\]"),
    (steer, {"weights": np.full(65, math.nan)}, r"weights must be finite and > 0, got values in \[nan, nan\]"),
    (steer, {"share": 1.5}, r"share must be in \[0, 1\], got 1.5"),
    (steer, {"share": math.nan}, r"share must be in \[0, 1\], got nan"),
    (steer, {"sizes": np.ones(64, np.int32)}, r"sizes must be 65 numbers > 0"),
    (steer, {"sizes": np.zeros(65, np.int32)}, r"sizes must be 65 numbers > 0"),
])
def test_numbers_out_of_range_are_refused(key, door, options, message):
    """The message gives the name, the rule and the value."""
    with pytest.raises(ValueError, match=message):
        door(key, **options)


@pytest.mark.parametrize("door", [create, scatter, offspring, distinct])
def test_every_door_checks_limits(key, door):
    """What could not be kept is refused."""
    ones, witness = np.ones(65, np.int32), np.array([1, 0], np.uint64)
    door(key, limits=Limits(1, 1, ones, witness))
    for least, most in ((2, 1), (-1, 5), (0, 0), (1, 66)):
        with pytest.raises(ValueError, match=f"limits must hold 0 <= least <= most <= 65 and most > 0, got {least} an"):
            door(key, limits=Limits(least, most))
    with pytest.raises(ValueError, match=r"limits.witness must weigh \[2, 3\], got 1"):
        door(key, limits=Limits(2, 3, ones, witness))
    for weights in (ones[:64], 0 * ones):
        with pytest.raises(ValueError, match=r"limits.weights must be 65 numbers > 0"):
            door(key, limits=Limits(1, 2, weights, witness))
    with pytest.raises(ValueError, match=r"bits must have no bit at or beyond 65"):
        door(key, limits=Limits(1, 2, ones, np.array([1, 2], np.uint64)))
