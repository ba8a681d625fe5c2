"""Honest scores: scores of the members of a front on samples outside the searches, with standard errors."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import indexing

ALIKE = 3.0
"""Most standard errors of their difference by which scores that are smoothed together differ."""

ignore_overflow = np.errstate(over="ignore", invalid="ignore")
"""Decorator without warnings of overflow: scores of about 1e300 are no longer numbers when they are squared."""


@dataclass(frozen=True, eq=False)
class Honesty:
    """Out-of-fold scores of m members, by a cross-fitted search; NaN for members without answers. Read-only.

    Attributes
    ----------
    score : ndarray of float64, shape (m,)
        By the answers of all folds together.
    folds : ndarray of float64, shape (m, n_folds)
        By the answers of each fold.
    share : float
        Ratio of samples held out to training samples of a fold, on average.
    constant : bool
        True if the model gave one answer for all samples of a fold, whatever the features.
    unit : bool
        False for a score that is known not to be in [0, 1], so that R1 has no meaning.
    """

    score: NDArray[np.float64]
    folds: NDArray[np.float64]
    share: float
    constant: bool = False
    unit: bool = True

    def __post_init__(self) -> None:
        freeze(self.score, self.folds)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        freeze(self.score, self.folds)

    def part(self, rows: Any) -> Self:
        """Return the scores of some members, by index or mask: Honesty."""
        return replace(self, score=self.score[rows], folds=self.folds[rows])

    @ignore_overflow
    def smoothed(self, source: NDArray[np.str_], size: NDArray[np.integer[Any]]) -> Self:
        """Return the scores smoothed over sizes: each is a weighted mean over members of the same source.

        A member with r times as many features, or as few, has the weight r^-3, and none if the scores differ by more
        than `ALIKE` standard errors of their difference: neighbouring sizes have nearly equal true scores, but errors
        of their own. `size` is the number of features of each member. NaN stays NaN.
        """
        m, n_folds = self.folds.shape
        ratio = np.minimum(size[:, None], size) / np.maximum(size[:, None], size)
        gap = self.score[:, None] - self.score
        apart = (self.folds[:, None] - self.folds).reshape(m * m, n_folds)
        limit = (ALIKE * ALIKE * variances(apart) * self.inflation(apart)).reshape(m, m)
        alike = gap * gap <= limit  # False for NaN
        weight = np.where((source[:, None] == source) & alike, ratio * ratio * ratio, 0.0)
        np.fill_diagonal(weight, 1.0)
        values = np.column_stack((self.score, self.folds, np.ones(m)))
        # sums in a fixed order: that of a matrix product depends on the library
        terms = np.where(weight[:, :, None] > 0, weight[:, :, None] * values, 0.0)
        total = np.add.accumulate(terms, axis=1)[np.arange(m), m - 1]
        mean = total[:, :-1] / total[:, -1:]
        return replace(self, score=mean[:, 0], folds=mean[:, 1:])

    def errors(self, index: Any = None) -> NDArray[np.float64]:
        """Return standard errors of the scores, or of their differences to member `index`: float64, shape (m,).

        Corrected for training samples that the folds share (Nadeau and Bengio 2003): the square of the error is the
        variance over K folds times 1 / K + `share`. Folds without a score, such as one that lacks a class, do not
        count; NaN for fewer than two folds. IndexError if there is no such member.

        Examples
        --------
        >>> import numpy as np
        >>> from moeliga.results.honesty import Honesty
        >>> Honesty(np.array([0.8]), np.array([[0.7, 0.9]]), share=0.5).errors().round(3).tolist()
        [0.141]
        """
        with indexing("index", index, len(self.score)), np.errstate(over="ignore", invalid="ignore"):
            folds = self.folds if index is None else self.folds - self.folds[index]
        return np.sqrt(variances(folds) * self.inflation(folds))

    def inflation(self, folds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 / K + `share` for each row of scores by fold, K of them finite: ndarray of float64."""
        inflation: NDArray[np.float64] = 1 / np.maximum(1, np.isfinite(folds).sum(axis=1)) + self.share
        return inflation


def freeze(*arrays: NDArray[Any]) -> None:
    """Make arrays read-only; pickling does not keep this flag."""
    for array in arrays:
        array.flags.writeable = False


@ignore_overflow
def variances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variance of the finite values of each row: ndarray of float64; NaN for fewer than two values.

    `np.var` would sum in an order that depends on the layout in memory.
    """
    if values.shape[1] < 2:
        return np.full(len(values), np.nan)
    known = np.isfinite(values)
    n = known.sum(axis=1)
    mean = np.add.accumulate(np.where(known, values, 0.0), axis=1)[:, -1] / np.maximum(n, 1)
    apart = np.where(known, values - mean[:, None], 0.0)
    total = np.add.accumulate(apart * apart, axis=1)[:, -1]
    return np.where(n > 1, total / np.maximum(n - 1, 1), np.nan)
