"""Digests of arrays, which identify searches and data sets."""

import hashlib

import numpy as np
from scipy.sparse import issparse

BLOCK_BYTES = 1 << 22
"""Most bytes of an array that are copied at a time (one row at least)."""


def digest(*arrays):
    """Return the SHA-256 of arrays: of their types, shapes and values, whatever their layout in memory."""
    total = hashlib.sha256()
    for array in arrays:
        if issparse(array):
            array = array.tocsc()
            total.update(b"sparse")
            total.update(digest(array.data, array.indices, array.indptr).encode())
            array = np.array(array.shape)
        array = np.asarray(array)
        if array.dtype.kind in "OUST":
            array = np.array([repr(value) for value in array.ravel().tolist()], dtype="U")
        total.update(f"{array.dtype.str}{array.shape}".encode())
        array = np.atleast_1d(array)
        step = max(1, BLOCK_BYTES * len(array) // max(1, array.nbytes))
        for start in range(0, len(array), step):
            total.update(array[start : start + step].tobytes())
    return total.hexdigest()
