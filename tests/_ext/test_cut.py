"""Which cut wins: ties, exactness and overflow, against exact fractions and scikit-learn."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import naive.tree
from moeliga._ext import tree
from moeliga.data.dataset import Dataset


def grow(X, y, max_depth=1, min_samples_leaf=1):
    """`tree.grow` on all samples and features of data sorted by class: by default just one cut."""
    dataset = Dataset.encode(X, y, int(y[-1]) + 1)
    features, marks = np.arange(X.shape[1], dtype=np.int32), np.zeros(len(y), dtype=np.uint8)
    return tree.grow(dataset, features, marks, max_depth, 2, min_samples_leaf)


def two_values(totals, lefts):
    """One feature of two values for each entry of `lefts`, the class counts that its only cut sends left."""
    y = np.repeat(np.arange(len(totals)), totals)
    rank = np.concatenate([np.arange(total) for total in totals])
    return np.column_stack([rank >= np.asarray(left)[y] for left in lefts]).astype(np.float64), y


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1.0, 1.0 + 2**-52),
        (1.0 + 2**-52, 1.0 + 2**-51),  # half-way rounds to the upper one
        (-1.7e308, 1.7e308),
        (1.6e308, 1.7e308),
        (5e-324, 1e-323),
        (1.5e-323, 2e-323),
        (-5e-324, 5e-324),
        (-2.0, -1.0),
    ],
)
def test_a_midpoint_always_separates(a, b):
    """Neighbouring floats, denormals and the ends of the range: a <= threshold < b, and finite."""
    _, thresholds, _ = grow(np.array([[a], [b]]), np.array([0, 1]))
    assert a <= thresholds[0] < b


def test_a_midpoint_is_rounded_once(rng):
    """Of denormals, whose halves are no doubles, of the ends of the range, and where its own half becomes denormal."""
    pairs = [(i * 5e-324, j * 5e-324) for i in range(-6, 7) for j in range(i + 1, 7)]
    for scale in (2.0**-1074, 2.0**-1022, 1.0, 2.0**970):
        pairs += [sorted(pair) for pair in (rng.integers(-(2**53), 2**53, size=(40, 2)) * scale).tolist()]
    for a, b in pairs:
        _, thresholds, _ = grow(np.array([[a], [b]]), np.array([0, 1]))
        assert thresholds[0] == naive.tree.midpoint(a, b)


def test_a_tie_goes_to_the_lowest_feature_then_threshold():
    """Three features cut equally well, the first not at all; of two equal thresholds the lower wins."""
    X = np.array([[0.0, 3.0, 1.0], [0.0, 2.0, 2.0], [0.0, 1.0, 3.0]])
    nodes, thresholds, _ = grow(X, np.array([0, 1, 2]))
    assert (nodes["feature"][0], thresholds[0]) == (1, 1.5)


def test_the_first_perfect_cut_wins():
    """A perfect cut ends the search, and it is the lowest feature's: not the later copies', not the poorer first's."""
    y = np.array([0, 0, 1, 1])
    X = np.column_stack([[0, 0, 0, 1], y, y, 1 - y]).astype(float)
    nodes, *_ = grow(X, y)
    assert (len(nodes), nodes["feature"][0]) == (3, 1)


def test_a_lower_threshold_wins_over_missing_values_right():
    """0.5 with NaN left and 1.5 with NaN right are worth the same: the lower threshold is taken."""
    X = np.array([[2.0], [0.0], [np.nan], [1.0], [1.0]])
    nodes, thresholds, _ = grow(X, np.array([0, 0, 0, 1, 1]))
    assert (thresholds[0], nodes["missing"][0] >= 0) == (0.5, True)


def test_missing_values_go_right_on_a_tie():
    """Where both sides are worth the same for NaN at one threshold, it goes right."""
    X = np.array([[0.0], [0.0], [np.nan], [np.nan], [1.0], [1.0]])
    nodes, thresholds, _ = grow(X, np.array([0, 0, 0, 1, 1, 1]))
    assert (thresholds[0], nodes["missing"][0]) == (0.5, -1)


