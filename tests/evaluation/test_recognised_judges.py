"""Which estimators of scikit-learn are compiled, and which parameters of theirs."""

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import moeliga
from moeliga._ext.judges import KINDS, SCALINGS
from moeliga.evaluation.compiled_judge import NotCompiled
from moeliga.evaluation.judges import JUDGES, SCALERS, recognise

COMPILED = {  # of every parameter values that the compiled form has
    GaussianNB: {"priors": [None, [0.5, 0.5]], "var_smoothing": [1e-9, 1]},
    KNeighborsClassifier: {
        "n_neighbors": [1, np.int64(7)], "weights": ["uniform", "distance"],
        "algorithm": ["auto", "ball_tree", "kd_tree", "brute"], "leaf_size": [3], "p": [1, 2.0],
        "metric": ["minkowski", "euclidean", "l2", "manhattan", "l1", "cityblock"], "metric_params": [None],
        "n_jobs": [None, 2]},
    RidgeClassifier: {
        "alpha": [1e-6, 1, np.float32(2)], "fit_intercept": [True, False], "class_weight": [None, "balanced", {0: 2.5}],
        "copy_X": [True, False], "max_iter": [7], "positive": [False], "random_state": [7], "tol": [0.1],
        "solver": ["auto", "cholesky", "svd"]},
    LinearRegression: {"fit_intercept": [True, False], "copy_X": [True, False], "n_jobs": [None, 2],
                       "positive": [False], "tol": [1e-6]},
    LinearDiscriminantAnalysis: {
        "solver": ["svd"], "shrinkage": [None], "priors": [None], "n_components": [None],
        "store_covariance": [True, False], "tol": [1e-4, 1e-9], "covariance_estimator": [None]},
    LogisticRegression: {
        "C": [1e-3, 1], "class_weight": [None, "balanced", {0: 2.5}], "dual": [False], "fit_intercept": [True, False],
        "intercept_scaling": [7], "l1_ratio": [0, None], "max_iter": [0, np.int64(7)], "n_jobs": [None, 2],
        "penalty": ["l2"], "random_state": [7], "solver": ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"],
        "tol": [0, 0.1], "verbose": [0], "warm_start": [True, False]},
    LinearSVC: {
        "C": [1e-3, 1], "class_weight": [None, "balanced", {0: 2.5}], "dual": [True, False, "auto"],
        "fit_intercept": [True, False], "intercept_scaling": [1, 10.0], "loss": ["squared_hinge"], "max_iter": [7],
        "multi_class": ["ovr"], "penalty": ["l2"], "random_state": [7], "tol": [0.1], "verbose": [0]},
    StandardScaler: {"copy": [True, False], "with_mean": [True], "with_std": [True]},
    MinMaxScaler: {"feature_range": [(0, 1)], "copy": [True, False], "clip": [False]},
}
TREES = {"max_depth": [None, 1, np.int64(7)], "min_samples_split": [2, 5], "min_samples_leaf": [1, 3]}
COMPILED[moeliga.DecisionTreeClassifier] = {**TREES, "n_jobs": [None, 2]}
COMPILED[DecisionTreeRegressor] = {
    **TREES, "ccp_alpha": [0.0], "criterion": ["squared_error"], "max_features": [None], "max_leaf_nodes": [None],
    "min_impurity_decrease": [0.0], "min_weight_fraction_leaf": [0.0], "monotonic_cst": [None],
    "random_state": [None, 7], "splitter": ["best"]}
COMPILED[moeliga.DecisionTreeRegressor] = COMPILED[moeliga.DecisionTreeClassifier]
COMPILED[DecisionTreeClassifier] = {**COMPILED[DecisionTreeRegressor], "criterion": ["gini"],
                                    "class_weight": [None, {0: 2}, "balanced"]}
FORESTS = {**TREES, "n_estimators": [1, 50], "max_features": [None, "sqrt", "log2", 0.5, 3], "bootstrap": [True],
           "oob_score": [False], "max_samples": [None], "random_state": [None, 7], "n_jobs": [None, 2],
           "min_weight_fraction_leaf": [0.0]}
