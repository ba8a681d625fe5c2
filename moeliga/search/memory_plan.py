"""What can need much memory: the copy of X, a fit, a tree, an evaluation of subsets. Each says how much, and what less.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse

from moeliga.base.memory_demand import Demand, Part
from moeliga.base.threads import n_threads, n_workers
from moeliga.data.memory_footprint import Table, Work
from moeliga.distributed.dispatcher import MOST_GENERATIONS, elsewhere
from moeliga.evaluation.subsample import n_drawn, size_of
from moeliga.parameters.objectives import Separability
from moeliga.search.feature_prior import n_together

WORKER_BYTES = 120 << 20
"""What a worker process has of its own: Python and the libraries."""

FRONT_SHARE = 0.5
"""A front is taken to have half as many members as the population, and the archive as many as the population."""


@dataclass(frozen=True)
class Copy:
    """The copy of X that checks make where X is no array of float32 or float64.

    Attributes
    ----------
    n_bytes : int
    """

    n_bytes: int

    @classmethod
    def of(cls, X):
        """Before anything is known of X but what it says itself."""
        shape, dtype = getattr(X, "shape", ()), getattr(X, "dtype", None)
        if issparse(X) or len(shape) != 2 or (isinstance(X, np.ndarray) and dtype in (np.float32, np.float64)):
            return cls(0)
        single = len(X) and all(kind == np.float32 for kind in getattr(X, "dtypes", [None]))  # a table of pandas
        return cls(shape[0] * shape[1] * (4 if single else 8))

    def demand(self):
        """`Demand`"""
        return Demand("the conversion of X to float64", [[Part("a copy of X", self.n_bytes)]])

    def smaller(self):
        """Ways to need less: list of pairs (how, copy)."""
        return [("an array of float32", replace(self, n_bytes=0))]


@dataclass(frozen=True)
class Fit:
    """A fit of the selector.

    Attributes
    ----------
    table : Table
    work : Work or None
        None: nothing is coded.
    target : bool
    n_groups : int
        Length of a chromosome.
    population_size : int
        Of each island.
    n_islands : int
    n_ahead : int
        Generations of all islands that come back from workers elsewhere at one time.
    n_subordinate : int
        Individuals of subordinate populations that are there at the same time.
    joined : bool
        They are rated together with the main population.
    competing : bool
        Parents and as many children are there at the same time, and rated together.
    n_splits : int
        Of a subset, in the search or when the front is scored again.
    n_per_size : int
        Individuals of each size that the archive keeps.
    n_ranked : int
        Values of a dense X that a feature prior looks at together, at most; 0 = there is none.
    archive, sharing, saved : bool
        Whether there are: an archive; clusters; checkpoints.
    masked : bool
        Whether there are masks of whole populations: for callables and other estimators.
    n_workers : int
        Processes that evaluate another estimator; 0 = there is none.
    n_largest : int
        Features of the largest subset.
    n_seen : int or None
        Samples that subsets are evaluated on in the search; None = all.
    n_copied : int
        Samples of a subsample, for which a part of X is copied; 0 = there is none.
    rescored : bool
        The front is scored on all samples.
    """

    table: Table
    work: Work | None
    target: bool
    n_groups: int
    population_size: int
    n_islands: int
    n_ahead: int
    n_subordinate: int
    joined: bool
    competing: bool
    n_splits: int
    n_per_size: int
    n_ranked: int
    archive: bool
    sharing: bool
    saved: bool
    masked: bool
    n_workers: int
    n_largest: int
    n_seen: int | None = None
    n_copied: int = 0
    rescored: bool = True

    @classmethod
    def of(cls, plan, problem, space, given, coded, depth):
        """The fit of a selector.

        Parameters
        ----------
        plan : Plan
        problem : Problem
        space : Space
        given : ndarray of uint64, shape (n_given, n_words)
            Chromosomes of the initial subsets.
        coded : bool
            The data are coded.
        depth : int or None
            Most levels of the trees that the compiled core grows; None = it grows none.
        """
        n, n_samples, how = plan.population_size, problem.X.shape[0], plan.evaluation
        n_seen, n_copied = n_samples, 0
        table = Table.of(problem.X, 1 if problem.regression else len(problem.values))
        usual = plan.init.counts(min(n, 100), space.n_groups, np.zeros(2, dtype=np.uint64)).max()
        n_largest = min(-(-int(usual) * len(space.members) // space.n_groups), space.most) + space.n_forced
        n_largest = max([n_largest, *space.sizes(given, space.positions).tolist()])
        part = size_of(how.subsample, n_samples) < n_samples
        if part:
            n_seen = n_drawn(how.subsample, problem)
            n_copied = n_seen if n_seen < n_samples else 0
        instances = [term.n_instances(n_seen) for term in plan.objectives if isinstance(term, Separability)]
        if instances and how.n_rescore_splits:
            instances = [n_seen]
        work = None
        if coded:
            n_most = n_samples if how.n_rescore_splits else n_seen
            n_train = min(n_most, int(n_most * (1 - how.validation_size)) + 1)
            work = Work(n_threads(plan.n_jobs), n_largest, n_train, max([0, *instances]), depth or 0)
        local = plan.local_improvement
        return cls(
            table=table, work=work, target=problem.regression, n_groups=space.n_groups, population_size=n,
            n_islands=plan.islands.n,
            n_ahead=(min(plan.islands.every, plan.n_generations, MOST_GENERATIONS)
                     if plan.islands.n > 1 and elsewhere(plan.n_jobs) else 0),
            n_subordinate=0 if local is None else local.most_populations * local.population_size,
            joined=local is not None and local.replacement in ("complete", "selection"),
            competing=plan.moga is None,
            n_splits=max(how.n_splits, how.n_rescore_splits), n_per_size=0,
            n_ranked=n_together(plan.feature_prior, n_samples, part), archive=plan.archive,
            sharing=(plan.sharing is not None and plan.sharing.mode == "cluster"),
            saved=plan.checkpoint is not None,
            masked=depth is None or any(callable(term) for term in plan.objectives),
            n_workers=n_workers(plan.n_jobs) if depth is None else 0, n_largest=n_largest,
            n_seen=n_seen if part else None, n_copied=n_copied, rescored=bool(how.n_rescore_splits))

    def looked_at(self, X):
        """The same with the codes of some columns of X counted."""
        return self if self.work is None else replace(self, table=self.table.looked_at(X))

    def demand(self):
        """`Demand`"""
        table, n, chromosome = self.table, self.population_size, 8 * -(-self.n_groups // 64)
        n_all, several = n * self.n_islands, self.n_islands > 1
        n_archive, n_front = n_all if self.archive else 0, int(FRONT_SHARE * n_all)
        n_archive += self.n_per_size * min(n_all, self.n_groups)
        # features' names and numbers; labels
        lasting = [Part("names and numbers", 64 * table.n_features + 16 * table.n_samples)]
        setting_up = [Part("numbering the features", 130 * table.n_features)]
        stages = [lasting + setting_up]
        if self.n_ranked:  # the classes' rows of X and their squares, as f_classif has them
            cells = min(table.cells, self.n_ranked) if table.n_stored is None else 2 * table.n_stored
            stages.append([*lasting, Part("scores of the features", 2 * table.itemsize * cells)])
        ending = None
        if self.work is not None:
            seen = self.seen()
            stages.append([*lasting, seen.coded(), seen.coding(self.work.n_threads)])
            if self.n_copied:
                part = table.rows(self.n_copied)
                copied = Part("a subsample of X", part.itemsize * (part.cells if part.n_stored is None else
                                                                   2 * part.n_stored))
                stages.append([*lasting, part.coded(), part.coding(self.work.n_threads), copied])
                if self.rescored:
                    stages.append([*lasting, table.coded(), table.coding(self.work.n_threads)])
                    ending = [*lasting, table.coded(), self.work.part(table, self.target), *self.workers()]
            lasting = [*lasting, seen.coded(), self.work.part(seen, self.target)]
        lasting = lasting + self.workers()
        n_rated = n + max(n if self.competing else 0, self.n_subordinate if self.joined else 0)
        n_chromosomes = (8 if self.competing else 5) * n + n_front + 3 * n_archive + 2 * self.n_subordinate
        if several:  # of this generation and the next, before and after local improvement, and all as one
            n_chromosomes += (4 + 3 * self.n_ahead) * n_all
            n_rated += (1 + self.n_ahead) * n_all
        chromosomes = n_chromosomes * chromosome + 700 * n_rated
        name = f"{self.n_islands:,} islands" if several else "populations"
        searching = [Part(f"{name} of {n:,}", chromosomes + 8 * (n + self.n_subordinate) * self.n_splits)]
        if self.sharing:
            searching.append(Part("fitness sharing", 2 * n_rated * n_rated // 8))
        if self.masked:
            searching.append(Part("their masks", n * table.n_features))
        if self.saved:
            searching.append(Part("the checkpoint", 2 * (n_all + n_front + n_archive) * chromosome))
        fronts = (2 * n_all + 4 * (n_archive + 2 * n_front)) * chromosome + 24 * (n_archive + n_front) * self.n_splits
        masks = (2 * n_front + (n_archive if self.masked else 0)) * table.n_features
        last = [*(ending or lasting), Part("the fronts", fronts + masks)]
        return Demand("fit", [*stages, lasting + searching, last])

    def seen(self):
        """What subsets are evaluated on in the search: `Table`."""
        return self.table if self.n_seen is None else self.table.rows(self.n_seen)

    def workers(self):
        """What another estimator takes: parts."""
        if not self.n_workers:
            return []
        table, scored = self.table, self.table if self.rescored else self.seen()
        cells = table.cells if table.n_stored is None else 2 * table.n_stored
        n_copied = scored.cells if table.n_stored is None else 2 * table.n_stored
        copies = 3 * table.itemsize * n_copied * self.n_largest // table.n_features
        if self.n_workers == 1:
            return [Part("the estimator's columns", copies)]
        return [Part(f"{self.n_workers} workers", self.n_workers * (WORKER_BYTES + copies)),
                Part("their copy of X", table.itemsize * cells)]

    def smaller(self):
        """Ways to need less: list of pairs (how, fit)."""
        ways = []
        if self.work is not None and self.work.n_threads > 1 or self.n_workers > 1:
            work = None if self.work is None else replace(self.work, n_threads=1)
            ways.append(("n_jobs=1", replace(self, work=work, n_workers=min(1, self.n_workers))))
        if self.n_islands > 1:
            ways.append(("n_islands=1", replace(self, n_islands=1, n_ahead=0)))
        fewer = self.population_size // 10
        if fewer >= 20:
            ways.append((f"population_size={fewer}", replace(self, population_size=fewer)))
        for how, table in self.table.smaller():
            share = table.n_features / self.table.n_features, table.n_samples / self.table.n_samples
            n_largest = max(1, int(self.n_largest * share[0]))
            work = self.work and replace(
                self.work, n_largest=max(1, int(self.work.n_largest * share[0])),
                n_train=max(1, int(self.work.n_train * share[1])), n_instances=int(self.work.n_instances * share[1]))
            ways.append((how, replace(self, table=table, work=work, n_largest=n_largest,
                                      n_groups=max(1, int(self.n_groups * share[0])),
                                      n_seen=None if self.n_seen is None else int(self.n_seen * share[1]),
                                      n_copied=int(self.n_copied * share[1]))))
        return ways


@dataclass(frozen=True)
class Subsets:
    """An evaluation of given subsets.

    Attributes
    ----------
    table : Table
    target : bool
    n_threads : int
    n_subsets : int
    work : Work or None
        None: no trees are grown.
    """

    table: Table
    target: bool
    n_threads: int
    n_subsets: int
    work: Work | None

    @classmethod
    def of(cls, X, n_classes, threads, masks):
        """The evaluation of masks on checked data, None = of the separability of one; see `Tree.of` for the others."""
        n, work = X.shape[0], None
        if masks is not None:
            work = Work(threads, max(1, int(masks.sum(axis=1).max())), n, n, n)
        return cls(Table.of(X, n_classes or 1), n_classes is None, threads, 1 if masks is None else len(masks), work)

    def looked_at(self, X):
        """The same with the codes of some columns of X counted."""
        return replace(self, table=self.table.looked_at(X))

    def demand(self):
        """`Demand`"""
        coded = self.table.coded()
        masks = Part(f"{self.n_subsets:,} subsets", 2 * self.n_subsets * self.table.n_features)
        work = [] if self.work is None else [self.work.part(self.table, self.target)]
        return Demand("the evaluation", [[coded, self.table.coding(self.n_threads)], [coded, *work, masks]])

    def smaller(self):
        """Ways to need less: list of pairs (how, evaluation)."""
        ways = [("fewer masks at a time", replace(self, n_subsets=1))]
        if self.n_threads > 1:
            work = self.work and replace(self.work, n_threads=1)
            ways.append(("n_jobs=1", replace(self, work=work, n_threads=1)))
        return ways + [(how, replace(self, table=table)) for how, table in self.table.smaller()]
