from collections.abc import Callable
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from moeliga.data.dataset import Samples

MOST_COUNTED: int

class _Threads(TypedDict):
    enabled: bool
    version: int
    max_threads: int
    level: int

def threads() -> _Threads: ...
def pause() -> None: ...
def workspace_bytes(
    n_samples: int,
    n_classes: int,
    n_codes: int,
    n_train: int,
    k: int,
    max_depth: int,
    n_instances: int,
    target: bool,
    answers: bool = False,
    forest: bool = False,
    n_subsets: int = 1,
    n_features: int = 1,
) -> tuple[int, int]: ...

@disjoint_base
class Evaluator:
    def __init__(
        self,
        dataset: Samples,
        n_validation: NDArray[np.int32],
        max_depth: int,
        min_samples_split: int,
        min_samples_leaf: int,
        score: int = -1,
        positive: int = 1,
        splits: NDArray[np.uint8] | None = None,
        judge: object = None,
        table: NDArray[np.float64] | None = None,
        target: NDArray[np.float64] | None = None,
        leave_one_out: bool = False,
        forest: object = None,
        weights: NDArray[np.float64] | None = None,
    ) -> None: ...
    def evaluate(
        self,
        bits: NDArray[np.uint64],
        features: NDArray[np.int32],
        individuals: NDArray[np.int32],
        seed: NDArray[np.uint64],
        address: tuple[int, int, int],
        n_splits: int,
        shared: bool,
        n_instances: int,
        replace: bool,
        n_threads: int,
        check: Callable[[], object] | None = None,
        tree_seconds: float = 0.0,
        instance_seconds: float = 0.0,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
