"""The Pareto front and its choices, the hypervolume."""

import builtins
import itertools
import pickle
import re
from copy import copy, deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from moeliga._ext import bits
from moeliga._ext.dominance import dominated
from moeliga.results.front import ParetoFront, build_front, hypervolume
from moeliga.results.honesty import Honesty
from moeliga.results.rules import RULES, closeness


def front_of(sizes, scores, errors=None, n_features=10, third=None):
    """A front with members of given sizes and scores; objectives are uar, cardinality (CR) and perhaps another."""
    supports = np.arange(n_features) < np.array(sizes)[:, None]
    columns = [scores, (n_features - np.array(sizes)) / n_features] + ([third] if third is not None else [])
    objectives = np.array(columns, dtype=float).T.copy()
    errors = np.full(len(sizes), 0.05) if errors is None else np.array(errors)
    names = ("uar", "cardinality", "separability")[: len(columns)]
    return ParetoFront(supports, objectives, names, 0, errors, objectives.copy(),
                       np.array([f"x{f}" for f in range(n_features)]))


def dominates(a, b):
    return all(x >= y for x, y in zip(a, b, strict=True)) and tuple(a) != tuple(b)


def test_dominated_members_are_those_that_another_dominates(rng):
    """Brute force over all pairs; equal members do not dominate each other."""
    front = front_of(rng.integers(1, 4, 12), rng.integers(0, 3, 12) / 2, third=rng.integers(0, 3, 12))
    rows = front.objectives.tolist()
    assert front.dominated.tolist() == [any(dominates(other, row) for other in rows) for row in rows]


# hypervolume


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9, 40])
def test_hypervolume_is_the_area_that_is_dominated(rng, n):
    """On a grid of 200 x 20 cells: the share of cells below and left of some point."""
    i, j = np.arange(200)[:, None, None], np.arange(20)[None, :, None]
    for _ in range(20):
        scores, ratios = rng.integers(0, 201, size=n), rng.integers(0, 20, size=n)
        cells = np.any((i < scores) & (j < ratios), axis=2)
        assert_allclose(hypervolume(scores / 200, ratios / 20), np.mean(cells), rtol=0, atol=1e-14)


def test_hypervolume_does_not_depend_on_order_or_on_dominated_points(rng):
    """Bit for bit."""
    scores, ratios = rng.random(30), rng.integers(0, 9, size=30) / 9
    area, order = hypervolume(scores, ratios), rng.permutation(30)
    assert hypervolume(scores[order], ratios[order]) == area
    kept = ~dominated(np.stack([scores, ratios], axis=1), np.stack([scores, ratios], axis=1))
    assert hypervolume(scores[kept], ratios[kept]) == area


def test_scores_below_zero_add_nothing():
    """The reference point is (0, 0)."""
    assert hypervolume([-0.5, 0.5], [0.9, 0.5]) == 0.25
    assert hypervolume([-1.0], [0.5]) == 0


# dominance


@pytest.mark.parametrize("n_objectives", [1, 2, 3])
def test_dominated_is_by_definition(rng, n_objectives):
    """At least as good in all, better in one; equal rows do not dominate each other."""
    points, by = rng.integers(0, 4, size=(20, n_objectives)) / 4, rng.integers(0, 4, size=(15, n_objectives)) / 4
    assert_array_equal(dominated(points, by), [any(dominates(b, a) for b in by) for a in points])
    assert not dominated(points, np.zeros((0, n_objectives))).any()
    assert dominated(points[:0], by).shape == (0,)
    with pytest.raises(ValueError, match="points and by must have as many columns, got"):
        dominated(points, np.zeros((3, n_objectives + 1)))
    with pytest.raises(ValueError, match="objectives must be finite"):
        dominated(points, np.full((3, n_objectives), np.nan))


# attributes


def test_attributes_agree(rng):
    """Sizes, ratios, R1 and hypervolume follow from supports and scores."""
    front = front_of([1, 3, 7], [0.5, 0.75, 0.9])
    assert front.n_selected.tolist() == [1, 3, 7]
    assert_array_equal(front.cardinality_ratio, [0.9, 0.7, 0.3])
    assert_allclose(front.r1, [1 - np.hypot(0.5, 0.1), 1 - np.hypot(0.25, 0.3), 1 - np.hypot(0.1, 0.7)], rtol=1e-14)
    assert_allclose(front.hypervolume, 0.9 * 0.5 + 0.7 * 0.25 + 0.3 * 0.15, rtol=1e-14)
    assert len(front) == 3
    assert front.features(1) == ["x0", "x1", "x2"]
    assert front.features(-2) == front.features(1)
    assert repr(front) == "<ParetoFront of 3 subsets with 1 to 7 features>"


