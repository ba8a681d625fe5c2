"""Objectives that are value objects: cardinality, feature cost and separability."""

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, SupportsFloat, TypeAlias

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_count_or_share, check_flag, check_number, conversion
from moeliga.base.decimals import as_written, decimals
from moeliga.base.estimator import BaseEstimator
from moeliga.base.text import dotted
from moeliga.base.typing import Boolean, Integer, Number, Numbers

NEIGHBOURS = 0.1
"""Default share of the samples that are hits of a sample, for regression."""

MOST_DISTANCES = 10**8
"""Most distances of a subset that has more instances than there are samples: some seconds of work."""


def check_numbers(name, values, kind, most):
    """Return `values`, numbers of `kind` (Integral or Real) in [0, `most`], as an array of one dimension.

    TypeError or ValueError names the first value outside of it.
    """
    with conversion(name, "a sequence of numbers"):
        array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    known = array.dtype.kind in ("iu" if kind is Integral else "iuf")
    if not known or array.size and not 0 <= array.min() <= array.max() <= most:
        for place, value in enumerate(array.tolist()):
            check_number(f"{name}[{place}]", value, kind, 0, most)
    return array.astype(np.int64 if kind is Integral else np.float64)


class Cardinality(BaseEstimator):
    """Objective II: the share of features left out (paper, Eqs. featureratio and CRlambda).

    CR = (F - k) / F for k selected features, mapped to CR_lambda = 1 / (1 + exp(-lambda (CR + gamma))).

    Parameters
    ----------
    lambda_ : float > 0 or None, default=0.5
        None = use CR itself.
    gamma : float, default=0.0
        Shift of CR: the map is steepest at CR = -gamma.

    Notes
    -----
    The map is strictly increasing: it changes no rank, only distances in objective space, such as the crowding distance
    of survival="nsga2", and rule "r1_lambda". With gamma >= 0 it *compresses* the differences among small subsets; to
    enlarge them, as the paper intends, takes gamma near -1 and a large lambda.

    Examples
    --------
    >>> from moeliga import Cardinality
    >>> Cardinality(lambda_=None).values([1, 5], 10).tolist()
    [0.9, 0.5]
    >>> Cardinality().values([5], 10).round(4).tolist()
    [0.5622]
    """

    name: ClassVar[Literal["cardinality"]] = "cardinality"

    def __init__(self, lambda_: Number | None = 0.5, gamma: Number = 0.0) -> None:
        self.lambda_ = lambda_
        self.gamma = gamma

    def validate(self, name: str = "cardinality") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        if self.lambda_ is not None:
            check_number(f"{name}.lambda_", self.lambda_, Real, 0, closed="neither")
        check_number(f"{name}.gamma", self.gamma, Real, None)

    def values(self, n_selected: Numbers, n_features: Integer) -> NDArray[np.float64]:
        """Return objective II of subsets with `n_selected` features each: ndarray of float64, shape (n,).

        Parameters
        ----------
        n_selected : array-like of int, shape (n,), in [0, n_features]
        n_features : int >= 1

        Raises
        ------
        TypeError, ValueError : if `n_selected` is no sequence of integers in this range, or `n_features` no integer
            >= 1; as `validate`.
        """
        check_number("n_features", n_features, Integral, 1)
        self.validate()
        n_selected = check_numbers("n_selected", n_selected, Integral, n_features)
        if self.lambda_ is None:
            return (n_features - n_selected) / n_features
        lambda_, gamma = float(self.lambda_), float(self.gamma)
        return np.array([sigmoid(lambda_, gamma, n_features, size) for size in n_selected.tolist()])


@lru_cache(maxsize=1 << 17)
def sigmoid(lambda_, gamma, n_features, n_selected):
    """Return CR_lambda of one size (Eq. CRlambda), correctly rounded, as the C library's exp differs between machines.
    """
    with decimals(30):  # exp of a large number is infinity, and the value 0
        ratio = Decimal(n_features - n_selected) / n_features
        return float(1 / (1 + (-Decimal(repr(lambda_)) * (ratio + Decimal(repr(gamma)))).exp()))


