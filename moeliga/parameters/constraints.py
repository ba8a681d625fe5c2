"""Constraints: the subsets that are allowed."""

from collections.abc import Mapping
from typing import Literal

from moeliga.base.checks import check_choice
from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Groups, Integer, Number, Numbers, Subset


class Constraints(BaseEstimator):
    """Rules for every subset of a search; the largest size is the selector's own `max_features`.

    A fit checks them against the features of X; with `encode` they are about the columns of X before it.

    Parameters
    ----------
    must_include : array-like of feature names or indices, or a mask, or None, default=None
        Features of every subset, each with the rest of its group.
    exclude : array-like of feature names or indices, or a mask, or None, default=None
        Features of no subset; the rest of their groups may still be selected.
    groups : sequence of F labels, sequence or dict of subsets, or None, default=None
        Features that are selected together, such as the columns of a one-hot block: a label for each feature (equal
        labels are a group; a feature with None or NaN is its own group), or the groups as feature names or indices (a
        feature in none of them is its own group).
    costs : array-like of float, shape (n_features,), dict or Series by feature name, or None, default=None
        Costs >= 0 of the features, for the objective "cost" and for ``select(max_cost=)``.
    min_features : int >= 1, default=1
        Size of the smallest subset.
    encode : "onehot" or None, default=None
        "onehot": columns of categories, and of text with at most 20 values, of a table of pandas or polars become
        features of zeros and ones, one for each value, called ``column=value``, which are one group. For a missing
        value, and for one that `fit` has not seen, all are 0. None: such columns are errors.

    Examples
    --------
    >>> from moeliga import Constraints, MOELIGASelector
    >>> MOELIGASelector(constraints=Constraints(exclude=["id"], min_features=2)).constraints
    Constraints(exclude=['id'], min_features=2)
    """

    def __init__(self, must_include: Subset | None = None, exclude: Subset | None = None, groups: Groups | None = None,
                 costs: Numbers | Mapping[str, Number] | None = None, min_features: Integer = 1,
                 encode: Literal["onehot"] | None = None) -> None:
        self.must_include = must_include
        self.exclude = exclude
        self.groups = groups
        self.costs = costs
        self.min_features = min_features
        self.encode = encode

    def validate(self, name: str = "constraints") -> None:
        """Check what does not depend on the features of X; `data.feature_space.build_space` checks the rest."""
        check_choice(f"{name}.encode", self.encode, (None, "onehot"))
