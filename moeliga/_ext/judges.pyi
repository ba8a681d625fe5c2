import numpy as np
from numpy.typing import NDArray

KINDS: dict[str, int]
SCALINGS: dict[str, int]
SHRINKAGES: dict[str, int]

def workspace_bytes(
    judge: object,
    n_learn: int,
    n_ask: int,
    k: int,
    n_classes: int,
    target: bool,
    n_subsets: int = ...,
    n_features: int = ...,
) -> int: ...
def answers(
    judge: object,
    table: NDArray[np.float64],
    selected: NDArray[np.int32],
    learn: NDArray[np.int32],
    ask: NDArray[np.int32] | None = ...,
    labels: NDArray[np.int32] | None = ...,
    target: NDArray[np.float64] | None = ...,
    n_classes: int = ...,
    level: int = ...,
    weights: NDArray[np.float64] | None = ...,
) -> NDArray[np.float64]: ...
