"""Rules on cross-fitted fronts: a choice by honest scores, where some members have none."""

import contextlib
import itertools
import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import get_scorer, get_scorer_names

from moeliga import NoLoss
from moeliga.results.front import ParetoFront
from moeliga.results.honesty import Honesty
from moeliga.results.rules import RULES, is_unit

F = 12


def random_front(rng, n=9, n_folds=4, known=0.7, largest=F):
    """Sizes and scores of few values, so that there are ties; some members have no honest score."""
    sizes = np.sort(rng.integers(1, largest + 1, size=n))
    objectives = np.column_stack((rng.integers(1, 9, size=n) / 8, 1 - sizes / F))
    folds = rng.integers(1, 9, size=(n, n_folds)) / 8
    folds[rng.random(n) > known] = np.nan
    return ParetoFront(np.arange(F) < sizes[:, None], objectives, ("uar", "cardinality"), 0, np.full(n, 0.05),
                       objectives, np.array([f"x{f}" for f in range(F)]),
                       source=rng.choice(["search", "forest"], size=n), honest=Honesty(folds.mean(axis=1), folds, 0.25))


def error(values):
    """Nadeau and Bengio's standard error over four folds, a quarter as many test as training samples."""
    return math.sqrt(statistics.variance(values) * (1 / 4 + 0.25))


def smoothed(front, i, places, values):
    """The mean of a value over members of the source of member i: one of r times as many features counts r^-3, and none
    whose score is more than three standard errors away; exact, so that ties are."""
    scores, sizes, folds = front.honest_score.tolist(), front.n_selected.tolist(), front.honest.folds.tolist()
    weights = {j: Fraction(min(sizes[i], sizes[j]), max(sizes[i], sizes[j])) ** 3 for j in places
               if front.source[j] == front.source[i] and abs(scores[i] - scores[j]) <= 3 * error(
                   [a - b for a, b in zip(folds[i], folds[j], strict=True)])}
    return sum(weight * Fraction(values[j]) for j, weight in weights.items()) / sum(weights.values())


def first(front, places, merit):
    """The largest merit, then the smaller subset, then the higher honest score, that of the search, the first."""
    return min(places, key=lambda i: (-merit(i), front.n_selected[i], -front.honest_score[i], -front.score[i], i))


def plain_choice(front, rule, places):
    """The choice of a rule among members with honest scores, by its definition."""
    scores, sizes, folds = front.honest_score.tolist(), front.n_selected.tolist(), front.honest.folds.tolist()
    best = min(places, key=lambda i: (-scores[i], sizes[i]))
    if isinstance(rule, NoLoss):
        level = {i: smoothed(front, i, places, scores) for i in places}
        folds = {i: [smoothed(front, i, places, fold) for fold in zip(*folds, strict=True)] for i in places}
        best = min(places, key=lambda i: (-level[i], sizes[i]))
        fits = [i for i in places if level[best] - level[i] <= rule.margin * error(
            [a - b for a, b in zip(folds[i], folds[best], strict=True)])]
        return first(front, fits, lambda i: -sizes[i])
    if rule == "one_se":
        return first(front, [i for i in places if scores[i] >= scores[best] - error(folds[best])], lambda i: -sizes[i])
    if rule == "knee":
        small = min(places, key=lambda i: (sizes[i], -scores[i]))
        if sizes[small] != sizes[best]:
            width, height = sizes[best] - sizes[small], scores[best] - scores[small]
            return first(front, places,
                         lambda i: (scores[i] - scores[small]) / height - (sizes[i] - sizes[small]) / width)
    if rule in ("r1", "r1_lambda"):
        ratio = [(F - size) / F for size in sizes] if rule == "r1" else front.objectives[:, 1].tolist()
        return first(front, places, lambda i: 1 - math.sqrt((1 - scores[i]) ** 2 + (1 - ratio[i]) ** 2))
    return first(front, places, lambda i: scores[i])


