"""Regression trees the slow way: raw values, every cut of every feature tried, every sum and score exact."""

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from naive.niche import total
from naive.tree import Cut, cuts, goes_left, leaf_of, nested


class Node(NamedTuple):
    """A node; a leaf has no cut and no children."""

    mean: float
    size: int
    cut: Cut | None = None
    left: "Node | None" = None
    right: "Node | None" = None


def mean(y):
    """Mean of whole numbers: the whole part and the rest, each a float, added."""
    exact = Fraction(sum(y), len(y))
    return float(math.floor(exact)) + float(exact - math.floor(exact))


def spread(y):
    """Sum of squared differences from the mean, exactly."""
    return sum(value * value for value in y) - Fraction(sum(y) ** 2, len(y))


def scored_cuts(X, y, min_samples_leaf=1):
    """(reduction of the sum of squares, cut) of every allowed cut of a node."""
    whole = spread(y.tolist())
    for cut in cuts(X):
        left = goes_left(cut, X)
        n_left = int(left.sum())
        if min(n_left, len(y) - n_left) >= min_samples_leaf:
            yield whole - spread(y[left].tolist()) - spread(y[~left].tolist()), cut


def grow(X, y, max_depth=100, min_samples_split=2, min_samples_leaf=1):
    """Grow a tree.

    Parameters
    ----------
    X : ndarray of float64, shape (n_samples, n_features); NaN = missing
    y : ndarray of int64, shape (n_samples,)

    Returns
    -------
    root : Node
        Where its node saw no NaN, a cut sends it to the side with more samples, ties right.
    """
    leaf = Node(mean(y.tolist()), len(y))
    if max_depth == 0 or len(y) < min_samples_split:
        return leaf
    best, best_reduction = None, 0
    for reduction, cut in scored_cuts(X, y, min_samples_leaf):
        if reduction > best_reduction:  # so the first of equal cuts stays, and a cut without gain is none
            best, best_reduction = cut, reduction
    if best is None:
        return leaf
    left = goes_left(best, X)
    if not np.isnan(X[:, best.feature]).any():
        best = best._replace(missing_left=bool(2 * left.sum() > len(y)))
    below = [grow(X[side], y[side], max_depth - 1, min_samples_split, min_samples_leaf) for side in (left, ~left)]
    return leaf._replace(cut=best, left=below[0], right=below[1])


def unfold(nodes, thresholds, means, sizes, features=None):
    """The nested form of a compiled tree, see `naive.tree.nested`."""
    leaves = [Node(float(mean), int(size)) for mean, size in zip(means, sizes, strict=True)]
    return nested(leaves, nodes, thresholds, features)


def predict(tree, X):
    """Means that the rows of X are given: list of float."""
    return [leaf_of(tree, row).mean for row in np.asarray(X)]


def r2(y, predicted):
    """Coefficient of determination of predictions of whole numbers; without spread 1 if all are right, else 0."""
    exact = Fraction(sum(y), len(y))
    whole, rest = math.floor(exact), float(exact - math.floor(exact))
    errors = total((float(a) - b) * (float(a) - b) for a, b in zip(y, predicted, strict=True))
    spread = total((float(a - whole) - rest) * (float(a - whole) - rest) for a in y)
    if spread > 0:
        return 1.0 - errors / spread
    return 0.0 if errors > 0 else 1.0


def hits(y, neighbours):
    """Hits of each sample: its own target, and all targets whose mean rank is near enough for all of their samples.

    Parameters
    ----------
    y : sequence of float, ascending
    neighbours : Fraction

    Returns
    -------
    hits : ndarray of bool, shape (n_samples, n_samples); whether j is a hit of i
    """
    reach = max(1, math.ceil(neighbours * len(y) / 2))
    places = {target: [i for i, other in enumerate(y) if other == target] for target in y}
    rank = {target: Fraction(sum(own), len(own)) for target, own in places.items()}
    return np.array([
        [b == a or all(abs(place - rank[a]) <= reach for place in places[b]) for b in y] for a in y
    ])
