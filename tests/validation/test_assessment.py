"""What a choice by honest scores is worth, by a plain bootstrap of the answers."""

import math
import pickle
import statistics
import tracemalloc
import warnings
from copy import copy
from dataclasses import astuple, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    get_scorer,
    make_scorer,
    mean_absolute_error,
    r2_score,
    root_mean_squared_error,
)

from cross_fitted import metadata
from moeliga import NoLoss
from moeliga.evaluation.metadata import Metadata
from moeliga.results.assessment import Assessment
from moeliga.results.front import ParetoFront
from moeliga.results.honesty import Honesty
from moeliga.results.proportions import mean_distances, newcombe_distances, wilson_distances
from moeliga.validation.answers import Answers, assess
from moeliga.validation.bootstrap import mixed_estimate
from moeliga.validation.candidates import Slot


def answered(rng, *, scorer=None, target=False, n=40, units=None):
    """Answers of six slots that are right more and more often, the last with all features."""
    slots = [Slot("search", size, size) for size in range(1, 6)] + [Slot("all", 9, 9)]
    rows, fold = rng.permutation(n), np.arange(n) * 4 // n
    y = rng.normal(size=n) if target else rng.integers(3, size=n)
    right = rng.random((6, n)) < np.linspace(0.4, 0.8, 6)[:, None]
    predicted = y + np.linspace(1.5, 0.5, 6)[:, None] * rng.normal(size=(6, n)) if target else np.where(
        right, y, (y + 1) % 3)
    return Answers(slots, rows, fold, {"predict": predicted}, y, None if target else np.arange(3), scorer,
                   metadata(n), np.arange(n) if units is None else units, 1 / 3, np.array([3, 4], dtype=np.uint64),
                   np.zeros(0, dtype=np.int64))


def front_of(answers, n_features=9):
    """A front with a member for each slot, and one without an honest score."""
    sizes = [slot.most for slot in answers.slots] + [6]
    supports = np.arange(n_features) < np.array(sizes)[:, None]
    scores = np.linspace(0.5, 0.9, len(sizes))
    honest = answers.honesty
    unknown = np.full((1, honest.folds.shape[1]), np.nan)
    return ParetoFront(supports, np.column_stack((scores, 1 - np.array(sizes) / 9)), ("uar", "cardinality"), 0,
                       np.full(len(sizes), 0.05), np.zeros((len(sizes), 2)), np.array([f"x{f}" for f in range(9)]),
                       honest=Honesty(np.append(honest.score, np.nan), np.concatenate((honest.folds, unknown)),
                                      honest.share)), np.append(np.arange(6), -1)


def plain(y, predicted, classes):
    return balanced_accuracy_score(y, predicted) if classes is not None else r2_score(y, predicted)


