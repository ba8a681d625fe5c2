"""Reading CSV files, and rules of all formats. Every error names the file, the place and the value."""

import bz2
import csv
import gzip
import re
import shlex
import sys

import numpy as np
import pytest
from commands import refusal

from moeliga.cli.files import read_table
from moeliga.data.one_hot import Encoding

csv_reader = pytest.importorskip("pyarrow.csv")


def write(folder, text, name="data.csv"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


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
                                  ("a.TXT", "a,y\n1,2\n3,4\n", None), ("a.txt", "a y\n1 2\n3 4\n", " "),
                                  ("a.csv", "a\ty\n1\t2\n3\t4\n", r"\t")):
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
    ("a,,y\n0,1,2\n", "data.csv: column 2 has no name; name it, or leave it out with --drop ''"),
    ('"a\nb",y\n', "data.csv: the name of a column must be one line, got 'a\\nb'"),
    ("a;y\n1;2\n", "data.csv: no column 'y'; there is 1 column: a;y; try --separator ';'"),
    ("a, mm;b;y\n1;2;3\n", "data.csv: no column 'y'; there are 2 columns: a,  mm;b;y; try --separator ';'"),
    ("a\ty\n1\t2\n", "data.csv: no column 'y'; there is 1 column: a\ty; try --separator '\\t'"),
    ('\na, b|c|"y"\n1|2|3\n', "data.csv: no column 'y'; there are 2 columns: a,  b|c|\"y\"; try --separator '|'"),
    ('"a, b";"y"\n1;2\n', "data.csv: ',' expected after '\"'; try --separator ';'"),
    ("a y\n1 2\n", "data.csv: no column 'y'; there is 1 column: a y; with another --separator there may be more"),
    ("a;1,b,c\n1,2,3\n", "data.csv: no column 'y'; there are 3 columns: a;1, b, c"),
    ("a,b\n1,2\n", "data.csv: no column 'y'; there are 2 columns: a, b"),
    (",".join(f"c{i}" for i in range(20)), "data.csv: no column 'y'; there are 20 columns: c0, c1, c2, c3, c4, c5, c6, "
     "c7, ..."),
    ("a,y\n1,2\n1\n", "data.csv: CSV parse error: Row #3: Expected 2 columns, got 1: 1"),
    ("a\0,a,y\n1,2,3\n",
     "data.csv: the name of a column must be text that UTF-8 can hold, without null characters, got "
     "'a\\x00'"),
    ("a,y\n1,b\n2,b\0\n", "data.csv, row 1: the target 'y' must hold no null character, got 'b\\x00'"),
    ("a,y\n1,2,3\n", "data.csv: CSV parse error: Row #2: Expected 2 columns, got 3: 1,2,3"),
    ("a,y\n1,\n", "data.csv, row 0: the target 'y' is missing, got ''"),
    ("a,y\n1,2\n2, NA\n", "data.csv, row 1: the target 'y' is missing, got ' NA'"),
    ("\na,y", "data.csv: no rows below the names of the columns"),
    ("a,b", "data.csv: no column 'y'; there are 2 columns: a, b"),
    ('a,y\n"1,2\n', "data.csv: CSV parse error: Row #2: Expected 2 columns, got 1: \"1,2"),
    ('"a,y\n1,2\n', "data.csv: unexpected end of data"),
])
def test_csv_refusals(tmp_path, text, message):
    assert refusal(write(tmp_path, text)) == message


@pytest.mark.parametrize("name, packed", [("data.csv", None), ("data.csv.gz", gzip)])
@pytest.mark.parametrize("before, text, options, line", [
    (0, b"\xe9,y\n1,2\n", {}, 1), (1, b"1,\xe9\n", {}, 2), (5000, b"1,\xe9\n", {}, 5001), (5000, b"\xe9,1\n", {}, 5001),
    (5000, b"\xe9,1\n", {"encoding": Encoding()}, 5001)])
def test_text_that_is_not_utf8(tmp_path, name, packed, before, text, options, line):
    """Wherever the byte is, the message names its line and says what to do."""
    text = b"a,y\n"[: 4 * before] + b"x,2\n" * (before - 1) + text
    path = write(tmp_path, packed.compress(text) if packed else text, name)
    assert refusal(path, **options) == (f"{name}: not UTF-8 text, found the byte 0xe9 in line {line}; save the file as "
                                        "UTF-8, which Excel calls CSV UTF-8")


