"""The golden file: this build finds what it holds, in every way; and a difference would be seen."""

import json
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

import golden
from cases import CASES, searches, tables
from moeliga import MOELIGASelector
from moeliga.data.dataset import Dataset

WAYS = golden.ways()
SEVERAL = [way for way in WAYS if way.n_threads > 1]


@pytest.fixture(scope="module")
def content():
    return json.loads(golden.FILE.read_text())


@pytest.mark.quick("values", rest="golden")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_results_of_the_file(content, name, way):
    """1, 2, 3 and 7 threads, all instruction sets of this machine."""
    lines = golden.differences(content[name], golden.results(name, way))
    assert not lines, "\n".join([f"{name}: this build differs from {golden.FILE.name}", *lines])


def test_the_file_holds_these_cases(content):
    """None is missing, none is left from earlier; it is small, and as the program writes it."""
    assert list(content) == list(CASES)
    assert golden.FILE.read_text() == golden.text(content)
    assert golden.FILE.stat().st_size < 120_000


def test_every_parameter_of_the_selector_has_a_case():
    """But for those that the clock or a signal decides about, and what is printed."""
    text = Path(searches.__file__).read_text()
    without = {name for name in signature(MOELIGASelector).parameters
               if f'"{name}"' not in text and f'"{name}__' not in text}
    assert without == {"max_time", "verbose"}


# the tables are the same everywhere


def splitmix(state, n):
    """The generator of the tables as its authors print it, in integers without bounds."""
    found = []
    for _ in range(n):
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        found.append(z ^ (z >> 31))
    return found


@pytest.mark.parametrize("seed", [0, 1, 90, 2**64 - 1])
def test_words_are_those_of_splitmix64(seed):
    assert tables.words(seed, 50).tolist() == splitmix(seed, 50)
    assert tables.whole(seed, (5, 10), 7).ravel().tolist() == [word % 7 for word in splitmix(seed, 50)]


def test_the_first_word_is_the_published_one():
    assert int(tables.words(0, 1)[0]) == 0xE220A8397B1DCDAF


def test_tables_are_what_they_are_for():
    """Kinds of data that the kernels treat in ways of their own."""
    made = {name: tables.table(name) for name in tables.MADE}
    coded = {name: Dataset.encode(table.X, table.y, table.n_classes) for name, table in made.items()
             if name != "target"}
    assert np.isnan(made["missing"].X).any() and np.bincount(made["missing"].y).min() == 1
    assert made["few"].X.shape[1] < 64 < made["wide"].X.shape[1]
    assert coded["few"].counted.all() and coded["few"].codes.dtype == np.uint8
    assert 0 < coded["many"].counted.sum() < 6 and coded["many"].codes.dtype == np.uint16
    assert coded["large"].order.dtype == np.uint32 and np.any(coded["large"].lower != coded["large"].upper)
    assert coded["twenty"].n_classes == 20
    assert len(np.unique(made["target"].y)) < len(made["target"].y)


# a difference is seen, and can be read


