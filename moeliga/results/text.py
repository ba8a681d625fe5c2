"""A finished search in plain text for a terminal, and as JSON for a script."""

import shutil
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from moeliga.base.text import LABELS, count, score_format, score_name, usual_score, visible
from moeliga.results.front import ParetoFront
from moeliga.results.json_values import plain

BY_OPTION = {"interrupt": "Ctrl-C", "max_time": "--max-time", "max_evaluations": "--max-evaluations",
             "patience": "--patience"}
"""Words of the command line for each `stop_reason_` that ends a search early."""


class Names(NamedTuple):
    """Names of the honest score and of the score in the search: "UAR", "R2" or the name of `scoring`."""

    honest: str
    search: str

    @classmethod
    def of(cls, selector: Any) -> Self:
        """Return the names for a fitted selector: the guide of the search may have another score than the model."""
        regression = not hasattr(selector, "classes_")
        name, usual = (LABELS.get(name, name) for name in (score_name(selector.scoring, regression),
                                                           usual_score(regression)))
        return cls(name, usual if selector.guide_scoring() is None else name)


class Worth(NamedTuple):
    """The score of a choice on new samples, the ends of its interval, and the score of all features; NaN = unknown."""

    score: float = np.nan
    low: float = np.nan
    high: float = np.nan
    all_features: float = np.nan

    @classmethod
    def of(cls, selector: Any) -> Self:
        """Return these scores for the choice of a fitted selector."""
        baselines = selector.baselines_
        return cls(selector.honest_score_, *selector.honest_interval_,
                   *map(float, baselines.honest_score[baselines.source == "all"][:1]))


class Chosen(NamedTuple):
    """How a selector chose its member, and the score of that choice."""

    row: str  # name of its row in the summary
    how: str  # words for a sentence, such as "rule 'one_se'"
    found: Any  # Assessment, or None


def rule_name(rule: Any) -> str:
    """Return the name of a rule: str."""
    return rule if isinstance(rule, str) else getattr(rule, "__name__", repr(rule))


def choice_names(rule: Any, limits: Mapping[str, Any]) -> tuple[str, str]:
    """Return names of a choice by `ParetoFront.choose` for a table and for a sentence: "one_se", "rule 'one_se'".

    They do not name the rule of a choice by `index` or `n_features`, which does not use it.
    """
    given = {name: plain(value) for name, value in limits.items() if value is not None}
    parts = [f"{name} {value!r}" for name, value in given.items()]
    if "index" in given or "n_features" in given:
        return ", ".join(parts), ", ".join(parts)
    return ", ".join((rule_name(rule), *parts)), ", ".join((f"rule {rule_name(rule)!r}", *parts))


def verdict(front: ParetoFront, index: int, worth: Worth, names: Names) -> str:
    """Return a line on the size of a member and its score, the honest one if it has one: str."""
    size = f"{front.n_selected[index]:,} of {count(front.n_features, 'feature')}"
    form = score_format(front.honest_score)
    known = bool(np.isfinite(worth.all_features)) and front.source[index] != "all"
    rest = f", all features {worth.all_features:{form}}" if known else ""
    if not np.isnan(worth.score):
        interval = "" if np.isnan(worth.low) else f" ({worth.low:{form}} to {worth.high:{form}})"
        return f"{size}, honest {names.honest} {worth.score:{form}}{interval}{rest}"
    if np.isfinite(front.honest_score[index]):
        return (f"{size}, honest {names.honest} {honest_text(front, index)}, which is too high because it was chosen "
                f"among many{rest}")
    return (f"{size}, {names.search} {score_text(front, index)} in the search, too high for new samples"
            + f", honest {names.honest} of{rest.removeprefix(',')}" * known)


def choice_sentence(front: ParetoFront, index: int, how: str, worth: Worth, names: Names) -> str:
    """Return the sentence on the chosen member of a front: str."""
    known = np.isfinite(front.honest_score[index])
    score = f"{front.score[index]:{score_format(front.score)}}"
    search = f"; {names.search} in the search {score}" if known else ""
    return f"Chosen by {how}: {verdict(front, index, worth, names)}{search}."


