"""The chosen features as a few lines of Python that need only scikit-learn."""

import pprint


def recipe(names, columns, by_name):
    """Return Python that makes `select`, a scikit-learn transformer, and `X_selected` from `X`: str.

    `by_name`: X is a table and its columns are chosen by `names`; else by their indices, `columns`.

    >>> from moeliga.visualisation.snippet import recipe
    >>> print(recipe(["a", "c"], [0, 2], by_name=True))
    from sklearn.compose import ColumnTransformer
    <BLANKLINE>
    features = ['a', 'c']
    select = ColumnTransformer([("selected", "passthrough", features)], verbose_feature_names_out=False)
    X_selected = select.fit_transform(X)  # X: a DataFrame with columns of these names
    """
    what = "a DataFrame with columns of these names" if by_name else "the array, with its columns in the same order"
    text = pprint.pformat(names if by_name else columns, width=88, compact=True)
    listed = f"features = {text}" if "\n" not in text else f"features = [\n {text[1:-1]},\n]".replace("\n ", "\n    ")
    return (f"from sklearn.compose import ColumnTransformer\n\n{listed}\n"
            'select = ColumnTransformer([("selected", "passthrough", features)], verbose_feature_names_out=False)\n'
            f"X_selected = select.fit_transform(X)  # X: {what}")
