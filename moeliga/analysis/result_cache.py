"""The checkpoint of a report: a file with the results of many searches, each written as soon as its search ends."""

import hashlib
import json
import os
from contextlib import contextmanager, nullcontext
from importlib.metadata import version
from pathlib import Path

import numpy as np

from moeliga.base.atomic_file import claimed, replace
from moeliga.base.checks import check_path
from moeliga.base.hashing import digest
from moeliga.base.warning_filters import warn
from moeliga.results.json_values import plain
from moeliga.search.checkpoint import difference

FORMAT, VERSION = "moeliga.searches", 1
"""Name and version of the format, in the first line of a file."""

NEUTRAL = ("callbacks", "checkpoint", "n_jobs", "random_state", "verbose")
"""Parameters of the selector that may differ between calls: no result depends on them."""


def path_of(checkpoint, random_state):
    """Return the absolute path of a report's checkpoint, as callbacks may change the folder: Path; None for None.

    TypeError or ValueError for a checkpoint that is no path to a file, and for `random_state` None, with which no later
    call could repeat the searches.
    """
    if checkpoint is None:
        return None
    path = Path(check_path("checkpoint", checkpoint))
    if random_state is None:
        raise ValueError("random_state must be set where there is a checkpoint, so that a later call makes the same "
                         "searches, got None")
    real = Path(os.path.realpath(path))
    if not real.parent.is_dir() or (os.path.lexists(real) and not real.is_file()):
        raise ValueError(f"checkpoint must be a file in a folder that exists, got {str(path)!r}")
    return path.absolute()


@contextmanager
def open_cache(path, marks):
    """Context with the `ResultCache` of a file, which is locked against other reports; with None for no path."""
    with nullcontext() if path is None else claimed(path, "checkpoint"):
        yield None if path is None else ResultCache(path, marks())


class ResultCache:
    """A file of lines: the marks, which identify data and parameters, then a line for each finished search.

    Each line begins with a digest of the rest, which shows damage. A crash may leave half of the last line, and a loss
    of power any parts of it: this line is dropped, and its search repeated. `known` maps the index of a search to its
    result, a JSON value. ValueError for a file that is of another format, damaged, or has other marks.
    """

    def __init__(self, path, marks):
        self.path, self.known = path, {}
        if self.path.exists():
            self._read(marks)
        else:
            content = line_of({"format": FORMAT, "version": VERSION, "marks": marks})
            replace(self.path, content)
            self.end = len(content)

    def _read(self, marks):
        """Read the file, which must have these marks; set `known`, and `end`, the bytes of its complete lines."""
        content = self.path.read_bytes()
        lines = content.split(b"\n")[:-1]
        if len(lines) > 1 and not is_intact(lines[-1]):
            del lines[-1]
        self.end = sum(map(len, lines)) + len(lines)
        try:
            head, *lines = map(parse_line, lines)
            if [head.get("format"), repr(head.get("version"))] != [FORMAT, repr(VERSION)]:  # True == 1 == 1.0
                raise ValueError(f"it does not begin with the format {FORMAT!r} of version {VERSION}")
            differ = difference(head["marks"], marks)
            self.known = {int(line["place"]): line["result"] for line in lines}
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise self._damaged(error) from error
        if differ:
            raise ValueError(f"checkpoint {str(self.path)!r} must go with this report, but {differ}; choose another "
                             "path, or remove the file to begin again")

    def _damaged(self, error):
        return ValueError(f"checkpoint {str(self.path)!r} must be a complete file that moeliga has written for a "
                          f"report: {error}; choose another path")

    def decoded(self, decode):
        """Return `decode(result)` of each known result: dict by index; any error means a damaged file."""
        try:
            return {index: decode(result) for index, result in self.known.items()}
        except Exception as error:
            raise self._damaged(error) from error

    def add(self, index, result):
        """Append the result of a search; an OSError is only a warning, so that the searches go on."""
        content = line_of({"place": index, "result": result})
        try:
            with open(self.path, "r+b") as file:
                file.seek(self.end)
                file.truncate()
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            warn(f"the checkpoint could not be written, the searches go on: {error}", RuntimeWarning)
        else:
            self.end += len(content)


def line_digest(text):
    """Return the digest of a line: 16 bytes of hex digits."""
    return hashlib.sha256(text).hexdigest()[:16].encode()


def line_of(value):
    """Return the line of the file for a JSON value: bytes."""
    text = json.dumps(value).encode()
    return line_digest(text) + b" " + text + b"\n"


def is_intact(line):
    """Return True if a line of the file, without the newline, matches its digest."""
    mark, _, text = line.partition(b" ")
    return line_digest(text) == mark


def parse_line(line):
    """Return the value of a line of the file; raise ValueError if the line is damaged."""
    if not is_intact(line):
        raise ValueError(f"a line is damaged, it begins with {line[:40]!r}")
    return json.loads(line[17:])


def marks_of(replications, tasks):
    """Return the marks that identify data, parameters and tasks (rows, y, seed) of searches: dict for JSON."""
    parameters = replications.selector.described()
    return {
        "version": version("moeliga"),
        "X": digest(replications.values),
        "y": digest(replications.y),
        "groups": None if replications.groups is None else digest(replications.groups),
        "feature names": digest(np.asarray(getattr(replications.X, "columns", []))),
        "parameters": {name: plain(value, ()) for name, value in sorted(parameters.items()) if name not in NEUTRAL},
        "random_state, or number of searches": digest(*(np.asarray(part) for task in tasks for part in task)),
    }
