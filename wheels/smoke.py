"""Smoke test of an installed wheel: rooms, OpenMP, and one search that does not depend on the number of threads."""

import argparse
import importlib
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine

import moeliga

ROOMS = ("code", "draw", "bits", "vary", "niche", "relief", "tree", "evaluate")


def search(n_jobs):
    """Masks and objectives of a small front."""
    X, y = load_wine(return_X_y=True)
    selector = moeliga.MOELIGASelector(n_generations=6, random_state=0, n_jobs=n_jobs).fit(X, y)
    return selector.pareto_front_.supports, selector.pareto_front_.objectives


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--allow-serial", action="store_true", help="do not insist on OpenMP")
    options = parser.parse_args()
    moeliga.show_versions()
    print("installed in", Path(moeliga.__file__).parent)
    rooms = {room: importlib.import_module(f"moeliga._ext.{room}") for room in ROOMS}
    if not options.allow_serial and not rooms["evaluate"].threads()["enabled"]:
        raise SystemExit("OpenMP is off")
    for one, two in zip(search(1), search(2), strict=True):
        if not np.array_equal(one, two):
            raise SystemExit("the result depends on the number of threads")
    print("all rooms import; the front is the same on one thread and on two")


if __name__ == "__main__":
    main()
