"""Parts of samples that belong together: what the reports draw, and what their fits get."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold

from cross_fitted import small
from moeliga import MOELIGASelector, optimism_report, stability_report
from moeliga.analysis.resampling import held_out_part, resampled_rows
from moeliga.base.random_streams import spawn
from moeliga.evaluation.held_out import stratified

GROUPS = np.repeat(np.arange(20), 3)


@pytest.mark.parametrize(("how", "share", "n"), [("subsample", 0.5, 10), ("subsample", 0.33, 7), ("bootstrap", 0.5, 20),
                                                 (None, 0.5, 20)])
@pytest.mark.parametrize("labels", [np.arange(60) % 3, np.repeat([0, 1], 30)], ids=["in all", "of their own"])
def test_groups_are_drawn_as_a_whole(seed, how, share, n, labels):
    """A share of them, or as many as there are, some more than once; with two samples of each class."""
    for draw in range(20):
        rows = resampled_rows(labels, how, share, np.random.default_rng((seed, draw)), GROUPS)
        times = np.bincount(GROUPS[rows], minlength=20)
        assert set(times % 3) == {0} and times.sum() == 3 * n
        assert_array_equal(np.bincount(rows, minlength=60), np.repeat(times // 3, 3))
        assert_array_equal(rows, np.sort(rows))
        assert np.bincount(labels[np.unique(rows)]).min() >= 2
        assert times.max() == 3 or how == "bootstrap"


def test_a_small_share_is_two_groups(rng):
    """One would leave nothing to compare with."""
    for _ in range(20):
        rows = resampled_rows(np.tile([0, 1], 12), "subsample", 0.01, rng, np.repeat(np.arange(6), 4))
        assert len(rows) == 8 and len(np.unique(rows // 4)) == 2


def test_two_samples_of_a_class_are_not_one_twice(rng):
    """Of a bootstrap of groups, of which two alone have a sample of the second class."""
    labels = np.array([0, 1, 0, 1, 0, 0, 0, 0])
    for _ in range(50):
        rows = resampled_rows(labels, "bootstrap", 0.5, rng, np.repeat(np.arange(4), 2))
        assert {1, 3} <= set(rows.tolist())


def test_every_half_of_the_groups_is_as_likely():
    """Each group is in half of the draws, within four standard errors."""
    random = np.random.default_rng(0)
    times = np.zeros(20)
    for _ in range(400):
        times[np.unique(GROUPS[resampled_rows(np.arange(60) % 3, "subsample", 0.5, random, GROUPS)])] += 1
    assert np.all(np.abs(times - 200) < 4 * np.sqrt(400 / 4))


@pytest.mark.parametrize(("share", "n"), [(0.3, 20), (0.5, 30), (0.9, 30), (0.01, 3), (0.35, 20)])
def test_whole_groups_are_held_out(seed, share, n):
    """As many as one of so many folds has, the classes in their proportions."""
    labels = np.repeat([0, 1], 30)
    test = held_out_part(labels, share, seed, GROUPS)
    assert len(test) in range(n - 3, n + 4) and len(set(GROUPS[test]) & set(np.delete(GROUPS, test))) == 0
    assert share == 0.01 or abs(np.count_nonzero(labels[test]) - len(test) / 2) <= 3
    assert any(not np.array_equal(held_out_part(labels, share, seed + more, GROUPS), test) for more in range(1, 5))
    assert_array_equal(held_out_part(labels, share, seed), stratified(labels, share, seed))


def test_groups_that_hold_whole_classes_are_refused():
    labels = np.repeat([0, 1], 30)
    with pytest.raises(ValueError, match="^groups must leave samples of each class of y to search on .* got 2 groups"):
        held_out_part(labels, 0.3, 0, labels)
    with pytest.raises(ValueError, match="^groups must leave samples .* got 1 groups; pass X_test and y_test$"):
        held_out_part(labels, 0.3, 0, np.zeros(60, dtype=np.int64))
    with pytest.raises(ValueError, match="^groups must allow random draws .* in 1000 draws from 1 groups; pass more"):
        resampled_rows(labels, "subsample", 0.5, np.random.default_rng(0), np.zeros(60, dtype=np.int64))


@pytest.mark.parametrize("how", ["subsample", "bootstrap"])
def test_parts_may_lack_deciles_of_a_target(seed, how):
    """Which few groups cannot all have on both sides."""
    deciles, groups = np.repeat(np.arange(8), 10), np.repeat(np.arange(8), 10)
    rows = resampled_rows(deciles, how, 0.5, np.random.default_rng(seed), groups, classes=False)
    assert 1 < len(np.unique(groups[rows])) < 8
    test = held_out_part(deciles, 0.3, seed, groups, classes=False)
    assert 0 < len(test) < 80 and not set(groups[test]) & set(np.delete(groups, test))


@pytest.mark.slow
def test_reports_take_groups_that_make_a_target(rng):
    age, group = rng.uniform(20, 80, 8).round(), np.repeat(np.arange(8), 12)
    X = rng.normal(size=(96, 6))
    X[:, 0] += age[group] / 10
    optimism_report(small(Ridge()), X, age[group], groups=group, n_permutations=0, n_splits=2, random_state=0)
    stability_report(small(Ridge()), X, age[group], groups=group, n_runs=2, random_state=0)


@pytest.fixture
def patients(rng):
    """Labels at random of patients with four nearly equal samples each."""
    y, centres = np.arange(24) % 2, rng.normal(size=(24, 6))
    patient = np.repeat([f"p{i}" for i in range(24)], 4)
    return np.repeat(centres, 4, axis=0) + 0.01 * rng.normal(size=(96, 6)), np.repeat(y, 4), patient


@pytest.mark.slow
def test_runs_of_stability_are_fits_to_whole_groups(patients):
    """Made again by hand; the folds of each keep them together as well."""
    X, y, patient = patients
    report = stability_report(small(), X, y, n_runs=2, groups=patient, random_state=0)
    numbers = np.unique(patient, return_inverse=True)[1]
    for run in range(2):
        draw, seed = spawn(0, 4)[2 * run : 2 * run + 2]
        rows = resampled_rows(y, "subsample", 0.5, np.random.default_rng(draw), numbers)
        again = small(random_state=seed).fit(X[rows], y[rows], groups=patient[rows])
        assert_array_equal(report.supports[run], again.support_)
    assert len(set(patient[rows])) == 12


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [{}, {"honest": GroupKFold(3)}, {"honest": None, "cv": GroupKFold(3)},
                                     {"honest": None}], ids=str)
def test_reports_give_groups_to_what_takes_them(patients, options):
    """A splitter of groups cannot do without; where neither `honest` nor `cv` is there, parts alone go by them."""
    X, y, patient = patients
    heard, fit = [], MOELIGASelector.fit

    def listening(self, X, y, **params):
        heard.append(params.get("groups"))
        return fit(self, X, y, **params)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MOELIGASelector, "fit", listening)
        optimism_report(small(None, **options), X, y, groups=patient, n_permutations=1, n_splits=2, random_state=0)
        stability_report(small(None, **options), X, y, groups=patient, n_runs=2, random_state=0)
    some = [groups is not None for groups in heard]
    assert any(some) == (options != {"honest": None})
    assert all(len(set(groups)) in (12, 16) for groups in heard if groups is not None)


def test_scores_of_held_out_groups_are_those_of_chance(patients):
    """Without groups the samples of a patient stand on both sides."""
    X, y, patient = patients
    found = [optimism_report(small(None, honest=None), X, y, groups=groups, n_permutations=0,
                             n_splits=2, random_state=0).test_score.max() for groups in (patient, None)]
    assert found[0] < 0.75 < 0.9 < found[1]


def test_groups_are_checked(patients):
    X, y, patient = patients
    with pytest.raises(ValueError, match="^groups must be None for resample='folds'"):
        stability_report(small().fit(X, y), X, y, resample="folds", groups=patient)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        stability_report(small(), X, y, groups=patient[1:])
    with pytest.raises(ValueError, match="groups must have no missing labels"):
        stability_report(small(), X, y, groups=np.where(patient == "p3", None, patient))


def test_results_of_other_groups_are_not_taken(patients, tmp_path):
    X, y, patient = patients
    options = {"n_runs": 2, "random_state": 0, "checkpoint": tmp_path / "runs"}
    stability_report(small(), X, y, groups=patient, **options)
    with pytest.raises(ValueError, match="it was made with other groups"):
        stability_report(small(), X, y, groups=patient[::-1].copy(), **options)
