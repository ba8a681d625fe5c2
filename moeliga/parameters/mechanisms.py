"""Further mechanisms of the paper as value objects: sharing, local improvement, objectives II and III.

They derive from scikit-learn's BaseEstimator, so that ``clone``, ``repr`` and a grid search over, say,
``local_improvement__every`` work. Their constructors only store; `validate` checks, when a fit begins.
"""

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator

from moeliga._ext import niche
from moeliga.base.checks import check_choice, check_count, check_number
from moeliga.base.decimals import decimals

NEIGHBOURS = 0.1
"""Default share of the samples that are hits of a sample, for a continuous target."""

REPLACEMENTS = ("parent", "complete", "selection")


class FitnessSharing(BaseEstimator):
    """Fitness sharing (paper, section "Fitness sharing"; Eqs. distO, distX, sharingfun, eqsharedfit, eqnormasfit).

    A part of `MOGA`.

    Parameters
    ----------
    mode : {"cluster", "niche", "mean_distance"}, default="cluster"
        "cluster": f' is penalised by the distance to the centroid of each cluster (paper); "niche": f divided by
        1 + the sum of S within the rank; "mean_distance": f times the mean distance to the others.
    space : {"decision", "objective"}, default="decision"
        Distances between chromosomes, sqrt(h / F), or between objectives divided by their observed ranges.
    sigma : float > 0, default=0.0025
        Niche size. In decision space the default touches exact copies only, for any F below 160,000.
    alpha : float > 0, default=1.0
        Taper of the sharing function.
    rank_normalisation : {"mean", "sum"}, default="mean"
        f'' divides f' by its mean over the rank, or by its sum (paper). With the sum a crowded first front gets less
        fitness per head than a lone dominated individual.

    Examples
    --------
    >>> from moeliga import MOGA, FitnessSharing
    >>> MOGA(sharing=FitnessSharing(mode="niche", sigma=0.1))
    MOGA(sharing=FitnessSharing(mode='niche', sigma=0.1))
    """

    def __init__(self, mode="cluster", space="decision", sigma=0.0025, alpha=1.0, rank_normalisation="mean"):
        self.mode = mode
        self.space = space
        self.sigma = sigma
        self.alpha = alpha
        self.rank_normalisation = rank_normalisation

    def validate(self, name="sharing"):
        check_choice(f"{name}.mode", self.mode, niche.MODES)
        check_choice(f"{name}.space", self.space, ("decision", "objective"))
        check_number(f"{name}.sigma", self.sigma, Real, 0, closed="neither")
        check_number(f"{name}.alpha", self.alpha, Real, 0, closed="neither")
        check_choice(f"{name}.rank_normalisation", self.rank_normalisation, niche.NORMALISATIONS)


class LocalImprovement(BaseEstimator):
    """Evolutionary local improvement: subordinate populations (paper, Algorithm 1 and Fig. moeliga).

    Parameters
    ----------
    n_populations : int >= 1, default=3
        N_b: the best distinct individuals, each of which becomes a template.
    population_size : int >= 2, default=40
        The paper's is 50. A template with 2^k - 1 subsets or fewer than this is enumerated instead of evolved.
    n_generations : int >= 1, default=8
        The paper's is 70. With its numbers improvement takes seven times as long, and was not found to gain anything.
    every : int >= 1, default=5
        Generations of the main population between two improvements.
    replacement : {"parent", "complete", "selection"}, default="parent"
        "parent": the best individual replaces its template if UAR or size is better and the other not worse, on the
        same fresh splits (paper's PR); "complete": the best of the union (CR); "selection": drawn from it (SR).
    patience : int >= 1 or None, default=None
        Stop a subordinate population after so many generations without a larger hypervolume.
    adaptive : bool, default=False
        `n_populations` and `every` are only what a search begins with. Where at least half of the subordinate
        populations have replaced their templates, there is one more next time, after half as many generations; where
        none has, one less, after twice as many. From 1 to 2 n_populations, and from half of `every` to four times as
        many generations. For "parent".

    Notes
    -----
    Up to 70 % of the evaluations of a search with the defaults are for subordinate populations, with the paper's
    preset nearly all. Where these find nothing, `adaptive` saves up to eleven twelfths of them; where they find much,
    it makes up to 3.3 times as many. It goes by outcomes alone, never by time, so the same seed gives the same search.

    Examples
    --------
    >>> from moeliga import LocalImprovement, MOELIGASelector
    >>> selector = MOELIGASelector(local_improvement=LocalImprovement(every=10))
    >>> selector.set_params(local_improvement__n_generations=30).local_improvement
    LocalImprovement(every=10, n_generations=30)
    """

    def __init__(self, n_populations=3, population_size=40, n_generations=8, every=5, replacement="parent",
                 patience=None, adaptive=False):
        self.n_populations = n_populations
        self.population_size = population_size
        self.n_generations = n_generations
        self.every = every
        self.replacement = replacement
        self.patience = patience
        self.adaptive = adaptive

    @property
    def most_populations(self):
        """Subordinate populations of one improvement, at most."""
        return int(self.n_populations) * (2 if self.adaptive else 1)

    def validate(self, name="local_improvement"):
        check_count(f"{name}.n_populations", self.n_populations, 1)
        check_count(f"{name}.population_size", self.population_size, 2)
        check_count(f"{name}.n_generations", self.n_generations, 1)
        check_number(f"{name}.every", self.every, Integral, 1)
        check_choice(f"{name}.replacement", self.replacement, REPLACEMENTS)
        if self.patience is not None:
            check_number(f"{name}.patience", self.patience, Integral, 1)
        if not isinstance(self.adaptive, bool | np.bool_):
            raise TypeError(f"{name}.adaptive must be True or False, got {self.adaptive!r}")
        if self.adaptive and self.replacement != "parent":
            raise ValueError(f"{name}.adaptive must be False for replacement={self.replacement!r}, got "
                             f"{self.adaptive!r}")


