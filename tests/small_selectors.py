"""Selectors that take milliseconds, and data for them."""

import numpy as np

from moeliga import LocalImprovement
from paper_operators import fitting
from single_search import single_search

SMALL_LOCAL = {"n_populations": 1, "population_size": 8, "n_generations": 2, "every": 1}
SMALL = {"population_size": 12, "n_generations": 2, "survival__n_elite": 2, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 3, "random_state": 0}


def small(estimator=None, **parameters):
    """A selector that takes milliseconds."""
    given = {**SMALL, "local_improvement": LocalImprovement(**SMALL_LOCAL), **parameters}
    return single_search(estimator, **fitting(given))


def data(rng, n_samples=40, n_features=9, n_classes=2):
    """Noise and, in columns 2 and 5, the class with noise."""
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.normal(size=(n_samples, n_features))
    X[:, [2, 5]] += 2 * y[:, None]
    return X, y


def every_fifth(seed=0):
    """Noise and, in every fifth feature, something of the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 30))
    X[:, ::5] += y[:, None]
    return X, y
