"""Where and with what a benchmark ran."""

import datetime
import importlib.util
import os
import platform
import re
import subprocess
from pathlib import Path

from moeliga.base.versions import versions


def output_of(*command):
    """First line that a command prints; "" if it cannot run."""
    environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True, env=environment,
                              cwd=Path(__file__).parent)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.partition("\n")[0]


def cpu():
    """Name of the processor, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE) if info.exists() else None
    return found[1] if found else output_of("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor()


def compiler():
    """The compiler that built the extensions, which leaves its name in them; else the one at hand."""
    built = Path(importlib.util.find_spec("moeliga._ext.evaluate").origin).read_bytes()
    found = re.search(rb"(GCC: \([^\0]{1,100}|clang version [^\0]{1,100})", built)
    return found[1].decode() if found else output_of("cc", "--version") or "unknown"


def facts():
    """Where and with what the run was made."""
    changed = " with changes" if output_of("git", "status", "--porcelain", "--untracked-files=no") else ""
    commit = output_of("git", "rev-parse", "HEAD")
    built = versions() | {"platform": platform.system()}  # the kernel's own name would say nothing
    return {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "cpu": cpu(), "cores": os.cpu_count(), "compiler": compiler(),
            "commit": commit + changed if commit else "not in git", "versions": built}
