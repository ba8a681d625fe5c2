"""Objective III: nearest miss minus nearest hit (Eq. `mdist`)."""
from libc.stdint cimport int32_t, uint8_t

import numpy as np

from kernels cimport (RELIEF_LANES, base_level, relief_add, relief_in_unit, relief_invalid_hits, relief_mean,
                      relief_samples_t, relief_size, relief_sum_t)

LANES = RELIEF_LANES
"""Rows of the value matrix are padded to a multiple of this many samples."""


def separability(const float[:, ::1] values, const int32_t[::1] hits_from, const int32_t[::1] hits_to,
                 const int32_t[::1] selected, const int32_t[::1] instances, int32_t level=base_level()):
    """Return the mean of (distance to the nearest miss - distance to the nearest hit) / k over instances.

    Parameters
    ----------
    values : ndarray of float32, shape (n_features, n_padded)
        Feature-major, in [0, 1]; n_padded is n_samples rounded up to a multiple of `LANES`.
    hits_from, hits_to : ndarray of int32, shape (n_samples,)
        Hits of sample i are the samples hits_from[i] .. hits_to[i] - 1, itself among them but not counted; misses are
        all others.
    selected : ndarray of int32, shape (k,), ascending, in [0, n_features)
    instances : ndarray of int32, shape (n_instances,), in [0, n_samples)
    level : int, default=the best one of this machine
        Instruction set (see `tree.LEVEL`); the result does not depend on it.

    Returns
    -------
    separability : float in [-1, 1]; 0 if no instance has both a hit and a miss

    Raises
    ------
    ValueError : if a shape does not agree or an index is out of range.

    Notes
    -----
    O(n_instances n_samples k). Distances are float32 sums over ascending features: same bits for any vector width.
    """
    cdef int32_t n_samples = <int32_t>hits_from.shape[0], k = <int32_t>selected.shape[0], i
    if n_samples < 1 or hits_to.shape[0] != n_samples:
        raise ValueError("hits_from and hits_to must have an entry for each sample, got "
                         f"{n_samples} and {hits_to.shape[0]}")
    i = relief_invalid_hits(&hits_from[0], &hits_to[0], n_samples)
    if i >= 0:
        raise ValueError(f"hits of sample {i} must be a range in [0, {n_samples}) with {i} in it, got "
                         f"[{hits_from[i]}, {hits_to[i]})")
    if values.shape[1] != -(-n_samples // LANES) * LANES:
        raise ValueError(f"values must have {-(-n_samples // LANES) * LANES} columns, got {values.shape[1]}")
    if k < 1 or instances.shape[0] < 1:
        raise ValueError(f"selected and instances must not be empty, got {k} and {instances.shape[0]} entries")
    for i in range(k):
        if not 0 <= selected[i] < values.shape[0]:
            raise ValueError(f"selected must be in [0, {values.shape[0]}), got {selected[i]}")
        if not relief_in_unit(&values[selected[i], 0], n_samples):
            raise ValueError(f"values must be in [0, 1] for every sample, row {selected[i]} is not")
    for i in range(instances.shape[0]):
        if not 0 <= instances[i] < n_samples:
            raise ValueError(f"instances must be in [0, {n_samples}), got {instances[i]}")
    if not 0 <= level <= base_level():
        raise ValueError(f"level must be in [0, {base_level()}], got {level}")
    work_ = np.empty(relief_size(n_samples, k, instances.shape[0]) // 8, dtype=np.uint64).view(np.uint8)
    cdef uint8_t[::1] work = work_
    cdef relief_samples_t samples = relief_samples_t(&values[0, 0], &hits_from[0], &hits_to[0], values.shape[1],
                                                     n_samples)
    cdef relief_sum_t result = relief_sum_t(0, 0)
    with nogil:
        relief_add(&samples, &selected[0], k, &instances[0], <int32_t>instances.shape[0], level, &work[0], &result)
    return relief_mean(&result, k)
