"""Objective I by any scikit-learn classifier: splits, scorers, seeds, workers."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from scipy.sparse import coo_array, csc_array, csr_array, issparse
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedStratifiedKFold, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from arbitrary import sized
from moeliga import DecisionTreeClassifier, LocalImprovement
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset
from moeliga.data.problem import Problem
from moeliga.evaluation.estimator_scorer import EstimatorScorer
from moeliga.evaluation.metadata import Metadata
from paper_operators import PAPER, fitting
from single_search import single_search

SMALL = {**PAPER, "population_size": 8, "n_generations": 2, "survival__n_elite": 2, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 2,
         "local_improvement": None, "random_state": 0, "n_jobs": 1}
LOCAL = LocalImprovement(n_populations=2, population_size=6, n_generations=2, every=2)
data = sized(45, 12, 3, shuffled=True)


def small(estimator=None, **parameters):
    """A selector that takes little time."""
    return single_search(estimator, **fitting({**SMALL, **parameters}))


class Subclass(DecisionTreeClassifier):
    """The same tree under another name."""


class Backwards(DecisionTreeClassifier):
    """Never right where the tree is."""

    def predict(self, X):
        return (super().predict(X) + 1) % 3


# the same numbers as the compiled core


@pytest.mark.quick(3)
@pytest.mark.parametrize("options", [
    {}, {"local_improvement": LOCAL}, {"evaluation__split_mode": "generation"}, {"evaluation__reevaluate": "average"},
    {"evaluation__n_splits": 1},
    {"evaluation__validation_size": 0.6}, {"objectives": ("separability", "uar")},
], ids=lambda options: next(iter(options), "defaults"))
def test_both_ways_to_evaluate_a_tree_give_the_same_bits(rng, seed, options):
    """The compiled tree, and a tree that is not known to be one: the same splits by address, the same scores."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.02] = np.nan
    compiled = small(DecisionTreeClassifier(max_depth=4), random_state=seed, **options).fit(X, y)
    scored = small(Subclass(max_depth=4), random_state=seed, **options)
    assert_same(scored.fit(X, y), compiled)


@pytest.mark.parametrize("form", [np.asarray, csr_array, csc_array, coo_array])
def test_columns_of_rows_are_those_of_the_array(rng, form):
    """Of any format; sparse ones become CSR."""
    X = rng.normal(size=(9, 5)) * (rng.random((9, 5)) < 0.5)
    posed = Problem.from_data(form(X), np.arange(9) % 2, False)
    scorer = EstimatorScorer([], None, None, posed, Metadata({}, {}, {}, 9))
    for rows in (None, np.array([1, 2, 7])):
        found = scorer.columns(np.array([0, 3]), rows)
        assert getattr(found, "format", "csr") == "csr"
        assert_array_equal(found.toarray() if issparse(found) else found, (X if rows is None else X[rows])[:, [0, 3]])


def test_a_subclass_of_the_tree_is_not_the_compiled_tree(rng):
    """It may predict otherwise, so scikit-learn evaluates it; one that does not gives the same bits."""
    X, y = data(rng)
    assert_same(small(Subclass()).fit(X, y), small(DecisionTreeClassifier()).fit(X, y))
    assert small(Backwards()).fit(X, y).pareto_front_.score.max() < 0.5


def test_no_estimator_is_a_tree_of_depth_one_hundred(rng):
    """With a scorer too."""
    X, y = data(rng)
    tree = DecisionTreeClassifier(max_depth=100)
    assert_same(small(scoring="balanced_accuracy").fit(X, y), small(tree).fit(X, y))


