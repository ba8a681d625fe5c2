"""Evaluation by workers elsewhere: the same bits, however slices are cut, and whatever becomes of workers."""

import os
import signal
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.parallel import LokyBackend
from programs import SIZES, data, found_by

from moeliga import LocalImprovement, Separability
from moeliga._ext import tree
from moeliga.base.budget import Budget, Interrupted
from moeliga.data.dataset import Dataset
from moeliga.data.ground import Ground
from moeliga.distributed import backends, dispatcher, worker
from moeliga.distributed.dispatcher import WorkerError, runs_remotely
from moeliga.distributed.worker import Store, WorkerState
from moeliga.evaluation import objectives
from moeliga.search.build import prepare
from paper_operators import fitting
from single_search import single_search
from thread_backend import ThreadBackend

SMALL = {**SIZES, "random_state": 0}


class Processes(LokyBackend):
    """Workers that are processes, and seem to be elsewhere."""


@pytest.fixture(autouse=True)
def everything_is_sent(monkeypatch):
    """However little work it is; each worker begins without data."""
    monkeypatch.setattr(objectives, "WORTH_SECONDS", 0.0)
    monkeypatch.setattr(dispatcher, "LEAST_SECONDS", 1e-9)
    monkeypatch.setattr(worker, "STORE", Store())


@pytest.fixture
def sent(monkeypatch):
    """What was sent, in order of its arrival: rows of a slice, or "population", and whether the data went along."""
    calls = []

    def counted(version, fingerprint, function, arguments, payload):
        calls.append((len(arguments[0]) if function is worker.evaluate_slice else "population", payload is not None))
        return worker.handle_call(version, fingerprint, function, arguments, payload)

    monkeypatch.setattr(backends, "handle_call", counted)
    return calls


def fit(**parameters):
    """Search with workers in threads."""
    with joblib.parallel_config(ThreadBackend()):
        return single_search(**fitting({**SMALL, **parameters})).fit(*data())


# where the work goes


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading", "sequential"])
def test_joblib_s_own_backends_are_here(backend):
    """Named or not: they are a matter of threads."""
    assert not runs_remotely(None) and not runs_remotely(-1)
    with joblib.parallel_config(backend, n_jobs=2):
        assert not runs_remotely(None) and not runs_remotely(-1)


def test_any_other_backend_leads_elsewhere():
    """Unless one job is asked for, or this is one of its tasks."""
    with joblib.parallel_config(ThreadBackend()):
        assert runs_remotely(None) and runs_remotely(-1) and runs_remotely(3) and not runs_remotely(1)
        assert joblib.Parallel()(joblib.delayed(runs_remotely)(-1) for _ in range(3)) == [False] * 3
    with joblib.parallel_config(ThreadBackend(nesting_level=1)):
        assert not runs_remotely(-1)
    with joblib.parallel_config(Processes()):
        assert runs_remotely(-1) and not runs_remotely(None)  # as loky, it is one worker unless more are asked for
    with joblib.parallel_config(Processes(), n_jobs=2):
        assert runs_remotely(None) and not runs_remotely(1)


def test_what_is_not_worth_the_way_stays_here(sent, found_here, monkeypatch):
    """By a count of the work, which is small here."""
    monkeypatch.setattr(objectives, "WORTH_SECONDS", 10.0)
    assert found_by(fit()) == found_here
    assert sent == []


@pytest.mark.slow
def test_another_classifier_stays_with_joblib(sent):
    """Its subsets are scored as ever, and so is a separability beside it."""
    from sklearn.naive_bayes import BernoulliNB

    small = {"population_size": 12, "n_generations": 1, "local_improvement": None}
    here = single_search(BernoulliNB(), **fitting({**SMALL, **small})).fit(*data())
    assert found_by(fit(estimator=BernoulliNB(), **small)) == found_by(here)
    assert sent == []


def test_a_single_worker_is_not_worth_the_way(sent, found_here, monkeypatch):
    """joblib does not send it anything either."""
    monkeypatch.setattr(ThreadBackend, "n_workers", 1)
    assert found_by(fit()) == found_here
    assert sent == []


# the same bits


