import numpy as np
from numpy.typing import NDArray

from moeliga.data.dataset import Dataset

PAD: int
COUNTED: int
LEVEL: int
NODE: np.dtype[np.void]

def grow(
    dataset: Dataset,
    features: NDArray[np.int32],
    marks: NDArray[np.uint8],
    max_depth: int,
    min_samples_split: int,
    min_samples_leaf: int,
    n_threads: int = 1,
    alone: int = 0,
) -> tuple[NDArray[np.void], NDArray[np.float64], NDArray[np.int32]]: ...
def regress(
    dataset: Dataset,
    features: NDArray[np.int32],
    marks: NDArray[np.uint8],
    max_depth: int,
    min_samples_split: int,
    min_samples_leaf: int,
) -> tuple[NDArray[np.void], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]: ...
def label(dataset: Dataset, nodes: NDArray[np.void]) -> NDArray[np.int32]: ...
def apply(
    nodes: NDArray[np.void], thresholds: NDArray[np.float64], X: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.int32]: ...