def test_files_that_only_speak_of_utf8(tmp_path):
    """Errors of the readers that quote the word UTF8 from the file stay unchanged."""
    assert refusal(write(tmp_path, "a,y\nUTF8\n")) == (
        "data.csv: CSV parse error: Row #2: Expected 2 columns, got 1: UTF8")


def test_all_columns_that_are_no_features_are_named_at_once(tmp_path):
    """Each with the first value that is no finite number; the last words are options that leave them out."""
    text = ("who,mixed,ok,born,at,big,my flag,under,y\n"
            "ann,1,1,2001-02-03,12:30:00,1,on,1_0,0\n"
            "bob,2,2,2001-02-04,12:31:00,-inf,off,2,1\n"
            "cem,red,NA,2001-02-05,12:32:00,1e999,on,3,0\n")
    message = refusal(write(tmp_path, text))
    assert message == (
        "data.csv: features must be finite numbers, but 7 columns are not: 'who' (text, 'ann' in row 0), "
        "'mixed' (text, 'red' in row 2), 'born' (text, '2001-02-03' in row 0), 'at' (text, '12:30:00' in row 0), "
        "'big' (-inf in row 1), 'my flag' (text, 'on' in row 0), 'under' (text, '1_0' in row 0); encode as numbers "
        "(--encode does it for text of at most 20 values), or leave out with --drop who mixed born at big 'my flag' "
        "under")
    drop = shlex.split(message.split("leave out with --drop ")[1])
    np.testing.assert_array_equal(read_table(tmp_path / "data.csv", "y", drop=drop).X, [[1], [2], [np.nan]])


def test_a_message_on_many_columns_is_short(tmp_path):
    """It counts all of them and shows the first, what is wrong with the file before them; long text is cut."""
    names = [f"{'long' * 100} {i}" for i in range(5000)]
    path = write(tmp_path, f"{','.join(names)},y\n" + 2 * f"{','.join(5000 * ['x' * 1000])},1\n")
    message = refusal(path)
    assert message.startswith(
        "data.csv: features must be finite numbers, but 5,000 columns are not: "
        f"'{10 * 'long'}...' (text, '{40 * 'x'}...' in row 0), ")
    assert message.count("in row 0") == 10 and message.endswith(
        "), ...; encode as numbers (--encode does it for text of at most 20 values), or leave out with --drop, by "
        "patterns or by @FILE with a name a line")
    assert "but 1 column is not: " in refusal(path, drop=names[1:])
    few = [f"c{i}" for i in range(20)]
    assert refusal(write(tmp_path, f"{','.join(few)},y\n" + 20 * "red," + "1\n")).endswith(
        f"'c9' (text, 'red' in row 0), ...; encode as numbers (--encode does it for text of at most 20 values), or "
        f"leave out with --drop {' '.join(few)}")
    assert refusal(write(tmp_path, f"{';'.join(names)}\n1;2\n")).startswith(
        f"data.csv: no column 'y'; there is 1 column: {10 * 'long'}...; try --separator ';'")
    assert len(refusal(write(tmp_path, f"{names[0]},{names[0]},y\n1,2,3\n"))) < 100


def test_true_and_false_are_one_and_zero(tmp_path):
    """As pandas, R and SQL write them, with gaps; in ARFF files too."""
    text = "a,b,c,y\nTrue,false,TRUE,x\nFalse,true,,y\n,true,FALSE,x\n"
    expected = [[1, 0, 1], [0, 1, np.nan], [np.nan, 1, 0]]
    np.testing.assert_array_equal(read_table(write(tmp_path, text), "y").X, expected)
    arff = ("@relation r\n@attribute a {True,False}\n@attribute b string\n@attribute c {TRUE,FALSE}\n"
            "@attribute y {x,y}\n@data\n" + text.partition("\n")[2].replace(",,", ",?,").replace("\n,", "\n?,"))
    np.testing.assert_array_equal(read_table(write(tmp_path, arff, "data.arff"), "y").X, expected)
    assert refusal(write(tmp_path, "a,y\ntrue,1\n1,2\n")).startswith(
        "data.csv: features must be finite numbers, but 1 column is not: 'a' (text, 'true' in row 0);")


