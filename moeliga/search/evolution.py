"""The multi-objective genetic algorithm that main and subordinate populations share.

Paper, Algorithm 1, lines 1 to 8, and Algorithm "Evaluate population".
"""

import time
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga._ext import vary
from moeliga.base.budget import Budget, Interrupted
from moeliga.base.checks import check_number
from moeliga.base.random_streams import Purpose
from moeliga.data.feature_space import Space
from moeliga.data.subsets import Subsets
from moeliga.evaluation.objectives import Objectives
from moeliga.evaluation.subsample import Sampler
from moeliga.parameters.local_improvement import LocalImprovement
from moeliga.parameters.moga import MOGA, FitnessSharing
from moeliga.parameters.variation import Variation
from moeliga.results.front import hypervolume
from moeliga.results.rules import closeness
from moeliga.search.archive import Archive
from moeliga.search.feature_prior import Prior
from moeliga.search.population import make_distinct, unevaluated

MAIN = 0
"""Number of the main population; subordinate populations have numbers from 1."""


@dataclass(eq=False)
class Search:
    """The settings and objects that all populations of one search share."""

    objectives: Objectives
    sampler: Sampler  # has the samples that the current generation is evaluated on
    space: Space  # the subsets that a main population may hold: in the search of an island those of its band
    whole: Space  # all subsets, which subordinate populations may hold
    bands: list  # the Space of each island: its band, or the whole space
    population_size: int  # of a main population
    variation: Variation
    moga: MOGA | None  # survival by succession; None = by competition, as in NSGA-II
    sharing: FitnessSharing | None  # of `moga`
    local_improvement: LocalImprovement | None
    reevaluate: str  # "all", "none" or "average"
    budget: Budget
    archive: Archive | None
    prior: Prior | None
    migration_interval: int  # generations between two migrations
    baselines: np.ndarray  # uint64, shape (n, n_words), over all groups: scored with the front, to compare

    @property
    def seed(self):
        return self.objectives.seed

    @property
    def ground(self):
        """The samples of this generation: Ground."""
        return self.sampler.ground

    @property
    def n_islands(self):
        """Number of main populations."""
        return len(self.bands)

    @property
    def n_individuals(self):
        """Number of individuals of all main populations."""
        return self.n_islands * self.population_size

    @property
    def banded(self):
        """True if each island holds the subsets of a band of sizes."""
        return self.bands[0] is not self.whole

    @property
    def selection(self):
        """How individuals are drawn by fitness: (kind, size of a tournament)."""
        return ("tournament", 2) if self.moga is None else (self.moga.selection, self.moga.tournament_size)

    def most_evaluations(self, population_size):
        """Return the largest number of evaluations that a generation of `population_size` may take: int."""
        return population_size * (2 if self.moga is None and self.reevaluate != "none" else 1)

    def rate(self, population, final=False):
        """Set rank and fitness of a population and return it; Interrupted is raised if the budget ends the search.

        With `final` the fitness is then that of the ranks alone: the search ends here, and no parents are drawn by it.
        """
        check = self.budget.check
        try:
            return population.rate_by_crowding(check) if self.moga is None else population.rate(self.sharing, check)
        except Interrupted:
            if not final or self.budget.abandoned:
                raise
            return population.rate(None)


def evaluate(search, chromosomes, address, individuals=None, shared=None):
    """Return the objectives of chromosomes, and count their evaluation in the budget; see `Objectives.evaluate`."""
    begun, objectives = time.perf_counter(), search.objectives
    subsets = search.space.subsets(chromosomes)
    found, _ = objectives.evaluate(search.ground, subsets, address, individuals, shared=shared, budget=search.budget)
    search.budget.spend(len(subsets), objectives.work(search.ground, subsets), time.perf_counter() - begun)
    return found


def rate_and_archive(search, population, final=False):
    """Rate an evaluated population, see `Search.rate`; add it to the archive, and return it."""
    search.rate(population, final)
    if search.archive is not None:
        search.archive.add(population.chromosomes.lifted(search.space.n_groups), population.objectives)
    return population


def start(search, chromosomes, number, shared=None):
    """Return generation 0 of population `number`, evaluated and rated: Population."""
    population = unevaluated(chromosomes, len(search.objectives.terms))
    evaluate_rows(search, population, np.arange(len(population)), (Purpose.EVALUATE, number, 0), shared)
    return rate_and_archive(search, population)


def advance(search, population, number, generation, n_generations):
    """Return the next generation of population `number`, by `succeed` or `compete`: Population."""
    step = compete if search.moga is None else succeed
    return step(search, population, number, generation, n_generations)


def mate(search, population, number, generation, n_generations, n_children):
    """Draw parents by fitness; return `n_children` children, crossed, mutated and steered by the prior: `Subsets`."""
    variation, positions = search.variation, population.chromosomes.positions
    n_positions = len(positions)
    address = Purpose.MATE, number, generation
    children = vary.offspring(
        search.seed, address, population.bits, population.fitness, n_positions, n_children,
        *search.selection, variation.crossover, variation.crossover_rate,
        variation.flip_limits(generation, n_generations, n_positions), search.space.limits(positions))
    if search.prior is None:
        return Subsets(children, positions)
    # without crossover and mutation the same random numbers give the parents themselves, pair by pair
    parents = vary.offspring(
        search.seed, address, population.bits, population.fitness, n_positions, n_children + n_children % 2,
        *search.selection, variation.crossover, 0.0, np.zeros(0, dtype=np.uint64))
    elders = np.repeat(parents[::2] | parents[1::2], 2, axis=0)[:n_children]
    return search.prior.steered(Subsets(children, positions), elders, search.seed, (Purpose.PRIOR, *address[1:]))


