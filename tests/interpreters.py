"""Other interpreters that import test modules."""

import os
from pathlib import Path

import moeliga


def environment(file):
    """Return environment variables with which an interpreter imports the package, the helpers of the tests, and the
    test modules in the folder of `file`."""
    places = [Path(moeliga.__file__).parents[1], Path(file).resolve().parent, Path(__file__).resolve().parent]
    return os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))}
