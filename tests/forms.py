"""Selectors that score a few subsets, and the forms in which callers give what each sample has: for random attacks."""

from collections import UserList, deque

import numpy as np
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB
from sklearn_objects import data
from sklearn_objects import small as single

import cross_fitted
from strategies import COLUMN_LAYOUTS, LAYOUTS

N = 24
X, Y = data(np.random.default_rng(0), N, 4)


def small(estimator=None, **parameters):
    """A selector that scores a few subsets and ends."""
    return single(estimator, population_size=4, n_generations=0, **parameters)


def honest_one(honest, **parameters):
    """One that is cross-fitted."""
    return cross_fitted.small(honest=honest, population_size=4, n_generations=0, islands=None,
                              feature_prior=None, **parameters)



def polars(array):
    """A series of polars; the array itself without polars, or of a type that it does not know."""
    try:
        import polars as pl
    except ImportError:
        return array
    return pl.Series("any", np.ascontiguousarray(array)) if array.dtype.kind in "ifub" and array.dtype.isnative and (
        array.dtype.itemsize > 2) else array


FORMS = {**{name: LAYOUTS[name] for name in COLUMN_LAYOUTS}, "polars": polars,
         "tuple": lambda array: tuple(array.tolist()),
         "deque": lambda array: deque(array.tolist()), "user list": lambda array: UserList(array.tolist())}


def twin(mask, splits, weight=None, for_score=None):
    """Mean balanced accuracy of the classifier on some features over splits, with the weights of their rows."""
    scores = []
    for train, test in splits:
        model = GaussianNB().fit(X[train][:, mask], Y[train], None if weight is None else weight[train])
        scores.append(balanced_accuracy_score(Y[test], model.predict(X[test][:, mask]),
                                              sample_weight=None if for_score is None else for_score[test]))
    return np.mean(scores)


def pandas(array, dtype):
    """A series of a type of pandas' own; the array itself without pandas."""
    try:
        import pandas as pd
    except ImportError:
        return array
    return pd.Series(array, dtype=dtype, index=np.arange(len(array))[::-1])


class Broken:
    """Something that has a length and no entries, or lies about it."""

    def __init__(self, length):
        self.length = length

    def __len__(self):
        if self.length is None:
            raise TypeError("no length")
        return self.length


class Shaped:
    """Something whose shape is none."""

    def __init__(self, shape):
        self.shape = shape
