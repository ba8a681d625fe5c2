"""Stored answers: every scorer gives what it gives for the model itself."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, RidgeClassifier, SGDClassifier
from sklearn.metrics import cohen_kappa_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from case_names import named
from cross_fitted import data, metadata, small
from moeliga.data.problem import Problem
from moeliga.evaluation.scores import soft_uar
from moeliga.validation.replay import ReplayClassifier, ReplayRegressor, answers_of, check_scorer, never_has

LABELS = [np.arange(3), np.array(["b", "c", "x"]), np.array([-1.0, 0.0, 7.0])]


def replayed(model, X, classes):
    """The stand-in for a fitted model that has answered for X."""
    answers = answers_of(model, X, classes)
    if classes is None:
        return ReplayRegressor(answers)
    answers["predict"] = classes[answers["predict"]]
    return ReplayClassifier(answers, classes)


@pytest.mark.parametrize("scoring", [
    "accuracy", "balanced_accuracy", "f1_macro", "matthews_corrcoef", "roc_auc_ovr", "roc_auc_ovo", "neg_log_loss",
    make_scorer(cohen_kappa_score), lambda model, X, y: model.score(X, y),
    lambda model, X, y: float(model.predict_proba(X)[y == model.classes_[1]].sum())], ids=named)
@pytest.mark.parametrize("labels", LABELS, ids=["numbers", "texts", "floats"])
def test_a_scorer_gives_what_it_gives_for_the_model(rng, scoring, labels):
    """Of predictions and probabilities, whatever the classes are called."""
    X, y = data(rng, n_classes=3)
    y, model = labels[y], make_pipeline(StandardScaler(), GaussianNB())
    model.fit(X[:24], y[:24])
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    assert scorer(replayed(model, X[24:], labels), None, y[24:]) == scorer(model, X[24:], y[24:])


@pytest.mark.parametrize("scoring", ["roc_auc", "average_precision", "accuracy", "neg_brier_score"])
@pytest.mark.parametrize("model", [RidgeClassifier(), Perceptron(), GaussianNB(), KNeighborsClassifier()],
                         ids=lambda model: type(model).__name__)
def test_a_scorer_takes_decisions_and_probabilities_of_two_classes(rng, scoring, model):
    """As far as the model has them: it fails as for the model itself."""
    X, y = data(rng)
    model.fit(X[:24], y[:24])
    scorer, replay = get_scorer(scoring), replayed(model, X[24:], np.arange(2))
    if scoring == "neg_brier_score" and not hasattr(model, "predict_proba"):
        with pytest.raises(AttributeError, match="predict_proba"):
            scorer(replay, None, y[24:])
    else:
        assert scorer(replay, None, y[24:]) == scorer(model, X[24:], y[24:])


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error", "neg_median_absolute_error"])
def test_a_scorer_of_a_regressor(rng, scoring):
    """It is asked for predictions alone."""
    X, _ = data(rng)
    y = X[:, 0] + rng.normal(size=48)
    model, scorer = Ridge().fit(X[:24], y[:24]), get_scorer(scoring)
    replay = replayed(model, X[24:], None)
    assert list(replay.answers) == ["predict"]
    assert scorer(replay, None, y[24:]) == scorer(model, X[24:], y[24:])
    assert is_regressor(replay)


def test_a_stand_in_is_a_fitted_classifier_that_can_be_pickled(rng):
    """Without the methods that it has no answers of."""
    replay = ReplayClassifier({"predict": np.array([1])}, np.arange(2))
    assert is_classifier(replay)
    assert pickle.loads(pickle.dumps(replay)).predict(None).tolist() == [1]
    assert not hasattr(replay, "predict_proba")
    assert not hasattr(replay, "decision_function")
    assert not hasattr(replay, "transform")


class Answering(ClassifierMixin, BaseEstimator):
    """A fitted classifier that gives some answers."""

    def __init__(self, classes, **answers):
        self.classes_ = np.asarray(classes)
        for name, values in answers.items():
            setattr(self, name, lambda X, values=values: np.asarray(values))


@pytest.mark.parametrize(("seen", "decisions", "wide"), [
    ([0, 2], [2.0, -3.0], [[-2.0, -3.0, 2.0], [3.0, -4.0, -3.0]]),
    ([1, 2], [[1.0, 5.0], [0.5, 0.0]], [[-1.0, 1.0, 5.0], [-1.0, 0.5, 0.0]]),
], ids=["one column", "two columns"])
def test_classes_that_a_fold_lacks_have_no_probability_and_the_lowest_decision(seen, decisions, wide):
    """So that the answers of all folds have one form."""
    model = Answering(seen, predict=[seen[0], seen[1]], predict_proba=[[0.25, 0.75], [1, 0]],
                      decision_function=decisions)
    found = answers_of(model, np.zeros((2, 1)), np.arange(3))
    assert_array_equal(found["predict"], seen)
    assert_array_equal(found["predict_proba"][:, seen], [[0.25, 0.75], [1, 0]])
    assert_array_equal(np.delete(found["predict_proba"], seen, axis=1), np.zeros((2, 1)))
    assert_array_equal(found["decision_function"], wide)
    for values, rows in zip(found["decision_function"], found["decision_function"], strict=True):
        assert values.argmax() == rows.argmax()


@pytest.mark.parametrize("seen", [[0, 2], [0, 1, 2]], ids=len)
@pytest.mark.parametrize("model", [RidgeClassifier(), LinearSVC(), GaussianNB()], ids=named)
def test_the_smooth_uar_of_answers_is_that_of_the_model(rng, model, seen):
    """Also where a fold never_has classes."""
    X, y = data(rng, n_classes=4)
    learnt = np.isin(y, seen) & (np.arange(len(y)) < len(y) // 2)
    model.fit(X[learnt], y[learnt])
    assert 0 < soft_uar(model, X, y) < 1
    assert soft_uar(replayed(model, X, np.arange(4)), X, y) == soft_uar(model, X, y)


@pytest.mark.parametrize(("classes", "predicted", "places"), [
    ([0, 1, 2], [[2], [0]], [2, 0]),
    (["a", "b"], np.array([["b"], ["a"]], dtype=object), [1, 0]),
    (None, [[1], [4]], [1.0, 4.0]),
], ids=["numbers", "objects", "targets"])
def test_predictions_that_come_as_a_column_are_flat(classes, predicted, places):
    """As other libraries give them."""
    classes = None if classes is None else np.array(classes)
    found = answers_of(Answering([] if classes is None else classes, predict=predicted), np.zeros((2, 1)), classes)
    assert_array_equal(found["predict"], places)
    assert found["predict"].dtype == (np.float64 if classes is None else np.int64)


def test_all_other_answers_are_of_double_precision(rng):
    """Whatever the model gives, such as the whole numbers of a constant one."""
    X, y = data(rng)
    found = answers_of(DummyClassifier(strategy="constant", constant=1).fit(X, y), X, np.arange(2))
    assert {name: values.dtype for name, values in found.items()} == {"predict": np.int64, "predict_proba": np.float64}


@pytest.mark.parametrize(("scoring", "best"), [
    ("accuracy", 1), ("roc_auc", 1), ("neg_log_loss", 0), ("neg_brier_score", 0), ("r2", 1),
    ("neg_mean_squared_error", 0)])
def test_perfect_answers_have_the_best_score(rng, scoring, best):
    X, y = data(rng)
    target = scoring in ("r2", "neg_mean_squared_error")
    problem = Problem(X, y + rng.normal(size=len(y)) if target else y % 2, target)
    assert check_scorer(get_scorer(scoring), problem, metadata(len(y))) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize(("scoring", "target", "message"), [
    ("neg_log_loss", True,
     "scoring must accept the predictions of the deployed model: the model has none of the following attributes: "
     "predict_proba."),
    ("accuracy", True, "scoring must accept the predictions of the deployed model: "),
    ("precision", False, "scoring must accept the predictions of the deployed model: Target is multiclass")])
def test_a_score_of_what_a_model_does_not_answer_is_refused(rng, scoring, target, message):
    """Before any search, and by no name of a class that the caller has not seen."""
    X, y = data(rng, n_classes=3)
    problem = Problem(X, y + rng.normal(size=len(y)) if target else y, target)
    with pytest.raises(ValueError, match=f"^{message}"):
        check_scorer(get_scorer(scoring), problem, metadata(len(y)))


@pytest.mark.parametrize(("model", "scoring"), [
    (SVC(), "neg_log_loss"), (make_pipeline(StandardScaler(), VotingClassifier([("a", GaussianNB())])), "soft_uar"),
    (RidgeClassifier(), "roc_auc_ovr"),
    (SGDClassifier(), "neg_log_loss"), (VotingClassifier([("a", GaussianNB())]), "roc_auc_ovr"),
    (StackingClassifier([("a", GaussianNB())], LinearSVC()), "neg_log_loss")], ids=named)
def test_a_score_of_what_the_model_lacks_is_refused_before_the_search(rng, model, scoring):
    X, y = data(rng, n_classes=3)
    generations = []
    with pytest.raises(ValueError, match="^scoring must accept the predictions .*: the model has no"):
        small(model, scoring=scoring, callbacks=generations.append).fit(X, y)
    assert not generations


@pytest.mark.parametrize("model", [
    LogisticRegression(), SVC(probability=True), GridSearchCV(SGDClassifier(), {"loss": ["log_loss"]}),
    SGDClassifier(loss="log_loss"), make_pipeline(GaussianNB()),
    StackingClassifier([("a", GaussianNB())]), GridSearchCV(SVC(), {"C": [1]})], ids=named)
def test_models_that_may_have_probabilities_are_not_refused(model):
    """Of some it depends on the fit."""
    assert not never_has(model, "predict_proba")