def test_known_values_can_be_parted_from_missing_ones():
    """All known values left, NaN right: the threshold is infinite, whatever value comes."""
    X = np.array([[1.0, 0.0], [2.0, 0.0], [np.nan, 0.0], [np.nan, 0.0]])
    nodes, thresholds, _ = grow(X, np.array([0, 0, 1, 1]))
    assert thresholds[0] == np.inf
    new = np.array([[1e308, 0.0], [-1e308, 0.0], [np.nan, 0.0]])
    np.testing.assert_array_equal(nodes["label"][tree.apply(nodes, thresholds, new)], [0, 0, 1])


def exact_and_rounded(totals, left):
    """What the cut with the class counts `left` on its left is worth: as a fraction, and as the kernel's double."""
    right = [total - count for total, count in zip(totals, left, strict=True)]
    s_left, s_right = (sum(count * count for count in side) for side in (left, right))
    n_left, n_right = sum(left), sum(right)
    exact = Fraction(s_left, n_left) + Fraction(s_right, n_right)
    return exact, s_left * (1 / n_left) + s_right * (1 / n_right)


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ((1667, 1668), (1665, 1666)),
        ((1668, 1669), (1664, 1665)),
        ((2221, 2225), (2219, 2223)),
        ((2222, 2226), (2218, 2222)),
        ((2271, 2276), (2269, 2274)),
    ],
)
def test_the_better_cut_wins_where_doubles_cannot_tell(worse, better):
    """Scores that differ by less than a rounding error are compared exactly, whichever comes first."""
    totals = (5000, 4999)
    (worse_exact, worse_double), (better_exact, better_double) = (exact_and_rounded(totals, c) for c in (worse, better))
    assert worse_exact < better_exact and worse_double >= better_double  # the premise
    for lefts, winner in (((worse, better), 1), ((better, worse), 0)):
        X, y = two_values(totals, lefts)
        nodes, _, counts = grow(X, y)
        assert nodes["feature"][0] == winner
        assert tuple(counts[1]) == better


@pytest.mark.parametrize(
    ("totals", "a", "b"),
    [
        ((10, 2), (2, 1), (7, 2)),
        ((9, 6), (4, 6), (8, 2)),
        ((10, 5), (2, 4), (6, 0)),
        ((10, 6), (5, 1), (10, 5)),
        ((12, 4), (0, 1), (9, 1)),
        ((14, 2), (1, 0), (9, 1)),
        ((13, 5), (2, 1), (7, 3)),
        ((16, 2), (2, 1), (8, 2)),
        ((17, 3), (2, 0), (9, 1)),
    ],
)
def test_an_exact_tie_stays_a_tie_where_doubles_differ(totals, a, b):
    """Cuts that are worth exactly the same, with different rounding errors: the lower feature wins in either order."""
    (a_exact, a_double), (b_exact, b_double) = exact_and_rounded(totals, a), exact_and_rounded(totals, b)
    assert a_exact == b_exact and a_double != b_double  # the premise
    for lefts in ((a, b), (b, a)):
        assert grow(*two_values(totals, lefts))[0]["feature"][0] == 0


