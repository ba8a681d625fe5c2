"""Seeds, and the addresses of random numbers.

Every number is a function of ``(seed; purpose, population, generation, individual, test)`` (see
``_ext/kernels/draw``), so it depends neither on threads nor on the numbers drawn before.
"""

from decimal import Decimal
from enum import IntEnum
from statistics import NormalDist

import numpy as np
from sklearn.utils import check_random_state

from moeliga._ext import draw
from moeliga.base.decimals import decimals

ROOT_TWO_PI = Decimal("2.5066282746310005024157652848110452530069867406099383166299235763")


class Purpose(IntEnum):
    """The first part of an address: the purpose of the random numbers."""

    INITIALISE = 1
    COUNT = 2  # sizes of the initial subsets
    MATE = 3  # selection, crossover, mutation, repair of one pair
    GAP = 4  # the generational gap
    DISTINCT = 5  # flips that make copies differ
    EVALUATE = 6  # splits and instances of a generation
    DISTINCT_AFTER = 7  # as DISTINCT and EVALUATE, after local improvement
    EVALUATE_AFTER = 8
    PAIR = 9  # the splits on which a template and its improvement are compared
    REPLACE = 10  # replacement by selection
    RESCORE = 11  # the fresh splits of the final front
    PUBLIC = 12  # `evaluate_subsets`, `separability`
    ESTIMATOR = 13  # random_state of a scikit-learn estimator
    PRIOR = 14  # the features that a feature prior replaces, and the features that replace them
    RANK = 15  # the forest whose importances rank features
    SUBSAMPLE = 17  # the samples that splits are drawn from
    FOLD = 18  # the folds of cross-fitting
    BOOTSTRAP = 19  # samples drawn from the answers of cross-fitting
    FOREST = 20  # samples, features and thresholds of the trees of a forest


def seed_words(random_state):
    """Return the seed of the counter-based generator: ndarray of uint64, shape (2,).

    `random_state` is None (fresh entropy), an int >= 0, or a RandomState or Generator, which is advanced as by
    scikit-learn; ValueError for anything else.
    """
    if random_state is None:
        entropy = None
    elif isinstance(random_state, np.random.Generator):
        entropy = random_state.integers(2**32, size=4).tolist()
    elif isinstance(random_state, int | np.integer):
        if random_state < 0:
            raise ValueError(f"random_state must be >= 0, got {random_state}")
        entropy = int(random_state)
    else:
        try:
            generator = check_random_state(random_state)
        except ValueError as error:
            raise ValueError(f"random_state must be None, an integer, a RandomState or a Generator, "
                             f"got {random_state!r}") from error
        entropy = generator.randint(2**32, size=4, dtype=np.uint64).tolist()
    return np.random.SeedSequence(entropy).generate_state(2, np.uint64)


def island_seed(seed, number):
    """Return the seed of island `number`: ndarray of uint64, shape (2,). Island 0 has the seed of the search."""
    if number == 0:
        return seed
    return np.random.SeedSequence(seed.tolist(), spawn_key=(number,)).generate_state(2, np.uint64)


def fold_seed(seed, fold):
    """Return the seed of the search on a fold: ndarray of uint64, shape (2,)."""
    return np.random.SeedSequence(seed.tolist(), spawn_key=(fold, 0)).generate_state(2, np.uint64)


def random_states(seed, address, n=1):
    """Return `n` values of parameters called random_state, as scikit-learn takes them: list of int in [0, 2^31)."""
    return [int(word >> np.uint64(33)) for word in draw.words(seed, address, n)]


def normals(seed, purpose, n):
    """Return a standard normal number for each of `n` individuals, by inversion: ndarray of float64, shape (n,)."""
    # half a step is added, and 1 avoided: 0 and 1 have no inverse
    units = [float(draw.units(seed, (purpose, 0, 0, i, 0), 1)[0]) + 2.0**-54 for i in range(n)]
    return np.array([normal(min(unit, 1.0 - 2.0**-53)) for unit in units])


def normal(unit):
    """Return the x with Phi(x) = unit, for the standard normal distribution, correctly rounded: float.

    The last digit of `inv_cdf` differs between machines (the C library's logarithm, fused multiplications). One step of
    Newton's method in decimals corrects it.
    """
    x = NormalDist().inv_cdf(unit)
    with decimals(60):
        x, half = Decimal(x), Decimal(unit) - Decimal("0.5")
        # Phi(x) - 1/2 = phi(x) (x + x^3 / 3 + x^5 / (3 5) + x^7 / (3 5 7) + ...)
        term, total, odd = x, x, 1
        while abs(term) > abs(total).scaleb(-45):
            odd += 2
            term *= x * x / odd
            total += term
        return float(x - total + half * ROOT_TWO_PI * (x * x / 2).exp())


def spawn(random_state, n):
    """Return `n` independent seeds, of which the first do not depend on `n`: list of int in [0, 2^64).

    >>> spawn(0, 2) == spawn(0, 3)[:2]
    True
    """
    entropy = seed_words(random_state).tolist()
    return [int(np.random.SeedSequence(entropy, spawn_key=(i,)).generate_state(1, np.uint64)[0]) for i in range(n)]
