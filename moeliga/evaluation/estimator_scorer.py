"""Objective I with any scikit-learn classifier or regressor, scorer and cross-validation splitter."""

import os
import signal
import threading
import time
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from numbers import Integral

import numpy as np
import sklearn
from scipy.sparse import issparse
from sklearn.base import clone, is_regressor
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from moeliga.base.budget import Budget, Interrupted, until_interrupted
from moeliga.base.checks import check_returned, check_splits
from moeliga.base.random_streams import Purpose, random_states
from moeliga.base.text import usual_score
from moeliga.base.threads import n_workers, one_thread
from moeliga.evaluation.scores import scorer_named
from moeliga.evaluation.warning_tally import Tally

BATCHES = 4
"""Batches of subsets for each worker and generation: few for little overhead, several for an even load."""

BATCH_SECONDS = 0.25
"""Target for the seconds of a batch of several subsets: after Ctrl-C the batches that are running end first."""

SHARED_BYTES = 10_000
"""Arrays above this size go to the workers once, as memory-mapped files; smaller ones go with every batch."""


def find_scorer(estimator, scoring):
    """Return scikit-learn's scorer for the selector's `scoring`; None = balanced accuracy, which is UAR, or R2.

    With metadata routing the scorer of None requests no weights: users do not have this object to say so.
    """
    name = usual_score(is_regressor(estimator)) if scoring is None else scoring
    scorer = check_scoring(estimator, scoring=scorer_named(name) if isinstance(name, str) else name)
    routed = sklearn.get_config()["enable_metadata_routing"]
    return scorer.set_score_request(sample_weight=False) if scoring is None and routed else scorer


def seeded_parameters(estimator):
    """Return the names of an estimator's parameters called random_state that are None: list of str, sorted."""
    return sorted(name for name, value in estimator.get_params().items()
                  if name.split("__")[-1] == "random_state" and value is None)


def seed_model(model, names, seed, address):
    """Set the parameters `names`, of `seeded_parameters`, to random numbers of the stream at `address`."""
    model.set_params(**dict(zip(names, random_states(seed, address, len(names)), strict=True)))


def part_rows(part, rows):
    """Return the entries of `rows` in a part of a split, given by indices or a mask: ndarray of int64, shape (n,)."""
    places = np.asarray(part)
    if places.ndim != 1:
        raise ValueError(f"rows must be one-dimensional, got shape {places.shape}")
    return rows[places] if len(places) else rows[:0]


class Splits:
    """Fixed splits in two flat arrays, so that joblib shares any number of them with its workers as two files.

    `splits` is an iterable of (train, test), indices or masks of the rows of X, given by the parameter `name`.
    """

    def __init__(self, splits, n_samples, name="cv"):
        rows = np.arange(n_samples)
        parts = []
        for pair in splits:
            try:
                train, test = pair
                parts += [part_rows(part, rows) for part in (train, test)]
            except (IndexError, TypeError, ValueError) as error:
                raise ValueError(f"{name} must give (train, test) pairs of rows of X: {error}") from error
        self.ends = np.cumsum([0, *map(len, parts)])
        self.rows = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def __len__(self):
        return len(self.ends) // 2

    def __iter__(self):
        for place in range(0, len(self.ends) - 1, 2):
            first, middle, last = self.ends[place : place + 3]
            yield self.rows[first:middle], self.rows[middle:last]

    def are_disjoint(self):
        """Return True if in each split neither part is empty and no row occurs twice."""
        return all(len(train) and len(test) and np.bincount(np.concatenate((train, test))).max() == 1
                   for train, test in self)


def fixed_splits(cv, problem, metadata=None):
    """Return the splits that a user's `cv` gives for a Problem: Splits."""
    check_splits("cv", cv)
    splits = splits_of("cv", cv, problem, metadata or {})
    if not len(splits):
        raise ValueError(f"cv must give at least one split, got none from {cv!r}")
    return splits


def splits_of(name, cv, problem, metadata):
    """Return the `Splits` that `cv` gives: a number of folds, a splitter, which gets metadata, or pairs of rows."""
    if isinstance(cv, Integral) or hasattr(cv, "split"):
        splits = check_cv(cv, problem.y, classifier=not problem.regression).split(problem.X, problem.y, **metadata)
        return Splits(checked_splits(name, cv, splits, "groups" in metadata), len(problem.y), name)
    return Splits(cv, len(problem.y), name)


def checked_splits(name, cv, splits, grouped):
    """Yield the splits of a splitter; a ValueError of its own is raised anew with the name of the parameter."""
    try:
        yield from splits
    except ValueError as error:
        hint = "" if grouped or "group" not in str(error) else " (fit was given no groups)"
        raise ValueError(f"{name}={cv!r} must split the samples of X: {error}{hint}") from error


