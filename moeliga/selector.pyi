from abc import ABCMeta
from typing import Any, Literal, Self, TypedDict, TypeVar, Unpack, overload, type_check_only

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import (
    Boolean,
    FitCallback,
    History,
    Integer,
    Number,
    Numbers,
    PathLike,
    Predictor,
    RandomState,
    Samples,
    Several,
    Sparse,
    Subset,
)
from moeliga.parameters.feature_prior import FeaturePrior
from moeliga.parameters.mechanisms import FitnessSharing, LocalImprovement
from moeliga.parameters.typing import Groups, Init, Objectives, ScoreFunction, Scoring, Splits, Subsample, Subsets
from moeliga.parameters.variation import Variation
from moeliga.parameters.words import Crossover, Reevaluate, Replacement, Sharing, SplitMode, Survival
from moeliga.results.front import ParetoFront, Rule
from moeliga.search.checkpoint import Checkpoint
from moeliga.search.state import Callbacks
from moeliga.search.time_estimate import TimeEstimate

Scalar = TypeVar("Scalar", bound=np.generic)

@type_check_only
class _Parameters(TypedDict, total=False):
    """Those of a selector."""

    estimator: Predictor | None
    scoring: Scoring | None
    cv: Splits | None
    n_splits: Integer
    validation_size: Number
    split_mode: SplitMode
    subsample: Subsample
    objectives: Objectives | None
    population_size: Integer
    n_generations: Integer
    n_islands: Integer
    migration_interval: Integer
    n_elite: Integer | Literal["front"]
    generation_gap: Integer
    reevaluate: Reevaluate
    archive: Boolean
    n_per_size: Integer
    n_rescore_splits: Integer
    survival: Survival
    init: Init
    initial_subsets: Subsets | None
    variation: Crossover | Variation
    feature_prior: ScoreFunction | FeaturePrior | None
    sharing: Sharing | FitnessSharing | None
    local_improvement: Replacement | LocalImprovement | None
    must_include: Subset | None
    exclude: Subset | None
    feature_groups: Groups | None
    feature_costs: Numbers | None
    min_features: Integer
    max_features: Integer | None
    rule: Rule
    max_time: Number | None
    max_evaluations: Integer | None
    patience: Integer | None
    checkpoint: PathLike | Checkpoint | None
    callbacks: Callbacks | None
    stop_signals: Several[str]
    verbose: Integer | Boolean
    random_state: RandomState
    n_jobs: Integer | None

