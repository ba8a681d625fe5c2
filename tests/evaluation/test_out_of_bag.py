"""Forests scored by what their trees say of the samples that they have not drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from sklearn import ensemble
from sklearn.metrics import balanced_accuracy_score, log_loss, mean_absolute_error, r2_score, roc_auc_score
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB

import arbitrary
import naive.forest
from case_names import named
from moeliga import (
    Checkpoint,
    Evaluation,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    Islands,
    LocalImprovement,
    MOELIGASelector,
    RandomForestClassifier,
    RandomForestRegressor,
    evaluate_subsets,
)
from moeliga._ext.evaluate import Evaluator
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset
from moeliga.evaluation.judges import recognise
from single_search import single_search
from thread_backend import everything_sent

FORESTS = [RandomForestClassifier(20, oob_score=True, random_state=3),
           RandomForestClassifier(3, oob_score=True, max_features=0.7, max_depth=4, random_state=1),
           RandomForestClassifier(9, oob_score=True, max_samples=0.4, min_samples_leaf=2, random_state=0),
           ExtraTreesClassifier(9, bootstrap=True, oob_score=True, random_state=2)]
REGRESSORS = [RandomForestRegressor(9, oob_score=True, random_state=3),
              ExtraTreesRegressor(3, bootstrap=True, oob_score=True, random_state=3)]
CLASSES = [("uar", lambda y, p: balanced_accuracy_score(y, p.argmax(axis=1))), ("neg_log_loss", lambda y, p: -log_loss(
    y, p)), ("roc_auc_ovr", lambda y, p: roc_auc_score(y, p, multi_class="ovr"))]


def data(rng, n_samples=80, regression=False):
    return arbitrary.holed(rng, n_samples, 7, regression)


def masks_of(rng, n=5):
    return arbitrary.masks_with_a_signal(rng, n, 7)


@pytest.mark.filterwarnings("ignore:.*drawn by all trees")
@pytest.mark.parametrize("model", FORESTS, ids=named)
def test_scores_are_those_of_the_forest_s_own_answers(rng, model):
    """`oob_decision_function_` of a fit on the subset; samples that all trees have drawn are not scored."""
    X, y = data(rng)
    masks = masks_of(rng)
    for name, score in CLASSES:
        found = evaluate_subsets(X, y, masks, objectives=(name,), scoring=name, estimator=model, cv="oob")
        answers = [model.fit(X[:, mask], y).oob_decision_function_ for mask in masks]
        wanted = [score(y[seen], table[seen]) for table in answers for seen in [~np.isnan(table[:, 0])]]
        assert_allclose(found[:, 0], wanted, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*drawn by all trees")
@pytest.mark.parametrize("model", REGRESSORS, ids=named)
def test_scores_of_a_target(rng, model):
    X, y = data(rng, regression=True)
    masks = masks_of(rng)
    for name, score in (("r2", r2_score), ("neg_mean_absolute_error", lambda y, p: -mean_absolute_error(y, p))):
        found = evaluate_subsets(X, y, masks, objectives=(name,), scoring=name, estimator=model, cv="oob")
        answers = [model.fit(X[:, mask], y).oob_prediction_ for mask in masks]
        wanted = [score(y[seen], values[seen]) for values in answers for seen in [~np.isnan(values)]]
        assert_allclose(found[:, 0], wanted, rtol=1e-9)


def test_a_plain_loop_finds_the_same(rng):
    """The slow twin: trees on repeated samples, followed one row at a time by those that have not drawn it."""
    X, y = data(rng, 40)
    order = np.argsort(y, kind="stable")
    X, y, masks = X[order], y[order], masks_of(rng, 2)
    model = RandomForestClassifier(4, max_features=None, random_state=7)
    found = evaluate_subsets(X, y, masks, objectives=("uar",), estimator=model, cv="oob")[:, 0]
    for mask, score in zip(masks, found, strict=True):
        plan = naive.forest.Plan(3, len(y), int(mask.sum()), False)
        trees, drawn = zip(*[naive.forest.grow(plan, X[:, mask], y, seed_words(7), (Purpose.FOREST, 0, 0), t)
                             for t in range(4)], strict=True)
        sums, n_votes = naive.forest.predict(trees, X[:, mask], drawn)
        seen = n_votes > 0
        assert_allclose(score, balanced_accuracy_score(y[seen], sums[seen].argmax(axis=1)), rtol=1e-14)


def small(judges, **parameters):
    given = {"objectives": ("uar", "cardinality"), "population_size": 8, "n_generations": 2, "random_state": 0,
             "evaluation": Evaluation(n_rescore_splits=3), "local_improvement": None, "rule": "best", "n_jobs": 1,
             "islands": Islands(judges=judges, sizes=None), "cv": "oob", **parameters}
    return single_search(**given)


LOCAL = LocalImprovement(n_populations=1, population_size=6, n_generations=2, every=1)


@pytest.mark.quick(2)
@pytest.mark.parametrize("judges", [[RandomForestClassifier(9)], [RandomForestClassifier(5), ExtraTreesClassifier(
    7, bootstrap=True)]], ids=["one", "panel"])
@pytest.mark.parametrize("options", [{}, {"objectives": None, "local_improvement": LOCAL}, {
    "evaluation": Evaluation(subsample=50)}], ids=["plain", "local", "subsample"])
def test_threads_and_workers_elsewhere_find_the_same(rng, judges, options, monkeypatch):
    X, y = data(rng)
    ref = small(judges, **options).fit(X, y)
    assert_same(small(judges, **options, n_jobs=3).fit(X, y), ref)
    with everything_sent(monkeypatch):
        assert_same(small(judges, **options, n_jobs=2).fit(X, y), ref)


def test_a_search_by_a_seeded_forest_has_its_scores(rng):
    X, y = data(rng)
    model = FORESTS[0]
    front = small([model]).fit(X, y).pareto_front_
    wanted = [balanced_accuracy_score(y, model.fit(X[:, mask], y).oob_decision_function_.argmax(axis=1))
              for mask in front.supports]
    assert_allclose(front.score, wanted, rtol=1e-12)


def test_honest_scores_beside_it(rng):
    """On each fold the guide answers out of bag of the fold's samples."""
    X, y = data(rng)
    selector = MOELIGASelector(islands=Islands(judges=[RandomForestClassifier(5)], sizes=None), cv="oob", honest=2,
                               population_size=8, n_generations=1, local_improvement=None, random_state=0,
                               estimator=GaussianNB(), n_jobs=1).fit(np.nan_to_num(X), y)
    assert 0 <= selector.honest_score_ <= 1


