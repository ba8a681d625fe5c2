"""Reading ARFF: against scipy on dense files, against scikit-learn's reader on sparse ones; every refusal."""

import io
import re

import numpy as np
import pytest
from scipy.io import arff as scipy_arff

from moeliga.cli.arff import split_quoted
from moeliga.cli.tables import read_table
from outcome import within

HEADER = "% a comment\n@RELATION test\n\n@attribute a numeric\n@attribute 'b c' {0, 1}\n@Attribute y {cat, 'big dog'}\n"


def write(folder, text):
    path = folder / "data.arff"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path, target="y", **options):
    with pytest.raises(ValueError) as caught:
        read_table(path, target, **options)
    return str(caught.value).replace(f"{path.parent}/", "")


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
    """What is left out is 0, or the first nominal value; scikit-learn's own reader agrees on the entries."""
    X = rng.integers(-2, 3, size=(15, 4)) * rng.integers(0, 2, size=(15, 4))
    labels = rng.integers(0, 2, size=15)
    attributes = "".join(f"@attribute x{i} numeric\n" for i in range(4))
    header = f"@relation r\n{attributes}@attribute y {{no,yes}}\n@data\n"
    sparse = ["{" + ", ".join([f"{i} {v}" for i, v in enumerate(row) if v] + ["4 yes"] * label) + "}\n"
              for row, label in zip(X, labels, strict=True)]
    table = read_table(write(tmp_path, header + "".join(sparse)), "y")
    np.testing.assert_array_equal(table.X, X)
    assert table.y.tolist() == [("no", "yes")[label] for label in labels]
    reader = pytest.importorskip("sklearn.externals._arff")
    rows = reader.loads(header + "".join(sparse), return_type=reader.LOD)["data"]
    np.testing.assert_array_equal([[row.get(i, 0) for i in range(4)] for row in rows], table.X)
    assert [row.get(4, "no") for row in rows] == table.y.tolist()


