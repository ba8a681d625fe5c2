"""Folds searched side by side, in threads of this process or by workers elsewhere, and signals that come meanwhile."""

import json
import os
import signal
import threading
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from joblib import parallel_config
from programs import run_program
from sklearn import config_context, get_config
from sklearn.feature_selection import f_classif
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from cross_fitted import assert_same_fit, data, small
from moeliga import Checkpoint, stop_on
from moeliga.base.budget import Interrupted
from moeliga.base.memory import Limit
from moeliga.search.islands import Islands
from moeliga.search.ranking import N_TREES
from moeliga.validation import cross_fitting, searches
from thread_backend import ThreadBackend

OPTIONS = [{}, {"constraints__costs": np.arange(1, 10.0), "objectives": ("uar", "cost"),
                "constraints__must_include": [1], "evaluation__subsample": 30}]


@pytest.fixture
def as_elsewhere(monkeypatch):
    """The forest that ranks features is that of other processes."""
    monkeypatch.setattr("moeliga.search.ranking.N_TREES", N_TREES)


@pytest.fixture
def begun(monkeypatch):
    """Whether threads are begun: a list with the most searches at a time of each fit."""
    places = []

    class Recorded(searches.ThreadedSearches):
        def __init__(self, plan, data, saver, shares=None):
            places.append(shares.most)
            super().__init__(plan, data, saver, shares)

    monkeypatch.setattr(cross_fitting, "ThreadedSearches", Recorded)
    return places


def test_a_search_that_is_closed_while_it_is_built_ends_then(monkeypatch):
    """Islands may be many, and data large."""
    def build(plan, budget):
        threading.Thread(target=group.close).start()
        end = time.monotonic() + 30
        while time.monotonic() < end:
            budget.check()

    monkeypatch.setattr(searches, "build", build)
    begin, plan = threading.Event(), SimpleNamespace(max_evaluations=None, max_time=None)
    group = searches.ThreadedSearches(lambda: plan, {0: lambda: begin.wait() and ()}, None)
    begin.set()
    with pytest.raises(Interrupted):
        next(group)


@pytest.mark.quick(1)
@pytest.mark.parametrize("n_jobs", [2, 3, 8])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_threads_side_by_side_give_the_same_bits(rng, begun, n_jobs, options):
    """As many at a time as there are searches, at most."""
    X, y = data(rng)
    here = small(**options).fit(X, y)
    assert begun == []
    assert_same_fit(small(n_jobs=n_jobs, **options).fit(X, y), here)
    assert begun == [min(n_jobs, 4)]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("moeliga")]


def test_a_search_beside_others_has_the_limits_of_its_plan(monkeypatch):
    """Of evaluations and of time."""
    limits = []

    def build(plan, budget):
        limits.append((budget.max_evaluations, budget.max_time))
        raise Interrupted

    monkeypatch.setattr(searches, "build", build)
    plan = SimpleNamespace(max_evaluations=7, max_time=30.0)
    group = searches.ThreadedSearches(lambda: plan, {0: tuple}, None)
    with pytest.raises(Interrupted):
        next(group)
    group.close()
    assert limits == [(7, 30.0)]


def test_a_search_that_is_left_alone_takes_all_threads(rng, monkeypatch):
    """No more are under way than there are threads for: the first waits for one beside it, the last till none is."""
    seen, running, follow, beside, told = [], set(), Islands.next_generation, threading.Event(), threading.Event()

    def spied(self, populations, generation, n_generations):
        name, share = tuple(self.search.seed), self.search.objectives.share
        seen.extend({name}.difference(seen))
        running.add(threading.get_ident())
        assert len(running) <= 2
        if generation == 2 and name == seen[0]:
            assert beside.wait(30) and share.n == self.search.objectives.threads == 1
            told.set()
        elif generation == 2 and len(seen) == 4 and name == seen[-1]:
            end = time.monotonic() + 30
            while share.n == 1 and time.monotonic() < end:
                time.sleep(0.001)
            assert share.n == self.search.objectives.threads == 2
        elif name != seen[0]:
            beside.set()
            assert told.wait(30)
        try:
            return follow(self, populations, generation, n_generations)
        finally:
            running.discard(threading.get_ident())

    monkeypatch.setattr(Islands, "next_generation", spied)
    small(n_jobs=2).fit(*data(rng))
    assert len(seen) == 4


@pytest.mark.quick(2)
@pytest.mark.parametrize("options", [
    {"callbacks": lambda state: None}, {"objectives": ("uar", lambda mask, X, y: -mask.sum())},
    {"feature_prior": lambda X, y: f_classif(X, y)[0]}, {"cv": StratifiedKFold(2)}], ids=lambda some: next(iter(some)))
def test_what_is_the_users_is_never_called_by_two_searches_at_once(rng, begun, options):
    """One search follows the other."""
    small(n_jobs=2, **options).fit(*data(rng))
    assert begun == []


