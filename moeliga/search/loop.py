"""The main loop of a search: generations, history, callbacks, limits; and its outcome, scored again at the end."""

from dataclasses import dataclass

import numpy as np

from moeliga._ext import vary
from moeliga.base.budget import Interrupted
from moeliga.base.random_streams import Purpose
from moeliga.base.text import say
from moeliga.base.warning_filters import warn
from moeliga.data.subsets import bits_of_keys, row_keys
from moeliga.evaluation.objectives import combine_judges_on_splits, means
from moeliga.results.front import build_front
from moeliga.search.evolution import MAIN
from moeliga.search.islands import Islands
from moeliga.search.population import make_distinct, rank_together
from moeliga.search.state import State


def initial_bits(init, population_size, space, given, seed, prior=None, banded=False):
    """Return the chromosomes of generation 0: ndarray of uint64, shape (population_size, n_words).

    `given`, of shape (n_given <= population_size, n_words), come first, the others are random, and all are distinct if
    that is possible. With `banded` the space is a band, and the number of features is drawn from its sizes.
    """
    limits, n_groups = space.limits(space.positions), space.n_groups
    band = None
    if banded:
        low, high = (size * n_groups // len(space.members) for size in (space.least, space.most))
        band = max(1, low), max(1, high)
    counts = init.counts(population_size, n_groups, seed, band)
    if not space.grouped:
        counts = np.clip(counts, space.least, space.most)
    bits = vary.create(seed, (Purpose.INITIALISE, MAIN, 0), counts, space.n_groups, limits)
    if prior is not None:
        bits = prior.steered(space.chromosomes(bits), np.zeros_like(bits), seed, (Purpose.PRIOR, MAIN, 0)).bits
    bits[: len(given)] = given
    chromosomes, _ = make_distinct(space.chromosomes(bits), seed, (Purpose.DISTINCT, MAIN, 0), limits)
    return chromosomes.bits


def run(search, bits, n_generations, n_rescore_splits, progress, callbacks, begin=lambda: None,
        keep=lambda progress: None, after_piece=lambda: None):
    """Run a search on from the generation in `progress`, and update it; return why it ended, see `Budget.reason`: str.

    `bits` are the initial chromosomes over all groups, island after island: uint64, shape (n_individuals, n_words), or
    those of the first islands alone. Each callback is called with the `State` of the generation in `progress`, if there
    is one, and of every further one; it stops the search by returning True. `begin` is called before each generation,
    ``keep(progress)`` after each that no limit or signal has cut short, and `after_piece` after each piece of
    generation 0. Interrupted is raised by a signal before two subsets are evaluated.
    """
    budget, islands = search.budget, Islands(search)

    def record(generation, populations, population, replaced, complete):
        progress.record_generation(search, generation, populations, population, replaced)
        if complete:
            keep(progress)
        call_callbacks()

    def call_callbacks():
        state = State(progress.generation, n_generations, progress.row, search, progress.population, progress)
        answers = [callback(state) for callback in callbacks]  # all are called, also after one that stops
        if any(isinstance(answer, bool | np.bool_) and answer for answer in answers):
            budget.reason = budget.reason or "callback"

    if progress.generation < 0:
        begin()
        populations = islands.start(bits, after_piece, min(2, n_rescore_splits))
        population = rank_together(populations)
        record(0, populations, population, [0] * search.n_islands, len(population) == search.n_individuals)
    else:
        search.sampler.advance(progress.generation)  # the result is scored on these if no generation is left
        if progress.generation <= n_generations:
            begin()
            call_callbacks()  # the search before may have ended between `keep` and these calls
    budget.timed = True
    while True:
        if budget.max_time is not None:
            budget.set_aside(rescoring_work(search, progress, n_rescore_splits))
        if budget.reason is None and progress.patience.exhausted:
            budget.reason = "patience"
        if budget.reason or progress.generation >= n_generations:
            break
        if not budget.allows(search.most_evaluations(search.n_individuals)):
            break
        generation = progress.generation + 1
        begin()
        try:
            search.sampler.advance(generation)
            populations, replaced, complete = islands.next_generation(progress.islands, generation, n_generations)
            population = rank_together(populations, budget.check)
        except Interrupted:
            break
        record(generation, populations, population, replaced, complete)
    if budget.urgent and not budget.abandoned and n_rescore_splits:
        say("\nmoeliga: stopped; scoring the front so far again (Ctrl-C aborts)")
    return budget.reason or "n_generations"


def rescoring_work(search, progress, n_rescore_splits):
    """Return the work of `outcome_of` after this generation, see `Objectives.work`: float."""
    if not n_rescore_splits:
        return 0.0
    bits = np.concatenate((bits_of_keys(index_by_key(front_sources(search, progress))), search.baselines))
    subsets = search.space.subsets(search.space.chromosomes(bits))
    return search.objectives.work(search.ground, subsets, n_rescore_splits, exhaustive=True)


def affordable_splits(search, progress, n_rescore_splits):
    """Return on how many of `n_rescore_splits` there is time to score the front again: int; 0 if two take too long."""
    budget, least = search.budget, min(2, n_rescore_splits)
    if budget.too_long(rescoring_work(search, progress, least)):
        return 0
    if search.objectives.n_fixed is not None:
        return n_rescore_splits
    share = budget.share(rescoring_work(search, progress, n_rescore_splits))
    return min(max(int(share * n_rescore_splits), least), n_rescore_splits)


def front_sources(search, progress):
    """Return (chromosomes, objectives) of the last front and the archive, and of the front of generation 0: list."""
    population, initial = progress.population, progress.initial
    final = [population.take(population.rank == 1)]
    if search.archive is not None:
        final.append(search.archive)
    return [(np.concatenate([part.bits for part in final]), np.concatenate([part.objectives for part in final])),
            (initial.bits, initial.objectives)]


def index_by_key(sources):
    """Number the distinct chromosomes of `front_sources`: dict from key, see `row_keys`, to int."""
    keys = dict.fromkeys(key for bits, _ in sources for key in row_keys(bits))
    return {key: place for place, key in enumerate(keys)}


@dataclass(frozen=True, eq=False)
class Members:
    """Subsets and their scores."""

    bits: np.ndarray  # uint64, shape (n, n_words), over all groups, distinct rows
    objectives: np.ndarray  # float64, shape (n, n_objectives), on the fresh splits
    search_objectives: np.ndarray  # float64, shape (n, n_objectives), in the search
    scores: np.ndarray  # float64, shape (n, n_splits), the score on each fresh split
    judged: np.ndarray  # float64, shape (n, n_judges), the mean score by each of several judges on the fresh splits


@dataclass(frozen=True, eq=False)
class Outcome:
    """The subsets that a search has found, all scored on the same fresh splits."""

    found: Members  # distinct subsets of the last front and the archive
    initial: Members  # subsets of the front of generation 0
    baselines: Members  # `Search.baselines`; none if a signal left no time for fresh splits
    n_rescore_splits: int  # number of fresh splits; 0 = the scores are those of the search


def outcome_of(search, progress, n_rescore_splits):
    """Return the subsets that a search has found, in the front of its last population and in the archive: `Outcome`.

    All are scored on the same `n_rescore_splits` fresh splits, objective III over every instance. If `max_time` or a
    signal leaves too little time, there are fewer splits, but at least two. With 0, without time for two, and after a
    signal that comes meanwhile they keep the scores of the search. Interrupted is raised if it has no result any more.
    """
    sources = front_sources(search, progress)
    places = index_by_key(sources)
    bits = np.concatenate((bits_of_keys(places), search.baselines))
    fresh, scores, judged = None, np.zeros((len(bits), 0)), np.zeros((len(bits), 0))
    n_rescore_splits = affordable_splits(search, progress, n_rescore_splits)
    if n_rescore_splits:
        try:
            fresh, scores, judged = rescore(search, bits, n_rescore_splits)
        except Interrupted:
            if search.budget.abandoned:
                raise
            n_rescore_splits = 0
    members = []
    for own, known in sources:
        rows, distinct = np.unique([places[key] for key in row_keys(own)], return_index=True)
        own, known = own[distinct], known[distinct]
        members.append(Members(own, known if fresh is None else fresh[rows], known, scores[rows], judged[rows]))
    bits, last = search.baselines, slice(len(places), None)
    if fresh is not None:
        known = fresh[last]
    elif search.budget.urgent or not len(bits):
        bits, last, known = bits[:0], slice(0), np.zeros((0, len(search.objectives.terms)))
    else:
        subsets = search.space.subsets(search.space.chromosomes(bits))
        known, _ = search.objectives.evaluate(search.ground, subsets, (Purpose.RESCORE, MAIN, 0), shared=True)
    return Outcome(*members, Members(bits, known, known, scores[last], judged[last]), n_rescore_splits)


def rescore(search, bits, n_splits):
    """Score chromosomes on the same fresh splits of all samples: (objectives, scores, judged), see `Members`."""
    subsets, address = search.space.subsets(search.space.chromosomes(bits)), (Purpose.RESCORE, MAIN, 0)
    separability = search.sampler.use_all_samples(search.objectives, subsets, address, search.budget)
    objectives, scores = search.objectives.evaluate(search.ground, subsets, address, n_splits=n_splits, shared=True,
                                                    exhaustive=True, separability=separability, budget=search.budget)
    n_judges, none = scores.shape[1], np.zeros((len(bits), 0))
    judged = means(scores) if n_judges > 1 else none
    return objectives, combine_judges_on_splits(scores, search.objectives.combine) if n_judges else none, judged


def tell_of_few(outcome, n_asked, budget):
    """Print or warn that there was no time to score the front again on all of `n_asked` splits."""
    n, few = outcome.n_rescore_splits, "leaves time to score the front again on"
    if not n and n_asked:
        kept = "the front keeps the scores of the search"
        if budget.stopped:
            say(f"moeliga: stopped; {kept}")
        else:
            warn(f"max_time leaves no time to score the front again: {kept}, which are too high for new samples")
    elif n < n_asked and budget.stopped:
        say(f"moeliga: the signal {few} {n} of n_rescore_splits={n_asked} splits")
    elif n < n_asked:
        warn(f"max_time {few} {n} of n_rescore_splits={n_asked} splits")


def fronts_of(search, outcome, feature_names):
    """Return the fronts of the subsets that a search has found, and of those of generation 0: two ParetoFronts."""
    return [build_front(search.space.expanded(search.space.chromosomes(members.bits)), members.objectives,
                        members.search_objectives, members.scores, search.objectives, feature_names,
                        outcome.n_rescore_splits, judged=members.judged)
            for members in (outcome.found, outcome.initial)]