@pytest.mark.quick(4)
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.parametrize("target", [False, True])
@pytest.mark.parametrize("rule", ["best", "no_loss", "one_se", NoLoss(2.0, must_reduce=True)], ids=str)
def test_a_choice_is_assessed_as_by_a_plain_loop(rng, monkeypatch, rule, target):
    """Choose again by each bootstrap sample, score by what it lacks, mix both by .632+; folds widen the interval."""
    monkeypatch.setattr("moeliga.validation.answers.N_BOOTSTRAPS", 15)
    answers = answered(rng, target=target)
    front, slots = front_of(answers)

    def choose(front):
        return front.choose(rule)

    found = answers.assess(front, slots, choose)
    outsides, choices, drawn_scores = [], [], []
    for drawn in answers.draws.T:
        bag, out = np.repeat(np.arange(40), drawn.astype(int)), np.flatnonzero(drawn == 0)
        inside = [plain(answers.y[bag], predicted[bag], answers.classes) for predicted in answers.answers["predict"]]
        drawn_scores.append(inside)
        again = copy(front)
        again.honest = Honesty(np.append(inside, np.nan), front.honest.folds, front.honest.share)
        outsides.append([plain(answers.y[out], predicted[out], answers.classes)
                         for predicted in answers.answers["predict"]])
        choices.append(choose(again))
    index = choose(front)
    assert found.index == index
    scores = front.honest_score
    # without what fewer answers have another score for, whatever is chosen
    outsides = [[value - statistics.fmean(column) + score for value in column]
                for column, score in zip(zip(*outsides, strict=True), scores[:6], strict=True)]
    outside = [outsides[choice][number] for number, choice in enumerate(choices)]
    differences = [value - outsides[5][number] for number, value in enumerate(outside)]
    assert len(outside) == 15
    # what choosing adds, as a share of what the choice is ahead of the mean candidate
    added, ahead = scores[index] - statistics.fmean(outside), scores[index] - statistics.fmean(scores[:6])
    share = min(added / ahead, 1) if added > 0 and ahead > 0 else 0
    weight = 0.632 / (1 - 0.368 * share)
    folds, drawn_scores = front.honest.folds, np.array(drawn_scores)
    width = math.inf if target else 1  # of the scores that there are: UAR is in [0, 1]
    worst, best = min(scores[:6]), max(scores[:6])
    for value, interval, whole, parts, ends, of_folds, of_samples in (
            (found.score, found.interval, scores[index], outside, (1 - width, 1), folds[index], drawn_scores[:, index]),
            (found.difference, found.difference_interval, scores[index] - scores[5], differences, (-width, width),
             folds[index] - folds[5], drawn_scores[:, index] - drawn_scores[:, 5])):
        if index == 5 and parts is differences:  # all features are chosen
            assert (value, interval) == (0, (0, 0))
            continue
        mean = statistics.fmean(parts)
        known = scores[5] if parts is differences else 0
        middle = min(max((1 - weight) * whole + weight * mean, worst - known), best - known)
        low, high = np.quantile(np.array(parts) - mean, [0.05, 0.95])
        beyond = (statistics.variance(of_folds.tolist()) - 4 * statistics.pvariance(of_samples.tolist())) * (1 + 1 / 4)
        more = 1.645 * math.sqrt(max(beyond, 0))
        ends = max(middle - math.hypot(low, more), ends[0]), min(middle + math.hypot(high, more), ends[1])
        assert_allclose([value, *interval], [middle, *ends], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("best", "most"), [(1.0, 1.0), (0.9, 0.9), (0.1, math.inf), (math.nan, math.inf),
                                            (math.inf, math.inf)])
def test_no_interval_ends_above_the_score_of_perfect_answers(rng, monkeypatch, best, most):
    """Unless a candidate has more, so that these are not the best, or it is no number."""
    monkeypatch.setattr("moeliga.validation.answers.N_SCORED", 10)
    answers = replace(answered(rng, scorer=make_scorer(accuracy_score)), best=best)
    assert answers.score_bounds == (-math.inf, most)
    front, slots = front_of(answers)
    high = answers.assess(front, slots, lambda front: front.choose("best")).interval[1]
    free = replace(answers, best=math.inf).assess(front, slots, lambda front: front.choose("best")).interval[1]
    assert high == min(free, most)


def test_an_interval_is_cut_where_no_score_can_be():
    """At both ends, and the score stays."""
    score, (low, high) = mixed_estimate(0.1, np.array([0.0, 0.1, 0.3]), 0.7, 0.04)
    assert low < 0 < score < 0.2 < high
    assert mixed_estimate(0.1, np.array([0.0, 0.1, 0.3]), 0.7, 0.04, ends=(0.0, 0.2)) == (score, (0.0, 0.2))


def test_a_score_is_cut_where_none_can_be():
    """What is not drawn may say more than that; the interval is around what is left, and its ends may be others."""
    outside = np.array([1.1, 1.2, 1.6])
    uncut, ends = mixed_estimate(0.9, outside, 0.7, 0.0)
    assert uncut == pytest.approx(0.3 * 0.9 + 0.7 * 1.3)
    score, (low, high) = mixed_estimate(0.9, outside, 0.7, 0.0, ends=(0.0, 1.0))
    assert (score, high) == (1, 1)
    assert low == pytest.approx(1 - (uncut - ends[0]))
    score, (low, high) = mixed_estimate(0.9, outside, 0.7, 0.0, ends=(-1.0, 5.0), middle=(0.0, 1.0))
    assert (score, low, high) == pytest.approx((1, 1 - (uncut - ends[0]), 1 + (ends[1] - uncut)))
    assert mixed_estimate(-0.9, -outside, 0.7, 0.0, ends=(-1.0, 1.0))[0] == -1


