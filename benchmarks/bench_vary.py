"""Initialisation, selection, crossover, mutation, distinctness."""

from bench_niche import N_FEATURES, SEED, population

from moeliga import FitnessSharing, StaggeredInit, Variation
from moeliga._ext import vary
from moeliga.base.random_streams import Purpose
from moeliga.search.population import make_distinct


class Vary:
    """Each step for one population."""

    params = ((90,), (500, N_FEATURES))
    param_names = ("P", "F")
    quick = ((90, N_FEATURES),)

    def setup(self, P, F):
        self.population = population(P, F).rate(FitnessSharing())
        self.counts = StaggeredInit().counts(P, F, SEED)
        self.limits = Variation().flip_limits(1, 300, F)

    def time_create(self, P, F):
        vary.create(SEED, (Purpose.INITIALISE, 0, 0), self.counts, F)

    def time_scatter(self, P, F):
        vary.scatter(SEED, (Purpose.INITIALISE, 0, 0), P, F)

    def time_select(self, P, F):
        vary.select(SEED, (Purpose.GAP, 0, 1), self.population.fitness, 10, "roulette", 3)

    def time_offspring(self, P, F):
        vary.offspring(SEED, (Purpose.MATE, 0, 1), self.population.bits, self.population.fitness, F, P - 20, "roulette",
                       3, "one_point", 0.9, self.limits)

    def time_distinct(self, P, F):
        make_distinct(self.population.chromosomes, SEED, (Purpose.DISTINCT, 0, 1))
