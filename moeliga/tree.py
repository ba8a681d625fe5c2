"""The compiled decision trees as scikit-learn estimators."""

import math
from collections.abc import Iterator
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted, validate_data

from moeliga._ext import tree
from moeliga.base.checks import ALIGNED, LARGEST, check_labels, check_number, check_sparse, check_target, conversion
from moeliga.base.estimator import BaseEstimator, ClassifierMixin, RegressorMixin
from moeliga.base.memory import require
from moeliga.base.threads import n_threads
from moeliga.base.typing import Integer, Samples
from moeliga.data.dataset import BLOCK_BYTES, Dataset, check_n_classes
from moeliga.data.frame import read_pair, read_table
from moeliga.data.memory_estimate import tree_parts

TRAINING: dict[str, Any] = {"accept_sparse": ["csc", "csr"], "dtype": [np.float64, np.float32],
                            "ensure_all_finite": "allow-nan"}
"""What `fit` accepts as X: arguments of scikit-learn's checks."""


def estimator_or_tree(estimator):
    """Return `estimator`, or for None the tree of the paper, of depth 100."""
    return DecisionTreeClassifier(max_depth=100) if estimator is None else estimator


def check_stopping(max_depth: Integer | None, min_samples_split: Integer,
                   min_samples_leaf: Integer) -> tuple[int, int, int]:
    """Return checked (max_depth, min_samples_split, min_samples_leaf) for the kernels."""
    if max_depth is not None:
        check_number("max_depth", max_depth, Integral, 0)
    check_number("min_samples_split", min_samples_split, Integral, 2, LARGEST)
    check_number("min_samples_leaf", min_samples_leaf, Integral, 1, LARGEST)
    return int(LARGEST if max_depth is None else min(max_depth, LARGEST)), int(min_samples_split), int(min_samples_leaf)


