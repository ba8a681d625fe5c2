"""The opponents: the same work in scikit-learn and NumPy, as somebody who knows them well would write it.

They are slow where these libraries are slow, and have no other handicap: inputs have the type and the layout that the
library wants, checks that can be switched off are off, and nothing is computed twice.
"""

import math

import numpy as np
import sklearn
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, pairwise_distances
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor


class Disagreement(Exception):
    """moeliga and its rival give different answers: their times must not be compared."""


def check_close(what, ours, theirs, tolerance):
    """Disagreement unless all values are within `tolerance`; a phrase for the table otherwise."""
    difference = float(np.max(np.abs(np.subtract(ours, theirs))))
    if not difference <= tolerance:
        raise Disagreement(f"{what} must agree to {tolerance:g}, but differs by {difference:g}")
    return f"{what} to {difference:.0e}" if difference else f"{what} identical"


def check_mean(what, ours, theirs):
    """Disagreement unless the mean of paired differences is within 4 standard errors of 0; a phrase otherwise."""
    difference = np.subtract(ours, theirs)
    error = difference.std(ddof=1) / math.sqrt(len(difference))
    if not abs(difference.mean()) <= 4 * error + 1e-12:
        raise Disagreement(f"the mean difference of {what} must be within 4 standard errors, but is "
                           f"{difference.mean():.4g} with a standard error of {error:.2g} ({len(difference)} pairs)")
    return f"{what} {difference.mean():+.4f} ± {error:.4f} ({len(difference)} pairs)"


def unchecked():
    """scikit-learn without the checks of inputs and parameters that it can leave out."""
    return sklearn.config_context(assume_finite=True, skip_parameter_validation=True)


def grow(X, y, random_state, max_depth=100):
    """A fitted tree; X is float32 and C-contiguous."""
    tree = DecisionTreeClassifier(max_depth=max_depth, random_state=random_state)
    return tree.fit(X, y, check_input=False)


def recall(y, predicted, n_classes):
    """UAR of labels 0, 1, ...: the mean of the recalls of the classes that occur."""
    size = np.bincount(y, minlength=n_classes)
    hits = np.bincount(y[predicted == y], minlength=n_classes)
    return float(np.mean(hits[size > 0] / size[size > 0]))


def tree_score(X_train, y_train, X_test, y_test, n_classes, random_state):
    """Fit, predict, UAR."""
    predicted = grow(X_train, y_train, random_state).predict(X_test, check_input=False)
    return recall(y_test, predicted, n_classes)


def grow_regression(X, y, random_state, max_depth=100, min_samples_leaf=1):
    """A fitted regression tree; X is float32 and C-contiguous, y float64."""
    tree = DecisionTreeRegressor(max_depth=max_depth, min_samples_leaf=min_samples_leaf, random_state=random_state)
    return tree.fit(X, y, check_input=False)


def regression_score(X_train, y_train, X_test, y_test, random_state, max_depth=100):
    """Fit, predict, R2; the validation targets are not all the same."""
    predicted = grow_regression(X_train, y_train, random_state, max_depth).predict(X_test, check_input=False)
    return 1 - np.sum((y_test - predicted) ** 2) / np.sum((y_test - y_test.mean()) ** 2)


def separability(X, y, instances):
    """Objective III on columns scaled to [0, 1]: mean of (nearest miss - nearest hit) / k over instances."""
    distances = pairwise_distances(X[instances], X, metric="manhattan")
    own = y[instances, None] == y
    miss = np.where(own, np.inf, distances).min(axis=1)
    distances[np.arange(len(instances)), instances] = np.inf  # an instance is not its own hit
    hit = np.where(own, distances, np.inf).min(axis=1)
    both = np.isfinite(miss) & np.isfinite(hit)
    return float((miss[both] - hit[both]).mean()) / X.shape[1] if both.any() else 0.0


def scale(X):
    """Columns scaled to [0, 1], float64 (what SciPy's distances work in); constant columns become 0."""
    low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    return (X - low) / np.where(high > low, high - low, np.inf)


def evaluate_subset(X, scaled, y, mask, splits, instances, random_state):
    """(UAR, cardinality, separability) of one subset; `splits` are pairs of row indices (train, test)."""
    columns = np.flatnonzero(mask)
    own = np.ascontiguousarray(X[:, columns])
    scores = [balanced_accuracy_score(y[test], grow(own[train], y[train], random_state).predict(
        own[test], check_input=False)) for train, test in splits]
    ratio = (X.shape[1] - len(columns)) / X.shape[1]
    return np.mean(scores), 1 / (1 + math.exp(-0.5 * ratio)), separability(scaled[:, columns], y, instances)


