"""Compiled judges: the score of a population of subsets, against scikit-learn's classes in joblib's workers."""

import numpy as np
import rivals
from bench_dataset import DATA, load
from bench_evaluate import N_SPLITS, N_SUBSETS
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from moeliga import evaluate_subsets
from moeliga._ext import bits, draw, vary
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Samples
from moeliga.parameters.initialisation import LogUniformInit

JUDGES = {"bayes": GaussianNB(), "neighbours": KNeighborsClassifier()}

STEP = {"isolet": 9, "madelon": 3, "mfeat": 3, "optdigits": 3}
"""Both sides get every so-many-th of the 90 subsets, which stand by size, where the rival would take minutes."""


class Judge:
    """`evaluate_subsets` with everything that it does, against a loop over subsets; two threads, two workers."""

    params = (tuple(JUDGES), DATA)
    param_names = ("judge", "data")
    quick = (("bayes", "wine"), ("neighbours", "breast_cancer"))
    unit = "subset"
    clock = "wall"

    def setup(self, judge, data):
        X, self.y = load(data)
        self.X = X.astype(np.float64)  # what scikit-learn computes in, if X is
        counts = np.sort(LogUniformInit().counts(N_SUBSETS, X.shape[1], seed_words(0)))
        masks = bits.unpack(vary.create(seed_words(0), (Purpose.INITIALISE, 0, 0), counts, X.shape[1]), X.shape[1])
        self.masks = masks[:: STEP.get(data, 1)].astype(bool)
        self.count = len(self.masks)
        samples = Samples.sort(X.shape[1], self.y, int(self.y.max()) + 1)
        self.splits = []
        for p in range(self.count):
            marks = [draw.split(seed_words(0), (Purpose.PUBLIC, 0, 0, p, t), samples.class_start,
                                samples.n_validation(0.3)) for t in range(N_SPLITS)]
            self.splits.append([(np.sort(samples.rows[mark == 0]), np.sort(samples.rows[mark == 1])) for mark in marks])
        rivals.judge_subsets(JUDGES[judge], self.X[:50], self.y[:50] % 2, self.masks[:2],
                             [[(np.arange(40), np.arange(40, 50))]] * 2, 2)  # starts the workers

    def time_moeliga(self, judge, data):
        return evaluate_subsets(self.X, self.y, self.masks, n_splits=N_SPLITS, objectives=("uar",),
                                estimator=JUDGES[judge], random_state=0, n_jobs=2)[:, 0]

    def time_rival(self, judge, data):
        return rivals.judge_subsets(JUDGES[judge], self.X, self.y, self.masks, self.splits, 2)

    def agreement(self, judge, data):
        """Equal for naive Bayes; neighbours may differ where rows are equally far."""
        ours, theirs = self.time_moeliga(judge, data), self.time_rival(judge, data)
        if judge == "bayes":
            return rivals.check_close("UAR", ours, theirs, 1e-12)
        return rivals.check_mean("UAR", ours, theirs) + f", {np.mean(np.abs(ours - theirs) < 1e-12):.0%} identical"
