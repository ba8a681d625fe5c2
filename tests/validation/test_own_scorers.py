"""Scorers of the user's: which is called, what is known of it, and what is refused before any search."""

import itertools
import math
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.metrics import (
    d2_tweedie_score,
    make_scorer,
    mean_poisson_deviance,
    roc_auc_score,
    root_mean_squared_error,
)
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from cross_fitted import data, small
from moeliga import RandomForestClassifier, RandomForestRegressor


def targets(rng):
    X = rng.normal(size=(48, 9))
    return X, X[:, 0] + rng.normal(size=48)


@pytest.mark.parametrize(("name", "model", "make"), [("uar", GaussianNB, data), ("r2", LinearRegression, targets)])
def test_a_function_is_called_whatever_its_name(rng, name, model, make):
    """Also by that of the score without one."""
    def score(model, X, y):
        return 0.25

    score.__name__ = name
    selector = small(model(), scoring=score).fit(*make(rng))
    scores = selector.pareto_front_.honest_score
    assert set(scores[np.isfinite(scores)]) == {0.25}
    assert selector.honest_score_ == 0.25


@pytest.mark.quick(1)
@pytest.mark.parametrize("scoring", ["neg_mean_poisson_deviance", make_scorer(d2_tweedie_score, power=1.5)], ids=str)
def test_counts_of_0_have_a_deviance(rng, scoring):
    """Of the answers of a model, which are above 0, as those that are perfect would not be."""
    X, _ = targets(rng)
    selector = small(PoissonRegressor(), scoring=scoring).fit(X, rng.poisson(1.0, 48).astype(float))
    assert math.isfinite(selector.honest_score_) and math.isnan(selector._answers.best)


@pytest.mark.parametrize("scoring", ["accuracy", "uar", "f1_macro"])
def test_scores_of_classes_are_refused_for_whole_targets(rng, scoring):
    """Whose perfect answers look like classes."""
    generations = []
    with pytest.raises(ValueError, match="^scoring must "):
        small(Ridge(), scoring=scoring, callbacks=generations.append).fit(
            targets(rng)[0], rng.poisson(3.0, 48).astype(float))
    assert not generations


@pytest.mark.slow
def test_a_candidate_that_the_scorer_does_not_take_has_no_score(rng):
    """A warning names one; the others are scored."""
    X, _ = targets(rng)
    y = np.exp(0.2 * X[:, 0]) + 0.5
    X[:, 8] = 0.01 * rng.normal(size=48)
    X[40, 8], X[41, 8] = -9, 9  # in training and held out: a prediction below -1
    with pytest.warns(UserWarning, match="^scoring fails for the predictions of [1-9] of [1-9]+ candidates, which "
                                         "get no honest score, such as '.*' with up to [1-9] features: "):
        selector = small(LinearRegression(), scoring="neg_mean_squared_log_error", honest=KFold(3)).fit(X, y)
    scores = selector.pareto_front_.honest_score
    assert np.isnan(selector.baselines_.honest_score[-1]) and np.isfinite(scores).any()
    assert math.isfinite(selector.honest_score_)


def test_a_scorer_that_takes_no_candidate_is_an_error(rng):
    """Its own."""
    def score(model, X, y):
        if not np.array_equal(model.predict(X)[:2], y[:2]):
            raise ValueError("not these")
        return 1.0

    with pytest.raises(ValueError, match="not these"):
        small(LinearRegression(), scoring=score).fit(*targets(rng))


def rmse(model, X, y):
    return -root_mean_squared_error(y, model.predict(X))


@pytest.mark.slow
def test_r1_refuses_a_loss_whatever_its_name(rng):
    """Before any search, by the 0 of perfect answers; the summary has none."""
    generations = []
    with pytest.raises(ValueError, match=r"rule='r1' needs a score in \[0, 1\], got 'rmse'"):
        small(Ridge(), scoring=rmse, rule="r1", callbacks=generations.append).fit(*targets(rng))
    assert not generations
    assert "r1" not in {row["rule"] for row in small(Ridge(), scoring=rmse).fit(*targets(rng)).summary().rows}


def deviance(model, X, y):
    return -mean_poisson_deviance(y, model.predict(X))


