"""The benchmarks run, and their rivals give the same answers as moeliga."""

import importlib

import numpy as np
import pytest
from evidence import FOLDER
from sklearn.datasets import load_iris

import moeliga

MODULES = sorted(path.stem for path in FOLDER.glob("bench_*.py"))


@pytest.fixture
def iris():
    """X (float32), y, and some subsets."""
    X, y = load_iris(return_X_y=True)
    return X.astype(np.float32), y, np.array([[1, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1]], dtype=bool)


def classes_of(module):
    """The benchmarks that a module defines."""
    return [thing for thing in vars(module).values()
            if isinstance(thing, type) and thing.__module__ == module.__name__ and hasattr(thing, "params")]


# discovery


@pytest.mark.parametrize("name", MODULES)
def test_benchmarks_have_what_asv_looks_for(name):
    """Lists of parameters with names, methods that take them, and a quick selection of as many."""
    for kind in classes_of(importlib.import_module(name)):
        assert len(kind.params) == len(kind.param_names)
        assert all(isinstance(values, tuple) and values for values in kind.params)
        assert all(len(parameters) == len(kind.params) for parameters in kind.quick)
        methods = [method for method in dir(kind) if method.startswith(("time_", "track_", "peakmem_"))]
        assert methods
        for method in [getattr(kind, method) for method in [*methods, "setup"]]:
            code = method.__code__
            assert code.co_varnames[1 : code.co_argcount] == tuple(kind.param_names)


def test_every_benchmark_belongs_to_a_group(run):
    """run.py leaves out none of them, and only those of RACES have a rival."""
    kinds = {kind for name in MODULES for kind in classes_of(importlib.import_module(name))}
    assert kinds == {*run.RACES.values(), *run.FIGURES.values()}
    assert {kind for kind in kinds if hasattr(kind, "time_rival")} == set(run.RACES.values())


@pytest.mark.parametrize("room", ["tree", "relief", "evaluate", "niche", "vary", "bits", "draw", "dataset"])
def test_every_room_has_its_benchmark(room):
    assert f"bench_{room}" in MODULES


@pytest.mark.quick(2)
@pytest.mark.parametrize("name, kind, parameters", [
    ("bench_tree", "Tree", ("wine", 10)), ("bench_niche", "Niche", (20, 130, 0.3)), ("bench_vary", "Vary", (20, 130)),
    ("bench_bits", "Bits", (20, 130)), ("bench_draw", "Draw", (100,)), ("bench_dataset", "Encode", ("wine",)),
    ("bench_relief", "Relief", (100, 22)), ("bench_evaluate", "Evaluate", ("wine", 1)),
    ("bench_evaluate", "Threads", ("wine",)), ("bench_niche", "Generation", (20, 130)),
    ("bench_tree", "Classifier", ("500 x 5",)), ("bench_tree", "RegressionTree", (200, 10)),
    ("bench_tree", "Regressor", ("500 x 5",)),
    ("bench_forest", "Fit", ("RandomForestRegressor", "100 x 5")),
    ("bench_forest", "Predict", ("RandomForestClassifier", "100 x 8"))])
def test_benchmarks_run_and_agree(name, kind, parameters):
    """Small cases of the benchmarks, without timing."""
    benchmark = getattr(importlib.import_module(name), kind)()
    benchmark.setup(*parameters)
    if hasattr(benchmark, "agreement"):
        assert benchmark.agreement(*parameters)
    else:
        for method in dir(benchmark):
            if method.startswith("time_"):
                getattr(benchmark, method)(*parameters)


def test_impossible_combinations_are_left_out():
    """A subset larger than the data set is no case."""
    with pytest.raises(NotImplementedError, match="13 features"):
        importlib.import_module("bench_tree").Tree().setup("wine", 22)


# rivals


def test_rival_separability_is_ours(rivals, iris):
    X, y, masks = iris
    for mask in masks:
        theirs = rivals.separability(rivals.scale(X)[:, mask], y, np.arange(len(y)))
        assert moeliga.separability(X, y, mask) == pytest.approx(theirs, abs=1e-6)


def test_rival_loop_has_the_objectives_of_evaluate_subsets(rivals, iris):
    """Cardinality exactly; the others within the noise of 40 random splits."""
    ours, theirs = moeliga.evaluate_subsets(*iris, n_splits=40, random_state=0), rivals.evaluate_subsets(*iris, 40)
    np.testing.assert_allclose(ours[:, 1], theirs[:, 1], rtol=1e-12)
    np.testing.assert_allclose(ours, theirs, atol=0.05)


@pytest.mark.parametrize("sigma", [0.01, 0.2, 0.5, 0.9])
def test_rival_fitness_is_ours(rivals, rng, sigma):
    masks = rng.random((40, 60)) < rng.random((40, 1))
    objectives = rng.integers(0, 4, size=(40, 3)).astype(float)
    words = np.packbits(np.pad(masks, ((0, 0), (0, 4))), axis=1).view(np.uint64)
    rank, fitness = rivals.shared_fitness(objectives, words, 60, sigma)
    np.testing.assert_array_equal(rank, moeliga.pareto_rank(objectives))
    np.testing.assert_allclose(fitness, moeliga.shared_fitness(objectives, masks, sigma=sigma), rtol=1e-9)


def test_different_answers_are_a_disagreement(rivals):
    """The two criteria let equal answers pass and refuse others, NaN included."""
    assert rivals.check_close("x", [1.0, 2.0], [1.0, 2.0], 0) == "x identical"
    assert rivals.check_mean("x", np.ones(12), np.ones(12))
    for ours in ([1.0, 2.1], [1.0, np.nan]):
        with pytest.raises(rivals.Disagreement, match="x must agree to 0.01"):
            rivals.check_close("x", ours, [1.0, 2.0], 0.01)
    for ours in (np.linspace(1, 1.001, 12), np.full(12, np.nan)):
        with pytest.raises(rivals.Disagreement, match="within 4 standard errors"):
            rivals.check_mean("x", ours, np.zeros(12))


def test_growth_exponent_is_that_of_the_upper_half():
    """Constant costs at small sizes do not count."""
    pytest.importorskip("matplotlib")
    growth = importlib.import_module("growth")
    assert growth.exponent([1, 2, 4, 8, 16, 32], [9, 9, 9, 64, 256, 1024]) == pytest.approx(2)
    assert growth.exponent([1, 2], [4, 2]) == pytest.approx(-1)
    assert np.isnan(growth.exponent([1], [1]))
