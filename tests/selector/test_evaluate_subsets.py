"""Objectives of any subsets, of classes and of a target: those of plain loops."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from plain_objectives import data, random_masks, slow_separability, target_data, target_hits
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from moeliga import (
    Cardinality,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    Separability,
    evaluate_subsets,
    separability,
)
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose, seed_words

# evaluate_subsets


def slow_objectives(X, y, masks, seed, n_splits, validation_size, shared, max_depth=100):
    """UAR, CR_lambda and separability of every mask: one split, one tree, one instance at a time."""
    rows = np.argsort(y, kind="stable")  # samples are numbered class by class
    sizes = np.bincount(y)
    class_start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    share = Fraction(str(validation_size))
    n_validation = np.array([min(n - 1, max(1, math.ceil(share * n))) for n in sizes.tolist()], dtype=np.int32)
    values = []
    for i, mask in enumerate(masks):
        address = (Purpose.PUBLIC, 0, 0, 0 if shared else i)
        scores = []
        for test in range(n_splits):
            held_out = draw.split(seed, (*address, test), class_start, n_validation) == 1
            train, validation = rows[~held_out], rows[held_out]
            tree = DecisionTreeClassifier(max_depth=max_depth).fit(X[train][:, mask], y[train])
            scores.append(balanced_accuracy_score(y[validation], tree.predict(X[validation][:, mask])))
        ratio = (len(mask) - mask.sum()) / len(mask)
        instances = rows[draw.instances(seed, (*address, draw.SAMPLE), len(y), math.ceil(0.3 * len(y)), True)]
        values.append([np.mean(scores), 1 / (1 + math.exp(-0.5 * ratio)),
                       slow_separability(X, y[:, None] == y, mask, instances)])
    return np.array(values)


@pytest.mark.quick(4)
@pytest.mark.filterwarnings("ignore::UserWarning:sklearn")  # a validation part may lack a class
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("sizes", "n_splits", "validation_size"), [
    ((12, 7, 9), 3, 0.3), ((15, 15), 1, 0.5), ((20, 1, 2), 4, 0.1), ((2, 2, 2, 2), 2, 0.9), ((1, 8), 2, 0.3),
])
def test_objectives_are_those_of_a_plain_loop(rng, seed, sizes, n_splits, validation_size, shared):
    """Balanced accuracy on the drawn splits, the formula of CR_lambda, a double loop of distances."""
    X, y = data(rng, sizes)
    masks = random_masks(rng, 12, 9)
    got = evaluate_subsets(X, y, masks, n_splits=n_splits, validation_size=validation_size, shared=shared,
                           random_state=seed)
    ref = slow_objectives(X, y, masks, seed_words(seed), n_splits, validation_size, shared)
    assert got.shape == (12, 3)
    assert_allclose(got[:, :2], ref[:, :2], rtol=0, atol=1e-14)
    assert_allclose(got[:, 2], ref[:, 2], rtol=0, atol=1e-6)  # distances are summed as float32


def test_an_estimator_sets_the_limits_of_the_tree(rng, seed):
    """max_depth of a moeliga.DecisionTreeClassifier is that of every tree."""
    X, y = data(rng)
    masks = random_masks(rng, 8, 9)
    got = evaluate_subsets(X, y, masks, estimator=DecisionTreeClassifier(max_depth=1), random_state=seed)
    ref = slow_objectives(X, y, masks, seed_words(seed), 3, 0.3, False, max_depth=1)
    assert_allclose(got[:, 0], ref[:, 0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("shared", [False, True])
def test_threads_change_nothing(rng, shared):
    """n_jobs of 1, 2 and all give the same bits."""
    X, y = data(rng, (120, 90, 60), n_features=40)
    masks = random_masks(rng, 60, 40)
    runs = [evaluate_subsets(X, y, masks, shared=shared, random_state=0, n_jobs=n_jobs) for n_jobs in (1, 2, -1, None)]
    assert len({run.tobytes() for run in runs}) == 1


def test_shared_splits_are_those_of_the_first_subset(rng):
    """shared=True: equal subsets are equal, and all have the splits that subset 0 would have alone."""
    X, y = data(rng)
    mask = random_masks(rng, 1, 9)
    shared = evaluate_subsets(X, y, np.repeat(mask, 20, axis=0), shared=True, random_state=1)
    alone = evaluate_subsets(X, y, np.repeat(mask, 20, axis=0), random_state=1)
    assert len(np.unique(shared, axis=0)) == 1
    assert len(np.unique(alone, axis=0)) > 1
    assert_array_equal(shared[0], alone[0])


def test_values_do_not_depend_on_other_rows(rng):
    """A subset at the same place of a shorter list has the same values."""
    X, y = data(rng)
    masks = random_masks(rng, 10, 9)
    assert_array_equal(evaluate_subsets(X, y, masks, random_state=0)[:4],
                       evaluate_subsets(X, y, masks[:4], random_state=0))


def test_order_and_kind_of_objectives_are_the_caller_s(rng):
    """Any columns in any order; callables get mask, X and y."""
    X, y = data(rng)
    masks = random_masks(rng, 6, 9)
    usual = evaluate_subsets(X, y, masks, random_state=0)

    def weight(mask, given, labels):
        assert_array_equal(given, X)
        assert_array_equal(labels, y)
        return float(mask @ np.arange(9))

    got = evaluate_subsets(X, y, masks, objectives=["separability", weight, "uar", Cardinality(None)], random_state=0)
    assert_array_equal(got[:, [2, 0]], usual[:, [0, 2]])
    assert_array_equal(got[:, 1], masks @ np.arange(9))
    assert_array_equal(got[:, 3], (9 - masks.sum(axis=1)) / 9)
    assert_array_equal(evaluate_subsets(X, y, masks, objectives=[weight]), got[:, 1:2])
    every = evaluate_subsets(X, y, masks, objectives=["uar", Separability(1.0, replace=False)], random_state=0)
    assert_array_equal(every[:, 1], [separability(X, y, mask) for mask in masks])


@pytest.mark.parametrize("make", [int, np.random.RandomState, np.random.default_rng])
def test_the_same_random_state_gives_the_same_values(rng, seed, make):
    """And None gives others each time."""
    X, y = data(rng)
    masks = random_masks(rng, 20, 9)
    one, two = (evaluate_subsets(X, y, masks, random_state=make(seed)) for _ in range(2))
    assert_array_equal(one, two)
    assert np.any(evaluate_subsets(X, y, masks) != evaluate_subsets(X, y, masks))


def test_forms_of_the_arguments_change_nothing(rng):
    """Lists, frames, read-only, Fortran and float32 arrays, masks of 0 and 1, labels of strings."""
    pd = pytest.importorskip("pandas")
    X, y = data(rng)
    X = np.round(2 * X) / 2
    masks = random_masks(rng, 6, 9)
    ref = evaluate_subsets(X, y, masks, random_state=0)
    frozen = X.copy()
    frozen.flags.writeable = False
    names = np.array(["a", "b", "c"])[y]
    for given, labels, chosen in [(X.tolist(), y.tolist(), masks.tolist()), (frozen, names, masks.astype(int)),
                                  (np.asfortranarray(X), y, np.asfortranarray(masks)),
                                  (X.astype(np.float32), y, masks.astype(float)),
                                  (pd.DataFrame(X), pd.Series(names), pd.DataFrame(masks))]:
        assert_array_equal(evaluate_subsets(given, labels, chosen, random_state=0), ref)


@pytest.mark.parametrize("n_features", [1, 63, 64, 65])
def test_any_number_of_features(rng, n_features):
    """Across the borders of machine words."""
    X, y = data(rng, n_features=n_features)
    masks = random_masks(rng, 5, n_features)
    got = evaluate_subsets(X, y, masks, random_state=3)
    assert_allclose(got[:, :2], slow_objectives(X, y, masks, seed_words(3), 3, 0.3, False)[:, :2], rtol=0, atol=1e-14)


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ({"masks": np.ones((2, 3), bool)}, ValueError, "masks must have 9 columns, the features of X, got 3"),
    ({"masks": [[True] * 9, [False] * 9]}, ValueError, "masks must select a feature in every row, row 1 is empty"),
    ({"masks": [[2] * 9]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype int64"),
    ({"masks": [[0.5] * 9]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype float64"),
    ({"masks": [["yes"] * 9]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype <U3"),
    ({"masks": [True] * 9}, ValueError, "masks must be two-dimensional, got shape (9,)"),
    ({"masks": np.ones((2, 2, 9), bool)}, ValueError, "masks must be two-dimensional, got shape (2, 2, 9)"),
    ({"masks": np.ones((0, 9), bool)}, ValueError, "masks must not be empty, got shape (0, 9)"),
    ({"masks": [[np.nan] * 9]}, ValueError, "masks must hold only True and False (or 1 and 0), got dtype float64"),
    ({"n_splits": 0}, ValueError, "n_splits must be >= 1, got 0"),
    ({"n_splits": 1.5}, TypeError, "n_splits must be an integer, got 1.5"),
    ({"shared": "no"}, TypeError, "shared must be True or False, got 'no'"),
    ({"validation_size": 1}, ValueError, "validation_size must be in (0, 1), got 1"),
    ({"objectives": "uar"}, TypeError, "objectives must be a sequence of objectives, got 'uar'"),
    ({"objectives": ["cardinality"]}, ValueError,
     "objectives must hold 'uar' or begin with a callable, got ['cardinality']"),
    ({"estimator": BernoulliNB()}, TypeError,
     "estimator must be a tree of moeliga, a compiled judge, such as GaussianNB() or Ridge(), or None, got "
     "BernoulliNB()"),
    ({"estimator": GaussianNB()}, ValueError, None),  # scikit-learn's words for missing values
    ({"estimator": DecisionTreeClassifier(min_samples_leaf=0)}, ValueError,
     "min_samples_leaf must be in [1, 2147483647], got 0"),
    ({"cv": "a"}, TypeError,
     "cv must be a number of folds, a splitter, an iterable of (train, test) pairs of rows, 'oob' or None, got 'a'"),
    ({"random_state": -1}, ValueError, "random_state must be >= 0, got -1"),
    ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0, got 0"),
    ({"y": np.zeros(28)}, ValueError, "y must have at least 2 classes, got 1 class: 0.0"),
    ({"y": np.arange(28).astype(str)}, ValueError,
     "y must have a class with at least 2 samples, got 28 classes of 1 sample"),
    ({"y": np.arange(28)}, ValueError, "y must hold class labels, got 28 distinct numbers for 28 samples, 28 of them "
     "once: for a continuous target pass a regressor as estimator, such as moeliga.RandomForestRegressor() or one of "
     "scikit-learn; for classes pass text, as y.astype(str)"),
    ({"X": np.full((28, 9), np.inf)}, ValueError, None),
    ({"X": [[10**400] * 9] * 28}, ValueError,
     "X and y must hold numbers that fit into float64: int too large to convert "
     "to float"),
    ({"y": np.array(["a", 1] * 14, dtype=object)}, TypeError,
     "y must hold class labels that can be sorted: '<' not supported between instances of 'int' and 'str'"),
    ({"y": np.arange(27)}, ValueError, None),
], ids=lambda value: "-".join(value) if isinstance(value, dict) else "")
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_bad_arguments_are_named(rng, arguments, error, message):
    """A message names the argument, the rule and the value (None: the words are scikit-learn's)."""
    X, y = data(rng)
    arguments = {"X": X, "y": y, "masks": np.ones((2, 9), bool), **arguments}
    with pytest.raises(error, match=message and f"^{re.escape(message)}$"):
        evaluate_subsets(**arguments)


# evaluate_subsets with a regressor


@pytest.mark.quick(2)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("n_samples", "strata", "validation_size", "neighbours"), [
    (60, 6, 0.3, 0.1), (130, 10, 0.2, 0.3), (19, 1, 0.5, 0.05),
])
def test_objectives_of_a_regressor_are_those_of_a_plain_loop(rng, seed, n_samples, strata, validation_size, neighbours,
                                                             shared):
    """scikit-learn's R2 on splits drawn by blocks of ranks, and a double loop of distances."""
    X, y = target_data(rng, n_samples)
    masks = random_masks(rng, 8, 9)
    got = evaluate_subsets(X, y, masks, validation_size=validation_size, shared=shared, random_state=seed,
                           objectives=("r2", "cardinality", Separability(neighbours=neighbours)),
                           estimator=DecisionTreeRegressor(max_depth=5))
    rows, share = np.argsort(y, kind="stable"), Fraction(str(validation_size))
    starts = np.array([i * n_samples // strata for i in range(strata + 1)], np.int32)
    n_validation = np.array([math.ceil(share * n) for n in np.diff(starts).tolist()], np.int32)
    for i, mask in enumerate(masks):
        address, scores = (Purpose.PUBLIC, 0, 0, 0 if shared else i), []
        for test in range(3):
            held_out = draw.split(seed_words(seed), (*address, test), starts, n_validation) == 1
            train, validation = rows[~held_out], rows[held_out]
            tree = DecisionTreeRegressor(max_depth=5).fit(X[train][:, mask], y[train])
            scores.append(r2_score(y[validation], tree.predict(X[validation][:, mask])))
        assert_allclose(got[i, 0], np.mean(scores), rtol=1e-12, atol=1e-12)
        assert_allclose(got[i, 1], 1 / (1 + math.exp(-0.5 * (9 - mask.sum()) / 9)), rtol=0, atol=1e-14)
        drawn = draw.instances(seed_words(seed), (*address, draw.SAMPLE), n_samples, -(-3 * n_samples // 10), True)
        ref = slow_separability(X, target_hits(y, neighbours), mask, rows[drawn])
        assert_allclose(got[i, 2], ref, rtol=0, atol=1e-6)


def test_a_regressor_has_r2_by_default(rng):
    """And cardinality and separability, as a classifier; integer targets and threads change nothing."""
    X, y = target_data(rng, 200)
    masks = random_masks(rng, 10, 9)
    ref = evaluate_subsets(X, 8 * y, masks, objectives=("r2", "cardinality", "separability"), random_state=0,
                           estimator=DecisionTreeRegressor())
    for target, n_jobs in ((8 * y, None), ((8 * y).astype(int), 2), ((8 * y).tolist(), -1)):
        got = evaluate_subsets(X, target, masks, random_state=0, estimator=DecisionTreeRegressor(), n_jobs=n_jobs)
        assert_array_equal(got, ref)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"estimator": DecisionTreeRegressor(), "objectives": ("uar", "cardinality")},
     "objectives must hold 'r2' in place of 'uar' for a regressor, got ('uar', 'cardinality')"),
    ({"estimator": DecisionTreeRegressor(), "objectives": ["cardinality"]},
     "objectives must hold 'r2' or begin with a callable, got ['cardinality']"),
    ({"objectives": ("r2",)}, "objectives must hold 'uar' in place of 'r2' for a classifier, got ('r2',)"),
    ({"estimator": DecisionTreeRegressor(), "objectives": ("r2", Separability(neighbours=1))},
     "separability.neighbours must be in (0, 1), got 1"),
    ({"estimator": DecisionTreeRegressor(), "y": np.full(60, 2.5)}, "y must have at least 2 values, got 1 value: 2.5"),
    ({"estimator": DecisionTreeRegressor(max_depth=-1)}, "max_depth must be >= 0, got -1"),
    ({"estimator": DecisionTreeRegressor(), "y": np.full(60, np.nan)}, None),
    ({"estimator": DecisionTreeRegressor(), "y": np.full(60, "a")}, None),
], ids=lambda value: "-".join(value) if isinstance(value, dict) else "")
def test_bad_arguments_of_a_regressor_are_named(rng, arguments, message):
    """A message names the argument, the rule and the value (None: the words are scikit-learn's)."""
    X, y = target_data(rng)
    with pytest.raises(ValueError, match=message and f"^{re.escape(message)}$"):
        evaluate_subsets(**{"X": X, "y": y, "masks": np.ones((2, 9), bool), **arguments})
