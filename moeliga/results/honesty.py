"""Honest scores: what samples outside the search say of the members of a front."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Honesty:
    """Scores of m members by the folds of a cross-fitted search; those without an answer are NaN."""

    score: NDArray[np.float64]  # shape (m,): of the answers of all folds together
    folds: NDArray[np.float64]  # shape (m, n_folds): of the answers of each fold
    share: float  # samples held out by a fold for each of its training samples, on average

    def part(self, rows: Any) -> Self:
        """Return the scores of some members."""
        return type(self)(self.score[rows], self.folds[rows], self.share)

    def errors(self, index: Any = None) -> NDArray[np.float64]:
        """Return standard errors of the scores, or of their differences to member `index`: float64, shape (m,).

        Over folds, which have training samples in common: by Nadeau and Bengio (2003) the variance over K folds times
        1 / K + `share`. NaN for fewer than two folds.
        """
        folds = self.folds if index is None else self.folds - self.folds[index]
        return np.sqrt(variances(folds) * (1 / max(1, folds.shape[1]) + self.share))


def variances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variance of each row: ndarray of float64; NaN with fewer than two columns.

    `np.var` would add in an order that depends on the layout in memory.
    """
    n = values.shape[1]
    if n < 2:
        return np.full(len(values), np.nan)
    mean = np.add.accumulate(values, axis=1)[:, -1:] / n
    variance: NDArray[np.float64] = np.add.accumulate((values - mean) * (values - mean), axis=1)[:, -1] / (n - 1)
    return variance