def test_r1_refuses_a_function_of_which_nothing_is_known(rng):
    """Perfect answers of counts with a 0 have no deviance."""
    X, _ = targets(rng)
    with pytest.raises(ValueError, match=r"rule='r1' needs a score in \[0, 1\], got 'deviance'"):
        small(PoissonRegressor(), scoring=deviance, rule="r1").fit(X, rng.poisson(1.0, 48).astype(float))


class Shy(ClassifierMixin, BaseEstimator):
    """Has probabilities, by its class, until it is fitted."""

    def fit(self, X, y):
        self.model_ = GaussianNB().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def __getattr__(self, name):
        raise AttributeError(name)


@pytest.mark.parametrize(("model", "message"), [
    (Shy(), "scoring must accept the predictions of the deployed model: the model has none of .*predict_proba"),
    (LogisticRegression(C=-1), "The 'C' parameter of LogisticRegression must be"),
    (RandomForestClassifier(class_weight={7: 2}), "class_weight must have class labels of y as keys, got 7"),
], ids=["answers", "parameter", "label"])
def test_what_only_a_fit_of_the_model_tells_is_told_before_any_search(rng, model, message):
    """The model is tried on the samples of a fold."""
    generations = []
    with pytest.raises(ValueError, match=message):
        small(model, scoring="neg_log_loss", callbacks=generations.append).fit(*data(rng))
    assert not generations


class Either(ClassifierMixin, BaseEstimator):
    """Its fit has the kind of model that goes by the data: only one of the two has probabilities."""

    def __init__(self, shy=lambda X: X.shape[1] % 2 == 0):
        self.shy = shy

    def fit(self, X, y):
        self.model_ = (LinearSVC() if self.shy(X) else LogisticRegression()).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def __getattr__(self, name):
        if name not in ("predict", "predict_proba", "decision_function"):
            raise AttributeError(name)
        return getattr(self.model_, name)


def test_candidates_of_several_kinds_answer_by_what_all_of_them_have(rng):
    """As a search for parameters over kinds of models fits them; all features score as in a plain loop."""
    X, y = data(rng)
    selector = small(Either(), scoring="roc_auc", honest=KFold(3)).fit(X, y)
    assert set(selector._answers.answers) == {"predict", "decision_function"}
    decisions = cross_val_predict(LogisticRegression(), X, y, cv=KFold(3), method="decision_function")
    assert selector.baselines_.honest_score[-1] == pytest.approx(roc_auc_score(y, decisions))
    with pytest.raises(ValueError, match="must accept the predictions .*: the model has none of .*predict_proba"):
        small(Either(), scoring="neg_log_loss").fit(X, y)


def test_a_later_fold_whose_model_lacks_the_answers_is_an_error(rng):
    """Said when its model has answered, in the words of the first."""
    X, y = data(rng)
    X[20] = 100  # held out by the second of three
    model, folds = Either(shy=lambda X: X.max() < 100), []
    with pytest.raises(ValueError, match="must accept the predictions .*: the model has none of .*predict_proba"):
        small(model, scoring="neg_log_loss", honest=KFold(3),
              callbacks=lambda state: folds.append(state.fold) and None).fit(X, y)
    assert set(folds) == {None, 0, 1}


@pytest.mark.quick(1)
@pytest.mark.parametrize("scoring", ["adjusted_rand_score", "adjusted_mutual_info_score", "r2"])
def test_scores_below_0_are_within_their_interval(scoring):
    """Whose names do not say so."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        selector = small(scoring=scoring, rule="one_se").fit(rng.normal(size=(60, 6)), rng.integers(3, size=60))
        low, high = selector.honest_interval_
        assert low <= selector.honest_score_ <= high and selector._answers.score_bounds[0] == -math.inf


def test_a_forest_of_targets_has_its_score(rng):
    """The compiled one, by R2 under its usual name."""
    selector = small(RandomForestRegressor(n_estimators=5, random_state=0), scoring="r2").fit(*targets(rng))
    assert selector._answers.scorer is None


@pytest.mark.parametrize("value", [1e300, -1e300, None], ids=["high", "low", "both"])
def test_scores_whose_squares_are_no_numbers_are_nothing_to_warn_of(rng, value):
    """They are finite, and can be compared."""
    values = itertools.cycle((1e300, -1e300, 0.5) if value is None else (value,))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = small(scoring=lambda model, X, y: next(values)).fit(*data(rng))
    assert np.isfinite(selector.honest_score_)
