"""Reports that go on from a file: what is in it is not searched again, and nothing else is taken from it."""

import json
import os
import subprocess
import sys

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine

from moeliga import optimism_report, stability_report
from moeliga.analysis import replication
from moeliga.analysis.result_cache import FORMAT, ResultCache, line_of, marks_of
from single_search import single_search

SMALL = {"n_generations": 2, "population_size": 21, "local_improvement": None, "evaluation__n_rescore_splits": 4}
MARKS = {"version": "1", "X": "abc", "parameters": {"evaluation__n_splits": 3}}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "report.jsonl"


@pytest.fixture
def made(monkeypatch):
    """Seeds of the searches that have been made."""
    seeds, search = [], replication.Replications.search

    def noted(self, rows, y, seed):
        seeds.append(seed)
        return search(self, rows, y, seed)

    monkeypatch.setattr(replication.Replications, "search", noted)
    return seeds


def stability(wine, **options):
    return stability_report(single_search(**SMALL), *wine, **{"n_runs": 4, "random_state": 0, **options})


def optimism(wine, **options):
    return optimism_report(single_search(**SMALL), *wine, n_permutations=3, n_splits=4,
                           **{"random_state": 0, **options})


def bits(report):
    """All numbers of a report."""
    return {name: np.asarray(value).tobytes() for name, value in vars(report).items()
            if isinstance(value, np.ndarray | float) and np.asarray(value).dtype.kind in "fiub"}


# reports


@pytest.mark.parametrize(("report", "n_shared"), [(stability, 0), (optimism, 1)])
def test_a_report_with_a_checkpoint_is_the_report(wine, path, made, report, n_shared):
    """And the same again makes none of the searches that are in the file; the first search of the optimism is made."""
    ref = bits(report(wine))
    n_all = len(made)
    assert bits(report(wine, checkpoint=path)) == ref and len(made) == 2 * n_all
    assert len(path.read_bytes().splitlines()) == 1 + n_all - n_shared
    del made[:]
    content = path.read_bytes()
    assert bits(report(wine, checkpoint=str(path))) == ref and len(made) == n_shared
    assert path.read_bytes() == content


@pytest.mark.parametrize(("report", "n_before", "n_after"), [(stability, 2, 2), (optimism, 2, 2)])
def test_a_report_goes_on_where_it_was_interrupted(wine, path, made, monkeypatch, report, n_before, n_after):
    """After two of its searches; that of the optimism's front comes last."""
    ref = bits(report(wine))
    del made[:]

    class Stop(Exception):
        pass

    with monkeypatch.context() as patch:
        add = ResultCache.add

        def stop(self, place, result):
            add(self, place, result)
            if place == 1:
                raise Stop

        patch.setattr(ResultCache, "add", stop)
        with pytest.raises(Stop):
            report(wine, checkpoint=path)
    assert len(made) == n_before
    assert bits(report(wine, checkpoint=path)) == ref and len(made) == n_before + n_after


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"n_jobs": 2}, {"n_jobs": -1}])
@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_results_of_workers_are_kept_as_they_come(wine, path, backend, options):
    """In whatever order: the report is the same, and so is one that goes on on one thread."""
    ref = bits(stability(wine))
    with joblib.parallel_config(backend):
        assert bits(stability(wine, checkpoint=path, **options)) == ref
    lines = path.read_bytes().splitlines(keepends=True)
    assert sorted(json.loads(line[17:])["place"] for line in lines[1:]) == [0, 1, 2, 3]
    path.write_bytes(b"".join([lines[0], *lines[3:]]))
    assert bits(stability(wine, checkpoint=path)) == ref


@pytest.mark.parametrize(("change", "words"), [
    ({"random_state": 1}, "another random_state, or number of searches"),
    ({"n_runs": 5}, "another random_state, or number of searches"),
    ({"rule": "best"}, "rule='r1', got 'best'"),
    ({"X": 1}, "another X"), ({"y": 1}, "another y"), ({"splits": 4}, "n_splits=3, got 4"),
])
def test_other_reports_refuse_the_file(wine, path, change, words):
    """They say what differs, and leave it as it is."""
    stability(wine, checkpoint=path)
    content, (X, y), selector = path.read_bytes(), wine, single_search(**SMALL)
    if "X" in change:
        X = X + np.eye(*X.shape)
    if "y" in change:
        y = np.roll(y, 1)
    if "splits" in change:
        selector.set_params(evaluation__n_splits=4)
    options = {name: value for name, value in change.items() if name not in ("X", "y", "splits")}
    with pytest.raises(ValueError, match="must go with this report, but it was made with ") as caught:
        stability_report(selector, X, y, **{"n_runs": 4, "random_state": 0, "checkpoint": path, **options})
    assert words in str(caught.value)
    assert path.read_bytes() == content


