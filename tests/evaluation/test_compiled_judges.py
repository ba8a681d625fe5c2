"""Compiled judges in evaluations and searches: the scores that scikit-learn's estimators get on the same splits."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.tree import DecisionTreeRegressor as SklearnTreeRegressor

from moeliga import DecisionTreeClassifier as OurTree
from moeliga import Evaluation, Islands, LocalImprovement, evaluate_subsets
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Samples
from moeliga.evaluation.subsample import PUBLIC, stratified_rows
from moeliga.search import time_estimate
from single_search import single_search

JUDGES = [GaussianNB(), make_pipeline(StandardScaler(), GaussianNB()),
          KNeighborsClassifier(weights="distance", p=1, algorithm="brute"),
          make_pipeline(MinMaxScaler(), KNeighborsClassifier(7, metric="manhattan", algorithm="brute")),
          make_pipeline(StandardScaler(), KNeighborsClassifier(3, algorithm="brute"))]
REGRESSORS = [KNeighborsRegressor(4), make_pipeline(StandardScaler(), KNeighborsRegressor(weights="distance"))]


def masks_of(rng, n_features, n=7):
    masks = rng.random((n, n_features)) < 0.4
    masks[np.arange(n), rng.integers(0, n_features, n)] = True
    return masks


def shuffled(load, rng):
    X, y = load(return_X_y=True)
    order = rng.permutation(len(y))
    return X[order], y[order]


def by_scikit_learn(model, X, y, masks, splits, scoring):
    """The mean score of each subset on its splits, pairs of rows."""
    scorer = get_scorer(scoring)
    return np.array([np.mean([scorer(model.fit(X[np.ix_(learn, np.flatnonzero(mask))], y[learn]),
                                     X[np.ix_(ask, np.flatnonzero(mask))], y[ask]) for learn, ask in splits(p)])
                     for p, mask in enumerate(masks)])


def drawn(samples, seed, n_splits, validation_size=0.3):
    """The splits that `evaluate_subsets` draws for subset p."""
    n_validation = samples.n_validation(validation_size)

    def of(p):
        marks = [draw.split(seed_words(seed), (Purpose.PUBLIC, 0, 0, p, t), samples.class_start, n_validation)
                 for t in range(n_splits)]
        return [(np.sort(samples.rows[mark == 0]), np.sort(samples.rows[mark == 1])) for mark in marks]
    return of


@pytest.mark.quick(1)
@pytest.mark.parametrize("model", JUDGES, ids=str)
def test_scores_are_those_of_scikit_learn(model, rng):
    X, y = shuffled(load_wine, rng)
    masks = masks_of(rng, X.shape[1])
    splits = drawn(Samples.sort(X.shape[1], y, 3), 5, 4)
    for scoring, name in ((None, "balanced_accuracy"), ("neg_log_loss",) * 2, ("roc_auc_ovr",) * 2):
        terms = ("uar" if scoring is None else scoring,)
        found = evaluate_subsets(X, y, masks, n_splits=4, objectives=terms, estimator=model, scoring=scoring,
                                 random_state=5, n_jobs=2)
        np.testing.assert_allclose(found[:, 0], by_scikit_learn(model, X, y, masks, splits, name), atol=1e-10)


@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_scores_of_a_target_are_those_of_scikit_learn(model, rng):
    X, y = shuffled(load_diabetes, rng)
    X += rng.normal(size=X.shape) / 1000  # no rows are equally far, which both round in their own ways
    masks = masks_of(rng, X.shape[1])
    splits = drawn(Samples.sort_target(X.shape[1], y), 5, 3)
    for scoring, name in ((None, "r2"), ("neg_mean_absolute_error",) * 2):
        terms = ("r2" if scoring is None else scoring, "cardinality")
        found = evaluate_subsets(X, y, masks, objectives=terms, estimator=model, scoring=scoring, random_state=5)
        np.testing.assert_allclose(found[:, 0], by_scikit_learn(model, X, y, masks, splits, name), rtol=1e-9)


LINEAR = [RidgeClassifier(), make_pipeline(StandardScaler(), LinearSVC(tol=1e-9, max_iter=100_000)),
          LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), LogisticRegression(tol=1e-9))]


@pytest.mark.quick(2)
@pytest.mark.parametrize("model", [*LINEAR, Ridge(), LinearRegression()], ids=lambda model: str(model)[:60])
def test_linear_judges(model, rng):
    """Decision values and probabilities of two and of three classes, and predictions."""
    regression = type(model) in (Ridge, LinearRegression)
    for n_classes in (2, 3):
        X, y = shuffled(load_diabetes if regression else load_wine, rng)
        X, y = (X, y) if regression else (X[y < n_classes], y[y < n_classes])
        masks = masks_of(rng, X.shape[1], 4)
        samples = Samples.sort_target(X.shape[1], y) if regression else Samples.sort(X.shape[1], y, n_classes)
        for scoring, name in (("r2",) * 2,) if regression else (("uar", "balanced_accuracy"), ("f1_macro",) * 2):
            found = evaluate_subsets(X, y, masks, objectives=(scoring,), estimator=model, scoring=scoring,
                                     random_state=5)
            wanted = by_scikit_learn(model, X, y, masks, drawn(samples, 5, 3), name)
            np.testing.assert_allclose(found[:, 0], wanted, atol=1e-9)


@pytest.mark.quick(2)
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), LogisticRegression(
    C=1e4, tol=1e-9, max_iter=10_000)), *LINEAR[:2]], ids=lambda model: str(model)[:60])
def test_areas_are_of_decision_values_where_scikit_learn_asks_for_them(model, rng):
    """Probabilities order the samples of one of several classes in another way, and those of two classes that are far
    from each other are all 1."""
    for n_classes, scoring in ((2, "roc_auc"), (2, "average_precision"), (3, "average_precision")):
        y = np.sort(np.arange(90) % n_classes)
        X = rng.normal(size=(90, 6)) + 20 * (y[:, None] == np.arange(6) % n_classes)
        y[rng.permutation(90)[:4]] = 0  # far on the wrong side
        masks = masks_of(rng, 6, 4)
        found = evaluate_subsets(X, y, masks, objectives=(scoring,), estimator=model, scoring=scoring, random_state=5)
        wanted = by_scikit_learn(model, X, y, masks, drawn(Samples.sort(6, y, n_classes), 5, 3), scoring)
        np.testing.assert_allclose(found[:, 0], wanted, atol=1e-9)


PRUNED = {"max_depth": 3, "min_samples_leaf": 7}
TREES = [SklearnTree(**PRUNED), make_pipeline(StandardScaler(), SklearnTree(**PRUNED)),
         SklearnTreeRegressor(**PRUNED, min_samples_split=16)]


@pytest.mark.parametrize("model", TREES, ids=str)
def test_trees_of_scikit_learn(model, rng):
    """Equal where no two splits are equally good; the classes overlap, so that small nodes are not pure."""
    X = rng.normal(size=(90, 6))
    regression = model is TREES[-1]
    y = X[:, 0] + X[:, 3] + rng.normal(size=90)
    y = y if regression else (y > 0).astype(int) + (y > 1)
    masks, samples = masks_of(rng, 6), Samples.sort_target(6, y) if regression else Samples.sort(6, y, 3)
    found = evaluate_subsets(X, y, masks, objectives=("r2" if regression else "uar",), estimator=model, random_state=5)
    wanted = by_scikit_learn(model, X, y, masks, drawn(samples, 5, 3), "r2" if regression else "balanced_accuracy")
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-9)


def test_whole_trees_of_scikit_learn_are_as_good(rng):
    """They break ties by chance: the mean of paired differences is within two standard errors."""
    X, y = shuffled(load_wine, rng)
    masks, splits = masks_of(rng, 13, 40), drawn(Samples.sort(13, y, 3), 5, 3)
    found = evaluate_subsets(X, y, masks, objectives=("uar",), estimator=SklearnTree(), random_state=5)[:, 0]
    apart = found - by_scikit_learn(SklearnTree(random_state=0), X, y, masks, splits, "balanced_accuracy")
    assert (apart != 0).any() and abs(apart.mean()) < 2 * apart.std(ddof=1) / np.sqrt(len(masks))


def test_a_search_by_a_tree_of_scikit_learn_is_that_by_ours(rng):
    """Missing values too."""
    X, y = shuffled(load_wine, rng)
    X[rng.random(X.shape) < 0.05] = np.nan
    fronts = [search(model).fit(X, y).pareto_front_ for model in (SklearnTree(max_depth=5), OurTree(max_depth=5))]
    np.testing.assert_array_equal(fronts[0].objectives, fronts[1].objectives)


@pytest.mark.quick(3)
@pytest.mark.parametrize("model", JUDGES, ids=str)
def test_given_splits(model, rng):
    X, y = shuffled(load_wine, rng)
    masks = masks_of(rng, X.shape[1])
    for cv in (StratifiedKFold(4), KFold(5)):
        found = evaluate_subsets(X, y, masks, objectives=("uar",), estimator=model, cv=cv)
        wanted = by_scikit_learn(model, X, y, masks, lambda _, cv=cv: cv.split(X, y), "balanced_accuracy")
        np.testing.assert_allclose(found[:, 0], wanted, atol=1e-12)


@pytest.mark.quick(1)
@pytest.mark.parametrize("model", [*JUDGES, *REGRESSORS], ids=str)
def test_leave_one_out_pools_the_answers_of_all_samples(model, rng):
    regression = model in REGRESSORS
    X, y = shuffled(load_diabetes if regression else load_wine, rng)
    X, y = X[:60] + rng.normal(size=(60, X.shape[1])) / 1000, y[:60]
    masks = masks_of(rng, X.shape[1], 3)
    terms = ("r2" if regression else "uar",)
    found = evaluate_subsets(X, y, masks, objectives=terms, estimator=model, cv=LeaveOneOut())
    for mask, score in zip(masks, found[:, 0], strict=True):
        answers = cross_val_predict(model, X[:, mask], y, cv=LeaveOneOut())
        wanted = (1 - np.sum((y - answers) ** 2) / np.sum((y - y.mean()) ** 2) if regression else
                  np.mean([np.mean(answers[y == c] == c) for c in np.unique(y)]))
        np.testing.assert_allclose(score, wanted, rtol=1e-9)


def test_subsamples(rng):
    X, y = shuffled(load_wine, rng)
    masks = masks_of(rng, X.shape[1])
    rows = stratified_rows(Samples.sort(X.shape[1], y, 3), 90, seed_words(5), (PUBLIC, 0, 0, 0))
    found = evaluate_subsets(X, y, masks, subsample=90, estimator=GaussianNB(), random_state=5)
    part = evaluate_subsets(X[rows], y[rows], masks, estimator=GaussianNB(), random_state=5)
    np.testing.assert_array_equal(found, part)


def test_separability_beside_a_judge_is_that_beside_a_tree(rng):
    X, y = shuffled(load_wine, rng)
    masks = masks_of(rng, X.shape[1])
    judged, grown = (evaluate_subsets(X, y, masks, estimator=model, random_state=5) for model in (GaussianNB(), None))
    np.testing.assert_array_equal(judged[:, 1:], grown[:, 1:])
    assert (judged[:, 0] != grown[:, 0]).any()


def search(judge, **parameters):
    parameters = {"objectives": ("uar", "cardinality"), "islands": Islands(judges=[judge], sizes=None),
                  "population_size": 8, "n_generations": 3, "random_state": 0, "n_jobs": 1,
                  "evaluation": Evaluation(n_rescore_splits=4), "local_improvement": None, **parameters}
    return single_search(**parameters)


class Joblib(GaussianNB):
    """The same model, of a class that is not compiled."""


class Near(KNeighborsClassifier):
    """The same model, of a class that is not compiled."""


@pytest.mark.quick(1)
@pytest.mark.parametrize("more", [
    {}, {"cv": StratifiedKFold(3)}, {"scoring": "neg_log_loss", "objectives": ("neg_log_loss", "cardinality"),
                                     "rule": "best"},
    {"evaluation": Evaluation(subsample=90, n_rescore_splits=4)},
    {"cv": 3, "evaluation": Evaluation(subsample=90, n_rescore_splits=4)},
    {"objectives": None, "evaluation": Evaluation(subsample=0.6, n_rescore_splits=4)},
    {"local_improvement": LocalImprovement(n_populations=1, population_size=6, n_generations=2, every=1)},
    {"islands": 2}], ids=str)
@pytest.mark.parametrize(("judge", "other"), [
    (GaussianNB(), Joblib()),
    (KNeighborsClassifier(p=1, algorithm="brute"), Near(p=1, algorithm="brute"))], ids=["bayes", "neighbours"])
def test_a_search_goes_as_with_scikit_learn(judge, other, more, rng):
    X, y = shuffled(load_wine, rng)
    X += rng.normal(size=X.shape) / 1000  # no ties: joblib has the rows in another order
    fits = []
    for model in (judge, other):
        given = dict(more)
        if "islands" in given:
            given["islands"] = Islands(n=2, judges=[model], sizes=None, every=2)
        fits.append(search(model, **given).fit(X, y))
    one, two = (fit.pareto_front_ for fit in fits)
    np.testing.assert_array_equal(one.supports, two.supports)
    np.testing.assert_allclose(one.objectives, two.objectives, atol=1e-9)


@pytest.mark.slow
def test_what_is_not_compiled_is_told_once(rng, monkeypatch):
    """If it takes a minute; here nothing is too short."""
    X, y = (part[:60] for part in shuffled(load_wine, rng))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search(KNeighborsClassifier(metric="chebyshev")).fit(X, y)
    monkeypatch.setattr(time_estimate, "TOLD_SECONDS", 0.0)
    message = r"compiled judge, but not with metric='chebyshev': scikit-learn fits it, .* about .* evaluations"
    with pytest.warns(UserWarning, match=message) as told:
        search(KNeighborsClassifier(metric="chebyshev")).fit(X, y)
    assert len(told) == 1
    with pytest.raises(TypeError, match="a tree of moeliga, a compiled judge.* not compiled with metric='chebyshev'"):
        evaluate_subsets(X, y, masks_of(rng, 13), estimator=KNeighborsClassifier(metric="chebyshev"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search(Near()).fit(X, y)


def test_bad_input_is_refused(rng):
    X, y = shuffled(load_wine, rng)
    masks = masks_of(rng, 13)
    with pytest.raises(ValueError, match="n_neighbors must be at most 123, the rows to learn from, got 150"):
        evaluate_subsets(X, y, masks, estimator=KNeighborsClassifier(150))
    with pytest.raises(ValueError, match="n_neighbors must be at most 177"):
        search(KNeighborsClassifier(178), cv=LeaveOneOut()).fit(X, y)
    with pytest.raises(ValueError, match="priors must have 3 entries"):
        evaluate_subsets(X, y, masks, estimator=GaussianNB(priors=[0.5, 0.5]))
    X[3, 4] = np.nan
    for model in (GaussianNB(), KNeighborsClassifier()):
        with pytest.raises(ValueError, match=type(model).__name__):
            evaluate_subsets(X, y, masks, estimator=model)
        with pytest.raises(ValueError, match=type(model).__name__):
            search(model).fit(X, y)
