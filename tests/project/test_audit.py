"""The audit of wheels and sdists finds what was planted, each thing by its name, and nothing in what is clean."""

import base64
import hashlib
import importlib
import io
import pickle
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NAME = "moeliga-1.0-cp311-cp311-linux_x86_64.whl"
INFO = "moeliga-1.0.dist-info"
ROOM = "moeliga/_ext/room.cpython-311-x86_64-linux-gnu.so"
CLEAN = ("-O1", "-fvisibility=hidden", "-Wl,-z,relro,-z,now", "-Wl,-z,noexecstack", "-Wl,-s")
SOURCE = """int puts(const char *text);
int data[4];
__attribute__((visibility("default"))) int PyInit_room(void) { return puts("room") + data[0]++; }
"""
QUOTED = 'const char *const place __attribute__((used)) = '
TEXT = {
    "moeliga/__init__.py": '"""A package."""\n',
    "moeliga/front.py": "X = 1\n",
    "moeliga/py.typed": "",
    "moeliga/_ext/__init__.py": "",
    "moeliga/_ext/room.pyi": "def room() -> int: ...\n",
}
WRITTEN = {
    **TEXT,
    "LICENSE": "BSD\n", "README.md": "# moeliga\n", "pyproject.toml": "[project]\n", "setup.py": "import setuptools\n",
    "_ext/README.md": "# rooms\n", "_ext/room.pyx": "def room(): pass\n", "_ext/kernels/room/loop.inc.h": "/* */\n",
    "tests/test_room.py": "", "tests/naive/room.py": "", "docs/index.md": "# moeliga\n", "wheels/audit.py": "",
    "CITATION.cff": "",
}

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the audit of binaries is one of ELF files"),
    pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("readelf")), reason="gcc or readelf is missing"),
]


@pytest.fixture
def audit(monkeypatch):
    """The script, which imports its neighbour as scripts do."""
    monkeypatch.syspath_prepend(str(ROOT / "wheels"))
    return importlib.import_module("audit")


@pytest.fixture
def binary(audit):
    """Its neighbour."""
    return importlib.import_module("binary")


@pytest.fixture
def tree(tmp_path):
    """A source tree of few files, with some that no archive should have."""
    for name, text in {**WRITTEN, "build/room.c": "int x;", "moeliga/__pycache__/front.pyc": "x"}.items():
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "tree"


def library(folder, *flags, source=SOURCE):
    """Bytes of a shared library, compiled with some flags."""
    path = folder / "room.c"
    path.write_text(source)
    subprocess.run(["gcc", "-shared", "-fPIC", *flags, "-o", str(folder / "room.so"), "room.c"], cwd=folder, check=True)
    return (folder / "room.so").read_bytes()


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """A library without any fault."""
    return library(tmp_path_factory.mktemp("clean"), *CLEAN)


def as_bytes(content):
    return content if isinstance(content, bytes) else content.encode()


def wheel(folder, room, change=(), modes=(), record=None, name=NAME):
    """A wheel of the tree; `change` are files in place of, or beside, those that belong there (None: left out)."""
    files = {
        **TEXT, ROOM: room,
        f"{INFO}/METADATA": "Metadata-Version: 2.4\nName: moeliga\nVersion: 1.0\nLicense-Expression: BSD-3-Clause\n",
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n",
        f"{INFO}/entry_points.txt": "[console_scripts]\nmoeliga = moeliga.cli.main:main\n",
        f"{INFO}/licenses/LICENSE": "BSD\n", **dict(change),
    }
    files = {name: as_bytes(content) for name, content in files.items() if content is not None}
    rows = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},"
            f"{len(content)}" for name, content in files.items()]
    files[f"{INFO}/RECORD"] = as_bytes("\n".join([*rows, f"{INFO}/RECORD,,"]) if record is None else record(rows))
    path = folder / name
    with zipfile.ZipFile(path, "w") as file:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = dict(modes).get(name, stat.S_IFREG | 0o644) << 16
            file.writestr(entry, content)
    return path


def sdist(folder, change=(), entries=()):
    """An sdist of the tree; `entries` are further ones, as (TarInfo, content)."""
    files = {**WRITTEN, "PKG-INFO": "Name: moeliga\n", "setup.cfg": "[egg_info]\n",
             "moeliga.egg-info/SOURCES.txt": "setup.py\n", **dict(change)}
    path = folder / "moeliga-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as file:
        for name, content in files.items():
            if content is not None:
                entry = tarfile.TarInfo(f"moeliga-1.0/{name}")
                entry.size = len(as_bytes(content))
                file.addfile(entry, io.BytesIO(as_bytes(content)))
        for entry in entries:
            file.addfile(entry)
    return path


