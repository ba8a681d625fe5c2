"""Fixtures of all tests. `MOELIGA_SEEDS=0-99 pytest` repeats every seeded test with other seeds.

`MOELIGA_FUZZ=full pytest -k fuzz` draws five times as many inputs as usual, the same each time; `long` 200 times as
many, and others each time (the same with `--hypothesis-seed`).
"""

import os
import shutil
import signal
from pathlib import Path

import pytest

# Before anything loads OpenMP: threads that wait, sleep. Those of two processes of tests would spin against each other.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from fixtures import key, paper_data, rng, seed  # noqa: F401
from tiers import FUZZ, PERCENT, sort_cases

try:
    from hypothesis import HealthCheck, settings
except ImportError:  # the tests that need it are skipped
    pass
else:
    usual = {"deadline": None, "database": None, "print_blob": True, "suppress_health_check": tuple(HealthCheck)}
    settings.register_profile("moeliga", max_examples=PERCENT, derandomize=FUZZ != "long", **usual)
    settings.load_profile("moeliga")


def pytest_configure():
    """Let Ctrl-C be noticed where the tests are a shell's background job, in which it is ignored."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Sort the cases of tests into tiers before any is left out."""
    sort_cases(items)


@pytest.fixture(scope="session")
def found_here():
    """What one thread of this process finds in the search of `programs.SIZES`, as workers elsewhere have to: digest."""
    from programs import fit

    return fit(1)


@pytest.fixture
def wine_csv(tmp_path, monkeypatch):
    """The wine data, which are in `wine.csv` in the current folder too."""
    from commands import write_wine

    pytest.importorskip("pyarrow")  # reads it

    monkeypatch.chdir(tmp_path)
    return write_wine()


@pytest.fixture(scope="session")
def searched(tmp_path_factory):
    """A folder with wine.csv, and the results of a search of it in `run`, for copies."""
    from commands import SELECT, write_wine

    from moeliga.cli.main import main

    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("searched")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_wine()
        assert main(SELECT) == 0
    return folder


@pytest.fixture
def run_folder(wine_csv, searched):
    """The current folder with wine.csv, and the results of a search of it in `run`."""
    shutil.copytree(searched / "run", "run")
    return Path("run")


@pytest.fixture
def heard():
    """What `sklearn_objects.Listening` heard, from now on: list."""
    from sklearn_objects import Listening

    Listening.heard = []
    return Listening.heard


@pytest.fixture
def routing():
    """scikit-learn with metadata routing."""
    import sklearn

    with sklearn.config_context(enable_metadata_routing=True):
        yield
