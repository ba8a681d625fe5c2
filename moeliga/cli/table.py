"""A data set as it comes from a file, and the rules that the readers of all formats share."""

import math
import shlex
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from moeliga.base.text import count

MISSING = ("", "?", "na", "nan")
"""Cells of text that stand for a missing value, whatever their case and the spaces around them."""


@dataclass(frozen=True, eq=False)
class Table:
    """A data set as read.

    Attributes
    ----------
    X : ndarray of float32 or float64, shape (n_samples, n_features); NaN = missing, no infinity
    y : ndarray, shape (n_samples,); nothing missing
    feature_names : ndarray of str, shape (n_features,), distinct, each one line
    metadata : dict from str to ndarray, shape (n_samples,); nothing missing
        Columns that are no features and belong to the samples: "groups" and "sample_weight".
    dropped : tuple of int
        Places in an array of an NPZ archive that are left out of X.
    """

    X: np.ndarray
    y: np.ndarray
    feature_names: np.ndarray
    metadata: dict = field(default_factory=dict)
    dropped: tuple = ()


@dataclass(frozen=True)
class Roles:
    """The columns of a file, and what each is for.

    Attributes
    ----------
    path : str or path
        Of the file, for messages.
    names : list of str
        Of the columns, in order.
    target : str or None
        Column of the class labels.
    drop : sequence of str
        Columns to leave out.
    metadata : dict from str to str
        Columns that belong to the samples, by what they are: "groups", "sample_weight".

    Raises
    ------
    ValueError : naming the file and the column, if the columns cannot have these roles.
    """

    path: object
    names: list
    target: str | None
    drop: tuple
    metadata: dict

    def __post_init__(self):
        path, names, drop = self.path, self.names, self.drop
        if not names:
            raise ValueError(f"{path}: the file is empty; its first line must name the columns")
        for i, name in enumerate(names):
            if not name and "" not in drop:
                raise ValueError(f"{path}: column {i + 1} has no name; name it, or leave it out with --drop ''")
        check_names(path, [name for name in names if name])
        if self.target is None:
            raise ValueError(f"{path}: name the column of the class labels (--target); {listed(names)}")
        for what, column in (("target", self.target), *self.metadata.items()):
            if column not in names:
                text = str(path).lower().endswith((".csv", ".tsv", ".txt"))
                hint = "; with another --separator there may be more" if text and len(names) == 1 else ""
                raise ValueError(f"{path}: no column {column!r}; {listed(names)}{hint}")
            if column in drop:
                raise ValueError(f"{path}: the {what} {column!r} must not be dropped")
        check_apart(path, self.target, self.metadata)
        check_known(path, drop, names, "column to drop")
        if not self.features:
            also = "" if set(names) <= {self.target, *drop} else ", and what belongs to the samples"
            raise ValueError(f"{path}: no features, only the target {self.target!r}{also}")

    @cached_property
    def kept(self):
        """Columns that are neither features nor dropped: dict from str to what they are."""
        return {self.target: "target", **{column: what for what, column in self.metadata.items()}}

    @cached_property
    def features(self):
        """Names of the features, in the order of the columns."""
        apart = {*self.kept, *self.drop}
        return [name for name in self.names if name not in apart]

    def table(self, X, labels, unusable):
        """Return the `Table` of the features `X` and the arrays of the `kept` columns, by their names.

        `unusable` says of features that are no numbers what is found in them: dict from name to str.
        """
        found = {**infinite_features(X, self.features), **unusable}
        refuse_features(self.path, {name: found[name] for name in self.features if name in found})
        metadata = {what: labels[column] for what, column in self.metadata.items()}
        table = Table(X, labels[self.target], np.array(self.features), metadata)
        return check_weights(self.path, table, self.metadata)


def infinite_features(X, names):
    """Return what is found in the features with an infinite number: dict from name to str."""
    infinite = np.isinf(X)
    columns = np.flatnonzero(infinite.any(axis=0))
    rows = infinite[:, columns].argmax(axis=0)
    return {names[f]: f"{X[row, f]} in row {row}" for f, row in zip(columns.tolist(), rows.tolist(), strict=True)}


def refuse_features(path, unusable):
    """Raise one ValueError that names all features that are not finite numbers: dict from name to what is found."""
    if unusable:
        found = ", ".join(f"{name!r} ({what})" for name, what in unusable.items())
        drop = " ".join(f"--drop {shlex.quote(name)}" for name in unusable)
        raise ValueError(f"{path}: features must be finite numbers, but {count(len(unusable), 'column')} "
                         f"{'is' if len(unusable) == 1 else 'are'} not: {found}; encode as numbers, or leave out with "
                         f"{drop}")


