from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

SELECTIONS: tuple[Literal["roulette"], Literal["tournament"]]
CROSSOVERS: tuple[Literal["one_point"], Literal["two_point"], Literal["uniform"]]

class _Limits(Protocol):
    """`moeliga.data.feature_space.Limits`"""

    @property
    def least(self) -> int: ...
    @property
    def most(self) -> int: ...
    @property
    def weights(self) -> NDArray[np.int32] | None: ...
    @property
    def witness(self) -> NDArray[np.uint64] | None: ...

def create(
    seed: NDArray[np.uint64],
    address: tuple[int, int, int],
    counts: NDArray[np.int64],
    n_features: int,
    limits: _Limits | None = None,
) -> NDArray[np.uint64]: ...
def scatter(
    seed: NDArray[np.uint64],
    address: tuple[int, int, int],
    n: int,
    n_features: int,
    limits: _Limits | None = None,
) -> NDArray[np.uint64]: ...
def select(
    seed: NDArray[np.uint64],
    address: tuple[int, int, int],
    fitness: NDArray[np.float64],
    n: int,
    selection: Literal["roulette", "tournament"],
    tournament_size: int,
) -> NDArray[np.int32]: ...
def offspring(
    seed: NDArray[np.uint64],
    address: tuple[int, int, int],
    parents: NDArray[np.uint64],
    fitness: NDArray[np.float64],
    n_features: int,
    n_children: int,
    selection: Literal["roulette", "tournament"],
    tournament_size: int,
    crossover: Literal["one_point", "two_point", "uniform"],
    crossover_rate: float,
    flip_limits: NDArray[np.uint64],
    limits: _Limits | None = None,
) -> NDArray[np.uint64]: ...
def distinct(
    seed: NDArray[np.uint64],
    address: tuple[int, int, int],
    bits: NDArray[np.uint64],
    n_features: int,
    n_flips: int,
    tries: int,
    limits: _Limits | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]: ...
def steer(
    seed: NDArray[np.uint64],
    address: tuple[int, int, int],
    bits: NDArray[np.uint64],
    elders: NDArray[np.uint64],
    weights: NDArray[np.float64],
    share: float,
    sizes: NDArray[np.int32] | None = None,
) -> NDArray[np.uint64]: ...
