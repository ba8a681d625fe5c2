"""Checks of arguments: each message names the argument, the rule and the value."""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from numbers import Integral, Real
from typing import Literal

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.multiclass import check_classification_targets

from moeliga.base.text import count, suggestion

LARGEST = 2**31 - 1
"""The largest number that the kernels can count to."""

CONVERSION_ERRORS = ("could not convert", "setting an array element", "Expected 2D array", "invalid literal")
"""Beginnings of the messages by which NumPy and scikit-learn refuse a value as numbers, without the argument's name."""

ALIGNED: tuple[Literal["C"], Literal["A"]] = ("C", "A")
"""Requirements of the kernels for arrays; fields of a packed structure, or of a file, may begin at any address."""


def check_number(name, value, kind, low=None, high=None, closed="both"):
    """Return `value` if it is a number of `kind` (Integral or Real) in the range, else raise TypeError or ValueError.

    None = no limit; `closed` ("both", "left", "right" or "neither") tells which of the limits belong to the range.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, kind):
        raise TypeError(f"{name} must be {'an integer' if kind is Integral else 'a number'}, got {value!r}")
    if not issubclass(kind, Integral) and not is_finite(value):
        raise ValueError(f"{name} must be finite, got {value!r}")
    from_low, to_high = closed in ("both", "left"), closed in ("both", "right")
    above = low is None or value > low or (value == low and from_low)
    below = high is None or value < high or (value == high and to_high)
    if not (above and below):
        rule = f"in {'[' if from_low else '('}{low}, {high}{']' if to_high else ')'}"
        if high is None:
            rule = f"{'>=' if from_low else '>'} {low}"
        raise ValueError(f"{name} must be {rule}, got {value!r}")
    return value


def check_count(name, value, low):
    """Return `value` if it is an integer in [`low`, LARGEST]; else as `check_number`."""
    check_number(name, value, Integral, low)
    if value > LARGEST:
        raise ValueError(f"{name} must be <= {LARGEST}, got {value!r}")
    return value


def check_count_or_share(name, value, low):
    """Raise TypeError or ValueError unless `value` is an integer >= `low`, or a float in (0, 1]."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        check_count(name, value, low)
    else:
        check_number(name, value, Real, 0, 1, closed="right")


def check_array(name, array, dtype, *shape):
    """Return `array` in C order if it is one of this dtype and shape, None = any length; else raise ValueError."""
    fits = (isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == len(shape)
            and all(wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)))
    if not fits:
        found = f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else repr(array)
        raise ValueError(f"{name} must be an array of {np.dtype(dtype)} of shape {shape}, got {found}")
    return np.ascontiguousarray(array)


def check_flag(name, value):
    """Raise TypeError unless `value` is a bool of Python or NumPy."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")


def check_path(name, value):
    """Return `value` if it is a path, else raise TypeError: `open` would take an integer for a file descriptor.

    ValueError for one with a null character, which no file can have.
    """
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} must be a path, got {value!r}")
    if "\0" in os.fsdecode(value):
        raise ValueError(f"{name} must hold no null character, got {value!r}")
    return value


def check_instance(name, value, kind):
    """Return `value` if it is of the class `kind`, else raise TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, got {value!r}")
    return value


def check_given(name, value):
    """Return `value` unless it is a scalar, which labels are not; else raise ValueError, as scikit-learn does."""
    if np.ndim(value) == 0:
        raise ValueError(f"{name} must have a value for each sample, got {value!r}")
    return value


def check_predictor(name, value, rule="a classifier or a regressor"):
    """Return `value` if it is a classifier or regressor; else raise TypeError with the rule."""
    try:
        fits = not isinstance(value, type) and hasattr(value, "fit") and (is_classifier(value) or is_regressor(value))
    except AttributeError as error:
        raise TypeError(f"{name} must have scikit-learn's estimator tags: derive its class from ClassifierMixin or "
                        f"RegressorMixin and BaseEstimator, got {value!r}") from error
    if not fits:
        raise TypeError(f"{name} must be {rule}, got {value!r}")
    return value


