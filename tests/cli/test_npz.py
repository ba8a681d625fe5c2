"""Reading NPZ archives: their content, and every error."""

import itertools
import re
from functools import partial

import commands
import numpy as np
import pytest
from archives import array_bytes, zipped
from scipy import sparse

from moeliga.cli.files import read_table


def write(folder, content):
    path = folder / "data.npz"
    path.write_bytes(content)
    return path


def save(folder, **arrays):
    path = folder / "data.npz"
    np.savez(path, **arrays)
    return path


refusal = partial(commands.refusal, target=None)
X = np.arange(6.0).reshape(3, 2)
y = np.array([0, 1, 1])


def test_npz_gives_x_y_and_names(tmp_path):
    table = read_table(save(tmp_path, X=X.astype(np.float32), y=y))
    assert table.X.dtype == np.float32
    np.testing.assert_array_equal(table.X, X)
    assert table.y.tolist() == [0, 1, 1]
    assert table.feature_names.tolist() == ["x0", "x1"]


def test_npz_of_a_split_gives_the_training_part(tmp_path):
    path = save(tmp_path, X_train=X.astype(int), y_train=y, X_test=X[:1], y_test=y[:1], classes=np.array(["no", "yes"]),
                feature_names=np.array(["a", "b"]), other=y[::-1])
    table = read_table(path)
    assert (table.X.tolist(), table.y.tolist()) == (X.tolist(), ["no", "yes", "yes"])
    table = read_table(path, "other", drop=["a"])
    assert (table.X.tolist(), table.y.tolist()) == (X[:, 1:].tolist(), [1, 1, 0])
    assert table.feature_names.tolist() == ["b"]


@pytest.mark.parametrize("dtype", ["<U3", ">U3", "<i8", ">i8", ">f4", "?"])
def test_npz_may_be_of_either_byte_order(tmp_path, dtype):
    table = read_table(save(tmp_path, X=X.astype(">f8"), y=y.astype(dtype), feature_names=np.array(["a", "ß"], ">U1")))
    assert table.y.tolist() == y.astype(dtype).tolist()
    assert table.X.tolist() == X.tolist() and table.feature_names.tolist() == ["a", "ß"]


def test_npz_may_have_missing_values(tmp_path):
    values = np.where(X == 3, np.nan, X)
    np.testing.assert_array_equal(read_table(save(tmp_path, X=values, y=y, feature_names=np.array([]))).X, values)


@pytest.mark.parametrize("arrays, options, message", [
    ({"A": X, "y": y}, {}, "data.npz: no array X or X_train; there are 2 arrays: A, y"),
    ({"X": X, "y_train": y}, {}, "data.npz: no array y; there are 2 arrays: X, y_train"),
    ({"X": X, "y": y}, {"target": "z"}, "data.npz: no array z; there are 2 arrays: X, y"),
    ({"X": X[0], "y": y}, {}, "data.npz: X must be a table of numbers, got float64 of shape (2,)"),
    ({"X": X[:, :0], "y": y}, {}, "data.npz: X must be a table of numbers, got float64 of shape (3, 0)"),
    ({"X": X.astype(str), "y": y}, {}, "data.npz: X must be a table of numbers, got <U32 of shape (3, 2)"),
    ({"X": X, "y": y[:, None]}, {}, "data.npz: y must have the shape (3,), one label a row, got (3, 1)"),
    ({"X": X, "y": y[:2]}, {}, "data.npz: y must have the shape (3,), one label a row, got (2,)"),
    ({"X": X, "y": np.array([0, np.nan, 1])}, {}, "data.npz: y is missing (NaN) in row 1"),
    ({"X": X, "y": y, "classes": np.array(["a"])}, {},
     "data.npz: y must hold indices of classes, integers from 0 to 0"),
    ({"X": X, "y": y - 1, "classes": np.array(["a", "b"])}, {},
     "data.npz: y must hold indices of classes, integers from 0 to 1"),
    ({"X": X, "y": y, "feature_names": np.array(["a"])}, {},
     "data.npz: feature_names must have the shape (2,), a name for each column of X, got (1,)"),
    ({"X": X, "y": y, "feature_names": np.array(["a", "a"])}, {}, "data.npz: two columns are called 'a'"),
    ({"X": X, "y": y}, {"drop": ["b"]}, "data.npz: no feature to drop is called 'b'; there are 2 columns: x0, x1"),
    ({"X": X, "y": y}, {"drop": ["x0", "x1"]}, "data.npz: no features, all are dropped"),
    ({"X": np.where(X == 3, np.inf, X), "y": y}, {},
     "data.npz: features must be finite numbers, but 1 column is not: 'x1' (inf in row 1); encode as numbers, or leave "
     "out with --drop x1"),
    ({"X": X, "y": y}, {"separator": ";"}, "data.npz: a separator is for CSV files only, got ';'"),
])
def test_npz_refusals(tmp_path, arrays, options, message):
    assert refusal(save(tmp_path, **arrays), **options) == message


