"""Results on disk: one CSV file for an experiment, one row for each choice, written as soon as it is known."""

import csv
import io
import os
from contextlib import contextmanager

from paper.judge import CLASSIFIERS

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

KEY = ("data", "split", "method", "setting", "seed")
"""What tells one job from another."""

COLUMNS = (*KEY, "choice", "told", "features", "in_search", "fresh", "fresh_se",
           *(f"{name}_{score}" for name in CLASSIFIERS for score in ("uar", "ovr", "se")),
           "seconds", "evaluations", "samples", "classes", "of", "note", "status", "chosen", "date", "cpu", "versions",
           "command")
"""Of every file. `choice` is "" for what the method chose, else the rule of a further choice from the same run; `told`
is the number of features that the method was told; `of` how many there are; `chosen` holds their numbers."""


class Known:
    """Rows, among which those of a job can be found.

    Attributes
    ----------
    rows : list of dict from str to str
    """

    def __init__(self, rows):
        self.rows = rows

    def find(self, key, choice=""):
        """The row of a job, the last one if it was done again; None without one."""
        found = None
        for row in self.rows:
            if row["choice"] == choice and tuple(row[name] for name in KEY) == key:
                found = row
        return found

    def beside(self, job):
        """`Known` of the same rows of the same data set."""
        return Known([row for row in self.rows if (row["data"], row["split"]) == (job.data, job.split)])


class Results(Known):
    """The rows of a file.

    Rows are added with one write of whole lines, so that an interruption leaves whole rows, or at worst a torn last
    line. A last line without its end may lack a part of its last cell, so it does not count, whatever it holds; reading
    leaves the file as it is, and `add` cuts the line off. Several processes may add to one file: each holds a lock on
    it while it reads or writes (not on Windows, where one process at a time may use a file).

    Attributes
    ----------
    path : path
    rows : list of dict from str to str
    """

    def __init__(self, path, columns=COLUMNS):
        super().__init__([])
        self.path, self.columns = path, columns
        self.refresh()

    def refresh(self):
        """Read all whole rows, those of other processes too.

        Raises
        ------
        SystemExit : with a message, if the file cannot be read, has other columns, or a row that is not whole.
        """
        if not self.path.is_file():
            return
        with opened(self.path, os.O_RDONLY) as descriptor:
            lines = self.lines(descriptor)[0]
        for line, cells in enumerate(lines, 2):
            if len(cells) != len(self.columns):
                raise SystemExit(f"{self.path}, line {line}: must have {len(self.columns)} cells, got {len(cells)}")
        self.rows = [dict(zip(self.columns, cells, strict=True)) for cells in lines]

    def lines(self, descriptor):
        """Cells of the whole lines below the header, and how many bytes they are, with the header."""
        with os.fdopen(os.dup(descriptor), "rb") as file:
            content = file.read()
        n_bytes, header = content.rfind(b"\n") + 1, f"{','.join(self.columns)}\n"
        lines = list(csv.reader(io.StringIO(content[:n_bytes].decode("utf-8", "replace"), newline="")))
        if tuple(lines[0]) != self.columns if lines else not header.encode("utf-8").startswith(content):
            raise SystemExit(f"{self.path}, line 1: must have the columns of this version, {', '.join(self.columns)}, "
                             f"got {', '.join(lines[0]) if lines else 'a part of a line'}; move it away")
        return lines[1:], n_bytes

    def ready(self):
        """Raise SystemExit with a message if rows cannot be added; nothing is written."""
        place = next(path for path in (self.path, *self.path.absolute().parents) if path.exists())
        if place.is_dir() == (place == self.path) or not os.access(place, os.W_OK):
            raise SystemExit(f"{place} must be a {'file' if place == self.path else 'folder'} that can be written to, "
                             "for the results")

    def add(self, rows):
        """Write rows, dicts with any of the columns, together."""
        lines = [{name: as_text(value) for name, value in row.items()} for row in rows]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with opened(self.path) as descriptor:
            n_bytes = self.lines(descriptor)[1]
            os.ftruncate(descriptor, n_bytes)
            text = io.StringIO(newline="")
            writer = csv.DictWriter(text, self.columns, restval="", lineterminator="\n")
            if not n_bytes:
                writer.writeheader()
            writer.writerows(lines)
            os.write(descriptor, text.getvalue().encode("utf-8"))
            os.fsync(descriptor)
        self.rows += [dict.fromkeys(self.columns, "") | line for line in lines]


@contextmanager
def opened(path, how=os.O_RDWR | os.O_APPEND | os.O_CREAT):
    """Descriptor of a file, for reading and for writing at its end; nobody writes to it meanwhile."""
    descriptor = os.open(path, how, 0o644)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_SH if how == os.O_RDONLY else fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def as_text(value):
    """A cell: floats with six digits, NaN as nothing, one line."""
    if isinstance(value, float):
        return "" if value != value else f"{value:.6g}"
    return " ".join(str(value).split())
