"""Every way to stop a search."""

import signal

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from recorded_searches import REPLACEMENTS, small

from arbitrary import data, first, second
from moeliga import MOELIGASelector
from moeliga.base.budget import Budget, Interrupted
from moeliga.base.random_streams import seed_words
from moeliga.data.problem import Problem
from moeliga.evaluation.objectives import Objectives
from moeliga.search.evolution import Patience
from moeliga.search.loop import outcome_of
from moeliga.search.ranking import rank_features


def assert_valid(selector, X):
    """A fitted selector with a front, a choice and a history that agree."""
    front = selector.pareto_front_
    assert len(front) >= 1
    assert front.supports.any(axis=1).all()
    assert_array_equal(selector.support_, front.supports[selector.index_])
    assert selector.transform(X).shape == (len(X), selector.support_.sum())
    assert len({len(column) for column in selector.history_.values()}) == 1
    assert selector.history_["n_evaluations"][-1] == selector.n_evaluations_


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize("n_generations", [0, 1, 4])
def test_n_generations_is_the_number_of_generations_after_the_first(rng, n_generations, replacement):
    """0 leaves the initial population."""
    X, y = data(rng)
    selector = small(replacement, n_generations=n_generations).fit(X, y)
    assert selector.stop_reason_ == "n_generations"
    assert selector.history_["generation"].tolist() == list(range(n_generations + 1))
    if replacement is None:
        assert selector.n_evaluations_ == 12 * (n_generations + 1)
    assert_valid(selector, X)


@pytest.mark.parametrize("patience", [1, 2, 5])
def test_patience_waits_so_long_for_a_larger_hypervolume(rng, patience):
    """The search ends at the first generation before which the hypervolume has not grown for so many."""
    X, y = data(rng)
    selector = small(patience=patience, n_generations=200).fit(X, y)
    assert selector.stop_reason_ == "patience"
    volumes = selector.history_["hypervolume"]
    waited = [g - int(np.argmax(volumes[: g + 1])) for g in range(len(volumes))]  # since the (first) largest so far
    assert waited[-1] == patience
    assert max(waited[:-1]) < patience
    assert_valid(selector, X)


def test_a_callback_is_the_reason_before_patience(rng):
    """Where both end the search after the same generation."""
    X, y = data(rng)
    last = small(patience=2, n_generations=200).fit(X, y).history_["generation"][-1]
    both = small(patience=2, n_generations=200, callbacks=lambda state: state.generation == last).fit(X, y)
    assert (both.stop_reason_, both.history_["generation"][-1]) == ("callback", last)


def test_a_signal_is_the_reason_before_a_callback(rng):
    """It is the user's, and sets the exit status of the command."""
    def both(state):
        signal.raise_signal(signal.SIGINT)
        return True

    selector = small(callbacks=both).fit(*data(rng))
    assert (selector.stop_reason_, selector.history_["generation"].tolist()) == ("interrupt", [0])


def test_patience_counts_generations_without_growth():
    """Equal is no growth; every growth starts the count anew; None waits for ever."""
    for limit, grown in ((2, [False, False, False, False, True]), (None, 5 * [False])):
        patience, got = Patience(limit), []
        for value in (1.0, 1.0, 2.0, 1.5, 2.0):
            patience.update(value)
            got.append(patience.exhausted)
        assert got == grown


@pytest.mark.quick(1)
@pytest.mark.parametrize("reevaluate", ["all", "none"])
@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_max_evaluations_is_never_exceeded(rng, replacement, reevaluate, calls):
    """For any number: the search makes at most so many evaluations, counts them rightly, and has a result."""
    X, y = data(rng)
    whole = small(replacement, evaluation__reevaluate=reevaluate, objectives=(first, second)).fit(X, y).n_evaluations_
    for limit in range(12, whole + 1):
        calls.clear()
        selector = small(replacement, evaluation__reevaluate=reevaluate, objectives=(first, second),
                         max_evaluations=limit)
        selector.fit(X, y)
        assert sum(len(call.masks) for call in calls) == selector.n_evaluations_ <= limit
        assert selector.stop_reason_ == ("n_generations" if len(selector.history_["generation"]) == 6
                                         and selector.n_evaluations_ == whole else "max_evaluations")
        assert_valid(selector, X)


