"""Random streams: seeds, and the purposes that random numbers are drawn for.

Every draw has an address ``(seed; purpose, population, generation, individual, test)`` (see ``_ext/kernels/draw``),
so a result depends neither on threads nor on what was drawn before.
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
    """What a stream is for: the first part of every address."""

    INITIALISE = 1
    COUNT = 2  # sizes of the initial subsets, where they are drawn
    MATE = 3  # selection, crossover, mutation, repair of one pair
    GAP = 4  # the generational gap
    DISTINCT = 5  # flips that make copies differ
    EVALUATE = 6  # splits and instances of a generation
    DISTINCT_AFTER = 7  # the same two, after local improvement
    EVALUATE_AFTER = 8
    PAIR = 9  # the splits on which a template and its improvement are compared
    REPLACE = 10  # replacement by selection
    RESCORE = 11  # the fresh splits of the final front
    PUBLIC = 12  # `evaluate_subsets`, `separability`
    ESTIMATOR = 13  # random_state of a scikit-learn estimator
    PRIOR = 14  # which of the added features a feature prior draws anew, and what in their place
    SUBSAMPLE = 17  # the samples that splits are drawn from


def seed_words(random_state):
    """128 bits of seed for the counter-based generator.

    Parameters
    ----------
    random_state : None, int, numpy.random.RandomState or numpy.random.Generator
        None draws fresh entropy; a generator is advanced, as scikit-learn does.

    Returns
    -------
    seed : ndarray of uint64, shape (2,)

    Raises
    ------
    ValueError : if `random_state` is none of these, or a negative int.
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
    """The seed of an island: ndarray of uint64, shape (2,). The first has that of the search, the others their own.

    Parameters
    ----------
    seed : ndarray of uint64, shape (2,)
        Of the search.
    number : int >= 0
    """
    if number == 0:
        return seed
    return np.random.SeedSequence(seed.tolist(), spawn_key=(number,)).generate_state(2, np.uint64)


def normals(seed, purpose, n):
    """One standard normal number for each of `n` individuals, by inversion: float64, shape (n,)."""
    # shifted by half a step, and kept below 1: neither 0 nor 1 has an inverse
    units = [float(draw.units(seed, (purpose, 0, 0, i, 0), 1)[0]) + 2.0**-54 for i in range(n)]
    return np.array([normal(min(unit, 1.0 - 2.0**-53)) for unit in units])


def normal(unit):
    """The x of which Phi(x) = unit, for the standard normal distribution, correctly rounded.

    The statistics module's differs in its last digit between machines, by the C library's logarithm and by the
    multiplications that the compiler fuses. One step of Newton's method in decimals, from there, leaves nothing of it.
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
    """`n` independent seeds; the first ones do not depend on `n`.

    Parameters
    ----------
    random_state : None, int, numpy.random.RandomState or numpy.random.Generator
    n : int >= 0

    Returns
    -------
    seeds : list of int in [0, 2^64)

    Examples
    --------
    >>> from moeliga.base.random_streams import spawn
    >>> spawn(0, 2) == spawn(0, 3)[:2]
    True
    """
    entropy = seed_words(random_state).tolist()
    return [int(np.random.SeedSequence(entropy, spawn_key=(i,)).generate_state(1, np.uint64)[0]) for i in range(n)]
