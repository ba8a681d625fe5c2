"""Cross-fitting: interrupted, limited, and with every kind of selector."""

import math
import pickle
import signal
import threading
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier as AnyTree
from sklearn_objects import Listening

from case_names import named
from cross_fitted import Acting, assert_same_fit, at, data, interrupt, small
from moeliga import (
    MOGA,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Evaluation,
    FeaturePrior,
    Islands,
    LocalImprovement,
    NoLoss,
    Variation,
)
from moeliga.search.build import prepare

# any number of workers, copies


def test_any_number_of_workers_gives_the_same_bits(rng):
    """Threads of the core and of joblib."""
    X, y = data(rng)
    one = small(LogisticRegression(solver="liblinear")).fit(X, y)
    assert_same_fit(small(LogisticRegression(solver="liblinear"), n_jobs=2).fit(X, y), one)
    with parallel_config("threading", n_jobs=3):
        assert_same_fit(small(LogisticRegression(solver="liblinear")).fit(X, y), one)


def test_copies_and_pickles(rng):
    """Parameters by name, also those of rules and judges; a fitted selector assesses as before."""
    X, y = data(rng)
    selector = small(rule=NoLoss(0.5)).set_params(rule__margin=1.0, islands__judges=[AnyTree(max_depth=2)])
    assert selector.get_params()["rule__margin"] == 1.0
    assert "honest=3" in repr(selector)
    again = clone(selector)
    assert again.rule is not selector.rule
    assert repr(again) == repr(selector)
    fitted = selector.fit(X, y)
    back = pickle.loads(pickle.dumps(fitted))
    assert_same_fit(back, fitted)
    before = (fitted.index_, fitted.honest_score_, fitted.support_.tolist())
    assert fitted.assess("best") == back.assess("best")
    assert (fitted.index_, fitted.honest_score_, fitted.support_.tolist()) == before


def test_a_size_that_was_not_cross_fitted_can_be_selected(rng):
    """Its honest score is unknown."""
    selector = small().fit(*data(rng, n_features=30))
    front = selector.pareto_front_
    lacking = [size for size in set(front.n_selected.tolist()) if np.isnan(front.honest_score[front.n_selected == size]
                                                                           ).all()]
    for size in lacking:
        selector.select(n_features=size)
        assert selector.support_.sum() == size
        assert math.isnan(selector.honest_score_)
    index = int(np.flatnonzero(np.isfinite(front.honest_score))[0])
    assert math.isfinite(selector.select(index=index).honest_score_)


# kinds of selectors


def first(mask, X, y):
    return float(mask[0])


OPTIONS = [{"islands": None}, {"islands": Islands(judges=[KNeighborsClassifier(3)])}, {"archive": False},
           {"evaluation__n_rescore_splits": 0}, {"evaluation__subsample": 30}, {"cv": KFold(2), "islands__judges": [
               GaussianNB()]}, {"objectives": (first, "cardinality")}, {"objectives": ("uar", first)},
           {"max_features": 1}, {"constraints__costs": np.arange(1, 10.0), "objectives": ("uar", "cost")},
           {"constraints__must_include": [1], "max_features": 5}, {"rule": "one_se"}, {"rule": lambda front: 0},
           {"honest": KFold(2)},
           {"constraints__costs": np.arange(1, 10.0), "objectives": ("uar", "cost"), "evaluation__subsample": 30,
            "constraints__groups": [0, 0, 1, 2, 3, 4, 5, 6, 6], "constraints__exclude": [4], "islands__sizes": (2, 5)}]


@pytest.mark.quick(2)
@pytest.mark.parametrize("options", OPTIONS, ids=named)
def test_every_kind_of_selector_has_honest_scores(rng, options):
    """And the same ones twice."""
    X, y = data(rng)
    selector = small(**options).fit(X, y)
    front = selector.pareto_front_
    assert math.isfinite(selector.honest_score_)
    assert selector.honest_interval_[0] <= selector.honest_score_ <= selector.honest_interval_[1]
    assert np.isfinite(front.honest_score).any()
    assert_array_equal(front.supports[selector.index_], selector.support_)
    assert_same_fit(small(**options).fit(X, y), selector)


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", ["regression", "sparse", "two features", "single sample", "frame"])
def test_every_kind_of_data_has_honest_scores(rng, kind):
    """Of any form."""
    X, y = data(rng)
    model = LinearRegression() if kind == "regression" else LogisticRegression()
    if kind == "regression":
        y = X[:, 0] + rng.normal(size=48)
    elif kind == "sparse":
        X = csr_array(np.where(rng.random(X.shape) < 0.5, 0, X))
    elif kind == "two features":
        X = X[:, :2]
    elif kind == "single sample":
        y[7] = 5
    else:
        X = pytest.importorskip("pandas").DataFrame(X, columns=[f"f{f}" for f in range(9)])
    selector = small(model).fit(X, y)
    assert math.isfinite(selector.honest_score_)
    assert selector.transform(X).shape == (48, selector.support_.sum())


