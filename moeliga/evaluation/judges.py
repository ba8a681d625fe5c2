"""scikit-learn's own estimators that the compiled core has, recognised by their classes and parameters."""

from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn import __version__, ensemble
from sklearn.base import is_regressor
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier as SklearnTreeClassifier
from sklearn.tree import DecisionTreeRegressor as SklearnTreeRegressor

from moeliga._ext.judges import KINDS, SCALINGS, SHRINKAGES
from moeliga.base.random_streams import seed_words
from moeliga.forest.classifier import ExtraTreesClassifier, RandomForestClassifier
from moeliga.forest.regressor import ExtraTreesRegressor, RandomForestRegressor
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor, check_stopping

BEFORE_1_9 = tuple(map(int, __version__.split(".")[:2])) < (1, 9)
"""Since then least squares cut small singular values by `tol`, and discriminants divide by the number of samples."""

TREE, FOREST = -1, -2
"""Kinds of the compiled tree and forest, which read the coded data and no values."""

ROW_COST, PAIR_COST = 1e-7, 1e-9
"""Seconds, rounded up, for each feature: of a row, of two rows that are compared."""

ITERATIONS = 20
"""Of logistic regression and support vector machines, about."""


class NotCompiled(Exception):
    """A parameter that the compiled form of an estimator does not have, written as it is given."""


@dataclass(frozen=True, eq=False)
class Judge:
    """A compiled judge: scikit-learn's estimator as numbers, see `_ext/kernels/judges/types.h`."""

    name: str  # of scikit-learn's class
    kind: int  # of `KINDS`, or `TREE` or `FOREST`
    regression: bool
    closed: bool  # leave-one-out has a closed form
    whole: tuple = ()  # parameters that are integers
    real: tuple = ()  # parameters that are not
    priors: np.ndarray | None = None  # float64, shape (n_classes,)
    scaling: int = 0  # of `SCALINGS`
    model: object = None  # the forest of this package

    @property
    def coded(self):
        """Whether it reads the coded data, in which values may be missing, and not the values."""
        return self.kind in (TREE, FOREST)

    @property
    def rules(self):
        """The max_depth, min_samples_split and min_samples_leaf of the compiled tree, or the usual ones: tuple."""
        return self.whole if self.kind == TREE else (0, 2, 1)

    @property
    def n_trees(self):
        """Of a forest, as what follows: int."""
        return int(self.model.n_estimators)

    @property
    def stopping(self):
        """Its max_depth, min_samples_split and min_samples_leaf: tuple."""
        return self.model.rules()

    @property
    def random_cuts(self):
        """Whether thresholds are random: bool."""
        return self.model.random_cuts

    @property
    def seed(self):
        """Its seed, two words, or None: ndarray of uint64."""
        return None if self.model.random_state is None else seed_words(self.model.random_state)

    def drawn(self, n_samples):
        """Return the number of samples that a tree draws of so many, 0 = it has all: int."""
        return self.model.n_drawn(n_samples)

    def tried(self, n_features):
        """Return the number of features that are drawn at a node, of so many, 0 = all are tried: int."""
        return self.model.n_tried(n_features)

    @property
    def decides(self):
        """Whether it answers with decision values, and not with probabilities."""
        return self.kind in (KINDS["ridge"], KINDS["svm"]) and not self.regression

    @property
    def numbers(self):
        """All of it as numbers but the priors: tuple."""
        return self.kind, self.scaling, *self.whole, *self.real

    def seconds(self, n_samples, n_splits, one_out):
        """Return rough seconds for each feature of a subset, on `n_splits` splits of so many samples: float."""
        if self.kind == FOREST:
            return n_splits * n_samples * self.n_trees * ROW_COST
        if self.kind == KINDS["neighbours"]:
            return n_splits * n_samples**2 * (1.0 if one_out else 0.21) * PAIR_COST
        iterated = self.kind in (KINDS["logistic"], KINDS["svm"])
        return n_splits * n_samples * ROW_COST * (ITERATIONS if iterated else 1)


