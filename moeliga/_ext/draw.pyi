import numpy as np
from numpy.typing import NDArray

SAMPLE: int

def words(seed: NDArray[np.uint64], address: tuple[int, int, int, int, int], n: int) -> NDArray[np.uint64]: ...
def units(seed: NDArray[np.uint64], address: tuple[int, int, int, int, int], n: int) -> NDArray[np.float64]: ...
def integers(
    seed: NDArray[np.uint64], address: tuple[int, int, int, int, int], below: int, n: int
) -> NDArray[np.uint64]: ...
def split(
    seed: NDArray[np.uint64],
    address: tuple[int, int, int, int, int],
    class_start: NDArray[np.int32],
    n_validation: NDArray[np.int32],
) -> NDArray[np.uint8]: ...
def instances(
    seed: NDArray[np.uint64],
    address: tuple[int, int, int, int, int],
    n_samples: int,
    n_instances: int,
    replace: bool,
) -> NDArray[np.int32]: ...
