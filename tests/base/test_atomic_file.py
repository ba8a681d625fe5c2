"""Files that are whole at any moment; by many processes and threads, some of them killed."""

import os
import stat
import subprocess
import sys
import threading
import time

import pytest

from moeliga.base import atomic_file
from moeliga.base.atomic_file import replace

BYTES = 1 << 16
posix = pytest.mark.skipif(atomic_file.fcntl is None, reason="needs fcntl")

LOAD = f"""
import os, sys, time
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("atomic_file", {atomic_file.__file__!r})
atomic_file = module_from_spec(spec)
spec.loader.exec_module(atomic_file)  # without the package, which takes longer
replace = atomic_file.replace
"""

WRITER = """
byte = sys.argv[2].encode()
print("ready", flush=True)
while True:
    replace(sys.argv[1], byte * int(sys.argv[3]))
"""

def program(source, *arguments):
    """A Python process, once it has said its first line: (process, line)."""
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
    """A write inside of a write, as of another process that is half done."""
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




@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_links_and_modes_stay(tmp_path):
    """The target of a link is written, and nobody else may read what nobody else might."""
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
    replace(path, b"content")
    assert path.read_bytes() == b"content" and names(tmp_path) == [path.name]


def test_an_error_names_the_file_that_was_meant(tmp_path):
    path = tmp_path / "no" / "state.npz"
    with pytest.raises(FileNotFoundError) as caught:
        replace(path, b"")
    assert str(caught.value).endswith(f"{str(path)!r}")
