"""What all readers of data files share: the table they make, cells as numbers, names and labels, messages."""

import math
from contextlib import contextmanager
from dataclasses import dataclass, field

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
        Columns that are no features and belong to the samples, such as groups.
    dropped : tuple of int
        Places in an array of an NPZ archive that are left out of X.
    """

    X: np.ndarray
    y: np.ndarray
    feature_names: np.ndarray
    metadata: dict = field(default_factory=dict)
    dropped: tuple = ()


@contextmanager
def text_file(path, newline=None):
    """Context in which a text file is read, UTF-8 with or without a byte order mark; it yields the open file.

    Raises
    ------
    ValueError : naming the file, if it is not UTF-8.
    OSError : if it cannot be read.
    """
    with open(path, newline=newline, encoding="utf-8-sig") as file:
        try:
            yield file
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: not UTF-8 text, found the byte {error.object[error.start]:#04x}") from error


def table_of_rows(path, names, rows, target, drop, metadata, markers=MISSING):
    """The table of a text file.

    Parameters
    ----------
    path : str or path
        For messages.
    names : list of str
    rows : iterable of (str, list)
        For each row where it is, for messages, and its cells: str, or None = missing.
    target, drop, metadata
        As for `read_table`.
    markers : tuple of str
        Labels that stand for a missing one.

    Raises
    ------
    ValueError : naming the file, the place in it and the value.
    """
    check_columns(path, names, target, drop, metadata)
    places = {"target": names.index(target), **{name: names.index(column) for name, column in metadata.items()}}
    apart = set(drop) | {target} | set(metadata.values())
    chosen = [i for i, name in enumerate(names) if name not in apart]
    features = [names[i] for i in chosen]
    numbers, labels = [], {name: [] for name in places}
    for where, cells in rows:
        if len(cells) != len(names):
            raise ValueError(f"{where}: {count(len(cells), 'value')}, but the header names {len(names)}")
        for name, place in places.items():
            cell = cells[place]
            if cell is None or cell.strip().lower() in markers:
                raise ValueError(f"{where}: the {name} {names[place]!r} is missing, got "
                                 f"{'?' if cell is None else cell!r}")
            if "\0" in cell:  # NumPy takes text with null characters at its end for text without
                raise ValueError(f"{where}: the {name} {names[place]!r} must hold no null character, got {cell!r}")
            labels[name].append(cell.strip())
        numbers.append(parse_row([cells[i] for i in chosen], features, where))
    if not numbers:
        raise ValueError(f"{path}: no rows below the names of the columns")
    y, *others = (parse_labels(column) for column in labels.values())
    table = Table(np.array(numbers), y, np.array(features), dict(zip(metadata, others, strict=True)))
    return check_weights(path, table, metadata)


def check_columns(path, names, target, drop, metadata):
    """Refuse names that a table with one target, features and `metadata` cannot have."""
    if not names:
        raise ValueError(f"{path}: the file is empty; its first line must name the columns")
    for i, name in enumerate(names):
        if not name and "" not in drop:
            raise ValueError(f"{path}: column {i + 1} has no name; name it, or leave it out with --drop ''")
    check_names(path, [name for name in names if name])
    if target is None:
        raise ValueError(f"{path}: name the column of the class labels (--target); {listed(names)}")
    for what, column in (("target", target), *metadata.items()):
        if column not in names:
            text = str(path).lower().endswith((".csv", ".tsv", ".txt"))
            hint = "; with another --separator there may be more" if text and len(names) == 1 else ""
            raise ValueError(f"{path}: no column {column!r}; {listed(names)}{hint}")
        if column in drop:
            raise ValueError(f"{path}: the {what} {column!r} must not be dropped")
    check_apart(path, target, metadata)
    check_known(path, drop, names, "column to drop")
    apart = {target, *drop, *metadata.values()}
    if apart.issuperset(names):
        also = "" if set(names) <= {target, *drop} else ", and what belongs to the samples"
        raise ValueError(f"{path}: no features, only the target {target!r}{also}")


def check_apart(path, target, metadata):
    """Refuse one column for two purposes."""
    taken = {target: "target"}
    for what, column in metadata.items():
        if column in taken:
            raise ValueError(f"{path}: {column!r} must not be both the {taken[column]} and the {what}")
        taken[column] = what


def check_weights(path, table, metadata):
    """`table`, its sample weights numbers; refused if they are none, or below 0."""
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


def parse_row(cells, features, where):
    """Numbers of one row: ndarray of float64, NaN where missing."""
    try:
        row = np.array([float(cell) for cell in cells])
        if np.isfinite(row).all() and "_" not in "".join(cells):
            return row
    except (TypeError, ValueError):
        pass
    row = [parse_cell(cell) for cell in cells]
    if None in row:
        i = row.index(None)
        raise ValueError(f"{where}: column {features[i]!r} must hold finite numbers, got {cells[i]!r} (encode it as "
                         f"numbers, or leave the column out with --drop)")
    return np.array(row)


def parse_cell(cell):
    """Number in one cell: NaN if it is missing, None if there is no finite number."""
    if cell is None or cell.strip().lower() in MISSING:
        return math.nan
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in cell else None  # Python would read 1_2 as 12


def parse_labels(labels):
    """Class labels as int or float where all of them are finite numbers, different ones where the text is; else as
    text."""
    for kind in () if "_" in "".join(labels) else (int, float):  # Python would read 1_2 as 12
        try:
            numbers = np.array([kind(label) for label in labels])
        except ValueError:
            continue
        if numbers.dtype.kind in "if" and np.isfinite(numbers).all() and len(np.unique(numbers)) == len(set(labels)):
            return numbers
    return np.array(labels)


def check_plain(path, what, values):
    """Refuse an array that is no text, numbers or booleans, or text with characters that there are not."""
    if values.dtype.kind not in "biufU":
        raise ValueError(f"{path}: {what} must hold text, numbers or booleans, got {values.dtype}")
    if values.dtype.kind == "U" and values.nbytes:
        characters = np.ascontiguousarray(values).view(np.dtype(np.uint32).newbyteorder(values.dtype.byteorder))
        if characters.max() > 0x10FFFF:
            raise ValueError(f"{path}: {what} must hold text, got characters beyond U+10FFFF")


def check_names(path, names):
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


def check_known(path, drop, names, what):
    known = set(names)
    for name in drop:
        if name not in known:
            raise ValueError(f"{path}: no {what} is called {name!r}; {listed(names)}")


def check_finite(path, X, names, what="the table"):
    """Refuse infinite numbers."""
    infinite = np.argwhere(np.isinf(X))
    if len(infinite):
        row, feature = infinite[0]
        raise ValueError(f"{path}: {what} must be finite, got {X[row, feature]} in row {row}, feature "
                         f"{names[feature]!r}")


def listed(names, noun="column"):
    """The first names, and how many there are, for messages."""
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"{'there is' if len(names) == 1 else 'there are'} {count(len(names), noun)}: {shown}"