@pytest.mark.slow
def test_memory_for_one_search_is_enough(rng, begun, monkeypatch):
    """Then none is beside it; nor are those that need more than is small."""
    X, y = data(rng, 60, 40)
    here = small().fit(X, y)
    monkeypatch.setattr("moeliga.base.memory.SMALL", 0)
    assert_same_fit(small(n_jobs=4).fit(X, y), here)
    assert begun == []
    monkeypatch.setattr("moeliga.base.memory.SMALL", 1 << 40)
    for n_beside, places in ((0, []), (1, [2]), (2, [2, 3])):
        with monkeypatch.context() as patch:
            needs = []
            patch.setattr(cross_fitting, "n_concurrent", lambda parts, n, needs=needs: needs.append((parts, n)) or 0)
            small(n_jobs=4).fit(X, y)
        (parts, n), = needs
        assert n == 3
        found = [part.measured() if part.measured else part for part in parts]
        each = sum(part.n_bytes for part in found if not part.common)
        free = sum(part.n_bytes for part in found) + n_beside * each
        with monkeypatch.context() as patch:
            patch.setattr("moeliga.base.memory.limits", lambda free=free: [Limit("a limit", free)])
            assert_same_fit(small(n_jobs=4).fit(X, y), here)
        assert begun == places


def test_filters_of_warnings_and_settings_stay_as_they_are(rng):
    """Constant features of folds are no news; settings of scikit-learn hold in all threads."""
    X, y = data(rng)
    X[:, 1] = 0
    seen, build = [], searches.build

    def spied(*arguments, budget):
        seen.append(get_config()["assume_finite"])
        return build(*arguments, budget=budget)

    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch, config_context(assume_finite=True):
        warnings.simplefilter("error")
        before = warnings.filters[:]
        patch.setattr(searches, "build", spied)
        small(n_jobs=3).fit(X, y)
        assert warnings.filters == before
    assert seen == [True] * 3


def test_a_bar_that_is_full_tells_of_no_time_left(rng, capfd):
    """Of folds it hears only when they are done."""
    pytest.importorskip("tqdm")
    small(n_jobs=2, verbose=1).fit(*data(rng))
    first, *_, last = [part for part in capfd.readouterr().err.replace("\r", "\n").splitlines() if "%" in part]
    assert "0/8" in first and "8/8" in last and "left" not in last and "features" in last


@pytest.mark.slow
def test_max_time_is_shared_by_turns(rng, monkeypatch):
    """Four searches, two at a time: each has half of what the model leaves, which is known before the first."""
    plans, build = [], searches.build

    def spied(plan, *rest, budget):
        plans.append(plan.max_time)
        return build(plan, *rest, budget=budget)

    monkeypatch.setattr(searches, "build", spied)
    begun_at = time.monotonic()
    selector = small(n_jobs=2, n_generations=10**6, max_time=4.0).fit(*data(rng))
    assert selector.stop_reason_ == "max_time" and np.isfinite(selector.honest_score_)
    assert len(plans) == 3 and 0 < plans[0] <= 1.9 and max(plans) < 2.2
    assert time.monotonic() - begun_at < 4.0 + 2.5


