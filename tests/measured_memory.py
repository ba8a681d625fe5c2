"""What fits and evaluations take of memory, measured in a process of its own, which is this file as a program.

Everything is imported and warmed up on small data, then the growth of the resident size to its peak is measured.
Without arguments the program measures the cases that it is asked for, each in a fork of itself.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from joblib.externals.loky import get_reusable_executor
from sklearn.naive_bayes import BernoulliNB, GaussianNB

import moeliga
import moeliga.search.build
from interpreters import environment
from moeliga import (
    MOGA,
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
from single_search import single_search


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
"""Run with `MOELIGA_LIMITS=1`, or one by its name: `python tests/measured_memory.py "a million features"`."""


def recorded(put):
    """Have nothing refused, and return the list to which the bytes of each estimate go, after a look at the data.

    Parameters
    ----------
    put : function (object, name, value), such as setattr
    """
    estimates = []

    def record(what, parts):
        if what != "the conversion of X to float64":
            estimates.append(sum((part.measured() if part.measured else part).n_bytes for part in parts))

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


def answer():
    """Measure, in a fork each, the cases that standard input names: [name, folder] in each line."""
    for line in sys.stdin:
        name, folder = json.loads(line)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                signal.alarm(600 if name in CASES else 3600)
                os.chdir(folder)
                measure(name)
                sys.stdout.flush()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        print(json.dumps({"status": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}), flush=True)


def in_a_fork(process, name, folder):
    """Have a process that runs `answer` measure a case: what `measure` prints."""
    process.stdin.write(json.dumps([name, str(folder)]) + "\n")
    process.stdin.flush()
    found = {}
    while "status" not in found:
        found |= json.loads(process.stdout.readline())
    assert found.pop("status") == 0, name
    return found


def in_a_process(*arguments, folder, program=__file__):
    return subprocess.run([sys.executable, program, *arguments], env=environment(__file__), cwd=folder,
                          capture_output=True, text=True, timeout=600 if arguments and arguments[0] in CASES else 3600)


linux = pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="needs Linux's /proc to measure")


if __name__ == "__main__":
    measure(sys.argv[1]) if sys.argv[1:] else answer()
