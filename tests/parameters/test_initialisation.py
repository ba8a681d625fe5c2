"""Initial populations: the sizes of their subsets in numbers."""

from decimal import ROUND_FLOOR, Context, Decimal, localcontext

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare, kstest

from moeliga import LogUniformInit, StaggeredInit
from moeliga.base.random_streams import seed_words
from moeliga.parameters.initialisation import log_uniform_size

# StaggeredInit


def test_the_paper_s_population_has_50_27_and_13_individuals():
    """P = 90: 55 %, 30 % and 15 %, with 3 %, 15 % and 35 % of the features, exactly."""
    counts = StaggeredInit().counts(90, 1000, None)
    assert counts.tolist() == [30] * 50 + [150] * 27 + [350] * 13


@pytest.mark.parametrize(("population_size", "parts"), [(1, [1, 0, 0]), (2, [1, 1, 0]), (10, [6, 3, 1]),
                                                        (100, [55, 30, 15]), (91, [50, 27, 14])])
def test_parts_follow_the_cumulative_fractions(population_size, parts):
    """Every end is rounded, halves up, in exact arithmetic: no individual is lost or counted twice."""
    counts = StaggeredInit().counts(population_size, 1000, None)
    assert [np.count_nonzero(counts == k) for k in (30, 150, 350)] == parts


@pytest.mark.parametrize(("n_features", "sizes"), [(1, {1}), (3, {1}), (10, {1, 2, 4}), (50, {2, 8, 18}),
                                                   (90, {3, 14, 32})])
def test_sizes_are_rounded_halves_up_and_at_least_one(n_features, sizes):
    """0.15 x 50 = 7.5 is 8, 0.35 x 10 = 3.5 is 4, as written and not as stored in binary."""
    assert set(StaggeredInit().counts(90, n_features, None).tolist()) == sizes


def test_other_fractions_and_rates():
    """The population may have any number of parts."""
    assert StaggeredInit((0.25, 0.75), (0.5, 1.0)).counts(8, 6, None).tolist() == [3, 3] + [6] * 6
    assert StaggeredInit((1.0,), (1e-9,)).counts(3, 10, None).tolist() == [1] * 3
    assert StaggeredInit((0.0, 1.0), (0.5, 0.1)).counts(3, 10, None).tolist() == [1] * 3


@pytest.mark.slow
def test_spread_draws_normal_numbers_and_clips_them(seed):
    """Sizes follow Normal(rate F, s F), rounded; they stay in [1, F] and depend on the seed alone."""
    init, words = StaggeredInit((1.0,), (0.5,), spread=0.05), seed_words(seed)
    counts = init.counts(2000, 10_000, words)
    assert kstest((counts - 5000) / 500, "norm").pvalue > 1e-6
    assert_array_equal(counts, init.counts(2000, 10_000, words))
    assert_array_equal(counts[:100], init.counts(100, 10_000, words))
    assert np.any(counts != init.counts(2000, 10_000, seed_words(seed + 1)))
    wide = StaggeredInit(spread=2.0).counts(500, 10, words)
    assert set(wide.tolist()) >= {1, 10}
    assert wide.min() == 1
    assert wide.max() == 10


# LogUniformInit


@pytest.mark.parametrize(("init", "n_features", "low", "high"), [
    (LogUniformInit(), 300, 1, 100), (LogUniformInit(3, 0.1), 1000, 3, 100), (LogUniformInit(5, 0.01), 100, 5, 5),
    (LogUniformInit(7, 0.5), 4, 4, 4), (LogUniformInit(1, 1.0), 9, 1, 9), (LogUniformInit(1, 0.5), 3, 1, 2),
])
def test_log_uniform_sizes_have_their_law(seed, init, n_features, low, high):
    """P(k) = ln((k + 1) / k) / ln((high + 1) / low), from the smallest to the largest; chi-squared with 10^-6."""
    counts = init.counts(4000, n_features, seed_words(seed))
    assert counts.dtype == np.int64 and low <= counts.min() and counts.max() <= high
    sizes = np.arange(low, high + 1)
    share = np.log1p(1 / sizes) / np.log((high + 1) / low)
    assert_allclose(share.sum(), 1)
    if low < high:
        assert chisquare(np.bincount(counts, minlength=high + 1)[low:], 4000 * share).pvalue > 1e-6


@pytest.mark.parametrize(("low", "high"), [(1, 2), (1, 101), (7, 1001), (3, 700_000)])
def test_log_uniform_sizes_are_those_of_exact_powers(low, high):
    """The power may be nearly an integer or not."""
    wholes = np.linspace(low, high, 40).astype(int)
    units = np.log(wholes / low) / np.log(high / low)
    units = np.concatenate((units, np.nextafter(units, 0), np.nextafter(units, 1), units * 0.999, [0.0, 0.5]))
    with localcontext(Context(prec=60)):
        for unit in units.clip(0, 1 - 2**-53).tolist():
            exact = low * ((Decimal(high) / low).ln() * Decimal(unit)).exp()
            assert log_uniform_size(low, high, unit) == int(exact.to_integral_value(ROUND_FLOOR))


def test_log_uniform_sizes_depend_on_the_seed_and_the_place_alone(seed):
    """They do not depend on the number of individuals."""
    init, words = LogUniformInit(), seed_words(seed)
    counts = init.counts(50, 1000, words)
    assert_array_equal(counts, init.counts(50, 1000, words))
    assert_array_equal(counts[:10], init.counts(10, 1000, words))
    assert np.any(counts != init.counts(50, 1000, seed_words(seed + 1)))
    assert len(init.counts(0, 1000, words)) == 0


def test_largest_is_rounded_as_it_is_written():
    """Halves up: 0.15 x 50 = 7.5 is 8."""
    words = seed_words(0)
    assert LogUniformInit(8, 0.15).counts(20, 50, words).tolist() == [8] * 20
    assert LogUniformInit(7, 0.15).counts(200, 50, words).max() == 8
