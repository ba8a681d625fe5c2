"""Forests: trees on drawn samples that look at drawn features of a node, one thread a tree, and their mean."""
from cython.parallel cimport prange
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from coded cimport coded
from kernels cimport (WALK_WORD, data_t, forest_clear, forest_grow, forest_importances, forest_max_samples,
                      forest_node_t, forest_plan_t, forest_tree_t, forest_values, forest_walk, forest_work_t,
                      lay_forest, poll_t, share_t, walk_t)
from rounds cimport finish_task, new_round, next_task, poll_of, raise_error, round_t, set_tasks, wait_for_tasks

NODE = np.dtype([("threshold", np.float64), ("feature", np.int32), ("left", np.int32), ("other", np.int32),
                 ("size", np.int32)])
"""A node (twin of `moe_forest_node_t`): feature -1 = leaf. Values <= threshold go left, to `left`, the others to
`left + 1`; missing ones left if `other` is 1. A leaf of classes has the shares left:left + other of its tree; that of a
target has its mean as threshold. `size` counts its samples as often as they were drawn."""

SHARE = np.dtype([("share", np.float64), ("label", np.int32), ("count", np.int32)])
"""The share of a class in a leaf (twin of `moe_forest_share_t`), and its samples as often as they were drawn."""

# bytes of a sample that a tree reads at most, and of samples for each byte of a tree, before the next one
cdef int64_t WALK_BYTES = 1024, WALK_TURNS = 16

# nodes that are checked in the time of a tree's walk by one sample that checks its own
cdef int64_t WALK_STEPS = 4


cdef struct thread_t:
    # the trees of a call, and where the workspace of each thread is laid out
    const forest_plan_t *plan
    forest_tree_t *trees
    uint8_t *works
    int64_t n_bytes
    uint32_t first


cdef void _grow_trees(const thread_t *threads, round_t *round, int32_t thread) noexcept nogil:
    """Grow trees until none is left; thread 0, the caller's, then waits for those of the others."""
    cdef forest_work_t work
    cdef poll_t poll = poll_of(round, thread)
    cdef int64_t tree = next_task(round)
    lay_forest(threads.works + thread * threads.n_bytes, threads.plan, &work)
    while tree >= 0:
        forest_clear(threads.plan, &work)
        forest_grow(threads.plan, threads.first + <uint32_t>tree, &poll, &work, threads.trees + tree)
        finish_task(round)
        tree = next_task(round)
    if thread == 0:
        wait_for_tasks(round)


cdef _check_plan(const forest_plan_t *plan, int64_t n_rows, int64_t first, int64_t n_trees, int64_t n_threads):
    """Raise ValueError unless all numbers that forests are grown by are in their ranges."""
    cdef int64_t n_samples = plan.data.n_samples, n_features = plan.data.n_features
    if n_rows != n_samples:
        raise ValueError(f"dataset.rows must have {n_samples} entries, got {n_rows}")
    if plan.stopping.max_depth < 0 or plan.stopping.min_samples_split < 2 or plan.stopping.min_samples_leaf < 1:
        raise ValueError("max_depth must be >= 0, min_samples_split >= 2, min_samples_leaf >= 1, got "
                         f"{plan.stopping.max_depth}, {plan.stopping.min_samples_split}, "
                         f"{plan.stopping.min_samples_leaf}")
    if plan.min_weight < 0:
        raise ValueError(f"min_weight must be >= 0, got {plan.min_weight}")
    if not 0 <= plan.n_drawn <= n_samples:
        raise ValueError(f"n_drawn must be in [0, {n_samples}], got {plan.n_drawn}")
    if not 0 <= plan.n_tried <= n_features:
        raise ValueError(f"n_tried must be in [0, {n_features}], got {plan.n_tried}")
    if not 0 <= first < 1 << 31 or not 1 <= n_trees < 1 << 31 or n_threads < 1:
        raise ValueError(f"first must be in [0, 2**31), n_trees and n_threads >= 1, got {first}, {n_trees}, "
                         f"{n_threads}")


cdef _check_weights(const int32_t[::1] weights, const data_t *data):
    """Raise ValueError unless weights are those of classes, and sum to less than 2^31."""
    cdef int64_t s, total = 0
    cdef bint negative = False
    for s in range(weights.shape[0]):
        total += weights[s]
        negative |= weights[s] < 0
    if weights.shape[0] != data.n_samples or data.target != NULL or negative or total >= 1 << 31:
        raise ValueError(f"weights must be {data.n_samples} numbers >= 0 that sum to less than 2**31, of classes, got "
                         f"{weights.shape[0]} that sum to {total}")


