"""What belongs to the caller stays as it is: parameters, metadata, estimators, and the process; and does not matter."""

import os
import signal
import warnings
from decimal import ROUND_UP, Context, Inexact, localcontext

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.feature_selection import VarianceThreshold
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

import moeliga
from case_names import named
from moeliga.parameters.objectives import sigmoid
from moeliga.parameters.variation import binomial_limits
from single_search import single_search
from state import image, untouched

GROUPS = np.arange(36) % 4
Y = np.arange(36) % 3
X = np.random.default_rng(0).integers(0, 9, (36, 6)).astype(float)
X[:, 0] += 3 * Y


def small(estimator=None, **parameters):
    """A selector that takes little time."""
    return single_search(estimator, **{
        "population_size": 6, "n_generations": 1, "evaluation__n_rescore_splits": 2,
        "local_improvement": None, "random_state": 0, **parameters})


# parameters and metadata

def everything():
    """A selector whose parameters are objects, lists, dicts and arrays, and what else its fit is given."""
    fitted = VarianceThreshold().fit(X * (np.arange(6) < 3), Y)
    scorer = make_pipeline(MaxAbsScaler(), GaussianNB()).fit(X, Y)
    splits = [(train, test) for train, test in GroupKFold(2).split(X, Y, GROUPS)]
    selector = small(
        scorer, cv=splits, scoring="accuracy",
        objectives=["accuracy", moeliga.FeatureCost(), moeliga.Cardinality(0.25)],
        init=moeliga.StaggeredInit([0.5, 0.5], [0.25, 0.5], 0.5), variation=moeliga.Variation(schedule=[5.0, 0.5]),
        survival="moga", survival__n_elite=1, survival__generation_gap=1,
        survival__sharing=moeliga.FitnessSharing("niche"),
        local_improvement=moeliga.LocalImprovement(1, 4, 1, 1),
        constraints__must_include=np.array([0]), constraints__exclude=[5], constraints__groups={"pair": [1, 2]},
        constraints__costs=[1, 2, 3, 4, 5, 6],
        init__subsets=[[0, 3], np.arange(6) < 5, fitted, np.array([0, 4], dtype=np.int8)],
        callbacks=[moeliga.PrintProgress(sizes=[1])])
    return selector, {"gaussiannb__sample_weight": np.linspace(0.5, 1, 36)}


@pytest.mark.quick(1)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_parameters_stay_as_they_are(n_jobs, capsys):
    """Estimators with what they have learned, settings, lists, dicts, arrays, splits; in workers too."""
    selector, metadata = everything()
    selector.set_params(n_jobs=n_jobs)
    with untouched(selector.get_params(deep=False), metadata, X, Y):
        selector.fit(X, Y, **metadata)
    with untouched(selector, metadata, X, Y):
        selector.estimate_time(X, Y, **metadata)
    selector.set_params(cv=2, init__subsets=[[0, 3]])
    with untouched(selector, X, Y):
        moeliga.stability_report(selector, X, Y, n_runs=2, n_jobs=n_jobs)


@pytest.mark.parametrize("changes", [
    {"constraints__exclude": [0]}, {"constraints__groups": {"a": [1, 2], "b": [2, 3]}},
    {"constraints__costs": [-1, 2, 3, 4, 5, 6]},
    {"init__subsets": [[0, 3], [9]]}, {"objectives": ["uar", "uar"]}, {"init": moeliga.StaggeredInit([1.0], [])},
    {"callbacks": [print, 3]}, {"cv": []}, {"scoring": "roc"}, {"max_evaluations": 3},
], ids=str)
def test_parameters_stay_as_they_are_where_they_are_refused(changes):
    """Those that were looked at before as well."""
    selector, metadata = everything()
    selector.set_params(**changes)
    with untouched(selector.get_params(deep=False), metadata, X, Y), pytest.raises((TypeError, ValueError)):
        selector.fit(X, Y, **metadata)


