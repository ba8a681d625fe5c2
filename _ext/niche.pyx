"""Distances between individuals, their clusters, and fitness sharing by niches (section "Fitness sharing").

Functions that may take long have a `check`, a callable without arguments or None, default=None. It is called some
times a second, None = Python's handlers of signals in its place; an error that it raises ends the call.
"""
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from kernels cimport (bits_count, bits_padded, niche_cluster_fitness, niche_clusters, niche_count_fitness,
                      niche_distance_fitness, niche_matrix, niche_max_hamming, niche_near, niche_normalise,
                      niche_ranges, poll_t, space_t)
from objectives cimport check_objectives
from rounds cimport new_round, poll_of, raise_error, round_t

MODES = ("cluster", "niche", "mean_distance")
NORMALISATIONS = ("sum", "mean")

# Most individuals whose distances are kept where they are used more than once: 32 MB.
cdef int32_t KEPT = 2048
# Where at most one bit in this many may differ, the first words tell most far individuals apart.
cdef int64_t FEW = 256


cdef class Distances:
    """Squared distances between the individuals of a population, each computed when it is read.

    Made by `decision_distances` and `objective_distances`; reads their argument, which must stay as it is.
    """
    cdef space_t space
    cdef const uint64_t[:, ::1] bits
    cdef const double[:, ::1] objectives, d2
    cdef const double[::1] ranges

    def __len__(self):
        return self.space.n

    def matrix(self, check=None):
        """Return all of them: ndarray of float64, shape (n, n)."""
        out = np.empty((self.space.n, self.space.n), dtype=np.float64)
        cdef double[:, ::1] d2 = out
        raised = []
        cdef round_t round = new_round(check, raised)
        cdef poll_t poll = poll_of(&round, 0)
        if self.space.n:
            with nogil:
                niche_matrix(&self.space, &d2[0, 0], &poll)
            raise_error(raised)
        return out

    cdef keep(self, check):
        """Compute all distances once, if their matrix is small enough."""
        if self.space.d2 == NULL and 0 < self.space.n <= KEPT:
            self.d2 = self.matrix(check)
            self.space.d2 = &self.d2[0, 0]


def decision_distances(const uint64_t[:, ::1] bits, int64_t n_features):
    """Return the squared distances h / F in decision space (Eq. `distX`): `Distances`.

    `bits` is uint64, shape (n, ceil(n_features / 64)). A distance is O(F / 64).
    """
    if n_features < 1:
        raise ValueError(f"n_features must be >= 1, got {n_features}")
    if bits.shape[1] != (n_features + 63) // 64:
        raise ValueError(f"bits must have {(n_features + 63) // 64} words a row for {n_features} features, "
                         f"got {bits.shape[1]}")
    cdef int32_t n = <int32_t>bits.shape[0]
    cdef int64_t row = bits_padded(&bits[0, 0], n, n_features) if n else -1
    if row >= 0:
        raise ValueError(f"bits must have no bit at or beyond {n_features}, got one in row {row}")
    cdef Distances distances = Distances()
    distances.bits = bits
    distances.space.bits = &bits[0, 0] if n else NULL
    distances.space.n_features = n_features
    distances.space.n = n
    return distances


def objective_distances(const double[:, ::1] objectives):
    """Return the squared distances in objective space, each objective over its range (Eq. `distO`): `Distances`.

    `objectives` is float64, shape (n, n_objectives), finite; an objective of range 0 counts 0.
    """
    cdef int32_t n = <int32_t>objectives.shape[0], n_objectives = <int32_t>objectives.shape[1]
    check_objectives(objectives)
    cdef double[::1] ranges = np.empty(n_objectives, dtype=np.float64)
    if n:
        niche_ranges(&objectives[0, 0], n, n_objectives, &ranges[0])
    cdef Distances distances = Distances()
    distances.objectives = objectives
    distances.ranges = ranges
    distances.space.objectives = &objectives[0, 0] if n else NULL
    distances.space.ranges = &ranges[0]
    distances.space.n_objectives = n_objectives
    distances.space.n = n
    return distances


cdef Distances _distances(d2, double sigma):
    """Return `Distances`, made from a matrix of squared distances if need be."""
    cdef const double[:, ::1] matrix
    cdef Distances distances
    if not isinstance(d2, Distances):
        matrix = d2
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"d2 must be square, got shape ({matrix.shape[0]}, {matrix.shape[1]})")
        distances = Distances()
        distances.d2 = matrix
        distances.space.d2 = &matrix[0, 0] if matrix.shape[0] else NULL
        distances.space.n = <int32_t>matrix.shape[0]
        d2 = distances
    if not sigma > 0:
        raise ValueError(f"sigma must be > 0, got {sigma}")
    return d2


