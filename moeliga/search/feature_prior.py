"""The feature prior of a search: its weights, and how additions are drawn by them."""

import sys
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from moeliga._ext import bits as bits_room
from moeliga._ext import draw
from moeliga.data.subsets import Subsets
from moeliga.parameters.feature_prior import BLOCK, NAMED, automatic, by_blocks


def n_together(prior, n_samples, part):
    """Values of a dense X that a prior, or None, looks at together, at most: int; `part` as for `Prior.of`."""
    if prior is None or (automatic(prior) and part):
        return 0
    blocks = isinstance(prior.score_func, str) and NAMED[prior.score_func] is by_blocks
    return max(BLOCK, 3 * n_samples) if blocks else sys.maxsize


def rankable(problem):
    """Whether "f_classif" takes the data: nothing is missing."""
    values = problem.X.data if issparse(problem.X) else problem.X
    return not np.isnan(np.min(values, initial=0.0))


@dataclass(frozen=True, eq=False)
class Prior:
    """A feature prior over the groups of a `Space`."""

    weights: np.ndarray  # float64, shape (n_groups,), > 0
    sizes: np.ndarray  # int32, shape (n_groups,): features of each group
    share: float  # of new groups, that is drawn anew

    @classmethod
    def of(cls, setting, problem, space, seed, part=False):
        """The prior of a `FeaturePrior` for data and a space; None for None, and for "auto" where the data say so.

        With `part`, most of X is not to be read. ValueError if all scores are NaN, unless "auto".
        """
        if setting is None or (automatic(setting) and (part or not rankable(problem))):
            return None
        scores = setting.scores(problem.X, problem.y, seed)
        if np.all(np.isnan(scores)):
            if automatic(setting):
                return None
            raise ValueError("feature_prior must return a number for at least one feature, got NaN for all")
        scores = np.where(np.isnan(scores), -np.inf, scores)
        best = np.maximum.reduceat(scores[space.members], space.start[:-1])
        return cls(setting.weights(best), space.weights, float(setting.share))

    def steered(self, chromosomes, elders, seed, address):
        """Return chromosomes of as many features each, in which a share of what is new is drawn by weight: `Subsets`.

        New is what a chromosome has and its elders, ndarray of uint64 of shape (n, n_words), have not. The address is
        (purpose, population, generation).
        """
        bits, positions = chromosomes.bits, chromosomes.positions
        steered, n, new = bits.copy(), len(positions), bits & ~elders
        weights, sizes = self.weights[positions], self.sizes[positions]
        for row in np.flatnonzero(new.any(axis=1)).tolist():
            mask, fresh, old = (bits_room.unpack(part[row : row + 1], n)[0] for part in (bits, new, elders))
            self.redraw(mask, fresh, ~mask & ~old, weights, sizes, seed, (*address, row))
            steered[row] = bits_room.pack(mask[None].view(np.uint8))[0]
        return Subsets(steered, positions)

    def redraw(self, mask, fresh, free, weights, sizes, seed, address):
        """Change a mask: a share of what is `fresh` gives way to what is `free`, or was until now.

        As if drawn one after the other, without replacement: many are drawn at a time with replacement, and of equal
        ones the first counts.
        """
        places = np.flatnonzero(fresh)
        out = places[draw.units(seed, (*address, 0), len(places)) < self.share]
        mask[out], free[out], step = False, True, 0
        for size in np.unique(sizes[out]):  # groups change places with their like: no limit can be broken
            pool, n = np.flatnonzero(free & (sizes == size)), np.count_nonzero(sizes[out] == size)
            while n:
                step += 1
                reached = np.add.accumulate(weights[pool])
                spins = draw.units(seed, (*address, step), n) * reached[-1]
                hit = np.unique(np.searchsorted(reached, spins, side="right"))
                mask[pool[hit]] = True
                pool, n = np.delete(pool, hit), n - len(hit)
