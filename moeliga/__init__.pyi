"""Types of everything that `moeliga` exports; `tests/project/test_typed.py` compares them with the code.

scikit-learn has no types of its own, so what its base classes give is written out here. matplotlib, pandas and polars
may be missing where this is read, so their objects are of the type Any, under a name that says what they are.
"""

import os
from abc import ABCMeta
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import (
    Any,
    ClassVar,
    Literal,
    Protocol,
    Self,
    SupportsFloat,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    overload,
    type_check_only,
)

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moeliga.callbacks import PrintProgress as PrintProgress
from moeliga.callbacks import ProgressBar as ProgressBar
from moeliga.callbacks import State, _Counts, _Integer, _Measures
from moeliga.search.time_estimate import TimeEstimate

__version__: str

__all__ = [
    "Cardinality",
    "Checkpoint",
    "ConvergenceDisplay",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "FeatureCost",
    "FeatureFrequencyDisplay",
    "FeaturePrior",
    "FitnessSharing",
    "LocalImprovement",
    "LogUniformInit",
    "MOELIGASelector",
    "OptimismReport",
    "OptimismDisplay",
    "ParetoFront",
    "ParetoFrontDisplay",
    "PrintProgress",
    "ProgressBar",
    "Separability",
    "StabilityDisplay",
    "StabilityReport",
    "StaggeredInit",
    "Variation",
    "evaluate_subsets",
    "optimism_report",
    "pareto_rank",
    "separability",
    "shared_fitness",
    "show_versions",
    "stability_report",
    "write_report",
]

# What arguments may be

_T_co = TypeVar("_T_co", covariant=True)
_ScalarT = TypeVar("_ScalarT", bound=np.generic)
_DTypeT_co = TypeVar("_DTypeT_co", covariant=True, bound=np.dtype[Any])

@type_check_only
class _Several(Protocol[_T_co]):
    """A list, a tuple, or what else has places. A str is none: it finds nothing but other str in itself."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> _T_co: ...
    def __iter__(self) -> Iterator[_T_co]: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __reversed__(self) -> Iterator[_T_co]: ...
    # with `index` or `count`, which take any value, mypy would take a list of anything for a list of Any

@type_check_only
class _Column(Protocol[_DTypeT_co]):
    """An array, or the column of a table."""

    def __len__(self) -> int: ...
    def __array__(self) -> np.ndarray[Any, _DTypeT_co]: ...

@type_check_only
class _Sparse(Protocol):
    """A sparse array or matrix of scipy, which has no types of its own."""

    @property
    def nnz(self) -> int: ...
    # they give each other, under several names
    def tocsc(self, copy: bool = ...) -> Any: ...
    def tocsr(self, copy: bool = ...) -> Any: ...

_Number: TypeAlias = float | np.integer[Any] | np.floating[Any]
_Bool: TypeAlias = bool | np.bool_
_Numbers: TypeAlias = _Several[_Number] | _Column[np.dtype[np.integer[Any] | np.floating[Any]]]
_Pair: TypeAlias = tuple[str, str] | list[str]
_Texts: TypeAlias = _Several[str] | _Column[np.dtype[np.str_ | np.object_]]
_Path: TypeAlias = str | os.PathLike[str]
_RandomState: TypeAlias = int | np.integer[Any] | np.random.RandomState | np.random.Generator | None
_Samples: TypeAlias = ArrayLike | _Sparse
_Subset: TypeAlias = (
    _Several[str]
    | _Several[_Integer]
    | _Several[_Bool]
    | _Column[np.dtype[np.bool_ | np.integer[Any] | np.str_ | np.object_]]
)

@type_check_only
class _HasSupport(Protocol):
    """A fitted selector of features; those of scikit-learn have no types."""

    def get_support(self) -> Any: ...

@type_check_only
class _Predictor(Protocol):
    """A classifier or regressor of scikit-learn's kind, whatever data and metadata its `fit` takes."""

    @property
    def fit(self) -> Callable[..., object]: ...
    def get_params(self, deep: bool = ...) -> Mapping[str, Any]: ...
    @property
    def set_params(self) -> Callable[..., object]: ...

