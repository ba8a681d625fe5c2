"""CART the slow way: raw values, every cut of every feature tried, every score an exact fraction."""

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np

from naive.niche import total


class Cut(NamedTuple):
    """One way to split a node: values <= threshold go left, NaN goes by `missing_left`."""

    feature: int
    threshold: float
    missing_left: bool


class Node(NamedTuple):
    """A node; a leaf has no cut and no children."""

    label: int
    counts: tuple
    cut: Cut | None = None
    left: "Node | None" = None
    right: "Node | None" = None


@cache
def midpoint(a, b):
    """The number half-way between a < b, rounded once; a itself where that would give b."""
    middle = float((Fraction(a) + Fraction(b)) / 2)
    return a if middle >= b else middle


def goes_left(cut, X):
    """Which rows of X go left."""
    column = X[:, cut.feature]
    return (column <= cut.threshold) | (np.isnan(column) & cut.missing_left)


def class_counts(y, n_classes):
    return tuple(np.bincount(y, minlength=n_classes).tolist())


def purity(counts):
    """Sum of n_c^2 / n: the number of samples minus n times the Gini impurity 1 - sum (n_c / n)^2."""
    return Fraction(sum(count * count for count in counts), sum(counts))


def cuts(X):
    """Every cut of a node, in the order that decides ties: feature, threshold, missing values right before left."""
    for feature in range(X.shape[1]):
        column = X[:, feature]
        known = np.unique(column[~np.isnan(column)]).tolist()
        seen = bool(np.isnan(column).any())
        for a, b in zip(known[:-1], known[1:], strict=True):
            yield Cut(feature, midpoint(a, b), False)
            if seen:
                yield Cut(feature, midpoint(a, b), True)
        if known and seen:
            yield Cut(feature, np.inf, False)


def scored_cuts(X, y, n_classes, min_samples_leaf=1):
    """(decrease of the weighted Gini impurity, cut) of every allowed cut of a node."""
    whole = purity(class_counts(y, n_classes))
    for cut in cuts(X):
        left = goes_left(cut, X)
        n_left = int(left.sum())
        if min(n_left, len(y) - n_left) >= min_samples_leaf:
            sides = class_counts(y[left], n_classes), class_counts(y[~left], n_classes)
            yield purity(sides[0]) + purity(sides[1]) - whole, cut


def grow(X, y, n_classes, max_depth=100, min_samples_split=2, min_samples_leaf=1):
    """Grow a tree.

    Parameters
    ----------
    X : ndarray of float64, shape (n_samples, n_features); NaN = missing
    y : ndarray of int, shape (n_samples,), in [0, n_classes)

    Returns
    -------
    root : Node
        Where its node saw no NaN, a cut sends it to the side with more samples, ties right.
    """
    counts = class_counts(y, n_classes)
    leaf = Node(counts.index(max(counts)), counts)
    if max_depth == 0 or len(y) < min_samples_split:
        return leaf
    best, best_decrease = None, 0
    for decrease, cut in scored_cuts(X, y, n_classes, min_samples_leaf):
        if decrease > best_decrease:  # so the first of equal cuts stays, and a cut without gain is none
            best, best_decrease = cut, decrease
    if best is None:
        return leaf
    left = goes_left(best, X)
    if not np.isnan(X[:, best.feature]).any():
        best = best._replace(missing_left=bool(2 * left.sum() > len(y)))
    below = [
        grow(X[side], y[side], n_classes, max_depth - 1, min_samples_split, min_samples_leaf) for side in (left, ~left)
    ]
    return leaf._replace(cut=best, left=below[0], right=below[1])


def nested(leaves, nodes, thresholds, features=None, at=0):
    """The nested form of a compiled tree, given what each of its nodes is as a leaf; features are numbered by their
    place in `features` if it is given."""
    feature, left = int(nodes["feature"][at]), int(nodes["left"][at])
    if feature < 0:
        return leaves[at]
    place = feature if features is None else list(features).index(feature)
    return leaves[at]._replace(
        cut=Cut(place, float(thresholds[at]), bool(nodes["missing"][at] >= 0)),
        left=nested(leaves, nodes, thresholds, features, left),
        right=nested(leaves, nodes, thresholds, features, left + 1),
    )


def unfold(nodes, thresholds, counts, features=None):
    """The nested form of a compiled tree, see `nested`."""
    leaves = [Node(int(label), tuple(each)) for label, each in zip(nodes["label"], counts.tolist(), strict=True)]
    return nested(leaves, nodes, thresholds, features)


def leaf_of(tree, row):
    """The leaf to which a row of X goes."""
    while tree.cut is not None:
        value = row[tree.cut.feature]
        left = tree.cut.missing_left if np.isnan(value) else value <= tree.cut.threshold
        tree = tree.left if left else tree.right
    return tree


def predict(tree, X):
    """Labels of the rows of X: ndarray of int."""
    return np.array([leaf_of(tree, row).label for row in np.asarray(X)], dtype=int)


def uar(y_true, y_pred):
    """Unweighted average recall over the classes that occur in `y_true` (Eq. `eq:uar`)."""
    recalls = []
    for c in sorted(set(np.asarray(y_true).tolist())):
        members = [p for t, p in zip(y_true, y_pred, strict=True) if t == c]
        recalls.append(sum(p == c for p in members) / len(members))
    return total(recalls) / len(recalls)