@pytest.mark.quick(3)
@pytest.mark.parametrize("rule", [*RULES[1:], *(NoLoss(margin) for margin in (0, 0.25, 1, 5))], ids=str)
def test_a_rule_chooses_by_honest_scores_among_those_that_have_one(rng, rule):
    """By its definition in plain Python."""
    for _ in range(60):
        front = random_front(rng)
        places = np.flatnonzero(np.isfinite(front.honest_score)).tolist()
        if places:
            assert front.choose(rule) == plain_choice(front, rule, places)


def test_no_loss_is_a_quarter_of_the_error(rng):
    """By its name."""
    for _ in range(20):
        front = random_front(rng, known=1)
        assert front.choose("no_loss") == front.choose(NoLoss(0.25)) == front.choose()


def test_a_larger_margin_never_chooses_a_larger_subset(rng):
    """Down to the smallest of all."""
    for _ in range(20):
        front = random_front(rng, known=1)
        sizes = [front.n_selected[front.choose(NoLoss(margin))] for margin in (0, 0.1, 0.25, 1, 4, 1e9)]
        assert all(larger >= smaller for larger, smaller in itertools.pairwise(sizes))
        smooth = front.honest.smoothed(front.source, front.n_selected)
        assert smooth.score[front.choose(NoLoss(0))] == smooth.score.max()


@pytest.mark.parametrize("score", [0.9, 1 / 3, -1e9 / 7, 1e-9 / 7])
def test_members_that_are_worth_the_same_are_not_told_apart_by_rounding(score):
    """Of subsets that all answer alike, no_loss takes the smallest."""
    sizes = np.arange(1, F + 1)
    objectives = np.column_stack((np.full(F, score), 1 - sizes / F))
    names = np.array([f"x{f}" for f in range(F)])
    front = ParetoFront(np.arange(F) < sizes[:, None], objectives, ("r2", "cardinality"), 0, np.full(F, 0.05),
                        objectives, names,
                        honest=Honesty(np.full(F, score), np.tile(score * np.array([0.9, 1, 1.1]), (F, 1)), 0.25))
    smooth = front.honest.smoothed(front.source, front.n_selected).score
    assert len(set(smooth)) > 1  # what this test is about
    assert front.choose(NoLoss(0)) == front.choose() == 0


def three(sizes, folds, score, searched=(0.5, 0.5, 0.5)):
    """A front of three members of different sources, so that nothing is smoothed."""
    objectives = np.column_stack((searched, 1 - np.array(sizes) / F))
    return ParetoFront(np.arange(F) < np.array(sizes)[:, None], objectives, ("uar", "cardinality"), 0, np.full(3, 0.05),
                       objectives, np.array([f"x{f}" for f in range(F)]), source=["search", "forest", "f_classif"],
                       honest=Honesty(np.array(score), np.array(folds), 0.25))


@pytest.mark.parametrize("rounding", [0, 1e-16, -1e-16])
def test_of_members_that_are_worth_the_same_the_smallest_is_the_best(rounding):
    """The first is .1 worse than it in each fold, which is certain; to the largest it differs by chance."""
    folds = [[0.7, 0.8, 0.9], [0.8, 0.9, 1.0], [1.0, 0.9, 0.8]]
    assert three([2, 5, 8], folds, [0.8, 0.9, 0.9 + rounding]).choose(NoLoss(1)) == 1
    assert three([2, 5, 8], folds[:1] + folds[:0:-1], [0.8, 0.9, 0.9 + rounding]).choose(NoLoss(1)) == 0


def test_without_an_error_of_the_difference_no_loss_is_the_best():
    """Where fewer than two folds have a score by themselves, as those of one sample for an area under a curve."""
    folds = np.full((3, 4), np.nan)
    folds[:, 2] = 0.5
    assert three([2, 5, 8], folds, [0.7, 0.9, 0.8]).choose(NoLoss(1e9)) == 1


@pytest.mark.parametrize("rule", ["best", "no_loss", "one_se", "knee", "r1"])
def test_of_equal_members_that_with_the_better_score_in_the_search_is_chosen(rule):
    """Then the first."""
    folds = np.tile([0.7, 0.8, 0.9], (3, 1))
    for searched in itertools.permutations((0.5, 0.6, 0.7)):
        assert three([4, 4, 4], folds, [0.8, 0.8, 0.8], searched).choose(rule) == searched.index(0.7)
    assert three([4, 4, 4], folds, [0.8, 0.8, 0.8], (0.5, 0.6, 0.6)).choose(rule) == 1