def distinct_chromosomes(search, survivors, children, number, generation):
    """Return the distinct chromosomes of a generation, survivors before children, as `make_distinct` does."""
    everybody = Subsets(np.concatenate((survivors.bits, children.bits)), children.positions)
    return make_distinct(everybody, search.seed, (Purpose.DISTINCT, number, generation),
                         search.space.limits(children.positions))


def succeed(search, population, number, generation, n_generations):
    """Return the next generation by succession (`MOGA`): Population.

    It consists of elites, then the generational gap, then children. Later copies are changed until all chromosomes
    differ, then individuals are evaluated as `reevaluate` says; one whose chromosome was changed always is.
    """
    gap = vary.select(search.seed, (Purpose.GAP, number, generation), population.fitness, search.moga.generation_gap,
                      *search.selection)
    survivors = np.concatenate((population.best(search.moga.n_elite), gap))
    children = mate(search, population, number, generation, n_generations, len(population) - len(survivors))
    chromosomes, changed = distinct_chromosomes(search, population.chromosomes[survivors], children, number, generation)
    heirs = population.carry_over(chromosomes, survivors)
    heirs.n_scored[changed] = 0
    return rate_and_archive(search, evaluate_generation(search, heirs, number, generation))


def compete(search, population, number, generation, n_generations):
    """Return the next generation by competition ("nsga2"): Population.

    The n best of n parents and n children survive, by front and crowding distance. A child that is a copy is changed
    until it is new; one that stays a copy is left out. Parents and children are evaluated together, as `reevaluate`
    says, before they compete. Survivors are rated again, so that a rating depends on a population alone.
    """
    n = len(population)
    children = mate(search, population, number, generation, n_generations, n)
    changed, _ = distinct_chromosomes(search, population.chromosomes, children, number, generation)
    everybody = Subsets(np.concatenate((population.bits, changed.bits[n:])), changed.positions)
    kept = originals(everybody.bits, n)
    rivals = population.carry_over(everybody[kept], kept[kept < n])
    rate_and_archive(search, evaluate_generation(search, rivals, number, generation))
    return search.rate(rivals.take(rivals.best(n)))


def originals(bits, n):
    """Return the indices of distinct chromosomes, with the first copies if these make fewer than `n`: ascending."""
    new = bits_room.same_as(bits) == np.arange(len(bits))
    new[np.flatnonzero(~new)[: max(0, n - np.count_nonzero(new))]] = True
    return np.flatnonzero(new)


def evaluate_generation(search, population, number, generation):
    """Evaluate all individuals of a generation, or, for reevaluate="none", those not evaluated yet; return it."""
    rows = np.flatnonzero(population.n_scored == 0) if search.reevaluate == "none" else np.arange(len(population))
    if len(rows):
        evaluate_rows(search, population, rows, (Purpose.EVALUATE, number, generation))
    return population


def evaluate_rows(search, population, rows, address, shared=None):
    """Evaluate `rows` of a population with the random numbers at `address`, and set their objectives."""
    found = evaluate(search, population.chromosomes[rows], address, rows.astype(np.int32), shared)
    set_objectives(search, population, rows, found)


def set_objectives(search, population, rows, objectives):
    """Set the objectives of `rows` to those of an evaluation, or, for "average", to the means over all so far."""
    if search.reevaluate != "average":
        population.n_scored[rows] = 1
        population.objectives[rows] = objectives
        return
    population.n_scored[rows] += 1
    n = population.n_scored[rows, None]
    before = np.where(n == 1, objectives, population.objectives[rows])
    # in this form of the mean a constant objective stays exactly as it is
    population.objectives[rows] = before + (objectives - before) / n


def front_hypervolume(search, population):
    """Return the hypervolume in (score, CR) of the first front of a rated population, CR of all features: float."""
    first = population.rank == 1
    ratios = search.space.ratios(population.chromosomes[first])
    return hypervolume(population.objectives[first, search.objectives.primary], ratios)


def fittest(search, population, n):
    """Return the indices of the `n` fittest individuals: by rank, then f'', then R1, then index.

    Individuals of a rank that share their fitness with no neighbour have the same f''; R1 decides among them, and not
    their place in the population.
    """
    ratios = search.space.ratios(population.chromosomes)
    r1 = closeness(population.objectives[:, search.objectives.primary], ratios)
    return np.lexsort((-r1, -population.fitness, population.rank))[:n]


class Patience:
    """Counts the generations in which a value has not grown; exhausted after `limit` of them, None = never."""

    def __init__(self, limit):
        self.limit = limit
        self.best = -np.inf
        self.waited = 0

    def update(self, value):
        """Note the value of a generation."""
        self.waited = 0 if value > self.best else self.waited + 1
        self.best = max(self.best, value)

    def state(self):
        """Return the entries for a checkpoint: dict."""
        return {"best": self.best, "waited": self.waited}

    def restore(self, state):
        """Restore the entries of a checkpoint."""
        self.best = float(check_number("best", state["best"], Real))
        self.waited = check_number("waited", state["waited"], Integral, 0)

    @property
    def exhausted(self):
        return self.limit is not None and self.waited >= self.limit


def evolve(search, chromosomes, number, n_generations, patience=None):
    """Evolve population `number` from its initial chromosomes: Population, rated; None if the budget runs out."""
    if not search.budget.allows(len(chromosomes)):
        return None
    population = start(search, chromosomes, number)
    waiting = Patience(patience)
    for generation in range(1, n_generations + 1):
        waiting.update(front_hypervolume(search, population))
        if waiting.exhausted:
            break
        if not search.budget.allows(search.most_evaluations(len(population))):
            return None
        population = advance(search, population, number, generation, n_generations)
    return population
