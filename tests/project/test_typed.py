"""The types of the public names: what they promise is what the code does, and a type checker believes it.

The tests with mypy are skipped where it is not installed (`pip install --group typing`).
"""

import ast
import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import types
import typing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import moeliga
from moeliga.search.state import State
from moeliga.search.time_estimate import TimeEstimate

ROOT = Path(__file__).resolve().parents[2]
TYPED = ROOT / "tests" / "typed"
STUBS = {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
         for path in sorted((ROOT / "moeliga").rglob("*.pyi"))}
PUBLIC = {**{name: getattr(moeliga, name) for name in moeliga.__all__}, "State": State, "TimeEstimate": TimeEstimate}
CLASSES = sorted(name for name, thing in PUBLIC.items() if isinstance(thing, type))
FUNCTIONS = sorted(PUBLIC.keys() - CLASSES)
OPTIONAL = {"matplotlib", "pandas", "pyarrow", "tqdm"}

PRIVATE = sorted(path.stem for path in (ROOT / "moeliga").glob("*.py") if not path.with_suffix(".pyi").is_file())
"""Modules without a stub."""

KEPT = {
    rf"(moeliga\.({'|'.join(PRIVATE)})\..*)?": "no stubs: mypy guesses the types of code that says none",
    r"moeliga\._ext\.\w+\.__(test|reduce_cython|setstate_cython)__": "Cython's own, for pickle and doctest",
}
"""What stubtest may find, by its place (a regular expression; one that fits nothing need not be found), and why it
stays."""

needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None,
                                reason="mypy is not installed: pip install --group typing")


# without mypy: the parsed stubs against the code


def parsed(module):
    return ast.parse(STUBS[module].read_text(encoding="utf-8"))


NODES = {node.name: node for module in ("moeliga.callbacks", "moeliga.search.time_estimate", "moeliga")
         for node in parsed(module).body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
"""Classes and functions of the stubs by name, the private ones too."""


def lineage(name):
    """A class of the stubs and its bases there, as parsed; the nearest first."""
    found = [NODES[name]]
    for base in NODES[name].bases:
        if isinstance(base, ast.Name) and base.id in NODES:
            found += lineage(base.id)
    return found


def decorators(node):
    return {decorator.id for decorator in getattr(node, "decorator_list", []) if isinstance(decorator, ast.Name)}


def members(name):
    """Methods and properties of a class in the stubs, its bases included: dict from name to its definitions."""
    found = {}
    for owner in lineage(name):
        own = {}
        for node in owner.body:
            if isinstance(node, ast.FunctionDef):
                own.setdefault(node.name, []).append(node)
        found = {**own, **found}
    return found


def annotations(name):
    """Annotated names of a class in the stubs, its bases included: dict from name to annotation as text."""
    return {node.target.id: ast.unparse(node.annotation) for owner in reversed(lineage(name)) for node in owner.body
            if isinstance(node, ast.AnnAssign)}


def declared(node):
    """Parameters of a parsed function: dict from name to (kind, default as parsed or None, annotation as text)."""
    arguments, kinds = node.args, inspect.Parameter
    places = [*arguments.posonlyargs, *arguments.args]
    defaults = [*[None] * (len(places) - len(arguments.defaults)), *arguments.defaults]
    found = [(argument, kinds.POSITIONAL_ONLY if argument in arguments.posonlyargs else kinds.POSITIONAL_OR_KEYWORD,
              default) for argument, default in zip(places, defaults, strict=True)]
    if arguments.vararg:
        found.append((arguments.vararg, kinds.VAR_POSITIONAL, None))
    found += [(argument, kinds.KEYWORD_ONLY, default)
              for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    if arguments.kwarg:
        found.append((arguments.kwarg, kinds.VAR_KEYWORD, None))
    return {argument.arg: (kind, default, argument.annotation and ast.unparse(argument.annotation))
            for argument, kind, default in found}


def kinds_of(parameters):
    """Names and kinds, in their order."""
    return [(name, kind.name) for name, (kind, *_) in parameters.items()]


def assert_same_parameters(definitions, function):
    """Each definition (there are several where types depend on each other) has the parameters of the code, with their
    kinds; and one of them each default, of the same value where the stub says it."""
    code = inspect.signature(function).parameters
    for node in definitions:
        assert kinds_of(declared(node)) == [(name, parameter.kind.name) for name, parameter in code.items()]
    for name, parameter in code.items():
        defaults = [default for node in definitions if (default := declared(node)[name][1]) is not None]
        assert bool(defaults) == (parameter.default is not parameter.empty), name
        for default in defaults:
            if not (isinstance(default, ast.Constant) and default.value is ...):
                value = ast.literal_eval(default)
                assert (value, type(value)) == (parameter.default, type(parameter.default)), name


def test_every_public_name_has_its_types():
    """And nothing is exported by the stub alone."""
    tree = parsed("moeliga")
    exported = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)
                    and node.targets[0].id == "__all__")
    assert exported == moeliga.__all__
    assert set(exported) <= NODES.keys()
    assert "__version__" in [node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)]


