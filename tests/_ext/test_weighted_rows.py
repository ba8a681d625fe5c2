"""Weights of the rows that judges learn from: scikit-learn's classes, rows that stand several times, all levels."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import naive.forest
from case_names import named
from moeliga._ext import judges, scores, tree
from moeliga._ext.evaluate import Evaluator
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset
from moeliga.evaluation.judges import recognise

LEVELS = [level for level in (0, 3, 4) if level <= tree.LEVEL]
MODELS = [(GaussianNB(), 1e-9), (GaussianNB(priors=[0.2, 0.3, 0.5], var_smoothing=0.3), 1e-9),
          (RidgeClassifier(), 1e-9), (RidgeClassifier(0.01, fit_intercept=False), 1e-9), (Ridge(3), 1e-9),
          (LinearRegression(), 1e-9),
          (LogisticRegression(tol=1e-10, solver="newton-cg", max_iter=1000), 1e-6),
          (LinearSVC(tol=1e-10, dual=False, max_iter=10000), 1e-6),
          (make_pipeline(StandardScaler(), GaussianNB()), 1e-9)]


def blobs(rng, n, k):
    X, y = rng.normal(size=(n, k)), rng.permutation(np.arange(n) % 3)
    return X + y[:, None] * rng.normal(size=k), y


def asked(model, X, y, learn, ask, weights, level=tree.LEVEL):
    """The answers of the compiled judge; of a target it is y in units of its own."""
    judge = recognise(model)
    known = {"target": y / 1.0} if judge.regression else {"labels": y.astype(np.int32), "n_classes": 3}
    rows = [None if part is None else part.astype(np.int32) for part in (learn, ask)]
    return judges.answers(judge, np.ascontiguousarray(X.T), np.arange(X.shape[1], dtype=np.int32), *rows,
                          weights=weights, level=level, **known)


def table_of(model, X):
    """The answers of a fitted class of scikit-learn."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)[:, None]


