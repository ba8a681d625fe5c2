"""Fixtures of the tests of processes."""

import pytest
from programs import alone


@pytest.fixture(scope="session")
def digest():
    """What one thread of a process that does nothing else finds."""
    return alone()
