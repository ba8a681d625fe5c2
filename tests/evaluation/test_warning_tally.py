"""Warnings of estimators: each kind once, with its number, as the caller's filters have it."""

import threading
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn_objects import Complaining, data, small

from moeliga.evaluation.warning_tally import Tally


def warned(rng, action=None, **options):
    """(category, text) of the warnings of a fit."""
    X, y = data(rng)
    Complaining.fits = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.resetwarnings()
        if action:
            warnings.simplefilter(action, ConvergenceWarning)
        small(Complaining(), **options).fit(X, y)
    return [(each.category, str(each.message)) for each in caught]


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_each_kind_is_told_once_with_its_number(seed, n_jobs):
    """Every fit of one process complains; those of workers are counted too, whatever numbers are in the texts."""
    first = warned(np.random.default_rng(seed))
    fits = Complaining.fits
    assert fits > 20 and first == [(ConvergenceWarning, f"gap 0 ({fits} times)"), (UserWarning, f"odd ({fits} times)")]
    found = warned(np.random.default_rng(seed), n_jobs=n_jobs)
    assert [(kind, text.split("(")[1]) for kind, text in found] == [(kind, text.split("(")[1]) for kind, text in first]


def test_filters_of_the_caller_hold(rng):
    with pytest.raises(ConvergenceWarning, match="^gap 0$"):
        warned(rng, "error")
    assert [kind for kind, _ in warned(rng, "ignore")] == [UserWarning]


def test_a_single_warning_is_told_as_it_is(recwarn):
    tally = Tally()
    with tally.collecting():
        warnings.warn("one", RuntimeWarning, stacklevel=1)
    assert not recwarn.list
    tally.tell()
    tally.tell()
    assert [(each.category, str(each.message), each.filename) for each in recwarn.list] == [
        (RuntimeWarning, "one", __file__)]


def test_other_threads_are_left_alone():
    """What catches warnings is the whole process's."""
    before, seen = warnings.showwarning, []

    def look():
        with Tally().collecting():
            seen.append(warnings.showwarning)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [before]
