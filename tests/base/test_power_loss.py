"""Loss of power at any moment of a write, and file systems that answer late, wrongly or not at all."""

import errno
import os
import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from moeliga import Checkpoint, MOELIGASelector
from moeliga.base import atomic_file
from moeliga.base.atomic_file import claimed, replace
from moeliga.search.checkpoint import read
from power_loss import Disk
from single_search import single_search

pytestmark = pytest.mark.skipif(atomic_file.fcntl is None, reason="needs POSIX")

WRITES = {
    "a new file": (None, [{}]), "a file that must be new": (None, [{"new": True}]), "over a file": (b"old" * 9, [{}]),
    "twice": (None, [{}, {}]), "new, and then over it": (None, [{"new": True}, {}])}


def contents(n):
    return [bytes([65 + number]) * (50 + number) for number in range(n)]


def found_at_any_moment(disk, name):
    """What any loss of power may leave in a file, moment after moment: list of sets of bytes, None = no such file."""
    return [{left.get(name) for left in disk.left(moment)} for moment in range(len(disk.events) + 1)]


@pytest.mark.parametrize("kind", WRITES)
def test_the_old_or_the_new_file_is_there_at_any_moment(tmp_path, monkeypatch, kind):
    """From the end of the write on it is the new one."""
    before, writes = WRITES[kind]
    path, allowed = tmp_path / "state.npz", [before, *contents(len(writes))]
    if before is not None:
        path.write_bytes(before)
    disk, ends = Disk(monkeypatch, tmp_path), [0]
    for content, options in zip(allowed[1:], writes, strict=True):
        replace(path, content, **options)
        ends.append(len(disk.events))
    found = found_at_any_moment(disk, path.name)
    assert len(found) > 5 * len(writes)
    for place, (begin, end) in enumerate(zip(ends[:-1], ends[1:], strict=True)):
        for moment in range(begin, end + 1):
            assert found[moment] <= {allowed[place], allowed[place + 1]}
        assert found[end] == {allowed[place + 1]}
        assert {allowed[place]} < set.union(*found[begin:end + 1])  # a moment of each


def test_what_is_not_flushed_is_lost(tmp_path, monkeypatch):
    """The disk sees it: without fsync there are torn files, and old ones after the end of a write."""
    path = tmp_path / "state.npz"
    path.write_bytes(b"old")
    disk = Disk(monkeypatch, tmp_path, flushes=False)
    replace(path, b"new" * 10)
    last = found_at_any_moment(disk, path.name)[-1]
    assert {b"old", b"new" * 10, b"", b"new" * 5, bytes(30)} == last