def test_no_split_without_gain():
    """The parity of two bits: no single cut gains, so the tree is one leaf, labelled with the lowest class."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    nodes, thresholds, counts = grow(X, np.array([0, 0, 1, 1]), max_depth=100)
    assert (len(nodes), nodes["feature"][0], nodes["left"][0], nodes["label"][0]) == (1, -1, -1, 0)
    assert np.isnan(thresholds[0])
    np.testing.assert_array_equal(counts, [[2, 2]])


def root_cut(X, y, n_classes):
    """(feature, left samples) of the best cut of a large node without NaN: doubles first, then exact fractions."""
    best = []
    for feature, column in enumerate(X.T):
        by_value = np.argsort(column, kind="stable")
        left = np.cumsum(np.eye(n_classes, dtype=np.int64)[y[by_value]], axis=0)[:-1]
        right = left[-1] + np.eye(n_classes, dtype=np.int64)[y[by_value[-1]]] - left
        n_left = np.arange(1, len(y))
        score = (left**2).sum(axis=1) / n_left + (right**2).sum(axis=1) / (len(y) - n_left)
        score[np.diff(column[by_value]) == 0] = 0
        for p in np.flatnonzero(score > score.max() * (1 - 1e-12)).tolist():
            sides = [left[p].tolist(), right[p].tolist()]
            exact = sum(Fraction(sum(c * c for c in side), sum(side)) for side in sides)
            best.append((-exact, feature, p + 1, sides[0]))
    return min(best)[1:]


@pytest.mark.parametrize("n_classes", [2, 7])
def test_no_overflow_in_large_nodes(rng, n_classes):
    """200,000 samples: squares and products beyond 32 and 64 bits; a mirrored copy is an exact tie."""
    y = np.sort(rng.integers(n_classes, size=200_000))
    informative = np.round(y + 3 * rng.normal(size=len(y)), 3)
    X = np.column_stack([rng.integers(50, size=len(y)), -informative, informative]).astype(float)
    feature, n_left, left = root_cut(X, y, n_classes)
    nodes, _, counts = grow(X, y)
    assert feature == 1
    assert (nodes["feature"][0], counts[1].sum()) == (feature, n_left)
    np.testing.assert_array_equal(counts[1], left)


def count_shared_nodes(X, y, n_classes, ours, theirs, at, min_samples_leaf):
    """Nodes with the same cut, followed from the top as long as the best cut of a node is unique."""
    decreases = sorted(naive.tree.scored_cuts(X, y, n_classes, min_samples_leaf), reverse=True)[:2]
    if ours.cut is None or len(decreases) == 2 and decreases[0][0] == decreases[1][0]:
        return 0
    assert ours.cut[:2] == (theirs.feature[at], theirs.threshold[at])
    left = naive.tree.goes_left(ours.cut, X)
    return 1 + sum(
        count_shared_nodes(X[side], y[side], n_classes, child, theirs, number, min_samples_leaf)
        for side, child, number in (
            (left, ours.left, theirs.children_left[at]),
            (~left, ours.right, theirs.children_right[at]),
        )
    )


@pytest.mark.quick(3)
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("min_samples_leaf", [1, 4])
def test_same_cuts_as_scikit_learn_without_ties(seed, n_classes, min_samples_leaf):
    """Wherever the best cut of a node is unique, scikit-learn's tree has the same one."""
    rng = np.random.default_rng([seed, n_classes, min_samples_leaf])
    n_shared = 0
    for state in range(3):
        y = np.sort(rng.integers(n_classes, size=120))
        X = np.column_stack([np.argsort(np.argsort(y + rng.normal(size=120))) for _ in range(4)]).astype(float)
        model = DecisionTreeClassifier(min_samples_leaf=min_samples_leaf, random_state=state).fit(X, y)
        ours = naive.tree.unfold(*grow(X, y, 100, min_samples_leaf))
        n_shared += count_shared_nodes(X, y, n_classes, ours, model.tree_, 0, min_samples_leaf)
    assert n_shared >= 15


def test_same_labels_as_scikit_learn_without_ties(rng):
    """Blocks of different sizes along one feature: every cut is unique, so all labels agree, also of new values."""
    X, y = np.arange(150.0)[:, None], np.repeat([0, 1, 2, 0, 3], [60, 40, 27, 15, 8])
    train = np.sort(rng.choice(150, 100, replace=False))
    train = train[np.argsort(y[train], kind="stable")]
    nodes, thresholds, _ = grow(X[train], y[train], max_depth=100)
    model = DecisionTreeClassifier(random_state=0).fit(X[train], y[train])
    new = np.arange(-10, 160, 0.25)[:, None]
    np.testing.assert_array_equal(nodes["label"][tree.apply(nodes, thresholds, new)], model.predict(new))
