"""The tree room against the brute-force twin and scikit-learn, and the promises of its doors."""

from dataclasses import replace

import numpy as np
import pytest

import naive.tree
from moeliga._ext import tree
from moeliga.data.dataset import Dataset

LEVELS = [level for level in (0, 3, 4) if level <= tree.LEVEL]


def grow(dataset, marks=None, features=None, max_depth=100, min_samples_split=2, min_samples_leaf=1, n_threads=1,
         alone=0):
    """`tree.grow` with defaults."""
    marks = np.zeros(dataset.n_samples, dtype=np.uint8) if marks is None else np.asarray(marks, dtype=np.uint8)
    features = np.arange(dataset.n_features) if features is None else features
    return tree.grow(dataset, np.array(features, dtype=np.int32), marks, max_depth, min_samples_split, min_samples_leaf,
                     n_threads, alone)


def problem(rng, n_samples, n_features, n_classes, n_levels, missing=0.0):
    """Random data, sorted by class, with `n_levels` values a feature: ties abound."""
    X = rng.integers(n_levels, size=(n_samples, n_features)).astype(np.float64) ** 2 - 2.5
    X[rng.random(X.shape) < missing] = np.nan
    return X, np.sort(rng.integers(n_classes, size=n_samples))


@pytest.mark.quick("values")
@pytest.mark.parametrize("missing", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5])
def test_same_tree_as_brute_force(seed, n_classes, missing):
    """Node by node the tree of the raw values: cut, threshold, side of NaN, class counts; and the same labels,
    for codes and for raw values, of all samples, those not trained on included."""
    rng = np.random.default_rng([seed, n_classes, int(10 * missing)])
    for _ in range(80):
        n_samples, n_features = int(rng.integers(2, 41)), int(rng.integers(1, 7))
        X, y = problem(rng, n_samples, n_features, n_classes, int(rng.integers(1, 8)), missing)
        marks = (rng.random(n_samples) < 0.3).astype(np.uint8)
        marks[rng.integers(n_samples)] = 0
        features = np.flatnonzero(rng.random(n_features) < 0.7)
        features = features if len(features) else np.array([n_features - 1])
        rules = rng.choice([100, 100, 4, 2]), rng.choice([2, 2, 5]), rng.choice([1, 1, 3])
        rules = tuple(int(rule) for rule in rules)
        dataset = Dataset.encode(X, y, n_classes)
        ref = naive.tree.grow(X[marks == 0][:, features], y[marks == 0], n_classes, *rules)
        got = grow(dataset, marks, features, *rules)
        assert naive.tree.unfold(*got, features) == ref
        labels = naive.tree.predict(ref, X[:, features])
        np.testing.assert_array_equal(tree.label(dataset, got[0]), labels)
        np.testing.assert_array_equal(got[0]["label"][tree.apply(*got[:2], X)], labels)


@pytest.mark.quick("pairs")
@pytest.mark.parametrize("min_samples_leaf", [1, 7, 40])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("n_levels", [3, 30, 10**6])
def test_same_tree_as_brute_force_where_cuts_are_valued_in_single_precision(rng, n_levels, n_classes,
                                                                           min_samples_leaf):
    """Nodes of all sizes around whole vectors of cuts: the filter in single precision drops no cut that wins."""
    for n_samples in (12, 13, 16, 17, 18, 31, 33, 34, 90):
        X, y = problem(rng, n_samples, 5, n_classes, n_levels)
        X[:, 4] = X[:, 1]  # a tie for every cut of feature 1
        X[:, 2] += X[:, 2].max() * (y > 0)
        ref = naive.tree.grow(X, y, n_classes, 100, 2, min_samples_leaf)
        assert naive.tree.unfold(*grow(Dataset.encode(X, y, n_classes), min_samples_leaf=min_samples_leaf)) == ref


@pytest.mark.quick("values")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_classes", [2, 3, 20])
def test_same_tree_for_any_instruction_set(rng, n_classes, level):
    """Features of few and of many values, with and without missing ones, side by side; rows of all lengths."""
    for n_samples in (2, 5, 15, 16, 17, 32, 33, 48, 49, 150):
        y = np.sort(rng.integers(n_classes, size=n_samples))
        columns = [rng.integers(levels, size=n_samples) ** 2.0 for levels in (2, 17, 18, 1, 40, 3, 10**6, 17, 5)]
        X = np.stack([*columns, columns[1], columns[4]], axis=1)  # the last two tie with earlier ones
        X[rng.random(n_samples) < 0.3, 5] = np.nan
        X[:, 7] += 3 * y
        dataset = replace(Dataset.encode(X, y, n_classes), level=level)
        assert set(dataset.counted) == {0, 1} or n_samples <= 17
        for min_samples_leaf in (1, 3):
            ref = naive.tree.grow(X, y, n_classes, 100, 2, min_samples_leaf)
            assert naive.tree.unfold(*grow(dataset, min_samples_leaf=min_samples_leaf)) == ref


