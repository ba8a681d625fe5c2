"""A finished search in plain text for a terminal, and as JSON for a script."""

import re
import shutil
from collections.abc import Sequence
from typing import Any

import numpy as np

from moeliga.base.text import count
from moeliga.results.front import ParetoFront
from moeliga.results.json_values import plain

BY_OPTION = {"interrupt": "Ctrl-C", "max_time": "--max-time", "max_evaluations": "--max-evaluations",
             "patience": "--patience"}
"""Words of the command line for each `stop_reason_` that ends a search early."""

STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters, ends of lines, and characters that change the direction of text."""


def score_name(selector: Any) -> str:
    """Return the name of a fitted selector's score: "UAR", "R2", or "score" for a scorer of the user's own."""
    if selector.scoring is None:
        for name, text in (("uar", "UAR"), ("r2", "R2")):
            if name in selector.pareto_front_.names:
                return text
    return "score"


def front_lines(record: Any, width: int | None = None) -> list[str]:
    """Return the front of a `Record` as aligned lines, the lists of features cut to the width of the terminal."""
    width = shutil.get_terminal_size((100, 24)).columns if width is None else width
    front = record.front
    columns = {"size": [f"{size:4d}" for size in front.n_selected],
               record.score_name: [score_text(front, i) for i in range(len(front))]}
    for place, name in enumerate(front.names):
        if place != front.primary and name != "cardinality":  # the size says the same
            columns[name] = [f"{value:.3f}" for value in front.objectives[:, place]]
    if front.cost is not None:
        columns["total cost"] = [f"{cost:g}" for cost in front.cost]
    if record.held_out is not None:
        columns["held out"] = [f"{score:.3f}" for score in record.held_out]
    columns["R1"] = [f"{r1:.3f}" for r1 in front.r1]
    wide = {name: max(len(name), *map(len, cells)) for name, cells in columns.items()}
    lines = ["  " + "  ".join(name.rjust(wide[name]) for name in columns) + "  features"]
    for i in range(len(front)):
        line = ("* " if i == record.chosen else "  ") + "  ".join(
            cells[i].rjust(wide[name]) for name, cells in columns.items()) + "  "
        lines.append(line + shorten(front.features(i), width - len(line)))
    return [visible(line) for line in lines]


def visible(text: str) -> str:
    """Return a text with the characters of `STEERING` escaped.

    A name from somebody's file must not move the cursor of a terminal, change its title or hide what follows.

    Examples
    --------
    >>> from moeliga.results.text import visible
    >>> print(visible("höhe \\x1b[2J"))
    höhe \\x1b[2J
    """
    return STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def score_text(front: ParetoFront, place: int) -> str:
    """Return the score of a member with its standard error, if that is known: str."""
    error = front.score_se[place]
    return f"{front.score[place]:.3f}" + (f" ± {error:.3f}" if np.isfinite(error) else "")


def shorten(names: Sequence[str], width: int) -> str:
    """Return as many of the names as fit into the width, but at least one, and the number of the others: str."""
    for shown in range(len(names), 0, -1):
        text = ", ".join(names[:shown]) + (f", + {len(names) - shown}" if shown < len(names) else "")
        if len(text) <= width:
            break
    return text


def choice_lines(record: Any, note: str = "") -> list[str]:
    """Return sentences on the size of the front and on the chosen member; `note` comes after "Chosen"."""
    front, chosen = record.front, record.chosen
    smallest, largest = front.n_selected[[0, -1]]
    sizes = count(largest, "feature") if smallest == largest else f"{smallest} to {largest} features"
    lines = [f"Pareto front: {count(len(front), 'subset')} of {sizes}.",
             f"Chosen{note}: {count(front.n_selected[chosen], 'feature')}, {record.score_name} "
             f"{score_text(front, chosen)} on validation splits of these samples; expect less on others."]
    if record.held_out is not None:
        lines.append(f"On held-out samples: {record.score_name} {record.held_out[chosen]:.3f}.")
    return [visible(line) for line in lines]


def facts(record: Any) -> dict[str, Any]:
    """Return what `moeliga show --json` prints: how the search ended, the chosen member, and the front."""
    front = record.front
    columns = plain(front.columns())
    members = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for member in members:
        member["score_se"] = None if member["score_se"] == "nan" else member["score_se"]
    if record.held_out is not None:
        for member, score in zip(members, record.held_out.tolist(), strict=True):
            member["held_out"] = score
    return {"stop_reason": record.settings["stop_reason"], "n_evaluations": record.settings["n_evaluations"],
            "chosen": {"index": record.chosen, "how": record.how, **members[record.chosen]}, "front": members}
