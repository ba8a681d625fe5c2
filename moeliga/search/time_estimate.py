"""Estimates of the time of a search, from its planned evaluations and measurements of a few of them."""

import math
import os
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga._ext import bits as bits_room
from moeliga.base.budget import GRACE
from moeliga.base.random_streams import Purpose
from moeliga.base.text import duration, preformatted, say
from moeliga.base.warning_filters import warn

ENOUGH_SECONDS = 0.125
"""A measurement of at least these seconds is not repeated with more subsets."""

LONG_SECONDS = 10.0
"""Seconds of a fit from which its estimate is printed."""

TOLD_SECONDS = 60.0
"""Seconds of a search from which there is a warning if a parameter keeps a judge from being compiled."""

WARNED_SECONDS, LOOKED_SECONDS = 600.0, 2.0
"""Seconds of a fit from which there is a warning; and seconds of generation 0 before that is estimated."""

PARTS, STUDENT_T = 4, 2.92
"""Number of parts, by size, of the initial subsets that are measured; and Student's t for an interval of 90 % with the
two degrees of freedom that a line through four means leaves."""

MEASURED_SHARE = 0.1
"""Share of `max_time` that measurements may take before no further part is measured."""

MANY_SAMPLES = 10_000
"""Number of samples above which a subsample is advised."""

FRONT_SHARE = 0.5
"""Assumed size of the fronts that are scored again, the first and the last together, as a share of the populations."""


@dataclass(frozen=True)
class TimeEstimate:
    """Estimate of the time that a fit will take, and what it rests on.

    Attributes
    ----------
    seconds : float
        Also float(estimate).
    n_evaluations : int
        Planned evaluations of all searches, those of the folds too, as many as `max_time` leaves time for.
    n_measured : int
        Subsets whose evaluation was measured.
    seconds_measured : float
        What their evaluation took.
    interval : tuple of two floats
        Interval of 90 % around `seconds`, from the distances of the measurements to their line; NaN for fewer than
        three sizes. It covers errors in measuring the speed, and not changes of the sizes during the search.

    Examples
    --------
    >>> from moeliga.search.time_estimate import TimeEstimate
    >>> float(TimeEstimate(90.0, 15120, 240, 1.5))
    90.0
    """

    seconds: float
    n_evaluations: int
    n_measured: int
    seconds_measured: float
    interval: tuple[float, float] = (math.nan, math.nan)

    def __float__(self) -> float:
        return self.seconds

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def __str__(self) -> str:
        low, high = ("", "") if math.isnan(self.interval[0]) else map(duration, self.interval)
        around = f" ({low} to {high})" if low != high else ""
        return (f"about {duration(self.seconds)}{around} for {self.n_evaluations:,} evaluations, "
                f"estimated from {self.n_measured} that took {self.seconds_measured:.2g} s")


def planned_main(search: Any, population_size: int, generation: int) -> int:
    """Return the evaluations of the main populations of `population_size` up to a generation: int.

    With reevaluate="none" changed copies are evaluated in addition.
    """
    return search.n_islands * (population_size + generation * planned_generation(search, population_size))