@pytest.mark.quick(2)
@pytest.mark.parametrize(("n_classes", "each", "columns"), [
    (64, 1, slice(None)), (65, 2, slice(None)), (600, 1, slice(2)), (70, 5, slice(None)), (200, 1, slice(None)),
    (200, 2, slice(1, 3)),
])
def test_same_tree_for_many_classes(rng, n_classes, each, columns):
    """In small nodes the classes that occur are numbered anew, once and again: sorted and counted features, missing
    values, ties between classes, few samples of very many classes; one thread and the branches of two."""
    y = np.sort(np.concatenate([np.arange(n_classes - 3), rng.integers(n_classes, size=(each - 1) * n_classes)]))
    n_samples = len(y)
    X = np.stack([y + 40 * rng.normal(size=n_samples), y // (n_classes / 9), rng.permutation(y) % 13,
                  np.where(rng.random(n_samples) < 0.1, np.nan, y + 20 * rng.normal(size=n_samples))], axis=1)
    X = X[:, columns]
    dataset = Dataset.encode(X, y, n_classes)
    assert 0 < dataset.counted.sum()
    marks = (rng.random(n_samples) < 0.2).astype(np.uint8)
    min_samples_leaf = 3 if each == 5 else 1
    ref = naive.tree.grow(X[marks == 0], y[marks == 0], n_classes, 100, 2, min_samples_leaf)
    for level in LEVELS:
        for n_threads, alone in ((1, 0), (2, 40)):
            got = grow(replace(dataset, level=level), marks, min_samples_leaf=min_samples_leaf, n_threads=n_threads,
                       alone=alone)
            assert naive.tree.unfold(*got) == ref


@pytest.mark.quick(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_classes", [2, 5, 40])
def test_same_tree_for_few_samples(rng, n_classes, level):
    """Up to 64 samples are looked up in registers; one more, and they are not. Some are not the tree's."""
    for n_samples in range(n_classes, 68):
        X, y = problem(rng, n_samples, 4, n_classes, 50, missing=0.1)
        y[:n_classes] = np.arange(n_classes)
        y.sort()
        marks = (rng.random(n_samples) < 0.3).astype(np.uint8)
        marks[rng.integers(n_samples)] = 0
        got = grow(replace(Dataset.encode(X, y, n_classes), level=level), marks)
        assert naive.tree.unfold(*got) == naive.tree.grow(X[marks == 0], y[marks == 0], n_classes, 100, 2, 1)


@pytest.mark.quick("pairs")
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 2**31 - 1])
@pytest.mark.parametrize("min_samples_split", [2, 5, 40, 41])
@pytest.mark.parametrize("min_samples_leaf", [1, 2, 7, 20, 21])
def test_every_rule_is_kept(rng, max_depth, min_samples_split, min_samples_leaf, missing):
    """All combinations of the three limits give the twin's tree."""
    X, y = problem(rng, 40, 3, 3, 6, missing)
    ref = naive.tree.grow(X, y, 3, min(max_depth, 100), min_samples_split, min_samples_leaf)
    got = grow(Dataset.encode(X, y, 3), None, None, max_depth, min_samples_split, min_samples_leaf)
    assert naive.tree.unfold(*got) == ref


