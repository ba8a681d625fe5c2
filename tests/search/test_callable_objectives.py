"""Objectives that are functions of a mask and the data."""


import numpy as np
import pytest
from numpy.testing import assert_array_equal
from recorded_searches import Recorder, small

from arbitrary import data, expected, first


def test_a_callable_joins_the_others(rng):
    """It gets the mask and the caller's data, and its column has its name."""
    X, y = data(rng)
    seen = []

    def price(mask, X, y):
        seen.append((mask.dtype, mask.shape, X, y))
        return -float(mask[:10].sum())

    front = small(objectives=("cardinality", "uar", price)).fit(X, y).pareto_front_
    assert front.names == ("cardinality", "uar", "price")
    assert_array_equal(front.objectives[:, 2], -front.supports[:, :10].sum(axis=1))
    assert_array_equal(front.score, front.objectives[:, 1])
    assert all((dtype.kind, shape) == ("b", (20,)) for dtype, shape, _, _ in seen)
    assert all(np.array_equal(given, X) and np.array_equal(labels, y) for _, _, given, labels in seen)


def test_a_callable_may_replace_the_tree(rng):
    """Without "uar" the first callable is the score, by which the best are chosen and the history is told."""
    seen = Recorder()
    selector = small("parent", objectives=(first, "cardinality"), rule="best", evaluation__n_rescore_splits=4,
                     callbacks=seen).fit(*data(rng))
    front = selector.pareto_front_
    assert_array_equal(front.score, expected(front.supports)[:, 0])
    assert front.score[selector.index_] == front.score.max()
    assert selector.history_["best_score"][-1] == seen.states[-1].objectives[:, 0].max()


def test_one_objective_is_enough(rng):
    """With a single objective the front is the best subset, or several that are equally good."""
    front = small("parent", objectives=(first,)).fit(*data(rng)).pareto_front_
    assert len(front) == 1


def test_an_error_in_a_callable_comes_through(rng):
    """The user sees his own exception."""

    def broken(mask, X, y):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        small(objectives=(broken,)).fit(*data(rng))
