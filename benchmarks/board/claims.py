"""The tables and sentences with numbers of docs/evidence.md, from the rows of benchmarks/honest and of the board.

  python benchmarks/board/claims.py           names what differs; exit code 1 if something does
  python benchmarks/board/claims.py --write   puts them into the page

Means are over the splits of each set, and then over sets. Intervals are of Student's t over sets, tests Wilcoxon's over
the means of sets, corrected by Holm over the lines of a table.
"""

import re
import sys
from pathlib import Path
from statistics import median

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from board import tables
from honest import tables as honest
from honest.run import OTHERS
from paper import comparison, page, significance

PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence.md"
BOARD = Path(__file__).resolve().parent / "results" / "board.csv"
LIST = re.compile(r"^(?P<mark><!-- list (?P<name>[a-z-]+) -->\n)(?P<lines>(?:- .*\n)*)", re.MULTILINE)

LEVEL = comparison.LEVEL
LEAST = 3
"""Sets that two entries must share to be compared."""

LOW = 0.02
"""Difference of an estimate from the test score that is worth a sentence."""

FEW, MORE = "100 samples at most", "more than 100 samples"
GROUPS = {
    "all sets": lambda row: True,
    FEW: lambda row: row["samples"] <= 100,
    MORE: lambda row: row["samples"] > 100,
    "100 features at most": lambda row: row["of"] <= 100,
    "101 to 1,000 features": lambda row: 100 < row["of"] <= 1000,
    "more than 1,000 features": lambda row: row["of"] > 1000,
}
"""Of sets, by training samples and by features."""


class Rows:
    """Both studies.

    Attributes
    ----------
    folds : dict from model to list of dict
        Of benchmarks/honest: choices with the default rule; `test`, `test_all`, `honest`, `n_selected`, `seconds`, ...
    board : tables.Rows
    """

    def __init__(self, folds=None, board=None):
        found = honest.Rows() if folds is None else honest.Rows(folds)
        self.folds = {model: found.chosen(model) + found.chosen(model, others=True) for model in honest.MODELS}
        self.board = tables.Rows(BOARD if board is None else board)

    def every(self):
        """Choices of all models."""
        return [row for rows in self.folds.values() for row in rows]

    def against_all(self):
        """Differences from all features by (study, model): dict to dict from set to ndarray of float64, over splits."""
        found = {("folds", model): by_set(rows, gain) for model, rows in self.folds.items()}
        for model in self.board.models():
            found["board", model] = comparison.differences(self.board.values("own", model), tables.OURS, "all")
        return found


def gain(row):
    """Test score of a choice less that of all features."""
    return row["test"] - row["test_all"]


def by_set(rows, value):
    """Values of rows over the splits of each set: dict from set to ndarray of float64."""
    found = {}
    for row in rows:
        found.setdefault(row["set"], []).append(value(row))
    return {name: np.array(values) for name, values in found.items()}


def means(sets):
    """Of each set: ndarray of float64; what differs from 0 by rounding alone is 0."""
    found = np.array([values.mean() for values in sets.values()])
    found[np.abs(found) < 1e-12] = 0.0
    return found


def interval(values):
    """(low, high): 95 % by Student's t."""
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
    return values.mean() - half, values.mean() + half


def spoken(values):
    """"+0.032 (-0.007 to +0.072)": mean over sets and its interval, which one set has not."""
    if len(values) < 2:
        return "".join(f"{value:+.3f}" for value in values) or "–"
    low, high = interval(values)
    return f"{values.mean():+.3f} ({low:+.3f} to {high:+.3f})"


def counted(values):
    """Sets ahead and behind."""
    return f"{np.sum(values > 0)}:{np.sum(values < 0)}"


def sign_test(values):
    """p that so many sets are ahead or behind by chance, two-sided."""
    ahead, behind = int(np.sum(values > 0)), int(np.sum(values < 0))
    return float(stats.binomtest(ahead, ahead + behind).pvalue) if ahead + behind else 1.0


