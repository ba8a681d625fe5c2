"""Forests the slow way: drawn samples repeated, every cut of a drawn feature tried, every score an exact fraction."""

import math
from typing import NamedTuple

import numpy as np

from naive import regression, tree
from naive.draw import WORD, Stream
from naive.tree import Cut

BAG = 2**32 - 1
"""The test number under which a tree draws its samples."""


class Plan(NamedTuple):
    """What all trees are grown by; `n_classes` is None for a target."""

    n_classes: int | None
    n_drawn: int
    n_tried: int
    random_cuts: bool
    stopping: tuple = (100, 2, 1)
    min_weight: int = 0


class Node(NamedTuple):
    """A node; a leaf has no cut. `values` are class shares, or the mean."""

    values: list
    size: int
    cut: Cut | None = None
    left: int = 0
    gain: float = 0.0


def decrease(plan, y, left):
    """What a cut gains, exactly."""
    if plan.n_classes is None:
        return regression.spread(y.tolist()) - sum(regression.spread(y[side].tolist()) for side in (left, ~left))
    sides = [tree.purity(tree.class_counts(y[side], plan.n_classes)) for side in (left, ~left)]
    return sides[0] + sides[1] - tree.purity(tree.class_counts(y, plan.n_classes))


def gain(plan, y, left):
    """The same in floating point, as importances add it."""
    parts = []
    for side in (left, ~left, np.ones(len(y), dtype=bool)):
        if plan.n_classes is None:
            z = float(int((y[side] - sum(y.tolist()) // len(y)).sum()))
            parts.append(z * z / int(side.sum()))
        else:
            parts.append(sum(count * count for count in tree.class_counts(y[side], plan.n_classes)) / int(side.sum()))
    return max(parts[0] + parts[1] - parts[2], 0.0)


def random_cuts(column, feature, rest):
    """The cuts at one random threshold, by what the draw of the feature has left of its word."""
    known, seen = column[~np.isnan(column)], bool(np.isnan(column).any())
    if not len(known):
        return []
    low, high = float(known.min()), float(known.max())
    if low == high:
        return [Cut(feature, np.inf, False)] * seen
    unit = (rest >> 11) / 2**53
    middle = (1.0 - unit) * low + unit * high
    middle = low if middle >= high or middle < low else middle
    return [Cut(feature, middle, side) for side in ([False, True] if seen else [False])]


def features_of(plan, stream, n_features):
    """Features in the order in which a node looks at them, each with the rest of its word."""
    order = list(range(n_features))
    for i in range(n_features):
        rest = 0
        if plan.n_tried:
            j, rest = divmod(stream.word() * (n_features - i), WORD)
            order[i], order[i + j] = order[i + j], order[i]
        yield order[i], rest


def best_cut(plan, stream, X, y, weights):
    """The best cut of a node of distinct samples, or None."""
    best, most = None, -1 if plan.random_cuts else 0
    varied = allowed = False
    for i, (feature, rest) in enumerate(features_of(plan, stream, X.shape[1])):
        if plan.n_tried and i >= plan.n_tried and (best is not None or varied and not allowed):
            break
        cuts = (random_cuts(X[:, feature], feature, rest) if plan.random_cuts else
                [cut._replace(feature=feature) for cut in tree.cuts(X[:, [feature]])])
        varied = varied or bool(cuts)
        for cut in cuts:
            left = tree.goes_left(cut, X)
            if min(left.sum(), (~left).sum()) >= plan.stopping[2]:
                if min(weights[left].sum(), weights[~left].sum()) < plan.min_weight:
                    continue
                allowed = allowed or not (plan.random_cuts or plan.min_weight)
                found = decrease(plan, np.repeat(y, weights), np.repeat(left, weights))
                if found > most:
                    best, most = cut, found
    return best


def grow(plan, X, y, seed, address, number, times=None):
    """Grow tree `number`; each sample stands `times`, int of shape (n_samples,), where samples are drawn from.

    Parameters
    ----------
    X : ndarray of float64, shape (n_samples, n_features); NaN = missing
    y : ndarray of int, shape (n_samples,), ascending; class labels, or the target in steps

    Returns
    -------
    nodes : list of Node
    drawn : ndarray of bool, shape (n_samples,)
    """
    weights = np.ones(len(y), dtype=int) if times is None or not times.any() else times
    if plan.n_drawn:
        stream, each = Stream(seed, *address, number, BAG), np.repeat(np.arange(len(y)), weights)
        weights = np.bincount([each[stream.below(len(each))] for _ in range(plan.n_drawn)], minlength=len(y))
    nodes, waiting = [None], [(0, np.flatnonzero(weights), 0)]
    while waiting:
        at, rows, depth = waiting.pop()
        own, times = y[rows], weights[rows]
        repeated = np.repeat(own, times)
        values = [regression.mean(repeated.tolist())] if plan.n_classes is None else [
            count / len(repeated) for count in tree.class_counts(repeated, plan.n_classes)]
        nodes[at] = Node(values, len(repeated))
        if len(set(own.tolist())) == 1 or depth == plan.stopping[0] or len(rows) < plan.stopping[1] \
                or times.sum() < 2 * plan.min_weight:
            continue
        cut = best_cut(plan, Stream(seed, *address, number, at), X[rows], own, times)
        if cut is None:
            continue
        left = tree.goes_left(cut, X[rows])
        if not np.isnan(X[rows, cut.feature]).any():
            cut = cut._replace(missing_left=bool(2 * times[left].sum() > times.sum()))
        nodes[at] = nodes[at]._replace(cut=cut, left=len(nodes), gain=gain(plan, repeated, np.repeat(left, times)))
        waiting += [(len(nodes) + 1, rows[~left], depth + 1), (len(nodes), rows[left], depth + 1)]
        nodes += [None, None]
    return nodes, weights > 0


def answer(nodes, row):
    """What a tree says of a row."""
    node = nodes[0]
    while node.cut is not None:
        value = row[node.cut.feature]
        left = node.cut.missing_left if np.isnan(value) else value <= node.cut.threshold
        node = nodes[node.left + (not left)]
    return node.values


def predict(trees, X, drawn=None):
    """Sums over the trees of what they say of each row, and their numbers; not of rows that they have drawn."""
    sums, n_votes = [], []
    for i, row in enumerate(X):
        said = [answer(nodes, row) for t, nodes in enumerate(trees) if drawn is None or not drawn[t][i]]
        total = [0.0] * len(trees[0][0].values)
        for values in said:
            total = [a + b for a, b in zip(total, values, strict=True)]
        sums.append(total)
        n_votes.append(len(said))
    return np.array(sums), np.array(n_votes)


def importances(trees, n_features):
    """Share of each feature in the gains of a tree, summed over the trees, as shares of their sum."""
    found = [0.0] * n_features
    for nodes in trees:
        own, total = {}, 0.0
        for node in nodes:
            if node.cut is not None:
                own[node.cut.feature] = own.get(node.cut.feature, 0.0) + node.gain
                total += node.gain
        for feature, share in own.items():
            found[feature] += share / total if total > 0 else 0.0
    total = math.fsum(found)
    return np.array([share / total if total > 0 else 0.0 for share in found])
