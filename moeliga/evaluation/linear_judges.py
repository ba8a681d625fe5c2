"""Linear models of scikit-learn as compiled judges: functions that read their parameters."""

from numbers import Real

import numpy as np
from sklearn import __version__

from moeliga._ext.judges import KINDS, SHRINKAGES
from moeliga.evaluation.compiled_judge import Parameters

BEFORE_1_9 = tuple(map(int, __version__.split(".")[:2])) < (1, 9)
"""From 1.9 on least squares cut small singular values by `tol`, and discriminants divide by the number of samples."""


def intercept_and_balanced(parameters):
    """Return (1 if an intercept is fitted, 1 if the classes are balanced), else 0: two integers."""
    weight = parameters.get("class_weight")
    if not isinstance(weight, dict) and "class_weight" in parameters:
        parameters.check_choice("class_weight", None, "balanced")
    return int(bool(parameters["fit_intercept"])), int(isinstance(weight, str))


def ridge(parameters):
    """Return the arguments of `Judge` for Ridge and RidgeClassifier: dict; iterative solvers are not compiled."""
    parameters.check_choice("solver", "auto", "cholesky", "svd")
    parameters.check_equal(positive=False)
    return {"kind": KINDS["ridge"], "closed": "unscaled", "whole": intercept_and_balanced(parameters),
            "real": (parameters.positive("alpha"),), "class_weight": parameters.class_weight()}


def least_squares(parameters):
    """Return the arguments of `Judge` for LinearRegression: dict."""
    parameters.check_equal(positive=False)
    tolerance = np.finfo(np.float64).eps if BEFORE_1_9 else parameters.positive("tol")
    return {"kind": KINDS["least_squares"], "closed": False, "whole": intercept_and_balanced(parameters),
            "real": (0.0, float(tolerance))}


def discriminant(parameters):
    """Return the arguments of `Judge` for LinearDiscriminantAnalysis: dict."""
    parameters.check_equal(priors=None, covariance_estimator=None, n_components=None)
    parameters.check_choice("solver", "svd", "lsqr")
    shrinkage = parameters["shrinkage"]
    if parameters["solver"] == "svd":
        parameters.check_equal(shrinkage=None)
        return {"kind": KINDS["discriminant"], "closed": True, "whole": (SHRINKAGES["svd"], int(BEFORE_1_9)),
                "real": (0.0, parameters.positive("tol"))}
    if isinstance(shrinkage, str) and shrinkage == "auto":
        return {"kind": KINDS["discriminant"], "closed": False, "whole": (SHRINKAGES["auto"], 0)}
    # without shrinkage, rounding errors decide where the covariance is singular
    shrinkage = parameters.number("shrinkage", Real, lambda value: 0 < value <= 1)
    return {"kind": KINDS["discriminant"], "closed": "unscaled", "whole": (SHRINKAGES["lsqr"], 0),
            "real": (float(shrinkage),)}


def logistic(parameters):
    """Return the arguments of `Judge` for LogisticRegression: dict; `tol` and `max_iter` are taken as by lbfgs."""
    parameters.check_choice("penalty", "deprecated", "l2")
    parameters.check_choice("solver", "lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")
    parameters.check_equal(dual=False)
    if parameters["l1_ratio"] is not None:
        parameters.check_equal(l1_ratio=0)
    Parameters({"multi_class": "auto", **parameters}).check_choice("multi_class", "auto", "deprecated", "multinomial")
    max_iter = parameters.whole("max_iter", 0)
    tolerance = parameters.number("tol", Real, lambda value: 0 <= value < np.inf)
    return {"kind": KINDS["logistic"], "closed": False, "whole": (*intercept_and_balanced(parameters), max_iter),
            "real": (parameters.positive("C"), float(tolerance)), "class_weight": parameters.class_weight()}


def svm(parameters):
    """Return the arguments of `Judge` for LinearSVC: dict; `tol` and `max_iter` are ignored, the optimum is found."""
    parameters.check_equal(penalty="l2", loss="squared_hinge", multi_class="ovr")
    return {"kind": KINDS["svm"], "closed": False, "whole": intercept_and_balanced(parameters),
            "real": (parameters.positive("C"), parameters.positive("intercept_scaling")),
            "class_weight": parameters.class_weight()}
