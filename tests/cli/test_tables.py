"""Reading CSV and NPZ files. Every error names the file, the place and the value."""

import io
import re
import zipfile

import numpy as np
import pytest

from moeliga.cli.tables import read_table


def write(folder, text, name="data.csv"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refusal(path, target="y", **options):
    """The message of the refusal, without the folder of the test."""
    with pytest.raises(ValueError) as caught:
        read_table(path, target, **options)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_csv_gives_numbers_labels_and_names(tmp_path):
    table = read_table(write(tmp_path, "a,y,b\n1,cat,-2.5\n3e2,dog, 4 \n"), "y")
    np.testing.assert_array_equal(table.X, [[1, -2.5], [300, 4]])
    assert table.X.dtype == np.float64
    assert table.y.tolist() == ["cat", "dog"]
    assert table.feature_names.tolist() == ["a", "b"]


def test_missing_values_become_nan(tmp_path):
    table = read_table(write(tmp_path, "a,b,y\n,NA,1\n NaN ,?,2\nna,5,3\n"), "y")
    np.testing.assert_array_equal(table.X, [[np.nan, np.nan], [np.nan, np.nan], [np.nan, 5]])


def test_quotes_byte_order_mark_blank_lines_and_windows_line_ends(tmp_path):
    text = b'\xef\xbb\xbf"length, mm",y,"say ""b"""\r\n\r\n"1","x\r\nz","2"\r\n3,w,4\r\n\r\n'
    table = read_table(write(tmp_path, text), "y")
    assert table.feature_names.tolist() == ["length, mm", 'say "b"']
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert table.y.tolist() == ["x\r\nz", "w"]


def test_separators(tmp_path):
    for name, text, separator in (("a.csv", "a;y\n1;2\n3;4\n", ";"), ("a.tsv", "a\ty\n1\t2\n3\t4\n", None),
                                  ("a.TXT", "a,y\n1,2\n3,4\n", None), ("a.txt", "a y\n1 2\n3 4\n", " ")):
        table = read_table(write(tmp_path, text, name), "y", separator=separator)
        assert (table.X.tolist(), table.y.tolist()) == ([[1.0], [3.0]], [2, 4])


@pytest.mark.parametrize("labels, kind, values", [
    (["0", "1", "10"], "i", [0, 1, 10]),
    (["0.5", "2", "1e1"], "f", [0.5, 2.0, 10.0]),
    (["1", "01", "2"], "U", ["1", "01", "2"]),  # different texts stay different classes
    (["1", "one", "1"], "U", ["1", "one", "1"]),
    (["1_0", "2_0"], "U", ["1_0", "2_0"]),
    (["inf", "1"], "U", ["inf", "1"]),
])
def test_labels_are_numbers_where_all_of_them_are(tmp_path, labels, kind, values):
    table = read_table(write(tmp_path, "a,y\n" + "".join(f"1,{label}\n" for label in labels)), "y")
    assert table.y.dtype.kind == kind
    assert table.y.tolist() == values


def test_dropped_columns_may_hold_anything(tmp_path):
    path = write(tmp_path, ",id,a,y\n0,p_1,1,x\n1,p_2,2,z\n")
    table = read_table(path, "y", drop=["", "id"])
    assert table.feature_names.tolist() == ["a"]
    assert table.X.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("text, message", [
    ("", "data.csv: the file is empty; its first line must name the columns"),
    ("\n\n", "data.csv: the file is empty; its first line must name the columns"),
    ("a,y\n", "data.csv: no rows below the names of the columns"),
    ("y\n1\n", "data.csv: no features, only the target 'y'"),
    ("a,b,a,y\n", "data.csv: two columns are called 'a'"),
    (",a,y\n0,1,2\n", "data.csv: column 1 has no name; name it, or leave it out with --drop ''"),
    ('"a\nb",y\n', "data.csv: the name of a column must be one line, got 'a\\nb'"),
    ("a;y\n1;2\n", "data.csv: no column 'y'; there is 1 column: a;y; with another --separator there may be more"),
    ("a,b\n1,2\n", "data.csv: no column 'y'; there are 2 columns: a, b"),
    (",".join(f"c{i}" for i in range(20)), "data.csv: no column 'y'; there are 20 columns: c0, c1, c2, c3, c4, c5, c6, "
     "c7, ..."),
    ("a,y\n1,2\n1\n", "data.csv, line 3: 1 value, but the header names 2"),
    ("a\0,a,y\n1,2,3\n",
     "data.csv: the name of a column must be text that UTF-8 can hold, without null characters, got "
     "'a\\x00'"),
    ("a,y\n1,b\n2,b\0\n", "data.csv, line 3: the target 'y' must hold no null character, got 'b\\x00'"),
    ("a,y\n1,2,3\n", "data.csv, line 2: 3 values, but the header names 2"),
    ("a,y\n1,\n", "data.csv, line 2: the target 'y' is missing, got ''"),
    ("a,y\n1,2\n2, NA\n", "data.csv, line 3: the target 'y' is missing, got ' NA'"),
    ("a,b,y\n1,2,0\n3,red,1\n4,blue,1\n", "data.csv, line 3: column 'b' must hold finite numbers, got 'red' (encode "
     "it as numbers, or leave the column out with --drop)"),
    ("a,y\n1_000,1\n", "data.csv, line 2: column 'a' must hold finite numbers, got '1_000' (encode it as numbers, or "
     "leave the column out with --drop)"),
    ("a,y\n-inf,1\n", "data.csv, line 2: column 'a' must hold finite numbers, got '-inf' (encode it as numbers, or "
     "leave the column out with --drop)"),
    (b"a,y\n\xe9,1\n", "data.csv: not UTF-8 text, found the byte 0xe9"),
    ('a,y\n"1,2\n', "data.csv, line 2: unexpected end of data"),
])
def test_csv_refusals(tmp_path, text, message):
    assert refusal(write(tmp_path, text)) == message


@pytest.mark.parametrize("options, message", [
    ({"target": None}, "data.csv: name the column of the class labels (--target); there are 3 columns: a, b, y"),
    ({"drop": ["y"]}, "data.csv: the target 'y' must not be dropped"),
    ({"drop": ["a", "b"]}, "data.csv: no features, only the target 'y'"),
    ({"drop": ["c"]}, "data.csv: no column to drop is called 'c'; there are 3 columns: a, b, y"),
    ({"separator": "::"}, "the separator must be one character, and no quote or line end, got '::'"),
    ({"separator": '"'}, "the separator must be one character, and no quote or line end, got '\"'"),
])
def test_csv_refuses_wrong_options(tmp_path, options, message):
    assert refusal(write(tmp_path, "a,b,y\n1,2,3\n"), **{"target": "y", **options}) == message


def test_unknown_endings_and_absent_files(tmp_path):
    assert refusal(tmp_path / "data.xlsx") == (
        "data.xlsx: the name must end in .csv, .tsv, .txt, .npz, .arff or .parquet")
    for name in ("absent.csv", "absent.npz", "absent.arff", "absent.parquet"):
        with pytest.raises(FileNotFoundError):
            read_table(tmp_path / name, "y")


def save(folder, **arrays):
    path = folder / "data.npz"
    np.savez(path, **arrays)
    return path


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
     "data.npz: y must hold places in classes, integers from 0 to 0"),
    ({"X": X, "y": y - 1, "classes": np.array(["a", "b"])}, {},
     "data.npz: y must hold places in classes, integers from 0 to 1"),
    ({"X": X, "y": y, "feature_names": np.array(["a"])}, {},
     "data.npz: feature_names must have the shape (2,), a name for each column of X, got (1,)"),
    ({"X": X, "y": y, "feature_names": np.array(["a", "a"])}, {}, "data.npz: two columns are called 'a'"),
    ({"X": X, "y": y}, {"drop": ["b"]}, "data.npz: no feature to drop is called 'b'; there are 2 columns: x0, x1"),
    ({"X": X, "y": y}, {"drop": ["x0", "x1"]}, "data.npz: no features, all are dropped"),
    ({"X": np.where(X == 3, np.inf, X), "y": y}, {}, "data.npz: X must be finite, got inf in row 1, feature 'x1'"),
    ({"X": X, "y": y}, {"separator": ";"}, "data.npz: a separator is for CSV files only, got ';'"),
])
def test_npz_refusals(tmp_path, arrays, options, message):
    assert refusal(save(tmp_path, **arrays), **{"target": None, **options}) == message


