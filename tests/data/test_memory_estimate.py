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
from joblib.externals.loky import get_reusable_executor
from sklearn.model_selection import KFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB

import moeliga
import moeliga.search.build
from case_names import named
from interpreters import environment
from moeliga import (
    MOGA,
    Constraints,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    LocalImprovement,
    RandomForestClassifier,
    Separability,
    StaggeredInit,
    evaluate_subsets,
)
from moeliga.base import memory
from moeliga.base.memory import Limit, Part
from moeliga.data.feature_space import build_space
from moeliga.data.memory_estimate import distinct, of_copy, of_fit, of_tree
from moeliga.data.problem import Problem
from moeliga.evaluation.judges import recognise
from moeliga.evaluation.subsample import n_drawn
from moeliga.search.build import given_bits
from moeliga.search.feature_prior import n_together
from moeliga.search.resolve import resolve
from single_search import single_search

MOST = 2
"""Bound of the estimate, as a multiple of what is measured."""

FLOOR = 60 << 20
"""A measured case takes at least this much, so that what Python takes anyway does not count."""


# what is measured


def search(**parameters):
    """A search that is as large as any other, but short."""
    return single_search(**{"population_size": 8, "n_generations": 1, "evaluation__n_splits": 1,
                            "evaluation__n_rescore_splits": 1, "random_state": 0, "n_jobs": 1,
                            "verbose": False,
                              "objectives": ("uar", "cardinality", Separability(samples=20)),
                              "local_improvement": LocalImprovement(population_size=6, n_generations=1, every=1),
                              **parameters})


def normals(n_samples, n_features, n_classes=2, dtype=np.float32):
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
    X, _ = normals(n_samples, n_features, dtype=np.float64)
    return X, X[:, 0] + X[:, 1] ** 2


def of_few_values(n_samples, n_features):
    """Values of 20 kinds: codes and edges are small."""
    X = np.random.default_rng(0).integers(20, size=(n_samples, n_features)).astype(np.float64)
    return X, (X[:, 0] > 9).astype(int)


def fit(**parameters):
    return lambda X, y: search(**parameters).fit(X, y)


def tree(kind=DecisionTreeClassifier, **parameters):
    return lambda X, y: kind(**parameters).fit(X, y)


def subsets(X, y):
    evaluate_subsets(X, y, np.eye(X.shape[1], dtype=bool)[:50] | (np.arange(X.shape[1]) < 99), n_splits=1)


SCORED = {"objectives": ("uar", "cardinality"), "local_improvement": None, "n_generations": 0}
SMALL_SUBSETS = {"init": StaggeredInit(fractions=(1.0,), rates=(0.002,))}
BAYES = {**SCORED, "estimator": GaussianNB(), "population_size": 4,
         "init": StaggeredInit(fractions=(1.0,), rates=(0.9,))}