def test_few_targets_have_no_score_above_their_interval(rng):
    """R2 of samples that lack the outlier is far below 0, so moved to the score by all answers others are above that of
    the best candidate; what is left of the score is left of its difference to all features."""
    answers = answered(rng, target=True, n=12)
    y, predicted = answers.y, answers.answers["predict"]
    y[:] = np.where(np.arange(12) == 5, 10.0, 0.1 * y)
    predicted[:] = y + 0.01 * rng.normal(size=(6, 12))
    predicted[0] += rng.normal(size=12)  # right on the outlier alone
    predicted[1, 5] = 0.0  # wrong on it alone
    found = answers.assess(*front_of(answers), lambda front: int(np.nanargmin(front.honest_score)))
    assert (found.score, found.interval[1]) == (answers.honesty.score.max(), 1)
    assert found.difference_interval[0] <= found.difference <= found.difference_interval[1]
    assert found.score - found.difference == pytest.approx(answers.honesty.score[5])


@pytest.mark.quick(1)
@pytest.mark.parametrize("rule", ["best", "no_loss", "one_se"])
def test_a_choice_is_worth_no_more_than_the_best_candidate_and_no_less_than_the_worst(rng, rule):
    """Of a target with a long tail R2 by few answers may be anything; a choice is one of the candidates."""
    scores = []
    for _ in range(20):
        answers = answered(rng, target=True)
        answers.y[:] = np.exp(3 * answers.y)
        answers.answers["predict"][:] = rng.permuted(np.tile(answers.y, (6, 1)), axis=1)
        found = answers.assess(*front_of(answers), lambda front: front.choose(rule))
        worst, best, base = *np.quantile(answers.honesty.score, [0, 1]), answers.honesty.score[5]
        assert worst <= found.score <= best
        assert worst - base <= found.difference <= best - base
        scores.append((found.score - worst) / (best - worst))
    assert 0 < np.mean(scores) < 1


def test_a_difference_is_cut_where_none_can_be(rng):
    """All right and all wrong: recalls of few samples would take it past 1."""
    answers = answered(rng)
    right = np.tile(answers.y, (6, 1))
    right[5] = (answers.y + 1) % 3
    answers = replace(answers, answers={"predict": right})
    found = answers.assess(*front_of(answers), lambda front: 2)
    assert (found.difference, found.difference_interval[1]) == (1, 1)
    assert 0.5 < found.difference_interval[0] < 1


def test_bootstrap_samples_are_drawn_with_replacement(rng):
    """As many as there are answers; each is left out by about 1 / e of them, and others of another seed."""
    answers = answered(rng)
    assert answers.draws.shape == (40, 500)
    assert_array_equal(answers.draws.sum(axis=0), np.full(500, 40))
    assert abs(np.mean(answers.draws == 0) - (1 - 1 / 40) ** 40) < 5 * math.sqrt(0.37 * 0.63 / 500 / 40)
    spread = answers.draws.mean(axis=1) - 1
    assert np.abs(spread).max() < 5 / math.sqrt(500)
    other = copy(answers)
    object.__setattr__(other, "seed", answers.seed + np.uint64(1))
    assert not np.array_equal(other.draws, answers.draws)


@pytest.mark.parametrize("target", [False, True])
def test_samples_are_scored_a_few_at_a_time(rng, monkeypatch, target):
    """The same as all together and as numbers of another type, to the bit."""
    answers = answered(rng, target=target)
    inside, outside = answers.bootstrap_scores.tobytes(), answers.weighted_scores([2], answers.not_drawn)[0].tobytes()
    assert answers.weighted_scores(np.arange(6), answers.draws.astype(np.float64)).tobytes() == inside
    for cells in (1, 100):
        monkeypatch.setattr("moeliga.validation.bootstrap.SCORED_TOGETHER", cells)
        assert answers.weighted_scores(np.arange(6), answers.draws).tobytes() == inside
        assert answers.weighted_scores([2], answers.draws == 0)[0].tobytes() == outside


