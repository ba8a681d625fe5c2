"""The Python program in a report, which repeats the selection with scikit-learn alone."""

import pprint
from ast import literal_eval
from itertools import groupby

import numpy as np


def program(record):
    """Return Python that selects the chosen features with scikit-learn alone: str.

    It names columns if X was a table, else gives their indices, counted with those that were dropped from a file.
    """
    front, data = record.front, record.settings.get("data", {})
    if data.get("named", False):
        chosen, what = front.features(record.chosen), "a DataFrame with columns of these names"
        if "encoded" in data:
            return encoding_program(chosen, data["encoded"])
    else:
        dropped = data.get("dropped", [])
        kept = np.delete(np.arange(front.supports.shape[1] + len(dropped)), dropped)
        chosen, what = kept[front.supports[record.chosen]].tolist(), "the array, with its columns in the same order"
    text = pprint.pformat(chosen, width=88, compact=True)
    listed = f"features = {text}" if "\n" not in text else f"features = [\n {text[1:-1]},\n]".replace("\n ", "\n    ")
    return (f"from sklearn.compose import ColumnTransformer\n\n{listed}\n"
            'select = ColumnTransformer([("selected", "passthrough", features)], verbose_feature_names_out=False)\n'
            f"X_selected = select.fit_transform(X)  # X: {what}")


def encoding_program(chosen, encoded):
    """Return the program (str) for a table with encoded columns; `encoded` maps their names to their values."""
    column_of = {f"{column}={value}": (column, value) for column, values in encoded.items() for value in values}
    parts = []
    for column, run in groupby(chosen, key=lambda feature: column_of.get(feature, (None,))[0]):
        names, step = list(run), '"passthrough"'
        if column is not None:
            values, names = [column_of[name][1] for name in names], [column]
            kind = "object" if all(map(is_literal, values)) else "str"
            step = f"one_hot({values if kind == 'object' else list(map(str, values))!r}, {kind})"
        parts.append(f'    ("{len(parts)}", {step}, {names!r}),\n')
    return f"""{ONE_HOT}

select = ColumnTransformer([
{''.join(parts)}], verbose_feature_names_out=False)
X_selected = select.fit_transform(X)  # X: a DataFrame with columns of these names, as it was before encoding"""


def is_literal(value):
    """Return True if Python reads the value from its repr."""
    try:
        return literal_eval(repr(value)) == value
    except (SyntaxError, ValueError):
        return False


ONE_HOT = """import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder


def cells(X, kind):  # of one column: as they are, or as text
    return np.asarray([[str(cell)] for cell in X[X.columns[0]]] if kind is str else X, dtype=object)


def one_hot(values, kind):  # any other value, or none, gives zeros
    read = FunctionTransformer(cells, kw_args={"kind": kind}, feature_names_out="one-to-one")
    return make_pipeline(read, OneHotEncoder(categories=[values], handle_unknown="ignore", sparse_output=False,
                                             feature_name_combiner="{}={}".format))
"""
