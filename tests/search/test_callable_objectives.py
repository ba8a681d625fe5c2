"""Objectives that are functions of a mask and the data."""

import signal

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from recorded_searches import Recorder, small
from sklearn.naive_bayes import GaussianNB

import cross_fitted
from arbitrary import data, expected, first
from moeliga import Islands
from moeliga.base.budget import Budget, Interrupted
from moeliga.base.random_streams import Purpose


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


def evaluated(budget, rng, **parameters):
    """Evaluate the first generation of a search until it is interrupted."""
    _, begun = cross_fitted.ready(cross_fitted.small(honest=None, **parameters), *data(rng))
    search = begun.search
    subsets = search.whole.subsets(search.whole.chromosomes(begun.bits))
    with pytest.raises(Interrupted):
        search.objectives.evaluate(search.ground, subsets, (Purpose.EVALUATE, 0, 0), budget=budget)


@pytest.mark.parametrize("scored", [False, True])
def test_what_is_the_users_is_not_called_after_the_end_of_a_search(rng, scored):
    """A signal ends it at once, and the end of the time after the subset."""
    for act, n_calls in ((lambda budget: budget.interrupt(signal.SIGINT, True), 1),
                         (lambda budget: setattr(budget, "urgent", True), 2 if scored else 1)):
        budget, calls = Budget(), []

        def called(*given, act=act, budget=budget, calls=calls):
            calls.append(given)
            act(budget)
            return 0.5

        if scored:
            evaluated(budget, rng, islands=Islands(judges=[GaussianNB()], sizes=None), scoring=called)
        else:
            evaluated(budget, rng, objectives=(called, "cardinality"))
        assert len(calls) == n_calls  # a subset has two splits


def test_an_error_in_a_callable_comes_through(rng):
    """The user sees his own exception."""

    def broken(mask, X, y):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        small(objectives=(broken,)).fit(*data(rng))
