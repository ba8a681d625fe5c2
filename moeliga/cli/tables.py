"""Reading data files: CSV, NPZ, ARFF and Parquet into X, y and feature names.

Largest file: the whole table is held in memory, as float64 from CSV and ARFF and as it is stored from NPZ and Parquet.
"""

import csv
import zipfile
from pathlib import Path

import numpy as np

from moeliga.cli.arff import read_arff
from moeliga.cli.cells import (
    Table,
    check_apart,
    check_finite,
    check_known,
    check_names,
    check_plain,
    check_weights,
    listed,
    table_of_rows,
    text_file,
)
from moeliga.cli.parquet import read_parquet

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}


def read_table(path, target=None, *, drop=(), separator=None, metadata=None):
    """Read a data set.

    Parameters
    ----------
    path : str or path
        ``.npz``: see `read_npz`; ``.arff``: see `moeliga.cli.arff`; ``.parquet``: see `moeliga.cli.parquet`; ``.csv``,
        ``.tsv`` or ``.txt``: see `read_csv`.
    target : str or None, default=None
        Column of the class labels, or the array of them (NPZ; None = y, or y_train). Needed but for NPZ.
    drop : sequence of str, default=()
        Columns that are no features.
    separator : str or None, default=None
        Between the values of a CSV file; None = a tab for ``.tsv``, else a comma.
    metadata : dict from str to str, or None, default=None
        Columns, or arrays of an NPZ archive, that belong to the samples and are no features, by what they are:
        "groups", "sample_weight".

    Returns
    -------
    table : Table

    Raises
    ------
    ImportError : for Parquet, if pyarrow is not installed.
    ValueError : naming the file, the place in it and the value.
    OSError : if the file cannot be read.
    """
    kind, metadata = Path(path).suffix.lower(), metadata or {}
    if kind in SEPARATORS:
        return read_csv(path, target, drop, metadata, SEPARATORS[kind] if separator is None else separator)
    readers = {".npz": read_npz, ".arff": read_arff, ".parquet": read_parquet}
    if kind not in readers:
        raise ValueError(f"{path}: the name must end in .csv, .tsv, .txt, .npz, .arff or .parquet")
    if separator is not None:
        raise ValueError(f"{path}: a separator is for CSV files only, got {separator!r}")
    return readers[kind](path, target, drop, metadata)


def read_csv(path, target, drop, metadata, separator):
    """Read a text file: UTF-8, the first line names the columns, features are numbers, values may be quoted."""
    if len(separator) != 1 or separator in '"\r\n':
        raise ValueError(f"the separator must be one character, and no quote or line end, got {separator!r}")
    with text_file(path, newline="") as file:
        lines = csv.reader(file, delimiter=separator, strict=True)
        try:
            names = [name.strip() for name in next(filter(None, lines), [])]
            rows = ((f"{path}, line {lines.line_num}", cells) for cells in filter(None, lines))
            return table_of_rows(path, names, rows, target, drop, metadata)
        except csv.Error as error:
            raise ValueError(f"{path}, line {lines.line_num}: {error}") from error


def read_npz(path, target, drop, metadata):
    """Read an NPZ archive without pickle.

    It holds X and y, or X_train and y_train (any other X_test, y_test is left alone); optionally feature_names (none:
    x0, x1, ...) and classes, the names that the integers in y or y_train stand for.
    """
    arrays = load_arrays(path, {"X", "X_train", "y", "y_train", "feature_names", "classes", target,
                                *metadata.values()})
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
    check_plain(path, y_name, y)
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise ValueError(f"{path}: {y_name} is missing (NaN) in row {np.flatnonzero(np.isnan(y))[0]}")
    classes = arrays.get("classes", np.zeros(0))
    if classes.size and y_name in ("y", "y_train"):
        if classes.ndim != 1 or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= len(classes):
            raise ValueError(f"{path}: {y_name} must hold places in classes, integers from 0 to {classes.size - 1}")
        check_plain(path, "classes", classes)
        y = classes[y]
    names = arrays.get("feature_names", np.zeros(0))
    check_plain(path, "feature_names", names)
    names = names.astype(str)
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
    with np.errstate(over="ignore"):  # longer numbers than float64 may be beyond it
        X = X if kept.all() else X[:, kept]
        X = X.astype(np.float32 if X.dtype == np.float32 else np.float64, copy=False)
    check_finite(path, X, names[kept].tolist(), X_name)
    others = {what: sample_array(path, arrays, name, what, len(X)) for what, name in metadata.items()}
    check_apart(path, y_name, metadata)
    table = Table(X, y, names[kept], others, tuple(np.flatnonzero(~kept).tolist()))
    return check_weights(path, table, metadata)


def sample_array(path, arrays, name, what, n_samples):
    """An array with one entry a row, nothing missing."""
    if arrays.get(name) is None:
        raise ValueError(f"{path}: no array {name}; {listed(sorted(arrays), 'array')}")
    values = arrays[name]
    if values.shape != (n_samples,):
        raise ValueError(f"{path}: {name} must have the shape ({n_samples},), one of the {what} a row, got "
                         f"{values.shape}")
    check_plain(path, name, values)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{path}: {name} is missing (NaN) in row {np.flatnonzero(np.isnan(values))[0]}")
    return values


def load_arrays(path, wanted):
    """Arrays of an NPZ archive by name; None for those that are not wanted."""
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError(f"{path}: not an NPZ archive")
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] if name in wanted else None for name in archive.files}
        except Exception as error:  # whatever bytes may be in the file
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise ValueError(f"{path}: {error}") from error
    for name, array in arrays.items():
        if isinstance(array, bytes):  # what NumPy gives for an entry that is no array
            raise ValueError(f"{path}: {name} is no array")
    return arrays
