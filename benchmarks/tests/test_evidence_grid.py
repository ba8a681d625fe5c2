"""The runner of the experiments: every job once, whatever interrupts it, and every row says what it is."""

import csv
import os
import subprocess
import sys
import threading
from pathlib import Path

import joblib
import numpy as np
import pytest
from evidence import FOLDER, module, save_parts
from joblib.externals.loky import get_reusable_executor
from paper import grid
from sklearn.datasets import load_wine

import moeliga

METHODS = ("kbest", "moeliga", "rfe")
TINY = {"moeliga": {"n_generations": 0, "population_size": 22, "local_improvement": None}}


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """A folder with one small data set."""
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    X, y = load_wine(return_X_y=True)
    save_parts(tmp_path / "mine.npz", X, y)
    return tmp_path


@pytest.fixture
def results(tmp_path):
    """Opens the file of results, again and again."""
    kind = module("results").Results
    return lambda: kind(tmp_path / "out" / "all.csv")


def jobs():
    return grid.jobs_of(["mine"], METHODS, 1, parameters=TINY)


def test_moeliga_comes_first_on_every_split():
    """Its size and its budget are given to others."""
    assert [(job.split, job.method) for job in jobs()] == [
        (split, method) for split in ("own", "0") for method in ("moeliga", "kbest", "rfe")]


def test_every_split_has_a_seed_of_its_own():
    """The same for all methods; the own parts have that of the first."""
    jobs = grid.jobs_of(["mine"], METHODS, 3, "5")
    assert [(job.split, job.seed) for job in jobs if job.method == "rfe"] == [
        ("own", "5"), ("0", "5"), ("1", "6"), ("2", "7")]
    for split in ("own", "0", "1", "2"):
        assert len({job.seed for job in jobs if job.split == split}) == 1


def test_every_job_has_a_row_that_says_what_it_is(results, capsys):
    """Sizes told are those of moeliga; the scores of every column; versions, processor and command."""
    assert grid.run(jobs(), results(), n_splits=1, classifiers=("tree", "bayes")) == 0
    rows = results().rows
    chosen = [row for row in rows if not row["choice"]]
    assert [(row["split"], row["method"]) for row in chosen] == [(job.split, job.method) for job in jobs()]
    for row in chosen:
        size = results().find(("mine", row["split"], "moeliga", "", "0"))["features"]
        assert row["features"] == size == str(len(row["chosen"].split()))
        assert row["told"] == ("" if row["method"] == "moeliga" else size)
        assert all(0.3 < float(row[name]) <= 1 for name in ("tree_uar", "tree_ovr", "bayes_uar", "fresh"))
        assert row["mlp_uar"] == "" and row["status"] == "ok" and float(row["seconds"]) >= 0
        assert "scikit-learn" in row["versions"] and row["date"]
        assert row["command"].startswith("python benchmarks/paper/")
    assert {row["choice"] for row in rows} == {"", "best", "one_se"}
    assert "6 jobs, 0 done, 6 to do: about" in capsys.readouterr().out


@pytest.mark.slow
def test_scores_are_the_judges(results):
    """On the rows of the split, with the features of the row."""
    grid.run(jobs(), results(), n_splits=1)
    judge = module("judge")
    data = grid.crew.Data("mine", 1)
    for row in results().rows:
        support = np.isin(np.arange(13), np.array(row["chosen"].split(), dtype=int))
        parts = data.parts(row["split"])[:4]
        assert float(row["tree_uar"]) == pytest.approx(judge.judge(support, *parts)["tree"].uar, abs=1e-6)
        assert float(row["fresh"]) == pytest.approx(judge.fresh_score(support, *parts[:2])[0], abs=1e-6)


def test_an_interrupted_run_goes_on_where_it_was(results, monkeypatch, capsys):
    """Ctrl-C in the third job: two are kept, and the next run does the other four once each."""
    select, called = grid.competitors.select, []

    def interrupted(name, *arguments, **options):
        called.append(name)
        if len(called) == 3:
            raise KeyboardInterrupt
        return select(name, *arguments, **options)

    monkeypatch.setattr(grid.competitors, "select", interrupted)
    with pytest.raises(KeyboardInterrupt):
        grid.run(jobs(), results(), n_splits=1)
    assert called == ["moeliga", "kbest", "rfe"]
    first = results().path.read_bytes()
    grid.run(jobs(), results(), n_splits=1)
    assert called[3:] == ["rfe", "moeliga", "kbest", "rfe"]
    assert results().path.read_bytes().startswith(first)
    grid.run(jobs(), results(), n_splits=1)
    assert len(called) == 7
    assert "6 jobs, 6 done, 0 to do" in capsys.readouterr().out


