"""Smoke test of an installed wheel: rooms, OpenMP, what is imported, and one search that ends with the same bits on
every machine and for every number of threads."""

import argparse
import hashlib
import importlib
import sys
from pathlib import Path

import numpy as np
import sklearn.compose  # noqa: F401 - it imports some of the optional packages itself where they are installed
from sklearn.datasets import load_breast_cancer

BEFORE = set(sys.modules)

import moeliga  # noqa: E402

ROOMS = ("code", "draw", "bits", "vary", "dominance", "niche", "relief", "tree", "forest", "judges", "scores",
         "evaluate")

OPTIONAL = {"matplotlib", "pandas", "polars", "pyarrow", "rich", "tqdm"} & (set(sys.modules) - BEFORE)
"""What `import moeliga` must not import, and does."""

FRONT = "428cac648787f12d"
"""Digest of the front of `search`."""


def search(n_jobs):
    """The front of a fit with the defaults, of the breast cancer data of scikit-learn."""
    X, y = load_breast_cancer(return_X_y=True)
    return moeliga.MOELIGASelector(random_state=0, n_jobs=n_jobs).fit(X, y).pareto_front_


def digest(front):
    """The same for the same bits, whatever the order of bytes."""
    masks = np.packbits(front.supports, axis=1, bitorder="little").tobytes()
    return hashlib.sha256(masks + front.objectives.astype("<f8").tobytes()).hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allow-serial", action="store_true", help="do not insist on OpenMP")
    options = parser.parse_args()
    moeliga.show_versions()
    print("installed in", Path(moeliga.__file__).parent)
    rooms = {room: importlib.import_module(f"moeliga._ext.{room}") for room in ROOMS}
    if not options.allow_serial and not rooms["evaluate"].threads()["enabled"]:
        raise SystemExit("OpenMP is off")
    if OPTIONAL:
        raise SystemExit(f"import moeliga imports {', '.join(sorted(OPTIONAL))}")
    for n_jobs in (1, 2):
        front = search(n_jobs)
        if digest(front) != FRONT:
            raise SystemExit(f"n_jobs={n_jobs}: another front ({digest(front)}, not {FRONT}):\n{front.objectives}")
    print("all rooms import; the front is the one it should be on one thread and on two")


if __name__ == "__main__":
    main()
