"""The data set as the kernels read it: coded once, feature-major, class by class or by ascending target."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.sparse import issparse

from moeliga._ext import code, tree
from moeliga.data.target import Target, hits, strata
from moeliga.parameters.objectives import NEIGHBOURS

BLOCK_BYTES = 1 << 25
"""Most bytes of the columns of a sparse X that are dense at a time (one column at least)."""

MOST_SAMPLES = 2**30
"""A tree of so many has as many nodes as an index can count."""


def check_n_classes(n_classes):
    """Raise ValueError if there are more classes than a label of two bytes can tell apart."""
    if n_classes > code.MAX:
        raise ValueError(f"y must have at most {code.MAX} classes, got {n_classes}")


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of a data set, class by class: what splits are drawn over. Read-only.

    Samples are numbered class by class, in their original order within a class. For regression they are numbered by
    ascending target, equal ones in their original order, and the strata of the target (see `target.strata`) take the
    place of classes.

    Attributes
    ----------
    n_features : int
    labels : ndarray of uint16, shape (n_samples,)
        Class of each sample, or stratum.
    class_start : ndarray of int32, shape (n_classes + 1,)
        Class (or stratum) c is the samples class_start[c] .. class_start[c + 1] - 1.
    rows : ndarray of int64, shape (n_samples,)
        Row of the caller's X that each sample is.
    """

    n_features: int
    labels: np.ndarray
    class_start: np.ndarray
    rows: np.ndarray

    @property
    def n_samples(self):
        return len(self.labels)

    @property
    def n_classes(self):
        return len(self.class_start) - 1

    @classmethod
    def sort(cls, n_features, y, n_classes):
        """The samples with labels `y`, as for `Dataset.encode`, without their values.

        Raises
        ------
        ValueError : if there are more than 65,536 classes.
        """
        check_n_classes(n_classes)
        rows = np.argsort(y, kind="stable")
        class_start = np.zeros(n_classes + 1, dtype=np.int32)
        np.cumsum(np.bincount(y, minlength=n_classes), out=class_start[1:])
        return cls(n_features, y.astype(np.uint16)[rows], class_start, rows)

    @classmethod
    def sort_target(cls, n_features, y):
        """The samples with targets `y`, as for `Dataset.encode_target`, without their values."""
        rows = np.argsort(y, kind="stable")
        starts = strata(len(y))
        return cls(n_features, np.repeat(np.arange(len(starts) - 1, dtype=np.uint16), np.diff(starts)), starts, rows)

    def n_validation(self, validation_size):
        """Validation samples of each class or stratum: min(n_c - 1, max(1, ceil(validation_size n_c))), exactly.

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


@dataclass(frozen=True, eq=False)
class Dataset(Samples):
    """A data set, coded for the kernels. Read-only; build it with `Dataset.encode` or `Dataset.encode_target`.

    Attributes
    ----------
    n_features, labels, class_start, rows
        See `Samples`.
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
    hits_from, hits_to : ndarray of int32, shape (n_samples,)
        For objective III, the hits of sample i are the samples hits_from[i] .. hits_to[i] - 1, itself among them: those
        of its class, or of nearly the same target (see `target.hits`).
    counted : ndarray of uint8, shape (n_features,)
        1 = at most `tree.COUNTED` codes and no missing value: the tree counts these features in place of sorting them.
        0 for all in regression.
    reciprocal : ndarray of float64, shape (n_samples + 1,)
        1 / i, for the kernels.
    rise, fall : ndarray of float32, shape (n_samples + 1 + tree.PAD,)
        1 / i and 1 / (n_samples - i), then zeros, for the kernels.
    level : int
        Instruction set that the kernels use (see `tree.LEVEL`); no result depends on it.
    target : Target or None
        Of the samples, for regression.
    """

    codes: np.ndarray
    order: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    offset: np.ndarray
    values: np.ndarray
    hits_from: np.ndarray
    hits_to: np.ndarray
    counted: np.ndarray
    reciprocal: np.ndarray
    rise: np.ndarray
    fall: np.ndarray
    level: int = tree.LEVEL
    target: Target | None = None

    @classmethod
    def encode(cls, X, y, n_classes, n_threads=1):
        """Code a classification data set.

        Parameters
        ----------
        X : ndarray or sparse of float32 or float64, shape (n_samples, n_features); NaN = missing, no infinity
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

        A sparse X gives the same data set, as large as that of the dense X; `BLOCK_BYTES` of columns are made dense at
        a time. It is read by column, so another format than CSC is converted to it.
        """
        samples = Samples.sort(X.shape[1], y, n_classes)
        sizes = np.diff(samples.class_start)
        ranges = (np.repeat(start, sizes) for start in (samples.class_start[:-1], samples.class_start[1:]))
        return cls.of(X, samples, *ranges, None, n_threads)

    @classmethod
    def encode_target(cls, X, y, neighbours=NEIGHBOURS, n_threads=1):
        """Code a regression data set.

        Parameters
        ----------
        X : ndarray or sparse of float32 or float64, shape (n_samples, n_features); NaN = missing, no infinity
        y : ndarray of float64, shape (n_samples,), finite
        neighbours : float in (0, 1), default=0.1
            Share of the samples that are hits of a sample, see `target.hits`.
        n_threads : int >= 1, default=1

        Returns
        -------
        dataset : Dataset

        Raises
        ------
        ValueError : if there are more than 2^30 samples, or a value is infinite.

        Notes
        -----
        Cost and size are those of `encode`.
        """
        samples = Samples.sort_target(X.shape[1], y)
        y = y[samples.rows]
        return cls.of(X, samples, *hits(y, neighbours), Target.code(y), n_threads)

    @classmethod
    def of(cls, X, samples, hits_from, hits_to, target, n_threads):
        """Code the values of samples that have been sorted."""
        n_samples, n_features = X.shape
        if not X.dtype.isnative:  # as that of a table of pandas may be
            X = X.astype(X.dtype.newbyteorder("="))
        encode = encode_sparse if issparse(X) else code.encode
        codes, order, lower, upper, offset, values, n_known = encode(X, samples.rows, n_threads)
        reciprocal = np.zeros(n_samples + 1)
        reciprocal[1:] = 1.0 / np.arange(1, n_samples + 1)
        return cls(
            n_features=n_features,
            labels=samples.labels,
            class_start=samples.class_start,
            rows=samples.rows,
            codes=codes,
            order=order,
            lower=lower,
            upper=upper,
            offset=offset,
            values=values,
            hits_from=hits_from,
            hits_to=hits_to,
            counted=((n_known == n_samples) & (np.diff(offset) <= tree.COUNTED) & (target is None)).astype(np.uint8),
            reciprocal=reciprocal,
            rise=np.pad(reciprocal, (0, tree.PAD)).astype(np.float32),
            fall=np.pad(reciprocal[::-1], (0, tree.PAD)).astype(np.float32),
            target=target,
        )


def encode_sparse(X, rows, n_threads):
    """`code.encode` for a sparse X, a block of columns after the other; returns the same."""
    X = X.tocsc()
    n_samples, n_features = X.shape
    step = max(1, BLOCK_BYTES // (n_samples * X.dtype.itemsize))
    lower, upper, sizes, n_known = [], [], [], []
    codes = order = values = None
    for begin in range(0, n_features, step):
        block = slice(begin, min(begin + step, n_features))
        part = code.encode(X[:, block].toarray(order="F"), rows, n_threads)
        if codes is None:
            codes, order, values = (np.empty((n_features, array.shape[1]), array.dtype)
                                    for array in (part[0], part[1], part[5]))
        if part[0].itemsize > codes.itemsize:  # the first block whose codes need two bytes
            codes = codes.astype(part[0].dtype)
        codes[block], order[block], values[block] = part[0], part[1], part[5]
        lower.append(part[2])
        upper.append(part[3])
        sizes.append(np.diff(part[4]))
        n_known.append(part[6])
    exact = all(low is high for low, high in zip(lower, upper, strict=True))
    lowest = np.concatenate(lower)
    offset = np.append(0, np.cumsum(np.concatenate(sizes)))
    return (codes, order, lowest, lowest if exact else np.concatenate(upper), offset, values, np.concatenate(n_known))


def varies(X):
    """Whether a column has two distinct values, missing ones (NaN) not counted: bool.

    Parameters
    ----------
    X : ndarray or canonical CSC or CSR of float, shape (n_samples, n_features)
    """
    if issparse(X):
        low, high = X.nanmin(axis=0).toarray(), X.nanmax(axis=0).toarray()
    else:
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    return bool(np.any(low < high))
