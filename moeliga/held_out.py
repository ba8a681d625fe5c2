"""Scores of subsets on fresh splits and on samples held out."""

import numpy as np

from moeliga.dataset import Samples
from moeliga.metadata import Metadata
from moeliga.streams import Purpose, seed_words
from moeliga.tree import DecisionTreeClassifier
from moeliga.wrapper import EstimatorScorer, Splits, find_scorer

ADDRESS = (Purpose.PUBLIC, 0, 0)


class Scores:
    """Scores some subsets with the classifier of a selector.

    Parameters
    ----------
    selector : MOELIGASelector
    values : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    seed : int
    masks : ndarray of bool, shape (m, n_features)
    """

    def __init__(self, selector, values, y, seed, masks):
        self.estimator = DecisionTreeClassifier(max_depth=100) if selector.estimator is None else selector.estimator
        self.scoring, self.validation_size = selector.scoring, selector.validation_size
        self.values, self.y = values, y
        self.seed = seed_words(seed)
        self.masks = masks

    def on_fresh_splits(self, rows, n_splits):
        """Scores on random splits of some rows, the same for all subsets: ndarray of float64, shape (m, n_splits)."""
        return self._score(find_scorer(self.estimator, self.scoring), None, rows, n_splits)

    def held_out(self, train, test, scoring):
        """Score on some rows after training on others: ndarray of float64, shape (m,)."""
        splits = Splits([(train, test)], len(self.y))
        return self._score(find_scorer(self.estimator, scoring), splits, np.arange(len(self.y)), 1)[:, 0]

    def _score(self, scorer, splits, rows, n_splits):
        classes, labels = np.unique(self.y[rows], return_inverse=True)
        samples, nothing = by_class(labels), Metadata({}, {}, {}, len(rows))
        scorer = EstimatorScorer(self.estimator, scorer, splits, self.values[rows], classes, labels, nothing, samples,
                                 samples.n_validation(self.validation_size), 1)
        individuals = np.arange(len(self.masks))
        return scorer.score(self.masks, self.seed, ADDRESS, individuals, n_splits, shared=True)


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
