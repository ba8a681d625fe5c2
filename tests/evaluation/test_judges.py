"""Which estimators of scikit-learn are compiled, and which parameters of theirs."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from moeliga._ext.judges import KINDS, SCALINGS
from moeliga.evaluation.judges import JUDGES, SCALERS, NotCompiled, recognise

COMPILED = {  # of every parameter values that the compiled form has
    GaussianNB: {"priors": [None, [0.5, 0.5]], "var_smoothing": [1e-9, 1]},
    KNeighborsClassifier: {
        "n_neighbors": [1, np.int64(7)], "weights": ["uniform", "distance"],
        "algorithm": ["auto", "ball_tree", "kd_tree", "brute"], "leaf_size": [3], "p": [1, 2.0],
        "metric": ["minkowski", "euclidean", "l2", "manhattan", "l1", "cityblock"], "metric_params": [None],
        "n_jobs": [None, 2]},
    StandardScaler: {"copy": [True, False], "with_mean": [True], "with_std": [True]},
    MinMaxScaler: {"feature_range": [(0, 1)], "copy": [True, False], "clip": [False]},
}
COMPILED[KNeighborsRegressor] = COMPILED[KNeighborsClassifier]

NOT_COMPILED = {
    GaussianNB: {"var_smoothing": [0, -1, "much", True]},
    KNeighborsClassifier: {"n_neighbors": [0, 2.5, None], "weights": [None, np.sqrt, "near"], "p": [3, 1.5],
                           "metric": ["chebyshev", "nan_euclidean", max], "metric_params": [{"w": [1]}]},
    StandardScaler: {"with_mean": [False], "with_std": [False]},
    MinMaxScaler: {"feature_range": [(-1, 1), [0, 2]], "clip": [True]},
}


def whole(part):
    """An estimator, alone or as the scaler of one."""
    return make_pipeline(part, GaussianNB()) if type(part) in SCALERS else part


@pytest.mark.parametrize("kind", COMPILED)
def test_every_parameter_is_compiled_or_named(kind):
    assert set(COMPILED[kind]) == set(kind().get_params())
    for name, values in COMPILED[kind].items():
        for value in values:
            assert recognise(whole(kind(**{name: value}))) is not None
    for name, values in NOT_COMPILED.get(kind, {}).items():
        for value in values:
            with pytest.raises(NotCompiled) as caught:
                recognise(whole(kind(**{name: value})))
            assert str(caught.value) == f"{name}={value!r}"


def test_all_that_is_compiled_is_tested():
    assert set(COMPILED) == set(JUDGES) | set(SCALERS)


def test_what_a_judge_is_made_of():
    judge = recognise(make_pipeline(MinMaxScaler(), KNeighborsRegressor(3, weights="distance", metric="l1")))
    assert (judge.name, judge.kind, judge.scaling, judge.regression) == (
        "KNeighborsRegressor", KINDS["neighbours"], SCALINGS["range"], True)
    assert (judge.whole, judge.least, judge.priors) == ((3, 1, 1), 3, None)
    judge = recognise(make_pipeline(StandardScaler(), GaussianNB(priors=[0.25, 0.75], var_smoothing=0.5)))
    assert (judge.kind, judge.scaling, judge.real, judge.priors.tolist(), judge.regression) == (
        KINDS["bayes"], SCALINGS["standard"], (0.5,), [0.25, 0.75], False)
    assert recognise(Pipeline([("none", "passthrough"), ("model", GaussianNB())])).scaling == SCALINGS["none"]


def test_other_classes_are_not_recognised():
    class Own(GaussianNB):
        pass

    class Scaler(StandardScaler):
        pass

    for other in (Own(), BernoulliNB(), RadiusNeighborsClassifier(), BaggingClassifier(GaussianNB()),
                  make_pipeline(RobustScaler(), GaussianNB()), make_pipeline(Scaler(), GaussianNB()),
                  make_pipeline(StandardScaler(), MinMaxScaler(), GaussianNB()), make_pipeline(StandardScaler()),
                  make_pipeline(GaussianNB(), "passthrough", "passthrough", Own())):
        assert recognise(other) is None


def test_a_pipeline_that_hands_on_metadata_is_not_compiled():
    with pytest.raises(NotCompiled, match="transform_input="):
        recognise(Pipeline([("model", GaussianNB())], transform_input=["X_val"]))


def test_wrong_priors_are_refused():
    for priors in ([0.5, 0.6], [-0.5, 1.5], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match="priors of GaussianNB must be probabilities"):
            recognise(GaussianNB(priors=priors))


def test_too_few_samples_are_refused():
    with pytest.raises(ValueError, match=r"n_neighbors of KNeighborsClassifier must be <= 4, .*, got 5"):
        recognise(KNeighborsClassifier()).check(4, 2)
    with pytest.raises(ValueError, match=r"priors of GaussianNB must have 3 entries, .*, got 2"):
        recognise(GaussianNB(priors=[0.5, 0.5])).check(4, 3)
