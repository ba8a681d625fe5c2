"""Folds: what each holds out, and how many there are."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import rankdata
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB

from cross_fitted import data, metadata, problem, small
from moeliga.base.random_streams import Purpose, random_states
from moeliga.evaluation.path import has_needed_classes
from moeliga.validation.folds import folds_of


def folds(honest, X, y, key, regression=False, **split):
    return folds_of(honest, problem(X, y, regression), metadata(len(y), **split), key)


def assert_partition(found, n_samples):
    """Every row is held out once, and is a training row of the other folds."""
    assert_array_equal(np.sort(np.concatenate([test for _, test in found])), np.arange(n_samples))
    for train, test in found:
        assert_array_equal(train, np.setdiff1d(np.arange(n_samples), test))
        assert_array_equal(test, np.sort(test))


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("n_folds", [2, 5, np.int64(7)])
def test_a_number_of_folds_holds_out_every_row_once_and_every_class_evenly(rng, key, n_folds, n_classes):
    """Each fold has a K-th of each class, rounded up or down."""
    X, y = data(rng, 61, n_classes=n_classes)
    found = folds(n_folds, X, y, key)
    assert len(found) == n_folds
    assert_partition(found, 61)
    for label in range(n_classes):
        n = np.count_nonzero(y == label)
        assert {np.count_nonzero(y[test] == label) for _, test in found} <= {n // n_folds, -(-n // n_folds)}


@pytest.mark.parametrize(("n_samples", "n_folds", "n_strata"), [(200, 5, 10), (30, 10, 3)])
def test_targets_are_held_out_evenly_too(rng, key, n_samples, n_folds, n_strata):
    """Each fold has its share of each decile, or of fewer parts, of ten samples each."""
    y = rng.normal(size=n_samples).round(1)  # some are equal
    found = folds(n_folds, rng.normal(size=(n_samples, 3)), y, key, regression=True)
    assert_partition(found, n_samples)
    stratum = (rankdata(y, "ordinal") - 1) * n_strata // n_samples
    for _, test in found:
        assert_array_equal(np.bincount(stratum[test].astype(int), minlength=n_strata),
                           np.full(n_strata, n_samples // n_folds // n_strata))


@pytest.mark.parametrize("groups", [{}, {"groups": np.arange(30) // 2}], ids=["alone", "groups"])
def test_targets_of_few_samples_are_held_out_at_random(rng, key, groups):
    """Where there are more folds than samples in a part of ten."""
    found = folds(15, rng.normal(size=(30, 3)), rng.normal(size=30), key, regression=True, **groups)
    assert len(found) == 15
    assert_partition(found, 30)
    for train, test in found:
        assert not groups or not set(train // 2) & set(test // 2)


@pytest.mark.parametrize("regression", [False, True])
@pytest.mark.parametrize("kind", [int, str])
def test_groups_stay_together(rng, key, regression, kind):
    """Whatever their labels are."""
    X, y = data(rng, 60)
    groups = np.array([kind(group) for group in rng.integers(12, size=60)])
    found = folds(4, X, rng.normal(size=60) if regression else y, key, regression, groups=groups)
    assert len(found) == 4
    assert_partition(found, 60)
    for train, test in found:
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize("split", [{}, {"groups": np.arange(48) // 2}], ids=["alone", "groups"])
def test_folds_are_those_of_a_seed(rng, key, split):
    """And others with another seed."""
    X, y = data(rng)
    one, same, other = (folds(3, X, y, seed, **split) for seed in (key, key.copy(), key + np.uint64(1)))
    assert [test.tolist() for _, test in one] == [test.tolist() for _, test in same]
    assert [test.tolist() for _, test in one] != [test.tolist() for _, test in other]


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("kind", [int, str])
def test_folds_are_those_of_scikit_learn_without_its_warning(rng, key, grouped, kind):
    """Of classes that have fewer samples than there are folds."""
    state, = random_states(key, (Purpose.FOLD, 0, 0, 0, 0))
    for n_folds in (2, 3, 5, 7, 16):
        y = np.array([kind(label) for label in rng.choice(4, 90, p=[0.45, 0.4, 0.1, 0.05])])
        groups = {"groups": rng.integers(40, size=90)} if grouped else {}
        splitter = (StratifiedGroupKFold if grouped else StratifiedKFold)(n_folds, shuffle=True, random_state=state)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class")
            wanted = list(splitter.split(y, y, **groups))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = folds(n_folds, rng.normal(size=(90, 2)), y, key, **groups)
        assert len(found) == len(wanted)
        for (train, test), (others, held) in zip(found, wanted, strict=True):
            assert_array_equal(train, others)
            assert_array_equal(test, held)


@pytest.mark.parametrize("name", ["cv", "honest"])
@pytest.mark.parametrize("splitter", [GroupKFold(3), StratifiedGroupKFold(3)])
def test_a_splitter_by_groups_without_any_says_so(rng, name, splitter):
    X, y = data(rng)
    with pytest.raises(ValueError, match=rf"{name}=.*must split the samples of X: .*\(fit was given no groups\)$"):
        small(GaussianNB(), **{"honest": 2, name: splitter}).fit(X, y)
    with pytest.raises(ValueError, match=rf"{name}=.*must split the samples of X: (?!.*fit was given)"):
        small(GaussianNB(), **{"honest": 2, name: splitter}).fit(X, y, groups=np.arange(len(y)) % 2)


def test_folds_do_not_depend_on_the_values_of_x(rng, key):
    """They are drawn by y alone."""
    X, y = data(rng)
    for (train, test), (others, held) in zip(folds(3, X, y, key), folds(3, rng.normal(size=(48, 2)), y, key),
                                             strict=True):
        assert_array_equal(train, others)
        assert_array_equal(test, held)


@pytest.mark.parametrize("honest", [KFold(4), StratifiedKFold(2, shuffle=True, random_state=3), RepeatedKFold(
    n_splits=3, n_repeats=2, random_state=0), GroupKFold(3)], ids=lambda splitter: type(splitter).__name__)
def test_a_splitter_is_taken_as_it_is(rng, key, honest):
    """With its groups; rows may be held out twice."""
    X, y = data(rng)
    groups = np.arange(48) // 3
    found = folds(honest, X, y, key, groups=groups)
    wanted = list(honest.split(X, y, groups))
    assert len(found) == len(wanted)
    for (train, test), (others, held) in zip(found, wanted, strict=True):
        assert_array_equal(train, np.sort(others))
        assert_array_equal(test, np.sort(held))


@pytest.mark.parametrize("kind", [list, iter])
@pytest.mark.parametrize("form", ["rows", "masks", "lists"])
def test_pairs_are_taken_as_they_are(rng, key, kind, form):
    """As indices, in any order, or masks; rows may be in no fold."""
    X, y = data(rng)
    wanted = [(rng.permutation(24), np.arange(35, 29, -1)), (np.arange(24, 48), np.arange(5))]
    shown = {"rows": wanted, "lists": [(train.tolist(), test.tolist()) for train, test in wanted],
             "masks": [tuple(np.isin(np.arange(48), part) for part in pair) for pair in wanted]}[form]
    found = folds(kind(shown), X, y, key)
    for (train, test), (others, held) in zip(found, wanted, strict=True):
        assert_array_equal(train, np.sort(others))
        assert_array_equal(test, np.sort(held))


@pytest.mark.parametrize(("honest", "message"), [
    ([([0, 1, 2, 3], [3, 4]), ([4, 5, 6], [0])], "honest must give training and test rows that have none in common, "
                                                "got 3 in both"),
    ([], "honest must give at least two (train, test) pairs of rows, got 0 from []"),
    ([([0, 1, 2, 3], [4])], "honest must give at least two (train, test) pairs of rows, got 1 from "),
    ([([0, 1], [48]), ([1, 2], [3])], "honest must give (train, test) pairs of rows of X"),
    ([1, 2], "honest must give (train, test) pairs of rows of X"),
    ([([0.5], [1]), ([1], [2])], "honest must give (train, test) pairs of rows of X"),
], ids=["overlap", "none", "one", "beyond", "numbers", "fractions"])
def test_what_are_no_folds_is_refused(rng, key, honest, message):
    """Saying which parameter, and why."""
    with pytest.raises(ValueError) as error:
        folds(honest, *data(rng), key)
    assert str(error.value).startswith(message)


def test_an_iterator_that_is_used_up_is_refused(rng, key):
    """It serves one fit."""
    X, y = data(rng)
    honest = KFold(3).split(X, y)
    assert len(folds(honest, X, y, key)) == 3
    with pytest.raises(ValueError, match=r"^honest must give at least two \(train, test\) pairs of rows, got 0 from"):
        folds(honest, X, y, key)


@pytest.mark.parametrize(("sizes", "n_folds", "warning"), [
    ((20, 5), 5, None),
    ((20, 4), 4, "honest=5 gives 4 folds here: no class but the largest has more than 4 samples"),
    ((4, 4, 1), 4, "honest=5 gives 4 folds here: no class but the largest has more than 4 samples"),
    ((20, 1, 2), 2, "honest=5 gives 2 folds here: no class but the largest has more than 2 samples"),
    ((20, 1), 0, "honest=5 gives no honest scores here: no class but the largest has more than 1 sample"),
    ((20, 5, 1), 5, None),
], ids=str)
def test_few_samples_make_fewer_folds_or_none(rng, key, sizes, n_folds, warning):
    """With a warning; every fold trains on two classes at least."""
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = folds(5, rng.normal(size=(len(y), 3)), y, key)
    assert [str(warning.message) for warning in told] == ([warning] if warning else [])
    assert len(found) == n_folds
    assert all(len(set(y[train])) > 1 for train, _ in found)
    if found:
        assert_partition(found, len(y))


@pytest.mark.parametrize(("groups", "regression", "n_folds", "warning"), [
    (np.arange(24) // 8, True, 3, "honest=5 gives 3 folds here: there are not more than 3 groups"),
    (np.arange(24) // 6, False, 4, "honest=5 gives 4 folds here: no class but the largest has more than 4 groups"),
    (np.zeros(24), False, 0, "honest=5 gives no honest scores here: no class but the largest has more than 1 group"),
    (np.zeros(24), True, 0, "honest=5 gives no honest scores here: there are not more than 1 group"),
], ids=["targets", "classes", "one", "one of targets"])
def test_few_groups_make_fewer_folds_or_none(rng, key, groups, regression, n_folds, warning):
    """A class counts the groups that it is in."""
    y = rng.normal(size=24) if regression else np.arange(24) % 2
    with pytest.warns(UserWarning) as told:
        found = folds(5, rng.normal(size=(24, 3)), y, key, regression, groups=groups)
    assert [str(warning.message) for warning in told] == [warning]
    assert len(found) == n_folds


def test_folds_that_cannot_be_searched_are_left_out(rng, key):
    """Of one class, of classes of one sample, of constant features, or with nothing held out."""
    X, y = data(rng)
    y, X[:12] = np.arange(48) % 2, 1.0
    good = [(np.arange(10, 30), np.arange(30, 40)), (np.arange(24, 48), np.arange(12))]
    bad = [(np.arange(0, 48, 2), np.arange(1, 9, 2)), (np.arange(12), np.arange(12, 20)), (np.arange(40), [])]
    with pytest.warns(UserWarning, match="^3 of 5 folds of honest are left out: they hold out no samples, or "):
        found = folds([bad[0], good[0], bad[1], good[1], bad[2]], X, y, key)
    for pair, wanted in zip(found, good, strict=True):
        for rows, others in zip(pair, wanted, strict=True):
            assert_array_equal(rows, others)
    with pytest.warns(UserWarning, match="^1 of 2 folds of honest are left out, so there are no honest scores: "):
        assert folds([good[0], bad[0]], X, y, key) == []
    with pytest.warns(UserWarning, match="^2 of 2 folds of honest are left out, .* no class of two samples"):
        assert folds(2, X[20:24], y[20:24], key) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # targets are no classes
        assert len(folds(2, X[20:24], np.arange(4.0), key, regression=True)) == 2


@pytest.mark.parametrize(("scoring", "cv", "n_left"), [
    ("roc_auc_ovr", None, 2), ("neg_log_loss", None, 2), ("average_precision", None, 2), ("uar", None, 4),
    ("soft_uar", None, 4), (None, None, 4), (max, None, 4), ("roc_auc_ovr", 2, 2), ("uar", 2, 4)])
def test_folds_without_a_score_are_left_out(rng, key, scoring, cv, n_left):
    """A class of two, of which two folds have one sample to learn from: no part holds it that others are scored on."""
    X, y = rng.normal(size=(40, 3)), np.repeat([0, 1, 2], [19, 19, 2])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = folds_of(4, problem(X, y), metadata(40), key, scoring, cv)
    assert len(found) == n_left
    assert all(np.count_nonzero(y[train] == 2) == 2 for train, _ in found) == (n_left == 2)
    assert any("2 of 4 folds of honest are left out" in str(warning.message) for warning in told) == (n_left == 2)


@pytest.mark.parametrize(("cv", "rows", "scored"), [
    (KFold(3), [0, 20], False), (KFold(3), [0, 8, 20], True), (StratifiedKFold(2), [0, 1], True),
    (StratifiedKFold(2), [0], False), (LeaveOneOut(), [0, 1], True), (LeaveOneOut(), [0], False)], ids=str)
def test_both_parts_of_a_split_need_every_class(cv, rows, scored):
    """Of leave-one-out, which is scored on all answers together, what is learnt from."""
    y = np.arange(24) % 2
    y[rows] = 2
    posed = problem(np.arange(24.0)[:, None], y)
    assert has_needed_classes("roc_auc_ovr", cv, posed, metadata(24)) == scored


@pytest.mark.parametrize("scoring", [None, "recall_macro"])
def test_a_class_counts_of_which_one_sample_is_held_out(rng, scoring):
    """As it has been learnt from others; one of a single sample has not, and does not count in UAR."""
    y = np.repeat([0, 1, 2], [30, 20, 10])
    X = rng.normal(size=(60, 4)) + 3 * (y == 1)[:, None]
    fold = np.full(60, -1)
    fold[:10], fold[30:36], fold[59] = 0, 1, 1
    selector = small(scoring=scoring, honest=PredefinedSplit(fold)).fit(X, y)
    place = selector.baselines_.source.tolist().index("all")
    found = [(y[rows], GaussianNB().fit(X[fold != number], y[fold != number]).predict(X[rows]))
             for number, rows in ((number, fold == number) for number in (0, 1))]
    expected = balanced_accuracy_score(*map(np.concatenate, zip(*found, strict=True)))
    assert selector.baselines_.honest_score[place] == pytest.approx(expected)


@pytest.mark.parametrize(("positives", "n_folds", "warning"), [
    ([5], 0, "^the folds of honest hold out samples of class 0 alone, so there are no honest scores"),
    ([5, 30], 2, None)])
def test_folds_that_hold_out_one_class_are_none(rng, key, positives, n_folds, warning):
    """As of events that all came early."""
    y = np.zeros(60, dtype=np.int64)
    for first in positives:
        y[first: first + 5] = 1
    posed, nothing = problem(rng.normal(size=(60, 3)), y), metadata(60)
    with pytest.warns(UserWarning, match=warning) if warning else warnings.catch_warnings():
        assert len(folds_of(TimeSeriesSplit(2), posed, nothing, key)) == n_folds


@pytest.mark.parametrize(("n_classes", "told"), [
    (1, "class 2, so honest scores tell nothing of it"),
    (30, r"30 classes \(2, 3, .*, \+ [0-9]+\), so honest scores tell nothing of them")])
def test_classes_that_no_fold_holds_out_are_told(rng, key, n_classes, told):
    y = np.concatenate((np.repeat(np.arange(2, 2 + n_classes), 2), np.arange(120) % 2))
    posed, nothing = problem(rng.normal(size=(len(y), 3)), y), metadata(len(y))
    with pytest.warns(UserWarning, match=f"^the folds of honest hold out no sample of {told}"):
        assert len(folds_of(TimeSeriesSplit(2, test_size=20), posed, nothing, key)) == 2


def test_of_a_class_of_one_sample_nothing_is_told(rng, key):
    """What holds it out has not learnt it."""
    y = np.concatenate(([2], np.arange(119) % 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(folds(TimeSeriesSplit(2, test_size=20), rng.normal(size=(120, 3)), y, key)) == 2


def test_splits_that_a_fold_does_not_have_are_refused_before_any_search(rng, key):
    """With a count of its samples; a splitter's own state stays what it was."""
    X, y = data(rng)
    message = r"cv=KFold.*must split the samples of X: .*\(of the 32 training samples of a fold of honest\)$"
    with pytest.raises(ValueError, match=message):
        folds_of(3, problem(X, y), metadata(48), key, None, KFold(40))
    assert len(folds_of(3, problem(X, y), metadata(48, groups=np.arange(48) // 4), key, None, GroupKFold(3))) == 3
    state = np.random.RandomState(3)
    folds_of(3, problem(X, y), metadata(48), key, None, KFold(3, shuffle=True, random_state=state))
    assert state.randint(99) == np.random.RandomState(3).randint(99)


def test_an_object_with_split_gets_groups_and_y(rng, key):
    """As scikit-learn calls it."""
    X, y = data(rng)
    heard = []

    def split(*given, groups):
        heard.append((*given, groups))
        return [(np.arange(24), np.arange(24, 48)), (np.arange(24, 48), np.arange(24))]

    assert len(folds(SimpleNamespace(split=split), X, y, key, groups="mine")) == 2
    (X_given, y_given, groups), = heard
    assert_array_equal(X_given, X)
    assert_array_equal(y_given, y)
    assert groups == "mine"
