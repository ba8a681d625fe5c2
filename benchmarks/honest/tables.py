"""The tables of benchmarks/honest/README.md, from the results that are at hand.

  python benchmarks/honest/tables.py           names the tables that differ; exit code 1 if one does
  python benchmarks/honest/tables.py --write   puts them into the page

Means are over the splits of each set, and then over sets.
"""

import csv
import sys
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from honest.honesty import MODELS, RULES
from honest.regression import LEAVES, LIMITS, NOISY, NOISY_LEAVES
from honest.run import OTHERS
from honest.times import MODELS as DEAR
from paper import page
from paper.tables import number

from moeliga import NoLoss

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER / "README.md"
Z = 1.645
"""Of a normal distribution, 90 % is within so many standard deviations."""

SOURCES = ("search", "f_classif", "forest")
RANGES = {"3": (3, 3), "6": (6, 6), **{str(most): (most // 2 + 1, most) for most in (12, 24, 48, 96, 192, 384, 768)}}
"""Ranges of sizes of the search, beside first features of rankings, as many as the largest size."""

DEFAULT = f"no_loss {NoLoss().margin:g}"
"""Rule of a fit where none is named."""


class Rows:
    """The results.

    Attributes
    ----------
    choices, slots : list of dict
        With numbers as floats, NaN for nothing.
    """

    def __init__(self, folder=FOLDER / "results"):
        self.folder = folder
        self.choices, self.slots = (read(folder / f"{name}.csv") for name in ("choices", "slots"))

    def times(self):
        """Return the rows of whole fits, as those of `slots`."""
        return read(self.folder / "times.csv")

    def regression(self):
        """Return the rows of the study of regression, likewise."""
        return read(self.folder / "regression.csv")

    def chosen(self, model, rule=DEFAULT, others=False):
        """Rows of the choices of a rule, with the defaults; on the sets that these were chosen by, or the others."""
        return [row for row in self.choices if (row["model"], row["rule"], row["setting"]) == (model, rule, "")
                and (row["set"] in OTHERS) == others]

    def best_of(self, source):
        """Test score of what a source gives that has the best score from the folds: dict from (set, split, model)."""
        best = {}
        for row in self.slots:
            key = row["set"], row["split"], row["model"]
            if (row["source"], row["setting"]) == (source, "") and row["folds"] == row["folds"] and (
                    key not in best or row["folds"] > best[key]["folds"]):
                best[key] = row
        return {key: row["test"] for key, row in best.items()}


def read(path):
    """Rows of a CSV file: list of dict; a name is a str, anything else a float."""
    words = ("set", "split", "setting", "model", "rule", "source", "what", "curve")
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: cell if name in words else float(cell or "nan") for name, cell in row.items()}
                for row in csv.DictReader(file)]


def by_set(rows, value):
    """Means of `value(row)` over the splits of each set: ndarray of float64, shape (n_sets,)."""
    found = {}
    for row in rows:
        found.setdefault(row["set"], []).append(value(row))
    return np.array([np.nanmean(values) for values in found.values() if np.isfinite(values).any()])


def signed(values):
    """Mean over sets, with its standard error."""
    return f"{values.mean():+.3f} ± {values.std(ddof=1) / len(values) ** 0.5:.3f}" if len(values) > 1 else "–"


def covers(row, allowing):
    """Whether the interval holds the test score; `allowing` for the error that this one has itself."""
    error = Z * row["test_se"] if allowing else 0.0
    low, high = row["honest"] - row["low"], row["high"] - row["honest"]
    return row["honest"] - np.hypot(low, error) <= row["test"] <= row["honest"] + np.hypot(high, error)


def honesty(found):
    """What honest scores are worth, by model, on all sets."""
    lines = []
    for model in MODELS:
        rows = found.chosen(model) + found.chosen(model, others=True)
        lines.append([model, len({row["set"] for row in rows}), len(rows),
                      signed(by_set(rows, lambda row: row["folds"] - row["test"])),
                      signed(by_set(rows, lambda row: row["honest"] - row["test"])),
                      number(by_set(rows, lambda row: covers(row, False)).mean(), 2),
                      number(by_set(rows, lambda row: covers(row, True)).mean(), 2)])
    return ["model", "sets", "fits", "from the folds, less test", "honest, less test", "90 % interval holds the test",
            "allowing for its error"], lines


def gains(found, others=False):
    """What the choice is worth beside all features and rankings, by model."""
    lines = []
    for model in MODELS:
        rows, line = found.chosen(model, others=others), [model]
        line.append(number(by_set(rows, lambda row: row["test"]).mean()))
        for against in ("all", *SOURCES):
            best = {} if against == "all" else found.best_of(against)
            line.append(signed(by_set(rows, lambda row, a=against, b=best: row["test"] - (
                row["test_all"] if a == "all" else b[row["set"], row["split"], row["model"]]))))
        line.append(f"{np.median([row['n_selected'] / row['of'] for row in rows]):.1%}")
        lines.append(line)
    return ["model", "test", "less all features", "less search's best", "less F-test's best", "less importances' best",
            "share of features"], lines


def rules(found):
    """Test scores and sizes of rules, by model."""
    lines = []
    for rule in RULES:
        cells = []
        for model in MODELS:
            rows = found.chosen(model, rule)
            cells.append(f"{by_set(rows, lambda row: row['test']).mean():.3f} "
                         f"({np.median([row['n_selected'] for row in rows]):.0f})")
        lines.append([rule, *cells])
    lines.append(["all features", *(number(by_set(found.chosen(model), lambda row: row["test_all"]).mean())
                                    for model in MODELS)])
    return ["rule", *MODELS], lines


def sets(found):
    """Choice, its size, and all features, by set and model."""
    lines = []
    every = {model: found.chosen(model) + found.chosen(model, others=True) for model in MODELS}
    for name in dict.fromkeys(row["set"] for row in every["tree"]):
        cells = []
        for model in MODELS:
            rows = [row for row in every[model] if row["set"] == name]
            mean = {column: np.mean([row[column] for row in rows]) for column in ("test", "test_all")}
            cells.append(f"{mean['test']:.3f} ({np.median([row['n_selected'] for row in rows]):.0f}) / "
                         f"{mean['test_all']:.3f}")
        lines.append([name, f"{rows[0]['samples']:.0f}", f"{rows[0]['of']:.0f}", f"{rows[0]['classes']:.0f}", len(rows),
                      *cells])
    return ["set", "samples", "features", "classes", "splits", *MODELS], lines


def sizes(found):
    """Test scores at sizes, of the search and of rankings, and of all features, on the sets that have all, by model."""
    lines = []
    for model in MODELS:
        every = found.chosen(model) + found.chosen(model, others=True)
        for size, (least, most) in RANGES.items():
            rows = [row for row in found.slots if (row["model"], row["setting"], row["most"]) == (model, "", most)
                    and (row["source"] != "search" or row["least"] == least)]
            names = [{row["set"] for row in rows if row["source"] == source} for source in SOURCES]
            common = set.intersection(*(some for some in names if some))
            means = [by_set([row for row in rows if row["source"] == source and row["set"] in common],
                            lambda row: row["test"]) for source in SOURCES]
            means.append(by_set([row for row in every if row["set"] in common], lambda row: row["test_all"]))
            lines.append([model, size, len(common), *(number(some.mean()) if len(some) else "–" for some in means)])
    return ["model", "size", "sets", "search", "F-test", "importances", "all features"], lines


def seconds(found):
    """Return the processor seconds of default fits of the form before and now, of the sets that have both: dict.

    From set to (its first row, before, now); means over runs.
    """
    runs = {}
    for row in found.times():
        runs.setdefault(row["set"], {}).setdefault(row["what"], []).append(row)
    return {name: (own["now"][0], *(np.mean([row["cpu"] for row in own[what]]) for what in ("before", "now")))
            for name, own in runs.items() if {"before", "now"} <= own.keys()}


def mean_ratio(found):
    """Return how many times as long a default fit takes now, as text: a geometric mean over sets."""
    return number(np.exp(np.mean([np.log(now / before) for _, before, now in seconds(found).values()])), 2)


def times(found):
    """Seconds of default fits, of the form before and now, by set."""
    lines = [[name, f"{row['samples']:.0f}", f"{row['of']:.0f}", number(before, 1), number(now, 1),
              number(now / before, 2)] for name, (row, before, now) in seconds(found).items()]
    return (["set", "samples", "features", "before", "now", "times"],
            [*lines, ["geometric mean", "", "", "", "", mean_ratio(found)]])


def dear(found):
    """Whole fits for deployed models that joblib evaluates, with the honest scores of the search's subsets by size."""
    lines = [[row["what"], row["set"], number(row["wall"], 0), number(row["cpu"], 0), f"{row['n_selected']:.0f}",
              number(row["honest"]), row["curve"].replace(" ", ", ").replace(":", ": ")]
             for row in found.times() if row["what"] in DEAR]
    return ["model", "set", "seconds", "of processors", "features", "honest UAR", "by features of the search's"], lines


def leaves(found):
    """Test R2 of a regressor's choices by the leaf size of the tree that guides the search, and seconds, by set."""
    columns, lines = ("test", *(f"test_{limit}" for limit in LIMITS), "n_selected"), []
    names = list(dict.fromkeys(row["set"] for row in found.regression()))
    for leaf in LEAVES:
        rows = [row for row in found.regression() if row["leaf"] == leaf]
        means = [by_set(rows, lambda row, column=column: row[column]).mean() for column in columns]
        each = by_set(rows, lambda row: row["test"])
        cpu = np.exp(np.mean(np.log(by_set(rows, lambda row: row["cpu"]))))
        lines.append([leaf, *(number(value) for value in means[:-1]), number(means[-1], 1), number(cpu, 1),
                      *(number(value) for value in each)])
    return (["leaf", "its choice", *(f"{limit} at most" for limit in LIMITS), "features", "seconds", *names], lines)


def noisy(found):
    """Test R2 of a regressor's choices on tables of patients by the leaf size, and less that of leaves of five."""
    lines = []
    for leaf in NOISY_LEAVES:
        line = [leaf]
        for name in NOISY:
            own = {key: [row for row in found.regression() if (row["set"], row["leaf"]) == (name, key)]
                   for key in (leaf, 5)}
            tests = {key: {(row["split"], row["model"]): row["test"] for row in rows} for key, rows in own.items()}
            apart = [{"set": split, "gain": test - tests[5][split, model]}
                     for (split, model), test in tests[leaf].items()]
            test, few, size = np.mean([[row["test"], row["test_2"], row["n_selected"]] for row in own[leaf]], axis=0)
            line += [number(test), "–" if leaf == 5 else signed(by_set(apart, lambda row: row["gain"])), number(few),
                     number(size, 1)]
        lines.append(line)
    columns = ("its choice", "less leaves of 5", "2 at most", "features")
    return ["leaf", *(f"{name}: {column}" if column == columns[0] else column for name in NOISY
                      for column in columns)], lines


TABLES = {"honesty": honesty, "gains": gains, "confirmed": partial(gains, others=True), "rules": rules, "sets": sets,
          "sizes": sizes, "times": times, "dear": dear, "leaves": leaves, "noisy": noisy}


def filled(text, found=None):
    """A page with the tables of the results, and the names of those that were others."""
    return page.filled(text, sys.modules[__name__], Rows() if found is None else found)


def main(argv=None):
    return page.renewed(argv, PAGE, filled, __doc__)


if __name__ == "__main__":
    sys.exit(main())
