"""Folds searched in processes of their own, and signals that come meanwhile."""

import json
import os
import signal

import numpy as np
import pytest
from joblib import parallel_config
from programs import run_program

from cross_fitted import assert_same_fit, data, small
from moeliga import Checkpoint, stop_on
from moeliga.search.ranking import N_TREES
from moeliga.validation import cross_fitting


@pytest.fixture
def as_elsewhere(monkeypatch):
    """The forest that ranks features is that of other processes."""
    monkeypatch.setattr("moeliga.search.ranking.N_TREES", N_TREES)


@pytest.fixture
def apart(monkeypatch, as_elsewhere):
    """However short the searches are; the list has the number of workers of each fit."""
    monkeypatch.setattr(cross_fitting, "WORTH_SECONDS", 0.0)
    started, side_by_side = [], cross_fitting.side_by_side

    def spied(tasks, n_workers):
        started.append(n_workers)
        return side_by_side(tasks, n_workers)

    monkeypatch.setattr(cross_fitting, "side_by_side", spied)
    return started


@pytest.mark.process
@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
@pytest.mark.parametrize("options", [{}, {"constraints__costs": np.arange(1, 10.0), "objectives": ("uar", "cost"),
                                          "constraints__must_include": [1], "evaluation__subsample": 30}], ids=str)
def test_processes_side_by_side_give_the_same_bits(rng, apart, backend, options):
    """Of any backend of joblib, also of one that gives all results at the end."""
    X, y = data(rng)
    here = small(**options).fit(X, y)
    assert apart == []
    with parallel_config(backend):
        assert_same_fit(small(n_jobs=2, **options).fit(X, y), here)
    assert apart == [2]


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


@pytest.mark.process
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
