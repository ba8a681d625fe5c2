"""scikit-learn's callback protocol, by scikit-learn's machinery and by our own."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from interpreters import environment
from moeliga import Evaluation, Islands, MOELIGASelector
from moeliga.search import callback_protocol as tasks
from single_search import single_search

SMALL = {"population_size": 8, "n_generations": 3, "evaluation__n_rescore_splits": 2,
         "local_improvement": None, "random_state": 0, "n_jobs": 1}


def data():
    """Noise and, in every third feature, something of the class."""
    generator = np.random.default_rng(0)
    y = generator.permutation(np.arange(40) % 2)
    X = generator.normal(size=(40, 9))
    X[:, ::3] += y[:, None]
    return X, y


KINDS = [MOELIGASelector]
if tasks.CallbackSupportMixin is not tasks.OwnCallbackSupport:

    class Own(tasks.OwnCallbackSupport, MOELIGASelector):
        """A selector as it is where scikit-learn has no callbacks."""

        fit = tasks.own_with_callbacks(MOELIGASelector.fit.__wrapped__)

    KINDS.append(Own)


@pytest.fixture(params=KINDS)
def small(request):
    """Makes selectors that take milliseconds."""
    return lambda **parameters: single_search(kind=request.param, **{**SMALL, **parameters})


class Diary:
    """A callback that writes down what happens, and may want to stop or fail."""

    def __init__(self, stop_after=None, fail_after=None):
        self.events = []
        self.stop_after = stop_after
        self.fail_after = fail_after

    def setup(self, estimator, context):
        self.events.append(("setup", context.task_name))

    def on_fit_task_begin(self, estimator, context):
        self.events.append(("begin", context.task_name, context.task_id, context.max_subtasks, context.parent is None))

    def on_fit_task_end(self, estimator, context):
        self.events.append(("end", context.task_name, context.task_id))
        if context.task_name == "generation" and context.task_id == self.fail_after:
            raise ZeroDivisionError("mine")
        return context.task_name == "generation" and context.task_id == self.stop_after

    def teardown(self, estimator, context):
        self.events.append(("teardown", context.task_name))


def generations(n):
    """Events of so many generations."""
    return [event for g in range(n) for event in (("begin", "generation", g, 0, False), ("end", "generation", g))]


BEGIN = [("setup", "fit"), ("begin", "fit", 0, 4, True)]
END = [("end", "fit", 0), ("teardown", "fit")]


def test_a_fit_is_a_task_with_a_subtask_for_each_generation(small):
    """In order, each begun before it ended, and the search is the same as unwatched."""
    X, y = data()
    diary = Diary()
    watched = small().set_callbacks(diary).fit(X, y)
    assert diary.events == BEGIN + generations(4) + END
    assert_array_equal(watched.pareto_front_.objectives, small().fit(X, y).pareto_front_.objectives)
    assert not {name for name in vars(watched) if "callback" in name} - {"callbacks", "_skl_callbacks"}


def test_a_callback_can_stop_the_search(small):
    """True at the end of a generation; all callbacks are asked, and the fit ends in order."""
    diary, other = Diary(stop_after=1), Diary()
    selector = small().set_callbacks(diary, other).fit(*data())
    assert selector.stop_reason_ == "callback"
    assert len(selector.history_["generation"]) == 2
    assert diary.events == other.events == BEGIN + generations(2) + END


def test_patience_leaves_no_task_open(small):
    """A search that stops by itself ends the tasks that it began."""
    diary = Diary()
    small(patience=1, n_generations=50).set_callbacks(diary).fit(*data())
    events = [event[:3] for event in diary.events[2:-2]]
    assert events[::2] == [("begin", "generation", g) for g in range(len(events) // 2)]
    assert events[1::2] == [("end", "generation", g) for g in range(len(events) // 2)]


def test_an_error_of_a_callback_is_raised_after_teardown(small):
    """All that were set up are torn down."""
    diary = Diary(fail_after=0)
    with pytest.raises(ZeroDivisionError, match="mine"):
        small().set_callbacks(diary).fit(*data())
    assert diary.events == BEGIN + generations(1) + [("teardown", "fit")]


def test_bad_data_set_nothing_up(small):
    """Checks come first."""
    diary = Diary()
    with pytest.raises(ValueError, match="at least 2 classes"):
        small().set_callbacks(diary).fit(np.eye(4), [1, 1, 1, 1])
    assert diary.events == []


class Curious(Diary):
    """A callback that asks for everything."""

    def on_fit_task_begin(self, estimator, context, *, X, y, metadata):
        self.seen = (X, y, metadata)

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.events.append((context.task_name, X.shape, len(y), metadata, fitted_estimator))


@pytest.mark.quick(1)
def test_callbacks_get_the_data_and_a_fitted_selector(small):
    """After each generation the selector as if the search had ended there; asking changes nothing."""
    X, y = data()
    diary = Curious()
    weight = np.ones(40)
    setting = {"estimator": SklearnTree(), "population_size": 6, "evaluation__n_splits": 1}
    selector = small(**setting).set_callbacks(diary)
    selector.fit(X, y, sample_weight=weight)
    ref = small(**setting).fit(X, y, sample_weight=weight)
    assert_array_equal(selector.pareto_front_.objectives, ref.pareto_front_.objectives)
    assert selector.n_evaluations_ == ref.n_evaluations_
    assert_array_equal(diary.seen[0], X)
    assert [(name, shape, n) for name, shape, n, _, _ in diary.events[1:-1]] == [
        ("generation", (40, 9), 40)] * 4 + [("fit", (40, 9), 40)]
    assert all(metadata["sample_weight"] is weight for _, _, _, metadata, _ in diary.events[1:-1])
    for generation, (_, _, _, _, stopped) in enumerate(diary.events[1:-2]):
        short = small(**setting, n_generations=generation).fit(X, y, sample_weight=weight)
        assert_array_equal(stopped.transform(X), short.transform(X))
        assert_array_equal(stopped.pareto_front_.objectives, short.pareto_front_.objectives)
        assert_array_equal(stopped.initial_front_.objectives, short.initial_front_.objectives)
        assert_array_equal(stopped.initial_survival_, short.initial_survival_)
        for name in short.history_.keys() - {"seconds"}:
            assert_array_equal(stopped.history_[name], short.history_[name])
        assert stopped.n_evaluations_ == short.n_evaluations_
    assert_array_equal(diary.events[-2][4].support_, selector.support_)


def test_callbacks_can_be_removed(small):
    """set_callbacks() sets none."""
    diary = Diary()
    small().set_callbacks(diary).set_callbacks().fit(*data())
    assert diary.events == []


@pytest.mark.parametrize("callback", [print, Diary, object()], ids=["function", "class", "object"])
def test_what_is_no_callback_is_refused(small, callback):
    """Objects with all four methods only."""
    with pytest.raises(TypeError, match="callbacks must be"):
        small().set_callbacks(callback)


def test_callables_and_objects_of_the_protocol_are_not_mixed_up(small):
    """The parameter takes callables; the message says where the others belong."""
    with pytest.raises(TypeError, match="^callbacks must be callables; callbacks of scikit-learn's protocol are set "):
        small(callbacks=Diary()).fit(*data())


def test_both_kinds_of_callbacks_work_together(small):
    """Each sees every generation."""
    states, diary = [], Diary()
    small(callbacks=states.append).set_callbacks(diary).fit(*data())
    assert [state.generation for state in states] == [0, 1, 2, 3]
    assert len(diary.events) == len(BEGIN + END) + 8


# scikit-learn's own machinery


def test_in_a_pipeline_callbacks_of_the_selector_work():
    """A pipeline fits a clone: with scikit-learn's machinery it keeps its callbacks."""
    pytest.importorskip("sklearn.callback")
    diary = Diary()
    selector = single_search(**SMALL).set_callbacks(diary)
    make_pipeline(selector, SklearnTree()).fit(*data())
    assert diary.events == [("setup", "fit"), ("begin", "fit", 0, 4, False), *generations(4), *END]
    assert clone(selector)._skl_callbacks == [diary]


