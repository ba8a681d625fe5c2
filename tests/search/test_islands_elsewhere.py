"""Islands that evolve elsewhere: the same bits, however many workers there are, and whichever fail."""

import os
import signal
from dataclasses import replace

import joblib
import numpy as np
import pytest
from joblib.parallel import LokyBackend
from same_search import assert_same
from three_islands import data, small

from moeliga import Checkpoint, LocalImprovement, RandomForestClassifier, Separability
from moeliga.data.ground import Ground
from moeliga.data.problem import Problem
from moeliga.distributed import backends, dispatcher
from moeliga.evaluation import objectives
from moeliga.evaluation.judges import judge_of
from moeliga.evaluation.subsample import with_judges
from moeliga.search import islands
from moeliga.search.build import prepare
from thread_backend import ThreadBackend


def fit(**parameters):
    """Search with workers in threads."""
    with joblib.parallel_config(ThreadBackend()):
        return small(n_jobs=None, **parameters).fit(*data())


KINDS = [
    {}, {"archive": False, "islands__n": 2}, {"evaluation__split_mode": "generation"},
    {"survival": "nsga2", "evaluation__reevaluate": "none", "islands__every": 1},
    {"evaluation__reevaluate": "average"},
    {"local_improvement": LocalImprovement(2, 9, 3, 1), "islands__every": 5},
    {"local_improvement": LocalImprovement(2, 9, 3, 2, "selection"), "survival__n_elite": 5},
    {"objectives": ("cardinality", "uar"), "constraints__groups": np.arange(30) // 2, "local_improvement": None},
    {"constraints__must_include": [3], "max_features": 20, "feature_prior": "f_classif", "init__subsets": [[3, 5]]},
    {"objectives": ("uar", Separability(samples=1.0, replace=False)), "patience": 2, "n_generations": 30},
]


@pytest.mark.quick(2)
@pytest.mark.parametrize("parameters", KINDS, ids=str)
def test_whole_islands_evolve_elsewhere_as_they_do_here(sent, parameters):
    """For all generations up to the next migration: fronts, archive, history and counts."""
    here = small(**parameters).fit(*data())
    assert sent == []
    assert_same(fit(**parameters), here)
    interval, end = parameters.get("islands__every", 3), parameters.get("n_generations", 8)
    tasks = [range(begin, min(begin + interval, end + 1))
             for begin in range(1, here.history_["generation"][-1] + 1, interval)]
    assert list(dict.fromkeys(map(tuple, sent))) == [tuple(task) for task in tasks]


@pytest.mark.quick(1)
@pytest.mark.parametrize("n_workers", [2, 3, 5])
def test_any_number_of_workers(sent, monkeypatch, n_workers):
    """More than islands or less."""
    monkeypatch.setattr(ThreadBackend, "n_workers", n_workers)
    assert_same(fit(), small().fit(*data()))
    assert sent


def test_long_intervals_are_cut(sent, monkeypatch):
    """Callbacks and checkpoints do not wait for ever; the islands do not notice."""
    monkeypatch.setattr(islands, "MOST_GENERATIONS", 3)
    assert_same(fit(islands__every=7), small(islands__every=7).fit(*data()))
    assert list(dict.fromkeys(map(tuple, sent))) == [(1, 2, 3), (4, 5, 6), (7,), (8,)]


def test_a_limit_of_time_keeps_tasks_short(sent, monkeypatch):
    """One generation at first, then as many as there is time for by the slowest so far, and one in any case."""
    assert_same(fit(max_time=1e6), small().fit(*data()))
    assert list(dict.fromkeys(map(tuple, sent))) == [(1,), (2, 3), (4, 5, 6), (7, 8)]
    sea = islands.Islands(prepare(small(), *data(), {})[1].search)
    for seconds, left, n, expected in ((0.0, np.inf, 9, 9), (0.0, np.inf, 99, 20), (0.0, 5.0, 9, 1), (1.0, 5.5, 9, 5),
                                       (1.0, 50.0, 9, 9), (1.0, 50.0, 99, 20), (2.0, 1.0, 9, 1), (2.0, -1.0, 9, 1)):
        monkeypatch.setattr(type(sea.search.budget), "seconds_left", left)
        sea.seconds = seconds
        assert sea.affordable_generations(n) == expected


@pytest.mark.quick(4)
@pytest.mark.parametrize("most", range(60, 700, 41))
def test_max_evaluations_ends_islands_where_it_would_have_here(sent, most):
    """In any generation of any of them, or in its local improvement."""
    setting = {"max_evaluations": most, "evaluation__reevaluate": "average", "n_generations": 5}
    there, here = fit(**setting), small(**setting).fit(*data())
    assert_same(there, here)
    assert there.n_evaluations_ == here.n_evaluations_ <= most


@pytest.mark.quick(1)
@pytest.mark.parametrize("generation", range(8))
def test_what_stops_a_search_stops_islands_that_are_ahead(sent, tmp_path, generation):
    """A callback, and a crash after which the search goes on from its file, here or elsewhere."""
    def stop(state):
        return state.generation == generation

    def crash(state):
        assert not stop(state)

    assert_same(fit(callbacks=stop), small(callbacks=stop).fit(*data()))
    for go_on in (fit, lambda **parameters: small(**parameters).fit(*data())):
        path = tmp_path / f"{go_on.__name__}.npz"
        with pytest.raises(AssertionError):
            fit(callbacks=crash, checkpoint=Checkpoint(path, every=1))
        assert_same(go_on(checkpoint=path), small().fit(*data()))


@pytest.mark.skipif(os.name == "nt", reason="no such signals here")
def test_ctrl_c_drops_the_islands_that_are_under_way(sent, monkeypatch):
    """The front so far is the result."""
    def answers(self, calls, check):  # in the main thread, in which signals are noticed
        for version, fingerprint, function, arguments, payload in calls:
            if 5 in arguments[3]:
                signal.raise_signal(signal.SIGINT)
            yield backends.handle_call(version, fingerprint, function, arguments, payload)

    monkeypatch.setattr(backends.JoblibTransport, "answers", lambda *arguments: list(answers(*arguments)))
    selector = fit()
    assert (selector.stop_reason_, selector.history_["generation"][-1]) == ("interrupt", 3)


def test_what_a_generation_elsewhere_takes_is_the_mean_over_a_task(monkeypatch):
    """At most, of all tasks so far: nine seconds for three generations, then six, then four for one."""
    now = [0.0]
    with joblib.parallel_config(ThreadBackend()):
        sea = islands.Islands(prepare(small(n_jobs=None), *data(), {})[1].search)
    monkeypatch.setattr(islands.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(islands.Islands, "worth_sending", lambda *arguments: True)
    for generation, seconds, expected in ((1, 9.0, 3.0), (4, 6.0, 3.0), (9, 4.0, 4.0)):
        def ask(*arguments, seconds=seconds):
            now[0] += seconds
            return [[None]] * 3

        monkeypatch.setattr(dispatcher.Remote, "call_workers", ask)
        sea.evolve_remotely([None] * 3, generation, 9)
        assert sea.seconds == expected


class Gone(OSError):
    """A connection that is lost."""


@pytest.mark.quick(1)
@pytest.mark.parametrize(("which", "n_warnings"), [((1,), 0), ((1, 2), 0), ((1, 2, 3), 1)])
def test_islands_go_on_when_workers_are_lost(sent, monkeypatch, recwarn, which, n_warnings):
    """They are sent again, or evolve here, with the same bits: also if they had done their work already."""
    calls, attempt = [], dispatcher.Remote.attempt

    def attempted(self, *arguments):
        calls.append(len(calls))
        found = attempt(self, *arguments)
        if calls[-1] in which:
            raise Gone("connection closed")
        return found

    monkeypatch.setattr(dispatcher.Remote, "attempt", attempted)
    assert_same(fit(), small().fit(*data()))
    assert sum("the workers are lost" in str(warning.message) for warning in recwarn) == n_warnings


class Processes(LokyBackend):
    """Workers that are processes, and seem to be elsewhere."""


@pytest.mark.slow
def test_islands_travel_between_processes(monkeypatch):
    """As pickles; what comes back is all that counts."""
    monkeypatch.setattr(islands.Islands, "worth_sending",
                        lambda self, *sizes: self.search.objectives.remote is not None)
    with joblib.parallel_config(Processes(), n_jobs=2):
        assert_same(small(n_jobs=None).fit(*data()), small().fit(*data()))


def test_islands_go_if_they_are_worth_the_way(monkeypatch):
    """By a count of all that they have to do; where a generation alone is worth it, only if no worker is left over."""
    with joblib.parallel_config(ThreadBackend()):
        ready = prepare(small(n_jobs=None), *data(), {})[1]
        found = ready.search.objectives
        ground = ready.search.ground
        of_users = replace(found, terms=[*found.terms, lambda mask, X, y: 0.0])  # whose functions are called here
        # a tenth of what it would be at most, with fifteen features more for each subset
        generation = (100 + 15 * 7) * found.per_feature(ground, 3, 14) / 10 / found.n_threads
        for worth, n_tasks, whole in ((0.9, 0, False), (0.9, 1, False), (0.9, 2, True), (1.1, 0, True), (9.9, 2, True),
                                      (10.1, 2, False)):
            monkeypatch.setattr(objectives, "WORTH_SECONDS", worth * generation)
            assert found.worth_sending(ground, 100, 7, 10, n_tasks) is whole
            assert not of_users.worth_sending(ground, 100, 7, 10, n_tasks)
        asked = []
        monkeypatch.setattr(objectives.Objectives, "worth_sending", lambda self, ground, *sizes: asked.append(sizes))
        sea = islands.Islands(ready.search)
        populations = sea.start(ready.bits)
        sea.worth_sending(populations, 5)
        ready.search.local_improvement = None
        sea.worth_sending(populations, 5)
    sizes = ready.search.space.sizes(ready.search.space.chromosomes(ready.bits)).sum() / 3
    # two populations of nine, four times evaluated, every second generation, of subsets of half the size
    assert asked == [(2 * sizes, 40, 3 * 5 * (1 + 2 * 9 * 4 / 2 / 2 / 20), 3), (2 * sizes, 40, 15, 3)]


@pytest.mark.parametrize("others", [{"max_samples": 1}, {"max_features": 0.5}, {"max_samples": 0.99}])
def test_forests_of_other_parameters_tell_data_apart(others):
    """One sample of all is another number than all of them."""
    X, y = data()
    problem = Problem.from_data(X, y, False)
    samples, found = problem.dataset(0.1, 1), []
    for parameters in ({"max_samples": 1.0}, {"max_samples": 1.0, **others}):
        judge, *_ = judge_of(RandomForestClassifier(5, random_state=3, **parameters))
        ground = Ground(samples, samples.n_validation(0.3), score=(-1, 0))
        found.append(with_judges(ground, [judge], problem, False).fingerprint)
    assert len(set(found)) == 2


def test_large_seeds_tell_data_apart():
    """Workers keep data under their fingerprint; as float64 these two seeds are one number."""
    X, y = data()
    problem = Problem.from_data(X, y, False)
    samples, found = problem.dataset(0.1, 1), []
    for seed in (2**53, 2**53 + 1, 2**1100):
        judge, *_ = judge_of(RandomForestClassifier(5, random_state=seed))
        ground = Ground(samples, samples.n_validation(0.3), score=(-1, 0))
        found.append(with_judges(ground, [judge], problem, False).fingerprint)
    assert len(set(found)) == 3
