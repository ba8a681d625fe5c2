"""Reading Parquet: columns of every kind as pandas reads them; every refusal names row, column and value."""

import datetime
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from commands import refusal

import moeliga
from moeliga.cli.files import read_table
from moeliga.cli.names import AllBut

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def write(folder, **columns):
    path = folder / "data.parquet"
    parquet.write_table(pa.table(columns), path)
    return path


def test_columns_are_those_of_pandas(tmp_path, rng):
    """Integers, floats, booleans, decimals and nulls; labels of text and of categories."""
    pd = pytest.importorskip("pandas")
    path = write(tmp_path, f=rng.normal(size=4), y=["a", "b", "a", "b"], i=pa.array([1, None, 3, 4]), k=[1, 2, 3, 4],
                 b=[True, False, True, None], d=[Decimal("1.5"), Decimal("2"), None, Decimal("4")],
                 n=pa.nulls(4), c=pa.array(["u", "v", "u", "u"]).dictionary_encode())
    frame = pd.read_parquet(path)
    for target, other in (("y", "c"), ("c", "y")):
        table = read_table(path, target, drop=[other])
        assert table.feature_names.tolist() == list("fikbdn") and table.X.dtype == np.float64
        np.testing.assert_array_equal(table.X, frame[list("fikbdn")].astype(float))
        assert table.y.tolist() == frame[target].tolist()


def test_a_target_may_be_decimal(tmp_path):
    """Features may be decimal too."""
    path = write(tmp_path, x=[1.0, 2.0], y=[Decimal("1.5"), Decimal("2.25")])
    assert read_table(path, "y").y.tolist() == [1.5, 2.25]
    path = write(tmp_path, x=[1.0, 2.0], y=[Decimal("1.5"), None])
    with pytest.raises(ValueError, match="row 1: the target 'y' is missing, got nothing"):
        read_table(path, "y")


def test_single_precision_stays(tmp_path, rng):
    X = rng.normal(size=5).astype(np.float32)
    table = read_table(write(tmp_path, x=X, b=X > 0, y=[1, 2, 1, 2, 1]), "y")
    assert table.X.dtype == np.float32
    np.testing.assert_array_equal(table.X, np.column_stack((X, X > 0)))
    assert table.y.tolist() == [1, 2, 1, 2, 1]


def test_metadata_is_taken_out_of_the_features(tmp_path):
    path = write(tmp_path, x=[1.0, 2.0], y=[0, 1], p=["a", "b"])
    table = read_table(path, "y", metadata={"groups": "p"})
    assert table.feature_names.tolist() == ["x"] and table.metadata["groups"].tolist() == ["a", "b"]


def test_an_index_that_pandas_saved_is_no_feature(tmp_path):
    """Whatever its name and its levels: one that is sorted by class would predict it. A range is no column."""
    pd = pytest.importorskip("pandas")
    path, frame = tmp_path / "data.parquet", pd.DataFrame({"a": [1.0, 3.0, 2.0], "y": [0, 0, 1]})
    for index, names in ((pd.Index([5, 9, 7]), ["__index_level_0__"]), (pd.Index([5, 9, 7], name="id"), ["id"]),
                         (pd.MultiIndex.from_tuples([(1, "u"), (1, "v"), (2, "u")], names=["m", "n"]), ["m", "n"]),
                         (pd.RangeIndex(3, name="range"), [])):
        frame.set_index(index).to_parquet(path)
        table = read_table(path, "y")
        assert table.feature_names.tolist() == ["a"] and table.left_out == tuple(names)
        assert table.notes == tuple(f"Left out the column {name!r}: an index that pandas saved." for name in names)
        assert read_table(path, "y", drop=names).notes == ()