def test_a_torn_line_is_dropped_and_done_again(results):
    """As after a crash in the middle of a write; reading leaves it, the next row takes its place."""
    grid.run(jobs()[:2], results(), n_splits=1)
    whole = results().path.read_bytes()
    torn = whole + b"mine,own,rfe,,0,,5"
    results().path.write_bytes(torn)
    assert [row["method"] for row in results().rows if not row["choice"]] == ["moeliga", "kbest"]
    grid.run(jobs()[:3], results(), n_splits=1, dry=True)
    assert results().path.read_bytes() == torn
    grid.run(jobs()[:3], results(), n_splits=1)
    assert results().path.read_bytes().startswith(whole + b"mine,own,rfe,,0,,")
    assert [row["method"] for row in results().rows if not row["choice"]] == ["moeliga", "kbest", "rfe"]


def same(rows):
    """What does not depend on the clock, in order of the jobs."""
    apart = {"seconds", "date", "command"}
    return sorted(tuple(sorted((name, value) for name, value in row.items() if name not in apart)) for row in rows)


@pytest.mark.evidence
@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_several_workers_find_the_same(results, tmp_path, capsys, backend):
    """In any order; those that need moeliga's row wait for it."""
    grid.run(jobs(), results(), n_splits=1)
    get_reusable_executor().shutdown(wait=True)  # workers of other tests do not know this folder
    with joblib.parallel_config(backend):
        other = module("results").Results(tmp_path / "other.csv")
        assert grid.run(jobs(), other, n_splits=1, n_jobs=2) == 0
        assert same(other.rows) == same(results().rows)
        other.refresh()
    assert same(other.rows) == same(results().rows)
    assert "left out" not in capsys.readouterr().out


def test_workers_of_a_cluster_find_the_same(results, tmp_path):
    """Jobs that a worker takes with it when it ends are done by the other."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    grid.run(jobs(), results(), n_splits=1)
    other = module("results").Results(tmp_path / "other.csv")
    here = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with distributed.LocalCluster(**here) as cluster:
        assert grid.run(jobs(), other, n_splits=1, n_jobs=-1, scheduler=cluster.scheduler_address) == 0
    assert same(other.rows) == same(results().rows)


def test_a_failure_is_written_down_and_the_rest_goes_on(results, monkeypatch):
    """It is tried again only when asked to."""
    select, broken = grid.competitors.select, ["rfe"]

    def failing(name, *arguments, **options):
        if name in broken:
            raise ValueError("no\nway")
        return select(name, *arguments, **options)

    monkeypatch.setattr(grid.competitors, "select", failing)
    assert grid.run(jobs(), results(), n_splits=1) == 2
    assert results().find(("mine", "own", "rfe", "", "0"))["status"] == "failed: ValueError: no way"
    assert results().find(("mine", "0", "kbest", "", "0"))["status"] == "ok"
    broken.clear()
    assert grid.run(jobs(), results(), n_splits=1) == 0
    assert results().find(("mine", "own", "rfe", "", "0"))["status"].startswith("failed")
    grid.run(jobs(), results(), n_splits=1, again=True)
    assert results().find(("mine", "own", "rfe", "", "0"))["status"] == "ok"


def test_without_moeligas_row_there_is_no_size_to_tell(results, capsys):
    """No row, so that it is done after moeliga's."""
    job = grid.Job("mine", "0", "kbest")
    grid.run([job], results(), n_splits=1)
    assert results().rows == []
    assert "kbest: left out, it needs a search of moeliga on the same rows first" in capsys.readouterr().out


def test_a_missing_package_leaves_no_row(results, monkeypatch, capsys):
    """So that the job is done as soon as the package is there; it is said once."""
    def missing(*arguments, **options):
        raise grid.competitors.Missing("x is not installed: pip install x")

    monkeypatch.setattr(grid.competitors, "select", missing)
    assert grid.run(jobs(), results(), n_splits=1) == 0
    assert not results().path.exists()
    assert capsys.readouterr().out.count("left out, x is not installed: pip install x") == 1


def test_a_dry_run_does_nothing(results, capsys):
    grid.run(jobs(), results(), n_splits=1, dry=True)
    assert not results().path.exists() and "6 to do: about" in capsys.readouterr().out


def test_jobs_that_would_take_too_long_are_left_out_and_named(results, monkeypatch, capsys):
    monkeypatch.setattr(grid.cost, "expected", lambda job, facts, rows: 900.0 if job.method == "rfe" else 1.0)
    grid.run(jobs(), results(), n_splits=1, limit=600)
    assert {row["method"] for row in results().rows} == {"moeliga", "kbest"}
    out = capsys.readouterr().out
    assert "longer than 10.0 min: mine rfe (15.0 min each)\n6 jobs, 0 done, 4 to do: about 4 s" in out


def test_a_writer_waits_until_the_file_is_free(results):
    """So that no torn line of one process is cut off while another writes."""
    pytest.importorskip("fcntl")
    first, second = results(), results()
    first.add([{"data": "first"}])
    with module("results").opened(first.path):
        writer = threading.Thread(target=second.add, args=([{"data": "second"}],))
        writer.start()
        writer.join(0.3)
        assert writer.is_alive()
    writer.join(10)
    assert not writer.is_alive() and [row["data"] for row in results().rows] == ["first", "second"]


