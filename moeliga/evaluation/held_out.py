"""Scores of subsets on fresh splits and on samples held out."""

from numbers import Integral

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils import _safe_indexing

from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Samples
from moeliga.data.frame import read_table
from moeliga.data.ground import Ground
from moeliga.data.problem import Problem
from moeliga.evaluation.estimator_scorer import EstimatorScorer, find_scorer, seeded_parameters
from moeliga.evaluation.metadata import Metadata
from moeliga.evaluation.objectives import combine_judges_on_splits


def fresh_scores(selector, values, y, masks, validation_size, n_splits, seed):
    """Return the scores of m subsets on random splits, the same for all: ndarray of float64, shape (m, n_splits).

    The models and the scorer are those that guide the selector's search; `values` and `masks` are ndarrays of shape
    (n_samples, n_features) and (m, n_features).
    """
    judges = selector.guides()
    problem = Problem(values, y, is_regressor(judges[0]))
    samples = problem.samples()
    ground = Ground(samples, samples.n_validation(validation_size))
    scorer = EstimatorScorer(judges, selector.guide_scoring(), None, problem, Metadata({}, {}, {}, len(y)))
    with scorer.workers():
        return combine_judges_on_splits(scorer.score(ground.table, masks, seed_words(seed), (Purpose.PUBLIC, 0, 0),
                                     np.arange(len(masks)), n_splits, shared=True),
                        selector.stands_for("islands").combine)


def held_out_scores(selector, X, y, X_test, y_test, **params):
    """Return the score of each member of a fitted selector's front on test samples: ndarray of float64, shape (m,).

    X and X_test are array-like, sparse or DataFrames; `params`, such as sample_weight, are for the estimator's `fit`.
    """
    seed = selector.random_state if isinstance(selector.random_state, Integral) else 0
    model = selector.deployed()
    scorer = find_scorer(model, selector.scoring)
    return fitted_scores(model, selector.pareto_front_.supports, X, y, X_test, y_test, [scorer], seed, params)[:, 0]


def fitted_scores(estimator, masks, X, y, X_test, y_test, scorers, seed, params):
    """Return test scores of an estimator fitted to each subset of `masks`: ndarray of float64, shape (m, n_scorers).

    Its parameters called random_state that are None are set to `seed`, so that the same call gives the same scores.
    """
    seeds = dict.fromkeys(seeded_parameters(estimator), int(seed) % 2**32)
    unread = ~np.any(masks, axis=0)
    X, X_test = (read_table(part, unread) if hasattr(part, "shape") else np.asarray(part) for part in (X, X_test))
    scores = []
    for mask in masks:
        columns = np.flatnonzero(mask)
        model = clone(estimator).set_params(**seeds).fit(_safe_indexing(X, columns, axis=1), y, **params)
        chosen = _safe_indexing(X_test, columns, axis=1)
        scores.append([scorer(model, chosen, y_test) for scorer in scorers])
    return np.array(scores, dtype=np.float64)


def stratified(labels, share, seed):
    """Return the rows of a random share of each class: ndarray of int, ascending."""
    samples, random = Samples.sort(0, labels, int(labels.max()) + 1), np.random.default_rng(seed)
    parts = zip(np.split(samples.rows, samples.class_start[1:-1]), samples.n_validation(share), strict=True)
    return np.sort(np.concatenate([random.permutation(rows)[:n] for rows, n in parts]))


def uar_error(estimator, X, y):
    """Return the standard error of the UAR of a fitted estimator on samples, see `optimism_report`: float."""
    hits = estimator.predict(X) == y
    sizes = np.unique(y, return_counts=True)[1]
    recalls = (np.array([hits[y == label].sum() for label in np.unique(y)]) + 1) / (sizes + 2)
    return float(np.sqrt(np.sum(recalls * (1 - recalls) / sizes)) / len(sizes))