def test_npz_never_unpickles(tmp_path):
    path = save(tmp_path, X=np.array([[{}]]), y=np.array([0]))
    assert refusal(path, None) == "data.npz: Object arrays cannot be loaded when allow_pickle=False"


def test_files_that_are_no_archives(tmp_path):
    np.save(tmp_path / "array.npy", X)
    for content in ((tmp_path / "array.npy").read_bytes(), b"a,y\n1,2\n", b""):
        assert refusal(write(tmp_path, content, "data.npz"), None) == "data.npz: not an NPZ archive"


def test_a_damaged_archive(tmp_path):
    path = save(tmp_path, X=X, y=y)
    data = bytearray(path.read_bytes())
    data[150] ^= 0xFF  # in the values of X
    assert re.match("data.npz: Bad CRC-32", refusal(write(tmp_path, bytes(data), "data.npz"), None))


def entries(**contents):
    """Bytes of an archive that is whole, of entries that may be anything."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, entry in contents.items():
            file.writestr(f"{name}.npy", entry)
    return content.getvalue()


def array_bytes(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def marked(content, offset, value):
    """An archive in which the headers of entries have another byte at a place, the central directory's two later."""
    data = bytearray(content)
    for signature, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
        place = data.find(signature)
        while place >= 0:
            data[place + offset + shift] = value
            place = data.find(signature, place + 4)
    return bytes(data)


