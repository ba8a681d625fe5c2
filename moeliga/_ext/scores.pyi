import numpy as np
from numpy.typing import NDArray

NUMBERS: dict[str, int]

def value(
    name: str,
    answers: NDArray[np.float64],
    labels: NDArray[np.int32] | None = None,
    target: NDArray[np.float64] | None = None,
    positive: int = 1,
    learnt: NDArray[np.uint8] | None = None,
    decisions: bool = False,
) -> float: ...
