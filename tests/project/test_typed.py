"""The types of the public names: what they promise is what the code does, and a type checker believes it.

The tests with mypy are skipped where it is not installed (`pip install --group typing`).
"""

import ast
import collections.abc
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
from every import for_every
from numpy.typing import NDArray

import moeliga
from moeliga._ext import niche, vary
from moeliga.analysis.stability import RESAMPLE, Resample
from moeliga.base.typing import HasSupport, Integer, Number, Numbers, Several
from moeliga.parameters import feature_prior, moga, variation
from moeliga.results.rules import RULES, Rule
from moeliga.search.state import State
from moeliga.search.time_estimate import TimeEstimate
from moeliga.visualisation.convergence import AGAINST, Against
from moeliga.visualisation.stability import StabilityOptions

ROOT = Path(__file__).resolve().parents[2]
TYPED = ROOT / "tests" / "typed"
PUBLIC = {**{name: getattr(moeliga, name) for name in moeliga.__all__}, "State": State, "TimeEstimate": TimeEstimate}
CLASSES = sorted(name for name, thing in PUBLIC.items() if isinstance(thing, type))
OPTIONAL = {"matplotlib", "pandas", "pyarrow", "tqdm"}

SPECIAL = ("__init__", "__call__", "__float__", "__len__")
"""Methods with these names are public."""

UNTYPED = {("State", "search"), ("State", "population"), ("State", "progress")}
"""Attributes without a type: what is inside of a search may change from release to release."""

KEPT = {
    r"moeliga\._ext\.\w+\.__(test|reduce_cython|setstate_cython)__": "Cython's own, for pickle and doctest",
}
"""What stubtest may find, by its place (a regular expression; one that fits nothing need not be found), and why it
stays."""

needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None,
                                reason="mypy is not installed: pip install --group typing")


# the annotations, as Python sees them


def functions_of(name):
    """Public functions of a public name: itself, or methods and properties that this package defines; dict by name."""
    thing = PUBLIC[name]
    if not isinstance(thing, type):
        return {name: thing}
    found = {}
    for owner in reversed(thing.__mro__):
        if owner.__module__.startswith("moeliga."):
            for member, value in vars(owner).items():
                value = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
                generated = "__dataclass_fields__" in vars(owner) and member == "__init__"
                if inspect.isfunction(value) and not generated and (not member.startswith("_") or member in SPECIAL):
                    found[member] = value
    return found


FUNCTIONS = {f"{name}.{member}": function for name in sorted(PUBLIC) for member, function in functions_of(name).items()}


def imported_for_checkers(module):
    """What a module imports under `if TYPE_CHECKING`, by name; typing.Any for what is not installed."""
    found = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for line in node.body:
                for alias in line.names if isinstance(line, ast.ImportFrom) else ():
                    try:
                        found[alias.name] = getattr(importlib.import_module(line.module), alias.name)
                    except ImportError:
                        found[alias.name] = typing.Any
    return found


def hints_of(function):
    """Types of the parameters and of what is returned, by name."""
    return typing.get_type_hints(function, localns=imported_for_checkers(inspect.getmodule(function)))


@for_every(FUNCTIONS)
def test_every_parameter_and_result_has_a_type(name):
    """And every type is the name of something."""
    parameters = list(inspect.signature(FUNCTIONS[name]).parameters)
    expected = {*parameters[parameters[:1] in (["self"], ["cls"]):], "return"}
    assert hints_of(FUNCTIONS[name]).keys() - {"self"} == expected


@for_every(FUNCTIONS)
def test_defaults_are_of_the_types_of_their_parameters(name):
    """What a parameter is by default, a user may pass too."""
    hints = hints_of(FUNCTIONS[name])
    for parameter in inspect.signature(FUNCTIONS[name]).parameters.values():
        if parameter.default is not parameter.empty:
            assert fits(parameter.default, hints[parameter.name]), parameter.name


