"""Fixtures of the tests of the benchmarks."""

import pytest

from fixtures import key, paper_data, rng, seed  # noqa: F401


@pytest.fixture
def parts():
    """Wine in two parts: X_train, y_train, X_test, y_test."""
    from evidence import wine_parts

    return wine_parts()