@type_check_only
class _Splitter(Protocol):
    """A splitter of scikit-learn's kind, whatever data and metadata its `split` takes."""

    @property
    def split(self) -> Callable[..., Iterable[tuple[Any, Any]]]: ...

@type_check_only
class _FitCallback(Protocol):
    """A callback of scikit-learn's protocol; each method gets the keywords that it names, and no others."""

    @property
    def setup(self) -> Callable[..., object]: ...
    @property
    def on_fit_task_begin(self) -> Callable[..., object]: ...
    @property
    def on_fit_task_end(self) -> Callable[..., object]: ...
    @property
    def teardown(self) -> Callable[..., object]: ...

_Callback: TypeAlias = Callable[[State], object]
_Callbacks: TypeAlias = _Callback | Sequence[_Callback]
_Subsets: TypeAlias = Sequence[_Subset | _HasSupport] | NDArray[np.bool_]
# the data are what `fit` got, a dense or a sparse array: a function may ask for the kind that it can use
_Objective: TypeAlias = (
    Literal["uar", "r2", "cardinality", "cost", "separability"]
    | Cardinality
    | FeatureCost
    | Separability
    | Callable[[NDArray[np.bool_], Any, Any], SupportsFloat]
)
_Objectives: TypeAlias = Sequence[_Objective]
# the same holds of the estimator and the data that a scorer gets
_Scoring: TypeAlias = str | Callable[[Any, Any, Any], _Number]
# a scoring function gets the data as `fit` got them, and returns scores, or (scores, p-values)
_ScoreFunc: TypeAlias = (
    Literal["auto", "f_classif", "mutual_info_classif", "chi2", "f_regression", "mutual_info_regression"]
    | Callable[[Any, Any], ArrayLike | tuple[ArrayLike, object]]
)
_Rows: TypeAlias = _Several[_Integer] | _Several[_Bool] | _Column[np.dtype[np.bool_ | np.integer[Any]]]
_Splits: TypeAlias = _Integer | _Splitter | Iterable[tuple[_Rows, _Rows]]
_Rule: TypeAlias = Literal["r1", "r1_lambda", "knee", "one_se", "best"] | Callable[[ParetoFront], _Integer]
# names of groups, which are for messages, may be of any kind: a Mapping of one kind is none of another
_Groups: TypeAlias = _Several[Hashable] | Sequence[_Subset] | _Column[np.dtype[Any]] | Mapping[Any, _Subset]
_Init: TypeAlias = Literal["staggered", "log_uniform"] | StaggeredInit | LogUniformInit
_SplitMode: TypeAlias = Literal["individual", "generation"]
_Subsample: TypeAlias = _Number | None
_Reevaluate: TypeAlias = Literal["all", "none", "average"]
_Survival: TypeAlias = Literal["moga", "nsga2"]
_Selection: TypeAlias = Literal["roulette", "tournament"]
_Mutation: TypeAlias = Literal["bit", "chromosome"]
_Schedule: TypeAlias = Literal["exponential"] | tuple[_Number, _Number] | list[float]
_Crossover: TypeAlias = Literal["one_point", "two_point", "uniform"]
_Sharing: TypeAlias = Literal["cluster", "niche", "mean_distance"]
_Space: TypeAlias = Literal["decision", "objective"]
_Normalisation: TypeAlias = Literal["mean", "sum"]
_Replacement: TypeAlias = Literal["parent", "complete", "selection"]
_Resample: TypeAlias = Literal["subsample", "bootstrap"]
_Against: TypeAlias = Literal["generation", "n_evaluations", "seconds"]

# What results are

_Axes: TypeAlias = Any  # of matplotlib
_Figure: TypeAlias = Any  # of matplotlib
_Artist: TypeAlias = Any  # of matplotlib
_Colormap: TypeAlias = Any  # of matplotlib
_DataFrame: TypeAlias = Any  # of pandas or polars
_Routing: TypeAlias = Any  # of scikit-learn
_Tags: TypeAlias = Any  # of scikit-learn
_Names: TypeAlias = NDArray[np.str_] | NDArray[np.object_]  # the second where the columns of X have names

