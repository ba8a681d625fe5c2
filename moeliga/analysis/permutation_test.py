"""Statistics of searches with shuffled labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def p_value(value: Any, null: NDArray[np.float64]) -> Any:
    """Return (1 + number of null values in a column >= the value) / (1 + their number); NaN without any, or for NaN."""
    if not len(null):
        return np.full(np.shape(value), np.nan)
    found = (1 + np.sum(null >= value, axis=0)) / (1 + len(null))  # a NaN is not >=
    return np.where(np.isnan(value), np.nan, found)


def median(null: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each column without its NaN; NaN if there is nothing else."""
    columns = [column[~np.isnan(column)] for column in null.T]
    return np.array([np.median(column) if len(column) else np.nan for column in columns])