OTHER = {**BAYES, "estimator": BernoulliNB()}  # not compiled
MANY = {**SCORED, **SMALL_SUBSETS, "population_size": 2000, "n_generations": 10}  # until archive and front have grown
CASES = {  # name: (what runs, the data)
    "wide": (fit(), lambda f: normals(60, int(120_000 * f))),
    "wide, float64": (fit(), lambda f: normals(60, int(80_000 * f), dtype=np.float64)),
    "tall": (fit(**SCORED), lambda f: normals(int(200_000 * f), 15, dtype=np.float64)),
    "tall, two threads": (fit(**SCORED, n_jobs=2), lambda f: normals(int(200_000 * f), 15)),
    "few values": (fit(), lambda f: of_few_values(int(20_000 * f), 600)),
    "many classes": (fit(**SMALL_SUBSETS), lambda f: normals(int(10_000 * f), 800, 1000 if f == 1 else 10)),
    "large population": (fit(**{**MANY, "survival": MOGA(n_elite=2, generation_gap=2)}),
                         lambda f: normals(20, int(40_000 * f))),
    "parents and children": (fit(**{**MANY, "survival": "nsga2"}), lambda f: normals(20, int(40_000 * f))),
    "islands": (fit(**{**MANY, "population_size": 700, "islands__n": 3, "islands__every": 1, "n_generations": 4}),
                lambda f: normals(20, int(40_000 * f))),
    "bands": (fit(**SCORED, **SMALL_SUBSETS, islands="sizes", max_features=12),
              lambda f: normals(int(30_000 * f), 15, dtype=np.float64)),
    "bands, wide": (fit(**SCORED, **SMALL_SUBSETS, islands="sizes", max_features=12),
                    lambda f: normals(500, int(20_000 * f), dtype=np.float64)),
    "bands, regression": (fit(estimator=DecisionTreeRegressor(max_depth=6), objectives=None, local_improvement=None,
                              islands="sizes", max_features=12), lambda f: target(int(12_000 * f), 30)),
    "folds": (fit(**SCORED, islands="sizes", honest=3), lambda f: normals(1000, int(5_000 * f), dtype=np.float64)),
    "folds, two threads": (fit(**SCORED, islands="sizes", honest=3, n_jobs=2),
                           lambda f: normals(1000, int(5_000 * f), dtype=np.float64)),
    "a checkpoint": (fit(**MANY, checkpoint="search.npz"), lambda f: normals(20, int(40_000 * f))),
    "regression": (fit(estimator=DecisionTreeRegressor(max_depth=6), objectives=None, local_improvement=None),
                   lambda f: target(int(3_000 * f), 1500)),
    "CSR": (fit(), lambda f: scattered(1000, int(10_000 * f), "csr")),
    "CSC": (fit(), lambda f: scattered(1000, int(10_000 * f), "csc")),
    "naive Bayes": (fit(**BAYES), lambda f: normals(int(8_000 * f), 600, dtype=np.float64)),
    "another classifier": (fit(**OTHER), lambda f: normals(int(8_000 * f), 600, dtype=np.float64)),
    "two workers": (fit(**OTHER, n_jobs=2), lambda f: normals(int(6_000 * f), 600, dtype=np.float64)),
    "feature prior": (fit(**{**BAYES, **SMALL_SUBSETS}, feature_prior="f_classif"),
                      lambda f: normals(int(20_000 * f), 600, dtype=np.float64)),
    "a subsample": (fit(**SCORED, **SMALL_SUBSETS, evaluation__subsample=0.5, evaluation__n_rescore_splits=0),
                    lambda f: normals(int(30_000 * f), 400)),
    "a subsample, scored again": (fit(**SCORED, **SMALL_SUBSETS, evaluation__subsample=0.3),
                                  lambda f: normals(int(20_000 * f), 400)),
    "tree": (tree(), lambda f: normals(int(20_000 * f), 300, dtype=np.float64)),
    "tree, two threads": (tree(n_jobs=2), lambda f: normals(int(20_000 * f), 300)),
    "tree, many classes": (tree(), lambda f: normals(int(20_000 * f), 20, 1000 if f == 1 else 10)),
    "regression tree": (tree(DecisionTreeRegressor), lambda f: target(int(15_000 * f), 300)),
    "forest": (tree(RandomForestClassifier), lambda f: normals(int(25_000 * f), 80, dtype=np.float64)),
    "extra-trees, two threads": (tree(ExtraTreesRegressor, n_jobs=2), lambda f: target(int(10_000 * f), 50)),
    "subsets": (subsets, lambda f: normals(2000, int(4_000 * f), dtype=np.float64)),
}
MILLIONS = {"population_size": 8, "evaluation__subsample": 20_000, "evaluation__n_splits": 3,
            "evaluation__n_rescore_splits": 2}
FEW_OF_MANY = {"init": StaggeredInit(rates=(1e-4, 1e-3, 1e-2)), "population_size": 16, "n_generations": 2,
               "evaluation__n_splits": 3, "evaluation__n_rescore_splits": 2}
