"""Fixtures of the tests of the command line."""

import pytest


@pytest.fixture
def pictures():
    """Reports have their pictures in this test."""


@pytest.fixture(autouse=True)
def _undrawn(request, monkeypatch):
    """Reports have no pictures but where a test asks for `pictures`: they take longer than a small search."""
    if "pictures" not in request.fixturenames:
        monkeypatch.setattr("moeliga.visualisation.report.draw_pictures", lambda record: {})
