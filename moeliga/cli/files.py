"""Read data files into a `Table`: CSV and Parquet with pyarrow, ARFF with scikit-learn, NPZ with the module `npz`."""

import csv
import os
import re
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from moeliga.base.text import cut
from moeliga.cli.npz import read_npz
from moeliga.cli.table import Roles, check_rows, checked_labels, text_table
from moeliga.cli.text_files import OPENERS, translate_errors

CODECS = {"": None, ".gz": "gzip", ".bz2": "bz2"}
"""Names of pyarrow for compressions, by the last suffix of a file's name."""

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": ","}

LIKELY_SEPARATORS = (";", "\t", "|", ",")
"""Separators to try for the hint on a wrong `--separator`, in order of preference."""

NULLS, TRUE, FALSE = ["", "?", "NA", "na", "NaN", "nan"], ["true", "True", "TRUE"], ["false", "False", "FALSE"]
"""Cells that pyarrow reads as missing, 1 and 0; `text_table` reads columns with other spellings of these."""

BLOCK_BYTES = 1 << 26
"""Bytes of a CSV file that pyarrow parses at a time; a line must not be longer."""

BATCH_ROWS = 1 << 14
"""Rows of a Parquet file that pyarrow reads at a time."""

INDEX_NAME = re.compile(r"|Unnamed: \d+")
"""Names of the first column of a CSV file by which it is an index that pandas saved."""

DECLARATION = re.compile(r"^\s*@attribute\s+", re.IGNORECASE)
NUMBER_OR_DATE = re.compile(r"""(^@attribute (?:'.*'|".*"|[^\s{}%,]+))\s+(?:numeric|real|integer|date\b.*)\s*$""",
                            re.IGNORECASE)
"""The beginning of a declaration in an ARFF file, and a declaration of numbers or dates."""


def read_table(path, target=None, *, drop=(), separator=None, decimal=None, encoding=None, metadata=None,
               text_labels=False, requested=()):
    """Return the `Table` of a .csv, .tsv, .txt, .parquet, .arff or .npz file.

    `target` names the column of the labels (in NPZ an array; None = y, or y_train). `drop` lists names and patterns of
    columns that are no features, `encoding` is an `Encoding` of columns of text or None, and `metadata` maps "groups"
    and "sample_weight" to the columns or arrays that hold them. `separator` and `decimal` are for CSV files. The
    default of `separator` is a tab for .tsv, a semicolon where the decimal point is a comma, else a comma; the two
    characters \\t mean a tab too. With `text_labels`, labels of CSV and ARFF files stay text even if all look like
    numbers, so that a test file matches the training file. A column that pandas saved as an index is a feature
    only if one of the texts in `requested` names it. A ValueError names the file, the row and the value, or all
    features that are no numbers; an ImportError says that pyarrow is missing.
    """
    path, metadata = Path(path), metadata or {}
    packed = path.suffix.lower() if path.suffix.lower() in OPENERS else ""
    kind = Path(path.stem if packed else path.name).suffix.lower()
    if kind in SEPARATORS:
        usual = ";" if decimal == "," and kind != ".tsv" else SEPARATORS[kind]
        return read_csv(path, target, drop, metadata, usual if separator is None else separator, decimal or ".",
                        encoding, packed, text_labels, requested)
    readers = {".npz": read_npz, ".arff": partial(read_arff, text_labels=text_labels),
               ".parquet": partial(read_parquet, requested=requested)}
    if packed or kind not in readers:
        raise ValueError(f"{path}: the name must end in .csv, .tsv or .txt, perhaps with .gz or .bz2, or in .npz, "
                         ".arff or .parquet")
    for name, given in (("separator", separator), ("decimal point", decimal)):
        if given is not None:
            raise ValueError(f"{path}: a {name} is for CSV files only, got {given!r}")
    return readers[kind](path, target, drop, metadata, encoding)


