"""Cross-fitted selectors that take a fraction of a second, data for them, what makes two of them the same, and what
ends them in the middle."""

import os
import signal

import numpy as np
from numpy.testing import assert_array_equal
from same_search import assert_same
from sklearn.naive_bayes import GaussianNB

from arbitrary import sized
from moeliga import MOELIGASelector
from moeliga.data.problem import Problem
from moeliga.evaluation.metadata import Metadata
from moeliga.search.build import prepare

SMALL = {"population_size": 8, "n_generations": 2, "honest": 3, "evaluation__n_splits": 2,
         "evaluation__n_rescore_splits": 2, "random_state": 0}
data = sized(48, 9, 2, shuffled=True)


def small(estimator=None, **parameters):
    """A selector whose deployed model takes no time; without `honest` there is none."""
    given = {**SMALL, **parameters}
    estimator = GaussianNB() if estimator is None and given["honest"] is not None else estimator
    return MOELIGASelector(estimator).set_params(**given)


def problem(X, y, regression=False):
    """What a search checks data for."""
    return Problem.from_data(np.asarray(X, dtype=np.float64), np.asarray(y), regression)


def metadata(n_samples, **split):
    """Metadata of which nothing goes to a model or a scorer."""
    return Metadata({}, split, {}, n_samples)


def ready(selector, X, y, **params):
    """What a fit begins with: the plan and the search."""
    return prepare(selector, X, y, params)


def bits_of(array):
    """The bits of an array, as far as they count: a NaN is a NaN."""
    array = np.asarray(array)
    return np.where(np.isnan(array), np.nan, array).tobytes() if array.dtype.kind == "f" else array.tobytes()


def assert_same_front(one, other):
    """All columns of two fronts, bit for bit."""
    for name in ("supports", "objectives", "search_objectives", "score_se", "honest_score", "honest_se"):
        assert bits_of(getattr(one, name)) == bits_of(getattr(other, name)), name
    for name in ("source", "feature_names", "cost"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.honest is None) == (other.honest is None)
    if one.honest is not None:
        assert bits_of(one.honest.folds) == bits_of(other.honest.folds)
        assert (one.honest.share, one.honest.constant) == (other.honest.share, other.honest.constant)


def assert_same_fit(one, other):
    """All that two fits have found, bit for bit."""
    assert_same(one, other)
    assert_same_front(one.pareto_front_, other.pareto_front_)
    assert_same_front(one.baselines_, other.baselines_)
    assert list(one.fold_supports_) == list(other.fold_supports_)
    for slot, masks in one.fold_supports_.items():
        assert_array_equal(masks, other.fold_supports_[slot])
    for name in ("honest_score_", "honest_interval_"):
        assert bits_of(getattr(one, name)) == bits_of(getattr(other, name))


class Crash(Exception):
    """What a test throws into a fit."""


def at(fold, generation, action):
    """A callback that acts after a generation of the search on a fold, None = on all samples."""
    def callback(state):
        if (state.fold, state.generation) == (fold, generation):
            action()

    return callback


def crash():
    raise Crash


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


class Acting(GaussianNB):
    """A model that acts in one of its fits."""

    fits, when, action = 0, None, None

    def fit(self, X, y):
        Acting.fits += 1
        if Acting.fits == Acting.when:
            Acting.action()
        return super().fit(X, y)
