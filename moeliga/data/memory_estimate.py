"""Upper estimates of the memory that fits and evaluations take at their peak, before they take any: lists of `Part`.

They are closed forms with generous constants, at most about twice the measured numbers. The caller's own X, and the
memory that Python and the libraries take anyway, are not counted.
"""

import numpy as np
from scipy.sparse import issparse

from moeliga.base.memory import Part
from moeliga.base.text import count
from moeliga.base.threads import n_threads, n_workers
from moeliga.data.core_memory import coded_part, judge_parts, trees_part, values_part
from moeliga.parameters.feature_prior import BLOCK
from moeliga.parameters.objectives import Separability

WORKER_BYTES = 150 << 20
"""Bytes of a worker process without data: Python and the libraries."""

COPIES = 3.5
"""Copies of the columns of a subset while another estimator is fitted: the subset, its training part, its own copy."""

INDIVIDUAL_BYTES = 1500
"""Bytes of an individual besides its chromosomes: objectives, ranks, objects of Python."""

CHROMOSOMES, COMPETING = 7, 6
"""Chromosomes for each individual (parents, children, archive, front, and copies of them), and further ones for each
individual of one island where parents and children compete. Measured after 60 generations."""


def copy_parts(X):
    """Return the parts for the copy that checks make of an unchecked X: none if it is sparse or an array of floats."""
    shape, dtype = getattr(X, "shape", ()), getattr(X, "dtype", None)
    if issparse(X) or len(shape) != 2 or (isinstance(X, np.ndarray) and dtype in (np.float32, np.float64)):
        return []
    single = len(X) and all(kind == np.float32 for kind in getattr(X, "dtypes", [None]))  # a table of pandas
    return [Part("a copy of X", shape[0] * shape[1] * (4 if single else 8), "an array of float32")]


def names_parts(shape):
    """Return the parts for the names of features, and arrays of the same length, of any fit to X of this shape."""
    n, n_features = shape
    return [Part("names and numbers", 200 * n_features + 24 * n)]


def tree_parts(X, n_classes, threads):
    """Return the parts for the fit of one tree to checked X; `n_classes` is None for a target."""
    n, n_features = X.shape
    node = 48 if n_classes is None else 28 + 4 * n_classes
    return [
        coded_part(X, n, threads),
        Part("the columns of the tree", 8 * (n_features + 2) * n),
        Part(f"the work of {count(threads, 'thread')}", 50 * threads * n, "n_jobs=1" if threads > 1 else ""),
        Part("the nodes" if n_classes is None else f"the nodes of {n_classes:,} classes", 2 * n * node),
    ]


