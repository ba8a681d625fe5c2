"""Checkpoints of processes that die, and of searches at the same time."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import joblib
import numpy as np
import pytest
from checkpointed import data, small
from same_search import assert_same

from call_outcome import within
from moeliga import Checkpoint, stability_report
from moeliga.search import checkpoint

# processes that die


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_moment_nothing_older_than_a_save_is_lost(path):
    """SIGKILL at 50 random moments of a run, some of them inside a write: each start goes on at the last save or later,
    there is always a whole file, and the end is the same."""
    X, y = data()
    began = time.perf_counter()
    whole = small(n_generations=40).fit(X, y)
    length = time.perf_counter() - began
    rng = np.random.default_rng(0)
    n_kills, reached = 0, -1
    while n_kills < 50:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                small(n_generations=40, checkpoint=Checkpoint(path, every=1), n_jobs=1).fit(X, y)
                status = 0
            finally:
                os._exit(status)
        time.sleep(rng.uniform(0, length / 5))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        n_kills += 1
        if path.exists():
            generation = checkpoint.read(path)[0]["state"]["progress"]["generation"]
            assert generation >= reached
            reached = generation
        if status == 0 or reached == 40:
            path.unlink()
            reached = -1
    assert_same(small(n_generations=40, checkpoint=path).fit(X, y), whole)
    assert {entry.name for entry in path.parent.iterdir()} == {path.name}


def test_a_full_disk_costs_the_save_and_not_the_search(path, monkeypatch):
    """A warning says so; the file before stays whole, and the next save may succeed."""
    X, y = data()
    small(checkpoint=path, n_generations=4).fit(X, y)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning, match=f"could not be written, the search goes on: .*{errno.ENOSPC}"):
        selector = small(checkpoint=path).fit(X, y)
    monkeypatch.undo()
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]
    assert_same(selector, small().fit(X, y))
    assert_same(small(checkpoint=path).fit(X, y), selector)


def test_a_relative_path_is_that_of_the_beginning(tmp_path, monkeypatch):
    """Wherever a callback goes."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    for n_generations in (2, 3):
        monkeypatch.chdir(tmp_path)
        selector = small(checkpoint=Checkpoint("state.npz", every=1), n_generations=n_generations,
                         callbacks=lambda state: os.chdir(tmp_path / "elsewhere"))
        selector.fit(*data())
        assert selector.checkpoint.path == "state.npz"
    assert os.listdir(tmp_path / "elsewhere") == []
    assert checkpoint.read(tmp_path / "state.npz")[0]["state"]["progress"]["generation"] == 3


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_link_and_permissions_stay(tmp_path):
    """The file that the link leads to is written, and stays a secret if it was one."""
    target, link = tmp_path / "target.npz", tmp_path / "link.npz"
    link.symlink_to(target.name)
    small(checkpoint=link, n_generations=2).fit(*data())
    target.chmod(0o600)
    before = target.read_bytes()
    small(checkpoint=link, n_generations=3).fit(*data())
    assert link.is_symlink() and target.read_bytes() != before and target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("length", [250, 255])
def test_names_may_be_as_long_as_the_system_allows(tmp_path, length):
    """What is written beside the file has a shorter name."""
    path = tmp_path / ("s" * length)
    selector = small(checkpoint=path, n_generations=2).fit(*data())
    assert_same(small(checkpoint=path, n_generations=2).fit(*data()), selector)
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_refused_before_the_search(tmp_path):
    """Paths are looked at first."""
    for wrong, message in ((tmp_path, "must be a file, got the folder"), ("a\0b", "must hold no null character, got "),
                           (tmp_path / "no" / "x", "must be in a folder that exists")):
        with pytest.raises(ValueError, match=message):
            small(checkpoint=wrong).fit(*data())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes of POSIX")
@pytest.mark.parametrize(("kind", "message"), [
    ("pipe", "must be an ordinary file, got a pipe"), ("loop", "must be an ordinary file, got a pipe"),
    ("device", "must be an ordinary file, got a pipe"), ("astray", "must be in a folder that exists")])
def test_what_can_be_no_file_is_refused_before_the_search(tmp_path, kind, message):
    """A pipe would be read for ever, to a link without an end nothing can be written."""
    path = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"loop": path, "device": os.devnull, "astray": tmp_path / "no" / "x"}[kind])
    with within(60), pytest.raises(ValueError, match=message):
        small(checkpoint=path).fit(*data())
    with within(60), pytest.raises(ValueError, match="checkpoint must be a file in a folder that exists"):
        stability_report(small(), *data(), n_runs=2, random_state=0, checkpoint=path)
    assert [entry.name for entry in tmp_path.iterdir()] == [kind]


# searches at the same time

SEARCH = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1])]!r}
from checkpointed import data, small

def wait(state):
    if state.generation == 1:
        print("searching", flush=True)
        sys.stdin.read()

try:
    small(checkpoint=sys.argv[1], random_state=int(sys.argv[2]), callbacks=wait).fit(*data())
    print("done", flush=True)
except ValueError as error:
    print(error, flush=True)
"""


def search(path, seed):
    """A process that searches, and waits after a generation until its input ends."""
    process = subprocess.Popen([sys.executable, "-c", SEARCH, str(path), str(seed)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


REFUSED = "checkpoint '.*' must be used by one process and thread at a time, but another one is using it"


@pytest.mark.process
@pytest.mark.parametrize("seed", [1, 2])
def test_two_processes_with_one_checkpoint(path, seed):
    """The second is refused before it searches, the same search and another one; the first goes on."""
    first, line = search(path, 1)
    assert line == "searching"
    second, line = search(path, seed)
    assert re.match(REFUSED, line)
    second.communicate()
    assert first.communicate()[0] == "done\n"
    assert list(path.parent.iterdir()) == [path]
    assert_same(small(checkpoint=path).fit(*data()), small().fit(*data()))


@pytest.mark.process
def test_a_killed_search_claims_nothing(path):
    """Another one goes on from its file at once."""
    small(checkpoint=path, n_generations=4).fit(*data())
    first, line = search(path.with_name("other.npz"), 1)
    first.kill()
    first.communicate()
    path.rename(path.with_name("other.npz"))
    assert_same(small(checkpoint=path.with_name("other.npz")).fit(*data()), small().fit(*data()))
    assert [entry.name for entry in path.parent.iterdir()] == ["other.npz"]


def test_threads_search_side_by_side(path):
    """Each with its own file; two with one are refused, and a search within a search too."""
    X, y = data()
    paths = [path, path.with_name("b.npz"), path.with_name("c.npz")]
    found = joblib.Parallel(n_jobs=3, backend="threading")(
        joblib.delayed(lambda place: small(checkpoint=place, n_generations=3).fit(X, y))(place) for place in paths)
    whole = small(n_generations=3).fit(X, y)
    for selector in found:
        assert_same(selector, whole)

    def fit_again(state):
        small(checkpoint=path, random_state=2).fit(X, y)

    with pytest.raises(ValueError, match=REFUSED):
        small(checkpoint=path, callbacks=fit_again).fit(X, y)
    assert sorted(path.parent.iterdir()) == sorted(paths)
