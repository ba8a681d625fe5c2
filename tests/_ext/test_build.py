"""The build: every room imports, is what its stub says, and has OpenMP."""

import ast
import importlib
import inspect
import os
import platform
import re
import sys
from pathlib import Path

import pytest

from moeliga._ext import evaluate

STUBS = sorted((Path(__file__).resolve().parents[2] / "moeliga" / "_ext").glob("*.pyi"))


def parameters(function):
    """Names of the parameters of a parsed function."""
    return [argument.arg for argument in function.args.args]


@pytest.mark.parametrize("room", ["code", "draw", "bits", "vary", "dominance", "niche", "relief", "tree", "evaluate"])
def test_every_room_was_built(room):
    """The compiled module is there, and says what it is for."""
    assert importlib.import_module(f"moeliga._ext.{room}").__doc__


def test_openmp_is_enabled():
    """A build that lost OpenMP fails here, unless it was meant to be without."""
    threads = evaluate.threads()
    assert threads["enabled"] == (os.environ.get("MOELIGA_NO_OPENMP", "0") in ("", "0"))
    assert threads["max_threads"] >= 1
    assert (threads["version"] > 0) == threads["enabled"]
    assert threads["level"] in (0, 3, 4)


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="reads Linux's list of x86 flags")
def test_best_instruction_set_of_the_machine_is_chosen():
    """GCC and clang compile the loops for v3 and v4; with MOELIGA_PLAIN there is only what the build is for."""
    text = Path("/proc/cpuinfo").read_text()
    flags = set(re.search(r"^flags\s*: (.*)$", text, re.MULTILINE)[1].split())
    has_v3 = flags >= {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
    has_v4 = has_v3 and flags >= {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
    plain = os.environ.get("MOELIGA_PLAIN", "0") not in ("", "0")
    assert evaluate.threads()["level"] == (0 if plain else 4 if has_v4 else 3 if has_v3 else 0)


def test_pause_may_be_called_at_any_time():
    """Giving threads back that were never started, or twice, does no harm."""
    assert evaluate.pause() is None
    assert evaluate.pause() is None


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.name)
def test_stubs_say_what_was_built(stub):
    """Names, parameters and methods of a stub are those of the compiled module."""
    room = importlib.import_module(f"moeliga._ext.{stub.stem}")
    public = {name for name in dir(room) if not name.startswith("_") and name != "np"}
    declared = set()
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            assert parameters(node) == list(inspect.signature(getattr(room, node.name)).parameters)
            declared.add(node.name)
        elif isinstance(node, ast.ClassDef) and hasattr(room, node.name):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name != "__init__":
                    built = getattr(getattr(room, node.name), method.name)
                    assert parameters(method) == list(inspect.signature(built).parameters)
            declared.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            declared.add(node.target.id)
    assert declared == public
