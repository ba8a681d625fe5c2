"""Out-of-fold answers of the deployed model, and the bias-corrected score of a choice by them (BBC-CV)."""

from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga.base.cached_property import cached_property
from moeliga.base.checks import check_returned
from moeliga.base.warning_filters import quiet, warn
from moeliga.results.assessment import Assessment
from moeliga.results.honesty import Honesty
from moeliga.results.proportions import difference_distances, mean_distances, newcombe_distances, wilson_distances
from moeliga.validation.bootstrap import (
    bootstrap_samples,
    excess_variance,
    finite_mean,
    mixed_estimate,
    out_of_bag,
    quantile_distances,
    r2,
    uar,
    weight_632_plus,
)
from moeliga.validation.replay import ReplayClassifier, ReplayRegressor, labels_of

N_BOOTSTRAPS, N_SCORED, MOST_DRAWN, LEAST_BOOTSTRAPS = 500, 50, 10_000_000, 20
"""Number of bootstrap samples for UAR and R2; number for other scorers, which are called for each sample; most answers
in all samples together, which reduces both numbers; least number of samples in any case."""

ROUNDING = 1e-9
"""Largest difference that rounding may make between equal scores: scores are sums over thousands of samples."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of the deployed model for each slot and each sample held out, fold after fold."""

    slots: list[Any]  # of Slot
    rows: NDArray[np.int64]  # shape (n_answers,): rows of X, fold after fold
    fold: NDArray[np.int64]  # shape (n_answers,)
    answers: dict[str, NDArray[Any]]  # method to shape (n_slots, n_answers, ...); predicted classes as indices
    y: NDArray[Any]  # shape (n_answers,): int64, indices in `classes`; float64 for a regressor
    classes: NDArray[Any] | None  # None for a regressor
    scorer: Any  # None: UAR, or R2
    metadata: Any  # of all rows of X, for the scorer
    units: NDArray[np.int64]  # shape (n_answers,): samples with one number, such as a group, are drawn together
    share: float  # see `Honesty`
    seed: NDArray[np.uint64]
    single: NDArray[np.int64]  # classes that UAR does not count, see `Problem.single`
    best: float = 1.0  # the score of perfect answers
    least: float = -np.inf  # the smallest possible score; for UAR 0 is used instead
    unit: bool = True  # see `Honesty`

    @property
    def score_bounds(self):
        """The smallest and largest possible score: two floats. UAR is in [0, 1], other scores in [`least`, `best`];
        without an upper bound if `best` is NaN, or if a candidate scores higher."""
        least = 0.0 if self.scorer is None and self.classes is not None else self.least
        known = not np.isnan(self.best) and not (self.honesty.score > self.best + ROUNDING).any()
        return least, self.best if known else np.inf

    @property
    def n_folds(self):
        return int(self.fold.max(initial=-1)) + 1

    @cached_property
    def n_disjoint_folds(self):
        """Number of folds that together hold out each sample, or group, once: `n_folds` unless folds overlap: float."""
        units, unit = np.unique(self.units, return_inverse=True)
        held_out = np.unique(self.fold * len(units) + unit)  # pairs of fold and unit
        return self.n_folds * len(units) / len(held_out)

    @cached_property
    def uar_classes(self):
        """The classes that UAR averages over: those held out, without those of a single sample."""
        return np.setdiff1d(self.y, self.single)

    @cached_property
    def complete_folds(self):
        """True for folds that hold out every counted class, or of a regressor: bool, shape (n_folds,)."""
        if self.classes is None:
            return np.ones(self.n_folds, dtype=bool)
        held = [np.bincount(self.fold[self.y == label], minlength=self.n_folds) > 0 for label in self.uar_classes]
        return np.logical_and.reduce(held) if held else np.zeros(self.n_folds, dtype=bool)

    @cached_property
    def lacks_class(self):
        """True if no answer is for a sample of some class, as where folds are left out: bool."""
        return self.classes is not None and len(np.unique(self.y)) < len(self.classes)

    @cached_property
    def honesty(self):
        """The scores of all slots: `Honesty`; ValueError if the scorer refuses the answers of every slot."""
        every = np.arange(len(self.slots))
        one = np.ones((len(self.rows), 1))
        by_fold = (self.fold[:, None] == np.arange(self.n_folds)).astype(np.float64)
        whole = self.weighted_scores(every, one)[:, 0]
        if len(self.scorer_errors) == len(every):
            raise self.scorer_errors[0]
        return Honesty(whole, self.weighted_scores(every, by_fold), self.share, self.constant(), self.unit)

    def constant(self):
        """Return True if the model gave one answer for all samples and all slots in each fold, although the true
        values differ in some fold: it has learnt nothing."""
        first = np.searchsorted(self.fold, self.fold)  # place of the first answer of the same fold
        return bool((self.y != self.y[first]).any()
                    and all((values == values[:1, first]).all() for values in self.answers.values()))

    def checked(self, n_train):
        """Return the answers, or None with a warning if no candidate has a score; warn of scores that tell nothing.

        `n_train` is the smallest number of samples to which the model was fitted.
        """
        if self.classes is not None and len(np.unique(self.y)) < 2:
            warn(f"the folds that are done hold out samples of class {self.classes[self.y[0]]!s} alone: there "
                 "are no honest scores")
            return None
        if not np.isfinite(self.honesty.score).any():
            warn("scoring gives no finite number for the predictions of any candidate: there are no honest scores")
            return None
        if self.scorer_errors:
            place, error = next(iter(self.scorer_errors.items()))
            slot, n = self.slots[place], f"{len(self.scorer_errors)} of {len(self.slots)}"
            warn(f"scoring fails for the predictions of {n} candidates, which get no honest score, such as "
                 f"{slot.source!r} with up to {slot.most:,} features: {error}")
        if self.honesty.constant:
            warn("estimator predicts the same for all samples held out by a fold, whatever the features: it learns "
                 f"nothing from {n_train:,} samples, and honest scores cannot distinguish subsets")
        return self

    def weighted_scores(self, slots, weights):
        """Return the scores of slots on weighted samples: float64, shape (n_slots, n_draws); NaN = no score.

        `weights`, whole numbers of any dtype, shape (n_answers, n_draws), say how often each answer counts in a draw.
        """
        if self.scorer is not None:
            found = np.array([[self.scorer_value(slot, np.repeat(np.arange(len(self.y)), draw.astype(np.int64)))
                               for draw in weights.T] for slot in slots]).reshape(len(slots), weights.shape[1])
        else:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                found = (r2(self.answers["predict"][slots], self.y, weights) if self.classes is None
                         else uar(self.answers["predict"][slots], self.y, weights, self.uar_classes))
        found[~np.isfinite(found)] = np.nan
        return found

    def scorer_value(self, slot, places):
        """Return the scorer's value for the answers of a slot at some places: float; NaN if the scorer refuses them."""
        found = {method: values[slot][places] for method, values in self.answers.items()}
        model, y = ReplayRegressor(found), self.y[places]
        if self.classes is not None:
            found["predict"], y = labels_of(found["predict"], self.classes), self.classes[y]
            model = ReplayClassifier(found, self.classes)
        rows = self.rows[places]
        part = len(np.unique(places)) < len(self.y) or self.lacks_class  # a class may be missing
        try:
            with quiet(hidden=part):
                value = self.scorer(model, rows[:, None], y, **self.metadata.at("score", rows))
        except ValueError as error:
            if not part:
                self.scorer_errors[slot] = error
            return np.nan
        return check_returned("scoring", value)

    @cached_property
    def draws(self):
        """How often each answer is drawn in each bootstrap sample: uint8, shape (n_answers, n_bootstraps)."""
        n = N_BOOTSTRAPS if self.scorer is None else N_SCORED
        n = min(n, max(LEAST_BOOTSTRAPS, MOST_DRAWN // len(self.rows)))
        return bootstrap_samples(self.units, None if self.classes is None else self.y, self.seed, n)

    @cached_property
    def not_drawn(self):
        """True for the out-of-bag answers of each bootstrap sample: bool, shape (n_answers, n_bootstraps)."""
        return out_of_bag(self.draws, None if self.classes is None else self.y)

    def assess(self, front, slots, choose):
        """Return the `Assessment` of the member that `choose` selects: its score without the bias of the choice.

        `choose` maps a front to the index of a member with an honest score; `slots`, int64, is the slot of each member
        of the front, -1 = no honest score.

        Bootstrap bias correction (BBC-CV; Tsamardinos, Greasidou and Borboudakis 2018): the choice is repeated on the
        answers of each bootstrap sample, and scored on the answers out of bag. No model is fitted. The mean of these
        scores is too low, as a bootstrap sample has fewer distinct answers to choose by; the score on all answers is
        too high. They are mixed as in the .632+ estimator of Efron and Tibshirani, with the mean score of all
        candidates as the score without information. Intervals cover the sampling error, by the scores out of bag, and
        the variance of the folds in excess of it: the final search and model are one draw of such searches and models.
        """
        index = choose(front)
        slot, everything = slots[index], next(place for place, slot in enumerate(self.slots) if slot.source == "all")
        inside = np.where(slots[:, None] < 0, np.nan, self.bootstrap_scores[slots])
        chosen = np.empty(inside.shape[1], dtype=np.int64)
        for number, scores in enumerate(inside.T):
            again = copy(front)
            again.honest = replace(front.honest, score=np.where(np.isfinite(scores), scores, front.honest.score))
            chosen[number] = slots[choose(again)]
        outside = np.array([self.out_of_bag_scores(other)[number] if other >= 0 else np.nan
                            for number, other in enumerate(chosen)])
        whole, rest = front.honest.score[index], self.out_of_bag_scores(everything)
        weight = weight_632_plus(whole, outside, front.honest.score)
        scored = self.honesty
        folds, drawn = np.where(self.complete_folds, scored.folds[slot], np.nan), self.bootstrap_scores[slot]
        known = front.honest.score[np.isfinite(front.honest.score)]
        worst, best = known.min(), known.max()
        score, interval = mixed_estimate(whole, outside, weight, excess_variance(folds, drawn, self.n_disjoint_folds),
                                         self.sampling_distances(slot), self.score_bounds, (worst, best))
        base = scored.score[everything]
        same = slot == everything
        excess = excess_variance(folds - scored.folds[everything], drawn - self.bootstrap_scores[everything],
                                 self.n_disjoint_folds)
        least, most = self.score_bounds
        difference, around = (0.0, (0.0, 0.0)) if same else mixed_estimate(
            whole - base, outside - rest, weight, excess, self.sampling_distances(slot, everything),
            (least - most, most - least), (worst - base, best - base))
        return Assessment(int(index), score, interval, difference, around)

    def sampling_distances(self, slot, other=None):
        """Return the least distances of the ends of the interval, below and above, from a slot's score, or from its
        difference to the score of another slot: the sampling error alone, as if nothing had been chosen.

        For UAR they follow from the intervals of the recalls, which have a width even if all answers of a class are
        right; else from quantiles over bootstrap samples, or if all these are equal from `rarest_class_distances`.
        """
        both = [slot] if other is None else [slot, other]
        if self.scorer is not None or self.classes is None:
            parts = [self.rarest_class_distances(one) for one in both]
            if None in parts:
                rest = 0.0 if other is None else self.bootstrap_scores[other]
                return quantile_distances(self.bootstrap_scores[slot] - rest)
            return parts[0] if other is None else difference_distances(*parts)
        right, parts = self.answers["predict"][both] == self.y, []
        for label in self.uar_classes:
            rows = np.flatnonzero(self.y == label)
            n, hits = len(np.unique(self.units[rows])), right[:, rows]
            parts.append(wilson_distances(float(hits[0].mean()), n) if other is None else newcombe_distances(*hits, n))
        return mean_distances(parts)

    def rarest_class_distances(self, slot):
        """Return Wilson distances for a score that is equal on all bootstrap samples, such as an F1 of 0; else None.

        The score, as a share of the largest possible one, counts as a share of the samples of the rarest class; a
        negative score counts as 0. None for a regressor and for a score without known bounds, too.
        """
        scores, (least, most) = self.bootstrap_scores[slot], self.score_bounds
        alike = np.nanmax(scores, initial=-np.inf) - np.nanmin(scores, initial=np.inf) <= ROUNDING
        bounded = np.isfinite(least) and 0 < most < np.inf
        if self.classes is None or not len(self.uar_classes) or not bounded or not alike:
            return None
        n = min(len(np.unique(self.units[self.y == label])) for label in self.uar_classes)
        below, above = wilson_distances(min(max(float(self.honesty.score[slot]) / most, 0.0), 1.0), n)
        return below * most, above * most

    @cached_property
    def bootstrap_scores(self):
        """The scores of all slots on each bootstrap sample: float64, shape (n_slots, n_bootstraps)."""
        return self.weighted_scores(np.arange(len(self.slots)), self.draws)

    def out_of_bag_scores(self, slot):
        """Return the scores of a slot on the out-of-bag answers of each sample: float64, shape (n_bootstraps,).

        They are shifted to the mean of the score on all answers: on fewer, average precision is higher and R2 lower.
        """
        if slot not in self.out_of_bag_cache:
            scores = self.weighted_scores([slot], self.not_drawn)[0]
            self.out_of_bag_cache[slot] = scores + (self.honesty.score[slot] - finite_mean(scores))
        return self.out_of_bag_cache[slot]

    @cached_property
    def scorer_errors(self):
        """The errors of the scorer for all answers of a slot: dict from slot to ValueError."""
        return {}

    @cached_property
    def out_of_bag_cache(self):
        """The computed results of `out_of_bag_scores`: dict from slot to ndarray."""
        return {}

    def __getstate__(self):
        return {field.name: getattr(self, field.name) for field in fields(self)}  # without the cached properties


def assess(answers, front, slots, choose):
    """Return the `Assessment` of the member ``choose(front)``, with NaN if it has no honest score."""
    index = choose(front)
    if answers is None or slots[index] < 0:
        return Assessment(int(index))
    return answers.assess(front, slots, choose)
