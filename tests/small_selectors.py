"""Selectors that take milliseconds, data for them, and what is the same of two."""

import numpy as np
from numpy.testing import assert_array_equal

from moeliga import LocalImprovement, MOELIGASelector

SMALL_LOCAL = {"n_populations": 1, "population_size": 8, "n_generations": 2, "every": 1}
SMALL = {"population_size": 12, "n_generations": 2, "n_elite": 2, "generation_gap": 2, "n_rescore_splits": 3,
         "random_state": 0}


def small(estimator=None, **parameters):
    """A selector that takes milliseconds."""
    return MOELIGASelector(estimator, **{**SMALL, "local_improvement": LocalImprovement(**SMALL_LOCAL), **parameters})


def data(rng, n_samples=40, n_features=9, n_classes=2):
    """Noise and, in columns 2 and 5, the class with noise."""
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.normal(size=(n_samples, n_features))
    X[:, [2, 5]] += 2 * y[:, None]
    return X, y


def assert_same_result(one, two):
    """Both found the same front, the same way, and chose the same member."""
    assert_array_equal(one.pareto_front_.supports, two.pareto_front_.supports)
    assert_array_equal(one.pareto_front_.objectives, two.pareto_front_.objectives)
    for name in one.history_.keys() - {"seconds"}:
        assert_array_equal(one.history_[name], two.history_[name], err_msg=name)
    assert_array_equal(one.support_, two.support_)
