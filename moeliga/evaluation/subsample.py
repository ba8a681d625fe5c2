"""Stratified subsamples of the data: their sizes, their rows, and the sampler that draws them."""

import math
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np

from moeliga._ext import draw
from moeliga.base.cached_property import cached_property
from moeliga.base.decimals import as_written
from moeliga.base.random_streams import Purpose
from moeliga.data.dataset import Samples
from moeliga.data.ground import Ground, parts_of
from moeliga.data.problem import Problem
from moeliga.evaluation.compiled_judge import FOREST, TREE
from moeliga.evaluation.weights import balanced_weights
from moeliga.parameters.objectives import Separability

LEAST_OF_CLASS = 2
"""Fewest samples of a class in a subsample, unless the class is smaller: one to train on, one to validate on."""

SEARCH, RESCORE, PUBLIC = 0, 1, 2
"""What a subsample is for: this number takes the place of the population in its address."""


def size_of(subsample, n_samples):
    """Return the size of a subsample before rounding by class: int, at most `n_samples`."""
    if subsample is None:
        return n_samples
    if isinstance(subsample, Integral):
        return min(int(subsample), n_samples)
    return math.ceil(as_written(subsample) * n_samples)


def n_drawn(subsample, problem):
    """Return the number of samples of a subsample of a Problem: int."""
    return int(class_sizes(np.bincount(problem.classes()), size_of(subsample, len(problem.y))).sum())


