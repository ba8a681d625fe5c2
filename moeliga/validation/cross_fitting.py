"""Cross-fitting: the whole search again on each fold, and the deployed model's answers for the samples held out.

Nothing of a fold's samples has a part in its coding, scaling, prior, rankings, search or candidates.
"""

import time
import warnings
from dataclasses import astuple, dataclass, replace
from numbers import Integral

import numpy as np

from moeliga._ext import bits as bits_room
from moeliga.base.budget import Interrupted
from moeliga.base.checks import check_array, check_number
from moeliga.base.random_streams import fold_seed
from moeliga.base.signals import stop_signals, stopping
from moeliga.data.problem import Problem
from moeliga.evaluation.estimator_scorer import find_scorer
from moeliga.search.build import build
from moeliga.search.loop import outcome_of, run
from moeliga.search.progress import Progress
from moeliga.validation.answers import Answers
from moeliga.validation.candidates import Slot, baselines_of, candidates_of, slots_of
from moeliga.validation.deployed import Deployed
from moeliga.validation.folds import folds_of
from moeliga.validation.front import honest_fronts
from moeliga.validation.replay import METHODS


@dataclass(frozen=True, eq=False)
class Fold:
    """What a fold has found.

    Attributes
    ----------
    slots : list of Slot
    supports : ndarray of bool, shape (n_slots, n_features)
    answers : dict from method to ndarray, shape (n_slots, n_test, ...)
    n_evaluations : int
        Of its search.
    """

    slots: list
    supports: np.ndarray
    answers: dict
    n_evaluations: int


