"""Files that are whole at any moment, whoever writes them, and claims: one user of a file, or a folder, at a time."""

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
"""Times that a claim is tried where locks of others come and go."""

CLAIMS: set[int] = set()
"""Descriptors of the locks that this process claims files by."""


def forget():
    """Close the locks in a forked child, which would keep them after the death of its parent."""
    while CLAIMS:
        os.close(CLAIMS.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)


def lock_of(descriptor):
    """Lock an open file until it is closed or its process dies; an OSError where somebody else has, or nobody can."""
    if fcntl:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)


def taken(descriptor, path):
    """Lock an open file, where there are locks: False if somebody else has, or has removed it from its path."""
    try:
        lock_of(descriptor)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        pass
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    return False


def beside(path, end):
    """Return the path of a hidden file beside another, of a short name: that of the other may have any length."""
    return path.with_name(f".moeliga-{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:16]}{end}")


def part_of(path):
    """Return a new path beside another, of a file to be written before it takes the place of the other."""
    return beside(path, f"-{secrets.token_hex(8)}.part")


@contextmanager
def claimed(path, name):
    """Context in which nobody else can claim a file; whatever ends a process ends its claims.

    A ValueError, which calls the file `name`, if another process or thread has claimed it. Where there are no locks
    nothing is refused. An OSError where `replace` could not write the file, since the path is too long, or the folder
    cannot be written to.
    """
    path = Path(os.path.realpath(path))
    lock = beside(path, ".lock")
    with suppress(FileNotFoundError):
        os.stat(part_of(path))
    for _ in range(TRIES):
        try:
            descriptor, own = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666), False
        except OSError as error:
            said = f"{name} must be in a folder that can be written: {error.strerror}"
            raise OSError(error.errno, said, str(path)) from error
        try:
            own = taken(descriptor, lock)
        finally:
            if not own:
                os.close(descriptor)
        if own:
            break
    else:
        raise ValueError(f"{name} {str(path)!r} must be used by one process and thread at a time, but another one is "
                         "using it; choose another path, or wait for its end")
    CLAIMS.add(descriptor)
    try:
        yield
    finally:
        if descriptor in CLAIMS:  # else this is a fork
            CLAIMS.remove(descriptor)
            steps = [(os.unlink, lock), (os.close, descriptor)]
            for step, what in steps[::-1] if msvcrt else steps:  # Windows removes no open file
                with suppress(OSError):
                    step(what)


def replace(path, content, new=False):
    """Write bytes to a file such that there is always a whole one, the old or the new, also after a power failure.

    Any number of writers may do so at the same time. A symbolic link stays, and so do the permissions. With `new` there
    must be no such file: FileExistsError.
    """
    path, mode = Path(path if new else os.path.realpath(path)), None
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(os.stat(path).st_mode)
    sweep(path)
    part = part_of(path)
    try:
        opener = partial(os.open, mode=0o666 if mode is None else 0o600)
        with open(part, "xb", opener=opener) as file:
            if not taken(file.fileno(), part):  # somebody has swept it
                return replace(path, content, new)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                os.chmod(part, mode)
            if msvcrt:  # Windows renames no open file
                file.close()
            settle(part, path, new)
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


def settle(part, path, new):
    """Give a written file its name; with `new` a FileExistsError if there is such a file."""
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


def sweep(path):
    """Remove what dead writers of a file have left beside it: what nobody has locked or, on Windows, has open."""
    for part in path.parent.glob(beside(path, "-*.part").name):
        with suppress(OSError), nullcontext() if msvcrt else open(part, "r+b") as file:
            if msvcrt or taken(file.fileno(), part):
                part.unlink()


@contextmanager
def temporary_folder(path, prefix, name):
    """Yield a new folder in another, which is claimed, and removed at the end: a Path. Errors call it `name`."""
    folder = Path(path, prefix + secrets.token_hex(8))
    with claimed(folder, name):
        try:
            folder.mkdir()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def sweep_folders(path, prefix):
    """Remove what dead processes have left of their `temporary_folder`s; without locks nobody is known to be dead."""
    for folder in path.glob(f"{prefix}*"):
        lock = beside(folder, ".lock")
        with suppress(OSError):
            with open(lock, "r+b") as file:
                lock_of(file.fileno())
                shutil.rmtree(folder)
            lock.unlink()
