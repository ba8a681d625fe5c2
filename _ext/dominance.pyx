"""Dominance rank and fronts, rank fitness, and crowding distances (section "Ranking").

`fronts`, `crowding` and `crowded_fitness` are what NSGA-II goes by (Deb, Pratap, Agarwal and Meyarivan, 2002).

Functions that may take long have a `check`, a callable without arguments or None, default=None. It is called some
times a second, None = Python's handlers of signals in its place; an error that it raises ends the call.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t

import numpy as np

from kernels cimport (RANK_WORDS, crowd_add, crowd_fronts, crowd_places, poll_t, rank_by_orders, rank_dominance,
                      rank_dominated, rank_fitness)
from objectives cimport check_objectives
from rounds cimport new_round, poll_of, raise_error, round_t

# Individuals from which sorting them is faster than comparing all pairs.
cdef int32_t MANY = 400


def rank(const double[:, ::1] objectives, check=None):
    """Rank individuals by how many others dominate them (Eq. `eqrank`).

    Parameters
    ----------
    objectives : ndarray of float64, shape (n_individuals, n_objectives), larger is better, finite

    Returns
    -------
    rank : ndarray of int32, shape (n_individuals,), >= 1; 1 means non-dominated

    Raises
    ------
    ValueError : if there is no objective or a value is not finite.

    Notes
    -----
    O(n_individuals^2 n_objectives), for many individuals a 64th of it; one thread. Equal rows do not dominate each
    other.
    """
    cdef int32_t n = <int32_t>objectives.shape[0], n_objectives = <int32_t>objectives.shape[1]
    check_objectives(objectives)
    out = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] ranks = out
    cdef const int32_t[:, ::1] orders
    cdef const int32_t[::1] lexical
    cdef uint64_t[:, ::1] above
    raised = []
    cdef round_t round = new_round(check, raised)
    cdef poll_t poll = poll_of(&round, 0)
    if 0 < n < MANY:
        with nogil:
            rank_dominance(&objectives[0, 0], n, n_objectives, &ranks[0])
    elif n:
        columns = np.ascontiguousarray(np.asarray(objectives).T)
        orders = np.argsort(-columns, axis=1).astype(np.int32)
        lexical = np.lexsort(columns).astype(np.int32)
        above = np.empty((n, RANK_WORDS), dtype=np.uint64)
        with nogil:
            rank_by_orders(&objectives[0, 0], n, n_objectives, &orders[0, 0], &lexical[0], &above[0, 0], &ranks[0],
                           &poll)
        raise_error(raised)
    return out


def fronts(const double[:, ::1] objectives, check=None):
    """Return the dominance front of each individual: 1 is not dominated, 2 only by front 1, and so on.

    Parameters
    ----------
    objectives : ndarray of float64, shape (n_individuals, n_objectives), larger is better, finite

    Returns
    -------
    front : ndarray of int32, shape (n_individuals,), >= 1
        One more than the longest chain of individuals, each dominating the next, that ends in it; 1 where `rank` is 1.

    Raises
    ------
    ValueError : if there is no objective or a value is not finite.

    Notes
    -----
    O(n_individuals^2 n_objectives) at most; one thread.
    """
    cdef int32_t n = <int32_t>objectives.shape[0], n_objectives = <int32_t>objectives.shape[1]
    check_objectives(objectives)
    out = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] numbers = out
    cdef const int32_t[::1] order
    cdef int32_t[:, ::1] work
    raised = []
    cdef round_t round = new_round(check, raised)
    cdef poll_t poll = poll_of(&round, 0)
    if n:
        order = np.lexsort(-np.asarray(objectives).T[::-1]).astype(np.int32)
        work = np.empty((2, n), dtype=np.int32)
        with nogil:
            crowd_fronts(&objectives[0, 0], n, n_objectives, &order[0], &work[0, 0], &work[1, 0], &numbers[0],
                         &poll)
        raise_error(raised)
    return out


def _check_front(const int32_t[::1] front, int32_t n):
    if front.shape[0] != n:
        raise ValueError(f"front must have {n} entries, got {front.shape[0]}")


def crowding(const double[:, ::1] objectives, const int32_t[::1] front):
    """Return the crowding distance of each individual in its front.

    Parameters
    ----------
    objectives : ndarray of float64, shape (n_individuals, n_objectives), finite
    front : ndarray of int32, shape (n_individuals,)

    Returns
    -------
    distance : ndarray of float64, shape (n_individuals,), >= 0
        For each objective the gap between the next larger and the next smaller value in the front over the range of the
        front; infinity for its first and last. Equal values are ordered by place. An objective of range 0 counts 0, for
        its first and last too.

    Raises
    ------
    ValueError : if there is no objective, a value is not finite, or shapes differ.

    Notes
    -----
    O(n_objectives n_individuals log n_individuals); one thread.
    """
    cdef int32_t n = <int32_t>objectives.shape[0], n_objectives = <int32_t>objectives.shape[1], m
    check_objectives(objectives)
    _check_front(front, n)
    out = np.zeros(n)
    cdef double[::1] distance = out
    cdef const int32_t[::1] order
    for m in range(n_objectives if n else 0):
        order = np.lexsort((np.asarray(objectives)[:, m], front)).astype(np.int32)
        with nogil:
            crowd_add(&objectives[0, 0], n, n_objectives, m, &front[0], &order[0], &distance[0])
    return out


def crowded_fitness(const int32_t[::1] front, const double[::1] distance):
    """Return the fitness by front and, within a front, by crowding distance.

    Parameters
    ----------
    front : ndarray of int32, shape (n_individuals,)
    distance : ndarray of float64, shape (n_individuals,), not NaN

    Returns
    -------
    fitness : ndarray of float64, shape (n_individuals,), > 0
        That of Eq. `eqfit1` with the places in this order as ranks; equal where front and distance are.

    Raises
    ------
    ValueError : if shapes differ or a distance is NaN.
    """
    cdef int32_t n = <int32_t>front.shape[0]
    _check_front(front, <int32_t>distance.shape[0])
    if np.any(np.isnan(distance)):
        raise ValueError("distance must not be NaN")
    places = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] place = places
    cdef const int32_t[::1] order
    if n:
        order = np.lexsort((-np.asarray(distance), front)).astype(np.int32)
        crowd_places(&front[0], &distance[0], &order[0], n, &place[0])
    return fitness(places)


def dominated(const double[:, ::1] points, const double[:, ::1] by):
    """Return which individuals are dominated by an individual of another set.

    Parameters
    ----------
    points : ndarray of float64, shape (n, n_objectives), larger is better, finite
    by : ndarray of float64, shape (n_by, n_objectives), finite

    Returns
    -------
    dominated : ndarray of bool, shape (n,)

    Raises
    ------
    ValueError : if the numbers of objectives differ or are 0, or a value is not finite.

    Notes
    -----
    O(n n_by n_objectives), one thread. Equal rows do not dominate each other.
    """
    cdef int32_t n = <int32_t>points.shape[0], n_by = <int32_t>by.shape[0]
    if points.shape[1] != by.shape[1]:
        raise ValueError(f"points and by must have as many columns, got {points.shape[1]} and {by.shape[1]}")
    check_objectives(points)
    check_objectives(by)
    out = np.zeros(n, dtype=bool)
    cdef uint8_t[::1] flags = out.view(np.uint8)
    raised = []
    cdef round_t round = new_round(None, raised)
    cdef poll_t poll = poll_of(&round, 0)
    if n and n_by:
        with nogil:
            rank_dominated(&points[0, 0], &by[0, 0], n, n_by, <int32_t>points.shape[1], &flags[0], &poll)
        raise_error(raised)
    return out


def fitness(const int32_t[::1] rank):
    """Return the rank fitness f(x) = P - sum over k < r of n_k - (n_r - 1)/2 (Eq. `eqfit1`).

    Parameters
    ----------
    rank : ndarray of int32, shape (n_individuals,), in [1, n_individuals]

    Returns
    -------
    fitness : ndarray of float64, shape (n_individuals,), > 0; multiples of 1/2, exact
    """
    cdef int32_t n = <int32_t>rank.shape[0], i
    for i in range(n):
        if not 1 <= rank[i] <= n:
            raise ValueError(f"rank must be in [1, {n}], got {rank[i]}")
    out = np.empty(n, dtype=np.float64)
    work = np.empty(n + 1, dtype=np.int32)
    cdef double[::1] values = out
    cdef int32_t[::1] counts = work
    if n:
        rank_fitness(&rank[0], n, &counts[0], &values[0])
    return out
