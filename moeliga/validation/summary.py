"""The summary of a fitted selector: what each rule chooses, and what that is worth on new samples."""

from typing import Any

import numpy as np

from moeliga.results.assessment import Assessment
from moeliga.results.rules import RULES
from moeliga.results.summary import Summary
from moeliga.results.text import Names, Worth, choice_sentence, rule_name, verdict

SMALL = 0.02
"""Difference of scores in [0, 1] that few care for; of other scores a share."""


def summary_of(selector: Any) -> Summary:
    """Return the summary of a fitted selector."""
    front, baselines, chosen = selector.pareto_front_, selector.baselines_, selector._chosen
    rows: list[dict[str, Any]] = []
    for rule in RULES if isinstance(selector.rule, str) else (selector.rule, *RULES):
        try:
            found = selector.assess(rule)
        except ValueError:  # a rule that this front does not allow
            continue
        same = rule_name(rule) == chosen.row and found.index == selector.index_  # two functions may have one name
        rows.append(row_of(rule_name(rule), front, found, same and not any(row["chosen"] for row in rows)))
    if not any(row["chosen"] for row in rows):
        rows.insert(0, row_of(chosen.row, front, chosen.found, True))
    everything = np.flatnonzero(baselines.source == "all")
    for index in baselines_shown(baselines):
        score = baselines.honest_score[index]
        difference = score - baselines.honest_score[everything[0]] if index not in everything else np.nan
        rows.append(row_of("", baselines, Assessment(index, score, difference=difference), False))
    return Summary(rows, sentences(selector, rows), Names.of(selector).honest)


def baselines_shown(baselines: Any) -> list[int]:
    """Return the places of all features, and of the best of each ranking: list of int."""
    found = []
    for source in sorted(set(baselines.source.tolist()), key=lambda name: (name != "all", name)):
        places = np.flatnonzero(baselines.source == source)
        if np.isfinite(baselines.honest_score[places]).any():
            found.append(int(places[np.nanargmax(baselines.honest_score[places])]))
    return found


def row_of(rule: str, front: Any, found: Assessment, chosen: bool) -> dict[str, Any]:
    """Return a row of `Summary.rows`."""
    return {"rule": rule, "chosen": chosen, "n_selected": int(front.n_selected[found.index]),
            "source": str(front.source[found.index]), "honest_score": found.score, "low": found.interval[0],
            "high": found.interval[1], "difference": found.difference, "difference_low": found.difference_interval[0],
            "difference_high": found.difference_interval[1]}


def line_of(selector: Any) -> str:
    """Return the line that ends the progress of a fit: str."""
    return f"moeliga: {verdict(selector.pareto_front_, selector.index_, Worth.of(selector), Names.of(selector))}"


def kept_all(rows: list[dict[str, Any]], front: Any) -> str:
    """Return what is said where a rule has kept all features: str."""
    smaller = [row for row in rows if row["source"] != "all"]
    if any(row["difference"] >= 0 for row in smaller):
        return ("All features are kept: over sizes beside each other nothing smaller is as good; a single one that "
                "looks better may be luck.")
    fewer = [row["rule"] for row in smaller if row["rule"]]
    such = f"A rule such as {fewer[0]!r}, or max_features," if fewer else "max_features"
    more = f" {such} chooses fewer at the loss shown." if (front.source != "all").any() else ""
    return f"Nothing smaller is as good here: all features are kept.{more}"


def sentences(selector: Any, rows: list[dict[str, Any]]) -> list[str]:
    """Return what the summary says below its table: list of str."""
    front = selector.pareto_front_
    lines = [choice_sentence(front, selector.index_, selector._chosen.how, Worth.of(selector), Names.of(selector))]
    if front.honest is None:
        return lines if selector.honest is None else [*lines, "There are no honest scores, as the fit has warned."]
    lines.append(f"Honest: by the model's answers for samples outside of {front.honest.folds.shape[1]} searches, "
                 "without what choosing adds.")
    if front.honest.constant:
        lines.append("The model gave one answer for all samples of each fold, whatever the features: it learns nothing "
                     "from so few samples, and the scores tell no subset from another. Rule 'no_loss' keeps as many "
                     "features as it may.")
    elif selector._chosen.row.startswith(("no_loss", "NoLoss")) and front.source[selector.index_] == "all":
        lines.append(kept_all(rows, front))
    elif any(np.isfinite(row["difference_low"]) and row["difference_high"] - row["difference_low"] > 2 * max(
            abs(row["difference"]), SMALL if front.unit else SMALL * abs(row["honest_score"]))
            for row in rows if row["chosen"]):
        lines.append("The intervals are wider than the differences: with so few samples the rules cannot be told "
                     "apart.")
    return lines