@pytest.mark.slow
@pytest.mark.parametrize("honest", [None, 2])
def test_a_search_goes_on_from_whatever_is_left(tmp_path, monkeypatch, honest):
    """Of each checkpoint of a search, the old one or the new: a sample of them is gone on with, to the same bits."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 8)) + y[:, None] * (np.arange(8) < 2)

    def made(path=None):
        given = {"population_size": 8, "n_generations": 5, "evaluation__n_rescore_splits": 2, "random_state": 0,
                 "checkpoint": None if path is None else Checkpoint(path, every=1)}
        selector = single_search() if honest is None else MOELIGASelector(GaussianNB(), honest=honest, islands=None)
        return selector.set_params(**given).fit(X, y)

    (tmp_path / "disk").mkdir()
    path = tmp_path / "disk" / "state.npz"
    with monkeypatch.context() as patch:
        disk = Disk(patch, tmp_path / "disk")
        whole = made(path)
    moments, seen = found_at_any_moment(disk, path.name), {}
    for found in moments:
        assert len(found) <= 2
        for content in found - {None}:
            seen.setdefault(content, len(seen))
    assert len(seen) >= 6 and moments[-1] == {path.read_bytes()}
    for content in seen:
        (tmp_path / "left.npz").write_bytes(content)
        read(tmp_path / "left.npz")
    for content in [None, *list(seen)[::3]]:
        (tmp_path / "left.npz").unlink(missing_ok=True)
        if content is not None:
            (tmp_path / "left.npz").write_bytes(content)
        again = made(tmp_path / "left.npz")
        np.testing.assert_array_equal(again.pareto_front_.objectives, whole.pareto_front_.objectives)
        np.testing.assert_array_equal(again.support_, whole.support_)


# file systems of a network, which answer for a file that is not there any more

FAULTS = [(where, name, late) for where, names in {
    "os": ("open", "fsync", "replace", "link", "unlink", "chmod", "stat", "fstat", "close"),
    "fcntl": ("flock",)}.items() for name in names for late in (False, True)]
CODES = (errno.ESTALE, errno.EIO, errno.ENOENT, errno.ENOSPC, errno.ENOLCK, errno.EINTR)


@pytest.fixture
def failing(monkeypatch):
    """`failing(where, name, late, code, n)`: context in which call n of a function fails, before or after its work."""

    def context(where, name, late, code, n):
        module, calls = {"os": os, "fcntl": atomic_file.fcntl}[where], iter(range(10**6))
        usual, patch = getattr(module, name), monkeypatch.context()

        def function(*arguments, **options):
            fails = next(calls) == n
            if not fails or late:
                result = usual(*arguments, **options)
            if fails:
                if name == "open" and late:
                    os.close(result)
                raise OSError(code, os.strerror(code), *(a for a in arguments[:1] if not isinstance(a, int)))
            return result

        class Context:
            def __enter__(self):
                patch.__enter__().setattr(module, name, function)

            def __exit__(self, *given):
                patch.__exit__(*given)

        return Context()

    return context


def n_open():
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


@pytest.mark.quick(5)
@pytest.mark.parametrize(("where", "name", "late"), FAULTS, ids=str)
def test_a_write_that_fails_leaves_the_old_or_the_new_file(tmp_path, failing, where, name, late):
    """No file stays open, and the next write removes temporary files that are left."""
    path, known = tmp_path / "state.npz", b"old"
    path.write_bytes(known)
    path.chmod(0o640)
    for code in CODES:
        if (name, code) == ("stat", errno.ENOENT):  # then there was no file, and no mode
            continue
        for n in range(3):
            descriptors = n_open()
            with failing(where, name, late, code, n):
                try:
                    replace(path, f"{code} {n}".encode())
                except OSError as error:
                    assert error.errno == code or late
            assert path.read_bytes() in (known, f"{code} {n}".encode())
            known = path.read_bytes()
            assert n_open() == descriptors or name == "close"
    replace(path, b"last")
    assert path.read_bytes() == b"last"
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.npz"]
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.quick(5)
@pytest.mark.parametrize(("where", "name", "late"), FAULTS, ids=str)
def test_a_new_file_that_fails_is_whole_or_not_there(tmp_path, failing, where, name, late):
    path = tmp_path / "front.csv"
    for code in CODES:
        for n in range(3):
            with failing(where, name, late, code, n):
                try:
                    replace(path, b"content", new=True)
                except OSError as error:
                    assert error.errno in (code, errno.EEXIST) or late
            assert not path.exists() or path.read_bytes() == b"content"
            path.unlink(missing_ok=True)
    replace(path, b"content", new=True)
    with pytest.raises(FileExistsError):
        replace(path, b"content", new=True)
    assert [entry.name for entry in tmp_path.iterdir()] == ["front.csv"]


@pytest.mark.quick(5)
@pytest.mark.parametrize(("where", "name", "late"), FAULTS, ids=str)
def test_a_claim_that_fails_is_an_error_or_a_claim(tmp_path, failing, where, name, late):
    """A failed claim leaves nothing behind: the next claim gets the file."""
    path = tmp_path / "state.npz"
    for code in CODES:
        for n in range(3):
            descriptors = n_open()
            with failing(where, name, late, code, n):
                try:
                    with claimed(path, "checkpoint"):
                        pass
                except (OSError, ValueError) as error:
                    assert isinstance(error, ValueError) or error.errno == code
            assert n_open() == descriptors or name == "close", (code, n)
            with claimed(path, "checkpoint"), pytest.raises(ValueError, match="must be used by one process"), \
                    claimed(path, "checkpoint"):
                pass


@pytest.mark.slow
@pytest.mark.parametrize(("where", "name", "late"), FAULTS, ids=str)
def test_a_search_survives_a_stale_checkpoint(tmp_path, failing, where, name, late):
    """An error before the search or a warning tells of it; the result is that of a search without a checkpoint."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 6)), np.arange(30) % 2
    given = {"population_size": 6, "n_generations": 3, "evaluation__n_rescore_splits": 0, "random_state": 0}
    whole = single_search(**given).fit(X, y)
    for n in range(0, 8, 2):
        path = tmp_path / f"state{n}.npz"
        with failing(where, name, late, errno.ESTALE, n), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the checkpoint .* could not be written")
            try:
                found = single_search(**given, checkpoint=Checkpoint(path, every=1)).fit(X, y)
            except OSError as error:
                assert error.errno == errno.ESTALE
                continue
        np.testing.assert_array_equal(found.pareto_front_.objectives, whole.pareto_front_.objectives)
        again = single_search(**given, checkpoint=path).fit(X, y)
        np.testing.assert_array_equal(again.pareto_front_.objectives, whole.pareto_front_.objectives)
