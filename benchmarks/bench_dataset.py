"""The data sets of the benchmarks, and the time to code them."""

from functools import lru_cache

import numpy as np
from paper import datasets
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification

from moeliga.data.dataset import Dataset

PAPER = ("madelon", "arrhythmia", "dermatology", "movement_libras", "optdigits", "leukemia", "mfeat", "isolet")
BUNDLED = {"breast_cancer": load_breast_cancer, "digits": load_digits, "wine": load_wine}
"""Data sets that every installation of scikit-learn has."""

MADE = "made"
"""A data set made on the spot: 1000 samples, 200 features, 4 classes."""


def at_hand():
    """Names of the data sets in the local folder."""
    try:
        return set(datasets.names())
    except SystemExit:  # no folder
        return set()


HERE = at_hand()
DATA = tuple(name for name in PAPER if name in HERE) or (*BUNDLED, MADE)
"""The paper's data sets that are at hand; the bundled ones where there are none."""

KNOWN = frozenset((*BUNDLED, MADE, *HERE))
"""All that `load` has."""


@lru_cache(maxsize=2)
def load(name):
    """X (float32, C-contiguous, read-only) and y (labels 0, 1, ...) of a data set.

    X is float32 from the start, so that moeliga and scikit-learn's tree, which knows nothing else, see the same values.
    """
    if name == MADE:
        X, y = make_classification(1000, 200, n_informative=20, n_redundant=20, n_classes=4, random_state=0)
    elif name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
    elif name in HERE:
        X, y, _, _ = datasets.load(name)
    else:
        raise NotImplementedError(f"the data set {name!r} is not at hand; see MOELIGA_DATA")
    X = np.ascontiguousarray(X, dtype=np.float32)
    X.flags.writeable = False
    return X, np.unique(y, return_inverse=True)[1]


@lru_cache(maxsize=1)
def normals(n_samples, n_features, n_classes=2, n_informative=5):
    """Normal X (float32), and y that tells `n_classes` equal parts of a noisy sum of the first features apart."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    total = X[:, :n_informative].sum(axis=1) + rng.standard_normal(n_samples)
    y = np.argsort(np.argsort(total)) * n_classes // n_samples
    X.flags.writeable = False
    return X, y


@lru_cache(maxsize=1)
def target(n_samples, n_features, n_informative=5):
    """Normal X (float32), and a noisy sum of its first features."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    y = X[:, :n_informative].sum(axis=1, dtype=np.float64) + rng.standard_normal(n_samples)
    X.flags.writeable = False
    return X, y


class Encode:
    """`Dataset.encode`: once for each search."""

    params = (DATA,)
    param_names = ("data",)
    quick = (("digits",), ("made",))

    def setup(self, data):
        self.X, self.y = load(data)

    def time_encode(self, data):
        Dataset.encode(self.X, self.y, int(self.y.max()) + 1)
