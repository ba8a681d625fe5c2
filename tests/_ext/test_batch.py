"""Trees grown together: each subset has the score that it has alone."""

from dataclasses import replace

import numpy as np
import pytest

from moeliga._ext import bits, evaluate
from moeliga._ext.scores import NUMBERS
from moeliga.data.dataset import Dataset
from moeliga.evaluation.scores import OF_TARGETS

OF_CLASSES = [name for name in NUMBERS if name not in OF_TARGETS]


def draw_data(rng, n_samples, n_features, n_classes, missing=0.0):
    """Data of sorted and counted features that a tree can learn a little from."""
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = y[:, None] * rng.random(n_features) + 3 * rng.normal(size=(n_samples, n_features))
    X[:, ::3] = rng.integers(2, 19, size=n_features)[::3] * rng.random(X[:, ::3].shape) // 1
    X[:, 1::3] = np.round(X[:, 1::3])
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def draw_masks(rng, n, n_features):
    """Subsets of all sizes, some of them twice."""
    masks = rng.random((n, n_features)) < rng.choice([0.05, 0.3, 0.9], size=(n, 1))
    masks[np.arange(n), rng.integers(n_features, size=n)] = True
    masks[n // 2] = masks[0]
    return masks


def scores(evaluator, key, masks, n_splits=3, n_threads=1, check=None, tree_seconds=0.0):
    packed, n = bits.pack(masks.view(np.uint8)), len(masks)
    return evaluator.evaluate(packed, np.arange(masks.shape[1], dtype=np.int32), np.arange(n, dtype=np.int32), key,
                              (6, 0, 1), n_splits, True, 0, False, n_threads, check, tree_seconds)[0]


def one_by_one(evaluator, key, masks, n_splits=3):
    """The same of each subset alone: the trees of the plain path."""
    return np.concatenate([scores(evaluator, key, masks[i : i + 1], n_splits) for i in range(len(masks))])


@pytest.mark.quick(2)
@pytest.mark.parametrize("rules", [(100, 2, 1), (3, 2, 1), (0, 2, 1), (100, 9, 4)])
@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize(("n_samples", "n_features", "n_classes"),
                         [(9, 2, 2), (130, 30, 2), (200, 70, 5), (160, 12, 26), (260, 9, 64), (260, 9, 65)])
def test_together_as_alone(rng, key, n_samples, n_features, n_classes, missing, rules):
    """Whatever the instruction set, the number of threads, and where a batch is cut."""
    X, y = draw_data(rng, n_samples, n_features, n_classes, missing)
    dataset, masks = Dataset.encode(X, y, n_classes), draw_masks(rng, 40, n_features)
    for level in range(dataset.level + 1):  # 1 and 2 are plain loops too
        evaluator = evaluate.Evaluator(replace(dataset, level=level), dataset.n_validation(0.3), *rules)
        alone = one_by_one(evaluator, key, masks)
        for n_threads in (1, 2, 3, 7):
            np.testing.assert_array_equal(scores(evaluator, key, masks, n_threads=n_threads), alone)
        for seconds in (1e-3, 1e-2, 10.0):
            found = scores(evaluator, key, masks, check=lambda: None, tree_seconds=seconds)
            np.testing.assert_array_equal(found, alone)


def test_together_as_alone_with_entries_of_8_bytes(rng, key):
    """Many samples of many values."""
    X, y = draw_data(rng, 70_000, 3, 3)
    X[:, 1:] = rng.normal(size=(70_000, 2)) + y[:, None]
    dataset, masks = Dataset.encode(X, y, 3), np.array([[0, 1, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    bits_of = [(70_000 - 1).bit_length(), 2, int(np.diff(dataset.offset).max()).bit_length()]  # sample, class, code
    assert sum(bits_of) > 32
    evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), 8, 2, 1)
    np.testing.assert_array_equal(scores(evaluator, key, masks, 1), one_by_one(evaluator, key, masks, 1))


def test_together_as_alone_where_trees_are_chains(rng, key):
    """Deeper than groups go, and too large for their stack: members go on alone."""
    y = np.arange(600) % 2
    X = np.repeat(np.arange(600.0)[:, None], 3, axis=1) + [0.0, 0.1, 0.2]
    X[:, 2] = rng.permutation(600)
    masks = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0], [0, 1, 1]], dtype=bool)
    dataset = Dataset.encode(X, y, 2)
    evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), 1000, 2, 1)
    np.testing.assert_array_equal(scores(evaluator, key, masks), one_by_one(evaluator, key, masks))


def test_together_as_alone_on_fixed_splits(rng, key):
    """Splits of the user's, each of another size, some samples in neither part."""
    X, y = draw_data(rng, 150, 20, 3)
    dataset, masks = Dataset.encode(X, y, 3), draw_masks(rng, 20, 20)
    splits = rng.choice(3, size=(4, 150), p=[0.6, 0.3, 0.1]).astype(np.uint8)
    evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 1, splits=splits)
    np.testing.assert_array_equal(scores(evaluator, key, masks, 4), one_by_one(evaluator, key, masks, 4))