THEIRS = {**FORESTS, **{name: values for name, values in COMPILED[DecisionTreeRegressor].items()
                        if name not in ("splitter", *FORESTS)}, "verbose": [0, 2], "warm_start": [False]}
for own, sklearns in ((moeliga.RandomForestClassifier, ensemble.RandomForestClassifier),
                      (moeliga.ExtraTreesClassifier, ensemble.ExtraTreesClassifier),
                      (moeliga.RandomForestRegressor, ensemble.RandomForestRegressor),
                      (moeliga.ExtraTreesRegressor, ensemble.ExtraTreesRegressor)):
    COMPILED[own], COMPILED[sklearns] = FORESTS, THEIRS
    if "class_weight" in sklearns().get_params():
        COMPILED[own] = {**FORESTS, "class_weight": [None, {0: 2}]}
        COMPILED[sklearns] = {**THEIRS, "criterion": ["gini"], "class_weight": [None, {0: 2}]}
COMPILED[KNeighborsRegressor] = COMPILED[KNeighborsClassifier]
COMPILED[Ridge] = {name: values for name, values in COMPILED[RidgeClassifier].items() if name != "class_weight"}

NOT_COMPILED = {
    GaussianNB: {"var_smoothing": [0, -1, "much", True]},
    KNeighborsClassifier: {"n_neighbors": [0, 2.5, None], "weights": [None, np.sqrt, "near"], "p": [3, 1.5],
                           "metric": ["chebyshev", "nan_euclidean", max], "metric_params": [{"w": [1]}]},
    RidgeClassifier: {"alpha": [0, -1, np.inf, True, [1, 2]], "class_weight": [{0: "2"}], "positive": [True],
                      "solver": ["lsqr", "sag", "lbfgs"]},
    Ridge: {"alpha": [0, [1, 2]], "positive": [True], "solver": ["saga"]},
    LinearRegression: {"positive": [True]},
    LinearDiscriminantAnalysis: {"solver": ["eigen"], "shrinkage": ["auto", 0.5],
                                 "priors": [[0.5, 0.5], np.array([0.5, 0.5])], "n_components": [1],
                                 "covariance_estimator": [Ridge()], "tol": [0]},
    LogisticRegression: {"C": [0, np.inf], "class_weight": [{0: "2"}], "dual": [True], "l1_ratio": [0.5],
                         "max_iter": [-1, 2.5, True], "tol": [-1, np.inf, None],
                         "penalty": ["l1", None, "elasticnet"], "solver": ["liblinear"]},
    LinearSVC: {"C": [0], "class_weight": [{0: "2"}], "intercept_scaling": [0], "loss": ["hinge"],
                "multi_class": ["crammer_singer"], "penalty": ["l1"]},
    DecisionTreeClassifier: {
        "ccp_alpha": [0.1], "class_weight": ["balanced_subsample", {0: True}], "criterion": ["entropy", "log_loss"],
        "max_depth": [0, 2.5, True], "max_features": ["sqrt", 3, 0.5], "max_leaf_nodes": [9],
        "min_impurity_decrease": [0.1], "min_samples_leaf": [0.1, 0], "min_samples_split": [0.1, 1],
        "min_weight_fraction_leaf": [0.1], "monotonic_cst": [[1, 0]], "splitter": ["random"]},
    ensemble.RandomForestClassifier: {
        "class_weight": ["balanced_subsample"], "criterion": ["entropy"], "max_depth": [0], "max_samples": [1.5],
        "min_samples_leaf": [0.5], "random_state": [np.random.RandomState(0)], "warm_start": [True]},
    moeliga.ExtraTreesRegressor: {"random_state": [np.random.RandomState(0)]},
    DecisionTreeRegressor: {"criterion": ["absolute_error", "poisson"], "monotonic_cst": [[1, 0]]},
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


@pytest.mark.parametrize("model", [
    DecisionTreeClassifier(criterion="squared_error"), KNeighborsClassifier(algorithm="nope"),
    KNeighborsClassifier(leaf_size=-1), LogisticRegression(fit_intercept="no"), LinearSVC(dual="foo"),
    make_pipeline(StandardScaler(copy="no"), GaussianNB())], ids=str)
def test_a_wrong_value_that_changes_nothing_is_scikit_learns_error(model):
    """A search without honest scores would never fit the model itself."""
    with pytest.raises(ValueError, match="parameter of .* must be"):
        recognise(model)


def test_all_that_is_compiled_is_tested():
    assert set(COMPILED) == set(JUDGES) | set(SCALERS)


def test_what_a_judge_is_made_of():
    judge = recognise(make_pipeline(MinMaxScaler(), KNeighborsRegressor(3, weights="distance", metric="l1")))
    assert (judge.name, judge.kind, judge.scaling, judge.regression) == (
        "KNeighborsRegressor", KINDS["neighbours"], SCALINGS["range"], True)
    assert (judge.whole, judge.priors) == ((3, 1, 1), None)
    judge = recognise(make_pipeline(StandardScaler(), GaussianNB(priors=[0.25, 0.75], var_smoothing=0.5)))
    assert (judge.kind, judge.scaling, judge.real, judge.priors.tolist(), judge.regression) == (
        KINDS["bayes"], SCALINGS["standard"], (0.5,), [0.25, 0.75], False)
    assert recognise(Pipeline([("none", "passthrough"), ("model", GaussianNB())])).scaling == SCALINGS["none"]


def test_shrunken_discriminants():
    """Only the solver lsqr shrinks; without shrinkage its answers are not stable where a covariance is singular."""
    for shrinkage, whole, real in (("auto", (2, 0), ()), (0.5, (1, 0), (0.5,)), (1, (1, 0), (1.0,))):
        judge = recognise(LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage))
        assert (judge.whole, judge.real) == (whole, real)
    for shrinkage in (None, 0, 2, "much"):
        with pytest.raises(NotCompiled) as caught:
            recognise(LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage))
        assert str(caught.value) == f"shrinkage={shrinkage!r}"


