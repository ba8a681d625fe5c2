"""The exact decision tree: growing it on a coded data set, and following it."""
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from coded cimport coded
from kernels cimport (COUNT_CODES, TREE_PAD, base_level, data_t, grow as grow_tree, node_t, rules_t, tree_max_nodes, tree_work, walk_coded,
                      walk_raw, work_t)

PAD = TREE_PAD
"""Zeros that the tables of reciprocals have at their end, for vector loops."""

COUNTED = COUNT_CODES
"""Most codes of a feature whose cuts are found by counting."""

LEVEL = base_level()
"""Instruction set: 4 or 3 = x86-64-v4 or -v3, 0 = the one that the build is compiled for."""

NODE = np.dtype([("feature", np.int32), ("left", np.int32), ("code", np.int32), ("missing", np.int32),
                 ("label", np.int32)])
"""A node (twin of `moe_node_t`): feature -1 = leaf; children `left`, `left + 1`; codes <= code and code = missing
go left; label = majority class."""


cdef _check_nodes(const node_t[::1] nodes, int64_t n_features):
    """A tree that can be followed: known features, and children behind their parents."""
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


def grow(dataset, const int32_t[::1] features, const uint8_t[::1] marks, int32_t max_depth, int32_t min_samples_split,
         int32_t min_samples_leaf):
    """Grow a CART tree (Gini, binary cuts at midpoints) on the samples with marks[s] == 0.

    Parameters
    ----------
    dataset : moeliga.dataset.Dataset
    features : ndarray of int32, shape (k,), ascending, in [0, n_features)
    marks : ndarray of uint8, shape (n_samples,); 0 = training part
    max_depth : int >= 0
    min_samples_split : int >= 2
    min_samples_leaf : int >= 1

    Returns
    -------
    nodes : ndarray of `NODE`, shape (n_nodes,); node 0 is the root
    thresholds : ndarray of float64, shape (n_nodes,); values <= threshold go left, NaN by `missing`
    counts : ndarray of int32, shape (n_nodes, n_classes), training samples by class

    Raises
    ------
    ValueError : if a shape does not agree, a feature is out of range or no sample is marked 0.

    Notes
    -----
    O(k n_train depth) after an O(k n) fill; one thread.
    """
    cdef data_t data = coded(dataset)
    cdef int64_t n_features = dataset.offset.shape[0] - 1, k = features.shape[0], n_train = 0, i
    cdef rules_t rules
    cdef work_t work
    if k < 1:
        raise ValueError("features must not be empty")
    for i in range(k):
        if not 0 <= features[i] < n_features or (i and features[i] <= features[i - 1]):
            raise ValueError(f"features must be ascending and in [0, {n_features}), got {features[i]} at {i}")
    if marks.shape[0] != data.n_samples:
        raise ValueError(f"marks must have {data.n_samples} entries, got {marks.shape[0]}")
    for i in range(marks.shape[0]):
        n_train += marks[i] == 0
    if n_train < 1:
        raise ValueError("marks must be 0 for at least one sample")
    if max_depth < 0 or min_samples_split < 2 or min_samples_leaf < 1:
        raise ValueError("max_depth must be >= 0, min_samples_split >= 2, min_samples_leaf >= 1, got "
                         f"{max_depth}, {min_samples_split}, {min_samples_leaf}")
    rules.max_depth = max_depth
    rules.min_samples_split = min_samples_split
    rules.min_samples_leaf = min_samples_leaf
    cdef int64_t max_nodes = tree_max_nodes(n_train)
    buffer_ = np.empty(tree_work(NULL, &data, n_train, k, max_depth, &work) // 8, dtype=np.uint64)
    nodes_ = np.empty(max_nodes, dtype=NODE)
    thresholds_ = np.full(max_nodes, np.nan)
    counts_ = np.empty((max_nodes, data.n_classes), dtype=np.int32)
    cdef uint8_t[::1] buffer = buffer_.view(np.uint8)
    cdef node_t[::1] nodes = nodes_
    cdef double[::1] thresholds = thresholds_
    cdef int32_t[:, ::1] counts = counts_
    cdef int32_t n_nodes
    with nogil:
        tree_work(&buffer[0], &data, n_train, k, max_depth, &work)
        n_nodes = grow_tree(&data, &marks[0], &features[0], <int32_t>k, <int32_t>n_train, 0, &rules, &work, &nodes[0],
                            &thresholds[0], &counts[0, 0])
    return nodes_[:n_nodes].copy(), thresholds_[:n_nodes].copy(), counts_[:n_nodes].copy()


def label(dataset, const node_t[::1] nodes):
    """Labels that a tree gives to all samples of the coded data set: ndarray of int32, shape (n_samples,)."""
    cdef data_t data = coded(dataset)
    cdef int32_t s
    _check_nodes(nodes, dataset.offset.shape[0] - 1)
    out = np.empty(data.n_samples, dtype=np.int32)
    cdef int32_t[::1] labels = out
    with nogil:
        for s in range(data.n_samples):
            labels[s] = walk_coded(&data, &nodes[0], s)
    return out


def apply(const node_t[::1] nodes, const double[::1] thresholds, const double[:, ::1] X):
    """Leaf that each raw sample falls into.

    Parameters
    ----------
    nodes, thresholds : as returned by `grow`
    X : ndarray of float64, shape (n_samples, n_features); NaN = missing

    Returns
    -------
    leaves : ndarray of int32, shape (n_samples,), indices of nodes
    """
    cdef Py_ssize_t i
    _check_nodes(nodes, X.shape[1])
    if thresholds.shape[0] != nodes.shape[0]:
        raise ValueError(f"thresholds must have {nodes.shape[0]} entries, got {thresholds.shape[0]}")
    out = np.empty(X.shape[0], dtype=np.int32)
    cdef int32_t[::1] leaves = out
    with nogil:
        for i in range(X.shape[0]):
            leaves[i] = walk_raw(&nodes[0], &thresholds[0], &X[i, 0])
    return out