@pytest.mark.parametrize(("kind", "choices"), [
    (variation.Crossover, vary.CROSSOVERS), (moga.Selection, vary.SELECTIONS), (moga.Sharing, niche.MODES),
    (moga.Normalisation, niche.NORMALISATIONS), (feature_prior.ScoreName, feature_prior.NAMED), (Against, AGAINST),
    (Resample, RESAMPLE), (Rule, RULES),
])
def test_words_are_those_that_the_code_knows(kind, choices):
    """No word is missing in a type, and none is too much."""
    literals = [kind] if typing.get_origin(kind) is typing.Literal else typing.get_args(kind)
    known = [word for literal in literals if typing.get_origin(literal) is typing.Literal
             for word in typing.get_args(literal)]
    assert sorted(known) == sorted(filter(None, choices))


def test_options_that_are_passed_on_have_the_same_types():
    """Where a function takes the keywords of another one."""
    keywords = [name for name, parameter in inspect.signature(moeliga.stability_report).parameters.items()
                if parameter.kind is parameter.KEYWORD_ONLY]
    hints = hints_of(moeliga.stability_report)
    assert typing.get_type_hints(StabilityOptions) == {name: hints[name] for name in keywords}


@pytest.mark.parametrize(("name", "heir"), [
    ("BaseEstimator", moeliga.Checkpoint), ("ClassifierMixin", moeliga.DecisionTreeClassifier),
    ("RegressorMixin", moeliga.DecisionTreeRegressor), ("SelectorMixin", moeliga.MOELIGASelector),
])
def test_base_classes_have_the_methods_of_scikit_learn(name, heir):
    """Those that type checkers see (the last of several overloads), with their parameters and defaults."""
    source = (ROOT / "moeliga" / "base" / "estimator.py").read_text(encoding="utf-8")
    node = next(node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef) and node.name == name)
    methods = {method.name: method for method in node.body if isinstance(method, ast.FunctionDef)}.values()
    assert methods
    for method in methods:
        found = inspect.signature(getattr(heir, method.name)).parameters.values()
        places = [*method.args.args, *method.args.kwonlyargs, *filter(None, [method.args.kwarg])]
        assert [parameter.name for parameter in found] == [argument.arg for argument in places]
        defaults = [*method.args.defaults, *method.args.kw_defaults]
        real = [parameter.default for parameter in found if parameter.default is not parameter.empty]
        for default, value in zip(defaults, real, strict=True):
            assert ast.unparse(default) in (repr(value), "..."), method.name


# the uses, as Python runs them


def fits(value, kind):
    """Whether a value is of a type as `assert_type` takes it."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return True
    if hasattr(origin, "__value__"):  # an alias, which NDArray is since NumPy 2.5
        return fits(value, origin.__value__[parts])
    if hasattr(kind, "__value__"):  # as ArrayLike is, of NumPy 2.5 from Python 3.12 on
        return fits(value, kind.__value__)
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is typing.Literal:
        return any(value == part and type(value) is type(part) for part in parts)
    if origin is collections.abc.Callable:
        return callable(value)
    if origin in (Several, collections.abc.Sequence):
        return isinstance(value, list | tuple) and all(fits(entry, parts[0]) for entry in value)
    if typing.is_protocol(origin or kind) if sys.version_info >= (3, 13) else getattr(kind, "_is_protocol", False):
        return False
    if origin is np.ndarray:
        scalar = typing.get_args(parts[1])[0]
        return isinstance(value, np.ndarray) and (scalar is typing.Any or issubclass(value.dtype.type, scalar))
    if origin is list:
        return isinstance(value, list) and all(fits(entry, parts[0]) for entry in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(key, parts[0]) and fits(value[key], parts[1]) for key in value)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
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
    ("r1", Rule, True), ("r2", Rule, False), (max, Rule, True), ((1.0, 2.0), Numbers, True), (("a",), Numbers, False),
    (None, Numbers | None, True), (0.5, Number, True), (0.5, Integer, False), ("a", HasSupport, False),
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


def run_python(folder, *arguments):
    """(exit status, what was printed) of Python in a folder; it imports the `moeliga` that is looked at."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MYPY_FORCE_COLOR": "0", "NO_COLOR": "1"}
    done = subprocess.run([sys.executable, *map(str, arguments)], cwd=folder, env=environment, capture_output=True,
                          text=True)
    return done.returncode, done.stdout + done.stderr


