"""Twin of the dominance room: rank and rank fitness, one pair at a time."""


def dominates(a, b):
    """At least as large in every objective and larger in one."""
    pairs = list(zip(a, b, strict=True))
    return all(x >= y for x, y in pairs) and any(x > y for x, y in pairs)


def rank(objectives):
    """1 + number of individuals that dominate each."""
    return [1 + sum(dominates(b, a) for b in objectives) for a in objectives]


def fitness(rank):
    """P - (individuals of better rank) - (others of the same rank) / 2."""
    return [len(rank) - sum(s < r for s in rank) - (sum(s == r for s in rank) - 1) / 2 for r in rank]
