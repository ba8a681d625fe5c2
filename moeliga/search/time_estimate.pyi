"""Types of an estimate of time, and of what makes it."""

from dataclasses import dataclass
from typing import Any, Protocol, type_check_only

import numpy as np
from numpy.typing import NDArray

ENOUGH_SECONDS: float
LONG_SECONDS: float
FRONT_SHARE: float

@type_check_only
class _Stream(Protocol):
    """As much of a file as `print` needs."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...

@dataclass(frozen=True)
class TimeEstimate:
    seconds: float
    n_evaluations: int
    n_measured: int
    seconds_measured: float

    def __float__(self) -> float: ...

def duration(seconds: float) -> str: ...

# what is inside of a search has no types
def planned_main(search: Any, population_size: int, generation: int) -> int: ...
def n_subordinates(search: Any, generation: int) -> int: ...
def planned_subordinate(search: Any, bits: NDArray[np.uint64]) -> int: ...
def planned_generation(search: Any, population_size: int) -> int: ...
def tell(estimated: TimeEstimate, stream: _Stream | None = None) -> None: ...
def estimate(search: Any, bits: NDArray[np.uint64], n_generations: int, n_rescore_splits: int) -> TimeEstimate: ...
def evaluate(search: Any, bits: NDArray[np.uint64], rows: NDArray[np.intp]) -> float: ...
