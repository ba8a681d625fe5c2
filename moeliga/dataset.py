"""The data set as the kernels read it: coded once, feature-major, class by class."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from moeliga._ext import relief, tree

MAX_CODES = 65_536
"""Most codes of a feature, the one of missing values included; above, values are coded by quantiles."""

BLOCK_BYTES = 1 << 26
"""Features are coded in blocks of about this many bytes of float64."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """A classification data set, coded for the kernels. Read-only; build it with `Dataset.encode`.

    Samples are numbered class by class, in their original order within a class.

    Attributes
    ----------
    codes : ndarray of uint8 or uint16, shape (n_features, n_samples)
        Rank of each value among the distinct values of its feature; a missing value has the code after the last.
    order : ndarray of uint16 or uint32, shape (n_features, n_samples)
        Samples of each feature by ascending code.
    lower, upper : ndarray of float64, shape (offset[-1],)
        Smallest and largest value of each code (the same array where coding is exact).
    offset : ndarray of int64, shape (n_features + 1,)
        Feature f has the codes lower[offset[f]:offset[f + 1]].
    values : ndarray of float32, shape (n_features, n_padded)
        Values scaled to [0, 1] by the range of the feature; constant features are 0; a missing value is the mean of
        the known ones. Padded with 0 to a multiple of `relief.LANES`.
    counted : ndarray of uint8, shape (n_features,)
        1 = at most `tree.COUNTED` codes and no missing value: the tree counts these features in place of sorting them.
    labels : ndarray of uint16, shape (n_samples,)
    class_start : ndarray of int32, shape (n_classes + 1,)
        Class c is the samples class_start[c] .. class_start[c + 1] - 1.
    rows : ndarray of int64, shape (n_samples,)
        Row of the caller's X that each sample is.
    reciprocal : ndarray of float64, shape (n_samples + 1,)
        1 / i, for the kernels.
    rise, fall : ndarray of float32, shape (n_samples + 1 + tree.PAD,)
        1 / i and 1 / (n_samples - i), then zeros, for the kernels.
    level : int
        Instruction set that the kernels use (see `tree.LEVEL`); no result depends on it.
    """

    codes: np.ndarray
    order: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    offset: np.ndarray
    values: np.ndarray
    counted: np.ndarray
    labels: np.ndarray
    class_start: np.ndarray
    rows: np.ndarray
    reciprocal: np.ndarray
    rise: np.ndarray
    fall: np.ndarray
    level: int = tree.LEVEL

    @property
    def n_features(self):
        return len(self.offset) - 1

    @property
    def n_samples(self):
        return len(self.labels)

    @property
    def n_classes(self):
        return len(self.class_start) - 1

    @classmethod
    def encode(cls, X, y, n_classes):
        """Code a data set.

        Parameters
        ----------
        X : ndarray of float32 or float64, shape (n_samples, n_features); NaN = missing, no infinity
        y : ndarray of int, shape (n_samples,), in [0, n_classes)
        n_classes : int

        Returns
        -------
        dataset : Dataset

        Raises
        ------
        ValueError : if there are more than 65,536 classes or 2^30 samples.

        Notes
        -----
        O(F n log n). Exact for features of at most 65,536 distinct values; above, neighbouring values share a code
        so that the codes hold about equally many samples.
        """
        n_samples, n_features = X.shape
        if n_classes > MAX_CODES:
            raise ValueError(f"y must have at most {MAX_CODES} classes, got {n_classes}")
        if n_samples > 2**30:
            raise ValueError(f"X must have at most 2**30 rows, got {n_samples}")
        rows = np.argsort(y, kind="stable")
        class_start = np.zeros(n_classes + 1, dtype=np.int32)
        np.cumsum(np.bincount(y, minlength=n_classes), out=class_start[1:])
        codes = np.empty((n_features, n_samples), dtype=np.uint16)
        order = np.empty((n_features, n_samples), dtype=np.uint16 if n_samples <= 65_536 else np.uint32)
        values = np.zeros((n_features, -(-n_samples // relief.LANES) * relief.LANES), dtype=np.float32)
        lower, upper, n_codes, n_missing = [], [], [], 0
        counted = np.zeros(n_features, dtype=np.uint8)
        step = max(1, BLOCK_BYTES // (8 * n_samples))
        for first in range(0, n_features, step):
            block = np.ascontiguousarray(X[:, first : first + step].T[:, rows], dtype=np.float64)
            order[first : first + step] = by_value = np.argsort(block, axis=1)
            ascending = np.take_along_axis(block, by_value, axis=1)
            scale_rows(block, ascending, values[first : first + step, :n_samples])
            for row, (sorted_row, where) in enumerate(zip(ascending, by_value, strict=True), start=first):
                known = n_samples - int(np.count_nonzero(np.isnan(sorted_row)))
                row_codes, row_lower, row_upper = code_sorted(sorted_row[:known], MAX_CODES - (known < n_samples))
                codes[row, where[:known]] = row_codes
                if known < n_samples:  # without, there may be no code left
                    codes[row, where[known:]] = len(row_lower)
                lower.append(row_lower)
                upper.append(row_upper)
                n_codes.append(len(row_lower))
                counted[row] = known == n_samples and len(row_lower) <= tree.COUNTED
                n_missing = max(n_missing, len(row_lower) + (known < n_samples))
        if n_missing <= 256:
            codes = codes.astype(np.uint8)
        same = all(a is b for a, b in zip(lower, upper, strict=True))
        lower = np.concatenate(lower)
        reciprocal = np.zeros(n_samples + 1)
        reciprocal[1:] = 1.0 / np.arange(1, n_samples + 1)
        return cls(
            codes=codes,
            order=order,
            lower=lower,
            upper=lower if same else np.concatenate(upper),
            offset=np.concatenate(([0], np.cumsum(n_codes, dtype=np.int64))),
            values=values,
            counted=counted,
            labels=np.ascontiguousarray(y[rows], dtype=np.uint16),
            class_start=class_start,
            rows=rows,
            reciprocal=reciprocal,
            rise=np.pad(reciprocal, (0, tree.PAD)).astype(np.float32),
            fall=np.pad(reciprocal[::-1], (0, tree.PAD)).astype(np.float32),
        )

    def n_validation(self, validation_size):
        """Validation samples of each class: min(n_c - 1, max(1, ceil(validation_size n_c))), exactly.

        Parameters
        ----------
        validation_size : float in (0, 1), taken as the decimal number it prints as

        Returns
        -------
        n_validation : ndarray of int32, shape (n_classes,); 0 for a class of one sample

        Raises
        ------
        ValueError : if no class has two samples.
        """
        share = Fraction(repr(float(validation_size)))
        sizes = np.diff(self.class_start)
        counts = [min(n - 1, max(1, math.ceil(share * n))) for n in sizes.tolist()]
        if not any(counts):
            raise ValueError(f"y must have a class with at least 2 samples, got {self.n_classes} classes of 1 sample")
        return np.array(counts, dtype=np.int32)


def code_sorted(ascending, max_codes):
    """Codes of one feature's known values, sorted: (codes, lower, upper); `upper is lower` if coding is exact."""
    if not len(ascending):
        none = np.zeros(0)
        return np.zeros(0, dtype=np.uint16), none, none
    starts = np.concatenate(([True], ascending[1:] != ascending[:-1]))
    codes = np.cumsum(starts) - 1
    if codes[-1] < max_codes:
        lower = ascending[starts]
        return codes.astype(np.uint16), lower, lower
    first = np.flatnonzero(starts)  # position of the first sample of each distinct value
    groups = first * max_codes // len(ascending)
    opens = np.concatenate(([True], groups[1:] != groups[:-1]))
    codes = (np.cumsum(opens) - 1)[codes]
    ends = np.concatenate((codes[1:] != codes[:-1], [True]))
    return codes.astype(np.uint16), ascending[first[opens]], ascending[ends]


def scale_rows(block, ascending, out):
    """Min-max scale each row to [0, 1] into `out`; constant rows become 0, missing values the mean of the known."""
    n_known = ascending.shape[1] - np.count_nonzero(np.isnan(ascending), axis=1)
    low = np.where(n_known > 0, ascending[:, 0], 0.0)
    high = np.where(n_known > 0, ascending[np.arange(len(ascending)), np.maximum(n_known, 1) - 1], 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        wide = ~np.isfinite(high - low)  # the range overflows: halve first
        half = np.where(wide, 0.5, 1.0)[:, None]
        span = high * half[:, 0] - low * half[:, 0]
        scaled = (block * half - low[:, None] * half) / np.where(span > 0, span, np.inf)[:, None]
    for row in np.flatnonzero(n_known < ascending.shape[1]):
        missing = np.isnan(block[row])
        scaled[row, missing] = math.fsum(scaled[row, ~missing]) / n_known[row] if n_known[row] else 0.0
    out[...] = scaled
