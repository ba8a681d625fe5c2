"""Tables of the page on variants of the search: means, and differences with Wilcoxon's test over data sets."""

import numpy as np
from paper import comparison, tables
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
    """

    def __init__(self, folder):
        rows = [row for row in Results(folder / "ablation.csv", COLUMNS).rows if row["status"] == "ok"]
        size = {"size, r1": lambda row: float(row["r1_size"]) if row["r1_size"] else np.nan,
                "fresh UAR, r1": lambda row: float(row["r1_fresh"]) if row["r1_fresh"] else np.nan}
        by_budget = {}
        for row in rows:
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
        ("the defaults less NSGA-II with the same sizes and prior at the start", "default",
         "nsga2 + log_uniform + prior", every),
        ("the defaults less `paper`", "default", "paper", every),
        ("the defaults less `moga`", "default", "moga", every),
        ("the same less NSGA-II, sets for choosing", "default", "nsga2", PARTS["choosing"]),
        ("sets that confirm", "default", "nsga2", PARTS["confirming"]),
        ("nine more sets", "default", "nsga2", PARTS["more"]),
        ("all 25 sets", "default", "nsga2", every + PARTS["more"])))


def larger(found):
    """The defaults and NSGA-II on the sets of thousands of samples, one by one."""
    lines = []
    for name in PARTS["more"][2:]:
        means = [found.mean(USUAL, measure, variant, [name]) for measure in ("test area", "test hypervolume")
                 for variant in ("default", "nsga2", "default + no_li")]
        lines.append([name, *map(short, means)])
    return ["", "test area: the defaults", "NSGA-II", "without local improvement", "test hypervolume: the defaults",
            "NSGA-II", "without local improvement"], lines


def time(found):
    """Equal time."""
    return differences(found, TIME, [(f"the defaults less {label}", "default", variant, PARTS["all"])
                                     for label, variant in (("NSGA-II", "nsga2"), ("`paper`", "paper"),
                                                            ("`moga`", "moga"))])


def generations(found):
    """The paper's own budget."""
    every = PARTS["all"]
    return differences(found, LONG, (
        ("the defaults less `moga` with the paper's local improvement", "default", "moga", every),
        ("with the paper's local improvement (50 × 70), less the defaults (40 × 8)", "default + li_full", "default",
         every),
        ("without any, less the defaults", "default + no_li", "default", every)))


def improvement(found):
    """Without local improvement, with several budgets."""
    every, without = PARTS["all"] + PARTS["more"], "default + no_li"
    header, lines = differences(found, USUAL, ())[0], []
    for label, budget, names in (("8,000 evaluations", USUAL, PARTS["all"]),
                                 ("8,000, with nine more sets", USUAL, every),
                                 ("32,000", "32000 evaluations", every), (LONG, LONG, every)):
        for line in differences(found, budget, [(label, without, "default", names)])[1]:
            both = [name for name in found.whole(budget, without, 1) if name in names]
            lines.append([*line, " / ".join(tables.number(-found.mean(budget, "- seconds", variant, both), 1)
                                            for variant in (without, "default"))])
    return ["budget", *header[1:], "seconds without / with"], lines


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


def curves(found, least=N_SPLITS, below=np.inf):
    """The defaults less each method's curve over sizes, by the area; sets with so many splits of the curve."""
    lines = []
    for curve in CURVES:
        names = [name for name in found.whole(USUAL, curve, least) if name not in found.whole(USUAL, curve, below)]
        measures = (*PAIRS, "test UAR, one_se")
        results = [found.compare(USUAL, measure, "default", curve, names) for measure in measures]
        if results[0] is not None:
            sure = f"{results[0].surely_ahead}:{results[0].surely_behind}"
            lines.append([f"`{curve.removeprefix('curve of ')}`", results[0].sets, apart(results[0], p=False), sure,
                          *(apart(result, p=False) for result in results[1:])])
    return ["curve of", "sets", "test area", "by itself", "test hypervolume", "test UAR, `r1`", "`one_se`"], sorted(
        lines, key=lambda line: float(line[2].partition(" ")[0]))


def curves_few(found):
    """The same on sets with fewer splits."""
    return curves(found, FEW_SPLITS, N_SPLITS)


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


def rests(found):
    """One switch taken out of the defaults, or added to them."""
    switches = {'`survival="moga"`': "- survival", '`reevaluate="all"`': "- average",
                '`split_mode="individual"`': "- generation_splits", '`init="staggered"`': "- log_uniform",
                "`feature_prior=None`": "- prior", "one-point crossover": "- uniform", "`archive=False`": "- archive",
                "`n_rescore_splits=0`": "- rescore", "`local_improvement=None`": "+ no_li",
                "`LocalImprovement(adaptive=True)`": "+ li_adaptive", "two objectives": "+ two_objectives"}
    measures = ("test area", "test hypervolume", "fresh hypervolume")
    return ["in place of the default", *measures], [
        [label, *(apart(found.compare(USUAL, measure, f"default {switch}", "default", PARTS["all"]))
                  for measure in measures)] for label, switch in switches.items()]


TABLES = {"means": means, "evaluations": evaluations, "larger": larger, "time": time, "generations": generations,
          "improvement": improvement, "remedies": remedies, "curves": curves, "curves-few": curves_few,
          "budgets": budgets, "rests": rests}
"""By the names in the page."""
