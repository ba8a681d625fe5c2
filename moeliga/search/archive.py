"""The archive of a search: all that is not dominated, and the best of every size, for choosing later."""

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga._ext import dominance
from moeliga.results.front import hypervolume
from moeliga.search.population import checked

PER_SIZE = 2
"""Subsets of each size with the best scores that are kept, non-dominated ones among them."""


class Archive:
    """All non-dominated individuals seen, and of every size, up to the largest of these, the best others; each once.

    What the search has seen of a subset is partly luck: the best of a size by its scores need not be the best by fresh
    ones, and the second best may be dominated by a lucky smaller one.

    `primary` is the column of the score. With `every_size` the best of every size are kept, also of larger ones than
    any non-dominated individual has. `bits`, uint64 of shape (n, n_words) over all groups, are in the order in which
    the individuals were seen last, `objectives` are the latest ones, float64 of shape (n, n_objectives), `sizes` int32
    of shape (n,), and `first` is True for those that no other individual of the archive dominates.
    """

    def __init__(self, space, n_objectives, primary, every_size=False):
        self.space, self.primary, self.every_size = space, primary, every_size
        self.hold(np.zeros((0, (space.n_groups + 63) // 64), dtype=np.uint64), np.zeros((0, n_objectives)))

    def __len__(self):
        return len(self.bits)

    def hold(self, bits, objectives):
        """Hold these individuals and no others."""
        self.bits, self.objectives = bits, objectives
        self.sizes = self.space.sizes(self.space.chromosomes(bits))
        self.first = ~dominance.dominated(objectives, objectives)

    def volume(self):
        """Return the hypervolume in (score, CR): float."""
        ratios = self.space.ratios(self.space.chromosomes(self.bits[self.first]))
        return hypervolume(self.objectives[self.first, self.primary], ratios)

    def state(self):
        """Return its entries in a checkpoint: dict."""
        return {"bits": self.bits, "objectives": self.objectives}

    def restore(self, state):
        """Set the entries of a checkpoint."""
        self.hold(*checked("archive", state, self.space, self.objectives.shape[1]))

    def add(self, bits, objectives):
        """Add evaluated individuals; one that is known already gets its new objectives, or leaves by them.

        Of several with the same score on the last place of a size those seen earlier stay.
        """
        bits = np.concatenate((self.bits, bits))
        latest = np.flatnonzero(bits_room.same_as(bits, last=True) == np.arange(len(bits)))
        n_old = np.searchsorted(latest, len(self.bits))  # those who stay; the others enter
        bits, known = bits[latest], np.concatenate((self.objectives, objectives))[latest]
        sizes = np.concatenate((self.sizes[latest[:n_old]], self.space.sizes(self.space.chromosomes(bits[n_old:]))))
        # who enters is compared with those who stay first: few are left then
        pool = np.append(np.arange(n_old), n_old + np.flatnonzero(~dominance.dominated(known[n_old:], known[:n_old])))
        first, compared = np.zeros(len(known), dtype=bool), known[pool]
        first[pool] = ~dominance.dominated(compared, compared)
        # on the shelf of a size is who has another size `PER_SIZE` places before it
        order = np.lexsort((-known[:, self.primary], sizes))
        ranked, shelf = sizes[order], np.ones(len(known), dtype=bool)
        shelf[order[PER_SIZE:]] = ranked[PER_SIZE:] != ranked[: len(ranked) - PER_SIZE]
        largest = np.inf if self.every_size else sizes[first].max(initial=0)
        kept = np.flatnonzero(first | (shelf & (sizes <= largest)))
        self.bits, self.objectives, self.sizes, self.first = bits[kept], known[kept], sizes[kept], first[kept]
