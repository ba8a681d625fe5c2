"""The mechanisms of the paper as value objects: each is one parameter of the selector.

They derive from scikit-learn's BaseEstimator, so that ``clone``, ``repr`` and a grid search over, say,
``local_improvement__every`` work. Their constructors only store; `validate` checks, when a fit begins.
"""

import math
from decimal import Decimal, Overflow, localcontext
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator

from moeliga._ext import niche, vary
from moeliga.streams import Purpose, normals

REPLACEMENTS = ("parent", "complete", "selection")
MUTATIONS = ("bit", "chromosome")


def check_number(name, value, kind, low=None, high=None, closed="both"):
    """`value` if it is a number of `kind` in the range; else TypeError or ValueError naming all three.

    Parameters
    ----------
    name : str
    value : object
    kind : {numbers.Integral, numbers.Real}
    low, high : number or None
        None = no limit on this side.
    closed : {"both", "left", "right", "neither"}
        Which limits belong to the range.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, kind):
        raise TypeError(f"{name} must be {'an integer' if kind is Integral else 'a number'}, got {value!r}")
    if not isinstance(value, Integral) and not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value!r}")
    above = low is None or value > low or (value == low and closed in ("both", "left"))
    below = high is None or value < high or (value == high and closed in ("both", "right"))
    if not (above and below):
        if high is None:
            rule = f"{'>=' if closed in ('both', 'left') else '>'} {low}"
        else:
            rule = f"in {'[' if closed in ('both', 'left') else '('}{low}, {high}"
            rule += "]" if closed in ("both", "right") else ")"
        raise ValueError(f"{name} must be {rule}, got {value!r}")
    return value


def check_choice(name, value, choices):
    """`value` if it is one of `choices`, which are str or None; else ValueError."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"{name} must be one of {tuple(choices)}, got {value!r}")
    return value


def check_sequence(name, value, of):
    """`value` as a list if it can be iterated over and is no str; else TypeError."""
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name} must be a sequence of {of}, got {value!r}")
    return list(value)


def resolve(name, value, short_forms, kind):
    """The value object that `value` stands for: itself, or the object of a short form.

    Parameters
    ----------
    name : str
        Of the parameter, for messages.
    value : str, None or `kind`
    short_forms : dict from short form (str or None) to a value object or None
    kind : class of value objects

    Raises
    ------
    ValueError : if `value` is neither.
    """
    if isinstance(value, kind):
        value.validate(name)
        return value
    if (value is None or isinstance(value, str)) and value in short_forms:
        return short_forms[value]
    forms = ", ".join(repr(form) for form in short_forms)
    raise ValueError(f"{name} must be {forms} or a {kind.__name__}, got {value!r}")


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


class Variation(BaseEstimator):
    """Selection, crossover and mutation (paper, section "Basic parameters").

    Parameters
    ----------
    selection : {"roulette", "tournament"}, default="roulette"
        Parents, and the generational gap, are drawn by f''.
    tournament_size : int >= 1, default=3
    crossover : {"one_point", "two_point", "uniform"}, default="one_point"
    crossover_rate : float in [0, 1], default=0.9
    mutation : {"bit", "chromosome"}, default="bit"
        "bit" flips each bit with probability mutation_rate / F; "chromosome" flips one random bit with probability
        mutation_rate.
    mutation_rate : float >= 0, default=0.15
        Expected flips per child ("bit"), or the probability of one flip ("chromosome", at most 1). The paper says
        only 0.15; expected flips is the meaning that the authors' program gives it.
    schedule : None, "exponential" or (start, end), default=None
        Expected flips fall from `start` to `end` (> 0) over the run, exponentially, in place of `mutation_rate`;
        "exponential" is (10.0, 0.1). For "bit" only.

    Examples
    --------
    >>> from moeliga import Variation
    >>> Variation(schedule=(10.0, 0.1)).rate(50, 100)
    1.0
    """

    def __init__(self, selection="roulette", tournament_size=3, crossover="one_point", crossover_rate=0.9,
                 mutation="bit", mutation_rate=0.15, schedule=None):
        self.selection = selection
        self.tournament_size = tournament_size
        self.crossover = crossover
        self.crossover_rate = crossover_rate
        self.mutation = mutation
        self.mutation_rate = mutation_rate
        self.schedule = schedule

    def validate(self, name="variation"):
        check_choice(f"{name}.selection", self.selection, vary.SELECTIONS)
        check_number(f"{name}.tournament_size", self.tournament_size, Integral, 1)
        check_choice(f"{name}.crossover", self.crossover, vary.CROSSOVERS)
        check_number(f"{name}.crossover_rate", self.crossover_rate, Real, 0, 1)
        check_choice(f"{name}.mutation", self.mutation, MUTATIONS)
        check_number(f"{name}.mutation_rate", self.mutation_rate, Real, 0, 1 if self.mutation == "chromosome" else None)
        if self.schedule is None or isinstance(self.schedule, str):
            check_choice(f"{name}.schedule", self.schedule, (None, "exponential"))
        elif not hasattr(self.schedule, "__len__") or len(self.schedule) != 2:
            raise ValueError(f"{name}.schedule must be None, 'exponential' or (start, end), got {self.schedule!r}")
        else:
            for rate in self.schedule:
                check_number(f"{name}.schedule", rate, Real, 0, closed="neither")
        if self.schedule is not None and self.mutation == "chromosome":
            raise ValueError(f"{name}.schedule must be None for mutation='chromosome', got {self.schedule!r}")

    def rate(self, generation, n_generations):
        """Mutation rate of one generation of a run of `n_generations`."""
        if self.schedule is None:
            return float(self.mutation_rate)
        start, end = (10.0, 0.1) if self.schedule == "exponential" else self.schedule
        with localcontext() as context:  # decimal: the same digits on every machine
            context.prec = 25
            start, end = Decimal(repr(float(start))), Decimal(repr(float(end)))
            return float(start * (end / start) ** (Decimal(generation) / Decimal(n_generations)))

    def flip_limits(self, generation, n_generations, n_features):
        """Limits from which the kernels draw the number of flips: uint64, ascending; see `binomial_limits`."""
        rate = self.rate(generation, n_generations)
        if self.mutation == "chromosome":
            return binomial_limits(1, rate)
        return binomial_limits(n_features, min(1.0, rate / n_features))


