"""The whole algorithm in plain Python, for tiny runs: local improvement and the main loop, upon `generations`."""

import math
from statistics import median

from moeliga.base.random_streams import Purpose
from naive import dominance, vary
from naive.draw import Stream
from naive.generations import Generations, decimal, round_half_up

PAPER = {"rank_normalisation": "sum", "archive": False, "n_rescore_splits": 0}


class Run(Generations):
    """One search on one data set; `seed` is two words, `options` override `generations.DEFAULTS`."""

    # local improvement -----------------------------------------------------------------------------------------

    def improve(self, population, generation):
        """(population, number of individuals replaced)."""
        o, everything = self.o, range(self.n_features)
        templates = []
        for one in self.fittest(population):
            if one["mask"] not in [template["mask"] for template in templates]:
                templates.append(one)
        explored = []
        for place, template in enumerate(templates[: o.n_populations]):
            features = [feature for feature in everything if template["mask"][feature]]
            if len(features) > 1:
                number = 1 + generation * o.n_populations + place
                explored.append((number, template, features, self.explore(features, number)))
        if o.replacement == "parent":
            return self.replace_parents(population, explored, generation)
        return self.replace_from_union(population, explored, generation)

    def explore(self, features, number):
        k, size = len(features), self.o.sub_population_size
        if 2**k - 1 <= size:
            masks = [[code >> bit & 1 == 1 for bit in range(k)] for code in range(1, 2**k)]
            return self.start(masks, features, number, shared=True)
        masks = vary.scatter(self.seed, (Purpose.INITIALISE, number, 0), size, k)
        masks[0] = [True] * k
        masks, _ = self.distinct(masks, (Purpose.DISTINCT, number, 0))
        population = self.start(masks, features, number)
        for generation in range(1, self.o.sub_n_generations + 1):
            population = self.advance(population, features, number, generation)
        return population

    def finish(self, population, n_replaced, generation):
        """After a replacement: all distinct again, changed ones evaluated, rated."""
        masks, changed = self.distinct([one["mask"] for one in population], (Purpose.DISTINCT_AFTER, 0, generation))
        for one, mask, new in zip(population, masks, changed, strict=True):
            if new:
                one["mask"], one["n_scored"] = mask, 0
        rows = [place for place, new in enumerate(changed) if new]
        if rows:
            self.evaluate([population[place] for place in rows], rows, range(self.n_features),
                          (Purpose.EVALUATE_AFTER, 0, generation))
        return self.settle(population, range(self.n_features)), n_replaced

    def inside(self, population):
        """Those in the band."""
        least, most = self.o.band or (1, self.n_features)
        return [one for one in population if least <= sum(one["mask"]) <= most]

    def replace_parents(self, population, explored, generation):
        everything, replaced = range(self.n_features), {}
        for number, template, features, subordinate in explored:
            heirs = self.inside(self.fittest(subordinate))
            masks = [template["mask"], *(self.lift(one["mask"], features) for one in heirs[:1])]
            if len(set(masks)) < 2:
                continue
            old, new = self.objectives(masks, everything, (Purpose.PAIR, number, 0), range(2), shared=True)
            self.n_evaluations += 2
            k, size = map(sum, masks)
            if new[0] >= old[0] and size <= k and (new[0] > old[0] or size < k):
                replaced[masks[0]] = {"mask": masks[1], "n_scored": 0}
                self.learn(replaced[masks[0]], new)
        if not replaced:
            return population, 0
        heirs, left = [], dict(replaced)
        for one in population:  # the first of equal individuals is the template
            heirs.append(left.pop(one["mask"], None) or dict(one))
        return self.finish(heirs, len(replaced), generation)

    def replace_from_union(self, population, explored, generation):
        union = [dict(one) for one in population]
        for _, _, features, subordinate in explored:
            union += [{**one, "mask": self.lift(one["mask"], features)} for one in self.inside(subordinate)]
        self.rate(union)
        if self.o.replacement == "complete":
            places = sorted(range(len(union)), key=lambda i: (union[i]["rank"], -union[i]["fitness"]))
            places = places[: len(population)]
        else:
            places = vary.select(self.seed, (Purpose.REPLACE, 0, generation), [one["fitness"] for one in union],
                                 len(population), *self.selection())
        n_replaced = sum(place >= len(population) for place in places)
        if not n_replaced:
            return population, 0
        return self.finish([dict(union[place]) for place in places], n_replaced, generation)

    # the main loop ---------------------------------------------------------------------------------------------

    def log_uniform(self, place):
        """The k of which ln(k / a) <= u ln((b + 1) / a) < ln((k + 1) / a)."""
        low = min(self.o.smallest, self.n_features)
        high = max(low, round_half_up(decimal(self.o.largest) * self.n_features))
        if self.o.band:
            both = [k for k in range(low, high + 1) if self.o.band[0] <= k <= self.o.band[1]]
            low, high = (both[0], both[-1]) if both else self.o.band
        unit = Stream(self.seed, Purpose.COUNT, 0, 0, place, 0).unit()
        return next(k for k in range(low, high + 1) if unit * math.log((high + 1) / low) < math.log((k + 1) / low))

    def staggered(self, place):
        o = self.o
        ends = [round_half_up(sum(map(decimal, o.fractions[: part + 1])) * o.population_size)
                for part in range(len(o.fractions))]
        part = next((p for p, end in enumerate(ends) if place < end), len(ends) - 1)
        least, most = o.band or (1, self.n_features)
        return min(most, max(least, round_half_up(decimal(o.rates[part]) * self.n_features)))

    def initial(self):
        size = self.log_uniform if self.o.init == "log_uniform" else self.staggered
        counts = [size(place) for place in range(self.o.population_size)]
        masks = vary.create(self.seed, (Purpose.INITIALISE, 0, 0), counts, self.n_features, self.limits(0))
        if self.o.scores is not None:
            masks = self.lean(masks, [[False] * self.n_features] * len(masks), range(self.n_features), 0, 0)
        masks = [*self.o.first_subsets, *masks[len(self.o.first_subsets) :]][: len(masks)]
        return self.distinct(masks, (Purpose.DISTINCT, 0, 0))[0]

    def hypervolume(self, points):
        """Area below the staircase of points (score, k)."""
        ratios = sorted({(self.n_features - k) / self.n_features for _, k in points}, reverse=True)
        area, height = 0.0, 0.0
        for ratio in ratios:
            top = max(score for score, k in points if (self.n_features - k) / self.n_features == ratio)
            if top > height:
                area += ratio * (top - height)
                height = top
        return area

    def summary(self, population, generation, n_replaced):
        sizes = [sum(one["mask"]) for one in population]
        scores = [one["objectives"][0] for one in population]
        first = [one for one in population if one["rank"] == 1]
        return {
            "generation": generation,
            "hypervolume": self.hypervolume([(one["objectives"][0], sum(one["mask"])) for one in first]),
            "best_score": max(scores),
            "best_score_size": min(k for k, score in zip(sizes, scores, strict=True) if score == max(scores)),
            "min_size": min(sizes),
            "median_size": median(sizes),
            "max_size": max(sizes),
            "front_size": len(first),
            "archive_size": sum(not any(dominance.dominates(other, values) for other in self.archive.values())
                                for values in self.archive.values()),
            "n_replaced": n_replaced,
            "n_evaluations": self.n_evaluations,
        }

    def begin(self):
        """The initial population."""
        return self.start(self.initial(), range(self.n_features), 0)

    def improve_in_time(self, population, generation):
        """Local improvement where it is due: (population, number of individuals replaced)."""
        n_replaced = 0
        if self.o.replacement and generation % self.o.every == 0:
            population, n_replaced = self.improve(population, generation)
        return population, n_replaced

    def run(self):
        """(front, history, index of the R1 choice); a front is a list of (mask, objectives)."""
        population = self.begin()
        history = [self.summary(population, 0, 0)]
        for generation in range(1, self.o.n_generations + 1):
            population = self.advance(population, range(self.n_features), 0, generation)
            population, n_replaced = self.improve_in_time(population, generation)
            history.append(self.summary(population, generation, n_replaced))
        front, chosen = self.result(population)
        return front, history, chosen

    def result(self, population):
        """(front, index of the R1 choice) of a search that ends with a population."""
        everything, o = range(self.n_features), self.o
        found = dict(self.archive)
        found.update({one["mask"]: one["objectives"] for one in reversed(population) if one["rank"] == 1})
        if o.n_rescore_splits:
            masks = list(found)
            rows = self.objectives(masks, everything, (Purpose.RESCORE, 0, 0), range(len(masks)), shared=True,
                                   n_splits=o.n_rescore_splits, every_instance=True)
            found = dict(zip(masks, rows, strict=True))
        front = [(mask, values) for mask, values in found.items()
                 if not any(dominance.dominates(other, values) for other in found.values())]
        front.sort(key=lambda member: (sum(member[0]), -member[1][0], member[0]))
        chosen = min(range(len(front)), key=lambda i: (-self.closeness(front[i][1][0], sum(front[i][0])),
                                                        sum(front[i][0]), -front[i][1][0], i))
        return front, chosen
