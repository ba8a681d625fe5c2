"""Forests for classification."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_labels
from moeliga.base.estimator import ClassifierMixin
from moeliga.base.typing import Integer, RandomState, Samples
from moeliga.data.dataset import Dataset, check_n_classes
from moeliga.forest.class_weight import ClassWeight, class_counts
from moeliga.forest.ensemble import Forest, MaxFeatures, oob_means

MOST_DRAWN, MOST_COUNTED = (1 << 31) - 1, 1 << 24
"""Largest sum of the weights of all samples where trees draw samples, and where each tree takes all samples as often as
they count (8 n_samples, if that is more)."""


class RandomForestClassifier(ClassifierMixin, Forest):
    """A random forest of compiled trees for classification: Gini impurity, binary splits.

    Each tree is grown on samples that it draws with replacement, and at each node tries a few features, drawn anew.
    The forest is the same for any number of threads. It follows scikit-learn's, but draws other random numbers.

    Parameters
    ----------
    n_estimators : int >= 1, default=100
        Number of trees.
    max_features : 'sqrt', 'log2', int >= 1, float in (0, 1] or None, default='sqrt'
        Features drawn at a node: a number, or a share of all; None, or a number above n_features, = all. More are drawn
        while none of them varies in the node, or none gains.
    max_depth : int >= 0 or None, default=None
        Maximum number of levels of splits; None = no limit.
    min_samples_split : int >= 2, default=2
        Smallest node that is split. Samples that were drawn several times count once.
    min_samples_leaf : int >= 1, default=1
        Fewest samples that either side of a split may have, counted likewise.
    bootstrap : bool, default=True
        Draw the samples of a tree; False = each tree has all.
    max_samples : int >= 1, float in (0, 1] or None, default=None
        Samples that a tree draws: a number, or a share of all; None, or a number above n_samples, = n_samples.
    oob_score : bool, default=False
        Predict each sample by the trees that have not drawn it (out of bag), and score these predictions.
    random_state : int >= 0, RandomState, Generator or None, default=None
        Seed; None = fresh entropy.
    n_jobs : int or None, default=None
        Threads (one for a tree); None = 1, or what an enclosing `joblib.parallel_config` says, -1 = all processors.
    min_weight_fraction_leaf : float in [0, 0.5], default=0.0
        Least share of a tree's samples that either side of a split may have, each as often as it was drawn or counts.
    class_weight : dict from label to number >= 0, 'balanced' or None, default=None
        How often a sample of each class counts (only the ratios matter), 1 for a class that is not named; "balanced" =
        all classes count alike. With `bootstrap` samples are drawn in proportion to it, as by scikit-learn from 1.9 on.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of object, shape (n_features_in_,)
        Column names of X, if it has some and all are strings.
    feature_importances_ : ndarray of float64, shape (n_features_in_,)
        Mean share of each feature in a tree's decrease of impurity; the sum is 1, or 0 if no tree has a split.
    oob_score_ : float
        Accuracy out of bag; set only with `oob_score`, and so is the next one.
    oob_decision_function_ : ndarray of float64, shape (n_samples, n_classes)
        Class probabilities out of bag; NaN for a sample that all trees have drawn.

    Notes
    -----
    Splits follow the rules of `DecisionTreeClassifier`, except that of equally good ones the feature drawn first is
    taken. Where nothing is drawn (no bootstrap, all features) the trees are those of `DecisionTreeClassifier`.
    Weights become whole numbers with the same ratios; these are rounded where all samples together would count more
    than 2^31 times, or 2^24 times (8 n, if that is more) without bootstrap.
    The guide (Judges) lists what only scikit-learn's forests have, such as `sample_weight`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RandomForestClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_score_ > 0.9, model.predict(X[:2])
    (True, array([0, 0]))
    """

    classes_: NDArray[Any]
    n_classes_: int
    oob_decision_function_: NDArray[np.float64]

    def __init__(self, n_estimators: Integer = 100, *, max_features: MaxFeatures = "sqrt",
                 max_depth: Integer | None = None, min_samples_split: Integer = 2, min_samples_leaf: Integer = 1,
                 bootstrap: bool = True, max_samples: Integer | float | None = None, oob_score: bool = False,
                 random_state: RandomState = None, n_jobs: Integer | None = None,
                 min_weight_fraction_leaf: float = 0.0, class_weight: ClassWeight = None) -> None:
        super().__init__(
            n_estimators, max_features=max_features, max_depth=max_depth, min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf, bootstrap=bootstrap, max_samples=max_samples, oob_score=oob_score,
            random_state=random_state, n_jobs=n_jobs, min_weight_fraction_leaf=min_weight_fraction_leaf)
        self.class_weight = class_weight

    def _encode(self, X: Any, y: NDArray[Any], threads: int) -> tuple[Dataset, NDArray[np.int32] | None]:
        self.classes_, labels = check_labels(y)
        self.n_classes_ = len(self.classes_)
        check_n_classes(self.n_classes_)
        weights, n_counted = None, 0
        if self.class_weight is not None:
            most = MOST_DRAWN if self.bootstrap else min(MOST_DRAWN, max(MOST_COUNTED, 8 * len(labels)))
            weights = class_counts(self.class_weight, self.classes_, np.bincount(labels), most)
            n_counted = 0 if self.bootstrap else int(weights[labels].sum(dtype=np.int64))
        self._require(X, self.n_classes_, threads, n_counted)
        dataset = Dataset.encode(X, labels, self.n_classes_, threads)
        return dataset, None if weights is None else weights[dataset.labels]

    def _set_out_of_bag(self, sums: NDArray[np.float64], n_votes: NDArray[np.int32], y: NDArray[Any]) -> None:
        self.oob_decision_function_ = oob_means(sums, n_votes)
        seen = n_votes > 0
        hits = self.classes_[self.oob_decision_function_[seen].argmax(axis=1)] == y[seen]
        self.oob_score_ = float(np.mean(hits)) if seen.any() else math.nan

    def predict_proba(self, X: Samples) -> NDArray[np.float64]:
        """Return the mean over the trees of the class shares in the leaf of each sample.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features), numbers; NaN = missing

        Returns
        -------
        shares : ndarray of float64, shape (n_samples, n_classes), columns in the order of `classes_`

        Raises
        ------
        NotFittedError : before `fit`.
        ValueError : unless X is a table of numbers, without infinity, of the features of the fit; for a wrong `n_jobs`.

        Notes
        -----
        O(n_estimators n_samples depth).
        """
        return self._mean_predictions(X)

    def predict(self, X: Samples) -> NDArray[Any]:
        """Return the class of the largest mean share (the first of equal ones): ndarray of shape (n_samples,).

        X, and what is raised, as for `predict_proba`.
        """
        labels = self.predict_proba(X).argmax(axis=1)
        return self.classes_[labels]


class ExtraTreesClassifier(RandomForestClassifier):
    """Extremely randomised compiled trees for classification: one random threshold for each feature that is drawn.

    A threshold is uniform between the smallest and the largest value of the feature in the node. Where no threshold
    gains anything, the first is taken that divides the node.

    Parameters
    ----------
    n_estimators, max_features, max_depth, min_samples_split, min_samples_leaf, max_samples, oob_score, random_state, \
            n_jobs, min_weight_fraction_leaf, class_weight
        As for `RandomForestClassifier`.
    bootstrap : bool, default=False
        Draw the samples of a tree; False = each tree has all.

    Attributes
    ----------
    classes_, n_classes_, n_features_in_, feature_names_in_, feature_importances_, oob_score_, oob_decision_function_
        As for `RandomForestClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    random_cuts = True

    def __init__(self, n_estimators: Integer = 100, *, max_features: MaxFeatures = "sqrt",
                 max_depth: Integer | None = None, min_samples_split: Integer = 2, min_samples_leaf: Integer = 1,
                 bootstrap: bool = False, max_samples: Integer | float | None = None, oob_score: bool = False,
                 random_state: RandomState = None, n_jobs: Integer | None = None,
                 min_weight_fraction_leaf: float = 0.0, class_weight: ClassWeight = None) -> None:
        super().__init__(
            n_estimators, max_features=max_features, max_depth=max_depth, min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf, bootstrap=bootstrap, max_samples=max_samples, oob_score=oob_score,
            random_state=random_state, n_jobs=n_jobs, min_weight_fraction_leaf=min_weight_fraction_leaf,
            class_weight=class_weight)
