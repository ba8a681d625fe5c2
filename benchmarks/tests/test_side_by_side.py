"""Searches side by side are timed, and predicted."""

import importlib

import numpy as np
import pytest
from sklearn.datasets import load_wine

import moeliga


@pytest.mark.parametrize(("seconds", "n_threads", "gain", "most", "elapsed"), [
    ([3.0], 1, 2.0, 9, 3.0),
    ([4.0, 4.0], 2, 1.5, 9, 4.0),
    ([4.0, 2.0], 2, 2.0, 9, 3.0),  # the last one alone, twice as fast
    ([4.0, 2.0], 2, 1.0, 9, 4.0),
    ([10.0, 8.0, 8.0, 8.0, 8.0, 8.0], 2, 1.6, 2, 24.0 + 2.0 / 1.6),
    ([2.0, 1.0], 3, 1.5, 9, 1.0 + 0.5 / 3 ** 0.5849625007211562),  # two threads and one, then three
    ([4.0, 2.0], 2, 1.5, 1, 4.0),  # one after the other
    ([2.0, 2.0, 2.0], 4, 1.5, 2, 2.0 / 1.5 + 2.0 / 1.5 ** 2),  # two threads each, then four
])
def test_searches_side_by_side_are_predicted(seconds, n_threads, gain, most, elapsed):
    """By hand."""
    model = importlib.import_module("side_by_side")
    assert model.side_by_side(seconds, n_threads, gain, most) == pytest.approx(elapsed)


@pytest.mark.slow
def test_the_searches_of_a_fit_are_timed(monkeypatch):
    """Each is there, that on all samples first; the fit is the same. As many run at a time as memory lets them."""
    X, y = load_wine(return_X_y=True)
    some = {"random_state": 0, "n_generations": 2, "population_size": 8, "honest": 3}
    fitted = importlib.import_module("side_by_side").fitted
    selector, spent, searches, most = fitted(X, y, **some)
    assert len(searches) == 4 and min(searches) > 0 and sum(searches) < spent and most == 1
    assert fitted(X, y, n_jobs=2, **some)[3] == 2
    monkeypatch.setattr("moeliga.base.memory.SMALL", 0)
    assert fitted(X, y, n_jobs=2, **some)[3] == 1
    assert np.array_equal(selector.support_, moeliga.MOELIGASelector(**some).fit(X, y).support_)