def test_scores_that_differ_in_all_folds_alike_are_not_smoothed(rng):
    """What is certain stays: a cliff between two sizes, by which every fold tells them apart."""
    score = rng.random(9)
    honest = Honesty(score, score[:, None] + rng.random(4), 0.25)
    smooth = honest.smoothed(np.full(9, "search"), np.arange(1, 10))
    assert_array_equal(smooth.score, score)
    assert_array_equal(smooth.folds, honest.folds)


def test_members_and_folds_without_a_score_leave_the_others_as_they_are(rng):
    """Those with a score are smoothed as if the others were not there."""
    front = random_front(rng, n=12, known=0.6)
    known = np.isfinite(front.honest_score)
    assert 2 < known.sum() < 12
    whole = front.honest.smoothed(front.source, front.n_selected)
    part = front.honest.part(known).smoothed(front.source[known], front.n_selected[known])
    assert_array_equal(whole.score[known], part.score)
    assert_array_equal(whole.folds[known], part.folds)
    assert np.isnan(whole.score[~known]).all()


def test_no_loss_is_not_led_by_the_luck_of_one_size(rng):
    """Of sizes that are all worth the same beyond 3 features, each with an error of its own, smoothing leaves a quarter
    of the error's variance at most, and what is chosen is worth no less."""
    lost, best = [], []
    sizes = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    truth = np.minimum(0.5 + 0.1 * sizes, 0.8)
    for _ in range(200):
        folds = truth[:, None] + 0.05 * rng.normal(size=(12, 5))
        front = ParetoFront(np.arange(F) < sizes[:, None], np.column_stack((truth, 1 - sizes / F)),
                            ("uar", "cardinality"), 0, np.full(12, 0.05), np.column_stack((truth, 1 - sizes / F)),
                            np.array([f"x{f}" for f in range(F)]), honest=Honesty(folds.mean(axis=1), folds, 0.25))
        smooth = front.honest.smoothed(front.source, front.n_selected)
        lost.append(np.var((smooth.score - truth)[4:]) / np.var((front.honest_score - truth)[4:]))
        best.append(truth[front.choose(NoLoss(0))] - truth[front.choose("best")])
    assert np.mean(lost) < 0.25 and np.mean(best) >= 0


def test_must_reduce_chooses_as_if_all_features_were_not_there(rng):
    """Even where they alone have an honest score; a front of nothing else is refused."""
    for _ in range(60):
        front = random_front(rng, largest=F)
        part = np.flatnonzero(front.n_selected < F)
        chosen = front.choose(NoLoss(0.5, must_reduce=True))
        assert front.n_selected[chosen] < F
        assert chosen == part[front.part(part).choose(NoLoss(0.5))]
    whole = ParetoFront(np.ones((1, F), dtype=bool), [[0.5, 0]], ("uar", "cardinality"), 0, [0.1], [[0.5, 0]],
                        front.feature_names)
    with pytest.raises(ValueError, match="^rule.must_reduce must be False where all members that may be chosen"):
        whole.choose(NoLoss(must_reduce=True))
    assert whole.choose(NoLoss()) == 0


def test_all_features_are_those_that_may_be_selected():
    """Where some are excluded: the rule knows all the others by their source."""
    objectives = [[0.5, 0.9], [0.9, 0.1]]
    front = ParetoFront(np.arange(F) < [[2], [F - 1]], objectives, ("uar", "cardinality"), 0, [0.1, 0.1], objectives,
                        np.arange(F).astype(str), source=["search", "all"])
    assert [front.choose(NoLoss(0, must_reduce=reduced)) for reduced in (False, True)] == [1, 0]