@pytest.mark.parametrize("array", [
    np.arange(3) / 3, np.arange(300) / 3, np.arange(300, dtype=np.float32), np.zeros((4, 5)), np.arange(70),
    np.arange(9, dtype=np.uint16), np.arange(3) > 1, np.arange(300).reshape(20, 15) % 4 > 1,
], ids=golden.described)
def test_every_bit_counts(array):
    """One bit changed anywhere changes the line."""
    line = golden.described(array)
    for place in {0, array.size // 2, array.size - 1}:
        other = array.copy().ravel()
        if array.dtype == bool:
            other[place] = not other[place]
        else:
            other.view(f"u{array.itemsize}")[place] ^= 1
        assert golden.described(other.reshape(array.shape)) != line


def test_type_shape_and_sign_count():
    """And the layout in memory does not."""
    array = np.arange(12.0).reshape(3, 4)
    line = golden.described(array)
    assert golden.described(np.asfortranarray(array)) == golden.described(array.astype(">f8")) == line
    others = [array.astype(np.float32), array.reshape(4, 3), array.ravel(), -array, array.astype(np.int64)]
    assert line not in map(golden.described, others)
    assert golden.described(np.array([-0.0])) != golden.described(np.array([0.0]))


def test_all_nans_are_one():
    """Machines make NaN of either sign."""
    both = np.array([0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001], dtype=np.uint64).view(np.float64)
    assert golden.described(both) == "float64[3] nan nan nan"
    several = np.tile(both, 9)
    assert golden.described(several) == golden.described(np.full(27, np.nan)) != golden.described(np.zeros(27))


@pytest.mark.parametrize(("value", "line"), [
    ("text", "text"),
    (7, "int64[] 7"),
    (0.1, "float64[] 0x1.999999999999ap-4"),
    (np.array([1.0, -np.inf, 2.0**60]), "float64[3] 0x1p+0 -inf 0x1p+60"),
    (np.arange(10) == 9, "bool[10] 0002"),
    (np.zeros(0), "float64[0]"),
])
def test_lines_can_be_read(value, line):
    assert golden.described(value) == line


def test_differences_name_the_result_and_both_values():
    old, new = {"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "5", "d": "4"}
    lines = golden.differences(old, new)
    assert lines == ["  b\n    in the file 2\n    found       5", "  c\n    in the file 3\n    found       nothing",
                     "  d\n    in the file nothing\n    found       4"]
    assert golden.changes({"x": old, "y": old}, {"x": new, "y": old}) == ["x", *lines]


@pytest.mark.parametrize("way", SEVERAL + WAYS[-1:], ids=str)
def test_a_way_is_taken(way):
    """So many threads, and this instruction set, inside; as before, outside."""
    from moeliga.base.threads import n_threads

    X, y = tables.table("few")
    before = Dataset.encode(X, y, 3).level
    with way.taken():
        assert n_threads(way.n_threads) == way.n_threads
        assert Dataset.encode(X, y, 3).level == way.level
    assert Dataset.encode(X, y, 3).level == before


# the program


@pytest.fixture
def two_cases(monkeypatch, tmp_path):
    """A file of two cases, one of which the test changes."""
    results = {"one": {"a": np.arange(3)}, "two": {"b": np.arange(3) / 7}}
    monkeypatch.setattr(golden, "CASES", {name: lambda n_threads, name=name: results[name] for name in results})
    monkeypatch.setattr(golden, "FILE", tmp_path / "golden.json")
    return results


def program(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["golden.py", *arguments])
    return golden.main()


def test_the_program_compares(two_cases, monkeypatch, capsys):
    """Status 0 while all is the same, 1 and the difference when it is not."""
    assert program(monkeypatch, "--write") == 0
    assert program(monkeypatch) == 0
    assert "2 cases" in capsys.readouterr().out
    two_cases["two"]["b"] = np.nextafter(np.arange(3) / 7, 1)
    assert program(monkeypatch) == 1
    out = capsys.readouterr().out
    assert "two: 1 threads" in out and "0x1.2492492492493p-3" in out and "1 different" in out and "one:" not in out
    assert program(monkeypatch, "--only", "one") == 0
    assert program(monkeypatch, "--only", "three") == 1


def test_the_program_overwrites_only_when_told(two_cases, monkeypatch, capsys):
    """What would change is printed either way."""
    assert program(monkeypatch, "--write") == 0
    before = golden.FILE.read_text()
    assert program(monkeypatch, "--write") == 0
    assert golden.FILE.read_text() == before
    two_cases["one"]["a"] = np.arange(4)
    capsys.readouterr()
    assert program(monkeypatch, "--write") == 1
    assert golden.FILE.read_text() == before
    out = capsys.readouterr().out
    assert "int64[4] 0 1 2 #" in out and "--overwrite" in out and "two" not in out
    assert program(monkeypatch, "--write", "--overwrite") == 0
    assert "int64[4] 0 1 2 #" in capsys.readouterr().out
    assert program(monkeypatch) == 0


def test_a_build_that_disagrees_with_itself_writes_nothing(monkeypatch, tmp_path, capsys):
    """A result that depends on the way."""
    monkeypatch.setattr(golden, "CASES", {"one": lambda n_threads: {"a": n_threads}})
    monkeypatch.setattr(golden, "FILE", tmp_path / "golden.json")
    monkeypatch.setattr(golden, "ways", lambda: [golden.Way(1, 0), golden.Way(2, 0)])
    assert program(monkeypatch, "--write") == 1
    assert "differs from 1 threads" in capsys.readouterr().out
    assert not golden.FILE.exists()
