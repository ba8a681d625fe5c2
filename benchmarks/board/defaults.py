"""The tables of docs/defaults.md: every default in force with its row of evidence, from the rows in the repository.

  python benchmarks/board/defaults.py           names what differs; exit code 1 if something does
  python benchmarks/board/defaults.py --write   puts them into the page

A text without a number from a file begins with "No evidence", or names the parameter whose row it shares.
"""

import sys
from fractions import Fraction
from inspect import signature
from pathlib import Path
from statistics import median

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from board import claims, tables
from board.switches import CONFIRMING
from honest import tables as honest
from honest.honesty import RULES
from honest.regression import LEAVES, NOISY, NOISY_LEAVES, SETS
from honest.run import OTHERS
from paper import comparison, grid, page
from paper.ablation import PARTS
from paper.pages import variants

import moeliga
from moeliga.data.bands import LARGEST

PAGE = Path(__file__).resolve().parents[2] / "docs" / "defaults.md"
SWITCHES = Path(__file__).resolve().parent / "results" / "switches"


class Rows:
    """Of benchmarks/honest, of the ablation of the first form, of the board, and of switches on it.

    Rows of switches in `before` are of fits whose rule did not smooth scores yet, beside defaults of that time.
    """

    def __init__(self):
        self.folds, self.first, self.board = honest.Rows(), variants.Rows(grid.RESULTS), claims.Rows()
        self.switches, self.before = (tables.Rows(SWITCHES / f"{name}.csv") for name in ("board", "before"))

    def mean(self, value, rule=honest.DEFAULT, others=False):
        """Mean over sets of `value(row)` for the choices of each model: dict from model to float."""
        return {model: float(honest.by_set(self.folds.chosen(model, rule) + (
            self.folds.chosen(model, rule, others=True) if others else []), value).mean()) for model in honest.MODELS}


NONE = "No evidence: "

DEFAULT = "default"
"""Entry of `switches.py` that the others are compared with."""

LEAST = {"bands to 384": 2 * LARGEST + 1}
"""Features of a set on which a switch does anything, where it does not on all."""


def switched(words, variant, reference="default", budget=variants.USUAL):
    """A text: what a switch of the first form does to its search."""
    def text(found):
        results = {measure: found.first.compare(budget, measure, variant, reference, PARTS["all"])
                   for measure in ("fresh hypervolume", "test hypervolume", "test area")}
        told = "; ".join(f"{measure} {variants.apart(result)}" for measure, result in results.items())
        return f"{words}: {told} ({results['test area'].sets} sets)"
    return text


def fitted(before, **switches):
    """A text: what fits with folds gain by switches of `switches.py`, whose names have `_` for a space here.

    Parameters
    ----------
    before : str or callable
        What is said first.
    **switches : str
        Their words.
    """
    def text(found):
        parts = []
        for label, words in switches.items():
            label = label.replace("_", " ")
            for rows, when in ((found.switches, ""), (found.before, ", before scores were smoothed")):
                sets, seconds = against_default(rows, label)
                if sets:
                    parts.append(f"{words} {told(sets)}, seconds x {seconds:.1f}{when}")
                    others, _ = against_default(rows, label, others=True)
                    parts[-1] += f"; on other sets {told(others)}" if others else ""
                    break
        first = before(found) if callable(before) else before
        return f"{first.removeprefix(NONE)}; with folds: {'; '.join(parts)}" if parts else first
    return text


def against_default(rows, label, others=False):
    """Compare an entry with the default on the sets that choose, or on the `others`.

    Returns
    -------
    sets : dict from str to list of ndarray of float64
        For each set the differences of models, over splits; empty where it was not run on all of them.
    seconds : float
        Median of its seconds over those of the default; NaN without any.
    """
    sets, seconds, known = {}, [], set()
    for model, entries in rows.own.items():
        default = {name: splits for name, splits in entries.get(DEFAULT, {}).items() if (name in CONFIRMING) == others
                   and next(iter(splits.values()))["of"] >= LEAST.get(label, 0)}
        known |= set(default)
        for name, apart in comparison.differences(rows.values("own", model), label, DEFAULT).items():
            if name in default:
                sets.setdefault(name, []).append(apart)
                seconds += [row["cpu"] / default[name][split]["cpu"] for split, row in entries[label][name].items()
                            if split in default[name]]
    return (sets if len(sets) == len(known) else {}), median(seconds or [np.nan])


def told(sets):
    """Mean of differences over sets, with the interval, sets ahead and behind, and splits."""
    values = claims.means({name: np.mean(numbers, axis=0) for name, numbers in sets.items()})
    n_splits = sum(len(numbers[0]) for numbers in sets.values())
    return f"{claims.spoken(values)}, {claims.counted(values)} ({n_splits} splits)"


