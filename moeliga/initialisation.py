"""Staggered initialisation, and subsets to start from."""

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
    subsets : list of subsets or None, default=None
        Individuals to start from, each a boolean mask of shape (n_features,), a list of feature names or a list of
        feature indices. They take the first places of the population.

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
        if self.subsets is not None:
            check_sequence(f"{name}.subsets", self.subsets, "subsets")

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

    def seeds(self, n_features, feature_names):
        """Masks of the `subsets`: ndarray of bool, shape (n_subsets, n_features)."""
        subsets = [] if self.subsets is None else list(self.subsets)
        masks = np.zeros((len(subsets), n_features), dtype=bool)
        for place, (mask, subset) in enumerate(zip(masks, subsets, strict=True)):
            mask[subset_index(f"init.subsets[{place}]", subset, n_features, feature_names)] = True
        return masks


def subset_index(name, subset, n_features, feature_names):
    """Indices of the features of a subset given as mask, names or indices; `name` is for messages."""
    members = np.asarray(subset)
    if members.ndim != 1:
        raise ValueError(f"{name} must be a mask, names or integer indices, got {subset!r}")
    if members.dtype == bool:
        if len(members) != n_features:
            raise ValueError(f"{name} must have {n_features} entries, one for each feature of X, got {len(members)}")
        members = np.flatnonzero(members)
    elif members.dtype.kind in "UOT":
        places = {feature: place for place, feature in enumerate(feature_names)}
        for feature in members.tolist():
            if feature not in places:
                raise ValueError(f"{name} must name features of X, got the unknown name {feature!r}")
        members = np.array([places[feature] for feature in members.tolist()], dtype=np.int64)
    if len(members) == 0:
        raise ValueError(f"{name} must not be empty, got {subset!r}")
    if members.dtype.kind not in "iu":
        raise ValueError(f"{name} must be a mask, names or integer indices, got {subset!r}")
    if members.min() < 0 or members.max() >= n_features:
        raise ValueError(f"{name} must hold indices in [0, {n_features}), got {members.tolist()}")
    return members
