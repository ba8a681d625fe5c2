"""Dominance fronts and crowding: what NSGA-II goes by (Deb, Pratap, Agarwal and Meyarivan, 2002)."""

import numpy as np

from moeliga._ext import niche


def fronts(objectives):
    """Return the front of each individual, 1 = not dominated, 2 = only by front 1, ...: ndarray of int32, shape (n,).

    `objectives` are finite float64 of shape (n, n_objectives), larger is better. Eq. eqrank counts all that dominate an
    individual, this the longest chain of them; both say 1 of the same ones. A call of `niche.rank` for each front, over
    what the fronts before it have left.
    """
    front = np.zeros(len(objectives), dtype=np.int32)
    left, number = np.arange(len(objectives)), 0
    while len(left):
        number += 1
        first = niche.rank(objectives[left]) == 1
        front[left[first]] = number
        left = left[~first]
    return front


def distances(objectives, front):
    """Return the crowding distance of each individual in its front: ndarray of float64, shape (n,), >= 0.

    For each of the objectives (finite float64, shape (n, n_objectives)) the difference between the next larger and the
    next smaller value in the front, over the range of the front; infinite for the first and the last. Equal values are
    ordered by place. An objective of range 0 counts 0, for its first and last too. O(n_objectives n log n).
    """
    n = len(objectives)
    distance = np.zeros(n)
    for column in objectives.T / 2:  # no difference of two halves is beyond float64
        order = np.lexsort((column, front))
        values, numbers = column[order], front[order]
        starts = numbers[1:] != numbers[:-1]
        first, last = np.flatnonzero(np.append(True, starts)), np.flatnonzero(np.append(starts, True))
        gaps = np.full(n, np.inf)
        gaps[1:-1] = values[2:] - values[:-2]
        gaps[first] = gaps[last] = np.inf
        ranges = np.repeat(values[last] - values[first], last - first + 1)
        counts = ranges > 0
        distance[order[counts]] += gaps[counts] / ranges[counts]
    return distance


def crowded_fitness(front, distance):
    """Return the fitness by front, and within a front by distance: ndarray of float64, shape (n,), > 0.

    The f of Eq. eqfit1 with these pairs as ranks; equal where both are.
    """
    order = np.lexsort((-distance, front))
    differs = (np.diff(front[order]) != 0) | (distance[order][1:] != distance[order][:-1])
    rank = np.empty(len(front), dtype=np.int32)
    rank[order] = np.append(1, 1 + np.cumsum(differs))
    return niche.fitness(rank)