def check_splits(name, value):
    """Raise TypeError or ValueError unless `value` is a number of folds, a splitter, an iterable or None; `cv` may be
    "oob", too."""
    if name == "cv" and isinstance(value, str) and value == "oob":
        return
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_):
        check_number(name, value, Integral, 2)
    elif value is not None and (
            not (hasattr(value, "split") or hasattr(value, "__iter__"))
            or isinstance(value, type | str | bytes | bytearray)  # their `split` is another method
            or (isinstance(value, np.ndarray) and value.ndim == 0)):
        bagged = "'oob' " if name == "cv" else ""
        raise TypeError(f"{name} must be a number of folds, a splitter, an iterable of (train, test) pairs of rows, "
                        f"{bagged}or None, got {value!r}")


def read_only(array):
    """Return an array that a user's function cannot change; sparse data as they are."""
    if not isinstance(array, np.ndarray):
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def check_returned(name, value):
    """Return the result of a user's function as float; raise TypeError unless it is one number, not text."""
    text = isinstance(value, str | bytes | bytearray)
    other = isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "biufO"
    if not (text or other) and np.ndim(value) == 0:
        with suppress(OverflowError, TypeError, ValueError):
            return float(value)
    raise TypeError(f"{name} must return a number, got {value!r}")


def is_finite(value):
    """Return True if a number is finite as a float; integers too large for a float are not."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_choice(name, value, choices):
    """Return `value` if it is one of `choices`, which are str or None; else raise ValueError."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name} must be one of {tuple(choices)}, got {value!r}{suggestion(value, choices)}")
    return value


def check_sequence(name, value, of):
    """Return `value` as a list; raise TypeError for a str, an iterator and what cannot be iterated over."""
    scalar = isinstance(value, np.ndarray) and value.ndim == 0
    if isinstance(value, str | Iterator) or scalar or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be a sequence of {of}, got {value!r}")
    return list(value)


def check_bool(name, values, n_dimensions, n_features=None):
    """Return `values` as ndarray of bool with one or two dimensions, the last for features."""
    word, kind = ("one", "sequence") if n_dimensions == 1 else ("two", "table")
    with conversion(name, f"a {kind} of True and False"):
        values = np.asarray(values)
    if values.ndim != n_dimensions:
        raise ValueError(f"{name} must be {word}-dimensional, got shape {values.shape}")
    if not values.size:
        raise ValueError(f"{name} must not be empty, got shape {values.shape}")
    if n_features is not None and values.shape[-1] != n_features:
        entries = "entries" if n_dimensions == 1 else "columns"
        raise ValueError(f"{name} must have {n_features} {entries}, the features of X, got {values.shape[-1]}")
    if values.dtype != bool:
        if values.dtype.kind not in "iufO" or not np.all((values == 0) | (values == 1)):
            raise ValueError(f"{name} must hold only True and False (or 1 and 0), got dtype {values.dtype}")
        values = values.astype(bool)
    return values