class MOELIGASelector(BaseEstimator, metaclass=ABCMeta):
    estimator: Predictor | None
    scoring: Scoring | None
    cv: Splits | None
    n_splits: Integer
    validation_size: Number
    split_mode: SplitMode
    subsample: Subsample
    objectives: Objectives | None
    population_size: Integer
    n_generations: Integer
    n_islands: Integer
    migration_interval: Integer
    n_elite: Integer | Literal["front"]
    generation_gap: Integer
    reevaluate: Reevaluate
    archive: Boolean
    n_per_size: Integer
    n_rescore_splits: Integer
    survival: Survival
    init: Init
    initial_subsets: Subsets | None
    variation: Crossover | Variation
    feature_prior: ScoreFunction | FeaturePrior | None
    sharing: Sharing | FitnessSharing | None
    local_improvement: Replacement | LocalImprovement | None
    must_include: Subset | None
    exclude: Subset | None
    feature_groups: Groups | None
    feature_costs: Numbers | None
    min_features: Integer
    max_features: Integer | None
    rule: Rule
    max_time: Number | None
    max_evaluations: Integer | None
    patience: Integer | None
    checkpoint: PathLike | Checkpoint | None
    callbacks: Callbacks | None
    stop_signals: Several[str]
    verbose: Integer | Boolean
    random_state: RandomState
    n_jobs: Integer | None

    pareto_front_: ParetoFront
    initial_front_: ParetoFront
    support_: NDArray[np.bool_]
    index_: int
    history_: History
    initial_survival_: NDArray[np.int64]
    stop_reason_: str
    n_evaluations_: int
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        estimator: Predictor | None = None,
        *,
        scoring: Scoring | None = None,
        cv: Splits | None = None,
        n_splits: Integer = 3,
        validation_size: Number = 0.3,
        split_mode: SplitMode = "generation",
        subsample: Subsample = None,
        objectives: Objectives | None = None,
        population_size: Integer = 90,
        n_generations: Integer = 300,
        n_islands: Integer = 1,
        migration_interval: Integer = 10,
        n_elite: Integer | Literal["front"] = 10,
        generation_gap: Integer = 10,
        reevaluate: Reevaluate = "average",
        archive: Boolean = True,
        n_per_size: Integer = 0,
        n_rescore_splits: Integer = 50,
        survival: Survival = "nsga2",
        init: Init = "log_uniform",
        initial_subsets: Subsets | None = None,
        variation: Crossover | Variation = "uniform",
        feature_prior: ScoreFunction | FeaturePrior | None = "auto",
        sharing: Sharing | FitnessSharing | None = "cluster",
        local_improvement: Replacement | LocalImprovement | None = "parent",
        must_include: Subset | None = None,
        exclude: Subset | None = None,
        feature_groups: Groups | None = None,
        feature_costs: Numbers | None = None,
        min_features: Integer = 1,
        max_features: Integer | None = None,
        rule: Rule = "r1",
        max_time: Number | None = None,
        max_evaluations: Integer | None = None,
        patience: Integer | None = None,
        checkpoint: PathLike | Checkpoint | None = None,
        callbacks: Callbacks | None = None,
        stop_signals: Several[str] = ("SIGINT",),
        verbose: Integer | Boolean = 0,
        random_state: RandomState = None,
        n_jobs: Integer | None = None,
    ) -> None: ...
    @classmethod
    def from_preset(cls, name: Literal["default", "paper"], **parameters: Unpack[_Parameters]) -> Self: ...
    # metadata are what the estimator, the splitter and the scorer take
    def fit(self, X: Samples, y: ArrayLike, **params: Any) -> Self: ...
    def estimate_time(self, X: Samples, y: ArrayLike, **params: Any) -> TimeEstimate: ...
    def select(
        self,
        rule: Rule | None = None,
        *,
        n_features: Integer | None = None,
        max_features: Integer | None = None,
        max_cost: Number | None = None,
        index: Integer | None = None,
    ) -> Self: ...
    def set_callbacks(self, *callbacks: FitCallback) -> Self: ...
    @overload
    def get_support(self, indices: Literal[False] = False) -> NDArray[np.bool_]: ...
    @overload
    def get_support(self, indices: Literal[True]) -> NDArray[np.intp]: ...
    @overload
    def get_support(self, indices: bool) -> NDArray[np.bool_] | NDArray[np.intp]: ...
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]: ...
    @overload
    def transform(self, X: NDArray[Scalar]) -> NDArray[Scalar]: ...
    @overload
    def transform(self, X: Sparse) -> Any: ...  # CSR of scipy
    @overload
    def transform(self, X: ArrayLike) -> NDArray[Any]: ...
    @overload
    def fit_transform(
        self, X: NDArray[Scalar], y: ArrayLike | None = None, **fit_params: Any
    ) -> NDArray[Scalar]: ...
    @overload
    def fit_transform(self, X: Sparse, y: ArrayLike | None = None, **fit_params: Any) -> Any: ...  # CSR of scipy
    @overload
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    @overload
    def inverse_transform(self, X: NDArray[Scalar]) -> NDArray[Scalar]: ...
    @overload
    def inverse_transform(self, X: Sparse) -> Any: ...  # CSC of scipy
    @overload
    def inverse_transform(self, X: ArrayLike) -> NDArray[Any]: ...
    @overload
    def set_output(self, *, transform: Literal["default"] | None = None) -> Self: ...
    @overload
    def set_output(self, *, transform: Literal["pandas", "polars"]) -> _SelectorOfFrames: ...

@type_check_only
class _SelectorOfFrames(MOELIGASelector):
    """The same selector after `set_output` with the name of a library."""

    def transform(self, X: Samples) -> Any: ...
    def fit_transform(self, X: Samples, y: ArrayLike | None = None, **fit_params: Any) -> Any: ...
