"""Forests for regression."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from moeliga.base.checks import check_target
from moeliga.base.estimator import RegressorMixin
from moeliga.base.typing import Integer, RandomState, Samples
from moeliga.data.dataset import Dataset
from moeliga.forest.ensemble import Forest, MaxFeatures, oob_means


class RandomForestRegressor(RegressorMixin, Forest):
    """A random forest of compiled trees for regression: reduction of variance, binary splits.

    The target is coded in whole steps, as for `DecisionTreeRegressor`, whose sums are exact.

    Parameters
    ----------
    n_estimators, max_depth, min_samples_split, min_samples_leaf, bootstrap, max_samples
        As for `RandomForestClassifier`, and so are oob_score, random_state, n_jobs and min_weight_fraction_leaf.
    max_features : 'sqrt', 'log2', int >= 1, float in (0, 1] or None, default=1.0
        Features drawn at a node; by default all.

    Attributes
    ----------
    n_features_in_, feature_names_in_, feature_importances_
        As for `RandomForestClassifier`.
    oob_score_ : float
        R2 out of bag; set only with `oob_score`, and so is the next one.
    oob_prediction_ : ndarray of float64, shape (n_samples,)
        Predictions out of bag; NaN for a sample that all trees have drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from moeliga import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> RandomForestRegressor(oob_score=True, random_state=0).fit(X, y).oob_score_ > 0.4
    True
    """

    oob_prediction_: NDArray[np.float64]

    def __init__(self, n_estimators: Integer = 100, *, max_features: MaxFeatures = 1.0,
                 max_depth: Integer | None = None, min_samples_split: Integer = 2, min_samples_leaf: Integer = 1,
                 bootstrap: bool = True, max_samples: Integer | float | None = None, oob_score: bool = False,
                 random_state: RandomState = None, n_jobs: Integer | None = None,
                 min_weight_fraction_leaf: float = 0.0) -> None:
        super().__init__(
            n_estimators, max_features=max_features, max_depth=max_depth, min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf, bootstrap=bootstrap, max_samples=max_samples, oob_score=oob_score,
            random_state=random_state, n_jobs=n_jobs, min_weight_fraction_leaf=min_weight_fraction_leaf)

    def _encode(self, X: Any, y: NDArray[Any], threads: int) -> tuple[Dataset, None]:
        self._require(X, None, threads)
        dataset = Dataset.encode_target(X, check_target(y), n_threads=threads)
        self._target = replace(dataset.target, steps=dataset.target.steps[:0])  # converts means of steps to targets
        return dataset, None

    def _set_out_of_bag(self, sums: NDArray[np.float64], n_votes: NDArray[np.int32], y: NDArray[Any]) -> None:
        self.oob_prediction_ = self._target.values(oob_means(sums, n_votes)[:, 0])
        seen = n_votes > 0
        self.oob_score_ = float(r2_score(y[seen], self.oob_prediction_[seen])) if seen.sum() > 1 else math.nan

    def predict(self, X: Samples) -> NDArray[np.float64]:
        """Return the mean over the trees of the mean target in the leaf of each sample.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features), numbers; NaN = missing

        Returns
        -------
        target : ndarray of float64, shape (n_samples,)

        Raises
        ------
        NotFittedError : before `fit`.
        ValueError : unless X is a table of numbers, without infinity, of the features of the fit; for a wrong `n_jobs`.

        Notes
        -----
        O(n_estimators n_samples depth).
        """
        means = self._mean_predictions(X)[:, 0]
        return self._target.values(means)


class ExtraTreesRegressor(RandomForestRegressor):
    """Extremely randomised compiled trees for regression: one random threshold for each feature that is drawn.

    Parameters
    ----------
    n_estimators, max_depth, min_samples_split, min_samples_leaf, max_samples, oob_score, random_state, n_jobs, \
            min_weight_fraction_leaf
        As for `RandomForestClassifier`.
    max_features
        As for `RandomForestRegressor`.
    bootstrap : bool, default=False
        Draw the samples of a tree; False = each tree has all.

    Attributes
    ----------
    n_features_in_, feature_names_in_, feature_importances_, oob_score_, oob_prediction_
        As for `RandomForestRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from moeliga import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreesRegressor(min_samples_leaf=5, random_state=0).fit(X, y).score(X, y) > 0.6
    True
    """

    random_cuts = True

    def __init__(self, n_estimators: Integer = 100, *, max_features: MaxFeatures = 1.0,
                 max_depth: Integer | None = None, min_samples_split: Integer = 2, min_samples_leaf: Integer = 1,
                 bootstrap: bool = False, max_samples: Integer | float | None = None, oob_score: bool = False,
                 random_state: RandomState = None, n_jobs: Integer | None = None,
                 min_weight_fraction_leaf: float = 0.0) -> None:
        super().__init__(
            n_estimators, max_features=max_features, max_depth=max_depth, min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf, bootstrap=bootstrap, max_samples=max_samples, oob_score=oob_score,
            random_state=random_state, n_jobs=n_jobs, min_weight_fraction_leaf=min_weight_fraction_leaf)
