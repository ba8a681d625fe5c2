"""Selectors as entries have them: `fit` and `get_support`, and what spares fits.

Beside these two an entry's selector may have

- `estimate_`: its own estimate of the score on new samples;
- `sized(k)`: its support of k features from the same fit, or None, and then it is fitted again with `n_features=k`;
- `for_model(model, X, y)`: what it would be with another deployed model, fitted;
- `n_evaluations_`: subsets that it has scored;
- `choices()`: further choices from the same fit, dict from name to (support, estimate).
"""

from copy import copy

import numpy as np
from honest.panel import with_model
from paper import competitors
from paper.competitors import nsga
from paper.competitors.selection import ranked, top
from sklearn.feature_selection import SelectFromModel, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moeliga import DecisionTreeClassifier, Islands, MOELIGASelector

FOLDS = 5
"""Of the cross-validation by which rankings, and L1, choose how much to keep."""

SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
"""Among which rankings choose, and all features."""


class Searched:
    """`MOELIGASelector`."""

    RULES = ("best", "one_se", "knee", "r1", "r1_lambda")
    """Further choices of a fit, beside the default's."""

    def __init__(self, model, random_state, n_features=None, **parameters):
        self.selector = MOELIGASelector(model, random_state=random_state, n_jobs=1, **parameters)

    def fit(self, X, y):
        self.selector.fit(X, y)
        return self

    def get_support(self):
        return self.selector.get_support()

    @property
    def estimate_(self):
        return self.selector.honest_score_

    @property
    def n_evaluations_(self):
        return self.selector.n_evaluations_

    def choices(self):
        supports = self.selector.pareto_front_.supports
        found = {rule: self.selector.assess(rule) for rule in self.RULES}
        return {rule: (supports[which.index], which.score) for rule, which in found.items()}


class Ours(Searched):
    """With what guides it by default; one search answers for all models."""

    def for_model(self, model, X, y):
        other = copy(self)
        other.selector = with_model(self.selector, X, y, model)
        return other


class Panel(Ours):
    """Guided by the mean of a tree, naive Bayes and nearest neighbours."""

    def __init__(self, model, random_state, n_features=None, **parameters):
        judges = [DecisionTreeClassifier(max_depth=100), GaussianNB(),
                  make_pipeline(StandardScaler(), KNeighborsClassifier())]
        super().__init__(model, random_state, islands=Islands(judges=judges), **parameters)


class Guided(Searched):
    """Guided by the deployed model itself: a search for each."""

    COMPILED = ("tree", "bayes", "neighbours", "logistic")
    """Deployed models whose searches take minutes and not hours."""

    def __init__(self, model, random_state, n_features=None, **parameters):
        super().__init__(model, random_state, islands=Islands(judges=[model]), **parameters)


class Evolution:
    """NSGA-II by pymoo with what moeliga's fit spent on the same rows, its folds too.

    Parameters
    ----------
    given : float
        So many evaluations, or seconds of the processor.
    limit : {"evaluations", "seconds"}
        Which of the two. Objectives, evaluator, archive, re-scoring and rule are moeliga's without folds, see
        `paper/competitors/nsga.py`; its estimate is the score on the fresh splits of re-scoring.
    """

    def __init__(self, model, random_state, n_features=None, given=None, limit="evaluations", **parameters):
        self.limits = {"evaluations": None, "seconds": None} | {
            limit: int(given) if limit == "evaluations" else given}
        self.selector = nsga.setting(random_state, **parameters)

    def fit(self, X, y):
        self.front, self.n_evaluations_ = nsga.front_of(self.selector, X, y, **self.limits)
        self.index = self.front.choose()
        self.estimate_ = float(self.front.score[self.index])
        return self

    def get_support(self):
        return self.front.supports[self.index]

    def choices(self):
        places = {rule: self.front.choose(rule) for rule in ("best", "one_se")}
        return {rule: (self.front.supports[place], float(self.front.score[place])) for rule, place in places.items()}


class Method:
    """One of the paper's competitors, which look at no deployed model."""

    def __init__(self, name, model, random_state, n_features=None):
        self.name, self.random_state, self.n_features = name, random_state, n_features

    def fit(self, X, y):
        self.found = competitors.select(self.name, X, y, self.n_features, self.random_state)
        self.estimate_ = self.found.in_search
        return self

    def get_support(self):
        return self.found.mask

    def sized(self, k):
        return self.found.path.get(k) if self.found.ranking is None else top(self.found.ranking, k)


class Sequential(Method):
    """Forward selection by a tree, floating or not: the best of up to 30 features; without a limit it takes hours."""

    MOST = 30

    def fit(self, X, y):
        self.n_features = self.n_features or (1, min(self.MOST, X.shape[1]))
        return super().fit(X, y)


