"""Islands: several main populations."""

from numbers import Integral

from moeliga.base.checks import check_count, check_number
from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Integer


class Islands(BaseEstimator):
    """Main populations that evolve side by side, each with its own random numbers and local improvement.

    They share the archive, the limits and the result. On several machines an island can be a task of many generations,
    see the notes of `MOELIGASelector`.

    Parameters
    ----------
    n : int >= 1, default=1
        Number of populations, each of the selector's `population_size`.
    every : int >= 1, default=10
        Generations from one migration to the next: the fittest of each front, at most a tenth of the population,
        replace the worst of the next island; those of the last island migrate to the first.

    Examples
    --------
    >>> from moeliga import Islands, MOELIGASelector
    >>> MOELIGASelector(islands=Islands(n=4))
    MOELIGASelector(islands=Islands(n=4))
    """

    def __init__(self, n: Integer = 1, every: Integer = 10) -> None:
        self.n = n
        self.every = every

    def validate(self, name: str = "islands") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value."""
        check_count(f"{name}.n", self.n, 1)
        check_number(f"{name}.every", self.every, Integral, 1)
