"""A front written down, and read back by others."""

import csv
import json
import math
import os
import sys
import tracemalloc
from functools import partial
from html.parser import HTMLParser

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from packaging.version import Version

from moeliga import ParetoFront
from moeliga.base.text import visible
from moeliga.results.files import write_csv, write_file

NAMES = ["plain", "with; semicolon", 'with "quotes"', "with, comma", "Größe", "two\nlines", " space "]


@pytest.fixture
def front(rng):
    """Members of awkward names, with numbers that need all their digits, and one unknown error."""
    supports = np.array([[0, 0, 0, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0], [0, 1, 1, 1, 1, 1, 1]], dtype=bool)
    objectives = rng.random((3, 2)) / 3
    errors = rng.random(3) / 3
    errors[1] = np.nan
    return ParetoFront(supports, objectives, ("cardinality", "uar"), 1, errors, rng.random((3, 2)) * 1e-7,
                       np.array(NAMES))


COLUMNS = ["n_selected", "cardinality", "uar", "score_se", "r1", "features"]


def names_of(front):
    return [[name for name, held in zip(NAMES, row, strict=True) if held] for row in front.supports]


def assert_same(one, other):
    """All that a front holds, bit for bit."""
    assert (one.names, one.primary) == (other.names, other.primary)
    for name in ("supports", "objectives", "score", "score_se", "search_objectives", "n_selected", "feature_names",
                 "r1"):
        assert_array_equal(getattr(one, name), getattr(other, name), strict=name != "feature_names")
    assert one.supports.dtype == other.supports.dtype == bool


def with_costs(front):
    """The same front, of features that have costs."""
    return ParetoFront(front.supports, front.objectives, front.names, front.primary, front.score_se,
                       front.search_objectives, front.feature_names, front.supports @ np.arange(7) / 3)


def test_costs_are_a_column_and_come_back(front, tmp_path):
    """In every format; and a text that has them for some members only is refused."""
    costly = with_costs(front)
    assert costly.columns()["total_cost"].tolist() == costly.cost.tolist()
    assert "total_cost" not in front.columns()
    back = ParetoFront.from_json(costly.to_json())
    assert_same(back, costly)
    assert back.cost.tobytes() == costly.cost.tobytes()
    assert ParetoFront.from_json(front.to_json()).cost is None
    content = json.loads(costly.to_json())
    del content["members"][1]["cost"]
    with pytest.raises(ValueError, match="cost must be given for all members or none, got 2 of 3"):
        ParetoFront.from_json(json.dumps(content))


# CSV


def test_pandas_reads_the_csv(front, tmp_path):
    """Columns, types and digits; an unknown error is missing."""
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "front.csv"
    front.to_csv(path)
    rounds = Version(pandas.__version__) < Version("3.1")
    frame = pandas.read_csv(path, **({"float_precision": "round_trip"} if rounds else {}))
    assert frame.columns.tolist() == COLUMNS
    for name, values in (("n_selected", front.n_selected), ("uar", front.score), ("score_se", front.score_se),
                         ("cardinality", front.objectives[:, 0]), ("r1", front.r1)):
        assert_array_equal(frame[name].to_numpy(), values, strict=True)
    assert [next(csv.reader([line], delimiter=";")) for line in frame["features"][:2]] == names_of(front)[:2]
    assert next(csv.reader(frame["features"][2].splitlines(keepends=True), delimiter=";")) == names_of(front)[2]


def test_csv_is_utf8_with_plain_line_ends(front, tmp_path):
    """The same bytes on every system."""
    front.to_csv(tmp_path / "front.csv")
    content = (tmp_path / "front.csv").read_bytes()
    assert "Größe".encode() in content and b"\r" not in content and content.endswith(b"\n")


