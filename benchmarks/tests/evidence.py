"""What the tests of benchmarks/paper share: the scripts, and a small data set in two parts, as scripts read them."""

import importlib
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

FOLDER = Path(__file__).resolve().parents[1]


def module(name):
    """One of benchmarks/paper."""
    return importlib.import_module(f"paper.{name}")


@contextmanager
def rivals():
    """Skip the test if the block needs a package of the extra `bench` that is not there; `MOELIGA_RIVALS=all`: fail.

    With these packages `.ci/run` runs the tests again in whose modules this word stands.
    """
    from paper.competitors import Missing

    try:
        yield
    except Missing as error:
        if os.environ.get("MOELIGA_RIVALS") == "all":
            raise
        pytest.skip(str(error))


def save_parts(path, X, y):
    """Write every fourth sample as the test part, the others as the training part; returns the latter."""
    test = np.arange(len(y)) % 4 == 0
    np.savez(path, X_train=X[~test], y_train=y[~test], X_test=X[test], y_test=y[test])
    return X[~test], y[~test]


def wine_parts():
    """X_train, y_train, X_test, y_test of wine."""
    X, y = load_wine(return_X_y=True)
    test = np.arange(len(y)) % 3 == 0
    return X[~test], y[~test], X[test], y[test]
