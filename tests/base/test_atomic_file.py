"""Files that are whole at any moment, and claims: by many processes and threads, some of them killed."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, nullcontext

import pytest

from moeliga.base import atomic_file
from moeliga.base.atomic_file import claimed, replace

BYTES = 1 << 16
posix = pytest.mark.skipif(atomic_file.fcntl is None, reason="needs fcntl")

LOAD = f"""
import os, sys, time
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("atomic_file", {atomic_file.__file__!r})
atomic_file = module_from_spec(spec)
spec.loader.exec_module(atomic_file)  # without the package, which takes longer
claimed, replace = atomic_file.claimed, atomic_file.replace
"""

WRITER = """
byte = sys.argv[2].encode()
print("ready", flush=True)
while True:
    replace(sys.argv[1], byte * int(sys.argv[3]))
"""

CLAIMER = """
try:
    with claimed(sys.argv[1], "checkpoint"):
        print("claimed", flush=True)
        sys.stdin.read()
except ValueError as error:
    print(error, flush=True)
"""


def program(source, *arguments):
    """Start a Python process and wait for its first line: (process, line)."""
    process = subprocess.Popen([sys.executable, "-c", LOAD + source, *map(str, arguments)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.process
def test_many_writers_and_kills_leave_a_whole_file_and_no_other(tmp_path):
    """Four processes write one file over and over and are killed at random moments: every read is of one writer, and
    the next write removes what the dead have left."""
    path = tmp_path / "state.npz"
    replace(path, b"z" * BYTES)
    n_reads, seen, left = 0, set(), 0
    for _ in range(4):
        writers = [program(WRITER, path, byte, BYTES)[0] for byte in "abcd"]
        end = time.monotonic() + 0.7
        while time.monotonic() < end:
            content = path.read_bytes()
            assert len(content) == BYTES and len(set(content)) == 1
            seen.add(content[:1])
            n_reads += 1
        for writer in writers:
            assert writer.poll() is None  # no error has ended it
            writer.kill()
            writer.wait()
        left += len(names(tmp_path)) - 1
        replace(path, b"z" * BYTES)
        assert names(tmp_path) == ["state.npz"]
    assert n_reads > 100 and len(seen) >= 4


def test_many_threads_write_one_file(tmp_path):
    path, errors = tmp_path / "state.npz", []

    def write(byte):
        try:
            for _ in range(30):
                replace(path, byte * BYTES)
                content = path.read_bytes()
                assert len(content) == BYTES and len(set(content)) == 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(byte,)) for byte in (b"a", b"b", b"c", b"d")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and names(tmp_path) == ["state.npz"]


@posix
def test_what_living_writers_write_is_not_removed(tmp_path, monkeypatch):
    """A write begins during another one, as if two processes were writing."""
    path, flush, inner = tmp_path / "state.npz", os.fsync, []

    def write_too(descriptor):
        if not inner:
            inner.append(True)
            replace(path, b"inner")
            assert path.read_bytes() == b"inner"
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", write_too)
    replace(path, b"outer")
    assert path.read_bytes() == b"outer" and names(tmp_path) == ["state.npz"]


def test_a_new_file_is_new(tmp_path):
    path = tmp_path / "front.csv"
    replace(path, b"first", new=True)
    with pytest.raises(FileExistsError):
        replace(path, b"second", new=True)
    assert path.read_bytes() == b"first" and names(tmp_path) == ["front.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_links_and_modes_stay(tmp_path):
    """The target of a link is written, and its permissions stay."""
    (tmp_path / "a").mkdir()
    target, link = tmp_path / "a" / "state.npz", tmp_path / "link.npz"
    link.symlink_to(target)
    replace(link, b"first")
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask()
    os.chmod(target, 0o600)
    replace(link, b"second")
    assert link.is_symlink() and target.read_bytes() == b"second"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert names(tmp_path / "a") == ["state.npz"] and names(tmp_path) == ["a", "link.npz"]


def umask():
    mask = os.umask(0o22)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("length", [1, 250, 255])
def test_the_longest_name(tmp_path, length):
    path = tmp_path / ("n" * length)
    with claimed(path, "checkpoint"):
        replace(path, b"content")
    assert path.read_bytes() == b"content" and names(tmp_path) == [path.name]


@pytest.mark.skipif(sys.platform != "linux", reason="the longest path of Linux")
@pytest.mark.parametrize("length", [4047, 4048, 4065, 4066])
def test_what_is_claimed_can_be_written(tmp_path, length):
    """If the path leaves no room for the name of the lock or of the temporary file, the claim is an error."""
    folder = tmp_path
    while (left := length - len(str(folder))) > 202:
        folder /= "d" * 99
    folder /= "d" * (left - 1)
    folder.mkdir(parents=True)
    written = True
    try:
        replace(folder / "f", b"content")
    except OSError as error:
        written, number = False, error.errno
    with pytest.raises(OSError, match="too long") if not written else nullcontext(), claimed(folder / "f", "file"):
        pass
    assert len(str(folder)) == length and written == (length == 4047) and (written or number == errno.ENAMETOOLONG)
    assert names(folder) == ["f"][:written]


def test_an_error_names_the_file_that_was_meant(tmp_path):
    path = tmp_path / "no" / "state.npz"
    with pytest.raises(FileNotFoundError) as caught:
        replace(path, b"")
    assert str(caught.value).endswith(f"{str(path)!r}")


# claims


@pytest.mark.process
def test_one_process_at_a_time(tmp_path):
    """A second claim is refused; the claim of a killed process ends."""
    path = tmp_path / "state.npz"
    first, line = program(CLAIMER, path)
    assert line == "claimed"
    for _ in range(2):
        second, line = program(CLAIMER, tmp_path / "." / "state.npz")
        second.communicate()
        assert line.startswith(f"checkpoint {str(path)!r} must be used by one process and thread at a time")
    with pytest.raises(ValueError, match="one process and thread at a time"), claimed(path, "checkpoint"):
        pass
    first.kill()
    first.communicate()
    with claimed(path, "checkpoint"):
        pass
    assert names(tmp_path) == []


@pytest.mark.process
def test_eight_processes_want_one_file(tmp_path):
    """At most one of them has the file at any moment, also while claims end and begin."""
    source = """
