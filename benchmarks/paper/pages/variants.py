"""Tables on variants of the search: means, and differences with Wilcoxon's test over data sets."""

import numpy as np
from paper import ablation, comparison, tables
from paper.ablation import CHOOSING, COLUMNS, MEASURES, PARTS
from paper.results import Results
from paper.variants import CURVES

USUAL, TIME, LONG = "8000 evaluations", "2 s", "300 generations"
"""Budgets."""

N_SPLITS, FEW_SPLITS = 10, 3

PAIRS = ("test area", "test hypervolume", "test UAR, r1")
"""Measures of the differences."""


class Rows:
    """The results of a folder.

    Attributes
    ----------
    values : dict from (budget, measure) to dict from variant to dict from data set to dict from split to
        dict from seed to float
    trained : dict from data set to int
        Samples that a search has.
    """

    def __init__(self, folder):
        rows = [row for row in Results(folder / "ablation.csv", COLUMNS).rows if row["status"] == "ok"]
        size = {"size, r1": lambda row: float(row["r1_size"]) if row["r1_size"] else np.nan,
                "fresh UAR, r1": lambda row: float(row["r1_fresh"]) if row["r1_fresh"] else np.nan,
                "- gap, r1": ablation.gap("r1_reported", "r1_test")}
        self.trained = {}  # about seven of ten samples
        by_budget = {}
        for row in rows:
            if (row["method"], row["setting"]) == ("default", USUAL) and row["data"] in PARTS["all"]:
                self.trained[row["data"]] = round(0.7 * int(row["samples"]))
            by_budget.setdefault(row["setting"], []).append(row)
        self.values = {(budget, measure): comparison.by_split(own, value, CURVES)
                       for budget, own in by_budget.items() for measure, value in (MEASURES | size).items()}

    def mean(self, budget, measure, variant, names):
        """Over data sets of the means over their splits; NaN if one is missing."""
        sets = self.values[budget, measure].get(variant, {})
        return float(np.mean([np.mean(comparison.over_seeds(sets[name])) if sets.get(name) else np.nan
                              for name in names]))

    def first(self, budget, measure, variant):
        """By data set, values of the first search of each split: its seed is the number of the split."""
        sets = self.values.get((budget, measure), {}).get(variant, {})
        return {name: [seeds[split] for split, seeds in splits.items() if split in seeds]
                for name, splits in sets.items()}

    def compare(self, budget, measure, variant, reference, names):
        """`Comparison` on some of the data sets; None without common splits."""
        found = comparison.differences(self.values.get((budget, measure), {}), variant, reference)
        return comparison.compare({name: numbers for name, numbers in found.items() if name in names})

    def whole(self, budget, variant, n_splits=N_SPLITS):
        """Data sets of which a variant has all splits."""
        sets = self.values.get((budget, "test area"), {}).get(variant, {})
        return [name for name in sets if len(sets[name]) >= n_splits]


def short(value, digits=3, sign=""):
    """".913" for 0.913: no zero before the point; "–" for NaN."""
    return "–" if np.isnan(value) else f"{value:{sign}.{digits}f}".replace("0.", ".", 1)


def probability(p):
    """Two digits."""
    text = f"{p:.2g}"
    return text[1:] if text.startswith("0.") else text


def apart(result, p=True):
    """"+.031 (15:0), 6.1e-05": mean difference, sets ahead and behind, p."""
    if result is None:
        return ""
    text = f"{short(result.difference, sign='+')} ({result.ahead}:{result.behind})"
    return f"{text}, {probability(result.p)}" if p else text


def means(found):
    """The bases, over the sixteen data sets."""
    lines, names = [], [name for name in found.whole(USUAL, "default") if name in PARTS["all"]]
    for label, variant in (("the defaults", "default"), ("`moga`", "moga"),
                           ("the `paper` preset", "paper"), ("NSGA-II", "nsga2"),
                           ("NSGA-II, two objectives", "nsga2 + two_objectives")):
        def mean(measure, variant=variant):
            return found.mean(USUAL, measure, variant, names)

        lines.append([label, *(short(mean(measure)) for measure in (*PAIRS, "test UAR, one_se", "test UAR, best")),
                      tables.number(mean("size, r1"), 1), short(-mean("- optimism, r1"), sign="+"),
                      short(-mean("- fit to the samples, r1")), tables.number(-mean("- seconds"), 1)])
    return ["", "test area", "test hypervolume", "test UAR, `r1`", "`one_se`", "`best`", "features", "optimism",
            "gap to new data", "seconds"], lines


def differences(found, budget, pairs):
    """Lines of (label, variant, reference, data sets)."""
    lines = []
    for label, variant, reference, names in pairs:
        results = [found.compare(budget, measure, variant, reference, names)
                   for measure in (*PAIRS, "fresh hypervolume")]
        if results[0] is not None:
            lines.append([label, results[0].sets, *map(apart, results)])
    return ["", "sets", "test area", "test hypervolume", "test UAR", "fresh hypervolume"], lines


