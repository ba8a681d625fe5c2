"""An archive that also keeps the best subsets of every size, to be scored again with the front."""

import numpy as np

from moeliga._ext import niche
from moeliga.results.front import Archive


class SizedArchive(Archive):
    """All non-dominated individuals seen, and of every size up to the largest of these the best others.

    What the search has seen of a subset is partly luck: the best of a size by its scores need not be the best by fresh
    ones, and the second best may be dominated by a lucky smaller one.

    Parameters
    ----------
    n_features, n_objectives : int, see `Archive`
    per_size : int >= 1
        Individuals of each size with the best scores, non-dominated ones among them; ties go to those seen earlier.
    primary : int
        Column of the score.
    sizes : callable
        Gives the number of features of each row of chromosomes: ndarray of int, shape (n,).
    """

    def __init__(self, n_features, n_objectives, per_size, primary, sizes):
        super().__init__(n_features, n_objectives)
        self.per_size, self.primary, self.sizes = per_size, primary, sizes

    def add(self, bits, objectives):
        """Take in evaluated individuals; one that is known already gets its new objectives, and counts as seen now."""
        latest = {row.tobytes(): i for i, row in enumerate(bits)}
        stays = np.array([key not in latest for key in self.keys], dtype=bool)
        enters = np.sort(np.array(list(latest.values()), dtype=np.int64))
        bits = np.concatenate((self.bits[stays], bits[enters]))
        objectives = np.concatenate((self.objectives[stays], objectives[enters]))
        best, sizes = niche.rank(objectives) == 1, self.sizes(bits)
        order = np.lexsort((-objectives[:, self.primary], sizes))
        place = np.empty(len(bits), dtype=np.int64)
        place[order] = np.arange(len(bits)) - np.searchsorted(sizes[order], sizes[order])
        kept = best | ((place < self.per_size) & (sizes <= sizes[best].max()))
        self.bits, self.objectives = bits[kept], objectives[kept]
        self.keys = [row.tobytes() for row in self.bits]
