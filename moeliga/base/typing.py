"""Types of arguments and results that annotations share.

scipy and scikit-learn have no annotations: protocols name the methods of their objects that are needed.
"""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Value = TypeVar("Value", covariant=True)
DType = TypeVar("DType", covariant=True, bound=np.dtype[Any])


class Several(Protocol[Value]):
    """A list, a tuple or another sequence, but no str, whose `__contains__` takes str alone.

    It has no `index` and no `count`, which take Any: with them mypy would infer a list of Any for each list.
    """

    def __len__(self) -> int: ...
    def __getitem__(self, place: int, /) -> Value: ...
    def __iter__(self) -> Iterator[Value]: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __reversed__(self) -> Iterator[Value]: ...


class Column(Protocol[DType]):
    """An array, or the column of a table."""

    def __len__(self) -> int: ...
    def __getitem__(self, place: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __array__(self) -> np.ndarray[Any, DType]: ...


class Sparse(Protocol):
    """A sparse array or matrix of scipy."""

    @property
    def nnz(self) -> int: ...
    def tocsc(self, copy: bool = ...) -> Any: ...
    def tocsr(self, copy: bool = ...) -> Any: ...


class HasSupport(Protocol):
    """A fitted selector of features, of this package or of scikit-learn."""

    def get_support(self) -> Any: ...


class Predictor(Protocol):
    """A classifier or regressor with scikit-learn's methods; `fit` may take any data and metadata."""

    @property
    def fit(self) -> Callable[..., object]: ...
    def get_params(self, deep: bool = ...) -> Mapping[str, Any]: ...
    @property
    def set_params(self) -> Callable[..., object]: ...


class Splitter(Protocol):
    """A splitter with scikit-learn's method; `split` may take any data and metadata."""

    @property
    def split(self) -> Callable[..., Iterable[tuple[Any, Any]]]: ...


class FitCallback(Protocol):
    """A callback of scikit-learn's protocol; a method receives only the keywords that it names."""

    @property
    def setup(self) -> Callable[..., object]: ...
    @property
    def on_fit_task_begin(self) -> Callable[..., object]: ...
    @property
    def on_fit_task_end(self) -> Callable[..., object]: ...
    @property
    def teardown(self) -> Callable[..., object]: ...


class Stream(Protocol):
    """The methods of a file that `print` needs."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> object: ...


Integer: TypeAlias = int | np.integer[Any]
Number: TypeAlias = float | np.integer[Any] | np.floating[Any]
Boolean: TypeAlias = bool | np.bool_
Numbers: TypeAlias = Several[Number] | Column[np.dtype[np.integer[Any] | np.floating[Any]]]
Texts: TypeAlias = Several[str] | Column[np.dtype[np.str_ | np.object_]]
PathLike: TypeAlias = str | os.PathLike[str]
RandomState: TypeAlias = Integer | np.random.RandomState | np.random.Generator | None
Samples: TypeAlias = ArrayLike | Sparse
Rows: TypeAlias = Several[Integer] | Several[Boolean] | Column[np.dtype[np.bool_ | np.integer[Any]]]
Subset: TypeAlias = (
    Several[str] | Several[Integer] | Several[Boolean]
    | Column[np.dtype[np.bool_ | np.integer[Any] | np.str_ | np.object_]]
)
Subsets: TypeAlias = Sequence[Subset | HasSupport] | NDArray[np.bool_]
Groups: TypeAlias = Several[Hashable] | Sequence[Subset] | Column[np.dtype[Any]] | Mapping[Any, Subset]
Splits: TypeAlias = Integer | Splitter | Iterable[tuple[Rows, Rows]]
FixedSplits: TypeAlias = Splits | Literal["oob"]

Scoring: TypeAlias = str | Callable[[Any, Any, Any], Number]
"""A scorer takes an estimator and data; Any, so that it may require special kinds of them."""

FeatureNames: TypeAlias = NDArray[np.str_] | NDArray[np.object_]
"""Names of features; of dtype object if they are the names of the columns of X."""

Counts: TypeAlias = Literal["generation", "best_score_size", "min_size", "max_size", "front_size", "archive_size",
                            "n_replaced", "n_initial", "n_samples", "n_evaluations"]
Measures: TypeAlias = Literal["hypervolume", "archive_hypervolume", "best_score", "median_size", "seconds"]

if TYPE_CHECKING:
    class Row(dict[str, float]):
        """A row of the history: an int for each count, a float for each measure."""

        @overload
        def __getitem__(self, key: Counts, /) -> int: ...
        @overload
        def __getitem__(self, key: Measures, /) -> float: ...
        @overload
        def __getitem__(self, key: str, /) -> Any: ...
        def __getitem__(self, key: str, /) -> Any: ...

    class History(dict[str, NDArray[Any]]):
        """Columns of the history: integers for counts, floats for measures."""

        @overload
        def __getitem__(self, key: Counts, /) -> NDArray[np.int64]: ...
        @overload
        def __getitem__(self, key: Measures, /) -> NDArray[np.float64]: ...
        @overload
        def __getitem__(self, key: str, /) -> NDArray[Any]: ...
        def __getitem__(self, key: str, /) -> NDArray[Any]: ...
else:
    Row = History = dict
