"""Scores of subsets on fresh splits and on samples held out."""

import numpy as np

from moeliga.dataset import Dataset
from moeliga.streams import Purpose, seed_words
from moeliga.tree import DecisionTreeClassifier
from moeliga.wrapper import EstimatorScorer

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
        labels = np.unique(self.y[rows], return_inverse=True)[1]
        dataset, n_validation = by_class(labels, self.validation_size)
        return self._score(self.scoring, None, self.values[rows], self.y[rows], dataset, n_validation, n_splits)

    def held_out(self, train, test, scoring):
        """Score on some rows after training on others: ndarray of float64, shape (m,)."""
        return self._score(scoring, [(train, test)], self.values, self.y, None, None, 1)[:, 0]

    def _score(self, scoring, splits, values, y, dataset, n_validation, n_splits):
        scorer = EstimatorScorer(self.estimator, scoring, splits, values, y, dataset, n_validation, 1)
        individuals = np.arange(len(self.masks))
        return scorer.score(self.masks, self.seed, ADDRESS, individuals, n_splits, shared=True)


def by_class(labels, share):
    """What a stratified split is drawn from: a Dataset, of which only the classes count, and their validation sizes."""
    dataset = Dataset.encode(np.zeros((len(labels), 1), dtype=np.float32), labels, int(labels.max()) + 1)
    return dataset, dataset.n_validation(share)


def stratified(labels, share, seed):
    """Rows of a random part of each class: ndarray of int, ascending."""
    dataset, n_held_out = by_class(labels, share)
    random = np.random.default_rng(seed)
    classes = np.split(dataset.rows, dataset.class_start[1:-1])
    return np.sort(np.concatenate([random.permutation(rows)[:n] for rows, n in zip(classes, n_held_out, strict=True)]))


def uar_error(estimator, X, y):
    """Standard error of UAR on samples: see `optimism_report`."""
    hits = estimator.predict(X) == y
    sizes = np.unique(y, return_counts=True)[1]
    recalls = (np.array([hits[y == label].sum() for label in np.unique(y)]) + 1) / (sizes + 2)
    return float(np.sqrt(np.sum(recalls * (1 - recalls) / sizes)) / len(sizes))
