"""Types of the callbacks, and of what they see."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, overload, type_check_only

import numpy as np
from numpy.typing import NDArray

from moeliga.search.time_estimate import _Stream

SMALL_SIZES: tuple[int, ...]

_Integer: TypeAlias = int | np.integer[Any]
_Counts: TypeAlias = Literal["generation", "best_score_size", "min_size", "max_size", "front_size", "archive_size",
                             "n_replaced", "n_initial", "n_samples", "n_evaluations"]
_Measures: TypeAlias = Literal["hypervolume", "best_score", "median_size", "seconds"]

@type_check_only
class _Row(dict[str, float]):
    """A plain dict; the columns that count are told apart from those that measure."""

    @overload
    def __getitem__(self, key: _Counts, /) -> int: ...
    @overload
    def __getitem__(self, key: _Measures, /) -> float: ...
    @overload
    def __getitem__(self, key: str, /) -> Any: ...

@dataclass(frozen=True, eq=False)
class State:
    generation: int
    n_generations: int
    row: _Row
    # what is inside of a search may change from release to release
    search: Any
    population: Any
    progress: Any

    @property
    def supports(self) -> NDArray[np.bool_]: ...
    @property
    def objectives(self) -> NDArray[np.float64]: ...
    def best_score(self, max_features: _Integer) -> float | None: ...
    @property
    def evaluations_per_second(self) -> float: ...
    @property
    def seconds_left(self) -> float: ...

class PrintProgress:
    stream: _Stream | None
    sizes: list[int]
    def __init__(self, stream: _Stream | None = None, sizes: Sequence[_Integer] = (3, 10)) -> None: ...
    def __call__(self, state: State) -> None: ...

class ProgressBar:
    sizes: list[int]
    # tqdm is optional, and has no types of its own
    tqdm: Any
    bar: Any
    def __init__(self, sizes: Sequence[_Integer] = (3, 10)) -> None: ...
    def __call__(self, state: State) -> None: ...
    def close(self) -> None: ...

def check_sizes(sizes: Sequence[_Integer]) -> list[int]: ...
def best_scores(state: State, sizes: Sequence[_Integer]) -> str: ...
def watchers(verbose: int) -> list[PrintProgress | ProgressBar]: ...