def test_other_groups_or_names_are_marked(wine):
    """Searches get both, whatever samples they are of."""
    X, y = wine
    groups, names = np.arange(len(y)) // 2, [f"c{f}" for f in range(13)]

    def marks(X=X, groups=None):
        return marks_of(replication.Replications(single_search(**SMALL), X, y, 1, groups), [])

    known = marks(), marks(groups=groups), marks(groups=groups[::-1])
    assert len({mark.pop("groups") for mark in known}) == 3 and known[0] == known[1] == known[2]
    pd = pytest.importorskip("pandas")
    tables = [marks(X), marks(pd.DataFrame(X, columns=names)), marks(pd.DataFrame(X, columns=names[::-1]))]
    assert len({mark.pop("feature names") for mark in tables}) == 3 and tables[0] == tables[1] == tables[2]


def test_what_no_result_depends_on_may_change(wine, path, made):
    stability(wine, checkpoint=path)
    del made[:]
    selector = single_search(**SMALL, n_jobs=2, verbose=1, random_state=5, callbacks=[print])
    stability_report(selector, *wine, n_runs=4, random_state=0, checkpoint=path)
    assert made == []


@pytest.mark.parametrize(("options", "error", "words"), [
    ({"random_state": None}, ValueError, "random_state must be set where there is a checkpoint"),
    ({"checkpoint": 3}, TypeError, "checkpoint must be a path, got 3"),
    ({"checkpoint": "."}, ValueError, "checkpoint must be a file in a folder that exists, got '.'"),
    ({"checkpoint": "no/where"}, ValueError, "checkpoint must be a file in a folder that exists, got 'no/where'"),
])
def test_a_checkpoint_that_cannot_be(wine, path, made, options, error, words):
    with pytest.raises(error, match=words):
        stability(wine, **{"checkpoint": path, **options})
    assert made == [] and not path.exists()


# reports at the same time

REPORT = """
import sys
from sklearn.datasets import load_wine
from moeliga import MOELIGASelector, stability_report
from moeliga.analysis.result_cache import ResultCache

add = ResultCache.add

def wait(self, place, result):
    add(self, place, result)
    if place == 0:
        print("searching", flush=True)
        sys.stdin.read()

ResultCache.add = wait
selector = MOELIGASelector(honest=None, rule="r1", islands=None, n_generations=2, population_size=21,
                           local_improvement=None).set_params(evaluation__n_rescore_splits=4)
try:
    stability_report(selector, *load_wine(return_X_y=True), n_runs=4, random_state=int(sys.argv[2]),
                     checkpoint=sys.argv[1])
    print("done", flush=True)
except ValueError as error:
    print(error, flush=True)
"""


