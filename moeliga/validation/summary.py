"""The summary of a fitted selector: what each rule chooses, and what that is worth on new samples."""

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from moeliga.base.text import count
from moeliga.results.files import data_frame
from moeliga.results.rules import RULES, NoLoss
from moeliga.results.text import score_name, visible
from moeliga.validation.answers import Assessment, assess

if TYPE_CHECKING:
    from pandas import DataFrame

COLUMNS = ("rule", "features", "source", "honest score", "90 %", "less all features", "90 %")


class Summary:
    """Choices and what they are worth; made by `MOELIGASelector.summary`.

    Attributes
    ----------
    rows : list of dict
        Of each rule, then of each baseline: "rule" (empty for a baseline), "chosen" (by the selector), "n_selected",
        "source", "honest_score", "low" and "high" (ends of its interval of 90 %), "difference" to all features,
        "difference_low" and "difference_high". NaN = unknown.
    sentences : list of str
        What follows from them.
    """

    def __init__(self, rows: list[dict[str, Any]], sentences: list[str]) -> None:
        self.rows = rows
        self.sentences = sentences

    def cells(self) -> list[list[str]]:
        """Return the texts of the table, a list for each row."""
        return [[("* " if row["chosen"] else "  ") + (row["rule"] or "-"), f"{row['n_selected']:,}", row["source"],
                 number(row["honest_score"]), interval(row["low"], row["high"]),
                 number(row["difference"], "+"), interval(row["difference_low"], row["difference_high"], "+")]
                for row in self.rows]

    def __repr__(self) -> str:
        table = [["  " + COLUMNS[0], *COLUMNS[1:]], *self.cells()]
        wide = [max(len(line[place]) for line in table) for place in range(len(COLUMNS))]
        lines = ["  ".join(cell.ljust(width) if place in (0, 2) else cell.rjust(width)
                           for place, (cell, width) in enumerate(zip(line, wide, strict=True))) for line in table]
        return visible_lines([*lines, *self.sentences])

    def _repr_html_(self) -> str:
        def row(kind: str, line: Any) -> str:
            return "<tr>" + "".join(f"<{kind}>{html.escape(visible(cell))}</{kind}>" for cell in line) + "</tr>"

        body = "".join(row("td", line) for line in self.cells())
        text = "".join(f"<p>{html.escape(visible(sentence))}</p>" for sentence in self.sentences)
        return f"<table><thead>{row('th', COLUMNS)}</thead><tbody>{body}</tbody></table>{text}"

    def to_frame(self) -> "DataFrame":
        """Return the rows as a pandas DataFrame."""
        return data_frame(self, {name: [row[name] for row in self.rows] for name in self.rows[0]})


def visible_lines(lines: list[str]) -> str:
    return "\n".join(visible(line).rstrip() for line in lines)


def number(value: float, sign: str = "") -> str:
    return "" if np.isnan(value) else f"{value:{sign}.3f}"


def interval(low: float, high: float, sign: str = "") -> str:
    return "" if np.isnan(low) else f"{low:{sign}.3f} to {high:{sign}.3f}"


def summary_of(selector: Any) -> Summary:
    """Return the summary of a fitted selector."""
    front, baselines = selector.pareto_front_, selector.baselines_
    rows = []
    for rule in RULES if isinstance(selector.rule, str) else (selector.rule, *RULES):
        try:
            found = selector.assess(rule)
        except ValueError:  # a rule that this front does not allow
            continue
        rows.append(row_of(rule, front, found, found.index == selector.index_ and rule == selector.rule))
    known = selector.assess(selector.rule)
    everything = np.flatnonzero(baselines.source == "all")
    for index in baselines_shown(baselines):
        score = baselines.honest_score[index]
        difference = score - baselines.honest_score[everything[0]] if index not in everything else np.nan
        rows.append(row_of("", baselines, Assessment(index, score, (np.nan, np.nan), difference, (np.nan, np.nan)),
                           False))
    return Summary(rows, sentences(selector, front, baselines, known))


def baselines_shown(baselines: Any) -> list[int]:
    """Return the places of all features, and of the best of each ranking: list of int."""
    found = []
    for source in sorted(set(baselines.source.tolist()), key=lambda name: (name != "all", name)):
        places = np.flatnonzero(baselines.source == source)
        if np.isfinite(baselines.honest_score[places]).any():
            found.append(int(places[np.nanargmax(baselines.honest_score[places])]))
    return found


def row_of(rule: Any, front: Any, found: Assessment, chosen: bool) -> dict[str, Any]:
    """Return a row of `Summary.rows`."""
    name = rule if isinstance(rule, str) else repr(rule) if isinstance(rule, NoLoss) else getattr(
        rule, "__name__", repr(rule))
    return {"rule": name, "chosen": chosen, "n_selected": int(front.n_selected[found.index]),
            "source": str(front.source[found.index]), "honest_score": found.score, "low": found.interval[0],
            "high": found.interval[1], "difference": found.difference, "difference_low": found.difference_interval[0],
            "difference_high": found.difference_interval[1]}


def sentences(selector: Any, front: Any, baselines: Any, known: Assessment) -> list[str]:
    """Return what the summary says below its table: list of str."""
    size, n_features, name = int(front.n_selected[selector.index_]), front.n_features, score_name(selector)
    chosen = f"Chosen: {count(size, 'feature')} of {n_features:,}"
    if front.honest is None:
        return [f"{chosen}, {name} {front.score[selector.index_]:.3f} in the search, which is too high for new samples; "
                "honest= finds out by how much."]
    n_folds = front.honest.folds.shape[1]
    lines = [f"{chosen}, honest {name} {selector.honest_score_:.3f} "
             f"({selector.honest_interval_[0]:.3f} to {selector.honest_interval_[1]:.3f}): the model's answers for "
             f"samples outside of {n_folds} searches, without what choosing adds; in the search "
             f"{front.score[selector.index_]:.3f}."]
    if size == n_features:
        lines.append("Nothing smaller is as good here: all features are kept. A rule such as 'one_se', or max_features, "
                     "chooses fewer at the loss shown.")
    else:
        low, high = known.difference_interval
        if np.isfinite(low) and high - low > 2 * max(abs(known.difference), 0.02):
            lines.append("The intervals are wider than the differences: with so few samples the rules cannot be told "
                         "apart.")
    return lines