@pytest.mark.quick("values")
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("rules", [(100, 2, 1), (0, 2, 1), (100, 9, 4)])
@pytest.mark.parametrize("n_classes", [2, 3, 26])
@pytest.mark.parametrize("name", OF_CLASSES)
def test_every_score_together_as_alone(rng, key, name, n_classes, rules, given):
    """From answers of pure leaves and of others; some of the splits given lack a class."""
    X, y = draw_data(rng, 160, 20, n_classes, 0.02)
    dataset, masks = Dataset.encode(X, y, n_classes), draw_masks(rng, 24, 20)
    splits = rng.choice(3, size=(3, 160), p=[0.6, 0.3, 0.1]).astype(np.uint8) if given else None
    if given:
        splits[1, dataset.labels == 0] = 1
    for level in sorted({0, dataset.level}):
        evaluator = evaluate.Evaluator(replace(dataset, level=level), dataset.n_validation(0.3), *rules, NUMBERS[name],
                                       n_classes - 1, splits)
        alone = one_by_one(evaluator, key, masks)
        for n_threads in (1, 3):
            np.testing.assert_array_equal(scores(evaluator, key, masks, n_threads=n_threads), alone)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_score_of_many_leaves_that_are_not_pure(rng, key, n_classes):
    """Where answers are sorted, and not compared in pairs."""
    X, y = draw_data(rng, 1200, 6, n_classes)
    dataset, masks = Dataset.encode(X, y, n_classes), draw_masks(rng, 6, 6)
    for name in OF_CLASSES:
        for n_least in (4, 25):
            evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), 100, 2, n_least, NUMBERS[name])
            found = scores(evaluator, key, masks)
            np.testing.assert_array_equal(found, one_by_one(evaluator, key, masks))
            assert np.isfinite(found).all() or (name == "roc_auc" and n_classes > 2)


def test_answers_that_do_not_fit_together(rng, key):
    """A batch is cut where the answers of all subsets would take more than 32 MB."""
    X, y = draw_data(rng, 7_000, 4, 64)
    dataset, masks = Dataset.encode(X, y, 64), draw_masks(rng, 24, 4)
    n_validation = dataset.n_validation(0.4)
    answers = 24 * int(n_validation.sum()) * 64 * 8
    n_bytes, _ = evaluate.workspace_bytes(7_000, 64, 64, 7_000 - int(n_validation.sum()), 4, 3, 0, False, True, False,
                                          24, 4)
    assert answers > 1 << 25 and n_bytes < 1 << 26
    evaluator = evaluate.Evaluator(dataset, n_validation, 3, 2, 1, NUMBERS["neg_log_loss"])
    np.testing.assert_array_equal(scores(evaluator, key, masks, 1), one_by_one(evaluator, key, masks, 1))


# targets


def draw_target(rng, n_samples, n_features, n_targets, missing=0.0):
    """A target of so many values, and features of few and of many values that tell a little of it."""
    y = rng.integers(n_targets, size=n_samples) / 8
    X = y[:, None] / n_targets * rng.random(n_features) + rng.normal(size=(n_samples, n_features)) / 4
    X[:, ::3] = np.round(X[:, ::3], 1)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.quick(4)
@pytest.mark.parametrize("rules", [(100, 2, 1), (3, 2, 1), (0, 2, 1), (100, 9, 4)])
@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize(("n_samples", "n_features", "n_targets"),
                         [(9, 2, 10**6), (130, 30, 2), (160, 12, 10**6), (200, 70, 9)])
def test_regression_trees_together_as_alone(rng, key, n_samples, n_features, n_targets, missing, rules):
    """Whatever the instruction set, the number of threads, and where a batch is cut; targets that tie among them."""
    X, y = draw_target(rng, n_samples, n_features, n_targets, missing)
    dataset, masks = Dataset.encode_target(X, y), draw_masks(rng, 30, n_features)
    for level in range(dataset.level + 1):
        evaluator = evaluate.Evaluator(replace(dataset, level=level), dataset.n_validation(0.3), *rules)
        alone = one_by_one(evaluator, key, masks)
        for n_threads in (1, 2, 7):
            np.testing.assert_array_equal(scores(evaluator, key, masks, n_threads=n_threads), alone)
        found = scores(evaluator, key, masks, check=lambda: None, tree_seconds=1e-2)
        np.testing.assert_array_equal(found, alone)


def test_regression_trees_together_as_alone_where_they_are_chains(rng, key):
    """Deeper than groups go: members go on alone."""
    y = 2.0 ** -np.arange(200)
    X = np.repeat(np.arange(200.0)[:, None], 3, axis=1) + [0.0, 0.1, 0.2]
    X[:, 2] = rng.permutation(200)
    masks = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0], [0, 1, 1]], dtype=bool)
    dataset = Dataset.encode_target(X, np.round(y * 2.0**40))
    evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), 1000, 2, 1)
    np.testing.assert_array_equal(scores(evaluator, key, masks), one_by_one(evaluator, key, masks))


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("name", sorted(OF_TARGETS))
def test_every_score_of_a_target_together_as_alone(rng, key, name, given):
    """On drawn splits and on those of the user."""
    X, y = draw_target(rng, 160, 20, 10**6, 0.02)
    dataset, masks = Dataset.encode_target(X, y), draw_masks(rng, 24, 20)
    splits = rng.choice(3, size=(3, 160), p=[0.6, 0.3, 0.1]).astype(np.uint8) if given else None
    evaluator = evaluate.Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 2, NUMBERS[name], 0, splits)
    alone = one_by_one(evaluator, key, masks)
    for n_threads in (1, 3):
        np.testing.assert_array_equal(scores(evaluator, key, masks, n_threads=n_threads), alone)
