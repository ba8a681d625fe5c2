"""A population: arrays with an entry for each individual, among them rank and fitness."""

from dataclasses import dataclass

import numpy as np

from moeliga._ext import dominance, niche, vary
from moeliga.base.checks import check_array
from moeliga.data.subsets import Subsets

DISTINCT_TRIES = 100
"""Tries to make a copy new before it stays a copy."""


@dataclass(eq=False)
class Population:
    """Individuals, in arrays of equal length."""

    chromosomes: Subsets  # of groups of the search's `Space`
    objectives: np.ndarray  # float64, shape (n, n_objectives), larger is better
    n_scored: np.ndarray  # int64, shape (n,): evaluations of which the objectives are the mean; 0 = not evaluated
    rank: np.ndarray | None = None  # int32, shape (n,), set by `rate` or `rate_by_crowding`
    fitness: np.ndarray | None = None  # float64, shape (n,), f'', set by the same

    def __len__(self):
        return len(self.chromosomes)

    @property
    def bits(self):
        """The bits of the chromosomes: ndarray of uint64, shape (n, n_words)."""
        return self.chromosomes.bits

    def rate(self, sharing, check=None):
        """Set `rank` and `fitness` (f'') from the objectives, see `shared_fitness`, and return self."""
        self.rank, self.fitness = shared_fitness(self.objectives, self.bits, self.chromosomes.n_positions, sharing,
                                                 check)
        return self

    def rate_by_crowding(self, check=None):
        """Set `rank` to the dominance front, and `fitness` by front and crowding distance (NSGA-II); return self.

        For `check` see `niche`.
        """
        self.rank = dominance.fronts(self.objectives, check)
        self.fitness = dominance.crowded_fitness(self.rank, dominance.crowding(self.objectives, self.rank))
        return self

    def best(self, n):
        """Return the indices of the `n` best individuals, by rank, then f'', then index."""
        return np.lexsort((-self.fitness, self.rank))[:n]

    def take(self, index):
        """Return the individuals at `index`, unrated: Population."""
        return Population(self.chromosomes[index], self.objectives[index], self.n_scored[index])

    def state(self):
        """Return the entries for a checkpoint: dict."""
        return {"bits": self.bits, "objectives": self.objectives, "n_scored": self.n_scored}

    @classmethod
    def restored(cls, name, state, space, n_objectives):
        """Return the unrated population over all groups in the entries of a checkpoint; errors name it `name`."""
        bits, objectives = checked_arrays(name, state, space, n_objectives)
        n_scored = check_array(f"{name}.n_scored", state["n_scored"], np.int64, len(bits))
        if np.any(n_scored < 1):
            raise ValueError(f"{name}.n_scored must be >= 1, got {n_scored.min()}")
        return cls(space.chromosomes(bits), objectives, n_scored)

    def carry_over(self, chromosomes, index):
        """Return an unrated population of new chromosomes; the first take over what is known of those at `index`."""
        heirs, n = unevaluated(chromosomes, self.objectives.shape[1]), len(index)
        heirs.objectives[:n], heirs.n_scored[:n] = self.objectives[index], self.n_scored[index]
        return heirs


def shared_fitness(objectives, bits, n_positions, sharing, check=None):
    """Return rank and fitness f'' (Eqs. eqrank to eqnormasfit), by a `FitnessSharing`; with None f'' is f.

    For `check` see `niche`.
    """
    rank = dominance.rank(objectives, check)
    fitness = dominance.fitness(rank)
    if sharing is None:
        return rank, fitness
    decision = sharing.space == "decision"
    d2 = niche.decision_distances(bits, n_positions) if decision else niche.objective_distances(objectives)
    shared = niche.shared(d2, fitness, rank, sharing.mode, float(sharing.sigma), float(sharing.alpha), check)
    return rank, niche.normalise(fitness, shared, rank, sharing.rank_normalisation)


def checked_arrays(name, state, space, n_objectives):
    """Return bits and objectives in the entries of a checkpoint; ValueError if no search of `space` can have them."""
    bits = check_array(f"{name}.bits", state["bits"], np.uint64, None, (space.n_groups + 63) // 64)
    objectives = check_array(f"{name}.objectives", state["objectives"], np.float64, len(bits), n_objectives)
    check_sizes(name, space.chromosomes(bits), space)
    if not np.all(np.isfinite(objectives)):
        raise ValueError(f"{name}.objectives must be finite, got {objectives[~np.isfinite(objectives)][0]}")
    return bits, objectives


def check_sizes(name, chromosomes, space):
    """Raise ValueError unless all chromosomes have a number of features that `space` allows."""
    sizes = space.masks(chromosomes).sum(axis=1) - space.n_forced  # raises if there is a bit in the padding
    if np.any((sizes < space.least) | (sizes > space.most)):
        raise ValueError(f"{name}.bits must select {space.least} to {space.most} features, got {sizes.min()} to "
                         f"{sizes.max()}")


def unevaluated(chromosomes, n_objectives):
    """Return a population that is not evaluated yet, its objectives 0."""
    n = len(chromosomes)
    return Population(chromosomes, np.zeros((n, n_objectives)), np.zeros(n, dtype=np.int64))


def join(populations):
    """Concatenate populations over the same groups: Population, unrated."""
    return Population(
        Subsets(np.concatenate([part.bits for part in populations]), populations[0].chromosomes.positions),
        np.concatenate([part.objectives for part in populations]),
        np.concatenate([part.n_scored for part in populations]),
    )


def rank_together(populations, check=None):
    """Concatenate rated populations over the same groups; they are ranked together, and each keeps its own f''.

    For `check` see `niche`.
    """
    if len(populations) == 1:
        return populations[0]
    whole = join(populations)
    whole.rank = dominance.rank(whole.objectives, check)
    whole.fitness = np.concatenate([part.fitness for part in populations])
    return whole


def split_equally(population, n):
    """Split a population, in its order, into `n` unrated parts of equal size: list of Population."""
    return [population.take(rows) for rows in np.split(np.arange(len(population)), n)]


def make_distinct(chromosomes, seed, address, limits=None):
    """Make all chromosomes differ: flip max(1, ceil(0.001 F)) random bits of each later copy until it is new.

    Return them, and which were changed and must be evaluated anew: (Subsets, ndarray of bool, shape (n,)). If there are
    fewer subsets than chromosomes, all stay as they are. For `limits` see `Limits`.
    """
    n, n_positions = len(chromosomes), chromosomes.n_positions
    if n_positions < 63 and 2**n_positions - 1 < n:
        return chromosomes, np.zeros(n, dtype=bool)
    bits, changed = vary.distinct(seed, address, chromosomes.bits, n_positions, -(-n_positions // 1000),
                                  DISTINCT_TRIES, limits)
    return Subsets(bits, chromosomes.positions), changed
