"""What callers may give, for hypothesis: tables, labels, targets and masks of every type and layout.

Each strategy draws a `Given`: the argument itself, and the plain array that it stands for, which twins are given.
Large arrays are filled from a drawn seed, small ones number by number, which shrink better.
"""

import tempfile
from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from scipy import sparse

from tiers import PERCENT

SEEDS = st.integers(0, 2**32 - 1)


def cases(n):
    """Decorator of a test: so many inputs where `MOELIGA_FUZZ` is full."""
    return settings(max_examples=max(1, n * PERCENT // 100))


class Given(NamedTuple):
    """An argument, and what it means."""

    value: object
    meaning: np.ndarray


class Labels(NamedTuple):
    """Class labels: the argument, the place of each in `classes`, and the distinct labels, ascending."""

    value: object
    meaning: np.ndarray
    classes: list


# numbers

COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(-2, 3, size=n) / 2,
    "two values": lambda rng, n: rng.choice(rng.normal(size=2), size=n),
    "constant": lambda rng, n: np.full(n, rng.normal()),
    "zeros of both signs": lambda rng, n: rng.choice([0.0, -0.0], size=n),
    "missing": lambda rng, n: np.full(n, np.nan),
    "one known": lambda rng, n: np.where(np.arange(n) == rng.integers(n), rng.normal(), np.nan),
    "1e38": lambda rng, n: rng.choice([-3.4e38, -1e38, 0.0, 1.0, 1e38, 3.4e38], size=n),
    "1e308": lambda rng, n: rng.choice([-1.7e308, 1.7e308, 1.1e308, 0.0, 1e-300], size=n),
    "denormal": lambda rng, n: rng.integers(-4, 5, size=n) * 5e-324,
    "denormal in single precision": lambda rng, n: rng.integers(-4, 5, size=n) * 2.0**-149,
    "neighbours": lambda rng, n: 1 + rng.integers(0, 6, size=n) * 2.0**-52,
    "beyond whole doubles": lambda rng, n: 2.0**53 + 2 * rng.integers(0, 6, size=n),
    "magnitudes": lambda rng, n: rng.choice([-1, 1], size=n) * 10.0 ** rng.uniform(-300, 300, size=n),
    "any bits": lambda rng, n: rng.integers(2**64, size=n, dtype=np.uint64).view(np.float64),
}

TYPES = ("f8", "f8", "f8", "f4", "f4", "f2", "g", ">f8", ">f4", "i1", "u2", "i8", "u8", ">i4", "?", "O")


def cast(array, dtype):
    """Numbers of another type: clipped to its range, and missing ones 0 where it has none."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.clip(np.nan_to_num(array), limits.min / 2, limits.max / 2).astype(dtype)
    if dtype.kind == "b":
        return np.nan_to_num(array) > 0
    with np.errstate(over="ignore"):
        array = array.astype(dtype)
    return array if dtype.kind == "O" else np.where(np.isinf(array), np.nan, array).astype(dtype)


class Subclass(np.ndarray):
    """An array that is one by inheritance."""


class Wrapped:
    """Something that only turns into an array."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def __array__(self, dtype=None, copy=None):
        return self.array.copy() if dtype is None else self.array.astype(dtype)

    def __len__(self):
        return len(self.array)


def strided(array):
    """A view of every second row and every third column of a larger array of other numbers."""
    larger = np.ones([2 * length + 1 if axis == 0 else 3 * length for axis, length in enumerate(array.shape)],
                     dtype=array.dtype)
    view = larger[tuple(slice(1, None, 2) if axis == 0 else slice(None, None, 3) for axis in range(array.ndim))]
    view[...] = array
    return view


def unaligned(array):
    """Numbers that begin at an odd address, read-only."""
    if array.dtype.hasobject:
        return array
    return np.frombuffer(b"\0" + array.tobytes(), dtype=array.dtype, offset=1).reshape(array.shape)


def mapped(array):
    """Numbers in a file, mapped into memory to be read only."""
    if array.dtype.hasobject:
        return array
    with tempfile.TemporaryFile() as file:
        file.write(array.tobytes())
        file.flush()
        return np.memmap(file, dtype=array.dtype, mode="r", shape=array.shape)


def frozen(array):
    """A copy that is read-only."""
    array = array.copy()
    array.flags.writeable = False
    return array


def frame(array):
    """A table of pandas, or of one dimension a series; the array itself without pandas."""
    try:
        import pandas as pd
    except ImportError:
        return array
    return pd.DataFrame(array) if array.ndim == 2 else pd.Series(array)


def uncanonical(array):
    """A CSC matrix that stores zeros, and the rows of a column in falling order."""
    X = sparse.csc_array(np.ones(array.shape))
    order = np.concatenate([np.arange(X.indptr[f], X.indptr[f + 1])[::-1] for f in range(array.shape[1])])
    rows = X.indices[order]
    columns = np.repeat(np.arange(array.shape[1]), np.diff(X.indptr))
    return sparse.csc_array((array[rows, columns], rows, X.indptr), shape=array.shape)


LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "strided": strided,
    "reversed": lambda array: np.flip(np.flip(array).copy()),
    "read-only": frozen,
    "unaligned": unaligned,
    "memory-mapped": mapped,
    "list": lambda array: array.tolist(),
    "subclass": lambda array: array.copy().view(Subclass),
    "wrapped": Wrapped,
    "frame": frame,
}