def test_half_of_max_time_at_most_is_for_the_forest_that_ranks(rng, monkeypatch):
    """After it no further tree is begun, and features are ranked by those that there are."""
    X, y = data(rng)
    monkeypatch.setattr("moeliga.forest.ensemble.GROWN_BYTES", 1)  # asked after each tree
    problem, seed = Problem.from_data(X, y, False), seed_words(0)
    whole = rank_features(problem, seed, 1)["forest"].tolist()
    first = rank_features(problem, seed, 1, enough=lambda: True)["forest"].tolist()
    for cut, order in ((False, whole), (True, first)):
        monkeypatch.setattr(Budget, "half_over", cut)
        selector = MOELIGASelector(population_size=12, n_generations=1, honest=2, max_time=3600.0, random_state=0,
                                   n_jobs=1).fit(X, y)
        baselines = selector.baselines_
        ranked = baselines.supports[baselines.source == "forest"]
        assert len(ranked) and all(set(np.flatnonzero(mask)) == set(order[: mask.sum()]) for mask in ranked)
    assert whole[:6] != first[:6]


@pytest.mark.parametrize("keep", [True, False])
def test_a_signal_while_the_front_is_scored_again(rng, monkeypatch, keep):
    """It keeps the scores of the search, and subsets to compare with are not scored; or there is no result."""
    states = []
    small(callbacks=states.append).fit(*data(rng))
    search, progress = states[-1].search, states[-1].progress
    search.baselines = progress.population.bits[:2]

    def evaluate(*arguments, **options):
        search.budget.interrupt(signal.SIGINT, keep)
        raise Interrupted

    monkeypatch.setattr(Objectives, "evaluate", evaluate)
    if not keep:
        with pytest.raises(Interrupted):
            outcome_of(search, progress, 3)
        return
    outcome = outcome_of(search, progress, 3)
    assert outcome.n_rescore_splits == 0 and len(outcome.baselines.bits) == 0
    assert_array_equal(outcome.found.objectives, outcome.found.search_objectives)


@pytest.mark.parametrize("answer", [True, np.True_])
def test_a_callback_that_returns_true_stops_the_search(rng, answer):
    """NumPy's True is as good as Python's; all callbacks of that generation are asked."""
    X, y = data(rng)
    asked = []
    selector = small(callbacks=[lambda state: answer if state.generation == 2 else None, asked.append]).fit(X, y)
    assert selector.stop_reason_ == "callback"
    assert selector.history_["generation"].tolist() == [0, 1, 2]
    assert len(asked) == 3
    assert_valid(selector, X)


@pytest.mark.parametrize("answer", [None, False, np.False_, 0, 1, "stop", [True], np.ones(3)], ids=repr)
def test_a_callback_that_returns_anything_else_does_not(rng, answer):
    """Only True stops: a callback may return what it likes."""
    assert small(callbacks=lambda state: answer).fit(*data(rng)).stop_reason_ == "n_generations"


def test_an_error_in_a_callback_comes_through(rng):
    """And Ctrl-C works as before."""

    def broken(state):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        small(callbacks=broken).fit(*data(rng))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_patience_is_for_the_best_so_far():
    """A value above the last one alone is no growth, nor is an equal one."""
    patience = Patience(3)
    for value, waited in [(1.0, 0), (0.5, 1), (0.7, 2), (1.5, 0), (1.5, 1), (1.4, 2), (1.5, 3)]:
        patience.update(value)
        assert (patience.waited, patience.exhausted) == (waited, waited == 3)
