"""How much memory things need, against what they are measured to take; and the refusal where there is less.

A measurement runs in a process of its own, this file as a program: everything is imported and warmed up on small data,
then the growth of the resident size to its peak is measured. `MOELIGA_LIMITS=1` measures larger cases too, of up to
8 GB with X.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.naive_bayes import GaussianNB

import moeliga
from interpreters import environment
from moeliga import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    LocalImprovement,
    MOELIGASelector,
    Separability,
    StaggeredInit,
    evaluate_subsets,
)
from moeliga.base import memory
from moeliga.base.memory import Limit
from moeliga.data.feature_space import build_space
from moeliga.data.memory_footprint import Table, Tree
from moeliga.data.problem import Problem
from moeliga.search.build import given_bits
from moeliga.search.memory_plan import Copy, Fit
from moeliga.search.resolve import make_plan

LEAST, MOST = 0.8, 1.5
"""Bounds of the estimate, as a share of what is measured."""

FLOOR = 100 << 20
"""A measured case takes at least this much, so that what Python takes anyway does not count."""


# what is measured


def search(**parameters):
    """A search that is as large as any other, but short."""
    return MOELIGASelector().set_params(**{"population_size": 16, "n_generations": 2, "survival__n_elite": 2,
                                           "survival__generation_gap": 2,
                              "evaluation__n_rescore_splits": 2, "random_state": 0, "n_jobs": 1, "verbose": False,
                              "objectives": ("uar", "cardinality", Separability(samples=20)),
                              "local_improvement": LocalImprovement(population_size=6, n_generations=1, every=1),
                              **parameters})


def normals(n_samples, n_features, n_classes=2, dtype=np.float64):
    rng = np.random.default_rng(0)
    y = np.arange(n_samples) % n_classes
    X = rng.standard_normal((n_samples, n_features), dtype=dtype)
    X[:, 0] += y
    return X, y


def scattered(n_samples, n_features, form):
    rng = np.random.default_rng(0)
    X = scipy.sparse.random(n_samples, n_features, 0.01, form, np.float32, rng)
    return X, np.arange(n_samples) % 2


def target(n_samples, n_features):
    X, _ = normals(n_samples, n_features)
    return X, X[:, 0] + X[:, 1] ** 2


def bytes_of(n_samples, n_features):
    """Values of 20 kinds: codes and edges are small."""
    X = np.random.default_rng(0).integers(20, size=(n_samples, n_features)).astype(np.float64)
    return X, (X[:, 0] > 9).astype(int)


def of_fit(selector):
    return lambda X, y: selector.fit(X, y)


SMALL_SUBSETS = StaggeredInit(fractions=(1.0,), rates=(0.002,))
FEW_OF_MANY = StaggeredInit(rates=(1e-4, 1e-3, 1e-2))
CASES = {  # name: (what runs, the data)
    "wide": (of_fit(search()), lambda f: normals(60, int(160_000 * f), dtype=np.float32)),
    "wide, float64": (of_fit(search()), lambda f: normals(60, int(120_000 * f))),
    "tall": (of_fit(search(objectives=("uar", "cardinality"), population_size=8, n_generations=0)),
             lambda f: normals(int(250_000 * f), 20)),
    "tall, two threads": (
        of_fit(search(objectives=("uar", "cardinality"), population_size=8, n_generations=0, n_jobs=2)),
        lambda f: normals(int(260_000 * f), 20, dtype=np.float32)),
    "few values": (of_fit(search(population_size=8, n_generations=1)), lambda f: bytes_of(int(20_000 * f), 800)),
    "many classes": (of_fit(search(population_size=8, n_generations=1, init=SMALL_SUBSETS)),
                     lambda f: normals(int(10_000 * f), 1000, 1000 if f == 1 else 10, np.float32)),
    "large population": (of_fit(search(population_size=4000, init=SMALL_SUBSETS, evaluation__n_splits=1,
                                       evaluation__n_rescore_splits=1,
                                       objectives=("uar", "cardinality"), local_improvement=None)),
                         lambda f: normals(20, int(60_000 * f), dtype=np.float32)),
    "parents and children": (of_fit(search(population_size=3000, init=SMALL_SUBSETS, evaluation__n_splits=1,
                                           evaluation__n_rescore_splits=1,
                                           objectives=("uar", "cardinality"), local_improvement=None,
                                           survival="nsga2")),
                             lambda f: normals(20, int(60_000 * f), dtype=np.float32)),
    "regression": (of_fit(search(estimator=DecisionTreeRegressor(max_depth=6), objectives=None, population_size=8)),
                   lambda f: target(int(5_000 * f), 1500)),
    "CSR": (of_fit(search()), lambda f: scattered(1000, int(20_000 * f), "csr")),
    "CSC": (of_fit(search()), lambda f: scattered(1000, int(20_000 * f), "csc")),
    "another classifier": (of_fit(search(estimator=GaussianNB(), objectives=("uar", "cardinality"),
                                         init=StaggeredInit(fractions=(1.0,), rates=(0.9,)), local_improvement=None)),
                           lambda f: normals(int(20_000 * f), 600)),
    "a subsample": (of_fit(search(objectives=("uar", "cardinality"), evaluation__subsample=0.5,
                                  evaluation__n_rescore_splits=0,
                                  init=SMALL_SUBSETS, local_improvement=None)),
                    lambda f: normals(int(60_000 * f), 400, dtype=np.float32)),
    "a subsample, scored again": (of_fit(search(evaluation__subsample=0.3, init=SMALL_SUBSETS, local_improvement=None)),
                                  lambda f: normals(int(40_000 * f), 400, dtype=np.float32)),
    "feature prior": (of_fit(search(estimator=GaussianNB(), objectives=("uar", "cardinality"), evaluation__n_splits=1,
                                    init=SMALL_SUBSETS, local_improvement=None, feature_prior="f_classif")),
                      lambda f: normals(int(20_000 * f), 600)),
    "two workers": (of_fit(search(estimator=GaussianNB(), objectives=("uar", "cardinality"), n_jobs=2,
                                  init=StaggeredInit(fractions=(1.0,), rates=(0.9,)), local_improvement=None)),
                    lambda f: normals(int(20_000 * f), 600)),
    "islands": (of_fit(search(population_size=1000, islands__n=4, islands__every=1, init=SMALL_SUBSETS,
                              evaluation__n_splits=1,
                              evaluation__n_rescore_splits=1, objectives=("uar", "cardinality"),
                              local_improvement=None)),
                lambda f: normals(20, int(60_000 * f), dtype=np.float32)),
    "a checkpoint": (of_fit(search(population_size=4000, init=SMALL_SUBSETS, evaluation__n_splits=1,
                                   evaluation__n_rescore_splits=1,
                                   objectives=("uar", "cardinality"), local_improvement=None,
                                   checkpoint="search.npz")),
                     lambda f: normals(20, int(60_000 * f), dtype=np.float32)),
    "tree": (lambda X, y: DecisionTreeClassifier().fit(X, y), lambda f: normals(int(40_000 * f), 300)),
    "tree, two threads": (lambda X, y: DecisionTreeClassifier(n_jobs=2).fit(X, y),
                          lambda f: normals(int(40_000 * f), 300, dtype=np.float32)),
    "tree, many classes": (lambda X, y: DecisionTreeClassifier().fit(X, y),
                           lambda f: normals(int(20_000 * f), 20, 1000 if f == 1 else 10)),
    "regression tree": (lambda X, y: DecisionTreeRegressor().fit(X, y), lambda f: target(int(20_000 * f), 300)),
    "subsets": (lambda X, y: evaluate_subsets(X, y, np.eye(X.shape[1], dtype=bool)[:50] | (np.arange(X.shape[1]) < 99),
                                              n_splits=1), lambda f: normals(2000, int(5_000 * f))),
}
BOUNDED = {"large population", "islands", "parents and children", "a checkpoint", "two workers",
           "population of 10,000", "five million samples, never all"}
"""Of which the estimate is an upper bound."""

LARGE = {
    "wider": (of_fit(search()), lambda f: normals(100, int(500_000 * f), dtype=np.float32)),
    "taller": (of_fit(search(objectives=("uar", "cardinality"), population_size=6, n_generations=0,
                             local_improvement=None, n_jobs=2)), lambda f: normals(int(2_000_000 * f), 20)),
    "population of 10,000": (of_fit(search(population_size=10_000, init=SMALL_SUBSETS, evaluation__n_splits=1,
                                           evaluation__n_rescore_splits=1,
                                           objectives=("uar", "cardinality"), local_improvement=None)),
                             lambda f: normals(20, int(100_000 * f), dtype=np.float32)),
    "five million samples": (of_fit(search(evaluation__subsample=20_000, population_size=8, n_generations=1)),
                             lambda f: normals(int(5_000_000 * f), 50, dtype=np.float32)),
    "five million samples, never all": (
        of_fit(search(evaluation__subsample=20_000, population_size=8, n_generations=1,
                      evaluation__n_rescore_splits=0)),
        lambda f: normals(int(5_000_000 * f), 50, dtype=np.float32)),
    "a million samples": (of_fit(search(evaluation__subsample=20_000, population_size=8, n_generations=1,
                                        init=SMALL_SUBSETS)),
                          lambda f: normals(int(1_000_000 * f), 500, dtype=np.float32)),
    "a million features": (of_fit(search(init=FEW_OF_MANY)),
                           lambda f: normals(200, int(1_000_000 * f), dtype=np.float32)),
    "a million features, CSR": (of_fit(search(init=FEW_OF_MANY)), lambda f: scattered(200, int(1_000_000 * f), "csr")),
}
"""Run with `MOELIGA_LIMITS=1`, or one by its name: `python tests/search/test_memory_plan.py "five million samples"`."""


def resident(what):
    """A line of /proc/self/status in bytes: VmRSS, VmHWM or VmSize."""
    return memory.numbers("/proc/self/status")[what]


class Family:
    """Largest proportional size of this process and its children, looked at all the time."""

    def __init__(self):
        self.peak, self.over = 0, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def size(self):
        pids = [os.getpid()]
        for pid in pids:
            children = memory.read(f"/proc/{pid}/task/{pid}/children") or ""
            pids += [int(child) for child in children.split()]
        return sum(memory.numbers(f"/proc/{pid}/smaps_rollup").get("Pss", 0) for pid in pids)

    def watch(self):
        while not self.over.wait(0.02):
            self.peak = max(self.peak, self.size())


def measure(name):
    """Print what a case took and what it was estimated to take, as JSON."""
    run, data = (CASES | LARGE)[name]
    demands = []
    memory.SMALL, memory.lacking = 0, lambda demand, known: demands.append(demand)
    blind = Table.of
    Table.of = lambda X, n_classes: blind(X, n_classes).looked_at(X)
    run(*data(0.05))
    Path("search.npz").unlink(missing_ok=True)
    X, y = data(1)
    demands.clear()
    Path("/proc/self/clear_refs").write_text("5")  # the peak from here on
    family = Family()
    before = family.size() if "workers" in name else resident("VmRSS")
    if "workers" in name:
        family.thread.start()
    begun = time.perf_counter()
    run(X, y)
    seconds = time.perf_counter() - begun
    family.over.set()
    peak = family.peak if "workers" in name else resident("VmHWM")
    print(json.dumps({"measured": peak - before, "estimated": demands[-1].n_bytes, "seconds": round(seconds, 1)}))


def in_a_process(*arguments, folder, program=__file__):
    return subprocess.run([sys.executable, program, *arguments], env=environment(__file__), cwd=folder,
                          capture_output=True, text=True, timeout=600 if arguments and arguments[0] in CASES else 3600)


linux = pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="needs Linux's /proc to measure")


@linux
@pytest.mark.parametrize("name", [*CASES, *(LARGE if os.environ.get("MOELIGA_LIMITS") else [])])
def test_the_estimate_is_near_what_is_measured(name, tmp_path):
    """Neither so low that what is let through fails, nor so high that what would go is refused.

    Some can only be bounded from above: nobody knows how long the fronts of a large population will be, nor how much
    of their libraries worker processes share.
    """
    done = in_a_process(name, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    print(name, found)
    assert found["measured"] >= FLOOR, found
    assert LEAST <= found["estimated"] / found["measured"], found
    if name not in BOUNDED:
        assert found["estimated"] / found["measured"] <= MOST, found


def promised(X, **parameters):
    """The estimate for a fit to data of the type and shape of X, whatever the values."""
    selector, y = MOELIGASelector().set_params(**parameters), np.arange(X.shape[0]) % 2
    plan, names = make_plan(selector), np.array([f"x{f}" for f in range(X.shape[1])])
    space = build_space(X.shape[1], names, must_include=None, exclude=None, feature_groups=None, min_features=1,
                        max_features=None)
    given = given_bits(selector, space, names)
    return memory.size(Fit.of(plan.settings, plan, Problem(X, y, False), space, given, True, 100).demand().n_bytes)


@pytest.mark.parametrize(("row", "shape", "sparse"), [
    ("5,000,000 x 50", (5_000_000, 50), False), ("1,000,000 x 500", (1_000_000, 500), False),
    ("200 x 1,000,000", (200, 1_000_000), False), ("the same, sparse, 1 %", (200, 1_000_000), True)])
def test_the_guide_promises_what_the_estimate_says(row, shape, sparse):
    """The table of docs/big-data.md."""
    path = Path(__file__).resolve().parents[2] / "docs" / "big-data.md"
    if not path.exists():
        pytest.skip("the guide is not here")
    X = np.broadcast_to(np.float32(0), shape)
    if sparse:
        stored = np.zeros(2_000_000, dtype=np.float32)
        X = scipy.sparse.csr_array((stored, np.zeros(2_000_000, dtype=np.int32), np.linspace(0, 2_000_000, 201).astype(
            np.int32)), shape=shape)
    init = {"init": FEW_OF_MANY} if shape[1] == 1_000_000 else {}
    n_bytes = 8 * X.nnz if sparse else 4 * shape[0] * shape[1]
    cells = [memory.size(n_bytes), *(promised(X, **init, **parameters) for parameters in (
        {}, {"evaluation__subsample": 20_000}, {"evaluation__subsample": 20_000, "evaluation__n_rescore_splits": 0}))]
    assert f"| {row} | {' | '.join(cells)} |" in path.read_text(encoding="utf-8"), cells


# what is in a file


@pytest.fixture(scope="module", params=["C", "F"])
def mapped(request, tmp_path_factory):
    """float32, row by row or column by column, in a file that is mapped into memory; and the labels."""
    X, y = normals(40_000, 100, dtype=np.float32)
    path = tmp_path_factory.mktemp("mapped") / "X.npy"
    np.save(path, np.asarray(X, order=request.param))
    return np.load(path, mmap_mode="r"), y


@pytest.mark.parametrize("parameters", [
    {}, {"checkpoint": "search.npz"}, {"evaluation__subsample": 2000},
    {"evaluation__subsample": 2000, "n_generations": 3},
    {"evaluation__subsample": 2000, "evaluation__n_rescore_splits": 0, "checkpoint": "search.npz"},
    {"estimator": GaussianNB(), "evaluation__subsample": 2000, "evaluation__n_rescore_splits": 0}], ids=str)
def test_a_mapped_file_of_float32_is_never_copied_as_a_whole(monkeypatch, tmp_path, mapped, parameters):
    """Neither in float64 nor at all: what NumPy holds is what the estimate says, and the result that of an array."""
    monkeypatch.chdir(tmp_path)
    (X, y), demands = mapped, []
    setting = {"objectives": ("uar", "cardinality"), "init": StaggeredInit(fractions=(1.0,), rates=(0.02,)),
               "population_size": 6, "survival__n_elite": 1, "survival__generation_gap": 1, "evaluation__n_splits": 2,
               "local_improvement": None,
               "n_generations": 0, "evaluation__n_rescore_splits": 2, **parameters}
    search(**{**setting, "checkpoint": None}).fit(X[:500], y[:500])
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "lacking", lambda demand, known: demands.append(demand))
    monkeypatch.setattr("moeliga.data.memory_footprint.LOOKED_AT", 1 << 18)
    blind = Table.of
    monkeypatch.setattr(Table, "of", lambda X, n_classes: blind(X, n_classes).looked_at(X))
    tracemalloc.start()
    try:
        found = search(**setting).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= demands[-1].n_bytes + (6 << 20)  # a block of X where it is hashed, and what Python takes
    if setting["n_rescore_splits"] == 0:
        assert peak < X.nbytes // 2
    setting.pop("checkpoint", None)
    assert found.pareto_front_.objectives.tobytes() == search(**setting).fit(
        np.array(X), y).pareto_front_.objectives.tobytes()


# the refusal


class Never:
    """A callback that must not be called."""

    def __call__(self, state):
        raise AssertionError("the search has begun")


def little(monkeypatch, n_bytes, *, reserved=False):
    """So much is free, and everything is compared with it."""
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "limits", lambda: [Limit("plenty", 1 << 50), Limit("the test", n_bytes, reserved)])


def test_a_fit_without_memory_is_refused_before_it_begins(monkeypatch, tmp_path):
    """The error says what is needed for what, what is free, and what would be less; nothing was begun."""
    little(monkeypatch, 1 << 20)
    X, y = normals(60, 5000)
    selector = search(checkpoint=tmp_path / "search.npz", callbacks=Never(), n_jobs=2)
    monkeypatch.setattr("moeliga.data.dataset.Dataset.encode", Never())
    with pytest.raises(MemoryError) as caught:
        selector.fit(X, y)
    text = str(caught.value)
    pattern = (r"fit needs about \d+ MiB of memory besides X, and 1 MiB are free \(the test\): \d+ MiB for the coded "
               r"data \(60 samples x 5,000 features\), .* It would be .*\d+ MiB with X as float32, .*half of the "
               r"features.*")
    assert re.fullmatch(pattern, text), text
    assert not hasattr(selector, "pareto_front_")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("parameters", [
    {"estimator": GaussianNB(), "objectives": ("uar", "cardinality")},
    {"estimator": GaussianNB()},
    {"objectives": (lambda mask, X, y: 0.0,)},
    {"survival__sharing": None, "archive": False, "evaluation__n_rescore_splits": 0},
    {"local_improvement": LocalImprovement(population_size=6, n_generations=1, every=1, replacement="complete")},
    {"estimator": DecisionTreeRegressor(), "objectives": None},
    {"constraints__groups": np.arange(200) // 10, "constraints__must_include": [3], "init": StaggeredInit(spread=0.5)},
    {"init__subsets": [range(199)]},
    {"feature_prior": "f_classif"}, {"evaluation__subsample": 30},
    {"evaluation__subsample": 0.5, "evaluation__n_rescore_splits": 0},
    {"estimator": GaussianNB(), "evaluation__subsample": 0.5, "evaluation__n_rescore_splits": 0},
], ids=str)
def test_every_kind_of_fit_is_estimated(monkeypatch, parameters):
    """One byte is too little for any; with what was asked for it runs."""
    X, y = normals(60, 200)
    selector = search(population_size=20, **parameters)
    little(monkeypatch, 1)
    with pytest.raises(MemoryError, match="fit needs about .* of memory besides X"):
        selector.fit(X, y)
    little(monkeypatch, 1 << 30)
    selector.fit(X, y)


def test_a_subsample_needs_less_where_nothing_else_is_coded(monkeypatch):
    """Without a score on all of the data: then all of them are there once."""
    asked = []
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "lacking", lambda demand, known: asked.append(demand.n_bytes))
    (X, y), found = normals(3000, 400), []
    for parameters in ({}, {"evaluation__subsample": 0.1},
                       {"evaluation__subsample": 0.1, "evaluation__n_rescore_splits": 0}):
        search(**parameters, init=SMALL_SUBSETS, n_generations=0).fit(X, y)
        found.append(asked[-1])
    whole, scored_again, part = found
    assert part < 0.3 * whole and whole <= scored_again < 1.05 * whole


def test_the_other_doors_are_guarded_too(monkeypatch):
    """Trees, subsets, separability."""
    X, y = normals(60, 200)
    little(monkeypatch, 1000)
    for door in (lambda: DecisionTreeClassifier().fit(X, y), lambda: DecisionTreeRegressor(n_jobs=2).fit(X, y),
                 lambda: evaluate_subsets(X, y, np.ones((3, 200), dtype=bool)),
                 lambda: evaluate_subsets(X, y, np.ones((3, 200), dtype=bool), estimator=DecisionTreeRegressor()),
                 lambda: moeliga.separability(X, y), lambda: moeliga.separability(X, y, neighbours=0.1)):
        with pytest.raises(MemoryError, match=r"needs about .* of memory besides X, and 0 MiB are free \(the test\)"):
            door()


def test_a_copy_of_x_is_counted_before_it_is_made(monkeypatch):
    """Whole numbers, tables and other orders of bytes become float64; arrays of floats are read in place."""
    little(monkeypatch, 1000)
    pandas = pytest.importorskip("pandas")
    X, _ = normals(60, 20)
    for other, n_bytes in ((X.astype(np.int8), 9600), (X.astype(">f8"), 9600), (X.astype(np.float16), 9600),
                           (pandas.DataFrame(X), 9600), (pandas.DataFrame(X.astype(np.float32)), 4800),
                           (X, 0), (X.astype(np.float32), 0), (scipy.sparse.csr_array(X), 0), (X.tolist(), 0), (3, 0)):
        copy = Copy.of(other)
        assert copy.n_bytes == n_bytes
        if n_bytes:
            with pytest.raises(MemoryError, match="the conversion of X to float64 needs about .* for a copy of X"):
                memory.require(copy)
        else:
            memory.require(copy)


def test_a_look_at_the_values_saves_a_fit_from_refusal(monkeypatch):
    """Few distinct values take less than any: that is found out where it matters."""
    X, y = bytes_of(2000, 300)
    job = Tree.of(X, 2, 1)
    blind, seen = job.demand().n_bytes, job.looked_at(X).demand().n_bytes
    assert seen < blind
    little(monkeypatch, (blind + seen) // 2)
    memory.require(job, X)
    with pytest.raises(MemoryError):
        memory.require(job)
    little(monkeypatch, seen - 1)
    with pytest.raises(MemoryError):
        memory.require(job, X)


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, scipy.sparse.csr_array, scipy.sparse.csc_array])
def test_a_look_counts_distinct_values(form):
    """Of every column, if they are few; of some of many."""
    X = np.tile(np.arange(60.0)[:, None], (1, 30))
    X[:, 10:] = X[:, 10:] // 10
    looked = Table.of(form(X), 2).looked_at(form(X))
    assert looked.most_codes == 60 and looked.n_codes == (10 * 60 + 20 * 6) / 30


def test_of_two_limits_the_tighter_is_named(monkeypatch):
    """Limits of address space count what is asked for, the others what is written to."""
    X, y = normals(60, 5000)
    job = Tree.of(X, 2, 1)
    demand = job.demand()
    assert demand.n_bytes < demand.reserved
    between = (demand.n_bytes + demand.reserved) // 2
    little(monkeypatch, between)
    memory.require(job)
    little(monkeypatch, between, reserved=True)
    with pytest.raises(MemoryError, match="the test"):
        memory.require(job)


@linux
def test_a_fit_just_below_the_limit_goes_through_and_just_above_is_refused(tmp_path):
    """The limit is a real one, of address space; nothing is compared but what the system says."""
    path = tmp_path / "program.py"
    path.write_text("""