def test_many_answers_are_scored_in_little_memory():
    """Not in a multiple of the bootstrap samples, which take a byte for each answer and sample."""
    answers = answered(np.random.default_rng(0), n=5000)
    tracemalloc.start()
    try:
        answers.bootstrap_scores, answers.out_of_bag_scores(0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert answers.draws.nbytes == 2_500_000 and peak < 8 * 2_500_000  # what the samples alone are as float64


def test_samples_of_a_group_are_drawn_together(rng):
    """As often as one another; and so is a row that is held out twice."""
    answers = answered(rng, units=np.arange(40) % 7 + 100)
    for group in range(7):
        assert len(np.unique(answers.draws[group::7], axis=0)) == 1
    assert_array_equal(np.unique(answers.draws[:7].sum(axis=0)), [7])


def test_many_answers_are_drawn_less_often(rng, monkeypatch):
    """But not less than twenty times."""
    monkeypatch.setattr("moeliga.validation.answers.MOST_DRAWN", 40 * 70)
    assert answered(rng).draws.shape == (40, 70)
    monkeypatch.setattr("moeliga.validation.answers.MOST_DRAWN", 40)
    assert answered(rng).draws.shape == (40, 20)


def test_a_scorer_is_called_for_fewer_samples(rng):
    """And gives the same scores as the compiled one."""
    scorer, plainly = answered(np.random.default_rng(1), scorer=get_scorer("balanced_accuracy")), answered(
        np.random.default_rng(1))
    assert scorer.draws.shape == (40, 50)
    assert_allclose(scorer.bootstrap_scores, plainly.bootstrap_scores[:, :50], rtol=1e-12)
    assert_allclose(scorer.honesty.folds, plainly.honesty.folds, rtol=1e-12)


@pytest.mark.parametrize(("scorer", "target"), [
    (None, False), (None, True), (make_scorer(root_mean_squared_error, greater_is_better=False), True),
    (make_scorer(f1_score, average="macro", zero_division=0), False)], ids=["uar", "r2", "rmse", "f1"])
def test_where_nothing_is_chosen_nothing_is_taken_off(rng, scorer, target):
    """Scores of fewer answers are others: what a fixed member is worth is its score by all answers."""
    answers = answered(rng, scorer=scorer, target=target)
    front, slots = front_of(answers)
    for index in (0, 3):
        found = answers.assess(front, slots, lambda front, index=index: index)
        assert found.score == pytest.approx(front.honest_score[index])
        assert found.difference == pytest.approx(front.honest_score[index] - front.honest_score[5])


@pytest.mark.parametrize("target", [False, True])
def test_folds_that_tell_nothing_of_searches_leave_the_interval(rng, target):
    """Those of one sample: UAR of one class is 0 or 1; and folds of one class each, as groups may be."""
    answers = answered(rng, target=target, scorer=make_scorer(mean_absolute_error) if target else None)
    alone = [np.arange(40)] if target else [np.arange(40), np.cumsum(np.diff(np.sort(answers.y), prepend=0) > 0)]

    def interval(fold):
        changed = replace(answers, fold=fold, y=answers.y if target else np.sort(answers.y))
        front, slots = front_of(changed)
        found = changed.assess(front, slots, lambda front: 2)
        return found.interval, found.difference_interval

    for fold in alone:
        assert interval(fold) == interval(np.zeros(40, dtype=np.int64))


def test_folds_without_a_class_that_differ_leave_the_interval(rng):
    """Each holds out one class: that one class is always right and another never says nothing of searches."""
    answers = answered(rng)
    y = np.sort(answers.y)
    answers = replace(answers, y=y, answers={"predict": np.tile(np.where(y == 1, 0, y), (6, 1))})

    def interval(fold):
        changed = replace(answers, fold=fold)
        return changed.assess(*front_of(changed), lambda front: 2).interval

    assert interval(y) == interval(np.zeros(40, dtype=np.int64))


@pytest.mark.parametrize(("units", "fold", "expected"), [
    (np.arange(40), np.arange(40) // 10, 4), (np.tile(np.arange(20), 2), np.arange(40) // 10, 2),
    (np.arange(40) // 5, np.arange(40) // 10, 4), (np.append(np.arange(30), np.arange(10)), np.arange(40) // 10, 3)],
    ids=["each once", "each twice", "groups", "some twice"])
def test_folds_in_one_part_are_those_without_samples_in_common(rng, units, fold, expected):
    """On average, where some samples, or groups, are held out more often."""
    assert replace(answered(rng, units=units), fold=fold).n_disjoint_folds == expected


def test_recalls_of_groups_have_intervals_of_so_many_groups(rng):
    """And so have their differences: answers of a group are no more than one."""
    answers = answered(rng)
    of_four = replace(answers, units=np.arange(40) % 4 + 4 * answers.y)  # four groups in each class
    for slot, other in ((2, None), (2, 4)):
        expected = []
        for label in range(3):
            hits = [answers.answers["predict"][place][answers.y == label] == label for place in (slot, other or slot)]
            expected.append(wilson_distances(hits[0].mean(), 4) if other is None else newcombe_distances(*hits, 4))
        assert of_four.sampling_distances(slot, other) == pytest.approx(mean_distances(expected))


def test_candidates_that_nobody_may_choose_have_no_part(rng, monkeypatch):
    """Such as the best of a size that constraints forbid: without them the worth of a choice is the same."""
    monkeypatch.setattr("moeliga.validation.answers.N_BOOTSTRAPS", 15)
    answers = answered(rng)
    front, slots = front_of(answers)
    less = replace(answers, slots=answers.slots[2:], answers={"predict": answers.answers["predict"][2:]})

    def choose(front):
        return front.choose("best")

    part = front.part(np.arange(2, 7))
    found, expected = answers.assess(part, slots[2:], choose), less.assess(part, np.append(np.arange(4), -1), choose)
    assert_allclose(np.hstack(astuple(found)), np.hstack(astuple(expected)), rtol=1e-12)


def of_all_classes(model, X, y):
    """A scorer that wants twelve rows at least, and four classes."""
    if len(np.unique(X)) < 12 or len(np.unique(y)) < 4:
        warnings.warn("too few", UserWarning, stacklevel=2)
        raise ValueError("too few")
    return accuracy_score(y, model.predict(X))


@pytest.mark.filterwarnings("error")
def test_a_bootstrap_sample_without_a_score_chooses_by_that_of_all_answers(rng):
    """In silence: that a sample lacks rows or classes is no fault of the scorer."""
    answers = answered(rng, scorer=of_all_classes, n=12)
    answers = replace(answers, y=np.arange(12) % 4, classes=np.arange(4))
    front, slots = front_of(answers)
    seen = []

    def choose(front):
        seen.append(front.honest.score[:6])
        return 2

    found = answers.assess(front, slots, choose)
    assert len(seen) == 51 and np.isnan(answers.bootstrap_scores).all()
    assert_array_equal(seen, np.tile(front.honest_score[:6], (51, 1)))
    assert found.score == front.honest_score[2] and np.isnan(found.interval).all()


def test_a_part_whose_score_is_not_finite_has_none(rng):
    """As where a logarithm is taken; the score of all answers stays."""
    answers = answered(rng, scorer=lambda model, X, y: 0.5 if len(np.unique(X)) == 40 else -math.inf)
    assert np.isnan(answers.honesty.folds).all() and np.isnan(answers.bootstrap_scores).all()
    assert (answers.honesty.score == 0.5).all()


def test_answers_that_lack_a_class_are_no_fault_of_the_scorer(rng):
    """Where folds are left out: a warning, not the scorer's error."""
    answers = answered(rng, scorer=of_all_classes)
    message = "^scoring gives no finite number for the predictions of any candidate: there are no honest scores"
    with pytest.warns(UserWarning, match=message):
        assert replace(answers, classes=np.arange(4)).checked(30) is None
    with pytest.raises(ValueError, match="too few"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers.checked(30)


def test_scorers_get_the_metadata_of_the_rows_that_are_answered_for(rng):
    """Whose order is not that of X."""
    weights = rng.random(40)

    def scorer(model, X, y, sample_weight):
        return accuracy_score(y, model.predict(X), sample_weight=sample_weight)

    answers = replace(answered(rng, scorer=scorer), metadata=Metadata({}, {}, {"sample_weight": weights}, 40))
    expected = [weights[answers.rows] @ (predicted == answers.y) / weights.sum()
                for predicted in answers.answers["predict"]]
    assert_allclose(answers.honesty.score, expected, rtol=1e-12)


def test_samples_that_choose_a_member_without_an_honest_score_tell_nothing(rng):
    """If all do, the score by all answers is what is known."""
    answers = answered(rng)
    front, slots = front_of(answers)
    found = answers.assess(front, slots, lambda given: 2 if given is front else 6)
    assert (found.score, found.difference) == (front.honest_score[2], front.honest_score[2] - front.honest_score[5])
    assert np.isnan([found.interval, found.difference_interval]).all()


def twice_f1(y, predicted):
    return 2 * f1_score(y, predicted, zero_division=0)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("right", "expected"), [(False, (0, 0.231)), (True, (0.769, 1))])
def test_bootstrap_samples_that_are_all_alike_leave_an_interval(rng, monkeypatch, right, expected):
    """F1 of a class that is never predicted is 0, and that of perfect answers 1; nine such samples tell little."""
    monkeypatch.setattr("moeliga.validation.answers.N_SCORED", 5)
    y = np.repeat([0, 1], [31, 9])
    answers = replace(answered(rng, scorer=make_scorer(f1_score, zero_division=0)), y=y, classes=np.arange(2),
                      answers={"predict": np.tile(right * y, (6, 1))}, least=0.0)
    front, slots = front_of(answers)
    found = answers.assess(front, slots, lambda front: 2)
    assert found.score == right
    assert_allclose(found.interval, expected, atol=5e-4)  # Wilson's of 0 and of 9 of 9
    twice = replace(answers, scorer=make_scorer(twice_f1), best=2.0)
    assert_allclose(twice.assess(*front_of(twice), lambda front: 2).interval, 2 * np.array(expected), atol=1e-3)
    alone = replace(answers, single=np.arange(2))  # no class counts
    assert np.ptp(alone.assess(front, slots, lambda front: 2).interval) == 0
    unknown = replace(answers, least=-math.inf)  # where a score begins
    assert np.ptp(unknown.assess(front, slots, lambda front: 2).interval) == 0


def test_all_features_do_not_differ_from_themselves(rng):
    """Not by a bit, and without an interval."""
    answers = answered(rng)
    front, slots = front_of(answers)
    found = answers.assess(front, slots, lambda front: 5)
    assert (found.difference, found.difference_interval) == (0.0, (0.0, 0.0))
    assert found.interval[0] < found.score < found.interval[1] <= 1


def test_a_member_without_an_honest_score_has_no_assessment(rng):
    """Nor has a front without answers."""
    answers = answered(rng)
    front, slots = front_of(answers)
    unknown = [repr(math.nan), repr((math.nan, math.nan)), repr(math.nan), repr((math.nan, math.nan))]
    for given in (answers, None):
        found = assess(given, front, slots, lambda front: 6)
        assert isinstance(found, Assessment)
        assert [found.index, *map(repr, astuple(found)[1:])] == [6, *unknown]


def test_answers_are_pickled_without_what_can_be_made_again(rng):
    """And give the same."""
    answers = answered(rng)
    small_size = len(pickle.dumps(answers))
    scores = answers.bootstrap_scores
    assert len(pickle.dumps(answers)) == small_size
    again = pickle.loads(pickle.dumps(answers))
    assert_array_equal(again.bootstrap_scores, scores)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6])
@pytest.mark.parametrize("value", [2.5, 0.1])
def test_r2_of_equal_targets_is_unknown(n, value):
    """As it is divided by their variance, 0, also where rounding finds another mean; of one sample, or none, too."""
    answers = answered(np.random.default_rng(0), target=True, n=12)
    answers.y[:n] = value
    weights = np.zeros((12, 1))
    weights[:n] = 1
    assert np.isnan(answers.weighted_scores([0, 5], weights)).all()


@pytest.mark.filterwarnings("error")
def test_r2_of_targets_beyond_their_squares_is_unknown_without_a_warning_of_numpy(rng):
    """The fit has one of its own."""
    answers = answered(rng, target=True)
    answers.y[:] *= 1e200
    assert np.isnan(answers.honesty.score).all()
