"""Coding a table: ranks, order and scaled values of every feature, in two parallel passes."""
from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

import numpy as np

from kernels cimport (CODES_MAX, RELIEF_LANES, TABLE_TILE, buffers_next, codes_assign, codes_scale, codes_sort,
                      codes_widths_t, column_t, poll_stops, poll_t, table_gather, table_t)
from rounds cimport finish_task, new_round, next_task, poll_of, raise_error, round_t, set_tasks, wait_for_tasks

MAX = CODES_MAX
"""Most codes of a feature, the one of missing values included; above, neighbours get one code."""

# Below this many values one thread is faster than starting two.
cdef int64_t SMALL_WORK = 20_000
# Most bytes of a tile of several columns: fewer columns read more lines of a cache for each value.
cdef int64_t TILE_BYTES = 1 << 23
# Steps of some nanoseconds that a column takes besides its values.
cdef int64_t STEPS = 100


cdef struct job_t:
    # one call of `encode`, as every task sees it
    table_t table
    int64_t n_features, n_tile, stride, values_stride
    codes_widths_t widths
    bint second
    column_t *found
    uint8_t *order
    uint8_t *codes
    uint8_t *lower
    uint8_t *upper
    const int64_t *offset
    float *values


cdef struct scratch_t:
    # scratch of one thread: the columns of a tile, and the words of one column
    double *columns
    uint64_t *words
    uint64_t *spare


cdef int64_t _lay_out(const job_t *job, uint8_t *buffer, scratch_t *scratch) noexcept nogil:
    """Lay the scratch of one thread over `buffer` (may be NULL) and return its size in bytes."""
    cdef int64_t at = 0
    scratch.columns = <double *>buffers_next(buffer, job.n_tile * job.stride * 8, &at)
    scratch.words = <uint64_t *>buffers_next(buffer, job.table.n_samples * <int64_t>8, &at)
    scratch.spare = <uint64_t *>buffers_next(buffer, job.table.n_samples * <int64_t>8, &at)
    return at


cdef void _task(const job_t *job, int64_t tile, uint8_t *buffer, poll_t *poll) noexcept nogil:
    """Code a tile of features and write their rows, which are of no use if the poll has stopped the pass."""
    cdef int64_t first = tile * job.n_tile, n = job.table.n_samples, f
    cdef int32_t n_columns = <int32_t>min(job.n_tile, job.n_features - first), c
    cdef scratch_t scratch
    cdef double *column
    cdef void *order
    _lay_out(job, buffer, &scratch)
    table_gather(&job.table, first, n_columns, job.stride, scratch.columns, poll)
    for c in range(n_columns):
        if poll_stops(poll, STEPS):
            return
        f = first + c
        column = scratch.columns + c * job.stride
        order = job.order + f * n * job.widths.order
        if job.second:
            codes_assign(column, order, job.table.n_samples, &job.found[f], &job.widths,
                         job.codes + f * n * job.widths.code, job.lower + job.offset[f] * job.widths.value,
                         job.upper + job.offset[f] * job.widths.value, poll)
            codes_scale(column, job.table.n_samples, &job.found[f], job.values + f * job.values_stride, poll)
            memset(job.values + f * job.values_stride + n, 0, (job.values_stride - n) * sizeof(float))
        else:
            codes_sort(column, job.table.n_samples, job.widths.order, scratch.words, scratch.spare, order,
                       &job.found[f], poll)


cdef void _pass(const job_t *job, round_t *round, int32_t thread, uint8_t *buffer) noexcept nogil:
    """Code tiles until none is left; thread 0, the caller's, then waits for those of the others."""
    cdef poll_t poll = poll_of(round, thread)
    cdef int64_t tile = next_task(round)
    while tile >= 0:
        _task(job, tile, buffer, &poll)
        finish_task(round)
        tile = next_task(round)
    if thread == 0:
        wait_for_tasks(round)