def strict(folder, cache, *arguments):
    """`mypy --strict` as a user runs it, in a folder of theirs: `moeliga` is a package that is installed."""
    return run_python(folder, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", *arguments)


@pytest.mark.slow
@needs_mypy
def test_uses_are_no_errors_and_misuses_are(tmp_path, cache):
    """`mypy --strict`, which complains of a mark at a line that is no error."""
    status, printed = strict(tmp_path, cache, TYPED / "uses.py", TYPED / "misuses.py")
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


def documented(name):
    """Names under "Attributes" in the docstring of a class, with what follows the colon."""
    text = (inspect.getdoc(PUBLIC[name]) or "").partition("\nAttributes\n")[2]
    text = re.split(r"\n\n\w+\n-+\n", text)[0]
    return {attribute: kind for names, kind in re.findall(r"^(\w+(?:, \w+)*)(?: : (.*))?$", text, re.MULTILINE)
            for attribute in names.split(", ")}


@pytest.mark.slow
@needs_mypy
def test_attributes_have_types(tmp_path, cache):
    """mypy knows every attribute that a docstring names, and every parameter that an estimator keeps."""
    attributes = []
    for name in CLASSES:
        kinds = documented(name)
        if hasattr(PUBLIC[name], "get_params"):
            kinds |= dict.fromkeys(inspect.signature(PUBLIC[name]).parameters, "")
        attributes += [(name, attribute, kind) for attribute, kind in kinds.items()]
    assert len(attributes) > 80
    program = tmp_path / "attributes.py"
    program.write_text("\n".join([
        "from typing import assert_type", "import moeliga", "from moeliga.search.state import State",
        "from moeliga.search.time_estimate import TimeEstimate", "",
        *(f"def look_{line}(thing: {name if name in ('State', 'TimeEstimate') else 'moeliga.' + name}) -> None: "
          f"reveal_type(thing.{attribute})" for line, (name, attribute, _) in enumerate(attributes)), ""]))
    status, printed = strict(tmp_path, cache, program)
    assert status == 0, printed
    revealed = re.findall(r'Revealed type is "(.*)"', printed)
    for (name, attribute, kind), known in zip(attributes, revealed, strict=True):
        assert known != "Any" or (name, attribute) in UNTYPED or "matplotlib" in kind, f"{name}.{attribute}"


@pytest.mark.slow
@needs_mypy
def test_package_has_no_errors_itself(cache):
    """With the settings in pyproject.toml; the stubs of the rooms too."""
    status, printed = run_python(ROOT, "-m", "mypy", f"--cache-dir={cache / 'own'}")
    assert status == 0, printed


def test_stubs_are_of_rooms_alone():
    """What is written in Python has its types where it is written."""
    assert {path.parent.name for path in (ROOT / "moeliga").rglob("*.pyi")} == {"_ext"}


@pytest.mark.slow
@needs_mypy
def test_stubs_are_what_is_installed(tmp_path):
    """mypy's stubtest: names, parameters, defaults, values, bases of the compiled rooms."""
    kept = tmp_path / "kept"
    kept.write_text("".join(f"{place}  # {reason}\n" for place, reason in KEPT.items()))
    status, printed = run_python(ROOT, "-m", "mypy.stubtest", "moeliga._ext", "--mypy-config-file", "pyproject.toml",
                                 "--allowlist", kept)
    assert status == 0, printed
