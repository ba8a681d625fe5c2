"""Ctrl-C, SIGTERM and other signals: what stops, what is kept, and what is left as it was."""

import os
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.naive_bayes import GaussianNB

from arbitrary import sized
from moeliga import MOGA, LocalImprovement, stop_on
from moeliga.base.signals import Stopping, Terminated, stop_signals, terminable
from single_search import single_search

LOCAL = LocalImprovement(population_size=7, n_populations=2, n_generations=2, every=2)
SMALL = {"population_size": 12, "n_generations": 5, "evaluation__n_rescore_splits": 3, "local_improvement": None,
         "random_state": 0}
HANDLED = [signal.SIGINT, signal.SIGTERM]
posix = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
data = sized(30, 20, 3)


def small(**parameters):
    return single_search(**{**SMALL, **parameters})


def send_at(generation, number=signal.SIGINT, times=1):
    """A callback that sends a signal after a generation."""

    def send(state):
        if state.generation == generation:
            for _ in range(times):
                signal.raise_signal(number)

    return send


def assert_stopped(selector, X, reason="interrupt", generations=None):
    """Assert that there are a front and a choice, and that all handlers are restored."""
    assert selector.stop_reason_ == reason
    assert selector.transform(X).shape == (len(X), selector.support_.sum())
    assert selector.support_.any()
    assert generations in (None, selector.history_["generation"].tolist())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


# in this process


@pytest.mark.parametrize("local_improvement", [None, LOCAL])
def test_ctrl_c_ends_the_search_with_what_there_is(rng, local_improvement):
    """The search ends after the generation; the handler is restored."""
    X, y = data(rng)
    selector = small(local_improvement=local_improvement, callbacks=send_at(2)).fit(X, y)
    assert_stopped(selector, X, generations=[0, 1, 2])


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGUSR1", "SIGHUP"])
def test_any_signal_that_is_named_does(rng, name, request):
    """Its name is the reason."""
    number = signal.Signals[name]
    request.addfinalizer(partial(signal.signal, number, signal.signal(number, signal.SIG_DFL)))  # nohup ignores SIGHUP
    X, y = data(rng)
    with stop_on(name):
        selector = small(callbacks=send_at(2, number)).fit(X, y)
    assert_stopped(selector, X, name, [0, 1, 2])
    assert signal.getsignal(signal.Signals[name]) is signal.SIG_DFL


def test_the_front_is_that_of_a_shorter_search(rng):
    """What came before a signal does not depend on it."""
    X, y = data(rng)
    one, two = small(callbacks=send_at(3)).fit(X, y), small(n_generations=3).fit(X, y)
    assert_array_equal(one.pareto_front_.supports, two.pareto_front_.supports)
    assert_array_equal(one.pareto_front_.objectives, two.pareto_front_.objectives)


def test_a_second_ctrl_c_is_an_interrupt_as_usual(rng):
    """The second one raises KeyboardInterrupt; the handler is restored."""
    with pytest.raises(KeyboardInterrupt):
        small(callbacks=send_at(2, times=2)).fit(*data(rng))
    assert [signal.getsignal(number) for number in HANDLED] == [signal.default_int_handler, signal.SIG_DFL]


