"""Objective vectors of populations, with ties and without."""


def few_values(rng, n, n_objectives=3):
    """Objective vectors with many ties and exact copies."""
    return rng.integers(4, size=(n, n_objectives)) / 3


def many_values(rng, n, n_objectives=3):
    """Objective vectors in which nothing is equal."""
    return rng.random((n, n_objectives)) * 10.0 ** rng.integers(-3, 4, n_objectives)
