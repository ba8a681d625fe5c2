"""Random numbers that have an address: the compiled generator, for Python.

An address is ``(purpose, population, generation, individual, test)``; with the 128-bit seed it opens one stream
of Philox4x64-10. The evaluation and variation rooms draw from the same streams inside C.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t

import numpy as np

from kernels cimport (DRAW_SAMPLE, address_t, draw_below, draw_instances, draw_open, draw_split, draw_unit, draw_word,
                      stream_t)

SAMPLE = DRAW_SAMPLE
"""Test number under which the instances of objective III are drawn."""


cdef stream_t _open(const uint64_t[::1] seed, address) except *:
    if seed.shape[0] != 2:
        raise ValueError(f"seed must have 2 words, got {seed.shape[0]}")
    purpose, population, generation, individual, test = address
    cdef address_t where
    where.seed[0] = seed[0]
    where.seed[1] = seed[1]
    where.purpose = purpose
    where.population = population
    where.generation = generation
    return draw_open(where, individual, test)


def words(const uint64_t[::1] seed, address, int n):
    """Return the first `n` 64-bit words of the stream at `address`.

    Parameters
    ----------
    seed : ndarray of uint64, shape (2,)
    address : tuple of 5 ints
        (purpose, population, generation, individual, test); population < 2^64, the others < 2^32.
    n : int >= 0

    Returns
    -------
    words : ndarray of uint64, shape (n,)

    Raises
    ------
    ValueError : if `seed` does not have two words or `n` is negative.
    OverflowError : if a part of the address does not fit.
    """
    if n < 0:
        raise ValueError(f"n must be >= 0, got {n}")
    cdef stream_t stream = _open(seed, address)
    out = np.empty(n, dtype=np.uint64)
    cdef uint64_t[::1] view = out
    cdef int i
    for i in range(n):
        view[i] = draw_word(&stream)
    return out


def units(const uint64_t[::1] seed, address, int n):
    """Return the first `n` uniform numbers in [0, 1) of the stream at `address`, float64; see `words`."""
    if n < 0:
        raise ValueError(f"n must be >= 0, got {n}")
    cdef stream_t stream = _open(seed, address)
    out = np.empty(n, dtype=np.float64)
    cdef double[::1] view = out
    cdef int i
    for i in range(n):
        view[i] = draw_unit(&stream)
    return out


def integers(const uint64_t[::1] seed, address, uint64_t below, int n):
    """Return the first `n` uniform integers in [0, below) of the stream at `address`, uint64; see `words`."""
    if n < 0:
        raise ValueError(f"n must be >= 0, got {n}")
    if below < 1:
        raise ValueError(f"below must be >= 1, got {below}")
    cdef stream_t stream = _open(seed, address)
    out = np.empty(n, dtype=np.uint64)
    cdef uint64_t[::1] view = out
    cdef int i
    for i in range(n):
        view[i] = draw_below(&stream, below)
    return out


def split(const uint64_t[::1] seed, address, const int32_t[::1] class_start, const int32_t[::1] n_validation):
    """Draw a stratified split of samples that stand class by class.

    Parameters
    ----------
    seed, address : see `words`
    class_start : ndarray of int32, shape (n_classes + 1,)
        Class c is the samples class_start[c] .. class_start[c + 1] - 1; class_start[0] = 0.
    n_validation : ndarray of int32, shape (n_classes,)
        Validation samples of each class, 0 <= n_validation[c] <= n_c.

    Returns
    -------
    marks : ndarray of uint8, shape (n_samples,)
        1 = validation part, 0 = training part.

    Raises
    ------
    ValueError : if the shapes do not agree or a class is asked for more samples than it has.
    """
    cdef int n_classes = n_validation.shape[0], c
    if class_start.shape[0] != n_classes + 1:
        raise ValueError(f"class_start must have {n_classes + 1} entries, got {class_start.shape[0]}")
    if class_start[0] != 0:
        raise ValueError(f"class_start must begin with 0, got {class_start[0]}")
    for c in range(n_classes):
        if not 0 <= n_validation[c] <= class_start[c + 1] - class_start[c]:
            raise ValueError(f"n_validation[{c}] must be in [0, {class_start[c + 1] - class_start[c]}], "
                             f"got {n_validation[c]}")
    cdef stream_t stream = _open(seed, address)
    marks = np.zeros(class_start[n_classes], dtype=np.uint8)
    cdef uint8_t[::1] view = marks
    if view.shape[0]:
        draw_split(&stream, &class_start[0], &n_validation[0], n_classes, &view[0])
    return marks


def instances(const uint64_t[::1] seed, address, int32_t n_samples, int32_t n_instances, bint replace):
    """Draw instances of objective III: with replacement in the order drawn, without in ascending order.

    Returns
    -------
    instances : ndarray of int32, shape (n_instances,)

    Raises
    ------
    ValueError : if n_instances < 1, or exceeds n_samples without replacement.
    """
    if n_samples < 1:
        raise ValueError(f"n_samples must be >= 1, got {n_samples}")
    if n_instances < 1 or (n_instances > n_samples and not replace):
        raise ValueError(f"n_instances must be in [1, {n_samples}] without replacement, got {n_instances}")
    cdef stream_t stream = _open(seed, address)
    out = np.empty(n_instances, dtype=np.int32)
    marks = np.empty(n_samples, dtype=np.uint8)
    cdef int32_t[::1] view = out
    cdef uint8_t[::1] work = marks
    draw_instances(&stream, n_samples, n_instances, 0, n_instances, replace, &work[0], &view[0])
    return out
