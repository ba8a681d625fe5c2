"""Feature priors: features with a better univariate score are added to subsets more often."""

import inspect
from collections.abc import Callable
from itertools import pairwise
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.feature_selection import chi2, f_classif, f_regression, mutual_info_classif, mutual_info_regression
from sklearn.utils import as_float_array, check_X_y, safe_sqr

from moeliga.base.checks import check_choice, check_number, read_only
from moeliga.base.estimator import BaseEstimator
from moeliga.base.random_streams import Purpose, random_states
from moeliga.base.threads import one_thread
from moeliga.base.typing import Number

BLOCK = 1 << 21
"""Values of a dense X that `f_scores` gets at a time: 16 MiB."""


def f_scores(X, y):
    """Return the scores of scikit-learn's `f_classif`, bit for bit, without its warning about constant features.

    A warning filter would not do: threads share filters, and restore each other's if their contexts overlap.
    """
    X, y = check_X_y(X, y, accept_sparse=["csr", "csc", "coo"])
    labels, sizes = np.unique(y, return_counts=True)
    parts = [as_float_array(X[np.flatnonzero(y == label)]) for label in labels]
    sums = [np.asarray(part.sum(axis=0)) for part in parts]
    mean = sum(sums) ** 2 / float(len(y))
    total = sum(np.asarray(safe_sqr(part).sum(axis=0)) for part in parts) - mean
    between = sum(one**2 / size for one, size in zip(sums, sizes, strict=True)) - mean
    return ((between / float(len(labels) - 1)) / ((total - between) / float(len(y) - len(labels)))).ravel()


def by_blocks(X, y):
    """Return the scores of `f_scores`, which copies its input, for one block of columns after the other.

    A block has two columns at least, as NumPy sums a single one in another order.
    """
    n_samples, n_features = X.shape
    n_blocks = 1 if issparse(X) else max(1, min(-(-n_samples * n_features // BLOCK), n_features // 2))
    edges = np.linspace(0, n_features, n_blocks + 1).astype(int)
    return np.concatenate([f_scores(X[:, start:stop], y) for start, stop in pairwise(edges.tolist())])


ScoreName: TypeAlias = Literal["auto", "f_classif", "mutual_info_classif", "chi2", "f_regression",
                               "mutual_info_regression"]
SCORE_FUNCS: dict[str, dict[ScoreName, Any]] = {
    "uar": {"f_classif": by_blocks, "mutual_info_classif": mutual_info_classif, "chi2": chi2},
    "r2": {"f_regression": f_regression, "mutual_info_regression": mutual_info_regression},
}
"""scikit-learn's scoring functions by name, for the score "uar" of classification and "r2" of regression."""

NAMED: dict[ScoreName, Any] = {"auto": by_blocks, **SCORE_FUNCS["uar"], **SCORE_FUNCS["r2"]}

ScoreFunction: TypeAlias = ScoreName | Callable[[Any, Any], ArrayLike | tuple[ArrayLike, object]]
"""A callable takes the data of `fit`, and returns scores or (scores, p-values)."""


class FeaturePrior(BaseEstimator):
    """Add features with a better univariate score more often.

    A scoring function ranks the features once, on the data of `fit`. A share of the features of an initial subset, and
    of those that a child has from neither parent, is replaced by other new features, drawn with probabilities
    proportional to 1 / (rank + offset). The number of added features stays the same, and each feature can be added.

    Parameters
    ----------
    score_func : str or callable, default="f_classif"
        ``f(X, y)`` that returns scores of shape (n_features,), larger is better, or (scores, p-values), as for
        scikit-learn's `SelectKBest`; or a name: "f_classif", "mutual_info_classif" or "chi2" for a classifier,
        "f_regression" or "mutual_info_regression" for a regressor. "auto" is "f_classif" for a classifier, and no prior
        for a regressor, with missing values, with `subsample` (which leaves most of X unread) or if all scores are NaN.
        A parameter random_state that is None gets a number of the search's own streams.
    share : float in [0, 1], default=0.5
        Share of the added features that is drawn by rank; the others are drawn with equal probability.
    offset : float >= 0, default=10.0
        A larger offset gives flatter probabilities: with 10 the best of 1000 features has 92 times that of the last.

    Notes
    -----
    Not in the paper. Ranks begin at 1; ties are ranked by column, and NaN, the score of a constant feature by
    "f_classif", last. A group of features has the best score of its members, and is replaced by groups of its size. A
    callable must return absolute values of scores such as correlations.

    The function is called once, before the search, with one thread for BLAS and OpenMP, and with the X of `fit` (sparse
    as CSC or CSR); scikit-learn's functions refuse missing values, and those of mutual information are far slower. The
    search also validates subsets on these rows, so its scores become a little more optimistic. It counts for
    `max_time`, which does not cut it.

    Examples
    --------
    >>> import numpy as np
    >>> from moeliga import FeaturePrior
    >>> FeaturePrior(offset=1).weights(np.array([0.2, 9.0, np.nan, 0.2])).round(2).tolist()
    [0.67, 1.0, 0.4, 0.5]
    """

    def __init__(self, score_func: ScoreFunction = "f_classif", share: Number = 0.5, offset: Number = 10.0) -> None:
        self.score_func = score_func
        self.share = share
        self.offset = offset

    def validate(self, name: str = "feature_prior") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        if isinstance(self.score_func, type) or not callable(self.score_func):
            check_choice(f"{name}.score_func", self.score_func, NAMED)
        check_number(f"{name}.share", self.share, Real, 0, 1)
        check_number(f"{name}.offset", self.offset, Real, 0)

    def scores(self, X: Any, y: NDArray[Any], seed: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the scores of the features of X (ndarray, CSC or CSR): float64, shape (n_features,), may hold NaN.

        `seed` has two uint64. TypeError or ValueError if the function refuses X and y, or returns other values.
        """
        function: Any = NAMED[self.score_func] if isinstance(self.score_func, str) else self.score_func
        function = by_blocks if function is f_classif else function
        given = {}
        if wants_seed(function):
            given["random_state"], = random_states(seed, (Purpose.ESTIMATOR << 8 | Purpose.PRIOR, 0, 0, 0, 0))
        try:
            with one_thread(), np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                found = function(read_only(X), read_only(y), **given)
        except (TypeError, ValueError) as error:
            named = isinstance(self.score_func, str)
            name = self.score_func if named else getattr(self.score_func, "__name__", repr(self.score_func))
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"feature_prior must take X and y, {name} does not: {error}") from error
        found = np.asarray(found[0] if isinstance(found, tuple) else found)
        if found.dtype.kind not in "iuf" or found.shape != (X.shape[1],):
            raise TypeError(f"feature_prior must return {X.shape[1]} numbers, one for each feature of X, got an array "
                            f"of {found.dtype} of shape {found.shape}")
        return found.astype(np.float64)

    def weights(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights by which features, or groups, with scores are drawn: (1 + offset) / (rank + offset).

        Scores (NaN = last) and weights are float64 of shape (n,).
        """
        order = np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")
        weights = np.empty(len(scores))
        weights[order] = (1.0 + float(self.offset)) / (np.arange(1, len(scores) + 1) + float(self.offset))
        return weights


def automatic(prior):
    """Return True for a prior of `score_func="auto"`, which some data do without."""
    return isinstance(prior.score_func, str) and prior.score_func == "auto"


def wants_seed(function):
    """Return True if a function has a parameter random_state with the default None."""
    try:
        parameter = inspect.signature(function).parameters.get("random_state")
    except (TypeError, ValueError):  # a compiled function without a signature
        return False
    return parameter is not None and parameter.default is None
