"""Stratified subsamples of the data: how many samples, and which ones."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral

import numpy as np

from moeliga._ext import draw
from moeliga._ext.evaluate import Evaluator
from moeliga.base.cached_property import kept
from moeliga.base.random_streams import Purpose
from moeliga.data.dataset import Dataset, Samples
from moeliga.data.problem import Problem
from moeliga.data.target import strata
from moeliga.distributed.worker import Payload
from moeliga.parameters.objectives import Separability

LEAST_OF_CLASS = 2
"""Samples that a class keeps, if it has them: one to train on, one to validate on."""

SEARCH, RESCORE, PUBLIC = 0, 1, 2
"""What a sample is drawn for: in place of the population in its address."""


def size_of(subsample, n_samples):
    """Samples of a subsample, but for rounding: int, at most `n_samples`."""
    if subsample is None:
        return n_samples
    if isinstance(subsample, Integral):
        return min(int(subsample), n_samples)
    return math.ceil(Fraction(repr(float(subsample))) * n_samples)


def n_drawn(subsample, problem):
    """Samples of a subsample of a Problem: int."""
    n_samples = len(problem.y)
    sizes = np.diff(strata(n_samples)) if problem.regression else np.bincount(problem.labels)
    return int(kept_of(sizes, size_of(subsample, n_samples)).sum())


def kept_of(sizes, size):
    """Samples that are kept of each class.

    Parameters
    ----------
    sizes : ndarray of int, shape (n_classes,)
        Samples of each class (or stratum).
    size : int
        Samples to keep in all.

    Returns
    -------
    kept : ndarray of int32, shape (n_classes,)
        The same share of each, rounded up, and `LEAST_OF_CLASS` at least; never more than there are. In all `size` or a
        few more, by at most one a class for the rounding and one for the least.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    shares = -(-sizes * size // max(1, int(sizes.sum())))
    return np.minimum(sizes, np.maximum(shares, LEAST_OF_CLASS)).astype(np.int32)


def rows_of(samples, size, seed, address):
    """Rows of a stratified subsample: ndarray of int64, ascending.

    Parameters
    ----------
    samples : Samples
    size : int
    seed : ndarray of uint64, shape (2,)
    address : tuple (population, generation, individual, test)

    Notes
    -----
    O(n). Every set of so many samples of each class is equally likely.
    """
    kept = kept_of(np.diff(samples.class_start), size)
    marks = draw.split(seed, (Purpose.SUBSAMPLE, *address), samples.class_start, kept)
    return np.sort(samples.rows[marks == 1])


@dataclass(frozen=True, eq=False)
class Ground:
    """Samples that subsets are evaluated on.

    Attributes
    ----------
    samples : Samples, or Dataset where the compiled core is at work
    n_validation : ndarray of int32, shape (n_classes,)
    evaluator : moeliga._ext.evaluate.Evaluator or None
    rows : ndarray of int64 or None
        Rows of X that they are, ascending; None = all.
    splits : list of pairs of ndarray, or None
        Fixed splits, with some rows of each part; None = as they are, or none.
    """

    samples: Samples
    n_validation: np.ndarray
    evaluator: object
    rows: np.ndarray | None = None
    splits: list | None = None


@dataclass(frozen=True, eq=False)
class Sampler:
    """Draws the samples that a search is evaluated on: the same for all of a generation, fresh ones for the next.

    Attributes
    ----------
    problem : Problem
        All of the data.
    seed : ndarray of uint64, shape (2,)
    size : int
        Samples of a draw, but for rounding; all of them where it is `n_samples`.
    validation_size : float
    rules : tuple of int
        Of the compiled tree: max_depth, min_samples_split and min_samples_leaf.
    coded : bool
        The data are coded.
    neighbours : float in (0, 1), see `Dataset.encode_target`
    n_threads : int
    fixed : Splits or None
        Those of the user's `cv`.
    """

    problem: Problem
    seed: np.ndarray
    size: int
    validation_size: float
    rules: tuple
    coded: bool
    neighbours: float
    n_threads: int
    fixed: object = None

    @kept
    def all(self):
        """All of the samples, uncoded: `Samples`."""
        return self.problem.samples()

    @property
    def n_samples(self):
        """Of all of the data."""
        return self.problem.X.shape[0]

    def ground(self, rows=None, splits=None, coded=None):
        """Make some rows, or all, ready for evaluation: `Ground`."""
        problem = self.problem
        if rows is not None:
            problem = replace(problem, X=problem.X[rows], y=problem.y[rows])
        coded = self.coded if coded is None else coded
        samples = problem.dataset(self.neighbours, self.n_threads) if coded else problem.samples()
        n_validation = samples.n_validation(self.validation_size)
        evaluator = None
        if isinstance(samples, Dataset):
            evaluator = Evaluator(samples, n_validation, *self.rules)
        return Ground(samples, n_validation, evaluator, rows, splits)

    def draw(self, generation, occasion=SEARCH):
        """The samples of a generation: `Ground`."""
        if self.size >= self.n_samples:
            return self.ground()
        rows = rows_of(self.all, self.size, self.seed, (occasion, generation, 0, 0))
        splits = None if self.fixed is None else self.thinned(generation)
        return self.ground(None if len(rows) == self.n_samples else rows, splits)

    def thinned(self, generation):
        """Of both parts of each fixed split some rows: a share of each class, so that groups stay on their side."""
        strata, n_strata = np.empty(self.n_samples, dtype=np.int64), self.all.n_classes
        strata[self.all.rows] = self.all.labels
        splits = []
        for place, parts in enumerate(self.fixed):
            thin = []
            for side, part in enumerate(parts):
                order = part[np.argsort(strata[part], kind="stable")]
                starts = np.append(0, np.cumsum(np.bincount(strata[part], minlength=n_strata))).astype(np.int32)
                samples = Samples(0, strata[order], starts, order)
                size = math.ceil(Fraction(len(part) * self.size, self.n_samples))
                thin.append(rows_of(samples, size, self.seed, (SEARCH, generation, 1 + place, side)))
            splits.append(tuple(thin))
        return splits


def resample(objectives, generation):
    """Have all of a generation evaluated on its samples."""
    if objectives.partial:
        leave(objectives)
        stand_on(objectives, objectives.sampler.draw(generation))


def take_all(objectives, bits, features, address, budget):
    """Set all of the data as samples, after objective III was measured on a fresh subsample, every instance of it once.

    Parameters
    ----------
    objectives : Objectives
    bits, features, address, budget
        See `Objectives.evaluate`.

    Returns
    -------
    near : ndarray of float64, shape (n,), or None
        Objective III; None where it is no objective, or the search was on all of the data.
    """
    sampler, near = objectives.sampler, None
    if objectives.dataset.n_samples == sampler.n_samples:
        return None
    if any(isinstance(term, Separability) for term in objectives.terms):
        leave(objectives)
        stand_on(objectives, sampler.draw(0, RESCORE))
        common = (objectives.seed, address, 0, True, objectives.dataset.n_samples, False)
        _, near = objectives.compiled(bits, features, np.arange(len(bits), dtype=np.int32), common, budget)
    leave(objectives)
    stand_on(objectives, sampler.ground(coded=objectives.score is not None and objectives.scorer is None))
    return near


def leave(objectives):
    """Free the current samples, before others are coded."""
    objectives.dataset = objectives.evaluator = None
    if objectives.remote is not None:
        objectives.remote.set_payload(None)


def stand_on(objectives, ground):
    """Set the samples that subsets are evaluated on."""
    objectives.dataset, objectives.evaluator = ground.samples, ground.evaluator
    if objectives.scorer is not None:
        objectives.scorer.stand_on(ground)
    if objectives.remote is not None and ground.evaluator is not None:
        objectives.remote.set_payload(Payload(ground.samples, ground.n_validation, objectives.sampler.rules))
