"""Answers of the deployed model for samples outside the searches, and what they say of a choice."""

from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga.base.cached_property import kept
from moeliga.base.checks import returned
from moeliga.base.warning_filters import quiet, warn
from moeliga.results.assessment import Assessment
from moeliga.results.honesty import Honesty
from moeliga.results.proportions import distances, distances_between, of_difference, of_mean
from moeliga.validation.bootstrap import beyond, left_out, mean_of, mixture, quantiles, samples_of, weight_of
from moeliga.validation.replay import ReplayClassifier, ReplayRegressor, labelled

N_BOOTSTRAPS, N_SCORED, MOST_DRAWN, LEAST = 500, 50, 10_000_000, 20
"""Bootstrap samples of the answers: for UAR and R2; for other scorers, which are called for each; fewer where these
would be more answers together than the third number, but not less than the last."""

SCORED_TOGETHER = 1 << 19
"""Cells of bootstrap samples that are numbers of float64 at the same time: 4 MiB."""

ROUNDING = 1e-9
"""By how much scores that are the same may seem to differ: those of thousands of samples are sums."""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers for each slot and sample."""

    slots: list[Any]  # of Slot
    rows: NDArray[np.int64]  # shape (n_answers,): rows of X, fold after fold
    fold: NDArray[np.int64]  # shape (n_answers,)
    answers: dict[str, NDArray[Any]]  # of each method, shape (n_slots, n_answers, ...); classes as indices
    y: NDArray[Any]  # shape (n_answers,): int64, indices in `classes`; float64 for a regressor
    classes: NDArray[Any] | None  # None for a regressor
    scorer: Any  # None: UAR, or R2
    metadata: Any  # of all rows of X, for the scorer
    units: NDArray[np.int64]  # shape (n_answers,): samples with one number, as those of a group, are drawn together
    share: float  # see `Honesty`
    seed: NDArray[np.uint64]
    single: NDArray[np.int64]  # classes that UAR does not count, see `Problem.single`
    best: float = 1.0  # the score of perfect answers
    least: float = -np.inf  # the smallest score that there can be; of UAR it is 0
    unit: bool = True  # see `Honesty`

    @property
    def ends(self):
        """The least and the largest score that there can be: UAR is in [0, 1], others are at least `least` and at most
        `best`, unless that is no number, or a candidate has more than by rounding."""
        least = 0.0 if self.scorer is None and self.classes is not None else self.least
        known = not np.isnan(self.best) and not (self.honesty.score > self.best + ROUNDING).any()
        return least, self.best if known else np.inf

    @property
    def n_folds(self):
        return int(self.fold.max(initial=-1)) + 1

    @kept
    def n_parts(self):
        """Number of folds that hold as many samples, or groups, as there are: `n_folds`, if each is in one."""
        units, unit = np.unique(self.units, return_inverse=True)
        held_out = np.unique(self.fold * len(units) + unit)  # each once in each fold
        return self.n_folds * len(units) / len(held_out)

    @kept
    def counted(self):
        """The classes that UAR counts: those held out, but for those of one sample."""
        return np.setdiff1d(self.y, self.single)

    @kept
    def complete(self):
        """True for folds that hold out every class that counts: bool, shape (n_folds,); of a regressor all."""
        if self.classes is None:
            return np.ones(self.n_folds, dtype=bool)
        held = [np.bincount(self.fold[self.y == label], minlength=self.n_folds) > 0 for label in self.counted]
        return np.logical_and.reduce(held) if held else np.zeros(self.n_folds, dtype=bool)

    @kept
    def lacking(self):
        """True if a class has no answers, as where folds are left out: bool."""
        return self.classes is not None and len(np.unique(self.y)) < len(self.classes)

    @kept
    def honesty(self):
        """The scores of all slots: `Honesty`; ValueError where the scorer takes none of all answers."""
        every = np.arange(len(self.slots))
        one = np.ones((len(self.rows), 1))
        by_fold = (self.fold[:, None] == np.arange(self.n_folds)).astype(np.float64)
        whole = self.weighted(every, one)[:, 0]
        if len(self.refused) == len(every):
            raise self.refused[0]
        return Honesty(whole, self.weighted(every, by_fold), self.share, self.constant(), self.unit)

    def constant(self):
        """Return True if the model gave one answer for all samples of a fold, whatever the features, and a fold has
        samples that differ: it has learnt nothing."""
        first = np.searchsorted(self.fold, self.fold)  # of the answer's fold
        return bool((self.y != self.y[first]).any()
                    and all((values == values[:1, first]).all() for values in self.answers.values()))

    def checked(self, n_train):
        """Return the answers, or None if no candidate has a score; a warning says so, or that they tell nothing.

        `n_train` is the least number of samples that the model was fitted to.
        """
        if self.classes is not None and len(np.unique(self.y)) < 2:
            warn(f"the folds that are done hold out samples of class {self.classes[self.y[0]]!s} alone: there "
                 "are no honest scores")
            return None
        if not np.isfinite(self.honesty.score).any():
            warn("scoring gives no number for any answers: there are no honest scores")
            return None
        if self.refused:
            place, error = next(iter(self.refused.items()))
            slot, n = self.slots[place], f"{len(self.refused)} of {len(self.slots)}"
            warn(f"scoring has no value for the answers of {n} candidates, such as {slot.source!r} with up to "
                 f"{slot.most:,} features: {error}")
        if self.honesty.constant:
            warn("estimator gives one answer for all samples held out by a fold, whatever the features: it "
                 f"learns nothing from {n_train:,} samples, and honest scores tell no subset from another")
        return self

    def weighted(self, slots, weights):
        """Return the scores of slots on samples drawn `weights` times: float64, shape (n_slots, n_draws).

        `weights` are whole numbers of any type, shape (n_answers, n_draws). NaN where what is drawn has no score.
        """
        if self.scorer is not None:
            found = np.array([[self.scored(slot, np.repeat(np.arange(len(self.y)), draw.astype(np.int64)))
                               for draw in weights.T] for slot in slots]).reshape(len(slots), weights.shape[1])
        else:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                found = (r2(self.answers["predict"][slots], self.y, weights) if self.classes is None
                         else uar(self.answers["predict"][slots], self.y, weights, self.counted))
        found[~np.isfinite(found)] = np.nan
        return found

    def scored(self, slot, places):
        """Return the scorer's value for the answers of a slot at these places: float; NaN where a part has none."""
        found = {method: values[slot][places] for method, values in self.answers.items()}
        model, y = ReplayRegressor(found), self.y[places]
        if self.classes is not None:
            found["predict"], y = labelled(found["predict"], self.classes), self.classes[y]
            model = ReplayClassifier(found, self.classes)
        rows = self.rows[places]
        part = len(np.unique(places)) < len(self.y) or self.lacking  # which may lack a class
        try:
            with quiet(hidden=part):
                value = self.scorer(model, rows[:, None], y, **self.metadata.at("score", rows))
        except ValueError as error:
            if not part:
                self.refused[slot] = error
            return np.nan
        return returned("scoring", value)

    @kept
    def draws(self):
        """Bootstrap samples, how often each answer is drawn: uint8, shape (n_answers, n_bootstraps)."""
        n = N_BOOTSTRAPS if self.scorer is None else N_SCORED
        n = min(n, max(LEAST, MOST_DRAWN // len(self.rows)))
        return samples_of(self.units, None if self.classes is None else self.y, self.seed, n)

    @kept
    def undrawn(self):
        """True for answers that a bootstrap sample lacks: bool, shape (n_answers, n_bootstraps)."""
        return left_out(self.draws, None if self.classes is None else self.y)

    def assess(self, front, slots, choose):
        """Return the worth of a choice among candidates: `Assessment`.

        `slots`, int64, has the slot of each member of the front, -1 = no honest score; `choose` returns the index of
        the member that it chooses from a front, which has one.

        Bootstrap bias correction (Tsamardinos, Greasidou and Borboudakis 2018): the choice is made again by the answers
        of each bootstrap sample, and scored by those not drawn. No model is fitted. Its mean is too low where there is
        something to be chosen, as a sample has fewer distinct answers, and the score by all answers is too high: they
        are mixed as Efron and Tibshirani's .632+ does, with the mean of all candidates as what a choice is worth that
        knows nothing. Intervals hold the error of the samples, by what is not drawn, and where the folds differ by more
        than their samples explain, how much searches and models differ: the final ones are one draw of them.
        """
        index = choose(front)
        everything = next(place for place, slot in enumerate(self.slots) if slot.source == "all")
        draws = self.draws
        inside = np.where(slots[:, None] < 0, np.nan, self.inside[slots])
        chosen = np.empty(draws.shape[1], dtype=np.int64)
        for number, scores in enumerate(inside.T):
            again = copy(front)
            again.honest = replace(front.honest, score=np.where(np.isfinite(scores), scores, front.honest.score))
            chosen[number] = slots[choose(again)]
        outside = np.array([self.outside(slot)[number] if slot >= 0 else np.nan for number, slot in enumerate(chosen)])
        whole, rest = front.honest.score[index], self.outside(everything)
        weight = weight_of(whole, outside, front.honest.score)
        scored = self.honesty
        folds, drawn = np.where(self.complete, scored.folds[slots[index]], np.nan), self.inside[slots[index]]
        known = front.honest.score[np.isfinite(front.honest.score)]
        worst, best = known.min(), known.max()
        score, interval = mixture(whole, outside, weight, beyond(folds, drawn, self.n_parts),
                                  self.sampling(slots[index]), self.ends, (worst, best))
        base = scored.score[everything]
        same = slots[index] == everything
        between = beyond(folds - scored.folds[everything], drawn - self.inside[everything], self.n_parts)
        least, most = self.ends
        difference, around = (0.0, (0.0, 0.0)) if same else mixture(
            whole - base, outside - rest, weight, between, self.sampling(slots[index], everything),
            (least - most, most - least), (worst - base, best - base))
        return Assessment(int(index), score, interval, difference, around)

    def sampling(self, slot, other=None):
        """Return how far the ends of the interval of a slot's score, or of its difference to another's, are below and
        above it at least: the variation of the samples alone, had nothing been chosen.

        For UAR those of its recalls, as the answers of a class may all be right; else quantiles of bootstrap samples,
        or where these are all alike, as F1 of what is never predicted, a share of the rarest class's samples.
        """
        both = [slot] if other is None else [slot, other]
        if self.scorer is not None or self.classes is None:
            parts = [self.of_rarest(one) for one in both]
            if None in parts:
                return quantiles(self.inside[slot] - (0.0 if other is None else self.inside[other]))
            return parts[0] if other is None else of_difference(*parts)
        right, parts = self.answers["predict"][both] == self.y, []
        for label in self.counted:
            rows = np.flatnonzero(self.y == label)
            n, hits = len(np.unique(self.units[rows])), right[:, rows]
            parts.append(distances(float(hits[0].mean()), n) if other is None else distances_between(*hits, n))
        return of_mean(parts)

    def of_rarest(self, slot):
        """Return `sampling` of a score whose bootstrap samples are all alike; None if they are not, or ends unknown.

        What is below 0, the score of a guess where a score may be negative, counts as 0.
        """
        scores, (least, most) = self.inside[slot], self.ends
        alike = np.nanmax(scores, initial=-np.inf) - np.nanmin(scores, initial=np.inf) <= ROUNDING
        if self.classes is None or not len(self.counted) or not (np.isfinite(least) and 0 < most < np.inf) or not alike:
            return None
        n = min(len(np.unique(self.units[self.y == label])) for label in self.counted)
        below, above = distances(min(max(float(self.honesty.score[slot]) / most, 0.0), 1.0), n)
        return below * most, above * most

    @kept
    def inside(self):
        """The scores of all slots on bootstrap samples: float64, shape (n_slots, n_bootstraps)."""
        return self.weighted(np.arange(len(self.slots)), self.draws)

    def outside(self, slot):
        """Return the scores of a slot on what each bootstrap sample lacks: float64, shape (n_bootstraps,).

        Moved so that their mean is the score by all answers: of fewer average precision is higher, and R2 lower.
        """
        if slot not in self.outsides:
            scores = self.weighted([slot], self.undrawn)[0]
            self.outsides[slot] = scores + (self.honesty.score[slot] - mean_of(scores))
        return self.outsides[slot]

    @kept
    def refused(self):
        """The scorer's errors for all answers of a slot, by slot: dict."""
        return {}

    @kept
    def outsides(self):
        """The scores of `outside` that are known, by slot: dict."""
        return {}

    def __getstate__(self):
        return {field.name: getattr(self, field.name) for field in fields(self)}  # and nothing that was kept


def assess(answers, front, slots, choose):
    """Return the worth of ``choose(front)``: `Assessment`, of NaN where the member has no honest score."""
    index = choose(front)
    if answers is None or slots[index] < 0:
        return Assessment(int(index))
    return answers.assess(front, slots, choose)


def uar(predicted, y, weights, labels):
    """Return the unweighted average recall over those classes that are drawn: float64, shape (n_slots, n_draws)."""
    total, n_classes = np.zeros((len(predicted), weights.shape[1])), np.zeros(weights.shape[1])
    for label in labels:
        rows = np.flatnonzero(y == label)
        hits = (predicted[:, rows] == label).astype(np.float64)
        step = max(1, SCORED_TOGETHER // len(rows))
        for some in (slice(begin, begin + step) for begin in range(0, weights.shape[1], step)):
            part = weights[rows, some].astype(np.float64)
            drawn = part.sum(axis=0)  # whole numbers: exact in any order, as are the products below
            recall = hits @ part / drawn
            total[:, some] += np.where(drawn > 0, recall, 0.0)
            n_classes[some] += drawn > 0
    return total / n_classes


def r2(predicted, y, weights):
    """Return R2, relative to the mean of what is drawn: float64, shape (n_slots, n_draws); NaN where that is one value
    again and again."""
    found = np.empty((len(predicted), weights.shape[1]))
    for number, drawn in enumerate(weights.T):
        values = y[drawn > 0]
        if not len(values) or values.min() == values.max():  # from which the mean may differ by rounding
            found[:, number] = np.nan
            continue
        drawn = drawn.astype(np.float64)
        total = drawn.sum()
        mean = np.add.reduce(drawn * y) / total
        spread = np.add.reduce(drawn * (y - mean) ** 2)
        for slot, answer in enumerate(predicted):
            found[slot, number] = 1.0 - np.add.reduce(drawn * (y - answer) ** 2) / spread
    return found
