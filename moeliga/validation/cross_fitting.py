"""Cross-fitting: the whole search again on each fold, and the deployed model's answers for the samples held out.

Nothing of a fold's samples has a part in its coding, scaling, prior, rankings, search or candidates.
"""

import itertools
import math
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import numpy as np

from moeliga.base.budget import Budget, Interrupted
from moeliga.base.memory import give_back, n_beside
from moeliga.base.random_streams import fold_seed
from moeliga.base.threads import at_hand
from moeliga.base.warning_filters import warn
from moeliga.data.subsets import bits_of
from moeliga.search.build import build
from moeliga.validation.answers import Answers
from moeliga.validation.candidates import baselines_of, slots_of
from moeliga.validation.crew import Crew
from moeliga.validation.deployed import Deployed
from moeliga.validation.fold import Fold
from moeliga.validation.folds import folds_of
from moeliga.validation.front import honest_fronts
from moeliga.validation.replay import Score
from moeliga.validation.searches import Threads, search_one, side_by_side
from moeliga.validation.time_left import TimeLeft

WORTH_SECONDS = 3.0
"""Least seconds of a search for which the folds are tasks of workers elsewhere."""


class CrossFitting:
    """The searches on the folds of a fit; none, where the plan has no deployed model, or the data no folds.

    `ready`, the `Preparation` of the final search, gets its baselines, and its share of the time. `own` are watchers of
    the package, called as the user's callbacks are; `stops` is the `Stopping` of the fit, if `run` is to be called.
    `reason` says why not all folds are done, see `Budget.reason`; `n_evaluations` are those of the folds' searches.
    """

    def __init__(self, plan, ready, own=(), stops=None):
        self.plan, self.ready, self.own, self.stops = plan, ready, own, stops
        self.problem, self.metadata, self.seed = ready.problem, ready.metadata, ready.search.seed
        self.folds, self.done, self.reason, self.n_evaluations, self.baselines = [], [], None, 0, []
        self.searched, self.begun = None, []  # an iterator of what searches of these folds side by side find, or None
        self.place = ExitStack()  # of the search on all samples, beside others
        self.left = TimeLeft(ready.search.budget.max_time, ready.seconds)  # for all that is still to come
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

    def watched(self, number):
        """Return the callbacks of the search on a fold, None = on all samples."""
        def asked(callback):
            return lambda state: callback(
                replace(state, fold=number, n_folds=len(self.folds), fit_seconds_left=self.left()))
        return list(map(asked, (*self.own, *self.plan.callbacks)))

    def estimate(self, one):
        """Return the `TimeEstimate` of the whole fit, given that of a search."""
        if self.folds:
            ready, asking = self.ready.seconds, self.expected()  # each fold ranks the features, and codes them, anew
            most = math.inf if self.plan.max_time is None else max(self.plan.max_time, ready) + asking
            seconds, low, high = ((value + ready + asking) * len(self.folds) for value in (one.seconds, *one.interval))
            n = int(one.n_evaluations * (1 + len(self.folds)) * min(1.0, most / max(seconds, 1e-12)))
            one = replace(one, seconds=min(seconds, most), n_evaluations=n, interval=(min(low, most), min(high, most)))
        return one

    def expected(self):
        """Return the seconds that the model takes for a fold, see `Deployed.seconds`."""
        whole = self.ready.search.whole
        masks = whole.masks(whole.chromosomes(self.ready.search.baselines))
        sizes = np.concatenate(([most for _, most in slots_of(self.ready.bands)], masks.sum(axis=1)))
        return self.deployed.seconds(masks, sizes, *self.folds[0], lambda: self.left() <= 0)

    def missing(self, keep):
        """Return the numbers of the folds that the `Saver` does not know from an earlier run that has searched them as
        far as this one will: list of int."""
        found = [keep.fold(number, self.restored) for number in range(len(self.folds))]
        return [number for number, fold in enumerate(found) if fold is None or not fold.extent.suffices(self.plan)]

    def begin(self, keep):
        """Begin the searches on folds now, beside that on all samples, if there are threads or a cluster for several.

        `keep` is the `Saver` of the searches. `close` must be called in the end. The deployed model is tried first.
        """
        search, missing, crew = self.ready.search, self.missing(keep), None
        remote, n, whole = search.objectives.remote, 1 + len(missing), search.whole
        if not missing:
            return
        if self.left.max_time is None:  # else it is asked to be measured
            with search.budget.immediately():
                self.deployed.try_out(whole.masks(whole.chromosomes(search.baselines[:1])), *self.folds[0], self.score)
        independent = self.independent()
        if remote is None:
            most = min(n, self.deployed.n_workers, 1 + n_beside(self.ready.needs, len(missing))) if independent else 1
            if most < 2:
                self.in_turn(len(missing))
                return
            crew = Crew(search.objectives.n_threads, most)
        else:
            first = whole.subsets(whole.chromosomes(self.ready.bits))
            work = self.plan.n_generations * search.objectives.work(search.ground, first)
            if not (independent and remote.serves_threads
                    and self.worthwhile(missing, work / search.objectives.n_threads)):
                return
            most = n
        self.learn(search.budget)
        search.budget.restart()  # the model's fits count, too
        if not self.choose(missing, 1, most):
            search.budget.max_time = self.left.share_beside(0, 1, most)
            return
        started, n_jobs = itertools.count(), self.plan.n_jobs if crew is None else 1

        def share():
            """Return the seconds of a search that begins now."""
            return self.left.share_beside(len(self.begun), 1 + len(self.begun) - next(started), most)

        search.budget.max_time = share()
        if crew is None:
            remote.n_searches = 1 + len(self.begun)
        else:
            search.objectives.share = self.place.enter_context(crew.place())
        self.searched = Threads(lambda: replace(self.alone(share()), n_jobs=n_jobs),
                                {number: partial(self.data, number) for number in self.begun}, keep, crew)

    def in_turn(self, n_missing):
        """Give the search on all samples, before those on folds, its share of the time."""
        if self.left.max_time is not None:
            budget = self.ready.search.budget
            self.learn(budget)
            budget.restart()
            budget.max_time = max(0.0, self.left.first_share(n_missing, len(self.folds) - n_missing))

    def close(self):
        """End the searches that are still under way."""
        self.place.close()
        if self.searched is not None:
            self.searched.close()

    def run(self, keep, seconds):
        """Search the folds and ask the deployed model; stop at a signal or without time.

        `keep` is the `Saver` of the searches, and `seconds` is how long the search on all samples took.
        """
        missing = self.missing(keep)
        if missing:
            self.ready.search.sampler.ground = None  # its coded data make room for others
            give_back()
        self.place.close()
        if missing and self.searched is None:
            self.begin_later(missing, self.worthwhile(missing, seconds))
        for number in range(len(self.folds)):
            found = keep.fold(number, self.restored)
            if number in missing and self.reason is None:  # what an earlier run has found is better than nothing
                found = self.search(number, keep) or found
            if found is None:
                break
            self.done.append(found)
            self.n_evaluations += found.n_evaluations

    def begin_later(self, missing, worthwhile):
        """Begin the searches on folds after that on all samples, by workers elsewhere if that is worthwhile and they
        have not been asked in `begin`. A signal is a `reason` to begin none."""
        budget = Budget()
        with self.stops.ending(budget):
            try:
                self.learn(budget)
            except Interrupted:
                if budget.abandoned:
                    raise
                self.reason = budget.reason
                return
        remote = self.ready.search.objectives.remote
        if remote is not None and not remote.serves_threads and worthwhile and self.independent():
            most = min(self.deployed.n_workers, len(missing))
            if self.choose(missing, 0, most):
                plan = replace(self.alone(self.left.share_beside(len(self.begun), len(self.begun), most)), n_jobs=-1)
                self.searched = side_by_side(((plan, *self.data(number)) for number in self.begun), most)

    def worthwhile(self, missing, seconds):
        """Return True if searches of `seconds` each take longer than to begin them elsewhere."""
        return len(missing) > 1 and seconds >= WORTH_SECONDS and self.deployed.n_workers > 1

    def independent(self):
        """Return True unless the searches on folds call what is the user's, or joblib has the workers already."""
        plan, objectives = self.plan, self.ready.search.objectives
        prior = None if plan.feature_prior is None else plan.feature_prior.score_func
        return (objectives.scorer is None and not any(map(callable, (*objectives.terms, prior)))
                and not plan.callbacks and not hasattr(plan.cv, "split"))

    def learn(self, budget):
        """Measure what the model takes for a fold, if `max_time` is set and not over; Interrupted after a signal."""
        if self.left.max_time is not None and self.left() > 0 and not self.left.asking:
            with budget.immediately():
                self.left.asking = self.expected()

    def choose(self, missing, n_beside, most):
        """Note the folds to search side by side, those of which there is time for: list of int."""
        self.begun = missing[:self.left.enough_for(len(missing), len(self.folds) - len(missing), n_beside, most)]
        return self.begun

    def alone(self, max_time):
        """Return the plan of a search on a fold for `max_time` seconds, without callbacks and checkpoint."""
        return replace(self.plan, max_time=max_time, checkpoint=None, callbacks=[], random_state=None)

    def data(self, number):
        """Return the training part of a fold: (problem, feature names, metadata, seed)."""
        train, _ = self.folds[number]
        return (self.problem.part(train), self.ready.feature_names, self.metadata.part(train),
                fold_seed(self.seed, number))

    def search(self, number, keep):
        """Return the candidates of a search on a fold, and the answers for the samples held out: Fold, or None."""
        searched, n_done = self.searched, len(self.done)
        if searched is None:
            share = self.left.share(len(self.folds) - number, n_done)
            over = share is not None and share <= self.left.building
        else:
            share, over = None, number not in self.begun or self.left(max(1 - n_done, 0)) <= 0
        if over:
            self.reason = "max_time"
            return None
        budget = Budget(self.plan.max_evaluations if searched is None else None, share)
        with self.stops.ending(budget):
            try:
                if searched is None:
                    plan = replace(self.plan, max_time=share, checkpoint=None)
                    with at_hand("loky"):
                        ready = self.built(plan, number, budget)
                        found = search_one(plan, ready, number, keep, self.watched(number))
                    ready = None  # its rows make room for those of the model
                    give_back()
                else:
                    with budget.immediately():
                        found = next(searched)
                    for watcher in self.own:
                        watcher.fold_done(number)
                begun = time.monotonic()
                with budget.immediately():
                    answers = self.deployed.ask(found[1], *self.folds[number], number, self.left.ending(budget))
                self.left.asking = time.monotonic() - begun
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
        give_back()
        self.reason = budget.reason if budget.stopped else self.reason  # a signal that came after the last check
        found = Fold(*found[:2], answers, *found[2:])
        keep.finish(number, found.state())
        return found

    def built(self, plan, number, budget):
        """Return the `Preparation` of the search on a fold; Interrupted if the budget ends before it is built."""
        budget.timed = True
        with budget.immediately():
            ready = build(plan, *self.data(number), budget=budget)
        self.left.building, budget.timed = ready.seconds, False
        return ready

    def restored(self, number, state):
        """Return the `Fold` of a checkpoint; any error means that it holds something else."""
        return Fold.restored(state, self.problem, len(self.folds[number][1]), self.baselines[-1])

    def answers(self):
        """Return the answers of the folds that are done: Answers, or None for fewer than two, or without any score."""
        if len(self.done) < 2:
            return None
        slots = self.common()
        places = [[fold.slots.index(slot) for slot in slots] for fold in self.done]
        methods = set.intersection(*(set(fold.answers) for fold in self.done))
        folds = self.folds[: len(self.done)]
        rows = np.concatenate([test for _, test in folds])
        problem, groups = self.problem, self.metadata.split.get("groups")
        kept = replace(self.metadata, fit={}, split={})  # scores need no more of it
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
        """Return the candidates of the folds that are done: dict from Slot to bool, shape (n_folds, n_features)."""
        return {slot: np.array([fold.supports[fold.slots.index(slot)] for fold in self.done]) for slot in self.common()}

    def common(self):
        """Return the slots that all folds have that are done: list of Slot."""
        first = self.done[0].slots if self.done else []
        return [slot for slot in first if all(slot in fold.slots for fold in self.done)]

    def fronts(self, outcome, answers):
        """Return the fronts of the final search, with honest scores if there are answers: Fronts."""
        return honest_fronts(self.ready, outcome, self.baselines, answers)

    def warn_if_short(self, reason):
        """Warn if fewer folds are done than were asked for; `reason` is why the final search has ended, or None."""
        if len(self.done) < len(self.folds):
            what = "honest scores are of these" if len(self.done) > 1 else "there are no honest scores"
            warn(f"{self.reason or reason} has ended the fit after {len(self.done)} of {len(self.folds)} folds: {what}")