@pytest.mark.parametrize("index", [3, -4, 99, 1.5, "a", None, slice(0, 1)])
def test_members_that_there_are_not_are_named(index):
    """The index, and its range."""
    with pytest.raises(IndexError, match=rf"^index must be an integer in \[-3, 3\), got {re.escape(repr(index))}$"):
        front_of([1, 3, 7], [0.5, 0.75, 0.9]).features(index)
    with pytest.raises(IndexError, match=r"^index must be an integer in \[-1, 1\), got 99$"):
        Honesty(np.array([0.8]), np.array([[0.7, 0.9]]), share=0.5).errors(99)


@pytest.mark.parametrize("name", ["supports", "objectives", "score", "score_se", "search_objectives", "n_selected"])
def test_arrays_are_read_only(name):
    """Nobody changes a result by accident."""
    with pytest.raises(ValueError, match="read-only"):
        getattr(front_of([1, 3], [0.5, 0.7]), name)[0] = 0


@pytest.mark.parametrize("again", [lambda front: front, lambda front: pickle.loads(pickle.dumps(front)), deepcopy,
                                   copy], ids=["itself", "pickled", "deepcopy", "copy"])
@pytest.mark.parametrize("name", ["supports", "objectives", "score", "worth", "honest_score", "judges", "folds"])
def test_nothing_makes_a_front_writeable(again, name):
    """Nor a copy of it: a rule that fills NaN of `worth` would change what the front says."""
    made = front_of([1, 3], [0.5, 0.7])
    front = again(ParetoFront(made.supports, made.objectives, made.names, 0, made.score_se, made.objectives,
                              made.feature_names, honest=Honesty(np.array([np.nan, 0.7]), np.full((2, 3), 0.7), 0.25),
                              judges={"GaussianNB": [0.5, 0.7]}))
    array = {"judges": front.judges["GaussianNB"], "folds": front.honest.folds}
    with pytest.raises(ValueError, match="read-only"):
        (array[name] if name in array else getattr(front, name))[0] = 1


@pytest.mark.parametrize(("sizes", "said"), [
    ([1], "1 subset with 1 feature"), ([1, 1], "2 subsets with 1 feature"), ([4], "1 subset with 4 features"),
    ([1, 2], "2 subsets with 1 to 2 features")])
def test_repr_counts_in_english(sizes, said):
    assert repr(front_of(sizes, [0.5] * len(sizes))) == f"<ParetoFront of {said}>"


def test_to_frame_has_one_row_a_member():
    """Sizes, objectives by name, standard error, R1 and names."""
    pytest.importorskip("pandas")
    front = front_of([1, 3], [0.5, 0.75], third=[0.2, 0.1])
    frame = front.to_frame()
    assert frame.columns.tolist() == ["n_selected", "uar", "cardinality", "separability", "score_se", "r1", "features"]
    assert frame["n_selected"].tolist() == [1, 3]
    assert frame["uar"].tolist() == [0.5, 0.75]
    assert frame["separability"].tolist() == [0.2, 0.1]
    assert frame["score_se"].tolist() == [0.05, 0.05]
    assert_array_equal(frame["r1"], front.r1)
    assert frame["features"].tolist() == [["x0"], ["x0", "x1", "x2"]]


