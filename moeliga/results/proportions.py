"""Intervals of 90 % for proportions of few samples, such as recalls: Wilson's, and those of means and differences.

Unlike quantiles of bootstrap samples they have a width even if all samples are hits, or none: 5 of 5 may be chance. The
squared distances of the ends from the estimate add up over the terms of a sum (MOVER; Zou and Donner 2008).
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

NORMAL = 1.645
"""Standard deviations from the mean to the ends of the middle 90 % of a normal distribution."""

Distances = tuple[float, float]
"""Distances of the ends of an interval from an estimate, below and above."""


def wilson_distances(share: float, n: int) -> Distances:
    """Return the distances of the ends of Wilson's interval from the share of hits among n samples."""
    square = NORMAL * NORMAL
    middle = (share * n + square / 2) / (n + square)
    half = NORMAL / (n + square) * math.sqrt(n * share * (1 - share) + square / 4)
    return max(share - middle + half, 0.0), max(middle + half - share, 0.0)


def newcombe_distances(first: NDArray[np.bool_], second: NDArray[np.bool_], n: int) -> Distances:
    """Return the distances of the ends of the interval of a difference (Newcombe 1998, method 8).

    `first` and `second` are the hits of two models on the same answers, which come from `n` independent units.
    """
    return difference_distances(wilson_distances(float(first.mean()), n), wilson_distances(float(second.mean()), n),
                         correlation(first, second))


def difference_distances(first: Distances, second: Distances, rho: float = 0.0) -> Distances:
    """Return the distances of the ends of the interval of a difference, given those of terms with correlation rho."""
    (below, above), (rest_below, rest_above) = first, second
    return (math.sqrt(max(below * below - 2 * rho * below * rest_above + rest_above * rest_above, 0.0)),
            math.sqrt(max(above * above - 2 * rho * above * rest_below + rest_below * rest_below, 0.0)))


def correlation(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Return the correlation of hits, 0 if one model hits all or none.

    It is computed from integers, as `np.corrcoef` sums in an order that depends on the library.
    """
    n, hits, others, both = len(first), int(first.sum()), int(second.sum()), int((first & second).sum())
    spread = hits * (n - hits) * others * (n - others)
    return (n * both - hits * others) / math.sqrt(spread) if spread else 0.0


def mean_distances(parts: Iterable[Distances]) -> Distances:
    """Return the distances of the ends of the interval of a mean, given those of its terms."""
    below, above = np.array(list(parts)).T
    return (math.sqrt(np.add.accumulate(below * below)[-1]) / len(below),
            math.sqrt(np.add.accumulate(above * above)[-1]) / len(above))
