"""Statistics of searches with shuffled labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def p_value(value: Any, null: NDArray[np.float64]) -> Any:
    """Return the p value of each column: (1 + count of null >= value) / (1 + len(null)); NaN without null or value."""
    if not len(null):
        return np.full(np.shape(value), np.nan)
    found = (1 + np.sum(null >= value, axis=0)) / (1 + len(null))  # a NaN is not >=
    return np.where(np.isnan(value), np.nan, found)


def median(null: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each column without NaN: ndarray of float64; NaN for a column without numbers."""
    columns = [column[~np.isnan(column)] for column in null.T]
    return np.array([np.median(column) if len(column) else np.nan for column in columns])
