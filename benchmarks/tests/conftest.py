"""Fixtures of the tests of the benchmarks."""

import importlib

import pytest

from fixtures import key, paper_data, rng, seed  # noqa: F401


@pytest.fixture
def run():
    return importlib.import_module("run")


@pytest.fixture
def rivals():
    return importlib.import_module("rivals")


@pytest.fixture
def parts():
    """Wine in two parts: X_train, y_train, X_test, y_test."""
    from evidence import wine_parts

    return wine_parts()