def test_names_are_those_of_the_file(tmp_path):
    """They keep spaces around them, in every format; an option may omit these if only one column can be meant."""
    paths = [write(tmp_path, " a,lead, lead, y, g\n1,2,3,u,1\n4,5,6,v,2\n"),
             write(tmp_path, "@relation r\n@attribute ' a' real\n@attribute lead real\n@attribute ' lead' real\n"
                   "@attribute ' y' {u,v}\n@attribute ' g' real\n@data\n1,2,3,u,1\n4,5,6,v,2\n", "data.arff"),
             tmp_path / "data.parquet"]
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(csv_reader.read_csv(paths[0]), paths[2])
    for path in paths:
        table = read_table(path, "y", metadata={"groups": "g"})
        assert table.feature_names.tolist() == [" a", "lead", " lead"]
        assert (table.X.tolist(), table.y.tolist()) == ([[1, 2, 3], [4, 5, 6]], ["u", "v"])
        assert table.metadata["groups"].tolist() == [1, 2]
        for drop, left in (("a", ["lead", " lead"]), ("lead", [" a", " lead"]), (" lead", [" a", "lead"]),
                           ("lea?", [" a"]), ("a, lead", [" lead"])):
            again = read_table(path, " y", drop=[drop], metadata={"groups": " g"})
            assert again.feature_names.tolist() == left and again.left_out[0] not in left
    assert "no column 'b'" in refusal(write(tmp_path, " b,b ,y\n1,2,3\n"), target="b")


def test_labels_that_differ_in_spaces_are_one(tmp_path):
    """This is true of text, and a note says so; numbers do not change."""
    table = read_table(write(tmp_path, "a,y,g\n1,cat,1\n2, cat, 1\n3,dog ,2\n"), "y", metadata={"groups": "g"})
    assert table.y.tolist() == ["cat", "cat", "dog"] and table.metadata["groups"].tolist() == [1, 1, 2]
    assert table.notes == ("Labels of the target 'y' that differ only in spaces around them are one: 'cat' and ' cat', "
                           "for example.",)
    assert read_table(write(tmp_path, "a,y\n1, cat\n2, cat\n"), "y").notes == ()


@pytest.mark.parametrize("name, packed", [("a.csv.gz", gzip), ("a.csv.bz2", bz2), ("A.TSV.GZ", gzip)])
def test_compressed_text(tmp_path, name, packed):
    text = "a,y\n1.5,cat\n2,dog\n".replace(",", "\t" if "TSV" in name else ",")
    path = write(tmp_path, packed.compress(text.encode("utf-8-sig")), name)
    table = read_table(path, "y")
    assert (table.X.tolist(), table.y.tolist()) == ([[1.5], [2.0]], ["cat", "dog"])
    path.write_bytes(b"plain")
    assert refusal(path).startswith(f"{name}: ")
    assert refusal(write(tmp_path, b"", "a.npz.gz")).startswith("a.npz.gz: the name must end in .csv, .tsv or .txt, ")


@pytest.mark.parametrize("name, called", [("", "first column, which has no name"),
                                          ("Unnamed: 0", "column 'Unnamed: 0'")])
def test_a_saved_index_is_left_out_and_told(tmp_path, name, called):
    """It is written by pandas.DataFrame.to_csv and named by read_csv; it stays if the user gives it a purpose."""
    path = write(tmp_path, f"{name},a,y\n7,1,0\n9,2,1\n")
    table = read_table(path, "y")
    assert table.feature_names.tolist() == ["a"] and table.left_out == (name,)
    assert table.notes == (f"Left out the {called}: an index that pandas saved.",)
    for drop in ([name], ["Unnamed*"] if name else [""]):
        dropped = read_table(path, "y", drop=drop)
        assert dropped.notes == () and dropped.left_out == (name,)
    if name:
        assert read_table(path, name, drop=["y"]).y.tolist() == [7, 9]


