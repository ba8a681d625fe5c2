"""The compiled decision tree: many small ones inside a search, and a large one by itself."""

import numpy as np
import rivals
from bench_dataset import DATA, load, normals, target

from moeliga import DecisionTreeClassifier, DecisionTreeRegressor
from moeliga._ext import bits, code, draw, tree
from moeliga._ext.evaluate import Evaluator
from moeliga.data.dataset import Dataset

N_SUBSETS, N_SPLITS = 4, 3
ADDRESS = (6, 0, 0)
SEED = np.array([1, 2], dtype=np.uint64)


def gini(counts):
    """Gini impurity of a node times its samples."""
    return counts.sum() - (counts.astype(np.float64) ** 2).sum() / counts.sum()


class Tree:
    """One tree of a search: fit, predict and UAR, for random subsets of k features and three splits of each.

    Our time includes drawing the splits and gathering rows and columns, the rival's does not.
    """

    params = (DATA, (10, 22, 100))
    param_names = ("data", "k")
    quick = (("breast_cancer", 10), ("wine", 10), ("digits", 10), ("digits", 22), ("made", 22), ("made", 100))
    unit = "tree"
    count = N_SUBSETS * N_SPLITS

    def setup(self, data, k):
        X, y = load(data)
        n_features = X.shape[1]
        if k > n_features:
            raise NotImplementedError(f"{data} has {n_features} features, fewer than {k}")
        rng = np.random.default_rng(0)
        self.dataset = Dataset.encode(X, y, int(y.max()) + 1)
        self.n_validation = self.dataset.n_validation(0.3)
        self.evaluator = Evaluator(self.dataset, self.n_validation, 100, 2, 1)
        self.features = np.arange(n_features, dtype=np.int32)
        self.individuals = np.arange(N_SUBSETS, dtype=np.int32)
        self.subsets = [np.sort(rng.choice(n_features, k, replace=False)).astype(np.int32) for _ in range(N_SUBSETS)]
        masks = np.zeros((N_SUBSETS, n_features), dtype=np.uint8)
        for mask, subset in zip(masks, self.subsets, strict=True):
            mask[subset] = 1
        self.bits = bits.pack(masks)
        X, y = X[self.dataset.rows], y[self.dataset.rows]  # in the order of the coded samples
        self.parts = []
        for subset, marks in self.pairs():
            own = X[:, subset]
            self.parts.append((own[marks == 0], y[marks == 0], own[marks == 1], y[marks == 1]))

    def pairs(self):
        """(features, marks) of every tree, as the evaluator draws them."""
        for individual, subset in enumerate(self.subsets):
            for split in range(N_SPLITS):
                address = (*ADDRESS, individual, split)
                yield subset, draw.split(SEED, address, self.dataset.class_start, self.n_validation)

    def time_moeliga(self, data, k):
        scores, _ = self.evaluator.evaluate(self.bits, self.features, self.individuals, SEED, ADDRESS, N_SPLITS, False,
                                            0, True, 1)
        return scores

    def time_rival(self, data, k):
        with rivals.unchecked():
            return [rivals.tree_score(*part, self.dataset.n_classes, random_state)
                    for random_state, part in enumerate(self.parts)]

    def agreement(self, data, k):
        """UAR within the noise of ties, which the two break differently, and root cuts that are equally good."""
        uar = rivals.check_mean("UAR", self.time_moeliga(data, k).ravel(), self.time_rival(data, k))
        for (subset, marks), (X, y, _, _) in zip(self.pairs(), self.parts, strict=True):
            nodes, _, counts = tree.grow(self.dataset, subset, marks, 1, 2, 1)
            ours = gini(counts[0]) if len(nodes) == 1 else gini(counts[1]) + gini(counts[2])
            stump = rivals.grow(X, y, 0, max_depth=1).tree_
            leaves = stump.children_left < 0
            theirs = (stump.weighted_n_node_samples * stump.impurity)[leaves].sum()
            if abs(ours - theirs) > 1e-9 * max(theirs, 1e-3):
                raise rivals.Disagreement(f"the root's weighted Gini must agree to 1e-9, got {ours!r} and {theirs!r}")
        return f"{uar}, root Gini"


class Classifier:
    """A stand-alone tree, grown to the end on normal data with noisy labels: coding the data and fitting."""

    params = (("200000 x 50", "1000000 x 20"),)
    param_names = ("size",)
    quick = (("5000 x 20",),)
    unit = "fit"
    n_test = 20_000

    def setup(self, size):
        n, n_features = map(int, size.split(" x "))
        X, y = normals(n + self.n_test, n_features)
        self.X, self.y, self.X_test, self.y_test = X[:n], y[:n], X[n:], y[n:]

    def time_moeliga(self, size):
        return DecisionTreeClassifier().fit(self.X, self.y)

    def time_rival(self, size):
        with rivals.unchecked():
            return rivals.grow(self.X, self.y, 0, max_depth=None)

    def agreement(self, size):
        """Both know their training data, ours up to the values that share a code; held-out accuracy is the same."""
        ours, theirs = self.time_moeliga(size), self.time_rival(size)
        trained, least = ours.score(self.X, self.y), 1.0 if len(self.X) <= code.MAX else 0.999
        if trained < least:
            raise rivals.Disagreement(f"the training accuracy of a full tree must be >= {least}, got {trained:.5f}")
        hits = [(tree.predict(self.X_test) == self.y_test).astype(float) for tree in (ours, theirs)]
        return rivals.check_mean("held-out accuracy", *hits)