def evaluate_block(X, scaled, y, masks, seeds, n_splits):
    """Rows of (UAR, cardinality, separability), each subset with random splits and instances of its own."""
    n = len(y)
    rows = []
    with unchecked():
        for mask, seed in zip(masks, seeds, strict=True):
            splits = StratifiedShuffleSplit(n_splits, test_size=0.3, random_state=seed).split(X, y)
            instances = np.random.default_rng(seed).integers(n, size=math.ceil(0.3 * n))
            rows.append(evaluate_subset(X, scaled, y, mask, splits, instances, seed))
    return rows


def evaluate_subsets(X, y, masks, n_splits=3, n_jobs=1):
    """What `moeliga.evaluate_subsets` does, as a loop over subsets: float64, shape (m, 3)."""
    scaled = scale(X)
    seeds = list(range(len(masks)))
    if n_jobs == 1:
        return np.array(evaluate_block(X, scaled, y, masks, seeds, n_splits))
    # one subset a task: sizes differ too much for blocks
    rows = Parallel(n_jobs=n_jobs)(delayed(evaluate_block)(X, scaled, y, masks[p : p + 1], seeds[p : p + 1], n_splits)
                                   for p in seeds)
    return np.concatenate(rows)


def judge_block(model, X, y, mask, splits):
    """Mean UAR of one subset on its splits."""
    own = np.ascontiguousarray(X[:, mask])
    with unchecked():
        return np.mean([recall(y[test], clone(model).fit(own[train], y[train]).predict(own[test]), int(y.max()) + 1)
                        for train, test in splits])


def judge_subsets(model, X, y, masks, splits, n_jobs):
    """Mean UAR of each subset on its splits, with a classifier of scikit-learn; X is float64."""
    return np.array(Parallel(n_jobs=n_jobs)(delayed(judge_block)(model, X, y, mask, own)
                                            for mask, own in zip(masks, splits, strict=True)))


def bagged_subsets(forest, X, y, masks):
    """UAR of each subset by a forest's answers out of bag; rows that all trees have drawn count as those of class 0."""
    with unchecked():
        answers = [clone(forest).set_params(oob_score=True).fit(X[:, mask], y).oob_decision_function_ for mask in masks]
    return np.array([recall(y, table.argmax(axis=1), int(y.max()) + 1) for table in answers])


def rank(objectives):
    """1 + number of individuals that dominate each."""
    above = np.all(objectives[:, None] >= objectives, axis=2)
    return 1 + np.count_nonzero(above & ~above.T, axis=0)


def rank_fitness(rank):
    """P - (individuals of better rank) - (others of the same rank) / 2."""
    ascending = np.sort(rank)
    better = np.searchsorted(ascending, rank, side="left")
    same = np.searchsorted(ascending, rank, side="right") - better
    return len(rank) - better - (same - 1) / 2


def decision_distances(words, n_features):
    """Squared distances h / F between packed chromosomes, row by row: this keeps the words in the cache."""
    return np.stack([np.bitwise_count(words ^ row).sum(axis=1) for row in words]) / n_features


def clusters(near):
    """Cliques of the graph `near`, built greedily in population order: ndarray of bool, (n_clusters, n)."""
    n = len(near)
    found = np.zeros((0, n), dtype=bool)
    for i in range(n):
        found[~(found & ~near[i]).any(axis=1), i] = True
        for j in np.flatnonzero(near[i, :i]):
            if (found[:, i] & found[:, j]).any():
                continue
            homes = np.flatnonzero(found[:, i] & ~(found & ~near[j]).any(axis=1))
            if len(homes):
                found[homes[0], j] = True
            else:
                found = np.concatenate((found, np.zeros((1, n), dtype=bool)))
                found[-1, [i, j]] = True
    return found


def shared_fitness(objectives, words, n_features, sigma):
    """f'' by clusters in decision space, alpha 1, normalised by the mean of the rank: (rank, fitness)."""
    ranks = rank(objectives)
    fitness = rank_fitness(ranks)
    d2 = decision_distances(words, n_features)
    near = np.sqrt(d2) < sigma
    np.fill_diagonal(near, True)
    shared = fitness.copy()
    for members in clusters(near):
        inside = d2[np.ix_(members, members)]
        to_centroid = np.sqrt(np.maximum(inside.mean(axis=1) - inside.mean() / 2, 0))
        shared[members] *= np.minimum(to_centroid / sigma, 1)  # 1 - S, with S = 1 - d / sigma within sigma
    totals = np.bincount(ranks, weights=shared)[ranks]
    sizes = np.bincount(ranks)[ranks]
    return ranks, fitness * np.divide(shared * sizes, totals, out=np.ones_like(shared), where=totals > 0)
