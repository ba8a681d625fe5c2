"""Growing regression trees against the brute-force twin and scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.tree import DecisionTreeRegressor as SklearnTree

import naive.regression
from moeliga._ext import tree
from moeliga.data.dataset import Dataset

LEVELS = [level for level in (0, 3, 4) if level <= tree.LEVEL]


def regress(dataset, marks=None, features=None, max_depth=100, min_samples_split=2, min_samples_leaf=1):
    """`tree.regress` with defaults."""
    marks = np.zeros(dataset.n_samples, dtype=np.uint8) if marks is None else np.asarray(marks, dtype=np.uint8)
    features = np.arange(dataset.n_features) if features is None else features
    return tree.regress(dataset, np.array(features, dtype=np.int32), marks, max_depth, min_samples_split,
                        min_samples_leaf)


def problem(rng, n_samples, n_features, n_levels, n_targets, missing=0.0):
    """Random data with `n_levels` values a feature, in ascending order of a target of `n_targets` values."""
    X = rng.integers(n_levels, size=(n_samples, n_features)).astype(np.float64) ** 2 - 2.5
    X[rng.random(X.shape) < missing] = np.nan
    return X, np.sort(rng.integers(n_targets, size=n_samples)) ** 2.0


@pytest.mark.quick("values")
@pytest.mark.parametrize("missing", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("n_targets", [1, 2, 5, 10**6])
def test_same_tree_as_brute_force(seed, n_targets, missing):
    """Node by node the tree of the raw values: cut, threshold, side of NaN, mean, size; and the same predictions of
    all samples, those not trained on included. Few targets: ties abound, and cuts without gain."""
    rng = np.random.default_rng([seed, n_targets, int(10 * missing)])
    for _ in range(60):
        n_samples, n_features = int(rng.integers(2, 41)), int(rng.integers(1, 7))
        X, y = problem(rng, n_samples, n_features, int(rng.integers(1, 8)), n_targets, missing)
        marks = (rng.random(n_samples) < 0.3).astype(np.uint8)
        marks[rng.integers(n_samples)] = 0
        features = np.flatnonzero(rng.random(n_features) < 0.7)
        features = features if len(features) else np.array([n_features - 1])
        rules = rng.choice([100, 100, 4, 2]), rng.choice([2, 2, 5]), rng.choice([1, 1, 3])
        rules = tuple(int(rule) for rule in rules)
        dataset = Dataset.encode_target(X, y)
        steps = dataset.target.steps
        ref = naive.regression.grow(X[marks == 0][:, features], steps[marks == 0], *rules)
        got = regress(dataset, marks, features, *rules)
        assert naive.regression.unfold(*got, features) == ref
        assert_array_equal(got[2][tree.apply(*got[:2], X)], naive.regression.predict(ref, X[:, features]))


@pytest.mark.quick("values")
@pytest.mark.parametrize("entries", [4, 8])
@pytest.mark.parametrize("level", LEVELS)
def test_same_tree_for_any_instruction_set_and_width(rng, level, entries):
    """Entries of 4 and of 8 bytes; features of few and of many values, with and without missing ones."""
    features, max_depth = (range(7), 100) if entries == 4 else ([1, 5], 3)
    for n_samples in (2, 5, 16, 17, 33, 150) if entries == 4 else (65_537,):
        columns = [rng.integers(levels, size=n_samples) ** 2.0 for levels in (2, 17, 1, 40, 10**6, 5)]
        X = np.stack([*columns, columns[1]], axis=1)
        X[rng.random(n_samples) < 0.3, 5] = np.nan
        y = np.sort(rng.normal(size=n_samples))
        dataset = replace(Dataset.encode_target(X, y), level=level)
        X = X[dataset.rows][:, features]
        bits = (n_samples - 1).bit_length() + int(np.diff(dataset.offset).max()).bit_length()
        assert bits > 32 if entries == 8 else bits <= 32
        ref = naive.regression.grow(X, dataset.target.steps, max_depth)
        assert naive.regression.unfold(*regress(dataset, None, features, max_depth), features) == ref


@pytest.mark.quick("pairs")
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("max_depth", [0, 1, 3, 2**31 - 1])
@pytest.mark.parametrize("min_samples_split", [2, 5, 40, 41])
@pytest.mark.parametrize("min_samples_leaf", [1, 2, 7, 20, 21])
def test_every_rule_is_kept(rng, max_depth, min_samples_split, min_samples_leaf, missing):
    """All combinations of the three limits give the twin's tree."""
    X, y = problem(rng, 40, 3, 6, 9, missing)
    dataset = Dataset.encode_target(X, y)
    ref = naive.regression.grow(X, dataset.target.steps, min(max_depth, 100), min_samples_split, min_samples_leaf)
    assert naive.regression.unfold(*regress(dataset, None, None, max_depth, min_samples_split, min_samples_leaf)) == ref