def forest_parts(X, n_classes, threads, n_trees, n_drawn, random_cuts, out_of_bag, n=None, n_counted=0):
    """Return the parts for a forest of `n_trees` trees, which draw `n_drawn` samples each (0 = take all) of checked X.

    `n` is the number of rows used, None = all; `n_counted` is the sum of the weights, where samples are not drawn.
    """
    n, n_features = n or X.shape[0], X.shape[1]
    outputs, distinct = n_classes or 1, min(n, int(0.65 * n_drawn) + 8 if n_drawn == n else n_drawn or n)
    node = 80 if n_classes is None or n_classes > 2 else 25  # bytes for each sample: two classes make few nodes
    each = 100 * min(n, n_drawn or n) + 8 * n + 8 * n_features + 12 * outputs + (1 << 19)
    return [
        coded_part(X, n, threads),
        Part("the values of the samples", X.dtype.itemsize * n * n_features * random_cuts),
        Part(f"the work of {count(threads, 'thread')}", threads * each, "n_jobs=1" if threads > 1 else ""),
        Part(count(n_trees, "tree"), 2 * n_trees * node * distinct, "fewer trees, a smaller max_samples"),
        Part("samples repeated by their weights", 24 * n_counted, "no class_weight"),
        Part("out-of-bag predictions", (n_trees * n // 8 + 24 * n * outputs) * out_of_bag, "oob_score=False"),
    ]


def subsets_parts(X, n_classes, threads, masks, judge=None, is_coded=True, splits=None):
    """Return the parts for the evaluation of masks on checked X; `n_classes` is None for a target.

    None for `masks` means the separability of a single subset, for `judge` a tree of this package, for `splits` drawn
    splits.
    """
    n, n_features = X.shape
    n_largest = 1 if masks is None else int(masks.sum(axis=1).max(initial=1))
    parts = [coded_part(X, n, threads)] if is_coded else []
    parts += [] if splits is None else [splits_part(splits, n)]
    if judge is not None and not judge.coded:
        parts += judge_parts(X, n_classes, threads, [judge], n, n_largest, len(masks))
    if masks is not None and is_coded:
        forest = judge is not None and judge.model is not None
        parts.append(trees_part(n, n_classes, n, n_largest, 100, n, threads, forest, forest, len(masks), n_features))
        parts += [values_part(X, n)] if forest and judge.random_cuts else []
        parts.append(Part(f"{len(masks):,} subsets", 2 * len(masks) * n_features, "fewer masks at a time"))
    return parts


def fit_parts(plan, problem, space, bands, given, *, n_seen, n_ranked, n_trees, n_ahead, is_coded, judges, splits,
           answers):
    """Return the parts for the fit of a selector.

    `bands` are the spaces of the islands, `given` the bits of the initial subsets' chromosomes, and `n_seen` is the
    number of samples in the search. A feature prior ranks at most `n_ranked` values of a dense X together (0 = no
    prior), a forest of `n_trees` trees ranks features (0 = none); remote workers return `n_ahead` generations of all
    islands at a time. `judges` holds None for a judge that joblib fits. `answers` is False if trees are scored by UAR
    or R2, which need no predictions, see `evaluate.workspace_bytes`. `splits` are fixed ones, None = splits are drawn.
    """
    X, (n, n_features) = problem.X, problem.X.shape
    n_most = n if plan.evaluation.n_rescore_splits else n_seen
    n_classes = None if problem.regression else len(problem.values)
    n_largest = n_features if plan.model is not None else max(  # with folds all features are evaluated, too
        largest_size(plan.init, plan.population_size, space, given),
        0 if plan.islands.sizes is None else bands[-1].most + space.n_forced)
    n_bytes = X.nnz * (X.dtype.itemsize + X.indices.itemsize) if issparse(X) else n * n_features * X.dtype.itemsize
    parts, least = names_parts(X.shape), 0
    of_codes = [judge for judge in judges if judge is not None and judge.coded]
    of_values = [judge for judge in judges if judge is not None and not judge.coded]
    parts += [] if splits is None else [splits_part(splits, n)]
    if is_coded:
        threads = n_threads(plan.n_jobs)
        n_train = min(n_most, int(n_most * (1 - plan.evaluation.validation_size)) + 1) if plan.cv is None else n_most
        separable = any(isinstance(term, Separability) for term in plan.objectives)
        least = coded_part(X, n_most, threads, n_codes=1).n_bytes
        parts.append(coded_part(X, n_most, threads, ", or a subsample with n_rescore_splits=0" * (n_most == n)))
        kinds = [(judge.rules[0], judge.model is not None) for judge in of_codes] or [(0, False)]
        parts += [trees_part(n_most, n_classes, n_train, n_largest, depth, n_seen if separable else 0, threads, answers,
                             forest, 2 * plan.population_size, n_features) for depth, forest in kinds]
        parts += [values_part(X, n_most) for judge in of_codes if judge.model is not None and judge.random_cuts]
        parts += [Part("a subsample of X", n_bytes * n_seen // n, "a smaller subsample")] * (n_seen < n)
    if of_values:
        parts += judge_parts(X, n_classes, n_threads(plan.n_jobs), of_values, n_most, n_largest,
                             2 * plan.population_size)
        least += 8 * n_most * n_features
    if None in judges:
        workers = n_workers(plan.n_jobs)
        copies = int(COPIES * n_bytes * n_most / n * n_largest / n_features)
        least += copies
        parts.append(Part("the estimator's columns", copies, "smaller subsets") if workers == 1 else
                     Part(f"{workers} workers and their copy of X", workers * (WORKER_BYTES + copies) + n_bytes,
                          "n_jobs=1, smaller subsets"))
    if n_ranked:  # before the `least` bytes of coded data and columns are taken
        together = n_bytes if issparse(X) else min(n_bytes, n_ranked * X.dtype.itemsize)
        parts.append(Part("scores of the features", max(0, 2 * together - least), "feature_prior=None"))
    if n_trees:
        parts.append(ranking_part(X, n_seen, n_classes, n_trees, n_threads(plan.n_jobs), is_coded))
    if plan.model is not None:
        parts.append(Part("the rows of a fold", n_bytes, "honest=None"))
    masked = None in judges or any(callable(term) for term in plan.objectives)
    return parts + population_parts(plan, space, len(bands), n_ahead, masked)


def splits_part(splits, n):
    """Return the part for the fixed splits of `n` samples."""
    return Part("the splits of cv", len(splits) * n + 2 * splits.rows.nbytes, "fewer splits")


def ranking_part(X, n, n_classes, n_trees, threads, is_coded):
    """Return the part for ranking features by F-test and forest on `n` rows of X; `n_classes` as for a tree."""
    n_values = X.nnz * n // X.shape[0] if issparse(X) else n * X.shape[1]
    parts = forest_parts(X, n_classes, threads, n_trees, n, False, False, n)
    grown = sum(part.n_bytes for part in parts[is_coded:])  # coded data, if there are any, are the forest's, too
    tested = n_values if n_classes is None or issparse(X) else min(n_values, max(BLOCK, 3 * n))
    return Part("rankings of the features", max(16 * tested, grown), "islands=None, a subsample")


def population_parts(plan, space, n_islands, n_ahead, masked):
    """Return the parts for populations, archive and fronts, including the front that is scored again as masks."""
    n, local = plan.population_size, plan.local_improvement
    n_all, n_below = n * n_islands, local.n_populations * local.population_size if local else 0
    chromosome, n_splits = 8 * -(-space.n_groups // 64), max(plan.evaluation.n_splits, plan.evaluation.n_rescore_splits)
    taken = ((CHROMOSOMES + 3 * n_ahead) * n_all + 2 * n_below) * chromosome
    taken += COMPETING * n * chromosome if plan.moga is None else 0
    taken += (3 if masked else 1) * n_all * space.n_features // 2  # if half of all individuals are on the front
    taken += ((1 + n_ahead) * n_all + n_below) * (INDIVIDUAL_BYTES + 40 * n_splits)
    name = f"populations of {n:,}" if n_islands == 1 else f"{n_islands:,} islands of {n:,}"
    parts = [Part(name, taken, "a smaller population_size or fewer splits")]
    if plan.sharing is not None and plan.sharing.mode == "cluster":
        parts.append(Part("fitness sharing", (n + n_below) ** 2 // 4, "sharing=None"))
    return parts


def largest_size(init, population_size, space, given):
    """Estimate the number of features of the largest initial subset: int >= 1."""
    groups = int(init.counts(min(population_size, 100), space.n_groups, np.zeros(2, dtype=np.uint64)).max())
    usual = min(-(-groups * len(space.members) // space.n_groups), space.most) + space.n_forced
    return max([1, usual, *space.sizes(space.chromosomes(given)).tolist()])
