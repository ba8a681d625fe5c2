"""What a front is worth: on the test part, and on fresh splits of the training part.

Trees are the compiled ones, which are faster than the judge of the comparison. They break ties by the order of columns,
so that a test score is the mean over some random orders.
"""

import numpy as np

import moeliga
from moeliga.results.front import hypervolume

ORDERS = 5
"""Orders of the columns over which a test score is a mean."""

FRESH_SPLITS = 50
"""Random splits of the training part on which members are scored again: none that a search has seen."""


def recalls(y_true, y_pred):
    """(recall, samples) of each class that occurs: ndarrays of shape (n_classes,)."""
    labels, codes = np.unique(y_true, return_inverse=True)
    sizes = np.bincount(codes)
    return np.bincount(codes, weights=y_true == y_pred, minlength=len(labels)) / sizes, sizes


def predicted(columns, X_train, y_train, X_test):
    tree = moeliga.DecisionTreeClassifier(max_depth=100).fit(X_train[:, columns], y_train)
    return tree.predict(X_test[:, columns])


def held_out(support, X_train, y_train, X_test, y_test):
    """(UAR, its standard error) of one tree on samples held out; with a recall p the error takes (hits + 1)/(n + 2)."""
    recall, sizes = recalls(y_test, predicted(np.flatnonzero(support), X_train, y_train, X_test))
    smooth = (recall * sizes + 1) / (sizes + 2)
    return float(recall.mean()), float(np.sqrt(np.sum(smooth * (1 - smooth) / sizes)) / len(sizes))


def outer_scores(supports, X_train, y_train, X_test, y_test, orders=ORDERS):
    """UAR of each subset on the test part, mean over orders of its columns: ndarray of float64, shape (m,)."""
    found = np.empty(len(supports))
    for member, support in enumerate(supports):
        columns, random = np.flatnonzero(support), np.random.default_rng(0)
        found[member] = np.mean([
            recalls(y_test, predicted(random.permutation(columns), X_train, y_train, X_test))[0].mean()
            for _ in range(orders if len(columns) > 1 else 1)])
    return found


def used(masks, X):
    """Masks and X without the features that no mask has: the same trees, and less to code."""
    columns = np.flatnonzero(masks.any(axis=0))
    return masks[:, columns], X[:, columns]


def shared_scores(masks, X, y):
    """UAR of subsets on `FRESH_SPLITS` splits, the same for all: ndarray of float64, shape (m,)."""
    masks, X = used(masks, X)
    return moeliga.evaluate_subsets(X, y, masks, n_splits=FRESH_SPLITS, objectives=("uar",), shared=True,
                                    random_state=0)[:, 0]


def fresh_scores(masks, X, y, seed):
    """(UAR, its standard error) of subsets on random splits, others for each: ndarrays of float64, shape (m,)."""
    masks, X = used(masks, X)
    scores = moeliga.evaluate_subsets(X, y, np.repeat(masks, FRESH_SPLITS, axis=0), n_splits=1, objectives=("uar",),
                                      random_state=np.random.default_rng(seed)).reshape(len(masks), FRESH_SPLITS)
    return scores.mean(axis=1), scores.std(axis=1, ddof=1) / np.sqrt(FRESH_SPLITS)


def picked_area(scores, ratios, values):
    """Area under the values of the members that the scores pick.

    At every size the member with the highest score of those that are not larger counts, with its value, whatever that
    is. The hypervolume takes the largest value in its place, which grows by luck with the number of members: this is
    its lower, and the honest, relative. The two are equal where scores and values rise together.

    Parameters
    ----------
    scores : ndarray of float64, shape (m,)
        By which members are picked.
    ratios : ndarray of float64, shape (m,)
        CR of each.
    values : ndarray of float64, shape (m,)
    """
    area, best, reached, value = 0.0, -np.inf, None, 0.0
    for place in np.lexsort((-scores, -ratios)):
        if scores[place] > best:
            if reached is not None:
                area += value * (reached - ratios[place])
            best, reached, value = scores[place], ratios[place], values[place]
    return float(area + value * reached)


def measured(found, X_train, y_train, X_test, y_test):
    """Columns of a row: of the front, and of the choice by each rule.

    Parameters
    ----------
    found : Found
    X_train, y_train, X_test, y_test : the outer parts

    Returns
    -------
    columns : dict from str to float or int
    """
    front = found.front
    fresh = shared_scores(front.supports, X_train, y_train)
    test = outer_scores(front.supports, X_train, y_train, X_test, y_test)
    ratios, columns = front.cardinality_ratio, {}
    columns |= {"members": len(front), "test_hv": hypervolume(test, ratios),
                "test_area": picked_area(front.score, ratios, test), "fresh_hv": hypervolume(fresh, ratios),
                "reported_hv": front.hypervolume}
    for rule, place in found.choices.items():
        columns |= {f"{rule}_size": int(front.n_selected[place]),
                    f"{rule}_in_search": float(front.search_objectives[place, front.primary]),
                    f"{rule}_reported": float(front.score[place]), f"{rule}_fresh": float(fresh[place]),
                    f"{rule}_test": float(test[place])}
    return columns