@pytest.mark.parametrize("order", [np.uint16, np.uint32])
@pytest.mark.parametrize("codes", [np.uint8, np.uint16])
def test_same_tree_for_any_width_of_codes(rng, codes, order):
    """Codes of 8 or 16 bits, sample numbers of 16 or 32."""
    X, y = problem(rng, 40, 5, 6, 100, missing=0.1)
    dataset = Dataset.encode_target(X, y)
    other = replace(dataset, codes=dataset.codes.astype(codes), order=dataset.order.astype(order))
    for a, b in zip(regress(other), regress(dataset), strict=True):
        assert_array_equal(a, b)


@pytest.mark.parametrize("y", [
    [0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 2, 3], [5, -5, 5, -5], [1, 2, 4, 8], [0, 0, 0, 1], [3, 3, 3, 3],
], ids=str)
def test_the_first_cut_is_the_best_of_all_partitions(y):
    """On tiny data, by the definition: the sum of squares that is left, over every cut of every feature."""
    X, y = np.array([[0.0, 1, 0], [1, 0, 0], [2, 1, 1], [3, 0, 1]]), np.array(y)
    nodes, thresholds, _, _ = regress(Dataset.encode_target(X, y.astype(float)), max_depth=1)

    def remaining(left):
        return naive.regression.spread(y[left].tolist()) + naive.regression.spread(y[~left].tolist())

    least = min(remaining(X[:, f] <= cut) for f in range(3) for cut in np.unique(X[:, f])[:-1])
    assert (len(nodes) == 1) == (least == naive.regression.spread(y.tolist()))
    if len(nodes) > 1:
        assert remaining(X[:, nodes["feature"][0]] <= thresholds[0]) == least


@pytest.mark.parametrize(("shape", "min_samples_leaf"), [((60, 1), 1), ((500, 6), 20), ((2000, 20), 40)])
@pytest.mark.parametrize("max_depth", [1, 3, None])
def test_same_tree_as_scikit_learn(rng, shape, min_samples_leaf, max_depth):
    """Without ties among cuts there is one best cut at a time: the same cuts, sizes and means, node by node. (In small
    nodes two features may make the same parts.)"""
    X = rng.permuted(np.tile(np.arange(float(shape[0])), (shape[1], 1)), axis=1).T
    y = rng.integers(10**6, size=shape[0]).astype(float)
    ref = SklearnTree(max_depth=max_depth, min_samples_leaf=min_samples_leaf, random_state=0).fit(X, y)
    dataset = Dataset.encode_target(X, y)
    nodes, thresholds, means, sizes = regress(dataset, max_depth=max_depth or 100,
                                              min_samples_leaf=min_samples_leaf)
    place, waiting = {0: 0}, [0]  # of our nodes among theirs
    while waiting:
        node = waiting.pop()
        if nodes["feature"][node] < 0:
            continue
        for side, children in enumerate((ref.tree_.children_left, ref.tree_.children_right)):
            place[int(nodes["left"][node]) + side] = int(children[place[node]])
            waiting.append(int(nodes["left"][node]) + side)
    theirs = [place[node] for node in range(len(nodes))]
    assert len(nodes) == ref.tree_.node_count
    inner = nodes["feature"] >= 0
    assert_array_equal(nodes["feature"][inner], ref.tree_.feature[theirs][inner])
    assert_array_equal(thresholds[inner], ref.tree_.threshold[theirs][inner])
    assert_array_equal(sizes, ref.tree_.n_node_samples[theirs])
    np.testing.assert_allclose(dataset.target.values(means), ref.tree_.value[theirs, 0, 0], rtol=1e-14)


