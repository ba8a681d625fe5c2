"""The initial subsets: their sizes, staggered or log-uniform, and the user's own."""

import math
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator

from moeliga._ext import draw
from moeliga.base.checks import check_count, check_number, check_sequence
from moeliga.base.decimals import decimals
from moeliga.base.random_streams import Purpose, normals


class Init(BaseEstimator):
    """What both ways have: subsets of the user's own."""

    def __sklearn_clone__(self):
        """Return a clone in which selectors among `subsets` stay fitted: what they have selected is the parameter."""
        return type(self)(**deepcopy(self.get_params(deep=False)))


class StaggeredInit(Init):
    """Staggered initialisation (paper, section "Staggered Initialization").

    Parameters
    ----------
    fractions : tuple of float, default=(0.55, 0.30, 0.15)
        Parts of the population, in order; they sum to 1.
    rates : tuple of float in (0, 1], default=(0.03, 0.15, 0.35)
        Share of the features that is switched on in each part: exactly max(1, round(rate F)) of them.
    spread : float >= 0, default=0.0
        Standard deviation of the number of features, as a share of F; with s > 0 the number is drawn from
        Normal(rate F, s F) and clipped to [1, F]. The authors' program behaves like 0.25.
    subsets : list of subsets or None, default=None
        Subsets of the user's own that join the initial population, of several islands that of the first: masks of
        shape (n_features,), feature names, feature indices, or fitted selectors (anything with `get_support`). The
        selector's `initial_survival_` tells what became of them.

    Notes
    -----
    With groups of features F is the number of groups. With other constraints of the selector the numbers are clipped to
    what these allow.

    Examples
    --------
    >>> from moeliga import StaggeredInit
    >>> StaggeredInit().counts(10, 100, None).tolist()
    [3, 3, 3, 3, 3, 3, 15, 15, 15, 35]
    """

    def __init__(self, fractions=(0.55, 0.30, 0.15), rates=(0.03, 0.15, 0.35), spread=0.0, subsets=None):
        self.fractions = fractions
        self.rates = rates
        self.spread = spread
        self.subsets = subsets

    def validate(self, name="init"):
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

    def counts(self, population_size, n_features, seed):
        """Number of features of each initial individual: int64, shape (population_size,), in [1, n_features].

        `seed` (two words, see `streams.seed_words`) is used only if `spread` is not 0.
        """
        shares = [Fraction(repr(float(fraction))) for fraction in self.fractions]
        ends = [math.floor(sum(shares[: i + 1]) * population_size + Fraction(1, 2)) for i in range(len(shares))]
        ends[-1] = population_size
        part = np.searchsorted(ends, np.arange(population_size), side="right")
        means = [Fraction(repr(float(rate))) * n_features for rate in self.rates]
        if self.spread == 0:
            numbers = np.array([math.floor(mean + Fraction(1, 2)) for mean in means])[part]
        else:
            means = np.array([float(mean) for mean in means])[part]
            noise = normals(seed, Purpose.COUNT, population_size)
            numbers = np.floor(means + self.spread * n_features * noise + 0.5)
        return np.clip(numbers, 1, n_features).astype(np.int64)


class LogUniformInit(Init):
    """Log-uniform initial sizes: as many subsets of 1 to 3 features as of 4 to 15, or of 16 to 63.

    The number k of features that are switched on has the probability ln((k + 1) / k) / ln((b + 1) / a) for the smallest
    number a and the largest b.

    Parameters
    ----------
    smallest : int >= 1, default=1
        a; where there are fewer features, their number.
    largest : float in (0, 1], default=1/3
        b as a share of the features: max(a, round(largest F)) of them.
    subsets : list of subsets or None, default=None
        Subsets of the user's own that join the initial population, of several islands that of the first: masks of
        shape (n_features,), feature names, feature indices, or fitted selectors (anything with `get_support`). The
        selector's `initial_survival_` tells what became of them.

    Notes
    -----
    Not in the paper, whose smallest initial subsets are 3 % of the features. With groups of features F is the number of
    groups. With other constraints of the selector the numbers are clipped to what these allow.

    Examples
    --------
    >>> import numpy as np
    >>> from moeliga import LogUniformInit
    >>> LogUniformInit().counts(10, 300, np.array([1, 2], dtype=np.uint64)).tolist()
    [1, 24, 1, 33, 67, 5, 4, 1, 2, 18]
    """

    def __init__(self, smallest=1, largest=1 / 3, subsets=None):
        self.smallest = smallest
        self.largest = largest
        self.subsets = subsets

    def validate(self, name="init"):
        check_count(f"{name}.smallest", self.smallest, 1)
        check_number(f"{name}.largest", self.largest, Real, 0, 1, closed="right")

    def counts(self, population_size, n_features, seed):
        """Number of features of each initial individual: int64, shape (population_size,), in [1, n_features].

        By inversion, floor(a ((b + 1) / a)^u), in decimals: the C library's powers differ between machines. Individual
        i draws u for itself, so the first counts do not depend on `population_size`.
        """
        low = min(int(self.smallest), n_features)
        high = max(low, math.floor(Fraction(repr(float(self.largest))) * n_features + Fraction(1, 2)))
        units = [draw.units(seed, (Purpose.COUNT, 0, 0, i, 0), 1)[0] for i in range(population_size)]
        with decimals(30):
            ratio = Decimal(high + 1) / low
            numbers = [math.floor(low * ratio ** Decimal(float(unit))) for unit in units]
        return np.clip(numbers, low, high).astype(np.int64)
