"""The model of a cluster adds up, and what a recorded search would send to one is the search."""

import dataclasses
import importlib
import sys
from unittest import mock

import numpy as np
import pytest
from sklearn.datasets import load_wine

import moeliga
from moeliga.data.subsets import Subsets


@pytest.fixture
def model():
    return importlib.import_module("cluster_model")


def test_tasks_wait_for_workers_and_for_their_turn(model):
    """Cases that can be added up by hand."""
    free = model.Way(0.0, 0.0, np.inf)
    assert model.makespan([1.0] * 6, [0] * 6, 3, free) == 2
    assert model.makespan([3.0, 1.0, 1.0, 1.0], [0] * 4, 2, free) == 3
    assert model.makespan([1.0], [0], 256, model.Way(0.0, 0.5, np.inf)) == 1.5
    # three tasks are handed out after 1, 2 and 3 seconds, bytes make it twice that
    assert model.makespan([10.0] * 3, [0] * 3, 3, model.Way(1.0, 0.0, np.inf)) == 13
    assert model.makespan([10.0] * 3, [5] * 3, 3, model.Way(1.0, 0.0, 5.0)) == 16


def test_makespans_lie_between_what_no_schedule_can_beat_and_what_every_one_keeps(model):
    rng = np.random.default_rng(0)
    for n_workers in (1, 2, 7, 30):
        tasks = rng.exponential(size=40)
        found = model.makespan(tasks, np.zeros(40), n_workers, model.Way(0.0, 0.0, np.inf))
        least = max(tasks.max(), tasks.sum() / n_workers)
        assert least - 1e-9 <= found <= tasks.sum() / n_workers + tasks.max() * (1 - 1 / n_workers) + 1e-9


def banded(model, bands, n_generations=4, begin=0.0, here=0.0, rough=0.01):
    """A search whose bands take so many seconds a generation, and nothing else does."""
    generation = [(np.array([rough]), seconds) for seconds in bands]
    return model.Banded(begin, [(np.array([rough]), 0.0)] * len(bands), [], [generation] * n_generations, here, 0.0)


def test_searches_of_a_fit_side_by_side(model):
    """By hand: before, the folds came after the search on all samples; now the longest bands are waited for."""
    free, whole = model.Way(0.0, 0.0, np.inf), banded(model, [3.0, 1.0])
    searches = [whole, banded(model, [2.0, 1.0]), banded(model, [2.0, 1.0])]
    work = 4 * 10.0
    assert [search.seconds(4) for search in searches] == [16.0, 12.0, 12.0]
    assert model.fits(searches, 4, 2, 100, free) == pytest.approx((work / 100 / 28, work / 100 / 12))
    assert model.fits(searches, 4, 2, 1, free) == pytest.approx((1, 1))
    assert model.fits(searches, 8, 2, 1, free) == pytest.approx((1, 1))  # the generations known, again
    late = banded(model, [1.0], begin=5.0, here=0.5)
    assert model.fits([late], 4, 4, 1, free)[1] == pytest.approx(1)
    assert model.fits([late] * 2, 4, 4, 2, free)[1] == pytest.approx((5 + 4 + 2) / (10 + 4 + 2))  # begin in their turn


def test_searches_of_a_fit_in_slices(model, monkeypatch):
    """Generations that are worth the way fill as many workers as there are slices, a band after the other."""
    monkeypatch.setattr(model.dispatcher, "LEAST_SECONDS", 1.0)
    monkeypatch.setattr(model.dispatcher, "MOST_SECONDS", 100.0)
    free, rough = model.Way(0.0, 0.0, np.inf), np.full(4, 1.0)
    search = model.Banded(0.0, [(rough, 0.0)] * 2, [(rough, 4.0)], [[(rough, 4.0), (rough, 4.0)]], 0.0, 0.0)
    assert search.sliced(4) and not search.sliced(2) and search.sliced(7, 3) and not search.sliced(6, 3)
    assert model.fits([search], 3, 3, 4, free)[1] == pytest.approx(1)  # 28 seconds in 7
    assert model.fits([search], 3, 3, 8, free)[1] == pytest.approx(1 / 2)
    assert model.fits([search] * 2, 3, 3, 8, free)[1] == pytest.approx(1)
    dearer = dataclasses.replace(search, more=2.0)  # its trees share nodes, those of different slices do not
    assert model.fits([dearer], 3, 3, 4, free)[1] == pytest.approx(1 / 2)
    assert model.fits([dearer], 3, 3, 2, free)[1] == pytest.approx(28 / 2 / (3 * 4 + 4))  # bands in one piece
    half = search.scaled(0.5)
    assert half.seconds(3) == pytest.approx(14)
    tripped = model.fits([search], 3, 3, 4, model.Way(0.0, 1.0, np.inf))[1]
    assert tripped == pytest.approx(7 / (2 + 7 + 7))  # each evaluation comes back a second later, those of 0 too