class SleepingTree(DecisionTreeClassifier):
    """A model that is fitted in a fifth of a second, so a fold of this file's data in more than two."""

    def fit(self, X, y):
        time.sleep(0.2)
        return super().fit(X, y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:max_time has ended the fit")
@pytest.mark.parametrize("limit", [1.5, 8.0])
def test_side_by_side_no_fold_begins_that_the_model_would_not_end(rng, limit):
    """With too little time for two folds all of it is for the search on all samples."""
    begun_at = time.monotonic()
    selector = small(n_jobs=2, n_generations=10**6, max_time=limit, estimator=SleepingTree()).fit(*data(rng))
    assert selector.stop_reason_ == "max_time" and selector.support_.any()
    assert len(next(iter(selector.fold_supports_.values()), [])) == (0 if limit < 2 else 3)
    assert time.monotonic() - begun_at < limit + 2.5


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_backends_of_this_machine_change_nothing(rng, begun, backend):
    """The searches are in threads whatever the deployed model is fitted by."""
    X, y = data(rng)
    with parallel_config(backend):
        assert_same_fit(small(n_jobs=2).fit(X, y), small().fit(X, y))
    assert begun == [2]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_workers_elsewhere_give_the_same_bits(rng, monkeypatch, as_elsewhere, begun, options):
    """Each fold is a task, after the search on all samples."""
    monkeypatch.setattr(cross_fitting, "WORTH_SECONDS", 0.0)
    started, parallel_searches = [], cross_fitting.parallel_searches

    def spied(tasks, n_workers):
        started.append(n_workers)
        return parallel_searches(tasks, n_workers)

    monkeypatch.setattr(cross_fitting, "parallel_searches", spied)
    X, y = data(rng)
    here = small(**options).fit(X, y)
    with parallel_config(ThreadBackend()):
        assert_same_fit(small(n_jobs=2, **options).fit(X, y), here)
    assert started == [2] and begun == []


@pytest.mark.process
def test_the_model_is_asked_while_workers_elsewhere_search(rng, monkeypatch, as_elsewhere):
    """By the same backend of joblib: the fourth fold begins while the model is asked of the first."""
    monkeypatch.setattr(cross_fitting, "WORTH_SECONDS", 0.0)
    X_y, fitted, begun = data(rng), [], []
    inside, late, asked = (threading.Event() for _ in range(3))
    search_one, answer, ask = searches.search_one, cross_fitting.Deployed.answer, cross_fitting.Deployed.answers_for

    def searched(*arguments):
        begun.append(None)
        if len(begun) == 4:
            late.set()
        if len(begun) > 1:
            (inside if len(begun) == 2 else asked).wait(10)
        return search_one(*arguments)

    def answered(self, *arguments):
        inside.set()
        late.wait(10)
        return answer(self, *arguments)

    def asking(self, *arguments):
        found = ask(self, *arguments)
        asked.set()
        return found

    def run():
        with parallel_config(ThreadBackend()):
            fitted.append(small(n_jobs=2, honest=5).fit(*X_y))

    with monkeypatch.context() as patch:
        patch.setattr(searches, "search_one", searched)
        patch.setattr(cross_fitting.Deployed, "answer", answered)
        patch.setattr(cross_fitting.Deployed, "answers_for", asking)
        fit = threading.Thread(target=run, daemon=True)
        fit.start()
        fit.join(40)
        assert fitted and len(begun) == 5 and late.is_set()
    assert_same_fit(fitted[0], small(honest=5).fit(*X_y))


@pytest.mark.slow
def test_ctrl_c_ends_all_searches_and_a_checkpoint_has_them_all(as_elsewhere, tmp_path):
    """Another fit goes on from every one of them, with the bits of one that was never ended."""
    told = run_program(f"""
import os, signal, threading, time
import numpy as np
from cross_fitted import data, small
from moeliga import Checkpoint
from moeliga.search import islands
from programs import tell
follow, beside = islands.Islands.next_generation, threading.Event()

def pressed(self, populations, generation, n_generations):
    if generation == 3:
        if threading.current_thread() is not threading.main_thread():
            beside.set()
        elif beside.wait(30):
            os.kill(os.getpid(), signal.SIGINT)
        while not self.search.budget.urgent:
            time.sleep(0.01)
    return follow(self, populations, generation, n_generations)

islands.Islands.next_generation = pressed
checkpoint = Checkpoint({json.dumps(str(tmp_path / "state.npz"))}, every=1)
selector = small(n_generations=6, n_jobs=2, checkpoint=checkpoint).fit(*data(np.random.default_rng(0)))
tell(reason=selector.stop_reason_, honest=bool(np.isfinite(selector.honest_score_)),
     left=[thread.name for thread in threading.enumerate() if thread.name.startswith("moeliga")])
""")
    assert told == [{"reason": "interrupt", "honest": False, "left": []}]
    X, y = data(np.random.default_rng(0))
    seen = []
    again = small(n_generations=6, checkpoint=Checkpoint(tmp_path / "state.npz"),
                  callbacks=lambda state: seen.append((state.fold, state.generation)) and None)
    assert_same_fit(again.fit(X, y), small(n_generations=6).fit(X, y))
    assert seen[:2] == [(None, 2), (None, 3)] and (0, 1) not in seen


def kill():
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.parametrize(("fold", "n_done"), [(0, 0), (2, 2)])
def test_sigterm_in_a_fold_keeps_the_folds_that_are_done(rng, fold, n_done):
    """Where `stop_on` says that it stops searches."""
    def callback(state):
        if (state.fold, state.generation) == (fold, 1):
            kill()

    with stop_on("SIGTERM"), pytest.warns(UserWarning, match=f"^SIGTERM has ended the fit after {n_done} of 3 folds"):
        selector = small(callbacks=callback).fit(*data(rng))
    assert selector.stop_reason_ == "SIGTERM"
    assert np.isfinite(selector.honest_score_) == (n_done > 1)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.slow
def test_sigterm_in_a_fold_saves_the_search_and_ends_the_program(as_elsewhere, tmp_path):
    """The fit goes on from there, with the bits of one that was never ended."""
    told = run_program(f"""
import os, signal
import numpy as np
from cross_fitted import data, small
from moeliga import Checkpoint
from programs import tell

def child():
    def callback(state):
        if (state.fold, state.generation) == (1, 1):
            os.kill(os.getpid(), signal.SIGTERM)

    small(checkpoint=Checkpoint({json.dumps(str(tmp_path / "state.npz"))}, every=10**6), callbacks=callback).fit(
        *data(np.random.default_rng(0)))
    tell(survived=True)

number = os.fork()
if not number:
    child()
    os._exit(0)
tell(signal=os.WTERMSIG(os.waitpid(number, 0)[1]))
""")
    assert told == [{"signal": signal.SIGTERM}]
    X, y = data(np.random.default_rng(0))
    whole, seen = small().fit(X, y), []
    path = Checkpoint(tmp_path / "state.npz")
    again = small(checkpoint=path, callbacks=lambda state: seen.append((state.fold, state.generation)) and None)
    assert_same_fit(again.fit(X, y), whole)
    assert (None, 1) not in seen and (0, 1) not in seen and seen[-1] == (2, 2)
