"""Base classes of scikit-learn, with annotations, which scikit-learn lacks."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moeliga.base.checks import check_sparse
from moeliga.base.typing import Samples, Sparse
from moeliga.base.versions import Versioned

if TYPE_CHECKING:
    Scalar = TypeVar("Scalar", bound=np.generic)

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def __sklearn_clone__(self) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        def score(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...
        def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

    class RegressorMixin:
        def score(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...
        def set_score_request(self, *, sample_weight: bool | str | None = ...) -> Self: ...

    class MetaEstimatorMixin: ...

    class SelectorMixin:
        """Sparse data give sparse data of scipy's classes."""

        @overload
        def get_support(self, indices: Literal[False] = False) -> NDArray[np.bool_]: ...
        @overload
        def get_support(self, indices: Literal[True]) -> NDArray[np.intp]: ...
        @overload
        def get_support(self, indices: bool) -> NDArray[np.bool_] | NDArray[np.intp]: ...
        def get_support(self, indices: bool = False) -> Any: ...
        def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]: ...
        @overload
        def transform(self, X: NDArray[Scalar]) -> NDArray[Scalar]: ...
        @overload
        def transform(self, X: Sparse) -> Any: ...
        @overload
        def transform(self, X: ArrayLike) -> NDArray[Any]: ...
        def transform(self, X: Samples) -> Any: ...
        @overload
        def fit_transform(self, X: NDArray[Scalar], y: ArrayLike | None = None,
                          **fit_params: Any) -> NDArray[Scalar]: ...
        @overload
        def fit_transform(self, X: Sparse, y: ArrayLike | None = None, **fit_params: Any) -> Any: ...
        @overload
        def fit_transform(self, X: ArrayLike, y: ArrayLike | None = None, **fit_params: Any) -> NDArray[Any]: ...
        def fit_transform(self, X: Samples, y: ArrayLike | None = None, **fit_params: Any) -> Any: ...
        @overload
        def inverse_transform(self, X: NDArray[Scalar]) -> NDArray[Scalar]: ...
        @overload
        def inverse_transform(self, X: Sparse) -> Any: ...
        @overload
        def inverse_transform(self, X: ArrayLike) -> NDArray[Any]: ...
        def inverse_transform(self, X: Samples) -> Any: ...
else:
    from sklearn.base import BaseEstimator as SklearnEstimator
    from sklearn.base import ClassifierMixin, MetaEstimatorMixin, RegressorMixin
    from sklearn.feature_selection import SelectorMixin as SklearnSelectorMixin

    def checking_sparse(method):
        """Return a method of X that checks sparse X first."""
        @wraps(method, assigned=("__doc__", "__name__", "__qualname__"))
        def checked(self, X: Samples) -> Any:
            return method(self, check_sparse("X", X))

        return checked

    class SelectorMixin(SklearnSelectorMixin, auto_wrap_output_keys=None):  # the methods are wrapped already
        transform = checking_sparse(SklearnSelectorMixin.transform)
        inverse_transform = checking_sparse(SklearnSelectorMixin.inverse_transform)

    class BaseEstimator(Versioned, SklearnEstimator):
        """scikit-learn's class, with pickles that only the version that wrote them can read."""

__all__ = ["BaseEstimator", "ClassifierMixin", "MetaEstimatorMixin", "RegressorMixin", "SelectorMixin"]


@contextmanager
def unchanged_by_failure(estimator: Any, *others: str) -> Iterator[None]:
    """Context of a `fit` that restores the attributes of the previous fit, if it fails before it has a front.

    They are the attributes whose names end in "_", and `others`.
    """
    def fitted() -> dict[str, Any]:
        return {name: value for name, value in vars(estimator).items()
                if name in others or (name.endswith("_") and not name.startswith("_"))}

    before = fitted()
    try:
        yield
    except BaseException:
        if vars(estimator).get("pareto_front_") is before.get("pareto_front_"):
            for name in fitted():
                delattr(estimator, name)
            vars(estimator).update(before)
        raise
