"""Stratified subsamples of the data: how many samples, and which ones."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral

import numpy as np

from moeliga._ext import draw
from moeliga.base.cached_property import kept
from moeliga.base.random_streams import Purpose
from moeliga.data.dataset import Samples
from moeliga.data.ground import Ground
from moeliga.data.problem import Problem
from moeliga.data.target import strata
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


@dataclass(eq=False)
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
    rules : tuple of int, see `Ground`
    coded : bool
        The data are coded.
    neighbours : float in (0, 1), see `Dataset.encode_target`
    n_threads : int
    fixed : Splits or None
        Those of the user's `cv`.
    ground : Ground or None
        Where the search stands, all of its islands; None before the first generation.
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
    ground: Ground | None = None

    @kept
    def all(self):
        """All of the samples, uncoded: `Samples`."""
        return self.problem.samples()

    @property
    def n_samples(self):
        """Of all of the data."""
        return self.problem.X.shape[0]

    @property
    def partial(self):
        """Whether a generation is evaluated on a subsample."""
        return self.size < self.n_samples

    def advance(self, generation):
        """Set `ground` to the samples of a generation. Here as below those before go first, to have their memory."""
        if self.partial or self.ground is None:
            self.ground = None
            self.ground = self.draw(generation)

    @property
    def seen(self):
        """Return what the search has read so far, the samples of this generation: Problem."""
        rows = self.ground.rows
        return self.problem if rows is None else replace(self.problem, X=self.problem.X[rows], y=self.problem.y[rows])

    def take_all(self, objectives, subsets, address, budget):
        """Set `ground` to all of the data, after objective III on a fresh subsample, every instance of it once.

        Parameters
        ----------
        objectives : Objectives
        subsets, address, budget
            See `Objectives.evaluate`.

        Returns
        -------
        near : ndarray of float64, shape (n,), or None
            Objective III; None where it is no objective, or the search was on all of the data.
        """
        near = None
        if self.ground.n_samples == self.n_samples:
            return None
        if any(isinstance(term, Separability) for term in objectives.terms):
            self.ground = None
            self.ground = self.draw(0, RESCORE)
            near = objectives.separability(self.ground, subsets, address, budget)
        self.ground = None
        self.ground = self.prepared(coded=objectives.score is not None and objectives.scorer is None)
        return near

    def draw(self, generation, occasion=SEARCH):
        """Draw the samples of a generation: `Ground`."""
        if not self.partial:
            return self.prepared()
        rows = rows_of(self.all, self.size, self.seed, (occasion, generation, 0, 0))
        splits = None if self.fixed is None else self.thinned(generation)
        return self.prepared(None if len(rows) == self.n_samples else rows, splits)

    def prepared(self, rows=None, splits=None, coded=None):
        """Make some rows, or all, ready for evaluation: `Ground`."""
        problem = self.problem
        if rows is not None:
            problem = replace(problem, X=problem.X[rows], y=problem.y[rows])
        coded = self.coded if coded is None else coded
        samples = problem.dataset(self.neighbours, self.n_threads) if coded else problem.samples()
        return Ground(samples, samples.n_validation(self.validation_size), self.rules, rows, splits)

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
