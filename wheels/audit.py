"""Audit of what is distributed: python wheels/audit.py dist/*

Says what a wheel or an sdist holds and what its binaries need, and lists as findings what is there and should not be,
what is missing, and what tells of the machine that built it. The exit status is 1 if there is a finding. The archives
are compared with the source tree that this file is in.
"""

import argparse
import ast
import base64
import csv
import hashlib
import io
import re
import stat
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from binary import GLIBC, dotted, inspect_binary

TREE = Path(__file__).resolve().parents[1]

PACKAGE = r"moeliga/([a-z]+/)?[a-z_0-9]+\.py|moeliga/py\.typed|moeliga/_ext/(__init__\.py|[a-z]+\.pyi)"
INFO = r"moeliga-[\w.+]+\.dist-info/"
WHEEL = rf"""
    {PACKAGE}
  | moeliga/_ext/[a-z]+\.(cpython-\d+t?|abi3)[\w-]*\.so
  | moeliga\.libs/libgomp-[0-9a-f]+\.so[\d.]*          # put there by auditwheel
  | {INFO}(METADATA|RECORD|WHEEL|entry_points\.txt|top_level\.txt|licenses/LICENSE|sboms/[\w.-]+\.json)"""
SDIST = rf"""
    {PACKAGE}
  | LICENSE | CITATION\.cff | [A-Z]+\.md | MANIFEST\.in | pyproject\.toml | setup\.py
  | PKG-INFO | setup\.cfg | moeliga\.egg-info/[\w.-]+\.txt | moeliga\.egg-info/PKG-INFO
  | _ext/(README\.md | [a-z]+\.(pyx|pxd) | kernels/[a-z]+/[a-z_]+(\.inc)?\.h)
  | tests/([a-z_]+/)*([a-z0-9_]+\.(py|json|sh)|README\.md)
  | benchmarks/([a-z]+/)*([a-z_]+\.py|README\.md|baseline\.json|growth\.png|(fits|threads)\.csv)
  | benchmarks/(board|honest|judges|paper)/results/[a-z_-]+\.(csv|png|svg)
  | benchmarks/board/results/switches/(board|before)\.csv
  | docs/([a-z-]+/)*[a-z_-]+\.(md|py) | docs/gallery/GALLERY_HEADER\.rst | docs/_static/[a-z]+\.(css|svg)
  | wheels/([a-z_]+\.py|[a-zA-Z]+\.md|conda/recipe\.yaml)"""
"""Names that may be there."""

GENERATED = r"PKG-INFO|setup\.cfg|moeliga\.egg-info/.*"
"""Written while the sdist is made: not in the tree."""

FOLDERS = ("_ext", "benchmarks", "docs", "moeliga", "tests", "wheels")
"""Those of the source tree."""

PASSED_OVER = {"__pycache__", "_build"}
"""Folders in them that hold nothing of it."""


class Member(NamedTuple):
    """One entry of an archive; `mode` as of `os.stat`."""

    name: str
    mode: int
    content: bytes


def members_of_wheel(path):
    """Without the empty entries of folders, which auditwheel adds."""
    with zipfile.ZipFile(path) as file:
        return [Member(info.filename, info.external_attr >> 16, file.read(info)) for info in file.infolist()
                if not info.is_dir() or info.file_size]


def members_of_sdist(path):
    """Without the one folder that holds everything; what stands beside it keeps its name with a slash before."""
    folder = path.name.removesuffix(".tar.gz") + "/"
    found = []
    with tarfile.open(path) as file:
        for info in file.getmembers():
            if info.isdir() and f"{info.name}/".startswith(folder):
                continue
            kind = stat.S_IFREG if info.isreg() else stat.S_IFLNK
            name = info.name.removeprefix(folder) if info.name.startswith(folder) else f"/{info.name}"
            found.append(Member(name, kind | info.mode, file.extractfile(info).read() if info.isreg() else b""))
    return found


def audit(path, tree=TREE):
    """Findings and facts of a wheel or an sdist.

    Parameters
    ----------
    path : path
        Its name says what it is: ``.whl`` or ``.tar.gz``.
    tree : path
        The source tree that it was made from.

    Returns
    -------
    findings, facts : lists of str
    """
    path, tree = Path(path), Path(tree)
    if path.suffix == ".whl":
        members, allowed = members_of_wheel(path), WHEEL
        wanted = names_in(tree, PACKAGE)
    elif path.name.endswith(".tar.gz"):
        members, allowed = members_of_sdist(path), SDIST
        wanted = names_in(tree, SDIST)
    else:
        return [f"{path.name} is neither a wheel (.whl) nor an sdist (.tar.gz)"], []
    names = Counter(member.name for member in members)
    found = [f"{name} is there {times} times" for name, times in names.items() if times > 1]
    found += [f"{name} is unexpected" for name in sorted(names) if not re.fullmatch(allowed, name, re.VERBOSE)]
    found += [f"{name} is missing: the source tree has it" for name in sorted(wanted - set(names))]
    generated = f"{GENERATED}|{INFO}.*|.*\\.so[\\d.]*"
    found += [f"{name} is not in the source tree" for name in sorted(set(names) - wanted)
              if re.fullmatch(allowed, name, re.VERBOSE) and not re.fullmatch(generated, name)]
    for member in members:
        found += [f"{member.name} {what}" for what in mode_findings(member)]
        if re.fullmatch(allowed, member.name, re.VERBOSE):
            found += [f"{member.name} {what}" for what in text_findings(member, tree)]
    size = sum(len(member.content) for member in members)
    facts = [f"{len(members)} files, {path.stat().st_size:,} bytes, {size:,} unpacked"]
    if path.suffix == ".whl":
        found += wheel_findings(path, members, tree)
        more, told = binaries(members, promised(path.name))
        found, facts = found + more, facts + told
    return found, facts


