"""The checked data of a search, for classification or regression."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse

from moeliga.base.cached_property import cached_property
from moeliga.base.checks import LARGEST, check_labels, check_target
from moeliga.base.memory import require
from moeliga.data.dataset import MOST_SAMPLES, Dataset, Samples, varies
from moeliga.data.memory_estimate import names_parts

MANY = 20
"""Up to this number of distinct values integers are always labels of classes."""

ROWS = 256
"""Rows that are transposed at a time: with single rows, each value would go to another page of memory."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked X and y of a classification or regression problem."""

    X: object  # ndarray or CSC or CSR, shape (n_samples, n_features)
    y: np.ndarray  # shape (n_samples,)
    regression: bool

    @classmethod
    def from_data(cls, X, y, regression, deployed=True):
        """Return the problem of X and y; raise TypeError or ValueError for wrong data, a single class, or if all
        features are constant, MemoryError if there is no memory for the names of the features.

        `deployed` is True if there is a deployed model, which may be any regressor (for the message).
        """
        for what, n, most in zip(("samples", "features"), X.shape, (MOST_SAMPLES, LARGEST), strict=True):
            if n > most:
                raise ValueError(f"X must have at most {most:,} {what}, got {n:,}")
        require("fit", names_parts(X.shape))
        y = check_target(y) if regression else check_like_labels(y, "model" if deployed else "tree")
        if issparse(X) and not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        problem = cls(X, y, regression)
        if len(problem.values) < 2:
            rule = "two distinct values, all are" if regression else "at least 2 classes, got 1 class:"
            raise ValueError(f"y must have {rule} {problem.values.tolist()[0]!r}")
        if not varies(X):
            raise ValueError("X must have a feature with two distinct values, all features are constant")
        return problem

    @cached_property
    def coded(self):
        """The pair (`values`, `labels`)."""
        return np.unique(self.y, return_inverse=True) if self.regression else check_labels(self.y)

    @property
    def values(self):
        """The distinct labels or targets, ascending."""
        return self.coded[0]

    @property
    def labels(self):
        """The index of each sample's label or target in `values`: ndarray of int, shape (n_samples,)."""
        return self.coded[1]

    @property
    def single(self):
        """Indices in `values` of the classes with one sample, unknown to a model that predicts it: ndarray of int64;
        empty for a regressor, and if all classes have one sample."""
        sizes = np.bincount([] if self.regression else self.labels)
        return np.flatnonzero(sizes == 1) if (sizes > 1).any() else np.zeros(0, dtype=np.int64)

    def classes(self):
        """Return the class, or for regression the stratum of the target, of each sample: int, shape (n_samples,)."""
        if not self.regression:
            return self.labels
        samples, found = self.samples(), np.empty(len(self.y), dtype=np.int64)
        found[samples.rows] = samples.labels
        return found

    def part(self, rows):
        """Return the problem of some rows, None = all: Problem."""
        return self if rows is None else replace(self, X=self.X[rows], y=self.y[rows])

    def columns(self):
        """Return X transposed, as compiled judges read it: C-contiguous float64, shape (n_features, n_samples)."""
        X = self.X.toarray(order="F") if issparse(self.X) else self.X
        if X.flags.f_contiguous:
            return np.ascontiguousarray(X.T, dtype=np.float64)
        table = np.empty(X.shape[::-1])
        for begin in range(0, len(X), ROWS):
            table[:, begin : begin + ROWS] = X[begin : begin + ROWS].T
        return table

    def samples(self):
        """Return the samples in the order in which splits are drawn: Samples."""
        if self.regression:
            return Samples.sort_target(self.X.shape[1], self.y)
        return Samples.sort(self.X.shape[1], self.labels, len(self.values))

    def dataset(self, neighbours, n_threads, check=None):
        """Return the data coded for the compiled core: Dataset; `neighbours`, for regression, as for `target.hits`.

        `check` is as for `Dataset.encode`.
        """
        if self.regression:
            return Dataset.encode_target(self.X, self.y, neighbours, n_threads, check)
        return Dataset.encode(self.X, self.labels, len(self.values), n_threads, check)


WAYS = {
    "model": "a regressor as estimator, such as moeliga.RandomForestRegressor() or one of scikit-learn",
    "tree": "moeliga.DecisionTreeRegressor() as estimator, or regressors as the judges of islands",
    "neighbours": "neighbours=, the share of the samples that are hits, such as 0.1"}
"""What a message advises for a continuous target: where a model is deployed, where only a tree or judges guide the
search, and where nothing is fitted."""


def check_like_labels(y, way):
    """Return `y`; raise ValueError if it looks like a continuous target, with the advice `WAYS[way]`."""
    if found := unlike_labels(y):
        raise ValueError(f"y must hold class labels, got {found}: for a continuous target pass {WAYS[way]}; for "
                         "classes pass text, as y.astype(str)")
    return y


def unlike_labels(y):
    """Return text that says why `y` looks like a continuous target, or None if it does not.

    It has fractions, or more than `MANY` distinct numbers, fewer than three samples for each, and a third of them once.
    """
    if y.dtype.kind not in "iuf":
        return None
    fractions = y[y != np.floor(y)]
    if len(fractions):
        return f"numbers such as {fractions[0]}"
    values, counts = np.unique(y, return_counts=True)
    n_single = int((counts == 1).sum())
    if len(values) > max(MANY, len(y) // 3) and 3 * n_single >= len(values):
        return f"{len(values)} distinct numbers for {len(y)} samples, {n_single} of them once"
    return None
