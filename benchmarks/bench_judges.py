"""Compiled judges: the score of a population of subsets, against scikit-learn's classes in joblib's workers."""

import warnings

import numpy as np
import rivals
from bench_dataset import DATA, load
from bench_evaluate import N_SPLITS, N_SUBSETS
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from moeliga import evaluate_subsets
from moeliga._ext import bits, draw, vary
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.base.threads import one_thread
from moeliga.data.dataset import Samples
from moeliga.parameters.initialisation import LogUniformInit

JUDGES = {"bayes": GaussianNB(), "neighbours": KNeighborsClassifier()}

ALONE = {
    **JUDGES,
    "ridge": RidgeClassifier(),
    "discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "svm": make_pipeline(StandardScaler(), LinearSVC(random_state=0)),
    "ridge-weighted": RidgeClassifier(class_weight={0: 3, 1: 2}),
    "tree-weighted": DecisionTreeClassifier(class_weight={0: 3, 1: 2}, random_state=0),
    "out-of-bag": RandomForestClassifier(30, random_state=0),
}
"""Judges of one thread; the last is scored out of bag."""

SAME = ("bayes", "ridge", "discriminant", "ridge-weighted")
"""Judges whose predictions are scikit-learn's, but for rounding."""

STEP = {"isolet": 9, "madelon": 3, "mfeat": 3, "optdigits": 3}
"""Both sides get every so-many-th of the 90 subsets, which stand by size, where the rival would take minutes."""


class Judge:
    """`evaluate_subsets` with everything that it does, against a loop over subsets; two threads, two workers."""

    params = (tuple(JUDGES), DATA)
    param_names = ("judge", "data")
    quick = (("bayes", "wine"), ("neighbours", "breast_cancer"))
    unit = "subset"
    clock = "wall"

    more = 1  # every so-many-th of these
    shared = False  # all subsets have the same splits, as in a generation of a search

    def setup(self, judge, data):
        X, self.y = load(data)
        self.X = X.astype(np.float64)  # what scikit-learn computes in, if X is
        counts = np.sort(LogUniformInit().counts(N_SUBSETS, X.shape[1], seed_words(0)))
        masks = bits.unpack(vary.create(seed_words(0), (Purpose.INITIALISE, 0, 0), counts, X.shape[1]), X.shape[1])
        self.masks = masks[:: self.every(data)].astype(bool)
        self.count = len(self.masks)
        samples = Samples.sort(X.shape[1], self.y, int(self.y.max()) + 1)
        self.splits = []
        for p in range(self.count):
            marks = [draw.split(seed_words(0), (Purpose.PUBLIC, 0, 0, 0 if self.shared else p, t),
                                samples.class_start, samples.n_validation(0.3)) for t in range(N_SPLITS)]
            self.splits.append([(np.sort(samples.rows[mark == 0]), np.sort(samples.rows[mark == 1])) for mark in marks])
        self.start(judge)

    def every(self, data):
        """Every so-many-th subset that both sides get."""
        return self.more * STEP.get(data, 1)

    def start(self, judge):
        """Start joblib's workers."""
        rivals.judge_subsets(JUDGES[judge], self.X[:50], self.y[:50] % 2, self.masks[:2],
                             [[(np.arange(40), np.arange(40, 50))]] * 2, 2)

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


class JudgeAlone(Judge):
    """The same in one thread, by processor time, against a plain loop: each compiled judge, weights, out of bag."""

    params = (tuple(ALONE), DATA)
    quick = tuple((judge, data) for judge, data in (
        ("bayes", "breast_cancer"), ("neighbours", "wine"), ("ridge", "breast_cancer"), ("ridge", "digits"),
        ("discriminant", "breast_cancer"), ("logistic", "wine"), ("logistic", "breast_cancer"), ("svm", "wine"),
        ("ridge-weighted", "breast_cancer"), ("tree-weighted", "breast_cancer"), ("out-of-bag", "wine")))
    clock = "cpu"
    more = 9

    def start(self, judge):
        pass

    def time_moeliga(self, judge, data):
        cv = "oob" if judge == "out-of-bag" else None
        return evaluate_subsets(self.X, self.y, self.masks, n_splits=N_SPLITS, objectives=("uar",),
                                estimator=ALONE[judge], cv=cv, shared=self.shared, random_state=0, n_jobs=1)[:, 0]

    def time_rival(self, judge, data):
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            if judge == "out-of-bag":
                return rivals.bagged_subsets(ALONE[judge], self.X, self.y, self.masks)
            return rivals.judge_subsets(ALONE[judge], self.X, self.y, self.masks, self.splits, 1)

    def agreement(self, judge, data):
        """Equal where scikit-learn's answers have one value: others draw, break ties or stop before the optimum."""
        ours, theirs = self.time_moeliga(judge, data), self.time_rival(judge, data)
        if judge in SAME:
            return rivals.check_close("UAR", ours, theirs, 1e-12)
        return rivals.check_mean("UAR", ours, theirs) + f", {np.mean(np.abs(ours - theirs) < 1e-12):.0%} identical"
