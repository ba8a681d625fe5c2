"""The score on new samples of a choice by honest scores."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Assessment:
    """The score on new samples of a choice by honest scores, corrected for the bias of choosing; NaN = unknown.

    Attributes
    ----------
    index : int
        Index of the chosen member in the front.
    score : float
        Expected score of the deployed model on new samples (BBC-CV).
    interval : tuple of two floats
        Interval of 90 % around it.
    difference, difference_interval : float, tuple of two floats
        The score minus that of all features, and the interval of 90 % around the difference.

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
