"""Fixtures of the tests of the package and of the benchmarks."""

import os
from pathlib import Path

import numpy as np
import pytest


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
