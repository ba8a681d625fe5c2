"""What a shared library of a wheel needs, how it is hardened, and what it gives away; asks readelf."""

import os
import re
import socket
import subprocess
from pathlib import Path

NEEDED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
"""Libraries that every Linux with the GNU C library has."""

RUNTIME = re.compile(r"libgomp(-[0-9a-f]+)?\.so\.[\d.]+")
"""The OpenMP runtime: the system's, or the copy that auditwheel puts into the wheel."""

GLIBC = (2, 28)
"""The newest symbols of the GNU C library that a wheel may need: those of manylinux_2_28."""

ROOTS = {"Users", "build", "builds", "data", "github", "home", "host", "io", "mnt", "opt", "private", "project", "root",
         "srv", "tmp", "usr", "var", "work", "workspace"}
"""Folders at the top of machines that build; those of this machine are added."""

NOWHERE = {"dev", "proc", "sys"}
"""The same on every machine."""


def paths_in(content):
    """Absolute paths in a library's bytes: sorted list of str."""
    here = {entry.name for entry in os.scandir("/") if entry.is_dir()}
    roots = "|".join(sorted(re.escape(name) for name in (ROOTS | here) - NOWHERE if len(name) > 1))
    found = re.findall(rb"(?<![\w.:/-])/(?:%s)/[\w.+@~-]{2}[\w.+@~/-]*" % roots.encode(), content)
    return sorted({path.decode("ascii", "replace") for path in found})


def readelf(path, *options):
    """The report of readelf as text."""
    return subprocess.run(["readelf", "--wide", *options, str(path)], check=True, capture_output=True, text=True,
                          errors="replace", env={**os.environ, "LC_ALL": "C"}).stdout


def inspect_binary(path, glibc=GLIBC, *, ours=True):
    """Findings and facts of a shared library.

    Parameters
    ----------
    path : path
    glibc : tuple of int, default=(2, 28)
        The newest version of the GNU C library that its symbols may need.
    ours : bool, default=True
        Whether it is linked here. A copy of the system's library is not: whether that one is bound before it runs is
        its distribution's choice.

    Returns
    -------
    findings : list of str
    needed : set of str
        Names of libraries.
    newest : tuple of int
        The newest version of the GNU C library that a symbol needs; (0,) if none does.
    """
    content = Path(path).read_bytes()
    if content[:4] != b"\x7fELF":
        return ["is no ELF library; there is no audit of other formats"], set(), (0,)
    try:
        segments, dynamic, sections = (readelf(path, option) for option in ("--segments", "--dynamic", "--sections"))
        versions, symbols = readelf(path, "--version-info"), readelf(path, "--dyn-syms")
    except FileNotFoundError:
        return ["was not looked into: readelf is missing (it comes with binutils)"], set(), (0,)
    except subprocess.CalledProcessError as error:
        return [f"readelf fails: {error.stderr.strip()}"], set(), (0,)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    numbers = re.findall(r"Name: GLIBC_([\d.]+)", versions)
    newest = max((tuple(map(int, number.split("."))) for number in numbers), default=(0,))
    found = [*hardening(segments, dynamic, ours), *leftovers(sections, dynamic, symbols)]
    found += [f"needs the library {name}" for name in sorted(needed - NEEDED) if not RUNTIME.fullmatch(name)]
    if newest > glibc:
        found.append(f"needs GLIBC_{dotted(newest)}, newer than {dotted(glibc)}")
    found += [f"has a path of the machine that built it: {place}" for place in paths_in(content)]
    host = socket.gethostname().encode()
    if len(host) > 4 and host in content:
        found.append(f"has the name of the machine that built it: {host.decode()}")
    return found, needed, newest


def hardening(segments, dynamic, ours=True):
    """What an attacker could use."""
    flags = re.findall(r"^ +(\w+) +(?:0x[0-9a-f]+ +){5}([R ][W ][E ]) ", segments, re.MULTILINE)
    if any(kind == "LOAD" and "W" in rights and "E" in rights for kind, rights in flags):
        yield "has memory that is writable and executable"
    stacks = [rights for kind, rights in flags if kind == "GNU_STACK"]
    if not stacks or any("E" in rights for rights in stacks):
        yield "asks for an executable stack"
    if all(kind != "GNU_RELRO" for kind, _ in flags):
        yield "has no RELRO: its table of functions stays writable"
    if ours and not re.search(r"\(BIND_NOW\)|\(FLAGS(_1)?\).*\b(NOW|BIND_NOW)\b", dynamic):
        yield "has partial RELRO only: link it with -z now"
    if re.search(r"\(TEXTREL\)|\(FLAGS\).*\bTEXTREL\b", dynamic):
        yield "has text relocations"
    for kind, places in re.findall(r"\((RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        if any(place.partition("/")[0] != "$ORIGIN" for place in places.split(":")):
            yield f"looks for libraries in {places} ({kind})"


def leftovers(sections, dynamic, symbols):
    """What nobody needs who only runs it."""
    names = set(re.findall(r"^ +\[ *\d+\] (\S+)", sections, re.MULTILINE))
    debug = sorted(name for name in names if re.match(r"\.z?debug", name))
    if debug:
        yield f"has debug sections: {', '.join(debug)}"
    if ".symtab" in names:
        yield "is not stripped of its symbols"
    exported = re.findall(r"(?:FUNC|OBJECT) +(?:GLOBAL|WEAK|UNIQUE) +(?:DEFAULT|PROTECTED) +\d+ (\S+)", symbols)
    own = [name for name in exported if not re.fullmatch(r"PyInit_\w+", name)]
    if own and "libgomp" not in "".join(re.findall(r"\(SONAME\).*\[(.*)\]", dynamic)):
        yield f"exports more than its PyInit function: {', '.join(sorted(own)[:8])}"


def dotted(version):
    return ".".join(map(str, version))
