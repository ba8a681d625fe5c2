"""Reading X and y as users pass them: tables of pandas and polars, nullable types, missing labels."""

import math
from collections import Counter

import numpy as np
from sklearn.utils.validation import _get_feature_names

from moeliga.base.checks import conversion
from moeliga.base.text import count, first_of
from moeliga.data.feature_space import subset_index

MOST_VALUES = 20
"""Most values of a column of text that is encoded on request."""

MOST_NAMED = 10
"""Columns that one message names."""

MANY = 100
"""With more columns to be replaced than this, a copy of the whole table is faster than to set them one by one."""


def read_pair(X, y, exclude=None, encoding=None):
    """Return (`read_table` of X, `read_labels` of y); raise ValueError if the two seem to be exchanged.

    With an `Encoding` of a fit X is encoded first, and the `exclude` of the encoding is used.
    """
    first, second = (getattr(part, "shape", ()) for part in (X, y))
    if len(first) == 1 and len(second) == 2 and second[1] > 1:
        raise ValueError(f"X must be a table and y its labels, got X of shape {first} and y of shape {second}: X comes "
                         "first")
    if encoding is not None:
        X, exclude = encoding.table(X), encoding.exclude
    return read_table(X, exclude), y if y is None else read_labels(y)


def is_table(X):
    """Return True for a DataFrame of pandas or polars."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "shape")


def column_of(X, place):
    """Return a column of a table."""
    return X.iloc[:, place] if hasattr(X, "iloc") else X.to_series(place)


def unread_columns(exclude, n_columns, names):
    """Return the mask of the columns that are not read, given as `exclude`: ndarray of bool, shape (n_columns,).

    Columns are called x0, x1, ... if `names` is None, or if not all of them are text.
    """
    unread = np.zeros(n_columns, dtype=bool)
    if exclude is None or not np.size(exclude) or (np.asarray(exclude).dtype == bool and not np.any(exclude)):
        return unread  # before names are made, which may need more memory than there is
    if names is None or not all(isinstance(name, str) for name in names):
        names = [f"x{place}" for place in range(n_columns)]
    unread[subset_index("constraints.exclude", exclude, n_columns, names)] = True
    return unread


def read_table(X, exclude=None):
    """Return X; in a DataFrame, columns of objects or categories that hold numbers become numbers, NaN where missing.

    `exclude` gives columns that are not read, as mask, names or indices, or None: those without a numeric type are 0 in
    the result. ValueError names the columns that hold no numbers, or the names that several columns have.
    """
    if not is_table(X):
        return X
    names, dtypes = list(X.columns), list(X.dtypes)
    check_distinct(names)
    odd = [place for place, dtype in enumerate(dtypes) if not is_number(dtype)]
    if not odd:
        return X
    unread, found, unusable = unread_columns(exclude, len(names), names), {}, []
    for place in odd:
        column = column_of(X, place)
        if unread[place]:
            found[place] = np.zeros(len(column))
            continue
        if getattr(dtypes[place], "kind", "O") in "iufb":  # nullable
            found[place] = column.to_numpy(dtype=np.float64, na_value=math.nan)
            continue
        values = [math.nan if is_missing(value) else value for value in column]
        try:
            found[place] = np.array(values, dtype=np.float64).reshape(len(values))  # fails for cells that are sequences
        except (TypeError, ValueError):
            unusable.append(f"{names[place]!r} ({dtypes[place]}, {first_unusable(values)})")
    if unusable:
        more = f" and {len(unusable) - MOST_NAMED} more" if len(unusable) > MOST_NAMED else ""
        raise ValueError(f"X must hold numbers, but {count(len(unusable), 'column')} "
                         f"{'does' if len(unusable) == 1 else 'do'} not: {', '.join(unusable[:MOST_NAMED])}{more}; "
                         "drop them from X or, in a search, leave them out with Constraints(exclude=[...]), or encode "
                         f"categories and text of at most {MOST_VALUES} values with Constraints(encode='onehot')")
    return with_columns(X, found)


def with_columns(X, found):
    """Return a DataFrame in which `found`, a dict from place to values, replaces columns; X itself is not changed."""
    if hasattr(X, "iloc") and len(found) > MANY:
        names = X.columns
        X = type(X)({place: found.get(place, X.iloc[:, place]) for place in range(len(names))}, index=X.index)
        X.columns = names
        return X
    if hasattr(X, "iloc"):
        X = X.copy(deep=False)
        for place, values in found.items():
            X.isetitem(place, values)
        return X
    X = X.clone()
    for place, values in found.items():
        column = X.to_series(place)
        X.replace_column(place, type(column)(column.name, values))
    return X


def is_number(dtype):
    """Return True for a dtype of numbers or booleans, dense or sparse, that NumPy turns into floats by itself."""
    if hasattr(dtype, "kind"):
        return dtype.kind in "iufb" and (isinstance(dtype, np.dtype) or hasattr(dtype, "subtype"))
    return dtype.is_numeric() or str(dtype) == "Boolean"


def is_missing(value):
    """Return True for None, NaN, NaT and pandas.NA."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas.NA is neither; an array is a value
        return type(value).__name__ == "NAType"