@type_check_only
class _History(dict[str, NDArray[Any]]):
    """A plain dict; the columns that count are told apart from those that measure."""

    @overload
    def __getitem__(self, key: _Counts, /) -> NDArray[np.int64]: ...
    @overload
    def __getitem__(self, key: _Measures, /) -> NDArray[np.float64]: ...
    @overload
    def __getitem__(self, key: str, /) -> NDArray[Any]: ...

@type_check_only
class _Estimator:
    """What scikit-learn's BaseEstimator gives."""

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def get_metadata_routing(self) -> _Routing: ...
    def __sklearn_clone__(self) -> Self: ...
    def __sklearn_tags__(self) -> _Tags: ...

# The selector

@type_check_only
class _Parameters(TypedDict, total=False):
    """Those of a selector."""

    estimator: _Predictor | None
    scoring: _Scoring | None
    cv: _Splits | None
    n_splits: _Integer
    validation_size: _Number
    split_mode: _SplitMode
    subsample: _Subsample
    objectives: _Objectives | None
    population_size: _Integer
    n_generations: _Integer
    n_islands: _Integer
    migration_interval: _Integer
    n_elite: _Integer
    generation_gap: _Integer
    reevaluate: _Reevaluate
    archive: _Bool
    n_per_size: _Integer
    n_rescore_splits: _Integer
    survival: _Survival
    init: _Init
    initial_subsets: _Subsets | None
    variation: _Crossover | Variation
    feature_prior: _ScoreFunc | FeaturePrior | None
    sharing: _Sharing | FitnessSharing | None
    local_improvement: _Replacement | LocalImprovement | None
    must_include: _Subset | None
    exclude: _Subset | None
    feature_groups: _Groups | None
    feature_costs: _Numbers | None
    min_features: _Integer
    max_features: _Integer | None
    rule: _Rule
    max_time: _Number | None
    max_evaluations: _Integer | None
    patience: _Integer | None
    checkpoint: _Path | Checkpoint | None
    callbacks: _Callbacks | None
    stop_signals: _Several[str]
    verbose: _Integer | _Bool
    random_state: _RandomState
    n_jobs: _Integer | None