def check_usual(parameters, *pairs):
    """Raise NotCompiled for the first of some parameters that has not its usual value: pairs (name, value)."""
    for name, usual in pairs:
        if parameters[name] != usual:
            raise NotCompiled(f"{name}={parameters[name]!r}")


def bayes(parameters):
    """Return what GaussianNB is compiled to."""
    smoothing, priors = parameters["var_smoothing"], parameters["priors"]
    if isinstance(smoothing, bool) or not isinstance(smoothing, Real) or not 0 < smoothing < np.inf:
        raise NotCompiled(f"var_smoothing={smoothing!r}")
    if priors is not None:
        try:
            priors = np.array(priors, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise NotCompiled(f"priors={priors!r}") from error
        if priors.ndim != 1 or not np.all(priors >= 0) or not np.isclose(priors.sum(), 1.0):
            raise ValueError("priors of GaussianNB must be probabilities of the classes, with sum 1, got "
                             f"{parameters['priors']!r}")
    return {"kind": KINDS["bayes"], "closed": True, "real": (float(smoothing),), "priors": priors}


def neighbours(parameters):
    """Return what KNeighborsClassifier and KNeighborsRegressor are compiled to; any `algorithm` finds the same ones."""
    number, weights, metric = (parameters[name] for name in ("n_neighbors", "weights", "metric"))
    if isinstance(number, bool) or not isinstance(number, Integral) or not 1 <= number < 1 << 30:
        raise NotCompiled(f"n_neighbors={number!r}")
    if not isinstance(weights, str) or weights not in ("uniform", "distance"):
        raise NotCompiled(f"weights={weights!r}")
    check_usual(parameters, ("metric_params", None))
    powers = {"euclidean": 2, "l2": 2, "manhattan": 1, "l1": 1, "cityblock": 1, "minkowski": parameters["p"]}
    if not isinstance(metric, str) or metric not in powers:
        raise NotCompiled(f"metric={metric!r}")
    if powers[metric] not in (1, 2):
        raise NotCompiled(f"p={parameters['p']!r}")
    whole = (int(number), int(weights == "distance"), int(powers[metric] == 1))
    return {"kind": KINDS["neighbours"], "closed": True, "whole": whole}


def positive(parameters, name):
    """Return a parameter that has to be a number above 0, and finite."""
    value = parameters[name]
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value < np.inf:
        raise NotCompiled(f"{name}={value!r}")
    return float(value)


def choice(parameters, name, *values):
    """Raise NotCompiled unless a parameter that is text, or None, is one of some values."""
    value = parameters[name]
    if not (value is None or isinstance(value, (str, bool))) or value not in values:
        raise NotCompiled(f"{name}={value!r}")


def fitted(parameters):
    """Return whether there is an intercept, and whether classes are balanced, as integers."""
    if "class_weight" in parameters:
        choice(parameters, "class_weight", None, "balanced")
    return int(bool(parameters["fit_intercept"])), int(parameters.get("class_weight") == "balanced")


def ridge(parameters):
    """Return what Ridge and RidgeClassifier are compiled to; solvers that only come near the optimum are not."""
    choice(parameters, "solver", "auto", "cholesky", "svd")
    check_usual(parameters, ("positive", False))
    return {"kind": KINDS["ridge"], "closed": "unscaled", "whole": fitted(parameters),
            "real": (positive(parameters, "alpha"),)}


def least_squares(parameters):
    """Return what LinearRegression is compiled to."""
    check_usual(parameters, ("positive", False))
    tolerance = np.finfo(np.float64).eps if BEFORE_1_9 else positive(parameters, "tol")
    return {"kind": KINDS["least_squares"], "closed": False, "whole": fitted(parameters),
            "real": (0.0, float(tolerance))}


def discriminant(parameters):
    """Return what LinearDiscriminantAnalysis is compiled to."""
    check_usual(parameters, ("priors", None), ("covariance_estimator", None), ("n_components", None))
    choice(parameters, "solver", "svd", "lsqr")
    shrinkage = parameters["shrinkage"]
    if parameters["solver"] == "svd":
        check_usual(parameters, ("shrinkage", None))
        return {"kind": KINDS["discriminant"], "closed": True, "whole": (SHRINKAGES["svd"], int(BEFORE_1_9)),
                "real": (0.0, positive(parameters, "tol"))}
    if isinstance(shrinkage, str) and shrinkage == "auto":
        return {"kind": KINDS["discriminant"], "closed": False, "whole": (SHRINKAGES["auto"], 0)}
    # without shrinkage, what the rounding of a singular covariance leaves decides
    if isinstance(shrinkage, bool) or not isinstance(shrinkage, Real) or not 0 < shrinkage <= 1:
        raise NotCompiled(f"shrinkage={shrinkage!r}")
    return {"kind": KINDS["discriminant"], "closed": "unscaled", "whole": (SHRINKAGES["lsqr"], 0),
            "real": (float(shrinkage),)}


def logistic(parameters):
    """Return what LogisticRegression is compiled to: the optimum, whatever `tol` and `max_iter` say."""
    choice(parameters, "penalty", "deprecated", "l2")
    choice(parameters, "solver", "lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")
    check_usual(parameters, ("dual", False))
    if parameters["l1_ratio"] not in (0, None):
        raise NotCompiled(f"l1_ratio={parameters['l1_ratio']!r}")
    if parameters.get("multi_class", "auto") not in ("auto", "deprecated", "multinomial"):
        raise NotCompiled(f"multi_class={parameters['multi_class']!r}")
    return {"kind": KINDS["logistic"], "closed": False, "whole": fitted(parameters),
            "real": (positive(parameters, "C"),)}


def svm(parameters):
    """Return what LinearSVC is compiled to: the optimum, whatever `tol` and `max_iter` say."""
    check_usual(parameters, ("penalty", "l2"), ("loss", "squared_hinge"), ("multi_class", "ovr"))
    return {"kind": KINDS["svm"], "closed": False, "whole": fitted(parameters),
            "real": (positive(parameters, "C"), positive(parameters, "intercept_scaling"))}


def own_tree(parameters):
    """Return what a tree of this package is compiled to."""
    rules = check_stopping(parameters["max_depth"], parameters["min_samples_split"], parameters["min_samples_leaf"])
    return {"kind": TREE, "closed": False, "whole": rules}


def stopping(parameters):
    """Return max_depth, min_samples_split and min_samples_leaf of a tree of scikit-learn."""
    for name, least in (("max_depth", 1), ("min_samples_split", 2), ("min_samples_leaf", 1)):
        value = parameters[name]
        whole = isinstance(value, Integral) and not isinstance(value, bool) and least <= value < 1 << 31
        if not (whole or (value is None and name == "max_depth")):
            raise NotCompiled(f"{name}={value!r}")
    return check_stopping(parameters["max_depth"], parameters["min_samples_split"], parameters["min_samples_leaf"])


def check_plain(parameters):
    """Raise NotCompiled for a parameter of scikit-learn's trees and forests that the compiled ones do not have."""
    choice(parameters, "criterion", "gini", "squared_error")
    check_usual(parameters, ("min_weight_fraction_leaf", 0), ("max_leaf_nodes", None), ("min_impurity_decrease", 0),
                ("ccp_alpha", 0))
    for name in ("monotonic_cst", "class_weight"):  # regressors have no weights of classes
        choice({name: None, **parameters}, name, None)


def tree(parameters):
    """Return what a tree of scikit-learn is compiled to."""
    check_plain(parameters)
    choice(parameters, "splitter", "best")
    choice(parameters, "max_features", None)
    return {"kind": TREE, "closed": False, "whole": stopping(parameters)}


def forest(kind, parameters):
    """Return what a forest is compiled to, one of this package or of scikit-learn: `kind`, of this package."""
    if "criterion" in parameters:
        check_plain(parameters)
        stopping(parameters)
        check_usual(parameters, ("warm_start", False))
        choice(parameters, "oob_score", False, True)
    seed, tried, share = (parameters[name] for name in ("random_state", "max_features", "max_samples"))
    if not (seed is None or isinstance(seed, Integral)):
        raise NotCompiled(f"random_state={seed!r}")
    if isinstance(tried, Integral):  # more than a subset may have
        raise NotCompiled(f"max_features={tried!r}")
    model = kind(**{name: parameters[name] for name in kind().get_params()})
    rules, codes = model.rules(), {None: 0.0, "sqrt": -1.0, "log2": -2.0}
    model.n_tried(1)
    whole = (model.n_estimators, *rules, kind.random_cuts, model.bootstrap, -1 if seed is None else seed)
    return {"kind": FOREST, "closed": False, "model": model, "whole": whole,
            "real": (codes[tried] if tried is None or isinstance(tried, str) else float(tried),
                     -1.0 if share is None else float(share))}


def standard(parameters):
    """Return the number of StandardScaler."""
    check_usual(parameters, ("with_mean", True), ("with_std", True))
    return SCALINGS["standard"]


def ranged(parameters):
    """Return the number of MinMaxScaler."""
    check_usual(parameters, ("feature_range", (0, 1)), ("clip", False))
    return SCALINGS["range"]


JUDGES = {GaussianNB: (bayes, False), KNeighborsClassifier: (neighbours, False),
          KNeighborsRegressor: (neighbours, True), RidgeClassifier: (ridge, False), Ridge: (ridge, True),
          LinearRegression: (least_squares, True), LinearDiscriminantAnalysis: (discriminant, False),
          LogisticRegression: (logistic, False), LinearSVC: (svm, False),
          DecisionTreeClassifier: (own_tree, False), DecisionTreeRegressor: (own_tree, True),
          SklearnTreeClassifier: (tree, False), SklearnTreeRegressor: (tree, True)}
JUDGES |= {model: (partial(forest, own), is_regressor(own())) for own, theirs in (
    (RandomForestClassifier, ensemble.RandomForestClassifier), (RandomForestRegressor, ensemble.RandomForestRegressor),
    (ExtraTreesClassifier, ensemble.ExtraTreesClassifier), (ExtraTreesRegressor, ensemble.ExtraTreesRegressor))
    for model in (own, theirs)}
"""What is compiled: what reads the parameters, and whether it is a regressor."""

SCALERS = {StandardScaler: standard, MinMaxScaler: ranged}


def parts_of(estimator):
    """Return the scaler, or None, and the judge of an estimator: a pair; None if it is neither alone nor a pipeline of
    the two."""
    steps = [step for _, step in estimator.steps] if type(estimator) is Pipeline else [estimator]
    steps = [step for step in steps if step is not None and not isinstance(step, str)]  # without "passthrough"
    scaler, *rest = steps if len(steps) == 2 else [None, *steps]
    if len(rest) != 1 or type(rest[0]) not in JUDGES or not (scaler is None or type(scaler) in SCALERS):
        return None
    return scaler, rest[0]


def recognise(estimator):
    """Return the compiled judge that stands for an estimator of scikit-learn: `Judge`.

    None if there is none for its class: exactly those of `JUDGES`, alone or behind one of `SCALERS` in a pipeline.

    Raises
    ------
    NotCompiled : if there is one but for a parameter, which it names.
    ValueError : if a parameter is wrong.
    """
    parts = parts_of(estimator)
    if parts is None:
        return None
    scaler, model = parts
    if type(estimator) is Pipeline and getattr(estimator, "transform_input", None) is not None:
        raise NotCompiled(f"transform_input={estimator.transform_input!r}")
    reader, regression = JUDGES[type(model)]
    scaling = SCALINGS["none"] if scaler is None else SCALERS[type(scaler)](scaler.get_params(deep=False))
    settings = reader(model.get_params(deep=False))
    settings["closed"] = settings["closed"] is True or (settings["closed"] == "unscaled" and scaler is None)
    return Judge(name=type(model).__name__, regression=regression, scaling=scaling, **settings)


def judge_of(estimator, metadata=None):
    """Return the compiled judge that stands for an estimator, or None, and what alone keeps it from being compiled, or
    None: a pair of `Judge` and str.

    `metadata` is the `Metadata` that its fit and its scorer get.
    """
    try:
        judge = recognise(estimator)
    except NotCompiled as parameter:
        return None, str(parameter)
    given = [] if judge is None or metadata is None else [*metadata.fit, *metadata.score]
    return (None, given[0]) if given else (judge, None)