COLUMN_LAYOUTS = ("C", "strided", "reversed", "read-only", "unaligned", "memory-mapped", "list", "frame")
"""Those of an array that has only one dimension, too."""

SPARSE = {
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_matrix,
    "COO": sparse.coo_array,
    "uncanonical": uncanonical,
}


@st.composite
def columns(draw, n, informed=None):
    """A column of n float64, finite or NaN; it may tell the numbers `informed`."""
    kind = draw(st.sampled_from((*COLUMNS, "number by number") if n <= 12 else tuple(COLUMNS)))
    if kind == "number by number":
        return np.array(draw(st.lists(st.floats(allow_infinity=False), min_size=n, max_size=n)))
    rng = np.random.default_rng(draw(SEEDS))
    with np.errstate(over="ignore", invalid="ignore"):
        column = COLUMNS[kind](rng, n)
        if informed is not None and draw(st.booleans()):
            column = column + informed
        column[rng.random(n) < draw(st.sampled_from((0, 0, 0.2)))] = np.nan
    return np.where(np.isinf(column), np.nan, column)


@st.composite
def tables(draw, n, n_features, informed=None, layouts=None):
    """X of any type and layout: a `Given`, whose meaning is float64 of shape (n, n_features), no infinity."""
    X = np.stack([draw(columns(n, informed)) for _ in range(n_features)], axis=1)
    if n_features > 1 and draw(st.booleans()):
        X[:, -1] = X[:, 0]
    if n > 1 and draw(st.booleans()):
        X[-1] = X[0]
    dtype = draw(st.sampled_from(TYPES))
    X = cast(X, dtype)
    if X.dtype.kind in "iu" and X.dtype.itemsize == 8 and draw(st.booleans()):
        X[:, 0] = np.iinfo(X.dtype).max - (np.arange(n) % 5).astype(X.dtype) * 600  # what a double has to round
    chosen = draw(st.sampled_from(tuple(LAYOUTS if layouts is None else layouts)))
    if chosen in SPARSE and dtype in ("f8", "f4", "i1", "i8"):
        return Given(SPARSE[chosen](X), X.astype(np.float64))
    return Given(LAYOUTS.get(chosen, np.ascontiguousarray)(X), X.astype(np.float64))


# labels and targets

