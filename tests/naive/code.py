"""Coding the slow way: one feature at a time, NumPy's stable sort, exact sums by `math.fsum`."""

import math

import numpy as np

MAX = 65_536


def encode(X, rows):
    """Code every feature of a table.

    Parameters
    ----------
    X : ndarray of float32 or float64, shape (n_samples, n_features); NaN = missing
    rows : ndarray of int, shape (n_samples,); row of X that each sample is

    Returns
    -------
    codes, order, lower, upper, offset, values, n_known : as `moeliga._ext.code.encode`; `upper is lower` if no values
        share a code
    """
    n_samples, n_features = X.shape
    codes = np.zeros((n_features, n_samples), dtype=np.int64)
    order = np.zeros((n_features, n_samples), dtype=np.uint16 if n_samples <= MAX else np.uint32)
    values = np.zeros((n_features, -(-n_samples // 16) * 16), dtype=np.float32)
    lower, upper, n_known = [], [], []
    for f in range(n_features):
        column = X[rows, f].astype(np.float64) + 0.0  # -0.0 becomes 0.0
        order[f] = by_value = np.argsort(column, kind="stable")
        known = n_samples - np.count_nonzero(np.isnan(column))
        found = code_sorted(column[by_value[:known]], MAX - (known < n_samples))
        codes[f, by_value] = np.append(found[0], np.full(n_samples - known, len(found[1])))
        lower.append(found[1])
        upper.append(found[2])
        n_known.append(known)
        values[f, :n_samples] = scale(column, column[by_value[:known]])
    same = all(a is b for a, b in zip(lower, upper, strict=True))
    offset = np.cumsum([0, *map(len, lower)])
    lower = np.concatenate(lower).astype(X.dtype)
    upper = lower if same else np.concatenate(upper).astype(X.dtype)
    codes = codes.astype(np.uint8 if codes.max() < 256 else np.uint16)
    return codes, order, lower, upper, offset, values, np.array(n_known, dtype=np.int32)


def code_sorted(ascending, max_codes):
    """Codes of one feature's known values, sorted: (codes, lower, upper); `upper is lower` if coding is exact."""
    if not len(ascending):
        none = np.zeros(0)
        return np.zeros(0, dtype=np.int64), none, none
    starts = np.concatenate(([True], ascending[1:] != ascending[:-1]))
    codes = np.cumsum(starts) - 1
    if codes[-1] < max_codes:
        lower = ascending[starts]
        return codes, lower, lower
    first = np.flatnonzero(starts)  # position of the first sample of each distinct value
    groups = first * max_codes // len(ascending)
    opens = np.concatenate(([True], groups[1:] != groups[:-1]))
    codes = (np.cumsum(opens) - 1)[codes]
    ends = np.concatenate((codes[1:] != codes[:-1], [True]))
    return codes, ascending[first[opens]], ascending[ends]


def scale(column, ascending):
    """Min-max to [0, 1]; a constant feature becomes 0, a missing value the mean of the known ones."""
    known = ~np.isnan(column)
    scaled = np.zeros(len(column))
    if not len(ascending) or ascending[0] == ascending[-1]:
        return scaled
    low, high = ascending[0], ascending[-1]
    with np.errstate(over="ignore"):
        half = 1.0 if np.isfinite(high - low) else 0.5  # the range overflows: halve first
    scaled[known] = (column[known] * half - low * half) / (high * half - low * half)
    scaled[~known] = math.fsum(scaled[known]) / len(ascending)
    return scaled
