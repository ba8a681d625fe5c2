"""What a choice by honest scores is worth."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Assessment:
    """What a choice by honest scores is worth, without what choosing adds; NaN = unknown.

    Attributes
    ----------
    index : int
        Index of the chosen member in the front.
    score : float
        Score of the deployed model that new samples should give (BBC-CV).
    interval : tuple of two floats
        Interval of 90 % around it.
    difference, difference_interval : float, tuple of two floats
        How much that is above the score of all features, and the interval of 90 % around it.

    Examples
    --------
    >>> from moeliga.results.assessment import Assessment
    >>> Assessment(index=3, score=0.9).score
    0.9
    """

    index: int
    score: float = np.nan
    interval: tuple[float, float] = (np.nan, np.nan)
    difference: float = np.nan
    difference_interval: tuple[float, float] = (np.nan, np.nan)