def corrected(p):
    """"0.021, 0.11": p-values without and with Holm's correction, list of str."""
    return [f"{own:.2g}, {after:.2g}" for own, after in zip(p, significance.holm(p), strict=True)]


def models(found):
    """The default choice against all features, by model; what the board has beside it."""
    apart, lines = found.against_all(), {}
    for model in dict.fromkeys(model for _, model in apart):
        line = lines[model] = []
        for study in ("folds", "board"):
            values = means(apart.get((study, model), {}))
            line += [len(values) or "–", spoken(values), counted(values)] if len(values) > 1 else ["–"] * 3
        rows = found.folds.get(model)
        line.append(f"{median(row['n_selected'] / row['of'] for row in rows):.1%}" if rows else "–")
    tested = corrected([comparison.signed_ranks(means(apart["folds", model]))[0] for model in found.folds])
    for model, line in lines.items():
        line.insert(3, dict(zip(found.folds, tested, strict=True)).get(model, "–"))
    return ["model", "`folds`: sets", "less all features", "ahead:behind", "p, with Holm's correction", "`board`: sets",
            "less all features", "ahead:behind", "share of features in `folds`"], [
        [model, *line] for model, line in lines.items()]


def groups(found):
    """The same by samples and by features, of the folds' study."""
    lines = []
    for name, belongs in GROUPS.items():
        cells = [means(by_set(filter(belongs, rows), gain)) for rows in found.folds.values()]
        lines.append([name, len(cells[0]), *(f"{values.mean():+.3f} ({counted(values)})" for values in cells)])
    return ["sets with", "sets", *found.folds], lines


def costs(found):
    """Sizes and seconds, by groups of sets."""
    first, lines = next(iter(found.folds.values())), []
    for name, belongs in GROUPS.items():
        rows, fits = list(filter(belongs, found.every())), list(filter(belongs, first))
        seconds = [row["seconds"] for row in fits]
        further = [row["seconds"] for some in list(found.folds.values())[1:] for row in filter(belongs, some)]
        lines.append([name, len({row["set"] for row in fits}), f"{median(row['n_selected'] for row in rows):.0f}",
                      f"{median(row['n_selected'] / row['of'] for row in rows):.1%}", f"{median(seconds):.0f}",
                      f"{max(seconds):.0f}", f"{median(further):.1f}"])
    return ["sets with", "sets", "features chosen, median", "share", "seconds of a fit, median", "most",
            "of a further model, median"], lines


def board_groups(found):
    """The same of the models that the board alone has; nothing where there is none."""
    alone = [model for model in found.board.models() if model not in found.folds]
    apart = {model: found.against_all()["board", model] for model in alone}
    shapes, lines = {row["set"]: row for row in found.board.rows(tables.OURS)}, []
    for name, belongs in GROUPS.items():
        line = [name]
        for sets in apart.values():
            values = means({known: some for known, some in sets.items() if belongs(shapes[known])})
            line += [len(values), f"{values.mean():+.3f} ({counted(values)})" if len(values) else "–"]
        lines.append(line)
    return ["sets with", *(cell for model in alone for cell in (f"{model}: sets", "less all features"))], lines


def over(row):
    """Own estimate of a choice less its test score."""
    return row["honest"] - row["test"]


def estimates(found):
    """moeliga's own estimate less the test score, by model."""
    lines = []
    for model, rows in found.folds.items():
        off = means(by_set(rows, over))
        some = [means(by_set(filter(GROUPS[name], rows), over)) for name in (FEW, MORE)]
        held = [np.mean(list(map(np.mean, by_set(rows, lambda row, a=allowing: honest.covers(row, a)).values())))
                for allowing in (False, True)]
        lines.append([model, len(off), *map(spoken, (off, *some)), *(f"{share:.0%}" for share in held)])
    first = next(iter(found.folds.values()))
    sizes = [len({row["set"] for row in first if GROUPS[name](row)}) for name in (FEW, MORE)]
    return ["model", "sets", "own estimate less test",
            *(f"on the {size} sets of {name}" for size, name in zip(sizes, (FEW, MORE), strict=True)),
            "90 % interval holds the test score", "allowing for the error of the test"], lines


