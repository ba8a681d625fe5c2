"""Scores of subsets on fresh splits and on samples held out."""

from numbers import Integral

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Samples
from moeliga.data.ground import Ground
from moeliga.evaluation.estimator_scorer import EstimatorScorer, find_scorer
from moeliga.evaluation.metadata import Metadata
from moeliga.tree import estimator_or_tree

ADDRESS = (Purpose.PUBLIC, 0, 0)


def fresh_scores(selector, values, y, masks, validation_size, n_splits, seed):
    """Scores of subsets on random splits, the same for all of them.

    Parameters
    ----------
    selector : MOELIGASelector
        Whose classifier and scorer it is.
    values : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    masks : ndarray of bool, shape (m, n_features)
    validation_size : float in (0, 1)
    n_splits, seed : int

    Returns
    -------
    scores : ndarray of float64, shape (m, n_splits)
    """
    estimator = estimator_or_tree(selector.estimator)
    classes, labels = np.unique(y, return_inverse=True)
    samples, nothing = by_class(labels), Metadata({}, {}, {}, len(y))
    ground = Ground(samples, samples.n_validation(validation_size), None)
    score = EstimatorScorer(estimator, find_scorer(estimator, selector.scoring), None, values, classes, labels, nothing,
                            1).score
    return score(ground.table, masks, seed_words(seed), ADDRESS, np.arange(len(masks)), n_splits, shared=True)


def held_out_scores(selector, X, y, X_test, y_test, **params):
    """Score of every member of a front on samples that the search never saw.

    Parameters
    ----------
    selector : MOELIGASelector, fitted
    X, X_test : array-like, sparse or DataFrame of shape (n_samples, n_features)
    y, y_test : array-like of shape (n_samples,)
    **params
        For the estimator's `fit`, such as sample_weight.

    Returns
    -------
    scores : ndarray of float64, shape (m,)
    """
    seed = selector.random_state if isinstance(selector.random_state, Integral) else 0
    scorer = find_scorer(estimator_or_tree(selector.estimator), selector.scoring)
    return fitted_scores(selector, selector.pareto_front_.supports, X, y, X_test, y_test, [scorer], seed, params)[:, 0]


def fitted_scores(selector, masks, X, y, X_test, y_test, scorers, seed, params):
    """Scores on some samples of a selector's estimator, fitted to others, once with the features of each subset.

    Parameters of it called random_state that are None are set to `seed`, so that the same call gives the same scores.

    Returns
    -------
    scores : ndarray of float64, shape (m, n_scorers)
    """
    estimator = estimator_or_tree(selector.estimator)
    seeds = {name: int(seed) % 2**32 for name, value in estimator.get_params().items()
             if name.split("__")[-1] == "random_state" and value is None}
    X, X_test = (part if hasattr(part, "shape") else np.asarray(part) for part in (X, X_test))
    scores = []
    for mask in masks:
        columns = np.flatnonzero(mask)
        model = clone(estimator).set_params(**seeds).fit(_safe_indexing(X, columns, axis=1), y, **params)
        chosen = _safe_indexing(X_test, columns, axis=1)
        scores.append([scorer(model, chosen, y_test) for scorer in scorers])
    return np.array(scores, dtype=np.float64)


def by_class(labels):
    """What a stratified split is drawn from."""
    return Samples.sort(0, labels, int(labels.max()) + 1)


def stratified(labels, share, seed):
    """Rows of a random part of each class: ndarray of int, ascending."""
    samples, random = by_class(labels), np.random.default_rng(seed)
    parts = zip(np.split(samples.rows, samples.class_start[1:-1]), samples.n_validation(share), strict=True)
    return np.sort(np.concatenate([random.permutation(rows)[:n] for rows, n in parts]))


def uar_error(estimator, X, y):
    """Standard error of UAR on samples: see `optimism_report`."""
    hits = estimator.predict(X) == y
    sizes = np.unique(y, return_counts=True)[1]
    recalls = (np.array([hits[y == label].sum() for label in np.unique(y)]) + 1) / (sizes + 2)
    return float(np.sqrt(np.sum(recalls * (1 - recalls) / sizes)) / len(sizes))