def test_decimal_commas(tmp_path):
    """They are read in features, with spaces around them too, in labels and weights; the separator is a semicolon."""
    path = write(tmp_path, "a;b;w;y\n1,5;-,25;0,5;1,5\n2; 3,0e2 ;1;2,5\n")
    table = read_table(path, "y", decimal=",", metadata={"sample_weight": "w"})
    assert table.X.tolist() == [[1.5, -0.25], [2.0, 300.0]] and table.y.tolist() == [1.5, 2.5]
    assert table.metadata["sample_weight"].tolist() == [0.5, 1.0]
    assert refusal(path, separator=";") == (
        "data.csv: features must be finite numbers, but 3 columns are not (read decimal commas with --decimal ','): "
        "'a' (text, '1,5' in row 0), 'b' (text, '-,25' in row 0), 'w' (text, '0,5' in row 0); encode as numbers "
        "(--encode does it for text of at most 20 values), or leave out with --drop a b w")
    quoted = write(tmp_path, 'a,y\n"1,5",u\n2,"v,w"\n', "quoted.csv")
    assert read_table(quoted, "y", decimal=",", separator=",").y.tolist() == ["u", "v,w"]
    assert refusal(path, decimal="5") == "the decimal point must be one character, and no sign or digit, got '5'"
    assert refusal(write(tmp_path, "", "data.npz"), decimal=",") == (
        "data.npz: a decimal point is for CSV files only, got ','")


def test_a_point_is_no_decimal_point_beside_another(tmp_path):
    """1.234 may be a thousand and more, or a mistake: features refuse it, labels with it are text."""
    path = write(tmp_path, "a;b;y\n1.234;1,5;2.5\n7.500;2;3.5\n")
    assert refusal(path, decimal=",").startswith(
        "data.csv: features must be finite numbers, but 1 column is not (with --decimal ',' a point is no decimal "
        "point): 'a' (text, '1.234' in row 0)")
    assert read_table(path, "y", decimal=",", drop=["a"]).y.tolist() == ["2.5", "3.5"]


@pytest.mark.parametrize("cell, decimal, hint", [
    (" -.5e-3 ", ",", " (with --decimal ',' a point is no decimal point)"), ("1.2.3", ",", ""), ("1.5a", ",", ""),
    ("1,5", None, " (read decimal commas with --decimal ',')"), ("1,5a", None, ""), ("x.5", None, "")])
def test_advice_on_decimal_points_is_on_numbers(tmp_path, cell, decimal, hint):
    path = write(tmp_path, f"a;y\n{cell};1\n")
    assert f"but 1 column is not{hint}: 'a'" in refusal(path, decimal=decimal, separator=";")


def test_no_advice_to_give_options_that_are_for_other_files(tmp_path):
    arff = write(tmp_path, "@relation r\n@attribute a string\n@attribute y {u}\n@data\n'1,5',u\n", "data.arff")
    assert "--decimal" not in refusal(arff)


def test_what_python_does_not_read_is_no_number(tmp_path):
    """This is so whatever the rest of the column holds; other columns stay numbers, and text may hold 0x."""
    path = write(tmp_path, "a,h,t,y\n1,0x10,x,u\n2,0xFFFFFFFFFFFFFFFF,0X1,v\n")
    assert "2 columns are not: 'h' (text, '0x10' in row 0), 't' (text, 'x' in row 0)" in refusal(path)
    table = read_table(path, "y", drop=["h", "t"])
    assert table.X.tolist() == [[1.0], [2.0]]
    assert read_table(path, "h", drop=["t", "y"]).y.tolist() == ["0x10", "0xFFFFFFFFFFFFFFFF"]


@pytest.mark.parametrize("cells", [("08:30", "12:30"), ("2020-01-01T10:00", "2020-01-02T11:30"),
                                   ("2020-01-01", "2020-01-02"), ("2020-01-01 10:00:00", "2020-01-01 10:00:01")])
def test_dates_and_times_are_the_text_of_the_file(tmp_path, cells):
    """So a second file has the same values as the first, and pandas makes the same names."""
    path = write(tmp_path, f"a,when,y\n1,{cells[0]},u\n2,{cells[1]},v\n3,{cells[0]},u\n")
    table = read_table(path, "y", encoding=Encoding())
    assert table.feature_names.tolist() == ["a", *(f"when={cell}" for cell in cells)]
    again = read_table(path, "y", encoding=Encoding(table.encoding.values))
    assert again.X.tolist() == table.X.tolist() == [[1, 1, 0], [2, 0, 1], [3, 1, 0]]


