"""Filters of warnings in threads, which have them in common."""

import threading
import warnings

from sklearn.utils.parallel import _FuncWrapper

from moeliga.base.warning_filters import without_noise


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
