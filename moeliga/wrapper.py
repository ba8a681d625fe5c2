"""Objective I with any scikit-learn classifier, scorer and cross-validation splitter."""

from numbers import Real

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from moeliga._ext import draw
from moeliga.streams import Purpose


class EstimatorScorer:
    """Scores subsets with a scikit-learn classifier.

    Parameters
    ----------
    estimator : classifier
        Cloned for every fit; parameters called random_state that are None get a number of the search's own streams.
    scoring : str, callable or None
        As in scikit-learn; None = balanced accuracy, which is UAR.
    splits : list of (train, test) or None
        Fixed splits; None = stratified splits drawn for every evaluation, as for the compiled tree.
    X, y : ndarray
        The caller's rows.
    dataset : Dataset
        Of the same rows; numbers the samples that splits are drawn over.
    n_validation : ndarray of int32, shape (n_classes,)
    n_jobs : int or None
        joblib workers; 1 does not touch joblib.
    """

    def __init__(self, estimator, scoring, splits, X, y, dataset, n_validation, n_jobs):
        self.estimator = estimator
        self.scorer = check_scoring(estimator, scoring="balanced_accuracy" if scoring is None else scoring)
        self.splits = splits
        self.X = X
        self.y = y
        self.dataset = dataset
        self.n_validation = n_validation
        self.n_jobs = n_jobs
        self.seeded = sorted(name for name, value in estimator.get_params().items()
                             if name.split("__")[-1] == "random_state" and value is None)

    def score(self, masks, seed, address, individuals, n_splits, shared):
        """Scores of every subset on every split: float64, shape (n, n_splits); see `Objectives.evaluate`."""
        tasks = [(mask, seed, (*address, 0 if shared else int(number)), n_splits)
                 for mask, number in zip(masks, individuals, strict=True)]
        if self.n_jobs == 1:
            rows = [self.score_subset(*task) for task in tasks]
        else:
            from joblib import Parallel, delayed

            rows = Parallel(n_jobs=self.n_jobs)(delayed(self.score_subset)(*task) for task in tasks)
        return np.array(rows, dtype=np.float64).reshape(len(masks), -1)

    def score_subset(self, mask, seed, address, n_splits):
        """Scores of one subset on its splits; `address` is (purpose, population, generation, individual)."""
        X = self.X[:, mask]
        scores = []
        splits = self.splits if self.splits is not None else self.drawn(seed, address, n_splits)
        for test, (train, validation) in enumerate(splits):
            model = clone(self.estimator)
            if self.seeded:
                purpose, *rest = address
                words = draw.words(seed, (Purpose.ESTIMATOR << 8 | purpose, *rest, test), len(self.seeded))
                model.set_params(**{name: int(word >> np.uint64(33)) for name, word in
                                    zip(self.seeded, words, strict=True)})
            model.fit(X[train], self.y[train])
            score = self.scorer(model, X[validation], self.y[validation])
            if not isinstance(score, Real):
                raise TypeError(f"scoring must return a number, got {score!r}")
            scores.append(score)
        return scores

    def drawn(self, seed, address, n_splits):
        """Stratified splits at an address, as rows of X: pairs (train, validation)."""
        for test in range(n_splits):
            marks = draw.split(seed, (*address, test), self.dataset.class_start, self.n_validation)
            yield self.dataset.rows[marks == 0], self.dataset.rows[marks == 1]
