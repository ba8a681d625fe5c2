"""The data set as the kernels read it: coded once, feature-major, class by class."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from moeliga._ext import code, tree


@dataclass(frozen=True, eq=False)
class Dataset:
    """A classification data set, coded for the kernels. Read-only; build it with `Dataset.encode`.

    Samples are numbered class by class, in their original order within a class.

    Attributes
    ----------
    codes : ndarray of uint8 or uint16, shape (n_features, n_samples)
        Rank of each value among the distinct values of its feature; a missing value has the code after the last.
    order : ndarray of uint16 or uint32, shape (n_features, n_samples)
        Samples of each feature by ascending value, missing ones last, ties in their own order.
    lower, upper : ndarray of float32 or float64 as X was, shape (offset[-1],)
        Smallest and largest value of each code; one array if coding is exact for all features.
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
    def encode(cls, X, y, n_classes, n_threads=1):
        """Code a data set.

        Parameters
        ----------
        X : ndarray of float32 or float64, shape (n_samples, n_features), any strides; NaN = missing, no infinity
        y : ndarray of int, shape (n_samples,), in [0, n_classes)
        n_classes : int
        n_threads : int >= 1, default=1

        Returns
        -------
        dataset : Dataset

        Raises
        ------
        ValueError : if there are more than 65,536 classes or 2^30 samples, or a value is infinite.

        Notes
        -----
        O(F n + n log n). Exact for features of at most 65,536 distinct values; above, neighbouring values share a
        code so that the codes hold about equally many samples. X is read in place. The data set takes 1.75 to 3
        times the memory of X as float32 (4 if X is float64), depending on how often values repeat; above 65,536 samples
        at most 4.5 times (6.5), coming down to 2.5 as they grow. The result does not depend on `n_threads`.
        """
        n_samples = len(X)
        if n_classes > code.MAX:
            raise ValueError(f"y must have at most {code.MAX} classes, got {n_classes}")
        rows = np.argsort(y, kind="stable")
        class_start = np.zeros(n_classes + 1, dtype=np.int32)
        np.cumsum(np.bincount(y, minlength=n_classes), out=class_start[1:])
        codes, order, lower, upper, offset, values, n_known = code.encode(X, rows, n_threads)
        reciprocal = np.zeros(n_samples + 1)
        reciprocal[1:] = 1.0 / np.arange(1, n_samples + 1)
        return cls(
            codes=codes,
            order=order,
            lower=lower,
            upper=upper,
            offset=offset,
            values=values,
            counted=((n_known == n_samples) & (np.diff(offset) <= tree.COUNTED)).astype(np.uint8),
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
