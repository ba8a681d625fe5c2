"""Fixtures of the tests of islands, of checkpoints and of evaluations."""

import signal
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pytest

from moeliga.distributed import backends, worker
from moeliga.distributed.worker import Store
from moeliga.evaluation import objectives
from moeliga.evaluation.objectives import Objectives
from moeliga.search import islands, ranking
from moeliga.search.islands import evolve_on_worker


@pytest.fixture
def ctrl_c_in(monkeypatch):
    """A context in which Ctrl-C is pressed while the second of the islands is in a generation: function of its number.
    """
    @contextmanager
    def pressed(number):
        original, calls = islands.advance, []

        def advance(search, population, place, generation, n_generations):
            calls.append(generation)
            if calls.count(number) == 2:
                signal.raise_signal(signal.SIGINT)
            return original(search, population, place, generation, n_generations)

        with monkeypatch.context() as patch:
            patch.setattr(islands, "advance", advance)
            yield

    return pressed


@pytest.fixture
def sent(monkeypatch):
    """Islands are worth the way, and nothing else is: generations of each that was sent."""
    calls = []

    def counted(version, fingerprint, function, arguments, payload):
        if function is evolve_on_worker:
            calls.append(list(arguments[3]))
        return worker.handle_call(version, fingerprint, function, arguments, payload)

    monkeypatch.setattr(backends, "handle_call", counted)
    monkeypatch.setattr(worker, "STORE", Store())
    monkeypatch.setattr(objectives.Objectives, "worth_sending",
                        lambda self, ground, n_features, n_subsets, n_generations, n_tasks=0:
                        self.remote is not None and n_tasks > 1)
    return calls


@pytest.fixture
def path(tmp_path):
    """Where a checkpoint goes."""
    return tmp_path / "state.npz"


class Call(NamedTuple):
    """A call of Objectives.evaluate: what it was asked, and its answer."""

    address: tuple
    masks: np.ndarray
    individuals: np.ndarray
    objectives: np.ndarray
    positions: np.ndarray
    shared: bool | None


@pytest.fixture
def calls(monkeypatch):
    """Every call of Objectives.evaluate: list of `Call`."""
    found, original = [], Objectives.evaluate

    def evaluate(self, ground, subsets, address, individuals=None, **options):
        result = original(self, ground, subsets, address, individuals, **options)
        rows = np.arange(len(subsets)) if individuals is None else individuals.copy()
        found.append(Call(address, subsets.masks(ground.n_features), rows, result[0].copy(), subsets.positions,
                          options.get("shared")))
        return result

    monkeypatch.setattr(Objectives, "evaluate", evaluate)
    return found


@pytest.fixture
def small_forests():
    """A ranking by ten trees takes milliseconds, and is as good a beginning in tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "N_TREES", 10)
        yield
