"""What holds for both trees: they are estimators of scikit-learn that take any numbers, and never depend on chance."""

import pickle
import re

import numpy as np
import pytest
import sklearn.tree
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import moeliga.tree
from moeliga import DecisionTreeClassifier, DecisionTreeRegressor

KINDS = (DecisionTreeClassifier, DecisionTreeRegressor)


@parametrize_with_checks([kind(**limits) for kind in KINDS for limits in ({}, {"max_depth": 2, "min_samples_leaf": 3})])
def test_keeps_every_contract_of_scikit_learn(estimator, check):
    """scikit-learn's own checks hold, all of them."""
    check(estimator)


def data(rng, n_samples=60, n_features=5):
    """Continuous data without ties, and whole numbers that the first feature tells something of."""
    y = rng.permutation(np.arange(n_samples) % 3)
    X = rng.normal(size=(n_samples, n_features))
    X[:, 0] += y
    return X, y


def assert_same_tree(one, other):
    for name in ("nodes_", "thresholds_", "counts_"):
        assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("kind", KINDS)
def test_layout_and_dtype_of_x_change_nothing(rng, kind):
    """C, Fortran, read-only, strided and float32 data give the same tree."""
    X, y = data(rng)
    X = X.astype(np.float32).astype(np.float64)
    ref = kind().fit(X, y)
    frozen = X.copy()
    frozen.flags.writeable = False
    for variant in (np.asfortranarray(X), frozen, np.repeat(X, 2, axis=1)[:, ::2], X.astype(np.float32), X.tolist()):
        got = kind().fit(variant, y)
        assert_same_tree(got, ref)
        assert_array_equal(got.predict(variant), y)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_are_learned_from(rng, kind):
    """Where the value is missing for one target only, missing itself tells it."""
    X, _ = data(rng)
    y = np.repeat([1, 7], 30)
    X[30:, 0] = np.nan
    tree = kind(max_depth=1).fit(X[:, :1], y)
    assert_array_equal(tree.predict(X[:, :1]), y)
    assert tree.predict([[np.nan]]) == [7]


@pytest.mark.parametrize("kind", KINDS)
def test_clone_and_pickle(rng, kind):
    """A clone has the same parameters and is unfitted; a pickle predicts the same."""
    X, y = data(rng)
    tree = kind(max_depth=3, min_samples_leaf=2, n_jobs=2).fit(X, y)
    copy = clone(tree)
    assert copy.get_params() == tree.get_params()
    assert not hasattr(copy, "nodes_")
    assert_array_equal(pickle.loads(pickle.dumps(tree)).predict(X), tree.predict(X))


@pytest.mark.quick(2)
@pytest.mark.parametrize("n_jobs", [None, 2, -1])
@pytest.mark.parametrize(("kind", "n_samples"), [(DecisionTreeClassifier, 90_000), (DecisionTreeRegressor, 30_000)])
def test_the_tree_does_not_depend_on_n_jobs(rng, kind, n_samples, n_jobs):
    """Nor on chance, for None: data large enough for threads to share, the same nodes and the same leaves."""
    X, y = data(rng, n_samples)
    X[rng.random(X.shape) < 0.01] = np.nan
    ref, got = kind().fit(X, y), kind(n_jobs=n_jobs).fit(X, y)
    assert_same_tree(got, ref)
    assert_array_equal(got.apply(X), ref.apply(X))
    assert_array_equal(got.predict(X), ref.predict(X))


