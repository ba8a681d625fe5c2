"""Linear models of scikit-learn as compiled judges: functions that read their parameters."""

from numbers import Real

import numpy as np
from sklearn import __version__

from moeliga._ext.judges import KINDS, SHRINKAGES
from moeliga.evaluation.compiled_judge import check_class_weight, check_usual, choice, number, positive, whole

BEFORE_1_9 = tuple(map(int, __version__.split(".")[:2])) < (1, 9)
"""From 1.9 on least squares cut small singular values by `tol`, and discriminants divide by the number of samples."""


def fitted(parameters):
    """Return (1 if an intercept is fitted, 1 if the classes are balanced), else 0: two integers."""
    weight = parameters.get("class_weight")
    if not isinstance(weight, dict) and "class_weight" in parameters:
        choice(parameters, "class_weight", None, "balanced")
    return int(bool(parameters["fit_intercept"])), int(isinstance(weight, str))


def ridge(parameters):
    """Return the arguments of `Judge` for Ridge and RidgeClassifier: dict; iterative solvers are not compiled."""
    choice(parameters, "solver", "auto", "cholesky", "svd")
    check_usual(parameters, ("positive", False))
    return {"kind": KINDS["ridge"], "closed": "unscaled", "whole": fitted(parameters),
            "real": (positive(parameters, "alpha"),), "class_weight": check_class_weight(parameters)}


def least_squares(parameters):
    """Return the arguments of `Judge` for LinearRegression: dict."""
    check_usual(parameters, ("positive", False))
    tolerance = np.finfo(np.float64).eps if BEFORE_1_9 else positive(parameters, "tol")
    return {"kind": KINDS["least_squares"], "closed": False, "whole": fitted(parameters),
            "real": (0.0, float(tolerance))}


def discriminant(parameters):
    """Return the arguments of `Judge` for LinearDiscriminantAnalysis: dict."""
    check_usual(parameters, ("priors", None), ("covariance_estimator", None), ("n_components", None))
    choice(parameters, "solver", "svd", "lsqr")
    shrinkage = parameters["shrinkage"]
    if parameters["solver"] == "svd":
        check_usual(parameters, ("shrinkage", None))
        return {"kind": KINDS["discriminant"], "closed": True, "whole": (SHRINKAGES["svd"], int(BEFORE_1_9)),
                "real": (0.0, positive(parameters, "tol"))}
    if isinstance(shrinkage, str) and shrinkage == "auto":
        return {"kind": KINDS["discriminant"], "closed": False, "whole": (SHRINKAGES["auto"], 0)}
    # without shrinkage, rounding errors decide where the covariance is singular
    shrinkage = number(parameters, "shrinkage", Real, lambda value: 0 < value <= 1)
    return {"kind": KINDS["discriminant"], "closed": "unscaled", "whole": (SHRINKAGES["lsqr"], 0),
            "real": (float(shrinkage),)}


def logistic(parameters):
    """Return the arguments of `Judge` for LogisticRegression: dict; `tol` and `max_iter` are those of lbfgs."""
    choice(parameters, "penalty", "deprecated", "l2")
    choice(parameters, "solver", "lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")
    check_usual(parameters, ("dual", False))
    if parameters["l1_ratio"] is not None:
        check_usual(parameters, ("l1_ratio", 0))
    choice({"multi_class": "auto", **parameters}, "multi_class", "auto", "deprecated", "multinomial")
    max_iter = whole(parameters, "max_iter", 0)
    tolerance = number(parameters, "tol", Real, lambda value: 0 <= value < np.inf)
    return {"kind": KINDS["logistic"], "closed": False, "whole": (*fitted(parameters), max_iter),
            "real": (positive(parameters, "C"), float(tolerance)), "class_weight": check_class_weight(parameters)}


def svm(parameters):
    """Return the arguments of `Judge` for LinearSVC: dict; `tol` and `max_iter` are ignored, the optimum is found."""
    check_usual(parameters, ("penalty", "l2"), ("loss", "squared_hinge"), ("multi_class", "ovr"))
    return {"kind": KINDS["svm"], "closed": False, "whole": fitted(parameters),
            "real": (positive(parameters, "C"), positive(parameters, "intercept_scaling")),
            "class_weight": check_class_weight(parameters)}
