"""The tables of benchmarks/judges/README.md, from the results that are at hand.

  python benchmarks/judges/tables.py           names the tables that differ; exit code 1 if one does
  python benchmarks/judges/tables.py --write   puts them into the page

The table of memory is what the rooms say that they need.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from judges.run import COLUMNS, JUDGES, RESULTS, SETS
from paper import page
from paper.results import Results

from moeliga._ext import evaluate
from moeliga._ext import judges as judges_room
from moeliga.evaluation.judges import recognise

PAGE = Path(__file__).resolve().parent / "README.md"


class Rows:
    """The results.

    Attributes
    ----------
    rows : dict from (set, judge) to dict from str to str
    sets : list of str
        Those that have a row.
    """

    def __init__(self, folder=RESULTS):
        self.rows = {(row["set"], row["judge"]): row for row in Results(folder / "searches.csv", COLUMNS).rows}
        self.sets = [name for name in SETS if any(name == known for known, _ in self.rows)]

    def of(self, judge, column):
        """The numbers of a judge, set after set: list of float, NaN without a row."""
        return [float(self.rows[name, judge][column]) if (name, judge) in self.rows else np.nan for name in self.sets]


def cells(rows):
    """Seconds, members of the front, test UAR and features of the choice, judge by judge and set by set."""
    lines = []
    for judge in JUDGES:
        cells = []
        for seconds, front, test, size in zip(*(rows.of(judge, column) for column in (
                "seconds", "front", "test", "n_selected")), strict=True):
            cells.append("–" if np.isnan(seconds) else f"{seconds:.2g} s, {front:.0f}, {test:.3f} ({size:.0f})")
        lines.append([judge, *cells])
    return ["judge", *rows.sets], lines


def means(rows):
    """Sums of seconds, geometric means of milliseconds of an evaluation, and means over sets."""
    lines = []
    for judge in JUDGES:
        seconds, evaluations = np.array(rows.of(judge, "seconds")), np.array(rows.of(judge, "evaluations"))
        lines.append([judge, int(np.sum(~np.isnan(seconds))), f"{np.nansum(seconds):.1f}",
                      f"{1e3 * np.exp(np.nanmean(np.log(seconds / evaluations))):.2g}",
                      *(f"{np.nanmean(rows.of(judge, column)):.{digits}f}" for column, digits in (
                          ("front", 1), ("n_selected", 1), ("score", 3), ("test", 3)))])
    return ["judge", "sets", "CPU seconds, all sets", "ms an evaluation", "front", "features", "UAR in the search",
            "UAR on the test part"], lines


SHAPES = ((100, 10, 2), (1_000, 20, 3), (5_000, 100, 10), (5_000, 100, 26))
"""Samples, features of a subset, and classes."""


def memory(rows):
    """Megabytes of the workspace of a thread, judge by judge: one subset, all samples learnt from and answered for."""
    lines = []
    for name, model in JUDGES.items():
        judge = recognise(model)
        needs = [evaluate.workspace_bytes(n, n_classes, n, n, k, 100, 0, False, True, judge.model is not None, 1, k)[0]
                 if judge.coded else judges_room.workspace_bytes(judge, n, n, k, n_classes, False)
                 for n, k, n_classes in SHAPES]
        lines.append([name, *(f"{n_bytes / 1e6:.2g}" for n_bytes in needs)])
    return ["judge", *(f"{n:,} x {k}, {n_classes} classes" for n, k, n_classes in SHAPES)], lines


TABLES = {"cells": cells, "means": means, "memory": memory}


def filled(text, found=None):
    """A page with the tables of the results, and the names of those that were others."""
    return page.filled(text, sys.modules[__name__], Rows() if found is None else found)


def main(argv=None):
    return page.renewed(argv, PAGE, filled, __doc__)


if __name__ == "__main__":
    sys.exit(main())