def dense_blocks(X: Any, multiple: int = 1) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Yield checked X of float64, dense or CSR, in blocks that start at a `multiple` of rows: (rows, dense block)."""
    step = max(1, BLOCK_BYTES // (multiple * 8 * X.shape[1])) * multiple
    for rows in gen_batches(X.shape[0], step):
        block = X[rows].toarray() if issparse(X) else X[rows]
        yield rows, np.require(block, np.float64, ALIGNED)


class TreeModel(BaseEstimator):
    """Base class of trees and forests: checks of X and y, and tags."""

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def _check_X_y(self, X: Samples, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        """Return (checked X of floats, dense, CSC or CSR, and y) for `fit`."""
        with conversion():
            X, y = read_pair(check_sparse("X", X), y)
            checked: tuple[Any, NDArray[Any]] = validate_data(self, X, y, **TRAINING)
        return checked

    def _check_X(self, X: Samples) -> Any:
        """Return checked X, of float64, dense or CSR, for the methods of a fitted estimator."""
        check_is_fitted(self)
        with conversion():
            return validate_data(self, read_table(check_sparse("X", X)), accept_sparse="csr", dtype=np.float64,
                                 order="C", ensure_all_finite="allow-nan", reset=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


class DecisionTree(TreeModel):
    """Base class of the two trees: parameters, and methods that are the same for classes and targets."""

    nodes_: NDArray[np.void]
    thresholds_: NDArray[np.float64]
    counts_: NDArray[np.int32]

    def __init__(self, *, max_depth: Integer | None = None, min_samples_split: Integer = 2,
                 min_samples_leaf: Integer = 1, n_jobs: Integer | None = None) -> None:
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.n_jobs = n_jobs

    def rules(self) -> tuple[int, int, int]:
        """Return checked (max_depth, min_samples_split, min_samples_leaf) for the kernels."""
        return check_stopping(self.max_depth, self.min_samples_split, self.min_samples_leaf)

    def fit(self, X: Samples, y: ArrayLike) -> Self:
        """Grow the tree, and return it.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features), numbers; NaN = missing
            Sparse X is coded some columns at a time; coded, it takes as much memory as dense X.
        y : array-like of shape (n_samples,), class labels; for the regressor finite numbers

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError : for a parameter out of its range, naming it, the rule and the value; unless X is a table
            of numbers, without infinity, and y as long and without missing values, of labels that can be sorted.
        MemoryError : if more memory is needed than is free.
        """
        rules, threads = self.rules(), n_threads(self.n_jobs)
        self._grow(*self._check_X_y(X, y), rules, threads)
        return self

    def _grow(self, X: Any, y: NDArray[Any], rules: tuple[int, int, int], threads: int) -> None:
        """Set the fitted attributes for checked X and y."""
        raise NotImplementedError

    def apply(self, X: Samples) -> NDArray[np.int32]:
        """Return the index of the leaf of each sample in `nodes_`: int32, shape (n_samples,); O(n_samples depth).

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features), numbers; NaN = missing

        Raises
        ------
        NotFittedError : before `fit`, as all methods that need a fitted tree.
        ValueError : unless X is a table of numbers, without infinity, of the features of the fit; for a wrong `n_jobs`.
        """
        X, threads = self._check_X(X), n_threads(self.n_jobs)
        return np.concatenate([tree.apply(self.nodes_, self.thresholds_, block, threads)
                               for _, block in dense_blocks(X)])

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the decrease of impurity: ndarray of float64, shape (n_features_in_,)."""
        check_is_fitted(self)
        split = np.flatnonzero(self.nodes_["feature"] >= 0)
        left = self.nodes_["left"][split]
        means, n = self._node_means()
        apart = means[left] - means[left + 1]
        square = np.add.accumulate(apart * apart, axis=1)[:, -1]  # in an order that does not depend on the processor
        decrease = n[left] * (n[left + 1] / n[split]) * square
        sums = np.zeros(self.n_features_in_)
        np.add.at(sums, self.nodes_["feature"][split], decrease)
        return sums / (math.fsum(sums) or 1.0)

    def _node_means(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return for each node its mean output, up to a factor, (n_nodes, n_outputs), and its number of samples."""
        raise NotImplementedError

    def get_depth(self) -> int:
        """Return the number of levels of splits: int >= 0; NotFittedError before `fit`."""
        check_is_fitted(self)
        depth = np.zeros(len(self.nodes_), dtype=int)
        for node in np.flatnonzero(self.nodes_["feature"] >= 0):
            left = self.nodes_["left"][node]
            depth[left : left + 2] = depth[node] + 1
        return int(depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves: int >= 1; NotFittedError before `fit`."""
        check_is_fitted(self)
        return int(np.count_nonzero(self.nodes_["feature"] < 0))


class DecisionTreeClassifier(ClassifierMixin, DecisionTree):
    """A decision tree for classification, compiled and exact: CART, Gini impurity, binary splits.

    Thresholds are midpoints of consecutive distinct values in the node; values up to the threshold go left. Of equally
    good splits the one with the lowest feature is made, then with the lowest threshold: the tree depends on the data
    alone, without a random state. Splits without gain are not made. Missing values (NaN) go to the side with the larger
    gain. If the node had none in training, they go to the side with more samples, or right if both have as many.

    Parameters
    ----------
    max_depth : int >= 0 or None, default=None
        Maximum number of levels of splits; None = no limit.
    min_samples_split : int >= 2, default=2
        Smallest node that is split.
    min_samples_leaf : int >= 1, default=1
        Fewest samples that either side of a split may have.
    n_jobs : int or None, default=None
        Threads; None = 1, or what an enclosing `joblib.parallel_config` says, -1 = all processors. The tree does not
        depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_classes_ : int
    n_features_in_ : int
    feature_names_in_ : ndarray of object, shape (n_features_in_,)
        Column names of X, if it has some and all are strings.
    nodes_ : structured ndarray of shape (n_nodes,)
        `feature` (-1 = leaf), `left` (index of the left child; the right one follows it), `missing` (>= 0: missing
        values go left), `label` (index of the majority class).
    thresholds_ : ndarray of float64, shape (n_nodes,)
        Values <= threshold go left; infinite where only missing values go right, NaN for leaves.
    counts_ : ndarray of int32, shape (n_nodes, n_classes)
        Training samples of each class in each node.
    feature_importances_ : ndarray of float64, shape (n_features_in_,)
        Share of each feature in the decrease of impurity; the sum is 1, or 0 without a split.

    Notes
    -----
    O(F n log n) for coding the data once, then O(F n depth). The guide (Judges) lists what only scikit-learn's trees
    have, such as `ccp_alpha`. Exact for features of at most 65,536 distinct values; features with more are coded by
    quantiles first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
    >>> round(float(tree.score(X, y)), 3), tree.get_depth(), tree.get_n_leaves(), tree.apply(X[:2]).tolist()
    (0.973, 3, 5, [1, 1])
    """

    classes_: NDArray[Any]
    n_classes_: int

    def _grow(self, X: Any, y: NDArray[Any], rules: tuple[int, int, int], threads: int) -> None:
        self.classes_, labels = check_labels(y)
        self.n_classes_ = len(self.classes_)
        check_n_classes(self.n_classes_)
        require("fit", tree_parts(X, self.n_classes_, threads))
        dataset = Dataset.encode(X, labels, self.n_classes_, threads)
        self.nodes_, self.thresholds_, self.counts_ = tree.grow(
            dataset, np.arange(X.shape[1], dtype=np.int32), np.zeros(X.shape[0], dtype=np.uint8), *rules, threads)

    def _node_means(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        n = self.counts_.sum(axis=1, dtype=np.int32)
        return self.counts_ / n[:, None], n

    def predict(self, X: Samples) -> NDArray[Any]:
        """Return the majority class of each sample's leaf (the first of equal ones): ndarray of shape (n_samples,).

        X, and what is raised, as for `apply`.
        """
        leaves = self.apply(X)
        return self.classes_[self.nodes_["label"][leaves]]

    def predict_proba(self, X: Samples) -> NDArray[np.float64]:
        """Return the class shares in the leaf of each sample: ndarray of float64, shape (n_samples, n_classes).

        Columns are in the order of `classes_`; X, and what is raised, as for `apply`.
        """
        leaves = self.apply(X)
        counts = self.counts_[leaves]
        return counts / counts.sum(axis=1, keepdims=True)


class DecisionTreeRegressor(RegressorMixin, DecisionTree):
    """A decision tree for regression, compiled and exact: CART, reduction of variance, binary splits.

    Splits follow the rules of `DecisionTreeClassifier`. The target is coded in whole steps (see Notes), whose sums are
    exact: the tree depends on the data alone, and not on the order of the rows.

    Parameters
    ----------
    max_depth, min_samples_split, min_samples_leaf
        As for `DecisionTreeClassifier`.
    n_jobs : int or None, default=None
        Threads that code the data and predict; None = 1, -1 = all processors. One thread grows the tree.

    Attributes
    ----------
    n_features_in_, feature_names_in_, nodes_, thresholds_, feature_importances_
        As for `DecisionTreeClassifier`, but labels are 0.
    values_ : ndarray of float64, shape (n_nodes,)
        Mean target of the training samples in each node.
    counts_ : ndarray of int32, shape (n_nodes,)
        Training samples in each node.

    Notes
    -----
    O(F n log n) for coding the data once, then O(F n depth). Features of more than 65,536 distinct values are coded by
    quantiles first. A step of the target is a power of two: 2^-b to 2^(1-b) of its range, b = min(52, 62 - ceil(log2
    n)), or the last bit of its largest value if that is more.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from moeliga import DecisionTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> round(DecisionTreeRegressor(max_depth=3).fit(X, y).score(X, y), 3)
    0.501
    """

    values_: NDArray[np.float64]

    def _grow(self, X: Any, y: NDArray[Any], rules: tuple[int, int, int], threads: int) -> None:
        require("fit", tree_parts(X, None, threads))
        dataset = Dataset.encode_target(X, check_target(y), n_threads=threads)
        self.nodes_, self.thresholds_, means, self.counts_ = tree.regress(
            dataset, np.arange(X.shape[1], dtype=np.int32), np.zeros(X.shape[0], dtype=np.uint8), *rules)
        self.values_ = dataset.target.values(means)

    def _node_means(self) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        largest = np.abs(self.values_).max() or 1.0  # so that squares stay finite
        return self.values_[:, None] / largest, self.counts_

    def predict(self, X: Samples) -> NDArray[np.float64]:
        """Return the mean target of each sample's leaf: ndarray of float64, shape (n_samples,).

        X, and what is raised, as for `apply`.
        """
        leaves = self.apply(X)
        return self.values_[leaves]
