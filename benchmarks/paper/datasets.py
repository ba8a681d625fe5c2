"""The data sets of the paper: from a local folder, else from where they can be had.

The folder is `MOELIGA_DATA`, or `shared/data/paper` beside the checkout. It holds NPZ files (X_train, y_train, X_test,
y_test and, where the source has them, feature_names), or the folder data/ of the authors' repository with its ARFF
files. What is in neither comes from OpenML or UCI, see `sources`. `facts` says what there is to know of each. Sets that
are not the paper's, for other studies, are NPZ files of a folder `extra` beside that one.

  python benchmarks/paper/datasets.py    what is at hand, and where the others come from
"""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from moeliga.cli.files import read_table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import sources
from paper.facts import FACTS, REPOSITORY

DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data" / "paper"


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set in one piece.

    Attributes
    ----------
    name : str
    X : ndarray of float, shape (n_samples, n_features)
    y : ndarray of int, shape (n_samples,)
    in_test : ndarray of bool, shape (n_samples,), or None
        The test part that its source has; None if it has none.
    origin : str
        Where it comes from.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    in_test: np.ndarray | None
    origin: str


def folder():
    """Folder of the data sets; SystemExit with a message if it is absent."""
    path = Path(os.environ.get("MOELIGA_DATA", DEFAULT))
    if not path.is_dir():
        raise SystemExit(f"the data sets are not in {path}; set MOELIGA_DATA to their folder")
    return path


def names():
    """Names of the NPZ files at hand, sorted."""
    return sorted(path.stem for path in folder().glob("*.npz"))


def extra():
    """Names of the NPZ files of the folder `extra` beside the other, sorted; none without it."""
    return sorted(path.stem for path in (folder().parent / "extra").glob("*.npz"))


def load(name):
    """X_train, y_train, X_test, y_test of an NPZ file of either folder."""
    path = folder() / f"{name}.npz"
    if not path.is_file():
        path = folder().parent / "extra" / path.name
    if not path.is_file():
        raise SystemExit(f"there is no data set {name!r}; at hand: {', '.join(names())}")
    with np.load(path, allow_pickle=False) as data:
        return data["X_train"], data["y_train"], data["X_test"], data["y_test"]


def whole(name):
    """A data set with all its rows.

    Parameters
    ----------
    name : str
        One of the paper's 14, or an NPZ file of the folder.

    Returns
    -------
    data : DataSet

    Raises
    ------
    SystemExit : with the name, what was tried and what to do, if it cannot be had.
    """
    tried = []
    for what, place in PLACES.items():
        try:
            return place(name)
        except (OSError, ImportError, ValueError, SystemExit) as error:
            tried.append(f"  {what}: {error or type(error).__name__}")
    advice = f"put {name}.npz (X_train, y_train, X_test, y_test) into the folder that MOELIGA_DATA names"
    if name in FACTS and FACTS[name].files:
        advice += (f", or set it to the folder data/ of a copy of {REPOSITORY} that holds "
                   f"{' and '.join(FACTS[name].files)}")
    raise SystemExit("\n".join([f"the data set {name!r} cannot be had; tried", *tried, f"What to do: {advice}."]))


def in_folder(name):
    """An NPZ file of the folder; with an empty test part it has none."""
    X_train, y_train, X_test, y_test = load(name)
    in_test = np.arange(len(y_train) + len(y_test)) >= len(y_train) if len(y_test) else None
    return DataSet(name, np.vstack((X_train, X_test)), np.concatenate((y_train, y_test)), in_test,
                   f"{name}.npz of the local folder")


def from_arff(name):
    """The authors' two ARFF files."""
    if name not in FACTS or not FACTS[name].files:
        raise ValueError("none are known")
    parts = []
    for file in FACTS[name].files:
        path = folder() / file
        if not path.is_file():
            raise FileNotFoundError(f"{path} is not there")
        parts.append(read_table(path, last_attribute(path)))
    X = np.vstack([part.X for part in parts])
    _, y = np.unique(np.concatenate([part.y for part in parts]), return_inverse=True)
    in_test = np.arange(len(y)) >= len(parts[0].y)
    return DataSet(name, X, y, in_test, f"the authors' {' and '.join(FACTS[name].files)}")


def last_attribute(path):
    """Return the name of the last attribute of an ARFF file: the class, in the authors' files."""
    names = re.findall(r"""^\s*@attribute\s+('.*?'|".*?"|\S+)""", path.read_text(encoding="utf-8"), re.I | re.M)
    if not names:
        raise ValueError(f"{path}: no attributes")
    return names[-1].strip("'\"")


def from_network(name):
    """OpenML, or UCI."""
    if name not in FACTS:
        raise ValueError(f"it is none of the paper's: {', '.join(FACTS)}")
    facts = FACTS[name]
    if not (facts.openml or facts.url):
        raise ValueError("neither has it")
    X, labels, _ = sources.download(name, facts)
    _, y = np.unique(labels, return_inverse=True)
    where = f"OpenML {', '.join(map(str, facts.openml))}" if facts.openml else facts.url
    return DataSet(name, X, y, None, where)


PLACES = {"NPZ file": in_folder, "the authors' ARFF files": from_arff, "OpenML and UCI": from_network}
"""Where `whole` looks, in this order."""


def main():
    """Print the table of data sets."""
    at_hand = set(names()) if Path(os.environ.get("MOELIGA_DATA", DEFAULT)).is_dir() else set()
    columns = ("data set", "samples", "features", "classes", "in the paper", "k", "source", "own split", "note")
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    for name, facts in FACTS.items():
        source = f"OpenML {', '.join(map(str, facts.openml))}" if facts.openml else "UCI 401" if facts.url else ""
        source = "local folder" if name in at_hand else source or "the authors' files only"
        row = (name, facts.samples, facts.features, facts.classes, facts.printed or "the same", facts.k, source,
               "the authors'" if facts.own else "none of the authors'", facts.note)
        print("| " + " | ".join(map(str, row)) + " |")


if __name__ == "__main__":
    main()
