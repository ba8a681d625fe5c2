"""Twin of `fronts` and `crowding` of the dominance room: chains, and the crowding distance of the textbook."""

import math
from functools import cache

from naive.dominance import dominates


def fronts(objectives):
    """One more than the longest chain of individuals, each dominating the next, that ends before each."""
    above = [[j for j, other in enumerate(objectives) if dominates(other, own)] for own in objectives]

    @cache
    def depth(i):
        return 1 + max((depth(j) for j in above[i]), default=0)

    return [depth(i) for i in range(len(objectives))]


def distances(objectives, front):
    """For each objective, sort the front; the ends get infinity, the others the gap between their neighbours over the
    range. All numbers are halved, so that no difference overflows; an objective that does not vary is passed over."""
    result = [0.0] * len(objectives)
    for number in set(front):
        members = [i for i, own in enumerate(front) if own == number]
        for m in range(len(objectives[0])):
            halves = {i: objectives[i][m] / 2 for i in members}
            order = sorted(members, key=halves.get)
            whole = halves[order[-1]] - halves[order[0]]
            if whole == 0:
                continue
            result[order[0]] = result[order[-1]] = math.inf
            for before, i, after in zip(order, order[1:], order[2:], strict=False):
                result[i] += (halves[after] - halves[before]) / whole
    return result


def keys(front, distance):
    """What individuals are ordered by: the smaller, the better."""
    return [(number, -own) for number, own in zip(front, distance, strict=True)]