class CrossFitting:
    """The searches on the folds of a fit; none, where the plan has no deployed model, or the data no folds.

    Parameters
    ----------
    plan : Plan
    ready : Preparation
        Of the final search, on all samples. It gets its baselines, and its share of the time.
    callbacks : list of callables
        Called after each generation of each search.

    Attributes
    ----------
    folds : list of pairs (train, test) of ndarray of int64
    done : list of Fold
    reason : str or None
        Why not all folds are done, see `Budget.reason`.
    n_evaluations : int
        Of the folds' searches.
    """

    def __init__(self, plan, ready, callbacks):
        self.plan, self.ready, self.callbacks = plan, ready, callbacks
        self.problem, self.metadata, self.seed = ready.problem, ready.metadata, ready.search.seed
        self.folds, self.done, self.reason, self.n_evaluations, self.baselines = [], [], None, 0, {}
        self.asking = 0.0  # seconds that the model took for a fold, lately
        self.started = time.monotonic()
        if plan.model is not None:
            self.folds = folds_of(plan.honest, self.problem, self.metadata, self.seed)
        if self.folds:
            self.scorer = None if plan.model_scoring is None else find_scorer(plan.model, plan.model_scoring)
            self.deployed = Deployed(plan.model, self.problem, self.metadata, self.seed, plan.n_jobs,
                                     self.scorer is not None)
            self.baselines = baselines_of(ready)
            ready.search.baselines = bits_room.pack(np.array(list(self.baselines.values())).view(np.uint8))
            if plan.max_time is not None:
                ready.search.budget.max_time = plan.max_time / (1 + len(self.folds))

    def watched(self, number):
        """Return the callbacks of the search on a fold, None = on all samples."""
        def told(callback):
            return lambda state: callback(replace(state, fold=number, n_folds=len(self.folds)))

        return [told(callback) for callback in self.callbacks]

    def estimate(self, one):
        """Return the `TimeEstimate` of the whole fit, given that of a search; time counts from now."""
        if self.folds:
            train, test = self.folds[0]
            groups = list(self.baselines.values())
            mask = self.ready.search.whole.masks(self.ready.search.whole.chromosomes(
                bits_room.pack(groups[len(groups) // 2][None].view(np.uint8))))
            begun = time.perf_counter()
            self.deployed.ask(mask, train, test, 0)
            fit = (time.perf_counter() - begun) / min(self.deployed.n_workers, len(groups))
            n_asked = len(self.folds) * (len(slots_of(self.ready.bands)) + len(groups))
            one = replace(one, seconds=one.seconds * len(self.folds) + n_asked * fit,
                          n_evaluations=one.n_evaluations * (1 + len(self.folds)))
            if self.plan.max_time is not None:
                one = replace(one, seconds=min(one.seconds, self.plan.max_time + n_asked * fit / len(self.folds)))
        self.started = time.monotonic()
        return one

    def run(self, keep):
        """Search the folds, one after the other, and ask the deployed model; stop at a signal or without time.

        `keep` is the `Saver` of the searches, which knows those of an earlier run.
        """
        for number, (train, test) in enumerate(self.folds):
            found = keep.fold(number, self.restored)
            if found is None:
                share = None
                if self.plan.max_time is not None:
                    left = self.plan.max_time - (time.monotonic() - self.started)
                    share = left / (len(self.folds) - number) - self.asking
                    if share <= 0:
                        self.reason = "max_time"
                        break
                found = self.search(number, train, test, share, keep)
            if found is None:
                break
            self.done.append(found)
            self.n_evaluations += found.n_evaluations

    def search(self, number, train, test, max_time, keep):
        """Return what the search on the rows `train` has found and the model answers for `test`: Fold, or None."""
        plan = replace(self.plan, max_time=max_time, checkpoint=None)
        part = Problem(self.problem.X[train], self.problem.y[train], self.problem.regression)
        ready = build(plan, part, self.ready.feature_names, self.metadata.part(train), fold_seed(self.seed, number))
        search, progress = ready.search, Progress.begin(ready, plan.patience)
        budget, n_rescored = search.budget, plan.evaluation.n_rescore_splits
        with stopping(budget, stop_signals(), keep.saves), search.objectives.workers():
            try:
                with keep.during(number, search, progress):
                    run(search, ready.bits, plan.n_generations, n_rescored, progress, self.watched(number),
                        keep=keep.keep)
                if budget.urgent:
                    raise Interrupted
                budget.close()
                candidates = candidates_of(ready, outcome_of(search, progress, n_rescored))
                search.sampler.ground = None
                begun, masks = time.monotonic(), np.array(list(candidates.values()))
                with budget.immediately():
                    answers = self.deployed.ask(masks, train, test, number, budget.check)
                self.asking = time.monotonic() - begun
            except Interrupted:
                if budget.abandoned:
                    raise
                self.reason = budget.reason
                self.n_evaluations += budget.n_evaluations
                return None
        found = Fold(list(candidates), masks, answers, budget.n_evaluations)
        keep.finish(number, {**vars(found), "slots": [list(astuple(slot)) for slot in found.slots]})
        return found

    def restored(self, number, state):
        """Return the `Fold` of a checkpoint; any error means that it holds something else."""
        slots = [Slot(str(source), check_number("least", least, Integral, 1), check_number("most", most, Integral, 1))
                 for source, least, most in state["slots"]]
        n_slots, n_test = len(slots), len(self.folds[number][1])
        supports = check_array("supports", state["supports"], bool, n_slots, self.problem.X.shape[1])
        answers, n_classes, regression = dict(state["answers"]), len(self.problem.values), self.problem.regression
        for method, values in answers.items():
            if method not in METHODS or values.shape[:2] != (n_slots, n_test):
                raise ValueError(f"answers.{method} must be of {n_slots} subsets for {n_test} samples")
            if values.dtype != (np.int64 if method == "predict" and not regression else np.float64):
                raise ValueError(f"answers.{method} must be numbers, got {values.dtype}")
        if "predict" not in answers or len(set(slots)) < n_slots or slots[-1] != list(self.baselines)[-1]:
            raise ValueError("answers must hold predictions of distinct subsets, with all features last")
        if answers["predict"].ndim > 2 or not (
                regression or np.all((0 <= answers["predict"]) & (answers["predict"] < n_classes))):
            raise ValueError(f"answers.predict must be in [0, {n_classes})")
        return Fold(slots, supports, answers,
                    int(check_number("n_evaluations", state["n_evaluations"], Integral, 0)))

    def answers(self):
        """Return the answers of the folds that are done: Answers, or None for fewer than two."""
        if len(self.done) < 2:
            return None
        everywhere = set.intersection(*(set(fold.slots) for fold in self.done))
        slots = [slot for slot in self.done[0].slots if slot in everywhere]
        places = [[fold.slots.index(slot) for slot in slots] for fold in self.done]
        methods = set.intersection(*(set(fold.answers) for fold in self.done))
        folds = self.folds[: len(self.done)]
        rows = np.concatenate([test for _, test in folds])
        problem, groups = self.problem, self.metadata.split.get("groups")
        return Answers(
            slots, rows, np.repeat(np.arange(len(folds)), [len(test) for _, test in folds]),
            {method: np.concatenate([fold.answers[method][order] for fold, order in
                                     zip(self.done, places, strict=True)], axis=1) for method in sorted(methods)},
            problem.y[rows] if problem.regression else problem.labels[rows],
            None if problem.regression else problem.values, self.scorer, self.metadata,
            rows if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1][rows],
            float(np.mean([len(test) / len(train) for train, test in folds])), self.seed)

    def supports(self):
        """Return the candidates of the folds that are done: dict from Slot to ndarray of bool, (n_folds, n_features)."""
        found = {}
        for fold in self.done:
            for slot, support in zip(fold.slots, fold.supports, strict=True):
                found.setdefault(slot, []).append(support)
        return {slot: np.array(masks) for slot, masks in found.items() if len(masks) == len(self.done)}

    def fronts(self, outcome, answers):
        """Return the fronts of the final search, with honest scores if there are answers: Fronts."""
        return honest_fronts(self.ready, outcome, list(self.baselines), answers)

    def warn_if_short(self, reason):
        """Warn if fewer folds are done than were asked for; `reason` is why the final search has ended, or None."""
        if len(self.done) < len(self.folds):
            what = "honest scores are of these" if len(self.done) > 1 else "there are no honest scores"
            warnings.warn(f"{self.reason or reason} has ended the fit after {len(self.done)} of {len(self.folds)} folds: "
                          f"{what}", UserWarning, stacklevel=3)