LARGE = {
    "five million samples": (fit(**MILLIONS), lambda f: normals(int(5_000_000 * f), 50)),
    "five million samples, never all": (fit(**{**MILLIONS, "evaluation__n_rescore_splits": 0}),
                                        lambda f: normals(int(5_000_000 * f), 50)),
    "a million samples": (fit(**MILLIONS, **SMALL_SUBSETS), lambda f: normals(int(1_000_000 * f), 500)),
    "a million features": (fit(**FEW_OF_MANY), lambda f: normals(200, int(1_000_000 * f))),
    "a million features, CSR": (fit(**FEW_OF_MANY), lambda f: scattered(200, int(1_000_000 * f), "csr")),
}
"""Run with `MOELIGA_LIMITS=1`, or one by its name: `python tests/data/test_memory_estimate.py "a million features"`."""


def recorded(put):
    """Have nothing refused, and return the list to which the bytes of each estimate go, after a look at the data.

    Parameters
    ----------
    put : function (object, name, value), such as setattr
    """
    estimates = []

    def record(what, parts):
        if what != "the conversion of X to float64":
            estimates.append(sum((part.looked() if part.looked else part).n_bytes for part in parts))

    for module in (moeliga.search.build, moeliga.tree, moeliga.forest.ensemble, moeliga.functions):
        put(module, "require", record)
    return estimates


def resident(what):
    """A line of /proc/self/status in bytes: VmRSS, VmHWM or VmSize."""
    return memory.numbers("/proc/self/status")[what]


def family():
    """Proportional size of this process and its children, in bytes."""
    pids = [os.getpid()]
    for pid in pids:
        pids += map(int, (memory.read(f"/proc/{pid}/task/{pid}/children") or "").split())
    return sum(memory.numbers(f"/proc/{pid}/smaps_rollup").get("Pss", 0) for pid in pids)


def measure(name):
    """Print what a case took and what it was estimated to take, as JSON."""
    run, data = (CASES | LARGE)[name]
    estimates, seen, over = recorded(setattr), [], threading.Event()
    run(*data(0.05))
    get_reusable_executor(reuse=True).shutdown()
    Path("search.npz").unlink(missing_ok=True)
    estimates.clear()  # what follows is of the fit as a whole, and of the forest in it
    X, y = data(1)
    Path("/proc/self/clear_refs").write_text("5")  # the peak from here on

    def watch():
        while not over.wait(0.02):
            seen.append(family())

    watched = "workers" in name
    before = family() if watched else resident("VmRSS")
    if watched:
        threading.Thread(target=watch).start()
    begun = time.perf_counter()
    run(X, y)
    seconds = time.perf_counter() - begun
    over.set()
    peak = max(seen) if watched else resident("VmHWM")
    print(json.dumps({"measured": peak - before, "estimated": max(estimates), "seconds": round(seconds, 1)}))


def in_a_process(*arguments, folder, program=__file__):
    return subprocess.run([sys.executable, program, *arguments], env=environment(__file__), cwd=folder,
                          capture_output=True, text=True, timeout=600 if arguments and arguments[0] in CASES else 3600)


linux = pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="needs Linux's /proc to measure")


@pytest.mark.soak
@linux
@pytest.mark.parametrize("name", [*CASES, *(LARGE if os.environ.get("MOELIGA_LIMITS") else [])])
def test_the_estimate_bounds_what_is_measured(name, tmp_path):
    """Neither so low that what is let through fails, nor more than twice as high.

    One of three measurements must say so: where the system takes pages of libraries away before a fit and gives them
    back during it, a measurement is too large by as much; where one worker does the work of two, it is too small.
    """
    for _ in range(3):
        done = in_a_process(name, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout.splitlines()[-1])
        print(name, found)
        if found["measured"] <= found["estimated"] <= MOST * found["measured"]:
            break
    assert found["measured"] >= FLOOR, found
    assert 1 <= found["estimated"] / found["measured"] <= MOST, found


