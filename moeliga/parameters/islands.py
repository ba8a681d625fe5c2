"""Islands: several main populations."""

from itertools import pairwise
from numbers import Integral
from typing import Literal, TypeAlias, get_args

from sklearn.base import is_regressor

from moeliga.base.checks import check_choice, check_count, check_number, check_predictor, check_sequence
from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Integer, Predictor, Several

Combine: TypeAlias = Literal["mean", "min"]
COMBINATIONS = get_args(Combine)

MAX_ISLANDS = 10_000
"""Largest number of islands, or of islands of each band."""


class Islands(BaseEstimator):
    """Main populations that evolve side by side, each with its own random numbers and local improvement.

    They share the archive, the limits and the result. On several machines an island can be a task of many generations,
    see the notes of `MOELIGASelector`.

    Parameters
    ----------
    n : int >= 1, default=1
        Number of populations, each of the selector's `population_size`; with `sizes`, for each band.
    sizes : "auto", sequence of int or None, default="auto"
        Bands of sizes, each with populations of its own that keep to it: the largest size of each band, ascending, as
        in ``(5, 10, 20)`` for subsets of 1 to 5, 6 to 10 and 11 to 20 features. "auto": 6, 12, 24, 48, ..., up to
        `max_features`, else to half of the features, 12 at least and 96 at most; a last band of less than half its
        width is part of the one before. Without bands a population ends at the smallest subsets whose score is as good
        on its validation splits, and larger ones, which are often better on new samples and for other models, are lost.
        None (paper): populations over all sizes.
    judges : sequence of classifiers, or of regressors, or None, default=None
        The model that guides the search in place of the compiled tree, as in ``[LogisticRegression()]``, with the
        selector's `scoring` and `cv`; or several, a panel, each of which scores every subset on the same splits: the
        front has the score of each. Trees, forests, naive Bayes, neighbours and linear models are compiled; any other
        model is evaluated by joblib, hundreds of times slower. None = the tree, which is the `estimator` if that is one
        of this package.
    combine : {"mean", "min"}, default="mean"
        The score of a panel: the mean of its judges' scores, or the lowest of them.
    every : int >= 1, default=10
        Generations from one migration to the next. With `sizes`: the best that other populations, subordinate ones of
        larger bands among them, have found in the range of a band replace its worst, at most a tenth of the
        population. Without: the fittest of each front replace the worst of the next island; those of the last island
        migrate to the first.

    Notes
    -----
    A band begins with the first features by an F-test and by the importances of a random forest among its subsets, and
    is as much work as a population of its sizes: the bands of large subsets take most of the time. Bands are not in the
    paper.

    Examples
    --------
    >>> from moeliga import Islands, MOELIGASelector
    >>> MOELIGASelector(islands=Islands(n=4, sizes=None))
    MOELIGASelector(islands=Islands(n=4, sizes=None))
    """

    def __init__(self, n: Integer = 1, sizes: Literal["auto"] | Several[Integer] | None = "auto",
                 judges: Several[Predictor] | None = None, combine: Combine = "mean", every: Integer = 10) -> None:
        self.n = n
        self.sizes = sizes
        self.judges = judges
        self.combine = combine
        self.every = every

    def validate(self, name: str = "islands") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value."""
        if check_count(f"{name}.n", self.n, 1) > MAX_ISLANDS:
            raise ValueError(f"{name}.n must be <= {MAX_ISLANDS}, got {self.n}: each generation would evaluate "
                             "population_size subsets for each of them")
        if not (self.sizes is None or (isinstance(self.sizes, str) and self.sizes == "auto")):
            edges = check_sequence(f"{name}.sizes", self.sizes, "numbers")
            for edge in edges:
                check_number(f"{name}.sizes", edge, Integral, 1)
            if not edges or any(low >= high for low, high in pairwise(edges)):
                raise ValueError(f"{name}.sizes must hold ascending numbers, got {self.sizes!r}")
        if self.judges is not None:
            judges = check_sequence(f"{name}.judges", self.judges, "classifiers or regressors")
            if not len(judges):
                raise ValueError(f"{name}.judges must hold at least one classifier or regressor, got {self.judges!r}: "
                                 "pass None for the default, the tree")
            for judge in judges:
                check_predictor(f"{name}.judges", judge)
            if len({is_regressor(judge) for judge in judges}) > 1:
                raise ValueError(f"{name}.judges must all be classifiers or all be regressors, got {judges!r}")
        check_choice(f"{name}.combine", self.combine, COMBINATIONS)
        check_number(f"{name}.every", self.every, Integral, 1)