def test_which_judges_leave_each_row_out():
    """Those whose answers without a row, and by a scaling that is learnt without it, have a closed form."""
    shrunken = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5)
    cases = ((GaussianNB(), True, True), (KNeighborsClassifier(), True, True), (Ridge(), True, False),
             (LinearDiscriminantAnalysis(), True, True), (shrunken, True, False), (LinearRegression(), False, False),
             (LogisticRegression(), False, False), (LinearSVC(), False, False))
    for model, alone, scaled in cases:
        assert (recognise(model).closed, recognise(make_pipeline(StandardScaler(), model)).closed) == (alone, scaled)


def test_other_classes_are_not_recognised():
    class Own(GaussianNB):
        pass

    class Scaler(StandardScaler):
        pass

    for other in (Own(), BernoulliNB(), RadiusNeighborsClassifier(), BaggingClassifier(GaussianNB()),
                  make_pipeline(RobustScaler(), GaussianNB()), make_pipeline(Scaler(), GaussianNB()),
                  make_pipeline(StandardScaler(), MinMaxScaler(), GaussianNB()), make_pipeline(StandardScaler()),
                  make_pipeline(GaussianNB(), "passthrough", "passthrough", Own()),
                  make_pipeline(GaussianNB(), "passthrough"), make_pipeline(StandardScaler(), GaussianNB(), None)):
        assert recognise(other) is None


def test_a_pipeline_that_hands_on_metadata_is_not_compiled():
    with pytest.raises(NotCompiled, match="transform_input="):
        recognise(Pipeline([("model", GaussianNB())], transform_input=["X_val"]))


def test_wrong_priors_are_refused():
    for priors in ([0.5, 0.6], [-0.5, 1.5], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match="priors of GaussianNB must be probabilities"):
            recognise(GaussianNB(priors=priors))