@pytest.mark.parametrize("writer, reader", [("to_csv", "read_csv"), ("to_parquet", "read_parquet")])
def test_the_chosen_member_is_marked_on_demand(front, tmp_path, writer, reader):
    pandas = pytest.importorskip("pandas")
    if writer == "to_parquet":
        pytest.importorskip("pyarrow")
    getattr(front, writer)(tmp_path / "front", chosen=np.int64(2))
    frame = getattr(pandas, reader)(tmp_path / "front")
    assert frame.columns.tolist() == [*COLUMNS[:-1], "chosen", "features"]
    assert frame["chosen"].tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match=r"chosen must be in \[0, 3\), got 3"):
        getattr(front, writer)(tmp_path / "other", chosen=3)
    assert not (tmp_path / "other").exists()


def test_an_objective_does_not_hide_a_column(front, tmp_path):
    """A function that is called like a column of the table keeps its own."""
    named = ParetoFront(front.supports, front.objectives.copy(), ("r1", "uar"), 1, front.score_se.copy(),
                        front.search_objectives.copy(), front.feature_names)
    columns = named.columns()
    assert list(columns) == ["n_selected", "objective_r1", "uar", "score_se", "r1", "features"]
    assert_array_equal(columns["objective_r1"], front.objectives[:, 0])
    assert_array_equal(columns["r1"], named.r1)


def test_columns_are_written_with_all_digits(rng, tmp_path):
    """Arrays and lists alike; `float` gives the same bits back."""
    values = rng.random(50) * 10.0 ** rng.integers(-300, 300, 50)
    write_csv(tmp_path / "x.csv", {"a": values, "b": [None] * 50, "c": np.where(values > 1, values, np.nan)})
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert_array_equal([float(row["a"]) for row in rows], values)
    assert {row["b"] for row in rows} == {""}
    assert [row["c"] for row in rows] == [repr(float(value)) if value > 1 else "" for value in values]


# JSON


def test_json_comes_back_to_the_last_bit(front, tmp_path):
    """From the text, and from a file."""
    assert_same(ParetoFront.from_json(front.to_json()), front)
    assert front.to_json(tmp_path / "front.json") is None
    assert_same(ParetoFront.from_json(tmp_path / "front.json"), front)
    assert_same(ParetoFront.from_json(str(tmp_path / "front.json")), front)