def n_subordinates(search: Any, generation: int) -> int:
    """Return the number of subordinate populations up to a generation, `n_populations` at each improvement: int."""
    setting = search.local_improvement
    return 0 if setting is None else search.n_islands * (generation // setting.every * setting.n_populations)


def planned_subordinate(search: Any, bits: NDArray[np.uint64]) -> int:
    """Return the evaluations of a subordinate population over a template of the mean size of some chromosomes: int.

    All subsets of a small template are evaluated. Patience may save some, a comparison with the template adds some.
    """
    setting, n_positions = search.local_improvement, int(round(bits_room.count(bits).mean()))
    if setting is None or n_positions < 2:
        return 0
    if n_positions < 63 and 2**n_positions - 1 <= setting.population_size:
        return 2**n_positions - 1
    return setting.population_size + setting.n_generations * planned_generation(search, setting.population_size)


def planned_evaluations(search: Any, bits: NDArray[np.uint64], n_generations: int) -> tuple[int, int]:
    """Return the evaluations of main populations that begin with `bits`, and those of subordinate ones: two ints."""
    main = planned_main(search, search.population_size, n_generations)
    return main, n_subordinates(search, n_generations) * planned_subordinate(search, bits)


def planned_generation(search: Any, population_size: int) -> int:
    """Return the evaluations of a generation after generation 0 of a population: int."""
    moga = search.moga
    n_kept = moga.n_elite + moga.generation_gap if moga is not None and search.reevaluate == "none" else 0
    return search.most_evaluations(population_size) - n_kept


def tell(estimated: TimeEstimate) -> None:
    """Print an estimate of at least `LONG_SECONDS`."""
    if estimated.seconds >= LONG_SECONDS:
        say(f"moeliga: {estimated}")


def estimate(search: Any, bits: NDArray[np.uint64], n_generations: int, n_rescore_splits: int) -> TimeEstimate:
    """Estimate the time of a search from the evaluation of some of its initial subsets.

    The search finds the same as without this: evaluations leave no trace. `bits` are the initial chromosomes over all
    groups, of shape (n_individuals, n_words), or those of the first islands.

    The time of an evaluation is a straight line over the number of features, fitted by least squares to the means of
    four parts of the initial subsets, from small to large. It is assumed that subsets of the main populations and
    templates keep the mean size of the initial ones, that subsets of a subordinate population have half of it, and that
    scores of the front on all samples take longer than those on a subsample in proportion.
    It costs about a second, or a few evaluations if these take longer, and less with a short `max_time`, see
    `MEASURED_SHARE`.
    """
    objectives, budget = search.objectives, search.budget
    sizes = search.space.sizes(search.space.chromosomes(bits))
    order = np.argsort(sizes, kind="stable")
    evaluate(search, bits, order[: objectives.n_parallel])  # starts threads or workers, and is not measured
    points, n_measured, seconds_measured = [], 0, 0.0
    for part in np.array_split(order, min(PARTS, len(order))):
        n = min(objectives.n_parallel, len(part))
        while True:
            rows = part[np.linspace(0, len(part) - 1, n).round().astype(int)]
            seconds = evaluate(search, bits, rows)
            n_measured, seconds_measured = n_measured + n, seconds_measured + seconds
            if seconds >= ENOUGH_SECONDS or n == len(part):
                break
            n = min(2 * n, len(part))
        points.append((sizes[rows].mean(), seconds / n))
        if budget.max_time is not None and seconds_measured > MEASURED_SHARE * budget.max_time:
            break
    level, slope, error = fit_line(*np.array(points).T)
    size, (main, local) = sizes.mean(), planned_evaluations(search, bits, n_generations)
    seconds = main * (level + slope * size) + local * (level + slope * size / 2)
    n_evaluations = main + local
    if budget.max_evaluations is not None and budget.max_evaluations < n_evaluations:
        seconds *= budget.max_evaluations / n_evaluations
        n_evaluations = budget.max_evaluations
    rescoring = FRONT_SHARE * search.n_individuals * objectives.passes(n_rescore_splits) * (level + slope * size)
    rescoring *= objectives.n_samples / search.ground.n_samples
    seconds += rescoring
    half_width = STUDENT_T * error / max(level + slope * size, 1e-12) * seconds
    most = math.inf
    if budget.max_time is not None:  # but the time of two fresh splits may go beyond it
        least = rescoring * min(2, n_rescore_splits) / max(1, n_rescore_splits)
        most = max(budget.max_time, min(budget.max_time / 2 + least, budget.max_time + GRACE))
    n_evaluations *= min(1.0, most / max(seconds, 1e-12))
    ends = np.maximum(0.0, seconds - half_width), seconds, seconds + half_width  # NaN stays
    low, seconds, high = (float(min(value, most)) for value in ends)
    return TimeEstimate(seconds, int(n_evaluations), n_measured, float(seconds_measured), (low, high))


def fit_line(x, y):
    """Fit a straight line by least squares; return level and slope, both >= 0, and the standard error at the mean x.

    The error is NaN for fewer than three different x.
    """
    apart = x - x.mean()
    slope = max(0.0, float(apart @ y / (apart @ apart))) if np.ptp(x) > 0 else 0.0
    level = max(0.0, float(y.mean() - slope * x.mean()))
    if len(np.unique(x)) < 3:
        return level, slope, math.nan
    return level, slope, float(np.sqrt(np.sum((y - level - slope * x) ** 2) / (len(x) - 2) / len(x)))


def slow_fit_warning(search, bits, n_generations, n_searches):
    """Return a function that, called while generation 0 is evaluated, warns once if the fit will take long.

    It measures nothing of its own: from the subsets evaluated so far it estimates `n_searches` of `n_generations`.
    """
    budget, estimates = search.budget, []

    def look():
        if estimates or budget.max_time is not None or budget.seconds_working < LOOKED_SECONDS:
            return
        every = search.space.subsets(search.space.chromosomes(bits))
        each = budget.expected(search.objectives.work(search.ground, every)) / len(bits)
        n = min(sum(planned_evaluations(search, bits, n_generations)), budget.max_evaluations or math.inf)
        seconds = n * each * n_searches
        estimates.append(seconds)
        if seconds >= WARNED_SECONDS:
            warn(f"the fit will take about {duration(seconds)}, estimated from {budget.n_evaluations} evaluations that "
                 f"took {duration(budget.seconds_working)}; {speed_advice(search, n_searches)}")

    return look


def warn_of_uncompiled(plan, ready):
    """Warn of parameters that keep judges from being compiled, if the search takes at least `TOLD_SECONDS`."""
    with ready.search.objectives.workers():
        estimated = estimate(ready.search, ready.bits, plan.n_generations, plan.evaluation.n_rescore_splits)
    if estimated.seconds < TOLD_SECONDS:
        return
    for guide, reason in zip(plan.guides, ready.path.reasons, strict=True):
        if reason is not None:
            warn(f"{' '.join(repr(guide).split())} is a compiled judge, but not with {reason}: scikit-learn fits it, "
                 f"which is slower; the search takes {estimated}")


def speed_advice(search, n_searches):
    """Return advice on how to make a fit faster, as the end of a message: str."""
    objectives, ways = search.objectives, []
    if objectives.scorer is not None:
        ways.append("a compiled judge and a compiled scoring, as the defaults are")
    if objectives.n_parallel == 1 and (os.cpu_count() or 1) > 1:
        ways.append("n_jobs=-1")
    if search.ground.n_samples > MANY_SAMPLES:
        ways.append(f"evaluation__subsample={MANY_SAMPLES}")
    if n_searches > 3:  # two folds are the fewest
        ways.append("a smaller honest")
    return f"to make it faster: {', '.join([*ways, 'fewer n_generations'])}; max_time sets a limit"


def evaluate(search: Any, bits: NDArray[np.uint64], rows: NDArray[np.intp]) -> float:
    """Evaluate rows of `bits` as generation 0 does, and return the seconds: float."""
    begun = time.perf_counter()
    subsets = search.space.subsets(search.space.chromosomes(bits[rows]))
    search.objectives.evaluate(search.ground, subsets, (Purpose.EVALUATE, 0, 0), rows.astype(np.int32),
                               budget=search.budget)
    return time.perf_counter() - begun
