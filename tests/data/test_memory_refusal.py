"""The refusal of what needs more memory than is free, before it begins."""

import re
import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import moeliga
import moeliga.search.build
from case_names import named
from measured_memory import in_a_process, linux, normals, of_few_values, recorded, search
from moeliga import (
    MOGA,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    LocalImprovement,
    StaggeredInit,
    evaluate_subsets,
)
from moeliga.base import memory
from moeliga.base.memory import Limit, Part
from moeliga.data.core_memory import distinct
from moeliga.data.memory_estimate import copy_parts, tree_parts


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
    with pytest.raises(MemoryError, match=r"^fit needs about \d+ MiB of memory besides X, and 1 MiB are free "
                                          r"\(the test\): ") as caught:
        selector.fit(X, y)
    for part in (r"\d+ MiB for the work of (1 thread|2 threads) on ",  # OMP_NUM_THREADS may allow one alone
                 r"\d+ MiB for the coded data \(60 samples x 5,000 features\)",
                 r" It would be less with (.*; )?X as float32, fewer features or samples, or a subsample "):
        assert re.search(part, str(caught.value)), caught.value
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
        assert sum(part.n_bytes for part in copy_parts(other)) == n_bytes
    with pytest.raises(MemoryError, match="the conversion of X to float64 needs about .* for a copy of X"):
        search().fit(X.astype(np.int8), y)


def test_a_look_at_the_values_saves_a_fit_from_refusal(monkeypatch):
    """Few distinct values take less than any: that is found out where it matters, and nowhere else."""
    X, y = of_few_values(2000, 300)
    parts = tree_parts(X, 2, 1)
    blind = sum(part.n_bytes for part in parts)
    seen = sum((part.measured() if part.measured else part).n_bytes for part in parts)
    assert seen < 0.8 * blind
    little(monkeypatch, seen)
    memory.require("fit", parts)
    little(monkeypatch, seen - 1)
    with pytest.raises(MemoryError):
        memory.require("fit", parts)
    little(monkeypatch, blind)
    monkeypatch.setattr("moeliga.data.core_memory.distinct", Never())
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
from measured_memory import normals, recorded, resident, search
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
