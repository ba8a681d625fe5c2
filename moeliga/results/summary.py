"""The summary of a result: the choice of each rule, and its score on new samples."""

import html
import textwrap
from typing import Any, Self

import numpy as np

from moeliga.base.text import score_format, visible
from moeliga.results.files import DataFrame, data_frame

NUMBERS = ("honest_score", "low", "high", "difference", "difference_low", "difference_high")
KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "rule": ("text", (str,)), "chosen": ("true or false", (bool,)), "n_selected": ("an integer", (int,)),
    "source": ("text", (str,)), **dict.fromkeys(NUMBERS, ("a number or null", (int, float, type(None))))}
"""Entries of a row: name to description for error messages and Python types."""

NARROWEST = 80
"""Least width, in characters, of the lines of sentences: that of the table if it is wider."""

SMALL = 0.02
"""Negligible difference of scores in [0, 1]; of other scores it is a share of the score."""


class Summary:
    """The choice of each rule and its score on new samples; made by `MOELIGASelector.summary`.

    Attributes
    ----------
    rows : list of dict
        One for each rule, then for each baseline: "rule" (empty for a baseline), "chosen" (by the selector),
        "n_selected", "source", "honest_score", "low" and "high" (ends of its interval of 90 %), "difference" to all
        features, "difference_low" and "difference_high". NaN = unknown.
    sentences : list of str
        Remarks on the rows; the first is on the chosen subset.
    score_name : str
        Of the honest scores.
    ended : str
        How the search ended, with its seconds; empty if unknown. Only the table of a notebook shows it: the text is the
        same for the same seed.

    Examples
    --------
    >>> from moeliga.results.summary import Summary
    >>> row = dict.fromkeys(("honest_score", "low", "high", "difference", "difference_low", "difference_high"), 0.5)
    >>> Summary([{"rule": "best", "chosen": True, "n_selected": 3, "source": "search", **row}], ["Chosen."])
      rule  size  source  honest UAR           90 %  vs all             90 %
    * best     3  search       0.500 0.500 to 0.500  +0.500 +0.500 to +0.500
    <BLANKLINE>
    Chosen.
    """

    def __init__(self, rows: list[dict[str, Any]], sentences: list[str], score_name: str = "UAR",
                 ended: str = "") -> None:
        self.rows = rows
        self.sentences = sentences
        self.score_name = score_name
        self.ended = ended

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of the table: tuple of seven str, or of three where there is no honest score."""
        names = "rule", "size", "source", f"honest {self.score_name}", "90 %", "vs all", "90 %"
        return names if any(row["honest_score"] == row["honest_score"] for row in self.rows) else names[:3]

    def cells(self) -> list[list[str]]:
        """Return the cells of the table as texts: list of list of str."""
        form = score_format([row["honest_score"] for row in self.rows])
        return [[("* " if row["chosen"] else "  ") + (row["rule"] or "-"), f"{row['n_selected']:,}", row["source"],
                 number(row["honest_score"], form), interval(row["low"], row["high"], form),
                 number(row["difference"], f"+{form}"),
                 interval(row["difference_low"], row["difference_high"], f"+{form}")][:len(self.columns)]
                for row in self.rows]

    def __repr__(self) -> str:
        table = [["  " + self.columns[0], *self.columns[1:]], *self.cells()]
        wide = [max(len(line[place]) for line in table) for place in range(len(self.columns))]
        gaps = ("", "  ", "  ", "  ", " ", "  ", " ")  # an interval stands close to its score
        lines = ["".join(gaps[place] + (cell.ljust(wide[place]) if place in (0, 2) else cell.rjust(wide[place]))
                         for place, cell in enumerate(line)) for line in table]
        lines = [visible(line).rstrip() for line in lines]
        broken = [textwrap.fill(visible(sentence), max(NARROWEST, *map(len, lines))) for sentence in self.sentences]
        return "\n".join([*lines, "", *broken])

    def _repr_html_(self) -> str:
        def row(kind: str, line: Any) -> str:
            return "<tr>" + "".join(f"<{kind}>{html.escape(visible(cell))}</{kind}>" for cell in line) + "</tr>"

        body = "".join(row("td", line) for line in self.cells())
        below = [*self.sentences, *filter(None, [self.ended])]
        text = "".join(f"<p>{html.escape(visible(sentence))}</p>" for sentence in below)
        return f"<table><thead>{row('th', self.columns)}</thead><tbody>{body}</tbody></table>{text}"

    def to_frame(self) -> "DataFrame":
        """Return the rows as a pandas DataFrame, with the entries of `rows` as columns; ImportError without pandas."""
        return data_frame(self, {name: [row[name] for row in self.rows] for name in self.rows[0]})

    def to_settings(self) -> dict[str, Any]:
        """Return the summary for JSON: dict, with None for NaN; `from_settings` reads it."""
        rows = [{name: None if value != value else value for name, value in row.items()} for row in self.rows]
        return {"score_name": self.score_name, "rows": rows, "sentences": self.sentences}

    @classmethod
    def from_settings(cls, content: dict[str, Any]) -> Self:
        """Return the summary from a result of `to_settings`; KeyError, TypeError or ValueError for anything else."""
        rows = []
        for row in content["rows"]:
            for name, (what, types) in KINDS.items():
                if not isinstance(row[name], types):
                    raise ValueError(f"summary.{name} must be {what}, got {row[name]!r}")
            rows.append({name: np.nan if row[name] is None else row[name] for name in KINDS})
        texts = [content["score_name"], *content["sentences"]]
        if not all(isinstance(text, str) for text in texts) or len(texts) < 2:
            raise ValueError(f"summary must have a score_name and sentences, got {texts!r}")
        return cls(rows, texts[1:], texts[0])

    @property
    def all_features(self) -> float:
        """Honest score of all features: float, NaN if it is unknown."""
        found = [row["honest_score"] for row in self.rows if row["source"] == "all" and not row["rule"]]
        return float(found[0]) if found else np.nan

    def with_choice(self, rule: str | None, front: Any, index: int, sentence: str) -> Self:
        """Return the summary with the row of a rule, or no row for None, marked as chosen, and `sentence` in front;
        `index` is the chosen member."""
        rows = [{**row, "chosen": rule is not None and row["rule"] == rule} for row in self.rows]
        rest = self.sentences[1:] if front.honest is None else notes(front, index, rule or "", rows)
        return type(self)(rows, [sentence, *rest], self.score_name, self.ended)


def number(value: float, form: str) -> str:
    return "" if np.isnan(value) else f"{value:{form}}"


def interval(low: float, high: float, form: str) -> str:
    return "" if np.isnan(low) else f"{low:{form}} to {high:{form}}"


def kept_all(rows: list[dict[str, Any]], front: Any) -> str:
    """Return the sentence on why a rule chose all features: str."""
    smaller = [row for row in rows if row["source"] != "all"]
    if any(row["difference"] >= 0 for row in smaller):
        return ("All features are kept: averaged over neighbouring sizes, no smaller subset scores as well. A single "
                "smaller subset that looks better may be luck.")
    fewer = [row["rule"] for row in smaller if row["rule"]]
    such = f"A rule such as {fewer[0]!r}, or max_features," if fewer else "max_features"
    more = f" {such} chooses fewer at the loss shown." if (front.source != "all").any() else ""
    return f"Nothing smaller is as good here: all features are kept.{more}"


def notes(front: Any, index: int, chosen: str, rows: list[dict[str, Any]]) -> list[str]:
    """Return the sentences on honest scores that follow the one on the chosen member: list of str.

    `chosen` is the name of the row of the chosen member.
    """
    kept = any(not row["rule"] and row["source"] != "all" for row in rows)
    lines = ["Honest scores use the deployed model's predictions for samples held out of "
             f"{front.honest.folds.shape[1]} searches; corrected for selection bias"
             f"{', except in lines without a rule (the best of a ranking)' * kept}."]
    if front.honest.constant:
        lines.append("The deployed model predicts the same for all samples of a fold, whatever the features: it learns "
                     "nothing from so few samples, and the scores cannot distinguish subsets. Rule 'no_loss' then "
                     "keeps as many features as allowed.")
    elif chosen.startswith(("no_loss", "NoLoss")) and front.source[index] == "all" and front.n_selected[index] > 1:
        lines.append(kept_all(rows, front))
    elif any(np.isfinite(row["difference_low"]) and row["difference_high"] - row["difference_low"] > 2 * max(
            abs(row["difference"]), SMALL if front.unit else SMALL * abs(row["honest_score"]))
            for row in rows if row["chosen"]):
        lines.append("The intervals are wider than the differences: these samples cannot tell the rules apart.")
    return lines
