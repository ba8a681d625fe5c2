"""Chromosomes packed into 64-bit words: packing, counting, comparing, lifting.

Bit f of a chromosome is bit f % 64 of word f // 64; padding bits are 0.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

import numpy as np

from kernels cimport (bits_count, bits_find_or_insert, bits_get, bits_hamming, bits_list, bits_padded, bits_set,
                      bits_slots, bits_table_t)


def _check_words(int64_t n_words, int64_t n_features):
    if n_features < 1:
        raise ValueError(f"n_features must be >= 1, got {n_features}")
    if n_words != (n_features + 63) // 64:
        raise ValueError(f"bits must have {(n_features + 63) // 64} words a row for {n_features} features, "
                         f"got {n_words}")


def pack(const uint8_t[:, ::1] masks):
    """Pack masks into words.

    Parameters
    ----------
    masks : ndarray of uint8 (or bool viewed as uint8), shape (n, n_features); nonzero = selected

    Returns
    -------
    bits : ndarray of uint64, shape (n, ceil(n_features / 64))

    Raises
    ------
    ValueError : if there is no feature.
    """
    cdef Py_ssize_t n = masks.shape[0], n_features = masks.shape[1], i, f
    _check_words((n_features + 63) // 64, n_features)
    out = np.zeros((n, (n_features + 63) // 64), dtype=np.uint64)
    cdef uint64_t[:, ::1] bits = out
    for i in range(n):
        for f in range(n_features):
            if masks[i, f]:
                bits_set(&bits[i, 0], f)
    return out


def unpack(const uint64_t[:, ::1] bits, int64_t n_features):
    """Return the masks of packed chromosomes: ndarray of bool, shape (n, n_features). Inverse of `pack`."""
    _check_words(bits.shape[1], n_features)
    cdef Py_ssize_t n = bits.shape[0], i, f
    out = np.zeros((n, n_features), dtype=np.uint8)
    cdef uint8_t[:, ::1] masks = out
    for i in range(n):
        for f in range(n_features):
            masks[i, f] = bits_get(&bits[i, 0], f)
    return out.view(np.bool_)


def count(const uint64_t[:, ::1] bits):
    """Return the number of selected features of each chromosome: ndarray of int32, shape (n,)."""
    cdef Py_ssize_t n = bits.shape[0], i
    out = np.zeros(n, dtype=np.int32)
    cdef int32_t[::1] counts = out
    if bits.shape[1]:
        for i in range(n):
            counts[i] = bits_count(&bits[i, 0], bits.shape[1])
    return out


def hamming(const uint64_t[:, ::1] bits):
    """Return the Hamming distances between all chromosomes: ndarray of int32, shape (n, n). O(n^2 F / 64)."""
    cdef Py_ssize_t n = bits.shape[0], i, j
    out = np.zeros((n, n), dtype=np.int32)
    cdef int32_t[:, ::1] distances = out
    if bits.shape[1]:
        for i in range(n):
            for j in range(i):
                distances[i, j] = distances[j, i] = bits_hamming(&bits[i, 0], &bits[j, 0], bits.shape[1])
    return out


def same_as(const uint64_t[:, ::1] bits, bint last=False):
    """Return for each row the index of the first row that equals it; with `last`, of the last such row.

    Parameters
    ----------
    bits : ndarray of uint64, shape (n, n_words), n < 2^31
    last : bool, default=False

    Returns
    -------
    place : ndarray of int32, shape (n,), in [0, n); its own place where no row before it, or after it, is equal

    Notes
    -----
    O(n n_words) expected; one thread.
    """
    cdef int32_t n = <int32_t>bits.shape[0], p
    cdef int64_t n_words = bits.shape[1], n_slots = bits_slots(n)
    out = np.zeros(n, dtype=np.int32)
    if n_words == 0:  # all rows are equal
        return out + max(0, n - 1) if last else out
    hashes_ = np.empty(n, dtype=np.uint64)
    cdef int32_t[::1] place = out, slots = np.full(n_slots, -1, dtype=np.int32)
    cdef uint64_t[::1] hashes = hashes_
    cdef bits_table_t table
    if n:
        table = bits_table_t(&hashes[0], &slots[0], n_slots)
        with nogil:
            for p in range(n):
                if last:
                    place[n - 1 - p] = bits_find_or_insert(&table, n - 1 - p, n_words, &bits[0, 0])
                else:
                    place[p] = bits_find_or_insert(&table, p, n_words, &bits[0, 0])
    return out


def lift(const uint64_t[:, ::1] bits, const int32_t[::1] features, int64_t n_features):
    """Lift short chromosomes over a template's features to chromosomes over all features.

    Parameters
    ----------
    bits : ndarray of uint64, shape (n, ceil(k / 64))
    features : ndarray of int32, shape (k,)
        Feature that each short position stands for, in [0, n_features).
    n_features : int
        F, length of the lifted chromosomes.

    Returns
    -------
    lifted : ndarray of uint64, shape (n, ceil(F / 64))

    Raises
    ------
    ValueError : if the shapes do not agree, a feature is out of range or a bit is set in the padding.
    """
    cdef Py_ssize_t n = bits.shape[0], k = features.shape[0], i, j
    cdef int32_t n_selected
    _check_words(bits.shape[1], k)
    _check_words((n_features + 63) // 64, n_features)
    for j in range(k):
        if not 0 <= features[j] < n_features:
            raise ValueError(f"features must be in [0, {n_features}), got {features[j]}")
    cdef int64_t row = bits_padded(&bits[0, 0], n, k) if n else -1
    if row >= 0:
        raise ValueError(f"bits must have no bit at or beyond {k}, got one in row {row}")
    out = np.zeros((n, (n_features + 63) // 64), dtype=np.uint64)
    selected_ = np.empty(k, dtype=np.int32)
    cdef uint64_t[:, ::1] lifted = out
    cdef int32_t[::1] selected = selected_
    for i in range(n):
        n_selected = bits_list(&bits[i, 0], bits.shape[1], &features[0], &selected[0])
        for j in range(n_selected):
            bits_set(&lifted[i, 0], selected[j])
    return out


def expand(const uint64_t[:, ::1] bits, const int32_t[::1] positions, const int32_t[::1] start,
           const int32_t[::1] members, const uint64_t[::1] forced, int64_t n_features):
    """Expand chromosomes over groups of features to chromosomes over all features.

    Parameters
    ----------
    bits : ndarray of uint64, shape (n, ceil(k / 64))
    positions : ndarray of int32, shape (k,)
        Group that each position stands for.
    start : ndarray of int32, shape (n_groups + 1,), ascending from 0
        Group g holds the features members[start[g]:start[g + 1]].
    members : ndarray of int32, shape (start[-1],), in [0, n_features)
    forced : ndarray of uint64, shape (ceil(F / 64),)
        Features that every chromosome gets besides.
    n_features : int, F

    Returns
    -------
    expanded : ndarray of uint64, shape (n, ceil(F / 64))

    Raises
    ------
    ValueError : if the shapes do not agree, a group or feature is out of range or a bit is set in the padding.
    """
    cdef Py_ssize_t n = bits.shape[0], k = positions.shape[0], n_groups = start.shape[0] - 1, i, j, m
    cdef int32_t n_selected
    _check_words(bits.shape[1], k)
    _check_words(forced.shape[0], n_features)
    if n_groups < 1 or start[0] != 0 or start[n_groups] != members.shape[0]:
        raise ValueError(f"start must run from 0 to {members.shape[0]}, the number of members")
    for j in range(n_groups):
        if start[j + 1] < start[j]:
            raise ValueError(f"start must ascend, got {start[j + 1]} after {start[j]}")
    for j in range(members.shape[0]):
        if not 0 <= members[j] < n_features:
            raise ValueError(f"members must be in [0, {n_features}), got {members[j]}")
    for j in range(k):
        if not 0 <= positions[j] < n_groups:
            raise ValueError(f"positions must be in [0, {n_groups}), got {positions[j]}")
    cdef int64_t row = bits_padded(&bits[0, 0], n, k) if n else -1
    if row >= 0:
        raise ValueError(f"bits must have no bit at or beyond {k}, got one in row {row}")
    if bits_padded(&forced[0], 1, n_features) >= 0:
        raise ValueError(f"forced must have no bit at or beyond {n_features}")
    out = np.empty((n, forced.shape[0]), dtype=np.uint64)
    out[:] = forced
    selected_ = np.empty(k, dtype=np.int32)
    cdef uint64_t[:, ::1] expanded = out
    cdef int32_t[::1] selected = selected_
    for i in range(n):
        n_selected = bits_list(&bits[i, 0], bits.shape[1], &positions[0], &selected[0])
        for j in range(n_selected):
            for m in range(start[selected[j]], start[selected[j] + 1]):
                bits_set(&expanded[i, 0], members[m])
    return out


def total(const uint64_t[:, ::1] bits, const int32_t[::1] features, const double[::1] values):
    """Return the sum of a value of the selected features, added in ascending order: ndarray of float64, shape (n,).

    Parameters
    ----------
    bits : ndarray of uint64, shape (n, ceil(k / 64))
    features : ndarray of int32, shape (k,)
        Feature that each position stands for.
    values : ndarray of float64, shape (F,)
    """
    cdef Py_ssize_t n = bits.shape[0], k = features.shape[0], i, j
    cdef double sum_
    cdef int32_t n_selected
    _check_words(bits.shape[1], k)
    for j in range(k):
        if not 0 <= features[j] < values.shape[0]:
            raise ValueError(f"features must be in [0, {values.shape[0]}), got {features[j]}")
    cdef int64_t row = bits_padded(&bits[0, 0], n, k) if n else -1
    if row >= 0:
        raise ValueError(f"bits must have no bit at or beyond {k}, got one in row {row}")
    out = np.empty(n, dtype=np.float64)
    selected_ = np.empty(k, dtype=np.int32)
    cdef double[::1] totals = out
    cdef int32_t[::1] selected = selected_
    for i in range(n):
        n_selected = bits_list(&bits[i, 0], bits.shape[1], &features[0], &selected[0])
        sum_ = 0.0
        for j in range(n_selected):
            sum_ += values[selected[j]]
        totals[i] = sum_
    return out
