from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Boolean, Integer, Number, Numbers
from moeliga.parameters.words import Normalisation, Replacement, Sharing, Space

NEIGHBOURS: float

class Cardinality(BaseEstimator):
    name: ClassVar[Literal["cardinality"]]
    lambda_: Number | None
    gamma: Number

    def __init__(self, lambda_: Number | None = 0.5, gamma: Number = 0.0) -> None: ...
    def validate(self, name: str = "cardinality") -> None: ...
    def values(self, n_selected: Numbers, n_features: Integer) -> NDArray[np.float64]: ...

class FeatureCost(BaseEstimator):
    name: ClassVar[Literal["cost"]]

    def validate(self, name: str = "cost") -> None: ...
    def values(self, costs: Numbers, total: Number) -> NDArray[np.float64]: ...

class Separability(BaseEstimator):
    name: ClassVar[Literal["separability"]]
    samples: Number
    replace: Boolean
    neighbours: Number

    def __init__(self, samples: Number = 0.3, replace: Boolean = True, neighbours: Number = 0.1) -> None: ...
    def validate(self, name: str = "separability") -> None: ...
    def n_instances(self, n_samples: int) -> int: ...

class FitnessSharing(BaseEstimator):
    mode: Sharing
    space: Space
    sigma: Number
    alpha: Number
    rank_normalisation: Normalisation

    def __init__(
        self,
        mode: Sharing = "cluster",
        space: Space = "decision",
        sigma: Number = 0.0025,
        alpha: Number = 1.0,
        rank_normalisation: Normalisation = "mean",
    ) -> None: ...
    def validate(self, name: str = "sharing") -> None: ...

class LocalImprovement(BaseEstimator):
    n_populations: Integer
    population_size: Integer
    n_generations: Integer
    every: Integer
    replacement: Replacement
    patience: Integer | None
    adaptive: Boolean

    def __init__(
        self,
        n_populations: Integer = 3,
        population_size: Integer = 40,
        n_generations: Integer = 8,
        every: Integer = 5,
        replacement: Replacement = "parent",
        patience: Integer | None = None,
        adaptive: Boolean = False,
    ) -> None: ...
    @property
    def most_populations(self) -> int: ...
    def validate(self, name: str = "local_improvement") -> None: ...

def __getattr__(name: str) -> Any: ...