import resource, sys
import numpy as np
from moeliga.base import memory
from test_memory_plan import normals, resident, search

demands, lacking, memory.SMALL = [], memory.lacking, 0
memory.lacking = lambda demand, known: demands.append(demand) or lacking(demand, known)
X, y = normals(60, 60_000, dtype=np.float32)
search().fit(X[:, :100], y)
search().fit(X, y)
needed = demands[-1].reserved
for more in (-(1 << 20), 1 << 20):
    resource.setrlimit(resource.RLIMIT_AS, (resident("VmSize") + needed + more, resource.RLIM_INFINITY))
    try:
        selector = search().fit(X, y)
    except MemoryError as error:
        print("refused:", error)
    else:
        print("went through", len(selector.pareto_front_) > 0)
""")
    done = in_a_process(folder=tmp_path, program=str(path))
    refused, through = done.stdout.splitlines() or [done.stderr, ""]
    assert re.match(r"refused: fit needs about .* are free \(ulimit -v: .*\): .* for the coded data", refused), refused
    assert through == "went through True", done.stderr


def test_the_estimate_grows_with_everything():
    """More of anything never needs less."""
    table = Table(1000, 2000, 8)
    fewer = [other for _, other in table.smaller()]
    assert len(fewer) == 3
    for other in fewer:
        assert Tree(other, False, 2).demand().n_bytes < Tree(table, False, 2).demand().n_bytes
    assert Tree(table, False, 1).demand().n_bytes < Tree(table, False, 2).demand().n_bytes


if __name__ == "__main__":
    measure(sys.argv[1])
