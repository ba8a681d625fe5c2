"""The free memory, and a clear MemoryError for what needs more; `moeliga.data.memory_estimate` has the estimates."""

import ctypes
import math
import os
import sys
from collections import namedtuple
from contextlib import suppress
from pathlib import Path

SMALL = 1 << 26
"""Bytes up to which no need is compared with the free memory, and which searches, or fits, beside one may take."""

UNLIMITED = 1 << 60
"""Smallest number that stands for "no limit" in cgroups of version 1."""

Limit = namedtuple("Limit", "name free")
"""A limit of memory, and the bytes that are left of it."""

Part = namedtuple("Part", "name n_bytes less measured common", defaults=("", None, False))
"""Memory for one purpose: `less` names ways to need less; `measured()`, unless None, looks at the data and returns the
part with fewer bytes; `common` is True for memory that searches, or fits, beside each other share."""


def size(n_bytes):
    """Return bytes as a short text: "3 MiB", "2.5 GiB"."""
    return f"{n_bytes / 2**20:.0f} MiB" if n_bytes < 2**30 else f"{n_bytes / 2**30:.1f} GiB"


def read(path):
    """Return the text of a file of the system, or None."""
    with suppress(OSError, UnicodeDecodeError):
        return Path(path).read_text()
    return None


def numbers(path):
    """Return lines "name number" or "name: number kB" of a file: dict from name to bytes; empty without the file."""
    lines = [line.replace(":", " ").split() for line in (read(path) or "").splitlines()]
    return {name: int(rest[0]) * (1024 if rest[1:] == ["kB"] else 1)
            for name, *rest in lines if rest and rest[0].isdigit()}


def number(path):
    """Return the number in a file, or None without the file, for "max" and for a number that means no limit."""
    text = (read(path) or "").strip()
    return int(text) if text.isdigit() and int(text) < UNLIMITED else None


def limits():
    """Return the known limits of memory of this process: list of `Limit`.

    On Linux those of its control groups, of the machine and of the process (``ulimit -v``, ``ulimit -d``); elsewhere
    the size of the machine. Memory that only caches files counts as free, and so does swap.
    """
    memory, found = numbers("/proc/meminfo"), []
    if "MemAvailable" in memory:
        swap = memory.get("SwapFree", 0)
        found = [Limit("the machine's memory", memory["MemAvailable"] + swap), *cgroup_limits(swap)]
    else:
        with suppress(AttributeError, OSError, ValueError):  # Windows; a system that does not know the name
            found = [Limit("the machine's memory", os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))]
    return found + process_limits()


def cgroup_limits(swap):
    """Return the limits of the control groups of this process and of those around them; `swap` = its free bytes."""
    found = []
    for line in (read("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            roots, files = ("/sys/fs/cgroup", "/sys/fs/cgroup/unified"), ("memory.max", "memory.current")
            prefix, more = "", "memory.swap.max"
        elif "memory" in controllers.split(","):
            roots, files = ("/sys/fs/cgroup/memory",), ("memory.limit_in_bytes", "memory.usage_in_bytes")
            prefix, more = "total_", None
        else:
            continue
        # inside a container the path may be one of the host, which is missing here: the root is not
        folders = [path.strip("/").rsplit("/", up)[0] for up in range(path.count("/") + 1)] if path != "/" else []
        for place in (Path(root, folder) for root in roots for folder in dict.fromkeys([*folders, ""])):
            most, used = (number(place / file) for file in files)
            if most is not None and used is not None:
                known, swap_here = numbers(place / "memory.stat"), number(place / more) if more else None
                cached = known.get(f"{prefix}inactive_file", 0) + known.get(f"{prefix}active_file", 0)
                free = most - used + cached + (swap if swap_here is None else min(swap, swap_here))
                found.append(Limit(f"limit of the control group: {size(most)}", free))
    return found


def process_limits():
    """Return ``ulimit -v`` and ``ulimit -d`` of this process, if the system tells how much of them is in use."""
    pages = (read("/proc/self/statm") or "").split()
    if len(pages) < 6 or sys.platform == "win32":
        return []
    import resource
    kinds = (("ulimit -v", resource.RLIMIT_AS, pages[0]), ("ulimit -d", resource.RLIMIT_DATA, pages[5]))
    known = [(name, resource.getrlimit(kind)[0], int(used) * resource.getpagesize()) for name, kind, used in kinds]
    return [Limit(f"{name}: {size(most)}", most - used) for name, most, used in known if 0 <= most < UNLIMITED]


def n_concurrent(parts, n, most=None):
    """Return how many of `n` further searches, or fits, that need the parts can run beside a first one: int in [0, n].

    All of them take at most the free memory, and the further ones at most `most` bytes; None = `SMALL`.
    """
    found = [part.measured() if part.measured else part for part in parts]
    one = sum(part.n_bytes for part in found)
    each = sum(part.n_bytes for part in found if not part.common)
    free = min((limit.free for limit in limits()), default=math.inf)
    return int(max(0, min(n, (SMALL if most is None else most) // each, (free - one) // each)))


def trim_heap():
    """Return to the system the freed memory that the C library keeps for each thread, if it is glibc."""
    with suppress(AttributeError, OSError, TypeError):  # other libraries lack it; Windows takes no None
        ctypes.CDLL(None).malloc_trim(0)


def require(what, parts):
    """Raise MemoryError if the parts together need more than is free; the message names parts and ways to need less.

    The data are looked at only if the estimates without a look are too large.
    """
    needed = sum(part.n_bytes for part in parts)
    limit = min(limits(), key=lambda known: known.free, default=None) if needed >= SMALL else None
    if limit is None or needed <= limit.free:
        return
    parts = sorted((part.measured() if part.measured else part for part in parts), key=lambda part: -part.n_bytes)
    needed = sum(part.n_bytes for part in parts)
    if needed > limit.free:
        parts = [part for part in parts if part.n_bytes * 50 >= needed]  # others hardly count
        ways = "; ".join(dict.fromkeys(part.less for part in parts if part.less))
        raise MemoryError(f"{what} needs about {size(needed)} of memory besides X, and {size(max(0, limit.free))} are "
                          f"free ({limit.name}): {', '.join(f'{size(part.n_bytes)} for {part.name}' for part in parts)}"
                          + (f". It would be less with {ways}" if ways else ""))
