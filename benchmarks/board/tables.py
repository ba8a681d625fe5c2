"""What the rows of the board say, as tables: functions of `Rows` by name, each a header and lines."""

from statistics import median

import numpy as np
from board.entries import ENTRIES
from board.models import MODELS
from board.protocol import COLUMNS, KEY
from paper import comparison, significance
from paper.results import Results
from paper.tables import number

OURS = "moeliga"
LEVEL = comparison.LEVEL
MOST = 2 / 3
"""Share of moeliga's sets that an entry has to have to be ranked."""


class Rows:
    """Rows of a file, the last of each choice.

    Attributes
    ----------
    own, told : dict from model to dict from entry to dict from set to dict from split to dict
        With numbers as floats. A further choice from the same fit is an entry "moeliga, best". `told` has rows of the
        size that moeliga chose, and moeliga's own; `own` those of sizes that entries chose.
    left : dict from (entry, set) to str
        Why an entry has no rows of a set.
    """

    def __init__(self, path):
        last = {tuple(row[name] for name in KEY): row for row in Results(path, COLUMNS).rows}
        self.own, self.told, self.left = ({model: {} for model in MODELS}, {model: {} for model in MODELS}, {})
        for row in last.values():
            if row["status"] != "ok":
                self.left[row["entry"], row["set"]] = row["status"]
            elif not row["told"]:
                put(self.own, row)
        for row in last.values():
            ours = self.own.get(row["model"], {}).get(OURS, {}).get(row["set"], {}).get(row["split"])
            if ours and row["status"] == "ok" and row["told"] and int(row["told"]) == ours["features"]:
                put(self.told, row)
        for model, entries in self.own.items():
            if OURS in entries:
                self.told[model][OURS] = entries[OURS]

    def values(self, kind, model, value=lambda row: row["test"]):
        """As `comparison` has them, with one seed: dict from entry to dict from set to dict from split to dict."""
        return {entry: {name: {split: {"": value(row)} for split, row in splits.items()}
                        for name, splits in sets.items()} for entry, sets in getattr(self, kind)[model].items()}

    def rows(self, entry, kind="own", models=MODELS):
        """All rows of an entry."""
        return [row for model in models for splits in getattr(self, kind)[model].get(entry, {}).values()
                for row in splits.values()]

    def models(self):
        """Models that have judged moeliga and all features."""
        return [model for model, entries in self.own.items() if OURS in entries and "all" in entries]

    def entries(self, kind):
        """Entries, in the board's order, those of others last."""
        found = dict.fromkeys(entry for entries in getattr(self, kind).values() for entry in entries)
        order = list(ENTRIES)
        return sorted(found, key=lambda entry: order.index(entry.split(",")[0]) if entry.split(",")[0] in order
                      else len(order))


def put(place, row):
    """Place a row of a file among those of its kind."""
    label = row["entry"] + (f", {row['choice']}" if row["choice"] else "")
    numbers = {name: float(row[name] or "nan") for name in ("test", "estimate", "cpu", "wall")}
    numbers |= {name: int(row[name]) for name in ("features", "samples", "of", "classes")}
    place[row["model"]].setdefault(label, {}).setdefault(row["set"], {})[row["split"]] = row | numbers


def area(row):
    """Area that (test score, share of features left out) dominates from a guess and all features on.

    All features have none; 1 is a perfect score without any feature.
    """
    guess = 1 / row["classes"]
    return max(0.0, row["test"] - guess) / (1 - guess) * (1 - row["features"] / row["of"])


def signed(numbers):
    """Mean over sets, and its standard error."""
    numbers = np.array(list(numbers), dtype=float)
    if not len(numbers):
        return "–"
    error = f" ± {numbers.std(ddof=1) / len(numbers) ** 0.5:.3f}" if len(numbers) > 1 else ""
    return f"{numbers.mean():+.3f}{error}"


