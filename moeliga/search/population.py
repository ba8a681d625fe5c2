"""A population: arrays of equal length, and how fit each individual is."""

from dataclasses import dataclass

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga._ext import niche, vary
from moeliga.search.nsga2 import crowded_fitness, distances, fronts

DISTINCT_TRIES = 100
"""Tries to make a copy new before it stays a copy."""


@dataclass(eq=False)
class Population:
    """Evaluated individuals over a list of groups of features.

    Attributes
    ----------
    bits : ndarray of uint64, shape (n, n_words)
        Chromosomes; bit j stands for group positions[j] of the search's `Space`.
    positions : ndarray of int32, shape (n_positions,), ascending
    objectives : ndarray of float64, shape (n, n_objectives), larger is better
    n_scored : ndarray of int64, shape (n,)
        Evaluations that the objectives are the mean of.
    rank : ndarray of int32, shape (n,), set by `rate` or `rate_by_crowding`
    fitness : ndarray of float64, shape (n,), f'', set by the same
    """

    bits: np.ndarray
    positions: np.ndarray
    objectives: np.ndarray
    n_scored: np.ndarray
    rank: np.ndarray | None = None
    fitness: np.ndarray | None = None

    def __len__(self):
        return len(self.bits)

    def lifted(self, n_groups):
        """The chromosomes over all groups: uint64, shape (n, ceil(n_groups / 64))."""
        if len(self.positions) == n_groups:
            return self.bits
        return bits_room.lift(self.bits, self.positions, n_groups)

    def rate(self, sharing):
        """Set `rank` and `fitness` (f'') from the objectives (Eqs. eqrank to eqnormasfit); returns self.

        Parameters
        ----------
        sharing : FitnessSharing or None
            None: f'' is the rank fitness f.
        """
        self.rank = niche.rank(self.objectives)
        fitness = niche.fitness(self.rank)
        if sharing is not None:
            if sharing.space == "decision":
                d2 = niche.decision_distances(self.bits, len(self.positions))
            else:
                d2 = niche.objective_distances(self.objectives)
            shared = niche.shared(d2, fitness, self.rank, sharing.mode, sharing.sigma, sharing.alpha)
            fitness = niche.normalise(fitness, shared, self.rank, sharing.rank_normalisation)
        self.fitness = fitness
        return self

    def rate_by_crowding(self):
        """Set `rank` to the dominance front, and `fitness` by front and crowding distance (NSGA-II); returns self."""
        self.rank = fronts(self.objectives)
        self.fitness = crowded_fitness(self.rank, distances(self.objectives, self.rank))
        return self

    def best(self, n):
        """Indices of the `n` best individuals, by rank, then f'', then index."""
        return np.lexsort((-self.fitness, self.rank))[:n]

    def take(self, index):
        """The individuals at `index`, unrated."""
        return Population(self.bits[index], self.positions, self.objectives[index], self.n_scored[index])

    def inherited(self, bits, index):
        """An unrated population of other chromosomes: the first know what those at `index` know, the others nothing."""
        heirs = join([self.take(index), newcomers(bits[len(index) :], self.positions, self.objectives.shape[1])])
        heirs.bits = bits
        return heirs


def newcomers(bits, positions, n_objectives):
    """A population that has not been evaluated."""
    return Population(bits, positions, np.zeros((len(bits), n_objectives)), np.zeros(len(bits), dtype=np.int64))


def join(populations):
    """One unrated population out of several over the same groups."""
    return Population(
        np.concatenate([part.bits for part in populations]),
        populations[0].positions,
        np.concatenate([part.objectives for part in populations]),
        np.concatenate([part.n_scored for part in populations]),
    )


def gathered(populations):
    """Rated populations over the same groups, one after the other: ranked together, each with its own f''."""
    if len(populations) == 1:
        return populations[0]
    whole = join(populations)
    whole.rank = niche.rank(whole.objectives)
    whole.fitness = np.concatenate([part.fitness for part in populations])
    return whole


def parted(population, n):
    """A population in `n` parts of equal size, in its order, unrated: list."""
    return [population.take(rows) for rows in np.split(np.arange(len(population)), n)]


def make_distinct(bits, n_positions, seed, address, limits=None):
    """Make all individuals differ: a later copy gets max(1, ceil(0.001 F)) random bits flipped until it is new.

    Where the space holds fewer subsets than there are individuals, copies stay. For `limits` see `vary.Limits`.

    Returns
    -------
    bits : ndarray of uint64, shape (n, n_words)
    changed : ndarray of bool, shape (n,); a changed chromosome has to be evaluated anew
    """
    if n_positions < 63 and 2**n_positions - 1 < len(bits):
        return bits, np.zeros(len(bits), dtype=bool)
    return vary.distinct(seed, address, bits, n_positions, -(-n_positions // 1000), DISTINCT_TRIES, limits)
