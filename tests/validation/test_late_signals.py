"""A signal that comes when nobody looks any more: no search begins after it."""

import signal

import numpy as np
import pytest

from cross_fitted import assert_same_fit, data, small
from moeliga import selector as selector_module
from moeliga.validation import cross_fitting


@pytest.mark.filterwarnings("ignore:interrupt has ended the fit")
def test_while_the_front_is_scored_again(rng, monkeypatch):
    """The search on all samples is over; those on folds do not begin."""
    X, y = data(rng)
    outcome_of = selector_module.outcome_of

    def last(*arguments):
        found = outcome_of(*arguments)
        signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(selector_module, "outcome_of", last)
    fitted = small().fit(X, y)
    assert fitted.stop_reason_ == "interrupt" and fitted.pareto_front_.honest is None


def sends(function, at=1):
    """Return the function, which sends a signal at the end of the call of that number."""
    calls = []

    def sending(*arguments, **options):
        found = function(*arguments, **options)
        calls.append(found)
        if len(calls) == at:
            signal.raise_signal(signal.SIGINT)
        return found

    return sending


@pytest.mark.filterwarnings("ignore:interrupt has ended the fit")
def test_between_two_folds(rng, monkeypatch):
    """The folds that are done count, and no other begins."""
    X, y = data(rng)
    searched = []
    monkeypatch.setattr(cross_fitting, "build", lambda *arguments, **options: searched.append(arguments))
    monkeypatch.setattr(cross_fitting.CrossFitting, "begin_later", sends(cross_fitting.CrossFitting.begin_later))
    fitted = small().fit(X, y)
    assert fitted.stop_reason_ == "interrupt" and not searched
    monkeypatch.undo()
    monkeypatch.setattr(cross_fitting.Fold, "state", sends(cross_fitting.Fold.state, at=2))
    fitted = small().fit(X, y)
    assert fitted.stop_reason_ == "interrupt"
    assert np.isfinite(fitted.honest_score_)
    assert {len(masks) for masks in fitted.fold_supports_.values()} == {2}


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["answers", "fronts", "supports"])
def test_after_the_last_fold(rng, monkeypatch, name):
    """Nothing is left to stop: the result is whole."""
    X, y = data(rng)
    whole = small().fit(X, y)
    monkeypatch.setattr(cross_fitting.CrossFitting, name, sends(getattr(cross_fitting.CrossFitting, name)))
    assert_same_fit(small().fit(X, y), whole)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
