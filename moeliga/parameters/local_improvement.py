"""Local improvement: the settings of the subordinate populations."""

from numbers import Integral
from typing import Literal, TypeAlias, get_args

from moeliga.base.checks import check_choice, check_count, check_number
from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Integer

Replacement: TypeAlias = Literal["parent", "complete", "selection"]
REPLACEMENTS: tuple[Replacement, ...] = get_args(Replacement)


class LocalImprovement(BaseEstimator):
    """Evolutionary local improvement: subordinate populations (paper, Algorithm 1 and Fig. moeliga).

    Parameters
    ----------
    n_populations : int >= 1, default=3
        N_b: number of the best distinct individuals that become templates.
    population_size : int >= 2, default=40
        50 in the paper. All subsets of a template of k features are evaluated if 2^k - 1 <= `population_size`.
    n_generations : int >= 1, default=8
        70 in the paper. With the paper's numbers a search takes up to 5.5 times as long, with no measured gain.
    every : int >= 1, default=5
        Generations of the main population between two improvements.
    replacement : {"parent", "complete", "selection"}, default="parent"
        "parent": the best individual replaces its template if UAR or size is better and the other not worse, on the
        same fresh splits (paper's PR); "complete": the best of the union survive (CR); "selection": survivors are drawn
        from the union (SR).
    patience : int >= 1 or None, default=None
        Stop a subordinate population after this many generations without a larger hypervolume.

    Notes
    -----
    Subordinate populations make up to 70 % of the evaluations of a search with the defaults of this class, and nearly
    all with the paper's preset.

    Examples
    --------
    >>> from moeliga import LocalImprovement, MOELIGASelector
    >>> selector = MOELIGASelector(local_improvement=LocalImprovement(every=10))
    >>> selector.set_params(local_improvement__n_generations=30).local_improvement
    LocalImprovement(every=10, n_generations=30)
    """

    def __init__(self, n_populations: Integer = 3, population_size: Integer = 40, n_generations: Integer = 8,
                 every: Integer = 5, replacement: Replacement = "parent", patience: Integer | None = None) -> None:
        self.n_populations = n_populations
        self.population_size = population_size
        self.n_generations = n_generations
        self.every = every
        self.replacement = replacement
        self.patience = patience

    def validate(self, name: str = "local_improvement") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        check_count(f"{name}.n_populations", self.n_populations, 1)
        check_count(f"{name}.population_size", self.population_size, 2)
        check_count(f"{name}.n_generations", self.n_generations, 1)
        check_number(f"{name}.every", self.every, Integral, 1)
        check_choice(f"{name}.replacement", self.replacement, REPLACEMENTS)
        if self.patience is not None:
            check_number(f"{name}.patience", self.patience, Integral, 1)