@pytest.mark.parametrize("name", ["data.csv", "data.arff"])
def test_labels_are_text_where_others_are(tmp_path, name):
    """A second file may hold only labels that look like numbers."""
    head = "a,y\n" if name == "data.csv" else "@relation r\n@attribute a numeric\n@attribute y {0,01,unknown}\n@data\n"
    path = write(tmp_path, head + "1,0\n2,01\n", name)
    assert read_table(path, "y", text_labels=True).y.tolist() == ["0", "01"]


@pytest.mark.parametrize("drop, left", [
    (["id_*"], ["a", "b,c", "x1"]), (["id_1,a"], ["id_2", "b,c", "x1"]), (["b,c"], ["id_1", "id_2", "a", "x1"]),
    (["id_?, x1", "a"], ["b,c"]), (["x[0-9]"], ["id_1", "id_2", "a", "b,c"])])
def test_what_is_dropped_is_names_and_patterns(tmp_path, drop, left):
    """A text that is a name, such as "b,c", is not split at commas."""
    path = write(tmp_path, 'id_1,id_2,a,"b,c",x1,y\n1,2,3,4,5,6\n')
    assert read_table(path, "y", drop=drop).feature_names.tolist() == left
    np.savez(tmp_path / "data.npz", X=np.zeros((2, 5)), y=[0, 1], feature_names=["id_1", "id_2", "a", "b,c", "x1"])
    assert read_table(tmp_path / "data.npz", drop=drop).feature_names.tolist() == left


def test_a_pattern_without_a_column_is_named(tmp_path):
    path = write(tmp_path, "a,b,y\n1,2,3\n")
    assert refusal(path, drop=["a,z*"]) == (
        "data.csv: no column to drop is called 'z*'; there are 3 columns: a, b, y")
    assert refusal(path, drop=["*"]) == "data.csv: the target 'y' must not be dropped"


def written(rng, number):
    """Return a way to write a number: few or many digits, with or without an exponent, signs and zeros around it."""
    ways = (repr, "{:.17g}".format, "{:.25e}".format, "{:+.3f}".format, "{:.0f}.".format, "0{:.30f}".format,
            lambda value: repr(value).removeprefix("0"))
    return ways[rng.integers(len(ways))](abs(number))


def test_numbers_have_the_bits_that_python_gives_them(tmp_path, rng):
    """Numbers of every size, also subnormal ones and integers beyond 2^53."""
    numbers = np.frombuffer(rng.bytes(8 * 20_000), dtype=np.float64)
    numbers = np.concatenate((numbers[np.isfinite(numbers)], rng.normal(size=20_000), [5e-324, 2.0**1023]))
    whole = [str(number) for number in rng.integers(2**63, size=len(numbers))]
    texts = [written(rng, number) for number in numbers.tolist()]
    plain = [repr(number) for number in numbers.tolist()]  # a column that pyarrow reads by itself
    rows = "".join(f"{a},{b},{c},0\n" for a, b, c in zip(texts, plain, whole, strict=True))
    X = read_table(write(tmp_path, f"a,b,c,y\n{rows}"), "y").X
    expected = [[float(a), float(b), float(c)] for a, b, c in zip(texts, plain, whole, strict=True)]
    np.testing.assert_array_equal(X.view(np.int64), np.array(expected).view(np.int64))


def test_names_may_be_long(tmp_path):
    """The limit of the module csv, 131,072 characters, is raised for the header and restored."""
    limit, name = csv.field_size_limit(), "a" * 200_000
    path = write(tmp_path, f"{name},y\n1,2\n")
    assert read_table(path, "y").feature_names.tolist() == [name] and csv.field_size_limit() == limit


def test_lines_may_be_long(tmp_path):
    """They have two megabytes each, more than the default block of pyarrow."""
    path = write(tmp_path, "a,note,y\n" + "".join(f"{i},{'x' * (2 << 20)},{i}\n" for i in range(3)))
    assert read_table(path, "y", drop=["note"]).X.tolist() == [[0], [1], [2]]