def common(found, kind, value=lambda row: row["test"]):
    """Scores of entries that have the same sets and models, on the splits that all of these have.

    Entries with less than `MOST` of moeliga's sets stand out. Of the rest what lacks most goes first, an entry, a set
    or a model, until nothing is lacking.

    Returns
    -------
    entries, sets : lists of str
    scores : dict from model to ndarray of float64, shape (n_sets, n_entries)
    cells : int
        Splits of all sets together.
    """
    values = {model: found.values(kind, model, value) for model in found.models()}
    entries = [entry for entry in found.entries(kind) if "," not in entry]
    sets = sorted({name for entries in values.values() for name in entries.get(OURS, {})})
    kept = entries, sets, list(values)
    has = np.array([[[name in values[model].get(entry, {}) for model in kept[2]] for name in sets]
                    for entry in entries]).reshape([len(names) for names in kept])
    enough = has.any(axis=2).sum(axis=1) >= MOST * len(sets)
    has, entries[:] = has[enough], [entry for entry, stays in zip(entries, enough, strict=True) if stays]
    while not has.all():
        lacking = [1 - has.mean(axis=tuple({0, 1, 2} - {axis})) for axis in range(3)]
        lacking[0][entries.index(OURS)] = -1
        axis = int(np.argmax([shares.max() for shares in lacking]))
        place = int(np.argmax(lacking[axis]))
        has = np.delete(has, place, axis=axis)
        del kept[axis][place]
    cells = {name: sorted(set.intersection(*({*values[model][entry][name]} for model in kept[2] for entry in entries)))
             for name in sets}
    sets = [name for name in sets if cells[name]]
    scores = {model: np.round([[np.mean([values[model][entry][name][split][""] for split in cells[name]])
                                for entry in entries] for name in sets], 12) for model in kept[2]}
    return entries, sets, scores, sum(len(cells[name]) for name in sets)


def sets(found):
    """Choice, its size, and all features, by set and model."""
    models, lines = found.models(), []
    for name in dict.fromkeys(name for model in models for name in found.own[model][OURS]):
        cells, first = [], None
        for model in models:
            ours, every = (found.own[model][entry].get(name, {}) for entry in (OURS, "all"))
            both = [split for split in ours if split in every]
            first = first or (ours and (next(iter(ours.values())), len(ours)))
            cells.append(f"{np.mean([ours[split]['test'] for split in both]):.3f} "
                         f"({median(ours[split]['features'] for split in both):.0f}) / "
                         f"{np.mean([every[split]['test'] for split in both]):.3f}" if both else "–")
        lines.append([name, *(first[0][column] for column in ("samples", "of", "classes")), first[1], *cells])
    return ["set", "samples", "features", "classes", "splits", *models], lines


def default(found):
    """moeliga's own choice against all features, by model."""
    lines = []
    for model in found.models():
        values = found.values("own", model)
        result = comparison.compare(comparison.differences(values, OURS, "all"))
        if result is None:
            continue
        apart = comparison.differences(values, OURS, "all")
        rows = found.rows(OURS, models=[model])
        ours = by_set(rows, lambda row: row["test"])
        lines.append([model, result.sets, len(rows), number(np.mean([ours[name] for name in apart])),
                      signed(numbers.mean() for numbers in apart.values()), f"{result.ahead}:{result.behind}",
                      f"{result.surely_ahead}:{result.surely_behind}",
                      f"{median(row['features'] / row['of'] for row in rows):.0%}", signed(off(rows))])
    return ["model", "sets", "fits", "test", "less all features", "sets ahead:behind", "by more than noise",
            "share of features", "own estimate less test"], lines


def by_set(rows, value):
    """Means of `value(row)` by set: dict from set to float."""
    found = {}
    for row in rows:
        found.setdefault(row["set"], []).append(value(row))
    return {name: float(np.mean(numbers)) for name, numbers in found.items()}


def off(rows):
    """Own estimate less test score by set, where there is an estimate: list of float."""
    known = [row for row in rows if not np.isnan(row["estimate"])]
    return list(by_set(known, lambda row: row["estimate"] - row["test"]).values())


def ranked(found, kind, value=lambda row: row["test"]):
    """Mean ranks by model of entries that have all sets, with Friedman's test."""
    entries, names, scores, cells = common(found, kind, value)
    if len(entries) < 2 or len(names) < 2:
        return ["entry", "mean"], []
    by_model = {model: significance.ranks(table).mean(axis=0) for model, table in scores.items()}
    lines = [[entry, number(np.mean([ranks[place] for ranks in by_model.values()]), 2),
              *(number(ranks[place], 2) for ranks in by_model.values())] for place, entry in enumerate(entries)]
    lines.sort(key=lambda line: float(line[1]))
    tested = [f"{significance.friedman(table).p:.2g}" for table in scores.values()]
    return [f"{len(entries)} entries, {len(names)} sets, {cells} splits", "mean", *by_model], [
        *lines, ["Friedman's p", "", *tested]]