def test_a_scorer_without_a_number_gives_no_honest_scores(rng):
    """For all answers, or for those of one fold, whose error alone is lacking then."""
    X, y = data(rng)

    def lacking(n_samples):
        return lambda model, X, y: np.nan if len(y) == n_samples else float(np.mean(model.predict(X) == y))

    with pytest.warns(UserWarning, match="^scoring gives no finite number for the predictions of any candidate: "):
        selector = small(scoring=lacking(48)).fit(X, y)
    assert math.isnan(selector.honest_score_) and selector.pareto_front_.honest is None
    selector = small(scoring=lacking(16)).fit(X, y)
    assert np.isfinite(selector.pareto_front_.honest_score).any() and np.isnan(selector.pareto_front_.honest_se).all()


def test_rows_of_x_in_cv_are_refused(rng):
    """They are not those of the folds."""
    X, y = data(rng)
    for cv in ([(np.arange(24), np.arange(24, 48))], KFold(3).split(X)):
        with pytest.raises(ValueError, match="^cv must be a number, a splitter or None unless honest=None: "):
            small(cv=cv).fit(X, y)


def test_weights_go_to_the_deployed_model_alone(rng, heard):
    """A judge may not take any."""
    X, y = data(rng)
    weights = 1 + np.arange(48.0)
    small(Listening(), islands=Islands(judges=[KNeighborsClassifier(3)])).fit(X, y, sample_weight=weights)
    assert heard
    for X_given, _, given, _ in heard:
        rows = [int(np.flatnonzero((X == row[0]).any(axis=1))[0]) for row in X_given]
        assert_array_equal(given, weights[rows])


def test_splitters_get_the_groups_of_the_training_rows(rng):
    """Of all samples first, then of each fold."""
    heard = []

    class Hearing(GroupKFold):
        def split(self, X, y=None, groups=None):
            heard.append(groups.tolist())
            return super().split(X, y, groups)

    X, y = data(rng)
    groups = rng.permutation(48) // 4
    pairs = [(np.setdiff1d(np.arange(48), test), test) for test in np.arange(48).reshape(3, 16)]
    small(honest=pairs, cv=Hearing(2)).fit(X, y, groups=groups)
    expected = [groups.tolist(), *(groups[train].tolist() for train, _ in pairs)]
    assert [part for part in expected if part not in heard] == [part for part in heard if part not in expected] == []


# callbacks, limits, signals


def test_callbacks_see_the_searches_one_after_the_other(rng):
    """The one on all samples first; one that is stopped is used, as are the others. All evaluations are counted."""
    seen, counts = [], {}

    def callback(state):
        seen.append((state.fold, state.generation, state.n_folds))
        counts[state.fold] = state.row["n_evaluations"]
        return state.fold == 1 and state.generation == 1

    selector = small(callbacks=callback).fit(*data(rng))
    assert seen == [(fold, generation, 3) for fold in (None, 0, 1, 2) for generation in range(3)
                    if (fold, generation) != (1, 2)]
    assert selector.stop_reason_ == "n_generations"
    assert selector.n_evaluations_ == sum(counts.values())
    assert len(next(iter(selector.fold_supports_.values()))) == 3


@pytest.mark.parametrize("changes", [
    {"rule": "best"}, {"rule__margin": 1e9}, {"estimator": GaussianNB()}, {"estimator__max_depth": 1},
    {"feature_prior__share": 1.0}, {"islands__every": 1, "islands__sizes": None}, {"evaluation__n_splits": 1},
    {"survival__n_elite": 0}, {"variation__mutation_rate": 5.0}, {"local_improvement__every": 1},
    {"scoring": "accuracy", "cv": 2, "honest": None, "objectives": ["uar"], "max_features": 1, "n_generations": 0,
     "population_size": 30, "init": "staggered", "archive": False, "max_time": 0.0, "max_evaluations": 90,
     "patience": 1, "constraints__must_include": [0], "random_state": 1, "n_jobs": 2, "checkpoint": "nowhere"},
], ids=lambda changes: next(iter(changes)))
def test_parameters_that_a_callback_sets_are_for_the_next_fit(rng, changes):
    """Also those of the objects that are parameters, whichever search asks for them."""
    X, y = data(rng, n_features=14)

    def selector(*callbacks):
        return small(DecisionTreeClassifier(), rule=NoLoss(), feature_prior=FeaturePrior(), islands=Islands(every=2),
                     evaluation=Evaluation(n_splits=2), survival=MOGA(2, 2), variation=Variation(), n_generations=3,
                     local_improvement=LocalImprovement(population_size=8, n_generations=2), callbacks=[*callbacks])

    plain = selector().fit(X, y)
    changed = selector(at(None, 1, lambda: changed.set_params(**changes)))
    assert_same_fit(changed.fit(X, y), plain)


