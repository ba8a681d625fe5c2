"""Selection, crossover, mutation, the feature prior, repair and distinctness of packed chromosomes.

Every function draws from addressed streams (see `draw`), so its result is a function of its arguments alone.

What a function makes it repairs by `limits` (`moeliga.data.feature_space.Limits`; None = never empty): random
positions are switched off while a chromosome weighs too much, then random ones that still fit are switched on while it
weighs too little; where none fits, the witness takes its place.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

import numpy as np

from kernels cimport (address_t, bits_padded, bits_slots, bits_table_t, draw_open, draw_word, stream_t, vary_distinct,
                      vary_limits_t, vary_mate, vary_options_t, vary_parents_t, vary_prior_t, vary_random, vary_repair,
                      vary_select, vary_steer, vary_steering_t, vary_weight)

SELECTIONS = ("roulette", "tournament")
CROSSOVERS = ("one_point", "two_point", "uniform")


cdef address_t _address(const uint64_t[::1] seed, address) except *:
    if seed.shape[0] != 2:
        raise ValueError(f"seed must have 2 words, got {seed.shape[0]}")
    purpose, population, generation = address
    cdef address_t where
    where.seed[0] = seed[0]
    where.seed[1] = seed[1]
    where.purpose = purpose
    where.population = population
    where.generation = generation
    return where


def _check(const uint64_t[:, ::1] bits, int64_t n_features):
    if n_features < 1:
        raise ValueError(f"n_features must be >= 1, got {n_features}")
    if bits.shape[1] != (n_features + 63) // 64:
        raise ValueError(f"bits must have {(n_features + 63) // 64} words a row for {n_features} features, "
                         f"got {bits.shape[1]}")
    cdef int64_t row = bits_padded(&bits[0, 0], bits.shape[0], n_features) if bits.shape[0] else -1
    if row >= 0:
        raise ValueError(f"bits must have no bit at or beyond {n_features}, got one in row {row}")


cdef vary_limits_t _limits(limits, int64_t n_features) except *:
    """Return the C struct of `limits`, whose arrays the caller keeps alive."""
    cdef vary_limits_t allowed
    cdef const int32_t[::1] weights
    cdef const uint64_t[::1] witness
    cdef int64_t total = n_features, weight
    allowed.least = 1 if limits is None else limits.least
    allowed.most = n_features if limits is None else limits.most
    allowed.weights = NULL
    allowed.witness = NULL
    if limits is not None and limits.weights is not None:
        weights = limits.weights
        witness = limits.witness
        if weights.shape[0] != n_features or np.min(limits.weights) < 1:
            raise ValueError(f"limits.weights must be {n_features} numbers > 0, got {limits.weights!r}")
        total = np.sum(limits.weights, dtype=np.int64)
        _check(np.atleast_2d(limits.witness), n_features)
        allowed.weights = &weights[0]
        allowed.witness = &witness[0]
        weight = vary_weight(&allowed, witness.shape[0], &witness[0])
        if not allowed.least <= weight <= allowed.most:
            raise ValueError(f"limits.witness must weigh [{allowed.least}, {allowed.most}], got {weight}")
    if not (0 <= allowed.least <= allowed.most <= total and allowed.most > 0):
        raise ValueError(f"limits must hold 0 <= least <= most <= {total} and most > 0, got {allowed.least} and "
                         f"{allowed.most}")
    return allowed


cdef _cumulative(const double[::1] fitness):
    if not fitness.shape[0]:
        raise ValueError("fitness must have at least one entry, got 0")
    values = np.asarray(fitness)
    if not np.all(np.isfinite(values)) or values.min() < 0 or values.max() <= 0:
        raise ValueError("fitness must be finite, >= 0 and > 0 somewhere, "
                         f"got values in [{values.min()}, {values.max()}]")
    # element by element: NumPy's cumsum adds in this order too, and says so
    return np.cumsum(values)


def create(const uint64_t[::1] seed, address, const int64_t[::1] counts, int64_t n_features, limits=None):
    """Draw chromosomes with given numbers of selected features (staggered initialisation), then repaired.

    Parameters
    ----------
    seed : ndarray of uint64, shape (2,)
    address : tuple (purpose, population, generation); individual i draws at (address, i, 0)
    counts : ndarray of int64, shape (n,), in [0, n_features]
    n_features : int
    limits : Limits or None

    Returns
    -------
    bits : ndarray of uint64, shape (n, ceil(n_features / 64))

    Raises
    ------
    ValueError : if a count is out of range.
    """
    cdef Py_ssize_t n = counts.shape[0], i
    cdef address_t where = _address(seed, address)
    cdef stream_t stream
    if n_features < 1:
        raise ValueError(f"n_features must be >= 1, got {n_features}")
    cdef vary_limits_t allowed = _limits(limits, n_features)
    out = np.zeros((n, (n_features + 63) // 64), dtype=np.uint64)
    cdef uint64_t[:, ::1] bits = out
    for i in range(n):
        if not 0 <= counts[i] <= n_features:
            raise ValueError(f"counts must be in [0, {n_features}], got {counts[i]}")
        stream = draw_open(where, <uint32_t>i, 0)
        vary_random(&stream, n_features, counts[i], &bits[i, 0])
        vary_repair(&stream, n_features, &allowed, &bits[i, 0])
    return out


def scatter(const uint64_t[::1] seed, address, int64_t n, int64_t n_features, limits=None):
    """Draw chromosomes whose bits are 1 with probability 1/2, then repaired: the start of a subordinate population.

    Individual i draws at (address, i, 0): one word for each word of its bits, then the repair.
    See `create` for `seed`, `address` and `limits`.
    """
    if n < 0:
        raise ValueError(f"n must be >= 0, got {n}")
    from_words = np.zeros((n, (n_features + 63) // 64), dtype=np.uint64)
    _check(from_words, n_features)
    cdef address_t where = _address(seed, address)
    cdef vary_limits_t allowed = _limits(limits, n_features)
    cdef stream_t stream
    cdef uint64_t[:, ::1] bits = from_words
    cdef uint64_t last = ~<uint64_t>0 if n_features % 64 == 0 else (<uint64_t>1 << (n_features % 64)) - 1
    cdef Py_ssize_t i, w
    for i in range(n):
        stream = draw_open(where, <uint32_t>i, 0)
        for w in range(bits.shape[1]):
            bits[i, w] = draw_word(&stream)
        bits[i, bits.shape[1] - 1] &= last
        vary_repair(&stream, n_features, &allowed, &bits[i, 0])
    return from_words


def select(const uint64_t[::1] seed, address, const double[::1] fitness, int32_t n, str selection,
           int32_t tournament_size):
    """Draw `n` individuals by fitness, with replacement; draw i at (address, i, 0).

    Parameters
    ----------
    seed, address : see `create`
    fitness : ndarray of float64, shape (n_individuals,), finite, >= 0, > 0 somewhere
    n : int
    selection : {"roulette", "tournament"}
    tournament_size : int >= 1

    Returns
    -------
    index : ndarray of int32, shape (n,)
    """
    if n < 0:
        raise ValueError(f"n must be >= 0, got {n}")
    if selection not in SELECTIONS:
        raise ValueError(f"selection must be one of {SELECTIONS}, got {selection!r}")
    if tournament_size < 1:
        raise ValueError(f"tournament_size must be >= 1, got {tournament_size}")
    cdef address_t where = _address(seed, address)
    cdef const double[::1] cumulative = _cumulative(fitness)
    cdef stream_t stream
    cdef int32_t kind = SELECTIONS.index(selection), i
    out = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] index = out
    for i in range(n):
        stream = draw_open(where, <uint32_t>i, 0)
        index[i] = vary_select(&stream, &fitness[0], &cumulative[0], <int32_t>fitness.shape[0], kind,
                               tournament_size)
    return out


def offspring(const uint64_t[::1] seed, address, const uint64_t[:, ::1] parents, const double[::1] fitness,
              int64_t n_features, int32_t n_children, str selection, int32_t tournament_size, str crossover,
              double crossover_rate, const uint64_t[::1] flip_limits, limits=None):
    """Return children of parents selected by fitness: crossover, mutation, repair (Algorithm 1, lines 4 to 6).

    Parameters
    ----------
    seed, address : see `create`; the pair of children 2 i and 2 i + 1 draws at (address, i, 0)
    parents : ndarray of uint64, shape (n, n_words)
    fitness : ndarray of float64, shape (n,), finite, >= 0, > 0 somewhere
    n_features : int
    n_children : int; of an odd number the last pair gives one
    selection : {"roulette", "tournament"}
    tournament_size : int >= 1
    crossover : {"one_point", "two_point", "uniform"}
    crossover_rate : float in [0, 1]
    flip_limits : ndarray of uint64, ascending
        The number of flips of a child is the number of limits not above a random word; at most n_features.
    limits : Limits or None

    Returns
    -------
    children : ndarray of uint64, shape (n_children, n_words)
    """
    _check(parents, n_features)
    if parents.shape[0] != fitness.shape[0]:
        raise ValueError(f"fitness must have {parents.shape[0]} entries, got {fitness.shape[0]}")
    if n_children < 0:
        raise ValueError(f"n_children must be >= 0, got {n_children}")
    if selection not in SELECTIONS:
        raise ValueError(f"selection must be one of {SELECTIONS}, got {selection!r}")
    if crossover not in CROSSOVERS:
        raise ValueError(f"crossover must be one of {CROSSOVERS}, got {crossover!r}")
    if tournament_size < 1:
        raise ValueError(f"tournament_size must be >= 1, got {tournament_size}")
    if not 0 <= crossover_rate <= 1:
        raise ValueError(f"crossover_rate must be in [0, 1], got {crossover_rate}")
    if flip_limits.shape[0] > n_features:
        raise ValueError(f"flip_limits must have at most {n_features} entries, got {flip_limits.shape[0]}")
    cdef address_t where = _address(seed, address)
    cdef const double[::1] cumulative = _cumulative(fitness)
    cdef vary_limits_t allowed = _limits(limits, n_features)
    cdef stream_t stream
    cdef vary_options_t options
    options.selection = SELECTIONS.index(selection)
    options.tournament_size = tournament_size
    options.crossover = CROSSOVERS.index(crossover)
    options.crossover_rate = crossover_rate
    options.flip_limits = &flip_limits[0] if flip_limits.shape[0] else NULL
    options.n_flip_limits = <int32_t>flip_limits.shape[0]
    cdef vary_parents_t pool = vary_parents_t(&parents[0, 0], &fitness[0], &cumulative[0], n_features,
                                              <int32_t>fitness.shape[0])
    cdef int32_t n_pairs = (n_children + 1) // 2, i
    out = np.empty((2 * n_pairs, parents.shape[1]), dtype=np.uint64)
    picked_ = np.zeros(parents.shape[1], dtype=np.uint64)
    cdef uint64_t[:, ::1] children = out
    cdef uint64_t[::1] picked = picked_
    with nogil:
        for i in range(n_pairs):
            stream = draw_open(where, <uint32_t>i, 0)
            vary_mate(&stream, &pool, &options, &allowed, &picked[0], &children[2 * i, 0], &children[2 * i + 1, 0])
    return out[:n_children]


def distinct(const uint64_t[::1] seed, address, const uint64_t[:, ::1] bits, int64_t n_features, int64_t n_flips,
             int32_t tries, limits=None):
    """Make all chromosomes differ: flip `n_flips` random bits of each later copy, and repair it, until it is new.

    Parameters
    ----------
    seed, address : see `create`; individual i draws at (address, i, 0)
    bits : ndarray of uint64, shape (n, n_words); not changed
    n_features : int
    n_flips : int in [1, n_features]
    tries : int >= 0
        Most attempts for each copy; what is a copy then stays one.
    limits : Limits or None

    Returns
    -------
    bits : ndarray of uint64, shape (n, n_words)
    changed : ndarray of bool, shape (n,)
    """
    _check(bits, n_features)
    if not 1 <= n_flips <= n_features:
        raise ValueError(f"n_flips must be in [1, {n_features}], got {n_flips}")
    if tries < 0:
        raise ValueError(f"tries must be >= 0, got {tries}")
    cdef address_t where = _address(seed, address)
    cdef vary_limits_t allowed = _limits(limits, n_features)
    cdef stream_t stream
    cdef Py_ssize_t n = bits.shape[0], i
    out = np.array(bits, dtype=np.uint64, order="C")
    changed = np.zeros(n, dtype=np.uint8)
    hashes_ = np.empty(n, dtype=np.uint64)
    picked_ = np.zeros(bits.shape[1], dtype=np.uint64)
    cdef int64_t n_slots = bits_slots(n)
    cdef uint64_t[:, ::1] population = out
    cdef unsigned char[::1] flags = changed
    cdef uint64_t[::1] hashes = hashes_, picked = picked_
    cdef int32_t[::1] slots = np.full(n_slots, -1, dtype=np.int32)
    cdef bits_table_t table
    table.hashes = &hashes[0] if n else NULL
    table.slots = &slots[0]
    table.n_slots = n_slots
    with nogil:
        for i in range(n):
            stream = draw_open(where, <uint32_t>i, 0)
            flags[i] = vary_distinct(&stream, <int32_t>i, n_features, n_flips, tries, &allowed, &table, &picked[0],
                                     &population[0, 0])
    return out, changed.view(np.bool_)


def steer(const uint64_t[::1] seed, address, const uint64_t[:, ::1] bits, const uint64_t[:, ::1] elders,
          const double[::1] weights, double share, const int32_t[::1] sizes=None):
    """Replace a share of the features that chromosomes have and their elders lack, drawn by weight without replacement.

    Parameters
    ----------
    seed, address : see `create`; individual i draws at (address, i, 0) what gives way, then at (address, i, round)
    bits, elders : ndarray of uint64, shape (n, n_words); not changed
    weights : ndarray of float64, shape (n_features,), finite, > 0
    share : float in [0, 1]
    sizes : ndarray of int32, shape (n_features,), > 0, or None
        Features change places with those of their size only, smaller sizes first; None = one size.

    Returns
    -------
    bits : ndarray of uint64, shape (n, n_words): of as many features of each size as before

    Raises
    ------
    ValueError : if shapes differ, or a weight, a size or the share is out of range.

    Notes
    -----
    O(n_features) for each individual and round; a round draws as many as are missing, copies are drawn again in the
    next. One thread.
    """
    cdef int64_t n_features = weights.shape[0]
    _check(bits, n_features)
    _check(elders, n_features)
    if elders.shape[0] != bits.shape[0]:
        raise ValueError(f"elders must have {bits.shape[0]} rows, got {elders.shape[0]}")
    if not (np.all(np.isfinite(weights)) and np.min(weights) > 0):
        raise ValueError(f"weights must be finite and > 0, got values in [{np.min(weights)}, {np.max(weights)}]")
    if not 0 <= share <= 1:
        raise ValueError(f"share must be in [0, 1], got {share}")
    if sizes is not None and (sizes.shape[0] != n_features or np.min(sizes) < 1):
        raise ValueError(f"sizes must be {n_features} numbers > 0, got {np.asarray(sizes)!r}")
    cdef address_t where = _address(seed, address)
    cdef vary_prior_t prior
    prior.weights = &weights[0]
    prior.sizes = NULL
    if sizes is not None:
        prior.sizes = &sizes[0]
    prior.share = share
    prior.n_features = n_features
    out = np.array(bits, dtype=np.uint64, order="C")
    cdef uint64_t[:, ::1] steered = out
    cdef uint64_t[:, ::1] words = np.empty((2, bits.shape[1]), dtype=np.uint64)
    cdef double[::1] reached = np.empty(n_features)
    cdef int32_t[::1] pool = np.empty(n_features, dtype=np.int32)
    cdef vary_steering_t work
    work.free = &words[0, 0]
    work.out = &words[1, 0]
    work.reached = &reached[0]
    work.pool = &pool[0]
    cdef Py_ssize_t n = bits.shape[0], i
    with nogil:
        for i in range(n):
            vary_steer(where, <uint32_t>i, &prior, &elders[i, 0], &work, &steered[i, 0])
    return out
