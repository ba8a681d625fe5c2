"""Targets as whole numbers, strata and hits, against exact fractions and plain loops."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import naive.regression
from moeliga.data.target import Target, hits, strata


def targets(rng):
    """Targets of all kinds: normal, of few values, far from 0, of huge and tiny range, denormal, mixed magnitudes."""
    yield rng.normal(size=50)
    yield rng.integers(-3, 4, size=40) / 8
    yield 1e9 + rng.random(1000)
    yield 1e300 * (1 + 2.0**-52 * rng.integers(3, size=20))
    yield rng.choice([-1.7e308, 1.7e308, 0.0, 1.0], size=9)
    yield np.array([5e-324, 0.0, -5e-324, 1e-323])
    yield 10.0 ** rng.uniform(-300, 300, size=30)
    yield rng.normal(size=5000) ** 9
    yield rng.normal(size=4096)
    yield np.array([3.25])
    yield np.full(4, 1e-30)
    yield np.zeros(3)
    yield np.array([np.finfo(float).max, -np.finfo(float).max])


def test_steps_are_the_nearest_whole_numbers(rng):
    """Rounded once, exactly, half to even; and back again to the double next to them, within the range of y."""
    for y in targets(rng):
        target = Target.code(y)
        step = Fraction(2) ** target.exponent
        for value, steps in zip(y.tolist(), target.steps.tolist(), strict=True):
            assert target.centre + steps == round(Fraction(value) / step)
        for value, steps in zip(target.values(target.steps).tolist(), target.steps.tolist(), strict=True):
            exact = min(max((target.centre + steps) * step, Fraction(float(y.min()))), Fraction(float(y.max())))
            assert value == float(exact)


def test_steps_are_as_fine_as_sums_and_doubles_allow(rng):
    """Any sum stays below 2^62; the range has 2^(b - 1) to 2^b steps, or a step is the last bit of the largest |y|."""
    for y in targets(rng):
        target = Target.code(y)
        assert len(y) * max(abs(value) for value in target.steps.tolist()) < 2**62
        step, largest = Fraction(2) ** target.exponent, max(abs(Fraction(value)) for value in y.tolist())
        span = Fraction(float(y.max())) - Fraction(float(y.min()))
        bits = min(52, 62 - (len(y) - 1).bit_length())
        assert largest <= 2**53 * step and span / step <= 2**bits
        assert span / step >= 2 ** (bits - 1) or 2 * largest > 2**53 * step or largest == 0


@pytest.mark.parametrize("n_samples", [2, 1000, 100_000])
def test_whole_numbers_are_exact(rng, n_samples):
    """Integers of moderate size, halves and quarters come back as they were."""
    y = rng.integers(-1000, 1000, size=n_samples) / 4
    target = Target.code(y)
    assert_array_equal(target.values(target.steps), y)


@pytest.mark.parametrize(("n_samples", "sizes"), [
    (1, [1]), (2, [2]), (19, [19]), (20, [10, 10]), (35, [11, 12, 12]), (99, [11] * 9), (100, [10] * 10),
    (1003, [100] * 3 + [101] + [100] * 2 + [101] + [100] * 2 + [101]),
])
def test_strata_are_deciles_or_fewer(n_samples, sizes):
    """Ten equal blocks of ranks where each has ten samples."""
    assert_array_equal(np.diff(strata(n_samples)), sizes)


@pytest.mark.parametrize("neighbours", [0.01, 0.1, 0.14, 0.3, 0.9])
@pytest.mark.parametrize("n_targets", [1, 2, 5, 20, 10**6])
def test_hits_are_those_of_plain_loops(rng, n_targets, neighbours):
    """Few targets and many, ties of all sizes: ranges, with the sample itself, and the same for equal targets."""
    for n_samples in (1, 2, 3, 10, 47, 60, 100):
        y = np.sort(rng.integers(n_targets, size=n_samples) ** 2.0)
        hits_from, hits_to = hits(y, neighbours)
        assert hits_from.dtype == hits_to.dtype == np.int32
        samples = np.arange(n_samples)
        got = (hits_from[:, None] <= samples) & (samples < hits_to[:, None])
        assert_array_equal(got, naive.regression.hits(y.tolist(), Fraction(str(neighbours))))


def test_hits_of_two_targets_are_those_of_two_classes():
    """Far apart in rank, targets are classes."""
    hits_from, hits_to = hits(np.repeat([0.0, 1.0], 30), 0.1)
    assert_array_equal(hits_from, np.repeat([0, 30], 30))
    assert_array_equal(hits_to, np.repeat([30, 60], 30))