def test_slices_are_those_of_the_search(model, monkeypatch):
    """As many, and with the rows, that `Remote.evaluate` sends."""
    rough, sent = np.random.default_rng(0).exponential(0.05, 90), []
    remote = model.dispatcher.Remote(4)

    def call_workers(ground, function, jobs, budget):
        sent.extend(jobs(16))

    monkeypatch.setattr(remote, "call_workers", call_workers)
    subsets = Subsets(np.arange(90)[:, None], np.arange(3))
    remote.evaluate(mock.Mock(), rough, subsets, np.arange(90), (), None)
    tasks, rows = model.slices(rough, 2 * rough.sum(), 16)
    assert rows == [len(bits) for bits, *_ in sent]
    np.testing.assert_allclose(tasks, [2 * rough[bits[:, 0]].sum() for bits, *_ in sent])


def test_a_search_with_one_worker_and_no_way_takes_what_it_took(model):
    sent = [model.Evaluation(np.ones(30), 2.0, 8, 100), model.Exploration([0.5, 1.5], [100, 100])]
    elapsed, transit = model.predicted(10.0, sent, 1, model.Way(0.0, 0.0, np.inf))
    assert elapsed == pytest.approx(10) and transit == pytest.approx(0, abs=1e-12)
    elapsed, transit = model.predicted(10.0, sent, 2, model.Way(0.0, 0.0, np.inf))
    assert elapsed == pytest.approx(10 - 4 + 1 + 1.5) and transit == pytest.approx(1 - 4 / 5)
    assert model.predicted(10.0, [], 16, model.Way(1.0, 1.0)) == (10.0, 0.0)


def test_islands_wait_for_the_slowest(model):
    way = model.Way(0.0, 0.0, np.inf)
    assert model.islands(np.array([[2.0, 3.0]]), 16, way, 0) == pytest.approx(1)
    assert model.islands(np.array([[1.0, 1.0], [3.0, 3.0]]), 1, way, 0) == pytest.approx(1)
    assert model.islands(np.array([[1.0, 3.0], [3.0, 1.0]]), 64, way, 0) == pytest.approx(2 / 3)


def test_a_recorded_search_says_what_would_be_sent(monkeypatch):
    """Generations as slices, where they are worth the way; else subordinate populations as a whole; else nothing."""
    efficiency = importlib.import_module("efficiency")
    X, y = load_wine(return_X_y=True)
    improvement = moeliga.LocalImprovement(n_populations=2, population_size=12, n_generations=8, every=1)
    setting = {"population_size": 20, "n_generations": 2, "evaluation__n_rescore_splits": 4,
               "local_improvement": improvement, "random_state": 0, "honest": None, "islands": None}
    ref = moeliga.MOELIGASelector().set_params(n_jobs=1, **setting).fit(X, y)
    total, sent, selector = efficiency.recorded(X, y, **setting)
    assert sent == [] and total > 0
    objectives = importlib.import_module("moeliga.evaluation.objectives")
    for worth, kinds in ((0.0, {efficiency.Evaluation}), (0.002, {efficiency.Evaluation, efficiency.Exploration})):
        monkeypatch.setattr(objectives, "WORTH_SECONDS", worth)
        total, sent, selector = efficiency.recorded(X, y, **setting)
        np.testing.assert_array_equal(selector.pareto_front_.objectives, ref.pareto_front_.objectives)
        assert {type(part) for part in sent} == kinds
        assert all(part.seconds > 0 for part in sent) and sum(part.seconds for part in sent) < total
        assert sum(len(part.rough) for part in sent if isinstance(part, efficiency.Evaluation)) > 0
    some = {name: value for name, value in setting.items() if name not in ("honest", "islands", "local_improvement")}
    found = efficiency.recorded_bands(X, y, **some)
    assert len(found.generations) == 2 and len(found.first) == len(found.generations[0]) == 2
    assert len(found.last) == 1 and 0 < found.seconds(2) and found.here > 0
    assert {len(rough) for each in found.generations for rough, _ in each} == {40}  # parents and children
    epochs = efficiency.epochs_of(ref, 1)
    assert len(epochs) == 3 and epochs.sum() == pytest.approx(ref.history_["seconds"][-1])


def test_without_dask_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SystemExit):
        importlib.import_module("efficiency").main(["wide"])
    assert capsys.readouterr().err == "distributed is not installed: pip install 'moeliga[dask]'\n"


def test_a_search_to_stop_needs_its_data(tmp_path, capsys):
    path = tmp_path / "isolet.npz"
    with pytest.raises(SystemExit):
        importlib.import_module("stopping").main(["--data", str(path)])
    assert f"argument --data: there is no file {path}; see MOELIGA_DATA" in capsys.readouterr().err
