"""Small pieces of text that several folders show."""

import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from moeliga.base.typing import Integer, Number

STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters, ends of lines, and characters that change the direction of text."""

LABELS = {"uar": "UAR", "r2": "R2"}
"""Names of scores in text, by those in code, where the two differ."""


def count(n: Integer, noun: str) -> str:
    """Return a number with its noun: "1 feature", "2,000 features"."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def dotted(name: str) -> str:
    """Return the prefix of parameter names in messages: "name.", or "" if `name` is empty."""
    return f"{name}." if name else ""


def cut(text: str, most: int = 40) -> str:
    """Return the first `most` characters of a text, with dots if there are more."""
    return text if len(text) <= most else f"{text[:most]}..."


def first_of(texts: Iterable[str], most: int = 10) -> str:
    """Return at most `most` texts as a list for a message, with dots for the others: "a, b, ..."."""
    texts = list(texts)
    return ", ".join(texts[:most]) + (", ..." if len(texts) > most else "")


def score_format(*scores: ArrayLike) -> str:
    """Return the format of scores, finite or not: three decimals, or four digits where that says little or too much,
    and no sign of what is rounded to zero.

    >>> [format(score, score_format(score)) for score in (0.9514, -54.4, 4.123e-6, -2.9e9, 0.0)]
    ['0.951', '-54.400', '4.123e-06', '-2.900e+09', '0.000']
    >>> format(-0.0004, score_format(0.9514))
    '0.000'
    """
    values = np.concatenate([np.ravel(np.asarray(score, dtype=np.float64)) for score in scores])
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    return "z.3f" if largest == 0 or 0.01 <= largest < 1e6 else "z.3e"


def usual_score(regression: bool) -> str:
    """Return the name of the score without `scoring`: str."""
    return "r2" if regression else "uar"


def score_name(scoring: Any, regression: bool) -> str:
    """Return the name of the column of objective I: str, "score" of a callable without a name of its own, and
    "neg_score" of a scorer that turns the sign of a loss."""
    if scoring is None or scoring == "balanced_accuracy" and not regression:  # scikit-learn's name of UAR
        return usual_score(regression)
    name = scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")
    if getattr(scoring, "_sign", 1) == -1:  # make_scorer(greater_is_better=False)
        return "neg_score"
    return name if name.isidentifier() else "score"


def duration(seconds: Number) -> str:
    """Return seconds as a short text.

    >>> [duration(seconds) for seconds in (3.21, 119, 7000, 200_000)]
    ['3 s', '2 min', '1.9 h', '2.3 d']
    """
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86_400 else f"{seconds / 86_400:.1f} d"


def suggestion(value: object, choices: Iterable[object]) -> str:
    """Return the end of a message that suggests the nearest choice, "" if none is near.

    >>> suggestion("roc-auc", ["accuracy", "roc_auc", None]), suggestion("x", ["best"])
    ("; did you mean 'roc_auc'?", '')
    """
    known = [choice for choice in choices if isinstance(choice, str)]
    near = get_close_matches(value.lower(), known, n=1, cutoff=0.4) if isinstance(value, str) else []
    return f"; did you mean {near[0]!r}?" if near else ""


def visible(text: str) -> str:
    """Return a text with the characters of `STEERING` escaped.

    A name from somebody's file must not move the cursor of a terminal, change its title or hide what follows.

    Examples
    --------
    >>> from moeliga.base.text import visible
    >>> print(visible("höhe \\x1b[2J"))
    höhe \\x1b[2J
    """
    return STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def in_notebook() -> bool:
    """Return True in a kernel of Jupyter, whose outputs can be HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def say(text: str) -> None:
    """Print a message, if possible, to standard error; in a notebook, which shows that in red, to standard output."""
    stream = sys.stdout if in_notebook() else sys.stderr
    if stream is not None:
        with suppress(OSError, ValueError):  # the stream is on a full disk, or closed
            print(text, file=stream, flush=True)


def preformatted(text: str) -> str:
    """Return text of several lines as HTML, for a notebook."""
    return f"<pre>{escape(text)}</pre>"


def html_table(columns: dict[str, list[str]]) -> str:
    """Return columns of cells as an HTML table, for a notebook.

    >>> html_table({"a": ["1", "<2"]})
    '<table><tr><th>a</th></tr><tr><td>1</td></tr><tr><td>&lt;2</td></tr></table>'
    """
    head = "".join(f"<th>{escape(visible(name))}</th>" for name in columns)
    body = ["".join(f"<td>{escape(visible(cell))}</td>" for cell in row) for row in zip(*columns.values(), strict=True)]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in (head, *body))}</table>"
