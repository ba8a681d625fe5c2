"""The data sets of the paper, from a local folder of NPZ files.

The folder is `MOELIGA_DATA`, or `shared/data/paper` beside the checkout. A file holds X_train, y_train, X_test, y_test
and, where the source has them, feature_names.
"""

import os
from pathlib import Path

import numpy as np

DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data" / "paper"


def folder():
    """Folder of the data sets; SystemExit with a message if it is absent."""
    path = Path(os.environ.get("MOELIGA_DATA", DEFAULT))
    if not path.is_dir():
        raise SystemExit(f"the data sets are not in {path}; set MOELIGA_DATA to their folder")
    return path


def names():
    """Names of the data sets at hand, sorted."""
    return sorted(path.stem for path in folder().glob("*.npz"))


def load(name):
    """X_train, y_train, X_test, y_test of one data set."""
    path = folder() / f"{name}.npz"
    if not path.is_file():
        raise SystemExit(f"there is no data set {name!r}; at hand: {', '.join(names())}")
    with np.load(path, allow_pickle=False) as data:
        return data["X_train"], data["y_train"], data["X_test"], data["y_test"]