def promised(X, **parameters):
    """The estimate for a fit to data of the type and shape of X, whatever the values."""
    plan, problem = resolve(single_search(**parameters)), Problem(X, np.arange(X.shape[0]) % 2, False)
    names, subsample = np.array([f"x{f}" for f in range(X.shape[1])]), plan.evaluation.subsample
    space = build_space(X.shape[1], names, Constraints())
    parts = of_fit(plan, problem, space, plan.islands.n * [space], given_bits(plan, space, names),
                   n_seen=n_drawn(subsample, problem),
                   n_ranked=n_together(plan.feature_prior, X.shape[0], subsample is not None), n_trees=0, n_ahead=0,
                   is_coded=True, judges=[recognise(DecisionTreeClassifier(max_depth=100))], splits=None, answers=False)
    return sum(part.n_bytes for part in parts)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("row", "shape", "sparse"), [
    ("5,000,000 x 50", (5_000_000, 50), False), ("1,000,000 x 500", (1_000_000, 500), False),
    ("200 x 1,000,000", (200, 1_000_000), False), ("the same, sparse, 1 %", (200, 1_000_000), True)])
def test_the_guide_promises_what_the_estimate_says(row, shape, sparse):
    """The table of docs/big-data.md: the estimate for data of a type and shape, whatever the values."""
    path = Path(__file__).resolve().parents[2] / "docs" / "big-data.md"
    if not path.exists():
        pytest.skip("the guide is not here")
    X = np.broadcast_to(np.float32(0), shape)
    if sparse:
        ends = np.linspace(0, 2_000_000, shape[0] + 1).astype(np.int32)
        X = scipy.sparse.csr_array((np.zeros(ends[-1], dtype=np.float32), np.zeros(ends[-1], dtype=np.int32), ends),
                                   shape=shape)
    cells = [memory.size(8 * X.nnz if sparse else 4 * shape[0] * shape[1])]
    init = {"init": FEW_OF_MANY["init"]} if shape[1] == 1_000_000 else {}
    for parameters in ({}, {"evaluation__subsample": 20_000},
                       {"evaluation__subsample": 20_000, "evaluation__n_rescore_splits": 0}):
        cells.append(memory.size(promised(X, **init, **parameters)))
    assert f"| {row} | {' | '.join(cells)} |" in path.read_text(encoding="utf-8"), cells


# what is in a file


@pytest.fixture(scope="module", params=["C", "F"])
def mapped(request, tmp_path_factory):
    """Data row by row or column by column, in a file that is mapped into memory; and the labels."""
    X, y = normals(40_000, 100)
    path = tmp_path_factory.mktemp("mapped") / "X.npy"
    np.save(path, np.asarray(X, order=request.param))
    return np.load(path, mmap_mode="r"), y


@pytest.mark.quick(2, rest="soak")
@pytest.mark.parametrize("parameters", [
    {}, {"checkpoint": "search.npz"}, {"evaluation__subsample": 2000},
    {"evaluation__subsample": 2000, "evaluation__n_rescore_splits": 0, "checkpoint": "search.npz"},
    {"estimator": GaussianNB(), "evaluation__subsample": 2000, "evaluation__n_rescore_splits": 0}], ids=str)
def test_a_mapped_file_of_float32_is_never_copied_as_a_whole(monkeypatch, tmp_path, mapped, parameters):
    """Neither in float64 nor at all: what NumPy holds is what the estimate says, and the result that of an array."""
    monkeypatch.chdir(tmp_path)
    (X, y), estimates = mapped, recorded(monkeypatch.setattr)
    setting = {**SCORED, "init": StaggeredInit(fractions=(1.0,), rates=(0.02,)), "population_size": 6, **parameters}
    search(**{**setting, "checkpoint": None}).fit(X[:500], y[:500])
    tracemalloc.start()
    try:
        found = search(**setting).fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= estimates[-1] + (6 << 20)  # a block of X where it is hashed, and what Python takes
    if setting.get("evaluation__n_rescore_splits") == 0:
        assert peak < X.nbytes // 2
    setting.pop("checkpoint", None)
    assert found.pareto_front_.objectives.tobytes() == search(**setting).fit(
        np.array(X), y).pareto_front_.objectives.tobytes()


# the refusal


class Never:
    """What must not be called."""

    def __call__(self, *arguments):
        raise AssertionError("the search has begun")


