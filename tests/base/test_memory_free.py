"""How much memory is free, by what the files and limits of a system say."""

import os
import subprocess
import sys

import pytest
from commands import ENVIRONMENT

from moeliga.base import memory

GIB = 1 << 30
MEMINFO = "MemTotal: 8388608 kB\nMemAvailable:    6291456 kB\nSwapTotal: 0 kB\nSwapFree:       {} kB\n"
V1, V2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"


def group(folder, most, used, *, version=2, cached=0, swap=None):
    """Files of a control group."""
    names = ("memory.max", "memory.current") if version == 2 else ("memory.limit_in_bytes", "memory.usage_in_bytes")
    total = "total_" * (version == 1)
    files = {f"{folder}/{names[0]}": f"{most}\n", f"{folder}/{names[1]}": f"{used}\n",
             f"{folder}/memory.stat": f"anon 5\n{total}inactive_file {cached}\n{total}active_file {cached}\n"}
    return files | ({} if swap is None else {f"{folder}/memory.swap.max": f"{swap}\n"})


@pytest.mark.parametrize(("files", "free"), [
    ({"/proc/meminfo": MEMINFO.format(0)}, [6 * GIB]),
    ({"/proc/meminfo": MEMINFO.format(1 << 20)}, [7 * GIB]),  # swap counts
    ({"/proc/meminfo": MEMINFO.format(0), "/proc/self/cgroup": "0::/\n"} | group(V2, 4 * GIB, GIB), [6 * GIB, 3 * GIB]),
    ({"/proc/meminfo": MEMINFO.format(0), "/proc/self/cgroup": "0::/\n"} | group(V2, "max", GIB), [6 * GIB]),
    # files that are cached can be dropped; swap only as far as the group may use it
    ({"/proc/meminfo": MEMINFO.format(1 << 20), "/proc/self/cgroup": "0::/\n"}
     | group(V2, 4 * GIB, GIB, cached=1 << 20, swap=1 << 29), [7 * GIB, 3 * GIB + (2 << 20) + (1 << 29)]),
    ({"/proc/meminfo": MEMINFO.format(1 << 20), "/proc/self/cgroup": "0::/\n"}
     | group(V2, 4 * GIB, GIB, swap="max"), [7 * GIB, 4 * GIB]),
    # a group inside a smaller one, and one between without a limit
    ({"/proc/meminfo": MEMINFO.format(0), "/proc/self/cgroup": "0::/a/b/c\n"} | group(f"{V2}/a/b/c", 4 * GIB, GIB)
     | group(f"{V2}/a/b", "max", 0) | group(f"{V2}/a", 2 * GIB, GIB), [6 * GIB, 3 * GIB, GIB]),
    # version 1; its way to write "no limit"
    ({"/proc/meminfo": MEMINFO.format(0),
      "/proc/self/cgroup": "3:cpu,cpuacct:/x\n2:cpuset,memory:/x\n1:name=systemd:/\n"}
     | group(f"{V1}/x", 4 * GIB, GIB, version=1, cached=4096) | group(V1, 0x7FFFFFFFFFFFF000, GIB, version=1),
     [6 * GIB, 3 * GIB + 8192]),
    # in a container the path is that of the host, and only its root is there
    ({"/proc/meminfo": MEMINFO.format(0), "/proc/self/cgroup": "4:memory:/docker/0123\n"}
     | group(V1, 4 * GIB, GIB, version=1), [6 * GIB, 3 * GIB]),
    # both versions at once: the group of version 2 stands aside
    ({"/proc/meminfo": MEMINFO.format(0), "/proc/self/cgroup": "4:memory:/\n0::/y\n"}
     | group(V1, 4 * GIB, GIB, version=1) | group(f"{V2}/unified/y", 5 * GIB, GIB), [6 * GIB, 3 * GIB, 4 * GIB]),
    # more in use than allowed
    ({"/proc/meminfo": MEMINFO.format(0), "/proc/self/cgroup": "0::/\n"} | group(V2, GIB, 2 * GIB), [6 * GIB, -GIB]),
    # files that say something else
    ({"/proc/meminfo": MEMINFO.format(0), "/proc/self/cgroup": "0::/\n", f"{V2}/memory.max": "what?\n"}, [6 * GIB]),
], ids=str)
def test_limits_of_machine_and_control_groups(monkeypatch, files, free):
    """Limits are read from the files of both versions of control groups."""
    monkeypatch.setattr(memory, "read", lambda path: files.get(str(path)))
    assert [limit.free for limit in memory.limits()] == free


def test_elsewhere_the_size_of_the_machine_is_the_limit(monkeypatch):
    """Without /proc the size of the machine is the limit; if that is unknown, there is no limit."""
    monkeypatch.setattr(memory, "read", lambda path: None)
    (limit,) = memory.limits()
    assert limit.free == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for error in (ValueError, OSError, AttributeError):
        def fails(name, error=error):
            raise error(name)

        monkeypatch.setattr(memory.os, "sysconf", fails)
        assert memory.limits() == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's limits of a process")
@pytest.mark.parametrize(("kind", "option"), [("RLIMIT_AS", "ulimit -v"), ("RLIMIT_DATA", "ulimit -d")])
def test_limits_of_the_process(kind, option, tmp_path):
    """An array of the size that is left fails, a slightly smaller one does not."""
    program = f"""
import resource, numpy as np
from moeliga.base import memory
resource.setrlimit(resource.{kind}, (3 << 30, resource.RLIM_INFINITY))
(limit,) = [limit for limit in memory.limits() if "ulimit" in limit.name]
assert limit.name == "{option}: 3.0 GiB", limit
np.empty(limit.free - (8 << 20), np.uint8)
try:
    np.empty(limit.free + (8 << 20), np.uint8)
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=ENVIRONMENT, capture_output=True,
                          text=True)
    assert done.stdout == "refused\n", done.stderr


def test_the_limits_of_this_machine_are_plausible():
    """Some memory is free, and not more than a petabyte."""
    for limit in memory.limits():
        assert -(1 << 40) < limit.free < 1 << 50 and limit.name


@pytest.mark.parametrize(("free", "n"), [
    (1000, 9), (400, 7), (140, 1), (139, 0), (50, 0),  # the first one needs 100 bytes itself
])
@pytest.mark.parametrize(("small", "most"), [(110, 2), (119, 2), (120, 3), (1000, 9), (30, 0)])
def test_what_is_begun_beside_a_thing_is_small(monkeypatch, small, most, free, n):
    """Of the 100 bytes of each, 60 are shared; a look at the data reduces one part from 1000 bytes to 30."""
    parts = [memory.Part("threads", 60, common=True), memory.Part("names", 10),
             memory.Part("data", 1000, measured=lambda: memory.Part("data", 30))]
    monkeypatch.setattr(memory, "limits", lambda: [memory.Limit("a limit", free), memory.Limit("another", 2000)])
    assert memory.n_concurrent(parts, 9, small) == min(n, most)
    monkeypatch.setattr(memory, "SMALL", small)
    assert memory.n_concurrent(parts, 9) == min(n, most)