def missing_in(values, given):
    """Return the mask of labels that are None, NaN, NaT or pandas.NA; `values` is the array made of those `given`."""
    # from a list that holds text, NumPy makes text of all entries, missing ones included
    if values.dtype.kind in "OT" or (values.dtype.kind == "U" and not hasattr(given, "dtype")):
        return np.array([is_missing(value) for value in given], dtype=bool)
    return values != values if values.dtype.kind in "fcmM" else np.zeros(values.shape, dtype=bool)


def first_unusable(values):
    """Return text on the first value that is no number, and its row; for columns of text also the number of values."""
    texts = {value for value in values if isinstance(value, str)}
    many = f"text of {len(texts):,} values, " if len(texts) > 1 else ""
    for row, value in enumerate(values):
        try:
            float(value)
        except (TypeError, ValueError):
            return f"{many}{' '.join(repr(value).split())} in row {row}"  # a repr may have several lines
    return "numbers and others"


def check_distinct(names):
    """Raise ValueError that lists the names that several columns have."""
    several = [f"{name!r} ({n} times)" for name, n in Counter(names).items() if n > 1]
    if several:
        raise ValueError(f"X must have distinct column names, got {first_of(several)}")


def check_columns(name, X, names):
    """Raise ValueError unless X, the data of parameter `name`, has the columns called `names`, in their order.

    Nothing is checked for X without names, or if `names` is None.
    """
    found = None if names is None else _get_feature_names(X)
    if found is None or list(found) == list(names):
        return
    odd = [repr(str(column)) for column in found if column not in set(names)]
    lacking = [repr(str(column)) for column in names if column not in set(found)]
    got = "them in another order" if not odd + lacking else "; ".join(
        f"{what} {first_of(columns)}" for what, columns in (("the unknown", odd), ("none called", lacking)) if columns)
    raise ValueError(f"{name} must have the columns that were fitted, in their order, got {got}")


def read_labels(y):
    """Return y; pandas' nullable types and NumPy's text of any length become plain arrays, which scikit-learn takes.

    ValueError with the place of a missing label. A single column stays one, of which scikit-learn warns.
    """
    with conversion("y", "a sequence of labels or numbers"):
        dtype, values = getattr(y, "dtype", None), np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        return np.asarray(read_labels(column_of(y, 0) if is_table(y) else values[:, 0]))[:, None]
    if values.ndim != 1:
        return y
    missing = missing_in(values, y)
    if missing.any():
        first, others = int(np.argmax(missing)), int(np.sum(missing)) - 1
        raise ValueError(f"y must have no missing values, got {values[first]} at position {first}"
                         + (f" and {count(others, 'other')}" if others else ""))
    nullable = getattr(dtype, "kind", None) in ("i", "u", "f", "b") and not isinstance(dtype, np.dtype)
    return np.array(values.tolist()) if nullable or values.dtype.kind == "T" else y
