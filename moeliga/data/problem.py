"""The data of a search: classes to tell apart, or a target to predict."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from moeliga.base.cached_property import kept
from moeliga.base.checks import LARGEST, check_labels, check_target
from moeliga.data.dataset import MOST_SAMPLES, Dataset, Samples, varies


@dataclass(frozen=True, eq=False)
class Problem:
    """Checked data.

    Attributes
    ----------
    X : ndarray or CSC or CSR, shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    regression : bool
    """

    X: object
    y: np.ndarray
    regression: bool

    @classmethod
    def pose(cls, X, y, regression):
        """Check that there is something to find.

        Raises
        ------
        TypeError, ValueError : naming the argument, the rule and the value.
        """
        for what, n, most in zip(("samples", "features"), X.shape, (MOST_SAMPLES, LARGEST), strict=True):
            if n > most:
                raise ValueError(f"X must have at most {most:,} {what}, got {n:,}")
        if regression:
            y = check_target(y)
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

    @kept
    def coded(self):
        return np.unique(self.y, return_inverse=True) if self.regression else check_labels(self.y)

    @property
    def values(self):
        """Distinct labels or targets, ascending."""
        return self.coded[0]

    @property
    def labels(self):
        """Place of each sample's label or target in `values`: ndarray of int, shape (n_samples,)."""
        return self.coded[1]

    def samples(self):
        """What splits are drawn over: Samples."""
        if self.regression:
            return Samples.sort_target(self.X.shape[1], self.y)
        return Samples.sort(self.X.shape[1], self.labels, len(self.values))

    def dataset(self, neighbours, n_threads):
        """The same, coded for the compiled core: Dataset.

        Parameters
        ----------
        neighbours : float in (0, 1)
            Share of the samples that are hits of a sample; for a target only.
        n_threads : int >= 1
        """
        if self.regression:
            return Dataset.encode_target(self.X, self.y, neighbours, n_threads)
        return Dataset.encode(self.X, self.labels, len(self.values), n_threads)