class FeatureCost(BaseEstimator):
    """Objective: the share of the total feature cost that a subset saves, (C - c) / C, in [0, 1].

    C is the sum of the `costs` of `Constraints` over all features, c their sum over the selected features. It may
    replace the cardinality or stand beside it; with equal costs it is CR.

    Examples
    --------
    >>> from moeliga import FeatureCost
    >>> FeatureCost().values([0.0, 2.0, 8.0], 8.0).tolist()
    [1.0, 0.75, 0.0]
    """

    name: ClassVar[Literal["cost"]] = "cost"

    def validate(self, name: str = "cost") -> None:
        """Raise nothing: it has no parameters."""

    def values(self, costs: Numbers, total: Number) -> NDArray[np.float64]:
        """Return the objective of subsets: ndarray of float64, shape (n,), in [0, 1].

        Parameters
        ----------
        costs : array-like of float, shape (n,), in [0, total]
        total : float > 0

        Raises
        ------
        TypeError, ValueError : if `costs` is no sequence of numbers in this range, or `total` no finite number > 0.
        """
        check_number("total", total, Real, 0, closed="neither")
        return (total - check_numbers("costs", costs, Real, total)) / total


class Separability(BaseEstimator):
    """Objective III: nearest miss minus nearest hit (paper, Eq. mdist, Algorithm distMetric).

    Parameters
    ----------
    samples : int >= 1 or float in (0, 1], default=0.3
        N_n, the number of instances, or their share: ceil(samples n) of n samples. The paper gives no value. It
        may exceed n, with replacement, as long as a subset takes at most 10^8 distances.
    replace : bool, default=True
        Draw the instances with replacement (paper).
    neighbours : float in (0, 1), default=0.1
        For regression, which has no classes: about this share of the samples, those with the nearest targets, are the
        hits of an instance.

    Examples
    --------
    >>> from moeliga import Separability
    >>> Separability().n_instances(150), Separability(samples=20).n_instances(150)
    (45, 20)
    """

    name: ClassVar[Literal["separability"]] = "separability"

    def __init__(self, samples: Number = 0.3, replace: Boolean = True, neighbours: Number = NEIGHBOURS) -> None:
        self.samples = samples
        self.replace = replace
        self.neighbours = neighbours

    def validate(self, name: str = "separability") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        of = dotted(name)
        check_count_or_share(f"{of}samples", self.samples, 1)
        check_flag(f"{of}replace", self.replace)
        check_number(f"{of}neighbours", self.neighbours, Real, 0, 1, closed="neither")

    def n_instances(self, n_samples: int, name: str = "separability") -> int:
        """Return the number of instances for `n_samples` >= 1: int >= 1.

        TypeError or ValueError for other numbers of samples, and as `validate`; ValueError for more instances than
        `n_samples` without `replace`, or with more than 10^8 distances to the samples.
        """
        check_number("n_samples", n_samples, Integral, 1)
        self.validate(name)
        if not isinstance(self.samples, Integral):
            return math.ceil(as_written(self.samples) * n_samples)
        if self.samples > n_samples and not self.replace:
            raise ValueError(f"{dotted(name)}samples must be <= {n_samples}, the number of samples, without "
                             f"replacement, got {self.samples}")
        most = max(n_samples, MOST_DISTANCES // n_samples)
        if self.samples > most:
            raise ValueError(f"{dotted(name)}samples must be <= {most} for {n_samples} samples, got {self.samples}: "
                             f"each subset would take {self.samples * n_samples:,} distances; samples=1.0 with "
                             "replace=False takes each sample once")
        return int(self.samples)


ScoreName: TypeAlias = Literal[
    "uar", "soft_uar", "accuracy", "f1", "f1_macro", "matthews_corrcoef", "roc_auc", "roc_auc_ovr",
    "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted", "average_precision", "neg_log_loss",
    "neg_brier_score", "r2", "neg_mean_squared_error", "neg_root_mean_squared_error", "neg_mean_absolute_error"]
Objective: TypeAlias = (
    ScoreName | Literal["cardinality", "cost", "separability"] | Cardinality | FeatureCost | Separability
    | Callable[[NDArray[np.bool_], Any, Any], SupportsFloat]
)
"""A callable takes a mask and the data of `fit`; Any, so that it may require special kinds of data."""

Objectives: TypeAlias = Sequence[Objective]
