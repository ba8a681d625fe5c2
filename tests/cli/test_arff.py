"""Reading ARFF: against scipy's reader on dense files, against the same rows in full on sparse ones; refusals."""

import io
import sys

import numpy as np
import pytest
from commands import refusal
from scipy.io import arff as scipy_arff

from moeliga.cli.files import read_table

HEADER = "% a comment\n@RELATION test\n\n@attribute a numeric\n@attribute 'b c' {0, 1}\n@Attribute y {cat, 'big dog'}\n"


def write(folder, text):
    path = folder / "data.arff"
    path.write_text(text, encoding="utf-8")
    return path


def test_dense_rows_are_those_of_scipy(tmp_path, rng):
    """Numbers, nominal values with and without quotes, missing values, comments between rows."""
    X = rng.normal(size=(20, 3))
    labels = rng.choice(["cat", "'big dog'"], size=20)
    rows = [f"{a!r}, {'?' if i % 5 == 0 else repr(b)},\t{c!r} ,{label}\n" + "% between\n\n" * (i % 2)
            for i, ((a, b, c), label) in enumerate(zip(X.tolist(), labels, strict=True))]
    text = ("@relation r\n@attribute a real\n@attribute b REAL\n@attribute c integer\n"
            "@attribute y {cat,'big dog'}\n@data\n" + "".join(rows))
    expected, meta = scipy_arff.loadarff(io.StringIO(text))
    table = read_table(write(tmp_path, text), "y")
    assert table.feature_names.tolist() == meta.names()[:3] == ["a", "b", "c"]
    np.testing.assert_array_equal(table.X, np.column_stack([expected[name] for name in "abc"]))
    assert table.y.tolist() == [label.decode() for label in expected["y"]]
    assert np.isnan(table.X).sum() == 4


def test_sparse_rows_are_those_of_the_same_rows_in_full(tmp_path, rng):
    """A value that a row leaves out is 0, or the first nominal value."""
    X = rng.integers(-2, 3, size=(15, 4)) * rng.integers(0, 2, size=(15, 4))
    labels = rng.integers(0, 2, size=15)
    attributes = "".join(f"@attribute x{i} numeric\n" for i in range(4))
    header = f"@relation r\n{attributes}@attribute y {{no,yes}}\n@data\n"
    sparse = ["{" + ", ".join([f"{i} {v}" for i, v in enumerate(row) if v] + ["4 yes"] * label) + "}\n"
              for row, label in zip(X, labels, strict=True)]
    table = read_table(write(tmp_path, header + "".join(sparse)), "y")
    np.testing.assert_array_equal(table.X, X)
    assert table.y.tolist() == [("no", "yes")[label] for label in labels]


@pytest.mark.parametrize("row, a, b, y", [
    ("1,0,cat", 1, 0, "cat"),
    ("-2.5e1 , '1' , \"big dog\"", -25, 1, "big dog"),
    ("?, ?, cat", np.nan, np.nan, "cat"),
    ("+3., 1,cat", 3, 1, "cat"),
    ("{}", 0, 0, "cat"),
    ("{ 0 7,2 'big dog' }", 7, 0, "big dog"),
    ("{0 ?}", np.nan, 0, "cat"),
])
def test_ways_to_write_a_row(tmp_path, row, a, b, y):
    table = read_table(write(tmp_path, f"{HEADER}@DATA\n{row}\n"), "y")
    np.testing.assert_array_equal(table.X, [[a, b]])
    assert (table.feature_names.tolist(), table.y.tolist()) == (["a", "b c"], [y])


def test_text_and_dates_may_be_dropped_or_be_the_target(tmp_path):
    """Commas, braces, signs of comment and escaped quotes inside of quotes are text."""
    text = ("@relation r\n@attribute when date 'yyyy-MM-dd'\n@attribute\tx\tnumeric\n@attribute y string\n@data\n"
            "'2001-01-02',1,'a, {b} % c'\n\"2001-01-03\",2,'it\\'s \\\\ \\t'\n{0 '2001-01-04', 1 3, 2 'd, e'}\n")
    table = read_table(write(tmp_path, text), "y", drop=["when"])
    assert table.X.tolist() == [[1], [2], [3]]
    assert table.y.tolist() == ["a, {b} % c", "it's \\", "d, e"]  # labels lose the space around them


def test_labels_that_look_like_missing_ones_are_labels(tmp_path):
    """Only "?" without quotes is missing in this format."""
    text = "@relation r\n@attribute x numeric\n@attribute y {NA, '?', nan}\n@data\n1,NA\n2,'?'\n3,nan\n"
    assert read_table(write(tmp_path, text), "y").y.tolist() == ["NA", "?", "nan"]