@lru_cache(maxsize=1024)
def binomial_limits(n, p):
    """Cumulative probabilities of Binomial(n, p) in units of 2^-64.

    The number of limits that are not above a random 64-bit word is a binomial number: flipping that many random bits
    is flipping each of n bits with probability p, at the cost of the flips alone.

    Returns
    -------
    limits : ndarray of uint64, ascending, at most n; P(number <= i) = limits[i] / 2^64
    """
    limits = []
    with localcontext() as context:
        context.prec = 50
        context.Emin = -999_999_999
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


class FitnessSharing(BaseEstimator):
    """Fitness sharing (paper, section "Fitness sharing"; Eqs. distO, distX, sharingfun, eqsharedfit, eqnormasfit).

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
    population_size : int >= 2, default=50
        A template with 2^k - 1 subsets or fewer than this is enumerated instead of evolved.
    n_generations : int >= 1, default=70
    every : int >= 1, default=5
        Generations of the main population between two improvements.
    replacement : {"parent", "complete", "selection"}, default="parent"
        "parent": the best individual replaces its template if UAR or size is better and the other not worse, on the
        same fresh splits (paper's PR); "complete": the best of the union (CR); "selection": drawn from it (SR).
    patience : int >= 1 or None, default=None
        Stop a subordinate population after so many generations without a larger hypervolume.
    """

    def __init__(self, n_populations=3, population_size=50, n_generations=70, every=5, replacement="parent",
                 patience=None):
        self.n_populations = n_populations
        self.population_size = population_size
        self.n_generations = n_generations
        self.every = every
        self.replacement = replacement
        self.patience = patience

    def validate(self, name="local_improvement"):
        check_number(f"{name}.n_populations", self.n_populations, Integral, 1)
        check_number(f"{name}.population_size", self.population_size, Integral, 2)
        check_number(f"{name}.n_generations", self.n_generations, Integral, 1)
        check_number(f"{name}.every", self.every, Integral, 1)
        check_choice(f"{name}.replacement", self.replacement, REPLACEMENTS)
        if self.patience is not None:
            check_number(f"{name}.patience", self.patience, Integral, 1)


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
    with localcontext() as context:
        context.prec = 30
        context.traps[Overflow] = False  # exp of a large number is infinity, and the value 0
        ratio = Decimal(n_features - n_selected) / n_features
        return float(1 / (1 + (-Decimal(repr(lambda_)) * (ratio + Decimal(repr(gamma)))).exp()))


class Separability(BaseEstimator):
    """Objective III: nearest miss minus nearest hit (paper, Eq. mdist, Algorithm distMetric).

    Parameters
    ----------
    samples : int >= 1 or float in (0, 1], default=0.3
        N_n, the number of instances, or the share ceil(samples n) of them. The paper gives no value.
    replace : bool, default=True
        Draw the instances with replacement (paper).
    """

    def __init__(self, samples=0.3, replace=True):
        self.samples = samples
        self.replace = replace

    def validate(self, name="separability"):
        if isinstance(self.samples, Integral) and not isinstance(self.samples, bool):
            check_number(f"{name}.samples", self.samples, Integral, 1)
        else:
            check_number(f"{name}.samples", self.samples, Real, 0, 1, closed="right")
        if not isinstance(self.replace, bool | np.bool_):
            raise TypeError(f"{name}.replace must be True or False, got {self.replace!r}")

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