class MOELIGASelector(_Estimator, metaclass=ABCMeta):
    estimator: _Predictor | None
    scoring: _Scoring | None
    cv: _Splits | None
    n_splits: _Integer
    validation_size: _Number
    split_mode: _SplitMode
    subsample: _Subsample
    objectives: _Objectives | None
    population_size: _Integer
    n_generations: _Integer
    n_islands: _Integer
    migration_interval: _Integer
    n_elite: _Integer
    generation_gap: _Integer
    reevaluate: _Reevaluate
    archive: _Bool
    n_per_size: _Integer
    n_rescore_splits: _Integer
    survival: _Survival
    init: _Init
    initial_subsets: _Subsets | None
    variation: _Crossover | Variation
    feature_prior: _ScoreFunc | FeaturePrior | None
    sharing: _Sharing | FitnessSharing | None
    local_improvement: _Replacement | LocalImprovement | None
    must_include: _Subset | None
    exclude: _Subset | None
    feature_groups: _Groups | None
    feature_costs: _Numbers | None
    min_features: _Integer
    max_features: _Integer | None
    rule: _Rule
    max_time: _Number | None
    max_evaluations: _Integer | None
    patience: _Integer | None
    checkpoint: _Path | Checkpoint | None
    callbacks: _Callbacks | None
    stop_signals: _Several[str]
    verbose: _Integer | _Bool
    random_state: _RandomState
    n_jobs: _Integer | None

    pareto_front_: ParetoFront
    initial_front_: ParetoFront
    support_: NDArray[np.bool_]
    index_: int
    history_: _History
    initial_survival_: NDArray[np.int64]
    stop_reason_: str
    n_evaluations_: int
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]

    def __init__(
        self,
        estimator: _Predictor | None = None,
        *,
        scoring: _Scoring | None = None,
        cv: _Splits | None = None,
        n_splits: _Integer = 3,
        validation_size: _Number = 0.3,
        split_mode: _SplitMode = "generation",
        subsample: _Subsample = None,
        objectives: _Objectives | None = None,
        population_size: _Integer = 90,
        n_generations: _Integer = 300,
        n_islands: _Integer = 1,
        migration_interval: _Integer = 10,
        n_elite: _Integer = 10,
        generation_gap: _Integer = 10,
        reevaluate: _Reevaluate = "average",
        archive: _Bool = True,
        n_per_size: _Integer = 0,
        n_rescore_splits: _Integer = 50,
        survival: _Survival = "nsga2",
        init: _Init = "log_uniform",
        initial_subsets: _Subsets | None = None,
        variation: _Crossover | Variation = "uniform",
        feature_prior: _ScoreFunc | FeaturePrior | None = "auto",
        sharing: _Sharing | FitnessSharing | None = "cluster",
        local_improvement: _Replacement | LocalImprovement | None = "parent",
        must_include: _Subset | None = None,
        exclude: _Subset | None = None,
        feature_groups: _Groups | None = None,
        feature_costs: _Numbers | None = None,
        min_features: _Integer = 1,
        max_features: _Integer | None = None,
        rule: _Rule = "r1",
        max_time: _Number | None = None,
        max_evaluations: _Integer | None = None,
        patience: _Integer | None = None,
        checkpoint: _Path | Checkpoint | None = None,
        callbacks: _Callbacks | None = None,
        stop_signals: _Several[str] = ("SIGINT",),
        verbose: _Integer | _Bool = 0,
        random_state: _RandomState = None,
        n_jobs: _Integer | None = None,
    ) -> None: ...
    @classmethod
    def from_preset(cls, name: Literal["default", "paper"], **parameters: Unpack[_Parameters]) -> Self: ...
    # metadata are what the estimator, the splitter and the scorer take
    def fit(self, X: _Samples, y: ArrayLike, **params: Any) -> Self: ...
    def estimate_time(self, X: _Samples, y: ArrayLike, **params: Any) -> TimeEstimate: ...
    def select(
        self,
        rule: _Rule | None = None,
        *,
        n_features: _Integer | None = None,
        max_features: _Integer | None = None,
        max_cost: _Number | None = None,
        index: _Integer | None = None,
    ) -> Self: ...
    def set_callbacks(self, *callbacks: _FitCallback) -> Self: ...
    @overload
    def get_support(self, indices: Literal[False] = False) -> NDArray[np.bool_]: ...
    @overload
    def get_support(self, indices: Literal[True]) -> NDArray[np.intp]: ...
    @overload
    def get_support(self, indices: bool) -> NDArray[np.bool_] | NDArray[np.intp]: ...
    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]: ...
    @overload
    def transform(self, X: NDArray[_ScalarT]) -> NDArray[_ScalarT]: ...
    @overload
    def transform(self, X: _Sparse) -> Any: ...  # CSR of scipy
    @overload
    def transform(self, X: ArrayLike) -> NDArray[Any]: ...
    @overload
    def fit_transform(
        self, X: NDArray[_ScalarT], y: ArrayLike | None = None, **fit_params: Any
    ) -> NDArray[_ScalarT]: ...
    @overload
    def fit_transform(self, X: _Sparse, y: ArrayLike | None = None, **fit_params: Any) -> Any: ...  # CSR of scipy
    @overload
    def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
    @overload
    def inverse_transform(self, X: NDArray[_ScalarT]) -> NDArray[_ScalarT]: ...
    @overload
    def inverse_transform(self, X: _Sparse) -> Any: ...  # CSC of scipy
    @overload
    def inverse_transform(self, X: ArrayLike) -> NDArray[Any]: ...
    @overload
    def set_output(self, *, transform: Literal["default"] | None = None) -> Self: ...
    @overload
    def set_output(self, *, transform: Literal["pandas", "polars"]) -> _SelectorOfFrames: ...

@type_check_only
class _SelectorOfFrames(MOELIGASelector):
    """The same selector after `set_output` with the name of a library."""

    def transform(self, X: _Samples) -> _DataFrame: ...
    def fit_transform(self, X: _Samples, y: ArrayLike | None = None, **fit_params: Any) -> _DataFrame: ...

