"""Trees grown together: each subset has the score that it has alone."""

from dataclasses import replace

import numpy as np
import pytest

from moeliga._ext import bits, evaluate
from moeliga.data.dataset import Dataset


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


@pytest.mark.quick(4)
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