def test_json_is_plain(front):
    """Any other program can read it: places of features, no NaN."""
    content = json.loads(front.to_json(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert content["feature_names"] == NAMES and content["objective_names"] == ["cardinality", "uar"]
    assert [member["features"] for member in content["members"]] == [[3], [0, 1], [1, 2, 3, 4, 5, 6]]
    assert content["members"][1]["score_se"] is None
    assert [member["objectives"][content["primary"]] for member in content["members"]] == front.score.tolist()


def test_a_front_without_members_comes_back():
    empty = ParetoFront(np.zeros((0, 4), dtype=bool), np.zeros((0, 3)), "abc", 0, np.zeros(0), np.zeros((0, 3)),
                        np.array(list("wxyz")))
    assert_same(ParetoFront.from_json(empty.to_json()), empty)


def test_a_front_that_was_read_is_read_only_and_can_choose(front):
    back = ParetoFront.from_json(front.to_json())
    assert back.choose("best") == front.choose("best") and back.features(1) == front.features(1)
    with pytest.raises(ValueError, match="read-only"):
        back.objectives[0] = 0


def changed(front, **changes):
    return json.dumps({**json.loads(front.to_json()), **changes})


@pytest.mark.parametrize("change, message", [
    ({"format": "else"}, "format must be 'moeliga.ParetoFront', got 'else'"),
    ({"version": 2}, "version must be 1, got 2"),
    ({"version": True}, "version must be 1, got True"),
    ({"primary": 2}, r"primary must be in \[0, 2\), got 2"),
    ({"feature_names": NAMES[:3]}, r"features must be in \[0, 3\), got 3"),
    ({"objective_names": ["uar", "cardinality", "third"]},
     r"objectives must have 3 numbers for each member, got 2"),
    ({"objective_names": ["uar", "uar"]}, r"objective_names must be distinct, got \['uar', 'uar'\]"),
    ({"objective_names": "ab"}, "objective_names must be a list of names, got 'ab'"),
    ({"objective_names": [["uar"], "b"]}, r"objective_names must be a list of names, got \[\['uar'\], 'b'\]"),
    ({"feature_names": [*NAMES[:-1], "a\0"]}, "feature_names must hold no null characters, got "),
    ({"feature_names": []}, r"feature_names must be a list of names, got \[\]"),
    ({"feature_names": {"a": 1}}, "feature_names must be a list of names, got {'a': 1}"),
    ({"feature_names": [*NAMES[:-1], "\ud800"]}, "surrogates not allowed"),
    ({"members": [{"features": [0]}]}, "'objectives' is missing"),
    ({"members": 3}, "'int'"),
    ({"members": 4 * [None]}, "not subscriptable"),
    *(({"members": [{"features": [0], "objectives": [0.5, 0.5], "search_objectives": [0.5, 0.5], "score_se": 0.1,
                     **member}]},
       message) for member, message in (
        ({"objectives": [math.nan, 0.5]}, "objectives must be finite, got nan"),
        ({"objectives": [0.5, None]}, "objectives must be a number, got None"),
        ({"objectives": ["0.5", 0.5]}, "objectives must be a number, got '0.5'"),
        ({"objectives": [[0.5], [0.5]]}, r"objectives must be a number, got \[0.5\]"),
        ({"search_objectives": [0.5, 10**400]}, "search_objectives must be finite, got 1000"),
        ({"score_se": -1}, "score_se must be >= 0, got -1"),
        ({"score_se": [1]}, r"score_se must be a number, got \[1\]"),
        ({"cost": "1"}, "cost must be a number, got '1'"),
        ({"features": [True]}, "features must be an integer, got True"))),
])
def test_other_json_is_refused(front, change, message):
    """Saying what is wrong with it."""
    with pytest.raises(ValueError, match="source must be a front that to_json has written: .*" + message):
        ParetoFront.from_json(changed(front, **change))


@pytest.mark.quick(1)
@pytest.mark.parametrize("names, members, message", [
    (60_000 * ["f"], 60_000 * [{}], "60,000 members and 60,000 features are too many for a text of 540,144 characters"),
    (60_000 * ["f"], 60_000 * [{"features": [0], "objectives": [0.5], "score_se": None, "search_objectives": [0.5]}],
     "60,000 members and 60,000 features are too many for a text"),
    (["n" * 1_000_000, *10_000 * ["f"]], [], "1,000,000 characters of a name and 10,001 features are too many"),
], ids=["members without entries", "whole members", "a long name"])
def test_a_small_text_takes_no_large_memory(names, members, message):
    """What would be tables of 4 GB and 40 GB."""
    text = json.dumps({"format": "moeliga.ParetoFront", "version": 1, "feature_names": names,
                       "objective_names": ["uar"], "primary": 0, "n_rescore_splits": 0, "members": members})
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"source must be a front that to_json has written: {message}"):
            ParetoFront.from_json(text)
        assert tracemalloc.get_traced_memory()[1] < 1 << 28
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_a_large_front_comes_back():
    """Many members of very many features."""
    supports = np.eye(2000, 20_000, dtype=bool)
    values = np.linspace(0.5, 1, 2000)[:, None]
    front = ParetoFront(supports=supports, names=("uar",), primary=0, objectives=values, search_objectives=values,
                        score_se=np.full(2000, np.nan), feature_names=np.array([f"x{f}" for f in range(20_000)]),
                        cost=None, n_rescore_splits=0)
    assert_array_equal(ParetoFront.from_json(front.to_json()).supports, front.supports)


def test_what_is_no_json_is_refused(tmp_path):
    (tmp_path / "x.json").write_text("[1, 2]")
    (tmp_path / "y.json").write_bytes(b'{"format": "\xff"}')
    for source in ("{", tmp_path / "x.json", tmp_path / "y.json", '{"a": ' + 100_000 * "["):
        with pytest.raises(ValueError, match="source must be a front that to_json has written"):
            ParetoFront.from_json(source)
    with pytest.raises(FileNotFoundError) as caught:
        ParetoFront.from_json(tmp_path / "none.json")
    assert "JSON" not in str(caught.value)
    if sys.platform != "win32":  # which has another error for folders
        with pytest.raises(IsADirectoryError, match="source must be a file, or JSON text, which begins with '{': '.'$"):
            ParetoFront.from_json(".")
    with pytest.raises(FileNotFoundError, match="source must be a file, or JSON text, which begins with '{': 'hello'$"):
        ParetoFront.from_json("hello")


@pytest.mark.parametrize("before", ["\ufeff", "["])
def test_a_long_text_that_is_no_object_is_not_repeated(front, before):
    """Which is no name of a file: what is wrong with it stands in one short line."""
    with pytest.raises(ValueError, match="^source must be a file, or JSON text, which begins with '{', got ") as caught:
        ParetoFront.from_json(before + front.to_json())
    assert repr(before)[:-1] in str(caught.value) and len(str(caught.value)) < 120
    assert caught.value.__suppress_context__


def test_paths_that_no_file_can_have_are_named(front, tmp_path):
    """A null character, and a folder, whether it may be replaced or not."""
    for call, name in ((front.to_csv, "path"), (front.to_json, "path"), (ParetoFront.from_json, "source")):
        with pytest.raises(ValueError, match=rf"^{name} must hold no null character, got 'a\\x00b'$"):
            call("a\0b")
    for overwrite in (False, True):
        with pytest.raises(IsADirectoryError, match=f"^path must be a file, got the folder {str(tmp_path)!r}$"):
            front.to_csv(tmp_path, overwrite=overwrite)


def test_a_number_is_no_path(front):
    """`open` would take it for a file that is open, and close it."""
    reader, writer = os.pipe()
    for call in (ParetoFront.from_json, front.to_csv, front.to_json, partial(front.to_json, overwrite=True)):
        with pytest.raises(TypeError, match=f"(path|source) must be a path, got {writer}"):
            call(writer)
    os.write(writer, b"open")
    assert os.read(reader, 4) == b"open"
    os.close(reader)
    os.close(writer)


# Parquet


@pytest.mark.parametrize("reader", ["pandas", "polars"])
def test_others_read_the_parquet(front, tmp_path, reader):
    """Columns, types and digits; names are lists; an unknown error is null."""
    pytest.importorskip("pyarrow")
    package = pytest.importorskip(reader)
    front.to_parquet(tmp_path / "front.parquet")
    frame = package.read_parquet(tmp_path / "front.parquet")
    assert list(frame.columns) == COLUMNS
    for name, values in (("n_selected", front.n_selected), ("uar", front.score), ("r1", front.r1)):
        assert_array_equal(frame[name].to_numpy(), values, strict=True)
    missing = frame["score_se"].isna() if reader == "pandas" else frame["score_se"].is_null()
    assert_array_equal(missing, [False, True, False])
    assert [list(names) for names in frame["features"]] == names_of(front)


def test_parquet_says_what_it_needs(front, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"^ParetoFront.to_parquet needs pyarrow: pip install 'moeliga\[files\]'"):
        front.to_parquet(tmp_path / "front.parquet")
    assert list(tmp_path.iterdir()) == []


# files


@pytest.mark.parametrize("method", ["to_csv", "to_json", "to_parquet"])
def test_an_existing_file_is_replaced_only_on_demand(front, tmp_path, method):
    if method == "to_parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / "front"
    path.write_text("old, and longer than anything new" * 1000)
    with pytest.raises(FileExistsError, match="path must be a new file unless overwrite=True, got '.*front'"):
        getattr(front, method)(path)
    assert path.read_text().startswith("old")
    getattr(front, method)(str(path), overwrite=True)
    assert b"old, and" not in path.read_bytes()
    with pytest.raises(TypeError, match="overwrite must be True or False, got 'yes'"):
        getattr(front, method)(path, overwrite="yes")


def test_csv_and_json_need_neither_pandas_nor_pyarrow(front, tmp_path, monkeypatch):
    for name in ("pandas", "pyarrow", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    front.to_csv(tmp_path / "front.csv")
    front.to_json(tmp_path / "front.json")
    assert_same(ParetoFront.from_json(tmp_path / "front.json"), front)


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_file_is_written_as_a_whole_or_not_at_all(tmp_path, monkeypatch, overwrite):
    """A full disk leaves what was there, a reader at any moment sees the one or the other, a link stays a link."""
    path, seen, flush = tmp_path / "x.csv", [], os.fsync
    if overwrite:
        (tmp_path / "target.csv").write_bytes(b"before")
        path.symlink_to("target.csv")

    def look(descriptor):
        seen.append(path.read_bytes() if path.exists() else None)
        if len(seen) == 1:
            raise OSError(28, "No space left on device")
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", look)
    with pytest.raises(OSError, match="No space left"):
        write_file(path, b"content", overwrite)
    assert sorted(os.listdir(tmp_path)) == (["target.csv", "x.csv"] if overwrite else [])
    write_file(path, b"content", overwrite)
    assert path.read_bytes() == b"content" and seen[:2] == 2 * [b"before" if overwrite else None]
    assert path.is_symlink() == overwrite
    with pytest.raises(FileExistsError, match="path must be a new file unless overwrite=True"):
        write_file(path, b"other", False)
    assert path.read_bytes() == b"content"


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="needs a device")
def test_a_device_stays_a_device(tmp_path):
    """Even for root."""
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    write_file(link, b"content", True)
    assert not os.path.isfile("/dev/null") and os.listdir(tmp_path) == ["null"]


class Cells(HTMLParser):
    """Rows of the cells of a table."""

    def __init__(self):
        super().__init__()
        self.rows = []

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, text):
        if self.rows[-1:] and self.rows[-1]:
            self.rows[-1][-1] += text


