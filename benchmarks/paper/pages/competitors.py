"""Tables that compare moeliga with other methods.

Data sets count once every method that is tested has all outer splits of them.
"""

import numpy as np
from paper import classifiers, comparison, competitors, sota, tables
from paper.results import Results

CHOICES = ("moeliga, one_se", "moeliga, best")
"""Other rules, on the fronts of the same searches."""

DEAR = ("genetic-opt",)
"""Run where there was time for it; the others decide which data sets count."""


class Rows:
    """The results of a folder, and the data sets that count.

    Attributes
    ----------
    rows, judged : lists of dict
        Of sota.csv and judged.csv.
    uar, features, fresh : dicts from label to dict from data set to dict from (split, seed) to float
        On random outer splits.
    names : list of str
        Data sets.
    """

    def __init__(self, folder):
        self.rows = Results(folder / "sota.csv").rows
        self.judged = Results(folder / "judged.csv", classifiers.COLUMNS).rows
        self.uar, self.features, self.fresh = (self.by_label(column) for column in ("tree_uar", "features", "fresh"))
        asked = [name for name in self.uar if name in competitors.METHODS and name not in DEAR]
        n_splits = max(map(len, self.uar["moeliga"].values()))
        self.names = [name for name in self.uar["moeliga"]
                      if all(len(self.uar[method].get(name, ())) == n_splits for method in asked)]

    def by_label(self, column):
        found = {}
        for (name, label), numbers in tables.values(self.rows, column).items():
            found.setdefault(label, {})[name] = numbers
        return found

    def group(self, group):
        """Methods of a group of `sota.GROUPS` but moeliga, by mean UAR; those without all data sets at the end."""
        methods = [method for method in self.uar if method in competitors.METHODS and method != "moeliga"
                   and sota.in_group(method, group)]
        means = {method: self.mean(self.uar, method) for method in methods}
        return sorted(methods, key=lambda method: -np.nan_to_num(means[method], nan=-1.0))

    def mean(self, values, label):
        """Over data sets of the means over splits; NaN if one is missing."""
        return float(np.mean([tables.mean(values[label].get(name, {})) for name in self.names]))


def cells(values, label, names, digits=3):
    return [tables.number(tables.mean(values[label].get(name, {})), digits) for name in names]


def against(found, label):
    """"ahead : behind" of moeliga over the data sets, and the same by the corrected t-test over their splits.

    Paired by split: the seeds of different programs have nothing in common.
    """
    if label == "moeliga":
        return ["", ""]
    kept = {method: {name: {split: {"": number} for (split, _), number in found.uar[method][name].items()}
                     for name in found.names if name in found.uar[method]} for method in ("moeliga", label)}
    result = comparison.compare(comparison.differences(kept, "moeliga", label))
    return [f"{result.ahead} : {result.behind}", f"{result.surely_ahead} : {result.surely_behind}"]


def tests(found):
    """Methods with as many features as moeliga chose: ranks, and moeliga against each."""
    uar = {key: numbers for key, numbers in tables.values(found.rows, "tree_uar").items() if key[0] in found.names}
    _, lines, _ = sota.tests(uar, ["moeliga", *found.group("told")])
    columns = {"mean rank": "1f", "moeliga ahead by": "3f", "p": "2g", "p, Holm": "2g", "Wilcoxon's p": "2g",
               "Wilcoxon's p, Holm": "2g"}
    return ["method", *columns], [
        [f"`{line[0]}`", *("" if cell == "" else f"{cell:.{digits}}" for cell, digits in
                           ((line[sota.TESTS.index(name)], digits) for name, digits in columns.items()))]
        for line in lines]


def own(found):
    """Methods that choose the number, with that number."""
    lines = []
    for label in ("moeliga", *CHOICES, *found.group("own")):
        both = zip(cells(found.uar, label, found.names), cells(found.features, label, found.names, 0), strict=True)
        lines.append([f"`{label}`", *("–" if uar == "–" else f"{uar} ({size})" for uar, size in both),
                      tables.number(found.mean(found.uar, label)),
                      *against(found, label)])
    return ["method", *found.names, "mean", "ahead : behind", "by itself"], lines


def judges(found):
    """Means of the scores by each classifier, over the data sets on which all of them have judged."""
    kinds, names, methods, means = classifiers.table(found.rows, found.judged)
    order = ("moeliga", *found.group("told"), "all")
    means = means[:, [names.index(name) for name in found.names]][:, :, [methods.index(label) for label in order]]
    whole = means[:, np.isfinite(means).all(axis=(0, 2))]
    return [f"method, {whole.shape[1]} sets", *(classifiers.TITLES[kind] for kind in kinds)], [
        [f"`{label}`", *(tables.number(score) for score in scores)]
        for label, scores in zip(order, whole.mean(axis=1).T, strict=True)]


TABLES = {"tests": tests, "own": own, "judges": judges}
"""By the names in the page."""
