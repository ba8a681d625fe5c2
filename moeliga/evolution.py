"""One multi-objective genetic algorithm, for the main and for the subordinate populations alike.

Paper, Algorithm 1, lines 1 to 8, and Algorithm "Evaluate population".
"""

import time
from dataclasses import dataclass

import numpy as np

from moeliga._ext import vary
from moeliga.budget import Budget
from moeliga.front import Archive, closeness, hypervolume
from moeliga.objectives import Objectives
from moeliga.population import Population, make_distinct
from moeliga.settings import FitnessSharing, LocalImprovement
from moeliga.space import Space
from moeliga.streams import Purpose
from moeliga.variation import Variation

MAIN = 0
"""Number of the main population; subordinate populations have numbers from 1."""

REEVALUATE = ("all", "none", "average")


@dataclass(eq=False)
class Search:
    """What all populations of one search share.

    Attributes
    ----------
    objectives : Objectives
    space : Space
    variation : Variation
    sharing : FitnessSharing or None
    local_improvement : LocalImprovement or None
    n_elite, generation_gap : int
    reevaluate : {"all", "none", "average"}
    budget : Budget
    archive : Archive or None
    """

    objectives: Objectives
    space: Space
    variation: Variation
    sharing: FitnessSharing | None
    local_improvement: LocalImprovement | None
    n_elite: int
    generation_gap: int
    reevaluate: str
    budget: Budget
    archive: Archive | None

    @property
    def seed(self):
        return self.objectives.seed

    @property
    def n_groups(self):
        """Length of a full chromosome."""
        return self.space.n_groups


def evaluate(search, bits, positions, address, individuals=None, shared=None):
    """Objectives of individuals, counted in the budget: float64, shape (n, n_objectives)."""
    begun = time.perf_counter()
    objectives, _ = search.objectives.evaluate(*search.space.subsets(bits, positions), address, individuals,
                                               shared=shared, budget=search.budget)
    search.budget.spend(len(bits), time.perf_counter() - begun)
    return objectives


def settle(search, population):
    """Rate a population whose objectives are known, and show it to the archive; returns it."""
    population.rate(search.sharing)
    if search.archive is not None:
        search.archive.add(population.lifted(search.n_groups), population.objectives)
    return population


def start(search, bits, positions, number, shared=None):
    """Generation 0 of population `number`: evaluated and rated."""
    objectives = evaluate(search, bits, positions, (Purpose.EVALUATE, number, 0), shared=shared)
    return settle(search, Population(bits, positions, objectives, np.ones(len(bits), dtype=np.int64)))


def advance(search, population, number, generation, n_generations):
    """The next generation of population `number`.

    Elites, then the generational gap, then offspring; later copies are changed until all individuals differ; then
    the objectives are brought up to date as `reevaluate` says. A changed chromosome is always evaluated anew.
    """
    variation, n_positions = search.variation, len(population.positions)
    limits = search.space.limits(population.positions)
    gap = vary.select(search.seed, (Purpose.GAP, number, generation), population.fitness, search.generation_gap,
                      variation.selection, variation.tournament_size)
    survivors = np.concatenate((population.best(search.n_elite), gap))
    children = vary.offspring(
        search.seed, (Purpose.MATE, number, generation), population.bits, population.fitness, n_positions,
        len(population) - len(survivors), variation.selection, variation.tournament_size, variation.crossover,
        variation.crossover_rate, variation.flip_limits(generation, n_generations, n_positions), limits)
    bits, changed = make_distinct(np.concatenate((population.bits[survivors], children)), n_positions, search.seed,
                                  (Purpose.DISTINCT, number, generation), limits)
    new = np.ones(len(bits), dtype=bool)
    new[: len(survivors)] = changed[: len(survivors)]
    objectives = np.zeros((len(bits), population.objectives.shape[1]))
    objectives[: len(survivors)] = population.objectives[survivors]
    n_scored = np.zeros(len(bits), dtype=np.int64)
    n_scored[: len(survivors)] = population.n_scored[survivors]
    n_scored[new] = 0
    heirs = Population(bits, population.positions, objectives, n_scored)
    rows = np.flatnonzero(new) if search.reevaluate == "none" else np.arange(len(bits))
    update(search, heirs, rows, (Purpose.EVALUATE, number, generation))
    return settle(search, heirs)


def update(search, population, rows, address):
    """Evaluate `rows` of a population at `address`; under "average" the objectives become running means."""
    fresh = evaluate(search, population.bits[rows], population.positions, address, rows.astype(np.int32))
    if search.reevaluate == "average":
        population.n_scored[rows] += 1
        before = np.where(population.n_scored[rows, None] == 1, fresh, population.objectives[rows])
        # this form leaves a constant objective exactly as it is
        population.objectives[rows] = before + (fresh - before) / population.n_scored[rows, None]
    else:
        population.n_scored[rows] = 1
        population.objectives[rows] = fresh


def volume(search, population):
    """Hypervolume of a rated population's first front in (score, CR), CR relative to all features."""
    first = population.rank == 1
    ratios = search.space.ratios(population.bits[first], population.positions)
    return hypervolume(population.objectives[first, search.objectives.primary], ratios)


def fittest(search, population, n):
    """Indices of the `n` fittest individuals: by rank, then f'', then R1, then index.

    Where sharing does not bite, all of a rank have the same f''; without R1 the choice among them would be an
    accident of their places.
    """
    ratios = search.space.ratios(population.bits, population.positions)
    r1 = closeness(population.objectives[:, search.objectives.primary], ratios)
    return np.lexsort((-r1, -population.fitness, population.rank))[:n]


class Patience:
    """Says when a value has not grown for `limit` generations (None = never)."""

    def __init__(self, limit):
        self.limit = limit
        self.best = -np.inf
        self.waited = 0

    def look(self, value):
        """Note the value of a generation."""
        self.waited = 0 if value > self.best else self.waited + 1
        self.best = max(self.best, value)

    @property
    def exhausted(self):
        return self.limit is not None and self.waited >= self.limit


def evolve(search, bits, positions, number, n_generations, patience=None):
    """Evolve population `number` from its initial chromosomes.

    Returns
    -------
    population : Population or None
        Rated; None if the budget ran out before the end.
    """
    if not search.budget.allows(len(bits)):
        return None
    population = start(search, bits, positions, number)
    waiting = Patience(patience)
    for generation in range(1, n_generations + 1):
        waiting.look(volume(search, population))
        if waiting.exhausted:
            break
        if not search.budget.allows(len(bits)):
            return None
        population = advance(search, population, number, generation, n_generations)
    return population