def n_sets(found, others=False):
    """How many sets the honest study has, with the `others` that had no part in the defaults: text."""
    return f"{len({row['set'] for row in found.folds.choices if others or row['set'] not in OTHERS})} sets"


def deployed(found):
    """Which model has the best score with what is chosen for it."""
    scores = sorted(found.mean(lambda row: row["test"], others=True).items(), key=lambda item: -item[1])
    return (f"test UAR of the choice by deployed model, {n_sets(found, True)}: " + ", ".join(
        f"{name} {score:.3f}" for name, score in scores) + "; a forest needs no scaler")


def folds(found):
    """What honest scores and those of the search say too much."""
    search = {}
    for row in found.folds.slots:
        key, kind = (row["set"], row["split"]), (row["model"], row["source"], row["setting"])
        if kind == ("tree", "search", "") and row["in_search"] > search.get(key, {"in_search": 0.0})["in_search"]:
            search[key] = row
    flattering = honest.by_set(search.values(), lambda row: row["in_search"] - row["test"])
    own = found.mean(lambda row: row["honest"] - row["test"], others=True)
    return (f"score less test UAR: honest {min(own.values()):+.3f} to {max(own.values()):+.3f} by model, "
            f"{n_sets(found, True)}, the search's own best {honest.signed(flattering)} (tree)")


def margins(found):
    """Scores and sizes of rules, means over models."""
    parts = []
    for rule in RULES:
        scores = found.mean(lambda row: row["test"], rule)
        rows = [row for model in honest.MODELS for row in found.folds.chosen(model, rule)]
        parts.append(f"{rule} {np.mean(list(scores.values())):.3f} ({median(row['n_selected'] for row in rows):.0f})")
    return f"mean test UAR over five models, {n_sets(found)}, and median size: " + ", ".join(parts)


def bands(found):
    """Larger sizes of the search, for deployed models."""
    parts = []
    for model in honest.MODELS:
        best = {}
        for row in found.folds.slots:
            if (row["model"], row["source"], row["setting"]) == (model, "search", ""):
                best.setdefault(row["most"], {}).setdefault((row["set"], row["split"]), row["test"])
        both = [{"set": key[0], "gain": best[96][key] - best[6][key]} for key in best[96] if key in best[6]]
        parts.append(f"{model} {honest.signed(honest.by_set(both, lambda row: row['gain']))}")
    return ("test UAR of the search's best of 49 to 96 features less that of 6, where there are as many: "
            + ", ".join(parts))


def panel(found):
    """The tree as the guide against a panel."""
    values = claims.compared(found.board)["moeliga-panel"]
    return ("test UAR with the tree less that with a panel of it, naive Bayes and neighbours (`moeliga-panel`), mean "
            f"over deployed models, with the 95 % interval over sets: {claims.spoken(values)}, "
            f"{claims.counted(values)} ({len(values)} sets); the tree is the faster")


def times(found):
    """Of a fit beside one of the first form."""
    return (f"No evidence: a fit with its folds takes {honest.mean_ratio(found.folds)} times the seconds of the one "
            f"search of the first form ({len(honest.seconds(found.folds))} sets)")


def leaves(found):
    """What a regressor's choices are worth by the leaves of the tree that guides."""
    parts = []
    for sizes, names, words in ((LEAVES, SETS, "sets"), (NOISY_LEAVES, NOISY, "tables of patients")):
        rows = [row for row in found.folds.regression() if row["set"] in names]
        means = {size: honest.by_set([row for row in rows if row["leaf"] == size], lambda row: row["test"])
                 for size in sizes}
        parts.append(", ".join(f"{size} {values.mean():.3f}" for size, values in means.items())
                     + f" ({len(means[5])} {words})")
    return f"mean test R2 over three models by samples of a leaf: {'; '.join(parts)}"


def mixture(found):
    """What honest scores say too much with other weights."""
    own = {column: found.mean(lambda row, column=column: row[column] - row["test"], others=True)
           for column in ("folds", "honest")}
    text = "score less test UAR: " + ", ".join(
        f"{words} {min(own[column].values()):+.3f} to {max(own[column].values()):+.3f}"
        for words, column in (("by all answers", "folds"), ("mixed", "honest"))) + f" by model, {n_sets(found, True)}"
    parts = []
    for words, label in (("by all answers", "weight 0"), (".632 of the others", "weight 0.632"), ("mixed", ""),
                         ("by the others alone", "weight 1")):
        sets = {}
        for entries in found.switches.own.values():
            for name, splits in entries.get(f"{DEFAULT}, weight 1", {}).items():
                rows = entries[f"{DEFAULT}, {label}" if label else DEFAULT][name]
                sets.setdefault(name, []).append([rows[split]["estimate"] - rows[split]["test"] for split in splits])
        if sets:
            n_splits = sum(len(numbers[0]) for numbers in sets.values())
            parts.append(f"{words} {claims.spoken(claims.means({name: np.mean(some) for name, some in sets.items()}))}")
    return f"{text}; with folds, {n_splits} splits of {len(sets)} sets: {', '.join(parts)}" if parts else text


