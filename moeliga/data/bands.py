"""Bands of sizes: the ranges of subset sizes that populations of a search keep to."""

from itertools import pairwise

SMALLEST = 6
"""Largest size of the first band where they are set automatically; each further band ends at twice as many features."""

LARGEST = 96
"""Largest size of the last band without `max_features`: subsets that save half of the features, but not hundreds."""


def band_spaces(sizes, space, max_features):
    """Return the `Space` of each band, from small to large subsets, without those that constraints leave empty: list.

    Parameters
    ----------
    sizes : "auto", None or sequence of int
        Largest size of each band, as `Islands` has it, checked; None: one band, the whole space.
    space : Space
    max_features : int or None

    Raises
    ------
    ValueError : if no band holds an allowed subset.
    """
    if sizes is None:
        return [space]
    edges = automatic_edges(space, max_features) if isinstance(sizes, str) else list(sizes)
    found = [space.within(below + 1, edge) for below, edge in pairwise([0, *edges])]
    found = [band for band in found if band is not None]
    if not found:
        raise ValueError(f"islands.sizes must allow subsets of {max(1, space.least + space.n_forced)} to "
                         f"{space.most + space.n_forced} features, as constraints and max_features do, got {sizes!r}")
    return found


def automatic_edges(space, max_features):
    """Return the largest size of each band for "auto": list of int, ascending.

    6, 12, 24, ... up to `max_features`, or else half of the features, at most `LARGEST`. A last band of less than half
    the width of the one before is part of that. Up to 12 features, all sizes are in a band.
    """
    n_features = space.n_features
    usual = min(LARGEST, max(n_features // 2, min(n_features, 2 * SMALLEST)))
    last = usual if max_features is None else max_features
    last = max(last, space.least + space.n_forced)  # what must be in every subset may be more
    edges = [SMALLEST]
    while 2 * edges[-1] < last:
        edges.append(2 * edges[-1])
    if last < 1.5 * edges[-1]:
        edges.pop()
    return [*edges, last]
