"""Digests of arrays, by which searches and data sets are told apart."""

import hashlib

import numpy as np
from scipy.sparse import issparse

BLOCK_BYTES = 1 << 22
"""Most bytes of an array that are copied at a time (one row at least)."""


def digest(*arrays):
    """SHA-256 of arrays: their types, shapes and values, whatever their layout in memory."""
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
        step = max(1, BLOCK_BYTES * len(array) // array.nbytes) if array.ndim and array.size else 1
        for block in (array[i : i + step] for i in range(0, len(array), step)) if array.ndim else [array]:
            total.update(np.ascontiguousarray(block).view(np.uint8).data if block.size else b"")
    return total.hexdigest()
