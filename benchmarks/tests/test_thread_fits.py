"""Whole fits by the clock: who gets which processors, what is compared, and the table of the page."""

import importlib
import os
import sys

import numpy as np
import pytest
from evidence import FOLDER, save_parts
from sklearn.datasets import load_wine

needs_affinity = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processors cannot be chosen here")


@pytest.fixture
def threads():
    return importlib.import_module("threads")


@needs_affinity
def test_cores_are_the_processors_of_this_process(threads):
    """Each in one core."""
    assert sorted(number for core in threads.cores() for number in core) == sorted(os.sched_getaffinity(0))


@pytest.mark.parametrize(("n_threads", "free", "processors", "n_taken"), [
    (1, [(0, 4), (1, 5), (2, 6)], [0], 1),
    (3, [(0, 4), (1, 5), (2, 6), (3, 7)], [0, 1, 2], 3),
    (6, [(0, 4), (1, 5), (2, 6), (3, 7)], [0, 1, 2, 3, 4, 5], 4),
    (3, [(0, 4), (1, 5)], None, 0),
])
def test_threads_have_cores_of_their_own_while_there_are_enough(threads, n_threads, free, processors, n_taken):
    """Of four cores; a fit waits until enough of them are free."""
    found = threads.taken(free, n_threads, 4)
    assert found == (None if processors is None else (processors, free[:n_taken]))


def test_what_differs_is_named(threads):
    """Fits of one commit must find the same, those of another need not."""
    rows = [{"set": name, "commit": commit, "found": found} for name, commit, found in (
        ("wine", "a", "1"), ("wine", "a", "1"), ("wine", "b", "2"), ("iris", "a", "1"), ("iris", "a", "2"))]
    assert threads.same(rows) == ["iris"]


@pytest.mark.slow
@needs_affinity
def test_fits_are_made_once_and_find_the_same(threads, tmp_path, monkeypatch, capsys):
    """With one thread and with two; wine under another name."""
    save_parts(tmp_path / "sonar.npz", *load_wine(return_X_y=True))
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    path = tmp_path / "threads.csv"
    command = ["sonar", "--threads", "1", "2", "--generations", "2", "--results", str(path)]
    assert threads.main(command) == 0
    assert "sonar, 1 threads: " in capsys.readouterr().out
    assert threads.main(command) == 0 and not capsys.readouterr().out
    rows = threads.Results(path, threads.COLUMNS).rows
    assert len({row["found"] for row in rows}) == 1 and all(float(row["seconds"]) > 0 for row in rows)
    with pytest.raises(SystemExit):
        threads.main(command[:-2])
    assert "argument --generations: " in capsys.readouterr().err


def test_the_page_has_the_tables_of_the_results(threads):
    """One for each machine; what all fits of a set have found is the same."""
    rows = threads.Results(threads.FILE, threads.COLUMNS).rows
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert threads.filled(text, sys.modules["threads"], rows) == (text, [])
    assert threads.same(rows) == []
    for table, few in ((threads.of_two, True), (threads.of_many, False)):
        columns, lines = table(rows)
        gains = {line[0]: dict(zip(columns, line, strict=True)) for line in lines}
        mine = [row for row in rows if (row["processors"] == "2") == few]
        one, two = ({row["set"]: row for row in mine if row["threads"] == number} for number in ("1", "2"))
        assert one
        for name in one:
            gain = float(one[name]["seconds"]) / float(two[name]["seconds"])
            assert gains[name]["2 threads"].startswith(f"{np.round(gain, 2):.2f} (")
