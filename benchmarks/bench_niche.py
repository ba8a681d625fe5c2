"""What a generation costs besides evaluation: rank, sharing, selection, variation."""

import time

import numpy as np
import rivals
from bench_dataset import normals

from moeliga import MOGA, FitnessSharing, StaggeredInit, Variation
from moeliga._ext import vary
from moeliga._ext.evaluate import Evaluator
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset
from moeliga.data.subsets import Subsets
from moeliga.search.population import Population, make_distinct

N_FEATURES = 20_531
"""Genes of a common cancer data set."""

SEED = seed_words(0)


def population(n, n_features):
    """A staggered population with made-up objectives: half of it differs from another in a few features only."""
    rng = np.random.default_rng(0)
    counts = StaggeredInit().counts(n, n_features, SEED)
    bits = vary.create(SEED, (Purpose.INITIALISE, 0, 0), counts, n_features)
    for p in range(1, n, 2):
        bits[p] = bits[p - 1]
        for f in rng.integers(n_features, size=p % 3).tolist():
            bits[p, f // 64] ^= np.uint64(1 << f % 64)
    objectives = np.round(rng.random((n, 3)), 2)
    return Population(Subsets(bits, np.arange(n_features, dtype=np.int32)), objectives, np.ones(n, dtype=np.int64))


def next_chromosomes(rated):
    """Chromosomes of the next generation, with the default parameters: what `evolution.advance` does with them."""
    n, n_features, positions = len(rated), rated.chromosomes.n_positions, rated.chromosomes.positions
    moga, variation = MOGA(), Variation()
    gap = vary.select(SEED, (Purpose.GAP, 0, 1), rated.fitness, 10, moga.selection, moga.tournament_size)
    survivors = np.concatenate((rated.best(10), gap))
    children = vary.offspring(
        SEED, (Purpose.MATE, 0, 1), rated.bits, rated.fitness, n_features, n - len(survivors), moga.selection,
        moga.tournament_size, variation.crossover, variation.crossover_rate,
        variation.flip_limits(1, 300, n_features))
    everybody = Subsets(np.concatenate((rated.bits[survivors], children)), positions)
    return make_distinct(everybody, SEED, (Purpose.DISTINCT, 0, 1))


class Niche:
    """Rank and shared fitness of a population: sigma 0.0025 finds copies, sigma 0.3 large clusters."""

    params = ((90, 400), (N_FEATURES,), (0.0025, 0.3))
    param_names = ("P", "F", "sigma")
    quick = ((90, N_FEATURES, 0.0025), (90, N_FEATURES, 0.3))
    unit = "population"

    def setup(self, P, F, sigma):
        self.population = population(P, F)

    def time_moeliga(self, P, F, sigma):
        rated = self.population.rate(FitnessSharing(sigma=sigma))
        return rated.rank, rated.fitness

    def time_rival(self, P, F, sigma):
        return rivals.shared_fitness(self.population.objectives, self.population.bits, F, sigma)

    def agreement(self, P, F, sigma):
        (rank, fitness), (their_rank, their_fitness) = self.time_moeliga(P, F, sigma), self.time_rival(P, F, sigma)
        return ", ".join((rivals.check_close("rank", rank, their_rank, 0),
                          rivals.check_close("fitness", fitness / P, their_fitness / P, 1e-12)))


class Generation:
    """One generation of P individuals on 200 samples x F features: everything but evaluation as a share of it."""

    params = ((90,), (N_FEATURES,))
    param_names = ("P", "F")
    quick = ()

    def setup(self, P, F):
        X, y = normals(200, F)
        dataset = Dataset.encode(X, y, 2)
        self.evaluator = Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 1)
        self.population = population(P, F)
        self.individuals = np.arange(P, dtype=np.int32)

    def time_variation(self, P, F):
        next_chromosomes(self.population.rate(FitnessSharing()))

    def time_evaluation(self, P, F):
        self.evaluator.evaluate(self.population.bits, self.population.chromosomes.positions, self.individuals, SEED,
                                (Purpose.EVALUATE, 0, 1), 3, False, 60, True, 1)

    def track_share(self, P, F):
        """Median of five pairs of measurements."""
        self.time_variation(P, F)
        shares = []
        for _ in range(5):
            began = time.process_time()
            self.time_variation(P, F)
            middle = time.process_time()
            self.time_evaluation(P, F)
            shares.append(100 * (middle - began) / (time.process_time() - middle))
        return float(np.median(shares))

    track_share.unit = "% of the evaluation"