def optimism(found):
    """What re-scoring takes off."""
    without, with_it = (-found.first.mean(variants.USUAL, "- optimism, r1", variant, PARTS["all"])
                        for variant in ("default - rescore", "default"))
    return (f"`0`: the score of the choice is {variants.short(without)} above that on fresh splits of the same "
            f"samples, with 50 {variants.short(with_it)} (16 sets)")


PAPER = "No evidence: the paper's"
NO_PAPER = "No evidence: the paper has nothing of the kind"
NOTHING = "No evidence: nothing is assumed"
LIMIT = "No evidence: no limit"

EVIDENCE = {
    "MOELIGASelector": {
        "estimator": deployed,
        "scoring": fitted("No evidence: UAR counts every class alike, as in the paper", soft='`"soft_uar"`'),
        "cv": "No evidence: the paper's splits are drawn afresh",
        "honest": fitted(folds, **{"3_folds": "`3`", "10_folds": "`10`"}),
        "rule": margins,
        "objectives": switched("without separability", "default + two_objectives"),
        "evaluation": "`Evaluation()`, below",
        "max_features": LIMIT,
        "constraints": NOTHING,
        "population_size": fitted(times, population_of_30="`30`", population_of_120="`120`"),
        "n_generations": fitted("of the first form, see [how long to search](first-form.md#how-long-to-search)",
                                **{"30_generations": "`30`", "100_generations": "`100`"}),
        "islands": bands,
        "survival": switched('`"moga"`', "default - survival"),
        "init": switched('`"staggered"`', "default - log_uniform"),
        "variation": switched('`"one_point"`', "default - uniform"),
        "feature_prior": fitted(switched("`None`", "default - prior"), no_prior="`None`"),
        "local_improvement": fitted(switched("without, less with", "default + no_li"),
                                    local_improvement='`"parent"`'),
        "archive": fitted(switched("`False`", "default - archive"), no_archive="`False`"),
        "max_time": LIMIT,
        "max_evaluations": LIMIT,
        "patience": LIMIT,
        "checkpoint": NOTHING,
        "callbacks": NOTHING,
        "verbose": NOTHING,
        "random_state": fitted(NOTHING, another_seed="another seed, which is luck alone"),
        "n_jobs": "No evidence: as in scikit-learn; the bits are the same for any number",
    },
    "NoLoss": {
        "margin": fitted("as `rule`", **{f"default,_margin_{margin}": f"`{margin}`" for margin in ("0", "0.5", "1")}),
        "must_reduce": "as `rule`: all features are a choice like another",
    },
    "Evaluation": {
        "n_splits": fitted(PAPER, one_split="`1`", ten_splits="`10`"),
        "validation_size": switched("`0.2`", "default + fifth"),
        "split_mode": switched('`"individual"`', "default - generation_splits"),
        "reevaluate": switched('`"all"`', "default - average"),
        "n_rescore_splits": optimism,
        "subsample": "No evidence: all samples; what it gives where they are many stands in "
                     "[Big data](big-data.md#a-search-on-subsamples)",
    },
    "Constraints": dict.fromkeys(("must_include", "exclude", "groups", "costs", "min_features", "encode"), NOTHING),
    "Islands": {
        "n": fitted(PAPER, two_populations="`2`"),
        "sizes": fitted("as `islands`; the end at 96: no evidence",
                        **{"bands_x_4": "half as many bands", "bands_x_1.4": "twice as many",
                           "no_rankings": "bands that begin without the first features of rankings"}),
        "judges": fitted(panel, leaves_of_3="trees with leaves of 3 samples", leaves_of_5="of 5",
                        out_of_bag="a forest of 20 trees, by its soft UAR out of bag (without the SVM)"),
        "combine": "No evidence: \"min\" has not been compared with it",
        "every": fitted("No evidence: five migrations in 60 generations", every_5="`5`", every_20="`20`"),
    },
    "MOGA": {
        "n_elite": PAPER,
        "generation_gap": PAPER,
        "selection": PAPER,
        "tournament_size": "No evidence: the paper has no tournaments",
        "sharing": switched("`None`, of the paper's search", "paper + no_sharing", "paper"),
    },
    "FitnessSharing": {
        "mode": PAPER,
        "space": switched('`"objective"` with `sigma=0.1`, of the paper\'s search', "paper + objective_sharing",
                          "paper"),
        "sigma": PAPER,
        "alpha": "No evidence: the paper gives no value",
        "rank_normalisation": switched('it in place of `"sum"`, of the paper\'s search', "paper + mean", "paper"),
    },
    "LogUniformInit": {
        "smallest": "as `init`",
        "largest": "as `init`; a third itself: no evidence",
        "subsets": NOTHING,
    },
    "StaggeredInit": {"fractions": PAPER, "rates": PAPER, "spread": NO_PAPER, "subsets": NOTHING},
    "Variation": {
        "crossover": "as `variation`",
        "crossover_rate": fitted(PAPER, **{"crossover_.6": "`0.6`"}),
        "mutation": "No evidence: the authors' program has it so",
        "mutation_rate": switched("`1.0`, of the paper's search", "paper + mutation_one", "paper"),
        "schedule": NO_PAPER,
    },
    "FeaturePrior": {
        "score_func": switched("importances of a forest", "default - prior + forest_prior"),
        "share": switched("`0.9`", "default - prior + strong_prior"),
        "offset": fitted("No evidence: the first feature is drawn twice as often as the one ten places below",
                         offset_1="`1`", offset_100="`100`"),
    },
    "LocalImprovement": {
        "n_populations": PAPER,
        "population_size": switched("50 and 70 generations, the paper's", "default + li_full", budget=variants.LONG),
        "n_generations": "as `population_size`",
        "every": PAPER,
        "replacement": PAPER,
        "patience": NO_PAPER,
    },
    "Cardinality": {
        "lambda_": PAPER + "; it changes no search of the paper's preset (a test)",
        "gamma": "No evidence: the paper gives no value",
    },
    "Separability": {
        "samples": fitted("No evidence: the paper gives no value", a_tenth_of_samples="`0.1`", all_samples="`1.0`"),
        "replace": PAPER,
        "neighbours": "No evidence: the paper has no regression",
    },
    "Checkpoint": {"every": "No evidence: at most ten generations are lost"},
}
"""By class, then by parameter, in the order of its signature: a text, or a function of `Rows` that gives one."""

