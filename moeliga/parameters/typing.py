"""Types of the parameters of a search that are more than numbers and words."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moeliga.base.typing import Column, HasSupport, Integer, Number, Rows, Several, Splitter, Subset
from moeliga.parameters.initialisation import LogUniformInit, StaggeredInit
from moeliga.parameters.mechanisms import Cardinality, FeatureCost, Separability

Objective: TypeAlias = (
    Literal["uar", "r2", "cardinality", "cost", "separability"] | Cardinality | FeatureCost | Separability
    | Callable[[NDArray[np.bool_], Any, Any], SupportsFloat]
)
"""A callable gets a mask and the data of `fit`, dense or sparse: it may ask for the kind that it can use."""

Objectives: TypeAlias = Sequence[Objective]

Scoring: TypeAlias = str | Callable[[Any, Any, Any], Number]
"""A scorer gets an estimator and data, and may ask for the kinds that it can use."""

ScoreFunction: TypeAlias = (
    Literal["auto", "f_classif", "mutual_info_classif", "chi2", "f_regression", "mutual_info_regression"]
    | Callable[[Any, Any], ArrayLike | tuple[ArrayLike, object]]
)
"""A callable gets the data as `fit` got them, and returns scores, or (scores, p-values)."""

Splits: TypeAlias = Integer | Splitter | Iterable[tuple[Rows, Rows]]
Subsets: TypeAlias = Sequence[Subset | HasSupport] | NDArray[np.bool_]
Groups: TypeAlias = Several[Hashable] | Sequence[Subset] | Column[np.dtype[Any]] | Mapping[Any, Subset]
Init: TypeAlias = Literal["staggered", "log_uniform"] | StaggeredInit | LogUniformInit
Schedule: TypeAlias = Literal["exponential"] | tuple[Number, Number] | list[float]
Subsample: TypeAlias = Literal["auto"] | Number | None