def test_npz_never_unpickles(tmp_path):
    """Columns of pandas are objects: the message names the array and what to save; unused arrays may be objects."""
    texts, numbers = np.array(["a", "b", "b"], dtype=object), X.astype(object)
    for arrays, options, name, kind in (
            ({"X": X, "y": texts}, {}, "y", "str"), ({"X_train": numbers, "y_train": y}, {}, "X_train", "float"),
            ({"X": X, "y": y, "feature_names": texts[:2]}, {}, "feature_names", "str"),
            ({"X": X, "y": y, "g": texts}, {"metadata": {"groups": "g"}}, "g", "str")):
        assert refusal(save(tmp_path, **arrays), **options) == (
            f"data.npz: {name} must hold text, numbers or booleans, got Python objects, which only pickle could load; "
            f"save {name}.astype({kind})")
    assert read_table(save(tmp_path, X=X, y=texts.astype(str), other=texts)).y.tolist() == ["a", "b", "b"]


def test_files_that_are_no_archives(tmp_path):
    np.save(tmp_path / "array.npy", X)
    for content in ((tmp_path / "array.npy").read_bytes(), b"a,y\n1,2\n", b""):
        assert refusal(write(tmp_path, content)) == "data.npz: not an NPZ archive"


def test_a_damaged_archive(tmp_path):
    path = save(tmp_path, X=X, y=y)
    data = bytearray(path.read_bytes())
    data[150] ^= 0xFF  # in the values of X
    assert re.match("data.npz: Bad CRC-32", refusal(write(tmp_path, bytes(data))))


def marked(content, offset, value):
    """An archive in which the headers of entries have another byte at a place, the central directory's two later."""
    data = bytearray(content)
    for signature, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        place = data.find(signature)
        while place >= 0:
            data[place + offset + shift] = value
            place = data.find(signature, place + 4)
    return bytes(data)


WHOLE = zipped(X=array_bytes(X), y=array_bytes(y))


@pytest.mark.parametrize("content, message", [
    (marked(WHOLE, 6, 1), "File 'X.npy' is encrypted, password required for extraction"),
    (marked(WHOLE, 8, 99), "That compression method is not supported"),
    (marked(WHOLE, 8, 14), ""),  # says LZMA
    (marked(WHOLE, 8, 12), ""),  # says bzip2
    (zipped(X=b"", y=b""), "X is no array"),
    (zipped(X=array_bytes(X)[:9], y=array_bytes(y)), ""),
    (zipped(X=b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 9" + 15 * b"9"
             + b"), }" + 60 * b" " + b"\n", y=array_bytes(y)), ""),
    (zipped(X=array_bytes(X), y=array_bytes(np.array([b"a", b"b", b"a"]))),
     "y must hold text, numbers or booleans, got |S1"),
    (zipped(X=array_bytes(X), y=array_bytes(y * 1j)), "y must hold text, numbers or booleans, got complex128"),
    (zipped(X=array_bytes(X), y=array_bytes(y.astype("M8[D]"))),
     "y must hold text, numbers or booleans, got datetime64"),
    (zipped(X=array_bytes(X), y=array_bytes(np.array(["a", "b", "c"])).replace(b"c\0\0\0", b"\xff\xff\xff\xff")),
     "y must hold text, got characters beyond U+10FFFF"),
    (zipped(X=array_bytes(X), y=array_bytes(y), feature_names=array_bytes(np.array([b"a", b"\xff"]))),
     "feature_names must hold text, numbers or booleans, got |S1"),
    (zipped(X=array_bytes(X), y=array_bytes(y), feature_names=array_bytes(np.array(["a", "\ud800"]))),
     "the name of a column must be text that UTF-8 can hold, without null characters, got '\\ud800'"),
    (zipped(X=array_bytes(np.full((3, 2), np.longdouble("1e4000"))), y=array_bytes(y)),
     "features must be finite numbers, but 2 columns are not: 'x0' (inf in row 0), 'x1' (inf in row 0); "),
], ids=itertools.count())
@pytest.mark.filterwarnings("error")
def test_archives_that_say_strange_things(tmp_path, content, message):
    """The error names the file, whatever the archive says."""
    assert refusal(write(tmp_path, content)).startswith(f"data.npz: {message}")


def test_arrays_of_metadata_that_cannot_be(tmp_path):
    path = save(tmp_path, X=X, y=y, g=[1, 2], w=[1, np.nan, 1])
    assert refusal(path, metadata={"groups": "h"}) == "data.npz: no array h; there are 4 arrays: X, g, w, y"
    assert refusal(path, metadata={"groups": "g"}) == (
        "data.npz: g must have the shape (3,), one of the groups a row, got (2,)")
    assert refusal(path, metadata={"sample_weight": "w"}) == "data.npz: w is missing (NaN) in row 1"
    assert refusal(path, metadata={"groups": "y"}) == "data.npz: 'y' must not be both the target and the groups"


def test_npz_of_sparse_data_is_refused(tmp_path):
    """Arrays as scipy saves them are not read, whatever their indices say."""
    given = sparse.csr_matrix(X)
    given.indices[0] = 10**8
    sparse.save_npz(tmp_path / "data.npz", given)
    assert refusal(tmp_path / "data.npz") == (
        "data.npz: no array X or X_train; there are 5 arrays: data, format, indices, indptr, shape")
