"""What is needed to build and to run: ranges that were tried out, and a build that kept to them.

`python wheels/requirements.py` builds with both ends of the ranges; it takes minutes, so it is not run here.
"""

import importlib
import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from moeliga._ext import draw

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILD = {requirement.name: requirement for requirement in map(Requirement, PROJECT["build-system"]["requires"])}
RUN = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
EXTRAS = [Requirement(text) for name, texts in PROJECT["project"]["optional-dependencies"].items() for text in texts]


def limits(requirement):
    """Versions of a requirement by operator; each operator once."""
    found = {limit.operator: Version(limit.version) for limit in requirement.specifier}
    assert len(found) == len(requirement.specifier)
    return found


def test_what_builds_is_what_setup_imports():
    """Nothing else is needed: no NumPy headers, no wheel package."""
    imported = set(re.findall(r"^(?:from|import) (Cython|numpy|setuptools|wheel|\w*distutils)\b",
                              (ROOT / "setup.py").read_text(), re.MULTILINE))
    assert imported == set(BUILD) == {"Cython", "setuptools"}


@pytest.mark.parametrize("requirement", BUILD.values(), ids=str)
def test_build_requirements_have_both_bounds(requirement):
    """From a release that can be installed, to before the next one that nobody has tried."""
    found = limits(requirement)
    assert found.keys() == {">=", "<"}
    assert found[">="] < found["<"]
    assert len(found[">="].release) == 3  # a whole version, which `wheels/requirements.py` installs
    assert not found["<"].is_prerelease


@pytest.mark.parametrize("requirement", [*RUN, *EXTRAS], ids=str)
def test_run_time_requirements_have_a_lower_bound_only(requirement):
    """An upper bound of a library stands in the way of everything else that is installed."""
    assert limits(requirement).keys() == {">="}


def test_the_compiled_rooms_were_made_by_an_allowed_cython():
    """Cython leaves its version in the name of the module that its functions are of, with that of the limited API."""
    found = re.fullmatch(r"_cython_(\d+)_(\d+)_(\d+(?:[ab]\d+|rc\d+)?)(?:limited\w*)?", type(draw.words).__module__)
    assert found, type(draw.words).__module__
    assert BUILD["Cython"].specifier.contains(".".join(found.groups()), prereleases=True)


def test_the_installation_was_made_by_an_allowed_setuptools():
    """It signs the wheel, that of an editable installation too."""
    texts = [found.read_text("WHEEL") or "" for found in distributions(name="moeliga")]  # the tree may have an egg-info
    versions = re.findall(r"^Generator: setuptools \((.*)\)$", "\n".join(texts), re.MULTILINE)
    if not versions:
        pytest.skip("moeliga was not installed from a wheel of setuptools")
    assert all(BUILD["setuptools"].specifier.contains(version, prereleases=True) for version in versions)


@pytest.fixture
def requirements(monkeypatch):
    """The script that builds with both ends."""
    monkeypatch.syspath_prepend(str(ROOT / "wheels"))
    return importlib.import_module("requirements")


@pytest.mark.parametrize("text", [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"]])
def test_the_script_takes_both_ends(requirements, text):
    """The lowest version is pinned, the highest left to pip; both are allowed."""
    given, lowest = Requirement(text), Requirement(requirements.pinned(text, "lowest"))
    assert lowest.name == given.name
    assert limits(lowest) == {"==": limits(given)[">="]}
    assert given.specifier.contains(limits(lowest)["=="])
    assert requirements.pinned(text, "highest") == text
    assert text in requirements.BUILD + requirements.RUN