def require_pyarrow(path):
    """Raise an ImportError that says how to install pyarrow unless it is installed."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{path}: CSV and Parquet files need pyarrow: pip install 'moeliga[files]'") from error


def read_csv(path, target, drop, metadata, separator, decimal, encoding, packed, text_labels, requested):
    """Return the `Table` of a text file with a line of column names; its numbers have the bits of Python's `float`."""
    separator = "\t" if separator == r"\t" else separator
    if len(separator) != 1 or separator in '"\r\n':
        raise ValueError(f"the separator must be one character, and no quote or line end, got {separator!r}")
    if len(decimal) != 1 or decimal in "-+0123456789eE":
        raise ValueError(f"the decimal point must be one character, and no sign or digit, got {decimal!r}")
    with OPENERS[packed](path, "rt", newline="", encoding="utf-8-sig") as file, translate_errors(path, text=True):
        header, hint = header_of(file, separator)
        rows = bool(file.read(1))  # pyarrow fails on a line of names without a line end
    index = [name for name in header[:1] if INDEX_NAME.fullmatch(name.strip())]
    roles = Roles(path, header, target, drop, metadata, encoding, index, requested, hint, decimal)
    check_rows(path, rows)
    require_pyarrow(path)
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    features = set(roles.features)
    texts = {raw: pa.string() for raw, name in zip(header, roles.names, strict=True)
             if name not in features or roles.is_encoded(name)}

    def read():
        ways = arrow_csv.ConvertOptions(column_types=texts, null_values=NULLS, decimal_point=decimal,
                                        true_values=TRUE, false_values=FALSE)
        with translate_errors(path, text=True), pa.input_stream(os.fspath(path), compression=CODECS[packed]) as file:
            return arrow_csv.read_csv(
                file, arrow_csv.ReadOptions(use_threads=False, block_size=BLOCK_BYTES),  # threads: no row in errors
                arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True), ways)

    found = read()
    # pyarrow formats dates and times in its own way, and reads 0x10 as an integer: read such columns again, as text
    kinds = dict(zip(header, found.schema.types, strict=True))
    again = [raw for raw, kind in kinds.items() if pa.types.is_temporal(kind)]
    integers = [raw for raw, kind in kinds.items() if pa.types.is_integer(kind)]
    with OPENERS[packed](path, "rb") as file:
        if integers and any(b"0x" in line or b"0X" in line for line in file):
            again += integers
    if again:
        texts |= dict.fromkeys(again, pa.string())
        del found  # memory may not suffice for two tables
        found = read()

    def cells(column):
        with translate_errors(path, text=True):  # pyarrow reads text that is not UTF-8 as bytes
            return column.cast(pa.string()).to_pylist()

    columns = (numbers(column) if is_number(column.type) else cells(column) for column in found.columns)
    return text_table(roles, columns, len(found), text_labels=text_labels)


def header_of(file, separator):
    """Return the first record of a text file (list of str), and a hint for the error on a missing column (str)."""
    header, problem = [], None
    usual = csv.field_size_limit(BLOCK_BYTES)  # with a wrong separator a whole line may be one value
    try:
        records = csv.reader(file, delimiter=separator, strict=True)
        try:
            header = next(filter(None, records), [])
        except csv.Error as error:  # for example a quote that ends before another separator
            problem = error
        file.seek(0)
        lines = list(islice(file, records.line_num))
        widths = {other: len(next(filter(None, csv.reader(lines, delimiter=other)), []))
                  for other in LIKELY_SEPARATORS}
    finally:
        csv.field_size_limit(usual)
    best = max(widths, key=widths.get)
    hint = "; with another --separator there may be more" if len(header) == 1 else ""
    if widths[best] > max(len(header), 1):
        hint = f"; try --separator {best!r}"  # the repr is what is typed in a shell
    if problem is not None:
        raise ValueError(f"{problem}{hint}")
    return header, hint


def read_arff(path, target, drop, metadata, encoding, text_labels=False):
    """Return the `Table` of an ARFF file: features are attributes whose values are numbers, of any declared type.

    A value that a sparse row leaves out is 0, or the first value of a nominal attribute, as the format defines; "?" is
    missing. The reader is scikit-learn's copy of liac-arff: that of scipy drops the end of a row that is too long, and
    reads neither text nor sparse rows.
    """
    try:
        from sklearn.externals import _arff
    except ImportError as error:
        raise ImportError(f"{path}: this version of scikit-learn has no reader of ARFF; write the data as CSV or "
                          "Parquet") from error
    with open(path, encoding="utf-8-sig") as file, translate_errors(path, text=True):
        # numbers and dates are declared as text for `text_table`: liac-arff truncates integers and knows no dates
        read = _arff.load(NUMBER_OR_DATE.sub(r"\1 string\n", DECLARATION.sub("@attribute ", line)) for line in file)
    rows = read["data"]
    roles = Roles(path, [name for name, _ in read["attributes"]], target, drop, metadata, encoding)
    return text_table(roles, ([row[i] for row in rows] for i in range(len(roles.names))), len(rows), missing=(),
                      text_labels=text_labels)


