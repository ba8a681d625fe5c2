"""Islands: main populations side by side."""

from numbers import Integral

from sklearn.base import BaseEstimator

from moeliga.base.checks import check_count, check_number


class Islands(BaseEstimator):
    """Main populations that evolve side by side, each with its own random numbers and local improvement.

    The archive, the limits and the result are of all of them. Among workers elsewhere each can be a task of many
    generations, see the notes of `MOELIGASelector`.

    Parameters
    ----------
    n : int >= 1, default=1
        Populations, each of the selector's `population_size`.
    every : int >= 1, default=10
        Generations from one migration to the next: the fittest of each front, a tenth of the population at most, come
        to the next island, and from the last to the first, in place of its worst.

    Examples
    --------
    >>> from moeliga import Islands, MOELIGASelector
    >>> MOELIGASelector(islands=Islands(n=4))
    MOELIGASelector(islands=Islands(n=4))
    """

    def __init__(self, n=1, every=10):
        self.n = n
        self.every = every

    def validate(self, name="islands"):
        """Raise TypeError or ValueError naming the parameter, the rule and the value."""
        check_count(f"{name}.n", self.n, 1)
        check_number(f"{name}.every", self.every, Integral, 1)
