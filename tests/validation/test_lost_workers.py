"""Fits whose workers elsewhere are lost in the middle: they end here, and find the same."""

import pytest

from cross_fitted import assert_same_fit, data, small
from moeliga.validation.deployed import Deployed
from thread_backend import LostBackend, everything_sent


@pytest.mark.parametrize("moment", ["search", "fold", "model"])
def test_a_fit_ends_here_where_its_workers_are_lost(rng, monkeypatch, moment):
    """In the search on all samples, in that on a fold, or while the model is asked."""
    X, y = data(rng)
    backend, answer = LostBackend(), Deployed.answer

    def lose(state):
        number = {"search": None, "fold": 1, "model": -1}[moment]
        backend.lost |= backend.looks and state.generation == 1 and state.fold == number

    def lost(self, *arguments):
        if backend.looks and moment == "model":
            backend.lost, backend.looks = True, False
            raise ConnectionError("the client of Dask is closed")
        return answer(self, *arguments)

    monkeypatch.setattr(Deployed, "answer", lost)
    backend.looks = False
    expected = small(callbacks=lose, n_generations=3).fit(X, y)
    backend.looks = True
    with everything_sent(monkeypatch, backend), pytest.warns(RuntimeWarning, match="^the workers are lost, the "):
        found = small(callbacks=lose, n_generations=3, n_jobs=-1).fit(X, y)
    assert backend.lost
    assert_same_fit(found, expected)


def test_an_error_of_the_model_is_the_models(rng, monkeypatch):
    """Where the workers are there."""
    def fails(self, *arguments):
        raise ConnectionError("no such table")

    monkeypatch.setattr(Deployed, "answer", fails)
    with everything_sent(monkeypatch, LostBackend()), pytest.raises(ConnectionError, match="^no such table"):
        small(n_jobs=-1).fit(*data(rng))
