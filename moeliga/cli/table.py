"""A data set as read from a file, and what the readers of all formats share: roles of columns, parsing, checks."""

import math
import re
import shlex
from dataclasses import dataclass, field

import numpy as np

from moeliga.base.text import count, cut, first_of
from moeliga.cli.names import AllBut, canonical_names, check_names, column_purposes, exact_names, listed, matching_names
from moeliga.data.frame import MOST_VALUES
from moeliga.data.one_hot import Encoding

BOOLEANS = {"true": 1.0, "false": 0.0}
DECIMAL_COMMA = re.compile(r"'\s*[-+]?\d*,\d+\s*'")
DECIMAL_POINT = re.compile(r"'\s*[-+]?\d*\.\d+(?:[eE][-+]?\d+)?\s*'")
"""A number with a decimal comma, and one with a decimal point, each as a cell that a message quotes."""

MOST_DROPPED, LONGEST_DROP = 20, 800
"""An error proposes options of `--drop` for at most this number of columns, and of characters."""

MISSING = ("", "?", "na", "nan")
"""Cells of text that stand for a missing value, whatever their case and the spaces around them."""


@dataclass(frozen=True, eq=False)
class Table:
    """A data set as read from a file."""

    X: np.ndarray  # float32 or float64, shape (n_samples, n_features); NaN = missing, no infinity
    y: np.ndarray  # labels, shape (n_samples,), none missing
    feature_names: np.ndarray  # str, shape (n_features,), distinct, each one line
    metadata: dict = field(default_factory=dict)  # "groups", "sample_weight": shape (n_samples,), none missing
    dropped: tuple = ()  # indices of the columns of an NPZ archive that are left out of X
    left_out: tuple = ()  # names of columns of other formats that are left out and have no other purpose
    notes: tuple = ()  # sentences for the user on columns that were left out, merged or encoded
    encoding: Encoding | None = None  # of columns of text


class Roles:
    """The columns of a file, and the role of each: feature, target, metadata or dropped.

    `names` are all columns in order, spelled as in the file. The other arguments may omit spaces around names: `target`
    is a column, `metadata` maps "groups" and "sample_weight" to columns, and `drop` is as for `matching_names`; if it
    is an `AllBut`, `names` get its spelling. Columns in `index`, saved as one by pandas, are dropped unless they have
    another role, or a text in `requested` names them. `decimal` is the decimal point, None for a format without a
    choice. A ValueError names the file and the column that cannot have its role, and the `hint` if there is no such
    column. `kept` maps target and metadata columns to their role, `features` lists the features in order.
    """

    def __init__(self, path, names, target, drop, metadata, encoding=None, index=(), requested=(), hint="",
                 decimal=None):
        if not names:
            raise ValueError(f"{path}: the file is empty; its first line must name the columns")
        names, index = ([name if name.strip() else "" for name in some] for some in (names, index))
        all_but = isinstance(drop, AllBut)
        names = drop.respell(names) if all_but else names
        canonical = canonical_names(names)
        target = canonical.get(target, target)
        metadata = {what: canonical.get(name, name) for what, name in metadata.items()}
        self.path, self.names, self.target, self.metadata, self.encoding = path, names, target, metadata, encoding
        self.decimal = decimal
        wanted = {target, *metadata.values(), *exact_names(requested, names)}
        index = [] if all_but else [name for name in index if name in names and name not in wanted]
        for i, name in enumerate(names):
            if not name and not all_but and "" not in (*drop, *index):
                raise ValueError(f"{path}: column {i + 1} has no name; name it, or leave it out with --drop ''")
        check_names(path, [name for name in names if name])
        if target is None:
            raise ValueError(f"{path}: name the column of the target (--target); {listed(names)}{hint}")
        for column in (target, *metadata.values()):
            if column not in names:
                raise ValueError(f"{path}: no column {column!r}; {listed(names)}{hint}")
        drop = matching_names(path, drop, names, "column to drop")
        for what, column in (("target", target), *metadata.items()):
            if column in drop:
                raise ValueError(f"{path}: the {what} {column!r} must not be dropped")
        index = [name for name in index if name not in drop]
        called = (f"column {name!r}" if name else "first column, which has no name" for name in index)
        self.notes = tuple(f"Left out the {column}: an index that pandas saved." for column in called)
        drop = index + drop
        self.kept = column_purposes(path, target, metadata)
        self.left_out = tuple(drop)
        apart = {*self.kept, *drop}
        self.features = [name for name in names if name not in apart]
        if not self.features:
            also = "" if set(names) <= {target, *drop} else " and the groups or weights of the samples"
            raise ValueError(f"{path}: no features, only the target {target!r}{also}")

    def is_encoded(self, name):
        """Return True for a column that is encoded because it is text in the training file."""
        return self.encoding is not None and self.encoding.fixed and name in self.encoding.values

    def make_table(self, X, labels, unusable, texts):
        """Return the `Table` of the features X and of `labels`, a dict from each column in `kept` to its array.

        `unusable` maps features that are no numbers to a text on what they hold. `texts` maps those that are text to
        their cells (list of str and None), which only an encoding needs.
        """
        names, notes, encoding = self.features, self.notes, self.encoding
        if encoding is not None:
            left = {name: encoding.take(name, cells) for name, cells in texts.items()}
            unusable = {name: left.get(name) or found for name, found in unusable.items()
                        if name not in texts or left[name]}
        check_features(self.path, X, names, unusable, encoding is None and bool(texts), self.decimal)
        if encoding is not None and texts:
            X, names = encoding.encode(X, names, texts)
            check_names(self.path, names)
            notes = (*notes, encoding.note())
        metadata = {what: labels[column] for what, column in self.metadata.items()}
        convert_weights(self.path, metadata, self.metadata)
        return Table(X, labels[self.target], np.array(names), metadata, (), self.left_out, notes, encoding)