class ParetoFront:
    supports: NDArray[np.bool_]
    objectives: NDArray[np.float64]
    names: tuple[str, ...]
    primary: int
    n_selected: NDArray[np.int64]
    score: NDArray[np.float64]
    score_se: NDArray[np.float64]
    search_objectives: NDArray[np.float64]
    feature_names: _Names
    cost: NDArray[np.float64] | None
    n_rescore_splits: int

    def __init__(
        self,
        supports: ArrayLike,
        objectives: ArrayLike,
        names: Iterable[str],
        primary: int,
        score_se: ArrayLike,
        search_objectives: ArrayLike,
        feature_names: _Names,
        cost: ArrayLike | None = None,
        n_rescore_splits: int = 0,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def cardinality_ratio(self) -> NDArray[np.float64]: ...
    @property
    def r1(self) -> NDArray[np.float64]: ...
    @property
    def hypervolume(self) -> float: ...
    def features(self, index: _Integer) -> list[str]: ...
    def choose(
        self,
        rule: _Rule = "r1",
        *,
        n_features: _Integer | None = None,
        max_features: _Integer | None = None,
        max_cost: _Number | None = None,
        index: _Integer | None = None,
    ) -> int: ...
    def columns(self, chosen: _Integer | None = None) -> dict[str, NDArray[Any] | list[list[str]]]: ...
    def to_frame(self) -> _DataFrame: ...
    def to_csv(self, path: _Path, *, chosen: _Integer | None = None, overwrite: _Bool = False) -> None: ...
    @overload
    def to_json(self, path: None = None, *, overwrite: _Bool = False) -> str: ...
    @overload
    def to_json(self, path: _Path, *, overwrite: _Bool = False) -> None: ...
    @classmethod
    def from_json(cls, source: _Path) -> Self: ...
    def to_parquet(self, path: _Path, *, chosen: _Integer | None = None, overwrite: _Bool = False) -> None: ...

# Settings

class Cardinality(_Estimator):
    name: ClassVar[Literal["cardinality"]]
    lambda_: _Number | None
    gamma: _Number

    def __init__(self, lambda_: _Number | None = 0.5, gamma: _Number = 0.0) -> None: ...
    def validate(self, name: str = "cardinality") -> None: ...
    def values(self, n_selected: _Numbers, n_features: _Integer) -> NDArray[np.float64]: ...

class FeatureCost(_Estimator):
    name: ClassVar[Literal["cost"]]

    def validate(self, name: str = "cost") -> None: ...
    def values(self, costs: _Numbers, total: _Number) -> NDArray[np.float64]: ...

class Separability(_Estimator):
    name: ClassVar[Literal["separability"]]
    samples: _Number
    replace: _Bool
    neighbours: _Number

    def __init__(self, samples: _Number = 0.3, replace: _Bool = True, neighbours: _Number = 0.1) -> None: ...
    def validate(self, name: str = "separability") -> None: ...
    def n_instances(self, n_samples: int) -> int: ...

class StaggeredInit(_Estimator):
    fractions: _Numbers
    rates: _Numbers
    spread: _Number

    def __init__(
        self,
        fractions: _Numbers = (0.55, 0.30, 0.15),
        rates: _Numbers = (0.03, 0.15, 0.35),
        spread: _Number = 0.0,
    ) -> None: ...
    def validate(self, name: str = "init") -> None: ...
    def counts(self, population_size: int, n_features: int, seed: NDArray[np.uint64] | None) -> NDArray[np.int64]: ...

class LogUniformInit(_Estimator):
    smallest: _Integer
    largest: _Number

    def __init__(self, smallest: _Integer = 1, largest: _Number = 0.3333333333333333) -> None: ...
    def validate(self, name: str = "init") -> None: ...
    def counts(self, population_size: int, n_features: int, seed: NDArray[np.uint64]) -> NDArray[np.int64]: ...

class Variation(_Estimator):
    selection: _Selection
    tournament_size: _Integer
    crossover: _Crossover
    crossover_rate: _Number
    mutation: _Mutation
    mutation_rate: _Number
    schedule: _Schedule | None

    def __init__(
        self,
        selection: _Selection = "roulette",
        tournament_size: _Integer = 3,
        crossover: _Crossover = "uniform",
        crossover_rate: _Number = 0.9,
        mutation: _Mutation = "bit",
        mutation_rate: _Number = 0.15,
        schedule: _Schedule | None = None,
    ) -> None: ...
    def validate(self, name: str = "variation") -> None: ...
    def rate(self, generation: int, n_generations: int) -> float: ...
    def flip_limits(self, generation: int, n_generations: int, n_features: int) -> NDArray[np.uint64]: ...

class FeaturePrior(_Estimator):
    score_func: _ScoreFunc
    share: _Number
    offset: _Number

    def __init__(self, score_func: _ScoreFunc = "f_classif", share: _Number = 0.5, offset: _Number = 10.0) -> None: ...
    def validate(self, name: str = "feature_prior") -> None: ...
    def scores(self, X: Any, y: NDArray[Any], seed: NDArray[np.uint64]) -> NDArray[np.float64]: ...
    def weights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]: ...