def front_lines(record: Any, width: int | None = None) -> list[str]:
    """Return the front of a `Record` as lines of a table, lists of features cut to `width`, None = of the terminal."""
    width = shutil.get_terminal_size((100, 24)).columns if width is None else width
    front, names, every = record.front, record.names, range(len(record.front))
    columns = {"size": [f"{size:4d}" for size in front.n_selected]}
    if front.honest is None:
        columns[names.search] = [score_text(front, i) for i in every]
    else:
        columns[f"honest {names.honest}"] = [honest_text(front, i) for i in every]
        columns["in search"] = texts(front.score)
    columns |= other_scores(front)
    if front.cost is not None:
        columns["total cost"] = [f"{cost:g}" for cost in front.cost]
    if record.held_out is not None:
        columns["held out"] = texts(record.held_out)
    columns["R1"] = texts(front.r1)
    if front.honest is not None:
        columns["source"] = front.source.tolist()
    wide = {name: max(len(name), *map(len, cells)) for name, cells in columns.items()}
    lines = ["  " + "  ".join(name.rjust(wide[name]) for name in columns) + "  features"]
    for i in every:
        line = ("* " if i == record.chosen else "  ") + "  ".join(
            cells[i].rjust(wide[name]) for name, cells in columns.items()) + "  "
        lines.append(line + shorten(front.features(i), width - len(line)))
    return [visible(line) for line in lines]


def other_scores(front: ParetoFront) -> list[tuple[str, list[str]]]:
    """Return the objectives of members besides the score, and the scores by several judges: pairs of name and texts."""
    found = [(name, texts(front.objectives[:, place])) for place, name in enumerate(front.names)
             if place != front.primary and name != "cardinality"]  # the size says the same
    return [*found, *((name, texts(scores)) for name, scores in front.judges.items())]


def with_error(score: float, error: float, form: str) -> str:
    """Return a score with its standard error, if that is known: str."""
    return f"{score:{form}}" + (f" ± {error:{form}}" if error > 0 else "")


def score_text(front: ParetoFront, place: int) -> str:
    """Return the score of a member with its standard error, if that is known: str."""
    return with_error(front.score[place], front.score_se[place], score_format(front.score))


def honest_text(front: ParetoFront, place: int) -> str:
    """Return the honest score of a member with its standard error, empty if it has none: str."""
    score = front.honest_score[place]
    return "" if np.isnan(score) else with_error(score, front.honest_se[place], score_format(front.honest_score))


def search_scores(front: ParetoFront) -> NDArray[np.float64]:
    """Return the score of each member in the search: ndarray of float64, shape (m,).

    NaN for baselines that the search did not find: their `search_objectives` are a copy of `objectives`.
    """
    copied = (front.search_objectives == front.objectives).all(axis=1) & (front.source != "search")
    return np.where(copied, np.nan, front.search_objectives[:, front.primary])


def texts(values: NDArray[np.float64]) -> list[str]:
    """Return numbers of one scale as texts, empty where they are NaN."""
    form = score_format(values)
    return ["" if np.isnan(value) else f"{value:{form}}" for value in values]


def shorten(names: Sequence[str], width: int) -> str:
    """Return the first names, at least one, that fit into the width, and the number of the others: str."""
    ends = np.cumsum([len(name) + 2 for name in names[:max(1, width)]]) - 2  # lengths of the joined names
    for shown in range(len(ends), 0, -1):
        rest = f", + {len(names) - shown}" if shown < len(names) else ""
        if ends[shown - 1] + len(rest) <= width:
            break
    return ", ".join(names[:shown]) + rest


def result_lines(record: Any) -> list[str]:
    """Return lines on a `Record`: sizes of the front, held-out score, and the summary, or only its sentences."""
    front, chosen = record.front, record.chosen
    smallest, largest = front.n_selected[[0, -1]]
    sizes = count(largest, "feature") if smallest == largest else f"{smallest} to {largest} features"
    lines = [f"Pareto front: {count(len(front), 'subset')} of {sizes}."]
    if record.held_out is not None:
        lines.append(f"On held-out samples: {record.names.honest} {texts(record.held_out)[chosen]}.")
    if front.honest is None:
        return [visible(line) for line in (*lines, *record.summary.sentences)]
    return [*map(visible, lines), "", *repr(record.summary).splitlines()]


def facts(record: Any) -> dict[str, Any]:
    """Return the content of `moeliga show --json`: end of the search, chosen member, summary and front."""
    front = record.front
    columns = {name: [None if value == "nan" else value for value in plain(values)]
               for name, values in front.columns().items()}
    if record.held_out is not None:
        columns["held_out"] = record.held_out.tolist()
    members = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"stop_reason": record.settings["stop_reason"], "n_evaluations": record.settings["n_evaluations"],
            "score_names": record.names._asdict(),
            "chosen": {"index": record.chosen, "how": record.how, "worth": record.worth_settings(),
                       **members[record.chosen]},
            "summary": record.summary.to_settings(), "front": members}