def class_sizes(sizes, size):
    """Return the number of samples of each class (or stratum) in a subsample of `size`: int32, shape (n_classes,).

    Each class, of `sizes` samples, gives the same share, rounded up, and at least `LEAST_OF_CLASS` samples, or all if
    it has fewer. Their sum is at least `size`, and above it by at most two for each class.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    shares = -(-sizes * size // max(1, int(sizes.sum())))
    return np.minimum(sizes, np.maximum(shares, LEAST_OF_CLASS)).astype(np.int32)


def stratified_rows(samples, size, seed, address):
    """Return the rows of a stratified subsample of `Samples`: ndarray of int64, ascending. O(n).

    `address` is (population, generation, individual, test). Every set with these numbers of each class is equally
    likely.
    """
    kept = class_sizes(np.diff(samples.class_start), size)
    marks = draw.split(seed, (Purpose.SUBSAMPLE, *address), samples.class_start, kept)
    return np.sort(samples.rows[marks == 1])


def with_judges(ground, judges, problem, one_out):
    """Return `ground` with what judges read of `problem`, its rows; several judges have a Ground each in `scored`."""
    values = {}
    if not all(judge.coded for judge in judges):
        values = {"columns": problem.columns(), "targets": problem.y if problem.regression else None}
    grounds = [replace(ground, one_out=one_out, rules=judge.rules, judge=None if judge.kind == TREE else judge,
                       weights=judge_weights(judge, ground, one_out), **({} if judge.coded else values))
               for judge in judges]
    return grounds[0] if len(grounds) == 1 else replace(ground, scored=tuple(grounds))


def judge_weights(judge, ground, one_out):
    """Return how often each row of a `Ground` counts for a judge: ndarray of float64; None = each once."""
    if judge.kind == FOREST and judge.balanced:
        sizes = np.diff(ground.samples.class_start)
        return balanced_weights(ground.samples, sizes if one_out else sizes - ground.n_validation)
    return judge.weights if judge.weights is None or ground.rows is None else judge.weights[ground.rows]


@dataclass(eq=False)
class Sampler:
    """Draws the samples on which subsets are evaluated, anew for each generation."""

    problem: Problem  # the whole data set
    seed: np.ndarray  # uint64, shape (2,)
    size: int  # of a subsample before rounding by class; `n_samples` = use all
    validation_size: float
    coded: bool  # samples of the search are coded for the compiled core
    neighbours: float  # see `Dataset.encode_target`
    n_threads: int
    fixed: object = None  # Splits of the user's `cv`, or None
    score: tuple | None = None  # of the compiled core, see `Ground`; None = it scores nothing
    separable: bool = True  # objective III is among the objectives
    judges: tuple = ()  # `Judge`s of the compiled core
    one_out: bool = False  # `judges` score by leave-one-out, or out of bag
    check: object = None  # called while samples are coded, see `Dataset.encode`
    ground: Ground | None = None  # samples of the current generation of all islands; None before the first

    @cached_property
    def all_samples(self):
        """All samples of the data set, not coded: `Samples`."""
        return self.problem.samples()

    @property
    def n_samples(self):
        """The number of samples of the whole data set."""
        return self.problem.X.shape[0]

    @property
    def on_fixed_splits(self):
        """True if the compiled core scores on fixed splits."""
        return self.score is not None and self.fixed is not None

    @property
    def partial(self):
        """True if generations are evaluated on subsamples."""
        return self.size < self.n_samples

    def advance(self, generation):
        """Set `ground` to the samples of a generation; the memory of the previous ones is released first."""
        if self.partial or self.ground is None:
            self.ground = None
            self.ground = self.draw(generation)

    @property
    def seen(self):
        """The samples of the current generation: Problem."""
        return self.problem.part(self.ground.rows)

    def use_all_samples(self, objectives, subsets, address, budget):
        """Set `ground` to the whole data set, and return objective III of n subsets on a fresh subsample.

        It is over every instance once, ndarray of float64 of shape (n,); None if objective III is not used, or if the
        search used all samples. The arguments are those of `Objectives.evaluate`.
        """
        if self.ground.n_samples == self.n_samples:
            return None
        separability = None
        if any(isinstance(term, Separability) for term in objectives.terms):
            self.ground = None
            self.ground = self.draw(0, RESCORE)
            separability = objectives.separability(self.ground, subsets, address, budget)
        self.ground = None
        self.ground = self.judged_ground(objectives.score is not None and any(judge.coded for judge in self.judges))
        return separability

    def draw(self, generation, occasion=SEARCH):
        """Return the samples of a generation: `Ground`."""
        if not self.partial:
            return self.judged_ground(self.coded)
        rows = stratified_rows(self.all_samples, self.size, self.seed, (occasion, generation, 0, 0))
        rows = None if len(rows) == self.n_samples else rows
        splits = None if self.fixed is None else self.subsampled_splits(generation)
        if not self.on_fixed_splits:
            return self.judged_ground(self.coded, rows, splits)
        # the core scores on the samples of the fixed splits, objective III is on `rows`
        seen = np.unique(np.concatenate([part for parts in splits for part in parts]))
        judged = self.judged_ground(any(judge.coded for judge in self.judges), seen, splits)
        return replace(self.plain_ground(self.separable, rows)[0], splits=splits, scored=judged.scored or (judged,))

    def judged_ground(self, coded, rows=None, splits=None):
        """Return the `Ground` of some rows, None = all, with all that the judges read."""
        ground, problem = self.plain_ground(coded, rows, splits)
        return with_judges(ground, self.judges, problem, self.one_out)

    def plain_ground(self, coded, rows, splits=None):
        """Return the `Ground` of some rows, None = all, without the judges, and the `Problem` of these rows."""
        problem = self.problem.part(rows)
        samples = problem.dataset(self.neighbours, self.n_threads, self.check) if coded else problem.samples()
        parts = None
        if self.on_fixed_splits and (rows is None or splits is not None):
            parts = parts_of(self.fixed if splits is None else splits,
                             samples.rows if rows is None else rows[samples.rows])
        return Ground(samples, samples.n_validation(self.validation_size), rows=rows, splits=splits,
                      score=(-1, 0) if self.score is None else self.score, parts=parts), problem

    def subsampled_splits(self, generation):
        """Return the fixed splits with a stratified share of the rows of each part, so that groups stay apart: list."""
        strata, splits = self.problem.classes(), []
        for place, parts in enumerate(self.fixed):
            kept = []
            for side, part in enumerate(parts):
                samples = Samples.sort(0, strata[part], self.all_samples.n_classes)
                size = -(-len(part) * self.size // self.n_samples)
                places = stratified_rows(samples, size, self.seed, (SEARCH, generation, 1 + place, side))
                kept.append(np.sort(part[places]))
            splits.append(tuple(kept))
        return splits