def low(found):
    """Under which models the estimate is too low on small sets; and what the board alone knows."""
    off = {model: {name: means(by_set(filter(GROUPS[name], rows), over)) for name in (FEW, MORE)}
           for model, rows in found.folds.items()}
    lines = []
    for name in (FEW, MORE):
        known = {model: some[name].mean() for model, some in off.items() if len(some[name])}
        worse = [(model, value) for model, value in known.items() if value < -LOW]
        under = f"{len(worse)} of {len(known)} models: {listed(worse)}" if worse else "none of the models"
        lines.append(f"On sets of {name} the estimate is, in the mean, too low by more than {LOW} under {under}.")
    for model in found.board.models():
        if model not in found.folds:
            rows = [row for row in found.board.rows(tables.OURS, models=[model]) if not np.isnan(row["estimate"])]
            cells = [(name, np.array(tables.off([row for row in rows if GROUPS[name](row)]))) for name in GROUPS]
            text = "; ".join(f"{name} {spoken(values)}" for name, values in cells[:3])
            lines.append(f"{model}, in `board` alone, {len(cells[0][1])} sets: {text}.")
    return lines


def compared(found):
    """moeliga less each entry of the board at own sizes, means over models by set: dict from entry to ndarray."""
    board, kept = found.board, {}
    for entry in board.entries("own"):
        sets = {}
        for model in board.models():
            for name, apart in comparison.differences(board.values("own", model), tables.OURS, entry).items():
                sets.setdefault(name, []).append(apart.mean())
        if entry != tables.OURS and "," not in entry and len(sets) >= LEAST:
            kept[entry] = means({name: np.array(numbers) for name, numbers in sets.items()})
    return kept


def others(found):
    """The same as a table."""
    kept, cost = compared(found), {line[0]: line for line in tables.costs(found.board)[1]}
    tested = corrected([comparison.signed_ranks(values)[0] for values in kept.values()])
    lines = [[entry, len(values), cost[entry][2], spoken(values), counted(values), p, cost[entry][3], cost[entry][-1]]
             for (entry, values), p in zip(kept.items(), tested, strict=True)]
    return ["moeliga less", "sets", "splits", "test score", "ahead:behind", "p, with Holm's correction",
            "its share of features", "its seconds, moeliga's = 1"], lines


def one_or_range(numbers):
    """Return "3" or "1 to 3": the smallest and the largest of the numbers."""
    return " to ".join(str(number) for number in sorted({min(numbers), max(numbers)}))


def few(found):
    """What the page rests on."""
    first = next(iter(found.folds.values()))
    splits = [len(values) for values in by_set(first, gain).values()]
    ours = found.board.rows(tables.OURS)
    cells = {(row["set"], row["split"]) for row in ours}
    known = [name for name in by_set(first, gain) if name not in OTHERS]
    sets, also = {row["set"] for row in ours}, {row["set"] for row in ours} & set(by_set(first, gain))
    return [f"`folds` (`benchmarks/honest/README.md`): {len(splits)} sets, {sum(splits)} outer splits, "
            f"{one_or_range(splits)} of each set; {min(row['samples'] for row in first):.0f} to "
            f"{max(row['samples'] for row in first):.0f} training samples, {min(row['of'] for row in first):.0f} to "
            f"{max(row['of'] for row in first):,.0f} features. {len(known)} of the sets had a part in choosing the "
            "defaults.",
            f"`board` ([its page](comparison.md)): {len(sets)} sets, {len(also)} of them also in `folds`, "
            f"{len(cells)} outer splits; the only rows of naive Bayes, gradient boosting and other selectors."]


def listed(cells):
    """"svm +0.061, tree +0.032"."""
    return ", ".join(f"{name} {value:+.3f}" for name, value in cells) or "none"


