"""Cases of the rooms draw, bits, vary and niche, and of the tables that Python makes for them."""

from functools import partial

import numpy as np

from cases.tables import KEY, masks, whole
from moeliga import Cardinality, StaggeredInit, Variation, pareto_rank, shared_fitness
from moeliga._ext import bits, dominance, draw, niche, scores, vary
from moeliga.base.random_streams import Purpose, normals, seed_words, spawn
from moeliga.data.feature_space import Limits
from moeliga.parameters.variation import binomial_limits
from moeliga.results.front import hypervolume
from moeliga.results.rules import closeness

ADDRESSES = [(0, 0, 0, 0, 0), (6, 0, 3, 11, 2), (3, 2**40 + 7, 12, 2**32 - 1, draw.SAMPLE)]
STARTS = np.array([0, 9, 10, 47, 160], dtype=np.int32)
"""Of four classes, one of a single sample."""


def packed(seed, n, n_features, one_in=3):
    """Chromosomes."""
    return bits.pack(masks(seed, n, n_features, one_in).view(np.uint8))


def points(seed, n, n_objectives, steps):
    """Objectives, equal ones among them."""
    return whole(seed, (n, n_objectives), steps) / steps


# scores


def scored(n_threads):
    """Every score of answers with ties, of two classes and of four; of decision values, and of a target."""
    found = {}
    for n_classes in (2, 4):
        labels = whole(71, 60, n_classes).astype(np.int32)
        answers = whole(72, (60, n_classes), 7) + 1.0
        shares = answers / answers.sum(axis=1, keepdims=True)
        found |= {f"{name}, {n_classes} classes": scores.value(name, shares, labels)
                  for name, number in scores.NUMBERS.items() if number < scores.NUMBERS["r2"]}
        found[f"decisions, {n_classes} classes"] = scores.value("soft_uar", answers - 4.0, labels, decisions=True)
    target, predicted = whole(73, (2, 60), 1000) / 7
    return found | {name: scores.value(name, predicted[:, None], target=target)
                    for name, number in scores.NUMBERS.items() if number >= scores.NUMBERS["r2"]}


# draw


def numbers(n_threads):
    """The generator and what is made of its words."""
    return {f"{kind} {place}": door(KEY, address)
            for place, address in enumerate(ADDRESSES)
            for kind, door in {
                "words": partial(draw.words, n=70), "units": partial(draw.units, n=70),
                "below 7": partial(draw.integers, below=7, n=70),
                "below 2^63 + 1": partial(draw.integers, below=2**63 + 1, n=40)}.items()}


def samples(n_threads):
    """Splits and instances."""
    found = {}
    for place, address in enumerate(ADDRESSES):
        for n_validation in ([3, 0, 12, 34], [8, 0, 36, 1]):
            name = f"split {place}, {n_validation}"
            found[name] = draw.split(KEY, address, STARTS, np.array(n_validation, dtype=np.int32))
        for n, replace in ((48, True), (300, True), (48, False), (159, False)):
            found[f"instances {place}, {n}, {replace}"] = draw.instances(KEY, address, 160, n, replace)
    return found


def streams(n_threads):
    """Seeds, and the numbers of a normal distribution."""
    return {
        "seeds": np.array([seed_words(seed) for seed in (0, 1, 2**100 + 3)]),
        "spawned": np.array(spawn(5, 6), dtype=np.uint64),
        "normals": normals(KEY, Purpose.COUNT, 200),
        "counts": np.array([StaggeredInit(spread=spread).counts(40, 130, KEY) for spread in (0.0, 0.25, 3.0)]),
        "other shares": StaggeredInit((0.2, 0.7, 0.1), (0.5, 0.005, 1.0), 0.1).counts(30, 65, KEY),
    }


# bits


