"""Results of many searches in a file, each from the moment it is known: what a report goes on from."""

import hashlib
import json
import os
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

from moeliga.base.checks import check_path
from moeliga.base.hashing import digest
from moeliga.results.json_values import plain
from moeliga.search.checkpoint import difference, replace

FORMAT, VERSION = "moeliga.searches", 1
"""What a file says it is."""

NEUTRAL = ("callbacks", "checkpoint", "n_jobs", "random_state", "verbose")
"""Parameters of the selector that may change in between: no result depends on them, or the searches have their own."""


class Ledger:
    """A file of lines: what it goes with, then a line for each search that is done.

    A line begins with a digest of the rest, so that one that a crash has torn, or a disk has changed, is found out. The
    last line may be torn: it is dropped, and its search is made again.

    Parameters
    ----------
    path : str or path
        Made if it is not there.
    marks : dict from str to what JSON holds
        What the results go with.

    Attributes
    ----------
    known : dict from int to what JSON holds
        Results by the places of their searches.

    Raises
    ------
    TypeError, ValueError : if the path is none, or the file is not a ledger, is damaged, or goes with something else.
    OSError : if it cannot be read, or made.
    """

    def __init__(self, path, marks):
        self.path, self.known = Path(check_path("checkpoint", path)), {}
        if not self.path.parent.is_dir() or self.path.is_dir():
            raise ValueError(f"checkpoint must be a file in a folder that exists, got {str(self.path)!r}")
        if self.path.exists():
            self.read(marks)
        else:
            content = line_of({"format": FORMAT, "version": VERSION, "marks": marks})
            replace(self.path, content)
            self.end = len(content)

    def read(self, marks):
        """Take in a file."""
        content = self.path.read_bytes()
        self.end = content.rfind(b"\n") + 1
        try:
            head, *lines = map(said, content[: self.end].splitlines())
            if not isinstance(head, dict) or head.get("format") != FORMAT or head.get("version") != VERSION:
                raise ValueError(f"it does not begin with the format {FORMAT!r} of version {VERSION}")
            differ = difference(head["marks"], marks)
            self.known = {int(line["place"]): line["result"] for line in lines}
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise ValueError(self.damaged(error)) from error
        if differ:
            raise ValueError(f"checkpoint {str(self.path)!r} must go with this report, but {differ}; choose another "
                             "path, or remove the file to begin again")

    def damaged(self, error):
        return f"checkpoint {str(self.path)!r} must be a file that moeliga has written for a report, and whole: {error}"

    def revived(self, revive):
        """What a function makes of each known result: dict from place; any error of it means a damaged file."""
        try:
            return {place: revive(result) for place, result in self.known.items()}
        except Exception as error:
            raise ValueError(self.damaged(error)) from error

    def add(self, place, result):
        """Write down the result of a search. What goes wrong is a warning: the searches are worth more."""
        content = line_of({"place": place, "result": result})
        try:
            with open(self.path, "r+b") as file:
                file.seek(self.end)
                file.truncate()
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            warnings.warn(f"the checkpoint could not be written, the searches go on: {error}", RuntimeWarning,
                          stacklevel=2)
        else:
            self.end += len(content)


def line_of(value):
    """A line of the file: bytes."""
    text = json.dumps(value).encode()
    return hashlib.sha256(text).hexdigest()[:16].encode() + b" " + text + b"\n"


def said(line):
    """What a line holds.

    Raises
    ------
    ValueError : if it is damaged.
    """
    mark, _, text = line.partition(b" ")
    if hashlib.sha256(text).hexdigest()[:16].encode() != mark:
        raise ValueError(f"a line is damaged, it begins with {line[:40]!r}")
    return json.loads(text)


def marks_of(replications, tasks):
    """What the results of some searches go with: dict of what JSON holds.

    Parameters
    ----------
    replications : Replications
    tasks : list of (rows, y, seed)
    """
    parameters = replications.selector.described()
    return {
        "version": version("moeliga"),
        "X": digest(replications.values),
        "y": digest(replications.y),
        "feature names": digest(np.asarray(getattr(replications.X, "columns", []))),
        "parameters": {name: plain(value) for name, value in sorted(parameters.items()) if name not in NEUTRAL},
        "random_state, or number of searches": digest(*(np.asarray(part) for task in tasks for part in task)),
    }