@pytest.mark.quick(1)
@pytest.mark.parametrize("mode", ["individual", "generation"])
def test_scores_are_those_of_a_plain_loop(rng, seed, mode):
    """Generation 0: every individual on the splits drawn at its address, or all on those of individual 0."""
    X, y = data(rng)
    seen = []
    small(BernoulliNB(), evaluation__split_mode=mode, random_state=seed, callbacks=seen.append).fit(X, y)
    dataset = Dataset.encode(X, y, 3)
    for i, (mask, values) in enumerate(zip(seen[0].supports, seen[0].objectives, strict=True)):
        scores = []
        for test in range(3):
            address = (Purpose.EVALUATE, 0, 0, i if mode == "individual" else 0, test)
            marks = draw.split(seed_words(seed), address, dataset.class_start, dataset.n_validation(0.3))
            train, validation = dataset.rows[marks == 0], dataset.rows[marks == 1]
            model = BernoulliNB().fit(X[train][:, mask], y[train])
            scores.append(balanced_accuracy_score(y[validation], model.predict(X[validation][:, mask])))
        assert_allclose(values[0], np.mean(scores), rtol=1e-15)


# cv and scoring


@pytest.mark.quick(3)
@pytest.mark.parametrize("make", [
    lambda X, y: 3,
    lambda X, y: StratifiedKFold(3, shuffle=True, random_state=5),
    lambda X, y: KFold(4),
    lambda X, y: RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=1),
    lambda X, y: list(StratifiedKFold(3).split(X, y)),
    lambda X, y: StratifiedKFold(3).split(X, y),
], ids=["int", "splitter", "unstratified", "repeated", "list", "generator"])
@pytest.mark.parametrize("scoring", [None, "accuracy"])
def test_cv_gives_the_splits_and_scoring_the_score(rng, make, scoring):
    """Every member of the front has the mean of scikit-learn's own cross_val_score, in the search and re-scored."""
    X, y = data(rng)
    front = small(BernoulliNB(), cv=make(X, y), scoring=scoring).fit(X, y).pareto_front_
    for mask, score, error, searched in zip(front.supports, front.score, front.score_se, front.search_objectives[:, 0],
                                            strict=True):
        scores = cross_val_score(BernoulliNB(), X[:, mask], y, cv=make(X, y), scoring=scoring or "balanced_accuracy")
        assert_allclose([score, searched], np.mean(scores), rtol=1e-14)
        assert_allclose(error, np.std(scores, ddof=1) / np.sqrt(len(scores)), rtol=1e-9, atol=1e-15)


def test_cv_with_a_compiled_tree_is_evaluated_by_scikit_learn(rng):
    """The tree is the same, the splits are the caller's."""
    X, y = data(rng)
    front = small(cv=3).fit(X, y).pareto_front_
    for mask, score in zip(front.supports, front.score, strict=True):
        scores = cross_val_score(DecisionTreeClassifier(), X[:, mask], y, cv=3, scoring="balanced_accuracy")
        assert_allclose(score, np.mean(scores), rtol=1e-14)


@pytest.mark.slow
def test_leave_one_out(rng):
    """Validation parts of one sample are fine."""
    X, y = data(rng, n_samples=12)
    front = small(BernoulliNB(), cv=LeaveOneOut(), scoring="accuracy", n_generations=1).fit(X, y).pareto_front_
    assert np.all(front.score * 12 == np.round(front.score * 12))


def test_random_splits_of_cv_are_drawn_once(rng):
    """A splitter without a seed does not change from individual to individual: equal subsets are equal."""
    X, y = data(rng, n_features=2)
    seen = []
    small(BernoulliNB(), cv=StratifiedKFold(3, shuffle=True), callbacks=seen.append).fit(X, y)
    scores = {}
    for state in seen:
        for mask, value in zip(state.supports.tolist(), state.objectives[:, 0], strict=True):
            assert scores.setdefault(tuple(mask), value) == value


def test_a_generator_serves_one_fit(rng):
    """The second fit finds it empty, and says so."""
    X, y = data(rng)
    selector = small(BernoulliNB(), cv=StratifiedKFold(3).split(X, y)).fit(X, y)
    with pytest.raises(ValueError, match="^cv must give at least one split, got none from <generator"):
        selector.fit(X, y)


