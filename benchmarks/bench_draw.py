"""Random numbers, splits and instances."""

import numpy as np

from moeliga._ext import draw

SEED = np.array([1, 2], dtype=np.uint64)
ADDRESS = (6, 0, 0, 0, 0)


class Draw:
    """The draws of one evaluation of n samples in ten classes, and n plain numbers."""

    params = ((200, 5000),)
    param_names = ("n",)
    quick = ((5000,),)

    def setup(self, n):
        self.class_start = np.linspace(0, n, 11).astype(np.int32)
        self.n_validation = (np.diff(self.class_start) * 3 // 10).astype(np.int32)

    def time_words(self, n):
        draw.words(SEED, ADDRESS, n)

    def time_units(self, n):
        draw.units(SEED, ADDRESS, n)

    def time_integers(self, n):
        draw.integers(SEED, ADDRESS, 1000, n)

    def time_split(self, n):
        draw.split(SEED, ADDRESS, self.class_start, self.n_validation)

    def time_instances(self, n):
        draw.instances(SEED, ADDRESS, n, 3 * n // 10, True)
