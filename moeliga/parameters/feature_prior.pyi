from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Number
from moeliga.parameters.typing import ScoreFunction

class FeaturePrior(BaseEstimator):
    score_func: ScoreFunction
    share: Number
    offset: Number

    def __init__(self, score_func: ScoreFunction = "f_classif", share: Number = 0.5, offset: Number = 10.0) -> None: ...
    def validate(self, name: str = "feature_prior") -> None: ...
    def scores(self, X: Any, y: NDArray[Any], seed: NDArray[np.uint64]) -> NDArray[np.float64]: ...
    def weights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]: ...

def __getattr__(name: str) -> Any: ...
