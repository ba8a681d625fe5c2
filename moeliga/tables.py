"""Reading data files: CSV and NPZ into X, y and feature names.

Largest file: the whole table is held in memory, as float64 from CSV and as it is stored from NPZ.
"""

import csv
import math
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

MISSING = ("", "?", "na", "nan")
"""Cells that stand for a missing value, whatever their case and the spaces around them."""

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}


@dataclass(frozen=True, eq=False)
class Table:
    """A data set as read.

    Attributes
    ----------
    X : ndarray of float32 or float64, shape (n_samples, n_features); NaN = missing, no infinity
    y : ndarray, shape (n_samples,); nothing missing
    feature_names : ndarray of str, shape (n_features,), distinct, each one line
    """

    X: np.ndarray
    y: np.ndarray
    feature_names: np.ndarray


def read_table(path, target=None, *, drop=(), separator=None):
    """Read a data set.

    Parameters
    ----------
    path : str or path
        ``.npz``: see `read_npz`; ``.csv``, ``.tsv`` or ``.txt``: see `read_csv`.
    target : str or None, default=None
        Column of the class labels (needed for CSV), or the array of them (NPZ; None = y, or y_train).
    drop : sequence of str, default=()
        Columns that are no features.
    separator : str or None, default=None
        Between the values of a CSV file; None = a tab for ``.tsv``, else a comma.

    Returns
    -------
    table : Table

    Raises
    ------
    ValueError : naming the file, the place in it and the value.
    OSError : if the file cannot be read.
    """
    kind = Path(path).suffix.lower()
    if kind == ".npz":
        if separator is not None:
            raise ValueError(f"{path}: a separator is for CSV files only, got {separator!r}")
        return read_npz(path, target, drop)
    if kind not in SEPARATORS:
        raise ValueError(f"{path}: the name must end in .csv, .tsv, .txt or .npz")
    return read_csv(path, target, drop, SEPARATORS[kind] if separator is None else separator)


def read_csv(path, target, drop, separator):
    """Read a text file: UTF-8, the first line names the columns, features are numbers, values may be quoted."""
    if len(separator) != 1 or separator in '"\r\n':
        raise ValueError(f"the separator must be one character, and no quote or line end, got {separator!r}")
    with open(path, newline="", encoding="utf-8-sig") as file:
        lines = csv.reader(file, delimiter=separator, strict=True)
        try:
            names = [name.strip() for name in next(filter(None, lines), [])]
            place = check_columns(path, names, target, drop)
            chosen = [i for i, name in enumerate(names) if i != place and name not in drop]
            features = [names[i] for i in chosen]
            rows, labels = [], []
            for cells in filter(None, lines):
                where = f"{path}, line {lines.line_num}"
                if len(cells) != len(names):
                    raise ValueError(f"{where}: {count(len(cells), 'value')}, but the header names {len(names)}")
                label = cells[place].strip()
                if label.lower() in MISSING:
                    raise ValueError(f"{where}: the target {target!r} is missing, got {cells[place]!r}")
                labels.append(label)
                rows.append(parse_row([cells[i] for i in chosen], features, where))
        except UnicodeDecodeError as error:
            raise ValueError(f"{path}: not UTF-8 text, found the byte {error.object[error.start]:#04x}") from error
        except csv.Error as error:
            raise ValueError(f"{path}, line {lines.line_num}: {error}") from error
    if not rows:
        raise ValueError(f"{path}: no rows below the names of the columns")
    return Table(np.array(rows), parse_labels(labels), np.array(features))


def check_columns(path, names, target, drop):
    """Place of the target among the columns of a CSV file."""
    if not names:
        raise ValueError(f"{path}: the file is empty; its first line must name the columns")
    for i, name in enumerate(names):
        if not name and "" not in drop:
            raise ValueError(f"{path}: column {i + 1} has no name; name it, or leave it out with --drop ''")
    check_names(path, [name for name in names if name])
    if target is None:
        raise ValueError(f"{path}: name the column of the class labels (--target); {listed(names)}")
    if target not in names:
        hint = "" if len(names) > 1 else "; with another --separator there may be more"
        raise ValueError(f"{path}: no column {target!r}; {listed(names)}{hint}")
    check_known(path, drop, names, "column to drop")
    if target in drop:
        raise ValueError(f"{path}: the target {target!r} must not be dropped")
    if all(name == target or name in drop for name in names):
        raise ValueError(f"{path}: no features, only the target {target!r}")
    return names.index(target)


