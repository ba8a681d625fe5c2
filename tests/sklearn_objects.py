"""Selectors, data and a classifier for the tests of a selector among scikit-learn's objects."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB

from arbitrary import sized
from moeliga import LocalImprovement
from single_search import single_search

SMALL = {"population_size": 8, "n_generations": 1, "evaluation__n_splits": 2, "evaluation__n_rescore_splits": 2,
         "local_improvement": None, "random_state": 0, "n_jobs": 1}
LOCAL = LocalImprovement(n_populations=1, population_size=6, n_generations=2, every=1)
data = sized(48, 9, 2, shuffled=True)


def small(estimator=None, **parameters):
    """A selector that takes little time."""
    return single_search(estimator, **{**SMALL, **parameters})


def holes(X, rng):
    """X with more than half of its cells 0."""
    return np.where(rng.random(X.shape) < 0.6, 0.0, X)


def differ(one, two):
    """Whether two fits found other scores."""
    return one.history_["best_score"].tolist() != two.history_["best_score"].tolist()


class Listening(GaussianNB):
    """A classifier that tells what came with each fit."""

    heard = []

    def fit(self, X, y, sample_weight=None, **others):
        Listening.heard.append((X, y, sample_weight, others))
        return super().fit(X, y, sample_weight)


class Complaining(GaussianNB):
    """A classifier that gives two warnings in each fit, one of them with another text each time."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        warnings.warn(f"gap {Complaining.fits}", ConvergenceWarning, stacklevel=1)
        warnings.warn("odd", stacklevel=1)
        Complaining.fits += 1
        return super().fit(X, y, sample_weight)
