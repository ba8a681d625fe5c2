"""Compiled judges on values near the ends of float64, and on splits that no splitter would draw: what scikit-learn
answers, or a finite score, or a refusal that names the rule; the same bits for any number of threads."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from moeliga import DecisionTreeClassifier, ExtraTreesClassifier, RandomForestClassifier, evaluate_subsets

JUDGES = {
    "bayes": GaussianNB(),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "ridge": make_pipeline(StandardScaler(), RidgeClassifier()),
    "discriminant": LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=1000)),
    "svm": make_pipeline(StandardScaler(), LinearSVC(dual=False, tol=1e-10, max_iter=10_000)),
}
TREES = {
    "tree": DecisionTreeClassifier(),
    "forest": RandomForestClassifier(5, random_state=0),
    "extra trees": ExtraTreesClassifier(5, random_state=0),
}
SCALES = {"large": 2.0**500, "square overflows": 2.0**600, "near the end": 2.0**1016, "square vanishes": 2.0**-600,
          "denormal": 2.0**-1060}
ROWS = np.arange(60)
SPLITS = {
    "one class to learn from": [(ROWS[:20], ROWS[20:])],
    "a class that is not learnt": [(ROWS[:40], ROWS[40:])],
    "one row to learn from": [(ROWS[:1], ROWS[1:])],
    "one row to answer for": [(ROWS[1:], ROWS[:1])],
    "rows from the end": [(np.array([-1, -2, 0, 1, 30, 31]), ROWS[5:9])],
    "marks": [(ROWS < 50, ROWS >= 50)],
}
REFUSED = {
    "none to answer for": [(ROWS, ROWS[:0])],
    "none to learn from": [(ROWS[:0], ROWS)],
    "rows on both sides": [(ROWS, ROWS[:5])],
    "a row twice": [(np.append(ROWS[:40], 0), ROWS[40:])],
    "a row that is not there": [(np.array([0, 60]), ROWS[5:9])],
    "rows that are no integers": [(ROWS[:40] / 1.0, ROWS[40:])],
}


@pytest.fixture
def X(rng):
    return rng.normal(size=(60, 4)) + np.repeat([0, 1, 2], 20)[:, None] * 0.7


Y = np.repeat([0, 1, 2], 20)
FOLDS = list(StratifiedKFold(3).split(np.zeros((60, 1)), Y))


def scores(judge, X, cv=FOLDS):
    """UAR of all features and of two of them, the same bits for one, two and three threads."""
    masks = np.array([[True] * 4, [True, False, True, False]])
    found = [evaluate_subsets(X, Y, masks, estimator=judge, objectives=("uar",), scoring="uar", cv=cv, n_jobs=n_jobs)
             for n_jobs in (1, 2, 3)]
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    assert ((found[0] >= 0) & (found[0] <= 1)).all()
    return found[0][:, 0]


def by_scikit_learn(judge, X, cv=FOLDS):
    """The same scores, or None where scikit-learn refuses."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return [cross_val_score(clone(judge), X[:, chosen], Y, cv=cv, scoring="balanced_accuracy",
                                    error_score="raise").mean() for chosen in (slice(None), [0, 2])]
        except (IndexError, ValueError):
            return None


@pytest.mark.quick("values")
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("columns", [[0], [0, 1, 2, 3]], ids=["one", "all"])
@pytest.mark.parametrize("kind", JUDGES)
def test_values_near_the_ends_of_float64(X, kind, columns, scale):
    X[:, columns] *= SCALES[scale]
    wanted = by_scikit_learn(JUDGES[kind], X)
    if kind == "ridge" and scale == "square overflows":
        assert wanted is None
        with pytest.raises(ValueError, match="too large to be squared$"):
            scores(JUDGES[kind], X)
        return
    found = scores(JUDGES[kind], X)
    if wanted is not None:
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("kind", TREES)
def test_trees_go_by_the_order_of_values_alone(X, kind, scale):
    """Powers of two keep it, but for denormal numbers, which whole ones survive."""
    X = np.round(X * 8) + 64
    before = scores(TREES[kind], X)
    np.testing.assert_array_equal(scores(TREES[kind], X * SCALES[scale]), before)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("kind", JUDGES)
def test_values_that_are_no_numbers_are_refused(X, kind, value):
    X[3, 2] = value
    with pytest.raises(ValueError, match="NaN" if np.isnan(value) else "infinity"):
        scores(JUDGES[kind], X)


@pytest.mark.quick(22)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("kind", [*JUDGES, "tree"])
def test_splits_that_no_splitter_draws(X, kind, split):
    judge = (JUDGES | TREES)[kind]
    if kind == "neighbours" and "one row to learn" in split:
        with pytest.raises(ValueError, match="n_neighbors must be at most 1, the rows to learn from, got 5"):
            scores(judge, X, SPLITS[split])
        return
    found, wanted = scores(judge, X, SPLITS[split]), by_scikit_learn(judge, X, SPLITS[split])
    if wanted is not None and kind != "tree":  # whose ties scikit-learn breaks by chance
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("split", REFUSED)
@pytest.mark.parametrize("kind", [*JUDGES, *TREES])
def test_splits_that_are_none_are_refused(X, kind, split):
    with pytest.raises(ValueError, match="^cv must give"):
        scores((JUDGES | TREES)[kind], X, REFUSED[split])


@pytest.mark.parametrize("scoring", ["average_precision", "roc_auc", "accuracy", "uar"])
@pytest.mark.parametrize("model", [RidgeClassifier(), make_pipeline(StandardScaler(), RidgeClassifier())], ids=str)
def test_numbers_that_cannot_be_squared_are_an_error(rng, model, scoring):
    """Answers that are no numbers had no end in sorting, and predicted the first class."""
    X, y = rng.normal(size=(40, 4)), rng.integers(0, 2, 40)
    X[:, 0] *= 1e160
    with pytest.raises(ValueError, match="must be finite, got nan: .* too large to be squared$"):
        evaluate_subsets(X, y, np.array([[True, True, False, False]]), estimator=model, scoring=scoring, random_state=0)
    found = evaluate_subsets(X, y, np.array([[False, True, True, False]]), estimator=model, scoring=scoring,
                             random_state=0)
    assert np.isfinite(found).all()
