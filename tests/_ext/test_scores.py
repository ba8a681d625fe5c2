"""The scores room against its slow twin and scikit-learn's functions, and the promises of its door."""

import math
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics

import naive.scores
from moeliga._ext import scores

HITS = {"uar": metrics.balanced_accuracy_score, "balanced_accuracy": metrics.balanced_accuracy_score,
        "accuracy": metrics.accuracy_score, "f1_macro": lambda y, p: metrics.f1_score(y, p, average="macro"),
        "matthews_corrcoef": metrics.matthews_corrcoef}
SHARES = {"average_precision": metrics.average_precision_score, "neg_log_loss": lambda y, p: -metrics.log_loss(y, p),
          "neg_brier_score": lambda y, p: -metrics.brier_score_loss(y, p)}
AREAS = {f"roc_auc_{kind}{'_weighted' * weighted}": (kind, "weighted" if weighted else "macro")
         for kind in ("ovr", "ovo") for weighted in (False, True)}
TARGETS = {"r2": metrics.r2_score, "neg_mean_squared_error": lambda y, p: -metrics.mean_squared_error(y, p),
           "neg_root_mean_squared_error": lambda y, p: -metrics.root_mean_squared_error(y, p),
           "neg_mean_absolute_error": lambda y, p: -metrics.mean_absolute_error(y, p)}
OF_CLASSES = [name for name in scores.NUMBERS if name not in TARGETS]


def answers_of(rng, n, n_classes, n_levels=None):
    """Random probabilities, on few levels if asked for: then many are equal."""
    weights = rng.integers(n_levels, size=(n, n_classes)) + 0.0 if n_levels else rng.random((n, n_classes))
    weights[weights.sum(axis=1) == 0] = 1
    return weights / weights.sum(axis=1, keepdims=True)


def labels_of(rng, n, n_classes):
    """Random classes, each at least once."""
    return rng.permutation(np.concatenate((np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)))).astype(
        np.int32)


def theirs(name, y, shares):
    """What scikit-learn's functions say, given what its scorers would give them."""
    two = shares.shape[1] == 2
    if name in HITS:
        return HITS[name](y, shares.argmax(axis=1))
    if name == "f1":
        return metrics.f1_score(y, shares.argmax(axis=1)) if two else None
    answers = shares[:, 1] if two else shares
    if name in SHARES:
        return SHARES[name](y, answers)
    if two and name.startswith("roc_auc"):
        return metrics.roc_auc_score(y, answers)
    if name in AREAS:
        kind, average = AREAS[name]
        return metrics.roc_auc_score(y, answers, multi_class=kind, average=average)
    return None


