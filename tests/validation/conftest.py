"""Fixtures of the tests of cross-fitting."""

import pytest


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """The forest that ranks features has five trees, unless a test sets them."""
    monkeypatch.setattr("moeliga.search.ranking.N_TREES", 5)
