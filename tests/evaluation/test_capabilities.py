"""What data an estimator takes: those that scikit-learn's own fit takes, and no others."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
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
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, TunedThresholdClassifierCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from moeliga.evaluation.capabilities import check_column_choice, takes_missing

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


UNIONS = {"indicators": lambda: (SimpleImputer(), MissingIndicator()), "scaled": lambda: (StandardScaler(),),
          "filled and scaled": lambda: (SimpleImputer(), StandardScaler()),
          "in a pipeline": lambda: (make_pipeline(StandardScaler(), SimpleImputer()),)}


@pytest.mark.parametrize("last", list(CLASSIFIERS))
@pytest.mark.parametrize("name", list(UNIONS))
def test_unions_take_missing_values_if_their_fit_does(rng, name, last):
    check(rng, make_pipeline(make_union(*UNIONS[name]()), CLASSIFIERS[last]), lambda y: y > 0)


def test_a_union_may_drop_parts(rng):
    union = make_union(SimpleImputer(), StandardScaler()).set_params(standardscaler="drop")
    check(rng, make_pipeline(union, LogisticRegression()), lambda y: y > 0)


BY_PLACE = {"all": slice(0, None), "numbers": [0, 2], "mask": [True, False, True],
            "function": lambda X: [len(X[0]) - 1]}
BY_NAME = {"name": "age", "names": ["age", "sex"], "index": np.array(["age"]), "from a name": slice("age", None),
           "types": make_column_selector(dtype_include="number")}
AROUND = {"alone": lambda step: make_pipeline(step, LogisticRegression()),
          "second": lambda step: make_pipeline("passthrough", make_pipeline(step), LogisticRegression()),
          "in a search": lambda step: GridSearchCV(make_pipeline(step, LogisticRegression()), {}),
          "voting": lambda step: VotingClassifier(of(make_pipeline(step, LogisticRegression()), CLASSIFIERS)),
          "union": lambda step: make_pipeline(make_union(step, StandardScaler()), LogisticRegression())}


@pytest.mark.parametrize("around", list(AROUND))
@pytest.mark.parametrize("columns", [*BY_PLACE, *BY_NAME])
def test_columns_are_picked_by_place(rng, columns, around):
    model = AROUND[around](ColumnTransformer([("one", StandardScaler(), {**BY_PLACE, **BY_NAME}[columns])]))
    X = rng.normal(size=(60, 3))
    if columns in BY_PLACE:
        check_column_choice("estimator", model)
        model.fit(X, X[:, 0] > 0)
        return
    with pytest.raises(ValueError, match=r"^estimator must not pick columns by name or type: .*got ColumnTransformer"):
        check_column_choice("estimator", model)
    with pytest.raises(ValueError, match="dataframe"):
        model.fit(X, X[:, 0] > 0)


def test_a_step_before_may_name_columns(rng):
    pandas = pytest.importorskip("pandas")
    moments = FunctionTransformer(lambda X: pandas.DataFrame({"mean": X.mean(axis=1), "deviation": X.std(axis=1)}))
    model = make_pipeline(moments, ColumnTransformer([("one", StandardScaler(), ["mean"])]), LogisticRegression())
    check_column_choice("estimator", model)
    X = rng.normal(size=(60, 3))
    model.fit(X, X[:, 0] > 0)


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