LABELS = {  # k distinct labels, ascending
    "integers": lambda k: np.arange(k),
    "negative integers": lambda k: np.arange(-k, 0) * 3,
    "huge integers": lambda k: 2**63 - 1 - np.arange(k)[::-1],
    "unsigned": lambda k: np.arange(k, dtype=np.uint16),
    "bytes of numbers": lambda k: np.arange(-(k // 2), k - k // 2, dtype=np.int8 if k <= 255 else np.int16),
    "booleans": lambda k: np.array([False, True])[:k] if k <= 2 else np.arange(k),
    "whole floats": lambda k: np.arange(k) - 2.0,
    "half floats": lambda k: np.arange(k, dtype=np.float16),
    "other byte order": lambda k: np.arange(k, dtype=">i4"),
    "text": lambda k: np.array([f"class {i:03}" for i in range(k)]),
    "any text": lambda k: np.array(sorted(chr(0x10000 + 977 * i) * (1 + i % 3) for i in range(k))),
    "long text": lambda k: np.array([200 * "a" + f"{i:03}" for i in range(k)]),
    "text as objects": lambda k: np.array([f"class {i:03}" for i in range(k)], dtype=object),
    "dates": lambda k: np.datetime64("2020-02-28") + np.arange(k),
}


@st.composite
def labels(draw, n, n_classes):
    """y of any type and layout, every class at least once: `Labels`."""
    rng = np.random.default_rng(draw(SEEDS))
    usual = draw(st.integers(1, n_classes))  # the others are classes of one sample
    places = np.concatenate((np.arange(n_classes), rng.integers(usual, size=n - n_classes)))
    places = places[rng.permutation(n)] if draw(st.booleans()) else np.sort(places)
    known = LABELS[draw(st.sampled_from(tuple(LABELS)))](n_classes)
    y = known[places]
    chosen = draw(st.sampled_from(COLUMN_LAYOUTS))
    if chosen in ("list", "frame") and known.dtype.kind == "M":
        chosen = "C"  # a list of dates is one of objects, and pandas makes times of them
    return Labels(LAYOUTS[chosen](y), places, known.tolist())


@st.composite
def targets(draw, n):
    """y of a regression, of any type and layout: a `Given`, whose meaning is float64, finite, of two or more values."""
    y = np.nan_to_num(draw(columns(n).filter(lambda column: len(set(np.nan_to_num(column).tolist())) > 1)))
    dtype = draw(st.sampled_from(("f8", "f8", "f8", "f4", ">f8", "i4", "u8", "?", "O")))
    other = np.nan_to_num(cast(y, dtype).astype(np.float64))
    if len(set(other.tolist())) > 1:
        y = cast(other, dtype)
    chosen = draw(st.sampled_from(COLUMN_LAYOUTS))
    return Given(LAYOUTS[chosen](y), y.astype(np.float64))


@st.composite
def numbers_of_classes(draw):
    """1 to 300 classes, mostly few."""
    if draw(st.integers(0, 29)) == 17:
        return draw(st.integers(21, 300))
    return draw(st.sampled_from((2, 2, 2, 3, 3, 5, 1, 8, 20)))


@st.composite
def classified(draw, n_classes=None, most_samples=24, least_features=1):
    """(X, y) of a classification: Given and Labels; a class has two samples."""
    k = draw(numbers_of_classes()) if n_classes is None else n_classes
    n = draw(st.integers(k + 1, max(k + 1, most_samples) if k <= 20 else k + 8))
    y = draw(labels(n, k))
    n_features = draw(st.integers(least_features, 4 if k <= 20 else 2))
    return draw(tables(n, n_features, y.meaning, (*LAYOUTS, *SPARSE))), y


@st.composite
def predicted(draw, most_samples=24):
    """(X, y) of a regression: both Given."""
    n = draw(st.integers(2, most_samples))
    y = draw(targets(n))
    return draw(tables(n, draw(st.integers(1, 4)), None, (*LAYOUTS, *SPARSE))), y


# subsets

MASKS = {
    "bool": lambda masks: masks,
    "integers": lambda masks: masks.astype(np.int8),
    "floats": lambda masks: masks.astype(np.float32),
    "objects": lambda masks: masks.astype(object),
}


@st.composite
def masks(draw, n_features, most=4, least=1):
    """Subsets as masks of any type and layout: a `Given`, whose meaning is bool, no row of it empty."""
    rng = np.random.default_rng(draw(SEEDS))
    m = draw(st.integers(least, most))
    chosen = rng.random((m, n_features)) < rng.random((m, 1))
    chosen[np.arange(m), rng.integers(n_features, size=m)] = True
    layout = draw(st.sampled_from(("Fortran", *COLUMN_LAYOUTS)))
    return Given(LAYOUTS[layout](MASKS[draw(st.sampled_from(tuple(MASKS)))](chosen)), chosen)


# parameters

WILD = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 12), st.floats(), st.text(max_size=3),
    st.sampled_from((2**31 - 1, 2**31, 2**63, 2**64, 10**30, 10**400, -(10**30), 0.0, -0.0, 1.0, 0.5, 5e-324, 1e308)),
    st.sampled_from((np.int8(3), np.float32(0.5), np.bool_(True), np.nan, np.array(2), np.array([1, 2]), b"x", 1j, {},
                     (), [], [0.5], {"a": 1}, object, len, slice(2))),
)
"""Anything, as the value of a parameter."""