@pytest.mark.parametrize("rule", RULES)
def test_sizes_without_an_honest_score_are_chosen_by_the_search(rng, rule):
    """A size, or a largest size, that no member with one has."""
    front = random_front(rng, known=1)
    folds = front.honest.folds.copy()
    folds[front.n_selected <= front.n_selected[4]] = np.nan
    front.honest = Honesty(folds.mean(axis=1), folds, 0.25)
    size = int(front.n_selected[4])
    of_size = np.flatnonzero(front.n_selected == size)
    best = of_size[np.argmax(front.score[of_size])]
    assert front.choose(rule, n_features=size) == best
    up_to = np.flatnonzero(front.n_selected <= size)
    assert front.score[front.choose(rule, max_features=size)] == front.score[up_to].max()


def test_without_honest_scores_no_loss_is_by_the_error_of_the_best(rng):
    """`score_se`, on the splits of the search."""
    for _ in range(20):
        front = random_front(rng)
        front.honest = None
        best = min(range(len(front)), key=lambda i: (-front.score[i], front.n_selected[i]))
        fits = [i for i in range(len(front)) if front.score[i] >= front.score[best] - 2 * front.score_se[best]]
        assert front.n_selected[front.choose(NoLoss(2))] == min(front.n_selected[i] for i in fits)


def test_a_callable_gets_the_front_with_its_honest_scores(rng):
    """And may choose a member without one."""
    front = random_front(rng, known=0.3)
    lacking = int(np.flatnonzero(np.isnan(front.honest_score))[0])
    assert front.choose(lambda given: lacking if given is front else -1) == lacking


def test_one_se_goes_by_the_best_with_a_standard_error(rng):
    """A member that too few folds have a score of has none."""
    front = random_front(rng, 8, known=1)
    folds, score = front.honest.folds.copy(), front.honest.score
    folds[np.argmax(score), 1:] = np.nan
    front.honest = Honesty(score, folds, 0.25)
    known = np.isfinite(front.honest_se)
    assert known.sum() == 7
    best = max(np.flatnonzero(known), key=lambda i: front.honest_score[i])
    enough = np.flatnonzero(front.honest_score >= front.honest_score[best] - front.honest_se[best])
    assert front.n_selected[front.choose("one_se")] == front.n_selected[enough].min()


@pytest.mark.filterwarnings("ignore")
def test_scores_beyond_the_unit_are_those_of_scikit_learn():
    """Of answers good and bad: whatever leaves [0, 1] is known to, but R2, which counts as if it did not."""
    answers = [[[0, 1, 0, 1], [1, 0, 1, 0]], [[0, 1, 0, 1], [0.9, 0.1, 0.8, 0.2]], [[0, 1, 0, 1, 1], [0, 0, 0, 1, 1]],
               [[1.0, 2.0, 3.0, 9.0], [9.0, 1.0, 1.0, 1.0]]]
    beyond = set()
    averages = "_macro", "_micro", "_samples", "_weighted", "_ovo", "_ovr"  # of what is there by itself
    for name in (name for name in get_scorer_names() if not name.startswith("neg_") and not name.endswith(averages)):
        scorer = get_scorer(name)
        for y, found in (map(np.array, pair) for pair in answers):
            with contextlib.suppress(TypeError, ValueError):  # it does not take such answers
                value = scorer._sign * scorer._score_func(y, found, **scorer._kwargs)
                beyond |= set() if 0 <= value <= 1 else {name}
    assert {"r2", "d2_absolute_error_score", "matthews_corrcoef"} < beyond
    assert [name for name in sorted(beyond) if is_unit(name)] == ["r2"] and not is_unit("neg_log_loss")
    assert all(map(is_unit, ("uar", "soft_uar", "accuracy", "balanced_accuracy", "roc_auc", "f1_macro")))


def test_smoothing_and_errors_by_hand():
    """Twice as many features count an eighth; a fold without a score is none."""
    honest = Honesty(np.array([0.8, 0.9]), np.array([[0.6, 1.0, np.nan], [0.9, 0.7, 1.1]]), share=0.5)
    smooth = honest.smoothed(np.array(["search", "search"]), np.array([3, 6]))
    assert smooth.score.tolist() == pytest.approx([(0.8 + 0.9 / 8) / 1.125, (0.9 + 0.8 / 8) / 1.125])
    assert honest.errors().tolist() == pytest.approx([np.sqrt(0.08 * (1 / 2 + 0.5)), np.sqrt(0.04 * (1 / 3 + 0.5))])