@pytest.mark.parametrize("kind", KINDS)
def test_works_in_cross_validation(rng, kind):
    """cross_val_score finds the feature that tells the target."""
    X, y = data(rng)
    X[:, 1] = y = y > 1
    assert_array_equal(cross_val_score(kind(), X, y, cv=3), 1)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_data_make_the_same_tree(rng, monkeypatch, kind, form):
    """Grown and applied: as on the dense array, in one block of rows or in many."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.5] = 0.0
    X[rng.random(X.shape) < 0.1] = np.nan
    ref, got = kind().fit(X, y), kind().fit(form(X), y)
    assert_same_tree(got, ref)
    leaves = ref.apply(X)
    for block in (1 << 25, 200, 1):
        monkeypatch.setattr(moeliga.tree, "BLOCK_BYTES", block)
        assert_array_equal(got.apply(form(X)), leaves)
        assert_array_equal(ref.apply(X), leaves)


TWINS = {DecisionTreeClassifier: sklearn.tree.DecisionTreeClassifier,
         DecisionTreeRegressor: sklearn.tree.DecisionTreeRegressor}


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_importances_are_those_of_scikit_learn(rng, kind, depth):
    """Of the same tree, whatever the target's scale; a tree without a split has none."""
    X, y = data(rng, 150)
    X = X.astype(np.float32).astype(np.float64)  # scikit-learn's trees take float32
    y = y + rng.normal(size=150) if kind is DecisionTreeRegressor else y
    limits = {"max_depth": depth, "min_samples_leaf": 20}  # ends that are cut off would be ties
    tree, theirs = (one(**limits, **seed).fit(X, y) for one, seed in ((kind, {}), (TWINS[kind], {"random_state": 0})))
    assert set(tree.thresholds_[tree.nodes_["feature"] >= 0]) == set(theirs.tree_.threshold[theirs.tree_.feature >= 0])
    assert_allclose(tree.feature_importances_, theirs.feature_importances_, rtol=1e-12)
    for scale in (1e-200, 1e300) if kind is DecisionTreeRegressor else ():
        other = kind(**limits).fit(X, y * scale)
        assert_allclose(other.feature_importances_, tree.feature_importances_, rtol=1e-9)
    assert not kind().fit(X, np.zeros(150)).feature_importances_.any()


@pytest.mark.parametrize("kind", KINDS)
def test_what_no_node_has_seen_goes_where_scikit_learn_sends_it(kind):
    """To the side with more samples, of equal ones to the right."""
    for y in ([0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1]):
        X = np.arange(4.0)[:, None]
        ours, theirs = (tree(max_depth=1).fit(X, y).predict([[np.nan]]) for tree in (kind, TWINS[kind]))
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("kind", "method"), [
    *((kind, method) for kind in KINDS for method in ("predict", "apply")), (DecisionTreeClassifier, "predict_proba")])
def test_predicts_nothing_before_fit(kind, method):
    """An unfitted tree says so."""
    with pytest.raises(NotFittedError):
        getattr(kind(), method)([[1.0]])


@pytest.mark.parametrize("method", ["get_depth", "get_n_leaves"])
def test_has_no_shape_before_fit(method):
    """An unfitted tree has no depth and no leaves."""
    with pytest.raises(NotFittedError):
        getattr(DecisionTreeClassifier(), method)()


def test_has_no_importances_before_fit():
    """scikit-learn's selectors ask whether there are some."""
    with pytest.raises(NotFittedError):
        _ = DecisionTreeClassifier().feature_importances_
    assert not hasattr(DecisionTreeRegressor(), "feature_importances_")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("parameters", "error", "message"), [
    ({"max_depth": -1}, ValueError, "max_depth must be >= 0, got -1"),
    ({"max_depth": 2.0}, TypeError, "max_depth must be an integer, got 2.0"),
    ({"max_depth": "deep"}, TypeError, "max_depth must be an integer, got 'deep'"),
    ({"max_depth": True}, TypeError, "max_depth must be an integer, got True"),
    ({"min_samples_split": 1}, ValueError, "min_samples_split must be in [2, 2147483647], got 1"),
    ({"min_samples_split": 0.1}, TypeError, "min_samples_split must be an integer, got 0.1"),
    ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf must be in [1, 2147483647], got 0"),
    ({"min_samples_leaf": 2**31}, ValueError, "min_samples_leaf must be in [1, 2147483647], got 2147483648"),
    ({"min_samples_leaf": None}, TypeError, "min_samples_leaf must be an integer, got None"),
    ({"n_jobs": 0}, ValueError, "n_jobs must be None or an integer other than 0, got 0"),
    ({"n_jobs": np.array([1, 2])}, ValueError, "n_jobs must be None or an integer other than 0, got array([1, 2])"),
    ({"n_jobs": 1.5}, ValueError, "n_jobs must be None or an integer other than 0, got 1.5"),
    ({"n_jobs": True}, ValueError, "n_jobs must be None or an integer other than 0, got True"),
])
def test_bad_parameters_are_named(kind, parameters, error, message):
    """A message names the parameter, the rule and the value; it comes at fit, not before."""
    tree = kind(**parameters)
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        tree.fit([[0.0], [1.0]], [0, 1])
