"""How long a search will take: planned evaluations, and a measurement of a few of them."""

import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga._ext import bits as bits_room
from moeliga.base.random_streams import Purpose
from moeliga.base.text import duration, preformatted
from moeliga.base.typing import Stream

ENOUGH_SECONDS = 0.25
"""A measurement of this length is not repeated with more subsets."""

LONG_SECONDS = 10.0
"""Searches that take as long are announced."""

FRONT_SHARE = 0.5
"""The fronts that are scored again, first and last, are taken to have half as many members as the population."""


@dataclass(frozen=True)
class TimeEstimate:
    """Estimate of the time that a fit will take, and what it rests on.

    Attributes
    ----------
    seconds : float
        Also float(estimate).
    n_evaluations : int
        Planned evaluations of the search.
    n_measured : int
        Subsets whose evaluation was measured.
    seconds_measured : float
    """

    seconds: float
    n_evaluations: int
    n_measured: int
    seconds_measured: float

    def __float__(self) -> float:
        return self.seconds

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def __str__(self) -> str:
        return (f"about {duration(self.seconds)} for {self.n_evaluations:,} evaluations, "
                f"by {self.n_measured} that took {self.seconds_measured:.2g} s")


def planned_main(search: Any, population_size: int, generation: int) -> int:
    """Evaluations of the main populations, each of so many individuals, up to a generation: int.

    Copies that are changed come on top where survivors keep their values.
    """
    return search.n_islands * (population_size + generation * planned_generation(search, population_size))


def n_subordinates(search: Any, generation: int) -> int:
    """Subordinate populations up to a generation, if their number stays: int."""
    setting = search.local_improvement
    return 0 if setting is None else search.n_islands * (generation // setting.every * setting.n_populations)


def planned_subordinate(search: Any, bits: NDArray[np.uint64]) -> int:
    """Evaluations of a subordinate population over a template of the mean size of some chromosomes: int.

    Small templates are enumerated. Patience saves some, a comparison with the template may come on top.
    """
    setting, n_positions = search.local_improvement, int(round(bits_room.count(bits).mean()))
    if setting is None or n_positions < 2:
        return 0
    if n_positions < 63 and 2**n_positions - 1 <= setting.population_size:
        return 2**n_positions - 1
    return setting.population_size + setting.n_generations * planned_generation(search, setting.population_size)


def planned_generation(search: Any, population_size: int) -> int:
    """Evaluations of a generation: int."""
    moga = search.moga
    n_kept = moga.n_elite + moga.generation_gap if moga is not None and search.reevaluate == "none" else 0
    return search.most_evaluations(population_size) - n_kept


def tell(estimated: TimeEstimate, stream: Stream | None = None) -> None:
    """Print an estimate if it is long; `stream` None = standard error."""
    if estimated.seconds >= LONG_SECONDS:
        print(f"moeliga: {estimated}", file=stream or sys.stderr, flush=True)


def estimate(search: Any, bits: NDArray[np.uint64], n_generations: int, n_rescore_splits: int) -> TimeEstimate:
    """Estimate the time of a search from the evaluation of some of its initial subsets.

    Neither the search nor what it will find is changed: evaluations have no memory. `bits` are the initial chromosomes
    over all groups, of shape (n_islands * population_size, n_words).

    The time of one evaluation is a straight line over the number of features, through the means of the smaller and of
    the larger half of the initial subsets. Subsets of the main population and templates are taken to keep the mean
    size of the initial ones, subsets of a subordinate population to have half of it, and scores of the front on
    all of the data to take longer than those on a subsample in proportion.
    Costs about a second, or a few evaluations if they take longer.
    """
    objectives, budget = search.objectives, search.budget
    sizes = search.space.sizes(search.space.chromosomes(bits))
    order = np.argsort(sizes, kind="stable")
    evaluate(search, bits, order[: objectives.n_parallel])  # starts threads or workers, and is not counted
    points, n_measured, seconds_measured = [], 0, 0.0
    for half in np.array_split(order, 2):
        n = min(objectives.n_parallel, len(half))
        while True:
            rows = half[np.linspace(0, len(half) - 1, n).round().astype(int)]
            seconds = evaluate(search, bits, rows)
            n_measured, seconds_measured = n_measured + n, seconds_measured + seconds
            if seconds >= ENOUGH_SECONDS or n == len(half):
                break
            n = min(2 * n, len(half))
        points.append((sizes[rows].mean(), seconds / n))
    (small, quick), (large, slow) = points
    slope = max(0.0, (slow - quick) / (large - small)) if large > small else 0.0
    size = sizes.mean()
    level = max(0.0, (quick + slow) / 2 - slope * (small + large) / 2)
    main = planned_main(search, len(bits) // search.n_islands, n_generations)
    local = n_subordinates(search, n_generations) * planned_subordinate(search, bits)
    seconds = main * (level + slope * size) + local * (level + slope * size / 2)
    n_evaluations = main + local
    if budget.max_evaluations is not None and budget.max_evaluations < n_evaluations:
        seconds *= budget.max_evaluations / n_evaluations
        n_evaluations = budget.max_evaluations
    after = FRONT_SHARE * len(bits) * objectives.passes(n_rescore_splits) * (level + slope * size)
    after *= objectives.n_samples / search.ground.n_samples
    seconds += after
    if budget.max_time is not None:
        seconds = min(seconds, max(budget.max_time, budget.max_time / 2 + after))
    return TimeEstimate(float(seconds), int(n_evaluations), n_measured, float(seconds_measured))


def evaluate(search: Any, bits: NDArray[np.uint64], rows: NDArray[np.intp]) -> float:
    """Seconds that the evaluation of some rows takes, as at the start of the search."""
    begun = time.perf_counter()
    subsets = search.space.subsets(search.space.chromosomes(bits[rows]))
    search.objectives.evaluate(search.ground, subsets, (Purpose.EVALUATE, 0, 0), rows.astype(np.int32),
                               budget=search.budget)
    return time.perf_counter() - begun
