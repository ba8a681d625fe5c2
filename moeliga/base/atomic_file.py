"""Atomic writes of files, and claims, by which one user at a time has a file or a folder."""

import hashlib
import os
import secrets
import shutil
import stat
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

fcntl, msvcrt = (import_module(name) if find_spec(name) else None for name in ("fcntl", "msvcrt"))

TRIES = 100
"""Attempts at a claim: another process may remove its lock file while we open and lock it."""

HELD_LOCKS: set[int] = set()
"""Descriptors of the lock files that this process holds."""


def release_locks_in_child():
    """Close the lock files in a forked child, which would hold the locks after the death of its parent."""
    while HELD_LOCKS:
        os.close(HELD_LOCKS.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=release_locks_in_child)


def lock_file(descriptor):
    """Lock an open file until it is closed or its process dies; raise OSError if it is locked or cannot be."""
    if fcntl:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)


def try_lock(descriptor, path):
    """Try to lock an open file: False if it is locked already, or gone from its path; True on systems without locks."""
    try:
        lock_file(descriptor)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        pass
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    return False


def hidden_path(path, end):
    """Return the path of a hidden file in the same folder; its name is short, whatever the length of the other name."""
    return path.with_name(f".moeliga-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}{end}")


def temporary_path(path):
    """Return a new path in the same folder, for a file that is written first and then renamed to `path`."""
    return hidden_path(path, f"-{secrets.token_hex(8)}.part")


@contextmanager
def claimed(path, name):
    """Context in which no other process or thread can claim a file; a claim also ends with its process.

    ValueError, which calls the file `name`, if it is claimed already; never on systems without locks. OSError if
    `replace` could not write the file, as its path is too long or its folder cannot be written to.
    """
    path = Path(os.path.realpath(path))
    lock = hidden_path(path, ".lock")
    with suppress(FileNotFoundError):
        os.stat(temporary_path(path))
    for _ in range(TRIES):
        try:
            descriptor, locked = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666), False
        except OSError as error:
            message = f"{name} must be in a folder that can be written: {error.strerror}"
            raise OSError(error.errno, message, str(path)) from error
        try:
            locked = try_lock(descriptor, lock)
        finally:
            if not locked:
                os.close(descriptor)
        if locked:
            break
    else:
        raise ValueError(f"{name} {str(path)!r} must be used by one process and thread at a time, but another one is "
                         "using it; choose another path, or wait for its end")
    HELD_LOCKS.add(descriptor)
    try:
        yield
    finally:
        if descriptor in HELD_LOCKS:  # else this is a fork
            HELD_LOCKS.remove(descriptor)
            steps = [(os.unlink, lock), (os.close, descriptor)]
            for step, what in steps[::-1] if msvcrt else steps:  # Windows cannot remove an open file
                with suppress(OSError):
                    step(what)


def replace(path, content, new=False):
    """Write bytes to a file atomically: it has the old content or the new at any time, also after a power failure.

    Several writers may write at the same time. A symbolic link stays a link, and permissions are kept. With `new`,
    raise FileExistsError if the file exists.
    """
    path, mode = Path(path if new else os.path.realpath(path)), None
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(os.stat(path).st_mode)
    remove_stale_parts(path)
    part = temporary_path(path)
    try:
        opener = partial(os.open, mode=0o666 if mode is None else 0o600)
        with open(part, "xb", opener=opener) as file:
            if not try_lock(file.fileno(), part):  # another writer has removed it
                return replace(path, content, new)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                os.chmod(part, mode)
            if msvcrt:  # Windows cannot rename an open file
                file.close()
            move_into_place(part, path, new)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.filename in (part, str(part)):
            error.filename = str(path)
        raise
    with suppress(OSError):  # not every system can flush a folder
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def move_into_place(part, path, new):
    """Rename a written file to `path`; with `new`, raise FileExistsError if that exists."""
    if new:
        try:
            os.link(part, path)
        except FileExistsError:
            raise
        except OSError:  # a system without links; here a power failure may leave an empty file
            open(path, "xb").close()
        else:
            with suppress(OSError):
                os.unlink(part)
            return
    try:
        os.replace(part, path)
    except OSError:
        if new:
            path.unlink()
        raise


def remove_stale_parts(path):
    """Remove unfinished files of dead writers: those that nobody has locked or, on Windows, has open."""
    for part in path.parent.glob(hidden_path(path, "-*.part").name):
        with suppress(OSError), nullcontext() if msvcrt else open(part, "r+b") as file:
            if msvcrt or try_lock(file.fileno(), part):
                part.unlink()


@contextmanager
def temporary_folder(path, prefix, name):
    """Yield the Path of a new folder in `path`, claimed and removed at the end. Errors call it `name`."""
    folder = Path(path, prefix + secrets.token_hex(8))
    with claimed(folder, name):
        try:
            folder.mkdir()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remove_stale_folders(path, prefix):
    """Remove each `temporary_folder` of a dead process; none on systems without locks, where none is known as dead."""
    for folder in path.glob(f"{prefix}*"):
        lock = hidden_path(folder, ".lock")
        with suppress(OSError):
            with open(lock, "r+b") as file:
                lock_file(file.fileno())
                shutil.rmtree(folder)
            lock.unlink()
