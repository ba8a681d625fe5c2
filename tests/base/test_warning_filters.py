"""Filters of warnings in threads, which have them in common."""

import sys
import threading
import warnings

import numpy as np
import pytest
from sklearn.feature_selection import f_classif
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.parallel import _FuncWrapper

from moeliga import MOELIGASelector
from moeliga.base.warning_filters import quiet, warn, without_noise


def test_what_emptied_filters_make_scikit_learn_say_is_left_out(recwarn):
    """Nothing else is, and a thread that fits on after the context, as after Ctrl-C, hides no later warning."""
    before, fitting, done = list(warnings.filters), threading.Event(), threading.Event()

    def fit():
        with warnings.catch_warnings():
            fitting.set()
            done.wait()

    with without_noise():
        _FuncWrapper(int)()
        warnings.warn("one", RuntimeWarning, stacklevel=1)
        thread = threading.Thread(target=fit)
        thread.start()
        fitting.wait()
    assert list(warnings.filters) == before
    done.set()
    thread.join()
    warnings.warn("two", RuntimeWarning, stacklevel=1)
    assert [str(each.message) for each in recwarn.list] == ["one", "two"]


@pytest.mark.parametrize("options", [
    {}, {"scoring": "f1_macro", "cv": 2}, {"groups": np.arange(40) // 2}, {"feature_prior": f_classif}], ids=list)
def test_a_fit_in_a_thread_leaves_the_filters_alone(monkeypatch, options):
    """Those of other threads; with constant features, classes smaller than the folds, and what a fold does not score.
    """
    X, y = np.random.default_rng(0).normal(size=(40, 4)), np.repeat([0, 1, 2], [20, 16, 4])
    X[:, 3] = 1
    given, changed = dict(options), []
    groups = {name: given.pop(name) for name in ("groups",) if name in given}
    selector = MOELIGASelector(GaussianNB(), population_size=4, n_generations=1, random_state=0, **given)

    def change(*given, **more):
        if sys._getframe(1).f_globals["__name__"].startswith("moeliga"):  # scikit-learn does, too
            changed.append(given)

    for name in ("filterwarnings", "simplefilter"):
        monkeypatch.setattr(warnings, name, change)
    thread = threading.Thread(target=selector.fit, args=(X, y), kwargs=groups)
    thread.start()
    thread.join()
    assert len(selector.support_) == 4
    assert not changed


def test_nothing_is_heard_where_it_is_quiet(recwarn):
    """Warnings are shown with hidden=False; afterwards the filters are as they were."""
    before = list(warnings.filters)
    for hidden in (True, False):
        with quiet(hidden):
            warnings.warn(f"hidden: {hidden}", UserWarning, stacklevel=1)
    assert [str(each.message) for each in recwarn.list] == ["hidden: False"]
    assert list(warnings.filters) == before


def test_a_warning_points_to_the_line_that_calls_the_package():
    """The call may go through scikit-learn; a warning of the package's own thread has no such line."""
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    selector = MOELIGASelector(GaussianNB(), honest=15, population_size=4, n_generations=1, random_state=0)
    for model in (selector, make_pipeline(selector, GaussianNB())):
        with pytest.warns(UserWarning, match="honest=15 gives 10 folds here") as seen:
            model.fit(X, y)
        assert {warning.filename for warning in seen} == {__file__}
    place = {"__name__": "moeliga.made_up"}
    exec("from contextlib import contextmanager\n"
         "from moeliga.base.warning_filters import quiet, warn\n"
         "@contextmanager\n"
         "def place():\n"
         "    warn('of a context')\n"
         "    yield\n"
         "def enter():\n"
         "    with place():\n"
         "        pass\n", place)
    with pytest.warns(UserWarning, match="of a context") as seen:
        place["enter"]()
    assert seen[0].filename == __file__
    with pytest.warns(UserWarning, match="of a thread"):
        thread = threading.Thread(target=warn, args=("of a thread",))
        thread.start()
        thread.join()
