"""Columns of categories and of text with few values as columns of zeros and ones, `column=value`."""

from itertools import groupby

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from moeliga.base.text import count, first_of
from moeliga.data.feature_space import check_costs, group_labels, subset_index
from moeliga.data.frame import MOST_VALUES, check_distinct, column_of, is_missing, is_number, is_table, unread_columns

CATEGORIES = ("category", "Categorical", "Enum")
"""Types of pandas and polars whose columns are encoded for any values, and for any number of them."""


class Encoding:
    """A one-hot encoding: the columns that are encoded, and their values.

    `values` maps columns to their values in order; None = `take` adds the columns with the values that it finds. Other
    data are encoded by the same values; unknown and missing values give zeros. `exclude` is a mask of the features (the
    columns after encoding) that are not read, or None.
    """

    def __init__(self, values=None):
        self.fixed = values is not None
        self.values = {} if values is None else values
        self.exclude = None

    def __repr__(self):
        return f"Encoding({self.values!r})"

    def take(self, name, cells, most=MOST_VALUES):
        """Return None if a column (list, None = missing) can be encoded, else what it holds: str; add its values."""
        if not self.fixed:
            found = sort_values({cell for cell in cells if cell is not None})
            if len(found) > most:
                return f"text of {len(found):,} values"
            self.values[name] = found
        return None if name in self.values else "text"

    def names(self, name):
        """Return the names of the features that a column becomes: list of str."""
        return [f"{name}={value}" for value in self.values[name]] if name in self.values else [name]

    def features(self, columns):
        """Return the names of the features that columns become: list of str."""
        return [feature for column in columns for feature in self.names(column)]

    def one_hot(self, name, cells, dtype=np.float64):
        """Return the features of a column, 1 where a cell has the value: ndarray, shape (n_cells, n_values)."""
        places = {value: place for place, value in enumerate(self.values[name])}
        return np.equal.outer([places.get(cell, -1) for cell in cells], np.arange(len(places))).astype(dtype)

    def encode(self, X, names, texts):
        """Return X with the columns of text encoded, and the names of its features: (ndarray, list of str).

        `texts` maps names to cells, as for `take`.
        """
        parts = [self.one_hot(name, texts[name], X.dtype) if name in texts and name in self.values else X[:, f : f + 1]
                 for f, name in enumerate(names)]
        return np.concatenate(parts, axis=1), self.features(names)

    def table(self, X):
        """Return a table of pandas or polars with its columns encoded; X itself if it has none of these columns.

        ValueError names the columns that X lacks, unless it has features of them, so that they are encoded already.
        """
        if not is_table(X):
            return X
        there = set(X.columns)
        missing = [name for name in self.values if there.isdisjoint((name, *self.names(name)))]
        if missing:
            raise ValueError(f"X must have the columns that fit has encoded, got none called "
                             f"{first_of(map(repr, missing))}")
        if there.isdisjoint(self.values):
            return X
        found = {}
        for place, name in enumerate(X.columns):
            cells = column_of(X, place)
            found |= zip(self.names(name), self.one_hot(name, cells).T if name in self.values else [cells], strict=True)
        return type(X)(found, **({"index": X.index} if hasattr(X, "index") else {}))

    def transformers(self, features):
        """Return pairs (transformer of scikit-learn, columns of a table) that make `features`, in their order: list."""
        column_of_feature = {feature: (name, value) for name, values in self.values.items()
                             for feature, value in zip(self.names(name), values, strict=True)}
        pairs = []
        for name, run in groupby(features, key=lambda feature: column_of_feature.get(feature, (None,))[0]):
            run = list(run)
            if name is None:
                pairs.append(("passthrough", run))
            else:
                values = [column_of_feature[feature][1] for feature in run]
                # objects, like the values: missing cells alone would become numbers, which do not compare with text
                objects = FunctionTransformer(np.asarray, kw_args={"dtype": object}, feature_names_out="one-to-one")
                encoder = OneHotEncoder(categories=[values], handle_unknown="ignore", sparse_output=False)
                pairs.append((make_pipeline(objects, encoder), [name]))
        return pairs

    def note(self):
        """Return a sentence on the columns that were encoded: str."""
        shown = ", ".join(f"{name} ({len(values)})" for name, values in self.values.items())
        return f"Encoded {count(len(self.values), 'column')} of text (in brackets the number of values): {shown}."


def sort_values(values):
    """Return a set of values as an ascending list; sorted as text if their types cannot be compared."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=str)


def one_hot_encode(X, constraints):
    """Encode the columns of a table as `constraints.encode` says; return (X, Constraints, Encoding or None).

    If nothing is to be encoded, X is returned as it is, and None for the Encoding. Otherwise X and the constraints are
    those of the features: each column that is named stands for all of its features, and its cost is paid once.
    TypeError or ValueError if X is no table with distinct names, or the constraints do not fit its columns.
    """
    if constraints.encode is None:
        return X, constraints, None
    if not is_table(X):
        raise TypeError(f"X must be a table of pandas or polars for constraints.encode={constraints.encode!r}, got "
                        f"{type(X).__name__}")
    columns = list(X.columns)
    check_distinct(columns)
    unread, encoding = unread_columns(constraints.exclude, len(columns), columns), Encoding()
    for place, (name, dtype) in enumerate(zip(columns, X.dtypes, strict=True)):
        if unread[place] or is_number(dtype):
            continue
        cells, category = column_of(X, place), str(dtype).partition("(")[0] in CATEGORIES
        cells = [None if is_missing(cell) else cell for cell in cells]
        if category or is_text(cells):
            encoding.take(name, cells, len(cells) if category else MOST_VALUES)
    if not encoding.values:
        return X, clone(constraints).set_params(encode=None), None
    if not all(isinstance(name, str) for name in columns):
        raise TypeError(f"X must have names of columns that are str for constraints.encode={constraints.encode!r}, got "
                        f"{next(name for name in columns if not isinstance(name, str))!r}")
    check_distinct(encoding.features(columns))
    source = np.repeat(np.arange(len(columns)), [len(encoding.names(name)) for name in columns])
    given = {"encode": None, "groups": group_labels(constraints.groups, len(columns), columns)[source].tolist()}
    for rule in ("must_include", "exclude"):
        chosen = getattr(constraints, rule)
        if chosen is not None and np.size(chosen):
            given[rule] = np.isin(source, subset_index(f"constraints.{rule}", chosen, len(columns), columns))
    costs = check_costs("constraints.costs", constraints.costs, len(columns), columns)
    if costs is not None:
        given["costs"] = np.where(np.append(True, source[1:] != source[:-1]), costs[source], 0)
    encoding.exclude = given.get("exclude")
    return encoding.table(X), clone(constraints).set_params(**given), encoding


def is_text(cells):
    """Return True if all cells (None = missing) are text, and not all of them can be read as numbers."""
    known = [cell for cell in cells if cell is not None]
    try:
        np.array(known, dtype=np.float64)
    except (TypeError, ValueError):
        return all(isinstance(cell, str) for cell in known)
    return False
