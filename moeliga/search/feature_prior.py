"""The feature prior of a search: weights of the features, by which added features are drawn."""

import sys
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from moeliga._ext import vary
from moeliga.data.subsets import Subsets
from moeliga.parameters.feature_prior import BLOCK, NAMED, automatic, by_blocks


def n_together(prior, n_samples, subsampled):
    """Return the most values of a dense X that a prior scores together: int; for `subsampled` see `Prior.of`."""
    if prior is None or (automatic(prior) and subsampled):
        return 0
    blocks = isinstance(prior.score_func, str) and NAMED[prior.score_func] is by_blocks
    return max(BLOCK, 3 * n_samples) if blocks else sys.maxsize


def rankable(problem):
    """Return True if "f_classif" can score the features: no value is missing."""
    values = problem.X.data if issparse(problem.X) else problem.X
    return not np.isnan(np.min(values, initial=0.0))


@dataclass(frozen=True, eq=False)
class Prior:
    """A feature prior over the groups of a `Space`."""

    weights: np.ndarray  # float64, shape (n_groups,), > 0
    sizes: np.ndarray  # int32, shape (n_groups,): features of each group
    share: float  # share of the added groups that is drawn anew

    @classmethod
    def of(cls, setting, problem, space, seed, subsampled=False):
        """Return the prior of a `FeaturePrior`, or of None, for data and a space: Prior, or None.

        "auto" has none if the search is `subsampled`, so that most of X must not be read, with missing values, and if
        all scores are NaN, which is a ValueError for any other.
        """
        if setting is None or (automatic(setting) and (subsampled or not rankable(problem))):
            return None
        scores = setting.scores(problem.X, problem.y, seed)
        if np.all(np.isnan(scores)):
            if automatic(setting):
                return None
            raise ValueError("feature_prior must return a number for at least one feature, got NaN for all")
        scores = np.where(np.isnan(scores), -np.inf, scores)
        best = np.maximum.reduceat(scores[space.members], space.start[:-1])
        return cls(setting.weights(best), space.weights, float(setting.share))

    def steered(self, chromosomes, elders, seed, address):
        """Return chromosomes of the same sizes, in which a share of the added groups is drawn by weight: `Subsets`.

        Added are the groups that a chromosome has and its row of `elders`, the groups of its parents as ndarray of
        uint64 of shape (n, n_words), has not. The address is (purpose, population, generation).
        """
        positions = chromosomes.positions
        bits = vary.steer(seed, address, chromosomes.bits, elders, self.weights[positions], self.share,
                          self.sizes[positions])
        return Subsets(bits, positions)
