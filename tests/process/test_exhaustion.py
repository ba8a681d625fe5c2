"""Memory that ends in the middle of the compiled core, and more threads than processors."""

import sys

import pytest
from programs import run_program

from tiers import PERCENT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs a limit that bites")]

STEPS = max(10, 30 * PERCENT // 100)
"""Limits of each kind of work, of which each program has every second: 10, 30 where `MOELIGA_FUZZ` is full, 1,200 where
it is long."""

PROGRAM = """
import os, resource, signal, sys
import numpy as np
from numpy.random import default_rng
from programs import digest, found_by, tell
import moeliga
from moeliga.data import memory_estimate
from moeliga.forest import ensemble
from moeliga.search import build
from single_search import single_search
import moeliga.functions, moeliga.tree

def nothing(*rest, **options):
    pass

CHECKED, N_JOBS = {checked}, {n_jobs}
X, y = default_rng(0).normal(size=(1500, 150)), np.arange(1500) % 3
X[:, ::9] += y[:, None]

def search():
    selector = single_search(population_size=20, n_generations=2, evaluation__n_rescore_splits=2, random_state=0,
                             n_jobs=N_JOBS)
    return found_by(selector.fit(X, y))

def forest():
    model = moeliga.RandomForestClassifier(n_estimators=20, random_state=0, n_jobs=N_JOBS).fit(X, y)
    return digest(model.predict_proba(X))

def tree():
    return digest(moeliga.DecisionTreeClassifier(n_jobs=N_JOBS).fit(X, y).predict(X))

def subsets():
    masks = default_rng(1).random((30, 150)) < 0.3
    return digest(moeliga.evaluate_subsets(X, y, masks, random_state=0, n_jobs=N_JOBS))

def size():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()

def within(more, work):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        said = b"crashed"
        try:
            if not CHECKED:
                for module in (memory_estimate, build, ensemble, moeliga.functions, moeliga.tree):
                    if hasattr(module, "require"):
                        module.require = nothing
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if more is not None:
                resource.setrlimit(resource.RLIMIT_AS, (size() + more,) * 2)
            try:
                said = work().encode()
            except MemoryError as error:
                said = b"MemoryError"
            except BaseException as error:
                said = f"{{type(error).__name__}}: {{error}}"[:200].encode()
        finally:
            os.write(write, said)
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    return said if status == 0 else f"status {{status}}"

if __name__ == "__main__":
    for work in (search, forest, tree, subsets):
        ref = within(None, work)
        said = [within(int(more), work) for more in np.geomspace(2**16, 2**27, {steps})[{first}::2]]
        tell(work=work.__name__, ref=ref, said=said)
"""


@pytest.mark.parametrize("n_jobs", [1, 8])
@pytest.mark.parametrize("checked", [True, False])
def test_memory_that_ends_is_a_memory_error(checked, n_jobs):
    """Whatever is left of it, also where nobody has asked before: or the result, with the bits of any other limit."""
    program = PROGRAM.format(checked=checked, n_jobs=n_jobs, steps=STEPS, first=int(checked == (n_jobs == 1)))
    for run in run_program(program, MALLOC_MMAP_THRESHOLD_="65536", MALLOC_ARENA_MAX="1"):
        assert set(run["said"]) <= {"MemoryError", run["ref"]}, run
        assert run["said"][0] == "MemoryError" and run["said"][-1] in (run["ref"], "MemoryError"), run
