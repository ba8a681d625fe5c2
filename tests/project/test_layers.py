"""The house stays a house: floors, rooms, and what may import what."""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest
from every import for_every

import moeliga

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "_ext" / "kernels"
HEADERS = {path.relative_to(KERNELS).as_posix(): path for path in sorted(KERNELS.rglob("*.h"))}
CYTHON = sorted([*(ROOT / "_ext").glob("*.pyx"), *(ROOT / "_ext").glob("*.pxd")])
PACKAGE = ROOT / "moeliga"
MODULES = {path.relative_to(PACKAGE).with_suffix("").as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))
           if path.parent.name != "_ext"}
"""Files by their place: "search/loop"."""
ROOMS = sorted(path.stem for path in (ROOT / "_ext").glob("*.pyx"))

FLOORS = (
    ("__main__",), ("__init__",), ("cli",), ("visualisation",), ("analysis",), ("selector", "callbacks", "functions"),
    ("validation",), ("search",), ("evaluation",), ("forest",), ("tree",), ("distributed",), ("data",), ("results",),
    ("parameters",), ("base",), ("_ext",),
)
"""Folders and modules at the top of moeliga/, from the top floor down. A module imports from its own folder and from
floors below; `FLOORS[5]` are three modules of one floor."""

SIDEWAYS = {("selector", "callbacks"), ("functions", "callbacks")}
"""Imports between modules of one floor."""

MOST_MODULES, MOST_AT_THE_TOP = 16, 10
"""Modules of a folder; files at the top of moeliga/."""

OPTIONAL = {"dask", "distributed", "matplotlib", "pandas", "polars", "pyarrow", "ray", "rich", "tqdm"}
C_LIBRARY = {"assert.h", "float.h", "limits.h", "math.h", "stddef.h", "stdint.h", "string.h"}
# behind #if: one compiler, one runtime, one way to build
GUARDED = {"base/base.h": {"intrin.h", "cpuid.h", "immintrin.h", "arm_neon.h"},
           "base/buffers.h": {"sanitizer/asan_interface.h"}, "base/openmp.h": {"omp.h", "intrin.h"}}
FAMILIES = {  # each folder of kernels, and those that it may include besides itself
    "base": set(),
    "binning": {"base"},
    "bits": {"base"},
    "dominance": {"base"},
    "draw": {"base"},
    "judges": {"base"},
    "linear": {"base", "judges"},
    "answers": {"base", "judges", "linear"},
    "relief": {"base"},
    "scores": {"base"},
    "tree": {"base"},
    "forest": {"base", "draw", "tree"},
    "niche": {"base", "bits"},
    "vary": {"base", "bits", "draw"},
}


def code_of(path):
    """A C header without comments and strings."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', " ", path.read_text(), flags=re.DOTALL)


def includes(path):
    """Kernels that a header includes, those that it has compiled as templates too."""
    found = re.findall(r'^#\s*(?:include|define MOE_TEMPLATE)\s+"([^"]+)"', path.read_text(), re.MULTILINE)
    return set(found)


def imports(path):
    """(level, module, name) of every import of a module, those inside functions too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, node.module, alias.name) for alias in node.names)


def own_imports(path):
    """Return the modules of this package that a module imports, by their places; "_ext" stands for the compiled rooms,
    and a name that `moeliga` itself offers for "__init__"."""
    found = set()
    for _, module, name in imports(path):
        package, *parts = (module or "").split(".")
        if package == "moeliga":
            place, longer = "/".join(parts), "/".join([*parts, name or ""])
            found.add("_ext" if "_ext" in (*parts, name) else longer if longer in MODULES else place or "__init__")
    return found


def floor_of(module):
    """Return the number of a module's floor, from the top; -1 for a module without a place in `FLOORS`."""
    top = module.partition("/")[0]
    return next((number for number, names in enumerate(FLOORS) if top in names), -1)


def planned():
    """Return the guide's table of floors: dict from floor to (its modules, the floors that these may import)."""
    names, rows = [name for floor in FLOORS for name in floor], {}
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for line in page.split("## Floors\n")[1].split("\n## ")[0].splitlines():
        if line.startswith("| `"):
            floor, _, modules, below = [cell.strip() for cell in line.strip("|").split("|")]
            floor = floor.strip("`")
            allowed = set(re.findall(r"`(\w+)`", below))
            if below.startswith("all below"):
                allowed = set(names[names.index(floor) + 1:]) - allowed  # those after "but"
            rows[floor] = re.findall(r"`(\w+)`", modules), allowed
    return rows


