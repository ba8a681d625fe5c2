"""The main loop: generations of the main population, local improvement, history, stopping."""

import sys
from dataclasses import dataclass

import numpy as np

from moeliga._ext import vary
from moeliga.base.budget import Interrupted
from moeliga.base.random_streams import Purpose
from moeliga.data.subsets import row_keys, rows_of
from moeliga.results.front import build_front
from moeliga.search.evolution import MAIN
from moeliga.search.islands import Islands
from moeliga.search.population import make_distinct
from moeliga.search.state import State


def initial_bits(init, population_size, space, given, seed, prior=None, banded=False):
    """Chromosomes of generation 0: given ones, then random ones, all distinct where possible.

    Parameters
    ----------
    init : StaggeredInit or LogUniformInit
    population_size : int
    space : Space
    given : ndarray of uint64, shape (n_given, n_words), n_given <= population_size
        Chromosomes that take the first places.
    seed : ndarray of uint64, shape (2,)
    prior : Prior or None
    banded : bool
        `space` is a band, whose sizes all subsets have.
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
        keep=lambda progress: None):
    """Search from the initial chromosomes, or from where a search has come to.

    Parameters
    ----------
    search : Search
    bits : ndarray of uint64, shape (n_islands * population_size, n_words), over all groups
        Island after island.
    n_generations, n_rescore_splits : int
    progress : Progress
        At the start, or of an earlier search; it goes along.
    callbacks : list of callables
        Each gets a `State` after every generation and stops the search by returning True.
    begin : callable
        Called without arguments before each generation.
    keep : callable
        Called with `progress` after each complete generation: one that no limit or interrupt has cut short.

    Returns
    -------
    reason : str
        Why the search ended: "n_generations", or see `Budget.reason`.

    Raises
    ------
    Interrupted : by a signal, before the initial population was evaluated.
    """
    budget, islands = search.budget, Islands(search)

    def arrive(generation, populations, replaced, complete):
        row = progress.arrive(search, generation, populations, replaced)
        if complete:
            keep(progress)
        state = State(generation, n_generations, row, search, progress.population, progress)
        answers = [callback(state) for callback in callbacks]  # all are asked, also after one has said stop
        if any(isinstance(answer, bool | np.bool_) and answer for answer in answers):
            budget.reason = budget.reason or "callback"

    if progress.generation < 0:
        begin()
        populations = islands.start(bits)
        arrive(0, populations, [0] * search.n_islands, sum(map(len, populations)) == len(bits))
    budget.timed = True
    while True:
        if budget.max_time is not None:
            budget.set_aside(rescoring(search, progress, n_rescore_splits))
        if budget.reason is None and progress.waiting.exhausted:
            budget.reason = "patience"
        if budget.reason or progress.generation >= n_generations:
            break
        if not budget.allows(search.most_evaluations(len(bits))):  # of all islands
            break
        generation = progress.generation + 1
        begin()
        try:
            search.sampler.advance(generation)
            following = islands.follow(progress.islands, progress.paces, generation, n_generations)
        except Interrupted:
            break
        arrive(generation, *following)
    if budget.urgent and not budget.abandoned and n_rescore_splits:
        print("\nmoeliga: stopped; scoring the front so far again (Ctrl-C aborts)", file=sys.stderr, flush=True)
    return budget.reason or "n_generations"


def rescoring(search, progress, n_rescore_splits):
    """Work of `final_fronts` after this generation: float."""
    if not n_rescore_splits:
        return 0.0
    bits = np.concatenate((rows_of(places_of(sources_of(search, progress))), search.baselines))
    subsets = search.space.subsets(search.space.chromosomes(bits))
    return search.objectives.work(search.ground, subsets, n_rescore_splits, exhaustive=True)


def affordable(search, progress, n_rescore_splits):
    """Splits to score the front again on: as many as were asked for, or as time is left for, but not less than two."""
    if search.objectives.fixed_splits:
        return n_rescore_splits
    share = search.budget.share(rescoring(search, progress, n_rescore_splits))
    return min(max(int(share * n_rescore_splits), 2), n_rescore_splits)


def sources_of(search, progress):
    """Chromosomes and objectives that the front is taken from, and those of the front of generation 0."""
    population, initial = progress.population, progress.initial
    last = population.take(population.rank == 1)
    final = [(last.bits, last.objectives)]
    if search.archive is not None:
        final.append((search.archive.bits, search.archive.objectives))
    return [(np.concatenate([bits for bits, _ in parts]), np.concatenate([known for _, known in parts]))
            for parts in (final, [(initial.bits, initial.objectives)])]


def places_of(sources):
    """Return the places of the distinct chromosomes of `sources_of`: dict from key to int."""
    keys = dict.fromkeys(key for bits, _ in sources for key in row_keys(bits))
    return {key: place for place, key in enumerate(keys)}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a search has found, scored on the same fresh splits.

    Attributes
    ----------
    found, initial, baselines : Members
        Distinct subsets of the last front and the archive, those of the front of generation 0, and the search's
        baselines, none of them without fresh splits.
    n_rescore_splits : int
        Fresh splits of the scores; 0 = they are the search's own.
    """

    found: "Members"
    initial: "Members"
    baselines: "Members"
    n_rescore_splits: int