def read_parquet(path, target, drop, metadata, encoding, requested=()):
    """Return the `Table` of a Parquet file: features are columns of numbers or booleans, nulls are missing values.

    X is float32 where no column needs more, else float64. The file is mapped into memory, and X filled batch by batch,
    so there is no second copy of the table. A column that pandas saved as an index is no feature unless `requested`.
    """
    with open(path, "rb"):  # raises an OSError that names the path, if it cannot be read
        require_pyarrow(path)
    import pyarrow as pa
    from pyarrow import parquet

    with translate_errors(path):
        file = parquet.ParquetFile(os.fspath(path), memory_map=True)
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
        try:
            index = [name for name in schema.pandas_metadata["index_columns"] if isinstance(name, str)]
        except (TypeError, ValueError, KeyError):  # the file has no metadata of pandas, or invalid ones
            index = []
        groups = sum(file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups))
    if groups != n_rows:  # pyarrow allocates memory by both numbers
        raise ValueError(f"{path}: must have as many rows as its row groups, got {n_rows:,} and {groups:,}")
    roles = Roles(path, schema.names, target, drop, metadata, encoding, index, requested)
    if not n_rows:
        raise ValueError(f"{path}: no rows")
    types = dict(zip(roles.names, schema.types, strict=True))
    column_of = {name: f for f, name in enumerate(roles.features)}
    single = all(types[name] in (pa.float32(), pa.float16(), pa.bool_()) for name in column_of)
    kept, unusable, texts, row = {name: [] for name in roles.kept}, {}, {}, 0
    with translate_errors(path), file:
        X = np.zeros((n_rows, len(column_of)), dtype=np.float32 if single else np.float64)
        for batch in file.iter_batches(BATCH_ROWS):
            for name, column in zip(roles.names, batch.columns, strict=True):
                if name in kept:
                    kept[name].append(column)
                    continue
                if pa.types.is_dictionary(column.type):
                    column = column.dictionary_decode()
                if name in column_of and is_text(column.type):
                    texts.setdefault(name, []).extend(column.to_pylist() if encoding else ())
                if name in column_of and (is_number(column.type) or column.null_count == len(column)):
                    X[row : row + len(column), column_of[name]] = numbers(column)
                elif name in column_of and name not in unusable:
                    unusable[name] = f"{cut(str(column.type))}, {first_value(column, row)}"
            row += len(batch)
    if row != n_rows:
        raise ValueError(f"{path}: must have {n_rows:,} rows, as it says, got {row:,}")
    labels = {name: typed_labels(roles, name, pa.chunked_array(parts)) for name, parts in kept.items()}
    return roles.make_table(X, labels, unusable, texts)


def is_text(kind):
    """Return True for a type of pyarrow whose values are text."""
    from pyarrow import types

    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def is_number(kind):
    """Return True for a type of pyarrow whose values are numbers or booleans."""
    from pyarrow import types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)


def numbers(column):
    """Return a column of pyarrow as ndarray of numbers, with NaN for null."""
    from pyarrow import types

    if types.is_floating(column.type) or types.is_integer(column.type):
        return column.to_numpy(zero_copy_only=False)
    return np.array(column.to_pylist(), dtype=np.float64)


def first_value(column, first):
    """Return a text with the first value that is not null, and its row; the rows of the column begin at `first`."""
    row, value = next((row, value) for row, value in enumerate(column, first) if value.is_valid)
    try:
        found = value.as_py()
        return f"{repr(cut(found)) if isinstance(found, str) else cut(repr(found))} in row {row}"
    except (ArithmeticError, ValueError):  # a date that Python cannot hold, or invalid text
        return f"a value in row {row}"


def typed_labels(roles, name, column):
    """Return a column of labels of a Parquet file as ndarray; raise ValueError for another type or a missing label."""
    from pyarrow import types

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if not (is_number(kind) or is_text(kind)):
        raise ValueError(f"{roles.path}: the {roles.kept[name]} {name!r} must hold text, numbers or booleans, got "
                         f"{column.type}")
    with translate_errors(roles.path):
        values = column.to_pylist()
    if types.is_decimal(kind):
        values = [value if value is None else float(value) for value in values]
    return np.array(checked_labels(roles, name, values, missing=()))
