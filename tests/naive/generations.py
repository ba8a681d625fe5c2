"""A population in plain Python: lists, dicts and loops, from its evaluation to the next generation.

An individual is a dict: "mask" (tuple of bool over the features of its population), "objectives" (list of float),
"n_scored", and, once its population is rated, "rank", "fitness" (f'') and "r1". Only the numbers that the purposes of
streams have are shared with the library.
"""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np

from moeliga.base.random_streams import Purpose
from naive import crowding, dominance, niche, prior, vary
from naive.draw import Stream
from naive.evaluate import evaluate

DEFAULTS = {
    "n_splits": 3,
    "validation_size": 0.3,
    "split_mode": "individual",
    "lambda_": 0.5,
    "gamma": 0.0,
    "samples": 0.3,
    "replace": True,
    "population_size": 90,
    "n_generations": 300,
    "n_elite": 10,
    "generation_gap": 10,
    "reevaluate": "all",
    "archive": True,
    "n_rescore_splits": 50,
    "survival": "moga",
    "init": "staggered",
    "fractions": (0.55, 0.30, 0.15),
    "rates": (0.03, 0.15, 0.35),
    "smallest": 1,
    "largest": 1 / 3,
    "selection": "roulette",
    "tournament_size": 3,
    "crossover": "one_point",
    "crossover_rate": 0.9,
    "mutation_rate": 0.15,
    "scores": None,  # of the features, for the prior
    "share": 0.5,
    "offset": 10.0,
    "sharing": "cluster",  # or None
    "space": "decision",
    "sigma": 0.0025,
    "alpha": 1.0,
    "rank_normalisation": "mean",
    "n_populations": 3,
    "sub_population_size": 50,
    "sub_n_generations": 70,
    "every": 5,
    "replacement": "parent",
    "band": None,  # or the fewest and the most features of a main population
    "first_subsets": (),  # of generation 0
}


def decimal(number):
    """The decimal number that a float prints as."""
    return Fraction(repr(float(number)))


def round_half_up(number):
    return math.floor(number + Fraction(1, 2))


PER_SIZE = 2
"""Of the best of each size in the archive."""