def test_ctrl_c_after_a_fit_is_an_interrupt_as_usual(rng):
    """The fit leaves no handler behind."""
    small().fit(*data(rng))
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_before_the_first_population_is_known_is_an_interrupt_as_usual(rng):
    """There is no result yet."""

    def first(mask, X, y):
        signal.raise_signal(signal.SIGINT)
        return 0.0

    selector = small(objectives=(first,))
    with pytest.raises(KeyboardInterrupt):
        selector.fit(*data(rng))
    assert not hasattr(selector, "pareto_front_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@posix
def test_contexts_add_up_and_end(rng):
    """Within two contexts both signals end a search; outside of them only Ctrl-C does."""
    with stop_on("SIGUSR1"), stop_on("SIGTERM"):
        assert stop_signals() == [signal.SIGINT, signal.SIGUSR1, signal.SIGTERM]
    assert stop_signals() == [signal.SIGINT]
    with pytest.raises(ZeroDivisionError), stop_on("SIGTERM"):
        raise ZeroDivisionError
    assert stop_signals() == [signal.SIGINT]


@pytest.mark.parametrize("rule", ["r1", "one_se"])
def test_a_signal_while_the_front_is_scored_again_leaves_the_scores_of_the_search(rng, rule, capsys):
    """The search is not lost, and "one_se", which has no standard errors then, gives way."""

    def score(mask, X, y):
        if len(calls) == 12 * 6:  # all evaluations of the search are done
            signal.raise_signal(signal.SIGINT)
        calls.append(mask.sum())
        return float(mask[:3].sum())

    calls = []
    X, y = data(rng)
    selector = small(objectives=("uar", "cardinality", score), rule=rule, survival=MOGA(3, 2)).fit(X, y)
    assert_stopped(selector, X, generations=list(range(6)))
    front = selector.pareto_front_
    assert_array_equal(front.objectives, front.search_objectives)
    assert np.isnan(front.score_se).all()
    assert selector.index_ == front.choose("r1")
    assert capsys.readouterr().err == "moeliga: stopped; the front keeps the scores of the search\n"


def test_a_handler_of_the_user_is_left_alone(rng):
    """Where the caller handles a signal, the search does not."""
    pressed = []

    def mine(number, frame):
        pressed.append(number)

    before = [signal.signal(number, mine) for number in HANDLED]
    try:
        with stop_on("SIGTERM"):
            selector = small(callbacks=[send_at(2), send_at(3, signal.SIGTERM)]).fit(*data(rng))
        assert [signal.getsignal(number) for number in HANDLED] == [mine, mine]
    finally:
        for number, handler in zip(HANDLED, before, strict=True):
            signal.signal(number, handler)
    assert pressed == HANDLED
    assert selector.stop_reason_ == "n_generations"


def test_fit_works_in_any_thread(rng):
    """Signals belong to the main thread; a search elsewhere finds the same."""
    X, y = data(rng)
    there = small(local_improvement=LOCAL)
    thread = threading.Thread(target=there.fit, args=(X, y))
    thread.start()
    thread.join()
    here = small(local_improvement=LOCAL).fit(X, y)
    assert_array_equal(there.pareto_front_.objectives, here.pareto_front_.objectives)


def test_ctrl_c_goes_before_a_callback_that_stops(rng):
    """Where both happen in one generation, the reason is the signal."""

    def both(state):
        signal.raise_signal(signal.SIGINT)
        return True

    assert small(callbacks=both).fit(*data(rng)).stop_reason_ == "interrupt"


@posix
def test_sigterm_is_an_exception_where_a_program_wants_it(rng):
    """The first one ends a search with a result where that is named; a handler of the user's stays."""
    X, y = data(rng)
    with terminable():
        with stop_on("SIGTERM"):
            assert small(callbacks=send_at(2, signal.SIGTERM)).fit(X, y).stop_reason_ == "SIGTERM"
            with pytest.raises(Terminated):
                small(callbacks=send_at(2, signal.SIGTERM, times=2)).fit(X, y)
        with pytest.raises(Terminated):
            signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    before = signal.signal(signal.SIGTERM, lambda number, frame: pressed.append(number))
    pressed = []
    try:
        with terminable():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert pressed == [signal.SIGTERM]


# at the ends of the context


@posix
@pytest.mark.parametrize("calls", range(1, 5))
@pytest.mark.parametrize("first", HANDLED)
def test_no_moment_leaves_a_handler_behind(monkeypatch, calls, first):
    """A signal after any call that sets a handler, on entry or exit, is recorded or has its usual effect."""
    made = []

    def sets(number, handler):
        found = set_handler(number, handler)
        made.append(number)
        if len(made) == calls:
            os.kill(os.getpid(), first)
        return found

    set_handler = signal.signal
    set_handler(signal.SIGTERM, signal.default_int_handler)  # so that the process lives
    monkeypatch.setattr("moeliga.base.signals.signal.signal", sets)
    try:
        with Stopping(HANDLED, saved=False) as stops:
            pass
        assert stops.number in (None, first)
    except KeyboardInterrupt:
        assert calls != 2  # when both are taken note of
    finally:
        monkeypatch.undo()
        found = [signal.getsignal(number) for number in HANDLED]
        for number, usual in zip(HANDLED, (signal.default_int_handler, signal.SIG_DFL), strict=True):
            set_handler(number, usual)
    assert found == [signal.default_int_handler] * 2


@posix
@pytest.mark.parametrize("order", [HANDLED, HANDLED[::-1]])
def test_a_signal_without_a_result_is_not_forgotten(order):
    """The order of a signal with a result and one without does not matter."""
    set_handler = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), Stopping([signal.SIGINT], saved=True) as stops:
            for number in order:
                signal.raise_signal(number)
        assert stops.number == signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, set_handler)


