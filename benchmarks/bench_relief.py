"""Objective III: distances to the nearest hit and miss."""

import numpy as np
import rivals
from sklearn.datasets import make_classification

from moeliga._ext import relief
from moeliga.data.dataset import Dataset


class Relief:
    """Separability of all k features of n samples in two classes, for 0.3 n instances drawn with replacement."""

    params = ((2000, 5000), (22, 200))
    param_names = ("n", "k")
    quick = ((2000, 22),)
    unit = "call"

    def setup(self, n, k):
        X, y = make_classification(n, k, n_informative=min(k, 20), random_state=0)
        self.dataset = Dataset.encode(X, y, 2)
        self.selected = np.arange(k, dtype=np.int32)
        self.instances = np.random.default_rng(0).integers(n, size=3 * n // 10).astype(np.int32)
        self.X = rivals.scale(X[self.dataset.rows])
        self.y = y[self.dataset.rows]

    def time_moeliga(self, n, k):
        dataset = self.dataset
        return relief.separability(dataset.values, dataset.hits_from, dataset.hits_to, self.selected, self.instances)

    def time_rival(self, n, k):
        return rivals.separability(self.X, self.y, self.instances)

    def agreement(self, n, k):
        return rivals.check_close("separability", self.time_moeliga(n, k), self.time_rival(n, k), 1e-5)