def test_to_frame_says_what_it_needs(monkeypatch):
    """Without pandas the message tells how to install it."""
    original = builtins.__import__

    def without_pandas(name, *arguments, **keywords):
        if name == "pandas":
            raise ImportError(name)
        return original(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(ImportError, match=r"ParetoFront.to_frame needs pandas: pip install 'moeliga\[files\]'"):
        front_of([1], [0.5]).to_frame()


# choice


@pytest.mark.parametrize(("sizes", "scores", "chosen"), [
    ([1, 2, 3], [0.5, 0.8, 0.9], 1),  # 1 - 0.510, 1 - 0.283, 1 - 0.316
    ([1, 5, 9], [0.2, 0.5, 0.9], 1),  # 1 - 0.806, 1 - 0.707, 1 - 0.906
    ([1, 9], [0.5, 1.0], 0),
    ([1, 9], [0.1, 1.0], 1),
    ([4], [0.3], 0),
])
def test_r1_is_nearest_to_the_ideal_point(sizes, scores, chosen):
    """By hand: the largest 1 - sqrt((1 - score)^2 + (k / F)^2)."""
    front = front_of(sizes, scores)
    assert front.choose("r1") == chosen
    assert front.r1[chosen] == front.r1.max()


def test_r1_ties_go_to_the_smaller_subset():
    """(0.7, 0.6) and (0.6, 0.7) are equally near to (1, 1)."""
    front = front_of([3, 4], [0.6, 0.7])
    front.objectives.flags.writeable = True
    assert closeness(0.6, 0.7) == closeness(0.7, 0.6)
    assert front.choose("r1") == 0
    assert front_of([4, 3], [0.7, 0.6]).choose("r1") == 1


def test_r1_lambda_takes_objective_two_in_place_of_the_ratio():
    """A map that makes all sizes nearly equal lets the score decide."""
    front = front_of([1, 9], [0.7, 0.8])
    assert front.choose("r1_lambda") == front.choose("r1") == 0
    flat = ParetoFront(front.supports, np.array([[0.7, 0.6], [0.8, 0.59]]), ("uar", "cardinality"), 0, front.score_se,
                       front.search_objectives, front.feature_names)
    assert flat.choose("r1") == 0
    assert flat.choose("r1_lambda") == 1


def test_best_is_the_highest_score_and_the_smaller_of_two():
    """Ties go to the smaller subset; of one size, to the lower place."""
    assert front_of([1, 2, 5], [0.5, 0.9, 0.8]).choose("best") == 1
    assert front_of([1, 2, 5], [0.5, 0.9, 0.9]).choose("best") == 1
    assert front_of([5, 2, 2], [0.9, 0.9, 0.9]).choose("best") == 1


@pytest.mark.parametrize(("scores", "errors", "chosen"), [
    ([0.5, 0.8, 0.9, 0.95], [0.01, 0.01, 0.01, 0.05], 2),
    ([0.5, 0.8, 0.9, 0.95], [0.5, 0.5, 0.5, 0.01], 3),  # the error of the best counts, not their own
    ([0.5, 0.8, 0.9, 0.95], [0.0, 0.0, 0.0, 0.5], 0),
    ([0.5, 0.8, 0.9, 0.95], [0.0, 0.0, 0.0, 0.0], 3),
    ([0.5, 0.9, 0.9, 0.9], [0.0, 0.1, 0.5, 0.5], 1),  # of equally good ones the smallest is the best
    ([0.75, 0.5, 1.0, 0.75], [0.0, 0.0, 0.25, 0.0], 0),  # exactly one standard error is near enough
])
def test_one_se_is_the_smallest_within_one_standard_error_of_the_best(scores, errors, chosen):
    """By hand."""
    assert front_of([1, 2, 3, 4], scores, errors).choose("one_se") == chosen


def test_one_se_of_equal_sizes_takes_the_higher_score():
    """Two members of one size within reach."""
    assert front_of([2, 2, 3], [0.85, 0.88, 0.9], [0.1] * 3).choose("one_se") == 1


@pytest.mark.parametrize(("sizes", "scores", "chosen"), [
    ([1, 2, 9], [0.5, 0.9, 1.0], 1),
    ([1, 5, 9], [0.5, 0.75, 1.0], 0),  # on the line: distances are 0, the smallest is taken
    ([1, 3, 5, 9], [0.5, 0.7, 0.95, 1.0], 2),
    ([2, 2, 6], [0.5, 0.6, 0.9], 1),  # the line begins at the better of the smallest
    ([3], [0.4], 0),
    ([2, 2], [0.5, 0.6], 1),
    ([1, 4, 8], [0.9, 0.5, 0.4], 0),  # the smallest is the best
    ([1, 2, 4, 8], [0.5, 0.9, 1.0, 0.99], 1),  # beyond the best there is no knee
    ([1, 4, 8], [0.5, 0.9, 0.6], 0),  # nor between two ends alone: both are on the line
    ([1, 2, 4, 9], [0.0, 0.9, 1.0, 0.99], 1),
])
def test_knee_is_farthest_above_the_line_from_the_smallest_to_the_best(sizes, scores, chosen):
    """By hand."""
    assert front_of(sizes, scores).choose("knee") == chosen


def test_a_knee_on_one_line_is_the_smallest():
    """Whatever is rounded: all steps of two decimals."""
    for first, step in itertools.product(range(50, 80), range(1, 4)):
        scores = [(first + number * step) / 100 for number in range(3)]
        assert front_of([1, 2, 3], scores).choose("knee") == 0


@pytest.mark.parametrize("rule", RULES)
def test_choice_does_not_depend_on_the_order_of_the_members(rng, rule):
    """Any order of distinct sizes gives the same member."""
    sizes, scores = np.array([1, 2, 4, 6, 9]), np.array([0.3, 0.6, 0.7, 0.75, 0.8])
    chosen = {sizes[order][front_of(sizes[order], scores[order]).choose(rule)]
              for order in map(np.array, itertools.permutations(range(5)))}
    assert len(chosen) == 1


def test_n_features_is_the_best_of_exactly_this_size():
    """Whatever the rule."""
    front = front_of([1, 2, 2, 3], [0.5, 0.6, 0.7, 0.9])
    assert front.choose(n_features=2) == front.choose("knee", n_features=2) == 2
    assert front.choose(n_features=np.int64(3)) == 3
    assert front.choose(lambda front: 0, n_features=3) == 3


@pytest.mark.parametrize("rule", RULES)
def test_max_features_is_the_choice_among_the_smaller_members(rule):
    """As if the larger ones were not there."""
    sizes, scores, errors = [1, 2, 4, 6, 9], [0.3, 0.6, 0.7, 0.75, 0.8], [0.1, 0.02, 0.07, 0.2, 0.0]
    front = front_of(sizes, scores, errors)
    for most, kept in ((1, 1), (2, 2), (3, 2), (5, 3), (9, 5), (99, 5)):
        smaller = front_of(sizes[:kept], scores[:kept], errors[:kept])
        assert front.choose(rule, max_features=most) == smaller.choose(rule)


def test_index_and_callables_choose_directly():
    """The place itself, or what a function of the front returns."""
    front = front_of([1, 2, 3], [0.5, 0.6, 0.9])
    assert [front.choose(index=i) for i in (0, np.int64(2))] == [0, 2]
    assert front.choose(lambda given: 1 if given is front else 0) == 1
    assert type(front.choose(lambda given: np.argmin(given.score))) is int


@pytest.mark.parametrize(("options", "error", "message"), [
    ({"rule": "r2"}, ValueError, "rule must be one of .* or a callable, got 'r2'"),
    ({"rule": None}, ValueError, "rule must be one of .* or a callable, got None"),
    ({"rule": "r2", "index": 0}, ValueError, "rule must be one of .* or a callable, got 'r2'"),
    ({"rule": lambda front: 3}, ValueError, r"the index that rule returns must be in \[0, 3\), got 3"),
    ({"rule": lambda front: -1}, ValueError, r"the index that rule returns must be in \[0, 3\), got -1"),
    ({"rule": lambda front: "a"}, TypeError, "the index that rule returns must be an integer, got 'a'"),
    ({"rule": lambda front: 0, "max_features": 2}, ValueError, "max_features must be None for a callable rule, got 2"),
    ({"index": 3}, ValueError, r"index must be in \[0, 3\), got 3"),
    ({"index": -1}, ValueError, r"index must be in \[0, 3\), got -1"),
    ({"index": 0.0}, TypeError, "index must be an integer, got 0.0"),
    ({"index": 0, "n_features": 2}, ValueError, "index must be None where n_features, max_features or "
                                                 "max_cost is given, got 0"),
    ({"index": 0, "max_features": 2}, ValueError, "index must be None where n_features, max_features or max_cost is"),
    ({"index": 0, "max_cost": 2.0}, ValueError, "index must be None where n_features, max_features or max_cost is"),
    ({"max_cost": 2.0}, ValueError, "max_cost must be None for a front without costs"),
    ({"max_cost": -1}, ValueError, "max_cost must be >= 0, got -1"),
    ({"max_cost": "2"}, TypeError, "max_cost must be a number, got '2'"),
    ({"rule": len, "max_cost": 2.0}, ValueError, "max_cost must be None for a callable rule, got 2.0"),
    ({"n_features": 3}, ValueError, r"n_features must be the size of a member of the front, got 3; there are members "
                                    r"of \[2, 4, 6\] features"),
    ({"n_features": 2.0}, TypeError, "n_features must be an integer, got 2.0"),
    ({"max_features": 1}, ValueError,
     "max_features must be >= 2, the size of the smallest member that may be chosen, got 1"),
    ({"max_features": "2"}, TypeError, "max_features must be an integer, got '2'"),
    ({"n_features": 4, "max_features": 3}, ValueError,
     "max_features must be >= 4, the size of the smallest member that may be chosen, got 3"),
])
def test_bad_choices_are_named(options, error, message):
    """A message names the argument, the rule and the value."""
    with pytest.raises(error, match=f"^{message}"):
        front_of([2, 4, 6], [0.5, 0.6, 0.9]).choose(**options)


@pytest.mark.filterwarnings("error")
def test_a_score_may_be_as_low_as_a_double(rng):
    """The R2 of a bad regressor: its R1 is minus infinity, without a warning, and another member is chosen."""
    front = front_of([1, 2], [-1e300, -3.0])
    assert front.r1[0] == -np.inf and front.choose() == 1


def test_an_empty_front_has_nothing_to_choose():
    """Whatever the rule."""
    empty = ParetoFront(np.zeros((0, 4), dtype=bool), np.zeros((0, 2)), ("uar", "cardinality"), 0, np.zeros(0),
                        np.zeros((0, 2)), np.array(list("abcd")))
    for options in ({}, {"rule": "best"}, {"n_features": 2}, {"max_features": 2}):
        with pytest.raises(ValueError, match="^the front must have a member, .* got none"):
            empty.choose(**options)


def test_one_se_needs_standard_errors():
    """Without re-scoring there is none."""
    with pytest.raises(ValueError, match="rule='one_se' needs a front re-scored on at least 2 splits"):
        front_of([1, 2], [0.5, 0.6], [np.nan, np.nan]).choose("one_se")


def test_r1_lambda_needs_objective_two():
    """Which is not always asked for."""
    front = front_of([1, 2], [0.5, 0.6])
    front.names = ("uar", "price")
    with pytest.raises(ValueError, match=r"rule='r1_lambda' needs the objective 'cardinality', got \('uar', 'price'\)"):
        front.choose("r1_lambda")


# building


def evaluator(n_features, primary=0):
    """What build_front asks of the objectives."""
    return SimpleNamespace(primary=primary, names=("a", "b"), costs=None,
                           dataset=SimpleNamespace(n_features=n_features))


def built(masks, objectives, scores=None, primary=0):
    masks, objectives = np.array(masks, dtype=np.uint8), np.array(objectives, dtype=float)
    scores = np.zeros((len(masks), 0)) if scores is None else np.array(scores, dtype=float)
    names = np.array([f"x{f}" for f in range(masks.shape[1])])
    return build_front(bits.pack(masks), objectives, objectives + 1, scores, evaluator(masks.shape[1], primary), names,
                       scores.shape[1])


def test_front_is_built_of_the_non_dominated_from_small_to_large():
    """Sorted by size, then by falling score, then by mask."""
    front = built([[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]],
                  [[0.9, 0.1], [0.5, 0.5], [0.5, 0.5], [0.4, 0.6], [0.3, 0.2]])
    assert front.supports.astype(int).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1]]
    assert front.objectives.tolist() == [[0.5, 0.5], [0.5, 0.5], [0.4, 0.6], [0.9, 0.1]]
    assert_array_equal(front.search_objectives, front.objectives + 1)
    assert np.isnan(front.score_se).all()