@pytest.mark.parametrize("order", [np.uint16, np.uint32])
@pytest.mark.parametrize("codes", [np.uint8, np.uint16])
def test_same_tree_for_any_width(rng, codes, order):
    """Codes of 8 or 16 bits, sample numbers of 16 or 32: the same tree and labels."""
    X, y = problem(rng, 40, 5, 4, 6, missing=0.1)
    dataset = Dataset.encode(X, y, 4)
    ref = grow(dataset)
    other = replace(dataset, codes=dataset.codes.astype(codes), order=dataset.order.astype(order))
    for a, b in zip(grow(other), ref, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(tree.label(other, ref[0]), tree.label(dataset, ref[0]))


def test_same_tree_with_more_than_256_values(rng):
    """Codes that need 16 bits: continuous values, some missing."""
    X = rng.normal(size=(400, 3))
    y = np.sort((X[:, 0] + rng.normal(size=400) > 0).astype(int))
    X[rng.random(X.shape) < 0.05] = np.nan
    dataset = Dataset.encode(X, y, 2)
    assert dataset.codes.dtype == np.uint16
    assert naive.tree.unfold(*grow(dataset, max_depth=4)) == naive.tree.grow(X, y, 2, max_depth=4)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_same_tree_for_entries_of_eight_bytes(rng, n_classes, level):
    """So many values and samples that an entry takes 64 bits; the tree itself is grown on a few of the samples."""
    X = rng.normal(size=(40_000, 3))
    X[:, 2] = rng.integers(9, size=40_000)
    y = np.sort(rng.integers(n_classes, size=40_000))
    marks = (rng.random(40_000) > 0.005).astype(np.uint8)
    dataset = replace(Dataset.encode(X, y, n_classes), level=level)
    assert naive.tree.unfold(*grow(dataset, marks)) == naive.tree.grow(X[marks == 0], y[marks == 0], n_classes)


@pytest.mark.quick("values")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n_samples", "n_values"), [(300, 40), (3000, 900), (70_000, 40), (70_000, 900)])
def test_same_tree_for_codes_and_orders_of_any_width(rng, n_samples, n_values, level):
    """One and two bytes a code, two and four bytes a sample number: columns are filled by a loop of their own for each,
    the last feature of the data one by one. The tree is grown on a few of the samples."""
    X = rng.integers(n_values, size=(n_samples, 4)).astype(float)
    y = np.sort(rng.integers(3, size=n_samples))
    marks = (rng.random(n_samples) > 150 / n_samples).astype(np.uint8)
    dataset = replace(Dataset.encode(X, y, 3), level=level)
    assert (dataset.codes.itemsize, dataset.order.itemsize) == (1 + (n_values > 256), 2 + 2 * (n_samples > 65_536))
    assert naive.tree.unfold(*grow(dataset, marks)) == naive.tree.grow(X[marks == 0], y[marks == 0], 3)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_same_tree_with_more_than_65536_samples(rng, missing):
    """Sample numbers that need 32 bits, nodes too large for sums of 32 bits."""
    X, y = problem(rng, 70_000, 2, 3, 4, missing)
    dataset = Dataset.encode(X, y, 3)
    assert dataset.order.dtype == np.uint32
    assert naive.tree.unfold(*grow(dataset, max_depth=3)) == naive.tree.grow(X, y, 3, max_depth=3)


@pytest.mark.parametrize("entries", [4, 8])
@pytest.mark.parametrize("level", LEVELS)
def test_same_tree_for_large_nodes_of_two_classes(rng, level, entries):
    """Valued in single precision up to four million samples, in entries of either width."""
    X = rng.integers(20, size=(70_000, 3)).astype(float)
    y = np.sort((rng.random(70_000) < 0.4).astype(int))
    X[:, 1] += y * (rng.random(70_000) < 0.02)
    if entries == 8:
        X[:, 2] = rng.normal(size=70_000)
    dataset = replace(Dataset.encode(X, y, 2), level=level)
    assert not dataset.counted.any()
    got = grow(dataset, features=[0, 1], max_depth=3)
    assert naive.tree.unfold(*got) == naive.tree.grow(X[:, :2], y, 2, max_depth=3)


def test_same_tree_with_many_classes(rng):
    """More classes than a byte holds, one or two samples each."""
    X, _ = problem(rng, 400, 2, 1, 6, missing=0.1)
    y = np.sort(np.concatenate((np.arange(300), rng.integers(300, size=100))))
    assert naive.tree.unfold(*grow(Dataset.encode(X, y, 300), max_depth=5)) == naive.tree.grow(X, y, 300, max_depth=5)


def test_unseen_values_go_to_the_nearer_side():
    """Between 0 and 10 the threshold is 5, the midpoint of *values* and not of codes: 3 and 5 go left, 5.1 right."""
    X = np.array([[0.0], [3.0], [5.0], [5.1], [7.0], [10.0]])
    nodes, thresholds, _ = grow(Dataset.encode(X, np.array([0, 0, 0, 1, 1, 1]), 2), [0, 1, 1, 1, 1, 0])
    assert thresholds[0] == 5.0
    assert nodes["code"][0] == 2
    labels = nodes["label"][tree.apply(nodes, thresholds, np.array([[-9.0], [5.0], [np.nextafter(5.0, 6.0)], [1e300]]))]
    np.testing.assert_array_equal(labels, [0, 0, 1, 1])


@pytest.mark.parametrize(("values", "label"), [([1, 1, 1, 2, 2], 0), ([1, 1, 2, 2, 2], 1), ([1, 1, 2, 2], 1)])
def test_missing_values_never_seen_go_to_the_larger_side(values, label):
    """A node without NaN sends it to the side with more training samples, ties right."""
    X = np.append(values, [np.nan, np.nan])[:, None].astype(float)
    y = np.append(np.array(values) - 1, [2, 2])
    dataset = Dataset.encode(X, y, 3)
    nodes, thresholds, _ = grow(dataset, y == 2)
    assert tree.label(dataset, nodes)[-1] == label
    assert nodes["label"][tree.apply(nodes, thresholds, X[-1:])] == label


def test_the_leaf_has_the_majority_and_ties_the_lowest_class(rng):
    """Depth 0 is a single leaf."""
    for sizes, label in (((1, 3, 2), 1), ((1, 2, 2), 1), ((2, 1, 2), 0), ((0, 0, 1), 2)):
        X = rng.normal(size=(sum(sizes), 2))
        nodes, _, counts = grow(Dataset.encode(X, np.repeat([0, 1, 2], sizes), 3), max_depth=0)
        assert (len(nodes), nodes["label"][0], tuple(counts[0])) == (1, label, sizes)


def test_children_are_neighbours_and_every_node_has_one_parent(rng):
    """Numbers: the root is 0, children are left and left + 1, after their parent; nothing is left over."""
    X, y = problem(rng, 40, 4, 5, 7, missing=0.1)
    nodes, _, counts = grow(Dataset.encode(X, y, 5))
    inner = np.flatnonzero(nodes["feature"] >= 0)
    lefts = nodes["left"][inner]
    assert np.all(lefts > inner)
    np.testing.assert_array_equal(np.sort(np.concatenate((lefts, lefts + 1))), np.arange(1, len(nodes)))
    np.testing.assert_array_equal(counts[lefts] + counts[lefts + 1], counts[inner])


@pytest.mark.quick("values")
@pytest.mark.parametrize("alone", [0, 1, 30])
@pytest.mark.parametrize("main", [0, 60])
@pytest.mark.parametrize("mirrored", [False, True])
def test_deep_chain_with_features_that_die_one_by_one(mirrored, main, alone):
    """A tree of n leaves in a line, where each level makes one more of k features constant: the longest lists."""
    n = 60
    i = np.arange(n)
    X = np.insert((i[:, None] > i[None, :n]).astype(float), main, i, axis=1)
    order = np.argsort(i % 2, kind="stable")
    X, y = (X[::-1] if mirrored else X)[order], (i % 2)[order]
    got = naive.tree.unfold(*grow(Dataset.encode(X, y, 2), max_depth=2**31 - 1, n_threads=1 + (alone > 0), alone=alone))
    assert got == naive.tree.grow(X, y, 2, max_depth=n)


@pytest.mark.parametrize("alone", [0, 1, 2, 150])
def test_deep_chain_of_one_feature(alone):
    """Alternating classes along one feature: n - 1 cuts, n pure leaves."""
    X, y = np.arange(300.0), np.arange(300) % 2
    order = np.argsort(y, kind="stable")
    nodes, thresholds, counts = grow(Dataset.encode(X[order, None], y[order], 2), max_depth=2**31 - 1, alone=alone)
    assert len(nodes) == 2 * 300 - 1
    np.testing.assert_array_equal(np.sort(thresholds[nodes["feature"] >= 0]), np.arange(299) + 0.5)
    assert np.all(counts[nodes["feature"] < 0].sum(axis=1) == 1)


# one tree, many threads


@pytest.mark.quick("values")
@pytest.mark.parametrize("alone", [1, 2, 5, 12])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 5])
def test_same_tree_as_brute_force_if_large_nodes_are_shared(seed, n_classes, alone):
    """The way of large nodes gives the twin's tree where it is taken for small ones, with its numbers."""
    rng = np.random.default_rng([seed, n_classes, alone])
    for i in range(20):
        n_samples, n_features = int(rng.integers(2, 61)), int(rng.integers(1, 7))
        X, y = problem(rng, n_samples, n_features, n_classes, int(rng.integers(1, 30)), 0.1 * (i % 2))
        rules = rng.choice([100, 100, 4, 2]), rng.choice([2, 2, 5]), rng.choice([1, 1, 3])
        rules = tuple(int(rule) for rule in rules)
        dataset = Dataset.encode(X, y, n_classes)
        got = grow(dataset, None, None, *rules, n_threads=2, alone=alone)
        assert naive.tree.unfold(*got) == naive.tree.grow(X, y, n_classes, *rules)
        for a, b in zip(got, grow(dataset, None, None, *rules), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.fixture(scope="module", params=[2, 3])
def large(request):
    """More than 65,536 samples in entries of 8 bytes: many values, few (counted), ties, missing ones, a constant."""
    rng = np.random.default_rng(request.param)
    y = np.sort(rng.integers(request.param, size=70_000))
    X = rng.normal(size=(70_000, 8))
    X[:, 0] += y
    X[:, 2] = X[:, 0]
    X[:, 3] = np.round(X[:, 3])
    X[:, 4] = rng.integers(40, size=70_000) + y
    X[:, 6] = 1.5
    X[rng.random(70_000) < 0.1, 5] = np.nan
    return Dataset.encode(X, y, request.param)


@pytest.mark.quick("values")
@pytest.mark.parametrize("rules", [(2**31 - 1, 2, 1), (7, 50, 20), (3, 2, 1)])
def test_same_tree_for_any_number_of_threads(large, rules):
    """Nodes, numbers, thresholds and counts, wherever the work is cut into shares."""
    assert set(large.counted) == {0, 1}
    ref = grow(large, None, None, *rules)
    for n_threads, alone in ((2, 0), (3, 0), (7, 0), (2, 35_000), (3, 69_999), (2, 70_000), (3, 300)):
        for a, b in zip(grow(large, None, None, *rules, n_threads=n_threads, alone=alone), ref, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.quick("values")
@pytest.mark.parametrize("level", LEVELS)
def test_same_shared_tree_for_any_instruction_set(rng, large, level):
    """On a part of the samples and of the features."""
    marks, dataset = (rng.random(70_000) < 0.5).astype(np.uint8), replace(large, level=level)
    ref = grow(large, marks, [0, 3, 4, 5, 7])
    for a, b in zip(grow(dataset, marks, [0, 3, 4, 5, 7], n_threads=2, alone=2_000), ref, strict=True):
        np.testing.assert_array_equal(a, b)


def test_same_shared_tree_with_many_classes(rng):
    """More classes than pieces of a node have samples."""
    X, _ = problem(rng, 400, 2, 1, 30, missing=0.1)
    y = np.sort(np.concatenate((np.arange(300), rng.integers(300, size=100))))
    dataset = Dataset.encode(X, y, 300)
    for a, b in zip(grow(dataset, n_threads=3, alone=1), grow(dataset), strict=True):
        np.testing.assert_array_equal(a, b)


def test_same_leaves_for_any_number_of_threads(rng, large):
    """`apply` gives each raw sample the same leaf."""
    nodes, thresholds, _ = grow(large, max_depth=10)
    X = rng.normal(size=(50_000, 8))
    X[rng.random(X.shape) < 0.1] = np.nan
    ref = tree.apply(nodes, thresholds, X)
    for n_threads in (2, 3, 7):
        np.testing.assert_array_equal(tree.apply(nodes, thresholds, X, n_threads), ref)


# doors


def test_inputs_stay_unchanged(rng):
    """Read-only arrays are accepted, and nothing is written to the data set or the marks."""
    X, y = problem(rng, 30, 3, 3, 5, missing=0.1)
    dataset, marks = Dataset.encode(X, y, 3), (rng.random(30) < 0.3).astype(np.uint8)
    arrays = [marks] + [value for value in vars(dataset).values() if isinstance(value, np.ndarray)]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    nodes, thresholds, _ = grow(dataset, marks)
    nodes.flags.writeable = thresholds.flags.writeable = X.flags.writeable = False
    tree.label(dataset, nodes)
    tree.apply(nodes, thresholds, X)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": []}, "features must not be empty"),
        ({"features": [1, 0]}, r"features must be ascending and in \[0, 2\), got 0 at 1"),
        ({"features": [0, 0]}, r"features must be ascending and in \[0, 2\), got 0 at 1"),
        ({"features": [2]}, r"features must be ascending and in \[0, 2\), got 2 at 0"),
        ({"features": [-1]}, r"features must be ascending and in \[0, 2\), got -1 at 0"),
        ({"marks": [0, 0, 0]}, "marks must have 4 entries, got 3"),
        ({"marks": [1, 1, 1, 1]}, "marks must be 0 for at least one sample"),
        ({"max_depth": -1}, "max_depth must be >= 0, .* got -1, 2, 1"),
        ({"min_samples_split": 1}, "min_samples_split >= 2, .* got 100, 1, 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf >= 1, got 100, 2, 0"),
        ({"n_threads": 0}, "n_threads must be >= 1 and alone >= 0, got 0 and 0"),
        ({"alone": -1}, "n_threads must be >= 1 and alone >= 0, got 1 and -1"),
    ],
)
def test_bad_input_is_refused(change, message):
    """Each rule of the door has a message with the name, the rule and the value."""
    dataset = Dataset.encode(np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 3.0]]), np.array([0, 0, 1, 1]), 2)
    with pytest.raises(ValueError, match=message):
        grow(dataset, **change)


