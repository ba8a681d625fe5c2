"""Tables as CSV files and data frames; no file is overwritten by mistake."""

import csv
import io
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from moeliga.base.atomic_file import replace
from moeliga.base.checks import check_flag, check_path
from moeliga.base.typing import Boolean, PathLike

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame
else:
    DataFrame = Any


def data_frame(owner: object, columns: Mapping[str, Any]) -> "DataFrame":
    """Return columns as a pandas DataFrame, for the `to_frame` of `owner`."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(f"{type(owner).__name__}.to_frame needs pandas: pip install 'moeliga[files]'") from error
    return pd.DataFrame(columns)


def write_csv(path: PathLike, columns: Mapping[str, Any], overwrite: Boolean = False) -> None:
    """Write columns of equal length as CSV; numbers keep all their digits, NaN is an empty cell."""
    cells = [getattr(column, "tolist", lambda column=column: column)() for column in columns.values()]
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(columns)
    lines.writerows(["" if cell != cell else cell for cell in row] for row in zip(*cells, strict=True))
    write_file(path, text.getvalue().encode(), overwrite)


def joined(names: Iterable[str]) -> str:
    """Return names joined by ";" as in CSV: names with a ";", a quotation mark or an end of line are quoted."""
    line = io.StringIO()
    csv.writer(line, delimiter=";", lineterminator="\r\n").writerow(names)
    return line.getvalue().removesuffix("\r\n")


def write_file(path: PathLike, content: bytes, overwrite: Boolean) -> None:
    """Write bytes to a file, whole or not at all; FileExistsError for an existing file unless `overwrite`."""
    check_flag("overwrite", overwrite)
    check_path("path", path)
    if os.path.isdir(path):
        raise IsADirectoryError(f"path must be a file, got the folder {os.fspath(path)!r}")
    if overwrite and os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
        with open(path, "wb") as file:
            file.write(content)
        return
    try:
        replace(path, content, new=not overwrite)
    except FileExistsError as error:
        raise FileExistsError(f"path must be a new file unless overwrite=True, got {os.fspath(path)!r}") from error
