"""The estimators that the compiled core has, recognised by their classes and parameters."""

from functools import partial

import numpy as np
from sklearn import ensemble
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

from moeliga._ext.judges import KINDS, SCALINGS
from moeliga.evaluation.compiled_judge import Judge, NotCompiled, Parameters
from moeliga.evaluation.linear_judges import discriminant, least_squares, logistic, ridge, svm
from moeliga.evaluation.metadata import Metadata
from moeliga.evaluation.tree_judges import forest, own_tree, tree
from moeliga.evaluation.weights import with_weights
from moeliga.forest.classifier import ExtraTreesClassifier, RandomForestClassifier
from moeliga.forest.regressor import ExtraTreesRegressor, RandomForestRegressor
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor


def bayes(parameters):
    """Return the arguments of `Judge` for GaussianNB: dict."""
    smoothing, priors = parameters.positive("var_smoothing"), parameters["priors"]
    if priors is not None:
        try:
            priors = np.array(priors, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise NotCompiled(f"priors={priors!r}") from error
        if priors.ndim != 1 or not np.all(priors >= 0) or not np.isclose(priors.sum(), 1.0):
            raise ValueError("priors of GaussianNB must be probabilities of the classes, with sum 1, got "
                             f"{parameters['priors']!r}")
    return {"kind": KINDS["bayes"], "closed": True, "real": (smoothing,), "priors": priors}


def neighbours(parameters):
    """Return the arguments of `Judge` for nearest neighbours, which are the same for any `algorithm`: dict."""
    number, metric = parameters.whole("n_neighbors", 1, (1 << 30) - 1), parameters["metric"]
    parameters.check_choice("weights", "uniform", "distance")
    parameters.check_equal(metric_params=None)
    powers = {"euclidean": 2, "l2": 2, "manhattan": 1, "l1": 1, "cityblock": 1, "minkowski": parameters["p"]}
    if not isinstance(metric, str) or metric not in powers:
        parameters.refuse("metric")
    if powers[metric] not in (1, 2):
        parameters.refuse("p")
    return {"kind": KINDS["neighbours"], "closed": True,
            "whole": (number, int(parameters["weights"] == "distance"), int(powers[metric] == 1))}


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
"""For each compiled class the function that reads its parameters, and True for a regressor."""

SCALERS = {StandardScaler: (SCALINGS["standard"], {"with_mean": True, "with_std": True}),
           MinMaxScaler: (SCALINGS["range"], {"feature_range": (0, 1), "clip": False})}
"""For each scaler its number for the core, and the only values of its parameters that are compiled."""


def parts_of(estimator):
    """Return (scaler or None, model) of a model of `JUDGES`, alone or in a pipeline behind a scaler; else None."""
    steps = [step for _, step in estimator.steps] if type(estimator) is Pipeline else [estimator]
    before = [step for step in steps[:-1] if step is not None and not isinstance(step, str)]  # without "passthrough"
    scaler, *rest = (before or [None]) + steps[-1:]
    if len(rest) != 1 or type(rest[0]) not in JUDGES or not (scaler is None or type(scaler) in SCALERS):
        return None
    return scaler, rest[0]


def recognise(estimator):
    """Return the compiled form of an estimator: `Judge`.

    None unless its class is exactly one of `JUDGES`, alone or behind one of `SCALERS` in a pipeline. NotCompiled names
    the parameter whose value is not compiled; ValueError if a parameter is wrong.
    """
    parts = parts_of(estimator)
    if parts is None:
        return None
    scaler, model = parts
    if type(estimator) is Pipeline and getattr(estimator, "transform_input", None) is not None:
        raise NotCompiled(f"transform_input={estimator.transform_input!r}")
    reader, regression = JUDGES[type(model)]
    scaling = SCALINGS["none"]
    if scaler is not None:
        scaling, only = SCALERS[type(scaler)]
        Parameters(scaler.get_params(deep=False)).check_equal(**only)
    settings = reader(Parameters(model.get_params(deep=False)))
    for part in (scaler, model):
        if hasattr(part, "_parameter_constraints"):  # scikit-learn's own: parameters that no reader looks at
            part._validate_params()
    settings["closed"] = settings["closed"] is True or (settings["closed"] == "unscaled" and scaler is None)
    return Judge(name=type(model).__name__, regression=regression, scaling=scaling, **settings)


def judge_of(estimator, problem=None, metadata=None):
    """Return (`Judge` of an estimator or None, the parameter because of which it is not compiled, str or None).

    Both are None if its class has no compiled form. `metadata` is the `Metadata` that its fit and its scorer get on the
    samples of a `Problem`; without `problem` the judge has no weights yet.
    """
    try:
        judge = recognise(estimator)
        if judge is not None and problem is not None:
            judge = with_weights(judge, estimator, metadata or Metadata({}, {}, {}, len(problem.y)), problem)
    except NotCompiled as parameter:
        return None, str(parameter)
    return judge, None


def compiled(estimator, judge, reason):
    """Return `judge`; raise TypeError, with the reason, if it is None. Both are the result of `judge_of`."""
    if judge is None:
        raise TypeError("estimator must be a tree of moeliga, a compiled judge, such as GaussianNB() or Ridge(), or "
                        f"None, got {estimator!r}{f', which is not compiled with {reason}' if reason else ''}")
    return judge
