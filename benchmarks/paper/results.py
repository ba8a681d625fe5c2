"""Results on disk: one CSV file for an experiment, one row for each choice, written as soon as it is known."""

import csv
import io
import os

from paper.judge import CLASSIFIERS

KEY = ("data", "split", "method", "setting", "seed")
"""What tells one job from another."""

COLUMNS = (*KEY, "choice", "told", "features", "in_search", "fresh", "fresh_se",
           *(f"{name}_{score}" for name in CLASSIFIERS for score in ("uar", "ovr", "se")),
           "seconds", "evaluations", "samples", "classes", "of", "note", "status", "chosen", "date", "cpu", "versions",
           "command")
"""Of every file. `choice` is "" for what the method chose, else the rule of a further choice from the same run; `told`
is the number of features that the method was told; `of` how many there are; `chosen` holds their numbers."""


class Results:
    """The rows of a file.

    A row is added with one write of whole lines, so that an interruption leaves whole rows, or at worst a torn last
    line, which is dropped when the file is opened again. One process writes to a file at a time.

    Attributes
    ----------
    path : path
    rows : list of dict from str to str
    """

    def __init__(self, path, columns=COLUMNS):
        self.path, self.columns, self.rows = path, columns, []
        if path.exists():
            self.rows = self.read()

    def read(self):
        """All whole rows; a torn last line is cut off.

        Raises
        ------
        ValueError : if the file has other columns.
        """
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            os.truncate(self.path, len(whole))
        lines = list(csv.reader(io.StringIO(whole.decode("utf-8"), newline="")))
        if lines and tuple(lines[0]) != self.columns:
            raise ValueError(f"{self.path} must have the columns of this version, {', '.join(self.columns)}, "
                             f"got {', '.join(lines[0])}; move it away")
        return [dict(zip(self.columns, line, strict=True)) for line in lines[1:]]

    def add(self, rows):
        """Write rows, dicts with any of the columns, together."""
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, self.columns, restval="", lineterminator="\n")
        if not self.path.exists() or not self.path.stat().st_size:
            writer.writeheader()
        lines = [{name: as_text(value) for name, value in row.items()} for row in rows]
        writer.writerows(lines)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, text.getvalue().encode("utf-8"))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.rows += [dict.fromkeys(self.columns, "") | line for line in lines]

    def find(self, key, choice=""):
        """The row of a job, the last one if it was done again; None without one."""
        found = None
        for row in self.rows:
            if row["choice"] == choice and tuple(row[name] for name in KEY) == key:
                found = row
        return found

    def scores(self, column, **fixed):
        """Numbers of a column of all successful rows with the given values: dict from (data, split, method)."""
        wanted = {"choice": "", "status": "ok", **fixed}
        return {(row["data"], row["split"], row["method"]): float(row[column]) for row in self.rows
                if row[column] and all(row[name] == value for name, value in wanted.items())}


def as_text(value):
    """A cell: floats with six digits, NaN as nothing, one line."""
    if isinstance(value, float):
        return "" if value != value else f"{value:.6g}"
    return " ".join(str(value).split())