@pytest.mark.parametrize("name", ["data.csv", "data.parquet"])
def test_without_pyarrow(tmp_path, monkeypatch, name):
    """The message says what to install; NPZ and ARFF do not need it."""
    path = write(tmp_path, "a,y\n1,2\n", name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=re.escape(f"{name}: CSV and Parquet files need pyarrow: "
                                                    "pip install 'moeliga[files]'")):
        read_table(path, "y")
    np.savez(tmp_path / "data.npz", X=[[1.0]], y=[2])
    arff = write(tmp_path, "@relation r\n@attribute a real\n@attribute y {2}\n@data\n1,2\n", "data.arff")
    assert read_table(arff, "y").X == read_table(tmp_path / "data.npz").X == [[1]]


@pytest.mark.parametrize("options, message", [
    ({"target": None}, "data.csv: name the column of the target (--target); there are 3 columns: a, b, y"),
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
        "data.xlsx: the name must end in .csv, .tsv or .txt, perhaps with .gz or .bz2, or in .npz, .arff or .parquet")
    for name in ("absent.csv", "absent.npz", "absent.arff", "absent.parquet"):
        with pytest.raises(FileNotFoundError):
            read_table(tmp_path / name, "y")


# what belongs to the samples


def test_metadata_is_taken_out_of_the_features(tmp_path):
    """The same table from a file of columns and from arrays."""
    wanted = {"groups": "g", "sample_weight": "w"}
    text = write(tmp_path, "a,g,y,w\n1,p1,0,1\n2,p2,1,0.5\n3,p1,1,2\n")
    arrays = tmp_path / "data.npz"
    np.savez(arrays, X=[[1.0], [2], [3]], y=[0, 1, 1], g=["p1", "p2", "p1"], w=[1, 0.5, 2], feature_names=["a"])
    for path in (text, arrays):
        table = read_table(path, "y", metadata=wanted)
        assert table.feature_names.tolist() == ["a"] and table.X.tolist() == [[1], [2], [3]]
        assert table.metadata["groups"].tolist() == ["p1", "p2", "p1"]
        assert table.metadata["sample_weight"].tolist() == [1, 0.5, 2]


def test_weights_are_numbers_however_they_are_written(tmp_path):
    """Two spellings of a number are two labels, but one weight."""
    path = write(tmp_path, "a,g,y,w\n1,1,0,1\n2,1.0,1,1.0\n")
    table = read_table(path, "y", metadata={"groups": "g", "sample_weight": "w"})
    assert table.metadata["groups"].tolist() == ["1", "1.0"]
    assert table.metadata["sample_weight"].tolist() == [1, 1]


@pytest.mark.parametrize("text, metadata, message", [
    ("a,g,y\n1,p,0\n", {"groups": "h"}, "data.csv: no column 'h'; there are 3 columns: a, g, y"),
    ("a,g,y\n1, NA,0\n", {"groups": "g"}, "data.csv, row 0: the groups 'g' is missing, got ' NA'"),
    ("a,g,y\n1,p,0\n", {"groups": "y"}, "data.csv: 'y' must not be both the target and the groups"),
    ("g,y\n1,0\n", {"groups": "g"},
     "data.csv: no features, only the target 'y' and the groups or weights of the samples"),
    ("a,w,y\n1,p,0\n", {"sample_weight": "w"}, "data.csv: the sample_weight 'w' must hold finite numbers, got 'p'"),
    ("a,w,y\n1,1e999,0\n", {"sample_weight": "w"},
     "data.csv: the sample_weight 'w' must hold finite numbers, got '1e999'"),
    ("a,w,y\n1,1,0\n1,-1,0\n", {"sample_weight": "w"},
     "data.csv: the sample_weight 'w' must be finite and >= 0, got -1 in row 1"),
])
def test_metadata_that_cannot_be(tmp_path, text, metadata, message):
    assert refusal(write(tmp_path, text), metadata=metadata) == message


def test_a_dropped_column_of_metadata(tmp_path):
    path = write(tmp_path, "a,g,y\n1,p,0\n")
    assert refusal(path, drop=["g"], metadata={"groups": "g"}) == "data.csv: the groups 'g' must not be dropped"