def clusters(d2, double sigma, check=None):
    """Return the overlapping clusters of individuals pairwise nearer than `sigma`, in order of creation.

    Parameters
    ----------
    d2 : Distances, or ndarray of float64, shape (n, n), squared and symmetric
    sigma : float > 0

    Returns
    -------
    members : ndarray of uint64, shape (n_clusters, ceil(n / 64)); bit i of a row: individual i is a member

    Notes
    -----
    Cliques of the graph "d < sigma", built greedily in population order; see `kernels/niche/cluster.h`.
    """
    cdef Distances distances = _distances(d2, sigma)
    cdef int32_t n = distances.space.n, n_words = (n + 63) // 64, capacity = n, n_clusters
    cdef int64_t n_features
    cdef uint64_t[:, ::1] near, members
    raised = []
    cdef round_t round = new_round(check, raised)
    cdef poll_t poll = poll_of(&round, 0)
    cdef int32_t[::1] work
    if n == 0:
        return np.zeros((0, 0), dtype=np.uint64)
    n_features = distances.space.n_features
    if distances.space.bits != NULL and niche_max_hamming(n_features, sigma) > n_features // FEW:
        distances.keep(check)
    near = np.empty((n, n_words), dtype=np.uint64)
    with nogil:
        niche_near(&distances.space, sigma, &near[0, 0], &poll)
    raise_error(raised)
    while True:
        out = np.empty((capacity, n_words), dtype=np.uint64)
        work = np.empty(2 * <int64_t>capacity, dtype=np.int32)
        members = out
        with nogil:
            n_clusters = niche_clusters(&near[0, 0], n, capacity, &work[0], &members[0, 0], &poll)
        raise_error(raised)
        if n_clusters <= capacity:
            return out[:n_clusters]
        capacity *= 4


def shared(d2, const double[::1] fitness, const int32_t[::1] rank, str mode, double sigma, double alpha, check=None):
    """Return the shared fitness f' (Eq. `eqsharedfit`, or the niche count, or the mean distance).

    Parameters
    ----------
    d2 : Distances, or ndarray of float64, shape (n, n), squared and symmetric
    fitness : ndarray of float64, shape (n,), rank fitness f
    rank : ndarray of int32, shape (n,)
    mode : {"cluster", "niche", "mean_distance"}
    sigma : float > 0, niche size; unused by "mean_distance"
    alpha : float > 0, taper; unused by "mean_distance"

    Returns
    -------
    shared : ndarray of float64, shape (n,), >= 0
    """
    cdef Distances distances = _distances(d2, sigma)
    cdef int32_t n = distances.space.n, size
    if fitness.shape[0] != n or rank.shape[0] != n:
        raise ValueError(f"fitness and rank must have {n} entries, got {fitness.shape[0]} and {rank.shape[0]}")
    if mode not in MODES:
        raise ValueError(f"mode must be one of {MODES}, got {mode!r}")
    if not alpha > 0:
        raise ValueError(f"alpha must be > 0, got {alpha}")
    out = np.empty(n, dtype=np.float64)
    cdef double[::1] values = out
    cdef int32_t[::1] work
    cdef uint64_t[:, ::1] members
    cdef int64_t n_wanted = 0
    raised = []
    cdef round_t round = new_round(check, raised)
    cdef poll_t poll = poll_of(&round, 0)
    cdef Py_ssize_t c
    if n == 0:
        return out
    if mode == "cluster":
        members = clusters(distances, sigma, check)
        if members.shape[0] == 0:
            out[:] = fitness
            return out
        for c in range(members.shape[0]):
            size = bits_count(&members[c, 0], members.shape[1])
            n_wanted += 2 * <int64_t>size * size
        if 2 * n_wanted > <int64_t>n * n:
            distances.keep(check)
        work = np.empty(n, dtype=np.int32)
        with nogil:
            niche_cluster_fitness(&distances.space, &fitness[0], &members[0, 0], <int32_t>members.shape[0], sigma,
                                  alpha, &work[0], &values[0], &poll)
        raise_error(raised)
        return out
    distances.keep(check)
    if mode == "niche":
        with nogil:
            niche_count_fitness(&distances.space, &fitness[0], &rank[0], sigma, alpha, &values[0], &poll)
    else:
        with nogil:
            niche_distance_fitness(&distances.space, &fitness[0], &values[0], &poll)
    raise_error(raised)
    return out


def normalise(const double[::1] fitness, const double[::1] shared, const int32_t[::1] rank, str normalisation):
    """Return the normalised fitness f'' (Eq. `eqnormasfit`).

    Parameters
    ----------
    fitness, shared : ndarray of float64, shape (n,), f and f'
    rank : ndarray of int32, shape (n,), in [1, n]
    normalisation : {"sum", "mean"}
        "sum" divides by the sum of f' over the rank (paper), "mean" by its mean.

    Returns
    -------
    normalised : ndarray of float64, shape (n,), >= 0
    """
    cdef int32_t n = <int32_t>fitness.shape[0], i
    if shared.shape[0] != n or rank.shape[0] != n:
        raise ValueError(f"shared and rank must have {n} entries, got {shared.shape[0]} and {rank.shape[0]}")
    if normalisation not in NORMALISATIONS:
        raise ValueError(f"normalisation must be one of {NORMALISATIONS}, got {normalisation!r}")
    for i in range(n):
        if not 1 <= rank[i] <= n:
            raise ValueError(f"rank must be in [1, {n}], got {rank[i]}")
    out = np.empty(n, dtype=np.float64)
    sums_ = np.empty(n + 1, dtype=np.float64)
    counts_ = np.empty(n + 1, dtype=np.int32)
    cdef double[::1] values = out, sums = sums_
    cdef int32_t[::1] counts = counts_
    if n:
        niche_normalise(&fitness[0], &shared[0], &rank[0], n, normalisation == "mean", &sums[0], &counts[0],
                        &values[0])
    return out