def test_words_for_missing_are_no_weights(tmp_path):
    text = "@relation r\n@attribute x numeric\n@attribute w {1,nan}\n@attribute y {a,b}\n@data\n1,1,a\n2,nan,b\n"
    with pytest.raises(ValueError, match="the sample_weight 'w' must be finite and >= 0, got nan in row 1"):
        read_table(write(tmp_path, text), "y", metadata={"sample_weight": "w"})


def test_attributes_of_integers_may_have_decimals(tmp_path):
    """Weka does not distinguish the types integer, real and numeric."""
    text = "@relation r\n@attribute i INTEGER\n@attribute\tt\t{1.5,2}\n@attribute y {a,b}\n@data\n1.5,2,a\n-2e1,1.5,b\n"
    assert read_table(write(tmp_path, text), "y").X.tolist() == [[1.5, 2], [-20, 1.5]]


def test_all_attributes_that_are_no_features_are_named_at_once(tmp_path):
    text = ("@relation r\n@attribute name string\n@attribute x real\n@attribute 'd c' {a,b}\n@attribute y {u,v}\n"
            "@attribute when date 'yyyy-MM-dd'\n@data\nann,1,a,u,'2001-02-03'\nbob,red,b,v,?\n")
    assert refusal(write(tmp_path, text)) == (
        "data.arff: features must be finite numbers, but 4 columns are not: 'name' (text, 'ann' in row 0), 'x' (text, "
        "'red' in row 1), 'd c' (text, 'a' in row 0), 'when' (text, '2001-02-03' in row 0); encode as numbers "
        "(--encode does it for text of at most 20 values), or leave out with --drop name x 'd c' when")


@pytest.mark.parametrize("text, message", [
    ("", "data.arff: Invalid layout of the ARFF file, at line 0."),
    ("a,y\n1,2\n", "data.arff: Invalid layout of the ARFF file, at line 2."),
    ("@relation r\n@data\n", "data.arff: Invalid layout of the ARFF file, at line 2."),
    ("@relation r\n@attribute a relational\n", "data.arff: Bad @ATTRIBUTE type, at line 2."),
    ("@relation r\n@attribute a real\n@attribute a real\n",
     "data.arff: Bad @ATTRIBUTE name a at line 3, this name is already in use in line 2."),
    (HEADER + "@data\n", "data.arff: no rows below the names of the columns"),
    (HEADER + "@data\n1,0\n", "data.arff: Bad @DATA instance format in line 8: 1,0"),
    (HEADER + "@data\n1,0,cat,2\n", "data.arff: Bad @DATA instance format in line 8: 1,0,cat,2"),
    (HEADER + "@data\n1,2,cat\n", "data.arff: Data value 2 not found in nominal declaration, at line 8."),
    (HEADER + "@data\n1,0,cat\n1,0,?\n", "data.arff, row 1: the target 'y' is missing, got nothing"),
    (HEADER + "@data\n1,0,'cat\n", "data.arff: Invalid layout of the ARFF file, at line 8. Error parsing \"1,0,'cat\""),
    (HEADER + "@data\n1,0,cat,{2}\n",
     "data.arff: Invalid layout of the ARFF file, at line 8. Error parsing '1,0,cat,{2}'"),
    (HEADER + "@data\n{3 1}\n", "data.arff: Bad @DATA instance format in line 8: {3 1}"),
    (HEADER + "@data\n{0}\n", "data.arff: Invalid layout of the ARFF file, at line 8. Error parsing '{0}'"),
])
def test_a_wrong_file_is_refused_with_its_line(tmp_path, text, message):
    assert refusal(write(tmp_path, text)) == message


@pytest.mark.parametrize("labels", [["nan", "1"], ["inf", "-inf"], ["1_0", "20"], ["1", "9" * 5000]], ids=str)
def test_labels_are_numbers_only_where_all_are_finite(tmp_path, labels):
    """Text stays text even if Python's `float` would read it as another number; a label is never missing."""
    rows = "".join(f"1,{label}\n" for label in labels)
    text = f"@relation r\n@attribute x numeric\n@attribute y string\n@data\n{rows}"
    assert read_table(write(tmp_path, text), "y").y.tolist() == labels


def test_other_encodings_are_refused(tmp_path):
    path = tmp_path / "data.arff"
    path.write_bytes(b"@relation caf\xe9\n")
    assert refusal(path) == ("data.arff: not UTF-8 text, found the byte 0xe9 in line 1; save the file as UTF-8, "
                             "which Excel calls CSV UTF-8")


def test_without_the_reader(tmp_path, monkeypatch):
    """The reader is no public part of scikit-learn, so a version may lack it."""
    monkeypatch.setitem(sys.modules, "sklearn.externals._arff", None)
    monkeypatch.delattr("sklearn.externals._arff", raising=False)
    with pytest.raises(ImportError, match="data.arff: this version of scikit-learn has no reader of ARFF; write the "):
        read_table(write(tmp_path, HEADER), "y")