def chromosomes(n_threads):
    """Packing, counting, distances, and chromosomes over some of the features."""
    found = {}
    for n_features in (1, 63, 64, 65, 200):
        rows, features = packed(100, 12, n_features), np.arange(n_features, dtype=np.int32)
        found |= {
            f"bits {n_features}": rows, f"count {n_features}": bits.count(rows),
            f"hamming {n_features}": bits.hamming(rows), f"unpack {n_features}": bits.unpack(rows, n_features),
            f"lift {n_features}": bits.lift(rows, 3 * features + 1, 3 * n_features + 5),
            f"total {n_features}": bits.total(rows, features, whole(101, n_features, 1000) / 7)}
    return found


def groups(n_threads):
    """Chromosomes over groups of features."""
    start = np.array([0, 1, 4, 5, 70, 72, 90], dtype=np.int32)
    members = np.argsort(whole(102, 95, 10**9), kind="stable")[:90].astype(np.int32)
    forced = bits.pack((np.isin(np.arange(95), members, invert=True)[None]).view(np.uint8))[0]
    return {"expand": bits.expand(packed(103, 20, 6), np.arange(6, dtype=np.int32), start, members, forced, 95),
            "of a template": bits.expand(packed(104, 9, 3), np.array([1, 3, 5], dtype=np.int32), start, members, forced,
                                         95)}


# vary