def test_clean_archives_have_no_findings(audit, tree, tmp_path, clean):
    """Everything that a finding could be made of is there, and is as it should be."""
    found, facts = audit.audit(wheel(tmp_path, clean), tree)
    assert found == []
    assert facts[0].startswith("11 files, ") and facts[1] == "needs libc.so.6"
    assert re.fullmatch(r"needs GLIBC_2\.\d+(\.\d+)? or newer", facts[2])
    found, facts = audit.audit(sdist(tmp_path), tree)
    assert found == []
    assert len(facts) == 1


@pytest.mark.parametrize(("change", "expected"), [
    ({"moeliga/front.pkl": pickle.dumps([1])}, ["moeliga/front.pkl is unexpected"]),
    ({"moeliga/data.csv": "1,2\n"}, ["moeliga/data.csv is unexpected"]),
    ({"tests/test_room.py": ""}, ["tests/test_room.py is unexpected"]),
    ({"_ext/room.pyx": ""}, ["_ext/room.pyx is unexpected"]),
    ({"moeliga/_ext/room.c": "int x;"}, ["moeliga/_ext/room.c is unexpected"]),
    ({"moeliga/__pycache__/front.cpython-311.pyc": b"\xa7\r\r\n"}, ["moeliga/__pycache__/.* is unexpected"]),
    ({"setup.py": ""}, ["setup.py is unexpected"]),
    ({"../evil.py": ""}, [r"\.\./evil.py is unexpected"]),
    ({"/etc/passwd": ""}, ["/etc/passwd is unexpected"]),
    ({"moeliga/other.py": ""}, ["moeliga/other.py is not in the source tree"]),
    ({"moeliga/front.py": None}, ["moeliga/front.py is missing: the source tree has it"]),
    ({"moeliga/py.typed": None}, ["moeliga/py.typed is missing.*"]),
    ({"moeliga/_ext/room.pyi": None}, ["moeliga/_ext/room.pyi is missing.*"]),
    ({"moeliga/_ext/room.pyi": "def room() ->: ...\n"},
     ["moeliga/_ext/room.pyi is not the text that its name says: .*"]),
    ({"moeliga/_ext/other.pyi": ""}, ["moeliga/_ext/other.pyi is not in the source tree"]),
    ({"moeliga/front.pyi": ""}, ["moeliga/front.pyi is unexpected"]),
    ({"moeliga/py.typed": "partial\n"}, ["moeliga/py.typed is not empty"]),
    ({f"{INFO}/licenses/LICENSE": None}, [f"{INFO}/licenses/LICENSE is missing"]),
    ({f"{INFO}/direct_url.json": "{}"}, [f"{INFO}/direct_url.json is unexpected"]),
    ({"moeliga/front.py": pickle.dumps([1])}, ["moeliga/front.py is not the text that its name says: .*"]),
    ({"moeliga/front.py": "def front(:\n"}, ["moeliga/front.py is not the text that its name says: .*"]),
    ({"moeliga/front.py": "X = '\0'\n"}, ["moeliga/front.py is not the text that its name says: .*NUL"]),
    ({"moeliga/front.py": f"X = '{sys.prefix}/x'\n"}, ["moeliga/front.py has a path of this machine: .*"]),
    ({ROOM: None}, ["moeliga/_ext/room: no compiled library"]),
    ({ROOM.replace("room", "attic"): "clean"}, ["moeliga/_ext/attic: a library without a stub"]),
    ({ROOM: b"MZ\x90\0"}, [f"{ROOM} is no ELF library; there is no audit of other formats"]),
    ({ROOM: b"\x7fELF\x02\x01\x01"}, [f"{ROOM} readelf fails: .*|{ROOM} .*"]),
    ({f"{INFO}/METADATA": "Name: moeliga\nVersion: 2.0\nLicense-Expression: BSD-3-Clause\n"},
     [f"{INFO}/METADATA does not say 'Version: 1.0'"]),
    ({f"{INFO}/WHEEL": "Tag: py3-none-any\n"}, [f"{INFO}/WHEEL has other tags than the name of the file: .*"]),
])
def test_planted_files_are_found(audit, tree, tmp_path, clean, change, expected):
    """Stray, missing, changed: one finding for one fault (a broken library may have more)."""
    change = {name: clean if content == "clean" else content for name, content in change.items()}
    found, _ = audit.audit(wheel(tmp_path, clean, change), tree)
    assert len(found) >= len(expected)
    assert all(any(re.fullmatch(pattern, what, re.DOTALL) for pattern in expected) for what in found), found