class Generations:
    """What a search on one data set does to one population; `seed` is two words, `options` override `DEFAULTS`."""

    def __init__(self, X, y, seed, **options):
        order = sorted(range(len(y)), key=lambda i: y[i])  # stable: class by class
        self.X, self.y = np.asarray(X, dtype=float)[order], np.asarray(y)[order]
        self.seed = seed
        self.o = SimpleNamespace(**{**DEFAULTS, **options})
        self.n_features = self.X.shape[1]
        self.n_classes = int(self.y.max()) + 1
        sizes = [int((self.y == c).sum()) for c in range(self.n_classes)]
        share = decimal(self.o.validation_size)
        self.n_validation = [0 if n == 1 else min(n - 1, max(1, math.ceil(share * n))) for n in sizes]
        self.n_instances = math.ceil(decimal(self.o.samples) * len(self.y))
        self.archive = {}
        self.n_evaluations = 0

    # objectives ------------------------------------------------------------------------------------------------

    def cardinality(self, k):
        """CR_lambda; the exponential by its series in exact fractions."""
        exponent = decimal(self.o.lambda_) * (Fraction(self.n_features - k, self.n_features) + decimal(self.o.gamma))
        term, series, n = Fraction(1), Fraction(1), 0
        while abs(term) > Fraction(1, 10**40):
            n += 1
            term *= -exponent / n
            series += term
        return float(1 / (1 + series))

    def lift(self, mask, features):
        """Mask over all features of a mask over `features`."""
        selected = {feature for feature, on in zip(features, mask, strict=True) if on}
        return tuple(feature in selected for feature in range(self.n_features))

    def objectives(self, masks, features, address, individuals, shared, n_splits=None, every_instance=False):
        """Objectives of every mask."""
        uar, separability = evaluate(
            self.X, self.y, self.n_classes, [self.lift(mask, features) for mask in masks], self.seed, *address,
            individuals, n_splits or self.o.n_splits, shared, self.n_validation,
            len(self.y) if every_instance else self.n_instances, self.o.replace and not every_instance)
        return [[niche.total(scores) / len(scores), self.cardinality(sum(mask)), m_d]
                for mask, scores, m_d in zip(masks, uar, separability, strict=True)]

    def evaluate(self, individuals, numbers, features, address, shared=None):
        """Bring the objectives of some individuals up to date; `numbers` are their places in the population."""
        if shared is None:
            shared = self.o.split_mode == "generation"
        found = self.objectives([one["mask"] for one in individuals], features, address, numbers, shared)
        self.n_evaluations += len(individuals)
        for one, fresh in zip(individuals, found, strict=True):
            self.learn(one, fresh)

    def learn(self, one, fresh):
        """Take in the objectives of an evaluation."""
        n = one["n_scored"]
        if self.o.reevaluate == "average" and n:
            one["objectives"] = [old + (new - old) / (n + 1) for old, new in zip(one["objectives"], fresh, strict=True)]
            one["n_scored"] = n + 1
        else:
            one["objectives"], one["n_scored"] = list(fresh), 1

    # fitness ---------------------------------------------------------------------------------------------------

    def closeness(self, score, k):
        miss, share = 1.0 - score, 1.0 - (self.n_features - k) / self.n_features
        return 1.0 - math.sqrt(miss * miss + share * share)

    def rate(self, population):
        """Rank, f'' and R1 of every individual."""
        values = [one["objectives"] for one in population]
        if self.o.survival == "nsga2":
            rank = crowding.fronts(values)
            fitness = dominance.fitness(crowding.keys(rank, crowding.distances(values, rank)))
        else:
            rank = dominance.rank(values)
            fitness = dominance.fitness(rank)
        if self.o.sharing and self.o.survival == "moga":
            if self.o.space == "decision":
                d2 = niche.decision_distances([one["mask"] for one in population])
            else:
                d2 = niche.objective_distances(values)
            shared = niche.shared(d2, fitness, rank, self.o.sharing, self.o.sigma, self.o.alpha)
            fitness = niche.normalise(fitness, shared, rank, self.o.rank_normalisation)
        for one, r, f in zip(population, rank, fitness, strict=True):
            one["rank"], one["fitness"] = r, f
            one["r1"] = self.closeness(one["objectives"][0], sum(one["mask"]))

    def settle(self, population, features):
        self.rate(population)
        if self.o.archive:
            for one in population:  # known individuals get their latest objectives
                mask = self.lift(one["mask"], features)
                self.archive.pop(mask, None)
                self.archive[mask] = one["objectives"]
            best = {mask for mask, values in self.archive.items()
                    if not any(dominance.dominates(other, values) for other in self.archive.values())}
            largest = self.n_features if self.o.band else max(map(sum, best))
            for size in range(1, largest + 1):  # the first of equals stand first
                shelf = [mask for mask in self.archive if sum(mask) == size]
                best.update(sorted(shelf, key=lambda mask: -self.archive[mask][0])[:PER_SIZE])
            self.archive = {mask: values for mask, values in self.archive.items() if mask in best}
        return population

    @staticmethod
    def elite(population):
        return sorted(population, key=lambda one: (one["rank"], -one["fitness"]))

    @staticmethod
    def fittest(population):
        return sorted(population, key=lambda one: (one["rank"], -one["fitness"], -one["r1"]))

    # one population --------------------------------------------------------------------------------------------

    def limits(self, number):
        """Of the main population: its band. Subordinate ones may have fewer features."""
        return None if number or not self.o.band else (*self.o.band, [1] * self.n_features, None)

    def distinct(self, masks, address):
        k = len(masks[0])
        if 2**k - 1 < len(masks):
            return [tuple(mask) for mask in masks], [False] * len(masks)
        masks, changed = vary.distinct(self.seed, address, masks, math.ceil(Fraction(k, 1000)), 100,
                                       self.limits(address[1]))
        return [tuple(mask) for mask in masks], changed

    def start(self, masks, features, number, shared=None):
        population = [{"mask": tuple(mask), "n_scored": 0} for mask in masks]
        self.evaluate(population, range(len(masks)), features, (Purpose.EVALUATE, number, 0), shared)
        return self.settle(population, features)

    def flip_limits(self, k):
        """Floor of 2^64 P(number of flips <= i), in exact fractions."""
        p = decimal(min(1.0, self.o.mutation_rate / k))
        limits, reached = [], Fraction(0)
        for i in range(k):
            reached += math.comb(k, i) * p**i * (1 - p) ** (k - i)
            if 2**64 * reached >= 2**64:
                break
            limits.append(math.floor(2**64 * reached))
            if 2**64 * (1 - reached) < Fraction(1, 1000):
                break
        return limits

    def selection(self):
        return ("tournament", 2) if self.o.survival == "nsga2" else (self.o.selection, self.o.tournament_size)

    def mate(self, population, features, number, generation, n_children):
        masks, fitness = [one["mask"] for one in population], [one["fitness"] for one in population]
        children = vary.offspring(
            self.seed, (Purpose.MATE, number, generation), masks, fitness, n_children, *self.selection(),
            self.o.crossover, self.o.crossover_rate, self.flip_limits(len(features)), self.limits(number))
        if self.o.scores is None:
            return children
        elders = []
        for child in range(n_children):
            stream = Stream(self.seed, Purpose.MATE, number, generation, child // 2, 0)
            a, b = (masks[vary.spin(stream, fitness, *self.selection())] for _ in range(2))
            elders.append([x or y for x, y in zip(a, b, strict=True)])
        return self.lean(children, elders, features, number, generation)

    def lean(self, masks, elders, features, number, generation):
        """The masks, with a share of what is new in them drawn anew by the feature prior."""
        weights = prior.weights(self.o.scores, self.o.offset)
        return [prior.redrawn(self.seed, (Purpose.PRIOR, number, generation, place), mask, old,
                              [weights[feature] for feature in features], self.o.share)
                for place, (mask, old) in enumerate(zip(masks, elders, strict=True))]

    def advance(self, population, features, number, generation):
        step = self.compete if self.o.survival == "nsga2" else self.succeed
        return step(population, features, number, generation)

    def compete(self, population, features, number, generation):
        """The best of parents and as many children that differ from them and from each other."""
        n = len(population)
        children = self.mate(population, features, number, generation, n)
        masks, _ = self.distinct([one["mask"] for one in population] + children, (Purpose.DISTINCT, number, generation))
        candidates = [dict(one) for one in population] + [{"mask": mask, "n_scored": 0} for mask in masks[n:]]
        before = [[other["mask"] for other in candidates[:place]] for place in range(2 * n)]
        copies = [place for place, one in enumerate(candidates) if one["mask"] in before[place]]
        dropped = copies[max(0, len(copies) - n):]
        rivals = [one for place, one in enumerate(candidates) if place not in dropped]
        rows = [place for place, one in enumerate(rivals) if self.o.reevaluate != "none" or not one["n_scored"]]
        if rows:
            self.evaluate([rivals[place] for place in rows], rows, features, (Purpose.EVALUATE, number, generation))
        survivors = self.elite(self.settle(rivals, features))[:n]
        self.rate(survivors)
        return survivors

    def succeed(self, population, features, number, generation):
        o = self.o
        fitness = [one["fitness"] for one in population]
        gap = vary.select(self.seed, (Purpose.GAP, number, generation), fitness, o.generation_gap, o.selection,
                          o.tournament_size)
        survivors = self.elite(population)[: o.n_elite] + [population[i] for i in gap]
        children = self.mate(population, features, number, generation, len(population) - len(survivors))
        masks, changed = self.distinct([one["mask"] for one in survivors] + children,
                                       (Purpose.DISTINCT, number, generation))
        heirs = []
        for place, mask in enumerate(masks):
            if place < len(survivors) and not changed[place]:
                heirs.append(dict(survivors[place]))
            else:
                heirs.append({"mask": mask, "n_scored": 0})
        rows = [place for place, one in enumerate(heirs) if o.reevaluate != "none" or not one["n_scored"]]
        self.evaluate([heirs[place] for place in rows], rows, features, (Purpose.EVALUATE, number, generation))
        return self.settle(heirs, features)
