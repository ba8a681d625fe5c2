"""Compiled forests as judges: the forests of this package on the same rows, and scikit-learn's as good."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from sklearn import ensemble
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import arbitrary
from case_names import named
from moeliga import (
    Checkpoint,
    Evaluation,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    Islands,
    LocalImprovement,
    RandomForestClassifier,
    RandomForestRegressor,
    evaluate_subsets,
)
from moeliga._ext import draw
from moeliga._ext.evaluate import Evaluator
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset, Samples
from moeliga.evaluation.judges import recognise
from single_search import single_search
from thread_backend import everything_sent

CLASSIFIERS = [RandomForestClassifier(7, random_state=3), RandomForestClassifier(5, max_features=0.7, random_state=0),
               RandomForestClassifier(3, max_features=None, bootstrap=False, max_depth=4, random_state=1),
               RandomForestClassifier(4, max_samples=0.4, max_features="log2", min_samples_leaf=2, random_state=1),
               RandomForestClassifier(4, max_samples=20, min_samples_split=7, random_state=1),
               RandomForestClassifier(4, max_samples=60, max_features=3, random_state=1),
               ExtraTreesClassifier(5, random_state=2), ExtraTreesClassifier(5, bootstrap=True, random_state=2),
               RandomForestClassifier(4, class_weight={0: 3, 2: 0.5}, random_state=2),
               RandomForestClassifier(4, class_weight="balanced", random_state=2),
               ExtraTreesClassifier(4, class_weight="balanced", random_state=2)]
REGRESSORS = [RandomForestRegressor(5, random_state=3), ExtraTreesRegressor(5, max_features="sqrt", random_state=3)]


def data(rng, n_samples=70, regression=False):
    return arbitrary.holed(rng, n_samples, 9, regression)


def masks_of(rng, n=6):
    return arbitrary.masks_with_a_signal(rng, n, 9)


def drawn(samples, n_splits, shared=False):
    """The splits that `evaluate_subsets` draws for subset p."""
    def of(p):
        marks = [draw.split(seed_words(5), (Purpose.PUBLIC, 0, 0, 0 if shared else p, test), samples.class_start,
                            samples.n_validation(0.3)) for test in range(n_splits)]
        return [(np.sort(samples.rows[mark == 0]), np.sort(samples.rows[mark == 1])) for mark in marks]
    return of


def by_fits(model, X, y, masks, splits, scoring):
    """The mean score of each subset by fits of the model itself."""
    scorer = get_scorer(scoring)
    return np.array([np.mean([scorer(model.fit(X[learn][:, mask], y[learn]), X[ask][:, mask], y[ask])
                              for learn, ask in splits(p)]) for p, mask in enumerate(masks)])


@pytest.mark.quick("values")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=named)
@pytest.mark.parametrize(("scoring", "name"), [("uar", "balanced_accuracy"), ("neg_log_loss",) * 2], ids=named)
def test_a_seeded_forest_answers_as_a_fit_of_itself(rng, model, scoring, name):
    """The same trees: those on a part of the samples and features are of the same draws."""
    X, y = data(rng)
    masks = masks_of(rng)
    found = evaluate_subsets(X, y, masks, objectives=(scoring,), scoring=scoring, estimator=model, random_state=5)
    assert_allclose(found[:, 0], by_fits(model, X, y, masks, drawn(Samples.sort(9, y, 3), 3), name), rtol=1e-13)
    if getattr(model, "class_weight", None) == "balanced":  # each given split would have weights of its own
        return
    fixed = evaluate_subsets(X, y, masks, objectives=(scoring,), scoring=scoring, estimator=model,
                             cv=StratifiedKFold(4))
    wanted = by_fits(model, X, y, masks, lambda _: StratifiedKFold(4).split(X, y), name)
    assert_allclose(fixed[:, 0], wanted, rtol=1e-13)


@pytest.mark.parametrize("model", REGRESSORS, ids=named)
def test_a_seeded_forest_of_a_target(rng, model):
    X, y = data(rng, regression=True)
    masks = masks_of(rng)
    for scoring in ("r2", "neg_mean_absolute_error"):
        found = evaluate_subsets(X, y, masks, objectives=(scoring,), scoring=scoring, estimator=model, random_state=5)
        wanted = by_fits(model, X, y, masks, drawn(Samples.sort_target(9, y), 3), scoring)
        assert_allclose(found[:, 0], wanted, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "scoring"), [
    (ensemble.RandomForestClassifier(30), "balanced_accuracy"),
    (ensemble.ExtraTreesClassifier(30), "balanced_accuracy"),
    (make_pipeline(StandardScaler(), ensemble.RandomForestClassifier(30, max_depth=5)), "balanced_accuracy"),
    (ensemble.RandomForestRegressor(30), "r2"), (ensemble.ExtraTreesRegressor(30, bootstrap=True), "r2")], ids=named)
def test_forests_of_scikit_learn_are_as_good(model, scoring):
    """The mean of paired differences over twenty data sets is within two standard errors."""
    regression, apart = scoring == "r2", []
    seeded = [name for name in model.get_params() if name.endswith("random_state")]
    for number in range(20):
        rng = np.random.default_rng(number)
        X, y = data(rng, 150, regression)
        X, masks = np.nan_to_num(X), masks_of(rng, 3)
        samples = Samples.sort_target(9, y) if regression else Samples.sort(9, y, 3)
        found = evaluate_subsets(X, y, masks, objectives=("r2" if regression else "uar",), estimator=model,
                                 random_state=5)
        other = clone(model).set_params(**dict.fromkeys(seeded, number))
        apart.append(np.mean(found[:, 0] - by_fits(other, X, y, masks, drawn(samples, 3), scoring)))
    assert all(apart) and abs(np.mean(apart)) < 2 * np.std(apart, ddof=1) / np.sqrt(len(apart))


def test_forests_without_a_seed_differ_between_subsets_and_splits(rng):
    """They draw at the address of each; with shared splits equal subsets have equal forests."""
    X, y = data(rng)
    twice = np.repeat(masks_of(rng, 3), 2, axis=0)
    for shared in (False, True):
        found = evaluate_subsets(X, y, twice, objectives=("neg_log_loss",), scoring="neg_log_loss", shared=shared,
                                 estimator=RandomForestClassifier(5), random_state=5)
        assert (found[::2] == found[1::2]).all() == shared
    fixed = evaluate_subsets(X, y, twice, objectives=("uar",), estimator=ExtraTreesClassifier(3), cv=KFold(3))
    assert (fixed[::2] != fixed[1::2]).any()


def small(judges, **parameters):
    given = {"objectives": ("uar", "cardinality"), "population_size": 8, "n_generations": 2, "random_state": 0,
             "evaluation": Evaluation(n_rescore_splits=3), "local_improvement": None, "rule": "best", "n_jobs": 1,
             "islands": Islands(judges=judges, sizes=None), **parameters}
    return single_search(**given)


FOREST = RandomForestClassifier(3)
LOCAL = LocalImprovement(n_populations=1, population_size=6, n_generations=2, every=1)


@pytest.mark.quick(2)
@pytest.mark.parametrize("judges", [[FOREST], [ExtraTreesClassifier(3)]], ids=named)
@pytest.mark.parametrize("options", [
    {}, {"cv": KFold(3)}, {"objectives": None, "local_improvement": LOCAL},
    {"cv": KFold(3), "objectives": None, "evaluation": Evaluation(subsample=40)}], ids=named)
def test_threads_and_workers_elsewhere_find_the_same(rng, judges, options, monkeypatch):
    X, y = data(rng)
    ref = small(judges, **options).fit(X, y)
    assert_same(small(judges, **options, n_jobs=3).fit(X, y), ref)
    with everything_sent(monkeypatch):
        assert_same(small(judges, **options, n_jobs=2).fit(X, y), ref)


def test_a_checkpoint_goes_on(rng, tmp_path):
    X, y = data(rng)
    kept = {"checkpoint": Checkpoint(tmp_path / "search.npz")}
    ref = small([FOREST], n_generations=4).fit(X, y)
    small([FOREST], **kept).fit(X, y)
    assert_same(small([FOREST], **kept, n_generations=4).fit(X, y), ref)


@pytest.mark.slow
def test_a_panel_of_forests(rng):
    """The scores are those of fits on the fresh splits, and the search those of a forest that is not compiled."""
    class Joblib(RandomForestClassifier):
        pass

    X, y = data(rng)
    X = np.nan_to_num(X)
    seeded = RandomForestClassifier(3, random_state=1), ExtraTreesClassifier(3, random_state=1)
    front = small([*seeded, GaussianNB()]).fit(X, y).pareto_front_
    samples = Samples.sort(9, y, 3)
    marks = [draw.split(seed_words(0), (Purpose.RESCORE, 0, 0, 0, test), samples.class_start,
                        samples.n_validation(0.3)) for test in range(3)]
    splits = [(np.sort(samples.rows[mark == 0]), np.sort(samples.rows[mark == 1])) for mark in marks]
    for model in seeded:
        wanted = by_fits(model, X, y, front.supports, lambda _: splits, "balanced_accuracy")
        assert_allclose(front.judges[type(model).__name__], wanted, rtol=1e-13)
    pair = [small([model(3, random_state=1)]).fit(X, y).pareto_front_ for model in (RandomForestClassifier, Joblib)]
    assert_array_equal(pair[0].supports, pair[1].supports)
    assert_allclose(pair[0].objectives, pair[1].objectives, rtol=1e-13)


def test_bad_parameters_are_refused(rng):
    X, y = data(rng)
    for model, message in ((RandomForestClassifier(max_samples=1.5), r"max_samples must be in \(0, 1\], got 1.5"),
                           (RandomForestClassifier(0), "n_estimators must be >= 1, got 0"),
                           (RandomForestClassifier(max_features="all"), "max_features must be 'sqrt'"),
                           (ExtraTreesClassifier(oob_score=True), "oob_score must be False without bootstrap")):
        with pytest.raises(ValueError, match=message):
            evaluate_subsets(X, y, masks_of(rng), estimator=model)
    dataset = Dataset.encode(X, y, 3)
    n_validation, known = dataset.n_validation(0.3), recognise(FOREST)
    bits, numbers = np.full((1, 1), 511, dtype=np.uint64), np.arange(9, dtype=np.int32)
    for change, message in (({"n_trees": 0}, "a forest must have a tree"),
                            ({"drawn": lambda n: n + 1}, r"forest.drawn must be in \[0, 47\], got \[48\]"),
                            ({"tried": lambda k: k + 1}, r"forest.tried must be in \[0, k\]")):
        forest = SimpleNamespace(**{name: getattr(known, name) for name in (
            "n_trees", "stopping", "random_cuts", "seed", "drawn", "tried")} | change)
        with pytest.raises(ValueError, match=message):
            Evaluator(dataset, n_validation, 0, 2, 1, forest=forest).evaluate(
                bits, numbers, numbers[:1], seed_words(0), (6, 0, 0), 1, False, 0, True, 1)
    with pytest.raises(TypeError, match="not compiled with criterion='entropy'"):
        evaluate_subsets(X, y, masks_of(rng), estimator=ensemble.RandomForestClassifier(criterion="entropy"))