def against(found, kind):
    """moeliga less each entry, mean over the sets that both have; bold where Holm's correction leaves a difference."""
    models, lines = found.models(), []
    results = {}
    for model in models:
        values = found.values(kind, model)
        results[model] = comparison.family(values, [(entry, OURS) for entry in values if entry != OURS])
    for entry in found.entries(kind):
        cells, n_sets = [], 0
        for model in models:
            result = results[model].get((entry, OURS))
            if result is None:
                cells.append("–")
                continue
            n_sets = max(n_sets, result.sets)
            text = f"{0.0 - result.difference:+.3f} ({result.behind}:{result.ahead})"
            cells.append(f"**{text}**" if result.holm < LEVEL else text)
        if n_sets:
            lines.append([entry, n_sets, *cells])
    return ["moeliga less", "sets", *models], lines


def costs(found):
    """Sizes, own estimates and seconds, by entry."""
    lines = []
    for entry in found.entries("own"):
        rows = found.rows(entry)
        ours = {(row["set"], row["split"], row["model"]): row["cpu"] for row in found.rows(OURS)}
        times = [row["cpu"] / ours[key] for row in rows if (key := (row["set"], row["split"], row["model"])) in ours]
        times = np.exp(np.mean(np.log(times))) if times and min(times) > 0 else 0.0
        seconds = [row["cpu"] for row in rows]
        lines.append([entry, len({row["set"] for row in rows}), len({(row["set"], row["split"]) for row in rows}),
                      f"{median(row['features'] / row['of'] for row in rows):.0%}", signed(off(rows)),
                      f"{median(seconds):.1f}", f"{max(seconds):.1f}", f"{times:.2g}" if times >= 0.01 else "< .01"])
    return ["entry", "sets", "splits", "share of features", "own estimate less test", "seconds, median", "most",
            "times moeliga's"], lines


def commits(found):
    """Of which commits moeliga's rows are, by model."""
    lines = {}
    for row in found.rows(OURS):
        lines.setdefault((row["commit"], row["date"][:10]), []).append(row["model"])
    return ["commit", "date", *MODELS], [[*key, *(models.count(model) for model in MODELS)]
                                         for key, models in sorted(lines.items(), key=lambda line: line[0][1])]


def left(found):
    """Entries of the board without rows of a set that moeliga has, and why: limits, what failed, not run yet."""
    shapes = {row["set"]: (row["samples"], row["of"]) for row in found.rows(OURS)}
    lines = {}
    for entry, what in ENTRIES.items():
        has = {row["set"] for kind in ("own", "told") for row in found.rows(entry, kind)}
        for name, (samples, of) in shapes.items():
            if name in has:
                continue
            why = found.left.get((entry, name), "not run yet")
            if samples > what.most_samples:
                why = f"more than {what.most_samples:g} samples take more than five minutes"
            elif of > what.most_features:
                why = f"more than {what.most_features:g} features take more than five minutes"
            lines.setdefault((entry, why), []).append(name)
    return ["entry", "sets without it", "why"], [
        [entry, "all" if len(names) == len(shapes) else ", ".join(names), why] for (entry, why), names in lines.items()]


def judged(found):
    """Deployed models that have judged an entry on few sets, or none, of those that moeliga has, and why."""
    sets = {row["set"] for row in found.rows(OURS)}
    lines = {}
    for entry in ENTRIES:
        counts = {model: len(names) for model, names in judged_by(found, entry).items()}
        most = max(counts.values())
        lacking = {model: count for model, count in counts.items() if count < most}
        if lacking:
            words = ", ".join(f"{model} {count}" for model, count in lacking.items())
            reasons = {model: unjudged(found, entry, model) for model in lacking}
            alike = len({*reasons.values()}) == 1
            why = "; ".join([*reasons.values()][:1] if alike else map(": ".join, reasons.items()))
            lines.setdefault((words, most, why), []).append(entry)
    return ["entries", "sets", f"models with fewer of the {len(sets)} sets", "why"], [
        [", ".join(entries), most, words, why] for (words, most, why), entries in lines.items()]


def judged_by(found, entry):
    """Sets that each deployed model has judged an entry on: dict from model to list of str."""
    kind = "own" if ENTRIES[entry].own else "told"
    return {model: list(dict.fromkeys(row["set"] for row in found.rows(entry, kind, [model]))) for model in MODELS}


def unjudged(found, entry, model):
    """Why a model has judged an entry on fewer sets than others: "not run yet (one, two)", as far as rows tell."""
    by, taken = judged_by(found, entry), ENTRIES[entry].models
    if taken is not None and model not in taken:
        return "more than five minutes a fit"
    every, reasons = list(dict.fromkeys(name for names in by.values() for name in names)), {}
    for name in every:
        if name not in by[model]:
            reasons.setdefault(found.left.get((entry, name), "not run yet"), []).append(name)
    return ", ".join(why if len(names) == len(every) else f"{why} ({', '.join(names)})"
                     for why, names in reasons.items())
