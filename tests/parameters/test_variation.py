"""Variation: its schedule, and how many bits it flips."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

from moeliga import Variation
from moeliga.parameters.variation import binomial_limits


def test_exponential_schedule_falls_from_ten_to_a_tenth():
    """start (end / start)^(g / G): equal factors, the ends exactly."""
    rates = [Variation(schedule="exponential").rate(g, 100) for g in range(101)]
    assert (rates[0], rates[50], rates[100]) == (10.0, 1.0, 0.1)
    assert_allclose(rates, 10.0 * 0.01 ** (np.arange(101) / 100), rtol=1e-14)


def test_any_schedule_and_none():
    """(start, end) may rise too; without a schedule the rate is constant."""
    assert [Variation(schedule=(1, 4)).rate(g, 2) for g in range(3)] == [1.0, 2.0, 4.0]
    assert [Variation(mutation_rate=3).rate(g, 2) for g in range(3)] == [3.0] * 3


def test_flip_limits_are_those_of_the_binomial_law():
    """"bit": Binomial(F, rate / F); a rate above F flips every bit; "chromosome": at most one flip."""
    assert_array_equal(Variation().flip_limits(1, 9, 50), binomial_limits(50, 0.15 / 50))
    assert_array_equal(Variation(schedule="exponential").flip_limits(9, 9, 50), binomial_limits(50, 0.1 / 50))
    assert Variation(mutation_rate=7.0).flip_limits(1, 9, 5).tolist() == [0] * 5
    assert Variation(mutation_rate=0.0).flip_limits(1, 9, 5).tolist() in ([], [2**64 - 1] * 5)
    assert_array_equal(Variation(mutation="chromosome", mutation_rate=0.25).flip_limits(1, 9, 50), [3 * 2**62])


@pytest.mark.parametrize("n", [1, 2, 10, 65, 1000])
@pytest.mark.parametrize("p", [1e-12, 1e-4, 0.15, 0.5, 0.97])
def test_binomial_limits_equal_scipy_s_distribution(n, p):
    """limits[i] / 2^64 = P(number <= i); what is missing at the end is 1 within 2^-64."""
    limits = binomial_limits(n, p)
    assert limits.dtype == np.uint64
    assert len(limits) <= n
    assert np.all(limits[1:] >= limits[:-1])
    assert_allclose(limits / 2.0**64, binom.cdf(np.arange(len(limits)), n, p), rtol=1e-9, atol=1e-15)
    if len(limits) < n:
        assert binom.sf(len(limits) - 1, n, p) < 1e-15


@pytest.mark.parametrize(("n", "p"), [(3, 0.5), (7, 0.25), (20, 0.125)])
def test_binomial_limits_are_exact_to_the_last_bit_but_one(n, p):
    """For probabilities that are binary fractions: 2^64 P(number <= i) in exact arithmetic, less one at most."""
    exact, total = [], Fraction(0)
    for i in range(n):
        total += math.comb(n, i) * Fraction(p) ** i * (1 - Fraction(p)) ** (n - i)
        exact.append(math.floor(total * 2**64))
    limits = binomial_limits(n, p).tolist()
    assert all(right - limit in (0, 1) for limit, right in zip(limits, exact[: len(limits)], strict=True))
    assert all(limit >= 2**64 - 1 for limit in exact[len(limits):])


def test_few_limits_are_kept_where_few_flips_are_expected():
    """The table is as long as what can happen, not as F."""
    assert len(binomial_limits(100_000, 1.5e-6)) < 40
    assert not binomial_limits(10, 0.15).flags.writeable


def test_a_schedule_is_a_sequence_of_two():
    """A set is refused: its elements have no order."""
    assert Variation(schedule=np.array([1.0, 4.0])).rate(1, 2) == 2.0
    Variation(schedule=np.array([1.0, 4.0])).validate()
    for wrong in ({10.0, 0.1}, {10.0: 1, 0.1: 2}, [1.0], np.ones((2, 2))):
        with pytest.raises((TypeError, ValueError), match="variation.schedule must be"):
            Variation(schedule=wrong).validate()
