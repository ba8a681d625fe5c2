import numpy as np
from numpy.typing import NDArray

LANES: int

def separability(
    values: NDArray[np.float32],
    class_start: NDArray[np.int32],
    selected: NDArray[np.int32],
    instances: NDArray[np.int32],
    level: int = ...,
) -> float: ...
