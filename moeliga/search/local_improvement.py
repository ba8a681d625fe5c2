"""Evolutionary local improvement: subordinate populations inside the features of the best individuals.

Paper, Algorithm 1, lines 9 to 14, and Fig. moeliga.
"""

from dataclasses import replace

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga._ext import vary
from moeliga.base.random_streams import Purpose
from moeliga.data.subsets import Subsets, bits_of
from moeliga.distributed.replay import packed, replay, unpacked
from moeliga.search.evolution import evaluate, evaluate_rows, evolve, fittest, rate_and_archive, set_objectives, start
from moeliga.search.population import Population, join, make_distinct


def improvement_due(search, generation):
    """Return True if local improvement follows this generation of the main populations."""
    return search.local_improvement is not None and generation % search.local_improvement.every == 0


def improve(search, population, generation):
    """Improve a rated main population once: (Population, rated, number of individuals from subordinate populations).

    A subordinate population has a number by generation and place of its template. If the budget runs out before the
    last one is explored, the given population is returned.
    """
    setting = search.local_improvement
    parents, jobs, subordinates = [], [], []
    for place, template in enumerate(templates(search, population, setting.n_populations)):
        selected = bits_room.unpack(population.bits[template : template + 1], search.space.n_groups)[0]
        positions = population.chromosomes.positions[selected]
        if len(positions) >= 2:
            parents.append(template)
            jobs.append((positions, 1 + generation * setting.n_populations + place))
    for template, (_, number), subordinate in zip(parents, jobs, explore_all(search, jobs), strict=True):
        if subordinate is None:
            return population, 0
        subordinates.append((number, template, subordinate))
    if setting.replacement == "parent":
        improved, n_replaced = replace_parents(search, population, subordinates)
    else:
        improved, n_replaced = replace_from_union(search, population, [part for *_, part in subordinates], generation)
    if n_replaced == 0:
        return population, 0
    improved.chromosomes, changed = make_distinct(improved.chromosomes, search.seed,
                                                  (Purpose.DISTINCT_AFTER, 0, generation),
                                                  search.space.limits(search.space.positions))
    rows = np.flatnonzero(changed)
    if len(rows):
        if not search.budget.allows(len(rows)):
            return population, 0
        improved.n_scored[rows] = 0
        evaluate_rows(search, improved, rows, (Purpose.EVALUATE_AFTER, 0, generation))
    return rate_and_archive(search, improved), n_replaced


def templates(search, population, n):
    """Return the indices of the `n` fittest distinct individuals: list of int."""
    order = fittest(search, population, len(population))
    return order[bits_room.same_as(population.bits[order]) == np.arange(len(order))][:n].tolist()


def explore_all(search, jobs):
    """Yield the subordinate populations for jobs (positions, number), see `explore`, explored here or by workers.

    Workers explore all at the same time. Their calls of budget and archive are replayed here, one population after the
    other: the budget ends them where it would without workers.
    """
    setting, objectives = search.local_improvement, search.objectives
    n_features = setting.population_size * sum(len(positions) for positions, _ in jobs) / 2
    found = None
    n_subsets = setting.population_size * len(jobs)
    if objectives.worth_sending(search.ground, n_features, n_subsets, 1 + setting.n_generations):
        light = packed(search)
        sent = [(light, search.archive is not None, *job) for job in jobs]
        found = objectives.remote.call_workers(search.ground, explore_on_worker, lambda n_workers: sent, search.budget)
    if found is None:
        yield from (explore(search, *job) for job in jobs)
    else:
        yield from (subordinate if replay(entries, search) else None for subordinate, entries in found)


def explore_on_worker(worker_state, search, archived, positions, number):
    """Return the population of `explore` on a worker, and the entries of its `CallLog`."""
    with unpacked(search, worker_state, archived) as (search, log):
        return explore(search, positions, number), log.entries


def explore(search, positions, number):
    """Return the subordinate population of a template: evolved, or all subsets if these are few enough.

    Its short chromosomes are over the template's groups, at `positions`. Individual 0 is the template itself, the
    others begin with each group with probability 1/2. None if the budget does not allow it.
    """
    search = replace(search, space=search.whole)  # subsets may be smaller than the band of the template allows
    setting, space, k = search.local_improvement, search.space, len(positions)
    limits = space.limits(positions)
    if k < 63 and 2**k - 1 <= setting.population_size:
        every = Subsets(np.arange(2**k, dtype=np.uint64)[:, None], positions)
        every = every[space.allows(every)]
        if not search.budget.allows(len(every)):
            return None
        return start(search, every, number, shared=True)
    bits = vary.scatter(search.seed, (Purpose.INITIALISE, number, 0), setting.population_size, k, limits)
    bits[0] = bits_of(np.ones((1, k), dtype=bool))[0]
    chromosomes, _ = make_distinct(Subsets(bits, positions), search.seed, (Purpose.DISTINCT, number, 0), limits)
    return evolve(search, chromosomes, number, setting.n_generations, setting.patience)


def replace_parents(search, population, subordinates):
    """Return a population after parent replacement (PR), and the number of replacements: (Population, int).

    Of each subordinate population the fittest individual in the band of the template replaces the template if its
    score or its number of features is better on the same fresh splits, and the other one is not worse. Nothing is
    replaced if the budget does not allow all comparisons.
    """
    improved, n_replaced = population.take(np.arange(len(population))), 0
    primary = search.objectives.primary
    for number, template, subordinate in subordinates:
        parent = population.bits[template : template + 1]
        order = fittest(search, subordinate, len(subordinate))
        order = order[search.space.allows(subordinate.chromosomes[order])]  # some may be below the band
        heir = subordinate.chromosomes[order[:1]].lifted(search.space.n_groups)
        if not len(heir) or np.array_equal(heir, parent):
            continue
        if not search.budget.allows(2):
            return population, 0
        rivals = search.space.chromosomes(np.concatenate((parent, heir)))
        objectives = evaluate(search, rivals, (Purpose.PAIR, number, 0), shared=True)
        (old, new), (size, smaller) = objectives[:, primary], search.space.sizes(rivals)
        if new >= old and smaller <= size and (new > old or smaller < size):
            improved.bits[template] = heir[0]
            improved.n_scored[template] = 0
            set_objectives(search, improved, np.array([template]), objectives[1:])
            n_replaced += 1
    return improved, n_replaced


def replace_from_union(search, population, subordinates, generation):
    """Return the best of the union of all populations (CR), or individuals drawn from it by f'' (SR).

    It is a pair: Population, unrated, and its number of individuals from subordinate populations.
    """
    parts = [population]
    for part in subordinates:
        part = part.take(search.space.allows(part.chromosomes))
        bits = part.chromosomes.lifted(search.space.n_groups)
        parts.append(Population(search.space.chromosomes(bits), part.objectives, part.n_scored))
    union = search.rate(join(parts))
    if search.local_improvement.replacement == "complete":
        index = union.best(len(population))
    else:
        index = vary.select(search.seed, (Purpose.REPLACE, 0, generation), union.fitness, len(population),
                            *search.selection)
    return union.take(index), int(np.count_nonzero(index >= len(population)))
