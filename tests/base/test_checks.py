"""Checks: sparse data that are not sound never reach code that trusts them; labels are what scikit-learn takes."""

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets

from moeliga.base.checks import check_labels, check_returned, check_sparse

FORMATS = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
DENSE = np.arange(48.0).reshape(8, 6) * (np.arange(48).reshape(8, 6) % 3 == 0)


def sound(form, kind=sp.csr_array):
    return kind(DENSE).asformat(form) if form != "bsr" else kind(DENSE).tobsr(blocksize=(2, 3))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_sound_data_pass(form, kind):
    """Unsorted, with cells in parts, empty, with wide indices, too; nothing is changed."""
    X = sound(form, kind)
    assert check_sparse("X", X) is X and check_sparse("X", DENSE) is DENSE
    assert (X.toarray() == DENSE).all()
    check_sparse("X", kind((0, 4)).asformat(form))
    check_sparse("X", kind((3, 4)).asformat(form))
    parts = sp.csr_array((np.ones(4), np.array([5, 0, 0, 3]), np.array([0, 3, 4])), shape=(2, 6))
    parts.indices, parts.indptr = parts.indices.astype(np.int64), parts.indptr.astype(np.int64)
    assert check_sparse("X", parts) is parts and parts.indices.tolist() == [5, 0, 0, 3]


def put(name, place, value):
    def change(X):
        array = getattr(X, name)
        array[place] = value
        setattr(X, name, array)

    return change


def cut(name):
    return lambda X: setattr(X, name, getattr(X, name)[:-1])


POINTERS = [put("indptr", 0, 1), put("indptr", -1, 3), put("indptr", -1, 10**6), put("indptr", 2, 10**6),
            put("indptr", 2, -1), cut("indptr"), lambda X: setattr(X, "indptr", X.indptr + 0.5)]
INDICES = [put("indices", 1, 10**8), put("indices", 1, -1), cut("indices"), cut("data"),
           lambda X: setattr(X, "indices", X.indices * 1.0), lambda X: setattr(X, "indices", X.indices[:, None])]


@pytest.mark.parametrize("form", ["bsr", "csc", "csr"])
@pytest.mark.parametrize("change", POINTERS + INDICES)
def test_compressed_data_that_are_not_sound(form, change):
    X = sound(form)
    change(X)
    match = r"^X\.(indptr must be \d+ integers that ascend from 0 to \d+|indices must hold \d+ integers in \[)"
    with pytest.raises(ValueError, match=match):
        check_sparse("X", X)


@pytest.mark.parametrize(("form", "end"), [("csr", 6), ("csc", 8), ("bsr", 2)])
def test_the_first_index_that_there_is_not_is_refused(form, end):
    """Columns of 8 rows and 6 columns, rows of them, and blocks of 2 rows and 3 columns."""
    X = sound(form)
    put("indices", 1, end)(X)
    with pytest.raises(ValueError, match=rf"^X\.indices must hold \d+ integers in \[0, {end}\), got "):
        check_sparse("X", X)


@pytest.mark.parametrize("value", [np.timedelta64(3, "s"), np.datetime64("2020"), np.complex128(1), "1", b"1", [1.0]],
                         ids=repr)
def test_what_a_function_returns_is_a_number(value):
    """NumPy would make one of a complex number, and Python of text."""
    assert type(check_returned("scoring", np.float32(0.5))) is float
    with pytest.raises(TypeError, match=r"^scoring must return a number, got "):
        check_returned("scoring", value)


@pytest.mark.parametrize("change", [
    lambda X: X.row.__setitem__(0, 8), lambda X: X.col.__setitem__(0, 6), lambda X: X.col.__setitem__(0, -1),
    cut("data")])
def test_coordinates_that_are_not_sound(change):
    X = sound("coo")
    change(X)
    with pytest.raises(ValueError, match=r"^X\.(row|col) must hold \d+ integers in \["):
        check_sparse("X", X)


@pytest.mark.parametrize("change", [
    lambda X: X.rows[2].__setitem__(0, 6), lambda X: X.rows[2].__setitem__(0, -1), lambda X: X.rows[2].append(1),
    lambda X: X.data[3].append(1.0), cut("rows")])
def test_lists_that_are_not_sound(change):
    X = sound("lil")
    change(X)
    with pytest.raises(ValueError, match=r"^X(\.(rows|indptr) must | must be .*: rows and data differ in length$)"):
        check_sparse("X", X)


def test_vectors_are_refused():
    with pytest.raises(ValueError, match=r"^X must have two dimensions, got shape \(6,\)"):
        check_sparse("X", sp.coo_array(np.arange(6.0)))


def told(check, y):
    """Return (the error of a check as text, or None; its warnings)."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            check(y)
        except ValueError as error:
            return str(error).removeprefix("y must hold class labels: "), [str(warning.message) for warning in found]
    return None, [str(warning.message) for warning in found]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float32, np.float64, str])
@pytest.mark.parametrize(("n", "n_classes"), [(1, 1), (20, 20), (21, 10), (21, 11), (40, 20), (40, 21), (300, 3)])
def test_labels_are_those_that_scikit_learn_takes(dtype, n, n_classes):
    """We give scikit-learn's errors and its warnings of many classes, for integers too."""
    y = np.random.default_rng(0).permutation(np.arange(n) % n_classes).astype(dtype)
    assert told(check_labels, y) == told(check_classification_targets, y)
    if told(check_labels, y)[0] is None:
        for found, wanted in zip(check_labels(y), np.unique(y, return_inverse=True), strict=True):
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("labels", [[0, 1, 0], [True, False], [None, "a"], [1.5, "a"]], ids=str)
def test_objects_are_no_labels_unless_they_are_text(labels):
    """scikit-learn refuses other objects, too, but its message does not name the reason."""
    y = np.empty(len(labels), dtype=object)
    y[:] = labels
    with pytest.raises(ValueError, match="Unknown label type: unknown"):
        check_classification_targets(y)
    with pytest.raises(ValueError, match=f"^y must hold class labels: .* such as {re.escape(repr(labels[0]))}$"):
        check_labels(y)
    assert check_labels(y.astype(str))[0].tolist() == sorted(set(map(str, labels)))
    assert check_labels(np.array(["a", "b"], dtype=object))[0].tolist() == ["a", "b"]


def test_targets_are_no_labels():
    with pytest.raises(ValueError, match="^y must hold class labels: Unknown label type: continuous"):
        check_labels(np.array([0.5, 1.0, 2.0]))