class Ranking:
    """A ranking, of which the deployed model takes as many features as do best in cross-validation.

    Features are ranked anew within each fold, without the samples that score them.

    Parameters
    ----------
    name : str or callable
        A competitor that ranks; or from X, y and a seed to a ranking.
    """

    def __init__(self, name, model, random_state, n_features=None):
        self.name, self.model, self.random_state, self.n_features = name, model, random_state, n_features

    def ranked(self, X, y):
        if callable(self.name):
            return self.name(X, y, self.random_state)
        return competitors.select(self.name, X, y, None, self.random_state).ranking

    def fit(self, X, y):
        self.ranking_ = self.ranked(X, y)
        if self.n_features is None:
            self.folds = [(train, test, self.ranked(X[train], y[train])) for train, test in folds(y, self.random_state)]
            self.choose(X, y)
        return self

    def choose(self, X, y):
        sizes = [size for size in SIZES if size < X.shape[1]] + [X.shape[1]]
        scores = [np.mean([cross_val_score(self.model, X[:, ranking[:size]], y, cv=[(train, test)],
                                           scoring="balanced_accuracy")[0] for train, test, ranking in self.folds])
                  for size in sizes]
        self.n_features, self.estimate_ = sizes[int(np.argmax(scores))], float(np.max(scores))

    def for_model(self, model, X, y):
        other = copy(self)
        other.model = model
        other.choose(X, y)
        return other

    def get_support(self):
        return top(self.ranking_, self.n_features)

    def sized(self, k):
        return top(self.ranking_, k)


class Linear:
    """`SelectFromModel` of logistic regressions with an L1 penalty, one for each class; C by cross-validation."""

    GRID = (0.03, 0.1, 0.3, 1.0, 3.0)
    LEAST = 1e-5
    """Weight of a feature that is kept: scikit-learn's own for L1, which it does not see behind one class each."""

    def __init__(self, model, random_state, n_features=None):
        self.random_state, self.n_features = random_state, n_features

    def fit(self, X, y):
        lasso = OneVsRestClassifier(LogisticRegression(l1_ratio=1.0, solver="liblinear", max_iter=1000,
                                                       random_state=self.random_state))
        scaled = StandardScaler().fit(X)
        search = GridSearchCV(make_pipeline(StandardScaler(), lasso), scoring="balanced_accuracy",
                              param_grid={"onevsrestclassifier__estimator__C": self.GRID},
                              cv=list(folds(y, self.random_state))).fit(X, y)
        self.estimate_ = search.best_score_ if self.n_features is None else np.nan
        limits = {"threshold": self.LEAST} if self.n_features is None else {"max_features": self.n_features,
                                                                            "threshold": -np.inf}
        self.found = SelectFromModel(search.best_estimator_[-1], prefit=True, importance_getter=weights, **limits)
        self.found.fit(scaled.transform(X))
        self.ranking = ranked(weights(search.best_estimator_[-1]), None).ranking
        return self

    def get_support(self):
        return self.found.get_support()

    def sized(self, k):
        return top(self.ranking, k)


def weights(lasso):
    """The largest weight of each feature over the classes: ndarray of float64, shape (n_features,)."""
    return np.max([np.abs(fitted.coef_[0]) for fitted in lasso.estimators_], axis=0)


def folds(y, seed):
    """(training, test) rows of `FOLDS` stratified folds, or as many as the smallest class allows, two at least."""
    n_folds = max(2, min(FOLDS, np.bincount(np.unique(y, return_inverse=True)[1]).min()))
    return StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(y)), y)


def mrmr(X, y, seed=None, most=128):
    """Ranking by least redundancy and most relevance: F value over the mean absolute correlation with those before.

    The quotient form of C. Ding and H. Peng, Minimum redundancy feature selection from microarray gene expression data,
    Journal of Bioinformatics and Computational Biology 3 (2005), 185-205. After `most` features the rest follow by F.
    """
    varied = np.flatnonzero(np.ptp(X, axis=0) > 0)
    Z = StandardScaler().fit_transform(X[:, varied].astype(np.float64))
    relevance = np.nan_to_num(f_classif(Z, y)[0], posinf=np.finfo(float).max)
    redundancy, left, order = np.zeros(len(varied)), np.ones(len(varied), dtype=bool), []
    while left.any() and len(order) < most:
        worth = relevance / np.maximum(redundancy / max(1, len(order)), 1e-3)
        order.append(int(np.argmax(np.where(left, worth, -np.inf))))
        left[order[-1]] = False
        redundancy += np.abs(Z.T @ Z[:, order[-1]]) / len(Z)
    order += sorted(np.flatnonzero(left), key=lambda place: -relevance[place])
    return np.concatenate((varied[order], np.setdiff1d(np.arange(X.shape[1]), varied))).astype(int)