def report(path, seed):
    """A process that makes a report, and waits after a search until its input ends."""
    process = subprocess.Popen([sys.executable, "-c", REPORT, str(path), str(seed)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_two_processes_with_one_file(wine, path, seed):
    """The second is refused, with the same report and with another one; the first goes on, and nothing of it is lost;
    a killed one is in nobody's way."""
    first, line = report(path, 0)
    assert line == "searching"
    second, line = report(path, seed)
    assert line.startswith(f"checkpoint {str(path)!r} must be used by one process and thread at a time")
    second.communicate()
    assert first.communicate()[0] == "done\n"
    content = path.read_bytes()
    assert len(content.splitlines()) == 5
    killed, line = report(path.with_name("other"), 0)
    killed.kill()
    killed.communicate()
    assert bits(stability(wine, checkpoint=path.with_name("other"))) == bits(stability(wine, checkpoint=path))
    assert path.read_bytes() == content
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["other", path.name]


def test_a_relative_path_is_that_of_the_beginning(wine, tmp_path, monkeypatch):
    """Wherever a callback goes."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    selector = single_search(callbacks=lambda state: os.chdir(tmp_path / "elsewhere")).set_params(**SMALL)
    stability_report(selector, *wine, n_runs=4, random_state=0, checkpoint="report.jsonl")
    assert os.listdir(tmp_path / "elsewhere") == []
    assert len((tmp_path / "report.jsonl").read_bytes().splitlines()) == 5


# the file


def filled(path):
    """A cache of three results: its content."""
    cache = ResultCache(path, MARKS)
    for place in (2, 0, 1):
        cache.add(place, {"value": place / 3})
    return path.read_bytes()


def test_every_truncation_is_a_shorter_cache_or_an_error(path):
    """Nothing but whole results is ever taken; and what is added then stands where the torn line was."""
    content = filled(path)
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    for size in range(len(content) + 1):
        path.write_bytes(content[:size])
        n_lines = sum(end <= size for end in ends)
        if n_lines == 0:
            with pytest.raises(ValueError, match="must be a complete file that moeliga has written for a report"):
                ResultCache(path, MARKS)
            assert path.read_bytes() == content[:size]
            continue
        cache = ResultCache(path, MARKS)
        assert cache.known == {place: {"value": place / 3} for place in (2, 0, 1)[: n_lines - 1]}
        cache.add(7, [1])
        assert ResultCache(path, MARKS).known == {**cache.known, 7: [1]}


@pytest.mark.parametrize("page", [16, 40])
def test_a_loss_of_power_costs_the_last_result(path, page):
    """Whatever pages of it have reached the disk, its end among them: the others hold zeros."""
    content = filled(path)
    begin = content.rindex(b"\n", 0, -1) + 1
    pages = range(begin, len(content), page)
    for lost in range(1, 2 ** len(pages)):
        left = bytearray(content)
        for number, start in enumerate(pages):
            if lost >> number & 1:
                left[start:start + page] = bytes(len(left[start:start + page]))
        path.write_bytes(left)
        cache = ResultCache(path, MARKS)
        assert cache.known == {place: {"value": place / 3} for place in (2, 0)}
        cache.add(1, {"value": 1 / 3})
        assert path.read_bytes() == content


def test_no_flipped_bit_goes_unseen(path):
    """An error, or a last line that is not whole any more, whose search is repeated."""
    content = filled(path)
    whole, last = ResultCache(path, MARKS).known, content.rindex(b"\n", 0, -1)
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        if place >= last:
            assert ResultCache(path, MARKS).known == {key: whole[key] for key in ((2, 0) if place > last else (2,))}
            continue
        with pytest.raises(ValueError, match="must be a complete file that moeliga has written for a report"):
            ResultCache(path, MARKS)


@pytest.mark.parametrize("content", [
    b"", b"\n", b"some text of the user's\n", b"PK\x03\x04", line_of([]), line_of({"format": "other"}),
    line_of({"format": FORMAT, "version": 2, "marks": MARKS}),
    line_of({"format": FORMAT, "version": True, "marks": MARKS}),
    line_of({"format": FORMAT, "version": 1, "marks": None}), line_of({"format": FORMAT, "version": 1}),
    line_of({"format": FORMAT, "version": 1, "marks": MARKS}) + line_of([1, 2]),
    line_of({"format": FORMAT, "version": 1, "marks": MARKS}) + line_of({"place": "x", "result": 1}),
    b"0" * 16 + b" " + b"[" * 100_000 + b"\n",
], ids=lambda content: repr(content[:20]))
def test_files_of_others_are_refused_and_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match="must be a complete file that moeliga has written for a report"):
        ResultCache(path, MARKS)
    assert path.read_bytes() == content


@pytest.mark.parametrize(("report", "result"), [
    (stability, {"features": [99], "feature_names": ["a"]}), (stability, {"features": [0]}), (stability, [1]),
    (optimism, "{}"), (optimism, 3), (optimism, "no front"),
])
def test_results_that_no_search_gives_are_refused(wine, path, report, result):
    """Lines that are whole, but say what moeliga does not."""
    report(wine, checkpoint=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], line_of({"place": 1, "result": result})]))
    with pytest.raises(ValueError, match="must be a complete file that moeliga has written for a report"):
        report(wine, checkpoint=path)


def test_a_full_disk_is_a_warning(path, monkeypatch):
    """The result counts all the same, and what could be written of it is written over."""
    cache, flush, full = ResultCache(path, MARKS), os.fsync, [True]

    def fail(file):
        if full[0]:
            raise OSError(28, "No space left on device")
        return flush(file)

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.warns(RuntimeWarning, match="the checkpoint could not be written, the searches go on: .*No space left"):
        cache.add(0, "a long result that stays half in the file")
    full[0] = False
    cache.add(1, "short")
    assert ResultCache(path, MARKS).known == {1: "short"}
    assert path.read_bytes().endswith(b"\n" + line_of({"place": 1, "result": "short"}))


def test_a_report_survives_the_loss_of_its_file(wine, path, monkeypatch):
    ref, add_line = bits(stability(wine)), ResultCache.add

    def add(self, place, result):
        if place == 2:
            self.path.unlink()  # as if the folder were lost
        add_line(self, place, result)

    monkeypatch.setattr(ResultCache, "add", add)
    with pytest.warns(RuntimeWarning, match="the checkpoint could not be written"):
        assert bits(stability(wine, checkpoint=path)) == ref


def test_numbers_come_back_to_the_last_bit(path):
    values = np.random.default_rng(0).random(50).tolist()
    ResultCache(path, MARKS).add(0, values)
    assert_array_equal(ResultCache(path, MARKS).known[0], values)
