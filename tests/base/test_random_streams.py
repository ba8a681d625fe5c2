"""Seeds from what scikit-learn calls `random_state`, and normal numbers that have an address."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from moeliga._ext import draw
from moeliga.base import random_streams as streams
from moeliga.base.random_streams import Purpose, normals, seed_words, spawn

ROOT_TWO_PI = Fraction("2.50662827463100050241576528481104525300698674060993831662992357634229365460784")


@pytest.mark.parametrize(
    ("random_state", "words"),
    [
        (0, [15793235383387715774, 12390638538380655177]),
        (5, [12631478326263854183, 4464650224815488352]),
        (np.int64(5), [12631478326263854183, 4464650224815488352]),
        (2**200, [4735023924948923013, 2984290833487146982]),
    ],
)
def test_an_integer_gives_the_same_words_for_ever(random_state, words):
    """Known answers: a seed written down today gives the same run tomorrow, on any platform."""
    got = seed_words(random_state)
    assert got.dtype == np.uint64
    assert got.tolist() == words


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_is_advanced(seed, make):
    """Two calls with one generator differ; a generator in the same state gives the same words."""
    one, two = make(seed), make(seed)
    first, second = seed_words(one), seed_words(one)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(seed_words(two), first)
    np.testing.assert_array_equal(seed_words(two), second)


def test_none_draws_fresh_entropy():
    """Two runs without a seed differ."""
    assert not np.array_equal(seed_words(None), seed_words(None))


def test_numpys_global_state_is_accepted(seed):
    """`numpy.random` stands for its global RandomState, as in scikit-learn."""
    state = np.random.get_state()
    try:
        np.random.seed(seed)
        np.testing.assert_array_equal(seed_words(np.random), seed_words(np.random.RandomState(seed)))
    finally:
        np.random.set_state(state)


def test_different_seeds_give_different_words():
    """No two of a thousand small seeds share a word."""
    assert len({word for seed in range(1000) for word in seed_words(seed).tolist()}) == 2000


@pytest.mark.parametrize("random_state", [-1, np.int64(-3)])
def test_a_negative_seed_is_refused(random_state):
    """The message gives the name, the rule and the value."""
    with pytest.raises(ValueError, match=f"random_state must be >= 0, got {random_state}"):
        seed_words(random_state)


@pytest.mark.parametrize("random_state", [1.0, "1", [1], np.random.PCG64(1)])
def test_anything_else_is_refused(random_state):
    """Only what scikit-learn accepts, and NumPy's generators."""
    with pytest.raises(ValueError, match="random_state must be None, an integer, a RandomState or a Generator, got "):
        seed_words(random_state)


def test_purposes_are_distinct_and_fixed():
    """A purpose is part of every address: changing its number would change every result."""
    assert [purpose.value for purpose in Purpose] == [*range(1, 16), *range(17, 21)]
    assert (Purpose.INITIALISE, Purpose.EVALUATE, Purpose.ESTIMATOR, Purpose.FOREST) == (1, 6, 13, 20)


def test_normals_are_inverted_uniform_numbers(key):
    """Number i is the inverse of the first uniform number of individual i: it does not depend on n."""
    got = normals(key, Purpose.COUNT, 50)
    ref = [NormalDist().inv_cdf(draw.units(key, (Purpose.COUNT, 0, 0, i, 0), 1)[0]) for i in range(50)]
    np.testing.assert_allclose(got, ref, rtol=0, atol=1e-12)  # the shift by half a step
    np.testing.assert_array_equal(normals(key, Purpose.COUNT, 7), got[:7])
    assert not np.any(normals(key, Purpose.MATE, 50) == got)


@pytest.mark.slow
def test_normals_have_mean_0_and_deviation_1(key):
    """20,000 numbers: within five standard errors, and 95 % of them within 1.96."""
    got = normals(key, Purpose.COUNT, 20_000)
    assert abs(got.mean()) < 5 / 20_000**0.5
    assert abs(got.std() - 1) < 5 / 40_000**0.5
    assert abs(np.mean(np.abs(got) < 1.96) - 0.95) < 0.01


def test_a_normal_number_is_correctly_rounded(rng):
    """It is the double nearest to the x of which Phi(x) = unit: half-way to its neighbours Phi is on either side."""
    def area(x):
        """Phi, by the sum of its alternating series, in integers of 400 bits."""
        one, x = 1 << 400, int(Fraction(x) * (1 << 400))
        power, total, k = x, 0, 0
        while power:
            total += power // (2 * k + 1)
            k += 1
            power = -(power * x >> 400) * x // (2 * k * one)
        return Fraction(1, 2) + Fraction(total, one) / ROOT_TWO_PI

    for unit in [*rng.random(40).tolist(), 0.5 + 2.0**-53, 2.0**-54, 1e-10, 1.0 - 2.0**-53]:
        x = streams.normal(unit)
        below, above = (Fraction(x) / 2 + Fraction(math.nextafter(x, side)) / 2 for side in (-math.inf, math.inf))
        assert area(below) < Fraction(unit) < area(above)
    assert streams.normal(0.5) == 0


@pytest.mark.parametrize("unit", [2.0**-54, 0.01, 0.3, 0.5, 0.5 + 2.0**-52, 0.9, 1.0 - 2.0**-53])
def test_a_normal_number_does_not_depend_on_the_machine(monkeypatch, unit):
    """Where the C library is off by several units in the last place, it is the same."""
    begin, ref = NormalDist().inv_cdf(unit), streams.normal(unit)
    for begin in (begin + step * math.ulp(begin) for step in range(-9, 10)):
        monkeypatch.setattr(streams.NormalDist, "inv_cdf", lambda *_, begin=begin: begin)
        assert streams.normal(unit) == ref


@pytest.mark.parametrize("unit", [0.0, 1.0 - 2.0**-53])
def test_normals_are_finite_at_both_ends(monkeypatch, key, unit):
    """The smallest and the largest uniform number have an inverse too."""
    monkeypatch.setattr(draw, "units", lambda *arguments: np.array([unit]))
    assert 8 < abs(normals(key, Purpose.COUNT, 1)[0]) < 9


def test_spawned_seeds_are_known_and_differ():
    """The first do not depend on how many there are; none is shared by neighbouring states; 64 bits each."""
    seeds = spawn(0, 100)
    children = np.random.SeedSequence(seed_words(0).tolist()).spawn(100)
    assert seeds == [int(child.generate_state(1, np.uint64)[0]) for child in children]
    assert spawn(0, 3) == seeds[:3] and spawn(0, 0) == []
    assert len({*seeds, *spawn(1, 100)}) == 200
    assert spawn(np.random.RandomState(4), 2) == spawn(np.random.RandomState(4), 2) != spawn(None, 2)
