"""The stability of a choice over runs, against its definition and its standard error; the rows of a run."""

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from moeliga.analysis.resampling import resampled_rows
from moeliga.analysis.stability_index import stability_index

# the index


def index_of_pairs(supports):
    """By the disagreement of every pair of runs: the variance of a column is the mean over pairs of half the square
    of their difference."""
    n_runs, n_features = supports.shape
    pairs = list(itertools.combinations(supports.tolist(), 2))
    disagreement = sum(sum(a != b for a, b in zip(one, other, strict=True)) for one, other in pairs) / len(pairs)
    fill = sum(map(sum, supports.tolist())) / supports.size
    return 1 - disagreement / (2 * n_features * fill * (1 - fill))


def error_by_loops(supports):
    """Theorem 7 with plain loops."""
    n_runs, d = supports.shape
    z = supports.astype(int).tolist()
    p = [sum(row[f] for row in z) / n_runs for f in range(d)]
    k = [sum(row) for row in z]
    mean_k = sum(k) / n_runs
    value = index_of_pairs(supports)
    phi = []
    for i in range(n_runs):
        overlap = sum(z[i][f] * p[f] for f in range(d)) / d
        rest = value / 2 * (2 * k[i] * mean_k / d**2 - k[i] / d - mean_k / d + 1)
        phi.append((overlap - k[i] * mean_k / d**2 + rest) / (mean_k / d * (1 - mean_k / d)))
    mean = sum(phi) / n_runs
    return math.sqrt(4 / n_runs**2 * sum((one - mean) ** 2 for one in phi))


@pytest.mark.parametrize("shape", [(2, 3), (3, 9), (10, 40), (25, 7)])
def test_index_and_error_are_those_of_the_slow_twin(rng, shape):
    for rate in (0.1, 0.5, 0.9):
        supports = rng.random(shape) < rate
        supports[0, 0], supports[0, 1] = True, False
        value, error = stability_index(supports)
        assert_allclose(value, index_of_pairs(supports), rtol=1e-10, atol=1e-12)
        expected = error_by_loops(supports)
        alike = expected < 1e-9 and any(run != supports.tolist()[0] for run in supports.tolist())
        assert_allclose(error, math.nan if alike else expected, rtol=1e-9, atol=1e-12)


def test_index_of_equal_sizes_is_kunchevas(rng):
    """The mean over pairs of runs of (overlap - k^2 / d) / (k - k^2 / d)."""
    d, k = 20, 6
    supports = np.argsort(rng.random((7, d)), axis=1) < k
    chance = k * k / d
    pairs = [((one & other).sum() - chance) / (k - chance) for one, other in itertools.combinations(supports, 2)]
    assert_allclose(stability_index(supports)[0], np.mean(pairs), rtol=1e-12)


def test_index_is_1_just_where_all_runs_agree():
    """Its least value is that of two runs without a common feature that fill half each; nothing can be said of runs
    that choose everything."""
    same = np.tile([True, False, True, False], (5, 1))
    assert stability_index(same) == (1.0, 0.0)
    other = same.copy()
    other[0, 1] = True
    assert stability_index(other)[0] < 1
    assert stability_index(np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool))[0] == -1.0
    assert np.isnan(stability_index(np.ones((3, 4), dtype=bool))).all()


TURNED = np.hstack([[np.roll(row, i) for i in range(7)] for row in (
    [1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 1, 1])])
"""Runs of which each is another turned on; their variance is 0 but for rounding."""


@pytest.mark.parametrize("runs", [[[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
                                  [[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1]], TURNED.tolist()],
                         ids=range(4))
def test_runs_that_differ_in_one_way_have_no_standard_error(runs):
    """Their variance is 0, as that of a single number: nothing says how far others would be."""
    stability, error = stability_index(np.array(runs, dtype=bool))
    assert stability < 1 and np.isnan(error)


@pytest.mark.parametrize("sizes", [[9] * 6, [1, 5, 9, 13, 17, 21]])
def test_index_of_random_subsets(rng, sizes):
    """0 on average for one size; a little less where sizes differ: the mean of 2000, within four standard errors."""
    sizes, d = np.array(sizes), 30
    values = [stability_index(np.argsort(rng.random((6, d)), axis=1) < sizes[:, None])[0] for _ in range(2000)]
    expected = -sizes.var() / (5 * sizes.mean() * (d - sizes.mean()))
    assert abs(np.mean(values) - expected) < 4 * np.std(values) / math.sqrt(2000)


def test_error_is_the_spread_of_the_index(rng):
    """By perturbation: how the index moves when a run counts a little more gives the error of many runs."""
    share = rng.random(12)
    supports = rng.random((4000, 12)) < share

    def index(weights):
        p = weights @ supports / weights.sum()
        return 1 - np.mean(p * (1 - p)) / (p.mean() * (1 - p.mean()))

    weights, step = np.ones(4000), 1e-3
    moves = []
    for i in range(4000):
        for sign in (1, -1):
            weights[i] = 1 + sign * step
            moves.append(sign * index(weights))
        weights[i] = 1
    slopes = np.add.reduceat(moves, np.arange(0, 8000, 2)) / (2 * step)
    # M / (M - 1), which the weighted index leaves out, is 1 + 1 / 3999
    assert_allclose(stability_index(supports)[1], np.sqrt(np.sum(slopes**2)), rtol=1e-3)


@pytest.mark.parametrize("share", [
    np.repeat([0.8, 0.02], [5, 95]), np.repeat([0.7, 0.1], [10, 20]), np.repeat([0.95, 0.01], [5, 45])])
def test_interval_holds_the_true_stability(rng, share):
    """Features chosen independently with known probabilities; 200 runs, 1000 times; within four standard errors."""
    truth = 1 - np.mean(share * (1 - share)) / (share.mean() * (1 - share.mean()))
    held = 0
    for _ in range(1000):
        value, error = stability_index(rng.random((200, len(share))) < share)
        held += abs(value - truth) <= 1.959964 * error
    assert abs(held / 1000 - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 1000)


# rows of a run


@pytest.mark.parametrize("how", ["subsample", "bootstrap", None])
def test_rows_are_drawn_class_by_class(rng, how):
    """In the right numbers; at least two different samples of each class, or the only one."""
    labels = rng.permutation(np.repeat([0, 1, 2, 3, 4], [1, 2, 3, 10, 25]))
    for _ in range(200):
        rows = resampled_rows(labels, how, 0.3, rng)
        assert_array_equal(rows, np.sort(rows))
        counts, distinct = np.bincount(labels[rows]), np.bincount(labels[np.unique(rows)])
        assert np.all(distinct >= [1, 2, 2, 2, 2])
        assert counts.tolist() == {"subsample": [1, 2, 2, 3, 8]}.get(how, [1, 2, 3, 10, 25])
        if how != "bootstrap":
            assert_array_equal(counts, distinct)
    if how is not None:
        assert not np.array_equal(rows, resampled_rows(labels, how, 0.3, rng))


def test_a_bootstrap_draws_each_sample_equally_often(rng):
    """0 to 3 times and more, as with any draw with replacement."""
    labels = np.repeat([0, 1], [50, 50])
    drawn = np.array([np.bincount(resampled_rows(labels, "bootstrap", 0.5, rng), minlength=100) for _ in range(500)])
    assert abs(drawn[:, 0].mean() - 1) < 4 / math.sqrt(500)
    assert abs(np.mean(drawn == 0) - (1 - 1 / 50) ** 50) < 0.01  # 50,000 cells
