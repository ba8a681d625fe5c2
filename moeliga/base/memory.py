"""How much memory is free, and a clear MemoryError where that is less than something needs.

What a fit, a tree or an evaluation needs says `moeliga.search.memory_plan`.
"""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SMALL = 1 << 26
"""What needs less than this is not compared with anything."""

UNLIMITED = 1 << 60
"""Limits from here on are none (that is how cgroups of version 1 write it)."""

SAVES = 0.05
"""A way to need less is named if it saves at least this share."""


@dataclass(frozen=True)
class Limit:
    """A limit of memory.

    Attributes
    ----------
    name : str
    free : int
        Bytes that are left of it.
    reserved : bool
        It counts all memory that is asked for; otherwise only what is written to.
    """

    name: str
    free: int
    reserved: bool = False


def size(n_bytes):
    """Bytes as a short text.

    Examples
    --------
    >>> from moeliga.base.memory import size
    >>> size(3 << 20), size(5 << 29)
    ('3 MiB', '2.5 GiB')
    """
    return f"{n_bytes / 2**20:.0f} MiB" if n_bytes < 2**30 else f"{n_bytes / 2**30:.1f} GiB"


def read(path):
    """Text of a file of the system, or None."""
    with suppress(OSError, UnicodeDecodeError):
        return Path(path).read_text()
    return None


def numbers(path):
    """Lines "name number" or "name: number kB" of a file as dict from name to bytes; empty without the file."""
    found = {}
    for line in (read(path) or "").splitlines():
        name, *rest = line.replace(":", " ").split()
        if rest and rest[0].isdigit():
            found[name] = int(rest[0]) * (1024 if rest[1:] == ["kB"] else 1)
    return found


def number(path):
    """The number in a file, or None: without the file, or where it says "max" or a number that means no limit."""
    text = (read(path) or "").strip()
    return int(text) if text.isdigit() and int(text) < UNLIMITED else None


def limits():
    """The limits of memory that hold for this process, as far as the system tells: list of `Limit`.

    On Linux those of its control groups, of the machine and of the process (``ulimit -v``, ``ulimit -d``); elsewhere
    the size of the machine. Memory that only caches files counts as free, and so does swap.
    """
    found = []
    memory = numbers("/proc/meminfo")
    if "MemAvailable" in memory:
        swap = memory.get("SwapFree", 0)
        found.append(Limit("the machine's memory", memory["MemAvailable"] + swap))
        found += cgroup_limits(swap)
    else:
        with suppress(AttributeError, OSError, ValueError):  # Windows; a system that does not know the name
            found.append(Limit("the machine's memory", os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    return found + process_limits()


def cgroup_limits(swap):
    """Limits of the control groups of this process and of those around them; `swap` = free bytes of it."""
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
        # inside a container the path may be that of the host: its root is there in any case
        folders = [path.strip("/").rsplit("/", up)[0] for up in range(path.count("/") + 1)] if path != "/" else []
        for root in roots:
            for folder in dict.fromkeys([*folders, ""]):
                place = Path(root, folder)
                most, used = (number(place / file) for file in files)
                if most is None or used is None:
                    continue
                known = numbers(place / "memory.stat")
                cached = known.get(f"{prefix}inactive_file", 0) + known.get(f"{prefix}active_file", 0)
                swap_here = swap if more is None or number(place / more) is None else min(swap, number(place / more))
                found.append(Limit(f"limit of the control group: {size(most)}", most - used + cached + swap_here))
    return found


def process_limits():
    """``ulimit -v`` and ``ulimit -d`` of this process, where the system tells how much of them is in use."""
    pages = (read("/proc/self/statm") or "").split()
    if len(pages) < 6 or sys.platform == "win32":
        return []
    import resource

    found, kinds = [], (("ulimit -v", resource.RLIMIT_AS, pages[0]), ("ulimit -d", resource.RLIMIT_DATA, pages[5]))
    for name, kind, used in kinds:
        most = resource.getrlimit(kind)[0]
        if most != resource.RLIM_INFINITY and most < UNLIMITED:
            found.append(Limit(f"{name}: {size(most)}", most - int(used) * resource.getpagesize(), reserved=True))
    return found


def require(job, X=None):
    """Raise MemoryError if a job needs more memory than is free.

    Parameters
    ----------
    job : object with the methods
        `demand()`, a `moeliga.base.memory_demand.Demand`; `smaller()`, a list of pairs (how, another job); and
        `looked_at(X)`, the job with a better estimate from a look at some of the data.
    X : ndarray or sparse, or None
        Looked at only if the job may need too much.

    Raises
    ------
    MemoryError : saying how much is needed for what, how much is free, and what would need less.
    """
    demand = job.demand()
    if demand.reserved < SMALL:
        return
    known = limits()
    if X is not None and lacking(demand, known):
        job = job.looked_at(X)
        demand = job.demand()
    limit = lacking(demand, known)
    if limit is None:
        return
    needed = demand.against(limit)
    parts = ", ".join(f"{size(part.against(limit))} for {part.name}" for part in demand.largest(limit))
    ways = [(how, other.demand().against(limit)) for how, other in job.smaller()]
    ways = ", ".join(f"{size(less)} with {how}" for how, less in ways if less < (1 - SAVES) * needed)
    raise MemoryError(
        f"{demand.what} needs about {size(needed)} of memory besides X, and {size(max(0, limit.free))} are free "
        f"({limit.name}): {parts}" + (f". It would be {ways}" if ways else ""))


def lacking(demand, known):
    """The limit that a demand exceeds by most, or None."""
    exceeded = [(demand.against(limit) - limit.free, limit) for limit in known if demand.against(limit) > limit.free]
    return max(exceeded, key=lambda pair: pair[0])[1] if exceeded else None
