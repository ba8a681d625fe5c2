"""Fixtures of the tests of cross-fitting."""

import pytest

from cross_fitted import Acting, crash


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """The forest that ranks features has five trees, unless a test sets them."""
    monkeypatch.setattr("moeliga.search.ranking.N_TREES", 5)


@pytest.fixture
def acting(monkeypatch):
    """Set when `Acting` acts, and how."""
    def setting(when, action):
        for name, value in {"fits": 0, "when": when, "action": staticmethod(action)}.items():
            monkeypatch.setattr(Acting, name, value)

    setting(None, crash)
    return setting