@pytest.mark.parametrize("cv", [[([0, 1], [45])], [([0.5], [1])], [1, 2], [(None, [1])]], ids=str)
def test_splits_that_are_no_rows_are_refused(rng, cv):
    """Beyond the rows of X, of fractions, no pairs, of nothing."""
    with pytest.raises(ValueError, match=r"^cv must give \(train, test\) pairs of rows of X: "):
        small(BernoulliNB(), cv=cv).fit(*data(rng))


@pytest.mark.quick(2)
@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss", get_scorer("f1"),
                                     make_scorer(balanced_accuracy_score, adjusted=True),
                                     lambda model, X, y: model.score(X, y)],
                         ids=["accuracy", "roc_auc", "neg_log_loss", "scorer", "made", "function"])
def test_any_scorer_will_do(rng, scoring):
    """Names, scorers and functions, of labels or of probabilities; scores may be negative."""
    X, y = data(rng, n_classes=2)
    front = small(BernoulliNB(), scoring=scoring, n_generations=1, rule="one_se").fit(X, y).pareto_front_
    assert np.isfinite(front.objectives).all()
    assert (front.score.max() <= 0) == (scoring == "neg_log_loss")


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_scores_that_are_not_finite_are_refused(rng, score):
    """The message names the objective."""
    with pytest.raises(ValueError, match=f"^objective 'score' must be finite, got {score}$"):
        small(BernoulliNB(), scoring=lambda model, X, y: score).fit(*data(rng))


def test_an_error_in_the_estimator_comes_through(rng):
    """Nothing is scored as a failure in silence."""

    class Broken(BernoulliNB):
        def fit(self, X, y):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        small(Broken()).fit(*data(rng))


@pytest.mark.parametrize("estimator", [LogisticRegression(), make_pipeline(StandardScaler(), BernoulliNB())],
                         ids=["linear", "pipeline"])
def test_any_classifier_will_do(rng, estimator):
    """The caller's estimator itself is never fitted."""
    X, y = data(rng)
    before = repr(estimator.get_params())
    selector = small(estimator, n_generations=0, evaluation__n_splits=2).fit(X, np.array(["a", "b", "c"])[y])
    assert selector.pareto_front_.score.max() > 0.4
    assert repr(estimator.get_params()) == before
    assert not hasattr(clone(estimator), "classes_")
    assert not hasattr(estimator, "classes_")


