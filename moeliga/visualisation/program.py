"""The program of a report, which repeats the selection."""

import pprint

import numpy as np


def program(record):
    """Return Python that selects the chosen features with scikit-learn alone: str.

    It names columns if X was a table, else gives their indices, which count columns that were dropped from a file too.
    """
    front, data = record.front, record.settings.get("data", {})
    if data.get("named", False):
        chosen, what = front.features(record.chosen), "a DataFrame with columns of these names"
        if "encoded" in data:
            what += f', as pandas.get_dummies(table, prefix_sep="=", columns={data["encoded"]}) gives them'
    else:
        dropped = data.get("dropped", [])
        kept = np.delete(np.arange(front.supports.shape[1] + len(dropped)), dropped)
        chosen, what = kept[front.supports[record.chosen]].tolist(), "the array, with its columns in the same order"
    text = pprint.pformat(chosen, width=88, compact=True)
    listed = f"features = {text}" if "\n" not in text else f"features = [\n {text[1:-1]},\n]".replace("\n ", "\n    ")
    return (f"from sklearn.compose import ColumnTransformer\n\n{listed}\n"
            'select = ColumnTransformer([("selected", "passthrough", features)], verbose_feature_names_out=False)\n'
            f"X_selected = select.fit_transform(X)  # X: {what}")
