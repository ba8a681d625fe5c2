"""Damaged files: each is refused in words that name it, or read as promised.

Those that our own readers take have the targets of `tests/fuzz/run.py`, with changes that are drawn the same way each
time. Data files that libraries read go through the command line.
"""

import random

import pytest
from commands import run

from call_outcome import within
from fuzz import mutate, seeds, targets
from tiers import PERCENT

CASES = 3 * PERCENT
"""Changed files for each target."""


@pytest.fixture(params=targets.TARGETS)
def target(request):
    return targets.TARGETS[request.param]


@pytest.mark.parametrize("kind", ["csv", "arff", "parquet", "npz"])
@pytest.mark.filterwarnings("ignore")
def test_damaged_data_files_end_with_status_2_and_one_line(kind, tmp_path, monkeypatch, capsys):
    """The results' folder is not empty, which is refused after the data are read: no search begins."""
    if kind in ("csv", "parquet"):
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes.txt").touch()
    rng, wholes, refused = random.Random(0), getattr(seeds, kind)(), 0
    for number in range(CASES // 2):
        data = mutate.mutated(rng, wholes, [b",", b"\n", b'"', b"\0", b"\xff", b"1e999", b"{", b"y"])
        (tmp_path / f"data.{kind}").write_bytes(data)
        with within(60):
            status, _, err = run(capsys, "select", f"data.{kind}", "--target", "y", "--drop", "d", "--out", "run")
        assert (status, err.count("\n")) == (2, 1) and err.startswith("moeliga: error: "), (number, err)
        refused += f"data.{kind}" in err
        assert f"data.{kind}" in err or "run is not empty" in err, (number, err)
    assert refused > CASES // 8


def test_files_to_begin_with_are_read(target, tmp_path, monkeypatch):
    """Nothing is refused: changes begin at what is right."""
    calls, original = [], targets.refused

    def refused(call, names, kinds=(ValueError,)):
        calls.append(original(call, names, kinds))
        return calls[-1]

    monkeypatch.setattr(targets, "refused", refused)
    for seed in target.seeds():
        calls.clear()
        target.run(seed, tmp_path)
        assert not all(failed for _, failed in calls)


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_refused_or_read(target, tmp_path):
    """Nothing escapes, no promise is broken, nothing takes for ever."""
    rng, seeds = random.Random(0), target.seeds()
    for number in range(CASES):
        data = mutate.mutated(rng, seeds, target.tokens)
        try:
            with within(60):
                target.run(data, tmp_path)
        except Exception as error:
            path = tmp_path / "finding"
            path.write_bytes(data)
            raise AssertionError(f"change {number}, kept as {path}: {error!r}") from error


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError("x"), MemoryError(), ValueError("names no file"),
                                   UnicodeDecodeError("utf-8", b"\xff", 0, 1,
                                                      "data.csv"), OSError("no number")], ids=repr)
def test_what_a_reader_must_not_raise_is_a_finding(error, tmp_path, monkeypatch):
    """Other errors, subclasses, refusals without a name."""
    def read_table(*arguments, **options):
        raise error

    monkeypatch.setattr(targets, "read_table", read_table)
    with pytest.raises((targets.Finding, KeyError, RecursionError, MemoryError)):
        targets.run("npz", seeds.npz()[1], tmp_path)


def test_what_a_reader_must_not_return_is_a_finding(tmp_path, monkeypatch):
    """A table with an infinite number, or with a name twice."""
    table = targets.read_table
    for change in (lambda read: read.X.fill(float("inf")), lambda read: read.feature_names.fill("a")):
        def read_table(*arguments, change=change, **options):
            read = table(*arguments, **options)
            change(read)
            return read

        monkeypatch.setattr(targets, "read_table", read_table)
        with pytest.raises(targets.Finding, match="^not so: "):
            targets.run("npz", seeds.npz()[1], tmp_path)
