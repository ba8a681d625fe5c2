"""Bands of sizes: the ranges of subset sizes that populations of a search keep to."""

from itertools import pairwise

SMALLEST = 6
"""Largest size of the first band where they are set automatically; each further band ends at twice as many features."""

LARGEST = 96
"""Largest size of the last band without `max_features`: subsets that save half of the features, but not hundreds."""


def band_spaces(sizes, space, max_features):
    """Return the `Space` of each band, from small to large subsets, without those that constraints leave empty: list.

    `sizes` are the checked ones of `Islands`: "auto", or the largest size of each band; None = one band, the whole
    space. ValueError if no band holds an allowed subset.
    """
    if sizes is None:
        return [space]
    edges = automatic_edges(space, max_features) if isinstance(sizes, str) else [int(edge) for edge in sizes]
    found = [space.within(below + 1, edge) for below, edge in pairwise([0, *edges])]
    found = [band for band in found if band is not None]
    if not found:
        raise ValueError(f"islands.sizes must allow subsets of {max(1, space.least + space.n_forced)} to "
                         f"{space.most + space.n_forced} features, as constraints and max_features do, got {sizes!r}")
    return found


def automatic_edges(space, max_features):
    """Return the largest size of each band for "auto": list of int, ascending.

    6, 12, 24, ... up to `max_features`, or else half of the features, at most `LARGEST`; all of them up to 12 features.
    Features that must be selected come on top, excluded ones do not count. A last band of less than half of its full
    width is part of the one before.
    """
    n_features, n_forced = space.n_forced + len(space.members), space.n_forced
    below = n_forced + max(0, space.least - 1)  # in every subset, whichever they are
    usual = below + min(LARGEST, max((n_features - below) // 2, min(n_features - below, 2 * SMALLEST)))
    allowed = n_forced + int(space.weights[space.witness].sum())  # groups may be larger than all of that
    last = min(max(usual if max_features is None else max_features, allowed), n_forced + space.most)
    edges = [SMALLEST]
    while 2 * edges[-1] < last:
        edges.append(2 * edges[-1])
    if last < 1.5 * edges[-1]:
        edges.pop()
    return [*edges, last]


def wider_spaces(bands, space):
    """Return the `Space` of each band beyond those that a search keeps to, up to half of the features: list.

    Each has up to twice as many features as the one before.
    """
    n_forced, found = space.n_forced, []
    below, half = bands[-1].most + n_forced, (n_forced + len(space.members)) // 2
    while 2 * below <= min(half, space.most + n_forced):
        found.append(space.within(below + 1, 2 * below))
        below *= 2
    return [band for band in found if band is not None]
