"""Intervals of shares of few samples: SciPy's, and what sums and differences make of them."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from moeliga.results.proportions import correlation, mean_distances, newcombe_distances, wilson_distances

SHARES = [(0, 1), (0, 5), (1, 5), (5, 5), (3, 8), (60, 60), (59, 400), (200, 400), (9999, 10000)]


@pytest.mark.parametrize(("hits", "n"), SHARES)
def test_an_interval_is_scipys(hits, n):
    """To the digits of 1.645, which is 1.644854."""
    below, above = wilson_distances(hits / n, n)
    low, high = binomtest(hits, n).proportion_ci(0.9, "wilson")
    assert hits / n - below == pytest.approx(low, abs=1e-4) and hits / n + above == pytest.approx(high, abs=1e-4)
    assert min(below, above) >= 0 and below + above > 0


def test_correlations_are_numpys(rng):
    for n in (2, 7, 40):
        first, second = rng.random((2, n)) < 0.5
        if first.any() and second.any() and not (first.all() or second.all()):
            assert correlation(first, second) == pytest.approx(np.corrcoef(first, second)[0, 1])
            assert correlation(first, first) == pytest.approx(1) and correlation(first, ~first) == pytest.approx(-1)
    assert correlation(np.ones(3, dtype=bool), np.array([True, False, True])) == 0


def test_differences_are_those_of_the_formula(rng):
    """Newcombe's (1998) eighth method, from SciPy's intervals and NumPy's correlation."""
    for n in (5, 20, 200):
        first, second = rng.random(n) < 0.7, rng.random(n) < 0.6
        (low, high), (rest_low, rest_high) = (binomtest(int(hits.sum()), n).proportion_ci(0.9, "wilson")
                                              for hits in (first, second))
        common, p, q = np.corrcoef(first, second)[0, 1], first.mean(), second.mean()
        expected = [math.sqrt(a * a - 2 * common * a * b + b * b)
                    for a, b in ((p - low, rest_high - q), (high - p, q - rest_low))]
        assert newcombe_distances(first, second, n) == pytest.approx(expected, abs=1e-4)


def test_who_is_always_right_may_not_be(rng):
    """Two that have no answer wrong may differ by what either may have wrong."""
    right = np.ones(60, dtype=bool)
    (below, above), (one, none) = newcombe_distances(right, right, 60), wilson_distances(1.0, 60)
    assert none == 0 and below == above == one


def test_distances_of_a_mean_are_roots_of_sums_of_squares():
    assert mean_distances([(3.0, 0.0), (4.0, 1.0)]) == (2.5, 0.5)


def test_intervals_hold_what_is_true(rng):
    """The mean of the recalls of 5 and of 95 samples, in nine of ten draws, as exactly as so few samples allow."""
    recalls, sizes = np.array([0.7, 0.9]), np.array([5, 95])
    drawn = rng.binomial(sizes, recalls, size=(4000, 2)) / sizes
    held = []
    for shares in drawn:
        below, above = mean_distances(wilson_distances(float(share), int(n))
                                      for share, n in zip(shares, sizes, strict=True))
        held.append(shares.mean() - below <= recalls.mean() <= shares.mean() + above)
    assert 0.88 < np.mean(held) < 0.96
