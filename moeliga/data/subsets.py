"""Subsets as rows of bits: what tells them apart."""

import numpy as np


def row_keys(bits):
    """Return a key of each row, equal where the rows are: list of bytes.

    Parameters
    ----------
    bits : ndarray of uint64, shape (n, n_words)
    """
    return [row.tobytes() for row in bits]


def rows_of(keys):
    """Return the rows that have some keys: ndarray of uint64, shape (n, n_words)."""
    return np.frombuffer(b"".join(keys), dtype=np.uint64).reshape(len(keys), -1)
