"""Upper estimates of the memory of the compiled core: coded data, and the workspaces of threads."""

import numpy as np
from scipy.sparse import issparse

from moeliga._ext import code, evaluate
from moeliga._ext import judges as judges_room
from moeliga.base.memory import Part
from moeliga.base.text import count
from moeliga.data.dataset import BLOCK_BYTES

LOOKED_AT, LEAST_COLUMNS = 1 << 22, 8
"""Number of cells of X that are looked at to count distinct values, and fewest columns of them."""

MARGIN = 1.15
"""Factor of the coded data: allocators round up and keep what is freed, and Python has temporary objects."""


def coded_part(X, n, threads, way="", n_codes=None):
    """Return the part for coding `n` rows of X, ndarray or CSC or CSR of float32 or float64; `way` is text on how to
    need less, `n_codes` the mean number of distinct values of a feature, None = as many as there can be."""
    n_features, itemsize, padded = X.shape[1], X.dtype.itemsize, n + 24
    if n_codes is None:
        n_codes = X.nnz / n_features + 1 if issparse(X) else n
    edges = int(min(n, n_codes, code.MAX) * itemsize) * (2 if n >= code.MAX else 1)
    column = n * (1 if n < 256 else 2) + n * (2 if n <= code.MAX else 4) + 4 * padded
    taken = n_features * (column + edges + 45) + 75 * n
    taken += threads * (min(16 * 8 * padded, 1 << 23) + 3 * 8 * padded)
    if issparse(X):  # converted to CSC, and coded one block of columns after the other
        block = min(n_features, max(1, BLOCK_BYTES // (n * itemsize)))
        taken += X.nnz * (itemsize + X.indices.itemsize) * (X.format != "csc") + n_features * (edges + 8)
        taken += block * (column + n * itemsize)
    ways = ("X as float32, " if itemsize == 8 else "") + "fewer features or samples" + way
    return Part(f"the coded data ({n:,} samples x {n_features:,} features)", int(MARGIN * taken), ways,
                lambda: coded_part(X, n, threads, way, distinct(X)))


def distinct(X):
    """Return the mean number of distinct values of a feature, over a sample of the columns: float."""
    n_looked = min(X.shape[1], max(LEAST_COLUMNS, LOOKED_AT // X.shape[0]))
    columns = np.unique(np.linspace(0, X.shape[1] - 1, n_looked).astype(int))
    if issparse(X):
        X, columns = X[:, columns].toarray(), range(len(columns))
    return float(np.mean([len(np.unique(X[:, f])) for f in columns]))


def judge_parts(X, n_classes, threads, judges, n, n_largest, n_subsets):
    """Return the parts for compiled judges that read values of `n` rows of X, and not codes, to evaluate `n_subsets`
    subsets of up to `n_largest` features together."""
    each = sum(judges_room.workspace_bytes(judge, n, n, n_largest, n_classes or 1, n_classes is None, n_subsets,
                                           X.shape[1]) for judge in judges)
    return [Part("the values that judges read", X.shape[1] * n * 8 * (2 if issparse(X) else 1), "fewer features"),
            workspace_part(threads, n_largest, each)]


def workspace_part(threads, n_largest, each):
    """Return the part for the workspaces of `threads`, of `each` bytes, for subsets of up to `n_largest` features."""
    return Part(f"the work of {count(threads, 'thread')} on subsets of up to {n_largest:,} features", threads * each,
                "n_jobs=1, smaller subsets" if threads > 1 else "smaller subsets", common=True)


def values_part(X, n):
    """Return the part for the values that forests with random thresholds read besides the codes."""
    return Part("the values of the samples", X.dtype.itemsize * n * X.shape[1], "fewer features")


def trees_part(n, n_classes, n_train, n_largest, depth, n_instances, threads, answers, forest, n_subsets, n_features):
    """Return the part for the workspaces of threads that evaluate subsets, see `evaluate.workspace_bytes`."""
    each, _ = evaluate.workspace_bytes(n, n_classes or 1, min(n, code.MAX), n_train, n_largest, depth, n_instances,
                                       n_classes is None, answers or forest, forest, n_subsets, n_features)
    return workspace_part(threads, n_largest, each)