def test_a_checkpoint_knows_how_it_was_scored(rng, tmp_path):
    X, y = data(rng)
    kept, judge = {"checkpoint": Checkpoint(tmp_path / "search.npz")}, [RandomForestClassifier(5)]
    ref = small(judge, n_generations=4).fit(X, y)
    small(judge, **kept).fit(X, y)
    with pytest.raises(ValueError, match="splits"):
        small(judge, **kept, n_generations=4, cv=None).fit(X, y)
    assert_same(small(judge, **kept, n_generations=4).fit(X, y), ref)


def test_weights_of_classes_count_in_the_bag(rng):
    """Trees answer for what they have not drawn, with the weights in what they learn."""
    X, y = data(rng)
    masks = masks_of(rng)
    found = [evaluate_subsets(X, y, masks, objectives=("neg_log_loss",), scoring="neg_log_loss", cv="oob",
                              estimator=ensemble.RandomForestClassifier(30, class_weight=weights, random_state=1))
             for weights in (None, {0: 2, 1: 2, 2: 2}, {0: 1, 1: 4, 2: 1})]
    assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).all()


@pytest.mark.parametrize(("model", "why"), [
    (ExtraTreesClassifier(), ""), (RandomForestClassifier(bootstrap=False), ""), (GaussianNB(), ""), (None, ""),
    (ensemble.RandomForestClassifier(criterion="entropy"), ".*, which is not compiled with criterion='entropy'$")],
    ids=named)
def test_models_without_a_bag_are_refused(rng, model, why):
    X, y = data(rng)
    X = np.nan_to_num(X)
    message = ("cv='oob' must come with forests as judges, with bootstrap=True, and a scoring that the compiled core "
               "computes, got scoring=None and ")
    with pytest.raises(ValueError, match=message + why):
        small(None if model is None else [model]).fit(X, y)
    if not why:
        with pytest.raises(ValueError, match=message):
            evaluate_subsets(X, y, masks_of(rng), estimator=model, cv="oob")


def test_what_does_not_go_with_it_is_refused(rng):
    X, y = data(rng)
    with pytest.raises(ValueError, match="a scoring that the compiled core computes, got scoring=<function"):
        small([RandomForestClassifier(3)], scoring=lambda model, X, y: 0.5, objectives=None).fit(X, y)
    with pytest.raises(ValueError, match=r"groups must come with .* got honest=None, cv='oob'"):
        small([RandomForestClassifier(3)]).fit(X, y, groups=np.arange(len(y)) % 4)
    beside = small([RandomForestClassifier(3)], honest=2).fit(X, y, groups=np.arange(len(y)) % 4)  # for the folds alone
    alone = small([RandomForestClassifier(3)]).fit(X, y)
    assert_array_equal(beside.history_["hypervolume"], alone.history_["hypervolume"])
    with pytest.raises(TypeError, match="honest must be a number of folds"):
        small([RandomForestClassifier(3)], honest="oob").fit(X, y)
    with pytest.raises(TypeError, match="pairs of rows, 'oob' or None, got 'bag'"):
        small([RandomForestClassifier(3)], cv="bag").fit(X, y)
    dataset = Dataset.encode(X, y, 3)
    forest, n_validation = recognise(RandomForestClassifier(3)), dataset.n_validation(0.3)
    with pytest.raises(ValueError, match="splits must be None out of bag"):
        Evaluator(dataset, n_validation, 0, 2, 1, forest=forest, leave_one_out=True,
                  splits=np.array([np.arange(len(y)) % 2], dtype=np.uint8))
    with pytest.raises(ValueError, match="forest.drawn must be above 0 out of bag"):
        Evaluator(dataset, n_validation, 0, 2, 1, forest=recognise(ExtraTreesClassifier(3)), leave_one_out=True)
    small([GaussianNB()], cv=LeaveOneOut()).fit(np.nan_to_num(X), y)
