"""How a selector enters the board.

  python benchmarks/board/run.py largest-variance --enter benchmarks/board/example.py --sets sonar --splits 3
"""

import numpy as np
from board.entries import Entry


class LargestVariance:
    def __init__(self, model, random_state, n_features=None):
        self.n_features = n_features

    def fit(self, X, y):
        self.order = np.argsort(-X.var(axis=0), kind="stable")
        return self

    def get_support(self):
        return np.isin(np.arange(len(self.order)), self.order[:self.n_features or len(self.order) // 2])


ENTRIES = {"largest-variance": Entry(LargestVariance)}