@pytest.mark.quick("values")
@pytest.mark.parametrize("n_workers", [2, 3])
@pytest.mark.parametrize(("least", "most", "batches"), [(1e-9, 1.0, 1), (1e-9, 1.0, 7), (1.0, 1.0, 2), (1.0, 1e-4, 2)])
def test_any_number_of_workers_and_any_slices(sent, found_here, monkeypatch, n_workers, least, most, batches):
    """Few slices, many, one, and one for each subset."""
    monkeypatch.setattr(ThreadBackend, "n_workers", n_workers)
    monkeypatch.setattr(dispatcher, "LEAST_SECONDS", least)
    monkeypatch.setattr(dispatcher, "MOST_SECONDS", most)
    monkeypatch.setattr(dispatcher, "SLICES_PER_WORKER", batches)
    assert found_by(fit()) == found_here
    whole = 2 * SIZES["population_size"]  # parents and children
    n_slices = 1 if least == 1.0 else n_workers * batches
    largest = max(n for n, along in sent if not along)
    assert largest == -(-whole // n_slices) if most == 1.0 else largest < 5


@pytest.fixture
def whole(monkeypatch):
    """Subordinate populations are worth the way, and a generation of theirs is not."""
    monkeypatch.setattr(objectives.Objectives, "worth_sending", lambda self, *sizes: self.remote is not None)


@pytest.mark.quick(1)
@pytest.mark.parametrize("parameters", [
    {}, {"archive": False}, {"evaluation__split_mode": "generation"}, {"patience": 1},
    {"replacement": "complete", "survival": "nsga2", "evaluation__reevaluate": "none"},
    {"evaluation__reevaluate": "all"},
    {"objectives": ("cardinality", "uar"), "constraints__groups": np.arange(140) // 2},
    {"constraints__must_include": [3], "max_features": 30, "feature_prior": "f_classif"},
    {"evaluation__reevaluate": "average"}, {"evaluation__subsample": 40},
    {"evaluation__subsample": 40, "islands__n": 2, "islands__every": 2},
], ids=str)
def test_whole_subordinate_populations(sent, whole, parameters):
    """Three at a time, of all kinds: what they find, the archive and the count of evaluations are those of here."""
    names = {"replacement", "patience"} & set(parameters)
    local = LocalImprovement(3, 20, 4, 2, **{name: parameters[name] for name in names})
    setting = {**SMALL, **{name: parameters[name] for name in set(parameters) - names}, "local_improvement": local}
    here = single_search(**setting, n_jobs=1).fit(*data())
    with joblib.parallel_config(ThreadBackend()):
        there = single_search(**setting).fit(*data())
    assert found_by(there) == found_by(here)
    assert there.n_evaluations_ == here.n_evaluations_
    assert there.history_["archive_size"].tolist() == here.history_["archive_size"].tolist()
    assert ("population", False) in sent


@pytest.mark.quick(3)
@pytest.mark.parametrize("most", range(60, 400, 17))
def test_max_evaluations_ends_a_population_where_it_would_have_here(sent, whole, most):
    """Before a generation of any of three populations that are evaluated at the same time."""
    local = LocalImprovement(3, 20, 3, 2)
    setting = {**SMALL, "local_improvement": local, "max_evaluations": most, "n_generations": 4}
    here = single_search(**setting, n_jobs=1).fit(*data())
    with joblib.parallel_config(ThreadBackend()):
        there = single_search(**setting).fit(*data())
    assert found_by(there) == found_by(here)
    assert (there.n_evaluations_, there.stop_reason_) == (here.n_evaluations_, here.stop_reason_)


def test_whole_populations_are_sent_if_a_generation_is_not_worth_the_way(monkeypatch):
    """By the same count as for slices; with a callable they stay, since it may be of any kind."""
    X, y = data()
    with joblib.parallel_config(ThreadBackend()):
        ready = prepare(single_search(**SMALL), X, y, {})[1].search
        called = prepare(single_search(**SMALL, objectives=("uar", abs)), X, y, {})[1].search.objectives
    alone = prepare(single_search(**SMALL), X, y, {})[1].search.objectives
    found, ground = ready.objectives, ready.ground
    generation = (100 + 15 * 7) * found.per_feature(ground, 3, 45) / 10 / found.n_threads
    for worth, whole in ((0.9, False), (1.1, True), (9.9, True), (10.1, False)):
        monkeypatch.setattr(objectives, "WORTH_SECONDS", worth * generation)
        assert found.worth_sending(ground, 100, 7, 10) is whole
    monkeypatch.setattr(objectives, "WORTH_SECONDS", 2 * generation)
    assert not alone.worth_sending(ground, 100, 7, 10) and not called.worth_sending(ground, 100, 7, 10)
    found.remote.lost = True
    assert not found.worth_sending(ground, 100, 7, 10)


@pytest.mark.parametrize("parameters", [
    {"evaluation__split_mode": "generation", "survival": "nsga2", "evaluation__reevaluate": "average"},
    {"objectives": ("uar", Separability(samples=1.0, replace=False), lambda mask, X, y: -mask.sum())},
    {"objectives": ("cardinality", "separability", lambda mask, X, y: -mask.sum())[::-1],
     "evaluation__reevaluate": "none"},
    {"local_improvement": LocalImprovement(1, 20, 2, 2, "complete"), "survival__n_elite": 5},
], ids=["nsga2", "callable", "no score", "complete"])
def test_other_searches(sent, parameters):
    """Other objectives and other generations."""
    parameters = {"local_improvement": None, **parameters}
    here = single_search(**fitting({**SMALL, **parameters}), n_jobs=1).fit(*data())
    assert found_by(fit(**parameters)) == found_by(here)
    assert sent


def test_a_regression(sent):
    """Whose data set has a target."""
    from moeliga import DecisionTreeRegressor

    X, y = data()
    setting = {**SMALL, "estimator": DecisionTreeRegressor(), "local_improvement": None}
    here = single_search(**setting, n_jobs=1).fit(X, X[:, 0] + y)
    with joblib.parallel_config(ThreadBackend()):
        there = single_search(**setting).fit(X, X[:, 0] + y)
    assert found_by(there) == found_by(here)
    assert sent


# the data


def meet():
    """What a worker does until all have come."""
    time.sleep(1)
    return os.getpid()


def unload(*arguments):
    """A worker that takes its time for data, so that the others have to take theirs."""
    time.sleep(0.3 if arguments[4] is not None else 0)
    return worker.handle_call(*arguments)


@pytest.mark.distributed
def test_processes_get_the_data_once_each(monkeypatch):
    """Not with every slice, and not again in other fits, also in turns with other data."""
    n_sent = 0
    state = Ground.__getstate__

    def counted(ground):
        nonlocal n_sent
        n_sent += 1
        return state(ground)

    def search(seed, **parameters):
        setting = {**SMALL, "local_improvement": None, "n_generations": 1, **parameters}
        return found_by(single_search(**setting).fit(*data(seed)))

    found = [search(seed, n_jobs=1) for seed in range(2)]
    monkeypatch.setattr(Ground, "__getstate__", counted)
    monkeypatch.setattr(backends, "handle_call", unload)
    with joblib.parallel_config(Processes(), n_jobs=2):
        while len(set(joblib.Parallel()(joblib.delayed(meet)() for _ in range(2)))) < 2:
            pass
        for seed, n in ((0, 2), (1, 4), (0, 4), (1, 4)):
            assert search(seed) == found[seed]
            assert n_sent == n
    assert worker.STORE.states == {}


def test_the_data_go_only_where_they_are_missing(sent, found_here):
    """Asked for with the first slices, sent with as many as there are workers, and never again."""
    assert found_by(fit()) == found_here
    assert [along for _, along in sent].count(True) == ThreadBackend.n_workers
    n_before = len(sent)
    assert found_by(fit()) == found_here
    assert not any(along for _, along in sent[n_before:])


def test_a_worker_keeps_the_data_sets_that_it_used_last():
    """The others are forgotten, and would be asked for again."""
    store, grounds = Store(), [ground_of(seed) for seed in range(3)]
    assert len({ground.fingerprint for ground in grounds}) == 3
    first, second, third = (ground.fingerprint for ground in grounds)
    state = store.get(first, grounds[0])
    store.get(second, grounds[1])
    assert store.get(first, None) is state
    store.get(third, grounds[2])
    assert store.get(second, None) is None
    assert store.get(first, grounds[0]) is state and store.get(third, None) is not None
    again = store.get(first, ground_of(0))
    assert again is not state and store.get(first, None) is again


def ground_of(seed, level=tree.LEVEL, rules=(100, 2, 1), n_validation=0.3):
    X, y = data(seed, n_samples=30, n_features=5)
    dataset = Dataset.encode(X, y, 3)
    vars(dataset)["level"] = level
    return Ground(dataset, dataset.n_validation(n_validation), rules)


def test_a_fingerprint_is_of_all_that_values_depend_on():
    """The data, the shares of the splits and the rules of the tree; not the processor."""
    ref = ground_of(0).fingerprint
    assert ground_of(0, level=0).fingerprint == ref
    assert len({ref, ground_of(1).fingerprint, ground_of(0, rules=(3, 2, 1)).fingerprint,
                ground_of(0, n_validation=0.5).fingerprint}) == 4


def test_a_fingerprint_is_of_the_scale_of_a_target(rng):
    """Trees read whole steps, which y and 2 y have in common; errors are in the units of y."""
    X, y = rng.normal(size=(30, 5)), rng.normal(size=30)
    found = {Ground(dataset, dataset.n_validation(0.3)).fingerprint
             for dataset in (Dataset.encode_target(X, target) for target in (y, 2 * y, y / 4, y))}
    assert len(found) == 3


def test_a_fingerprint_tells_whose_an_array_is():
    """Weights are no targets."""
    ground, weights = ground_of(0), np.ones(30)
    assert len({replace(ground, **parts).fingerprint for parts in (
        {"weights": weights}, {"targets": weights}, {"targets": weights, "weights": weights},
        {"targets": weights, "weights": weights.copy()})}) == 4


def test_a_worker_goes_by_its_own_instruction_set():
    """Never by that of the processor on which the data were coded, if that can do more."""
    assert WorkerState(ground_of(0, level=tree.LEVEL + 1)).fitting.samples.level == tree.LEVEL
    assert WorkerState(ground_of(0, level=0)).fitting.samples.level == 0


# workers that fail


def die_once(mark, *arguments):
    """A worker that dies in the middle of the first slice for which it has the data."""
    answer = worker.handle_call(*arguments)
    if answer[0] == "result" and not Path(mark).exists():
        Path(mark).touch()
        os._exit(1)
    return answer


@pytest.mark.slow
def test_a_slice_whose_worker_dies_is_evaluated_again(tmp_path, found_here, monkeypatch, recwarn):
    """By another one, with the same bits, and nobody is told."""
    monkeypatch.setattr(backends, "handle_call", partial(die_once, str(tmp_path / "mark")))
    with joblib.parallel_config(Processes(), n_jobs=2):
        assert found_by(single_search(**SMALL).fit(*data())) == found_here
    assert (tmp_path / "mark").exists()
    assert not [warning for warning in recwarn if "lost" in str(warning.message)]


def failing(monkeypatch, error, when):
    """Let an evaluation fail `when` says so of its number; returns the list of all numbers."""
    calls, attempt = [], dispatcher.Remote.attempt

    def attempted(self, *arguments):
        calls.append(len(calls))
        if when(calls[-1]):
            raise error
        return attempt(self, *arguments)

    monkeypatch.setattr(dispatcher.Remote, "attempt", attempted)
    return calls


@pytest.mark.parametrize("error", [OSError("connection closed"), type("CancelledError", (BaseException,), {})("gone")])
def test_a_search_goes_on_without_workers_that_are_lost(found_here, monkeypatch, error):
    """After three attempts, with a warning, once; the result is the same."""
    calls = failing(monkeypatch, error, lambda number: number >= 5)
    with pytest.warns(RuntimeWarning, match=f"workers are lost, the search goes on in this process .*{error}") as told:
        assert found_by(fit()) == found_here
    assert len([warning for warning in told if "lost" in str(warning.message)]) == 1
    assert len(calls) == 5 + dispatcher.ATTEMPTS


def test_a_failure_now_and_then_is_tried_again(found_here, monkeypatch, recwarn):
    """Without a word."""
    calls = failing(monkeypatch, TimeoutError(), lambda number: number % 3 == 1)
    assert found_by(fit()) == found_here
    assert len(calls) > 5
    assert not [warning for warning in recwarn if "lost" in str(warning.message)]


def test_a_worker_with_another_version_is_an_error_that_leaves_the_checkpoint(tmp_path, found_here, monkeypatch):
    """It says which worker has which; the search can go on from its file, elsewhere or here."""
    def upgrade(state):
        if state.generation == 2:
            monkeypatch.setattr(worker, "own_version", lambda: "0.0.7")

    file, own = tmp_path / "search.npz", worker.own_version()
    with pytest.raises(WorkerError, match=rf"must have moeliga {own}, as here, got 0.0.7 at .*process"):
        fit(callbacks=upgrade, checkpoint=file)
    assert file.exists()
    selector = single_search(**SMALL, checkpoint=file, n_jobs=1).fit(*data())
    assert found_by(selector) == found_here


@pytest.mark.parametrize("error", [
    ModuleNotFoundError("No module named 'moeliga'"), RuntimeError("on the scheduler: No module named 'moeliga'")])
def test_a_worker_without_the_package_is_an_error(monkeypatch, error):
    """Also where the backend wraps it in an error of its own."""
    outer = RuntimeError("Error during deserialization")
    outer.__cause__ = error
    for raised in (error, outer):
        calls = failing(monkeypatch, raised, lambda number: True)
        with pytest.raises(WorkerError, match="must have moeliga .* and its dependencies, .*No module named 'moeliga'"):
            fit()
        assert len(calls) == 1


def test_a_worker_with_too_little_memory_is_an_error(monkeypatch):
    """Before the data are sent, and where the work itself needs more."""
    monkeypatch.setattr(worker, "free_bytes", lambda dask_worker=None: 3 << 10)
    with pytest.raises(MemoryError, match=r"needs \d+ MiB of memory for the coded data, and 0 MiB are free at .*proc"):
        fit()
    monkeypatch.setattr(worker, "free_bytes", lambda dask_worker=None: None)

    def exhausted(state):
        raise MemoryError("cannot have 7 TiB")

    monkeypatch.setattr(WorkerState, "ground", exhausted)
    with pytest.raises(MemoryError, match="too little memory, .*process .*: cannot have 7 TiB"):
        fit()


def test_free_memory_is_known():
    """By the limits of this process, here."""
    assert worker.free_bytes() is None or worker.free_bytes() > 1 << 20


# stopping


@pytest.mark.skipif(os.name == "nt", reason="no such signals here")
def test_ctrl_c_does_not_wait_for_workers(monkeypatch):
    """The generation that is under way is dropped, its slices are left alone, and the front so far is the result."""
    released, first = threading.Event(), threading.Lock()

    def stuck(*arguments):
        if arguments[3][4][2] == 3:  # the third generation
            if first.acquire(blocking=False):  # a second signal would abort
                os.kill(os.getpid(), signal.SIGINT)
            released.wait(60)
        return worker.handle_call(*arguments)

    monkeypatch.setattr(backends, "handle_call", stuck)
    begun = time.monotonic()
    selector = fit(local_improvement=None, n_generations=5)
    seconds = time.monotonic() - begun
    released.set()
    assert seconds < 45
    assert selector.stop_reason_ == "interrupt"
    assert selector.history_["generation"][-1] == 2


class Limited(Budget):
    """One whose time is over when it is asked for the tenth time."""

    n_asked = 0

    def check(self):
        self.n_asked += 1
        if self.n_asked >= 10:
            raise Interrupted


def test_a_limit_of_time_ends_a_long_evaluation(sent, monkeypatch):
    """The slices that have not begun are not sent."""
    monkeypatch.setattr(dispatcher, "MOST_SECONDS", 1e-9)
    with joblib.parallel_config(ThreadBackend()):
        ready = prepare(single_search(**SMALL), *data(), {})[1]
        found = ready.search.objectives
        with found.workers(), pytest.raises(Interrupted):
            found.evaluate(ready.search.ground, ready.search.space.chromosomes(ready.bits), (6, 0, 0), budget=Limited())
    assert 5 < len(sent) < 10 < len(ready.bits)
