"""Islands: main populations that evolve side by side, each in its band of sizes, with migrations at intervals.

Each island has its own random numbers and subordinate populations; data, budget and archive are common to all. So
between two migrations an island can be evolved anywhere: here, one after the other, or each by a remote worker, as a
single task of many generations.
"""

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga.base.budget import Interrupted
from moeliga.base.cached_property import cached_property
from moeliga.base.random_streams import Purpose, island_seed
from moeliga.distributed.dispatcher import MOST_GENERATIONS
from moeliga.distributed.replay import packed, replay, unpacked
from moeliga.search.evolution import MAIN, advance, evaluate_rows, fittest, rate_and_archive
from moeliga.search.local_improvement import improve, improvement_due
from moeliga.search.population import Population, join, unevaluated

MIN_SUBSETS, PIECE_SECONDS = 2, 1.0
"""Subsets of generation 0 that are evaluated whatever `max_time` is; and seconds left for further ones in any case.
With `max_time` or an estimator of scikit-learn a piece of generation 0 takes about as long."""

PER_MIGRANT = 10
"""Individuals for each migrant: an island of n individuals gets at most max(1, n // PER_MIGRANT) of them."""


class InitialIsland:
    """An island whose generation 0 is being evaluated; `bits` are its chromosomes over all groups."""

    def __init__(self, search, bits):
        self.search = search
        self.population = unevaluated(search.space.chromosomes(bits), len(search.objectives.terms))
        self.n_evaluated = 0  # the first individuals, those that are evaluated

    def evaluate_next(self, n):
        """Evaluate the next `n` individuals, or all that are left; return their number; Interrupted if time is over."""
        rows = np.arange(self.n_evaluated, min(self.n_evaluated + n, len(self.population)))
        self.search.budget.check()
        evaluate_rows(self.search, self.population, rows, (Purpose.EVALUATE, MAIN, 0))
        self.n_evaluated += len(rows)
        return len(rows)

    def rescoring_work(self, n_splits):
        """Return the work of scoring the evaluated individuals again, see `Objectives.work`: float."""
        known, search = self.population.chromosomes[np.arange(self.n_evaluated)], self.search
        return search.objectives.work(search.ground, search.space.subsets(known), n_splits, exhaustive=True)

    def finish(self):
        """Return the evaluated individuals: Population, rated."""
        return rate_and_archive(self.search, self.population.take(np.arange(self.n_evaluated)), final=True)


@dataclass(frozen=True, eq=False)
class Step:
    """A generation of an island, as a remote worker has computed it."""

    advanced: Population  # before local improvement
    calls: list  # entries of `CallLog` that led to `advanced`
    improved: Population  # after local improvement; `advanced` if it was not due
    n_replaced: int  # individuals that come from subordinate populations
    improvement_calls: list  # entries of `CallLog` of the local improvement

    def advance(self, search):
        """Replay the calls, and return the generation before local improvement; Interrupted if the budget ends it."""
        if not replay(self.calls, search):
            raise Interrupted
        return self.advanced

    def improve(self, search):
        """Replay the calls of local improvement, and return (population, n_replaced) as `improve_if_due` does."""
        return (self.improved, self.n_replaced) if replay(self.improvement_calls, search) else (self.advanced, 0)


