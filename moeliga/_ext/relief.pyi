import numpy as np
from numpy.typing import NDArray

LANES: int

def separability(
    values: NDArray[np.float32],
    hits_from: NDArray[np.int32],
    hits_to: NDArray[np.int32],
    selected: NDArray[np.int32],
    instances: NDArray[np.int32],
    level: int = ...,
) -> float: ...