def grow(dataset, const uint64_t[::1] seed, address, stopping, int32_t n_drawn, int32_t n_tried, bint random_cuts,
         int32_t first, int32_t n_trees, double[::1] importances, uint64_t[:, ::1] drawn=None, int32_t n_threads=1,
         const int32_t[::1] weights=None, int32_t min_weight=0):
    """Grow trees first, first + 1, ... of a forest, of classes or of a target.

    Parameters
    ----------
    dataset : moeliga.data.dataset.Dataset
    seed : ndarray of uint64, shape (2,)
    address : tuple of 3 ints, (purpose, population, generation)
        Tree t draws its samples as individual t, test 2**32 - 1; node i of it its features, and thresholds, as test i.
    stopping : tuple of 3 ints, (max_depth, min_samples_split, min_samples_leaf), which count distinct samples
    n_drawn : int in [0, n_samples]
        Samples of a tree, with replacement; 0 = each sample once.
    n_tried : int in [0, n_features]
        Features that are drawn at a node, and then more until one has a split; 0 = all, not drawn but in their order.
    random_cuts : bool
        One random threshold, uniform between its lowest and highest value in the node, for each feature.
    first : int >= 0
    n_trees : int >= 1
    importances : ndarray of float64, shape (n_features,)
        Each tree adds the share of each feature in its decrease of impurity.
    drawn : ndarray of uint64, shape (n_trees, ceil(n_samples / 64)), all 0, or None
        Bit r of a tree becomes 1 if it has drawn row r of the table.
    n_threads : int >= 1; each grows whole trees, and no tree depends on it
    weights : ndarray of int32, shape (n_samples,), >= 0, or None
        How often each sample of the data set counts: it is drawn so much more often, or without drawing it stands so
        often; None = once. They sum to less than 2^31, and are for classes alone.
    min_weight : int >= 0
        Samples of either side of a split, as often as they count, at least.

    Returns
    -------
    nodes : ndarray of `NODE`, tree after tree, as `n_nodes` counts
    n_nodes : ndarray of int64, shape (n_trees,)
    shares : ndarray of `SHARE`, likewise; None for a target
    n_shares : ndarray of int64, shape (n_trees,)

    Raises
    ------
    ValueError : if a shape does not agree or a number is out of its range.
    KeyboardInterrupt, or whatever else a handler of a signal raises : in the main thread, within about a second.
    """
    cdef data_t data = coded(dataset)
    cdef const int64_t[::1] rows = dataset.rows
    cdef forest_plan_t plan
    cdef forest_work_t work
    cdef thread_t threads
    cdef int64_t t, most, n_words = (data.n_samples + 63) // 64
    cdef bint target = data.target != NULL
    if seed.shape[0] != 2:
        raise ValueError(f"seed must have 2 words, got {seed.shape[0]}")
    plan.address.seed[0], plan.address.seed[1] = seed[0], seed[1]
    plan.address.purpose, plan.address.population, plan.address.generation = address
    plan.stopping.max_depth, plan.stopping.min_samples_split, plan.stopping.min_samples_leaf = stopping
    plan.data = &data
    plan.rows, plan.learn, plan.features = &rows[0], NULL, NULL
    plan.n_learn, plan.n_features = data.n_samples, data.n_features
    plan.n_drawn, plan.n_tried, plan.min_weight, plan.weights, plan.values = n_drawn, n_tried, min_weight, NULL, NULL
    _check_plan(&plan, rows.shape[0], first, n_trees, n_threads)
    cdef double[::1] reciprocal
    if weights is not None:
        _check_weights(weights, &data)
        plan.weights = &weights[0]
        if n_drawn == 0:  # nodes count as many as all weights together
            numbers = np.arange(max(np.sum(weights, dtype=np.int64), data.n_samples) + 1, dtype=np.float64)
            reciprocal = np.divide(1.0, numbers, out=numbers, where=numbers > 0)
            data.reciprocal = &reciprocal[0]
    if importances.shape[0] != data.n_features:
        raise ValueError(f"importances must have {data.n_features} entries, got {importances.shape[0]}")
    if drawn is not None and (drawn.shape[0] != n_trees or drawn.shape[1] != n_words):
        raise ValueError(f"drawn must have the shape ({n_trees}, {n_words}), got {drawn.shape[0], drawn.shape[1]}")
    for t in range(rows.shape[0]):
        if not 0 <= rows[t] < data.n_samples:
            raise ValueError(f"dataset.rows must be in [0, {data.n_samples}), got {rows[t]}")
    cdef uint8_t[::1] values = np.empty(data.n_features * data.n_samples * data.value_width * random_cuts,
                                        dtype=np.uint8)
    cdef uint8_t *cells = &values[0] if random_cuts else NULL
    cdef int64_t feature
    if random_cuts:
        for feature in prange(data.n_features, nogil=True, schedule="static", num_threads=n_threads):
            forest_values(&data, feature, cells)
        plan.values = cells
    n_threads = min(n_threads, n_trees)
    most = forest_max_samples(&plan)
    slots = np.empty((n_trees, 2 * most - 1), dtype=NODE)
    leaves = None if target else np.empty((n_trees, most), dtype=SHARE)
    cdef forest_node_t[:, ::1] nodes = slots
    cdef share_t[:, ::1] shares = leaves
    cdef double[:, ::1] gains = np.empty((n_trees, 2 * most - 1))
    cdef double[::1] own = np.zeros(data.n_features)
    cdef uint8_t[::1] trees = np.empty(n_trees * sizeof(forest_tree_t), dtype=np.uint8)
    threads.n_bytes = lay_forest(NULL, &plan, &work)
    cdef uint64_t[::1] works = np.empty(n_threads * threads.n_bytes // 8, dtype=np.uint64)
    threads.plan = &plan
    threads.first = <uint32_t>first
    threads.works = <uint8_t *>&works[0]
    threads.trees = <forest_tree_t *>&trees[0]
    raised = []
    cdef round_t round = new_round(None, raised)
    for t in range(n_trees):
        threads.trees[t] = forest_tree_t(&nodes[t, 0], &gains[t, 0], NULL, NULL, 0, 0)
        if not target:
            threads.trees[t].shares = &shares[t, 0]
        if drawn is not None:
            threads.trees[t].drawn = &drawn[t, 0]
    cdef int32_t thread
    set_tasks(&round, 0, n_trees)
    for thread in prange(n_threads, nogil=True, schedule="static", chunksize=1, num_threads=n_threads):
        _grow_trees(&threads, &round, thread)
    raise_error(raised)
    n_nodes, n_shares = np.empty(n_trees, dtype=np.int64), np.empty(n_trees, dtype=np.int64)
    for t in range(n_trees):
        n_nodes[t], n_shares[t] = threads.trees[t].n_nodes, threads.trees[t].n_shares
        forest_importances(threads.trees + t, &own[0], &importances[0])
    return _packed(slots, n_nodes), n_nodes, None if target else _packed(leaves, n_shares), n_shares


def _packed(slots, sizes):
    """Return the first entries of each row, concatenated."""
    width = slots.dtype.itemsize
    rows = slots.view(np.uint8).reshape(len(slots), -1)  # as bytes: NumPy compares the fields of all rows otherwise
    return np.concatenate([row[: width * size] for row, size in zip(rows, sizes.tolist())]).view(slots.dtype)


cdef _check_starts(name, const int64_t[::1] starts, int64_t n_trees, int64_t n):
    """Check where the part of each tree begins: ascending, from 0 to n."""
    cdef Py_ssize_t t
    if starts.shape[0] != n_trees + 1 or starts[0] != 0 or starts[n_trees] != n:
        raise ValueError(f"{name} must have {n_trees + 1} entries from 0 to {n}")
    for t in range(n_trees):
        if starts[t] > starts[t + 1]:
            raise ValueError(f"{name} must be ascending, got {starts[t]} before {starts[t + 1]}")


cdef _check_tree(const forest_node_t[::1] nodes, const share_t[::1] shares, int64_t n_features, int64_t n_outputs):
    """Check that a tree can be followed: known features, children behind their parents, shares of known classes."""
    cdef Py_ssize_t i
    cdef int64_t n_nodes = nodes.shape[0], n_shares = 0 if shares is None else shares.shape[0]
    if n_nodes < 1:
        raise ValueError("every tree must have a node, got none")
    for i in range(n_nodes):
        if nodes[i].feature >= n_features:
            raise ValueError(f"nodes must use features below {n_features}, got {nodes[i].feature}")
        if nodes[i].feature >= 0 and not i < nodes[i].left < n_nodes - 1:
            raise ValueError(f"left of node {i} must be in ({i}, {n_nodes - 1}), got {nodes[i].left}")
        if nodes[i].feature < 0 and shares is not None and not (
                0 <= nodes[i].left and 0 <= nodes[i].other <= n_shares - nodes[i].left):
            raise ValueError(f"node {i} must have shares among {n_shares}, got {nodes[i].other} from {nodes[i].left}")
    for i in range(n_shares):
        if not 0 <= shares[i].label < n_outputs:
            raise ValueError(f"shares must be of classes in [0, {n_outputs}), got {shares[i].label}")


cdef _check_trees(const forest_node_t[::1] nodes, const int64_t[::1] node_start, const share_t[::1] shares,
                  const int64_t[::1] share_start, int64_t n_features, int64_t n_outputs):
    """Check that all trees can be followed, see `_check_tree`."""
    cdef const share_t[::1] leaves = None
    cdef Py_ssize_t t
    for t in range(node_start.shape[0] - 1):
        if shares is not None:
            leaves = shares[share_start[t]:share_start[t + 1]]
        _check_tree(nodes[node_start[t]:node_start[t + 1]], leaves, n_features, n_outputs)


cdef int64_t _rows_together(int64_t n_samples, int64_t n_features, int64_t n_nodes, int64_t n_threads):
    """Return the number of samples that follow one tree before the next tree is read: whole words.

    So many that a tree which leaves the cache is worth its way back, but not more: samples leave it too.
    """
    cdef int64_t row_bytes = min(n_features * <int64_t>sizeof(double), WALK_BYTES)
    cdef int64_t n_rows = WALK_TURNS * n_nodes * <int64_t>sizeof(forest_node_t) // row_bytes
    n_rows = min(n_rows, (n_samples + n_threads - 1) // n_threads)
    return max((n_rows + WALK_WORD - 1) // WALK_WORD, 1) * WALK_WORD


def predict(const forest_node_t[::1] nodes, const int64_t[::1] node_start, const share_t[::1] shares,
            const int64_t[::1] share_start, const double[:, ::1] X, int32_t n_outputs,
            const uint64_t[:, ::1] drawn=None,
            int32_t n_threads=1):
    """Return the sums over trees of their answers for raw samples.

    Parameters
    ----------
    nodes, shares : as returned by `grow`; shares is None for a target
    node_start, share_start : ndarray of int64, shape (n_trees + 1,); where the part of each tree begins
    X : ndarray of float64, shape (n_samples, n_features); NaN = missing
    n_outputs : int >= 1; classes, or 1
    drawn : ndarray of uint64, shape (n_trees, ceil(n_samples / 64)), or None
        Sample i is not sent down trees with bit i.
    n_threads : int >= 1

    Returns
    -------
    sums : ndarray of float64, shape (n_samples, n_outputs), added in the order of the trees
    n_votes : ndarray of int32, shape (n_samples,), trees that the sample was sent down

    Raises
    ------
    ValueError : if shapes do not agree, or a tree cannot be followed.
    """
    cdef int64_t n_trees = node_start.shape[0] - 1, n_samples = X.shape[0], n_words = (n_samples + 63) // 64, block
    cdef int64_t n_blocks
    cdef int n_bad = 0
    if n_trees < 1 or n_outputs < 1 or n_threads < 1:
        raise ValueError(f"there must be a tree, an output and a thread, got {n_trees}, {n_outputs} and {n_threads}")
    _check_starts("node_start", node_start, n_trees, nodes.shape[0])
    if shares is not None:
        _check_starts("share_start", share_start, n_trees, shares.shape[0])
    if drawn is not None and (drawn.shape[0] != n_trees or drawn.shape[1] != n_words):
        raise ValueError(f"drawn must have the shape ({n_trees}, {n_words}), got {drawn.shape[0], drawn.shape[1]}")
    # of few samples the nodes on their ways are fewer than all
    cdef bint is_checked = n_samples * n_trees * WALK_STEPS > nodes.shape[0]
    if is_checked or X.shape[1] == 0:
        _check_trees(nodes, node_start, shares, share_start, X.shape[1], n_outputs)
    sums, n_votes = np.zeros((n_samples, n_outputs)), np.zeros(n_samples, dtype=np.int32)
    if n_samples == 0 or X.shape[1] == 0:
        return sums, n_votes
    cdef double[:, ::1] cells = sums
    cdef int32_t[::1] votes = n_votes
    cdef double *cell = &cells[0, 0]
    cdef int32_t *vote = &votes[0]
    cdef walk_t walk
    walk.nodes, walk.node_start = &nodes[0], &node_start[0]
    walk.shares, walk.share_start = NULL, NULL
    if shares is not None and shares.shape[0]:
        walk.shares, walk.share_start = &shares[0], &share_start[0]
    walk.drawn = NULL
    if drawn is not None:
        walk.drawn = &drawn[0, 0]
    walk.samples = &X[0, 0]
    walk.n_words, walk.n_samples, walk.n_features = n_words, n_samples, X.shape[1]
    walk.n_outputs, walk.n_trees, walk.is_checked = n_outputs, <int32_t>n_trees, is_checked
    walk.n_block = _rows_together(n_samples, X.shape[1], nodes.shape[0] // n_trees, n_threads)
    n_blocks = (n_samples + walk.n_block - 1) // walk.n_block
    for block in prange(n_blocks, nogil=True, schedule="static", num_threads=n_threads):
        n_bad += not forest_walk(&walk, block, cell, vote)
    if n_bad:
        _check_trees(nodes, node_start, shares, share_start, X.shape[1], n_outputs)
        raise ValueError("nodes must be of trees that can be followed")
    return sums, n_votes
