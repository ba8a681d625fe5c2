"""Reading Parquet files with pyarrow, which is imported only then."""

import os
from contextlib import contextmanager

import numpy as np

from moeliga.base.memory import Part, require
from moeliga.cli.cells import Table, check_columns, check_finite, check_weights

BATCH_ROWS = 1 << 14
"""Rows that are in the memory of pyarrow at a time."""

PAGE_BYTES = 3 << 20
"""A column's dictionary and a page of it, decoded, at most as pyarrow and others write them."""


def reading(n_rows, n_columns, itemsize):
    """Return what a table that is read takes, and the rows of it that are in the memory of pyarrow: list of `Part`."""
    batch = n_columns * (16 * min(n_rows, BATCH_ROWS) + min(16 * n_rows, PAGE_BYTES))
    return [Part(f"its {n_columns:,} columns of {n_rows:,} rows", itemsize * n_rows * n_columns),
            Part("decoding them", batch)]


def read_parquet(path, target, drop, metadata):
    """Read a Parquet file: features are columns of numbers or booleans, nulls are missing values.

    X is float32 where no column needs more, else float64. The file is mapped into memory, and X filled some rows
    after the other, so there is no second copy of the table. Labels may be text, categories, numbers or booleans. An
    index that pandas has stored is a column like any other.

    Raises
    ------
    ImportError : if pyarrow is not installed.
    ValueError : naming the file, the column, the row (the first is 0) and the value.
    MemoryError : if the file says that it has more rows than there is memory for.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError(f"{path}: Parquet files need pyarrow: pip install 'moeliga[dataframe]'") from error
    apart = {target, *drop, *metadata.values()}
    # opened by Python first: its errors say what is wrong with a path
    with open(path, "rb"), arrow(path), pyarrow.memory_map(os.fspath(path)) as file:
        opened = parquet.ParquetFile(file)
        names = [name.strip() for name in opened.schema_arrow.names]
        check_columns(path, names, target, drop, metadata)
        check_rows(path, opened.metadata)
        n_rows, types = opened.metadata.num_rows, dict(zip(names, opened.schema_arrow.types, strict=True))
        if not n_rows:
            raise ValueError(f"{path}: no rows")
        features = [name for name in names if name not in apart]
        small = all(types[name] in (pyarrow.float32(), pyarrow.float16(), pyarrow.bool_()) for name in features)
        dtype = np.dtype(np.float32 if small else np.float64)
        require(f"reading {path}", reading(n_rows, len(names), dtype.itemsize))
        X = np.empty((n_rows, len(features)), dtype=dtype)
        row, rest = 0, []
        for batch in opened.iter_batches(BATCH_ROWS):
            if row + len(batch) > n_rows:
                break
            columns = dict(zip(names, batch.columns, strict=True))
            for f, name in enumerate(features):
                X[row : row + len(batch), f] = numbers(path, name, columns[name], row)
            rest.append(batch.select([place for place, name in enumerate(names) if name in apart]))
            row += len(batch)
        if row != n_rows:
            raise ValueError(f"{path}: the file must have {n_rows:,} rows, as it says, got {row:,} in whole batches")
        others = pyarrow.Table.from_batches(rest)
        columns = dict(zip([name for name in names if name in apart], others.columns, strict=True))
        y, *others = (labels(path, what, name, columns[name]) for what, name in (("target", target), *metadata.items()))
    check_finite(path, X, features)
    return check_weights(path, Table(X, y, np.array(features), dict(zip(metadata, others, strict=True))), metadata)


def check_rows(path, metadata):
    """Refuse a file whose parts have other rows than it says: pyarrow takes memory for as many as any part names."""
    counts = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    found = sum(counts)
    if found != metadata.num_rows or min(counts, default=0) < 0:
        raise ValueError(f"{path}: the file must have as many rows as its row groups, got {metadata.num_rows:,} and "
                         f"{found:,}")


@contextmanager
def arrow(path):
    """Context in which what pyarrow raises becomes a ValueError that names the file.

    Files that cannot be read stay what they are: only pyarrow's own OSErrors have no number.
    """
    from pyarrow import ArrowException

    try:
        yield
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{path}: {error}") from error


def numbers(path, name, column, first):
    """A part of a column as ndarray of float, NaN where it is null; its rows are numbered from `first`."""
    from pyarrow import types

    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)
            or column.null_count == len(column)):
        row, value = next((row, value) for row, value in enumerate(column, first) if value.is_valid)
        raise ValueError(f"{path}, row {row}: column {name!r} must hold finite numbers, got {shown(value)} of type "
                         f"{kind} (encode it as numbers, or leave the column out with --drop)")
    if types.is_floating(kind) or (types.is_integer(kind) and not column.null_count):
        return column.to_numpy(zero_copy_only=False)
    return np.array([np.nan if value is None else float(value) for value in column.to_pylist()])


def shown(scalar):
    """A value for a message; dates may be beyond those of Python, and text may be none."""
    try:
        return repr(scalar.as_py())
    except (ArithmeticError, ValueError):
        return "one"


def labels(path, what, name, column):
    """A column of labels as ndarray; nothing missing."""
    from pyarrow import types

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if column.null_count:
        row = next(row for row, value in enumerate(column) if not value.is_valid)
        raise ValueError(f"{path}, row {row}: the {what} {name!r} is missing, got null")
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_string(kind)
            or types.is_large_string(kind) or types.is_string_view(kind)):
        raise ValueError(f"{path}: the {what} {name!r} must hold text, numbers or booleans, got {column.type}")
    values = column.to_pylist()
    if any(isinstance(value, str) and "\0" in value for value in values):
        raise ValueError(f"{path}: the {what} {name!r} must hold no null characters")
    values = np.array(values)
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"{path}, row {np.flatnonzero(np.isnan(values))[0]}: the {what} {name!r} is missing, got nan")
    return values
