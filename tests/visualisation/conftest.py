"""Fixtures of the tests of displays."""

import sys

import pytest
from sklearn.datasets import load_wine

from single_search import single_search


@pytest.fixture(scope="module")
def selector():
    """A fitted selector of three classes of wine."""
    X, y = load_wine(return_X_y=True)
    return single_search(n_generations=5, local_improvement=None, random_state=0).fit(X, y)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