@pytest.mark.evidence
def test_several_processes_add_to_one_file(results, folder):
    """Every row of three processes is whole and there once, under one header."""
    program = (
        f"import sys; sys.path.insert(0, {str(FOLDER)!r})\n"
        "from pathlib import Path\n"
        "from paper.results import Results\n"
        f"results = Results(Path({str(results().path)!r}))\n"
        "for i in range(25):\n"
        "    results.add([{'data': sys.argv[1], 'seed': i, 'note': 'x' * 5000}, {'data': sys.argv[1], 'seed': -i}])\n")
    environment = os.environ | {"PYTHONPATH": str(Path(moeliga.__file__).parents[1])}
    running = [subprocess.Popen([sys.executable, "-c", program, name], env=environment) for name in "abc"]
    assert [process.wait() for process in running] == [0, 0, 0]
    rows = results().rows
    assert len(rows) == 150
    for name in "abc":
        own = [row for row in rows if row["data"] == name]
        assert [row["seed"] for row in own[::2]] == [str(i) for i in range(25)]
        assert all(len(row["note"]) == 5000 for row in own[::2])


@pytest.mark.parametrize("content, message", [
    (b"data,split\nmine,0\n", "line 1: must have the columns of this version, .*got data, split; move it away"),
    (b"a letter\nto a friend", "line 1: must have .*got a letter; move it away"),
    (b"one line", "line 1: must have .*got a part of a line; move it away"),
    (b"\xff\xfe\n", "line 1: must have"),
    ("{header}\nmine,0\n", "line 2: must have 41 cells, got 2"),
])
def test_a_file_of_other_columns_is_refused(results, content, message):
    """As it is, by who reads and by who adds."""
    path, columns = results().path, results().columns
    if isinstance(content, str):
        content = content.format(header=",".join(columns)).encode("utf-8")
    before = results()
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(SystemExit, match=message.replace("41", str(len(columns)))):
        results()
    if "line 1" in message:
        with pytest.raises(SystemExit, match=message):
            before.add([{"data": "mine"}])
    assert path.read_bytes() == content


def test_a_torn_header_is_written_again(results):
    """And a whole file that may not be written to can be read."""
    path = results().path
    path.parent.mkdir()
    path.write_bytes(",".join(results().columns).encode("utf-8")[:20])
    results().add([{"data": "mine"}])
    path.chmod(0o444)
    row, = results().rows
    assert row["data"] == "mine"


def test_a_file_is_opened_for_reading_alone(results, monkeypatch):
    """A checkout may be read-only."""
    kind, how, original = module("results"), [], os.open
    results().add([{"data": "mine"}])
    monkeypatch.setattr(kind.os, "open", lambda path, flags, *mode: how.append(flags) or original(path, flags, *mode))
    assert len(results().rows) == 1 and how == [os.O_RDONLY]


def test_where_no_rows_can_be_added_nothing_is_done(results):
    """A file in place of the folder, or a folder in place of the file; nothing is made by asking."""
    there = results()
    there.ready()
    folder = there.path.parent
    assert not folder.exists()
    folder.write_text("")
    with pytest.raises(SystemExit, match=f"{folder} must be a folder that can be written to, for the results"):
        grid.run(jobs(), there)
    folder.unlink()
    there.path.mkdir(parents=True)
    with pytest.raises(SystemExit, match=f"{there.path} must be a file that can be written to"):
        results().ready()


def test_the_file_is_plain_csv(results):
    """Any reader has as many cells in each row."""
    grid.run(jobs()[:2], results(), n_splits=1)
    with open(results().path, newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    assert len({len(line) for line in lines}) == 1 and len(lines) == 1 + 4


def test_on_its_own_parts_a_set_of_the_paper_is_told_the_papers_size(results, monkeypatch):
    """And methods get the authors' seeds there, the job's own elsewhere."""
    facts = module("facts")
    monkeypatch.setitem(grid.FACTS, "mine", facts.Facts(178, 13, 3, 7))
    seeds, select = [], grid.competitors.select
    monkeypatch.setattr(grid.competitors, "select", lambda *a, **o: seeds.append(a[4]) or select(*a, **o))
    grid.run(jobs(), results(), n_splits=1)
    assert results().find(("mine", "own", "kbest", "", "0"))["features"] == "7"
    assert results().find(("mine", "0", "kbest", "", "0"))["told"] == results().find(
        ("mine", "0", "moeliga", "", "0"))["features"]
    assert seeds == [None] * 3 + [0] * 3


def test_known_costs_go_before_rules():
    """The median of rows of the same data, method and setting; a rule for every method else."""
    cost = module("cost")
    job = grid.Job("mine", "0", "kbest")
    rows = [{"data": "mine", "method": "kbest", "setting": "", "status": "ok", "seconds": s, "choice": ""}
            for s in ("4", "6", "90")]
    assert cost.expected(job, None, rows) == 6.0
    for method in grid.competitors.METHODS:
        for known in grid.FACTS.values():
            assert 0 < cost.expected(grid.Job("x", "0", method), known, rows) < 1e8
    assert [cost.spoken(s) for s in (5, 300, 9000, 400000)] == ["5 s", "5.0 min", "2.5 h", "4.6 days"]
