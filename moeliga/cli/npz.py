"""Reading NPZ archives of NumPy, without pickle."""

import zipfile

import numpy as np

from moeliga.cli.table import (
    Table,
    check_apart,
    check_known,
    check_names,
    check_weights,
    infinite_features,
    library,
    listed,
    refuse_features,
)


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
    refuse_features(path, infinite_features(X, names[kept].tolist()))
    others = {what: sample_array(path, arrays, name, what, len(X)) for what, name in metadata.items()}
    check_apart(path, y_name, metadata)
    table = Table(X, y, names[kept], others, tuple(np.flatnonzero(~kept).tolist()))
    return check_weights(path, table, metadata)


def sample_array(path, arrays, name, what, n_samples):
    """Return an array with one entry a row; refused where one is missing."""
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
    """Return the arrays of an NPZ archive by name, None for those that are not wanted."""
    with open(path, "rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError(f"{path}: not an NPZ archive")
        file.seek(0)
        with library(path), np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] if name in wanted else None for name in archive.files}
    for name, array in arrays.items():
        if isinstance(array, bytes):  # what NumPy gives for an entry that is no array
            raise ValueError(f"{path}: {name} is no array")
    return arrays


def check_plain(path, what, values):
    """Refuse an array that is no text, numbers or booleans, or text with characters that there are not."""
    if values.dtype.kind not in "biufU":
        raise ValueError(f"{path}: {what} must hold text, numbers or booleans, got {values.dtype}")
    if values.dtype.kind == "U" and values.nbytes:
        characters = np.ascontiguousarray(values).view(np.dtype(np.uint32).newbyteorder(values.dtype.byteorder))
        if characters.max() > 0x10FFFF:
            raise ValueError(f"{path}: {what} must hold text, got characters beyond U+10FFFF")