def text_table(roles, columns, n_rows, missing=MISSING):
    """Return the `Table` of columns of numbers and of text.

    Parameters
    ----------
    roles : Roles
    columns : iterable of ndarray of numbers, or of list of str and None
        In the order of the names; None = missing.
    n_rows : int
    missing : tuple of str
        Labels that stand for a missing one.

    Raises
    ------
    ValueError : naming the file, all features that cannot be used, or the row of a label, from 0, and its value.
    """
    if not n_rows:
        raise ValueError(f"{roles.path}: no rows below the names of the columns")
    places = {name: f for f, name in enumerate(roles.features)}
    X, labels, unusable = np.zeros((n_rows, len(places))), {}, {}
    for name, column in zip(roles.names, columns, strict=True):
        if name in roles.kept:
            labels[name] = parse_labels([label.strip() for label in checked_labels(roles, name, column, missing)])
        elif name in places and isinstance(column, np.ndarray):
            X[:, places[name]] = column
        elif name in places:
            numbers = [parse_cell(cell) for cell in column]
            if None in numbers:
                unusable[name] = f"text, {column[numbers.index(None)]!r} in row {numbers.index(None)}"
            else:
                X[:, places[name]] = numbers
    return roles.table(X, labels, unusable)


def checked_labels(roles, name, column, missing):
    """Return a column of labels as it is; refused where one is missing."""
    for row, label in enumerate(column):
        is_text, what = isinstance(label, str), f"{roles.path}, row {row}: the {roles.kept[name]} {name!r}"
        if label is None or label != label or (is_text and label.strip().lower() in missing):
            raise ValueError(f"{what} is missing, got {'nothing' if label is None else repr(label)}")
        if is_text and "\0" in label:  # NumPy takes text with null characters at its end for text without
            raise ValueError(f"{what} must hold no null character, got {label!r}")
    return column


def check_apart(path, target, metadata):
    """Refuse one column for two purposes."""
    taken = {target: "target"}
    for what, column in metadata.items():
        if column in taken:
            raise ValueError(f"{path}: {column!r} must not be both the {taken[column]} and the {what}")
        taken[column] = what


def check_weights(path, table, metadata):
    """Return `table` with its sample weights as numbers; refuse weights that are no numbers or below 0."""
    weights = table.metadata.get("sample_weight")
    if weights is not None:
        if weights.dtype.kind not in "iuf":  # text stays text where one number is written in two ways, like 1 and 1.0
            numbers = [parse_cell(str(value)) for value in weights.tolist()]
            if None in numbers:
                raise ValueError(f"{path}: the sample_weight {metadata['sample_weight']!r} must hold finite numbers, "
                                 f"got {weights[numbers.index(None)].item()!r}")
            weights = table.metadata["sample_weight"] = np.array(numbers, dtype=np.float64)
        bad = ~(np.isfinite(weights) & (weights >= 0))
        if bad.any():
            raise ValueError(f"{path}: the sample_weight {metadata['sample_weight']!r} must be finite and >= 0, got "
                             f"{weights[bad][0]} in row {np.flatnonzero(bad)[0]}")
    return table


def parse_cell(cell):
    """Return the number in a cell: NaN if it is missing, None if it holds no finite number."""
    if cell is None or cell.strip().lower() in MISSING:
        return math.nan
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in cell else None  # Python would read 1_2 as 12


def parse_labels(labels):
    """Return class labels as int or float where all are finite numbers, and different where the texts are; else as
    text."""
    for kind in () if "_" in "".join(labels) else (int, float):  # Python would read 1_2 as 12
        try:
            numbers = np.array([kind(label) for label in labels])
        except ValueError:
            continue
        if numbers.dtype.kind in "if" and np.isfinite(numbers).all() and len(np.unique(numbers)) == len(set(labels)):
            return numbers
    return np.array(labels)


def check_names(path, names):
    """Refuse names of columns that come twice, are no line of text, or cannot be written."""
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{path}: two columns are called {name!r}")
        if name.splitlines() != [name]:
            raise ValueError(f"{path}: the name of a column must be one line, got {name!r}")
        if "\0" in name or any("\ud800" <= character <= "\udfff" for character in name):
            raise ValueError(f"{path}: the name of a column must be text that UTF-8 can hold, without null characters, "
                             f"got {name!r}")
        seen.add(name)


def check_known(path, chosen, names, what):
    """Refuse a name that is not among `names`."""
    known = set(names)
    for name in chosen:
        if name not in known:
            raise ValueError(f"{path}: no {what} is called {name!r}; {listed(names)}")


def listed(names, noun="column"):
    """Return the number of names and the first of them, for messages."""
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"{'there is' if len(names) == 1 else 'there are'} {count(len(names), noun)}: {shown}"


@contextmanager
def text_file(path):
    """Open a text file for reading, UTF-8 with or without a byte order mark, for the time of a context.

    Raises
    ------
    ValueError : naming the file, if it is not UTF-8.
    OSError : if it cannot be read.
    """
    with open(path, newline="", encoding="utf-8-sig") as file:
        try:
            yield file
        except UnicodeDecodeError as error:
            raise no_text(path, error) from error


@contextmanager
def library(path):
    """Turn whatever a library raises on the bytes of a file into a ValueError that names the file.

    Errors of the system, such as a file that is not there, stay what they are: only they name a file.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise no_text(path, error) from error
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        raise ValueError(f"{path}: {error or type(error).__name__}") from error


def no_text(path, error):
    """Return the ValueError for a file with a byte that is not UTF-8."""
    return ValueError(f"{path}: not UTF-8 text, found the byte {error.object[error.start]:#04x}")
