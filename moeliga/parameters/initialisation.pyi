import numpy as np
from numpy.typing import NDArray

from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Integer, Number, Numbers

class StaggeredInit(BaseEstimator):
    fractions: Numbers
    rates: Numbers
    spread: Number

    def __init__(
        self,
        fractions: Numbers = (0.55, 0.30, 0.15),
        rates: Numbers = (0.03, 0.15, 0.35),
        spread: Number = 0.0,
    ) -> None: ...
    def validate(self, name: str = "init") -> None: ...
    def counts(self, population_size: int, n_features: int, seed: NDArray[np.uint64] | None) -> NDArray[np.int64]: ...

class LogUniformInit(BaseEstimator):
    smallest: Integer
    largest: Number

    def __init__(self, smallest: Integer = 1, largest: Number = 0.3333333333333333) -> None: ...
    def validate(self, name: str = "init") -> None: ...
    def counts(self, population_size: int, n_features: int, seed: NDArray[np.uint64]) -> NDArray[np.int64]: ...