def verdicts(found):
    """Where the choice is ahead of all features, where not, where nothing is known."""
    apart = {}
    for (_, model), sets in found.against_all().items():
        apart.setdefault(model, means(sets))  # those of `folds` come first
    ends = {model: interval(values) for model, values in apart.items()}
    ahead = [(model, values.mean()) for model, values in apart.items() if ends[model][0] > 0]
    behind = [(model, values.mean()) for model, values in apart.items() if ends[model][1] < 0]
    rest = [(model, values.mean()) for model, values in apart.items() if ends[model][0] <= 0 <= ends[model][1]]
    new = [(model, means(by_set((row for row in rows if row["set"] in OTHERS), gain)))
           for model, rows in found.folds.items()]
    return [f"Ahead, by more than the error of the mean over sets: {listed(ahead)}.",
            f"Behind, by more than that: {listed(behind)}.",
            f"Not told from noise: {listed(rest)}.",
            f"On the {len(new[0][1])} sets that had no part in choosing the defaults: "
            f"{listed((model, values.mean()) for model, values in new)}."]


def losses(found):
    """When not to select: groups of sets with a sign test against the choice, and what the fit itself says."""
    lines = []
    for name, belongs in list(GROUPS.items())[1:]:
        for model, rows in found.folds.items():
            values = means(by_set(filter(belongs, rows), gain))
            p = sign_test(values)
            if p < LEVEL and values.mean() < 0:
                lines.append(f"**{model}, {name}**: {values.mean():+.3f}, behind on {np.sum(values < 0)} of "
                             f"{len(values)} sets and ahead on {np.sum(values > 0)} (sign test p = {p:.2g}, one of "
                             f"{(len(GROUPS) - 1) * len(found.folds)} comparisons).")
    choices = [row for row in found.every() if row["n_selected"] < row["of"]]
    for words, belongs in (("-.05 or less", lambda row: row["difference"] <= -0.05),
                           ("more than that", lambda row: row["difference"] > -0.05)):
        values = np.array([gain(row) for row in choices if belongs(row)])
        lines.append(f"Choices whose own difference to all features, `assess().difference`, is {words}: "
                     f"{len(values)}, on the test rows {values.mean():+.3f}; "
                     f"{np.sum(values < -0.02)} of them behind by more than .02.")
    return lines


def ranks(found):
    """Friedman's test over the entries that have the same sets."""
    entries, names, scores, cells = tables.common(found.board, "own")
    if min(len(entries), len(names)) < 2:
        return ["No two entries have two sets in common."]
    order = np.mean([significance.ranks(table).mean(axis=0) for table in scores.values()], axis=0)
    told = ", ".join(f"{model} {significance.friedman(table).p:.2g}" for model, table in scores.items())
    kept = compared(found)
    tested = significance.holm([comparison.signed_ranks(values)[0] for values in kept.values()])
    left = [f"{entry} ({kept[entry].mean():+.3f})" for entry, p in zip(kept, tested, strict=True) if p < LEVEL]
    places = ", ".join(f"{entries[place]} {order[place]:.1f}" for place in np.argsort(order, kind="stable"))
    return [f"Mean ranks over {len(scores)} models of the {len(entries)} entries that have all {len(names)} sets "
            f"({cells} splits): {places}.", f"Friedman's p: {told}.",
            f"Differences of the table that Holm's correction leaves at .05: {', '.join(left) or 'none'}."]


TABLES = {"models": models, "groups": groups, "board-groups": board_groups, "costs": costs, "estimates": estimates,
          "others": others}
LISTS = {"few": few, "verdicts": verdicts, "losses": losses, "low": low, "ranks": ranks}
"""By their names in the page."""


def filled(text, found):
    """The page with what the rows say, and the names of tables and lists that were others."""
    text, changed = page.filled(text, sys.modules[__name__], found)

    def put(match):
        lines = "".join(f"- {line}\n" for line in LISTS[match["name"]](found))
        if lines != match["lines"]:
            changed.append(match["name"])
        return match["mark"] + lines

    return LIST.sub(put, text), changed


def main(argv=None, path=PAGE, found=None):
    return page.renewed(argv, path, lambda text: filled(text, Rows() if found is None else found), __doc__, kind="")


if __name__ == "__main__":
    sys.exit(main())
