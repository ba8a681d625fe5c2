"""The forest room against its slow twin and the compiled tree, and the promises of its doors."""

import signal
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import naive.forest
from moeliga._ext import forest, tree
from moeliga.data.dataset import Dataset
from moeliga.data.target import Target
from naive.forest import Plan

LEVELS = [level for level in (0, 3, 4) if level <= tree.LEVEL]
KEY = np.array([3, 2**64 - 5], dtype=np.uint64)
ADDRESS = (20, 1, 2)


def problem(rng, n_samples, n_features, n_classes, n_levels, missing=0.0):
    """Random data with `n_levels` values a feature, and its coded form; n_classes = None: a target of whole numbers."""
    X = rng.integers(n_levels, size=(n_samples, n_features)).astype(np.float64) ** 2 - 2.5
    X[rng.random(X.shape) < missing] = np.nan
    if n_classes is None:
        y = np.sort(rng.integers(-9, 10, size=n_samples) ** 3)
        dataset = Dataset.encode_target(X, y.astype(np.float64))
        return X, dataset.target.steps, dataset
    y = np.sort(rng.integers(n_classes, size=n_samples))
    return X, y, Dataset.encode(X, y, n_classes)


def grow(plan, dataset, n_trees, first=0, n_threads=1):
    """What a forest is: nodes, shares and where those of each tree begin; importances; who was drawn."""
    importances = np.zeros(dataset.n_features)
    drawn = np.zeros((n_trees, -(-dataset.n_samples // 64)), dtype=np.uint64)
    nodes, n_nodes, shares, n_shares = forest.grow(
        dataset, KEY, ADDRESS, plan.stopping, plan.n_drawn, plan.n_tried, plan.random_cuts, first, n_trees, importances,
        drawn, n_threads)
    return (nodes, np.append(0, np.cumsum(n_nodes)), shares, np.append(0, np.cumsum(n_shares))), importances, drawn


def bits(found):
    """Everything that `grow` returns, as bytes."""
    trees, importances, drawn = found
    return [None if array is None else array.tobytes() for array in (*trees, importances, drawn)]


def a_plan(rng, n_classes, n_samples, n_features):
    """A random plan."""
    return Plan(n_classes, int(rng.choice([0, n_samples, max(1, n_samples // 3)])),
                int(rng.integers(0, n_features + 1)), bool(rng.integers(2)),
                tuple(int(rng.choice(rules)) for rules in ([100, 100, 4, 2, 0], [2, 2, 5], [1, 1, 3])))


@pytest.mark.quick(2)
@pytest.mark.parametrize("missing", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("n_classes", [None, 1, 2, 3, 5])
def test_same_forest_as_the_twin(seed, n_classes, missing):
    """Every node, what all trees say of all rows and of those they have not drawn, and the importances, to the bit."""
    rng = np.random.default_rng([seed, n_classes or 0, int(10 * missing)])
    for _ in range(25):
        n_samples, n_features = int(rng.integers(1, 70)), int(rng.integers(1, 7))
        X, y, dataset = problem(rng, n_samples, n_features, n_classes, int(rng.integers(1, 60)), missing)
        plan = a_plan(rng, n_classes, n_samples, n_features)
        trees, importances, drawn = grow(plan, dataset, 4, first=3)
        ref, bags = zip(*[naive.forest.grow(plan, X, y, KEY, ADDRESS, 3 + t) for t in range(4)], strict=True)
        nodes, starts = trees[:2]
        assert np.diff(starts).tolist() == [len(nodes) for nodes in ref]
        for node, own in zip(nodes, [node for nodes in ref for node in nodes], strict=True):
            assert (node["feature"], node["size"]) == (-1 if own.cut is None else own.cut.feature, own.size)
            if own.cut is not None:
                assert (node["threshold"], node["left"], node["other"]) == (*own.cut[1:2], own.left, own.cut[2])
        unpacked = np.unpackbits(drawn.view(np.uint8), axis=1, bitorder="little")[:, : n_samples]
        np.testing.assert_array_equal(unpacked, bags)
        n_outputs = n_classes or 1
        for given in (None, drawn):
            sums, n_votes = forest.predict(*trees, X, n_outputs, given)
            ref_sums, ref_votes = naive.forest.predict(ref, X, None if given is None else bags)
            np.testing.assert_array_equal(sums, ref_sums)
            np.testing.assert_array_equal(n_votes, ref_votes)
        total = sum(importances.tolist())
        np.testing.assert_allclose(importances / (total if total > 0 else 1.0), naive.forest.importances(
            ref, n_features), rtol=1e-15)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("n_classes", [None, 2, 7])
def test_where_nothing_is_drawn_it_is_the_compiled_tree(rng, n_classes, missing):
    """All samples, all features in their order: the same nodes, and all trees alike."""
    for n_samples in (30, 400, 3000):
        X, _, dataset = problem(rng, n_samples, 6, n_classes, 200, missing)
        plan = Plan(n_classes, 0, 0, False, (12, 3, 2))
        (nodes, starts, shares, _), _, _ = grow(plan, dataset, 2)
        room = tree.regress if n_classes is None else tree.grow
        ref, thresholds, *_, sizes = room(dataset, np.arange(6, dtype=np.int32), np.zeros(n_samples, dtype=np.uint8),
                                          *plan.stopping)
        sizes = sizes if n_classes is None else sizes.sum(axis=1)
        for t in range(2):
            own = nodes[starts[t] : starts[t + 1]]
            inner = own["feature"] >= 0
            np.testing.assert_array_equal(own["feature"], ref["feature"])
            np.testing.assert_array_equal(own["size"], sizes)
            np.testing.assert_array_equal(own["threshold"][inner], thresholds[inner])
            np.testing.assert_array_equal(own["left"][inner], ref["left"][inner])
            np.testing.assert_array_equal(own["other"][inner], ref["missing"][inner] >= 0)


@pytest.mark.parametrize("random_cuts", [False, True])
@pytest.mark.parametrize("n_classes", [None, 2, 7])
def test_same_bits_for_any_number_of_threads_instruction_set_and_call(rng, n_classes, random_cuts):
    """Threads grow whole trees, and trees may be grown in several calls."""
    X, _, dataset = problem(rng, 500, 12, n_classes, 300, 0.05)
    plan = Plan(n_classes, 500, 4, random_cuts)
    ref = grow(plan, dataset, 9)
    for level in LEVELS:
        for n_threads in (1, 2, 3, 7):
            assert bits(grow(plan, replace(dataset, level=level), 9, n_threads=n_threads)) == bits(ref)
    sums, _ = forest.predict(*ref[0], X, n_classes or 1)
    for n_threads in (2, 3, 7):
        assert forest.predict(*ref[0], X, n_classes or 1, None, n_threads)[0].tobytes() == sums.tobytes()
    parts = [grow(plan, dataset, n, first=first) for first, n in ((0, 4), (4, 5))]
    assert b"".join(trees[0].tobytes() for trees, _, _ in parts) == ref[0][0].tobytes()


def test_codes_by_quantiles_are_divided_where_the_threshold_says(rng):
    """More than 65,536 values: samples that share a code stay together, in training and afterwards."""
    X = rng.normal(size=(70_000, 1))
    y = np.sort(rng.integers(2, size=len(X)))
    dataset = Dataset.encode(X, y, 2)
    assert dataset.lower is not dataset.upper
    for random_cuts in (False, True):
        (nodes, starts, shares, share_starts), _, _ = grow(Plan(2, 0, 1, random_cuts, (8, 2, 1)), dataset, 1)
        sums, _ = forest.predict(nodes, starts, shares, share_starts, X, 2)
        trained = Counter()
        for leaf in nodes[nodes["feature"] < 0]:
            own = shares[leaf["left"] : leaf["left"] + leaf["other"]]
            trained[tuple(np.bincount(own["label"], own["share"], 2).tolist())] += int(leaf["size"])
        assert Counter(map(tuple, sums.tolist())) == trained


def test_random_thresholds_are_uniform_in_the_range_of_the_node():
    """One feature, one split: Kolmogorov's distance to the uniform distribution, of 2,000 trees."""
    X = np.array([[0.0], [0.1], [0.7], [1.0]])
    dataset = Dataset.encode(X, np.array([0, 0, 1, 1]), 2)
    (nodes, starts, *_), _, _ = grow(Plan(2, 0, 1, True, (1, 2, 1)), dataset, 2000)
    thresholds = np.sort(nodes["threshold"][starts[:-1]])
    assert 0.0 <= thresholds[0] and thresholds[-1] < 1.0
    assert np.abs(thresholds - np.arange(2000) / 2000).max() < 1.63 / np.sqrt(2000)  # 1 in 100


def test_features_are_drawn_alike(rng):
    """Each of seven equal features is the root's in one tree of seven, by a chi-squared test (1 in 1,000)."""
    X = np.repeat(rng.normal(size=(40, 1)), 7, axis=1)
    dataset = Dataset.encode(X, np.sort(rng.integers(2, size=40)), 2)
    for n_tried in (1, 3, 7):
        (nodes, starts, *_), _, _ = grow(Plan(2, 40, n_tried, False, (1, 2, 1)), dataset, 3500)
        counts = np.bincount(nodes["feature"][starts[:-1]], minlength=7)
        assert ((counts - 500) ** 2 / 500).sum() < 22.5


def test_large_targets_are_exact():
    """Steps up to the limit of the sums, drawn several times."""
    y = np.sort(np.random.default_rng(5).normal(size=40) * 1e300)
    X = np.random.default_rng(6).normal(size=(40, 3))
    dataset = Dataset.encode_target(X, y)
    plan = Plan(None, 40, 2, False)
    trees, _, _ = grow(plan, dataset, 3)
    ref = [naive.forest.grow(plan, X, Target.code(y).steps, KEY, ADDRESS, t)[0] for t in range(3)]
    np.testing.assert_array_equal(forest.predict(*trees, X, 1)[0], naive.forest.predict(ref, X)[0])


@pytest.mark.parametrize(("changes", "message"), [
    ({"seed": KEY[:1]}, "seed must have 2 words, got 1"),
    ({"stopping": (-1, 2, 1)}, "max_depth must be >= 0"),
    ({"stopping": (1, 1, 1)}, "min_samples_split >= 2"),
    ({"n_drawn": 21}, r"n_drawn must be in \[0, 20\], got 21"),
    ({"n_tried": 4}, r"n_tried must be in \[0, 3\], got 4"),
    ({"n_trees": 0}, "n_trees and n_threads >= 1"),
    ({"first": -1}, "first must be in"),
    ({"n_threads": 0}, "n_trees and n_threads >= 1"),
    ({"importances": np.zeros(2)}, "importances must have 3 entries, got 2"),
    ({"drawn": np.zeros((2, 2), dtype=np.uint64)}, r"drawn must have the shape \(2, 1\), got \(2, 2\)"),
    ({"min_weight": -1}, "min_weight must be >= 0, got -1"),
    ({"weights": np.ones(19, dtype=np.int32)}, "weights must be 20 numbers >= 0 .* got 19 that sum to 19"),
    ({"weights": np.arange(-1, 19, dtype=np.int32)}, "weights must be 20 numbers >= 0"),
    ({"weights": np.full(20, 2**27, dtype=np.int32)}, "less than .* sum to 2684354560"),
])
def test_growing_refuses(rng, changes, message):
    """Each argument that does not fit."""
    _, _, dataset = problem(rng, 20, 3, 2, 9)
    given = {"seed": KEY, "address": ADDRESS, "stopping": (9, 2, 1), "n_drawn": 20, "n_tried": 2, "random_cuts": False,
             "first": 0, "n_trees": 2, "importances": np.zeros(3), "drawn": None, "n_threads": 1}
    with pytest.raises(ValueError, match=message):
        forest.grow(dataset, **given | changes)


@pytest.mark.parametrize(("field", "value", "message"), [
    ("feature", 3, "nodes must use features below 3, got 3"),
    ("left", 0, r"left of node 0 must be in \(0, "),
    ("left", 10**6, r"left of node 0 must be in \(0, "),
])
def test_predicting_refuses_trees_that_cannot_be_followed(rng, field, value, message):
    """A feature that X does not have; children before their parents, or beyond the tree."""
    X, _, dataset = problem(rng, 20, 3, 2, 9)
    trees, _, _ = grow(Plan(2, 0, 3, False), dataset, 2)
    trees[0][field][0] = value
    with pytest.raises(ValueError, match=message):
        forest.predict(*trees, X, 2)


@pytest.mark.parametrize("n_samples", [1, 7, 8, 9, 64, 65, 130, 1000])
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("classes", [True, False])
def test_samples_go_down_together_or_alone(rng, n_samples, n_threads, classes):
    """Few of them check their own way, many share a block: the same sums in the same order."""
    X, y = rng.normal(size=(400, 3)), np.sort(rng.integers(2, size=400))
    dataset = Dataset.encode(X, y, 2) if classes else Dataset.encode_target(X, rng.normal(size=400))
    trees, _, _ = grow(Plan(2 if classes else None, 400, 2, False), dataset, 9)
    samples = np.where(rng.random((n_samples, 3)) < 0.1, np.nan, rng.normal(size=(n_samples, 3)))
    drawn = rng.integers(2**63, size=(9, (n_samples + 63) // 64), dtype=np.uint64)
    sums, n_votes = forest.predict(*trees, samples, 2 if classes else 1, drawn, n_threads)
    alone = [forest.predict(*trees, samples[i : i + 1], 2 if classes else 1,
                            (drawn[:, i // 64] >> np.uint64(i % 64) & np.uint64(1))[:, None]) for i in range(n_samples)]
    np.testing.assert_array_equal(sums, np.concatenate([one for one, _ in alone]))
    np.testing.assert_array_equal(n_votes, np.concatenate([votes for _, votes in alone]))


@pytest.mark.parametrize(("field", "value", "message"), [
    ("feature", 3, "nodes must use features below 3, got 3"), ("left", 0, "left of node 0 must be in"),
    ("left", 10**6, "left of node 0 must be in")])
def test_one_sample_meets_what_cannot_be_followed(rng, field, value, message):
    """In a forest of many nodes, which are not all looked at; what it does not meet is no error."""
    X, y = rng.normal(size=(400, 3)), np.sort(rng.integers(2, size=400))
    (nodes, *rest), _, _ = grow(Plan(2, 400, 2, False), Dataset.encode(X, y, 2), 9)
    assert len(nodes) > 9 * 4
    broken = nodes.copy()
    broken[field][0] = value
    with pytest.raises(ValueError, match=message):
        forest.predict(broken, *rest, X[:1], 2)
    leaves = nodes.copy()
    leaves["other"][nodes["feature"] < 0] = 99
    with pytest.raises(ValueError, match="must have shares among"):
        forest.predict(leaves, *rest, X[:1], 2)
    leaf = np.flatnonzero(nodes["feature"] < 0)
    used = forest.predict(nodes, *rest, X[:1], 2)[0]
    unseen = []
    for place in leaf[:40]:
        other = nodes.copy()
        other["other"][place] = 0
        unseen += [place] if (forest.predict(other, *rest, X[:1], 2)[0] == used).all() else []
    other = nodes.copy()
    other["other"][unseen[0]] = 99
    np.testing.assert_array_equal(forest.predict(other, *rest, X[:1], 2)[0], used)
    with pytest.raises(ValueError, match="must have shares among"):
        forest.predict(other, *rest, X, 2)


def test_predicting_refuses_what_does_not_fit(rng):
    """Shares of other classes or beyond the tree, starts, bits, counts."""
    X, _, dataset = problem(rng, 20, 3, 2, 9)
    (nodes, starts, shares, share_starts), _, _ = grow(Plan(2, 0, 3, False), dataset, 2)
    leaf = int(np.flatnonzero(nodes["feature"] < 0)[0])
    beyond = nodes.copy()
    beyond["other"][leaf] = 99
    for given, message in (
        ((nodes, starts, shares, share_starts, X, 1), r"shares must be of classes in \[0, 1\), got 1"),
        ((beyond, starts, shares, share_starts, X, 2), "must have shares among"),
        ((nodes, starts[:-1], shares, share_starts, X, 2), "node_start must have 2 entries"),
        ((nodes, starts[[0, 0, 2]], shares, share_starts, X, 2), "every tree must have a node"),
        ((nodes, starts, shares, share_starts + 1, X, 2), "share_start must have 3 entries"),
        ((nodes, starts, shares, share_starts, X, 2, np.zeros((2, 2), np.uint64)), r"drawn must have the shape \(2, 1"),
        ((nodes, starts, shares, share_starts, X, 2, None, 0), "a thread, got 2, 2 and 0"),
    ):
        with pytest.raises(ValueError, match=message):
            forest.predict(*given)


class Heard(Exception):
    """What a handler of a signal raises."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="has no timer that sends signals")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_signal_is_heard_inside_a_tree(rng, n_threads):
    """Nothing is added to the importances, as when a tree is grown; the next forest is what it would have been."""
    def tell(number, frame):
        raise Heard

    def importances(n, n_trees):
        found = np.zeros(20)
        forest.grow(dataset[n], KEY, ADDRESS, (10**6, 2, 1), n, 0, False, 0, n_trees, found, None, n_threads)
        return found

    dataset = {n: Dataset.encode(rng.normal(size=(n, 20)), np.sort(rng.integers(2, size=n)), 2) for n in (500, 40_000)}
    before, added, usual = importances(500, 3), np.zeros(20), signal.signal(signal.SIGALRM, tell)
    try:
        with pytest.raises(Heard):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            forest.grow(dataset[40_000], KEY, ADDRESS, (10**6, 2, 1), 40_000, 0, False, 0, n_threads, added, None,
                        n_threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
    assert not added.any()
    assert importances(500, 3).tobytes() == before.tobytes()
