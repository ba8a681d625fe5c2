"""Read NPZ archives into a `Table`, with NumPy."""

import zipfile

import numpy as np

from moeliga.cli.names import check_names, column_purposes, listed, matching_names
from moeliga.cli.table import Table, check_features, convert_weights
from moeliga.cli.text_files import translate_errors


def read_npz(path, target, drop, metadata, encoding):
    """Return the `Table` of an NPZ archive, read without pickle; `encoding` has no effect, as X has no text.

    The archive holds X and y, or X_train and y_train (X_test and y_test are ignored); perhaps feature_names (default:
    x0, x1, ...) and classes, the names that the integers in y or y_train stand for.
    """
    arrays = load_arrays(path, {"X", "X_train", "y", "y_train", "feature_names", "classes", target, *metadata.values()})
    X_name = "X" if "X" in arrays else "X_train"
    y_name = target if target is not None else X_name.replace("X", "y")
    X = required_array(path, arrays, X_name, "X or X_train")
    y = required_array(path, arrays, y_name, y_name)
    if X.ndim != 2 or X.dtype.kind not in "biuf" or 0 in X.shape:
        raise ValueError(f"{path}: {X_name} must be a table of numbers, got {X.dtype} of shape {X.shape}")
    check_samples(path, y_name, y, len(X), "label")
    classes = arrays.get("classes", np.zeros(0))
    if classes.size and y_name in ("y", "y_train"):
        if classes.ndim != 1 or y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= len(classes):
            raise ValueError(f"{path}: {y_name} must hold indices of classes, integers from 0 to {classes.size - 1}")
        check_plain_values(path, "classes", classes)
        y = classes[y]
    names = arrays.get("feature_names", np.zeros(0))
    check_plain_values(path, "feature_names", names)
    names = names.astype(str) if names.size else np.array([f"x{f}" for f in range(X.shape[1])])
    if names.shape != (X.shape[1],):
        raise ValueError(f"{path}: feature_names must have the shape ({X.shape[1]},), a name for each column of "
                         f"{X_name}, got {names.shape}")
    check_names(path, names.tolist())
    drop = matching_names(path, drop, names.tolist(), "feature to drop")
    kept = ~np.isin(names, drop)
    if not kept.any():
        raise ValueError(f"{path}: no features, all are dropped")
    with np.errstate(over="ignore"):  # longdouble numbers beyond float64 become infinite
        X = X if kept.all() else X[:, kept]
        X = X.astype(np.float32 if X.dtype == np.float32 else np.float64, copy=False)
    check_features(path, X, names[kept].tolist(), {})
    others = {what: required_array(path, arrays, name, name) for what, name in metadata.items()}
    for what, values in others.items():
        check_samples(path, metadata[what], values, len(X), f"of the {what}")
    column_purposes(path, y_name, metadata)
    convert_weights(path, others, metadata)
    return Table(X, y, names[kept], others, tuple(np.flatnonzero(~kept).tolist()), tuple(drop))


def load_arrays(path, wanted):
    """Return the arrays of an NPZ archive by name (dict), with None for arrays that are not in `wanted`."""
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError(f"{path}: not an NPZ archive")
        file.seek(0)
        with translate_errors(path), np.load(file, allow_pickle=False) as archive:
            arrays = {name: loaded(archive, name) if name in wanted else None for name in archive.files}
    for name, array in arrays.items():
        if isinstance(array, bytes):  # what NumPy returns for an entry that is no array
            raise ValueError(f"{path}: {name} is no array")
    return arrays


def loaded(archive, name):
    """Return an array of an archive; for one of Python objects raise a ValueError that says what to save instead."""
    try:
        return archive[name]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        kind = "float" if name in ("X", "X_train") else "str"
        raise ValueError(f"{name} must hold text, numbers or booleans, got Python objects, which only pickle could "
                         f"load; save {name}.astype({kind})") from error


def required_array(path, arrays, name, called):
    """Return an array by its name; if there is none, raise a ValueError that calls it `called`."""
    if arrays.get(name) is None:
        raise ValueError(f"{path}: no array {called}; {listed(sorted(arrays), 'array')}")
    return arrays[name]


def check_samples(path, name, values, n_samples, what):
    """Raise ValueError unless an array has one value for each row of X, and none is NaN."""
    if values.shape != (n_samples,):
        raise ValueError(f"{path}: {name} must have the shape ({n_samples},), one {what} a row, got {values.shape}")
    check_plain_values(path, name, values)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{path}: {name} is missing (NaN) in row {np.flatnonzero(np.isnan(values))[0]}")


def check_plain_values(path, what, values):
    """Raise ValueError unless an array holds numbers, booleans or text of existing characters."""
    if values.dtype.kind not in "biufU":
        raise ValueError(f"{path}: {what} must hold text, numbers or booleans, got {values.dtype}")
    if values.dtype.kind == "U" and values.nbytes:
        characters = np.ascontiguousarray(values).view(np.dtype(np.uint32).newbyteorder(values.dtype.byteorder))
        if characters.max() > 0x10FFFF:
            raise ValueError(f"{path}: {what} must hold text, got characters beyond U+10FFFF")