@pytest.mark.parametrize(("mode", "expected"), [
    (stat.S_IFLNK | 0o777, ["moeliga/front.py is no regular file", "moeliga/front.py has the mode 777"]),
    (stat.S_IFREG | 0o4755, ["moeliga/front.py has the mode 4755"]),
    (stat.S_IFREG | 0o666, ["moeliga/front.py has the mode 666"]),
    (stat.S_IFREG | 0o664, []),
    (0, []),
])
def test_modes_are_looked_at(audit, tree, tmp_path, clean, mode, expected):
    """Links, set-user bits, and files that anybody may write to."""
    assert audit.audit(wheel(tmp_path, clean, modes={"moeliga/front.py": mode}), tree)[0] == expected


@pytest.mark.parametrize(("record", "expected"), [
    (lambda rows: "\n".join(rows), [f"{INFO}/RECORD is not in RECORD"]),
    (lambda rows: "\n".join([*rows[1:], f"{INFO}/RECORD,,"]), ["moeliga/__init__.py is not in RECORD"]),
    (lambda rows: "\n".join([*rows, f"{INFO}/RECORD,,", "ghost.py,,"]), ["ghost.py is in RECORD and not in the wheel"]),
    (lambda rows: "\n".join([rows[0] + "0", *rows[1:], f"{INFO}/RECORD,,"]),
     ["moeliga/__init__.py is not what RECORD says"]),
    (lambda rows: "\n".join([rows[0].replace("=", "=A", 1), *rows[1:], f"{INFO}/RECORD,,"]),
     ["moeliga/__init__.py is not what RECORD says"]),
])
def test_record_is_checked(audit, tree, tmp_path, clean, record, expected):
    """Every file, its size and its checksum."""
    assert audit.audit(wheel(tmp_path, clean, record=record), tree)[0] == expected


def test_a_file_that_is_there_twice(audit, tree, tmp_path, clean):
    """Which one an installer takes, nobody knows."""
    path = wheel(tmp_path, clean)
    with zipfile.ZipFile(path, "a") as file, pytest.warns(UserWarning, match="Duplicate name"):
        file.writestr("moeliga/front.py", "X = 1\n")
    assert audit.audit(path, tree)[0][0] == "moeliga/front.py is there 2 times"


@pytest.mark.quick(6)
@pytest.mark.parametrize(("flags", "source", "expected"), [
    (["-Wl,-z,execstack"], SOURCE, {"asks for an executable stack"}),
    (["-Wl,-z,norelro"], SOURCE, {"has no RELRO: its table of functions stays writable"}),
    (["-Wl,-z,lazy"], SOURCE, {"has partial RELRO only: link it with -z now"}),
    (["-Wl,-rpath,/nowhere/lib"], SOURCE, {r"looks for libraries in /nowhere/lib \(R(UN)?PATH\)"}),
    (["-Wl,-rpath,$ORIGIN/../../moeliga.libs"], SOURCE, set()),
    (["-Wl,-rpath,$ORIGIN/../lib:/nowhere/lib"], SOURCE, {r"looks for libraries in .*:/nowhere/lib \(R(UN)?PATH\)"}),
    (["-nostdlib", "-Wl,-N"], SOURCE, {"has memory that is writable and executable"}),
    (["-fvisibility=default"], SOURCE, {"exports more than its PyInit function: data"}),
    (["-Wl,--no-as-needed", "-lm", "-lgomp"], SOURCE, set()),
    (["-Wl,--no-as-needed", "-lstdc++"], SOURCE, {r"needs the library libstdc\+\+\.so\.6"}),
    ([], SOURCE + QUOTED + '"/home/alice/moeliga/x.c";',
     {"has a path of the machine that built it: /home/alice/moeliga/x.c"}),
    ([], SOURCE + QUOTED + '"a/home/bob, /dev/null, /proc/self/maps, 1/2, https://home/page";', set()),
])
def test_planted_faults_of_binaries_are_found(audit, tree, tmp_path, flags, source, expected):
    """One fault in each library; what each has besides is named, so nothing else is reported."""
    found, _ = audit.audit(wheel(tmp_path, library(tmp_path, *CLEAN, *flags, source=source)), tree)
    found = [what.removeprefix(f"{ROOM} ") for what in found]
    for pattern in expected:
        assert any(re.fullmatch(pattern, what) for what in found), found
    beside = {"has partial RELRO only.*", "has no RELRO.*"} if "-Wl,-N" in flags else set()
    assert all(any(re.fullmatch(pattern, what) for pattern in expected | beside) for what in found), found


