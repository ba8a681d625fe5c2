"""Staggered initialisation."""

import math
from fractions import Fraction
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator

from moeliga.checks import check_number, check_sequence
from moeliga.streams import Purpose, normals


class StaggeredInit(BaseEstimator):
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

    Notes
    -----
    With `feature_groups` F is the number of groups. With other constraints of the selector the numbers are clipped to
    what these allow.

    Examples
    --------
    >>> from moeliga import StaggeredInit
    >>> StaggeredInit().counts(10, 100, None).tolist()
    [3, 3, 3, 3, 3, 3, 15, 15, 15, 35]
    """

    def __init__(self, fractions=(0.55, 0.30, 0.15), rates=(0.03, 0.15, 0.35), spread=0.0):
        self.fractions = fractions
        self.rates = rates
        self.spread = spread

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
