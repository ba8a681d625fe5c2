"""Cross-fitting: the whole search is repeated on each fold, and the deployed model answers for the samples held out.

The samples that a fold holds out have no part in its coding, scaling, prior, rankings, search or candidates.
"""

import itertools
import math
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import numpy as np

from moeliga.base.budget import Budget, Interrupted
from moeliga.base.memory import n_concurrent, trim_heap
from moeliga.base.random_streams import fold_seed
from moeliga.base.threads import local_backend_if_lost
from moeliga.base.warning_filters import warn
from moeliga.data.subsets import bits_of
from moeliga.search.build import build
from moeliga.validation.answers import Answers
from moeliga.validation.candidates import baselines_of, size_ranges
from moeliga.validation.deployed import Deployed
from moeliga.validation.fold import Fold
from moeliga.validation.folds import folds_of
from moeliga.validation.front import honest_fronts
from moeliga.validation.replay import Score
from moeliga.validation.searches import ThreadedSearches, parallel_searches, search_one
from moeliga.validation.thread_shares import ThreadShares
from moeliga.validation.time_left import TimeLeft

WORTH_SECONDS = 3.0
"""Shortest search, in seconds, for which the searches on folds are sent to other workers."""


class CrossFitting:
    """Run the searches on the folds of a fit; there are none without a deployed model, or if the data allow no folds.

    `ready` is the `Preparation` of the final search, that on all samples: its baselines and its share of the time are
    set here. `watchers` are the package's own callbacks; `run` needs `stops`, the `Stopping` of the fit. `reason` says
    why some folds are not done, see `Budget.reason`; `n_evaluations` counts those of the searches on folds.
    """

    def __init__(self, plan, ready, watchers=(), stops=None):
        self.plan, self.ready, self.watchers, self.stops = plan, ready, watchers, stops
        self.problem, self.metadata, self.seed = ready.problem, ready.metadata, ready.search.seed
        self.folds, self.done, self.reason, self.n_evaluations, self.baselines = [], [], None, 0, []
        self.parallel, self.parallel_folds = None, []  # the results of parallel searches on these folds, or None
        self.own_share = ExitStack()  # holds the threads of the final search while fold searches run
        self.time_left = TimeLeft(ready.search.budget.max_time, ready.seconds)
        if plan.model is not None:
            self.folds = folds_of(plan.honest, self.problem, self.metadata, self.seed, plan.scoring, plan.cv)
        if self.folds:
            self.score = Score.of(plan, self.problem, self.metadata)
            self.deployed = Deployed(plan.model, self.problem, self.metadata, self.seed, plan.n_jobs,
                                     self.score.scorer is not None)
            baselines = baselines_of(ready)
            self.baselines = list(baselines)
            ready.search.baselines = bits_of(np.array(list(baselines.values())))
            ready.search.budget.restart(1 + len(self.folds))

    def callbacks_for(self, number):
        """Return the callbacks of the search on fold `number`, None = of the final search."""
        def with_fold(callback, state):
            return callback(replace(state, fold=number, n_folds=len(self.folds), fit_seconds_left=self.time_left()))
        return [partial(with_fold, callback) for callback in (*self.watchers, *self.plan.callbacks)]

    def estimate(self, one):
        """Return the `TimeEstimate` of the whole fit, given that of one search."""
        if self.folds:
            ready, model = self.ready.seconds, self.model_seconds()  # each fold ranks and codes the features anew
            most = math.inf if self.plan.max_time is None else max(self.plan.max_time, ready) + model
            seconds, low, high = ((value + ready + model) * len(self.folds) for value in (one.seconds, *one.interval))
            n = int(one.n_evaluations * (1 + len(self.folds)) * min(1.0, most / max(seconds, 1e-12)))
            one = replace(one, seconds=min(seconds, most), n_evaluations=n, interval=(min(low, most), min(high, most)))
        return one

    def model_seconds(self):
        """Measure and return the seconds that the model takes for one fold, see `Deployed.seconds`."""
        whole = self.ready.search.whole
        masks = whole.masks(whole.chromosomes(self.ready.search.baselines))
        sizes = np.concatenate(([most for _, most in size_ranges(self.ready.bands)], masks.sum(axis=1)))
        return self.deployed.seconds(masks, sizes, *self.folds[0], lambda: self.time_left() <= 0)

    def missing_folds(self, keep):
        """Return the numbers of the folds that the `Saver` lacks, or that were searched less far: list of int."""
        found = [keep.fold(number, self.restore_fold) for number in range(len(self.folds))]
        return [number for number, fold in enumerate(found) if fold is None or not fold.extent.suffices(self.plan)]

    def begin(self, keep):
        """Start searches on folds in parallel with the final search, if there are threads or a cluster for them.

        `keep` is the `Saver` of the searches. The deployed model is tried first. `close` must be called in the end.
        """
        search, missing, shares = self.ready.search, self.missing_folds(keep), None
        if not missing:
            return
        remote, whole = search.objectives.remote, search.whole
        if self.time_left.max_time is None:  # with a limit it is tried when its time is measured
            with search.budget.interruptible():
                self.deployed.try_out(whole.masks(whole.chromosomes(search.baselines[:1])), *self.folds[0], self.score)
        if remote is None:
            n_further = n_concurrent(self.ready.needs, len(missing)) if self.independent() else 0
            most = min(self.deployed.n_workers, 1 + n_further)
            if most < 2:
                self.reserve_first_share(len(missing))
                return
            shares = ThreadShares(search.objectives.n_threads, most)
        else:
            first = whole.subsets(whole.chromosomes(self.ready.bits))
            work = self.plan.n_generations * search.objectives.work(search.ground, first)
            if not (self.independent() and remote.serves_threads
                    and self.worthwhile(missing, work / search.objectives.n_threads)):
                return
            most = 1 + len(missing)
        self.time_model(search.budget)
        search.budget.restart()  # the model's fits count, too
        folds = self.choose_folds(missing, 1, most)
        started, n_jobs = itertools.count(), self.plan.n_jobs if shares is None else 1

        def seconds_for_next():
            return self.time_left.parallel_share(len(folds), 1 + len(folds) - next(started), most)

        search.budget.max_time = seconds_for_next()
        if not folds:
            return
        if shares is None:
            remote.n_searches = 1 + len(folds)
        else:
            search.objectives.share = self.own_share.enter_context(shares.acquire())
        self.parallel = ThreadedSearches(lambda: replace(self.fold_plan(seconds_for_next()), n_jobs=n_jobs),
                                {number: partial(self.training_part, number) for number in folds}, keep, shares)

    def reserve_first_share(self, n_missing):
        """Set the share of the time for the final search when the searches on folds follow it."""
        if self.time_left.max_time is not None:
            budget = self.ready.search.budget
            self.time_model(budget)
            budget.restart()
            budget.max_time = max(0.0, self.time_left.first_share(n_missing, len(self.folds) - n_missing))

    def close(self):
        """Stop the parallel searches that are still running."""
        self.own_share.close()
        if self.parallel is not None:
            self.parallel.close()

    def run(self, keep, seconds):
        """Search each fold and get the answers of the deployed model, until a signal comes or the time is over.

        `keep` is the `Saver` of the searches, `seconds` the time that the final search took.
        """
        missing = self.missing_folds(keep)
        if missing:
            self.ready.search.sampler.ground = None  # free its coded data
            trim_heap()
        self.own_share.close()
        if missing and self.parallel is None:
            self.begin_later(missing, self.worthwhile(missing, seconds))
        for number in range(len(self.folds)):
            found = keep.fold(number, self.restore_fold)
            if number in missing and self.reason is None:  # else keep what an earlier run found
                found = self.search(number, keep) or found
            if found is None:
                break
            self.done.append(found)
            self.n_evaluations += found.n_evaluations

    def begin_later(self, missing, worthwhile):
        """Start the searches on folds after the final search in the workers of a cluster, if that is `worthwhile` and
        `begin` could not use these. After a signal start none, and set `reason`."""
        budget = Budget()
        with self.stops.ending(budget):
            try:
                self.time_model(budget)
            except Interrupted:
                if budget.abandoned:
                    raise
                self.reason = budget.reason
                return
        remote = self.ready.search.objectives.remote
        if remote is not None and not remote.serves_threads and worthwhile and self.independent():
            most = min(self.deployed.n_workers, len(missing))
            folds = self.choose_folds(missing, 0, most)
            if folds:
                plan = replace(self.fold_plan(self.time_left.parallel_share(len(folds), len(folds), most)), n_jobs=-1)
                self.parallel = parallel_searches(((plan, *self.training_part(number)) for number in folds), most)

    def worthwhile(self, missing, seconds):
        """Return True if several searches of `seconds` each are worth sending to other workers."""
        return len(missing) > 1 and seconds >= WORTH_SECONDS and self.deployed.n_workers > 1

    def independent(self):
        """Return True unless the searches call code of the user, or already use joblib's workers for evaluations."""
        plan, objectives = self.plan, self.ready.search.objectives
        prior = None if plan.feature_prior is None else plan.feature_prior.score_func
        return (objectives.scorer is None and not any(map(callable, (*objectives.terms, prior)))
                and not plan.callbacks and not hasattr(plan.cv, "split"))

    def time_model(self, budget):
        """Measure the model's seconds for a fold, once, if `max_time` is set and not over; Interrupted by a signal."""
        if self.time_left.max_time is not None and self.time_left() > 0 and not self.time_left.model_seconds:
            with budget.interruptible():
                self.time_left.model_seconds = self.model_seconds()

    def choose_folds(self, missing, n_running, most):
        """Set and return `parallel_folds`, the first missing folds for which there is time: list of int."""
        n_done = len(self.folds) - len(missing)
        self.parallel_folds = missing[: self.time_left.n_affordable(len(missing), n_done, n_running, most)]
        return self.parallel_folds

    def fold_plan(self, max_time):
        """Return the plan of a parallel search on a fold: `max_time` seconds, no callbacks, no checkpoint."""
        return replace(self.plan, max_time=max_time, checkpoint=None, callbacks=[], random_state=None)

    def training_part(self, number):
        """Return the training part of a fold: (problem, feature names, metadata, seed)."""
        train, _ = self.folds[number]
        return (self.problem.part(train), self.ready.feature_names, self.metadata.part(train),
                fold_seed(self.seed, number))

    def search(self, number, keep):
        """Return the `Fold` of a search and the model's answers; None if there is no time or a signal has come."""
        parallel, n_done = self.parallel, len(self.done)
        if parallel is None:
            share = self.time_left.share(len(self.folds) - number, n_done)
            over = share is not None and share <= self.time_left.build_seconds
        else:
            share, over = None, number not in self.parallel_folds or self.time_left(max(1 - n_done, 0)) <= 0
        if over:
            self.reason = "max_time"
            return None
        budget = Budget(self.plan.max_evaluations if parallel is None else None, share)
        with self.stops.ending(budget):
            try:
                if parallel is None:
                    plan = replace(self.plan, max_time=share, checkpoint=None)
                    with local_backend_if_lost("loky"):
                        ready = self.build_fold(plan, number, budget)
                        found = search_one(plan, ready, number, keep, self.callbacks_for(number))
                    ready = None  # free its data before the model is fitted
                    trim_heap()
                else:
                    with budget.interruptible():
                        found = next(parallel)
                    for watcher in self.watchers:
                        watcher.fold_done(number)
                slots, supports, n_evaluations, extent = found
                started = time.monotonic()
                with budget.interruptible():
                    answers = self.deployed.answers_for(supports, *self.folds[number], number,
                                                        self.time_left.checker(budget))
                self.time_left.model_seconds = time.monotonic() - started
                common = set(answers).intersection(*(fold.answers for fold in self.done))
                if not n_done or common < set(self.done[0].answers):
                    self.score.check(self.problem, self.metadata, common)
            except Interrupted:
                self.close()
                if budget.abandoned:
                    raise
                self.reason = budget.reason
                self.n_evaluations += budget.n_evaluations
                return None
        trim_heap()
        self.reason = budget.reason if budget.stopped else self.reason  # a signal that came after the last check
        fold = Fold(slots, supports, answers, n_evaluations, extent)
        keep.finish(number, fold.state())
        return fold

    def build_fold(self, plan, number, budget):
        """Return the `Preparation` of the search on a fold; Interrupted if the budget ends before it is built."""
        budget.timed = True
        with budget.interruptible():
            ready = build(plan, *self.training_part(number), budget=budget)
        self.time_left.build_seconds, budget.timed = ready.seconds, False
        return ready

    def restore_fold(self, number, state):
        """Return the `Fold` that a checkpoint holds; any error means that the checkpoint is invalid."""
        return Fold.restored(state, self.problem, len(self.folds[number][1]), self.baselines[-1])

    def answers(self):
        """Return the `Answers` of the folds that are done, None for fewer than two folds or without any score."""
        if len(self.done) < 2:
            return None
        slots = self.slots()
        places = [[fold.slots.index(slot) for slot in slots] for fold in self.done]
        methods = set.intersection(*(set(fold.answers) for fold in self.done))
        folds = self.folds[: len(self.done)]
        rows, problem = np.concatenate([test for _, test in folds]), self.problem
        groups = self.metadata.split.get("groups")
        kept = replace(self.metadata, fit={}, split={})  # scorers need only its `score` entries
        return Answers(
            slots, rows, np.repeat(np.arange(len(folds)), [len(test) for _, test in folds]),
            {method: np.concatenate([fold.answers[method][order] for fold, order in
                                     zip(self.done, places, strict=True)], axis=1) for method in sorted(methods)},
            problem.y[rows] if problem.regression else problem.labels[rows],
            None if problem.regression else problem.values, self.score.scorer, kept,
            rows if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1][rows],
            float(np.mean([len(test) / len(train) for train, test in folds])), self.seed, problem.single,
            *self.score[1:]).checked(min(len(train) for train, _ in folds))

    def supports(self):
        """Return the candidates of the finished folds: dict from Slot to ndarray of bool, (n_folds, n_features)."""
        return {slot: np.array([fold.supports[fold.slots.index(slot)] for fold in self.done]) for slot in self.slots()}

    def slots(self):
        """Return the slots that all finished folds have in common: list of Slot."""
        return [slot for slot in self.done[0].slots if all(slot in one.slots for one in self.done)] if self.done else []

    def fronts(self, outcome, answers):
        """Return the `Fronts` of the final search, with honest scores if there are answers."""
        return honest_fronts(self.ready, outcome, self.baselines, answers)

    def warn_if_short(self, reason):
        """Warn if not all folds are done; `reason` is why the final search has ended, or None."""
        if len(self.done) < len(self.folds):
            what = "honest scores use only these" if len(self.done) > 1 else "there are no honest scores"
            warn(f"{self.reason or reason} has ended the fit after {len(self.done)} of {len(self.folds)} folds: {what}")