def test_an_estimate_counts_all_searches(rng):
    """As many evaluations as are planned."""
    X, y = data(rng)
    one = small(honest=None).estimate_time(X, y).n_evaluations
    assert small().estimate_time(X, y).n_evaluations == 4 * one


@pytest.mark.parametrize(("limits", "least", "most"), [({}, 3000, 3500), ({"max_time": 10}, 1000, 1500)])
def test_an_estimate_counts_what_comes_before_the_searches(rng, monkeypatch, limits, least, most):
    """As often as there are folds: what is left out of each makes up for the search on all; no limit cuts the first."""
    def slow(*given):
        plan, ready = prepare(*given)
        return plan, replace(ready, seconds=1000.0)

    monkeypatch.setattr("moeliga.selector.prepare", slow)
    X, y = data(rng)
    got, planned = small(**limits).estimate_time(X, y), 4 * small(honest=None).estimate_time(X, y).n_evaluations
    share = got.n_evaluations / planned
    assert 1000 / 3500 < share < 1500 / 3000 if limits else share == 1
    assert least <= got.interval[0] <= got.seconds <= got.interval[1] < most


def test_what_guides_a_regressor_by_default():
    """A tree with leaves of five samples; that of classes has single ones, as the paper has it."""
    guide, = small(LinearRegression()).guides()
    assert type(guide) is DecisionTreeRegressor and (guide.max_depth, guide.min_samples_leaf) == (100, 5)
    guide, = small(LogisticRegression()).guides()
    assert type(guide) is DecisionTreeClassifier and (guide.max_depth, guide.min_samples_leaf) == (100, 1)