class ClassifierThreads(Classifier):
    """The same tree on 2 threads against 1. Not gated, see `bench_evaluate.Threads`."""

    clock = "wall"
    gated = False

    def time_moeliga(self, size):
        return DecisionTreeClassifier(n_jobs=2).fit(self.X, self.y)

    def time_rival(self, size):
        return DecisionTreeClassifier(n_jobs=1).fit(self.X, self.y)

    def agreement(self, size):
        if self.time_moeliga(size).nodes_.tobytes() != self.time_rival(size).nodes_.tobytes():
            raise rivals.Disagreement("the trees of 2 threads and of 1 must be identical, but are not")
        return "identical"


class RegressionTree:
    """One regression tree of a search: fit, predict and R2, for random subsets of k features and three splits of each.

    Our time includes drawing the splits and gathering rows and columns, the rival's does not.
    """

    params = ((1000, 5000), (10, 22, 100))
    param_names = ("n", "k")
    quick = ((1000, 10), (1000, 22), (1000, 100))
    unit = "tree"
    count = N_SUBSETS * N_SPLITS

    def setup(self, n, k):
        X, y = target(n, 200)
        rng = np.random.default_rng(0)
        self.dataset = Dataset.encode_target(X, y)
        self.n_validation = self.dataset.n_validation(0.3)
        self.evaluator = Evaluator(self.dataset, self.n_validation, 100, 2, 1)
        self.features = np.arange(200, dtype=np.int32)
        self.individuals = np.arange(N_SUBSETS, dtype=np.int32)
        subsets = [np.sort(rng.choice(200, k, replace=False)).astype(np.int32) for _ in range(N_SUBSETS)]
        masks = np.zeros((N_SUBSETS, 200), dtype=np.uint8)
        for mask, subset in zip(masks, subsets, strict=True):
            mask[subset] = 1
        self.bits = bits.pack(masks)
        X, y = X[self.dataset.rows], y[self.dataset.rows]  # in the order of the coded samples
        self.parts = []
        for individual, subset in enumerate(subsets):
            own = X[:, subset]
            for split in range(N_SPLITS):
                marks = draw.split(SEED, (*ADDRESS, individual, split), self.dataset.class_start, self.n_validation)
                self.parts.append((own[marks == 0], y[marks == 0], own[marks == 1], y[marks == 1]))

    def time_moeliga(self, n, k):
        scores, _ = self.evaluator.evaluate(self.bits, self.features, self.individuals, SEED, ADDRESS, N_SPLITS, False,
                                            0, True, 1)
        return scores

    def time_rival(self, n, k):
        with rivals.unchecked():
            return [rivals.regression_score(*part, random_state) for random_state, part in enumerate(self.parts)]

    def agreement(self, n, k):
        """R2 within the noise of ties, which the two break differently; stumps, which have none, exactly."""
        r2 = rivals.check_mean("R2", self.time_moeliga(n, k).ravel(), self.time_rival(n, k))
        stumps = Evaluator(self.dataset, self.n_validation, 1, 2, 1)
        ours, _ = stumps.evaluate(self.bits, self.features, self.individuals, SEED, ADDRESS, N_SPLITS, False, 0, True,
                                  1)
        theirs = [rivals.regression_score(*part, 0, max_depth=1) for part in self.parts]
        return f"{r2}, {rivals.check_close('R2 of stumps', ours.ravel(), theirs, 1e-9)}"


class Regressor:
    """A stand-alone regression tree, grown to the end on normal data: coding the data and fitting."""

    params = (("5000 x 20", "60000 x 50"),)  # up to 65,536 values are coded exactly
    param_names = ("size",)
    quick = (("5000 x 20",),)
    unit = "fit"

    def setup(self, size):
        n, n_features = map(int, size.split(" x "))
        X, y = target(2 * n, n_features)
        self.X, self.y, self.X_test = X[:n], y[:n], X[n:]

    def time_moeliga(self, size):
        return DecisionTreeRegressor().fit(self.X, self.y)

    def time_rival(self, size):
        with rivals.unchecked():
            return rivals.grow_regression(self.X, self.y, 0, max_depth=None)

    def agreement(self, size):
        """A full tree knows its training data; with larger leaves, where no two cuts tie, predictions are the same."""
        trained = rivals.check_close("training data", self.time_moeliga(size).predict(self.X), self.y, 1e-9)
        ours = DecisionTreeRegressor(min_samples_leaf=20).fit(self.X, self.y)
        theirs = rivals.grow_regression(self.X, self.y, 0, max_depth=None, min_samples_leaf=20)
        same = rivals.check_close("held-out predictions", ours.predict(self.X_test), theirs.predict(self.X_test), 1e-9)
        return f"{trained}, {same}"
