"""The base class of all forests: parameters, growing the trees, and the sums of their predictions."""

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from moeliga._ext import forest
from moeliga.base.checks import check_count, check_count_or_share, check_flag, check_number
from moeliga.base.decimals import as_written
from moeliga.base.memory import require
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.base.threads import n_threads
from moeliga.base.typing import Integer, RandomState, Samples
from moeliga.base.warning_filters import warn
from moeliga.data.dataset import BLOCK_BYTES, Dataset
from moeliga.data.memory_estimate import forest_parts
from moeliga.data.target import Target
from moeliga.tree import TreeModel, check_stopping, dense_blocks

MaxFeatures: TypeAlias = Literal["sqrt", "log2"] | Integer | float | None

GROWN_BYTES = 1 << 23
"""Bytes for each thread of the trees that are grown before they are packed, if trees are as large as can be; at most
`BLOCK_BYTES` for all threads. With random thresholds always `BLOCK_BYTES`, as each block reads all values anew."""


class Forest(TreeModel):
    """Base class of the forests: parameters, trees, and the sums and means of their predictions."""

    oob_score_: float
    classes_: NDArray[Any]
    _importances: NDArray[np.float64]
    _target: Target
    _trees: tuple[Any, Any, Any, Any]

    random_cuts = False  # extra-trees: one random threshold for each feature that is drawn

    def __init__(self, n_estimators: Integer = 100, *, max_features: MaxFeatures = "sqrt",
                 max_depth: Integer | None = None, min_samples_split: Integer = 2, min_samples_leaf: Integer = 1,
                 bootstrap: bool = True, max_samples: Integer | float | None = None, oob_score: bool = False,
                 random_state: RandomState = None, n_jobs: Integer | None = None,
                 min_weight_fraction_leaf: float = 0.0) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.min_weight_fraction_leaf = min_weight_fraction_leaf

    def fit(self, X: Samples, y: ArrayLike) -> Self:
        """Grow the trees, and return the forest.

        Parameters
        ----------
        X : array-like or sparse of shape (n_samples, n_features), numbers; NaN = missing
            Coded once for all trees; coded, sparse X takes as much memory as dense X.
        y : array-like of shape (n_samples,), class labels; for a regressor finite numbers

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError : for a parameter out of its range, naming it, the rule and the value; for `oob_score` or
            `max_samples` without `bootstrap`; for X and y as `DecisionTreeClassifier.fit`.
        MemoryError : if more memory is needed than is free.

        Warns
        -----
        UserWarning : with `oob_score`, if all trees have drawn a sample.

        Notes
        -----
        O(F n log n) for coding the data once, then O(n_estimators f n depth) for f features tried at a node.
        """
        rules, threads = self.rules(), n_threads(self.n_jobs)
        X, y = self._check_X_y(X, y)
        n_drawn, n_tried = self.n_drawn(X.shape[0]), self.n_tried(X.shape[1])
        for name in ("oob_score_", "oob_decision_function_", "oob_prediction_"):  # of a fit before
            vars(self).pop(name, None)
        dataset, weights = self._encode(X, y, threads)
        drawn = self._grow(dataset, rules, n_drawn, n_tried, threads, weights)
        if drawn is not None:
            self._set_out_of_bag(*self._sum_predictions(X, threads, drawn), y)
        return self

    def rules(self) -> tuple[int, int, int]:
        """Check all parameters that do not depend on the data; return max_depth, min_samples_split and
        min_samples_leaf for the kernels."""
        check_count("n_estimators", self.n_estimators, 1)
        check_flag("bootstrap", self.bootstrap)
        check_flag("oob_score", self.oob_score)
        check_number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, Real, 0, 0.5)
        if self.oob_score and not self.bootstrap:
            raise ValueError("oob_score must be False without bootstrap, got True")
        if self.max_samples is not None and not self.bootstrap:
            raise ValueError(f"max_samples must be None without bootstrap, got {self.max_samples!r}")
        return check_stopping(self.max_depth, self.min_samples_split, self.min_samples_leaf)

    def n_drawn(self, n_samples: int) -> int:
        """Check `max_samples`; return the number of samples that a tree draws, 0 = none are drawn: it takes all."""
        if not self.bootstrap or self.max_samples is None:
            return n_samples if self.bootstrap else 0
        check_count_or_share("max_samples", self.max_samples, 1)
        if isinstance(self.max_samples, Integral):
            return int(min(self.max_samples, n_samples))
        return max(1, round(as_written(self.max_samples) * n_samples))

    def n_tried(self, n_features: int) -> int:
        """Check `max_features`; return the number of features drawn at a node, 0 = none: all are tried in order."""
        names = {"sqrt": max(1, math.isqrt(n_features)), "log2": max(1, n_features.bit_length() - 1), None: n_features}
        if self.max_features is None or isinstance(self.max_features, str):
            if self.max_features not in names:
                raise ValueError(f"max_features must be 'sqrt', 'log2', a number or None, got {self.max_features!r}")
            n_tried = names[self.max_features]
        else:
            check_count_or_share("max_features", self.max_features, 1)
            whole = isinstance(self.max_features, Integral)
            n_tried = int(self.max_features if whole else max(1, int(as_written(self.max_features) * n_features)))
            n_tried = min(n_tried, n_features)
        return 0 if n_tried == n_features and not self.bootstrap and not self.random_cuts else n_tried

    def _encode(self, X: Any, y: NDArray[Any], threads: int) -> tuple[Dataset, NDArray[np.int32] | None]:
        """Set the attributes that follow from y; return the coded data set of checked X and y, and how often each of
        its samples counts, None = once."""
        raise NotImplementedError

    def _set_out_of_bag(self, sums: NDArray[np.float64], n_votes: NDArray[np.int32], y: NDArray[Any]) -> None:
        """Set the out-of-bag attributes from the sums of the trees' predictions, and the numbers of these trees."""
        raise NotImplementedError

    def _require(self, X: Any, n_classes: int | None, threads: int, n_counted: int = 0) -> None:
        """Raise MemoryError if the fit needs more memory than is free; `n_counted` as for `forest_parts`."""
        require("fit", forest_parts(X, n_classes, threads, self.n_estimators, self.n_drawn(X.shape[0]),
                                    self.random_cuts, self.oob_score, n_counted=n_counted))

    def _grow(self, dataset: Any, rules: tuple[int, int, int], n_drawn: int, n_tried: int, threads: int,
              weights: NDArray[np.int32] | None = None,
              enough: Callable[[], bool] = lambda: False) -> NDArray[np.uint64] | None:
        """Set the trees and the importances; with `oob_score` return the samples that each tree has drawn, as bits.

        `enough` is called between blocks of trees: once it returns True, no further block is grown.
        """
        n, seed = dataset.n_samples, seed_words(self.random_state)
        most = min(n, n_drawn or n)
        n_bytes = BLOCK_BYTES if self.random_cuts else min(BLOCK_BYTES, threads * GROWN_BYTES)
        at_once = max(threads, n_bytes // (80 * most))  # trees of a block: 80 * most bytes each, if as large as can be
        importances = np.zeros(dataset.n_features)
        drawn = np.zeros((self.n_estimators, -(-n // 64)), dtype=np.uint64) if self.oob_score else None
        size = n_drawn or (n if weights is None else int(weights.sum(dtype=np.int64)))
        min_weight = math.ceil(as_written(self.min_weight_fraction_leaf) * size)
        grown = [
            forest.grow(dataset, seed, (Purpose.FOREST, 0, 0), rules, n_drawn, n_tried, self.random_cuts, trees.start,
                        trees.stop - trees.start, importances, None if drawn is None else drawn[trees], threads,
                        weights, min_weight)
            for trees in gen_batches(self.n_estimators, at_once) if trees.start == 0 or not enough()
        ]
        columns: list[Any] = [None if parts[0] is None else np.concatenate(parts) for parts in zip(*grown, strict=True)]
        nodes, n_nodes, shares, n_shares = columns
        self._trees = nodes, np.append(0, np.cumsum(n_nodes)), shares, np.append(0, np.cumsum(n_shares))
        total = math.fsum(importances.tolist())
        self._importances = importances / total if total > 0 else importances
        return drawn

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Mean share of each feature in a tree's decrease of impurity: ndarray of float64, shape (n_features_in_,)."""
        check_is_fitted(self, "_importances")
        return self._importances

    def _sum_predictions(self, X: Any, threads: int, drawn: NDArray[np.uint64] | None = None,
                         ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Return the sums of the trees' predictions for checked X, (n_samples, n_outputs), and the number of trees in
        each: with `drawn`, of `_grow`, those that have not drawn the sample."""
        nodes, node_start, shares, share_start = self._trees
        n_outputs = 1 if shares is None else len(self.classes_)
        parts = []
        for rows, block in dense_blocks(X, 64):
            words = None if drawn is None else np.ascontiguousarray(drawn[:, rows.start // 64 : -(-rows.stop // 64)])
            parts.append(forest.predict(nodes, node_start, shares, share_start, block, n_outputs, words, threads))
        sums, n_votes = zip(*parts, strict=True)
        return np.concatenate(sums), np.concatenate(n_votes)

    def _mean_predictions(self, X: Samples) -> NDArray[np.float64]:
        """Return the mean of the trees' predictions for X: ndarray of float64, shape (n_samples, n_outputs)."""
        return self._sum_predictions(self._check_X(X), n_threads(self.n_jobs))[0] / (len(self._trees[1]) - 1)


def oob_means(sums, n_votes):
    """Return the means over the trees that have not drawn a sample; give NaN, and a warning, if all have drawn it."""
    if not n_votes.all():
        warn(f"{np.count_nonzero(n_votes == 0)} samples were drawn by all trees and have no out-of-bag "
             "prediction: raise n_estimators")
    with np.errstate(invalid="ignore"):
        return sums / n_votes[:, None]


def importances(forest: Forest, data: Dataset | tuple[Samples, ArrayLike],
                enough: Callable[[], bool] = lambda: False) -> NDArray[np.float64]:
    """Return the `feature_importances_` of a forest grown on coded data, or on a pair of X and y: shape (n_features,).

    Samples of coded data count once each. If `enough`, which is called between blocks of trees, returns True, the
    importances are those of the trees so far.
    """
    threads = n_threads(forest.n_jobs)
    dataset, weights = forest._encode(*forest._check_X_y(*data), threads) if isinstance(data, tuple) else (data, None)
    forest._grow(dataset, forest.rules(), forest.n_drawn(dataset.n_samples), forest.n_tried(dataset.n_features),
                 threads, weights, enough)
    return forest.feature_importances_