def check_features(path, X, names, unusable, encodable=False, decimal=None):
    """Raise one ValueError for all `unusable` features (dict from name to what was found) and the infinite ones.

    It counts all and names the first ten, after a hint on the decimal point if this may explain them. `decimal` is as
    for `Roles`.
    """
    infinite, found = np.isinf(X), dict(unusable)
    for f in np.flatnonzero(infinite.any(axis=0)):
        row = infinite[:, f].argmax()
        found[names[f]] = f"{X[row, f]} in row {row}"
    if found:
        ordered = [name for name in names if name in found]
        listing = first_of(f"{cut(name)!r} ({found[name]})" for name in ordered)
        hint = ""
        if decimal == "." and any(map(DECIMAL_COMMA.search, found.values())):
            hint = " (read decimal commas with --decimal ',')"
        elif decimal not in (None, ".") and any(map(DECIMAL_POINT.search, found.values())):
            hint = f" (with --decimal {decimal!r} a point is no decimal point)"
        way = f" (--encode does it for text of at most {MOST_VALUES} values)" if encodable else ""
        drop = f" {shlex.join(ordered)}"
        if len(ordered) > MOST_DROPPED or len(drop) > LONGEST_DROP:
            drop = ", by patterns or by @FILE with a name a line"
        raise ValueError(f"{path}: features must be finite numbers, but {count(len(found), 'column')} "
                         f"{'is' if len(found) == 1 else 'are'} not{hint}: {listing}; encode as numbers{way}, or leave "
                         f"out with --drop{drop}")


