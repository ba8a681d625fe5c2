"""Fixtures of all tests. `MOELIGA_SEEDS=0-99 pytest` repeats every seeded test with other seeds.

`MOELIGA_FUZZ=long pytest -k fuzz` draws 40 times as many inputs as usual, and others each time (the same with
`--hypothesis-seed`).
"""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

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


def seeds():
    first, _, last = os.environ.get("MOELIGA_SEEDS", "0").partition("-")
    return range(int(first), int(last or first) + 1)


@pytest.fixture(params=seeds())
def seed(request):
    """The one integer from which a test draws everything random."""
    return request.param


@pytest.fixture
def rng(seed):
    """NumPy's generator, for random inputs."""
    return np.random.default_rng(seed)


@pytest.fixture
def key(seed):
    """The 128 bits of seed that the compiled rooms take: ndarray of uint64, shape (2,)."""
    return np.random.SeedSequence(seed).generate_state(2, np.uint64)


@pytest.fixture(scope="session")
def paper_data():
    """Folder of the paper's data sets (NPZ); `MOELIGA_DATA` names another."""
    default = Path(__file__).resolve().parents[2] / "shared" / "data" / "paper"
    folder = Path(os.environ.get("MOELIGA_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"the paper's data sets are not in {folder}")
    return folder


@pytest.fixture(scope="session")
def found_here():
    """What one thread of this process finds in the search of `scene.SIZES`, as workers elsewhere have to: digest."""
    from scene import fit

    return fit(1)


@pytest.fixture
def benchmarks(monkeypatch):
    """Modules of the benchmarks import each other as scripts do: from their own folder."""
    from evidence import FOLDER

    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.fixture
def parts():
    """Wine in two parts: X_train, y_train, X_test, y_test."""
    from evidence import wine_parts

    return wine_parts()


@pytest.fixture
def wine_csv(tmp_path, monkeypatch):
    """The wine data, which are in `wine.csv` in the current folder too."""
    from commands import write_wine

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
