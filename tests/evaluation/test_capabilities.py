"""What data an estimator takes: those that scikit-learn's own fit takes, and no others."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from moeliga.evaluation.capabilities import takes_missing

CLASSIFIERS = {"boosting": HistGradientBoostingClassifier(max_iter=2), "linear": LogisticRegression(),
               "filled": make_pipeline(SimpleImputer(), LogisticRegression()),
               "scaled": make_pipeline(StandardScaler(), LogisticRegression())}
REGRESSORS = {"boosting": HistGradientBoostingRegressor(max_iter=2), "linear": LinearRegression(),
              "filled": make_pipeline(SimpleImputer(), LinearRegression()),
              "scaled": make_pipeline(StandardScaler(), LinearRegression())}


def of(model, others):
    return [("one", model), ("other", others["boosting"])]


WRAPPED = {
    "itself": lambda model: model, "calibrated": CalibratedClassifierCV, "threshold": FixedThresholdClassifier,
    "tuned": TunedThresholdClassifierCV, "one vs rest": OneVsRestClassifier, "bagging": BaggingClassifier,
    "search": lambda model: GridSearchCV(model, {}), "voting": lambda model: VotingClassifier(of(model, CLASSIFIERS)),
    "stacking": lambda model: StackingClassifier(of(model, CLASSIFIERS)),
    "dropped": lambda model: VotingClassifier([*of(model, CLASSIFIERS), ("none", "drop")]),
    "passed on": lambda model: StackingClassifier(of(model, CLASSIFIERS), passthrough=True),
    "passed on to one that takes it": lambda model: StackingClassifier(
        of(model, CLASSIFIERS), passthrough=True, final_estimator=CLASSIFIERS["boosting"]),
    "in two": lambda model: GridSearchCV(CalibratedClassifierCV(model), {})}


@pytest.mark.parametrize("name", list(CLASSIFIERS))
@pytest.mark.parametrize("wrap", list(WRAPPED))
def test_classifiers_take_missing_values_if_their_fit_does(rng, wrap, name):
    check(rng, WRAPPED[wrap](CLASSIFIERS[name]), lambda y: y > 0)


WRAPPED_REGRESSORS = {
    "itself": lambda model: model, "transformed target": TransformedTargetRegressor, "bagging": BaggingRegressor,
    "voting": lambda model: VotingRegressor(of(model, REGRESSORS)),
    "stacking": lambda model: StackingRegressor(of(model, REGRESSORS)),
    "behind a scaler": lambda model: make_pipeline(StandardScaler(), TransformedTargetRegressor(model))}


@pytest.mark.parametrize("name", list(REGRESSORS))
@pytest.mark.parametrize("wrap", list(WRAPPED_REGRESSORS))
def test_regressors_take_missing_values_if_their_fit_does(rng, wrap, name):
    check(rng, WRAPPED_REGRESSORS[wrap](REGRESSORS[name]), lambda y: y)


def test_a_default_regressor_is_linear(rng):
    check(rng, TransformedTargetRegressor(), lambda y: y)


def check(rng, model, labels):
    X = rng.normal(size=(60, 3))
    y = labels(X[:, 0] + rng.normal(size=60))
    X[::7, 1] = np.nan
    try:
        model.fit(X, y).predict(X)
    except ValueError:
        assert not takes_missing(model)
    else:
        assert takes_missing(model)
