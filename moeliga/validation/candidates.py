"""Candidates: the few subsets, of a search and of its baselines, to which the deployed model is fitted."""

from dataclasses import dataclass

import numpy as np

from moeliga.data.subsets import bits_of
from moeliga.search.ranking import prefix


@dataclass(frozen=True)
class Slot:
    """Source and range of sizes that candidates of all folds, and of the final search, have in common.

    Attributes
    ----------
    source : str
        "search", the name of a ranking, or "all".
    least, most : int
        Range of their numbers of features.

    Examples
    --------
    >>> from moeliga.validation.candidates import Slot
    >>> Slot("search", 7, 12)
    Slot(source='search', least=7, most=12)
    """

    source: str
    least: int
    most: int


def size_ranges(bands):
    """Return the ranges of sizes whose best subsets are candidates: list of (least, most), ascending.

    Each size of the first band is a range of its own, as one feature matters most for small subsets; each further band
    is one range.
    """
    ranges = [(band.least + band.n_forced, band.most + band.n_forced) for band in bands]
    return [(size, size) for least, most in ranges[:1] for size in range(least, most + 1)] + ranges[1:]


def best_of_ranges(sizes, scores, ranges):
    """Return the index of the member with the best score in each range of sizes: dict from range to int.

    Ties go to the smaller subset, then to the lower index. Ranges without a member are left out.
    """
    found = {}
    for least, most in ranges:
        places = np.flatnonzero((sizes >= least) & (sizes <= most))
        if len(places):
            found[least, most] = int(places[np.lexsort((places, sizes[places], -scores[places]))[0]])
    return found


def baselines_of(ready):
    """Return the baselines of a search: dict from `Slot` to the groups chosen, ndarray of bool, shape (n_groups,).

    They are all allowed features, and of each ranking its first features, as many as each band allows.
    """
    space, found = ready.search.whole, {}
    n_all = space.n_forced + len(space.members)
    for name, order in ready.rankings.items():
        for band in (*ready.bands, *ready.wider):
            least, most = band.least + band.n_forced, band.most + band.n_forced
            chosen = prefix(order, band, most)
            if chosen is not None and not chosen.all():
                found[Slot(name, least, most)] = chosen
    found[Slot("all", n_all, n_all)] = np.ones(space.n_groups, dtype=bool)
    return found


def candidates_of(ready, outcome):
    """Return the candidates of a search: dict from `Slot` to mask, ndarray of bool, shape (n_features,).

    They are the best subset of each range of sizes, by the search's score (on fresh splits, if any), and the baselines.
    """
    search, members = ready.search, outcome.found
    space = search.whole
    sizes = space.sizes(space.chromosomes(members.bits))
    best = best_of_ranges(sizes, members.objectives[:, search.objectives.primary], size_ranges(ready.bands))
    chosen = {Slot("search", *limits): members.bits[place] for limits, place in best.items()}
    for slot, groups in baselines_of(ready).items():
        chosen[slot] = bits_of(groups[None])[0]
    masks = space.masks(space.chromosomes(np.array(list(chosen.values()))))
    return dict(zip(chosen, masks, strict=True))


def ranking_of(fold_supports, front, baselines):
    """Return the rank of each feature, 1 = chosen first: ndarray of int64, shape (n_features,), all distinct.

    Features are ordered by the share of the candidates of the search that have them, over all folds and ranges of
    sizes; then by their share of the front's members from the search; then of the baselines; then by column.
    """
    searched = [masks for slot, masks in fold_supports.items() if slot.source == "search"]
    parts = [*([np.concatenate(searched)] if searched else []), front.supports[front.source == "search"],
             baselines.supports]
    shares = [masks.mean(axis=0) for masks in parts if len(masks)]
    order = np.lexsort([np.arange(front.n_features), *(-share for share in reversed(shares))])
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(1, len(order) + 1)
    return places
