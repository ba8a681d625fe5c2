"""A signal that comes when nobody looks any more: no search begins after it."""

import signal

import pytest

from cross_fitted import data, small
from moeliga import selector as selector_module


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
