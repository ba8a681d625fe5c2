"""Files that are whole at any moment, whoever writes them."""

import hashlib
import os
import secrets
import stat
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
try:
    import msvcrt
except ImportError:
    msvcrt = None

def lock_of(descriptor):
    """Lock an open file until it is closed or its process dies; an OSError where somebody else has, or nobody can."""
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    elif msvcrt is not None:
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


def replace(path, content):
    """Write bytes to a file such that there is always a whole one, the old or the new, also after a power failure.

    Any number of writers may do so at the same time. A symbolic link stays, and so do the permissions.
    """
    path, mode = Path(os.path.realpath(path)), None
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(os.stat(path).st_mode)
    sweep(path)
    part = beside(path, f"-{secrets.token_hex(8)}.part")
    try:
        opener = partial(os.open, mode=0o666 if mode is None else 0o600)
        with open(part, "xb", opener=opener) as file:
            if not taken(file.fileno(), part):  # somebody has swept it
                return replace(path, content)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if mode is not None:
                os.chmod(part, mode)
            if msvcrt is not None:  # Windows renames no open file
                file.close()
            os.replace(part, path)
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


def sweep(path):
    """Remove what dead writers of a file have left beside it: what nobody has locked or, on Windows, has open."""
    for part in path.parent.glob(beside(path, "-*.part").name):
        with suppress(OSError), nullcontext() if msvcrt else open(part, "r+b") as file:
            if msvcrt or taken(file.fileno(), part):
                part.unlink()
