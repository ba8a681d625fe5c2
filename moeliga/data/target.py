"""A continuous target as the kernels read it: whole numbers, ranks, strata."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

MOST_STRATA, LEAST_SAMPLES = 10, 10
"""Strata of a target, and samples of each: fewer strata where there are not so many."""

SUM_BITS, STEP_BITS = 62, 52
"""Sums of a coded target are below 2^62 in magnitude, and its range has at most 2^52 steps."""


@dataclass(frozen=True, eq=False)
class Target:
    """A target in whole steps: y = (centre + steps) 2^exponent, rounded to the nearest such number.

    Sums of steps are exact, whatever their order. A step is 2^-b to 2^(1-b) of the range of y, where
    b = min(52, 62 - ceil(log2 n)) for n samples, but not below the last bit of the largest |y|.

    Attributes
    ----------
    steps : ndarray of int64, shape (n_samples,)
        In magnitude below 2^62 / n_samples.
    centre : int
        Half-way between the least and the largest y, in steps.
    exponent : int
    low, high : float
        Least and largest y.
    """

    steps: np.ndarray
    centre: int
    exponent: int
    low: float
    high: float

    @classmethod
    def code(cls, y):
        """Code a target.

        Parameters
        ----------
        y : ndarray of float64, shape (n_samples,), finite

        Returns
        -------
        target : Target

        Raises
        ------
        ValueError : if a value is not finite.
        """
        if not np.all(np.isfinite(y)):
            raise ValueError(f"y must be finite, got {y[~np.isfinite(y)][0]}")
        low, high = float(y.min()), float(y.max())
        exponent = math.frexp(max(abs(low), abs(high)))[1] - 53  # |y| <= 2^53 steps: they are exact as floats
        if high > low:
            span = math.frexp(high - low)[1] if math.isfinite(high - low) else 1025  # high - low <= 2^span
            exponent = max(exponent, span - min(STEP_BITS, SUM_BITS - (len(y) - 1).bit_length()))
        with np.errstate(under="ignore"):  # far below half a step
            steps = np.rint(np.ldexp(y, -exponent)).astype(np.int64)
        centre = (int(steps.min()) + int(steps.max())) // 2
        return cls(steps - centre, centre, exponent, low, high)

    def values(self, means):
        """What means of steps stand for, never outside the range of y: ndarray of float64."""
        with np.errstate(over="ignore", under="ignore"):  # the nearest step may be beyond the largest double
            y = np.ldexp(self.centre + np.asarray(means, dtype=np.float64), self.exponent)
        return np.clip(y, self.low, self.high)


def strata(n_samples):
    """Blocks of samples of neighbouring ranks, as equal as they can be, from which splits are drawn.

    Parameters
    ----------
    n_samples : int >= 1

    Returns
    -------
    starts : ndarray of int32, shape (n_strata + 1,)
        Stratum i is the ranks starts[i] .. starts[i + 1] - 1. Ten strata, fewer if they had less than ten samples.
    """
    n = max(1, min(MOST_STRATA, n_samples // LEAST_SAMPLES))
    return (np.arange(n + 1) * n_samples // n).astype(np.int32)


def hits(y, neighbours):
    """Hits of each sample for objective III: the samples of nearly the same target.

    Samples of equal target share the mean of their ranks. A sample's hits are those of its own target, and all of
    targets whose ranks lie within max(1, ceil(neighbours n / 2)) ranks of its own: a target belongs to the hits as a
    whole or not at all, so that the order of equal targets does not matter. For few targets, far apart in rank, the
    hits are those of classification.

    Parameters
    ----------
    y : ndarray of float64, shape (n_samples,), ascending
    neighbours : float in (0, 1), taken as the decimal number it prints as
        About so large a share of the samples are hits.

    Returns
    -------
    hits_from, hits_to : ndarray of int32, shape (n_samples,)
        Hits of sample i are the samples hits_from[i] .. hits_to[i] - 1, itself among them.
    """
    reach = max(1, math.ceil(Fraction(repr(float(neighbours))) * len(y) / 2))
    starts = np.flatnonzero(np.append(True, y[1:] != y[:-1]))  # of each target
    ends = np.append(starts[1:], len(y))
    own, twice_rank = np.arange(len(starts)), starts + ends - 1
    lowest = np.minimum(own, np.searchsorted(2 * starts, twice_rank - 2 * reach))
    highest = np.maximum(own, np.searchsorted(2 * (ends - 1), twice_rank + 2 * reach, side="right") - 1)
    return (np.repeat(starts[lowest], ends - starts).astype(np.int32),
            np.repeat(ends[highest], ends - starts).astype(np.int32))
