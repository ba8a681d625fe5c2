"""Weights of classes for the trees of forests: whole numbers, how often a sample of each class counts."""

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_number
from moeliga.base.decimals import as_written

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None


def class_weights(weights: Mapping[Any, float], values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weight of each class in `values`, 1 for those that `weights` does not name: ndarray of float64."""
    known = values.tolist()
    strangers = [label for label in weights if label not in known]
    if strangers and not all(label in weights for label in known):
        raise ValueError(f"class_weight must have class labels of y as keys, got {strangers[0]!r}, which is none of "
                         f"{known}")
    found = np.array([float(weights.get(label, 1)) for label in known])
    if not found.any():
        raise ValueError(f"class_weight must have a weight above 0, got {weights!r}")
    return found


def integer_ratios(weights: list[Fraction]) -> list[int]:
    """Return whole numbers in the ratios of `weights`, at least one of which is above 0, without a common divisor."""
    scale = lcm(*(weight.denominator for weight in weights))
    numbers = [int(weight * scale) for weight in weights]
    shared = gcd(*numbers)
    return [number // shared for number in numbers]


def class_counts(class_weight: ClassWeight, values: NDArray[Any], sizes: NDArray[np.int64],
           most: int) -> NDArray[np.int32]:
    """Return how often a sample of each class counts: ndarray of int32, >= 0.

    Parameters
    ----------
    class_weight : dict from label to weight, or "balanced"
        Ratios of the numbers; they are rounded where all samples together would count more than `most` times, but a
        weight above 0 is never 0.
    values : ndarray of shape (n_classes,), labels
    sizes : ndarray of int64, shape (n_classes,), > 0
        Samples of each class.
    most : int >= 2 sizes.sum()

    Raises
    ------
    TypeError, ValueError : for any other `class_weight`, naming the rule and the value.
    """
    if isinstance(class_weight, Mapping):
        for label, weight in class_weight.items():
            check_number(f"class_weight[{label!r}]", weight, Real, 0)
        weights = [as_written(weight) for weight in class_weights(class_weight, values)]
    elif isinstance(class_weight, str) and class_weight == "balanced":
        weights = [Fraction(1, size) for size in sizes.tolist()]
    else:
        raise ValueError(f"class_weight must be a dict, 'balanced' or None, got {class_weight!r}")
    numbers, n_samples = integer_ratios(weights), int(sizes.sum())
    total = sum(number * size for number, size in zip(numbers, sizes.tolist(), strict=True))
    if total > most:
        share = Fraction(most - n_samples, total)
        numbers = [max(1, int(number * share)) if number else 0 for number in numbers]
    return np.array(numbers, dtype=np.int32)
