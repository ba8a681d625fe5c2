"""Columns of text with few values as columns of zeros and ones, `column=value`."""

import numpy as np

from moeliga.base.text import count

MOST_VALUES = 20
"""Most values of a column that is encoded."""


class Encoding:
    """What `--encode` makes of columns of text.

    `values` maps columns to their values in order; None = those of the columns, up to `MOST_VALUES`. A test file is
    encoded by the values of the training file; a value that is not among them gives zeros, and so does a missing one.
    """

    def __init__(self, values=None):
        self.fixed = values is not None
        self.values = {} if values is None else values

    def take(self, name, cells):
        """Return None if a column of text (list of str, None = missing) can be encoded, else what it holds: str."""
        if not self.fixed:
            found = sorted({cell for cell in cells if cell is not None})
            if len(found) > MOST_VALUES:
                return f"text of {len(found):,} values"
            self.values[name] = found
        return None if name in self.values else "text"

    def names(self, name):
        """Return the names of the features that a column becomes: list of str."""
        return [f"{name}={value}" for value in self.values[name]] if name in self.values else [name]

    def encode(self, X, names, texts):
        """Return X with the columns of text encoded, and the names of its features: (ndarray, list of str).

        `texts` maps names to cells, as for `take`.
        """
        parts = []
        for f, name in enumerate(names):
            if name in texts and name in self.values:
                places = {value: place for place, value in enumerate(self.values[name])}
                block = np.zeros((len(X), len(places)), dtype=X.dtype)
                for row, cell in enumerate(texts[name]):
                    if cell in places:
                        block[row, places[cell]] = 1
                parts.append(block)
            else:
                parts.append(X[:, f : f + 1])
        return np.concatenate(parts, axis=1), [new for name in names for new in self.names(name)]

    def note(self):
        """Return a sentence on what was encoded: str."""
        shown = ", ".join(f"{name} ({len(values)})" for name, values in self.values.items())
        return f"Encoded {count(len(self.values), 'column')} of text, with so many values: {shown}."