class EstimatorScorer:
    """Scores subsets with scikit-learn's classifiers or regressors.

    The `estimators` are cloned for every fit; parameters called random_state that are None get a number of the search's
    own streams. For `scoring` see `find_scorer`. `splits` are fixed `Splits`; None = stratified ones, drawn for every
    evaluation as for the compiled tree. A sparse X is kept as CSC, whose columns are quickly taken, and estimators get
    CSR. The `metadata` go to the estimators' fit and to the scorers, each with the rows of its part of a split.
    `n_jobs` is the number of joblib's workers; with 1 joblib is not used.

    Workers get copies of this object, one with each batch of subsets, in which all arrays above `SHARED_BYTES` are
    read-only maps of files that joblib wrote once. The libraries that an estimator uses (BLAS, OpenMP) have one thread
    each, and in workers so has joblib: no more threads than processors, and sums that do not depend on their number.
    """

    def __init__(self, estimators, scoring, splits, problem, metadata, n_jobs=1):
        self.models = [(model, find_scorer(model, scoring), seeded_parameters(model)) for model in estimators]
        self.splits, self.metadata = splits, metadata
        self.X = problem.X.tocsc() if issparse(problem.X) else problem.X
        self.classes, self.labels = problem.coded
        self.n_workers = n_workers(n_jobs)
        self.process = os.getpid()
        self.pool = self.pools = None
        self.tally = Tally()
        self.seconds = 0.0  # that a worker took for a subset in the last call of `score`

    def __getstate__(self):
        return {**self.__dict__, "pool": None, "pools": None, "tally": Tally()}

    @contextmanager
    def workers(self):
        """Context in which `score` uses workers, started once; outside of it `score` is a plain loop.

        At the end one warning is given for each kind of warning that the estimators gave.
        """
        with ExitStack() as self.pools:
            if self.n_workers > 1:
                self.start_workers()
            try:
                yield
            except Interrupted:
                if self.pool is not None:  # joblib may not get the time to do it: the process may be about to end
                    from joblib.externals.loky import get_reusable_executor
                    get_reusable_executor(reuse=True).shutdown(kill_workers=True)
                raise
            finally:
                self.pool = self.pools = None
                self.tally.tell()

    def start_workers(self):
        """Start new workers, which `score` uses from now on."""
        # scikit-learn's Parallel passes its configuration on to the workers
        from sklearn.utils.parallel import Parallel

        self.pool = self.pools.enter_context(Parallel(n_jobs=self.n_workers, batch_size=1, pre_dispatch="n_jobs",
                                                      max_nbytes=SHARED_BYTES, mmap_mode="r"))

    def score(self, table, masks, seed, address, individuals, n_splits, shared, budget=None):
        """Return the scores of each subset by each model on each split: float64, shape (n, n_models, n_splits).

        `table` is a `Rows`; for the rest see `Objectives.evaluate`.
        """
        budget = Budget() if budget is None else budget
        tasks = [(mask, seed, (*address, 0 if shared else int(number)), n_splits)
                 for mask, number in zip(masks, individuals, strict=True)]
        found = [None] * len(tasks)
        with one_thread():
            if self.pool is None:
                with self.tally.collecting():
                    for place, task in enumerate(tasks):
                        found[place] = self.score_subset(table, *task)
                        budget.check()
            else:
                # batch i has the tasks i, i + step, ...: neighbouring subsets are often of one size
                step = max(BATCHES * self.n_workers, int(len(tasks) * self.seconds / BATCH_SECONDS))
                step = max(1, min(len(tasks), step))
                begun = time.perf_counter()
                for place, (batch, tally) in enumerate(self.batches(table, tasks, step, budget)):
                    found[place::step] = batch
                    self.tally.add([tally])
                budget.check()  # raises Interrupted, if that has ended the batches early
                self.seconds = (time.perf_counter() - begun) * self.n_workers / max(1, len(tasks))
        scores = np.array(found, dtype=np.float64).reshape(len(masks), -1, len(self.models))
        return np.ascontiguousarray(scores.swapaxes(1, 2))

    def batches(self, table, tasks, step, budget):
        """Return the results of `score_batch`, one for each of `step` batches: list. Batch i is tasks[i::step].

        A signal to this process may also reach and kill workers: their failure then counts as the signal.
        """
        from sklearn.utils.parallel import delayed

        def run_batches():
            return self.pool(delayed(score_batch)(self, table, tasks[place::step])
                             for place in until_interrupted(range(step), budget.check))

        try:
            return run_batches()
        except (BrokenExecutor, KeyboardInterrupt) as error:
            here = isinstance(error, KeyboardInterrupt) and error.__cause__ is None  # raised by no worker
            if here or not budget.stopped:
                raise
            self.start_workers()  # the old pool would first return the results of its pending calls
            budget.check()
            return run_batches()

    def score_subset(self, table, mask, seed, address, n_splits):
        """Return the scores of a subset by all models on each split: flat list; `address` ends with its number."""
        X, scores = self.columns(np.flatnonzero(mask), table.seen), []
        fixed = self.splits if table.splits is None else table.splits
        splits = fixed if fixed is not None else table.drawn(seed, address, n_splits)
        for test, (train, validation) in enumerate(splits):
            purpose, *rest = address
            for estimator, scorer, seeded in self.models:
                model = clone(estimator)
                seed_model(model, seeded, seed, (Purpose.ESTIMATOR << 8 | purpose, *rest, test))
                model.fit(X[table.places(train)], self.classes[self.labels[train]], **self.metadata.at("fit", train))
                value = scorer(model, X[table.places(validation)], self.classes[self.labels[validation]],
                               **self.metadata.at("score", validation))
                scores.append(check_returned("scoring", value))
        return scores

    def columns(self, features, rows):
        """Return the columns `features` of some rows of X, None = of all; CSR if X is sparse."""
        if issparse(self.X):
            X = self.X[:, features].tocsr()
            return X if rows is None else X[rows]
        return self.X[:, features] if rows is None else self.X[np.ix_(rows, features)]


def score_batch(scorer, table, tasks):
    """Return the scores of each task, of `score_subset`, and the `Tally` of their warnings: one call of a worker."""
    from joblib import parallel_config

    if os.getpid() != scorer.process and threading.current_thread() is threading.main_thread():
        # Ctrl-C in a terminal reaches the workers too, but only the process of the search acts on it
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    tally = Tally()
    with one_thread(), parallel_config("sequential"), tally.collecting():
        rows = [scorer.score_subset(table, *task) for task in tasks]
    return rows, tally
