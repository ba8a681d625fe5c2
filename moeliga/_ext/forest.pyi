import numpy as np
from numpy.typing import NDArray

from moeliga.data.dataset import Dataset

NODE: np.dtype[np.void]
SHARE: np.dtype[np.void]

def grow(
    dataset: Dataset,
    seed: NDArray[np.uint64],
    address: tuple[int, int, int],
    stopping: tuple[int, int, int],
    n_drawn: int,
    n_tried: int,
    random_cuts: bool,
    first: int,
    n_trees: int,
    importances: NDArray[np.float64],
    drawn: NDArray[np.uint64] | None = None,
    n_threads: int = 1,
    weights: NDArray[np.int32] | None = None,
    min_weight: int = 0,
) -> tuple[NDArray[np.void], NDArray[np.int64], NDArray[np.void] | None, NDArray[np.int64]]: ...
def predict(
    nodes: NDArray[np.void],
    node_start: NDArray[np.int64],
    shares: NDArray[np.void] | None,
    share_start: NDArray[np.int64],
    X: NDArray[np.float64],
    n_outputs: int,
    drawn: NDArray[np.uint64] | None = None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