ENSEMBLES = {
    "bagged trees": BaggingClassifier(DecisionTreeClassifier(max_depth=5), n_estimators=4, max_features=0.7),
    "several classifiers": VotingClassifier([("bayes", BernoulliNB()), ("tree", DecisionTreeClassifier()),
                                             ("random", SklearnTree(splitter="random"))], voting="soft"),
    "stacked": StackingClassifier([("bayes", BernoulliNB()), ("bags", BaggingClassifier(n_estimators=2))],
                                  final_estimator=BernoulliNB(), cv=2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ENSEMBLES)
def test_an_ensemble_is_a_classifier_like_any_other(rng, seed, name):
    """Scores are those of the ensemble fitted in a plain loop: on the splits, and with the seeds, of each address;
    members that draw get a seed each, and the same bits come out of two workers."""
    X, y = data(rng)
    seen, setting = [], {"n_generations": 0, "evaluation__n_splits": 2, "evaluation__n_rescore_splits": 1,
                         "random_state": seed}
    one = small(ENSEMBLES[name], **setting, callbacks=seen.append).fit(X, y)
    assert_same(small(ENSEMBLES[name], **setting, n_jobs=2).fit(X, y), one)
    dataset, where = Dataset.encode(X, y, 3), (0, 0)
    seeded = sorted(key for key in ENSEMBLES[name].get_params() if key.endswith("random_state"))
    assert seeded
    for i, (mask, values) in enumerate(zip(seen[0].supports, seen[0].objectives, strict=True)):
        scores = []
        for test in range(2):
            marks = draw.split(seed_words(seed), (Purpose.EVALUATE, *where, i, test), dataset.class_start,
                               dataset.n_validation(0.3))
            words = draw.words(seed_words(seed), (Purpose.ESTIMATOR << 8 | Purpose.EVALUATE, *where, i, test),
                               len(seeded))
            model = clone(ENSEMBLES[name]).set_params(**{key: int(word) >> 33 for key, word in
                                                         zip(seeded, words, strict=True)})
            train, validation = dataset.rows[marks == 0], dataset.rows[marks == 1]
            model.fit(X[train][:, mask], y[train])
            scores.append(balanced_accuracy_score(y[validation], model.predict(X[validation][:, mask])))
        assert_allclose(values[0], np.mean(scores), rtol=1e-15)


# seeds of the estimator


class Coin(SklearnTree):
    """A tree that tells which seed it was given."""

    seeds = []

    def fit(self, X, y):
        Coin.seeds.append(self.random_state)
        return super().fit(X, y)


@pytest.fixture
def seeds():
    Coin.seeds = []
    return Coin.seeds


def test_every_fit_gets_a_seed_of_its_own_and_always_the_same(rng, seeds):
    """random_state=None is replaced by numbers of the search's streams: distinct, and repeated with the search."""
    X, y = data(rng)
    one = small(Coin(splitter="random")).fit(X, y)
    first = list(seeds)
    searched = first[: one.n_evaluations_ * 3]
    assert all(isinstance(number, int) and 0 <= number < 2**31 for number in first)
    assert len(set(searched)) == len(searched)
    seeds.clear()
    assert_same(small(Coin(splitter="random")).fit(X, y), one)
    assert seeds == first
    seeds.clear()
    small(Coin(splitter="random"), random_state=1).fit(X, y)
    assert not set(seeds) & set(first)


def test_a_seed_of_the_caller_s_stays(rng, seeds):
    """An estimator with a random_state keeps it."""
    small(Coin(random_state=7), n_generations=1).fit(*data(rng))
    assert set(seeds) == {7}


def test_seeds_reach_into_a_pipeline(rng, seeds):
    """Nested parameters called random_state are seeded too, each by its own number."""
    X, y = data(rng)
    nested = make_pipeline(StandardScaler(), Coin())
    small(nested, n_generations=0, evaluation__n_rescore_splits=0).fit(X, y)
    assert len(set(seeds)) == len(seeds) == 24
    assert nested.get_params()["coin__random_state"] is None


# workers


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [BernoulliNB(), ExtraTreesClassifier(2)], ids=["BernoulliNB", "seeded"])
def test_workers_change_nothing(rng, estimator):
    """One process, two processes, two threads: the same bits."""
    X, y = data(rng)
    one = small(estimator, n_generations=1).fit(X, y)
    assert_same(small(estimator, n_generations=1, n_jobs=2).fit(X, y), one)
    assert_same(small(estimator, n_generations=1, n_jobs=None).fit(X, y), one)
    with joblib.parallel_config("threading", n_jobs=2):
        assert_same(small(estimator, n_generations=1, n_jobs=None).fit(X, y), one)


def test_one_job_does_not_touch_joblib(rng, monkeypatch):
    """n_jobs=1 is a plain loop."""

    def touched(*arguments, **options):
        raise AssertionError("joblib was used")

    monkeypatch.setattr("sklearn.utils.parallel.Parallel", touched)
    selector = small(BernoulliNB(), n_jobs=1).fit(*data(rng))
    assert selector.support_.any()
    with pytest.raises(AssertionError, match="joblib was used"):
        small(BernoulliNB(), n_jobs=2).fit(*data(rng))


def test_read_only_memory_is_enough(rng):
    """Large data reach the workers as read-only memory maps."""
    X, y = data(rng)
    X.flags.writeable = False
    assert small(BernoulliNB(), n_generations=0).fit(X, y).support_.any()
