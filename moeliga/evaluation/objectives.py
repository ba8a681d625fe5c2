"""The objectives of a search, all maximised, evaluated for whole populations."""

from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga.base.budget import Budget
from moeliga.base.checks import check_sequence
from moeliga.distributed.dispatcher import WORTH_SECONDS
from moeliga.parameters.objectives import Cardinality, FeatureCost, Separability

TREE_COST, SEPARABILITY_COST = 1e-7, 1e-10
"""Seconds, rounded up: of a tree per sample and feature; of a distance per feature."""

SCORES = {"uar": "a classifier", "r2": "a regressor"}
"""Objective I, by what it is the score of."""

SHORT_FORMS = {**{score: score for score in SCORES}, "cardinality": Cardinality(), "cost": FeatureCost(),
               "separability": Separability()}


def resolve_objectives(objectives, score="uar"):
    """Check the selector's `objectives` and replace short forms.

    Parameters
    ----------
    objectives : sequence
    score : {"uar", "r2"}, default="uar"
        The one of `SCORES` that there is.

    Returns
    -------
    terms : list of `score`, Cardinality, FeatureCost, Separability or callable

    Raises
    ------
    TypeError, ValueError : naming the entry that is wrong.
    """
    terms = []
    for entry in check_sequence("objectives", objectives, "objectives"):
        if isinstance(entry, str) and entry in SCORES and entry != score:
            raise ValueError(f"objectives must hold {score!r} in place of {entry!r} for {SCORES[score]}, got "
                             f"{objectives!r}")
        if isinstance(entry, str) and entry in SHORT_FORMS:
            terms.append(SHORT_FORMS[entry])
        elif isinstance(entry, Cardinality | FeatureCost | Separability):
            entry.validate(entry.name)
            terms.append(entry)
        elif callable(entry) and not isinstance(entry, type):
            terms.append(entry)
        else:
            raise ValueError(f"objectives must hold {score!r}, 'cardinality', 'cost', 'separability', Cardinality, "
                             f"FeatureCost, Separability or callables, got {entry!r}")
    names = [term_name(term) for term in terms]
    if len(set(names)) != len(names):
        raise ValueError(f"objectives must be distinct, got {names}")
    if not terms or not (score in terms or is_callable(terms[0])):
        raise ValueError(f"objectives must hold {score!r} or begin with a callable, got {names}")
    return terms


def check_costed(terms, costs, name="constraints.costs"):
    """Raise ValueError if the cost is an objective and there are no costs."""
    if costs is None and any(isinstance(term, FeatureCost) for term in terms):
        raise ValueError(f"{name} must be given for the objective 'cost', got None")


def is_callable(term):
    return not isinstance(term, str | Cardinality | FeatureCost | Separability)


def term_name(term):
    """Column name of an objective."""
    if isinstance(term, str):
        return term
    if isinstance(term, Cardinality | FeatureCost | Separability):
        return term.name
    return getattr(term, "__name__", type(term).__name__)


def number(term, value):
    """`value`, which the callable `term` has returned, as a float."""
    if np.ndim(value) == 0:
        with suppress(TypeError, ValueError):
            return float(value)
    raise TypeError(f"objective {term_name(term)!r} must return a number, got {value!r}")