def test_score_is_the_primary_objective():
    """Wherever its column is."""
    front = built([[1, 0], [0, 1]], [[0.2, 0.8], [0.3, 0.7]], primary=1)
    assert front.score.tolist() == [0.8, 0.7]


def test_judges_are_those_of_the_members():
    """In the order of the front, without those of rows that are dominated; no name, no scores."""
    evaluate, masks = evaluator(2), np.array([[1, 1], [1, 0], [0, 1]], dtype=np.uint8)
    objectives, judged = np.array([[0.9, 0.0], [0.1, 0.1], [0.5, 0.5]]), np.arange(6.0).reshape(3, 2)
    for names, wanted in ((("one", "other"), {"one": [4, 0], "other": [5, 1]}), ((), {})):
        evaluate.judge_names = names
        front = build_front(bits.pack(masks), objectives, objectives, np.zeros((3, 0)), evaluate, np.array(["a", "b"]),
                            3, judged=judged)
        assert front.supports.tolist() == [[False, True], [True, True]]
        assert {name: scores.tolist() for name, scores in front.judges.items()} == wanted


def test_names_are_a_copy():
    """What happens to the array of the caller later changes nothing."""
    names = np.array(["a", "b"])
    front = ParetoFront([[True, False]], [[0.5]], ("uar",), 0, [0.1], [[0.5]], names)
    names[0] = "z"
    assert front.features(0) == ["a"]


@pytest.mark.parametrize("n_splits", [1, 2, 7])
def test_standard_error_is_that_of_the_mean_over_splits(rng, n_splits):
    """The sample standard deviation over sqrt(n_splits); NaN for a single split."""
    scores = rng.random((6, n_splits))
    objectives = np.stack([np.arange(6.0), -np.arange(6.0)], axis=1)
    front = built(np.eye(6)[::-1], objectives, scores)
    order = [int(value) for value in front.score]
    if n_splits == 1:
        assert np.isnan(front.score_se).all()
    else:
        assert_allclose(front.score_se, scores[order].std(axis=1, ddof=1) / np.sqrt(n_splits), rtol=1e-12)