def test_scikit_learn_s_progress_bar():
    """sklearn.callback.ProgressBar shows the generations."""
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    single_search(**SMALL).set_callbacks(callback.ProgressBar()).fit(*data())


@pytest.mark.slow
def test_without_scikit_learn_s_machinery_the_same_events():
    """In an interpreter that has no sklearn.callback."""
    program = """
import sys
import sklearn.model_selection, sklearn.feature_selection, sklearn.pipeline  # these need their own
known = sys.modules["sklearn.callback"] if "sklearn.callback" in sys.modules else None
sys.modules["sklearn.callback"] = None
import moeliga.search.callback_protocol
assert moeliga.search.callback_protocol.CallbackSupportMixin is moeliga.search.callback_protocol.OwnCallbackSupport
sys.modules["sklearn.callback"] = known
from single_search import single_search
from test_callback_protocol import BEGIN, END, SMALL, Diary, data, generations
diary = Diary()
single_search(**SMALL).set_callbacks(diary).fit(*data())
assert diary.events == BEGIN + generations(4) + END, diary.events
print("same")
"""
    done = subprocess.run([sys.executable, "-c", program], env=environment(__file__), text=True, capture_output=True)
    assert done.stdout == "same\n", done.stderr


class Asks(Curious):
    """A callback that calls a function with the fitted selector of each generation."""

    def __init__(self, ask):
        super().__init__()
        self.ask = ask

    def on_fit_task_end(self, estimator, context, *, X, y, metadata, fitted_estimator):
        self.ask(fitted_estimator)