def test_more_threads_than_there_is_memory_for(rng):
    """An error, not the end of the process."""
    dataset = Dataset.encode(rng.integers(0, 99, (30_000, 20)).astype(np.float32), np.arange(30_000) % 2, 2)
    with pytest.raises(MemoryError):
        grow(dataset, n_threads=2**30)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("codes", np.zeros((1, 4), dtype=np.uint8), r"codes must be uint8 or uint16 of shape \(2, 4\)"),
        ("codes", np.zeros((2, 4), dtype=np.uint32), r"codes must be uint8 or uint16 of shape \(2, 4\)"),
        ("order", np.zeros((2, 3), dtype=np.uint16), r"order must be uint16 or uint32 of shape \(2, 4\)"),
        ("order", np.zeros((2, 4), dtype=np.uint8), r"order must be uint16 or uint32 of shape \(2, 4\)"),
        ("lower", np.zeros(3), "lower and dataset.upper must have 8 entries"),
        ("reciprocal", np.zeros(4), "reciprocal must have 5 entries, got 4"),
        ("class_start", np.array([0, 3], dtype=np.int32), "class_start must run from 0 to 4"),
        ("offset", np.zeros(1, dtype=np.int64), r"dataset must have 1 to .* features and 1 to .* samples, got 0 and 4"),
    ],
)
def test_bad_data_set_is_refused(name, value, message):
    """Arrays of a data set that do not agree with each other are not read."""
    dataset = Dataset.encode(np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 3.0]]), np.array([0, 0, 1, 1]), 2)
    with pytest.raises(ValueError, match=message):
        tree.label(replace(dataset, **{name: value}), np.zeros(1, dtype=tree.NODE))