def encode(X, const int64_t[::1] rows, int32_t n_threads, check=None):
    """Code every feature of a table.

    Parameters
    ----------
    X : ndarray of float32 or float64, shape (n_samples, n_features), any strides; NaN = missing, no infinity
    rows : ndarray of int64, shape (n_samples,), in [0, n_samples)
        Row of X that each sample is.
    n_threads : int >= 1
    check : callable without arguments or None, default=None
        It is asked some times a second, inside columns too, and may raise; None = Python's handlers of signals.

    Returns
    -------
    codes : ndarray of uint8 or uint16, shape (n_features, n_samples)
        Rank of each value among the codes of its feature; a missing value has the code after the last.
    order : ndarray of uint16 or uint32, shape (n_features, n_samples)
        Samples by ascending value, missing ones last, ties in their own order.
    lower, upper : ndarray of X's dtype, shape (offset[-1],)
        Smallest and largest value of each code; one array if each value has a code of its own.
    offset : ndarray of int64, shape (n_features + 1,)
        Feature f has the codes lower[offset[f]:offset[f + 1]].
    values : ndarray of float32, shape (n_features, n_padded)
        Values scaled to [0, 1] by the range of the feature; constant features are 0, a missing value is the mean of
        the known ones. Padded with 0 to a multiple of `relief.LANES`.
    n_known : ndarray of int32, shape (n_features,), samples whose value is not missing

    Raises
    ------
    TypeError : if X is not an array of float32 or float64.
    ValueError : if a shape does not agree, a row is out of range, or X has an infinite value.
    What `check` raises, or a handler of a signal, such as KeyboardInterrupt.

    Notes
    -----
    O(n_features n_samples): the sort goes digit by digit. Codes of at most 65,536 distinct values are exact; of more,
    neighbours get one code so that the codes hold about equally many samples. Each feature writes its own
    rows: the result does not depend on `n_threads`. Takes memory for the result and a tile of columns for each thread.
    """
    cdef job_t job
    cdef scratch_t scratch
    cdef const float[:, :] singles
    cdef const double[:, :] doubles
    cdef int64_t n_tiles, f, n_codes, most = 0
    cdef int32_t thread
    cdef bint exact = True
    if not isinstance(X, np.ndarray) or X.dtype not in ("f4", "f8"):
        raise TypeError("X must be an array of float32 or float64, got "
                        f"{X.dtype if isinstance(X, np.ndarray) else type(X).__name__}")
    if X.ndim != 2 or not 1 <= X.shape[0] <= 1 << 30 or not 1 <= X.shape[1] < 1 << 31:
        raise ValueError(f"X must have 1 to 2**30 rows and 1 to 2**31 - 1 columns, got shape {X.shape}")
    if rows.shape[0] != X.shape[0]:
        raise ValueError(f"rows must have {X.shape[0]} entries, got {rows.shape[0]}")
    for f in range(rows.shape[0]):
        if not 0 <= rows[f] < rows.shape[0]:
            raise ValueError(f"rows must be in [0, {rows.shape[0]}), got {rows[f]}")
    if n_threads < 1:
        raise ValueError(f"n_threads must be >= 1, got {n_threads}")
    if X.itemsize == 4:
        singles = X
        job.table.cells = <const uint8_t *>&singles[0, 0]
    else:
        doubles = X
        job.table.cells = <const uint8_t *>&doubles[0, 0]
    cdef int64_t n_samples = X.shape[0], n_features = X.shape[1]
    job.table.rows = &rows[0]
    job.table.row_step, job.table.column_step = X.strides
    job.table.n_samples = <int32_t>n_samples
    job.table.width = job.widths.value = X.itemsize
    job.widths.order = 2 if n_samples <= 65_536 else 4
    job.n_features = n_features
    if n_samples * n_features < SMALL_WORK:
        n_threads = 1
    job.stride = (n_samples + 15) // 8 * 8 + 8  # no power of two: columns of a tile lie in different cache sets
    job.n_tile = min(max(TILE_BYTES // (8 * job.stride), 1), TABLE_TILE, max(n_features // (4 * <int64_t>n_threads), 1))
    n_tiles = (n_features + job.n_tile - 1) // job.n_tile
    n_threads = <int32_t>min(n_threads, n_tiles)
    cdef int64_t row_bytes = _lay_out(&job, NULL, &scratch)
    workspace_ = np.empty((n_threads, row_bytes // 8), dtype=np.uint64)
    found_ = np.empty(n_features * sizeof(column_t) // 8, dtype=np.uint64)
    order_ = np.empty((n_features, n_samples), dtype=f"u{job.widths.order}")
    cdef uint64_t[:, ::1] workspace = workspace_
    cdef uint64_t[::1] found_words = found_
    cdef uint8_t[:, ::1] order = order_.view("u1")
    cdef uint8_t *buffer = <uint8_t *>&workspace[0, 0]
    job.found = <column_t *>&found_words[0]
    job.order = &order[0, 0]
    job.second = False
    raised = []
    cdef round_t round = new_round(check, raised)
    set_tasks(&round, 0, n_tiles)
    for thread in prange(n_threads, nogil=True, schedule="static", chunksize=1, num_threads=n_threads):
        _pass(&job, &round, thread, buffer + thread * row_bytes)
    raise_error(raised)
    offset_ = np.zeros(n_features + 1, dtype=np.int64)
    n_known_ = np.empty(n_features, dtype=np.int32)
    cdef int64_t[::1] offset = offset_
    cdef int32_t[::1] n_known = n_known_
    for f in range(n_features):
        if job.found[f].low - job.found[f].low != 0 or job.found[f].high - job.found[f].high != 0:
            raise ValueError(f"X must be finite or NaN, got an infinite value in column {f}")
        n_codes = job.found[f].n_codes
        exact = exact and n_codes == job.found[f].n_distinct
        offset[f + 1] = offset[f] + n_codes
        n_known[f] = job.found[f].n_known
        most = max(most, n_codes + (n_known[f] < n_samples))
    job.widths.code = 1 if most <= 256 else 2
    job.values_stride = (n_samples + RELIEF_LANES - 1) // RELIEF_LANES * RELIEF_LANES
    codes_ = np.empty((n_features, n_samples), dtype=f"u{job.widths.code}")
    lower_ = np.empty(offset[n_features], dtype=X.dtype)
    upper_ = lower_ if exact else np.empty_like(lower_)
    values_ = np.empty((n_features, job.values_stride), dtype=np.float32)
    cdef uint8_t[:, ::1] codes = codes_.view("u1")
    cdef uint8_t[::1] lower = lower_.view("u1"), upper = upper_.view("u1")
    cdef float[:, ::1] values = values_
    job.codes = &codes[0, 0]
    job.lower = &lower[0] if lower.shape[0] else NULL
    job.upper = &upper[0] if upper.shape[0] else NULL
    job.offset = &offset[0]
    job.values = &values[0, 0]
    job.second = True
    set_tasks(&round, 0, n_tiles)
    for thread in prange(n_threads, nogil=True, schedule="static", chunksize=1, num_threads=n_threads):
        _pass(&job, &round, thread, buffer + thread * row_bytes)
    raise_error(raised)
    return codes_, order_, lower_, upper_, offset_, values_, n_known_