print("ready", flush=True)
end = time.monotonic() + 2
n = 0
while time.monotonic() < end:
    try:
        with claimed(sys.argv[1], "checkpoint"):
            os.close(os.open(sys.argv[1] + ".one", os.O_CREAT | os.O_EXCL))
            n += 1
            os.unlink(sys.argv[1] + ".one")
    except ValueError:
        pass
print(n, flush=True)
"""
    running = [program(source, tmp_path / "state.npz")[0] for _ in range(8)]
    told = [process.communicate() for process in running]
    assert [process.returncode for process in running] == [0] * 8
    assert sum(int(text) for text, _ in told) > 50
    assert names(tmp_path) == []


def test_threads_claim_their_own_files(tmp_path):
    """A thread cannot claim the file of another thread."""
    with claimed(tmp_path / "a", "checkpoint"), ExitStack() as stack:
        errors = []

        def claim(name):
            try:
                stack.enter_context(claimed(tmp_path / name, "checkpoint"))
            except ValueError as error:
                errors.append(str(error))

        for name in ("b", "a", "c"):
            thread = threading.Thread(target=claim, args=(name,))
            thread.start()
            thread.join()
        assert len(errors) == 1
    assert names(tmp_path) == []


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_keep_the_claim_of_its_parent(tmp_path):
    """A child that outlives its killed parent holds no claim; one that leaves the context does not end its parent's."""
    source = """
with claimed(sys.argv[1], "checkpoint"):
    if os.fork() == 0:
        if sys.argv[2] == "leave":
            raise SystemExit
        time.sleep(60)
    time.sleep(0.5)
    print(os.getpid(), flush=True)
    time.sleep(60)
"""
    path = tmp_path / "state.npz"
    for what in ("leave", "stay"):
        process = subprocess.Popen([sys.executable, "-c", LOAD + source, str(path), what], stdout=subprocess.PIPE,
                                   text=True, start_new_session=True)
        process.stdout.readline()
        with pytest.raises(ValueError, match="at a time"), claimed(path, "checkpoint"):
            pass
        process.kill()
        process.wait()
        with claimed(path, "checkpoint"):
            pass
        os.killpg(process.pid, signal.SIGKILL) if what == "stay" else None
        process.stdout.close()


@pytest.mark.parametrize("error", [None, OSError(95, "Operation not supported")])
def test_without_locks_all_goes_on(tmp_path, monkeypatch, error):
    """Where the system, or the file system, has no locks, no claim is refused."""
    def unsupported(descriptor):
        if error is not None:
            raise error

    path = tmp_path / "state.npz"
    monkeypatch.setattr(atomic_file, "lock_file", unsupported)
    with claimed(path, "checkpoint"), claimed(path, "checkpoint"):
        replace(path, b"content")
    assert path.read_bytes() == b"content" and names(tmp_path) == ["state.npz"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    """The error comes with the claim, and names the file that cannot be written."""
    path = tmp_path / "none" / "state.npz"
    with pytest.raises(FileNotFoundError, match="checkpoint must be in a folder that can be written: .*state.npz"):
        with claimed(path, "checkpoint"):
            pass
