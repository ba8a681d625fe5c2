"""Cells of X that are no numbers, and the columns that hold them."""

import numpy as np
from scipy.sparse import issparse

from moeliga.base.text import count
from moeliga.data.frame import MOST_NAMED


def check_complete(X, model, names):
    """Raise ValueError, which names the model, if X has missing values."""
    if issparse(X):
        cells = X.tocoo()
        columns = np.unique(cells.col[np.isnan(cells.data)])
    else:
        columns = np.flatnonzero(np.isnan(np.minimum.reduce(X, axis=0)))
    if len(columns):
        shown = ", ".join(f"x{f}" if names is None else repr(names[f]) for f in columns[:MOST_NAMED])
        more = ", ..." if len(columns) > MOST_NAMED else ""
        model = " ".join(repr(model).split())
        raise ValueError(f"X must have no missing values for {model}, got NaN in {count(len(columns), 'column')} "
                         f"({shown}{more}): impute them, as make_pipeline(SimpleImputer(), ...) does, or pass an "
                         "estimator that takes them, as None does")