# at a moment that the search does not choose


def press_after(seconds, begun):
    """Presses Ctrl-C so long after `begun` is set."""
    main = threading.main_thread().ident
    thread = threading.Thread(target=lambda: (begun.wait(60), time.sleep(seconds),
                                              signal.pthread_kill(main, signal.SIGINT)))
    thread.start()
    return thread


@posix
@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks beside threads
@pytest.mark.parametrize("context", [lambda: Stopping([signal.SIGTERM], False), terminable], ids=["fit", "command"])
def test_a_forked_child_ends_at_sigterm(context):
    """A child, such as a worker of a model's pool, dies of SIGTERM instead of ending the search."""
    with context():
        child = os.fork()
        if child == 0:
            signal.raise_signal(signal.SIGTERM)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM


def test_ctrl_c_while_the_kernels_run(rng):
    """The result is valid."""
    X, y = data(rng, n_samples=200)
    begun = threading.Event()
    thread = press_after(0.05, begun)
    selector = small(local_improvement=LOCAL, n_generations=10**9, callbacks=lambda state: begun.set()).fit(X, y)
    thread.join()
    assert_stopped(selector, X)


class Sleeper(GaussianNB):
    """A classifier that takes a minute for everything after the first generation."""

    n_fits = 0

    def fit(self, X, y):
        Sleeper.n_fits += 1
        if Sleeper.n_fits > 12 * 3:
            begun.set()
            time.sleep(60)
        return super().fit(X, y)


begun = threading.Event()


@posix
def test_ctrl_c_does_not_wait_for_a_slow_classifier(rng, monkeypatch):
    """Its fit is interrupted."""
    X, y = data(rng)
    begun.clear()
    monkeypatch.setattr(Sleeper, "n_fits", 0)
    thread = press_after(0.05, begun)
    started = time.monotonic()
    selector = small(estimator=Sleeper(), evaluation__n_rescore_splits=0).fit(X, y)
    thread.join()
    assert time.monotonic() - started < 60
    assert_stopped(selector, X, generations=[0])


@posix
def test_nor_for_a_slow_objective(rng):
    """A callable is interrupted, too."""
    begun = threading.Event()

    def slow(mask, X, y):
        calls.append(1)
        if len(calls) > 12:
            begun.set()
            time.sleep(60)
        return float(mask.sum())

    X, y = data(rng)
    calls, thread, started = [], press_after(0.05, begun), time.monotonic()
    selector = small(objectives=(slow,), evaluation__n_rescore_splits=0).fit(X, y)
    thread.join()
    assert time.monotonic() - started < 60
    assert_stopped(selector, X, generations=[0])


# the names


@pytest.mark.parametrize("name", ["SIGKILL", "SIGSTOP", "Ctrl-C", "SIG_IGN", None, 2, ["SIGTERM"]])
def test_anything_but_a_signal_that_can_be_caught_is_refused(name):
    """The error comes at once and names the value."""
    with pytest.raises(ValueError, match="stop_on must get names of signals .*got "), stop_on("SIGTERM", name):
        pass