@pytest.mark.quick(1)
@pytest.mark.parametrize("form", [np.array, list, lambda values: np.repeat(values, 2)[::2], "Series"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_metadata_stay_as_they_are(form, n_jobs):
    """Weights and groups, with and without routing to several receivers."""
    form = pytest.importorskip("pandas").Series if form == "Series" else form
    weight, groups = form(np.linspace(0.5, 1, 36)), form(GROUPS)
    selector = small(GaussianNB(), cv=GroupKFold(2), n_jobs=n_jobs)
    with untouched(weight, groups, selector.get_params()):
        selector.fit(X, Y, sample_weight=weight, groups=groups)
    with untouched(weight, groups), pytest.raises(ValueError, match="36 entries"):
        selector.fit(X, Y, sample_weight=weight[:3], groups=groups)


def test_generators_of_random_numbers_are_advanced_by_a_fit_and_by_nothing_else():
    """As scikit-learn does; an estimate of the time leaves them as they are."""
    for generator in (np.random.RandomState(0), np.random.default_rng(0)):
        selector = small(random_state=generator)
        with untouched(generator, X, Y):
            selector.estimate_time(X, Y)
        before = image(generator)
        selector.fit(X, Y)
        assert image(generator) != before


# failures in the middle


class Failing(GaussianNB):
    """A classifier that fails in its fit."""

    def fit(self, X, y):
        raise ZeroDivisionError


def failing(*arguments):
    raise ZeroDivisionError


def at_second(state):
    """A callback that is interrupted in the second generation."""
    if state.generation == 1:
        raise KeyboardInterrupt


@pytest.mark.parametrize("options", [
    {"objectives": ["uar", failing]}, {"callbacks": [failing]}, {"callbacks": at_second}, {"rule": failing},
    {"estimator": Failing()}, {"scoring": failing},
    pytest.param({"estimator": Failing(), "n_jobs": 2}, marks=pytest.mark.slow),
    {"cv": [(np.arange(36), np.arange(0))], "estimator": GaussianNB()},
    {"objectives": ["uar", lambda mask, X, y: np.nan]}, {"checkpoint": os.devnull},
], ids=named)
def test_a_search_that_fails_leaves_all_as_it_was(options):
    """Handlers of signals, settings of libraries and processes too."""
    selector = small(**options)
    with untouched(selector.get_params(deep=False), X, Y):
        with warnings.catch_warnings(), pytest.raises((KeyboardInterrupt, ValueError, ZeroDivisionError)):
            warnings.simplefilter("ignore")
            selector.fit(X, Y)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("estimator", [None, GaussianNB()], ids=["compiled", "external"])
def test_ctrl_c_leaves_the_handlers_as_they_were(estimator):
    """Also a caller's own: it gets the signal, and the search goes on."""
    def press(state):
        os.kill(os.getpid(), signal.SIGINT)

    selector = small(estimator, callbacks=press, n_generations=3)
    with untouched(selector.get_params(deep=False), X, Y):
        assert selector.fit(X, Y).stop_reason_ == "interrupt"
    pressed, before = [], signal.signal(signal.SIGINT, lambda *arguments: pressed.append(arguments))
    try:
        with untouched(selector.get_params(deep=False), X, Y):
            assert selector.fit(X, Y).stop_reason_ == "n_generations"
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(pressed) == 4


# the other way round


def test_what_a_caller_has_set_changes_nothing():
    """Decimal contexts, NumPy's errors and printing, warnings as errors, NumPy's generator: the same bits come out."""
    options = {"objectives": ("uar", moeliga.Cardinality(0.4375, 0.125), "separability"), "n_generations": 4,
               "variation": moeliga.Variation(schedule=(7.25, 0.375), mutation_rate=0.3),
               "evaluation__n_rescore_splits": 3,
               "init": moeliga.StaggeredInit(spread=0.25)}
    np.random.seed(1)
    strange = Context(prec=3, rounding=ROUND_UP, Emax=9, Emin=-9, clamp=1, traps=[Inexact])
    with localcontext(strange), np.errstate(all="raise"), np.printoptions(precision=1), warnings.catch_warnings():
        warnings.simplefilter("error")
        one = small(**options).fit(X, Y)
    np.random.seed(2)
    sigmoid.cache_clear()
    binomial_limits.cache_clear()
    two = small(**options).fit(X, Y)
    assert_array_equal(one.pareto_front_.supports, two.pareto_front_.supports)
    assert one.pareto_front_.objectives.tobytes() == two.pareto_front_.objectives.tobytes()
    for column in one.history_.keys() - {"seconds"}:
        assert one.history_[column].tobytes() == two.history_[column].tobytes(), column


@pytest.mark.parametrize("labels, message", [
    (["c"], "y has 1 class of one sample ('c'): no validation part holds it, so UAR does not count this class"),
    (["c", "d"], "y has 2 classes of one sample ('c', 'd'): no validation part holds them, so UAR does not count these "
     "classes"),
    ([], None)])
def test_classes_of_one_sample_are_told_once(rng, labels, message):
    """With fixed splits it is the splitter's matter."""
    y = np.array([*labels, *"ab" * 20])
    X = rng.normal(size=(len(y), 4))
    for cv, expected in ((None, message), (KFold(2), None)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            small(cv=cv, objectives=["uar"]).fit(X, y)
        assert [str(warning.message) for warning in caught if warning.category is UserWarning
                and "one sample" in str(warning.message)] == [expected] * (expected is not None)