WHOLE = entries(X=array_bytes(X), y=array_bytes(y))


@pytest.mark.parametrize("content, message", [
    (marked(WHOLE, 6, 1), "File 'X.npy' is encrypted, password required for extraction"),
    (marked(WHOLE, 8, 99), "That compression method is not supported"),
    (marked(WHOLE, 8, 14), ""),  # says LZMA
    (marked(WHOLE, 8, 12), ""),  # says bzip2
    (entries(X=b"", y=b""), "X is no array"),
    (entries(X=array_bytes(X)[:9], y=array_bytes(y)), ""),
    (entries(X=b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 9" + 15 * b"9"
             + b"), }" + 60 * b" " + b"\n", y=array_bytes(y)), ""),
    (entries(X=array_bytes(X), y=array_bytes(np.array([b"a", b"b", b"a"]))),
     "y must hold text, numbers or booleans, got |S1"),
    (entries(X=array_bytes(X), y=array_bytes(y * 1j)), "y must hold text, numbers or booleans, got complex128"),
    (entries(X=array_bytes(X), y=array_bytes(y.astype("M8[D]"))),
     "y must hold text, numbers or booleans, got datetime64"),
    (entries(X=array_bytes(X), y=array_bytes(np.array(["a", "b", "c"])).replace(b"c\0\0\0", b"\xff\xff\xff\xff")),
     "y must hold text, got characters beyond U+10FFFF"),
    (entries(X=array_bytes(X), y=array_bytes(y), feature_names=array_bytes(np.array([b"a", b"\xff"]))),
     "feature_names must hold text, numbers or booleans, got |S1"),
    (entries(X=array_bytes(X), y=array_bytes(y), feature_names=array_bytes(np.array(["a", "\ud800"]))),
     "the name of a column must be text that UTF-8 can hold, without null characters, got '\\ud800'"),
    (entries(X=array_bytes(np.full((3, 2), np.longdouble("1e4000"))), y=array_bytes(y)),
     "X must be finite, got inf in row 0, feature 'x0'"),
])
@pytest.mark.filterwarnings("error")
def test_archives_that_say_strange_things(tmp_path, content, message):
    """Whatever is in them, the refusal names the file."""
    assert refusal(write(tmp_path, content, "data.npz"), None).startswith(f"data.npz: {message}")