def test_order_of_rows_does_not_matter(rng):
    """The same tree for any order of the rows, equal targets among them."""
    X, y = problem(rng, 80, 4, 9, 12, missing=0.1)
    ref = regress(Dataset.encode_target(X, y))
    for _ in range(5):
        rows = rng.permutation(80)
        for a, b in zip(regress(Dataset.encode_target(X[rows], y[rows])), ref, strict=True):
            assert_array_equal(a, b)


def test_small_differences_beside_an_outlier_are_found():
    """The steps of a target are as fine as doubles: within a node its mean does not drown what differs."""
    X = np.arange(300.0)[:, None]
    y = np.where(X[:, 0] < 150, 0.0, 2.0**-20)
    y[0] = 2.0**20
    nodes, thresholds, means, _ = regress(Dataset.encode_target(X, y))
    assert set(thresholds[nodes["feature"] >= 0].tolist()) == {0.5, 149.5}
    assert np.count_nonzero(nodes["feature"] < 0) == 3


def close_cuts(rng, n_pairs):
    """Targets of 52 bits in pairs that differ by 1, and features that cut between them but for one pair in the middle,
    of which either the lower or the higher one stays with the lower pairs: (X, y, whether it is the lower)."""
    lower = np.sort(rng.choice(2**50 - 1, n_pairs, replace=False)) * 4 + 1
    lower[0], lower[-1] = 0, 2**52 - 2
    y = np.ravel(np.column_stack([lower, lower + 1]))
    middle = int(rng.integers(1, n_pairs - 1))
    X = np.zeros((2 * n_pairs, 5))
    X[2 * middle + 2 :] = 1
    keeps_lower = rng.random(5) < 0.5
    X[2 * middle, ~keeps_lower] = X[2 * middle + 1, keeps_lower] = 1
    mirrored = rng.random(5) < 0.5
    X[:, mirrored] = 1 - X[:, mirrored]
    return X, y.astype(float), keeps_lower


def test_the_better_cut_wins_where_doubles_cannot_tell(rng):
    """Scores that differ by one in 2^50 are compared exactly; equal ones go to the lowest feature, mirrored or not."""
    n_later = 0
    for _ in range(60):
        X, y, keeps_lower = close_cuts(rng, int(rng.integers(3, 40)))
        dataset = Dataset.encode_target(X, y)
        assert dataset.target.exponent == 0  # the premise: nothing is rounded
        nodes, *_ = got = regress(dataset, max_depth=1)
        best = int(keeps_lower.argmax()) if keeps_lower.any() else 0
        assert nodes["feature"][0] == best
        assert naive.regression.unfold(*got) == naive.regression.grow(X[dataset.rows], dataset.target.steps, 1)
        n_later += best > 0
    assert n_later > 5


