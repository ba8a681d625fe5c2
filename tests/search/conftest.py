"""Fixtures of the tests of islands and of checkpoints."""

import signal
from contextlib import contextmanager

import pytest

from moeliga.distributed import backends, worker
from moeliga.distributed.worker import Store
from moeliga.evaluation import objectives
from moeliga.search import islands
from moeliga.search.islands import evolve_at


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
        if function is evolve_at:
            calls.append(list(arguments[3]))
        return worker.work(version, fingerprint, function, arguments, payload)

    monkeypatch.setattr(backends, "work", counted)
    monkeypatch.setattr(worker, "STORE", Store())
    monkeypatch.setattr(objectives.Objectives, "worth_sending",
                        lambda self, ground, n_features, n_subsets, n_generations, n_tasks=0:
                        self.remote is not None and n_tasks > 1)
    return calls


@pytest.fixture
def path(tmp_path):
    """Where a checkpoint goes."""
    return tmp_path / "state.npz"