@pytest.mark.quick("values")
@pytest.mark.parametrize("n_levels", [2, 6, None])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_scores_of_classes(rng, name, n_classes, n_levels):
    """As the twin, and scikit-learn, have them, with ties and without."""
    for n in (n_classes, 12, 60):
        y, shares = labels_of(rng, n, n_classes), answers_of(rng, n, n_classes, n_levels)
        got = scores.value(name, shares, y)
        assert_allclose(got, naive.scores.value(name, shares.tolist(), y.tolist()), rtol=1e-12, atol=1e-13)
        ref = theirs(name, y, shares)
        if ref is not None:
            assert_allclose(got, ref, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_scores_of_targets(rng, name, n):
    """As the twin, and scikit-learn, have them; R2 of one row is not defined."""
    target, answers = 100 * rng.normal(size=(2, n))
    got = scores.value(name, answers[:, None], target=target)
    assert_allclose(got, naive.scores.value(name, answers[:, None].tolist(), target=target.tolist()), rtol=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_allclose(got, TARGETS[name](target, answers), rtol=1e-12)


@pytest.mark.parametrize(("error", "r2"), [(0.0, 1.0), (1.0, 0.0)])
def test_r2_of_a_constant_target(error, r2):
    """1 of answers that are all right, 0 of others."""
    target = np.full(5, 3.0)
    assert scores.value("r2", target[:, None] + error, target=target) == metrics.r2_score(target, target + error) == r2
    target = np.full(3, 0.1)  # whose mean is another number: scikit-learn's score is -5e31
    assert scores.value("r2", target[:, None] + error, target=target) == r2


@pytest.mark.parametrize("positive", [0, 1])
def test_f1_and_average_precision_are_of_the_positive_class(rng, positive):
    """As with scikit-learn's `pos_label`."""
    y, shares = labels_of(rng, 40, 2), answers_of(rng, 40, 2, 5)
    assert_allclose(scores.value("f1", shares, y, positive=positive),
                    metrics.f1_score(y, shares.argmax(axis=1), pos_label=positive), rtol=1e-15)
    assert_allclose(scores.value("average_precision", shares, y, positive=positive),
                    metrics.average_precision_score(y, shares[:, positive], pos_label=positive), rtol=1e-14)


@pytest.mark.parametrize("name", OF_CLASSES)
@pytest.mark.parametrize(("present", "learnt"), [
    ((0, 1), (1, 1, 1)), ((0, 1, 2), (1, 1, 0)), ((0, 1), (1, 1, 0)), ((1,), (1, 1, 1)), ((1,), (0, 1, 0)),
    ((0,), (1, 1)), ((0, 1), (1, 0))])
def test_classes_that_are_missing(rng, name, present, learnt):
    """Of what is asked, or of what was learnt: the twin's value, NaN where scikit-learn raises."""
    y = rng.choice(present, size=20).astype(np.int32)
    y[: len(present)] = present
    shares = answers_of(rng, 20, len(learnt), 5) * learnt
    shares[shares.sum(axis=1) == 0] = np.array(learnt) / sum(learnt)
    shares /= shares.sum(axis=1, keepdims=True)
    got = scores.value(name, shares, y, learnt=np.array(learnt, dtype=np.uint8))
    assert_allclose(got, naive.scores.value(name, shares.tolist(), y.tolist(), learnt=learnt), rtol=1e-12, atol=1e-13)
    unknown = set(present) - set(np.flatnonzero(learnt).tolist())
    if unknown and name in (*AREAS, "roc_auc", "neg_log_loss"):
        assert math.isnan(got)


def test_soft_uar_tells_answers_apart_that_uar_does_not(rng):
    """It grows with the confidence in the right class, from 0 where all is wrong to 1 where all is right."""
    y = np.array([0, 0, 0, 1], dtype=np.int32)
    right = np.eye(2)[y]
    assert [scores.value("soft_uar", shares, y) for shares in (1 - right, 0.5 + 0 * right, right)] == [0.0, 0.75, 1.0]
    sure = [scores.value("soft_uar", 0.5 + share * (right - 0.5), y) for share in (0.2, 0.5, 0.9)]
    assert sure == sorted(sure) and len(set(sure)) == 3


@pytest.mark.parametrize("n_classes", [2, 4])
def test_soft_uar_of_decision_values(rng, n_classes):
    """Cut to [-1, 1]; of two classes -d and d."""
    y, decisions = labels_of(rng, 30, n_classes), 2 * rng.normal(size=(30, n_classes))
    if n_classes == 2:
        decisions[:, 0] = -decisions[:, 1]
    got = scores.value("soft_uar", decisions, y, decisions=True)
    assert 0 <= got <= 1
    assert_allclose(got, naive.scores.value("soft_uar", decisions.tolist(), y.tolist(), decisions=True), rtol=1e-13)
    if n_classes == 2:
        losses = (np.clip(decisions[:, 1], -1, 1) - (2 * y - 1)) ** 2 / 4
        assert_allclose(got, 1 - np.mean([losses[y == c].mean() for c in range(2)]), rtol=1e-13)


def test_lowest_decision_values_are_ranked(rng):
    """A class that was not learnt has -inf."""
    y, decisions = labels_of(rng, 30, 2), rng.normal(size=(30, 2))
    decisions[::3, 1] = -np.inf
    ranked = np.where(np.isfinite(decisions[:, 1]), decisions[:, 1], -99.0)
    assert_allclose(scores.value("roc_auc", decisions, y), metrics.roc_auc_score(y, ranked), rtol=1e-14)


@pytest.mark.parametrize("sure", [0.0, 0.8])
def test_pairs_of_many_classes(rng, sure):
    """Areas of pairs of 200 classes, by counts of each class on each level of an answer; some rows are sure."""
    n, n_classes = 4000, 200
    y, shares = labels_of(rng, n, n_classes), np.round(answers_of(rng, n, n_classes), 4)
    said = np.where(rng.random(n) < 0.7, y, rng.integers(n_classes, size=n))
    shares = np.where(rng.random((n, 1)) < sure, np.eye(n_classes)[said], shares)
    sizes, areas = np.bincount(y), np.empty((n_classes, n_classes))
    for c in range(n_classes):
        levels, level_of = np.unique(shares[:, c], return_inverse=True)
        counts = np.zeros((len(levels), n_classes))
        np.add.at(counts, (level_of, y), 1)
        areas[c] = counts[:, c] @ (np.cumsum(counts, axis=0) - counts / 2) / (sizes[c] * sizes)
    pairs, weights = (areas + areas.T) / 2, sizes + sizes[:, None]
    upper = np.triu_indices(n_classes, 1)
    assert_allclose(scores.value("roc_auc_ovo", shares, y), pairs[upper].mean(), rtol=1e-12)
    assert_allclose(scores.value("roc_auc_ovo_weighted", shares, y),
                    np.average(pairs[upper], weights=weights[upper]), rtol=1e-12)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 17, 100, 1000])
def test_rows_in_any_number_are_sorted(rng, n):
    """The area under the curve of many rows, by SciPy's ranks."""
    y, shares = labels_of(rng, n + 1, 2), answers_of(rng, n + 1, 2, 50)
    assert_allclose(scores.value("roc_auc", shares, y), metrics.roc_auc_score(y, shares[:, 1]), rtol=1e-13)


@pytest.mark.parametrize(("change", "message"), [
    ({"name": "roc"}, "name must be one of"), ({"labels": None}, "labels alone must be given for 'f1'"),
    ({"target": np.zeros(4)}, "labels alone must be given"), ({"name": "r2"}, "target alone must be given for 'r2'"),
    ({"answers": np.zeros((0, 2))}, "answers must have 1 to"), ({"answers": np.full((4, 2), np.nan)}, "not be NaN"),
    ({"labels": np.array([0, 1, 2, 0], dtype=np.int32)}, r"labels must be in \[0, 2\), got 2"),
    ({"labels": np.array([0, 1, -1, 0], dtype=np.int32)}, r"labels must be in \[0, 2\), got -1"),
    ({"labels": np.array([0, 1, 0], dtype=np.int32)}, "must have 4 entries"),
    ({"learnt": np.ones(3, dtype=np.uint8)}, "learnt must have 2 entries, got 3"),
    ({"positive": 2}, r"positive must be in \[0, 2\), got 2"),
    ({"positive": -1}, r"positive must be in \[0, 2\), got -1"),
])
def test_the_door_checks(change, message):
    """Each argument, with the rule."""
    arguments = {"name": "f1", "answers": np.full((4, 2), 0.5), "labels": np.array([0, 1, 0, 1], dtype=np.int32)}
    with pytest.raises(ValueError, match=message):
        scores.value(**{**arguments, **change})
