"""Bootstrap samples of answers, what they lack, and what the scores of both say of a choice."""

import numpy as np

from moeliga._ext import draw
from moeliga.base.random_streams import Purpose
from moeliga.results.proportions import NORMAL

MOST_ATTEMPTS = 20
"""Times that a sample is drawn at most."""

LEVEL = 0.9
"""Level of the intervals."""

MOST_FOLDS = 20
"""Most folds that say how much searches and models differ: those of leave-one-out do not."""

SCORED_TOGETHER = 1 << 19
"""Cells of the bootstrap counts that are converted to float64 at a time: 4 MiB."""

OUT_OF_BAG = 0.632
"""Least weight of the score of a choice by the answers that it was not made by, against that by all."""


def bootstrap_samples(units, labels, seed, n_samples):
    """Return how often each answer is in each of `n_samples` samples: uint8, shape (n_answers, n_samples).

    As many units are drawn with replacement as there are, and answers with one number in `units` together. A sample
    that does not hold every class of several units, or leaves none of one out, is drawn again, `MOST_ATTEMPTS` times at
    most, half as often after each failure: the score of fewer classes is another score. `labels` are the classes, int64
    of shape (n_answers,), None for a regressor.
    """
    numbers, unit = np.unique(units, return_inverse=True)
    weights = np.zeros((len(units), n_samples), dtype=np.uint8)  # 256 times is one answer in 10^507
    members, classes = class_members(unit, labels)
    most = MOST_ATTEMPTS
    for number in range(n_samples):
        for attempt in range(most):
            words = draw.words(seed, (Purpose.BOOTSTRAP, 0, 0, number, attempt), len(numbers))
            # 32 bits each: a bias of less than 2^-12 with a million samples
            taken = ((words >> np.uint64(32)) * np.uint64(len(numbers))) >> np.uint64(32)
            times = np.bincount(taken.astype(np.int64), minlength=len(numbers))
            n_held = np.bincount(classes, weights=times[members] > 0)
            if ((n_held > 0) & (n_held < np.bincount(classes))).all():
                break
        else:
            most = max(1, most // 2)  # too many rare classes: it will not do better
        weights[:, number] = times[unit]
    return weights


def class_members(unit, labels):
    """Return the members of the classes of several units: units and numbers from 0 of classes, arrays of int64."""
    if labels is None:
        return np.zeros((2, 0), dtype=np.int64)
    pairs = np.unique(np.column_stack((labels, unit)), axis=0)
    _, place, sizes = np.unique(pairs[:, 0], return_inverse=True, return_counts=True)
    several = sizes[place] > 1
    return pairs[several, 1], np.unique(place[several], return_inverse=True)[1]


def out_of_bag(weights, labels):
    """Return which answers each sample of `bootstrap_samples` lacks: bool, shape (n_answers, n_samples).

    Of a class of which a sample lacks none, as some cannot, all answers count: a score of the others is another score.
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
        total = drawn.sum()
        mean = np.add.reduce(drawn * y) / total
        spread = np.add.reduce(drawn * (y - mean) ** 2)
        for slot, answer in enumerate(predicted):
            found[slot, number] = 1.0 - np.add.reduce(drawn * (y - answer) ** 2) / spread
    return found


def weight_of(whole, outside, candidates):
    """Return the weight of the scores outside (.632+): from .632, if choosing adds nothing to the score by all answers,
    to 1, if what the choice has before the mean of the candidates is what choosing adds."""
    gain, added = whole - finite_mean(candidates), whole - finite_mean(outside)
    overfitting = min(added / gain, 1.0) if gain > 0 and added > 0 else 0.0
    return OUT_OF_BAG / (1 - (1 - OUT_OF_BAG) * overfitting)


@np.errstate(over="ignore", invalid="ignore")  # of scores that are no longer numbers when they are squared
def excess_variance(folds, drawn, n_disjoint):
    """Return the variance of the scores of folds beyond that of their samples, which bootstrap samples of all tell.

    `n_disjoint` is how many folds have as many samples as there are: the number of folds, unless they have samples in
    common, as repeated ones do, which say no more of searches and models for it. Folds without a score do not count.
    Of more than `MOST_FOLDS` the samples explain nearly all, and the rest is lost in the error of both variances.
    """
    folds, drawn = folds[np.isfinite(folds)], drawn[np.isfinite(drawn)]
    n = len(folds)
    if n < 2 or not 1 < n_disjoint <= MOST_FOLDS or not len(drawn):
        return 0.0
    of_folds = np.var(folds, ddof=1) * ((n - 1) * min(n, n_disjoint) / (n * (min(n, n_disjoint) - 1)))
    more = of_folds - n_disjoint * np.var(drawn)
    return more * (1 + 1 / min(n, n_disjoint)) if more > 0 else 0.0


@np.errstate(over="ignore", invalid="ignore")
def quantile_distances(scores):
    """Return the distances of the ends of the interval of scores from their mean, below and above; 0 without scores."""
    mean = finite_mean(scores)
    if np.isnan(mean):
        return 0.0, 0.0
    low, high = np.nanquantile(scores - mean, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return -low, high


@np.errstate(over="ignore", invalid="ignore")
def mixed_estimate(whole, outside, weight, variance, least=(0.0, 0.0), ends=(-np.inf, np.inf), middle=None):
    """Return a mean of a score and, with this weight, of those outside, and the interval around it, within `ends`.

    `variance` is what a new score has beyond that of those outside; `least` is how far the ends are below and above at
    least, but for it; `middle` are the ends of the mean, None = `ends`.
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
    """Return the mean of those that are not NaN: float, NaN without any."""
    values = values[np.isfinite(values)]
    # np.mean would add in an order that depends on the layout in memory
    return float(np.add.accumulate(values)[-1] / len(values)) if len(values) else np.nan