FIXED = [
    ("largest band of the search", f"{LARGEST} features",
     fitted("No evidence: rankings go on up to half of the features", bands_to_384="384, on sets of more than 192")),
    ("candidates of each source and band", "1", fitted(
        "No evidence: every further one adds to the luck of choosing", two_of_each_band="2, of either half of it")),
    ("samples of a leaf of the tree that guides a search for regression", "5", leaves),
    ("trees of the deployed forest, and of the ranking by importances", "100", "No evidence: as in scikit-learn"),
    ("rankings beside the search", "F-test, importances of a forest",
     '`benchmarks/honest/README.md`, "What was tried": a third one brought nothing beyond its error'),
    ("mixture in the honest score", ".632 to 1 of the answers that a choice was not made by (.632+)", mixture),
    ("bootstrap samples of the answers", "500", "No evidence"),
]
"""What is no parameter, its value, and likewise."""


def defaults(kind):
    """Parameters of a class with their defaults: dict from name to value."""
    return {name: parameter.default for name, parameter in signature(getattr(moeliga, kind)).parameters.items()
            if parameter.default is not parameter.empty}


def written(value):
    """A default as one writes it; thirds as such."""
    if isinstance(value, float) and len(repr(value)) > 8:
        value = Fraction(value).limit_denominator(100)
        return f"{value.numerator} / {value.denominator}"
    return repr(value).replace("'", '"')


def table(found, kinds, owned=True):
    """Lines of some classes, names with that of their class."""
    lines = []
    for kind in kinds:
        for name, value in defaults(kind).items():
            text = EVIDENCE[kind][name]
            lines.append([f"`{kind}.{name}`" if owned else f"`{name}`", f"`{written(value)}`",
                          text(found) if callable(text) else text])
    return ["parameter", "default", "evidence"], lines


def fixed(found):
    """Lines of what is no parameter."""
    return ["fixed", "at", "evidence"], [[what, value, text(found) if callable(text) else text]
                                         for what, value, text in FIXED]


TABLES = {"selector": lambda found: table(found, ["MOELIGASelector"], owned=False),
          "objects": lambda found: table(found, [kind for kind in EVIDENCE if kind != "MOELIGASelector"]),
          "fixed": fixed}
"""By their names in the page."""


def main(argv=None, path=PAGE):
    return page.renewed(argv, path, lambda text: page.filled(text, sys.modules[__name__], Rows()), __doc__)


if __name__ == "__main__":
    sys.exit(main())
