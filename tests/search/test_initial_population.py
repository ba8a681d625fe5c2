"""Limits and Ctrl-C while the initial population is evaluated by joblib: what is scored so far is the front."""

import os
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB

from cross_fitted import data
from single_search import single_search

SMALL = {"population_size": 40, "n_generations": 5, "evaluation__n_splits": 2, "evaluation__n_rescore_splits": 2,
         "random_state": 0, "n_jobs": 1}


class Acting:
    """A scorer that does something at each call."""

    def __init__(self, act):
        self.act, self.n = act, 0

    def __call__(self, model, X, y):
        self.n += 1
        self.act(self.n)
        return model.score(X, y)


def all_of_generation_0(X, y):
    """The subsets that a search without a limit begins with: set of bytes."""
    seen = []
    single_search(BernoulliNB(), **SMALL, callbacks=lambda state: seen.append(state.supports) or True).fit(X, y)
    return {mask.tobytes() for mask in seen[0]}


def assert_of_generation_0(selector, X, y, reason):
    """A usable front of a part of the initial population."""
    assert selector.stop_reason_ == reason
    assert len(selector.history_["generation"]) == 1
    assert {mask.tobytes() for mask in selector.pareto_front_.supports} <= all_of_generation_0(X, y)
    assert selector.support_.any() and np.isfinite(selector.pareto_front_.score).all()


@pytest.mark.quick(1)
@pytest.mark.parametrize(("limit", "least", "most"), [(0, 2, 2), (7, 2, 8), (23, 12, 24)])
def test_time_ends_it(rng, monkeypatch, limit, least, most):
    """By a clock under which a subset takes a second; two are always evaluated."""
    X, y = data(rng)
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    scoring = Acting(lambda n: now.__setitem__(0, now[0] + 0.5))
    selector = single_search(BernoulliNB(), **SMALL, scoring=scoring, max_time=limit).fit(X, y)
    assert_of_generation_0(selector, X, y, "max_time")
    assert least <= selector.n_evaluations_ <= most


def test_ctrl_c_keeps_what_is_scored(rng):
    """From the third subset on."""
    X, y = data(rng)
    scoring = Acting(lambda n: signal.raise_signal(signal.SIGINT) if n == 20 else None)
    selector = single_search(BernoulliNB(), **SMALL, scoring=scoring).fit(X, y)
    assert_of_generation_0(selector, X, y, "interrupt")
    assert 2 <= selector.n_evaluations_ < 10


def test_ctrl_c_before_two_are_scored_is_ctrl_c(rng):
    """There is nothing to choose from."""
    X, y = data(rng)
    with pytest.raises(KeyboardInterrupt):
        single_search(BernoulliNB(), **SMALL,
                      scoring=Acting(lambda n: signal.raise_signal(signal.SIGINT) if n == 1 else None)).fit(X, y)


def slow(model, X, y, *, calls):
    """A scorer that takes its time, and adds a byte to a file."""
    with open(calls, "ab") as file:
        file.write(b".")
    time.sleep(0.05)
    return model.score(X, y)


@pytest.mark.process
def test_ctrl_c_reaches_a_search_by_workers(rng, tmp_path):
    """joblib's processes finish what they have; the fit goes on to the end of a fit."""
    X, y = data(rng)
    calls, done = tmp_path / "calls", threading.Event()
    calls.touch()

    def interrupt():
        while calls.stat().st_size < 40 and not done.wait(0.02):
            pass
        if not done.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    watcher = threading.Thread(target=interrupt)
    watcher.start()
    try:
        many = {**SMALL, "n_jobs": 2, "population_size": 400}
        selector = single_search(BernoulliNB(), **many, scoring=partial(slow, calls=calls)).fit(X, y)
    finally:
        done.set()
        watcher.join()
    assert selector.stop_reason_ == "interrupt" and 2 <= selector.n_evaluations_ < 400
    assert selector.support_.any()


@pytest.mark.slow
def test_pieces_change_nothing(rng, monkeypatch):
    """Two at a time, or all at once."""
    X, y = data(rng)
    found = []
    for seconds in (0.0, 1e9):
        monkeypatch.setattr("moeliga.search.islands.PIECE_SECONDS", seconds)
        few = SMALL | {"population_size": 10, "n_generations": 1}
        found.append(single_search(BernoulliNB(), **few).fit(X, y).pareto_front_.objectives)
    np.testing.assert_array_equal(*found)
