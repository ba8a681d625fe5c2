"""Cells of X that are missing or infinite, and errors that name their columns."""

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import assert_all_finite, gen_batches

from moeliga.base.checks import conversion
from moeliga.base.text import count, first_of

BLOCK_BYTES = 1 << 20
"""Most bytes of a mask of cells, which is made for some columns at a time."""


def without_unread(X, unread):
    """Return X with 0 for missing and infinite cells of the columns that are not read; X itself is not changed.

    X is an array of any dtype, or sparse, CSC or CSR; `unread` is the mask of these columns, which in X of objects
    become 0 altogether.
    """
    if not unread.any() or X.dtype.kind not in "fO":  # other dtypes have no such cells
        return X
    if issparse(X):
        odd = unread[X.tocoo().col] & ~np.isfinite(X.data)
        if odd.any():
            X = X.copy()
            X.data[odd] = 0
        return X
    if X.dtype.kind == "O":
        return np.where(unread, 0, X)
    odd = columns_with(lambda cells: ~np.isfinite(cells), X)
    odd = odd[unread[odd]]
    if len(odd):
        X = X.copy()
        X[:, odd] = np.where(np.isfinite(X[:, odd]), X[:, odd], 0)
    return X


def check_finite(X, names):
    """Raise ValueError, naming the columns, if X holds infinity."""
    try:
        with conversion():
            assert_all_finite(X, allow_nan=True)
    except ValueError:
        found = describe_columns(columns_with(np.isinf, X), names)
        raise ValueError(f"X must hold no infinity, got it in {found}") from None


class Incomplete(ValueError):
    """Raised for columns with missing values, and a model that does not take them."""

    def __init__(self, columns, model, names):
        self.columns, self.model = columns, " ".join(repr(model).split())
        super().__init__(f"X must have no missing values for {self.model}, got NaN in "
                         f"{describe_columns(columns, names)}: impute them, as make_pipeline(SimpleImputer(), ...) "
                         "does, or pass a model that takes NaN, as the default ones do")


def check_complete(X, model, names):
    """Raise Incomplete if X has missing values."""
    columns = columns_with(np.isnan, X)
    if len(columns):
        raise Incomplete(columns, model, names)


def columns_with(is_odd, X):
    """Return the columns of X with a value for which ``is_odd`` is True: ndarray of int."""
    if issparse(X):
        return np.unique(X.tocoo().col[is_odd(X.data)])
    n = max(1, BLOCK_BYTES // X.shape[0])
    return np.flatnonzero(np.concatenate([is_odd(X[:, block]).any(axis=0) for block in gen_batches(X.shape[1], n)]))


def describe_columns(columns, names):
    """Return text with the number of columns and the names of the first ones; `names` None = x0, x1, ..."""
    shown = first_of(f"x{f}" if names is None else repr(str(names[f])) for f in columns)
    return f"{count(len(columns), 'column')} ({shown})"