@dataclass(frozen=True, eq=False)
class Members:
    """Subsets and what is known of them.

    Attributes
    ----------
    bits : ndarray of uint64, shape (n, n_words), over all groups, distinct rows
    objectives, search_objectives : ndarray of float64, shape (n, n_objectives)
        On the fresh splits, and in the search.
    scores : ndarray of float64, shape (n, n_splits), the classification score on each fresh split
    """

    bits: np.ndarray
    objectives: np.ndarray
    search_objectives: np.ndarray
    scores: np.ndarray


def outcome_of(search, progress, n_rescore_splits):
    """Return what a search has found: `Outcome`.

    Parameters
    ----------
    search : Search
    progress : Progress
        The front of its last population is joined with the archive.
    n_rescore_splits : int >= 0
        Fresh splits, the same for all members; 0 keeps the values of the search. Objective III is then taken over
        every instance. Fewer splits, but not less than two, where `max_time` does not leave time for so many.

    Raises
    ------
    Interrupted : by a signal after which the search has no result.

    Notes
    -----
    A signal that comes now leaves the values of the search as they are.
    """
    sources = sources_of(search, progress)
    places, fresh, scores, space = places_of(sources), None, None, search.space
    bits = np.concatenate((rows_of(places), search.baselines))
    if n_rescore_splits:
        asked, n_rescore_splits = n_rescore_splits, affordable(search, progress, n_rescore_splits)
        if n_rescore_splits < asked:
            print(f"moeliga: max_time leaves time to score the front again on {n_rescore_splits} of "
                  f"n_rescore_splits={asked} splits", file=sys.stderr, flush=True)
        what = space.subsets(space.chromosomes(bits)), (Purpose.RESCORE, MAIN, 0)
        try:
            near = search.sampler.take_all(search.objectives, *what, search.budget)
            fresh, scores = search.objectives.evaluate(
                search.ground, *what, n_splits=n_rescore_splits, shared=True, exhaustive=True, near=near,
                budget=search.budget)
        except Interrupted:
            if search.budget.abandoned:
                raise
            n_rescore_splits = 0
            print("moeliga: stopped; the front keeps the scores of the search", file=sys.stderr, flush=True)
    members = []
    for own, known in sources:
        where, once = np.unique([places[key] for key in row_keys(own)], return_index=True)
        own, known = own[once], known[once]
        members.append(Members(own, known if fresh is None else fresh[where], known,
                               np.zeros((len(own), 0)) if scores is None else scores[where]))
    bits, empty = search.baselines, np.zeros((0, len(search.objectives.terms)))
    if fresh is not None:
        baselines = Members(bits, fresh[len(places):], fresh[len(places):], scores[len(places):])
    elif search.budget.urgent or not len(bits):
        baselines = Members(bits[:0], empty, empty, np.zeros((0, 0)))
    else:
        what = space.subsets(space.chromosomes(bits)), (Purpose.RESCORE, MAIN, 0)
        known, _ = search.objectives.evaluate(search.ground, *what, shared=True)
        baselines = Members(bits, known, known, np.zeros((len(bits), 0)))
    return Outcome(*members, baselines, n_rescore_splits)


def final_fronts(search, progress, n_rescore_splits, feature_names):
    """Return the result and where it came from, both non-dominated: two ParetoFronts; see `outcome_of`."""
    return fronts_of(search, outcome_of(search, progress, n_rescore_splits), feature_names)


def fronts_of(search, outcome, feature_names):
    """Return the non-dominated subsets that a search has found, and of generation 0: two ParetoFronts."""
    return [build_front(search.space.expanded(search.space.chromosomes(members.bits)), members.objectives,
                        members.search_objectives, members.scores, search.objectives, feature_names,
                        outcome.n_rescore_splits) for members in (outcome.found, outcome.initial)]