def test_every_stub_stands_beside_its_module():
    """A stub without a module would be the types of nothing."""
    for module, path in STUBS.items():
        assert importlib.import_module(module)
        assert path.with_suffix(".py").is_file() or path.parent.name == "_ext"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_their_parameters(name):
    """Names, kinds, order and defaults: a new parameter cannot be forgotten."""
    assert_same_parameters([NODES[name]], PUBLIC[name])


@pytest.mark.parametrize("name", CLASSES)
def test_methods_have_their_parameters(name):
    """The same for methods, those of scikit-learn's base classes too; properties are properties."""
    for method, definitions in members(name).items():
        found = inspect.getattr_static(PUBLIC[name], method)
        assert isinstance(found, property) == ("property" in decorators(definitions[0])), method
        assert isinstance(found, classmethod) == ("classmethod" in decorators(definitions[0])), method
        if isinstance(found, classmethod):
            assert_same_parameters(definitions, found.__func__)
        elif not isinstance(found, property):
            assert_same_parameters(definitions, getattr(PUBLIC[name], method))


@pytest.mark.parametrize("name", CLASSES)
def test_no_public_method_is_forgotten(name):
    """What this package defines, in the class or in a base of it."""
    public = {member for owner in PUBLIC[name].__mro__ if owner.__module__.startswith("moeliga.")
              for member in vars(owner) if not member.startswith("_") or member in ("__len__", "__call__", "__float__")}
    assert public <= members(name).keys() | annotations(name).keys()


@pytest.mark.parametrize("name", CLASSES)
def test_documented_attributes_have_types(name):
    """Every name under "Attributes" in the docstring."""
    text = (inspect.getdoc(PUBLIC[name]) or "").partition("\nAttributes\n")[2]
    text = re.split(r"\n\n\w+\n-+\n", text)[0]
    documented = {attribute for line in re.findall(r"^(\w+(?:, \w+)*)(?: :|$)", text, re.MULTILINE)
                  for attribute in line.split(", ")}
    assert documented <= members(name).keys() | annotations(name).keys()


@pytest.mark.parametrize("name", [name for name in CLASSES if hasattr(PUBLIC[name], "get_params")])
def test_parameters_are_attributes_of_the_same_types(name):
    """An estimator keeps what it is given."""
    for constructor in members(name).get("__init__", []):
        for parameter, (_, _, annotation) in declared(constructor).items():
            assert parameter == "self" or annotations(name)[parameter] == annotation


@pytest.mark.parametrize(("options", "function"), [
    ("_Parameters", "MOELIGASelector"),
    ("_StabilityOptions", "stability_report"),
])
def test_options_that_are_passed_on_have_the_same_types(options, function):
    """Where a function takes the keywords of another one."""
    node = NODES[function] if function in FUNCTIONS else members(function)["__init__"][0]
    passed = {name: annotation for name, (kind, default, annotation) in declared(node).items() if default is not None}
    assert annotations(options) == passed


# the uses, as Python runs them


