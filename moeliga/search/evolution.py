"""One multi-objective genetic algorithm, for the main and for the subordinate populations alike.

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
from moeliga.search.population import make_distinct, newcomers

MAIN = 0
"""Number of the main population; subordinate populations have numbers from 1."""


@dataclass(eq=False)
class Search:
    """The settings and objects that all populations of one search share."""

    objectives: Objectives
    sampler: Sampler  # knows the samples that a generation is evaluated on
    space: Space  # of the subsets of a main population: of an island, its band
    whole: Space  # of all subsets, those of subordinate populations too
    bands: list  # the Space of each island: its band, or the whole one
    population_size: int  # of a main population
    variation: Variation
    moga: MOGA | None  # survival by succession; None: by competition, NSGA-II's
    sharing: FitnessSharing | None  # of `moga`
    local_improvement: LocalImprovement | None
    reevaluate: str  # "all", "none" or "average"
    budget: Budget
    archive: Archive | None
    prior: Prior | None
    migration_interval: int  # generations from one migration between islands to the next
    baselines: np.ndarray  # uint64, shape (n, n_words), over all groups: subsets to compare with, scored with the front

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
        """True if islands keep to bands of sizes."""
        return self.bands[0] is not self.whole

    @property
    def selection(self):
        """How individuals are drawn by fitness: (kind, size of a tournament)."""
        return ("tournament", 2) if self.moga is None else (self.moga.selection, self.moga.tournament_size)

    def most_evaluations(self, population_size):
        """Return the most evaluations that a generation takes: int."""
        return population_size * (2 if self.moga is None and self.reevaluate != "none" else 1)

    def rate(self, population, kept=False):
        """Set rank and fitness of a population and return it; Interrupted where the budget ends the search.

        A population that is `kept` then gets the fitness of its ranks alone: the search ends, and no parent is drawn.
        """
        check = self.budget.check
        try:
            return population.rate_by_crowding(check) if self.moga is None else population.rate(self.sharing, check)
        except Interrupted:
            if not kept or self.budget.abandoned:
                raise
            return population.rate(None)


def evaluate(search, chromosomes, address, individuals=None, shared=None):
    """Return the objectives of individuals, and count them in the budget; see `Objectives.evaluate`."""
    begun, objectives = time.perf_counter(), search.objectives
    subsets = search.space.subsets(chromosomes)
    found, _ = objectives.evaluate(search.ground, subsets, address, individuals, shared=shared, budget=search.budget)
    search.budget.spend(len(subsets), objectives.work(search.ground, subsets), time.perf_counter() - begun)
    return found


def settle(search, population, kept=False):
    """Rate a population whose objectives are known, add it to the archive and return it; see `Search.rate`."""
    search.rate(population, kept)
    if search.archive is not None:
        search.archive.add(population.chromosomes.lifted(search.space.n_groups), population.objectives)
    return population


def start(search, chromosomes, number, shared=None):
    """Return generation 0 of population `number`, evaluated and rated: Population."""
    population = newcomers(chromosomes, len(search.objectives.terms))
    update(search, population, np.arange(len(population)), (Purpose.EVALUATE, number, 0), shared)
    return settle(search, population)


def advance(search, population, number, generation, n_generations):
    """Return the next generation of population `number`, by `succeed` or `compete`: Population."""
    step = compete if search.moga is None else succeed
    return step(search, population, number, generation, n_generations)


def mate(search, population, number, generation, n_generations, n_children):
    """Return `n_children` children of parents drawn by fitness: `Subsets`."""
    variation, positions = search.variation, population.chromosomes.positions
    n_positions = len(positions)
    address = Purpose.MATE, number, generation
    children = vary.offspring(
        search.seed, address, population.bits, population.fitness, n_positions, n_children,
        *search.selection, variation.crossover, variation.crossover_rate,
        variation.flip_limits(generation, n_generations, n_positions), search.space.limits(positions))
    if search.prior is None:
        return Subsets(children, positions)
    # pairs that are neither crossed nor changed: the parents themselves
    parents = vary.offspring(
        search.seed, address, population.bits, population.fitness, n_positions, n_children + n_children % 2,
        *search.selection, variation.crossover, 0.0, np.zeros(0, dtype=np.uint64))
    elders = np.repeat(parents[::2] | parents[1::2], 2, axis=0)[:n_children]
    return search.prior.steered(Subsets(children, positions), elders, search.seed, (Purpose.PRIOR, *address[1:]))


def differing(search, survivors, children, number, generation):
    """Return the result of `make_distinct` for the chromosomes of a generation, survivors before children."""
    everybody = Subsets(np.concatenate((survivors.bits, children.bits)), children.positions)
    return make_distinct(everybody, search.seed, (Purpose.DISTINCT, number, generation),
                         search.space.limits(children.positions))


def succeed(search, population, number, generation, n_generations):
    """Return the next generation by succession (`MOGA`): Population.

    Elites, then the generational gap, then offspring; later copies are changed until all individuals differ; then
    the objectives are brought up to date as `reevaluate` says. A changed chromosome is always evaluated anew.
    """
    gap = vary.select(search.seed, (Purpose.GAP, number, generation), population.fitness, search.moga.generation_gap,
                      *search.selection)
    survivors = np.concatenate((population.best(search.moga.n_elite), gap))
    children = mate(search, population, number, generation, n_generations, len(population) - len(survivors))
    chromosomes, changed = differing(search, population.chromosomes[survivors], children, number, generation)
    heirs = population.inherited(chromosomes, survivors)
    heirs.n_scored[changed] = 0
    return settle(search, refresh(search, heirs, number, generation))


def compete(search, population, number, generation, n_generations):
    """Return the next generation by competition ("nsga2"): Population.

    It is the best of parents and as many children, by front and crowding.
    A child that is a copy is changed until it is new; one that stays a copy is left out. Objectives are brought up to
    date as `reevaluate` says, of parents and children on the same occasion, before they compete. Survivors are then
    rated among themselves, so that a rating depends on a population alone.
    """
    n = len(population)
    children = mate(search, population, number, generation, n_generations, n)
    changed, _ = differing(search, population.chromosomes, children, number, generation)
    everybody = Subsets(np.concatenate((population.bits, changed.bits[n:])), changed.positions)
    kept = originals(everybody.bits, n)
    rivals = population.inherited(everybody[kept], kept[kept < n])
    settle(search, refresh(search, rivals, number, generation))
    return search.rate(rivals.take(rivals.best(n)))


def originals(bits, n):
    """Return the places of chromosomes that equal none before them, and of the first copies if fewer than `n` do."""
    new = bits_room.same_as(bits) == np.arange(len(bits))
    new[np.flatnonzero(~new)[: max(0, n - np.count_nonzero(new))]] = True
    return np.flatnonzero(new)


def refresh(search, population, number, generation):
    """Evaluate a generation, all of it or the individuals that never were, and return it."""
    rows = np.flatnonzero(population.n_scored == 0) if search.reevaluate == "none" else np.arange(len(population))
    if len(rows):
        update(search, population, rows, (Purpose.EVALUATE, number, generation))
    return population


def update(search, population, rows, address, shared=None):
    """Evaluate `rows` of a population at `address`, and take that in."""
    found = evaluate(search, population.chromosomes[rows], address, rows.astype(np.int32), shared)
    take_in(search, population, rows, found)


def take_in(search, population, rows, objectives):
    """Bring `rows` of a population up to date by the objectives of an evaluation.

    "all" and "none" keep the last objectives, "average" their means over all evaluations.
    """
    if search.reevaluate != "average":
        population.n_scored[rows] = 1
        population.objectives[rows] = objectives
        return
    population.n_scored[rows] += 1
    n = population.n_scored[rows, None]
    before = np.where(n == 1, objectives, population.objectives[rows])
    # this form leaves a constant objective exactly as it is
    population.objectives[rows] = before + (objectives - before) / n


def volume(search, population):
    """Return the hypervolume of a rated population's first front in (score, CR), CR relative to all features: float."""
    first = population.rank == 1
    ratios = search.space.ratios(population.chromosomes[first])
    return hypervolume(population.objectives[first, search.objectives.primary], ratios)


def fittest(search, population, n):
    """Return the indices of the `n` fittest individuals: by rank, then f'', then R1, then index.

    Where sharing does not bite, all of a rank have the same f''; without R1 the choice among them would be an
    accident of their places.
    """
    ratios = search.space.ratios(population.chromosomes)
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

    def state(self):
        """Return its entries in a checkpoint: dict."""
        return {"best": self.best, "waited": self.waited}

    def restore(self, state):
        """Set the entries of a checkpoint."""
        self.best = float(check_number("best", state["best"], Real))
        self.waited = check_number("waited", state["waited"], Integral, 0)

    @property
    def exhausted(self):
        return self.limit is not None and self.waited >= self.limit


def evolve(search, chromosomes, number, n_generations, patience=None):
    """Evolve population `number` from its initial chromosomes; return it, rated, or None if the budget ran out."""
    if not search.budget.allows(len(chromosomes)):
        return None
    population = start(search, chromosomes, number)
    waiting = Patience(patience)
    for generation in range(1, n_generations + 1):
        waiting.look(volume(search, population))
        if waiting.exhausted:
            break
        if not search.budget.allows(search.most_evaluations(len(population))):
            return None
        population = advance(search, population, number, generation, n_generations)
    return population