def text_table(roles, columns, n_rows, missing=MISSING, text_labels=False):
    """Return the `Table` of `columns`, in the order of `roles.names`: each ndarray of numbers, or list of str and None.

    None is a missing value; a label is also missing if it is in `missing`. With `text_labels` the labels of the target
    stay text even if all are numbers. A ValueError names all features that cannot be used, or the row of a missing
    label, counted from 0.
    """
    check_rows(roles.path, n_rows)
    column_of = {name: f for f, name in enumerate(roles.features)}
    decimal = roles.decimal or "."
    points = str.maketrans({".": decimal, decimal: "."})  # so that float() reads decimal commas, and refuses points
    X, labels, unusable, texts = np.zeros((n_rows, len(column_of))), {}, {}, {}
    for name, column in zip(roles.names, columns, strict=True):
        if name in roles.kept:
            found = [label.strip() for label in checked_labels(roles, name, column, missing)]
            labels[name] = parse_labels([label.translate(points) for label in found])
            if labels[name].dtype.kind == "U" or (text_labels and name == roles.target):
                labels[name] = np.array(found)
                roles.notes += merged_labels_note(roles, name, column)
        elif name in column_of and isinstance(column, np.ndarray):
            X[:, column_of[name]] = column
        elif name in column_of:
            numbers = parse_cells([cell and cell.translate(points) for cell in column])
            if None in numbers or roles.is_encoded(name):
                row = numbers.index(None) if None in numbers else 0
                unusable[name] = f"text, {cut(column[row])!r} in row {row}"
                texts[name] = [None if cell is None or cell.strip().lower() in MISSING else cell.strip()
                               for cell in column]
            else:
                X[:, column_of[name]] = numbers
    return roles.make_table(X, labels, unusable, texts)


def check_rows(path, has_rows):
    """Raise ValueError unless the file has rows."""
    if not has_rows:
        raise ValueError(f"{path}: no rows below the names of the columns")


def merged_labels_note(roles, name, column):
    """Return a tuple with a note if some labels of a column differ only in spaces around them, else an empty tuple."""
    first = {}
    for label in column:
        other = first.setdefault(label.strip(), label)
        if other != label:
            return (f"Labels of the {roles.kept[name]} {name!r} that differ only in spaces around them are one: "
                    f"{cut(other)!r} and {cut(label)!r}, for example.",)
    return ()


def checked_labels(roles, name, column, missing):
    """Return a column of labels unchanged; raise ValueError if a label is missing or holds a null character."""
    for row, label in enumerate(column):
        is_text, what = isinstance(label, str), f"{roles.path}, row {row}: the {roles.kept[name]} {name!r}"
        if label is None or label != label or (is_text and label.strip().lower() in missing):
            raise ValueError(f"{what} is missing, got {'nothing' if label is None else repr(label)}")
        if is_text and "\0" in label:  # NumPy drops null characters at the end of text
            raise ValueError(f"{what} must hold no null character, got {label!r}")
    return column


def convert_weights(path, values, names):
    """Replace the "sample_weight" in `values`, if there is one, by numbers; raise ValueError unless all are >= 0."""
    weights = values.get("sample_weight")
    if weights is None:
        return
    where = f"{path}: the sample_weight {names['sample_weight']!r} must"
    if weights.dtype.kind not in "iuf":  # text, perhaps as a number has two spellings, like 1 and 1.0
        numbers = [parse_cell(str(value)) for value in weights.tolist()]
        if None in numbers:
            raise ValueError(f"{where} hold finite numbers, got {weights[numbers.index(None)].item()!r}")
        weights = values["sample_weight"] = np.array(numbers, dtype=np.float64)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(f"{where} be finite and >= 0, got {weights[bad[0]]} in row {bad[0]}")


def parse_cell(cell):
    """Return the number in a cell: NaN if it is missing, None if it holds no finite number."""
    if cell is None or cell.strip().lower() in MISSING:
        return math.nan
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in cell else None  # Python would read 1_2 as 12


def parse_cells(cells):
    """Return the number in each cell (see `parse_cell`), or 1 and 0 if all that are not missing are true or false."""
    plain = [None if cell is None else cell.strip().lower() for cell in cells]
    if {cell for cell in plain if cell is not None and cell not in MISSING} <= BOOLEANS.keys():
        return [BOOLEANS.get(cell, math.nan) for cell in plain]
    return [parse_cell(cell) for cell in cells]


def parse_labels(labels):
    """Return labels as int or float if all are finite numbers, and as many different ones as texts; else as text."""
    for kind in () if "_" in "".join(labels) else (int, float):  # Python would read 1_2 as 12
        try:
            numbers = np.array([kind(label) for label in labels])
        except ValueError:
            continue
        if numbers.dtype.kind in "if" and np.isfinite(numbers).all() and len(np.unique(numbers)) == len(set(labels)):
            return numbers
    return np.array(labels)