def fits(value, kind):
    """Whether a value is of a type as `assert_type` takes it."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return True
    if hasattr(origin, "__value__"):  # an alias, which NDArray is since NumPy 2.5
        return fits(value, origin.__value__[parts])
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is np.ndarray:
        scalar = typing.get_args(parts[1])[0]
        return isinstance(value, np.ndarray) and (scalar is typing.Any or issubclass(value.dtype.type, scalar))
    if origin is list:
        return isinstance(value, list) and all(fits(entry, parts[0]) for entry in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(key, parts[0]) and fits(value[key], parts[1]) for key in value)
    if origin is tuple:
        parts = len(value) * parts[:1] if parts[-1] is ... else parts
        return len(value) == len(parts) and all(map(fits, value, parts))
    if kind is None:
        return value is None
    if kind in (bool, int):
        return type(value) is kind
    return isinstance(value, origin or kind)


@pytest.fixture
def uses(monkeypatch):
    """The module of uses, in which `assert_type` looks at values; the types that it has seen."""
    monkeypatch.syspath_prepend(str(TYPED))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    module = importlib.import_module("uses")
    seen = []

    def look(value, kind):
        assert fits(value, kind), f"{value!r} of {type(value)} is not {kind}"
        seen.append(kind)
        return value

    monkeypatch.setattr(module, "assert_type", look)
    return module, seen


USES = [node.name for node in ast.parse((TYPED / "uses.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("use_")]


@pytest.mark.parametrize("name", USES)
def test_values_are_of_the_types_that_are_promised(uses, tmp_path, monkeypatch, capsys, name):
    """The uses that mypy reads are also run."""
    monkeypatch.chdir(tmp_path)
    module, seen = uses
    try:
        getattr(module, name)(tmp_path)
    except ImportError as error:
        if error.name not in OPTIONAL:
            raise
        pytest.skip(f"{error.name} is not installed")
    assert seen or name == "use_short_forms"


@pytest.mark.parametrize(("value", "kind", "expected"), [
    (1, int, True), (np.int64(1), int, False), (True, int, False), (1.0, float, True), (np.float64(1), float, True),
    (1, float, False), (None, None, True), ("a", str | None, True), (1, str | None, False),
    (np.zeros(2), NDArray[np.float64], True), (np.zeros(2, dtype=int), NDArray[np.float64], False),
    (np.zeros(2), NDArray[typing.Any], True), ([0.0], NDArray[typing.Any], False),
    (["a"], list[str], True), ([1], list[str], False),
    ({"a": 1}, dict[str, int], True), ({"a": "b"}, dict[str, int], False),
    ((1, 2), tuple[int, ...], True), ((1, 2), tuple[int, int, int], False), ((1, "a"), tuple[int, int], False),
])
def test_what_looks_at_values_can_tell(value, kind, expected):
    """It would see a wrong type."""
    assert fits(value, kind) == expected


# with mypy


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Of mypy, which reads the types of NumPy once."""
    return tmp_path_factory.mktemp("mypy")


def run_python(*arguments):
    """(exit status, what was printed) of Python in the folder whose `moeliga` is looked at."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MYPY_FORCE_COLOR": "0", "NO_COLOR": "1"}
    done = subprocess.run([sys.executable, *map(str, arguments)], cwd=ROOT, env=environment, capture_output=True,
                          text=True)
    return done.returncode, done.stdout + done.stderr


def mypy(cache, *arguments):
    return run_python("-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", *arguments)


@needs_mypy
def test_uses_are_no_errors_and_misuses_are(cache):
    """`mypy --strict`, which complains of a mark at a line that is no error."""
    status, printed = mypy(cache, TYPED / "uses.py", TYPED / "misuses.py")
    assert status == 0, printed


@needs_mypy
def test_the_stubs_have_no_errors_themselves(cache):
    """The rooms' too."""
    status, printed = mypy(cache, "--follow-imports=silent", *STUBS.values())
    assert status == 0, printed


def test_every_misuse_is_marked():
    """A line without a mark is a use."""
    text = (TYPED / "misuses.py").read_text(encoding="utf-8")
    lines = text.splitlines()
    statements = [statement for function in ast.parse(text).body if isinstance(function, ast.FunctionDef)
                  for statement in function.body]
    assert len(statements) > 100
    for statement in statements:
        assert "  # type: ignore[" in lines[statement.lineno - 1]


@needs_mypy
def test_stubs_are_what_is_installed(tmp_path):
    """mypy's stubtest: names, parameters, defaults, values, bases."""
    settings, kept = tmp_path / "mypy.ini", tmp_path / "kept"
    settings.write_text("[mypy]\nignore_missing_imports = True\n")
    kept.write_text("".join(f"{place}  # {reason}\n" for place, reason in KEPT.items()))
    status, printed = run_python("-m", "mypy.stubtest", "moeliga", "--mypy-config-file", settings, "--allowlist", kept)
    assert status == 0, printed
