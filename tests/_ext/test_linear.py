"""Linear judges: their slow twins, scikit-learn's classes on the same rows, instruction sets, what is singular."""

import dataclasses
import functools
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import naive.judges
from case_names import named
from moeliga._ext import judges, tree
from moeliga.evaluation.judges import recognise
from moeliga.evaluation.linear_judges import BEFORE_1_9
from naive import linear as naive_linear

LEVELS = [level for level in (0, 3, 4) if level <= tree.LEVEL]

SHAPES = [(60, 1), (61, 7), (40, 19), (23, 30)]
"""Rows and features: fewer and more than there are lanes, more features than rows to learn from."""


def asked(judge, X, y, learn, ask=None, n_classes=None):
    """Answers of a compiled judge on all features, the same for every instruction set."""
    learn = np.asarray(learn, dtype=np.int32)
    ask = None if ask is None else np.asarray(ask, dtype=np.int32)
    table, selected = np.ascontiguousarray(np.asarray(X, dtype=np.float64).T), np.arange(X.shape[1], dtype=np.int32)
    known = {"target": np.asarray(y, dtype=np.float64)} if n_classes is None else {
        "labels": np.asarray(y, dtype=np.int32), "n_classes": n_classes}
    found = [judges.answers(judge, table, selected, learn, ask, level=level, **known) for level in LEVELS]
    assert all(one.tobytes() == found[0].tobytes() for one in found)
    return found[0]