@contextmanager
def conversion(names="X and y", kind="a table of numbers"):
    """Context in which scikit-learn and NumPy turn arguments into arrays and look for NaN and infinity.

    NumPy's warnings are off: a sum may exceed float64. ValueError for a number beyond float64, and for an argument that
    is not of this `kind`: of X and y the message names X alone, as labels are converted elsewhere.
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except OverflowError as error:
        raise ValueError(f"{names} must hold numbers that fit into float64: {error}") from error
    except ValueError as error:
        if not str(error).startswith(CONVERSION_ERRORS):
            raise
        raise ValueError(f"{names.removesuffix(' and y')} must be {kind}: {error}") from error


@contextmanager
def indexing(name, index, n):
    """Context in which `index` chooses one of `n` entries; an IndexError names the argument, the rule and the value."""
    try:
        yield
    except IndexError as error:
        raise IndexError(f"{name} must be an integer in [{-n}, {n}), got {index!r}") from error


def check_labels(y):
    """Return the distinct class labels, and the index of each sample's label among them: ndarray of int, shape (n,).

    ValueError or TypeError if y holds no class labels, or labels that cannot be sorted.
    """
    with conversion():
        if y.dtype.kind == "S" or (y.dtype == object and y.size and isinstance(y.flat[0], bytes)):
            # scikit-learn refuses them since 1.7
            raise TypeError("y must hold class labels that can be sorted, not bytes: pass y.astype(str), got "
                            f"{y.flat[0]!r}")
        if y.dtype == object and y.size and not isinstance(y.flat[0], str):  # scikit-learn takes only text as objects
            raise ValueError("y must hold class labels: Unknown label type: objects; pass y.astype(str), or "
                             f"y.astype(int) for whole numbers, got objects such as {y.flat[0]!r}")
        whole = y.dtype.kind in "biu"  # integers are class labels: scikit-learn's check only warns if they are many
        try:
            if not whole:
                check_classification_targets(y)
            classes = np.unique(y)
            if whole and 2 * len(classes) > len(y):
                check_classification_targets(y)
            return classes, np.searchsorted(classes, y)  # unique's own inverse takes four times as much memory
        except ValueError as error:
            raise ValueError(f"y must hold class labels: {error}") from error
        except TypeError as error:
            raise TypeError(f"y must hold class labels that can be sorted: {error}") from error


def check_target(y):
    """Return a continuous target as ndarray of float64, shape (n,); raise ValueError unless all numbers are finite."""
    try:
        with np.errstate(over="ignore"):
            y = y.astype(np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"y must hold numbers for a regressor: {error}") from error
    if not np.all(np.isfinite(y)):
        raise ValueError(f"y must be finite, got {y[~np.isfinite(y)][0]}")
    return y


def check_sparse(name, X):
    """Return X; raise ValueError for sparse X whose arrays do not fit together: neither scipy nor kernels check them.

    Numbers and indices of types that only some of scipy's functions take are converted.
    """
    if not issparse(X):
        return X
    try:
        fault = sparse_fault(name, X)
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{name} must be sparse data whose parts are arrays that fit together: {error}") from error
    if fault is not None:
        raise ValueError(fault)
    if X.format in ("bsr", "csc", "csr") and not X.indices.dtype == X.indptr.dtype in (np.int32, np.int64):
        X = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
    dtype = np.dtype(np.float32) if X.dtype == np.float16 else X.dtype.newbyteorder("=")
    return X if X.dtype == dtype else X.astype(dtype)


def sparse_fault(name, X):
    """Return an error message for the first fault of sparse X, or None."""
    if len(X.shape) != 2 or not all(isinstance(n, Integral) and n >= 0 for n in X.shape):
        return f"{name} must have two dimensions, got shape {X.shape}"
    data, n_dimensions, ends, parts = sparse_parts(X)
    if data.ndim != n_dimensions or data.dtype.kind not in "biufc":
        dimensions = count(n_dimensions, "dimension")
        return f"{name}.data must hold numbers in {dimensions}, got {data.dtype} of shape {data.shape}"
    if ends is not None:
        ends, n_ends = ends
        if not (ends.shape == (n_ends,) and ends.dtype.kind in "iu" and ends[0] == 0 and ends[-1] == len(data)
                and np.all(ends[1:] >= ends[:-1])):
            return f"{name}.indptr must be {n_ends} integers that ascend from 0 to {len(data)}, the number of values"
    for part, (places, low, high) in parts.items():
        if places.shape != (len(data),) or places.dtype.kind not in "iu" or (
                len(places) and not low <= places.min() <= places.max() < high):
            return f"{name}.{part} must hold {len(data)} integers in [{low}, {high}), got {places}"
    return None


def sparse_parts(X):
    """Return (data, its dimensions, (indptr, its length) or None, {part: (integers, lowest, end)}) of sparse X."""
    n_rows, n_columns = X.shape
    if X.format == "dia":
        return X.data, 2, None, {"offsets": (X.offsets, -n_rows, n_columns + 1)}
    if X.format == "coo":
        return X.data, 1, None, {"row": (X.row, 0, n_rows), "col": (X.col, 0, n_columns)}
    if X.format == "dok":
        row, col = np.array([*X.keys()] or np.zeros((0, 2), dtype=int)).T
        return np.array([*X.values()]), 1, None, {"row": (row, 0, n_rows), "col": (col, 0, n_columns)}
    if X.format == "lil":
        lengths = [*map(len, X.rows)]
        if [*map(len, X.data)] != lengths:
            raise ValueError("rows and data differ in length")
        rows = np.array([*chain(*X.rows)] or np.zeros(0, dtype=int))
        return np.array([*chain(*X.data)]), 1, (np.cumsum([0, *lengths]), n_rows + 1), {"rows": (rows, 0, n_columns)}
    if X.format == "csc":
        n_rows, n_columns = n_columns, n_rows
    height, width = X.blocksize if X.format == "bsr" else (1, 1)
    return X.data, 3 if X.format == "bsr" else 1, (X.indptr, n_rows // height + 1), {
        "indices": (X.indices, 0, n_columns // width)}
