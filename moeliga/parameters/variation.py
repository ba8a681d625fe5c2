"""Crossover and mutation: the settings, and the distribution of the number of flipped bits."""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from numbers import Real
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from moeliga._ext import vary
from moeliga.base.checks import check_choice, check_number
from moeliga.base.decimals import decimals
from moeliga.base.estimator import BaseEstimator
from moeliga.base.typing import Number

Crossover: TypeAlias = Literal["one_point", "two_point", "uniform"]
Schedule: TypeAlias = Literal["exponential"] | tuple[Number, Number] | list[float]
Mutation: TypeAlias = Literal["bit", "chromosome"]


class Variation(BaseEstimator):
    """Crossover and mutation (paper, section "Basic parameters"); `MOGA` sets how parents are drawn.

    Parameters
    ----------
    crossover : {"one_point", "two_point", "uniform"}, default="uniform"
        Parents change places after one random bit, between two, or bit by bit with probability 1/2.
    crossover_rate : float in [0, 1], default=0.9
        Probability of a crossover for a pair of parents; without it the children are copies of them.
    mutation : {"bit", "chromosome"}, default="bit"
        "bit" flips each bit with probability mutation_rate / F; "chromosome" flips one random bit with probability
        mutation_rate.
    mutation_rate : float >= 0, default=0.15
        Expected flips per child ("bit"), or the probability of one flip ("chromosome", at most 1). The paper gives 0.15
        without a unit; the authors' program takes it as expected flips.
    schedule : None, "exponential" or (start, end), default=None
        Expected flips fall exponentially from `start` to `end` (> 0) over the run, in place of `mutation_rate`;
        "exponential" is (10.0, 0.1). Not for "chromosome".

    Examples
    --------
    >>> from moeliga import Variation
    >>> Variation(schedule=(10.0, 0.1)).rate(50, 100)
    1.0
    """

    def __init__(self, crossover: Crossover = "uniform", crossover_rate: Number = 0.9, mutation: Mutation = "bit",
                 mutation_rate: Number = 0.15, schedule: Schedule | None = None) -> None:
        self.crossover = crossover
        self.crossover_rate = crossover_rate
        self.mutation = mutation
        self.mutation_rate = mutation_rate
        self.schedule = schedule

    def validate(self, name: str = "variation") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        check_choice(f"{name}.crossover", self.crossover, vary.CROSSOVERS)
        check_number(f"{name}.crossover_rate", self.crossover_rate, Real, 0, 1)
        check_choice(f"{name}.mutation", self.mutation, get_args(Mutation))
        check_number(f"{name}.mutation_rate", self.mutation_rate, Real, 0, 1 if self.mutation == "chromosome" else None)
        if self.schedule is None or isinstance(self.schedule, str):
            check_choice(f"{name}.schedule", self.schedule, (None, "exponential"))
        elif not isinstance(self.schedule, Sequence | np.ndarray) or len(self.schedule) != 2:
            raise ValueError(f"{name}.schedule must be None, 'exponential' or (start, end), got {self.schedule!r}")
        else:
            for rate in self.schedule:
                check_number(f"{name}.schedule", rate, Real, 0, closed="neither")
        if self.schedule is not None and self.mutation == "chromosome":
            raise ValueError(f"{name}.schedule must be None for mutation='chromosome', got {self.schedule!r}")

    def rate(self, generation: int, n_generations: int) -> float:
        """Return the mutation rate of one generation, in [0, n_generations], of a run of `n_generations`: float >= 0.

        Without a `schedule` it is `mutation_rate`.
        """
        if self.schedule is None:
            return float(self.mutation_rate)
        start, end = (10.0, 0.1) if isinstance(self.schedule, str) else self.schedule
        with decimals(25):
            start, end = Decimal(repr(float(start))), Decimal(repr(float(end)))
            return float(start * (end / start) ** (Decimal(generation) / Decimal(n_generations)))

    def flip_limits(self, generation: int, n_generations: int, n_features: int) -> NDArray[np.uint64]:
        """Return the limits by which the kernels draw the number of flips: uint64, ascending; see `binomial_limits`."""
        rate = self.rate(generation, n_generations)
        if self.mutation == "chromosome":
            return binomial_limits(1, rate)
        return binomial_limits(n_features, min(1.0, rate / n_features))


@lru_cache(maxsize=1024)
def binomial_limits(n, p):
    """Return P(number <= i) of Binomial(n, p) in units of 2^-64, for i < n while below 1: ndarray of uint64, ascending.

    The number of limits <= a random 64-bit word has this distribution. To flip that number of random bits,
    at the cost of these flips alone, is the same as to flip each of n bits with probability p.
    """
    limits = []
    with decimals(50):
        p = Decimal(repr(p))
        mass = (1 - p) ** n
        total = mass
        for i in range(n):
            limit = int(total * 2**64)
            if limit >= 2**64:
                break
            limits.append(limit)
            if p < 1:
                mass *= (Decimal(n - i) / (i + 1)) * (p / (1 - p))
                total += mass
    limits = np.array(limits, dtype=np.uint64)
    limits.flags.writeable = False
    return limits