def names_in(tree, pattern):
    """Names of the files of a source tree that match a pattern and are written by people: those that git knows, where
    there is git."""
    if Path(tree, ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=tree, check=True, capture_output=True, text=True).stdout
        names = set(listed.split("\0"))
    else:
        paths = [*tree.iterdir(), *(path for folder in FOLDERS for path in Path(tree, folder).rglob("*"))]
        names = {path.relative_to(tree).as_posix() for path in paths if path.is_file()
                 and not PASSED_OVER & set(path.relative_to(tree).parts)}
    return {name for name in names if re.fullmatch(pattern, name, re.VERBOSE) and not re.fullmatch(GENERATED, name)}


def mode_findings(member):
    """What kind of file it is, and who may write to it."""
    if stat.S_IFMT(member.mode) not in (0, stat.S_IFREG):
        yield "is no regular file"
    if member.mode & 0o7002:
        yield f"has the mode {stat.S_IMODE(member.mode):o}"


def text_findings(member, tree):
    """Whether it is the text that its name says, and tells nothing of this machine."""
    suffix = Path(member.name).suffix
    if ".so" in Path(member.name).suffixes or suffix == ".png":
        return
    try:
        text = member.content.decode("utf-8")
        if "\0" in text:
            raise ValueError("it has a NUL")
        if suffix in (".py", ".pyi"):
            ast.parse(text)
    except (SyntaxError, ValueError) as error:
        yield f"is not the text that its name says: {error}"
        return
    if Path(member.name).name == "py.typed" and text:
        yield "is not empty"
    for place in sorted({str(place) for place in (tree, Path.home(), sys.prefix, sys.base_prefix)}):
        if len(place) > 1 and re.search(rf"(?<![\w.])({re.escape(place)})(?=/|\b)", text):
            yield f"has a path of this machine: {place}"


def wheel_findings(path, members, tree):
    """What its own tables say of a wheel: names, tags, checksums; and a library for each stub of a room."""
    files = {member.name: member.content for member in members}
    name, version, *tags = path.name.removesuffix(".whl").split("-")
    info = f"{name}-{version}.dist-info"
    for table in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"):
        if f"{info}/{table}" not in files:
            yield f"{info}/{table} is missing"
    metadata = files.get(f"{info}/METADATA", b"").decode(errors="replace")
    for line in (f"Name: {name}", f"Version: {version}", "License-Expression: BSD-3-Clause"):
        if not re.search(f"^{re.escape(line)}$", metadata, re.MULTILINE):
            yield f"{info}/METADATA does not say {line!r}"
    said = set(re.findall(r"^Tag: (.*)$", files.get(f"{info}/WHEEL", b"").decode(errors="replace"), re.MULTILINE))
    if said and said != {f"{python}-{abi}-{platform}" for python in tags[-3].split(".") for abi in tags[-2].split(".")
                         for platform in tags[-1].split(".")}:
        yield f"{info}/WHEEL has other tags than the name of the file: {', '.join(sorted(said))}"
    yield from record_findings(files, f"{info}/RECORD")
    rooms = {Path(file).name.partition(".")[0] for file in files if re.fullmatch(r"moeliga/_ext/.*\.so", file)}
    stubs = {Path(stub).stem for stub in names_in(tree, r"moeliga/_ext/.*\.pyi")}
    for room in sorted(rooms ^ stubs):
        yield f"moeliga/_ext/{room}: {'no compiled library' if room in stubs else 'a library without a stub'}"


def record_findings(files, record):
    """Whether RECORD has every file with its size and SHA-256."""
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(files.get(record, b"").decode(errors="replace"))) if row}
    for name in sorted(files.keys() ^ rows.keys()):
        yield f"{name} is {'not in RECORD' if name in files else 'in RECORD and not in the wheel'}"
    for name in sorted((files.keys() & rows.keys()) - {record}):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        if rows[name] != [f"sha256={digest}", str(len(files[name]))]:
            yield f"{name} is not what RECORD says"


def promised(name):
    """The GNU C library that the name of a wheel says is enough: that of its tags, of manylinux_2_28 if it has none."""
    tags = re.findall(r"manylinux_(\d+)_(\d+)_", name)
    return min((tuple(map(int, tag)) for tag in tags), default=GLIBC)


def binaries(members, glibc):
    """Findings and facts of the shared libraries."""
    found, needed, newest = [], set(), (0,)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "library.so")
        for member in members:
            if re.search(r"\.so[\d.]*$", member.name):
                place.write_bytes(member.content)
                ours = not member.name.startswith("moeliga.libs/")
                more, libraries, version = inspect_binary(place, glibc, ours=ours)
                found += [f"{member.name} {what}" for what in more]
                needed, newest = needed | libraries, max(newest, version)
    facts = [f"needs {', '.join(sorted(needed)) or 'no library'}", f"needs GLIBC_{dotted(newest)} or newer"]
    return found, facts if needed else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2])
    parser.add_argument("archives", nargs="+", type=Path, metavar="WHEEL_OR_SDIST")
    n_findings = 0
    for path in parser.parse_args().archives:
        found, facts = audit(path)
        n_findings += len(found)
        print(f"{path.name}: {'; '.join(facts)}")
        print(*([f"  finding: {what}" for what in found] or ["  no findings"]), sep="\n")
    return 1 if n_findings else 0


if __name__ == "__main__":
    sys.exit(main())