def test_an_index_may_have_a_purpose(tmp_path):
    """It may be the target, the groups, or a feature that an option names literally, not by a pattern."""
    pd = pytest.importorskip("pandas")
    path, listing = tmp_path / "data.parquet", tmp_path / "names.txt"
    listing.write_text("id\n")
    pd.DataFrame({"a": [1.0, 3.0], "y": [0, 1]}, index=pd.Index([5, 7], name="id")).to_parquet(path)
    assert read_table(path, "id", drop=["y"]).y.tolist() == [5, 7]
    table = read_table(path, "y", metadata={"groups": "id"})
    assert table.metadata["groups"].tolist() == [5, 7] and table.notes == ()
    for asked in (["id"], ["a, id", ""]):
        table = read_table(path, "y", requested=asked)
        assert table.feature_names.tolist() == ["a", "id"] and table.notes == ()
    for asked in (["*", "i?", "a,"], [f"@{listing}"]):  # a file may be a pipe, which can be read once
        assert read_table(path, "y", requested=asked).feature_names.tolist() == ["a"]
    assert read_table(path, "y", drop=AllBut({"a", "id", "y"})).feature_names.tolist() == ["a", "id"]


@pytest.mark.parametrize("said", [b"not json", b"[]", b"\xff", b"{}", b'{"index_columns": null}'])
def test_what_pandas_does_not_write_is_no_index(tmp_path, said):
    """The columns are read although the metadata are invalid."""
    path = tmp_path / "data.parquet"
    table = pa.table({"a": [1.0, 2.0], "y": ["p", "q"]}).replace_schema_metadata({b"pandas": said})
    parquet.write_table(table, path)
    assert read_table(path, "y").X.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("columns, options, message", [
    ({"x": [1.0]}, {}, "data.parquet: no column 'y'; there is 1 column: x"),
    ({"x": [1.0], "y": [1]}, {"target": None},
     "data.parquet: name the column of the target (--target); there are 2 columns: x, y"),
    ({"x": [1.0], "y": [1]}, {"separator": ";"}, "data.parquet: a separator is for CSV files only, got ';'"),
    ({"x": pa.array([], pa.float64()), "y": pa.array([], pa.int64())}, {}, "data.parquet: no rows"),
    ({"x": [None, "red"], "y": [1, 2]}, {},
     "data.parquet: features must be finite numbers, but 1 column is not: 'x' (string, 'red' in row 1); encode as "
     "numbers (--encode does it for text of at most 20 values), or leave out with --drop x"),
    ({"x": [1.0, np.inf], "y": [1, 2]}, {},
     "data.parquet: features must be finite numbers, but 1 column is not: 'x' (inf in row 1); encode as numbers, or "
     "leave out with --drop x"),
    ({"x": [1.0, 2.0], "y": [1, None]}, {}, "data.parquet, row 1: the target 'y' is missing, got nothing"),
    ({"x": [1.0, 2.0], "y": [np.nan, 1.0]}, {}, "data.parquet, row 0: the target 'y' is missing, got nan"),
    ({"x": [1.0, 2.0], "y": ["b", "b\0"]}, {},
     "data.parquet, row 1: the target 'y' must hold no null character, got 'b\\x00'"),
    ({"x": [1.0, 2.0], "y": [[1, 2], [3, 4]]}, {},
     "data.parquet: the target 'y' must hold text, numbers or booleans, got list<element: int64>"),
    ({"x": [1.0, 2.0], "y": [[1, 2], [3]]}, {},
     "data.parquet: the target 'y' must hold text, numbers or booleans, got list<element: int64>"),
    ({"x": pa.array([2**31 - 1], pa.date32()), "y": [1]}, {},
     "data.parquet: features must be finite numbers, but 1 column is not: 'x' (date32[day], a value in row 0); encode "
     "as numbers, or leave out with --drop x"),
    ({"x": [1.0], "y": pa.array([2**31 - 1], pa.date32())}, {},
     "data.parquet: the target 'y' must hold text, numbers or booleans, got date32[day]"),
    ({"x": [1.0], "y": [datetime.date(2020, 1, 1)]}, {},
     "data.parquet: the target 'y' must hold text, numbers or booleans, got date32[day]"),
])
def test_what_cannot_be_is_refused(tmp_path, columns, options, message):
    assert refusal(write(tmp_path, **columns), **options) == message


def test_no_parquet_file(tmp_path):
    path = tmp_path / "data.parquet"
    path.write_bytes(b"a,y\n1,2\n")
    assert refusal(path).startswith("data.parquet: Parquet ")


