"""Fixtures of the tests of islands."""

import pytest

from moeliga.distributed import backends, worker
from moeliga.distributed.worker import Store
from moeliga.evaluation import objectives
from moeliga.search.islands import evolve_at


@pytest.fixture
def sent(monkeypatch):
    """Islands are worth the way, and nothing else is: generations of each that was sent."""
    calls = []

    def counted(version, fingerprint, function, arguments, payload):
        if function is evolve_at:
            calls.append(list(arguments[4]))
        return worker.work(version, fingerprint, function, arguments, payload)

    monkeypatch.setattr(backends, "work", counted)
    monkeypatch.setattr(worker, "STORE", Store())
    monkeypatch.setattr(objectives.Objectives, "worth_sending",
                        lambda self, ground, n_features, n_generations, n_tasks=0:
                        self.remote is not None and n_tasks > 1)
    return calls
