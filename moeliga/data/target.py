"""A continuous target in the form that the kernels read: whole steps, strata, ranges of hits."""

import math
from dataclasses import dataclass

import numpy as np

from moeliga.base.decimals import as_written

MOST_STRATA, LEAST_SAMPLES = 10, 10
"""Most strata of a target, and fewest samples of a stratum."""

SUM_BITS, STEP_BITS = 62, 52
"""A sum of coded targets is below 2^62 in magnitude; the range has at most 2^52 steps."""


@dataclass(frozen=True, eq=False)
class Target:
    """A target as integers: y = (centre + steps) 2^exponent, rounded, so that sums are exact in any order.

    A step is 2^-b to 2^(1-b) of the range of y, where b = min(52, 62 - ceil(log2 n)) for sums of n samples, but not
    below the last bit of the largest |y|.
    """

    steps: np.ndarray  # int64, shape (n_samples,), in magnitude below 2^62 / n_samples
    centre: int  # half-way between the smallest and the largest y, in steps
    exponent: int
    low: float  # the smallest y
    high: float  # the largest y

    @classmethod
    def code(cls, y, most=None):
        """Return the coded target of `y`, finite float64, for exact sums of up to `most` samples, None = len(y)."""
        low, high = float(y.min()), float(y.max())
        exponent = math.frexp(max(abs(low), abs(high)))[1] - 53  # |y| <= 2^53 steps: they are exact as floats
        if high > low:
            span = math.frexp(high - low)[1] if math.isfinite(high - low) else 1025  # high - low <= 2^span
            exponent = max(exponent, span - min(STEP_BITS, SUM_BITS - ((most or len(y)) - 1).bit_length()))
        with np.errstate(under="ignore"):  # values that underflow are far below half a step
            steps = np.rint(np.ldexp(y, -exponent)).astype(np.int64)
        centre = (int(steps.min()) + int(steps.max())) // 2
        return cls(steps - centre, centre, exponent, low, high)

    def counted(self, most):
        """Return the same target coded anew for sums of up to `most` samples (weighed ones count several times)."""
        return self.code(self.values(self.steps), most)

    def values(self, means):
        """Convert steps, or means of steps, to targets, clipped to the range of y: ndarray of float64."""
        with np.errstate(over="ignore", under="ignore"):  # the nearest step may exceed the largest double
            y = np.ldexp(self.centre + np.asarray(means, dtype=np.float64), self.exponent)
        return np.clip(y, self.low, self.high)


def strata(n_samples):
    """Return the limits of the strata for stratified splits: ndarray of int32, shape (n_strata + 1,).

    Stratum i has the ranks limits[i]:limits[i + 1]; sizes are almost equal. There are ten, or fewer of >= ten samples.
    """
    n = max(1, min(MOST_STRATA, n_samples // LEAST_SAMPLES))
    return (np.arange(n + 1) * n_samples // n).astype(np.int32)


def hits(y, neighbours):
    """Return (hits_from, hits_to) for objective III and ascending `y`, two ndarrays of int32, shape (n_samples,).

    The hits of sample i, the samples hits_from[i]:hits_to[i], are all samples of its own target (i included), and of
    the targets whose ranks differ from its own by at most max(1, ceil(neighbours n / 2)): about the share `neighbours`
    of the samples. Equal targets share the mean of their ranks, so their order does not matter; with few targets the
    hits are those of classification.
    """
    reach = max(1, math.ceil(as_written(neighbours) * len(y) / 2))
    starts = np.flatnonzero(np.append(True, y[1:] != y[:-1]))  # the first sample of each target
    ends = np.append(starts[1:], len(y))
    own, twice_rank = np.arange(len(starts)), starts + ends - 1
    lowest = np.minimum(own, np.searchsorted(2 * starts, twice_rank - 2 * reach))
    highest = np.maximum(own, np.searchsorted(2 * (ends - 1), twice_rank + 2 * reach, side="right") - 1)
    return (np.repeat(starts[lowest], ends - starts).astype(np.int32),
            np.repeat(ends[highest], ends - starts).astype(np.int32))
