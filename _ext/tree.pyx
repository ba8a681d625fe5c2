"""The exact decision trees, of classes and of a target: growing them on a coded data set, and following them."""
from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from coded cimport coded
from kernels cimport (HISTOGRAM_CODES, STEPS_ESTIMATE, STEPS_FILL, STEPS_MARK, STEPS_PARTITION, STEPS_SUBTREE,
                      STEPS_TRY, TREE_PAD, base_level, data_t, grow_tree, lay_columns, lay_own, lay_parallel, lay_tree,
                      max_nodes, node_t, parallel_t, poll_stops, poll_t, predict_label, predict_leaf, steps_choose,
                      steps_frontier, steps_move_subtree, steps_move_top, steps_number, steps_place, steps_promising,
                      steps_root, steps_split, steps_task, stopping_t, training_t, tree_t, workspace_t)
from rounds cimport (finish_task, is_stopped, new_round, next_task, poll_of, raise_error, round_t, set_tasks,
                     wait_for_tasks)

# Below this many entries (samples x features) one thread is faster than several: a tree, and a node of one.
cdef int64_t SMALL_TREE = 400_000
cdef int64_t SMALL_NODE = 100_000
# Entries (some tenths of a second) from which one thread, too, splits a node in steps, and polls in between.
cdef int64_t LARGE_NODE = 1 << 26
# Samples that are worth a thread of their own in `apply`.
cdef int64_t SMALL_WALK = 10_000

PAD = TREE_PAD
"""Zeros that the tables of reciprocals have at their end, for vector loops."""

COUNTED = HISTOGRAM_CODES
"""Most codes of a feature whose splits are found by counting."""

LEVEL = base_level()
"""Instruction set: 4 or 3 = x86-64-v4 or -v3, 0 = the one that the build is compiled for."""

NODE = np.dtype([("feature", np.int32), ("left", np.int32), ("code", np.int32), ("missing", np.int32),
                 ("label", np.int32)])
"""A node (twin of `moe_node_t`): feature -1 = leaf; children `left`, `left + 1`; codes <= code and code = missing
go left; label = majority class, 0 in regression."""


cdef _check_nodes(const node_t[::1] nodes, int64_t n_features):
    """Check that a tree can be followed: known features, and children behind their parents."""
    cdef Py_ssize_t i
    if nodes.shape[0] < 1:
        raise ValueError("nodes must have at least one entry, got 0")
    for i in range(nodes.shape[0]):
        if nodes[i].feature < 0:
            continue
        if nodes[i].feature >= n_features:
            raise ValueError(f"nodes must use features below {n_features}, got {nodes[i].feature}")
        if not i < nodes[i].left < nodes.shape[0] - 1:
            raise ValueError(f"nodes[{i}].left must be in ({i}, {nodes.shape[0] - 1}), got {nodes[i].left}")


cdef int32_t _check_growth(int64_t n_features, int64_t n_samples, const int32_t[::1] features,
                           const uint8_t[::1] marks, const stopping_t *stopping) except -1:
    """Check the features, marks and stopping rules that a tree is grown by; return the number of samples marked 0."""
    cdef int32_t n_train = 0
    cdef Py_ssize_t i
    if features.shape[0] < 1:
        raise ValueError("features must not be empty")
    for i in range(features.shape[0]):
        if not 0 <= features[i] < n_features or (i and features[i] <= features[i - 1]):
            raise ValueError(f"features must be ascending and in [0, {n_features}), got {features[i]} at {i}")
    if marks.shape[0] != n_samples:
        raise ValueError(f"marks must have {n_samples} entries, got {marks.shape[0]}")
    for i in range(marks.shape[0]):
        n_train += marks[i] == 0
    if n_train < 1:
        raise ValueError("marks must be 0 for at least one sample")
    if stopping.max_depth < 0 or stopping.min_samples_split < 2 or stopping.min_samples_leaf < 1:
        raise ValueError("max_depth must be >= 0, min_samples_split >= 2, min_samples_leaf >= 1, got "
                         f"{stopping.max_depth}, {stopping.min_samples_split}, {stopping.min_samples_leaf}")
    return n_train


