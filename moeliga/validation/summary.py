"""The summary of a fitted selector: the choice of each rule, and its score on new samples."""

from typing import Any

import numpy as np

from moeliga.results.assessment import Assessment
from moeliga.results.rules import RULES
from moeliga.results.run_record import end_sentence
from moeliga.results.summary import Summary, notes
from moeliga.results.text import Names, Worth, choice_sentence, rule_name, verdict


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
    end = end_sentence(selector.history_, selector.pareto_front_, selector.n_evaluations_, selector.stop_reason_,
                       selector.n_generations, selector.honest)
    return Summary(rows, sentences(selector, rows), Names.of(selector).honest, end)


def baselines_shown(baselines: Any) -> list[int]:
    """Return the indices of the baselines to show: all features, and the best of each ranking: list of int."""
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
    """Return the last line of a fit's progress: the rule, the chosen subset and its score: str."""
    worth = verdict(selector.pareto_front_, selector.index_, Worth.of(selector), Names.of(selector))
    return f"moeliga: {selector._chosen.how}: {worth}"


def sentences(selector: Any, rows: list[dict[str, Any]]) -> list[str]:
    """Return the sentences below the table of the summary: list of str."""
    front, index, chosen = selector.pareto_front_, selector.index_, selector._chosen
    lines = [choice_sentence(front, index, chosen.how, Worth.of(selector), Names.of(selector))]
    if front.honest is not None:
        return [*lines, *notes(front, index, chosen.row, rows)]
    return lines if selector.honest is None else [*lines, "There are no honest scores; a warning of the fit says why."]
