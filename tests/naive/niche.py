"""Twin of the niche room: distances, clusters and sharing on lists and sets.

Floats come out bit for bit like the kernels': the same +, -, *, /, sqrt, and sums from left to right.
"""

import math
from fractions import Fraction


def total(values):
    """Sum from left to right (the built-in `sum` compensates rounding since Python 3.12)."""
    result = 0.0
    for value in values:
        result += value
    return result


def square(value):
    """The product; `value ** 2` would be the C library's `pow`."""
    return value * value


def decision_distances(population):
    """Squared distances h / F between masks."""
    return [[sum(x != y for x, y in zip(a, b, strict=True)) / len(a) for b in population] for a in population]


def objective_distances(objectives):
    """Squared distances between objective vectors, each objective over its range; range 0 counts 0.

    An objective whose range is beyond float64 is halved first.
    """
    scales = [1.0 if max(column) - min(column) < math.inf else 0.5 for column in zip(*objectives, strict=True)]
    objectives = [[value * scale for value, scale in zip(row, scales, strict=True)] for row in objectives]
    ranges = [max(column) - min(column) for column in zip(*objectives, strict=True)]
    return [
        [total(square((x - y) / r) for x, y, r in zip(a, b, ranges, strict=True) if r > 0) for b in objectives]
        for a in objectives
    ]


def power(x, alpha):
    """x ** alpha by the binary digits of alpha: squares for the whole part, square roots for the fraction."""
    whole, fraction = divmod(Fraction(alpha), 1)
    result, factor = 1.0, x
    for digit in reversed(f"{int(whole):b}"):
        if digit == "1":
            result *= factor
        factor *= factor
    factor = x
    while fraction:
        factor = math.sqrt(factor)
        digit, fraction = divmod(2 * fraction, 1)
        if digit == 1:
            result *= factor
    return result


def sharing(d2, sigma, alpha):
    """S = 1 - (d / sigma)^alpha if d < sigma, else 0."""
    d = math.sqrt(d2)
    return 1 - power(d / sigma, alpha) if d < sigma else 0.0


def clusters(d2, sigma):
    """Sets of individuals pairwise nearer than sigma, built greedily in population order."""

    def near_all(i, cluster):
        return all(math.sqrt(d2[i][j]) < sigma for j in cluster)

    found = []
    for i in range(len(d2)):
        for cluster in found:  # (A)
            if near_all(i, cluster):
                cluster.add(i)
        for j in range(i):  # (B)
            if not near_all(i, {j}) or any({i, j} <= cluster for cluster in found):
                continue
            homes = [cluster for cluster in found if i in cluster and near_all(j, cluster)]
            if homes:
                homes[0].add(j)
            else:
                found.append({i, j})
    return found


def shared(d2, fitness, rank, mode, sigma, alpha):
    """Shared fitness f'."""
    n = len(fitness)
    if mode == "niche":
        return [
            fitness[i]
            / total([1.0] + [sharing(d2[i][j], sigma, alpha) for j in range(n) if j != i and rank[j] == rank[i]])
            for i in range(n)
        ]
    if mode == "mean_distance":
        sums = [total(math.sqrt(d) for d in row) for row in d2]
        return [f * (s / (n - 1)) if s > 0 else f for f, s in zip(fitness, sums, strict=True)]
    result = list(fitness)
    for cluster in clusters(d2, sigma):
        members, m = sorted(cluster), float(len(cluster))
        spread = total(d2[y][z] for y in members for z in members) / (m * m)
        for x in members:
            to_centroid = total(d2[x][y] for y in members) / m - spread / 2
            result[x] *= 1 - sharing(max(to_centroid, 0.0), sigma, alpha)
    return result


def normalise(fitness, shared, rank, normalisation):
    """Normalised fitness f'': f times the share of f' in its rank, or times the ratio of f' to the rank's mean."""
    result = []
    for f, own, r in zip(fitness, shared, rank, strict=True):
        peers = [other for other, s in zip(shared, rank, strict=True) if s == r]
        share = own / total(peers) if total(peers) > 0 else 1 / len(peers)
        result.append(f * (share * len(peers) if normalisation == "mean" else share))
    return result
