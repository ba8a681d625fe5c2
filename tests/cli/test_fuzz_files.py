"""Readers of files with damaged ones: each is refused in words that name it, or read as promised.

The same targets as those of `tests/fuzz/run.py`, with changes that are drawn the same way each time.
"""

import os
import random

import pytest

from fuzz import mutate, targets
from outcome import within

CASES = 300 if os.environ.get("MOELIGA_FUZZ", "short") == "short" else 12_000
"""Changed files for each target."""


@pytest.fixture(params=targets.TARGETS)
def target(request):
    if request.param == "parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow")
    return targets.TARGETS[request.param]


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
        targets.run("csv", b"a,y\n1,2\n", tmp_path)


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
            targets.run("csv", b"a,b,y\n1,2,3\n", tmp_path)
