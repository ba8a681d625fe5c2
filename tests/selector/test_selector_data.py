"""The data that MOELIGASelector takes: tables, names, missing values, and what is refused."""


import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from sklearn.naive_bayes import GaussianNB
from small_selectors import SMALL_LOCAL, data, small

from moeliga import (
    LocalImprovement,
)


def test_data_frames_name_the_features(rng):
    """A pandas frame gives feature names in the front and in the output; set_output gives a frame back."""
    pd = pytest.importorskip("pandas")
    X, y = data(rng)
    frame = pd.DataFrame(X, columns=[f"gene {c}" for c in "abcdefghi"])
    selector = small().set_output(transform="pandas").fit(frame, y)
    assert_array_equal(selector.feature_names_in_, frame.columns)
    names = selector.get_feature_names_out()
    assert_array_equal(names, frame.columns[selector.support_])
    assert selector.pareto_front_.features(selector.index_) == list(names)
    pd.testing.assert_frame_equal(selector.transform(frame), frame[list(names)])
    assert_same(selector, small().fit(X, y))


def test_polars_frames_too(rng):
    """A polars frame is as good as a pandas one."""
    pl = pytest.importorskip("polars")
    X, y = data(rng)
    frame = pl.DataFrame(X, schema=list("abcdefghi"))
    selector = small().set_output(transform="polars").fit(frame, y)
    assert selector.transform(frame).columns == selector.get_feature_names_out().tolist()
    assert selector.transform(frame).equals(frame[selector.get_feature_names_out().tolist()])
    assert_same(selector, small().fit(X, y))


def test_without_names_features_are_numbered(rng):
    """x0, x1, ... in the front, in get_feature_names_out, and in subsets to start from."""
    X, y = data(rng)
    selector = small(init__subsets=[["x2", "x5"]]).fit(X, y)
    assert selector.pareto_front_.features(selector.index_) == selector.get_feature_names_out().tolist()
    assert not hasattr(selector, "feature_names_in_")


@pytest.mark.parametrize("labels", [["sick", "healthy"], [7, -3], [False, True]])
def test_labels_may_be_anything(rng, labels):
    """Only the classes matter, not what they are called."""
    X, y = data(rng)
    selector = small().fit(X, np.array(labels)[y])
    assert_array_equal(selector.classes_, np.sort(labels))
    order = np.argsort(labels)  # class numbers go by sorted label
    assert_same(selector, small().fit(X, order[y] if labels[0] > labels[1] else y))


def test_layout_and_dtype_of_x_change_nothing(rng):
    """Fortran, read-only, strided, float32, integer and list data give the same result."""
    X, y = data(rng)
    X = np.round(4 * X)
    ref = small().fit(X, y)
    frozen = X.copy()
    frozen.flags.writeable = False
    for variant in (np.asfortranarray(X), frozen, np.repeat(X, 2, axis=0)[::2], X.astype(np.float32),
                    X.astype(np.int16), X.tolist()):
        got = small().fit(variant, y)
        assert_same(got, ref)
        assert_array_equal(got.transform(variant), X[:, ref.support_])


def test_missing_values_are_fine_for_the_tree(rng):
    """NaN passes through to the compiled tree, and through transform."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    selector = small().fit(X, y)
    assert_array_equal(selector.transform(X), X[:, selector.support_])


def test_missing_values_are_refused_where_the_estimator_refuses_them(rng):
    """GaussianNB takes no NaN, so neither does the selector."""
    X, y = data(rng)
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        small(GaussianNB()).fit(X, y)


@pytest.mark.quick(2)
@pytest.mark.parametrize("replacement", ["parent", "complete", "selection"])
@pytest.mark.parametrize("estimator", [None, GaussianNB()])
def test_one_feature_has_one_subset(rng, estimator, replacement):
    """F = 1 is valid: the front is the one subset there is."""
    X, y = data(rng)
    selector = small(estimator, local_improvement=LocalImprovement(**SMALL_LOCAL, replacement=replacement))
    selector.fit(X[:, 2:3], y)
    assert selector.pareto_front_.supports.tolist() == [[True]]
    assert_array_equal(selector.transform(X[:, 2:3]), X[:, 2:3])


def test_a_class_of_one_sample_is_only_trained_on(rng):
    """It is in no validation part: the UAR is that of the other classes, which a perfect feature tells apart."""
    X, y = data(rng)
    y[0] = 2
    X[:, 0] = y
    selector = small(init__subsets=[[0]]).fit(X, y)
    assert_array_equal(selector.classes_, [0, 1, 2])
    assert selector.pareto_front_.score.max() == 1
    assert selector.support_.tolist() == [True] + 8 * [False]


def test_two_samples_of_one_class_and_one_of_another_are_the_least(rng):
    """The smallest data there is: one split, one validation sample."""
    selector = small().fit([[0.0, 1.0], [1.0, 1.0], [5.0, 2.0]], ["a", "a", "b"])
    assert selector.pareto_front_.score.max() <= 1
