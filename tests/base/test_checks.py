"""The check of sparse data: a format that is not sound never reaches code that trusts it."""

import numpy as np
import pytest
import scipy.sparse as sp

from moeliga.base.checks import check_sparse

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
    match = r"^X\.(indptr must ascend from 0 to \d+|indices must hold \d+ integers in \[)"
    with pytest.raises(ValueError, match=match):
        check_sparse("X", X)


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
    with pytest.raises(ValueError, match=r"^X\.(rows|indptr|indices) must "):
        check_sparse("X", X)


def test_vectors_are_refused():
    with pytest.raises(ValueError, match=r"^X must have two dimensions, got shape \(6,\)"):
        check_sparse("X", sp.coo_array(np.arange(6.0)))