def evaluations(found):
    """Equal evaluations."""
    every = PARTS["all"]
    return differences(found, USUAL, (
        ("the defaults less NSGA-II", "default", "nsga2", every),
        ("the same, sets that confirm", "default", "nsga2", PARTS["confirming"]),
        ("the same, all 25 sets", "default", "nsga2", every + PARTS["more"]),
        ("the defaults less NSGA-II with the same sizes and prior at the start", "default",
         "nsga2 + log_uniform + prior", every),
        ("the defaults less `paper`", "default", "paper", every),
        ("the defaults less `moga`", "default", "moga", every)))


GROUPS = (("100 or more", lambda n: n >= 100), ("fewer", lambda n: n < 100))
"""Of data sets, by the samples of a search."""


def seeds(found):
    """How far means over the splits of a set are apart from one series of seeds to another."""
    lines = []
    for label, belongs in GROUPS:
        ranges, most = [], 0
        for name, splits in found.values[USUAL, "test UAR, r1"]["default"].items():
            if belongs(found.trained.get(name, np.nan)):
                series = np.array([[searches[seed] for seed in sorted(searches, key=int)]
                                   for searches in splits.values()]).mean(axis=0)
                ranges.append(np.ptp(series))
                most = max(most, len(series))
        lines.append([label, len(ranges), most, *(short(value, 2) for value in (np.mean(ranges), max(ranges)))])
    return ["samples of the search", "sets", "series", "range of the means", "most"], lines


def gap(found):
    """How far test scores of the choice are below reported ones, by samples that the search had."""
    lines = []
    for label, belongs in GROUPS:
        names = [name for name in found.trained if belongs(found.trained[name])]
        apart = np.array([-found.mean(USUAL, "- gap, r1", "default", [name]) for name in names])
        sizes = [found.trained[name] for name in names]
        lines.append([label, len(names), f"{min(sizes)} to {max(sizes)}", *(
            short(value, 2, "+") for value in (apart.mean(), apart.min(), apart.max()))])
    return ["samples of the search", "sets", "of so many", "reported less test UAR", "least", "most"], lines


def time(found):
    """Equal time."""
    return differences(found, TIME, [(f"the defaults less {label}", "default", variant, PARTS["all"])
                                     for label, variant in (("NSGA-II", "nsga2"), ("`paper`", "paper"),
                                                            ("`moga`", "moga"))])


def remedies(found):
    """What was tried on the defaults against fitting the training part, on the sets for choosing."""
    tried = {"only the 300 features with the largest F": "default & screen300", "only the 100": "default & screen100",
             "a prior by one class against the rest, in turn": "default - prior + class_prior",
             "the same, `share=0.9`": "default - prior + strong_class_prior",
             "`validation_size=0.2`": "default + fifth", "`validation_size=0.1`": "default + tenth"}
    measures = (*PAIRS, "fresh hypervolume")
    return ["tried", *measures], [
        [label, *(apart(found.compare(USUAL, measure, variant, "default", CHOOSING)) for measure in measures)]
        for label, variant in tried.items()]


def curves(found):
    """The defaults less each method's curve over sizes, on the sets with all splits and on those with a few."""
    lines = []
    for curve in CURVES:
        whole = found.whole(USUAL, curve)
        few = [name for name in found.whole(USUAL, curve, FEW_SPLITS) if name not in whole]
        cells = []
        for names in (whole, few):
            results = [found.compare(USUAL, measure, "default", curve, names) for measure in ("test area",
                                                                                            "test hypervolume")]
            cells += [results[0].sets, *(apart(result, p=False) for result in results)] if results[0] else ["–"] * 3
        if cells[0] != "–" or cells[3] != "–":
            lines.append([f"`{curve.removeprefix('curve of ')}`", *cells])
    return ["curve of", "sets of ten splits", "test area", "test hypervolume", "of three to nine", "test area",
            "test hypervolume"], sorted(
        lines, key=lambda line: float("inf" if line[2] == "–" else line[2].partition(" ")[0]))


def budgets(found):
    """The defaults with more and more evaluations, on the data sets that have all budgets; first searches only."""
    columns = {"2,000": "2000 evaluations", "8,000": USUAL, "16,000": "16000 evaluations",
               "32,000": "32000 evaluations", LONG: LONG}
    names = [name for name in found.whole(USUAL, "default")
             if all(len(found.first(budget, "test area", "default").get(name, ())) >= N_SPLITS
                    for budget in columns.values())]
    rows = {"UAR of the choice on fresh splits of the training part": ("fresh UAR, r1", short),
            "test UAR of the choice": ("test UAR, r1", short), "test area": ("test area", short),
            "test hypervolume": ("test hypervolume", short),
            "features of the choice": ("size, r1", lambda value: tables.number(value, 1)),
            "seconds of one processor": ("- seconds", lambda value: tables.number(-value, 1))}

    def mean(budget, measure):
        sets = found.first(budget, measure, "default")
        return float(np.mean([np.mean(sets[name]) for name in names]))

    return [f"{len(names)} sets", *columns], [
        [label, *(form(mean(budget, measure)) for budget in columns.values())]
        for label, (measure, form) in rows.items()]


TABLES = {"means": means, "evaluations": evaluations, "time": time, "gap": gap, "seeds": seeds,
          "remedies": remedies, "curves": curves, "budgets": budgets}
"""By the names in the page."""