def little(monkeypatch, n_bytes):
    """So much is free, and everything is compared with it."""
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setattr(memory, "limits", lambda: [Limit("plenty", 1 << 50), Limit("the test", n_bytes)])


def test_a_fit_without_memory_is_refused_before_it_begins(monkeypatch, tmp_path):
    """The error says what is needed for what, what is free, and what would be less; nothing was begun."""
    little(monkeypatch, 1 << 20)
    monkeypatch.setattr("moeliga.data.dataset.Dataset.encode", Never())
    X, y = normals(60, 5000, dtype=np.float64)
    selector = search(checkpoint=tmp_path / "search.npz", callbacks=Never(), n_jobs=2)
    pattern = (r"fit needs about \d+ MiB of memory besides X, and 1 MiB are free \(the test\): \d+ MiB for the work "
               r"of 2 threads on .*, \d+ MiB for the coded data \(60 samples x 5,000 features\), .* It would be less "
               r"with n_jobs=1, .*; X as float32, fewer features or samples, or a subsample .*")
    with pytest.raises(MemoryError) as caught:
        selector.fit(X, y)
    assert re.fullmatch(pattern, str(caught.value)), caught.value
    assert not hasattr(selector, "pareto_front_")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.quick(4)
@pytest.mark.parametrize("parameters", [
    {"estimator": GaussianNB(), "objectives": ("uar", "cardinality")},
    {"estimator": GaussianNB()},
    {"objectives": (lambda mask, X, y: 0.0,)},
    {"archive": False, "evaluation__n_rescore_splits": 0},
    {"local_improvement": LocalImprovement(population_size=6, n_generations=1, every=1, replacement="complete")},
    {"estimator": DecisionTreeRegressor(), "objectives": None},
    {"constraints__groups": np.arange(200) // 10, "constraints__must_include": [3], "init": StaggeredInit(spread=0.5)},
    {"init__subsets": [range(199)]},
    {"islands__n": 2, "survival": MOGA(n_elite=2, generation_gap=2)},
    {"feature_prior": "f_classif"}, {"evaluation__subsample": 30},
    {"evaluation__subsample": 0.5, "evaluation__n_rescore_splits": 0},
    {"estimator": GaussianNB(), "evaluation__subsample": 0.5, "evaluation__n_rescore_splits": 0},
], ids=named)
def test_every_kind_of_fit_is_estimated(monkeypatch, parameters):
    """One byte is too little for any; with more than was asked for it runs."""
    X, y = normals(60, 200)
    selector = search(**{"population_size": 20, **parameters})
    little(monkeypatch, 1)
    with pytest.raises(MemoryError, match="fit needs about .* of memory besides X"):
        selector.fit(X, y)
    little(monkeypatch, 1 << 30)
    selector.fit(X, y)


def test_features_beyond_all_memory_are_refused_before_they_are_named(monkeypatch):
    """A sparse X of a few values takes none itself; nothing of so many entries is made."""
    n, size = 40, 2_000_000
    little(monkeypatch, 64 << 20)
    X = scipy.sparse.csr_array((np.ones(3), ([0, 1, 2], [0, 1, 2])), shape=(n, size))
    tracemalloc.start()
    try:
        with pytest.raises(MemoryError, match="fit needs about 381 MiB of memory .* for names and numbers"):
            search().fit(X, np.arange(n) % 2)
        assert tracemalloc.get_traced_memory()[1] < 8 * size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("door", [
    lambda X, y: DecisionTreeClassifier().fit(X, y), lambda X, y: DecisionTreeRegressor(n_jobs=2).fit(X, y),
    lambda X, y: evaluate_subsets(X, y, np.ones((3, 200), dtype=bool)),
    lambda X, y: evaluate_subsets(X, y, np.ones((3, 200), dtype=bool), estimator=DecisionTreeRegressor()),
    lambda X, y: moeliga.separability(X, y), lambda X, y: moeliga.separability(X, y, neighbours=0.1)])
def test_the_other_doors_are_guarded_too(monkeypatch, door):
    """Trees, subsets, separability."""
    little(monkeypatch, 1000)
    with pytest.raises(MemoryError, match=r"needs about .* of memory besides X, and 0 MiB are free \(the test\)"):
        door(*normals(60, 200))


def test_the_splits_of_given_subsets_are_counted(monkeypatch):
    """So many folds have a mark for each sample and split, and as many numbers of rows."""
    estimates = recorded(monkeypatch.setattr)
    X, y = normals(3000, 4)
    for cv in (2, KFold(1500)):
        evaluate_subsets(X, y, np.eye(4, dtype=bool)[:1], objectives=("uar",), cv=cv)
    few, many = estimates
    assert many - few >= 1498 * 3000 * (1 + 2 * 8)


def test_a_copy_of_x_is_counted_before_it_is_made(monkeypatch):
    """Whole numbers, tables and other orders of bytes become float64; arrays of floats are read in place."""
    little(monkeypatch, 1000)
    pandas = pytest.importorskip("pandas")
    X, y = normals(60, 20, dtype=np.float64)
    for other, n_bytes in ((X.astype(np.int8), 9600), (X.astype(">f8"), 9600), (X.astype(np.float16), 9600),
                           (pandas.DataFrame(X), 9600), (pandas.DataFrame(X.astype(np.float32)), 4800),
                           (X, 0), (X.astype(np.float32), 0), (scipy.sparse.csr_array(X), 0), (X.tolist(), 0), (3, 0)):
        assert sum(part.n_bytes for part in of_copy(other)) == n_bytes
    with pytest.raises(MemoryError, match="the conversion of X to float64 needs about .* for a copy of X"):
        search().fit(X.astype(np.int8), y)


def test_a_look_at_the_values_saves_a_fit_from_refusal(monkeypatch):
    """Few distinct values take less than any: that is found out where it matters, and nowhere else."""
    X, y = of_few_values(2000, 300)
    parts = of_tree(X, 2, 1)
    blind = sum(part.n_bytes for part in parts)
    seen = sum((part.looked() if part.looked else part).n_bytes for part in parts)
    assert seen < 0.8 * blind
    little(monkeypatch, seen)
    memory.require("fit", parts)
    little(monkeypatch, seen - 1)
    with pytest.raises(MemoryError):
        memory.require("fit", parts)
    little(monkeypatch, blind)
    monkeypatch.setattr("moeliga.data.memory_estimate.distinct", Never())
    DecisionTreeClassifier().fit(X, y)


def test_nothing_is_asked_of_the_system_for_what_is_small(monkeypatch):
    """Below 64 MiB, whatever is free."""
    monkeypatch.setattr(memory, "limits", Never())
    memory.require("fit", [Part("a", 1 << 25), Part("b", (1 << 25) - 1)])
    with pytest.raises(AssertionError):
        memory.require("fit", [Part("a", 1 << 25), Part("b", 1 << 25)])


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, scipy.sparse.csr_array, scipy.sparse.csc_array])
def test_a_look_counts_distinct_values(form):
    """Of every column, if they are few."""
    X = np.tile(np.arange(60.0)[:, None], (1, 30))
    X[:, 10:] = X[:, 10:] // 10
    assert distinct(form(X)) == (10 * 60 + 20 * 6) / 30


@pytest.mark.soak
@linux
def test_a_fit_just_below_the_limit_goes_through_and_just_above_is_refused(tmp_path):
    """The limit is a real one, of address space; nothing is compared but what the system says."""
    path = tmp_path / "program.py"
    path.write_text("""
import resource
import numpy as np
from moeliga.base import memory
from test_memory_estimate import normals, recorded, resident, search
import moeliga.search.build as build

require = build.require
estimates = recorded(setattr)
X, y = normals(60, 60_000)
search().fit(X[:, :100], y)
search().fit(X, y)
build.require = require
for more in (-(1 << 20), 1 << 20):
    resource.setrlimit(resource.RLIMIT_AS, (resident("VmSize") + estimates[-1] + more, resource.RLIM_INFINITY))
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


if __name__ == "__main__":
    measure(sys.argv[1])
