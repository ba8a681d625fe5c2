"""Fixtures of the tests of the command line."""

import pytest


@pytest.fixture
def pictures():
    """Request this fixture to have reports draw their pictures."""


@pytest.fixture(autouse=True)
def _undrawn(request, monkeypatch):
    """Leave pictures out of reports unless a test requests `pictures`: drawing takes longer than a small search."""
    if "pictures" not in request.fixturenames:
        monkeypatch.setattr("moeliga.visualisation.report.draw_pictures", lambda record: {})
