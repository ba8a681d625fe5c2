"""Reading Parquet files with pyarrow, which is imported only then."""

import numpy as np

from moeliga.cells import Table, check_columns, check_finite, check_weights


def read_parquet(path, target, drop, metadata):
    """Read a Parquet file: features are columns of numbers or booleans, nulls are missing values.

    X is float32 where no column needs more, else float64. Labels may be text, categories, numbers or booleans. An
    index that pandas has stored is a column like any other.

    Raises
    ------
    ImportError : if pyarrow is not installed.
    ValueError : naming the file, the column, the row (the first is 0) and the value.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError(f"{path}: Parquet files need pyarrow: pip install 'moeliga[dataframe]'") from error
    with open(path, "rb") as file:
        try:
            names = [name.strip() for name in parquet.read_schema(file).names]
            check_columns(path, names, target, drop, metadata)
            file.seek(0)
            content = parquet.read_table(file, partitioning=None)
        except pyarrow.ArrowException as error:
            raise ValueError(f"{path}: {error}") from error
    if not content.num_rows:
        raise ValueError(f"{path}: no rows")
    apart = {target, *drop, *metadata.values()}
    columns = dict(zip(names, content.columns, strict=True))
    features = [name for name in names if name not in apart]
    types = [columns[name].type for name in features]
    small = all(kind in (pyarrow.float32(), pyarrow.float16(), pyarrow.bool_()) for kind in types)
    X = np.empty((content.num_rows, len(features)), dtype=np.float32 if small else np.float64)
    for f, name in enumerate(features):
        X[:, f] = numbers(path, name, columns[name])
    check_finite(path, X, features)
    y, *others = (labels(path, what, name, columns[name]) for what, name in (("target", target), *metadata.items()))
    return check_weights(path, Table(X, y, np.array(features), dict(zip(metadata, others, strict=True))), metadata)


def numbers(path, name, column):
    """A column as ndarray of float, NaN where it is null."""
    from pyarrow import types

    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
            or column.null_count == len(column)):
        row, value = next((row, value) for row, value in enumerate(column.to_pylist()) if value is not None)
        raise ValueError(f"{path}, row {row}: column {name!r} must hold finite numbers, got {value!r} of type {kind} "
                         f"(encode it as numbers, or leave the column out with --drop)")
    if types.is_floating(kind) or (types.is_integer(kind) and not column.null_count):
        return column.to_numpy()
    return np.array([np.nan if value is None else float(value) for value in column.to_pylist()])


def labels(path, what, name, column):
    """A column of labels as ndarray; nothing missing."""
    if column.null_count:
        row = column.to_pylist().index(None)
        raise ValueError(f"{path}, row {row}: the {what} {name!r} is missing, got null")
    values = np.array(column.to_pylist())
    if values.dtype.kind not in "biufU":
        raise ValueError(f"{path}: the {what} {name!r} must hold text, numbers or booleans, got {column.type}")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{path}, row {np.flatnonzero(np.isnan(values))[0]}: the {what} {name!r} is missing, got nan")
    return values
