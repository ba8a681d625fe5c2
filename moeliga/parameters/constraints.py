"""Constraints: which subsets are allowed."""

from sklearn.base import BaseEstimator


class Constraints(BaseEstimator):
    """What every subset of a search keeps to; the largest size is the selector's own `max_features`.

    Checked when a fit begins, against the features of X.

    Parameters
    ----------
    must_include : array-like of feature names or indices, or a mask, or None, default=None
        Features of every subset, each with the rest of its group.
    exclude : array-like of feature names or indices, or a mask, or None, default=None
        Features of no subset; the rest of their groups stays.
    groups : sequence of F labels, sequence or dict of subsets, or None, default=None
        Features that are selected together, as the columns of a one-hot block or the channels of a sensor: a label
        for each feature (equal labels are a group; None and NaN stand alone), or the groups as feature names or
        indices (features in none stand alone).
    costs : array-like of float, shape (n_features,), >= 0, or None, default=None
        For the objective "cost" and for ``select(max_cost=)``.
    min_features : int >= 1, default=1
        Size of the smallest subset the search looks at.

    Examples
    --------
    >>> from moeliga import Constraints, MOELIGASelector
    >>> MOELIGASelector(constraints=Constraints(exclude=["id"], min_features=2)).constraints
    Constraints(exclude=['id'], min_features=2)
    """

    def __init__(self, must_include=None, exclude=None, groups=None, costs=None, min_features=1):
        self.must_include = must_include
        self.exclude = exclude
        self.groups = groups
        self.costs = costs
        self.min_features = min_features

    def validate(self, name="constraints"):
        """Do nothing: what is allowed depends on the features of X; `data.feature_space.build_space` checks it."""