def test_damaged_files(tmp_path, rng):
    """A file cut short or with flipped bits gives its table, another one, or an error that names the file."""
    content = write(tmp_path, x=[1.0, 2.0], y=["a", "b"]).read_bytes()
    damages = [content[:length] for length in range(0, len(content), 29)]
    for place in rng.integers(len(content), size=200).tolist():
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(rng.integers(8))
        damages.append(bytes(flipped))
    refused = 0
    for damage in damages:
        path = tmp_path / "data.parquet"
        path.write_bytes(damage)
        try:
            read_table(path, "y")
        except ValueError as error:
            assert type(error) is ValueError and str(path) in str(error)
            refused += 1
    assert refused > 100


def varint(number):
    """Return a number in the compact form of Thrift, which the metadata of Parquet use."""
    number, found = 2 * number, []
    while number >= 128:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def test_rows_that_are_not_there(tmp_path):
    """pyarrow would allocate memory for each count in the metadata, however small the file is."""
    n, more = 1000, 1020
    path = write(tmp_path, x=np.zeros(n), y=np.zeros(n, dtype=int))
    content, found = path.read_bytes(), []
    place = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    while (place := content.find(varint(n), place + 1)) >= 0:
        path.write_bytes(content[:place] + varint(more) + content[place + 2 :])
        try:
            read_table(path, "y")
        except ValueError as error:
            found.append(str(error).partition(", got ")[2])
    assert found == ["1,020 and 1,000", "1,000 and 1,020"]  # of the file and of its row group; others pyarrow bears


def test_a_table_that_comes_in_parts(tmp_path, monkeypatch, rng):
    """Batches and row groups of any length give the same table as one batch, labels of categories too."""
    monkeypatch.setattr("moeliga.cli.files.BATCH_ROWS", 7)
    X, kinds = rng.normal(size=(50, 2)).astype(np.float32), np.array(["u", "v", "w"])[rng.integers(3, size=50)]
    table = pa.table({"a": X[:, 0], "i": pa.array([None if row % 9 == 4 else row for row in range(50)], pa.int32()),
                      "y": pa.array(kinds).dictionary_encode(), "b": X[:, 1], "g": np.arange(50) // 5})
    parquet.write_table(table, tmp_path / "data.parquet", row_group_size=20)
    found = read_table(tmp_path / "data.parquet", "y", metadata={"groups": "g"})
    whole = np.column_stack((X[:, 0], np.where(np.arange(50) % 9 == 4, np.nan, np.arange(50)), X[:, 1]))
    np.testing.assert_array_equal(found.X, whole)
    assert found.y.tolist() == kinds.tolist() and found.metadata["groups"].tolist() == (np.arange(50) // 5).tolist()


def test_a_row_of_a_later_part_has_its_own_number(tmp_path, monkeypatch):
    monkeypatch.setattr("moeliga.cli.files.BATCH_ROWS", 4)
    path = write(tmp_path, x=[None] * 10 + ["text"], y=[0, 1] * 5 + [0])
    assert "'x' (string, 'text' in row 10)" in refusal(path)


MEASURE = """
import sys, tracemalloc
import numpy, pyarrow
from moeliga.cli.files import read_table
tracemalloc.start()
X = read_table(sys.argv[1], *sys.argv[2:]).X
assert X.dtype == numpy.float32
print(X.nbytes, tracemalloc.get_traced_memory()[1], pyarrow.default_memory_pool().max_memory())
"""


def measured(path, *target):
    """Return the bytes of X and the peak memory of NumPy and of pyarrow, measured in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(Path(moeliga.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path), *target], env=environment, capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return map(int, done.stdout.split())


@pytest.mark.soak
def test_float32_is_read_without_a_second_copy(tmp_path):
    """Beside X there are pages of each column, and one byte a value while it is looked through for infinite ones."""
    X = np.random.default_rng(0).standard_normal((1_200_000, 12), dtype=np.float32)
    y = np.arange(len(X)) % 2
    path = write(tmp_path, **{f"x{f}": X[:, f] for f in range(12)}, y=y)
    n_bytes, ours, theirs = measured(path, "y")
    assert n_bytes == X.nbytes and ours < 1.6 * n_bytes and theirs < 0.75 * n_bytes
    np.savez(tmp_path / "data.npz", X=X, y=y)
    n_bytes, ours, _ = measured(tmp_path / "data.npz")
    assert ours < 1.6 * n_bytes
