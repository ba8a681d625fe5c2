"""Tables from the rows of an experiment: means over outer splits, Markdown, CSV."""

import csv

import numpy as np
from paper.protocol import OWN


def label(row):
    """Name of a line of a table: the method, its setting, and the rule of a further choice."""
    name = f"{row['method']} {row['setting']}".rstrip()
    return f"{name}, {row['choice']}" if row["choice"] else name


def values(rows, column, own=False):
    """Numbers of a column by data set and label.

    Parameters
    ----------
    rows : list of dict
        Of `Results`. A job that was done again counts once, by its last row.
    column : str
    own : bool
        From the set's own parts; else from the random outer splits.

    Returns
    -------
    values : dict from (data, label) to dict from (split, seed) to float
    """
    found = {}
    for row in rows:
        if row["status"] == "ok" and row[column] and (row["split"] == OWN) == own:
            found.setdefault((row["data"], label(row)), {})[row["split"], row["seed"]] = float(row[column])
    return found


def mean(numbers):
    """Mean of the values of a dict; NaN without any."""
    return float(np.mean(list(numbers.values()))) if numbers else np.nan


def spread(numbers):
    """Their standard deviation; NaN with fewer than two."""
    return float(np.std(list(numbers.values()), ddof=1)) if len(numbers) > 1 else np.nan


def number(value, digits=3):
    """"0.913"; "–" for NaN."""
    return "–" if np.isnan(value) else f"{value:.{digits}f}"


def ordered(found):
    """(data sets, labels) of a dict of `values`, each in the order of their first appearance."""
    return tuple(list(dict.fromkeys(key[place] for key in found)) for place in (0, 1))


def ruled(header, lines):
    """A table as Markdown."""
    first, *rest = ("| " + " | ".join(map(str, line)) + " |\n" for line in (header, *lines))
    return "".join([first, "|" + "---|" * len(header) + "\n", *rest])


def markdown(title, header, lines):
    """The same with its title above it."""
    return f"**{title}**\n\n{ruled(header, lines)}"


def cross(title, cell, names, labels):
    """Markdown with a line for each label and a column for each data set; `cell` is called with both names."""
    return markdown(title, ["method", *names], ([line, *(cell(name, line) for name in names)] for line in labels))


def plus_minus(numbers, digits=3):
    """"0.913 ± 0.021", without the spread for a single value, "–" for none."""
    if not numbers:
        return "–"
    text = f"{mean(numbers):.{digits}f}"
    return text if len(numbers) < 2 else f"{text} ± {spread(numbers):.{digits}f}"


def write(path, header, lines):
    """A CSV file; floats with six digits, NaN as nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for line in lines:
            writer.writerow([("" if np.isnan(cell) else f"{cell:.6g}") if isinstance(cell, float) else cell
                             for cell in line])
