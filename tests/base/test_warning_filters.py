"""Filters of warnings in threads, which have them in common."""

import threading
import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.parallel import _FuncWrapper

from moeliga import MOELIGASelector
from moeliga.base.warning_filters import unheard, warn, without_noise


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


def test_a_thread_is_unheard_whatever_others_do_to_the_filters(recwarn):
    """Only that thread, only in its context, also where one is in another."""
    ready, emptied = threading.Event(), threading.Event()

    def search():
        with unheard("Features ["):
            with unheard("Rows ["):
                ready.set()
                emptied.wait()
                warnings.warn("Features [0] are constant", UserWarning, stacklevel=1)
                warnings.warn("Rows [0] are constant", UserWarning, stacklevel=1)
            warnings.warn("Features [1] are constant", UserWarning, stacklevel=1)
            warnings.warn("Rows [1] are constant", UserWarning, stacklevel=1)
        warnings.warn("Features [2] are constant", UserWarning, stacklevel=1)

    with without_noise():
        thread = threading.Thread(target=search)
        thread.start()
        ready.wait()
        warnings.resetwarnings()  # as threads of scikit-learn do
        warnings.simplefilter("always")
        warnings.warn("Features [3] are constant", UserWarning, stacklevel=1)
        emptied.set()
        thread.join()
    assert [str(each.message) for each in recwarn.list] == [
        f"{what} are constant" for what in ("Features [3]", "Rows [1]", "Features [2]")]


def test_what_is_unheard_is_no_error_either():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with unheard("Features ["):
            warnings.warn("Features [0] are constant", UserWarning, stacklevel=1)
            with pytest.raises(UserWarning, match="^odd$"):
                warnings.warn("odd", UserWarning, stacklevel=1)


def test_a_warning_points_to_the_line_that_calls_the_package():
    """Through scikit-learn or not; from a thread of the package nobody has called."""
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    selector = MOELIGASelector(GaussianNB(), honest=15, population_size=4, n_generations=1, random_state=0)
    for model in (selector, make_pipeline(selector, GaussianNB())):
        with pytest.warns(UserWarning, match="honest=15 gives 10 folds here") as seen:
            model.fit(X, y)
        assert {warning.filename for warning in seen} == {__file__}
    place = {"__name__": "moeliga.made_up"}
    exec("from contextlib import contextmanager\n"
         "from moeliga.base.warning_filters import warn\n"
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
