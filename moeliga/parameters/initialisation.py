"""The sizes of the initial subsets, staggered or log-uniform, and the user's own subsets."""

import math
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from numbers import Real
from typing import Self

import numpy as np
from numpy.typing import NDArray

from moeliga._ext import draw
from moeliga.base.checks import check_count, check_number, check_sequence
from moeliga.base.decimals import as_written, decimals
from moeliga.base.estimator import BaseEstimator
from moeliga.base.random_streams import Purpose, normals
from moeliga.base.typing import Integer, Number, Numbers, Subsets


class Init(BaseEstimator):
    """Base class of initial populations, which may have the user's own subsets."""

    def __sklearn_clone__(self) -> Self:
        """Return a clone in which selectors among `subsets` stay fitted, as their selection is needed."""
        return type(self)(**deepcopy(self.get_params(deep=False)))


def round_half_up(number):
    """Return a Fraction rounded to an integer, halves up."""
    return math.floor(number + Fraction(1, 2))


class StaggeredInit(Init):
    """Staggered initialisation (paper, section "Staggered Initialization").

    Parameters
    ----------
    fractions : tuple of float, default=(0.55, 0.30, 0.15)
        Shares of the population that its parts have, in order; they sum to 1.
    rates : tuple of float in (0, 1], default=(0.03, 0.15, 0.35)
        Share of the features that each part selects: exactly max(1, round(rate F)) of them.
    spread : float >= 0, default=0.0
        Standard deviation of the number of features, as a share of F; with s > 0 the number is drawn from
        Normal(rate F, s F) and clipped to [1, F]. The authors' program behaves like 0.25.
    subsets : list of subsets or None, default=None
        The user's own subsets, which join the initial population (of the first island, or of the first of the band of
        their size): masks of shape (n_features,), feature names, feature indices, or fitted selectors (anything with
        `get_support`). The selector's `initial_survival_` tells how long they survived.

    Notes
    -----
    With groups of features F is the number of groups. Other constraints clip the numbers to the sizes that they allow.

    Examples
    --------
    >>> from moeliga import StaggeredInit
    >>> StaggeredInit().counts(10, 100, None).tolist()
    [3, 3, 3, 3, 3, 3, 15, 15, 15, 35]
    """

    def __init__(self, fractions: Numbers = (0.55, 0.30, 0.15), rates: Numbers = (0.03, 0.15, 0.35),
                 spread: Number = 0.0, subsets: Subsets | None = None) -> None:
        self.fractions = fractions
        self.rates = rates
        self.spread = spread
        self.subsets = subsets

    def validate(self, name: str = "init") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        fractions = check_sequence(f"{name}.fractions", self.fractions, "numbers")
        rates = check_sequence(f"{name}.rates", self.rates, "numbers")
        if len(fractions) != len(rates) or not rates:
            raise ValueError(f"{name}.fractions and {name}.rates must have the same length, at least 1, "
                             f"got {len(fractions)} and {len(rates)}")
        for fraction in fractions:
            check_number(f"{name}.fractions", fraction, Real, 0, 1)
        if abs(math.fsum(fractions) - 1) > 1e-9:
            raise ValueError(f"{name}.fractions must sum to 1, got {self.fractions}, which sum to "
                             f"{math.fsum(fractions)}")
        for rate in rates:
            check_number(f"{name}.rates", rate, Real, 0, 1, closed="right")
        check_number(f"{name}.spread", self.spread, Real, 0)

    def counts(self, population_size: int, n_features: int, seed: NDArray[np.uint64] | None,
               band: tuple[int, int] | None = None) -> NDArray[np.int64]:
        """Return the number of features of each individual: int64, shape (population_size,), in [1, n_features].

        `seed`, ndarray of uint64 of shape (2,), is used only if `spread` is not 0. With a `band` of sizes the numbers
        are clipped to it.
        """
        ends = [round_half_up(share * population_size) for share in accumulate(map(as_written, self.fractions))]
        ends[-1] = population_size
        part = np.searchsorted(ends, np.arange(population_size), side="right")
        means = [as_written(rate) * n_features for rate in self.rates]
        if self.spread == 0:
            numbers = np.array([round_half_up(mean) for mean in means])[part]
        else:
            means = np.array([float(mean) for mean in means])[part]
            noise = normals(seed, Purpose.COUNT, population_size)
            numbers = np.floor(means + self.spread * n_features * noise + 0.5)
        return np.clip(numbers, *(band or (1, n_features))).astype(np.int64)


class LogUniformInit(Init):
    """Log-uniform initial sizes: as many subsets of 1 to 3 features as of 4 to 15, or of 16 to 63.

    The size k has the probability ln((k + 1) / k) / ln((b + 1) / a), for a smallest size a and a largest size b.

    Parameters
    ----------
    smallest : int >= 1, default=1
        a, or the number of features if that is smaller.
    largest : float in (0, 1], default=1/3
        b as a share of the features: max(a, round(largest F)) of them.
    subsets : list of subsets or None, default=None
        The user's own subsets, as for `StaggeredInit`.

    Notes
    -----
    Not in the paper, whose smallest initial subsets have 3 % of the features. With groups of features F is the number
    of groups. Other constraints clip the numbers to the sizes that they allow.

    Examples
    --------
    >>> import numpy as np
    >>> from moeliga import LogUniformInit
    >>> LogUniformInit().counts(10, 300, np.array([1, 2], dtype=np.uint64)).tolist()
    [1, 24, 1, 33, 67, 5, 4, 1, 2, 18]
    """

    def __init__(self, smallest: Integer = 1, largest: Number = 1 / 3, subsets: Subsets | None = None) -> None:
        self.smallest = smallest
        self.largest = largest
        self.subsets = subsets

    def validate(self, name: str = "init") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value; `fit` does."""
        check_count(f"{name}.smallest", self.smallest, 1)
        check_number(f"{name}.largest", self.largest, Real, 0, 1, closed="right")

    def counts(self, population_size: int, n_features: int, seed: NDArray[np.uint64],
               band: tuple[int, int] | None = None) -> NDArray[np.int64]:
        """Return the number of features of each individual: int64, shape (population_size,), in [1, n_features].

        The number is floor(a ((b + 1) / a)^u). Each individual draws its own u, so the first numbers do not depend on
        `population_size`. With a `band` of sizes [a, b] is its overlap with the band, or the band if there is none.
        """
        low = min(int(self.smallest), n_features)
        high = max(low, round_half_up(as_written(self.largest) * n_features))
        if band is not None:
            least, most = band
            low, high = (max(low, least), min(high, most)) if low <= most and least <= high else band
        units = [draw.units(seed, (Purpose.COUNT, 0, 0, i, 0), 1)[0] for i in range(population_size)]
        return np.clip([log_uniform_size(low, high + 1, float(unit)) for unit in units], low, high).astype(np.int64)


def log_uniform_size(low, high, unit):
    """Return floor(low (high / low)^unit): int.

    In decimals where rounding could matter: the C library's powers differ between machines, by much less than 1e-9.
    """
    value = low * (high / low) ** unit
    if abs(value - round(value)) > 1e-9 * value:
        return math.floor(value)
    with decimals(30):
        return math.floor(low * (Decimal(high) / low) ** Decimal(unit))