def test_folds_that_time_has_ended_are_used(rng, monkeypatch):
    """Each search ends with its share, of a clock that evaluations alone move: by a second each."""
    now = [0.0]

    def lasting(mask, X, y):
        now[0] += 1.0
        return float(mask[:3].sum())

    for clock in ("moeliga.base.budget.time.monotonic", "moeliga.search.evolution.time.perf_counter"):
        monkeypatch.setattr(clock, lambda: now[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        selector = small(max_time=400, n_generations=10**6, objectives=("uar", "cardinality", lasting)).fit(*data(rng))
    assert selector.stop_reason_ == "max_time" and 300 < now[0] <= 400
    assert len(next(iter(selector.fold_supports_.values()))) == 3
    assert math.isfinite(selector.honest_score_)


def building(calls, action):
    """A feature prior whose call, which every search begins with, acts; `calls` counts them."""
    def prior(X, y):
        calls.append(len(y))
        action()
        return f_classif(X, y)[0]

    return prior


@pytest.mark.quick(2)
@pytest.mark.parametrize(("limit", "n_done", "n_built"), [(400, 3, 4), (152, 2, 3), (120, 2, 3), (100, 0, 1)])
@pytest.mark.filterwarnings("ignore:max_time has ended the fit")
def test_what_comes_before_a_search_counts_for_max_time(rng, monkeypatch, limit, n_done, n_built):
    """The building of each takes 30 seconds of a clock, an evaluation 1/8. Two of three folds have what is left, where
    three would have no time to search; where two would have less than the building takes, none is begun. All within a
    second: re-scoring is of whole splits."""
    now, calls = [0.0], []

    def pass_by(seconds):
        now[0] += seconds

    def lasting(mask, X, y):
        pass_by(0.125)
        return float(mask[:3].sum())

    for clock in ("moeliga.base.budget.time.monotonic", "moeliga.search.evolution.time.perf_counter"):
        monkeypatch.setattr(clock, lambda: now[0])
    selector = small(max_time=limit, n_generations=10**6, objectives=("uar", "cardinality", lasting),
                     feature_prior=building(calls, lambda: pass_by(30.0))).fit(*data(rng))
    assert now[0] <= limit + 1 and selector.stop_reason_ == "max_time" and selector.support_.any()
    assert (len(next(iter(selector.fold_supports_.values()), [])), len(calls)) == (n_done, n_built)


def test_what_has_ended_the_folds_is_told_where_the_first_search_had_time(rng, monkeypatch):
    """Which has ended by its number of generations; to build each search takes 30 seconds of a clock."""
    now = [0.0]

    def pass_by():
        now[0] += 30.0

    for clock in ("moeliga.base.budget.time.monotonic", "moeliga.search.evolution.time.perf_counter"):
        monkeypatch.setattr(clock, lambda: now[0])
    with pytest.warns(UserWarning, match="^max_time has ended the fit after 2 of 3 folds: honest scores use only"):
        small(max_time=110, feature_prior=building([], pass_by)).fit(*data(rng))


class LastingTree(AnyTree):
    """A model that is fitted in ten seconds of a clock, the first time in thirty more."""

    now, fits = [0.0], []

    def fit(self, X, y):
        self.now[0] += 10.0 if self.fits else 40.0
        self.fits.append(X.shape)
        return super().fit(X, y)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("limit", "n_done"), [(1000, 3), (480, 2), (200, 0)])
@pytest.mark.filterwarnings("ignore:max_time has ended the fit")
def test_what_the_model_takes_counts_for_max_time(rng, monkeypatch, limit, n_done):
    """It is known before the first search on a fold, from three fits; no fold begins that the model would not end."""
    now, fits = LastingTree.now, LastingTree.fits
    now[0] = 0.0
    fits.clear()

    def lasting(mask, X, y):
        now[0] += 0.125
        return float(mask[:3].sum())

    for clock in ("moeliga.base.budget.time.monotonic", "moeliga.search.evolution.time.perf_counter"):
        monkeypatch.setattr(clock, lambda: now[0])
    selector = small(max_time=limit, n_generations=10**6, objectives=("uar", "cardinality", lasting),
                     estimator=LastingTree()).fit(*data(rng))
    assert now[0] <= limit + 1 and selector.stop_reason_ == "max_time" and selector.support_.any()
    assert now[0] > 0.95 * limit or n_done == 3  # the search on all samples has what no fold could use
    assert len(next(iter(selector.fold_supports_.values()), [])) == n_done
    assert len(fits) == 3 or n_done


@pytest.mark.parametrize("n_done", [0, 1, 2])
def test_ctrl_c_while_the_search_on_a_fold_is_built(rng, n_done):
    """As in the search itself: the front, and the folds that are done, are there."""
    calls = []
    prior = building(calls, lambda: len(calls) == 2 + n_done and interrupt())
    with pytest.warns(UserWarning, match=f"^interrupt has ended the fit after {n_done} of 3 folds"):
        selector = small(feature_prior=prior).fit(*data(rng))
    assert selector.stop_reason_ == "interrupt" and selector.support_.any() and len(calls) == 2 + n_done
    assert math.isfinite(selector.honest_score_) == (n_done > 1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class InterruptedTree(AnyTree):
    """A model during whose first fit Ctrl-C comes."""

    fits = []

    def fit(self, X, y):
        self.fits.append(X.shape)
        if len(self.fits) == 1:
            interrupt()
        return super().fit(X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_while_the_time_of_the_model_is_measured(rng, n_jobs):
    """Before the searches: nothing is evaluated yet, and nothing is kept."""
    InterruptedTree.fits.clear()
    selector, n_threads = small(estimator=InterruptedTree(), max_time=1000, n_jobs=n_jobs), threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        selector.fit(*data(rng))
    for _ in range(1000):  # the other fit ends by itself, and its thread then puts warnings back
        if threading.active_count() > n_threads:
            time.sleep(0.01)
    assert 1 <= len(InterruptedTree.fits) <= n_jobs  # those that are made at the same time
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_time_there_are_no_folds(rng):
    """The search on all samples has a result, and a warning says what it lacks."""
    with pytest.warns(UserWarning, match="^max_time has ended the fit after 0 of 3 folds: there are no honest scores"):
        selector = small(max_time=0).fit(*data(rng))
    assert math.isnan(selector.honest_score_)
    assert selector.support_.any()


@pytest.mark.parametrize(("fold", "generation", "n_done"), [(None, 1, 0), (0, 0, 0), (1, 1, 1), (2, 0, 2), (2, 2, 2)])
def test_ctrl_c_in_a_search_keeps_the_folds_that_are_done(rng, fold, generation, n_done):
    """With a warning, and the signal's handler is put back; evaluations of the search that it ends are counted."""
    told, counts = "honest scores use only these" if n_done > 1 else "there are no honest scores", {}

    def count(state):
        counts[state.fold] = state.row["n_evaluations"]

    with pytest.warns(UserWarning, match=f"^interrupt has ended the fit after {n_done} of 3 folds: {told}"):
        selector = small(callbacks=[count, at(fold, generation, interrupt)]).fit(*data(rng))
    assert selector.stop_reason_ == "interrupt"
    assert selector.n_evaluations_ == sum(counts.values())
    assert math.isfinite(selector.honest_score_) == (n_done > 1)
    assert selector.support_.any()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.quick(1)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_while_the_model_is_fitted(rng, acting, n_jobs):
    """In the last fold: those before it are used."""
    X, y = data(rng)
    small(Acting()).fit(X, y)
    acting(Acting.fits - 2, interrupt)
    with pytest.warns(UserWarning, match="^interrupt has ended the fit after 2 of 3 folds: honest scores use only"):
        selector = small(Acting(), n_jobs=n_jobs).fit(X, y)
    assert math.isfinite(selector.honest_score_)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
