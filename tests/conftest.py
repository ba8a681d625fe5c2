"""Fixtures of all tests. `MOELIGA_SEEDS=0-99 pytest` repeats every seeded test with other seeds.

`MOELIGA_FUZZ=long pytest -k fuzz` draws 40 times as many inputs as usual, and others each time (the same with
`--hypothesis-seed`).
"""

import os
import signal
from pathlib import Path

import pytest

from fixtures import key, paper_data, rng, seed  # noqa: F401

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # the tests that need it are skipped
    pass
else:
    usual = {"deadline": None, "database": None, "print_blob": True, "suppress_health_check": tuple(HealthCheck)}
    settings.register_profile("short", max_examples=100, derandomize=True, **usual)  # per cent of `strategies.cases`
    settings.register_profile("long", max_examples=4000, **usual)
    settings.load_profile(os.environ.get("MOELIGA_FUZZ", "short"))


def pytest_configure():
    """Let Ctrl-C be noticed where the tests are a shell's background job, in which it is ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def found_here():
    """What one thread of this process finds in the search of `scene.SIZES`, as workers elsewhere have to: digest."""
    from scene import fit

    return fit(1)


@pytest.fixture
def wine_csv(tmp_path, monkeypatch):
    """The wine data, which are in `wine.csv` in the current folder too."""
    from commands import write_wine

    pytest.importorskip("pyarrow")  # reads it

    monkeypatch.chdir(tmp_path)
    return write_wine()


@pytest.fixture
def run_folder(wine_csv, capsys):
    """The current folder with wine.csv, and the results of a search of it in `run`."""
    from commands import SELECT, run

    assert run(capsys, *SELECT)[0] == 0
    return Path("run")


@pytest.fixture
def heard():
    """What `citizens.Listening` heard, from now on: list."""
    from citizens import Listening

    Listening.heard = []
    return Listening.heard


@pytest.fixture
def routing():
    """scikit-learn with metadata routing."""
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        yield
