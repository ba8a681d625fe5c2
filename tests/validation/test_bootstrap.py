"""Bootstrap samples of answers: units are drawn together, and no class is missing if that can be avoided."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from cross_fitted import small
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose
from moeliga.results.proportions import mean_distances, wilson_distances
from moeliga.validation import bootstrap
from moeliga.validation.bootstrap import bootstrap_samples, excess_variance, out_of_bag, weight_632_plus

SEED = np.array([3, 4], dtype=np.uint64)


def naive_samples(units, labels, n_samples):
    """Return the counts of `bootstrap_samples` by a plain loop over units and classes."""
    numbers, found = sorted(set(units)), []
    several = {label for label in labels if len({u for u, c in zip(units, labels, strict=True) if c == label}) > 1}
    most = bootstrap.MOST_ATTEMPTS
    for number in range(n_samples):
        for attempt in range(most):
            words = draw.words(SEED, (Purpose.BOOTSTRAP, 0, 0, number, attempt), len(numbers))
            taken = [numbers[(int(word) >> 32) * len(numbers) >> 32] for word in words]
            inside = {c for u, c in zip(units, labels, strict=True) if u in taken}
            outside = {c for u, c in zip(units, labels, strict=True) if u not in taken}
            if several <= inside & outside:
                break
        else:
            most = max(1, most // 2)
        found.append([taken.count(unit) for unit in units])
    return np.array(found).T


CASES = {
    "each class often": (np.arange(30), np.arange(30) % 3),
    "a class twice": (np.arange(20), np.array([1, 1] + [0] * 18)),
    "a class once": (np.arange(20), np.array([4] + [0, 1] * 9 + [1])),
    "groups": (np.repeat([5, 2, 9, 7, 1], 4), np.repeat([0, 1, 0, 1, 1], 4)),
    "a class in one group": (np.repeat([5, 2, 9, 7, 1], 4), np.array([0, 1] * 8 + [2] * 4)),
    "every class twice": (np.arange(24), np.arange(24) // 2),
}


@pytest.mark.parametrize(("units", "labels"), CASES.values(), ids=CASES)
def test_samples_are_those_of_a_plain_loop(units, labels):
    found = bootstrap_samples(units, labels, SEED, 40)
    assert found.dtype == np.uint8
    assert_array_equal(found, naive_samples(units.tolist(), labels.tolist(), 40))
    lacking = out_of_bag(found, labels)
    for weights, out in zip(found.T, lacking.T, strict=True):
        for label in np.unique(labels):
            rows = labels == label
            assert_array_equal(out[rows], weights[rows] == 0 if (weights[rows] == 0).any() else True)


@pytest.mark.parametrize(("units", "labels"), [CASES[name] for name in ("each class often", "a class twice", "groups")])
def test_every_class_is_drawn_and_left_out(units, labels):
    """If it has at least two units, and there are not too many such classes."""
    found = bootstrap_samples(units, labels, SEED, 200)
    for label in np.unique(labels):
        rows = found[labels == label]
        assert (rows > 0).any(axis=0).all() and (rows == 0).any(axis=0).all()


def test_targets_have_no_classes():
    found = bootstrap_samples(np.arange(9), None, SEED, 50)
    assert_array_equal(found, bootstrap_samples(np.arange(9), np.arange(9), SEED, 50))  # of one sample each
    assert_array_equal(out_of_bag(found, None), found == 0)


@pytest.mark.parametrize("n_rare", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 5))])
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "average_precision", "f1", "matthews_corrcoef"])
@pytest.mark.filterwarnings("ignore:estimator predicts the same", "ignore:honest=3 gives 2 folds")
def test_a_rare_class_adds_nothing_to_a_score(n_rare, scoring):
    """A model that knows nothing and one that is always right have the same score on any samples; only their intervals
    depend on the number of samples."""
    y = np.array([0] * 60 + [1] * n_rare)
    X = np.random.default_rng(0).normal(size=(len(y), 5))
    usual = scoring in (None, "balanced_accuracy")
    if usual:
        selector = small(DummyClassifier(), scoring=scoring).fit(X, y)
        assert selector.honest_score_ == 0.5
        below, above = mean_distances([wilson_distances(1.0, 60), wilson_distances(0.0, n_rare)])
        assert selector.honest_interval_ == pytest.approx((0.5 - below, 0.5 + above))
    X += 20 * y[:, None]
    selector = small(GaussianNB(var_smoothing=1.0), scoring=scoring).fit(X, y)
    rare = wilson_distances(1.0, n_rare)
    below, _ = mean_distances([wilson_distances(1.0, 60), rare]) if usual else rare
    assert selector.honest_score_ == 1
    assert selector.honest_interval_ == pytest.approx((1 - below, 1))
    found = selector.assess(n_features=1)
    assert found.difference == 0
    assert found.difference_interval == pytest.approx((-below, below))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("folds", "drawn", "n_disjoint", "expected"), [
    ([0.2, 0.6], [0.5, 0.5], 2, 0.08 * (1 + 1 / 2)),
    ([0.2, 0.6, np.nan, np.nan], [0.5, np.nan, 0.5], 4, 0.08 * (1 + 1 / 2)),
    ([0.2, 0.6, 0.2, 0.6], [0.5, 0.5], 2, 0.08 * (1 + 1 / 2)),
    ([0.2, 0.6], [0.4, 0.5], 2, (0.08 - 2 * 0.0025) * (1 + 1 / 2)),
    ([0.2, 0.6], [0.1, 0.9], 2, 0), ([0.2, 0.6], [np.nan], 2, 0), ([0.2, np.nan], [0.5], 2, 0),
    ([0.2, 0.6] * 10, [0.5], 20, 0.04 * 20 / 19 * (1 + 1 / 20)), ([0.2, 0.6] * 10, [0.5], 21, 0)],
    ids=["two", "without a score", "repeated", "less that of samples", "samples explain it", "no sample has a score",
         "one fold", "twenty", "more"])
def test_excess_variance_of_folds_is_that_by_hand(folds, drawn, n_disjoint, expected):
    """Folds without a score do not count, and repeated ones count once."""
    assert excess_variance(np.array(folds), np.array(drawn), n_disjoint) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("outside", "candidates", "expected"), [
    ([0.8], [0.5, 0.7], 0.632), ([0.6, 0.8], [0.5, 0.7], 0.632 / (1 - 0.368 / 2)), ([0.6], [0.5, 0.7], 1),
    ([0.3], [0.5, 0.7], 1), ([0.9], [0.5, 0.7], 0.632), ([0.7], [0.8, 0.8], 0.632), ([0.7], [0.9], 0.632),
    ([np.nan], [0.5, 0.7], 0.632)],
    ids=["nothing", "half", "all", "more", "less than nothing", "no gain", "a loss", "unknown"])
def test_the_weight_goes_by_how_much_of_the_gain_choosing_adds(outside, candidates, expected):
    """From .632 to 1, for a choice with a score of .8 on all answers."""
    assert weight_632_plus(0.8, np.array(outside), np.array(candidates)) == pytest.approx(expected, rel=1e-12)