class FitnessSharing(_Estimator):
    mode: _Sharing
    space: _Space
    sigma: _Number
    alpha: _Number
    rank_normalisation: _Normalisation

    def __init__(
        self,
        mode: _Sharing = "cluster",
        space: _Space = "decision",
        sigma: _Number = 0.0025,
        alpha: _Number = 1.0,
        rank_normalisation: _Normalisation = "mean",
    ) -> None: ...
    def validate(self, name: str = "sharing") -> None: ...

class LocalImprovement(_Estimator):
    n_populations: _Integer
    population_size: _Integer
    n_generations: _Integer
    every: _Integer
    replacement: _Replacement
    patience: _Integer | None
    adaptive: _Bool

    def __init__(
        self,
        n_populations: _Integer = 3,
        population_size: _Integer = 40,
        n_generations: _Integer = 8,
        every: _Integer = 5,
        replacement: _Replacement = "parent",
        patience: _Integer | None = None,
        adaptive: _Bool = False,
    ) -> None: ...
    @property
    def most_populations(self) -> int: ...
    def validate(self, name: str = "local_improvement") -> None: ...

class Checkpoint(_Estimator):
    path: _Path
    every: _Integer

    def __init__(self, path: _Path, every: _Integer = 10) -> None: ...
    def validate(self, name: str = "checkpoint") -> None: ...

# The trees