class Cardinality(BaseEstimator):
    """Objective II: the share of features left out (paper, Eqs. featureratio and CRlambda).

    CR = (F - k) / F for k selected features, mapped to CR_lambda = 1 / (1 + exp(-lambda (CR + gamma))).

    Parameters
    ----------
    lambda_ : float > 0 or None, default=0.5
        None uses CR itself.
    gamma : float, default=0.0

    Notes
    -----
    The map is strictly increasing: it changes no rank, only distances in objective space and rule "r1_lambda". With
    gamma >= 0 it *compresses* the differences among small subsets; what the paper intends, larger differences there,
    needs gamma <= -1 and a large lambda.

    Examples
    --------
    >>> from moeliga import Cardinality
    >>> Cardinality(lambda_=None).values([1, 5], 10).tolist()
    [0.9, 0.5]
    >>> Cardinality().values([5], 10).round(4).tolist()
    [0.5622]
    """

    name = "cardinality"

    def __init__(self, lambda_=0.5, gamma=0.0):
        self.lambda_ = lambda_
        self.gamma = gamma

    def validate(self, name="cardinality"):
        if self.lambda_ is not None:
            check_number(f"{name}.lambda_", self.lambda_, Real, 0, closed="neither")
        check_number(f"{name}.gamma", self.gamma, Real, None)

    def values(self, n_selected, n_features):
        """Objective II of subsets of given sizes.

        Parameters
        ----------
        n_selected : array-like of int, shape (n,), in [0, n_features]
        n_features : int

        Returns
        -------
        values : ndarray of float64, shape (n,)
        """
        n_selected = np.asarray(n_selected, dtype=np.int64)
        if self.lambda_ is None:
            return (n_features - n_selected) / n_features
        sizes, where = np.unique(n_selected, return_inverse=True)
        table = [sigmoid(float(self.lambda_), float(self.gamma), n_features, size) for size in sizes.tolist()]
        return np.array(table)[where]


@lru_cache(maxsize=1 << 17)
def sigmoid(lambda_, gamma, n_features, n_selected):
    """CR_lambda of one size (Eq. CRlambda), correctly rounded: the C library's exp differs between machines."""
    with decimals(30):  # exp of a large number is infinity, and the value 0
        ratio = Decimal(n_features - n_selected) / n_features
        return float(1 / (1 + (-Decimal(repr(lambda_)) * (ratio + Decimal(repr(gamma)))).exp()))


class FeatureCost(BaseEstimator):
    """Objective: the share of the total feature cost that a subset saves, (C - c) / C, in [0, 1].

    C is the sum of the `costs` of `Constraints` over all features, c that over the selected ones. In place of the
    cardinality, or beside it; with equal costs it is CR.

    Examples
    --------
    >>> from moeliga import FeatureCost
    >>> FeatureCost().values([0.0, 2.0, 8.0], 8.0).tolist()
    [1.0, 0.75, 0.0]
    """

    name = "cost"

    def validate(self, name="cost"):
        pass

    def values(self, costs, total):
        """The objective of subsets of given costs.

        Parameters
        ----------
        costs : array-like of float, shape (n,), in [0, total]
        total : float > 0

        Returns
        -------
        values : ndarray of float64, shape (n,)
        """
        return (total - np.asarray(costs, dtype=np.float64)) / total


class Separability(BaseEstimator):
    """Objective III: nearest miss minus nearest hit (paper, Eq. mdist, Algorithm distMetric).

    Parameters
    ----------
    samples : int >= 1 or float in (0, 1], default=0.3
        N_n, the number of instances, or the share ceil(samples n) of them. The paper gives no value.
    replace : bool, default=True
        Draw the instances with replacement (paper).
    neighbours : float in (0, 1), default=0.1
        For a continuous target, which has no classes: about so large a share of the samples are the hits of an
        instance, those of the nearest targets; see `target.hits`.

    Examples
    --------
    >>> from moeliga import Separability
    >>> Separability().n_instances(150), Separability(samples=20).n_instances(150)
    (45, 20)
    """

    name = "separability"

    def __init__(self, samples=0.3, replace=True, neighbours=NEIGHBOURS):
        self.samples = samples
        self.replace = replace
        self.neighbours = neighbours

    def validate(self, name="separability"):
        if isinstance(self.samples, Integral) and not isinstance(self.samples, bool):
            check_count(f"{name}.samples", self.samples, 1)
        else:
            check_number(f"{name}.samples", self.samples, Real, 0, 1, closed="right")
        if not isinstance(self.replace, bool | np.bool_):
            raise TypeError(f"{name}.replace must be True or False, got {self.replace!r}")
        check_number(f"{name}.neighbours", self.neighbours, Real, 0, 1, closed="neither")

    def n_instances(self, n_samples):
        """Instances drawn from a data set of `n_samples`.

        Raises
        ------
        ValueError : if more than `n_samples` are asked for without replacement.
        """
        if not isinstance(self.samples, Integral):
            return math.ceil(Fraction(repr(float(self.samples))) * n_samples)
        if self.samples > n_samples and not self.replace:
            raise ValueError(f"separability.samples must be <= {n_samples}, the number of samples, without "
                             f"replacement, got {self.samples}")
        return int(self.samples)
