"""Feature priors: a ranking of the features, each by itself, says which of them are added to subsets more often."""

import inspect
import warnings
from itertools import pairwise
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import chi2, f_classif, f_regression, mutual_info_classif, mutual_info_regression

from moeliga._ext import draw
from moeliga.base.checks import check_choice, check_number
from moeliga.base.random_streams import Purpose
from moeliga.base.threads import one_thread

BLOCK = 1 << 23
"""Values of a dense X that are looked at together, where each feature has its score for itself: 64 MiB."""


def by_blocks(X, y):
    """`f_classif`, some columns at a time: it copies what it gets. One alone would be added up in another order."""
    n_samples, n_features = X.shape
    n_blocks = 1 if issparse(X) else max(1, min(-(-n_samples * n_features // BLOCK), n_features // 2))
    edges = np.linspace(0, n_features, n_blocks + 1).astype(int)
    return np.concatenate([f_classif(X[:, start:stop], y)[0] for start, stop in pairwise(edges.tolist())])


SCORE_FUNCS = {
    "uar": {"f_classif": by_blocks, "mutual_info_classif": mutual_info_classif, "chi2": chi2},
    "r2": {"f_regression": f_regression, "mutual_info_regression": mutual_info_regression},
}
"""scikit-learn's scoring functions that have a name here, by the score of what they are for."""

NAMED = {"auto": by_blocks} | {name: function for functions in SCORE_FUNCS.values()
                               for name, function in functions.items()}


class FeaturePrior(BaseEstimator):
    """Features that look better by themselves are added more often.

    Features are ranked by a scoring function, once, on the rows that `fit` gets. Of the features of an initial subset,
    and of those that a child has from neither of its parents, a share is drawn anew, with probabilities proportional to
    1 / (rank + offset), from those that would be new too. How many features are added is not changed, and every
    feature can still be added.

    Parameters
    ----------
    score_func : str or callable, default="f_classif"
        ``f(X, y)`` that returns scores of shape (n_features,), larger is better, or (scores, p-values), as for
        scikit-learn's `SelectKBest`; the names are "f_classif", "mutual_info_classif" and "chi2" for a classifier,
        "f_regression" and "mutual_info_regression" for a regressor. "auto" is "f_classif" for a classifier and X
        without missing values; there is no prior for a regressor, with missing values, with `subsample`, which leaves
        most of X unread, or where no feature gets a number. A parameter random_state that is None gets a number of the
        search's own streams.
    share : float in [0, 1], default=0.5
        Of the added features; the others are drawn with equal probability.
    offset : float >= 0, default=10.0
        The larger, the flatter: with 10 the best of 1000 features has 92 times the probability of the last one.

    Notes
    -----
    Not in the paper. Ranks are from 1, ties go by column. NaN, the score of a constant feature for "f_classif", ranks
    last. A group of features has the best score of its members and changes places with groups of as many features.
    Scores that are better when they are far from 0 on either side, such as correlations, need their absolute values
    taken.

    The function gets X as it was given, sparse X as CSC or CSR, and has to take what is in it: scikit-learn's refuse
    missing values. "f_classif" sees some columns of a dense X at a time, which needs less memory. It is called once,
    before the search, with one thread for BLAS and OpenMP; mutual information takes far longer than "f_classif". Its
    rows are those on which the search validates subsets too, so the scores of the search flatter a little more; rows
    that `fit` does not get have no part in it. `max_time` does not count it.

    Examples
    --------
    >>> import numpy as np
    >>> from moeliga import FeaturePrior
    >>> FeaturePrior(offset=1).weights(np.array([0.2, 9.0, np.nan, 0.2])).round(2).tolist()
    [0.67, 1.0, 0.4, 0.5]
    """

    def __init__(self, score_func="f_classif", share=0.5, offset=10.0):
        self.score_func = score_func
        self.share = share
        self.offset = offset

    def validate(self, name="feature_prior"):
        if isinstance(self.score_func, type) or not callable(self.score_func):
            check_choice(f"{name}.score_func", self.score_func, NAMED)
        check_number(f"{name}.share", self.share, Real, 0, 1)
        check_number(f"{name}.offset", self.offset, Real, 0)

    def scores(self, X, y, seed):
        """Scores of the features.

        Parameters
        ----------
        X : ndarray or CSC or CSR, shape (n_samples, n_features)
        y : ndarray, shape (n_samples,)
        seed : ndarray of uint64, shape (2,)

        Returns
        -------
        scores : ndarray of float64, shape (n_features,), may hold NaN

        Raises
        ------
        TypeError, ValueError : if the function refuses X and y, or returns no such scores, or NaN alone unless "auto".
        """
        named = isinstance(self.score_func, str)
        function = NAMED[self.score_func] if named else self.score_func
        given = {}
        if wants_seed(function):
            word = draw.words(seed, (Purpose.ESTIMATOR << 8 | Purpose.PRIOR, 0, 0, 0, 0), 1)[0]
            given["random_state"] = int(word >> np.uint64(33))
        try:
            with one_thread(), np.errstate(divide="ignore", invalid="ignore", over="ignore"), warnings.catch_warnings():
                warnings.filterwarnings("ignore", "(?s)Features .* are constant", UserWarning)  # they rank last
                found = function(X, y, **given)
        except (TypeError, ValueError) as error:
            name = self.score_func if named else getattr(function, "__name__", repr(function))
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"feature_prior must take X and y, {name} does not: {error}") from error
        found = np.asarray(found[0] if isinstance(found, tuple) else found)
        if found.dtype.kind not in "iuf" or found.shape != (X.shape[1],):
            raise TypeError(f"feature_prior must return {X.shape[1]} numbers, one for each feature of X, got an array "
                            f"of {found.dtype} of shape {found.shape}")
        found = found.astype(np.float64)
        if np.all(np.isnan(found)) and not automatic(self):
            raise ValueError("feature_prior must return a number for at least one feature, got NaN for all")
        return found

    def weights(self, scores):
        """Weights by which features, or groups, are drawn: (1 + offset) / (rank + offset).

        Parameters
        ----------
        scores : ndarray of float64, shape (n,), may hold NaN

        Returns
        -------
        weights : ndarray of float64, shape (n,)
        """
        order = np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")
        weights = np.empty(len(scores))
        weights[order] = (1.0 + float(self.offset)) / (np.arange(1, len(scores) + 1) + float(self.offset))
        return weights


def automatic(prior):
    """Whether data may be without a prior."""
    return isinstance(prior.score_func, str) and prior.score_func == "auto"


def wants_seed(function):
    """Whether a function has a parameter random_state that is None."""
    try:
        parameter = inspect.signature(function).parameters.get("random_state")
    except (TypeError, ValueError):  # compiled, without a signature
        return False
    return parameter is not None and parameter.default is None
