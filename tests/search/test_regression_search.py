"""Searches for a continuous target, with the compiled tree and with other regressors."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import get_scorer, r2_score
from sklearn.model_selection import KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from moeliga import (
    ConvergenceDisplay,
    DecisionTreeRegressor,
    Evaluation,
    MOELIGASelector,
    ParetoFrontDisplay,
    Separability,
    evaluate_subsets,
)
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Samples
from paper_operators import fitting
from single_search import single_search


def data(rng, n_samples=70, n_features=12):
    """Three features that matter, others that do not."""
    X = rng.normal(size=(n_samples, n_features))
    return X, X[:, 2] + 0.7 * X[:, 5] - 0.5 * X[:, 9] + 0.1 * rng.normal(size=n_samples)


def small(estimator, **parameters):
    given = {"population_size": 14, "n_generations": 8, "evaluation__n_rescore_splits": 6,
             "local_improvement": None, "random_state": 0, **parameters}
    return single_search(estimator, **fitting(given))


def fresh_splits(X, y, n_splits, seed=0):
    """The splits on which a front is scored again, drawn by hand: strata of the sorted target."""
    samples = Samples.sort_target(X.shape[1], y)
    for test in range(n_splits):
        marks = draw.split(seed_words(seed), (Purpose.RESCORE, 0, 0, 0, test), samples.class_start,
                           samples.n_validation(0.3))
        yield samples.rows[marks == 0], samples.rows[marks == 1]


@pytest.mark.quick(2)
@pytest.mark.parametrize("estimator", [DecisionTreeRegressor(max_depth=5), DecisionTreeRegressor(), Ridge(),
                                       LinearRegression()], ids=repr)
def test_scores_are_those_of_a_plain_loop(rng, estimator):
    """R2 of the estimator on the splits of the front, fitted here one by one."""
    X, y = data(rng)
    front = small(estimator).fit(X, y).pareto_front_
    assert front.names == ("r2", "cardinality", "separability")
    for support, score, error in zip(front.supports, front.score, front.score_se, strict=True):
        ref = [r2_score(y[test], estimator.fit(X[train][:, support], y[train]).predict(X[test][:, support]))
               for train, test in fresh_splits(X, y, 6)]
        assert_allclose(score, np.mean(ref), rtol=1e-9, atol=1e-12)
        assert_allclose(error, np.std(ref, ddof=1) / np.sqrt(6), rtol=1e-6, atol=1e-12)


def test_the_compiled_path_and_joblib_find_the_same(rng):
    """The same tree through the core, and through scikit-learn's scorer: the same subsets, R2 but for rounding."""
    X, y = data(rng)
    ours = small(DecisionTreeRegressor(max_depth=4)).fit(X, y).pareto_front_
    theirs = small(DecisionTreeRegressor(max_depth=4), scoring=get_scorer("r2"), objectives=(
        "score", "cardinality", "separability")).fit(X, y).pareto_front_
    assert_array_equal(ours.supports, theirs.supports)
    assert_allclose(ours.objectives, theirs.objectives, rtol=1e-9, atol=1e-12)


def test_separability_is_that_of_evaluate_subsets(rng):
    """Hits by nearness in the target, as many as `neighbours` says."""
    X, y = data(rng)
    term = Separability(samples=1.0, replace=False, neighbours=0.3)
    front = small(DecisionTreeRegressor(), objectives=("r2", "cardinality", term)).fit(X, y).pareto_front_
    ref = evaluate_subsets(X, y, front.supports, estimator=DecisionTreeRegressor(), objectives=("r2", term))
    assert_array_equal(front.objectives[:, 2], ref[:, 1])


@pytest.mark.quick(1)
@pytest.mark.parametrize("estimator", [DecisionTreeRegressor(max_depth=6), Ridge()], ids=repr)
def test_what_matters_is_found(rng, estimator):
    """The best of the front holds the three features."""
    X, y = data(rng, n_samples=300)
    selector = small(estimator, n_generations=30, rule="best").fit(X, y)
    assert selector.support_[[2, 5, 9]].all()
    assert not hasattr(selector, "classes_")


def test_the_classes_of_an_earlier_fit_are_forgotten(rng):
    X, y = data(rng)
    selector = MOELIGASelector(honest=None, n_generations=0, population_size=4, random_state=0).fit(X, y > 0)
    assert selector.classes_.tolist() == [False, True]
    assert not hasattr(selector.set_params(estimator=DecisionTreeRegressor()).fit(X, y), "classes_")


@pytest.mark.quick(1)
@pytest.mark.parametrize("estimator", [DecisionTreeRegressor(), Ridge()], ids=repr)
def test_same_bits_for_any_number_of_threads_and_after_a_stop(rng, estimator, tmp_path):
    """Threads, workers, and a search that goes on."""
    X, y = data(rng)
    one = small(estimator).fit(X, y).pareto_front_
    small(estimator, n_generations=5, checkpoint=tmp_path / "state.npz").fit(X, y)
    for options in ({"n_jobs": 2}, {"checkpoint": tmp_path / "state.npz"}):
        other = small(estimator, **options).fit(X, y).pareto_front_
        assert other.objectives.tobytes() == one.objectives.tobytes()


