from typing import Literal

import numpy as np
from numpy.typing import NDArray

from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Integer, Number
from moeliga.parameters.words import Crossover, Mutation, Selection

class Variation(BaseEstimator):
    selection: Selection
    tournament_size: Integer
    crossover: Crossover
    crossover_rate: Number
    mutation: Mutation
    mutation_rate: Number
    schedule: Literal["exponential"] | tuple[Number, Number] | list[float] | None

    def __init__(
        self,
        selection: Selection = "roulette",
        tournament_size: Integer = 3,
        crossover: Crossover = "uniform",
        crossover_rate: Number = 0.9,
        mutation: Mutation = "bit",
        mutation_rate: Number = 0.15,
        schedule: Literal["exponential"] | tuple[Number, Number] | list[float] | None = None,
    ) -> None: ...
    def validate(self, name: str = "variation") -> None: ...
    def rate(self, generation: int, n_generations: int) -> float: ...
    def flip_limits(self, generation: int, n_generations: int, n_features: int) -> NDArray[np.uint64]: ...