@pytest.mark.parametrize(("n", "k"), [(60, 5), (40, 30), (30, 50)])
@pytest.mark.parametrize(("model", "near"), MODELS, ids=named)
def test_answers_are_those_of_scikit_learn(rng, model, near, n, k):
    """Rows of weight 0 too; more features than rows; the same bits at every level."""
    X, y = blobs(rng, n, k)
    learn, ask = np.arange(n)[n // 3 :], np.arange(n)[: n // 3]
    for weights in (rng.integers(0, 4, n) / 1.0, rng.random(n)):
        name = f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
        wanted = table_of(model.fit(X[learn], y[learn], **{name: weights[learn]}), X[ask])
        tables = [asked(model, X, y, learn, ask, weights, level) for level in LEVELS]
        np.testing.assert_allclose(tables[0], wanted, rtol=near, atol=near)
        for table in tables[1:]:
            np.testing.assert_array_equal(table, tables[0])


@pytest.mark.parametrize(("model", "near"), [pair for pair in MODELS if "GaussianNB" not in str(pair[0])], ids=named)
def test_answers_are_those_of_rows_that_stand_several_times(rng, model, near):
    X, y = blobs(rng, 50, 6)
    learn, ask, weights = np.arange(35), np.arange(35, 50), rng.integers(0, 5, 50)
    found = asked(model, X, y, learn, ask, weights / 1.0)
    rows = np.concatenate((np.repeat(learn, weights[learn]), ask))
    n = len(rows) - len(ask)
    repeated = asked(model, X[rows], y[rows], np.arange(n), np.arange(n, len(rows)), None)
    np.testing.assert_allclose(found, repeated, rtol=near, atol=near)


@pytest.mark.parametrize("model", [RidgeClassifier(), Ridge(0.1), RidgeClassifier(fit_intercept=False)], ids=named)
@pytest.mark.parametrize("k", [5, 40])
def test_ridge_leaves_out_a_row_with_its_weight(rng, model, k):
    X, y = blobs(rng, 30, k)
    weights = rng.random(30) + 0.1
    found = asked(model, X, y, np.arange(30), None, weights)
    for i in range(30):
        learn = np.delete(np.arange(30), i)
        np.testing.assert_allclose(found[i : i + 1], asked(model, X, y, learn, np.array([i]), weights), rtol=1e-8)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("labels", [[0, 1], [0, 2], [0, 1, 2]], ids=str)
def test_a_class_of_weight_0_has_its_part_in_the_penalty(rng, labels, intercept):
    """Logistic regression knows it, as scikit-learn's; its chance comes to 0 beside an intercept alone."""
    X, y = blobs(rng, 90, 4)
    X, y = X[np.isin(y, labels)], y[np.isin(y, labels)]
    learn, ask = np.arange(len(y))[10:], np.arange(10)
    for absent in labels:
        weights = np.where(y == absent, 0.0, rng.random(len(y)) + 0.5)
        model = LogisticRegression(fit_intercept=intercept, tol=1e-10, max_iter=1000)
        wanted = np.zeros((10, 3))
        wanted[:, labels] = table_of(model.fit(X[learn], y[learn], sample_weight=weights[learn]), X[ask])
        for level in LEVELS:
            np.testing.assert_allclose(asked(model, X, y, learn, ask, weights, level), wanted, rtol=0, atol=1e-6)


def test_weights_that_are_all_0_are_none(rng):
    X, y = blobs(rng, 30, 4)
    weights = np.where(np.arange(30) < 20, 0.0, 1.0)
    for model, _ in MODELS:
        tables = [asked(model, X, y, np.arange(20), np.arange(20, 30), given) for given in (weights, None)]
        np.testing.assert_array_equal(*tables)


@pytest.mark.parametrize(("model", "weights", "message"), [
    (GaussianNB(), np.ones(29), "weights must have 30 entries, got 29"),
    (GaussianNB(), np.full(30, -1.0), "weights must be finite and >= 0, got -1.0 at 0"),
    (GaussianNB(), np.full(30, np.nan), "weights must be finite and >= 0, got nan at 0"),
    (RidgeClassifier(class_weight="balanced"), np.ones(30), "weights must be None beside balanced classes")], ids=named)
def test_wrong_weights_are_refused(rng, model, weights, message):
    X, y = blobs(rng, 30, 4)
    with pytest.raises(ValueError, match=message):
        asked(model, X, y, np.arange(20), np.arange(20, 30), weights)


def test_leave_one_out_without_a_closed_form_is_refused(rng):
    X, y = blobs(rng, 30, 4)
    for model, weights in ((GaussianNB(), np.ones(30)), (RidgeClassifier(), np.arange(30.0))):
        with pytest.raises(ValueError, match="leave-one-out has no closed form with weights but for ridge"):
            asked(model, X, y, np.arange(30), None, weights)


FORESTS = [RandomForestClassifier(4, random_state=7), RandomForestClassifier(
    3, max_samples=5, max_features=None, random_state=7), ExtraTreesClassifier(3, bootstrap=True, random_state=7),
    RandomForestClassifier(2, bootstrap=False, min_samples_leaf=2, random_state=7)]


@pytest.mark.parametrize(("model", "scores_of"), [(model, scores_of) for scores_of in ("split", "bag")
                                                  for model in FORESTS if scores_of == "split" or model.bootstrap],
                         ids=named)
def test_trees_of_a_forest_are_those_of_the_slow_twin(rng, model, scores_of):
    """Samples are drawn by their weights; without drawing they have them. At every level."""
    X, y = blobs(rng, 40, 3)
    order = np.argsort(y, kind="stable")
    X, y, forest = X[order].round(1), y[order], recognise(model)
    weights = np.where(rng.random(40) < 0.5, 0, rng.integers(1, 4, 40))
    learn = rng.random(40) < (0.7 if scores_of == "split" else 1.1)
    n_drawn, n_tried = forest.drawn(int(learn.sum())), forest.tried(3)
    plan = naive.forest.Plan(3, n_drawn, n_tried, forest.random_cuts, (100, *forest.stopping[1:]))
    trees, drawn = zip(*[naive.forest.grow(plan, X[learn], y[learn], seed_words(7), (Purpose.FOREST, 0, 0), t,
                                           weights[learn]) for t in range(forest.n_trees)], strict=True)
    asked = ~learn if scores_of == "split" else learn
    sums, n_votes = naive.forest.predict(trees, X[asked], drawn if scores_of == "bag" else None)
    seen = n_votes > 0
    wanted = scores.value("soft_uar", sums[seen] / n_votes[seen, None], y[asked][seen].astype(np.int32))
    dataset, known = Dataset.encode(X, y, 3), {"forest": forest, "weights": weights / 1.0}
    if scores_of == "bag":
        known["leave_one_out"] = True
    else:
        known["splits"] = np.where(learn, 0, 1).astype(np.uint8)[None]
    for level in LEVELS:
        evaluator = Evaluator(replace(dataset, level=level), dataset.n_validation(0.3), 0, 2, 1,
                              scores.NUMBERS["soft_uar"], **known)
        found = evaluator.evaluate(np.full((1, 1), 7, dtype=np.uint64), np.arange(3, dtype=np.int32),
                                   np.zeros(1, dtype=np.int32), seed_words(0), (6, 0, 0), 1, False, 0, True, 1)[0]
        np.testing.assert_allclose(found, [[wanted]], rtol=1e-12)


@pytest.mark.parametrize(("weights", "message"), [
    (np.ones(29), "weights must be 30 whole numbers"), (np.full(30, 0.5), "weights must be 30 whole numbers"),
    (np.full(30, -1.0), "weights must be 30 whole numbers"), (np.full(30, 1e6), "weights must add up to 4194304")],
    ids=["short", "half", "negative", "large"])
def test_wrong_weights_of_forests_are_refused(rng, weights, message):
    X, y = blobs(rng, 30, 3)
    dataset = Dataset.encode(X, y, 3)
    with pytest.raises(ValueError, match=message):
        Evaluator(dataset, dataset.n_validation(0.3), 0, 2, 1, forest=recognise(RandomForestClassifier(2)),
                  weights=weights)
    with pytest.raises(ValueError, match="weights must be for a judge, or for a forest"):
        Evaluator(dataset, dataset.n_validation(0.3), 0, 2, 1, weights=np.ones(30))
