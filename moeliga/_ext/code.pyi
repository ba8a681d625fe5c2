from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

MAX: int

def encode(
    X: NDArray[np.float32] | NDArray[np.float64],
    rows: NDArray[np.int64],
    n_threads: int,
    check: Callable[[], object] | None = None,
) -> tuple[
    NDArray[np.uint8] | NDArray[np.uint16],
    NDArray[np.uint16] | NDArray[np.uint32],
    NDArray[np.float32] | NDArray[np.float64],
    NDArray[np.float32] | NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.float32],
    NDArray[np.int32],
]: ...