@type_check_only
class _DecisionTree(_Estimator):
    """What the trees have in common."""

    max_depth: _Integer | None
    min_samples_split: _Integer
    min_samples_leaf: _Integer
    n_jobs: _Integer | None

    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    nodes_: NDArray[np.void]
    thresholds_: NDArray[np.float64]
    counts_: NDArray[np.int32]

    def __init__(
        self,
        *,
        max_depth: _Integer | None = None,
        min_samples_split: _Integer = 2,
        min_samples_leaf: _Integer = 1,
        n_jobs: _Integer | None = None,
    ) -> None: ...
    def rules(self) -> tuple[int, int, int]: ...
    def fit(self, X: _Samples, y: ArrayLike) -> Self: ...
    def apply(self, X: _Samples) -> NDArray[np.int32]: ...
    def get_depth(self) -> int: ...
    def get_n_leaves(self) -> int: ...
    def score(self, X: _Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...
    def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

class DecisionTreeClassifier(_DecisionTree):
    classes_: NDArray[Any]
    n_classes_: int

    def predict(self, X: _Samples) -> NDArray[Any]: ...
    def predict_proba(self, X: _Samples) -> NDArray[np.float64]: ...

class DecisionTreeRegressor(_DecisionTree):
    values_: NDArray[np.float64]

    def predict(self, X: _Samples) -> NDArray[np.float64]: ...

# Building blocks

def evaluate_subsets(
    X: _Samples,
    y: ArrayLike,
    masks: ArrayLike,
    *,
    n_splits: _Integer = 3,
    validation_size: _Number = 0.3,
    subsample: _Number | None = None,
    objectives: _Objectives | None = None,
    feature_costs: _Numbers | None = None,
    estimator: DecisionTreeClassifier | DecisionTreeRegressor | None = None,
    shared: _Bool = False,
    random_state: _RandomState = None,
    n_jobs: _Integer | None = None,
) -> NDArray[np.float64]: ...
def separability(
    X: _Samples,
    y: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    samples: _Number = 1.0,
    replace: _Bool = False,
    neighbours: _Number | None = None,
    random_state: _RandomState = None,
) -> float: ...
def pareto_rank(objectives: ArrayLike) -> NDArray[np.int32]: ...
def shared_fitness(
    objectives: ArrayLike,
    masks: ArrayLike | None = None,
    *,
    mode: _Sharing = "cluster",
    space: _Space = "decision",
    sigma: _Number = 0.0025,
    alpha: _Number = 1.0,
    rank_normalisation: _Normalisation = "mean",
) -> NDArray[np.float64]: ...

# Reports

class OptimismReport:
    front: ParetoFront
    index: NDArray[np.intp]
    n_selected: NDArray[np.int64]
    chosen: int | None
    search_score: NDArray[np.float64]
    score: NDArray[np.float64]
    fresh_score: NDArray[np.float64]
    fresh_se: NDArray[np.float64]
    test_score: NDArray[np.float64]
    test_se: NDArray[np.float64]
    null_score: NDArray[np.float64]
    p_value: NDArray[np.float64]
    hypervolume: float
    hypervolume_p_value: float
    null_hypervolume: NDArray[np.float64]
    chance: float
    n_train: int
    n_test: int

    def __init__(self, **attributes: Any) -> None: ...
    @property
    def n_permutations(self) -> int: ...
    @property
    def split_luck(self) -> NDArray[np.float64]: ...
    @property
    def sample_fit(self) -> NDArray[np.float64]: ...
    def to_frame(self) -> _DataFrame: ...
    def summary(self) -> str: ...

def optimism_report(
    selector: MOELIGASelector,
    X: ArrayLike,
    y: ArrayLike,
    *,
    X_test: ArrayLike | None = None,
    y_test: ArrayLike | None = None,
    test_size: _Number = 0.3,
    n_permutations: _Integer = 19,
    n_splits: _Integer = 50,
    random_state: _RandomState = None,
    n_jobs: _Integer | None = None,
    checkpoint: _Path | None = None,
) -> OptimismReport: ...

class StabilityReport:
    supports: NDArray[np.bool_]
    feature_names: _Names
    n_selected: NDArray[np.int64]
    frequency: NDArray[np.float64]
    kind: NDArray[np.str_]
    stability: float
    stability_se: float
    interval: tuple[float, float]
    pairs: NDArray[np.int64]
    pair_association: NDArray[np.float64]
    groups: list[NDArray[np.int64]]
    group_frequency: NDArray[np.float64]
    resample: _Resample | None
    core: _Number
    optional: _Number
    association: _Number
    confidence: _Number

    def __init__(self, **attributes: Any) -> None: ...
    @property
    def n_runs(self) -> int: ...
    def to_frame(self) -> _DataFrame: ...
    def order(self) -> NDArray[np.intp]: ...
    def summary(self, max_features: _Integer = 10) -> str: ...

@type_check_only
class _StabilityOptions(TypedDict, total=False):
    """Those of `stability_report`."""

    n_runs: _Integer
    resample: _Resample | None
    subsample_size: _Number
    rule: _Rule | None
    core: _Number
    optional: _Number
    association: _Number
    confidence: _Number
    random_state: _RandomState
    n_jobs: _Integer | None
    checkpoint: _Path | None

def stability_report(
    selector: MOELIGASelector,
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_runs: _Integer = 10,
    resample: _Resample | None = "subsample",
    subsample_size: _Number = 0.5,
    rule: _Rule | None = None,
    core: _Number = 0.8,
    optional: _Number = 0.2,
    association: _Number = 0.8,
    confidence: _Number = 0.95,
    random_state: _RandomState = None,
    n_jobs: _Integer | None = None,
    checkpoint: _Path | None = None,
) -> StabilityReport: ...
def write_report(
    selector: MOELIGASelector,
    path: _Path,
    *,
    X: _Samples | None = None,
    y: ArrayLike | None = None,
    X_test: _Samples | None = None,
    y_test: ArrayLike | None = None,
    title: str = "Feature selection",
    overwrite: _Bool = False,
) -> None: ...
def show_versions() -> None: ...

# Drawing

class ParetoFrontDisplay:
    n_selected: _Numbers
    score: _Numbers
    r1: _Numbers
    n_features: _Integer
    score_se: _Numbers | None
    chosen: _Integer | None
    score_name: str
    objectives: Mapping[str, _Numbers] | None
    initial: Mapping[str, _Numbers] | None

    ax_: _Axes
    figure_: _Figure
    points_: _Artist
    initial_points_: _Artist | None
    errorbar_: _Artist | None
    chosen_: _Artist | None
    colorbar_: _Artist | None

    def __init__(
        self,
        n_selected: _Numbers,
        score: _Numbers,
        *,
        r1: _Numbers,
        n_features: _Integer,
        score_se: _Numbers | None = None,
        chosen: _Integer | None = None,
        score_name: str = "UAR",
        objectives: Mapping[str, _Numbers] | None = None,
        initial: Mapping[str, _Numbers] | None = None,
    ) -> None: ...
    @classmethod
    def from_selector(
        cls,
        selector: MOELIGASelector,
        ax: _Axes | None = None,
        *,
        axes: _Pair = ("n_selected", "score"),
        color: str | None = "r1",
        initial: _Bool = False,
        cmap: str | _Colormap = "viridis",
    ) -> Self: ...
    def plot(
        self,
        ax: _Axes | None = None,
        *,
        axes: _Pair = ("n_selected", "score"),
        color: str | None = "r1",
        initial: _Bool = False,
        cmap: str | _Colormap = "viridis",
    ) -> Self: ...

class ConvergenceDisplay:
    history: Mapping[str, _Numbers]
    n_features: _Integer
    score_name: str

    ax_: _Axes
    sizes_ax_: _Axes
    figure_: _Figure
    hypervolume_: _Artist
    best_score_: _Artist
    median_size_: _Artist
    best_score_size_: _Artist
    range_: _Artist

    def __init__(self, history: Mapping[str, _Numbers], *, n_features: _Integer, score_name: str = "UAR") -> None: ...
    @classmethod
    def from_selector(
        cls, selector: MOELIGASelector, ax: _Axes | None = None, *, against: _Against = "generation"
    ) -> Self: ...
    def plot(self, ax: _Axes | None = None, *, against: _Against = "generation") -> Self: ...

class FeatureFrequencyDisplay:
    feature_names: _Texts
    frequency: _Numbers
    chosen: _Rows
    n_members: _Integer

    ax_: _Axes
    figure_: _Figure
    bars_: _Artist
    order_: NDArray[np.intp]

    def __init__(
        self,
        feature_names: _Texts,
        frequency: _Numbers,
        *,
        chosen: _Rows,
        n_members: _Integer,
    ) -> None: ...
    @classmethod
    def from_selector(
        cls, selector: MOELIGASelector, ax: _Axes | None = None, *, max_features: _Integer = 30
    ) -> Self: ...
    def plot(self, ax: _Axes | None = None, *, max_features: _Integer = 30) -> Self: ...

class OptimismDisplay:
    n_selected: _Numbers
    search_score: _Numbers
    n_features: _Integer
    score: _Numbers | None
    score_se: _Numbers | None
    held_out: _Numbers | None
    score_name: str

    ax_: _Axes
    figure_: _Figure
    search_: _Artist
    rescored_: _Artist | None
    held_out_: _Artist | None

    def __init__(
        self,
        n_selected: _Numbers,
        search_score: _Numbers,
        *,
        n_features: _Integer,
        score: _Numbers | None = None,
        score_se: _Numbers | None = None,
        held_out: _Numbers | None = None,
        score_name: str = "UAR",
    ) -> None: ...
    @classmethod
    def from_selector(
        cls, selector: MOELIGASelector, ax: _Axes | None = None, *, held_out: _Numbers | None = None
    ) -> Self: ...
    def plot(self, ax: _Axes | None = None) -> Self: ...

class StabilityDisplay:
    report: StabilityReport

    ax_: _Axes
    figure_: _Figure
    bars_: _Artist
    order_: NDArray[np.intp]

    def __init__(self, report: StabilityReport) -> None: ...
    @classmethod
    def from_selector(
        cls,
        selector: MOELIGASelector,
        X: ArrayLike,
        y: ArrayLike,
        ax: _Axes | None = None,
        *,
        max_features: _Integer = 30,
        **options: Unpack[_StabilityOptions],
    ) -> Self: ...
    @classmethod
    def from_report(cls, report: StabilityReport, ax: _Axes | None = None, *, max_features: _Integer = 30) -> Self: ...
    def plot(self, ax: _Axes | None = None, *, max_features: _Integer = 30) -> Self: ...