def test_a_notebook_shows_errors_as_their_scores(front):
    """Small ones beside big scores have three decimals, as these."""
    small = ParetoFront(front.supports, front.objectives, front.names, front.primary, [1e-3, 2e-3, 0.0],
                        front.search_objectives, front.feature_names)
    page = Cells()
    page.feed(small._repr_html_())
    assert [row[3] for row in page.rows] == ["score_se", "0.001", "0.002", "0.000"]


def test_a_notebook_shows_a_table(front):
    """Names are text and no markup; many names, and many members, are counted."""
    page = Cells()
    page.feed(with_costs(front)._repr_html_())
    assert page.rows[0] == [*COLUMNS[:-1], "total_cost", "features"]
    assert [row[-1] for row in page.rows[1:]] == [", ".join(map(visible, names)) for names in names_of(front)]
    assert page.rows[2][1:5] == [*(f"{value:.3f}" for value in front.objectives[1]), "", f"{front.r1[1]:.3f}"]
    supports = np.tril(np.ones((103, 103), dtype=bool))
    many = ParetoFront(supports, np.zeros((103, 1)), ("uar",), 0, np.zeros(103), np.zeros((103, 1)),
                       np.array([f"<b>{f}" for f in range(103)]))
    page = Cells()
    page.feed(many._repr_html_())
    assert page.rows[12][-1].startswith("<b>0, <b>1, ") and page.rows[12][-1].endswith(", <b>7, + 4")
    assert page.rows[8][-1].endswith(", <b>7")
    assert len(page.rows) == 101 and page.rows[-1][-1].endswith("3 more")
    assert "more" not in many.part(np.arange(100))._repr_html_()