@pytest.mark.parametrize("row, a, b, y", [
    ("1,0,cat", 1, 0, "cat"),
    ("-2.5e1 , '1' , \"big dog\"", -25, 1, "big dog"),
    ("?, ?, cat", np.nan, np.nan, "cat"),
    ("3\t1\tcat", 3, 1, "cat"),
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


@pytest.mark.parametrize("text, message", [
    ("", "data.arff: no line @data"),
    ("a,y\n1,2\n", "data.arff, line 1: a line before @data must begin with @relation or @attribute, got 'a,y'"),
    ("@relation r\n@data\n", "data.arff, line 2: no attributes before @data"),
    ("@relation r\n@attribute\n", "data.arff, line 2: an attribute must have a name and a type, got ''"),
    ("@relation r\n@attribute a relational\n", "data.arff, line 2: the type of 'a' must be numeric, real, integer, "
     "string, date or a list {of, values}, got 'relational'"),
    ("@attribute a {x, }\n", "data.arff, line 1: the values of 'a' must not be missing or empty, got '{x, }'"),
    (HEADER + "@data\n", "data.arff: no rows below the names of the columns"),
    (HEADER + "@data\n1,0\n", "data.arff, line 8: 2 values, but the header names 3"),
    (HEADER + "@data\n1,2,cat\n", "data.arff, line 8: 'b c' must be one of its declared values, got '2'"),
    (HEADER + "@data\n1,0,?\n", "data.arff, line 8: the target 'y' is missing, got '?'"),
    (HEADER + "@data\nx,0,cat\n", "data.arff, line 8: column 'a' must hold finite numbers, got 'x' (encode it as "
     "numbers, or leave the column out with --drop)"),
    (HEADER + "@data\n1,0,'cat\n", "data.arff, line 8: a value or its quote does not end, got \"'cat\""),
    (HEADER + "@data\n1,0,cat,{2}\n", "data.arff, line 8: weights of rows are not read, got '1,0,cat,{2}'"),
    (HEADER + "@data\n{0 1},{2}\n",
     "data.arff, line 8: a sparse row must end in }, and weights of rows are not read, got '{0 1},{2}'"),
    (HEADER + "@data\n{1 1,0 1}\n",
     "data.arff, line 8: an entry of a sparse row must be a place from 2 to 2 and a value, got '0 1'"),
    (HEADER + "@data\n{3 1}\n",
     "data.arff, line 8: an entry of a sparse row must be a place from 0 to 2 and a value, got '3 1'"),
    (HEADER + "@data\n{0}\n",
     "data.arff, line 8: an entry of a sparse row must be a place from 0 to 2 and a value, got '0'"),
    (HEADER + "@data\n{0 'x}\n", "data.arff, line 8: a value or its quote does not end, got \"0 'x\""),
])
def test_a_wrong_file_is_refused_with_line_and_value(tmp_path, text, message):
    assert refusal(write(tmp_path, text)) == message


@pytest.mark.parametrize("row", ["1,0," + 100_000 * " " + "{", "{0 1," + 100_000 * " " + "'",
                                 "1," + 100_000 * "'" + "}", "{" + 100_000 * "'a'" + "'}",
                                 "{" + 30_000 * "0 '," + "}", "1,0,cat" + 100_000 * " " + "x{"])
def test_a_wrong_row_is_refused_in_time_that_grows_with_its_length(tmp_path, row):
    """Not with its square or cube: no part of a pattern gives back what it took."""
    with within(60):
        assert refusal(write(tmp_path, HEADER + "@data\n" + row + "\n")).startswith("data.arff, line 8: ")


def parts_one_by_one(text):
    """A slow twin of the pattern: one character after the other; None if a quote does not end."""
    found, quote, place = [""], None, 0
    while place < len(text):
        sign = text[place]
        if quote and sign == "\\":  # and what it escapes, which is no end of a line
            sign = text[place:place + 2]
            if len(sign) == 1 or sign[1] == "\n":
                return None
        elif quote:
            quote = None if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        place += len(sign)
        if sign == "," and not quote:
            found.append("")
        else:
            found[-1] += sign
    return None if quote else found


def test_a_line_is_split_as_one_character_after_the_other_says(rng):
    """On random lines of quotes, commas and backslashes, and on what is in neither quote."""
    kinds = set()
    for _ in range(20_000):
        text = "a" + "".join(rng.choice(list("'\"\\, a\n"), rng.integers(12)))
        expected = parts_one_by_one(text)
        kinds.add(expected if expected is None else len(expected) > 1)
        if expected is None:
            with pytest.raises(ValueError, match="a value or its quote does not end"):
                split_quoted("here", text)
        else:
            assert split_quoted("here", text) == expected, text
    assert kinds == {None, True, False}


@pytest.mark.parametrize("row", ["{0 a 'x,y' b}", "{0 1, 1111111111111111111 2}", "{0 1,,2 cat}", "{\u0663 1}",
                                 "{0 1,}"])
def test_an_entry_of_a_sparse_row_is_a_place_and_a_value(tmp_path, row):
    """No two values, no place beyond any table, no digits but ASCII's, no empty entries."""
    message = refusal(write(tmp_path, HEADER + "@data\n" + row + "\n"))
    assert re.match("data.arff, line 8: an entry of a sparse row must be a place from [01] to 2 and a value, got ",
                    message)


@pytest.mark.parametrize("labels", [["nan", "1"], ["inf", "-inf"], ["1_0", "20"], ["1", "9" * 5000]], ids=str)
def test_labels_are_numbers_only_where_all_are_finite(tmp_path, labels):
    """Also where Python would read another number out of them; and a label is never missing."""
    text = "@attribute x numeric\n@attribute y string\n@data\n" + "".join(f"1,{label}\n" for label in labels)
    assert read_table(write(tmp_path, text), "y").y.tolist() == labels


def test_other_encodings_are_refused(tmp_path):
    path = tmp_path / "data.arff"
    path.write_bytes(b"@relation caf\xe9\n")
    assert refusal(path) == "data.arff: not UTF-8 text, found the byte 0xe9"
