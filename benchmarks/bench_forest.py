"""Forests: fits of 100 trees, and what they predict."""

import numpy as np
import rivals
import sklearn.ensemble
from sklearn.datasets import make_classification, make_friedman1

import moeliga

N_TREES, N_PAIRS = 100, 12


class Fit:
    """A fit of 100 trees on noisy data of two classes, or of a target, checks and coding included; one thread each."""

    kinds = ("RandomForestClassifier", "ExtraTreesClassifier", "RandomForestRegressor", "ExtraTreesRegressor")
    params = (kinds, ("145 x 10", "398 x 10", "1000 x 10", "5000 x 10", "60 x 2000", "60 x 10000"))
    param_names = ("kind", "size")
    quick = tuple((kind, size) for kind in kinds[:2] for size in ("145 x 10", "1000 x 10", "60 x 2000"))
    unit = "tree"
    count = N_TREES
    max_features = "sqrt"
    n_more = 2000  # samples for held-out scores

    def setup(self, kind, size):
        n, n_features = map(int, size.split(" x "))
        self.n = n
        if kind.endswith("Regressor"):
            X, self.y = make_friedman1(n + self.n_more, n_features, noise=1.0, random_state=0)
        else:
            X, self.y = make_classification(n + self.n_more, n_features, n_informative=6, flip_y=0.05, random_state=0)
        self.X = X.astype(np.float32)  # what scikit-learn's trees read

    def forest(self, library, kind, **parameters):
        return getattr(library, kind)(max_features=self.max_features, random_state=0, n_jobs=1, **parameters)

    def time_moeliga(self, kind, size):
        return self.forest(moeliga, kind, n_estimators=N_TREES).fit(self.X[: self.n], self.y[: self.n])

    def time_rival(self, kind, size):
        with rivals.unchecked():
            return self.forest(sklearn.ensemble, kind, n_estimators=N_TREES).fit(self.X[: self.n], self.y[: self.n])

    def agreement(self, kind, size):
        """Held-out scores of a few forests of each on samples drawn anew, within the noise of their draws."""
        scores = []
        for seed in range(N_PAIRS):
            order = np.random.default_rng(seed).permutation(len(self.y))
            train, test = order[: self.n], order[self.n :]
            scores.append([self.forest(library, kind, n_estimators=30).set_params(random_state=seed).fit(
                self.X[train], self.y[train]).score(self.X[test], self.y[test])
                for library in (moeliga, sklearn.ensemble)])
        return rivals.check_mean("held-out score", *np.transpose(scores))


class Predict(Fit):
    """What a fitted forest says of 2,000 samples, or as many as those of large trees: class shares, or means."""

    params = (Fit.kinds[::2], ("1000 x 10", "5000 x 10", "25000 x 10"))
    quick = ((Fit.kinds[0], "1000 x 10"),)
    unit = "call"
    count = 1

    def setup(self, kind, size):
        self.n_more = 25_000 if size.startswith("25000") else Fit.n_more
        super().setup(kind, size)
        self.ours, self.theirs = Fit.time_moeliga(self, kind, size), Fit.time_rival(self, kind, size)

    def answers(self, model):
        return (getattr(model, "predict_proba", None) or model.predict)(self.X[self.n :])

    def time_moeliga(self, kind, size):
        return self.answers(self.ours)

    def time_rival(self, kind, size):
        with rivals.unchecked():
            return self.answers(self.theirs)

    def agreement(self, kind, size):
        """Held-out scores as those of a fit."""
        return super().agreement(kind, size)
