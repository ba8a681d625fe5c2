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
        n_folds = folds.shape[1]
        if n_folds < 2:
            return np.full(len(folds), np.nan)
        # np.sum and np.var would add in an order that depends on the layout in memory
        mean = np.add.accumulate(folds, axis=1)[:, -1:] / n_folds
        spread = np.add.accumulate((folds - mean) * (folds - mean), axis=1)[:, -1]
        return np.sqrt(spread / (n_folds - 1) * (1 / n_folds + self.share))
