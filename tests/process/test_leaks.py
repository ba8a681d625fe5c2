"""A thousand fits of every kind leave nothing behind: the resident size, open files and threads stay as they are."""

import ctypes
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.naive_bayes import BernoulliNB

from interpreters import environment
from moeliga import DecisionTreeClassifier, DecisionTreeRegressor, LocalImprovement, evaluate_subsets
from moeliga.data.dataset import Dataset
from single_search import single_search

N_FITS = int(os.environ.get("MOELIGA_LEAK_FITS", "1000"))
"""Fits of the long run; the first fifth of them is not measured."""

N_SAMPLES, N_FEATURES = 45, 1000
SMALL = {"population_size": 10, "n_generations": 2, "evaluation__n_splits": 1,
         "evaluation__n_rescore_splits": 2, "max_features": 400,
         "local_improvement": LocalImprovement(n_populations=1, population_size=6, n_generations=1, every=2)}


class Failure(Exception):
    """What a callback or an objective of the user may raise."""


def fail(*_):
    raise Failure


def interrupt(_):
    """Ctrl-C after the first generation."""
    signal.raise_signal(signal.SIGINT)


class Kinds:
    """Fits of every kind on data of one shape; each returns what a caller would be left with."""

    def __init__(self, folder):
        rng = np.random.default_rng(0)
        self.y = np.arange(N_SAMPLES) % 3
        self.X = rng.normal(size=(N_SAMPLES, N_FEATURES))
        self.X[:, ::9] += self.y[:, None]
        self.missing = np.where(rng.random(self.X.shape) < 0.1, np.nan, self.X)
        self.infinite = self.X.copy()
        self.infinite[3, -1] = np.inf
        self.sparse = csr_array(np.where(rng.random(self.X.shape) < 0.2, self.X, 0.0))
        self.path = Path(folder, "search.npz")

    def fit(self, X, seed, **parameters):
        return single_search(**{**SMALL, **parameters}, random_state=seed).fit(X, self.y)

    def classification(self, seed):
        return self.fit(self.X, seed)

    def missing_values(self, seed):
        return self.fit(self.missing.astype(np.float32), seed)

    def regression(self, seed):
        return single_search(DecisionTreeRegressor(), **SMALL, random_state=seed).fit(self.X, self.X[:, 0])

    def sparse_table(self, seed):
        return self.fit(self.sparse, seed)

    def threads(self, seed):
        return self.fit(self.X, seed, evaluation__n_splits=4, n_jobs=2)

    def wrapper(self, seed):
        return self.fit(self.X, seed, estimator=BernoulliNB(), local_improvement=None, n_generations=1)

    def checkpoint(self, seed):
        """Saved, then taken up again where it ended."""
        self.path.unlink(missing_ok=True)
        self.fit(self.X, seed, checkpoint=self.path, n_generations=1)
        return self.fit(self.X, seed, checkpoint=self.path)

    def interrupted(self, seed):
        selector = self.fit(self.X, seed, callbacks=interrupt)
        assert selector.stop_reason_ == "interrupt"
        return selector

    def failed_callback(self, seed):
        with suppress(Failure):
            self.fit(self.X, seed, callbacks=fail)

    def failed_objective(self, seed):
        with suppress(Failure):
            self.fit(self.X, seed, objectives=("uar", "separability", fail))

    def refused(self, seed):
        """By scikit-learn's checks, and by the compiled core's."""
        for encode in (partial(self.fit, seed=seed), partial(Dataset.encode, y=self.y, n_classes=3)):
            with pytest.raises(ValueError, match="infinit"):
                encode(self.infinite)

    def subsets(self, seed):
        masks = np.random.default_rng(seed).random((20, N_FEATURES)) < 0.1
        return evaluate_subsets(self.X, self.y, masks, random_state=seed)

    def tree(self, seed):
        return DecisionTreeClassifier().fit(self.X, self.y).predict_proba(self.X)

    def all(self):
        return [getattr(self, name) for name in vars(Kinds) if not name.startswith("_") and name not in ("fit", "all")]


def resources():
    """What this process holds: [bytes of memory, open files, threads]. Free memory inside the heap is given back
    before, where the C library can: leaks would fill it first, and go unseen."""
    gc.collect()
    getattr(ctypes.CDLL(None), "malloc_trim", lambda _: None)(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return [pages * os.sysconf("SC_PAGE_SIZE"), *(len(os.listdir(f"/proc/self/{name}")) for name in ("fd", "task"))]


def size(thing):
    """Bytes of the arrays of an object."""
    return sum(array.nbytes for array in vars(thing).values() if isinstance(array, np.ndarray))


def measure(n_fits):
    """Fit in turns; returns what was held after the first fifth, at the end, and after as many leaks of a front as each
    kind had fits in between, then that number, and the sizes of a front and of a data set."""
    with tempfile.TemporaryDirectory() as folder:
        kinds = Kinds(folder)
        fits, kept, held = kinds.all(), [], []
        n_rounds = n_fits // len(fits)
        for i in range(n_rounds):
            if i == n_rounds // 5:
                held.append(resources())
            for fit in fits:
                fit(i)
        held.append(resources())
        n_measured = n_rounds - n_rounds // 5
        for i in range(n_measured):
            kept.append(kinds.classification(i).pareto_front_)
        held.append(resources())
        dataset = Dataset.encode(kinds.X, kinds.y, 3)
        print(json.dumps([*held, n_measured, min(map(size, kept)), size(dataset)]))


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident sizes are read from /proc")
def test_a_thousand_fits_leave_nothing_behind():
    """Less than half of what would be left if one kind of fit leaked its front, which is its smallest result; and
    fronts that are kept are seen."""
    program = f"import test_leaks; test_leaks.measure({N_FITS})"
    done = subprocess.run([sys.executable, "-c", program], env=environment(__file__), capture_output=True,
                          text=True, timeout=600 + N_FITS)
    assert done.returncode == 0, done.stderr
    warm, clean, leaky, n_measured, front, dataset = json.loads(done.stdout)
    assert front < dataset
    bound = n_measured * front // 2
    assert clean[0] - warm[0] < bound < leaky[0] - clean[0]
    assert warm[1:] == clean[1:]