@pytest.mark.parametrize("n_samples", [4, 30, 1000])
def test_a_tiny_gain_is_told_from_none(n_samples):
    """Two halves of the same sum but for one step are cut, those of the same sum are not."""
    half = np.resize([0.0, 2.0**51 - 1], n_samples // 2)
    X, y = np.repeat([0.0, 1.0], n_samples // 2)[:, None], np.append(half, half)
    assert len(regress(Dataset.encode_target(X, y), max_depth=1)[0]) == 1
    y[0] = 1.0
    assert len(regress(Dataset.encode_target(X, y), max_depth=1)[0]) == 3


@pytest.mark.parametrize("main", [0, 60])
def test_deep_chain_with_features_that_die_one_by_one(main):
    """A tree of n leaves in a line, where each level makes one more of k features constant: the longest lists."""
    n = 60
    i = np.arange(n)
    X = np.insert((i[:, None] > i[None, :n]).astype(float), main, i, axis=1)
    dataset = Dataset.encode_target(X, 4.0**-i)
    X = X[dataset.rows]
    got = naive.regression.unfold(*regress(dataset, max_depth=2**31 - 1))
    assert got == naive.regression.grow(X, dataset.target.steps)


def test_a_constant_target_is_a_leaf():
    """There is nothing to gain, for a value that is no whole number either."""
    dataset = Dataset.encode_target(np.arange(5.0)[:, None], np.full(5, 0.1))
    nodes, _, means, sizes = regress(dataset)
    assert (len(nodes), nodes["feature"][0], sizes[0]) == (1, -1, 5)
    assert dataset.target.values(means)[0] == 0.1


def test_inputs_stay_unchanged(rng):
    """Read-only arrays are accepted, and nothing is written to the data set or the marks."""
    dataset, marks = Dataset.encode_target(*problem(rng, 30, 3, 5, 7, 0.1)), (rng.random(30) < 0.3).astype(np.uint8)
    arrays = [marks, dataset.target.steps]
    arrays += [array for array in vars(dataset).values() if isinstance(array, np.ndarray)]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    regress(dataset, marks)
    for array, copy in zip(arrays, before, strict=True):
        assert_array_equal(array, copy)


@pytest.mark.parametrize(("change", "message"), [
    ({"features": []}, "features must not be empty"),
    ({"features": [1, 0]}, r"features must be ascending and in \[0, 2\), got 0 at 1"),
    ({"features": [2]}, r"features must be ascending and in \[0, 2\), got 2 at 0"),
    ({"marks": [0, 0, 0]}, "marks must have 4 entries, got 3"),
    ({"marks": [1, 1, 1, 1]}, "marks must be 0 for at least one sample"),
    ({"max_depth": -1}, "max_depth must be >= 0, .* got -1, 2, 1"),
    ({"min_samples_split": 1}, "min_samples_split >= 2, .* got 100, 1, 1"),
    ({"min_samples_leaf": 0}, "min_samples_leaf >= 1, got 100, 2, 0"),
])
def test_bad_input_is_refused(change, message):
    """Each rule of the door has a message with the name, the rule and the value."""
    dataset = Dataset.encode_target(np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0], [3.0, 3.0]]), np.arange(4.0))
    with pytest.raises(ValueError, match=message):
        regress(dataset, **change)


def test_a_target_that_does_not_fit_is_refused(rng):
    """Neither of other length, nor too large for sums, nor with counted features; nor in place of classes."""
    X, y = problem(rng, 20, 2, 3, 5)
    dataset, classes = Dataset.encode_target(X, y), Dataset.encode(X, np.arange(20) // 10, 2)
    target = dataset.target
    for steps, message in [(target.steps[1:], "dataset.target must have 20 entries, got 19"),
                           (target.steps * 0 + 2**62 // 20, "dataset.target must be below 2.62 / 20 in magnitude"),
                           (target.steps * 0 - 2**62 // 20, "dataset.target must be below 2.62 / 20 in magnitude")]:
        with pytest.raises(ValueError, match=message):
            regress(replace(dataset, target=replace(target, steps=steps)))
    with pytest.raises(ValueError, match="counted must be 0 for every feature in regression, feature 1 has 1"):
        regress(replace(dataset, counted=np.array([0, 1], dtype=np.uint8)))
    with pytest.raises(ValueError, match="dataset must have a target, got one with classes"):
        regress(classes)
    with pytest.raises(ValueError, match="dataset must have classes, got one with a target"):
        tree.grow(dataset, np.arange(2, dtype=np.int32), np.zeros(20, dtype=np.uint8), 100, 2, 1)
