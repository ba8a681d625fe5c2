"""Bands of sizes: the ranges of subset sizes to which the populations of a search are limited."""

from itertools import pairwise

SMALLEST = 6
"""Largest size of the first automatic band; each further band ends at twice as many features."""

LARGEST = 96
"""Largest size of the last automatic band without `max_features`, even where half of the features are more."""


def band_spaces(sizes, space, max_features):
    """Return the `Space` of each band, from small to large subsets: list; bands without an allowed subset are left out.

    `sizes` is the checked parameter of `Islands`: "auto", or the largest size of each band; None = one band, the whole
    space. ValueError if no band holds an allowed subset.
    """
    if sizes is None:
        return [space]
    edges = automatic_edges(space, max_features) if isinstance(sizes, str) else [int(edge) for edge in sizes]
    found = [space.within(below + 1, edge) for below, edge in pairwise([0, *edges])]
    found = [band for band in found if band is not None]
    if not found:
        raise ValueError("islands.sizes must end with a larger number, as constraints and max_features allow subsets "
                         f"of {max(1, space.least + space.n_forced)} to {space.most + space.n_forced} features, got "
                         f"{sizes!r}")
    return found


def automatic_edges(space, max_features):
    """Return the largest size of each band for "auto": list of int, ascending.

    They are 6, 12, 24, ... up to `max_features`, or else up to half of the features, at most `LARGEST`; with up to 12
    features up to all of them. Features that must be selected are added, excluded ones do not count. A last band of
    less than half of its full width is joined to the one before.
    """
    n_features, n_forced = space.n_forced + len(space.members), space.n_forced
    below = n_forced + max(0, space.least - 1)  # sizes up to here are not allowed
    usual = below + min(LARGEST, max((n_features - below) // 2, min(n_features - below, 2 * SMALLEST)))
    allowed = n_forced + int(space.weights[space.witness].sum())  # of some subset: groups may be larger than `usual`
    last = min(max(usual if max_features is None else max_features, allowed), n_forced + space.most)
    edges = [SMALLEST]
    while 2 * edges[-1] < last:
        edges.append(2 * edges[-1])
    if last < 1.5 * edges[-1]:
        edges.pop()
    return [*edges, last]


def wider_spaces(bands, space):
    """Return the `Space` of each further band above `bands`, up to half of the features: list.

    Each has up to twice as many features as the one before.
    """
    n_forced, found = space.n_forced, []
    below, half = bands[-1].most + n_forced, (n_forced + len(space.members)) // 2
    while 2 * below <= min(half, space.most + n_forced):
        found.append(space.within(below + 1, 2 * below))
        below *= 2
    return [band for band in found if band is not None]
