"""Honest scores: what samples outside the search say of the members of a front."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import indexing

ALIKE = 3.0
"""Standard errors of their difference by which two scores may differ for one to say something of the other."""


@dataclass(frozen=True, eq=False)
class Honesty:
    """Scores of m members by the folds of a cross-fitted search; those without an answer are NaN. Read-only.

    Attributes
    ----------
    score : ndarray of float64, shape (m,)
        By the answers of all folds together.
    folds : ndarray of float64, shape (m, n_folds)
        By the answers of each fold.
    share : float
        Samples held out by a fold for each of its training samples, on average.
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

    @np.errstate(over="ignore", invalid="ignore")  # of scores that are no longer numbers when they are squared
    def smoothed(self, source: NDArray[np.str_], size: NDArray[np.integer[Any]]) -> Self:
        """Return the scores as means over members of the same source and of nearly as many features.

        One of r times as many features, or of as few, counts r^-3, and none whose score differs by more than `ALIKE`
        standard errors of the difference: sizes beside each other are worth nearly the same, and their scores have each
        an error of its own. `size` are numbers of features; what is NaN stays so.
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
        # one after the other: a product of matrices adds in an order that depends on the library
        terms = np.where(weight[:, :, None] > 0, weight[:, :, None] * values, 0.0)
        total = np.add.accumulate(terms, axis=1)[np.arange(m), m - 1]
        mean = total[:, :-1] / total[:, -1:]
        return replace(self, score=mean[:, 0], folds=mean[:, 1:])

    def errors(self, index: Any = None) -> NDArray[np.float64]:
        """Return standard errors of the scores, or of their differences to member `index`: float64, shape (m,).

        Over folds, which have training samples in common: by Nadeau and Bengio (2003) the variance over K folds times
        1 / K + `share`. Folds without a score, as one that lacks a class may be, do not count; NaN for fewer than two.
        IndexError for a member that there is not.

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
        """Return the factor from the variance of each row of scores by fold to that of its mean: ndarray of float64."""
        inflation: NDArray[np.float64] = 1 / np.maximum(1, np.isfinite(folds).sum(axis=1)) + self.share
        return inflation


def freeze(*arrays: NDArray[Any]) -> None:
    """Make arrays read-only, which pickling forgets."""
    for array in arrays:
        array.flags.writeable = False


@np.errstate(over="ignore", invalid="ignore")
def variances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variance of the numbers in each row, without NaN: ndarray of float64; NaN for fewer than two.

    `np.var` would add in an order that depends on the layout in memory.
    """
    if values.shape[1] < 2:
        return np.full(len(values), np.nan)
    known = np.isfinite(values)
    n = known.sum(axis=1)
    mean = np.add.accumulate(np.where(known, values, 0.0), axis=1)[:, -1] / np.maximum(n, 1)
    apart = np.where(known, values - mean[:, None], 0.0)
    total = np.add.accumulate(apart * apart, axis=1)[:, -1]
    return np.where(n > 1, total / np.maximum(n - 1, 1), np.nan)
