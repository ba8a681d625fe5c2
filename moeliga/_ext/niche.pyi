from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

MODES: tuple[Literal["cluster"], Literal["niche"], Literal["mean_distance"]]
NORMALISATIONS: tuple[Literal["sum"], Literal["mean"]]

@disjoint_base
class Distances:
    def __len__(self) -> int: ...
    def matrix(self, check: Callable[[], object] | None = None) -> NDArray[np.float64]: ...

def decision_distances(bits: NDArray[np.uint64], n_features: int) -> Distances: ...
def objective_distances(objectives: NDArray[np.float64]) -> Distances: ...
def clusters(
    d2: Distances | NDArray[np.float64], sigma: float, check: Callable[[], object] | None = None
) -> NDArray[np.uint64]: ...
def shared(
    d2: Distances | NDArray[np.float64],
    fitness: NDArray[np.float64],
    rank: NDArray[np.int32],
    mode: Literal["cluster", "niche", "mean_distance"],
    sigma: float,
    alpha: float,
    check: Callable[[], object] | None = None,
) -> NDArray[np.float64]: ...
def normalise(
    fitness: NDArray[np.float64],
    shared: NDArray[np.float64],
    rank: NDArray[np.int32],
    normalisation: Literal["sum", "mean"],
) -> NDArray[np.float64]: ...