def test_symbols_and_debug_sections_are_found(audit, tree, tmp_path):
    """What a compiler leaves behind unless it is told otherwise: names of functions, the folder of the build."""
    flags = [flag for flag in CLEAN if flag != "-Wl,-s"]
    found = "\n".join(audit.audit(wheel(tmp_path, library(tmp_path, *flags, "-g", "-gz=none")), tree)[0])
    assert "is not stripped of its symbols" in found
    assert re.search(r"has debug sections: \.debug_abbrev, ", found)
    assert f"has a path of the machine that built it: {tmp_path}" in found


def test_text_relocations_are_found(binary):
    """The linker of x86-64 makes none any more, so the words of readelf are given."""
    segments = "  GNU_STACK 0x0 0x0 0x0 0x0 0x0 RW  0x10\n  GNU_RELRO 0x0 0x0 0x0 0x0 0x0 R   0x1\n"
    now = " 0x000000006ffffffb (FLAGS_1)            Flags: NOW\n"
    assert list(binary.hardening(segments, now)) == []
    for line in (" 0x0000000000000016 (TEXTREL)            0x0\n", " 0x000000000000001e (FLAGS)  TEXTREL BIND_NOW\n"):
        assert list(binary.hardening(segments, now + line)) == ["has text relocations"]


def test_new_symbols_of_the_c_library_are_found(binary, tmp_path):
    """Against a limit that every library is above."""
    library(tmp_path, *CLEAN)
    found, needed, newest = binary.inspect_binary(tmp_path / "room.so", glibc=(2, 1))
    assert newest >= (2, 2, 5) and needed == {"libc.so.6"}
    assert found == [f"needs GLIBC_{binary.dotted(newest)}, newer than 2.1"]


@pytest.mark.parametrize(("name", "glibc"), [
    ("moeliga-1.0-cp311-abi3-linux_x86_64.whl", (2, 28)),
    ("moeliga-1.0-cp311-abi3-manylinux_2_34_x86_64.whl", (2, 34)),
    ("moeliga-1.0-cp311-abi3-manylinux_2_5_x86_64.manylinux1_x86_64.manylinux_2_28_x86_64.whl", (2, 5)),
])
def test_a_wheel_may_need_the_c_library_that_its_name_says(audit, name, glibc):
    """Of several tags the oldest: each of them is a promise."""
    assert audit.promised(name) == glibc