def parse_row(cells, features, where):
    """Numbers of one row: ndarray of float64, NaN where missing."""
    try:
        row = np.array([float(cell) for cell in cells])
        if np.isfinite(row).all() and "_" not in "".join(cells):
            return row
    except ValueError:
        pass
    row = [parse_cell(cell) for cell in cells]
    if None in row:
        i = row.index(None)
        raise ValueError(f"{where}: column {features[i]!r} must hold finite numbers, got {cells[i]!r} (encode it as "
                         f"numbers, or leave the column out with --drop)")
    return np.array(row)


def parse_cell(cell):
    """Number in one cell: NaN if it is missing, None if there is no finite number."""
    if cell.strip().lower() in MISSING:
        return math.nan
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in cell else None  # Python would read 1_2 as 12


def parse_labels(labels):
    """Class labels as int or float where all of them are numbers, different ones where the text is; else as text."""
    for kind in (int, float):
        try:
            numbers = np.array([kind(label) for label in labels])
        except ValueError:
            continue
        if numbers.dtype.kind in "if" and len(np.unique(numbers)) == len(set(labels)):
            return numbers
    return np.array(labels)


def read_npz(path, target, drop):
    """Read an NPZ archive without pickle.

    It holds X and y, or X_train and y_train (any other X_test, y_test is left alone); optionally feature_names (none:
    x0, x1, ...) and classes, the names that the integers in y or y_train stand for.
    """
    arrays = load_arrays(path, {"X", "X_train", "y", "y_train", "feature_names", "classes", target})
    X_name = "X" if "X" in arrays else "X_train"
    y_name = target if target is not None else X_name.replace("X", "y")
    X, y = (arrays.get(name) for name in (X_name, y_name))
    if X is None or y is None:
        raise ValueError(f"{path}: no array {'X or X_train' if X is None else y_name}; "
                         f"{listed(sorted(arrays), 'array')}")
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise ValueError(f"{path}: {X_name} must be a table of numbers, got {X.dtype} of shape {X.shape}")
    if y.shape != (len(X),):
        raise ValueError(f"{path}: {y_name} must have the shape ({len(X)},), one label a row, got {y.shape}")
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise ValueError(f"{path}: {y_name} is missing (NaN) in row {np.flatnonzero(np.isnan(y))[0]}")
    classes = arrays.get("classes", np.zeros(0))
    if classes.size and y_name in ("y", "y_train"):
        if classes.ndim != 1 or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= len(classes):
            raise ValueError(f"{path}: {y_name} must hold places in classes, integers from 0 to {classes.size - 1}")
        y = classes[y]
    names = arrays.get("feature_names", np.zeros(0)).astype(str)
    if not names.size:
        names = np.array([f"x{f}" for f in range(X.shape[1])])
    if names.shape != (X.shape[1],):
        raise ValueError(f"{path}: feature_names must have the shape ({X.shape[1]},), a name for each column of "
                         f"{X_name}, got {names.shape}")
    check_names(path, names.tolist())
    check_known(path, drop, names.tolist(), "feature to drop")
    kept = ~np.isin(names, list(drop))
    if not kept.any():
        raise ValueError(f"{path}: no features, all are dropped")
    X = X[:, kept].astype(np.float32 if X.dtype == np.float32 else np.float64)
    infinite = np.argwhere(np.isinf(X))
    if len(infinite):
        row, feature = infinite[0]
        raise ValueError(f"{path}: {X_name} must be finite, got {X[row, feature]} in row {row}, feature "
                         f"{names[kept].tolist()[feature]!r}")
    return Table(X, y, names[kept])


def load_arrays(path, wanted):
    """Arrays of an NPZ archive by name; None for those that are not wanted."""
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError(f"{path}: not an NPZ archive")
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as archive:
                return {name: archive[name] if name in wanted else None for name in archive.files}
        except (ValueError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"{path}: {error}") from error


def check_names(path, names):
    seen = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{path}: two columns are called {name!r}")
        if name.splitlines() != [name]:
            raise ValueError(f"{path}: the name of a column must be one line, got {name!r}")
        seen.add(name)


def check_known(path, drop, names, what):
    for name in drop:
        if name not in names:
            raise ValueError(f"{path}: no {what} is called {name!r}; {listed(names)}")


def listed(names, noun="column"):
    """The first names, and how many there are, for messages."""
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"{'there is' if len(names) == 1 else 'there are'} {count(len(names), noun)}: {shown}"


def count(n, noun):
    return f"{n} {noun}{'' if n == 1 else 's'}"
