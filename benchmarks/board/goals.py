"""What moeliga should reach on the board, and what it does."""

from statistics import median

import numpy as np
from board import tables
from board.entries import ENTRIES
from paper import comparison, significance
from paper.competitors import PAPER

GAINING = ("tree", "forest", "neighbours", "bayes", "svm")
LINEAR = ("logistic", "boosting")
"""Models that a choice should help, and those that it must not harm."""


def goals(found):
    """Goals, whether they are reached, and by what numbers."""
    models = found.models()
    values = {model: found.values("own", model) for model in models}
    gain = {model: comparison.differences(values[model], tables.OURS, "all") for model in models}
    mean = {model: float(np.mean([apart.mean() for apart in sets.values()])) for model, sets in gain.items()}
    beside = {model: comparison.compare(sets) for model, sets in gain.items()}
    rows = found.rows(tables.OURS)
    share = median(row["features"] / row["of"] for row in rows)
    ahead = {model: result.surely_ahead for model, result in beside.items()}
    behind = {model: result.surely_behind for model, result in beside.items()}
    several = max(len(apart) for sets in gain.values() for apart in sets.values()) > 1
    lines = [
        line("test score above all features by .02", [mean[model] >= 0.02 for model in models if model in GAINING],
             spoken({model: mean[model] for model in models if model in GAINING}, "{:+.3f}")),
        line("not below all features by more than .005",
             [mean[model] >= -0.005 for model in models if model in LINEAR],
             spoken({model: mean[model] for model in models if model in LINEAR}, "{:+.3f}")),
        line("a fifth of the features at most, in the median", [share <= 0.2], f"{share:.0%}"),
        line("ahead of all features by more than noise on a third of the sets",
             [ahead[model] >= beside[model].sets / 3 for model in models], spoken(ahead, "{}"), several),
        line("behind by more than noise on no set", [not behind[model] for model in models], spoken(behind, "{}"),
             several),
    ]
    for kind, value, title in (("told", lambda row: row["test"], "best mean rank of test scores at moeliga's size"),
                               ("own", tables.area, "best mean rank of areas at own sizes")):
        entries, names, scores, _ = tables.common(found, kind, value)
        if len(entries) > 1 and len(names) > 1:
            ranks = {model: significance.ranks(table).mean(axis=0) for model, table in scores.items()}
            first = {model: entries[int(np.argmin(found_ranks))] for model, found_ranks in ranks.items()}
            out = [model for model in models if model not in first]
            lines.append(line(title, [name == tables.OURS for name in first.values()],
                              spoken(first, "{}") + (f"; out of the ranks: {', '.join(out)}" if out else "")))
    lines.append(eleven(found))
    surely = {}
    for model in models:
        for entry in values[model]:
            result = comparison.compare(comparison.differences(values[model], entry, tables.OURS))
            ours = entry.split(",")[0] in ENTRIES and ENTRIES[entry.split(",")[0]].ours
            if not ours and result and result.surely_ahead:
                surely[f"{entry}, {model}"] = result.surely_ahead
    lines.append(line("no entry ahead by more than noise on any set", [not surely], spoken(surely, "{}") or "none",
                      several))
    off = tables.off(rows)
    if off:
        lines.append(line("own estimate within .01 of the test score", [abs(np.mean(off)) <= 0.01],
                          f"{np.mean(off):+.3f}"))
    for entry, times in (("boruta", 1), ("sfs", 1), ("genetic-opt", 10)):
        theirs, ours = (tables.by_set(found.rows(name), lambda row: row["cpu"])
                        for name in (entry, tables.OURS))
        factors = {name: theirs[name] / ours[name] for name in theirs.keys() & ours.keys()}
        goal = f"{times} times as fast as {entry} on all sets" if times > 1 else f"as fast as {entry} on all sets"
        numbers = [f"{end(factors.values()):.2g}" for end in (min, max)] if factors else []
        lines.append(line(goal, [factor >= times for factor in factors.values()],
                          f"{' to '.join(numbers)} times, {len(factors)} sets", bool(factors), "no rows"))
    return ["goal", "reached", "numbers"], lines


def eleven(found):
    """Ahead of each of the paper's competitors at equal size, with Holm's correction; who has no rows of that size."""
    counts = {}
    for model in found.models():
        results = comparison.family(found.values("told", model), [(name, tables.OURS) for name in PAPER])
        for (name, _), result in results.items():
            counts[name] = counts.get(name, 0) + (result.holm < comparison.LEVEL and result.difference < 0)
    return line("ahead of each of the paper's eleven at moeliga's size, under five models, with Holm's correction",
                [counts.get(name, 0) >= 5 for name in PAPER],
                spoken({name: counts.get(name, "no rows") for name in PAPER}, "{}"))


def line(goal, met, numbers, known=True, lacking="no set has two splits"):
    """A line; where nothing is `known`, what is `lacking`: two splits of a set, which a difference from noise takes."""
    if not known:
        return [goal, "not known", lacking]
    return [goal, "yes" if all(met) else "no" if len(met) < 2 else f"no ({sum(met)} of {len(met)})", numbers]


def spoken(numbers, form):
    return ", ".join(f"{name} {form.format(number)}" for name, number in numbers.items())