@pytest.mark.slow
def test_splitters_and_scorers(rng):
    """Any cv, any scorer of scikit-learn."""
    X, y = data(rng)
    front = small(LinearRegression(), cv=KFold(4), scoring="neg_mean_absolute_error",
                  rule="one_se").fit(X, y).pareto_front_
    for support, score in zip(front.supports, front.score, strict=True):
        errors = []
        for train, test in KFold(4).split(X):
            model = LinearRegression().fit(X[train][:, support], y[train])
            errors.append(np.abs(model.predict(X[test][:, support]) - y[test]).mean())
        assert_allclose(score, -np.mean(errors), rtol=1e-12)


@pytest.mark.parametrize("change", [lambda y: y.astype(np.float32), lambda y: y.astype(object), lambda y: y.tolist()])
def test_targets_of_any_type_of_number(rng, change):
    """float32, objects, lists."""
    X, y = data(rng)
    y = np.round(y, 1)
    one = small(DecisionTreeRegressor()).fit(X, np.float32(y).astype(float))
    other = small(DecisionTreeRegressor()).fit(X, change(np.float32(y).astype(float)))
    assert_array_equal(one.pareto_front_.objectives, other.pareto_front_.objectives)


@pytest.mark.parametrize(("estimator", "change", "parameters", "error", "message"), [
    (Ridge(), lambda y: y * 0, {}, ValueError, "y must have two distinct values, all are 0.0"),
    (Ridge(), lambda y: np.where(y > y.max() - 1e-9, np.nan, y), {}, ValueError,
     "^y must have no missing values, got nan at position "),
    (Ridge(), lambda y: [f"a{value}" for value in y], {}, ValueError, "y must hold numbers for a regressor"),
    (Ridge(), lambda y: y, {"objectives": ("uar",)}, ValueError,
     "objectives must hold 'r2' in place of 'uar' for a regressor"),
    (None, lambda y: y > 0, {"objectives": ("r2",)}, ValueError,
     "objectives must hold 'uar' in place of 'r2' for a classifier"),
    (Ridge(), lambda y: y, {"rule": "one_se", "objectives": (lambda mask, X, y: 1.0,)}, ValueError,
     "objectives must hold 'r2' for rule='one_se'"),
    (None, lambda y: y, {}, ValueError, "^y must hold class labels, got numbers such as "),
    (Ridge, lambda y: y, {}, TypeError, r"^estimator must be an instance, not a class: pass Ridge\(\), got"),
])
def test_bad_input_is_named(rng, estimator, change, parameters, error, message):
    X, y = data(rng)
    with pytest.raises(error, match=message):
        small(estimator, **parameters).fit(X, change(y))


def test_displays_say_r2(rng):
    """On the axes of the front and of the convergence."""
    pytest.importorskip("matplotlib")
    selector = small(DecisionTreeRegressor()).fit(*data(rng))
    assert ParetoFrontDisplay.from_selector(selector).ax_.get_ylabel() == "R2"
    assert "R2" in ConvergenceDisplay.from_selector(selector).ax_.get_ylabel()


@pytest.mark.slow
@parametrize_with_checks([small(DecisionTreeRegressor(), n_generations=1, evaluation__n_rescore_splits=2),
                          small(Ridge(), n_generations=1, evaluation__n_rescore_splits=2)])
def test_keeps_every_contract_of_a_scikit_learn_selector(estimator, check):
    """check_estimator without expected failures."""
    check(estimator)


FEW = "the judge learns nothing from"


@pytest.mark.parametrize(("n", "honest", "n_train", "subsample"), [
    (14, None, 9, None), (15, None, 10, None), (22, 3, 9, None), (23, 3, 10, None), (18, 5, 9, None), (19, 5, 10, None),
    (22, 3, 9, 20), (23, 3, 10, 20), (40, 2, 9, 0.7), (42, 2, 11, 0.7), (40, None, 8, 12)])
def test_a_guide_that_cuts_nothing_is_told_of_once(rng, n, honest, n_train, subsample):
    """The default tree has leaves of five samples: those of a search, or of its smallest fold, or a subsample, are few.
    """
    X = rng.normal(size=(n, 4))
    y = X[:, 0] + rng.normal(size=n)
    tree = DecisionTreeRegressor(min_samples_leaf=5).fit(X[:n_train], y[:n_train])
    model = tree if honest is None else Ridge()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MOELIGASelector(clone(model), honest=honest, n_generations=0, random_state=0,
                        evaluation=Evaluation(subsample=subsample)).fit(X, y)
    told = [str(warning.message) for warning in caught if str(warning.message).startswith(FEW)]
    blind = (tree.predict(X) == tree.predict(X)[0]).all()
    assert blind == (n_train < 10) and len(told) == blind
    assert not told or told[0].startswith(f"{FEW} {n_train} samples, the training part of a split: with "
                                          "min_samples_leaf=5 a cut needs 10, ")


@pytest.mark.parametrize("options", [
    {"islands__judges": [Ridge()]}, {"islands__judges": [DecisionTreeRegressor()]}, {"cv": 2},
    {"objectives": (lambda mask, X, y: 0.5, "cardinality")}, {"evaluation__validation_size": 0.1},
    {"islands__judges": [DecisionTreeRegressor(min_samples_leaf=5), Ridge()]}],
    ids=["ridge", "leaves of one", "splits of the user's", "a callable", "a larger training part", "a panel"])
def test_a_guide_that_may_learn_is_not_told_of(rng, options):
    X = rng.normal(size=(13, 4))
    selector = MOELIGASelector(DecisionTreeRegressor(min_samples_leaf=5) if "islands__judges" not in options else None,
                               honest=None, n_generations=0, random_state=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", FEW)
        selector.set_params(**options).fit(X, X[:, 0])