def split(rng, n):
    rows = rng.permutation(n)
    return np.sort(rows[: 2 * n // 3]), np.sort(rows[2 * n // 3 :])


def blobs(rng, n, k, n_classes=3):
    """Overlapping classes of features that hang together, of unequal sizes."""
    y = np.minimum(rng.integers(0, n_classes + 1, n), n_classes - 1)
    X = rng.normal(size=(n, k)) + 0.8 * rng.normal(size=(n_classes, k))[y]
    return X @ (np.eye(k) + 0.3 * rng.normal(size=(k, k)) / np.sqrt(k)) + 2.0, y


def wanted_of(model, X, y, learn, ask, n_classes):
    """scikit-learn's answers in the form of the compiled judges."""
    if ask is None:
        rows = list(learn)
        return np.vstack([wanted_of(model, X, y, [j for j in rows if j != i], [i], n_classes) for i in rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[learn], y[learn])
    if n_classes is None:
        return model.predict(X[ask])[:, None]
    chances = hasattr(model, "predict_proba")
    values = model.predict_proba(X[ask]) if chances else model.decision_function(X[ask])
    values = np.stack([-values, values], axis=1) if values.ndim == 1 else values
    table = np.full((len(ask), n_classes), 0.0 if chances else -np.inf)
    table[:, model.classes_] = values
    return table


SHRUNKEN = {shrinkage: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage)
            for shrinkage in (0.3, 1.0, "auto")}

TWINS = [  # the judge, its slow twin, whether it leaves each row out, and how near they are
    (RidgeClassifier(), naive_linear.ridge, True, 1e-9),
    (RidgeClassifier(0.01, fit_intercept=False, class_weight="balanced"),
     functools.partial(naive_linear.ridge, alpha=0.01, intercept=False, balanced=True), True, 1e-9),
    (RidgeClassifier(3, class_weight="balanced"), functools.partial(naive_linear.ridge, alpha=3, balanced=True), True,
     1e-9),
    (LinearDiscriminantAnalysis(),
     functools.partial(naive_linear.discriminant, shrinkage=None, fewer=BEFORE_1_9), True, 1e-9),
    (SHRUNKEN[0.3], functools.partial(naive_linear.discriminant, shrinkage=0.3), True, 1e-9),
    (SHRUNKEN[1.0], functools.partial(naive_linear.discriminant, shrinkage=1.0), True, 1e-9),
    (SHRUNKEN["auto"], functools.partial(naive_linear.discriminant, shrinkage="auto"), False, 1e-9),
    (LogisticRegression(tol=1e-10, max_iter=1000), naive_linear.logistic, False, 1e-6),
    (LogisticRegression(C=30, fit_intercept=False, class_weight="balanced", tol=1e-10, max_iter=1000),
     functools.partial(naive_linear.logistic, strength=30, intercept=False, balanced=True), False, 1e-6),
    (LinearSVC(), naive_linear.svm, False, 1e-6),
    (LinearSVC(C=30, intercept_scaling=5, class_weight="balanced"),
     functools.partial(naive_linear.svm, cost=30, scaling=5, balanced=True), False, 1e-6),
    (LinearSVC(C=0.1, fit_intercept=False), functools.partial(naive_linear.svm, cost=0.1, intercept=False), False,
     1e-6),
]


@pytest.mark.quick(27)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n, k", SHAPES)
@pytest.mark.parametrize("model, twin, closed, near", TWINS, ids=named)
def test_judges_are_their_twins(model, twin, closed, near, n, k, n_classes, rng):
    X, y = blobs(rng, n, k, n_classes)
    learn, ask = split(rng, n)
    for rows in (ask, None) if closed else (ask,):
        found = asked(recognise(model), X, y, learn, rows, n_classes)
        wanted = naive.judges.answers(twin, "none", X.tolist(), y, learn, rows, n_classes)
        np.testing.assert_allclose(found, wanted, rtol=near, atol=near)


@pytest.mark.parametrize("n, k", SHAPES)
def test_regressions_are_their_twins(n, k, rng):
    X, _ = blobs(rng, n, k)
    y, (learn, ask) = X @ rng.normal(size=k) + rng.normal(size=n), split(rng, n)
    for intercept in (True, False):
        for alpha in (1e-3, 1.0, 100.0):
            twin = functools.partial(naive_linear.ridge, alpha=alpha, intercept=intercept)
            for rows in (ask, None):
                found = asked(recognise(Ridge(alpha, fit_intercept=intercept)), X, y, learn, rows)
                wanted = naive.judges.answers(twin, "none", X.tolist(), y, learn, rows, None)
                np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)
        found = asked(recognise(LinearRegression(fit_intercept=intercept)), X, y, learn, ask)
        wanted = naive_linear.ridge(X[learn], y[learn], X[ask], None, alpha=0.0, intercept=intercept)
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


TIGHT = [  # optima to the last digits that scikit-learn's solvers find
    (RidgeClassifier(class_weight="balanced"), 1e-9), (LinearDiscriminantAnalysis(), 1e-9), (SHRUNKEN[0.3], 1e-9),
    (SHRUNKEN["auto"], 1e-9),
    (LogisticRegression(tol=1e-10, solver="newton-cg", max_iter=1000), 1e-6),
    (LogisticRegression(tol=1e-10, solver="newton-cg", max_iter=1000, C=10, class_weight="balanced"), 1e-6),
    (LinearSVC(tol=1e-10, dual=False, max_iter=10000), 1e-6),
    (LinearSVC(tol=1e-10, dual=False, max_iter=10000, C=0.1, class_weight="balanced"), 1e-6),
]


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("model, near", TIGHT, ids=named)
def test_judges_are_those_of_scikit_learn(model, near, load, rng):
    X, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), model)
    for share in (2, 5):
        learn, ask = split(rng, len(X))
        part = X[:, np.sort(rng.choice(X.shape[1], X.shape[1] // share, replace=False))]
        found = asked(recognise(model), part, y, learn, ask, y.max() + 1)
        np.testing.assert_allclose(found, wanted_of(model, part, y, learn, ask, y.max() + 1), rtol=near, atol=near)


def test_regressions_are_those_of_scikit_learn(rng):
    X, y = load_diabetes(return_X_y=True)
    learn, ask = split(rng, len(X))
    for model in (Ridge(0.1), LinearRegression(), make_pipeline(StandardScaler(), LinearRegression())):
        np.testing.assert_allclose(asked(recognise(model), X, y, learn, ask),
                                   wanted_of(model, X, y, learn, ask, None), rtol=1e-9, atol=0)


@pytest.mark.parametrize("scale", [2.0**-1020, 2.0**-560, 2.0**-500, 2.0**500, 2.0**660, 2.0**1008])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n, k", SHAPES)
def test_least_squares_near_the_ends_of_float64(n, k, intercept, scale, rng):
    """scikit-learn takes singular values of X, and no squares; so where columns are singular, or one alone is far."""
    X, _ = blobs(rng, n, k)
    y, (learn, ask) = X @ rng.normal(size=k) + rng.normal(size=n), split(rng, n)
    X[:, k // 2] = X[:, 0]
    far = X.copy()
    far[:, 0] *= scale
    constant = X * scale
    constant[:, 0] = 7.0
    model = LinearRegression(fit_intercept=intercept)
    np.testing.assert_array_equal(asked(recognise(model), X * scale, y, learn, ask),
                                  asked(recognise(model), X, y, learn, ask))
    # of more features than rows scikit-learn's coefficient of the constant one is what rounding leaves of huge ones
    for part in (X * scale, far, constant) if len(learn) > k else (X * scale, far):
        np.testing.assert_allclose(asked(recognise(model), part, y, learn, ask),
                                   wanted_of(model, part, y, learn, ask, None), rtol=1e-9, atol=1e-9)


def singular(rng, n=60):
    """Constant, equal and dependent features, and one that is constant within classes."""
    X, y = blobs(rng, n, 9)
    X[:, 3], X[:, 5], X[:, 8], X[:, 7] = 7.0, X[:, 6], X[:, 1] + X[:, 2], y == 1
    return X, y


@pytest.mark.parametrize("model, near", [*TIGHT, (LinearRegression(), 1e-9), (Ridge(1e-3), 1e-9)], ids=named)
def test_singular_matrices(model, near, rng):
    """Of all solutions the smallest one, as scikit-learn's."""
    X, y = singular(rng)
    learn, ask = split(rng, len(X))
    judge = recognise(model)
    n_classes, known = (None, rng.normal(size=len(y))) if judge.regression else (3, y)
    for rows in (ask, None) if judge.closed else (ask,):
        np.testing.assert_allclose(asked(judge, X, known, learn, rows, n_classes),
                                   wanted_of(model, X, known, learn, rows, n_classes), rtol=near, atol=near)


def test_a_discriminant_without_a_row_that_holds_a_direction(rng):
    """As few rows as features: without some of them the scatter is singular, and what is left is learnt anew."""
    X, y = blobs(rng, 24, 20)
    found = asked(recognise(LinearDiscriminantAnalysis()), X, y, range(24), None, 3)
    np.testing.assert_allclose(found, wanted_of(LinearDiscriminantAnalysis(), X, y, range(24), None, 3), atol=1e-9)


@pytest.mark.parametrize("model", [model for model, *_ in TWINS], ids=named)
def test_absent_classes_have_no_chance(model, rng):
    X, y = blobs(rng, 40, 4, 2)
    for labels in (2 * y, np.full(40, 2)):
        found = asked(recognise(model), X, labels, range(30), range(30, 40), 4)
        assert (found[:, [1, 3]] == (0.0 if hasattr(model, "predict_proba") else -np.inf)).all()
        assert np.isfinite(found[:, 2]).all()
        if labels[0] == labels[-1] == 2 and len(set(labels)) == 1:
            assert (found.argmax(axis=1) == 2).all()


def test_a_class_of_one_row_is_left_out(rng):
    X, y = blobs(rng, 30, 3)
    y[7] = 3
    for model in (RidgeClassifier(), RidgeClassifier(class_weight="balanced"), LinearDiscriminantAnalysis(),
                  SHRUNKEN[0.3]):
        np.testing.assert_allclose(asked(recognise(model), X, y, range(30), None, 4),
                                   wanted_of(model, X, y, range(30), None, 4), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-8, 1e-3, 1e3, 1e8])
def test_any_scale_and_separable_classes_have_answers(scale, rng):
    """Weak penalties on classes that are apart: steps are halved and counted, and answers finite and right."""
    X, y = blobs(rng, 60, 3, 2)
    X[:, 2] += 20.0 * y
    for model in (LogisticRegression(C=1e10), LinearSVC(C=1e6), RidgeClassifier(1e-6), SHRUNKEN[0.3], SHRUNKEN["auto"],
                  LinearDiscriminantAnalysis()):
        found = asked(recognise(model), scale * X, y, range(60), range(60), 2)
        assert np.isfinite(found).all()
        if isinstance(model, LinearDiscriminantAnalysis) or scale >= 1e-3:  # others are held at 0 by their penalty
            assert (found.argmax(axis=1) == y).all()


def entry_of_the_gradient(judge, X, y, strength):
    """Largest entry of the gradient of the mean loss of LogisticRegression at a judge's answers: coefficients are those
    that explain its logits at 0 and at each unit vector, with sum 0 over classes."""
    n, k = X.shape
    places = np.vstack([X, np.zeros((1, k)), np.eye(k)])
    shares = asked(judge, places, np.concatenate([y, np.zeros(k + 1, dtype=int)]), range(n), range(n + k + 1),
                   y.max() + 1)
    logits = np.log(shares[n:])
    logits -= logits.mean(axis=1, keepdims=True)
    coefs = logits[1:] - logits[0]
    if y.max() == 1:
        coefs = 2 * coefs[:, 1:]
    errors = (shares[:n] - (y[:, None] == np.arange(y.max() + 1)))[:, -coefs.shape[1]:]
    return max(np.abs(X.T @ errors + coefs / strength).max(), np.abs(errors.sum(axis=0)).max()) / n


@pytest.mark.parametrize("n_classes, k", [(2, 7), (2, 40), (3, 40)])
@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
def test_logistic_regression_stops_by_its_tol(tol, n_classes, k, rng):
    """Where scikit-learn's lbfgs does, in the coefficients of features that are not centred."""
    X, y = blobs(rng, 150, k, n_classes)
    model = LogisticRegression(tol=tol, max_iter=1000, C=3)
    assert entry_of_the_gradient(recognise(model), X, y, 3) <= tol * (1 + 1e-6)
    assert entry_of_the_gradient(recognise(model.set_params(tol=1e4 * tol)), X, y, 3) > tol


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("strength", [1, 100])
def test_logistic_regression_stops_where_rounding_does(load, strength, rng):
    """Also with a tol that no gradient comes to: at the optimum, after not many more steps than scikit-learn's lbfgs,
    which stops by the loss, and not as near."""
    X, y = load(return_X_y=True)
    X, n_classes, (learn, ask) = StandardScaler().fit_transform(X), y.max() + 1, split(rng, len(X))
    model = LogisticRegression(tol=0, C=strength, max_iter=5000)
    found = asked(recognise(model), X, y, learn, ask, n_classes)
    n_steps = 2 * int(model.fit(X[learn], y[learn]).n_iter_.max()) + 150
    few = recognise(LogisticRegression(tol=0, C=strength, max_iter=n_steps))
    np.testing.assert_array_equal(asked(few, X, y, learn, ask, n_classes), found)
    tight = LogisticRegression(tol=1e-10, C=strength, solver="newton-cg", max_iter=5000)
    np.testing.assert_allclose(found, wanted_of(tight, X, y, learn, ask, n_classes), rtol=0, atol=1e-6)


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_logistic_regression_goes_on_where_features_are_of_many_scales(seed):
    """For a dozen steps the loss may fall by rounding alone, and no entry of the gradient much."""
    rng, y = np.random.default_rng(seed), np.arange(80) % 3
    X = rng.normal(size=(80, 7)) * 10.0 ** rng.integers(-3, 4, size=7)
    X[:, 1] += y
    rows = np.arange(80)
    found = asked(recognise(LogisticRegression(C=1000, tol=1e-10, max_iter=3000)), X, y, rows, rows, 3)
    tight = LogisticRegression(C=1000, tol=1e-14, max_iter=500, solver="newton-cholesky")
    np.testing.assert_allclose(found, tight.fit(X, y).predict_proba(X), rtol=0, atol=1e-9)


def test_logistic_regression_makes_at_most_max_iter_steps(rng):
    """None is all classes alike; one, of two classes, is Newton's from there."""
    X, y = blobs(rng, 90, 4, 2)
    learn, ask = split(rng, 90)
    found = asked(recognise(LogisticRegression(max_iter=0)), X, y, learn, ask, 2)
    assert (found == 0.5).all()
    rows, hits = np.hstack([X[learn], np.ones((len(learn), 1))]), (y[learn] == 1) - 0.5
    hessian = rows.T @ rows / 4 + np.diag([1.0, 1.0, 1.0, 1.0, 0.0])
    decision = np.hstack([X[ask], np.ones((len(ask), 1))]) @ np.linalg.solve(hessian, rows.T @ hits)
    found = asked(recognise(LogisticRegression(max_iter=1)), X, y, learn, ask, 2)
    np.testing.assert_allclose(found[:, 1], 1 / (1 + np.exp(-decision)), rtol=1e-9)


def test_discriminants_do_without_a_scaler(rng):
    """The svd solver scales by itself: its leave-one-out is that of a pipeline that scales anew."""
    X, y = blobs(rng, 40, 5)
    model = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    np.testing.assert_allclose(asked(recognise(model), X, y, range(40), None, 3),
                               wanted_of(model, X, y, range(40), None, 3), rtol=1e-9, atol=1e-9)


def test_bad_arguments_are_refused(rng):
    X, y = blobs(rng, 30, 3)
    for model in (LogisticRegression(), LinearSVC(), LinearDiscriminantAnalysis()):
        with pytest.raises(ValueError, match="labels must be given for judge"):
            asked(recognise(model), X, y, range(20), range(20, 30))
    for model in (LogisticRegression(), LinearSVC(), LinearRegression(), SHRUNKEN["auto"],
                  make_pipeline(StandardScaler(), RidgeClassifier())):
        with pytest.raises(ValueError, match="leave-one-out has no closed form"):
            asked(recognise(model), X, y, range(20), None, 3)


@pytest.mark.parametrize("fewer", [False, True])
def test_discriminants_divide_by_the_rows_or_by_fewer(fewer, rng):
    """Until scikit-learn 1.9 the svd solver divided by the number of samples less that of classes."""
    X, y = blobs(rng, 40, 5)
    judge = dataclasses.replace(recognise(LinearDiscriminantAnalysis()), whole=(0, int(fewer)))
    twin = functools.partial(naive_linear.discriminant, shrinkage=None, fewer=fewer)
    for rows in (range(30, 40), None):
        wanted = naive.judges.answers(twin, "none", X.tolist(), y, range(30), rows, 3)
        np.testing.assert_allclose(asked(judge, X, y, range(30), rows, 3), wanted, rtol=1e-9, atol=1e-9)