def limits(n_features):
    """Every kind of limits."""
    weights = 1 + whole(110, n_features, 4).astype(np.int32)
    witness = np.zeros((1, n_features), dtype=np.uint8)
    witness[0, :2] = 1
    return {"none": None, "sizes": Limits(3, max(4, n_features // 8)),
            "weights": Limits(2, max(8, n_features // 4), weights, bits.pack(witness)[0])}


def creation(n_features, n_threads):
    """Initial chromosomes, and distinct ones."""
    found = {}
    counts = whole(111, 20, n_features // 2 + 1)
    for name, allowed in limits(n_features).items():
        found[f"create, {name}"] = vary.create(KEY, (1, 0, 0), counts, n_features, allowed)
        found[f"scatter, {name}"] = vary.scatter(KEY, (1, 5, 0), 20, n_features, allowed)
        rows = np.repeat(found[f"create, {name}"], 3, axis=0)
        found[f"distinct, {name}"], found[f"changed, {name}"] = vary.distinct(
            KEY, (5, 0, 2), rows, n_features, -(-n_features // 20), 100, allowed)
    return found


def selection(n_threads):
    """Draws by fitness, some of it 0."""
    fitness = whole(112, 37, 50) / 7
    return {f"{kind}, {size}": vary.select(KEY, (4, 0, 9), fitness, 200, kind, size)
            for kind, size in (("roulette", 1), ("tournament", 1), ("tournament", 3))}


def offspring(crossover, n_threads):
    """Children: of each selection, rates, numbers of flips and limits."""
    found = {}
    for n_features, kind, rate, setting in ((130, "roulette", 0.9, Variation()),
                                            (130, "tournament", 1.0, Variation(mutation_rate=8.0)),
                                            (20, "roulette", 0.5, Variation(mutation="chromosome"))):
        flips = setting.flip_limits(1, 9, n_features)
        for name, allowed in limits(n_features).items():
            found[f"{n_features}, {kind}, {rate}, {name}"] = vary.offspring(
                KEY, (3, 1, 4), packed(113, 15, n_features), 1 + whole(114, 15, 60) / 8, n_features, 31, kind, 3,
                crossover, rate, flips, allowed)
    return found


def steering(n_threads):
    """Additions that are drawn by weight: of one size and of several, some of them and all."""
    found = {}
    for n_features in (20, 64, 130):
        weights, sizes = 11.0 / (whole(117, n_features, 90) + 10), (1 + whole(118, n_features, 3)).astype(np.int32)
        for share in (0.5, 1.0):
            for name, given in (("one size", None), ("sizes", sizes)):
                found[f"{n_features}, {share}, {name}"] = vary.steer(
                    KEY, (9, 2, 4), packed(119, 15, n_features), packed(120, 15, n_features), weights, share, given)
    return found


def rates(n_threads):
    """How many bits are flipped, and objective II."""
    schedules = Variation(schedule="exponential"), Variation(schedule=(3.0, 0.7))
    return {
        "binomial 130": binomial_limits(130, 0.15 / 130), "binomial 20": binomial_limits(20, 0.5),
        "binomial 1": binomial_limits(1, 0.15), "binomial 2000": binomial_limits(2000, 0.01),
        "schedules": np.array([[setting.rate(g, 30) for g in range(31)] for setting in schedules]),
        "cardinality": np.array([Cardinality(*setting).values(np.arange(131), 130)
                                 for setting in ((0.5, 0.0), (20.0, -1.0), (None, 0.0), (3, 2.5))]),
    }


# niche


def ranks(n_threads):
    """Ranks, dominance, and the fitness of ranks."""
    found = {}
    for n_objectives, steps in ((1, 9), (2, 30), (3, 6), (4, 50)):
        these = points(120 + n_objectives, 60, n_objectives, steps)
        rank = dominance.rank(these)
        found |= {f"rank {n_objectives}": rank, f"fitness {n_objectives}": dominance.fitness(rank),
                  f"dominated {n_objectives}": dominance.dominated(these[:40], these[30:]), f"public {n_objectives}":
                  pareto_rank(these)}
    return found


def crowding(n_threads):
    """Fronts, distances in them, and fitness by both."""
    found = {}
    for name, objectives in (("few", points(143, 60, 3, 4)), ("many", points(144, 60, 2, 1000))):
        found[f"front, {name}"] = front = dominance.fronts(objectives)
        found[f"distance, {name}"] = distance = dominance.crowding(objectives, front)
        found[f"fitness, {name}"] = dominance.crowded_fitness(front, distance)
    return found


def distances(n_threads):
    """In both spaces, and the clusters that they make."""
    d2 = {"decision": niche.decision_distances(packed(130, 30, 70, 9), 70),
          "objective": niche.objective_distances(points(131, 30, 3, 12))}
    return {**{space: found.matrix() for space, found in d2.items()},
            **{f"clusters {space}, {sigma}": niche.clusters(d2[space], sigma)
               for space in d2 for sigma in (0.0025, 0.4, 0.7)}}


def sharing(mode, n_threads):
    """Shared and normalised fitness."""
    objectives = points(132, 40, 3, 7)
    subsets = masks(133, 40, 70, 9)
    subsets[20:] = subsets[:20]
    return {f"{space}, {sigma}, {alpha}, {rank}": shared_fitness(
        objectives, subsets, mode=mode, space=space, sigma=sigma, alpha=alpha, rank_normalisation=rank)
        for space, sigma, alpha, rank in (("decision", 0.0025, 1.0, "mean"), ("decision", 0.5, 0.3, "sum"),
                                          ("decision", 0.4, 2.0, "mean"), ("objective", 0.6, 1.7, "sum"),
                                          ("objective", 0.3, 1.0, "mean"))}


def fronts(n_threads):
    """What a front is measured by."""
    score, ratio = points(140, 50, 1, 90)[:, 0], points(141, 50, 1, 70)[:, 0]
    return {"r1": closeness(score, ratio), "hypervolume": hypervolume(score, ratio)}


CASES = {
    "scores: all": scored,
    "draw: numbers": numbers,
    "draw: samples": samples,
    "draw: streams": streams,
    "bits: chromosomes": chromosomes,
    "bits: groups": groups,
    **{f"vary: creation over {n}": partial(creation, n) for n in (20, 64, 130)},
    "vary: selection": selection,
    **{f"vary: {crossover}": partial(offspring, crossover) for crossover in vary.CROSSOVERS},
    "vary: steering": steering,
    "vary: rates": rates,
    "niche: ranks": ranks,
    "niche: crowding": crowding,
    "niche: distances": distances,
    **{f"niche: {mode}": partial(sharing, mode) for mode in niche.MODES},
    "front: measures": fronts,
}
