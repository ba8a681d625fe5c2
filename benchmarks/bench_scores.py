"""Scores other than UAR, and splits of the user's own, in the compiled core."""

import time

import numpy as np
import rivals
from bench_dataset import DATA, load
from bench_evaluate import STEP, staggered
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold

from moeliga import DecisionTreeClassifier, MOELIGASelector
from moeliga._ext import bits as bits_room
from moeliga._ext import draw
from moeliga._ext.evaluate import Evaluator
from moeliga._ext.scores import NUMBERS
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset
from moeliga.data.ground import parts_of

N_SPLITS = 5
KINDS = ("roc_auc", "f1_macro", "neg_log_loss", "cv")


class Scores:
    """Trees of a population by another score, or on fixed splits, against as many by UAR on drawn splits: rival / ours.

    What a tree costs is the same, so the ratio says what is lost on its answers and their score: it should be near 1.
    """

    params = (DATA, KINDS)
    param_names = ("data", "score")
    quick = (("breast_cancer", "roc_auc"), ("wine", "neg_log_loss"), ("wine", "cv"))
    unit = "subset"
    clock = "cpu"

    def setup(self, data, score):
        self.X, self.y = load(data)
        dataset = Dataset.encode(self.X, self.y, int(self.y.max()) + 1)
        self.masks = staggered(self.X.shape[1])[:: STEP.get(data, 1)]
        self.count, n_validation = len(self.masks), dataset.n_validation(0.2)
        self.name = {"roc_auc": "roc_auc" if dataset.n_classes == 2 else "roc_auc_ovr", "cv": "uar"}.get(score, score)
        parts = None
        if score == "cv":
            self.folds = list(StratifiedKFold(N_SPLITS).split(self.X, self.y))
            parts = parts_of(self.folds, dataset.rows)
        self.dataset, self.n_validation = dataset, n_validation
        self.ours = Evaluator(dataset, n_validation, 100, 2, 1, NUMBERS[self.name], 1, parts)
        self.uar = Evaluator(dataset, n_validation, 100, 2, 1)
        self.features = np.arange(self.X.shape[1], dtype=np.int32)
        self.bits = bits_room.pack(np.ascontiguousarray(self.masks).view(np.uint8))

    def by(self, evaluator):
        """Scores of all subsets on all splits."""
        return evaluator.evaluate(self.bits, self.features, np.arange(self.count, dtype=np.int32), seed_words(0),
                                  (Purpose.PUBLIC, 0, 0), N_SPLITS, True, 0, True, 1)[0]

    def time_moeliga(self, data, score):
        return self.by(self.ours)

    def time_rival(self, data, score):
        return self.by(self.uar)

    def agreement(self, data, score):
        """Of three subsets with scikit-learn's scorer of the same tree, fitted to the same rows."""
        dataset, seed, folds = self.dataset, seed_words(0), getattr(self, "folds", None)
        if folds is None:
            marks = [draw.split(seed, (Purpose.PUBLIC, 0, 0, 0, test), dataset.class_start, self.n_validation)
                     for test in range(N_SPLITS)]
            folds = [(np.sort(dataset.rows[mark == 0]), np.sort(dataset.rows[mark == 1])) for mark in marks]
        scorer = get_scorer("balanced_accuracy" if self.name == "uar" else self.name)
        some, theirs = slice(None, None, -(-self.count // 3)), []
        for mask in self.masks[some].astype(bool):
            for train, test in folds:
                model = DecisionTreeClassifier(max_depth=100).fit(self.X[train][:, mask], self.y[train])
                theirs.append(scorer(model, self.X[test][:, mask], self.y[test]))
        return rivals.check_close(self.name, self.time_moeliga(data, score)[some].ravel(), np.array(theirs), 1e-12)


class Defaults:
    """Whole fits with all other defaults on one thread, the deployed model's answers included."""

    params = ((("scoring", "roc_auc"), ("cv", 5), ("scoring", None)),)
    param_names = ("parameter",)
    quick = ()

    def setup(self, parameter):
        self.X, self.y = load("breast_cancer")

    def track_seconds(self, parameter):
        began, (name, value) = time.process_time(), parameter
        MOELIGASelector(random_state=0, **{name: value}).fit(self.X, self.y)
        return time.process_time() - began

    track_seconds.unit = "CPU seconds"
