"""Bootstrap of answers: samples and their out-of-bag parts, scores of both, and the estimate and interval by them."""

import numpy as np

from moeliga._ext import draw
from moeliga.base.random_streams import Purpose
from moeliga.results.honesty import ignore_overflow
from moeliga.results.proportions import NORMAL

MOST_ATTEMPTS = 20
"""Most draws of one sample."""

LEVEL = 0.9
"""Confidence level of the intervals."""

MOST_FOLDS = 20
"""Most folds whose scores have a variance in excess of sampling: with many folds, as in leave-one-out, it is noise."""

SCORED_TOGETHER = 1 << 19
"""Cells of the bootstrap counts that are converted to float64 at a time: 4 MiB."""

OUT_OF_BAG = 0.632
"""Least weight of the out-of-bag score of a choice against its score on all answers: that of the .632 estimator."""


def bootstrap_samples(units, labels, seed, n_samples):
    """Return how often each answer is in each bootstrap sample: uint8, shape (n_answers, n_samples).

    A sample draws n of the n units with replacement; answers with the same number in `units` are one unit. It is drawn
    again unless each class of at least two units has a unit in it and another out of bag: a score over fewer classes is
    not comparable. There are up to `MOST_ATTEMPTS` draws, and after each failure half as many for the samples that
    follow. `labels` are the classes, int64 of shape (n_answers,), None for a regressor.
    """
    numbers, unit = np.unique(units, return_inverse=True)
    weights = np.zeros((len(units), n_samples), dtype=np.uint8)  # a count of 256 has a probability of 10^-507
    members, classes = class_members(unit, labels)
    most = MOST_ATTEMPTS
    for number in range(n_samples):
        for attempt in range(most):
            words = draw.words(seed, (Purpose.BOOTSTRAP, 0, 0, number, attempt), len(numbers))
            # 32 random bits for each: a bias of less than 2^-12 for a million units
            taken = ((words >> np.uint64(32)) * np.uint64(len(numbers))) >> np.uint64(32)
            times = np.bincount(taken.astype(np.int64), minlength=len(numbers))
            n_held = np.bincount(classes, weights=times[members] > 0)
            if ((n_held > 0) & (n_held < np.bincount(classes))).all():
                break
        else:
            most = max(1, most // 2)  # too many rare classes: later samples will fail, too
        weights[:, number] = times[unit]
    return weights


def class_members(unit, labels):
    """Return the pairs (unit, class) of classes with at least two units, numbered anew from 0: two arrays of int64."""
    if labels is None:
        return np.zeros((2, 0), dtype=np.int64)
    pairs = np.unique(np.column_stack((labels, unit)), axis=0)
    _, place, sizes = np.unique(pairs[:, 0], return_inverse=True, return_counts=True)
    several = sizes[place] > 1
    return pairs[several, 1], np.unique(place[several], return_inverse=True)[1]


def out_of_bag(weights, labels):
    """Return True for the out-of-bag answers of each bootstrap sample: bool, shape (n_answers, n_samples).

    If a sample holds all answers of a class, all count as out of bag: a score without the class is not comparable.
    """
    lacking = weights == 0
    for label in () if labels is None else np.unique(labels):
        rows = np.flatnonzero(labels == label)
        lacking[np.ix_(rows, ~lacking[rows].any(axis=0))] = True
    return lacking


def uar(predicted, y, weights, labels):
    """Return the unweighted average recall over the classes in each draw: float64, shape (n_slots, n_draws)."""
    total, n_classes = np.zeros((len(predicted), weights.shape[1])), np.zeros(weights.shape[1])
    for label in labels:
        rows = np.flatnonzero(y == label)
        hits = (predicted[:, rows] == label).astype(np.float64)
        step = max(1, SCORED_TOGETHER // len(rows))
        for some in (slice(begin, begin + step) for begin in range(0, weights.shape[1], step)):
            part = weights[rows, some].astype(np.float64)
            drawn = part.sum(axis=0)  # whole numbers: exact in any order, as are the products below
            recall = hits @ part / drawn
            total[:, some] += np.where(drawn > 0, recall, 0.0)
            n_classes[some] += drawn > 0
    return total / n_classes


def r2(predicted, y, weights):
    """Return R2 for each draw: float64, shape (n_slots, n_draws); NaN where all targets drawn are equal."""
    found = np.empty((len(predicted), weights.shape[1]))
    for number, drawn in enumerate(weights.T):
        values = y[drawn > 0]
        if not len(values) or values.min() == values.max():  # their mean may differ from them by rounding
            found[:, number] = np.nan
            continue
        drawn = drawn.astype(np.float64)
        mean = np.add.reduce(drawn * y) / drawn.sum()
        spread = np.add.reduce(drawn * (y - mean) ** 2)
        for slot, answer in enumerate(predicted):
            found[slot, number] = 1.0 - np.add.reduce(drawn * (y - answer) ** 2) / spread
    return found


def weight_632_plus(whole, outside, candidates):
    """Return the weight of the scores `outside`, those out of bag, in the .632+ estimator: float in [.632, 1]. It grows
    with the relative overfitting rate, (whole - mean outside) / (whole - mean of the candidates), cut to [0, 1]."""
    gain, added = whole - finite_mean(candidates), whole - finite_mean(outside)
    overfitting = min(added / gain, 1.0) if gain > 0 and added > 0 else 0.0
    return OUT_OF_BAG / (1 - (1 - OUT_OF_BAG) * overfitting)


@ignore_overflow
def excess_variance(folds, drawn, n_disjoint):
    """Return the variance of the scores of folds in excess of their sampling variance, for a new search and model.

    `drawn` are the scores on bootstrap samples of all answers, with 1 / `n_disjoint` of the sampling variance of a
    fold; so many folds hold out each sample once, and repeated folds tell no more of searches and models. Folds without
    a score do not count. 0 for more than `MOST_FOLDS`: the excess is lost in the errors of both variances.
    """
    folds, drawn = folds[np.isfinite(folds)], drawn[np.isfinite(drawn)]
    n = len(folds)
    if n < 2 or not 1 < n_disjoint <= MOST_FOLDS or not len(drawn):
        return 0.0
    of_folds = np.var(folds, ddof=1) * ((n - 1) * min(n, n_disjoint) / (n * (min(n, n_disjoint) - 1)))
    more = of_folds - n_disjoint * np.var(drawn)
    return more * (1 + 1 / min(n, n_disjoint)) if more > 0 else 0.0


@ignore_overflow
def quantile_distances(scores):
    """Return the distances of the quantiles of scores from their mean, below and above; 0, 0 without scores."""
    mean = finite_mean(scores)
    if np.isnan(mean):
        return 0.0, 0.0
    low, high = np.nanquantile(scores - mean, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return -low, high


@ignore_overflow
def mixed_estimate(whole, outside, weight, variance, least=(0.0, 0.0), ends=(-np.inf, np.inf), middle=None):
    """Return the weighted mean of a score and of the out-of-bag scores, and the interval around it.

    The mean is cut to the range `middle`, None = `ends`, and the interval to `ends`. The interval adds the `variance`
    between folds to the spread of the scores out of bag, whose distances are at least `least`.
    """
    lowest, highest = ends if middle is None else middle
    mean = finite_mean(outside)
    if np.isnan(mean):
        return float(whole), (np.nan, np.nan)
    score = min(max((1 - weight) * whole + weight * mean, lowest), highest)
    below, above = np.maximum(quantile_distances(outside), least)
    more = NORMAL * np.sqrt(variance)
    return float(score), (float(max(score - np.hypot(below, more), ends[0])),
                          float(min(score + np.hypot(above, more), ends[1])))


def finite_mean(values):
    """Return the mean of the finite values: float, NaN if there are none."""
    values = values[np.isfinite(values)]
    # np.mean would add in an order that depends on the layout in memory
    return float(np.add.accumulate(values)[-1] / len(values)) if len(values) else np.nan