# what belongs to the samples


def test_metadata_is_taken_out_of_the_features(tmp_path):
    """The same table from a file of columns and from arrays."""
    wanted = {"groups": "g", "sample_weight": "w"}
    text = write(tmp_path, "a,g,y,w\n1,p1,0,1\n2,p2,1,0.5\n3,p1,1,2\n")
    arrays = save(tmp_path, X=[[1.0], [2], [3]], y=[0, 1, 1], g=["p1", "p2", "p1"], w=[1, 0.5, 2], feature_names=["a"])
    for path in (text, arrays):
        table = read_table(path, "y", metadata=wanted)
        assert table.feature_names.tolist() == ["a"] and table.X.tolist() == [[1], [2], [3]]
        assert table.metadata["groups"].tolist() == ["p1", "p2", "p1"]
        assert table.metadata["sample_weight"].tolist() == [1, 0.5, 2]


def test_weights_are_numbers_however_they_are_written(tmp_path):
    """Labels that are one number in two ways are two labels; weights are not."""
    path = write(tmp_path, "a,g,y,w\n1,1,0,1\n2,1.0,1,1.0\n")
    table = read_table(path, "y", metadata={"groups": "g", "sample_weight": "w"})
    assert table.metadata["groups"].tolist() == ["1", "1.0"]
    assert table.metadata["sample_weight"].tolist() == [1, 1]


@pytest.mark.parametrize("text, metadata, message", [
    ("a,g,y\n1,p,0\n", {"groups": "h"}, "data.csv: no column 'h'; there are 3 columns: a, g, y"),
    ("a,g,y\n1, NA,0\n", {"groups": "g"}, "data.csv, line 2: the groups 'g' is missing, got ' NA'"),
    ("a,g,y\n1,p,0\n", {"groups": "y"}, "data.csv: 'y' must not be both the target and the groups"),
    ("g,y\n1,0\n", {"groups": "g"}, "data.csv: no features, only the target 'y', and what belongs to the samples"),
    ("a,w,y\n1,p,0\n", {"sample_weight": "w"}, "data.csv: the sample_weight 'w' must hold finite numbers, got 'p'"),
    ("a,w,y\n1,1e999,0\n", {"sample_weight": "w"},
     "data.csv: the sample_weight 'w' must hold finite numbers, got '1e999'"),
    ("a,w,y\n1,1,0\n1,-1,0\n", {"sample_weight": "w"},
     "data.csv: the sample_weight 'w' must be finite and >= 0, got -1 in row 1"),
])
def test_metadata_that_cannot_be(tmp_path, text, metadata, message):
    assert refusal(write(tmp_path, text), metadata=metadata) == message


def test_arrays_of_metadata_that_cannot_be(tmp_path):
    path = save(tmp_path, X=X, y=y, g=[1, 2], w=[1, np.nan, 1])
    assert refusal(path, None, metadata={"groups": "h"}) == "data.npz: no array h; there are 4 arrays: X, g, w, y"
    assert refusal(path, None, metadata={"groups": "g"}) == (
        "data.npz: g must have the shape (3,), one of the groups a row, got (2,)")
    assert refusal(path, None, metadata={"sample_weight": "w"}) == "data.npz: w is missing (NaN) in row 1"
    assert refusal(path, None, metadata={"groups": "y"}) == "data.npz: 'y' must not be both the target and the groups"


def test_a_dropped_column_of_metadata(tmp_path):
    path = write(tmp_path, "a,g,y\n1,p,0\n")
    assert refusal(path, drop=["g"], metadata={"groups": "g"}) == "data.csv: the groups 'g' must not be dropped"