def test_a_promise_that_is_not_kept_is_found(audit, tree, tmp_path, clean):
    """A library needs at least the first version there was on its processor, and the tag says an older one."""
    name = NAME.replace("linux", "manylinux_2_1")
    tag = {f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-manylinux_2_1_x86_64\n"}
    found, _ = audit.audit(wheel(tmp_path, clean, tag, name=name), tree)
    assert len(found) == 1 and re.fullmatch(rf"{re.escape(ROOM)} needs GLIBC_2\.[\d.]+, newer than 2\.1", found[0])


def test_what_auditwheel_adds_is_no_finding(audit, tree, tmp_path, clean):
    """Entries of folders, and the OpenMP runtime as its distribution linked it; its other faults are still faults."""
    runtime = "moeliga.libs/libgomp-0a1b2c.so.1.0.0"

    def found(*flags):
        copied = library(tmp_path, *CLEAN, *flags, "-Wl,-soname,libgomp-0a1b2c.so.1.0.0",
                         source="int omp(void) { return 0; }")
        path = wheel(tmp_path, clean, {runtime: copied})
        with zipfile.ZipFile(path, "a") as file:
            file.mkdir("moeliga")
        return audit.audit(path, tree)[0]

    assert found("-Wl,-z,lazy") == []
    assert found("-Wl,-z,execstack") == [f"{runtime} asks for an executable stack"]


def test_without_readelf_there_is_a_finding(audit, tree, tmp_path, clean, monkeypatch):
    """What was not looked into has not passed."""
    path = wheel(tmp_path, clean)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert audit.audit(path, tree)[0] == [f"{ROOM} was not looked into: readelf is missing (it comes with binutils)"]


@pytest.mark.parametrize(("change", "expected"), [
    ({"_ext/room.c": "int x;"}, ["_ext/room.c is unexpected"]),
    ({ROOM: b"\x7fELF"}, [f"{ROOM} is unexpected"]),
    ({"benchmarks/data.npz": b"PK"}, ["benchmarks/data.npz is unexpected"]),
    ({".git/config": ""}, [r"\.git/config is unexpected"]),
    ({"build/room.c": "int x;"}, ["build/room.c is unexpected"]),
    ({"_ext/room.pyx": None}, ["_ext/room.pyx is missing: the source tree has it"]),
    ({"_ext/kernels/room/loop.inc.h": None}, ["_ext/kernels/room/loop.inc.h is missing: the source tree has it"]),
    ({"tests/test_room.py": None}, ["tests/test_room.py is missing: the source tree has it"]),
    ({"pyproject.toml": None}, ["pyproject.toml is missing: the source tree has it"]),
    ({"tests/test_more.py": ""}, ["tests/test_more.py is not in the source tree"]),
    ({"setup.py": pickle.dumps([1])}, ["setup.py is not the text that its name says: .*"]),
])
def test_planted_files_of_an_sdist_are_found(audit, tree, tmp_path, change, expected):
    """No generated C, no binaries, no data; all that builds and tests."""
    found, _ = audit.audit(sdist(tmp_path, change), tree)
    assert len(found) == 1 and re.fullmatch(expected[0], found[0]), found


def test_odd_entries_of_an_sdist_are_found(audit, tree, tmp_path):
    """Beside the one folder, and links."""
    beside, link = tarfile.TarInfo("other/file.py"), tarfile.TarInfo("moeliga-1.0/docs/link.md")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    assert set(audit.audit(sdist(tmp_path, entries=[beside, link]), tree)[0]) == {
        "/other/file.py is unexpected", "docs/link.md is not in the source tree", "docs/link.md is no regular file"}


def test_the_exit_status_tells(tmp_path, clean):
    """1 after a finding: the wheel is not one of this tree. Other files are refused."""
    path = wheel(tmp_path, clean)
    for archive, text in ((path, "finding: moeliga/_ext/bits.pyi is missing"), (tmp_path / "x.zip", "is neither")):
        done = subprocess.run([sys.executable, ROOT / "wheels" / "audit.py", archive], capture_output=True, text=True)
        assert done.returncode == 1
        assert text in done.stdout
    tree = tmp_path / "tree"
    for name, text in {**WRITTEN, "wheels/audit.py": (ROOT / "wheels" / "audit.py").read_text()}.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    shutil.copy(ROOT / "wheels" / "binary.py", tree / "wheels")
    done = subprocess.run([sys.executable, tree / "wheels" / "audit.py", path], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "  no findings")


def test_every_tracked_file_has_a_place(audit):
    """A new kind of file is put on the list of what an sdist may hold, or is left out on purpose."""
    if not (ROOT / ".git").exists():
        pytest.skip("no git here")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    unknown = [name for name in tracked.splitlines() if not re.fullmatch(audit.SDIST, name, re.VERBOSE)]
    assert [name for name in unknown if not name.startswith(".github/")] == [".ci/run", ".gitignore",
                                                                             ".pre-commit-config.yaml"]


def test_what_security_md_points_to_is_there():
    """Tests and scripts by which its statements are checked; and it comes with the sdist."""
    text = (ROOT / "SECURITY.md").read_text()
    named = set(re.findall(r"`((?:tests|wheels)/[\w./]*|setup\.py)`", text))
    assert {"tests/process/test_offline.py", "tests/selector/test_inputs.py", "tests/visualisation/test_report.py",
            "wheels/"} <= named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert re.search(r"^include .*\bSECURITY\.md\b", (ROOT / "MANIFEST.in").read_text(), re.MULTILINE)


def test_the_rooms_of_this_build_are_hardened(binary):
    """Those that the tests run; they keep their symbols for profilers, and their folders with them."""
    libraries = sorted((ROOT / "moeliga" / "_ext").glob("*.so"))
    if not libraries:
        pytest.skip("moeliga was not built in place")
    for path in libraries:
        text = binary.readelf(path, "--segments"), binary.readelf(path, "--dynamic")
        assert (path.name, list(binary.hardening(*text))) == (path.name, [])
