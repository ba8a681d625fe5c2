"""A cross-fitted fit that is killed in every phase, and with any number of workers."""

import os
import signal
import sys

import numpy as np
import pytest
from programs import status_of_child
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from cross_fitted import assert_same_fit, data, small
from moeliga import Checkpoint, Constraints, LocalImprovement, RandomForestClassifier, RandomForestRegressor
from moeliga.evaluation.objectives import Objectives
from moeliga.search import checkpoint
from moeliga.validation.answers import Answers
from moeliga.validation.deployed import Deployed
from tiers import PERCENT

pytestmark = [pytest.mark.slow,
              pytest.mark.skipif(sys.platform != "linux", reason="forks")]

KILLS = max(4, 4 * PERCENT // 100)
"""Moments of each phase, of which each kind of fit has every second: 4, or 160 where `MOELIGA_FUZZ` is long."""

PHASES = {"search, fold and re-scoring": (Objectives, "evaluate"), "model": (Deployed, "answer"),
          "bootstrap": (Answers, "assess"), "write": (os, "fsync"), "rename": (os, "replace")}

KINDS = {
    "bands": {}, "forest": {"estimator": RandomForestClassifier(n_estimators=5), "n_jobs": 1},
    "target": {"estimator": RandomForestRegressor(n_estimators=5), "n_jobs": 1},
    "one population": {"islands": None, "local_improvement": LocalImprovement(
        n_populations=2, population_size=5, n_generations=1, every=1), "rule": "one_se"},
    "judge": {"islands__judges": [BernoulliNB()], "rule": "best", "n_generations": 1, "population_size": 4,
              "evaluation__n_splits": 1, "evaluation__n_rescore_splits": 1},
    "panel": {"islands__judges": [GaussianNB(), KNeighborsClassifier(3)], "islands__combine": "min"},
    "scorer": {"scoring": "neg_log_loss", "rule": "best", "evaluation__subsample": 24},
    "encoded": {"constraints": Constraints(encode="onehot"), "estimator": RandomForestClassifier(5), "n_jobs": 1},
    "out of bag": {"islands__judges": [RandomForestClassifier(5)], "cv": "oob", "rule": "best", "n_generations": 1},
    "weights": {"islands__judges": [GaussianNB()], "rule": "best", "n_generations": 1}}


def made(kind, path=None, **more):
    X, y = data(np.random.default_rng(0))
    given = {"sample_weight": np.arange(len(y)) % 3} if kind == "weights" else {}
    if kind == "target":
        y = X[:, 0] + y
    if kind == "encoded":  # of text, one value of which is in one row alone, and a column that lacks some
        pandas = pytest.importorskip("pandas")
        X = pandas.DataFrame(X[:, :4], columns=list("abcd")).assign(
            few=np.array(["x", "y", "z"])[np.arange(len(y)) % 3], rare=["once"] + (len(y) - 1) * ["often"],
            some=[None if i % 4 == 0 else f"v{i % 5}" for i in range(len(y))])
    place = None if path is None else Checkpoint(path, every=1)
    return small(**{**KINDS[kind], **more}, checkpoint=place).fit(X, y, **given)


@pytest.fixture(autouse=True)
def few_bootstraps(monkeypatch):
    """Scorers, which take long, score five bootstrap samples."""
    monkeypatch.setattr("moeliga.validation.answers.N_SCORED", 5)


def killing(owner, name, moment, patch):
    """Have call number `moment` of a function be the last thing that this process does; returns the calls so far."""
    usual, calls = getattr(owner, name), []

    def function(*arguments, **options):
        calls.append(1)
        if len(calls) == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return usual(*arguments, **options)

    patch.setattr(owner, name, function)
    return calls


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_that_is_killed_in_any_phase_goes_on_with_the_same_bits(tmp_path, monkeypatch, kind):
    """At moments spread over the calls of each phase; and the fit that goes on is killed too, in its first half."""
    whole = made(kind)
    with monkeypatch.context() as patch:
        calls = {phase: killing(*place, None, patch) for phase, place in PHASES.items()}
        made(kind, tmp_path / "whole.npz")
    for number_of_phase, (phase, (owner, name)) in enumerate(PHASES.items()):
        n_calls, first = len(calls[phase]), (list(KINDS).index(kind) + number_of_phase) % 2
        assert n_calls, phase
        for moment in sorted({1 + place * (n_calls - 1) // (KILLS - 1) for place in range(first, KILLS, 2)}):
            path = tmp_path / f"{phase} {moment}.npz"
            for number in (moment, max(1, moment // 2)):
                with monkeypatch.context() as patch:
                    killing(owner, name, number, patch)
                    status = status_of_child(lambda path=path: made(kind, path))
                assert status in (0, signal.SIGKILL) and (status or number < moment), (phase, number, status)
                if path.exists():
                    checkpoint.read(path)
            assert_same_fit(made(kind, path), whole)
            assert not [entry for entry in tmp_path.iterdir() if entry.suffix in (".part", ".lock")]


@pytest.mark.parametrize("kind", KINDS)
def test_any_number_of_workers_gives_the_same_bits(kind):
    """More threads than processors, too."""
    whole = made(kind)
    for n_jobs in (2, 3, 8):
        assert_same_fit(made(kind, n_jobs=n_jobs), whole)
