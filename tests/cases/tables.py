"""Tables of numbers that are the same bits on every machine: made of whole numbers, without NumPy's generators, whose
streams may change between versions, and without the C library's functions, which round each in their own way."""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

GAMMA, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

KEY = np.array([0x0123456789ABCDEF, 0xFEDCBA9876543210], dtype=np.uint64)
"""Seed of the kernels, as the compiled rooms take it."""


class Table(NamedTuple):
    """Samples, and what is to be told of them."""

    X: object
    y: np.ndarray

    @property
    def n_classes(self):
        return int(self.y.max()) + 1


def words(seed, n):
    """The first `n` words of splitmix64: uint64."""
    state = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(GAMMA)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(FIRST)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(SECOND)
    return state ^ (state >> np.uint64(31))


def whole(seed, shape, below):
    """Whole numbers in [0, below): int64."""
    return (words(seed, int(np.prod(shape))) % np.uint64(below)).astype(np.int64).reshape(shape)


def masks(seed, n, n_features, one_in=3):
    """Subsets of about every so-many-th feature, none empty: bool, shape (n, n_features)."""
    found = whole(seed, (n, n_features), one_in) == 0
    found[np.arange(n), whole(seed + 1, n, n_features)] = True
    return found


@cache
def table(name):
    """The table of that name, read-only."""
    X, y = MADE[name]()
    for array in (X, y) if isinstance(X, np.ndarray) else (X.data, y):
        array.flags.writeable = False
    return Table(X, y)


def few():
    """Few values a feature: ties abound."""
    y = np.arange(60) % 3
    X = whole(1, (60, 8), 5).astype(np.float64)
    X[:, ::3] += y[:, None]
    return X, y


def missing():
    """Missing values; the last class has one sample."""
    y = np.append(whole(10, 60, 4), 4)
    X = whole(11, (61, 9), 64) / 8
    X[:, ::4] += 3 * y[:, None]
    X[whole(12, X.shape, 8) == 0] = np.nan
    return X, y


def many():
    """More than 256 values a feature, some missing, beside one of few values and a copy."""
    y = whole(20, 400, 2)
    X = whole(21, (400, 6), 1 << 20) / 1024
    X[:, 0] += 300 * y
    X[whole(22, 400, 9) == 0, 2] = np.nan
    X[:, 4] = whole(23, 400, 7)
    X[:, 5] = X[:, 1]
    return X, y


def wide():
    """More than 64 features, and so much work that it is shared out over threads."""
    y = np.arange(160) % 3
    X = whole(30, (160, 130), 256) / 64
    X[:, ::7] += y[:, None]
    return X, y


def odd():
    """Constant and almost empty features, copies, both zeros, numbers of all sizes."""
    y = np.arange(40) % 2
    small = whole(40, (40, 12), 50).astype(np.float64)
    X = small - 25
    X[:, 1] = 7
    X[:, 2] = X[:, 0]
    X[:, 3] = np.where(small[:, 3] < 25, -0.0, 0.0)
    X[:, 4] = np.ldexp(X[:, 4], 1015)  # the range is beyond the largest number
    X[:, 5] = np.ldexp(X[:, 5], -1070)
    X[:, 6] = np.ldexp(1.0 + small[:, 6], (whole(41, 40, 100) - 50))
    X[:, 7] = 2.0**53 + 2 * small[:, 7]
    X[1:, 8] = np.nan
    X[:, 9] = 1 + np.ldexp(small[:, 9], -52)
    X[:, 10] = small[:, 10] + 10 * y
    return X, y


def twenty():
    """Twenty classes."""
    y = np.arange(120) % 20
    X = whole(50, (120, 7), 40).astype(np.float64)
    X[:, 2] += 3 * (y % 5)
    X[:, 4] += 9 * (y // 5)
    return X, y


def large():
    """More samples than two bytes number, and a feature of more values than two bytes code."""
    n = 70_000
    y = whole(60, n, 3)
    X = np.stack([np.arange(n) * 40_503 % 1_048_576 / 16, whole(61, n, 900) + 200.0 * y, whole(62, n, 40)], axis=1)
    return X, y


def sparse():
    """Counts, most of them 0."""
    y = np.arange(80) % 2
    X = whole(70, (80, 70), 5).astype(np.float64) * (whole(71, (80, 70), 6) == 0)
    X[:, ::9] += y[:, None]
    return csc_array(X), y


def target():
    """A continuous target, with ties and missing values."""
    X = whole(80, (120, 40), 64) / 16
    y = (8 * X[:, 0] + 4 * X[:, 7] + whole(81, 120, 9)) / 8
    X[whole(82, X.shape, 12) == 0] = np.nan
    return X, y


def small():
    """For searches that are over in no time."""
    y = np.arange(45) % 3
    X = whole(90, (45, 20), 64) / 16
    X[:, ::5] += y[:, None]
    return X, y


MADE = {make.__name__: make for make in (few, missing, many, wide, odd, twenty, large, sparse, target, small)}