@dataclass(eq=False)
class Objectives:
    """Evaluates populations on the samples that it is given; counts nothing and stores nothing of them.

    Attributes
    ----------
    terms : list, see `resolve_objectives`
    scorer : EstimatorScorer or None
        None: UAR, or R2, of the compiled tree.
    X, y : the caller's data, for callables
    seed : ndarray of uint64, shape (2,)
    n_splits : int
    shared_splits : bool
        All individuals of a generation use the same splits.
    n_threads : int
    n_samples : int
        Of the whole data set.
    costs : ndarray of float64, shape (n_features,), or None
        Of the features, for `FeatureCost`.
    remote : Remote or None
        Workers elsewhere, for what is worth the way there.
    """

    terms: list
    scorer: object
    X: np.ndarray
    y: np.ndarray
    seed: np.ndarray
    n_splits: int
    shared_splits: bool
    n_threads: int
    n_samples: int
    costs: np.ndarray | None = None
    remote: object = None

    @property
    def names(self):
        return tuple(term_name(term) for term in self.terms)

    @property
    def score(self):
        """The one of `SCORES` among the objectives, or None."""
        return next((term for term in self.terms if isinstance(term, str)), None)

    @property
    def primary(self):
        """Column of the score, or else the first one."""
        return 0 if self.score is None else self.terms.index(self.score)

    @property
    def n_parallel(self):
        """Evaluations that run at the same time."""
        if self.remote is not None and not self.remote.lost:
            return max(self.n_threads, self.remote.n_workers)
        return self.n_threads if self.scorer is None else self.scorer.n_workers

    @property
    def fixed_splits(self):
        """Whether every evaluation uses the same splits, those of the user's `cv`."""
        return self.scorer is not None and self.scorer.splits is not None

    def passes(self, n_splits):
        """Work of an evaluation on `n_splits` splits, in evaluations of the search: float >= 0."""
        return float(n_splits > 0) if self.fixed_splits else n_splits / self.n_splits

    def instances(self, n_samples, exhaustive):
        """Instances of objective III, 0 without it, and whether they are drawn with replacement: (int, bool)."""
        term = next((term for term in self.terms if isinstance(term, Separability)), None)
        if term is None:
            return 0, False
        return (n_samples, False) if exhaustive else (term.n_instances(n_samples), bool(term.replace))

    def work(self, ground, subsets, n_splits=None, exhaustive=False):
        """Work of `evaluate`, to compare with that of other subsets: float.

        Where only the compiled core is at work it goes by the number of features, else by that of subsets, splits and
        samples; what is exhaustive is scored on the whole data set.
        """
        n_splits = self.n_splits if n_splits is None else n_splits
        share = ground.n_samples / self.n_samples
        more = 1 / share if exhaustive else 1.0
        if self.scorer is None and not any(callable(term) for term in self.terms):
            n_trees = n_splits * more if self.score else 0
            n_instances, _ = self.instances(ground.n_samples, exhaustive)
            return float(self.seconds(ground, subsets, n_trees, n_instances).sum())
        return len(subsets) * self.passes(n_splits) * share * more

    @contextmanager
    def workers(self):
        """Context in which the workers of `scorer` and `remote`, if there are some, are at hand."""
        with ExitStack() as stack:
            for source in (self.scorer, self.remote):
                if source is not None:
                    stack.enter_context(source.workers())
            yield

    def evaluate(self, ground, subsets, address, individuals=None, *, n_splits=None, shared=None, exhaustive=False,
                 near=None, budget=None):
        """Objectives of every individual.

        Parameters
        ----------
        ground : Ground
            The samples to evaluate on.
        subsets : Subsets
            Of features.
        address : tuple (purpose, population, generation)
        individuals : ndarray of int32, shape (n,), or None
            Numbers of the rows in their population; None = 0, 1, 2, ...
        n_splits : int or None
            None = the search's own number.
        shared : bool or None
            Whether all rows use the same splits and instances; None = as the search says.
        exhaustive : bool
            Objective III over every instance once, in place of a sample.
        near : ndarray of float64, shape (n,), or None
            Objective III, if it is known.
        budget : Budget or None
            Asked about once a second whether the evaluation may go on; None = always.

        Returns
        -------
        objectives : ndarray of float64, shape (n, n_objectives)
        scores : ndarray of float64, shape (n, n_splits)
            UAR or R2 (or the scorer's value) on each split; shape (n, 0) without a score.

        Raises
        ------
        ValueError : if a callable or a scorer returns a value that is not finite.
        """
        n = len(subsets)
        budget = Budget() if budget is None else budget
        n_splits = self.n_splits if n_splits is None else n_splits
        shared = self.shared_splits if shared is None else shared
        individuals = np.arange(n, dtype=np.int32) if individuals is None else individuals
        wants_score = self.score is not None
        compiled = wants_score and self.scorer is None
        n_instances, replace = self.instances(ground.n_samples, exhaustive)
        n_features, scores, separability, masks = ground.n_features, np.zeros((n, 0)), None, None
        if ground.evaluator is not None:
            n_instances = n_instances if near is None else 0
            common = (self.seed, address, n_splits if compiled else 0, shared, n_instances, replace)
            scores, separability = self.compiled(ground, subsets, individuals, common, budget)
        if wants_score and not compiled:
            masks = subsets.masks(n_features)
            with budget.immediately() if self.scorer.pool is None else nullcontext():
                scores = self.scorer.score(ground.table, masks, self.seed, address, individuals, n_splits, shared,
                                           budget.check)
        columns = []
        for term in self.terms:
            if isinstance(term, Cardinality):
                column = term.values(subsets.counts(), n_features)
            elif isinstance(term, FeatureCost):
                costs = bits_room.total(subsets.bits, subsets.positions, self.costs)
                column = term.values(costs, np.add.accumulate(self.costs)[-1])
            elif isinstance(term, Separability):
                column = separability if near is None else near
            elif isinstance(term, str):
                # a running sum: the order of additions is fixed, whatever the machine
                column = np.add.accumulate(scores, axis=1)[:, -1] / scores.shape[1]
            else:
                masks = subsets.masks(n_features) if masks is None else masks
                with budget.immediately():
                    column = np.array([self.call(term, mask, budget) for mask in masks])
            if not np.all(np.isfinite(column)):
                raise ValueError(f"objective {term_name(term)!r} must be finite, got {column[~np.isfinite(column)][0]}")
            columns.append(column)
        return np.stack(columns, axis=1), scores

    def call(self, term, mask, budget):
        """Value of an objective that is a callable."""
        budget.check()
        return number(term, term(mask, self.X, self.y))

    def separability(self, ground, subsets, address, budget):
        """Objective III alone, over every instance once: ndarray of float64, shape (n,)."""
        common = (self.seed, address, 0, True, ground.n_samples, False)
        return self.compiled(ground, subsets, np.arange(len(subsets), dtype=np.int32), common, budget)[1]

    def compiled(self, ground, subsets, individuals, common, budget):
        """What the compiled core gives, here or elsewhere: (scores, separability), see `Evaluator.evaluate`.

        `common` are its arguments from `seed` to `replace`.
        """
        _, _, n_splits, _, n_instances, _ = common
        seconds = self.seconds(ground, subsets, n_splits, n_instances)
        if self.remote is not None and not self.remote.lost and seconds.sum() / self.n_threads >= WORTH_SECONDS:
            found = self.remote.evaluate(ground, seconds, subsets, individuals, common, budget)
            if found is not None:
                return found
        parts = []
        for rows in self.slices(seconds):
            parts.append(ground.evaluator.evaluate(subsets.bits[rows], subsets.positions, individuals[rows], *common,
                                                   self.n_threads))
            budget.check()
        return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))

    def slices(self, seconds):
        """Slices of rows whose evaluation takes about a second at most, by a rough count of each on one thread."""
        passed = np.floor(np.cumsum(seconds) / self.n_threads)
        ends = np.unique(np.append(np.flatnonzero(np.diff(passed, prepend=0.0)) + 1, len(seconds)))
        return [slice(int(begin), int(end)) for begin, end in zip(np.append(0, ends[:-1]), ends, strict=True)]

    def seconds(self, ground, subsets, n_splits, n_instances):
        """Rough seconds that the compiled core takes for each row on one thread: ndarray of float64, shape (n,)."""
        return subsets.counts() * self.per_feature(ground, n_splits, n_instances)

    def per_feature(self, ground, n_splits, n_instances):
        """The same for each feature of a row: float."""
        return ground.n_samples * (TREE_COST * n_splits + SEPARABILITY_COST * n_instances)

    def worth_sending(self, ground, n_features, n_generations, n_tasks=0):
        """Whether populations that evolve by themselves should do so elsewhere: bool.

        They should if the whole of it is worth the way, and a generation is not, which would otherwise be cut into
        slices for all workers; or if there are as many of them as workers, which is better than slices.

        Parameters
        ----------
        ground : Ground
        n_features : float
            Sum of the sizes of the subsets of a generation.
        n_generations : float
        n_tasks : int
            Populations that go at the same time, to compare with the number of workers; 0 = less than these.
        """
        if self.remote is None or self.remote.lost or any(map(is_callable, self.terms)):
            return False
        n_instances, _ = self.instances(ground.n_samples, False)
        per_feature = self.per_feature(ground, self.n_splits if self.score else 0, n_instances)
        generation = n_features * per_feature / self.n_threads
        if generation * n_generations < WORTH_SECONDS:
            return False
        return generation < WORTH_SECONDS or n_tasks >= self.remote.n_workers
