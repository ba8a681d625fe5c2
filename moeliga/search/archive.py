"""The archive of a search: the non-dominated subsets, and the best of every size, from which the result is taken."""

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga._ext import dominance
from moeliga.results.front import hypervolume
from moeliga.search.population import checked_arrays

PER_SIZE = 2
"""Number of subsets of each size that are kept for their scores, non-dominated ones included."""


class Archive:
    """All non-dominated individuals seen, and the `PER_SIZE` best of every size up to the largest of these; each once.

    Scores of a search are partly luck: the best subset of a size may be another one by fresh scores, and the second
    best may be dominated by a lucky smaller one.

    `primary` is the column of the score. With `every_size` the best of larger sizes are kept, too. The individuals are
    in the order in which they were seen last: `bits`, uint64 of shape (n, n_words) over all groups, their latest
    `objectives`, float64 of shape (n, n_objectives), `sizes`, int32 of shape (n,), and `non_dominated`, bool of shape
    (n,), True for individuals that no other one of the archive dominates.
    """

    def __init__(self, space, n_objectives, primary, every_size=False):
        self.space, self.primary, self.every_size = space, primary, every_size
        self.replace_all(np.zeros((0, (space.n_groups + 63) // 64), dtype=np.uint64), np.zeros((0, n_objectives)))

    def __len__(self):
        return len(self.bits)

    def replace_all(self, bits, objectives):
        """Replace all individuals of the archive."""
        self.bits, self.objectives = bits, objectives
        self.sizes = self.space.sizes(self.space.chromosomes(bits))
        self.non_dominated = ~dominance.dominated(objectives, objectives)

    def hypervolume(self):
        """Return the hypervolume of the non-dominated individuals in (score, CR): float."""
        ratios = self.space.ratios(self.space.chromosomes(self.bits[self.non_dominated]))
        return hypervolume(self.objectives[self.non_dominated, self.primary], ratios)

    def state(self):
        """Return the entries for a checkpoint: dict."""
        return {"bits": self.bits, "objectives": self.objectives}

    def restore(self, state):
        """Restore the entries of a checkpoint."""
        self.replace_all(*checked_arrays("archive", state, self.space, self.objectives.shape[1]))

    def add(self, bits, objectives):
        """Add evaluated individuals; one that is in the archive already competes with its new objectives.

        Among individuals of a size with the same score, those seen earlier come first.
        """
        bits = np.concatenate((self.bits, bits))
        latest = np.flatnonzero(bits_room.same_as(bits, last=True) == np.arange(len(bits)))
        n_old = np.searchsorted(latest, len(self.bits))  # the others are new, or have new objectives
        bits, known = bits[latest], np.concatenate((self.objectives, objectives))[latest]
        sizes = np.concatenate((self.sizes[latest[:n_old]], self.space.sizes(self.space.chromosomes(bits[n_old:]))))
        # those others are compared with the archive first: few are left for the comparison of all with all
        pool = np.append(np.arange(n_old), n_old + np.flatnonzero(~dominance.dominated(known[n_old:], known[:n_old])))
        non_dominated, compared = np.zeros(len(known), dtype=bool), known[pool]
        non_dominated[pool] = ~dominance.dominated(compared, compared)
        # in this order an individual is among the best of its size if the one `PER_SIZE` before has another size
        order = np.lexsort((-known[:, self.primary], sizes))
        ranked, best_of_size = sizes[order], np.ones(len(known), dtype=bool)
        best_of_size[order[PER_SIZE:]] = ranked[PER_SIZE:] != ranked[: len(ranked) - PER_SIZE]
        largest = np.inf if self.every_size else sizes[non_dominated].max(initial=0)
        kept = np.flatnonzero(non_dominated | (best_of_size & (sizes <= largest)))
        self.bits, self.objectives = bits[kept], known[kept]
        self.sizes, self.non_dominated = sizes[kept], non_dominated[kept]