@pytest.mark.parametrize("islands", [None, Islands(judges=[GaussianNB()], sizes=None)], ids=str)
def test_asking_changes_nothing_of_a_search_on_subsamples(islands):
    """Its end goes by the samples of the last generation."""
    X, y = load_breast_cancer(return_X_y=True)
    front, asked = [], []
    for callbacks in ([], [Asks(asked.append)]):
        selector = MOELIGASelector(honest=None, islands=islands, n_generations=2, population_size=10, random_state=0,
                                   evaluation=Evaluation(subsample=100, n_rescore_splits=4))
        front.append(selector.set_callbacks(*callbacks).fit(X, y).pareto_front_)
    assert len(asked) == 4
    assert_array_equal(front[0].supports, front[1].supports)
    assert_array_equal(front[0].objectives, front[1].objectives)


def test_what_callbacks_get_can_do_what_a_fitted_selector_can():
    X, y = data()
    said = []
    selector = MOELIGASelector(GaussianNB(), honest=2, n_generations=1, population_size=8, random_state=0,
                               rule="one_se", evaluation=Evaluation(n_rescore_splits=0))
    selector.set_callbacks(Asks(lambda fitted: said.append(
        (fitted.pipeline(X, y).predict(X), repr(fitted.summary()), fitted.select("best").support_))))
    selector.fit(X, y)
    assert len(said) == 3
    assert "Chosen by rule 'r1'" in said[0][1]  # as at the end of a search without standard errors


def test_all_callbacks_are_torn_down_where_one_fails(small):
    class Broken(Diary):
        def teardown(self, estimator, context):
            super().teardown(estimator, context)
            raise ZeroDivisionError("mine")

    diaries = [Diary(), Broken(), Diary()]
    with pytest.raises(ZeroDivisionError, match="mine"):
        small().set_callbacks(*diaries).fit(*data())
    assert [diary.events[-1] for diary in diaries] == 3 * [("teardown", "fit")]
