"""The comparison that the tests of inputs rest on: it sees every change, and none where there is none."""

import os
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

from state import image, untouched

X, Y = np.arange(12.0).reshape(6, 2), np.arange(6) % 2


def scattered():
    """A sparse array with a cell in two parts, an explicit zero, and indices in falling order."""
    return sparse.csr_array((np.array([1.0, 2.0, 0.0]), np.array([1, 1, 0]), np.array([0, 3, 3])), shape=(2, 2))


@pytest.mark.parametrize(("value", "change"), [
    (np.zeros(4), lambda a: a.__setitem__(2, 1)),
    (np.zeros(4), lambda a: setattr(a.flags, "writeable", False)),
    (np.zeros(4)[::2], lambda a: a.base.__setitem__(1, 1)),
    (np.zeros(4)[::2], lambda a: setattr(a.base.flags, "writeable", False)),
    (np.zeros(1), lambda a: a.__setitem__(0, -0.0)),
    (np.array([np.nan]), lambda a: a.view(np.uint64).__iadd__(np.uint64(1))),
    (np.zeros(4), lambda a: setattr(a, "shape", (2, 2))),
    (np.array([[1], {}], dtype=object), lambda a: a[0].append(2)),
    (np.ma.masked_array([1, 2]), lambda a: a.__setitem__(0, np.ma.masked)),
    ([1, [2]], lambda a: a[1].append(3)),
    ({"a": 1}, lambda a: a.update(a=True)),
    ({"a": 1, "b": 2}, lambda a: a.update(a=a.pop("a"))),
    ({1, 2}, lambda a: a.add(3)),
    (scattered(), lambda a: a.data.__setitem__(0, 2)),
    (scattered(), lambda a: a.sort_indices()),
    (scattered(), lambda a: a.sum_duplicates()),
    (scattered(), lambda a: a.eliminate_zeros()),
    (sparse.lil_array(np.eye(2)), lambda a: a.__setitem__((0, 1), 1.0)),
    (GaussianNB(), lambda a: a.set_params(var_smoothing=1)),
    (GaussianNB(), lambda a: a.fit(X, Y)),
    (GaussianNB().fit(X, Y), lambda a: a.theta_.__setitem__((0, 0), 9)),
    (LinearRegression().fit(X, Y), lambda a: a.fit(X, Y + 1)),
    (np.random.default_rng(0), lambda a: a.random()),
    (np.random.RandomState(0), lambda a: a.rand()),
    (None, lambda a: np.random.rand()),
    (None, lambda a: os.environ.update(MOELIGA_TEST="1")),
    (None, lambda a: os.chdir("/")),
    (None, lambda a: os.umask(0o77)),
    (None, lambda a: warnings.simplefilter("ignore", BytesWarning)),
    (None, lambda a: np.seterr(under="raise")),
])
def test_changes_are_seen(monkeypatch, tmp_path, value, change):
    """Each by itself, also where an error comes after it; and nothing is seen where nothing changes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOELIGA_TEST", "0")
    umask = os.umask(0o22)
    try:
        with warnings.catch_warnings(), np.errstate():
            with untouched(value):
                pass
            with pytest.raises(AssertionError, match="has changed"), untouched(value):
                change(value)
                raise ZeroDivisionError
    finally:
        os.umask(umask)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_tables_are_compared_by_their_columns(kind):
    """Values, names and order; a table that keeps itself is not changed by what it remembers."""
    library = pytest.importorskip(kind)
    frame = library.DataFrame({"a": [1.0, 2.0], "b": [3.0, float("nan")]})
    before = image(frame)
    assert len(frame["a"]) == len(frame.columns) == 2 and image(frame) == before
    assert image(library.DataFrame({"a": [1.0, 2.0], "b": [3.0, float("nan")]})) == before
    for other in ({"a": [1.0, 2.0], "b": [3.0, 4.0]}, {"b": [3.0, float("nan")], "a": [1.0, 2.0]},
                  {"a": [1.0, 2.0], "c": [3.0, float("nan")]}, {"a": [1, 2], "b": [3.0, float("nan")]}):
        assert image(library.DataFrame(other)) != before


def test_what_contains_itself_has_an_image():
    """Lists and objects in a circle."""
    circle = [1]
    circle.append(circle)
    with untouched(circle):
        pass
    with pytest.raises(AssertionError, match="list, has changed"), untouched(circle):
        circle.append(2)
