"""The chosen features as a few lines of Python that need scikit-learn only."""

import pprint


def recipe(names, columns, by_name):
    """Python that selects the same columns, in the same order, without this package.

    Parameters
    ----------
    names : list of str, in the order of the data
    columns : list of int
        Their places in the table.
    by_name : bool
        X is a table with column names; else an array.

    Returns
    -------
    text : str
        Makes `select`, a scikit-learn transformer, and `X_selected` from `X`.

    Examples
    --------
    >>> from moeliga.visualisation.snippet import recipe
    >>> print(recipe(["a", "c"], [0, 2], by_name=True))
    from sklearn.compose import ColumnTransformer
    <BLANKLINE>
    features = ['a', 'c']
    select = ColumnTransformer([("selected", "passthrough", features)], verbose_feature_names_out=False)
    X_selected = select.fit_transform(X)  # X: a DataFrame with columns of these names
    """
    chosen = names if by_name else columns
    what = "a DataFrame with columns of these names" if by_name else "the array, with its columns in the same order"
    text = pprint.pformat(chosen, width=88, compact=True)
    listed = f"features = {text}" if "\n" not in text else f"features = [\n {text[1:-1]},\n]".replace("\n ", "\n    ")
    return (f"from sklearn.compose import ColumnTransformer\n\n{listed}\n"
            'select = ColumnTransformer([("selected", "passthrough", features)], verbose_feature_names_out=False)\n'
            f"X_selected = select.fit_transform(X)  # X: {what}")
