"""DecisionTreeClassifier as a scikit-learn classifier."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from moeliga import DecisionTreeClassifier


def data(rng, n_samples=60, n_features=5, n_classes=3):
    """Continuous data without ties, whose first features tell the classes."""
    y = rng.permutation(np.arange(n_samples) % n_classes)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 0] += y
    return X, y


def test_predicts_as_scikit_learn_does_on_one_feature(rng):
    """With one feature without ties there is one best cut at a time, and no choice among features."""
    X, y = data(rng, n_features=1, n_classes=2)
    for depth in (1, 2, 3):
        ref = SklearnTree(max_depth=depth, random_state=0).fit(X, y).predict_proba(X)
        got = DecisionTreeClassifier(max_depth=depth).fit(X, y).predict_proba(X)
        assert_array_equal(got, ref)


def test_grows_until_it_knows_its_training_data(rng):
    """Without limits distinct rows are told apart, also where only a second cut helps."""
    X, y = data(rng)
    tree = DecisionTreeClassifier().fit(X, y)
    assert tree.score(X, y) == 1
    assert tree.get_n_leaves() == np.count_nonzero(tree.nodes_["feature"] < 0)
    assert_array_equal(tree.predict_proba(X), np.eye(3)[y])


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_is_no_deeper_than_max_depth(rng, depth):
    """max_depth counts levels of splits; 0 leaves a single leaf of the majority."""
    X, y = data(rng)
    tree = DecisionTreeClassifier(max_depth=depth).fit(X, np.where(y == 0, 1, y))
    assert tree.get_depth() == depth
    assert tree.get_n_leaves() <= 2**depth
    if depth == 0:
        assert set(tree.predict(X)) == {1}


def test_leaves_are_no_smaller_than_min_samples_leaf(rng):
    """Every leaf holds so many training samples, and every node that was split so many as asked."""
    X, y = data(rng)
    tree = DecisionTreeClassifier(min_samples_leaf=4, min_samples_split=11).fit(X, y)
    leaf, size = tree.nodes_["feature"] < 0, tree.counts_.sum(axis=1)
    assert size[leaf].min() >= 4
    assert size[~leaf].min() >= 11


def test_apply_counts_and_probabilities_agree(rng):
    """The training samples of a leaf are those that `apply` sends there, and their shares are the probabilities."""
    X, y = data(rng)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        counts = np.bincount(y[leaves == leaf], minlength=3)
        assert_array_equal(tree.counts_[leaf], counts)
        assert_array_equal(tree.predict_proba(X[leaves == leaf])[0], counts / counts.sum())
        assert_array_equal(tree.predict(X[leaves == leaf])[0], counts.argmax())


@pytest.mark.parametrize("labels", [np.array(["pear", "apple", "fig"]), np.array([7, -1, 3]),
                                    np.array(["b", "a", "c"], dtype=object)])
def test_any_labels_do(rng, labels):
    """Labels are strings, numbers or objects; predictions are labels again, and classes_ is sorted."""
    X, y = data(rng)
    tree = DecisionTreeClassifier().fit(X, labels[y])
    assert_array_equal(tree.predict(X), labels[y])
    assert_array_equal(tree.classes_, np.sort(labels))


def test_two_labels_can_be_true_and_false(rng):
    """Boolean labels come back boolean."""
    X, y = data(rng, n_classes=2)
    assert_array_equal(DecisionTreeClassifier().fit(X, y == 1).predict(X), y == 1)


def test_a_frame_of_the_other_byte_order_is_read(rng):
    """scikit-learn hands it on as it is."""
    pd = pytest.importorskip("pandas")
    X, y = data(rng)
    tree = DecisionTreeClassifier().fit(pd.DataFrame(X.astype(">f8")), y)
    assert_array_equal(tree.nodes_, DecisionTreeClassifier().fit(X, y).nodes_)


def test_one_class_is_a_leaf(rng):
    """With one class there is nothing to split."""
    X, _ = data(rng)
    tree = DecisionTreeClassifier().fit(X, np.full(len(X), "only"))
    assert tree.get_n_leaves() == 1
    assert set(tree.predict(X)) == {"only"}
    assert_array_equal(tree.predict_proba(X), 1)


def test_one_sample_is_enough(rng):
    """A tree of a single sample predicts its class."""
    assert DecisionTreeClassifier().fit([[1.0]], ["a"]).predict([[2.0]]) == ["a"]


def test_names_of_columns_are_kept_and_checked(rng):
    """A data frame gives feature_names_in_; another order of columns is refused."""
    pd = pytest.importorskip("pandas")
    X, y = data(rng)
    frame = pd.DataFrame(X, columns=list("abcde"))
    tree = DecisionTreeClassifier().fit(frame, y)
    assert_array_equal(tree.feature_names_in_, list("abcde"))
    assert_array_equal(tree.predict(frame), y)
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(frame[list("bacde")])


def test_infinite_values_are_refused(rng):
    """Infinity has no midpoint."""
    X, y = data(rng)
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        DecisionTreeClassifier().fit(X, y)


@pytest.mark.filterwarnings("error")
def test_numbers_whose_sum_is_infinite_are_no_reason_to_warn():
    """Half of the samples near each end of what a double holds; integers and longer numbers beyond it are refused."""
    X = np.array([[1.7e308], [1.7e308], [-1.7e308], [-1.7e308]])
    tree = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    assert tree.predict(X).tolist() == [0, 0, 1, 1] and tree.thresholds_[0] == 0
    for beyond in ([[10**400], [1]], np.array([[np.longdouble("1e4000")], [1]])):
        with pytest.raises(ValueError, match="^(X and y must hold numbers that fit into float64|Input X contains inf)"):
            DecisionTreeClassifier().fit(beyond, [0, 1])
        with pytest.raises(ValueError, match="^(X and y must hold numbers that fit into float64|Input X contains inf)"):
            tree.predict(beyond)


@pytest.mark.parametrize("labels", [np.array(["a", 1], dtype=object), np.array([b"a", b"b"]),
                                    np.array([b"a", b"b"], dtype=object)], ids=repr)
def test_labels_that_cannot_be_sorted_are_refused(labels):
    """Of several types, or bytes."""
    with pytest.raises(TypeError, match="^y must hold class labels that can be sorted(: |, not bytes: pass )"):
        DecisionTreeClassifier().fit([[0.0], [1.0]], labels)


def test_any_large_depth_means_no_limit(rng):
    """A depth beyond 32 bits is as good as none."""
    X, y = data(rng)
    assert_array_equal(DecisionTreeClassifier(max_depth=10**12).fit(X, y).thresholds_,
                       DecisionTreeClassifier().fit(X, y).thresholds_)