def imported_with(module, *, before=(), missing=()):
    """Top-level modules that importing a module adds in a fresh interpreter, after some and without others."""
    program = (
        "import importlib, sys\n"
        f"sys.modules.update(dict.fromkeys({sorted(missing)!r}))\n"  # None: as if not installed
        f"for name in {list(before)!r}: importlib.import_module(name)\n"
        "known = set(sys.modules)\n"
        f"import {module}\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - known}))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(moeliga.__file__).parents[1])}
    return set(subprocess.run([sys.executable, "-c", program], env=environment, check=True, text=True,
                              capture_output=True).stdout.split())


# moeliga/


def test_every_module_has_a_floor():
    """A new folder, or a module at the top, is given its floor here."""
    assert {module for module in MODULES if floor_of(module) < 0} == set()


def test_folders_stay_small():
    """A folder that grows beyond this holds a second idea."""
    sizes = Counter(module.rpartition("/")[0] for module in MODULES if not module.endswith("/__init__"))
    top = sum(path.is_file() for path in PACKAGE.iterdir())
    assert (max(sizes.values()) <= MOST_MODULES, top <= MOST_AT_THE_TOP) == (True, True), (sizes, top)


@for_every(MODULES)
def test_imports_point_down(module):
    """A module imports from its own folder and from lower floors."""
    folder, floor = module.partition("/")[0], floor_of(module)
    wrong = {other for other in own_imports(MODULES[module]) if floor_of(other) <= floor
             and not (other.partition("/")[0] == folder and "/" in module) and (module, other) not in SIDEWAYS}
    assert wrong == set()


def test_the_guide_has_every_floor_and_module_in_its_place():
    """docs/architecture.md: the floors in their order, and the modules of each folder."""
    modules = {floor: sorted(named) for floor, (named, _) in planned().items()}
    assert list(modules) == [name for floor in FLOORS for name in floor]
    assert modules == {floor: [module.removeprefix(f"{floor}/") for module in MODULES if module.startswith(f"{floor}/")
                               and not module.endswith("/__init__")] for floor in modules}


@for_every(MODULES)
def test_imports_are_those_that_the_guide_allows(module):
    """A new arrow between two floors is drawn in docs/architecture.md first."""
    folder = module.partition("/")[0]
    others = {other.partition("/")[0] for other in own_imports(MODULES[module])}
    assert others - {folder} <= planned()[folder][1]


def test_imports_have_no_cycle():
    """There is an order in which the modules can be read."""
    TopologicalSorter({module: own_imports(path) for module, path in MODULES.items()}).prepare()


@pytest.mark.skipif(not (ROOT / "CONTRIBUTING.md").is_file(), reason="the guide for contributors is not here")
def test_contributors_are_told_the_floors_in_their_order():
    """In the sentence that begins with the first of them."""
    line, = re.findall(r"^`cli`,.*$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert re.findall(r"`(\w+)`", line) == [name for floor in FLOORS for name in floor][2:]


@for_every(MODULES)
def test_imports_are_absolute(module):
    """No import begins with a dot."""
    assert [found for found in imports(MODULES[module]) if found[0]] == []


@pytest.mark.slow
def test_import_needs_nothing_optional():
    """`import moeliga` works where only the required packages are installed."""
    assert "moeliga" in imported_with("moeliga", missing=OPTIONAL)


def test_import_loads_nothing_optional():
    """`import moeliga` loads no optional package; scikit-learn may load pandas or rich by itself."""
    required = ["numpy", "scipy", "sklearn", "joblib", "threadpoolctl"]
    required += ["sklearn.callback"] if find_spec("sklearn.callback") else []  # new in 1.9
    assert OPTIONAL & imported_with("moeliga", before=required) == set()


# _ext/


def test_rooms_are_those_that_are_built():
    """setup.py's table names every .pyx, and nothing else."""
    table = re.search(r"^ROOMS = (\([^)]*\))$", (ROOT / "setup.py").read_text(), re.MULTILINE)
    assert sorted(ast.literal_eval(table[1])) == ROOMS


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("place", ["tests/_ext/test_{}.py", "tests/naive/{}.py", "moeliga/_ext/{}.pyi"])
def test_every_room_has_its_tests_its_twin_and_its_stub(room, place):
    """One word, the same in all places."""
    assert (ROOT / place.format(room)).is_file()


@for_every(CYTHON)
def test_no_room_cimports_another(path):
    """Compiled rooms share kernels, not doors; of C interfaces they need Python's own (`cpython`), not NumPy's."""
    for line in path.read_text().splitlines():
        found = re.match(r"\s*(?:from\s+(\S+)\s+cimport\b|cimport\s+(\S+)|cdef\s+extern\s+from\s+(\S+))", line)
        if found and not found[3]:
            source = found[1] or found[2]
            assert source.partition(".")[0] in {"kernels", "omp", "coded", "evaluation", "judged", "objectives",
                                                   "rounds", "task", "libc", "cython", "cpython"}, line
        if found and found[3]:
            assert path.name in {"kernels.pxd", "omp.pxd"}, line
        assert not re.match(r"\s*(from|import)\s+moeliga\b", line), line


@for_every(HEADERS)
def test_kernels_include_only_kernels_and_the_c_library(header):
    """A kernel builds with a C compiler and nothing else."""
    assert includes(HEADERS[header]) <= set(HEADERS)
    far = re.findall(r"^#\s*include\s+<([^>]+)>", HEADERS[header].read_text(), re.MULTILINE)
    assert set(far) - C_LIBRARY == GUARDED.get(header, set())


@for_every(HEADERS)
def test_kernels_include_from_lower_folders(header):
    """The folders of kernels are layers: includes between them point one way."""
    folder = header.partition("/")[0]
    assert {other.partition("/")[0] for other in includes(HEADERS[header])} <= FAMILIES[folder] | {folder}


def test_folders_of_kernels_have_an_order():
    """The table above has a row for each folder, and no cycle."""
    assert set(FAMILIES) == {header.partition("/")[0] for header in HEADERS}
    TopologicalSorter(FAMILIES).prepare()


def test_kernels_include_each_other_without_a_cycle():
    """Headers have an order too."""
    TopologicalSorter({header: includes(path) for header, path in HEADERS.items()}).prepare()


@for_every(HEADERS)
def test_templates_end_in_inc(header):
    """A header is included once and has a guard around it, or it is a template and its name says so."""
    code, depth, ends = code_of(HEADERS[header]), 0, []
    for found in re.finditer(r"^#(if|endif)", code, re.MULTILINE):
        depth += 1 if found[1] == "if" else -1
        ends += [found.end()] if depth == 0 else []
    guard = f"MOE_{re.sub('[/.]', '_', header).upper()}"
    guarded = code.lstrip().startswith(f"#ifndef {guard}\n#define {guard}\n") and ends == [len(code.rstrip())]
    assert guarded != header.endswith(".inc.h")
    assert header.endswith(".inc.h") == (not re.search(r"#ifndef MOE_\w+_H\b", code))


@for_every(HEADERS)
def test_kernels_cannot_fail(header):
    """No allocation, no output, no exit, and none of the functions that C libraries round each in their own way."""
    calls = set(re.findall(r"\b([a-z_]\w*)\s*\(", code_of(HEADERS[header])))
    assert calls & {"malloc", "calloc", "realloc", "free", "printf", "fprintf", "exit", "abort", "assert", "rand",
                    "pow", "powf", "exp", "expf", "log", "logf", "log2", "sin", "cos", "tanh"} == set()


@for_every(HEADERS)
def test_kernels_have_at_most_nine_arguments(header):
    """What belongs together goes as one argument: a structure."""
    functions = re.findall(r"^static [^;{=]*?(moe_\w+)\)?\(([^{;]*?)\)\s*\{", code_of(HEADERS[header]), re.MULTILINE)
    assert {name: arguments.count(",") + 1 for name, arguments in functions if arguments.count(",") > 8} == {}


@for_every(HEADERS)
def test_everything_static_is_named_by_its_header(header):
    """C has one name space: a name says where it is defined, in which header, or at least in which folder."""
    declarations = re.findall(r"^static\b[^;{=]*", code_of(HEADERS[header]), re.MULTILINE)
    folder, name = header.removesuffix(".h").removesuffix(".inc").split("/")
    own = re.compile(rf" \*?(MOE_[TL]\()?moe_({folder}|{name})(_\w+)?[\[()]")
    assert [declaration for declaration in declarations if not own.search(declaration)] == []