def test_bad_nodes_are_refused():
    """A tree that does not fit the samples is not followed."""
    nodes = np.zeros(3, dtype=tree.NODE)
    nodes["feature"], nodes["left"] = (0, -1, -1), (1, -1, -1)
    dataset = Dataset.encode(np.zeros((1, 1)), np.array([0]), 1)
    with pytest.raises(ValueError, match="thresholds must have 3 entries, got 2"):
        tree.apply(nodes, np.zeros(2), np.zeros((1, 1)))
    with pytest.raises(ValueError, match="nodes must have at least one entry, got 0"):
        tree.label(dataset, nodes[:0])
    for left in (-1, 0, 2, 3):  # children stand behind their parent, two by two
        nodes["left"][0] = left
        with pytest.raises(ValueError, match=rf"nodes\[0\].left must be in \(0, 2\), got {left}"):
            tree.apply(nodes, np.zeros(3), np.zeros((1, 1)))
    nodes["left"][0] = 1
    with pytest.raises(ValueError, match="n_threads must be >= 1, got 0"):
        tree.apply(nodes, np.zeros(3), np.zeros((1, 1)), 0)
    nodes["feature"][0] = 3
    with pytest.raises(ValueError, match="nodes must use features below 3, got 3"):
        tree.apply(nodes, np.zeros(3), np.zeros((1, 3)))
    with pytest.raises(ValueError, match="nodes must use features below 1, got 3"):
        tree.label(dataset, nodes)