class Islands:
    """Evolves the islands of a search, one or several, generation by generation.

    The searches of the islands differ in the seed and the band alone.
    """

    def __init__(self, search):
        self.search = search
        self.remote_steps = []  # next generations that workers have computed: for each the `Step` of every island, list
        self.seconds = 0.0  # seconds of a generation of all islands on workers, the largest mean of a call

    @cached_property
    def searches(self):
        """The search of each island: list of Search."""
        return [self.search_of(number) for number in range(self.search.n_islands)]

    def search_of(self, number):
        """Return the search of an island: Search."""
        search = self.search
        return replace(search, space=search.bands[number],
                       objectives=replace(search.objectives, seed=island_seed(search.seed, number)))

    def start(self, bits, after_piece=lambda: None, n_rescore_splits=0):
        """Return generation 0, given the chromosomes of all islands, island after island: list of Population, rated.

        Islands are evaluated in turns, piece by piece, each followed by a call of `after_piece`. Beyond the first
        `MIN_SUBSETS`, subsets for which `max_time` or a signal leaves no time are left out; at most half of the time is
        reserved for scoring the others again on `n_rescore_splits` splits. Interrupted is raised by a signal before
        `MIN_SUBSETS` are evaluated.
        """
        search, size, budget = self.search, self.search.population_size, self.search.budget
        n_evaluated, started = 0, []
        in_pieces = search.objectives.scorer is not None or budget.max_time is not None
        at_once = at_least = max(MIN_SUBSETS, search.objectives.n_parallel) if in_pieces else size
        budget.extend(PIECE_SECONDS)
        unfinished = range(len(bits) // size)  # `bits` may be of the first islands alone
        try:
            while unfinished:
                for number in unfinished:
                    if number == len(started):  # begun in turn: time may end before most of thousands
                        started.append(InitialIsland(self.search_of(number), bits[number * size : (number + 1) * size]))
                    budget.timed = n_evaluated >= MIN_SUBSETS
                    begun, n = time.monotonic(), started[number].evaluate_next(at_once)
                    n_evaluated += n
                    after_piece()
                if n_rescore_splits and budget.max_time is not None and budget.reserve >= 0:
                    budget.set_aside(sum(start.rescoring_work(n_rescore_splits) for start in started))
                seconds = (time.monotonic() - begun) / n  # for a subset of the last island, the largest ones
                at_once = max(at_least, int(min(2 * at_once, PIECE_SECONDS / max(seconds, 1e-9))))
                unfinished = [number for number in unfinished if started[number].n_evaluated < size]
        except Interrupted:
            if budget.abandoned or n_evaluated < MIN_SUBSETS:
                raise
        if len(bits) < search.n_individuals:
            budget.reason = budget.reason or "max_time"
        return [start.finish() for start in started if start.n_evaluated]

    def next_generation(self, populations, generation, n_generations):
        """Return the next generation of all islands, given the one before: (populations, replaced, complete).

        These are a list of Population, rated; for each the number of individuals from subordinate populations; and
        False if the budget has run out in a local improvement. If it runs out before that, Interrupted is raised.
        """
        if not self.remote_steps:
            if generation > 1 and (generation - 1) % self.search.migration_interval == 0:
                populations = self.migrate(populations)
            self.remote_steps = self.evolve_remotely(populations, generation, n_generations)
        if self.remote_steps:
            steps = self.remote_steps.pop(0)
            advanced = [step.advance(self.search) for step in steps]
            found = [step.improve(self.search) for step in steps]
        else:
            advanced = [advance_island(search, population, generation, n_generations)
                        for search, population in zip(self.searches, populations, strict=True)]
            found = [improve_if_due(search, population, generation)
                     for search, population in zip(self.searches, advanced, strict=True)]
        complete = not improvement_due(self.search, generation) or self.search.budget.reason is None
        return [population for population, _ in found], [n_replaced for _, n_replaced in found], complete

    def evolve_remotely(self, populations, generation, n_generations):
        """Let workers evolve an island each up to the next migration; return these generations, see `remote_steps`.

        The list is empty if the transfer would outweigh that, or if there are no workers.
        """
        interval, begun = self.search.migration_interval, time.monotonic()
        end = min(-(-generation // interval) * interval, n_generations)  # the last one before a migration
        if len(self.searches) == 1 or self.search.sampler.partial:  # partial: each generation has its own samples
            return []
        if not self.worth_sending(populations, end - generation + 1):
            return []
        generations = range(generation, generation + self.affordable_generations(end - generation + 1))
        archived = self.search.archive is not None
        sent = [(packed(search), archived, population, generations, n_generations)
                for search, population in zip(self.searches, populations, strict=True)]
        remote, ground = self.search.objectives.remote, self.search.ground
        found = remote.call_workers(ground, evolve_on_worker, lambda n_workers: sent[::-1],  # large ones first
                                    self.search.budget)
        if found is None:
            return []
        self.seconds = max(self.seconds, (time.monotonic() - begun) / len(generations))
        return [list(steps) for steps in zip(*found[::-1], strict=True)]

    def migrate(self, populations):
        """Return the islands after a migration: list of Population, rated."""
        if not self.search.banded:
            return migrate_along_ring(self.search, populations)
        if self.search.archive is None:
            return populations
        return [migrate_from_archive(search, population)
                for search, population in zip(self.searches, populations, strict=True)]

    def affordable_generations(self, n_generations):
        """Return the number of generations to send at a time, of `n_generations`: int, 1 to `MOST_GENERATIONS`.

        As many as `max_time` leaves time for; one if there is this limit and the time of a generation is not known yet.
        """
        left, most = self.search.budget.seconds_left, min(n_generations, MOST_GENERATIONS)
        if left == math.inf:
            return most
        return max(1, min(most, int(left / self.seconds))) if self.seconds else 1

    def worth_sending(self, populations, n_generations):
        """Return True if workers should evolve the islands for `n_generations`, by a rough count; see `Objectives`."""
        search, setting, n = self.search, self.search.local_improvement, len(populations)
        n_features = sum(int(search.space.sizes(part.chromosomes).sum()) for part in populations) / n
        if setting is not None:  # subsets of a subordinate population have half of the features of its template
            below = setting.n_populations * setting.population_size * (1 + setting.n_generations) / 2
            n_generations *= 1 + below / setting.every / len(populations[0])
        more = search.most_evaluations(1)
        return search.objectives.worth_sending(search.ground, more * n_features, more * len(populations[0]),
                                               n * n_generations, n)


def evolve_on_worker(worker_state, search, archived, population, generations, n_generations):
    """Evolve an island, on a worker, through `generations`: list of `Step`."""
    steps = []
    with unpacked(search, worker_state, archived) as (search, log):
        for generation in generations:
            advanced = advance_island(search, population, generation, n_generations)
            calls = log.drain()
            population, n_replaced = improve_if_due(search, advanced, generation)
            steps.append(Step(advanced, calls, population, n_replaced, log.drain()))
    return steps


def advance_island(search, population, generation, n_generations):
    """Return the next generation of an island, before local improvement.

    Interrupted is raised if the budget does not allow it: the time may be over since it allowed all islands.
    """
    if not search.budget.allows(search.most_evaluations(len(population))):
        raise Interrupted
    return advance(search, population, MAIN, generation, n_generations)


def improve_if_due(search, population, generation):
    """Return (population, n_replaced), after local improvement if it is due and the budget allows it."""
    n_replaced = 0
    if improvement_due(search, generation) and search.budget.allows(0):
        with suppress(Interrupted):  # an unfinished improvement is dropped, the generation stays
            population, n_replaced = improve(search, population, generation)
    return population, n_replaced


def migrate_from_archive(search, population):
    """Return an island after a migration from the archive: Population, rated.

    The fittest individuals of the archive in its band that it does not hold yet, found by other islands or by
    subordinate populations of larger bands, replace its worst, see `PER_MIGRANT`.
    """
    archive, n = search.archive, len(population)
    rows = np.flatnonzero(search.space.allows(search.space.chromosomes(archive.bits)))
    rows = rows[bits_room.same_as(np.concatenate((population.bits, archive.bits[rows])))[n:] >= n]
    if not len(rows):
        return population
    arriving = search.rate(Population(search.space.chromosomes(archive.bits[rows]), archive.objectives[rows],
                                      np.ones(len(rows), dtype=np.int64)))
    fittest_first = fittest(search, arriving, max(1, len(population) // PER_MIGRANT))
    return replace_worst(search, population, arriving.take(fittest_first))


def replace_worst(search, population, immigrants):
    """Return a population, rated, after immigrants have replaced its worst, by rank, then f'', then index."""
    stay = np.sort(population.best(len(population) - len(immigrants)))
    return search.rate(join([population.take(stay), immigrants]))


def migrate_along_ring(search, populations):
    """Return the islands after a migration along a ring: list of Population, rated.

    The fittest of each island's front that the next one does not hold yet replace the worst there, see `PER_MIGRANT`.
    All migrants are chosen before the first one arrives. They keep their objectives, and the number of evaluations of
    which these are the mean.
    """
    arrived = []
    for place, population in enumerate(populations):
        source, n = populations[place - 1], len(population)
        front = fittest(search, source, np.count_nonzero(source.rank == 1))
        bits = np.concatenate((population.bits, source.bits[front]))
        new = front[bits_room.same_as(bits)[n:] == np.arange(n, len(bits))]
        arrived.append(replace_worst(search, population, source.take(new[: max(1, n // PER_MIGRANT)])))
    return arrived