cdef _buffer(int64_t n_bytes):
    """Return memory aligned to 8 bytes: ndarray of uint8."""
    return np.empty(n_bytes // 8, dtype=np.uint64).view(np.uint8)


cdef _nodes(int64_t n_nodes, int64_t n_classes):
    """Return empty arrays for a tree: nodes, thresholds, counts."""
    return np.empty(n_nodes, dtype=NODE), np.empty(n_nodes), np.empty((n_nodes, n_classes), dtype=np.int32)


cdef tree_t _tree(arrays) except *:
    """Point to the arrays of a tree, as `_nodes` makes them; the caller keeps them alive."""
    cdef node_t[::1] nodes = arrays[0]
    cdef double[::1] thresholds = arrays[1]
    cdef int32_t[:, ::1] counts = arrays[2]
    return tree_t(&nodes[0], &thresholds[0], &counts[0, 0], NULL, NULL)


cdef struct threads_t:
    # the threads of one tree, where the workspace of each is laid out, and the poll of the calling one
    uint8_t *rows
    int64_t row_bytes
    int32_t n_threads
    round_t *round
    poll_t *poll


cdef void _task(parallel_t *grower, int step, int32_t task, uint8_t *row, poll_t *poll) noexcept nogil:
    """Run one task of a step, in the workspace that is laid over `row`."""
    cdef workspace_t work
    lay_own(row, grower.training.data, grower.training.n_train, grower.alone, grower.training.k,
            grower.training.stopping.max_depth, &work)
    work.poll = poll
    steps_task(grower, step, task, &work)


cdef void _run_tasks(parallel_t *grower, int step, const threads_t *threads, int32_t thread) noexcept nogil:
    """Run tasks of a step until none is left; thread 0, the caller's, then waits for those of the others."""
    cdef poll_t other = poll_of(threads.round, thread)
    cdef poll_t *poll = threads.poll if thread == 0 else &other
    cdef int64_t task = next_task(threads.round)
    while task >= 0:
        _task(grower, step, <int32_t>task, threads.rows + thread * threads.row_bytes, poll)
        poll_stops(poll, grower.training.n_train)
        finish_task(threads.round)
        task = next_task(threads.round)
    if thread == 0:
        wait_for_tasks(threads.round)


cdef bint _run_step(parallel_t *grower, int step, int32_t n_tasks, const threads_t *threads) noexcept nogil:
    """Run all tasks of a step; return True if the tree was given up."""
    cdef int32_t thread
    set_tasks(threads.round, 0, n_tasks)
    if n_tasks == 1 or threads.n_threads == 1:
        _run_tasks(grower, step, threads, 0)
    else:
        for thread in prange(threads.n_threads, schedule="static", chunksize=1, num_threads=threads.n_threads):
            _run_tasks(grower, step, threads, thread)
    return is_stopped(threads.round)


cdef void _grow_top(parallel_t *grower, const threads_t *threads) noexcept nogil:
    """Fill the columns and split the nodes of more than `alone` samples, each by all threads."""
    cdef int32_t n_groups
    steps_root(grower)
    if _run_step(grower, STEPS_FILL, grower.training.k, threads):
        return
    n_groups = steps_frontier(grower)
    while n_groups:
        if _run_step(grower, STEPS_ESTIMATE, n_groups, threads):
            return
        if _run_step(grower, STEPS_TRY, steps_promising(grower), threads):
            return
        if _run_step(grower, STEPS_MARK, steps_choose(grower), threads):
            return
        if _run_step(grower, STEPS_PARTITION, steps_split(grower), threads):
            return
        n_groups = steps_frontier(grower)
    steps_place(grower)


def grow(dataset, const int32_t[::1] features, const uint8_t[::1] marks, int32_t max_depth, int32_t min_samples_split,
         int32_t min_samples_leaf, int32_t n_threads=1, int32_t alone=0):
    """Grow a CART tree (Gini, binary splits at midpoints) on the samples with marks[s] == 0.

    Parameters
    ----------
    dataset : moeliga.data.dataset.Dataset
    features : ndarray of int32, shape (k,), ascending, in [0, n_features)
    marks : ndarray of uint8, shape (n_samples,); 0 = training part
    max_depth : int >= 0
    min_samples_split : int >= 2
    min_samples_leaf : int >= 1
    n_threads : int >= 1
    alone : int >= 0
        Largest node that one thread grows alone, with all below it; 0 = a part of the samples, by `n_threads`.

    Returns
    -------
    nodes : ndarray of `NODE`, shape (n_nodes,); node 0 is the root
    thresholds : ndarray of float64, shape (n_nodes,); values <= threshold go left, NaN by `missing`
    counts : ndarray of int32, shape (n_nodes, n_classes), training samples by class

    Raises
    ------
    ValueError : if a shape does not agree, a feature is out of range, no sample is marked 0 or `dataset` has a target.
    KeyboardInterrupt, or whatever else a handler of a signal raises : in the main thread, within about a second.

    Notes
    -----
    O(k n_train depth) after an O(k n) fill. Larger nodes are split by all threads, depth by depth, a feature at a time;
    the tree does not depend on `n_threads` nor on `alone`. Each thread has memory for one more column.
    """
    cdef data_t data = coded(dataset)
    cdef stopping_t stopping = stopping_t(max_depth, min_samples_split, min_samples_leaf)
    cdef int64_t k = features.shape[0], n_train, i
    cdef workspace_t work
    cdef parallel_t grower
    cdef threads_t threads
    if data.target != NULL:
        raise ValueError("dataset must have classes, got one with a target")
    n_train = _check_growth(data.n_features, data.n_samples, features, marks, &stopping)
    if n_threads < 1 or alone < 0:
        raise ValueError(f"n_threads must be >= 1 and alone >= 0, got {n_threads} and {alone}")
    if alone == 0:
        if n_train * k < SMALL_TREE:
            n_threads = 1
        alone = <int32_t>max(n_train // (8 * <int64_t>n_threads), SMALL_NODE // k, 1)
        if n_threads == 1:
            alone = <int32_t>min(n_train, max(n_train // 16, LARGE_NODE // k))
    grower.training = training_t(&data, &marks[0], &features[0], &stopping, <int32_t>k, <int32_t>n_train)
    grower.alone = <int32_t>min(max(alone, n_train * (k + 1) >> 30), n_train)
    threads.n_threads = n_threads
    threads.row_bytes = lay_own(NULL, &data, n_train, grower.alone, k, max_depth, &work)
    cdef uint8_t[::1] columns = _buffer(lay_columns(NULL, &data, n_train, k, &work))
    cdef uint8_t[::1] lists = _buffer(lay_parallel(NULL, &data, n_train, k, grower.alone, &grower))
    cdef uint8_t[::1] rows = _buffer(n_threads * threads.row_bytes)
    lay_columns(&columns[0], &data, n_train, k, &grower.columns)
    lay_parallel(&lists[0], &data, n_train, k, grower.alone, &grower)
    lay_own(&rows[0], &data, n_train, grower.alone, k, max_depth, &grower.columns)
    threads.rows = &rows[0]
    slots = _nodes(max_nodes(n_train), data.n_classes)
    grower.tree = _tree(slots)
    raised = []
    cdef round_t round = new_round(None, raised)
    cdef poll_t poll = poll_of(&round, 0)
    threads.round, threads.poll = &round, &poll
    with nogil:
        _grow_top(&grower, &threads)
    raise_error(raised)
    sizes_ = np.empty(grower.n_subtrees, dtype=np.int32)
    cdef int32_t[::1] sizes = sizes_
    for i in range(grower.n_subtrees):
        sizes[i] = grower.subtrees[i].end - grower.subtrees[i].start
    cdef const int32_t[::1] by_size = np.argsort(-sizes_, kind="stable").astype(np.int32)
    grower.by_size = &by_size[0] if grower.n_subtrees else NULL
    with nogil:
        _run_step(&grower, STEPS_SUBTREE, grower.n_subtrees, &threads)
    raise_error(raised)
    cdef int32_t[::1] numbers = np.empty(grower.n_nodes, dtype=np.int32), below = np.empty_like(numbers)
    grown = _nodes(steps_number(&grower, &numbers[0], &below[0]), data.n_classes)
    cdef tree_t tree = _tree(grown)
    cdef int32_t b
    cdef int32_t *lefts = &below[0]
    steps_move_top(&grower, &numbers[0], lefts, &tree)
    for b in prange(grower.n_subtrees, nogil=True, schedule="static", num_threads=n_threads):
        steps_move_subtree(&grower, lefts, b, &tree)
    return grown


def regress(dataset, const int32_t[::1] features, const uint8_t[::1] marks, int32_t max_depth,
            int32_t min_samples_split, int32_t min_samples_leaf):
    """Grow a CART tree (reduction of variance, binary splits at midpoints) on the samples with marks[s] == 0.

    Parameters
    ----------
    dataset : moeliga.data.dataset.Dataset with a target
    features : ndarray of int32, shape (k,), ascending, in [0, n_features)
    marks : ndarray of uint8, shape (n_samples,); 0 = training part
    max_depth : int >= 0
    min_samples_split : int >= 2
    min_samples_leaf : int >= 1

    Returns
    -------
    nodes : ndarray of `NODE`, shape (n_nodes,); node 0 is the root
    thresholds : ndarray of float64, shape (n_nodes,); values <= threshold go left, NaN by `missing`
    means : ndarray of float64, shape (n_nodes,), mean of the target in steps, counted from its centre
    sizes : ndarray of int32, shape (n_nodes,), training samples

    Raises
    ------
    ValueError : if a shape does not agree, a feature is out of range, no sample is marked 0 or `dataset` has classes.
    KeyboardInterrupt, or whatever else a handler of a signal raises : in the main thread, within about a second.

    Notes
    -----
    O(k n_train depth) after an O(k n) fill; one thread. Sums of the target are exact, and so is the comparison of
    splits: the tree does not depend on the order of samples or on the instruction set.
    """
    cdef data_t data = coded(dataset)
    cdef stopping_t stopping = stopping_t(max_depth, min_samples_split, min_samples_leaf)
    cdef workspace_t work
    cdef int32_t k = <int32_t>features.shape[0], n_train, n_nodes
    if data.target == NULL:
        raise ValueError("dataset must have a target, got one with classes")
    n_train = _check_growth(data.n_features, data.n_samples, features, marks, &stopping)
    cdef uint8_t[::1] buffer = _buffer(lay_tree(NULL, &data, n_train, k, max_depth, &work))
    lay_tree(&buffer[0], &data, n_train, k, max_depth, &work)
    cdef int64_t most = max_nodes(n_train)
    grown = np.empty(most, dtype=NODE), np.full(most, np.nan), np.empty(most), np.empty(most, dtype=np.int32)
    cdef node_t[::1] nodes = grown[0]
    cdef double[::1] thresholds = grown[1], means = grown[2]
    cdef int32_t[::1] sizes = grown[3]
    cdef training_t training = training_t(&data, &marks[0], &features[0], &stopping, k, n_train)
    cdef tree_t tree = tree_t(&nodes[0], &thresholds[0], NULL, &means[0], &sizes[0])
    raised = []
    cdef round_t round = new_round(None, raised)
    cdef poll_t poll = poll_of(&round, 0)
    work.poll = &poll
    with nogil:
        n_nodes = grow_tree(&training, &work, &tree)
    raise_error(raised)
    return tuple(array[:n_nodes].copy() for array in grown)


def label(dataset, const node_t[::1] nodes):
    """Return the labels by a tree of all samples of the coded data set: ndarray of int32, shape (n_samples,)."""
    cdef data_t data = coded(dataset)
    cdef int32_t s
    _check_nodes(nodes, dataset.offset.shape[0] - 1)
    out = np.empty(data.n_samples, dtype=np.int32)
    cdef int32_t[::1] labels = out
    with nogil:
        for s in range(data.n_samples):
            labels[s] = predict_label(&data, &nodes[0], s)
    return out


def apply(const node_t[::1] nodes, const double[::1] thresholds, const double[:, ::1] X, int32_t n_threads=1):
    """Return the leaf that each raw sample falls into.

    Parameters
    ----------
    nodes, thresholds : as returned by `grow`
    X : ndarray of float64, shape (n_samples, n_features); NaN = missing
    n_threads : int >= 1

    Returns
    -------
    leaves : ndarray of int32, shape (n_samples,), indices of nodes
    """
    cdef Py_ssize_t i, n_samples = X.shape[0]
    _check_nodes(nodes, X.shape[1])
    if thresholds.shape[0] != nodes.shape[0]:
        raise ValueError(f"thresholds must have {nodes.shape[0]} entries, got {thresholds.shape[0]}")
    if n_threads < 1:
        raise ValueError(f"n_threads must be >= 1, got {n_threads}")
    out = np.empty(n_samples, dtype=np.int32)
    cdef int32_t[::1] leaves = out
    if n_samples == 0:
        return out
    cdef const node_t *root = &nodes[0]
    cdef const double *cuts = &thresholds[0]
    cdef const double *samples = &X[0, 0]
    cdef int32_t *cells = &leaves[0]
    cdef Py_ssize_t n_features = X.shape[1]
    n_threads = <int32_t>max(1, min(n_threads, n_samples // SMALL_WALK))
    for i in prange(n_samples, nogil=True, schedule="static", num_threads=n_threads):
        cells[i] = predict_leaf(root, cuts, samples + i * n_features)
    return out
