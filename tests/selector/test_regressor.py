"""DecisionTreeRegressor as a scikit-learn regressor."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeRegressor as SklearnTree

from moeliga import DecisionTreeRegressor


def data(rng, n_samples=60, n_features=5):
    """Continuous data without ties, whose first features tell a target of whole numbers."""
    X = rng.normal(size=(n_samples, n_features))
    return X, np.round(20 * (X[:, 0] + np.abs(X[:, 1])) + rng.normal(size=n_samples))


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 4])
def test_predicts_as_scikit_learn_does(rng, max_depth):
    """Where no two cuts are equally good: the same predictions of samples that neither has seen."""
    X, y = data(rng, 2000)
    X_new = rng.normal(size=(500, 5))
    ref = np.full(500, y.mean()) if max_depth == 0 else SklearnTree(max_depth=max_depth, random_state=0).fit(
        X.astype(np.float32), y).predict(X_new)
    got = DecisionTreeRegressor(max_depth=max_depth).fit(X.astype(np.float32), y).predict(X_new.astype(np.float32))
    assert_allclose(got, ref, rtol=1e-13)


def test_grows_until_it_knows_its_training_data(rng):
    """Without limits distinct rows are told apart, and whole numbers come back exactly."""
    X, y = data(rng)
    tree = DecisionTreeRegressor().fit(X, y)
    assert_array_equal(tree.predict(X), y)
    assert tree.get_n_leaves() == np.count_nonzero(tree.nodes_["feature"] < 0)


@pytest.mark.parametrize("max_depth", [0, 1, 2])
def test_is_no_deeper_than_max_depth(rng, max_depth):
    """max_depth counts levels of splits; 0 leaves a single leaf with the mean."""
    X, y = data(rng)
    tree = DecisionTreeRegressor(max_depth=max_depth).fit(X, y)
    assert tree.get_depth() == max_depth
    assert tree.get_n_leaves() <= 2**max_depth
    assert_allclose(tree.values_[0], y.mean(), rtol=1e-14)


def test_leaves_are_no_smaller_than_min_samples_leaf(rng):
    """Every leaf holds so many training samples, and every node that was split so many as asked."""
    X, y = data(rng)
    tree = DecisionTreeRegressor(min_samples_leaf=4, min_samples_split=11).fit(X, y)
    leaf = tree.nodes_["feature"] < 0
    assert tree.counts_[leaf].min() >= 4
    assert tree.counts_[~leaf].min() >= 11


def test_apply_counts_and_values_agree(rng):
    """The training samples of a leaf are those that `apply` sends there, and their mean is its value."""
    X, y = data(rng)
    tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        assert tree.counts_[leaf] == np.count_nonzero(leaves == leaf)
        assert_allclose(tree.values_[leaf], y[leaves == leaf].mean(), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, bool, object])
def test_any_numbers_do(rng, dtype):
    """Targets of any type of number."""
    X, y = data(rng)
    y = (np.abs(y) % 50).astype(dtype)
    assert_array_equal(DecisionTreeRegressor().fit(X, y).predict(X), y.astype(float))


def test_shift_and_scale_of_the_target_change_no_split(rng):
    """A power of two, or a whole number added: the same tree, and its values as changed."""
    X, y = data(rng)
    ref = DecisionTreeRegressor(min_samples_leaf=2).fit(X, y)
    for scale, shift in ((2.0**40, 0), (2.0**-40, 0), (1, 10**6), (1, -(10**6)), (-4.0, 3)):
        got = DecisionTreeRegressor(min_samples_leaf=2).fit(X, scale * y + shift)
        assert_array_equal(got.nodes_, ref.nodes_)
        assert_array_equal(got.thresholds_, ref.thresholds_)
        assert_allclose(got.values_, scale * ref.values_ + shift, rtol=1e-12, atol=1e-12 * abs(scale))


def test_one_sample_is_enough():
    """A tree of a single sample predicts its target."""
    assert DecisionTreeRegressor().fit([[1.0]], [0.1]).predict([[2.0]]) == [0.1]


@pytest.mark.parametrize("y", [[-1.7e308, 1.7e308, 0.0], [5e-324, 0.0, 1e-323], [1e-310, 1e300, -1.0]])
def test_extreme_targets_are_learned(y):
    """No overflow, no division by zero, and predictions within the range of the target."""
    with np.errstate(all="raise"):
        predicted = DecisionTreeRegressor().fit([[0.0], [1.0], [2.0]], y).predict([[0.0], [1.0], [2.0]])
    span = max(y) / 2 - min(y) / 2
    assert np.all(np.abs(predicted / 2 - np.array(y) / 2) <= span * 2.0**-50 + 5e-324)
    assert predicted.min() >= min(y) and predicted.max() <= max(y)


@pytest.mark.parametrize("y", [[0.0, np.inf], [0.0, np.nan], [0.0], [[0.0, 1.0], [1.0, 2.0]]], ids=str)
def test_a_target_is_a_finite_number_for_each_row(y):
    """In scikit-learn's words."""
    with pytest.raises(ValueError):
        DecisionTreeRegressor().fit([[0.0], [1.0]], y)


@pytest.mark.parametrize(("y", "message"), [
    (["a", "b"], "y must hold numbers for a regressor: could not convert string to float"),
    ([10**400, 1], "y must hold numbers for a regressor: int too large to convert to float"),
    (np.array([np.longdouble("1e4000"), 1]), "y must be finite, got inf"),
], ids=["text", "huge", "long"])
@pytest.mark.filterwarnings("error")
def test_a_target_holds_numbers_of_a_double(y, message):
    """In our own words where scikit-learn has none."""
    with pytest.raises(ValueError, match=f"^{message}"):
        DecisionTreeRegressor().fit([[0.0], [1.0]], y)
