"""The data set in the form that the kernels read: coded feature by feature, samples sorted by class or target."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches

from moeliga._ext import code, tree
from moeliga.base.decimals import as_written
from moeliga.data.target import Target, hits, strata
from moeliga.parameters.objectives import NEIGHBOURS

BLOCK_BYTES = 1 << 25
"""Most bytes of a sparse X that are made dense at a time (one column at least)."""

MOST_SAMPLES = 2**30
"""Most samples of a data set: the nodes of a tree of more samples could exceed a 32-bit index."""


def check_n_classes(n_classes):
    """Raise ValueError for more classes than a label of two bytes can hold."""
    if n_classes > code.MAX:
        raise ValueError(f"y must have at most {code.MAX} classes, got {n_classes}")


@dataclass(frozen=True, eq=False)
class Samples:
    """The samples of a data set without their values, in the order in which splits are drawn. Read-only.

    They are sorted by class; for regression by target, and the strata of the target (see `target.strata`) take the
    place of classes. Samples of the same class, or target, keep their order in X.
    """

    n_features: int
    labels: np.ndarray  # uint16, shape (n_samples,): class, or stratum, of each sample
    class_start: np.ndarray  # int32, shape (n_classes + 1,): class c is the samples class_start[c]:class_start[c + 1]
    rows: np.ndarray  # int64, shape (n_samples,): the row of X of each sample

    @property
    def n_samples(self):
        return len(self.labels)

    @property
    def n_classes(self):
        return len(self.class_start) - 1

    @classmethod
    def sort(cls, n_features, y, n_classes):
        """Return the samples with labels `y`, integers in [0, n_classes); ValueError for more than 65,536 classes."""
        check_n_classes(n_classes)
        labels = y.astype(np.uint16)
        rows = np.argsort(labels, kind="stable")  # a radix sort, as the labels have 16 bits
        class_start = np.zeros(n_classes + 1, dtype=np.int32)
        np.cumsum(np.bincount(y, minlength=n_classes), out=class_start[1:])
        return cls(n_features, labels[rows], class_start, rows)

    @classmethod
    def sort_target(cls, n_features, y):
        """Return the samples with targets `y`, finite float64."""
        rows = np.argsort(y, kind="stable")
        starts = strata(len(y))
        return cls(n_features, np.repeat(np.arange(len(starts) - 1, dtype=np.uint16), np.diff(starts)), starts, rows)

    def n_validation(self, validation_size):
        """Return the number of validation samples of each class or stratum: ndarray of int32, shape (n_classes,).

        min(n_c - 1, max(1, ceil(validation_size n_c))), with `validation_size` taken as the decimal number that it
        prints as; 0 for a class of one sample. ValueError if no class has two samples.
        """
        share = as_written(validation_size)
        sizes = np.diff(self.class_start)
        counts = [min(n - 1, max(1, -(-share.numerator * n // share.denominator))) for n in sizes.tolist()]
        if not any(counts):
            raise ValueError(f"y must have a class with at least 2 samples, got {self.n_classes} classes of 1 sample")
        return np.array(counts, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Dataset(Samples):
    """A data set, coded for the kernels. Read-only; `encode` and `encode_target` build it.

    `values` are scaled to [0, 1] by the range of the feature: 0 for a constant feature, the mean for a missing value,
    0 in the padding, which makes rows as long as a multiple of `relief.LANES`. The hits of sample i for objective III
    are the samples hits_from[i]:hits_to[i], i included: those of its class, or with nearly its target (`target.hits`).
    """

    codes: np.ndarray  # uint8 or uint16, shape (n_features, n_samples): ranks of the values; missing ones come last
    order: np.ndarray  # uint16 or uint32, likewise: samples by ascending value, ties in sample order, missing ones last
    lower: np.ndarray  # dtype of X, shape (offset[-1],): smallest value of each code
    upper: np.ndarray  # likewise: largest value; the same array if coding is exact for all features
    offset: np.ndarray  # int64, shape (n_features + 1,): feature f has the codes lower[offset[f]:offset[f + 1]]
    values: np.ndarray  # float32, shape (n_features, n_padded)
    hits_from: np.ndarray  # int32, shape (n_samples,)
    hits_to: np.ndarray  # likewise
    counted: np.ndarray  # uint8, shape (n_features,): 1 = the tree counts the values, and does not sort them
    reciprocal: np.ndarray  # float64, shape (n_samples + 1,): 1 / i
    rise: np.ndarray  # float32, shape (n_samples + 1 + tree.PAD,): 1 / i, then zeros
    fall: np.ndarray  # likewise: 1 / (n_samples - i), then zeros
    level: int = tree.LEVEL  # instruction set of the kernels; no result depends on it
    target: Target | None = None  # of the samples, for regression

    @classmethod
    def encode(cls, X, y, n_classes, n_threads=1, check=None):
        """Code a classification data set with labels `y`, integers in [0, n_classes).

        X is an ndarray or sparse, of float32 or float64, shape (n_samples, n_features); NaN = missing. ValueError for
        an infinite value, and for more than 65,536 classes or 2^30 samples. O(F n + n log n).

        Coding is exact for features of at most 65,536 distinct values; above, neighbouring values share a code so that
        the codes hold about equally many samples. X is read in place, sparse X as CSC and by blocks. The data set takes
        1.75 to 3 times the memory of X as dense float32 (4 if X is float64), depending on how often values repeat;
        above 65,536 samples at most 4.5 times (6.5), coming down to 2.5 as they grow.

        `check` is called a few times a second, and may raise; None = Python's handlers of signals are called.
        """
        samples = Samples.sort(X.shape[1], y, n_classes)
        sizes = np.diff(samples.class_start)
        ranges = (np.repeat(start, sizes) for start in (samples.class_start[:-1], samples.class_start[1:]))
        return cls.of(X, samples, *ranges, None, n_threads, check)

    @classmethod
    def encode_target(cls, X, y, neighbours=NEIGHBOURS, n_threads=1, check=None):
        """Code a regression data set as `encode` does; `y` is finite float64, see `target.hits` for `neighbours`."""
        samples = Samples.sort_target(X.shape[1], y)
        y = y[samples.rows]
        return cls.of(X, samples, *hits(y, neighbours), Target.code(y), n_threads, check)

    @classmethod
    def of(cls, X, samples, hits_from, hits_to, target, n_threads, check):
        """Code the values of sorted samples, and return the data set."""
        n_samples = len(samples.rows)
        if not X.dtype.isnative:  # e.g. from a table of pandas
            X = X.astype(X.dtype.newbyteorder("="))
        encode = encode_sparse if issparse(X) else code.encode
        codes, order, lower, upper, offset, values, n_known = encode(X, samples.rows, n_threads, check)
        reciprocal = np.zeros(n_samples + 1)
        reciprocal[1:] = 1.0 / np.arange(1, n_samples + 1)
        counted = (n_known == n_samples) & (np.diff(offset) <= tree.COUNTED) & (target is None)
        return cls(
            **vars(samples), codes=codes, order=order, lower=lower, upper=upper, offset=offset, values=values,
            hits_from=hits_from, hits_to=hits_to, counted=counted.astype(np.uint8), reciprocal=reciprocal,
            rise=np.pad(reciprocal, (0, tree.PAD)).astype(np.float32),
            fall=np.pad(reciprocal[::-1], (0, tree.PAD)).astype(np.float32),
            target=target,
        )


def encode_sparse(X, rows, n_threads, check):
    """Return the result of `code.encode` for a sparse X, which is made dense a block of columns at a time."""
    X = X.tocsc()
    n_samples, n_features = X.shape
    step = max(1, BLOCK_BYTES // (n_samples * X.dtype.itemsize))
    whole, small = None, []
    for block in gen_batches(n_features, step):
        dense = X[:, block].toarray(order="F")
        codes, order, lower, upper, offset, values, n_known = code.encode(dense, rows, n_threads, check)
        if whole is None:
            whole = [np.empty((n_features, part.shape[1]), part.dtype) for part in (codes, order, values)]
        if codes.itemsize > whole[0].itemsize:  # the first block whose codes need two bytes
            whole[0] = whole[0].astype(codes.dtype)
        for array, part in zip(whole, (codes, order, values), strict=True):
            array[block] = part
        small.append((lower, upper, np.diff(offset), n_known))
    lowers, uppers, sizes, known = zip(*small, strict=True)
    exact = all(low is high for low, high in zip(lowers, uppers, strict=True))
    lowest = np.concatenate(lowers)
    offset = np.append(0, np.cumsum(np.concatenate(sizes)))
    codes, order, values = whole
    return codes, order, lowest, lowest if exact else np.concatenate(uppers), offset, values, np.concatenate(known)


def varies(X, rows=slice(None)):
    """Return True if a column of X, ndarray or canonical CSC or CSR, has two distinct values but for NaN in `rows`."""
    if issparse(X):
        X = X[rows]
        return bool(np.any(X.nanmin(axis=0).toarray() < X.nanmax(axis=0).toarray()))
    blocks = (X[:, block][rows] for block in gen_batches(X.shape[1], max(1, BLOCK_BYTES // (len(X) * X.itemsize))))
    return any(np.any(np.fmin.reduce(block, axis=0) < np.fmax.reduce(block, axis=0)) for block in blocks)
