"""What a release says of itself: one version everywhere, and a citation that credits the paper."""

import importlib
import re
import shutil
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

import moeliga

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SAID = ("pyproject.toml", "CITATION.cff", "CHANGELOG.md")


@pytest.fixture
def disagreements(monkeypatch):
    """The function of the script."""
    monkeypatch.syspath_prepend(str(ROOT / "wheels"))
    return importlib.import_module("release").disagreements


@pytest.fixture
def tree(tmp_path):
    """A copy of the files that say a version."""
    for name in SAID:
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_the_version_is_the_same_everywhere(disagreements):
    """The one of pyproject.toml is what the package, the citation and the list of changes say."""
    assert disagreements(ROOT) == (PROJECT["project"]["version"], [])
    assert moeliga.__version__ == version("moeliga")


@pytest.mark.parametrize("name, pattern, instead, said", [
    ("CITATION.cff", r"(?m)^version: .*$", "version: 9.9.9", "CITATION.cff: 9.9.9, not "),
    ("CITATION.cff", r"(?m)^version: .*$", "", "CITATION.cff: nothing, not "),
    ("CHANGELOG.md", r"(?m)^## \S+?, ", "## 9.9.9, ", "CHANGELOG.md: 9.9.9, not "),
    ("pyproject.toml", r'(?m)^version = ".*"$', 'version = "9.9.9"', ", not 9.9.9"),
])
def test_another_version_is_found(disagreements, tree, name, pattern, instead, said):
    """In each place."""
    text, n = re.subn(pattern, instead, (tree / name).read_text(encoding="utf-8"), count=1)
    assert n == 1
    (tree / name).write_text(text, encoding="utf-8")
    lines = disagreements(tree)[1]
    assert lines and all(said in line for line in lines)


def test_a_tag_needs_its_version_and_a_date(disagreements, tree):
    """A release whose changes are still called unreleased is none."""
    changes = tree / "CHANGELOG.md"
    number = PROJECT["project"]["version"]
    text = re.sub(r"(?m)^## .*$", f"## {number}, not released yet", changes.read_text(encoding="utf-8"), count=1)
    changes.write_text(text, encoding="utf-8")
    assert disagreements(tree, f"v{number}")[1] == [f"CHANGELOG.md: not released yet, not {number}"]
    changes.write_text(text.replace("not released yet", "2031-01-02"), encoding="utf-8")
    assert disagreements(tree, f"v{number}")[1] == []
    assert disagreements(tree, "v9.9.9")[1] == [f"the tag: 9.9.9, not {number}"]
    assert disagreements(tree, number)[1] == [f"the tag: '{number}', which does not start with v, not {number}"]


def test_files_of_another_version_are_found(disagreements, tree, tmp_path):
    """Those of a folder that would be published."""
    number, dist = PROJECT["project"]["version"], tmp_path / "dist"
    dist.mkdir()
    assert disagreements(tree, dist=dist)[1] == [f"{dist}: no files, not {number}"]
    for name in (f"moeliga-{number}.tar.gz", f"moeliga-{number}-cp311-abi3-linux_x86_64.whl"):
        (dist / name).touch()
    assert disagreements(tree, dist=dist)[1] == []
    for name in ("moeliga-9.9.9.tar.gz", "other-1.0.whl"):
        (dist / name).touch()
    assert disagreements(tree, dist=dist)[1] == [f"moeliga-9.9.9.tar.gz: 9.9.9, not {number}",
                                                 f"other-1.0.whl: no file of a release, not {number}"]


def test_the_metadata_have_what_an_index_shows():
    """A licence by its SPDX name, classifiers of every Python that is supported, and nothing twice."""
    project = PROJECT["project"]
    assert project["license"] == "BSD-3-Clause" and not any("License ::" in line for line in project["classifiers"])
    assert all(url.startswith("https://") for url in project.get("urls", {}).values())
    assert len(set(project["classifiers"])) == len(project["classifiers"])
    oldest = re.fullmatch(r">=3\.(\d+)", project["requires-python"])[1]
    minors = [int(found[1]) for line in project["classifiers"]
              if (found := re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", line))]
    assert minors == list(range(int(oldest), int(oldest) + len(minors)))
    built = PROJECT["tool"]["cibuildwheel"]["build"]
    assert [f"cp3{minor}-*" for minor in minors] == [name for name in built if "t-" not in name]


def test_the_citation_credits_the_authors_of_the_paper():
    """Those whom the README names."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    title = re.findall(r'title: "(.*)"', text)[-1]
    names = re.findall(r"family-names: (\w+)\n +given-names: (\w+)", text)
    assert title in readme and len(names) == 2 and all(f"{given} {family}" in readme for family, given in names)


ADDRESS = (r"https?://(?!pypi\.org/packages/)[^\s\"')>]*moeliga"
           r"|(?:github\.com|readthedocs\.io|pypi\.org/project)[/:][^\s]*moeliga")
PAPERS = "https://github.com/ldvignolo/moeliga"


@pytest.mark.slow
def test_addresses_of_the_project_have_one_place():
    """`[project.urls]` of pyproject.toml; the paper names the repository of its authors."""
    found = {}
    for path in sorted(ROOT.rglob("*")):
        hidden = any(part.startswith((".venv", ".git", ".hypothesis", "_build", "auto_gallery"))
                     and part != ".github" for part in path.relative_to(ROOT).parts)
        if hidden or path.suffix not in {".py", ".md", ".toml", ".cff", ".yml", ".yaml", ".rst", ".txt", ".pyx", ".h"}:
            continue
        lines = path.read_text(encoding="utf-8").replace(PAPERS, "").splitlines()
        if path == ROOT / "pyproject.toml":
            urls = set(PROJECT["project"].get("urls", {}).values())
            lines = [line for line in lines if not any(url in line for url in urls)]
        if path != Path(__file__).resolve():
            found[path] = [line for line in lines if re.search(ADDRESS, line)]
    assert len(found) > 200 and {path: lines for path, lines in found.items() if lines} == {}


@pytest.fixture
def recipe(monkeypatch):
    """The module that writes the recipe."""
    monkeypatch.syspath_prepend(str(ROOT / "wheels"))
    return importlib.import_module("conda_recipe")


def test_the_recipe_is_the_one_of_pyproject(recipe):
    """What is in the tree is what the script would write."""
    assert recipe.RECIPE.read_text(encoding="utf-8") == recipe.recipe()


def test_the_recipe_asks_for_what_the_metadata_ask_for(recipe, tmp_path):
    """Read as YAML: each requirement with its versions, and the address and checksum of an sdist."""
    yaml = pytest.importorskip("yaml")
    sdist = tmp_path / "moeliga-1.0.tar.gz"
    sdist.write_bytes(b"sdist")
    for text in (recipe.recipe(), recipe.recipe(sdist)):
        found = yaml.safe_load(text)
        project = PROJECT["project"]
        run = {each.partition(" ")[0]: each.partition(" ")[2] for each in found["requirements"]["run"]}
        asked = {re.match(r"[\w-]+", each)[0]: re.sub(r"^[\w-]+", "", each) for each in project["dependencies"]}
        assert run == {"python": project["requires-python"], **asked}
        host = [each for each in found["requirements"]["host"] if isinstance(each, str)]
        assert host[2:] == [re.sub(r"^([\w-]+)", lambda name: name[0].lower() + " ", each)
                            for each in PROJECT["build-system"]["requires"]]
        assert found["context"]["version"] == project["version"] and found["package"]["name"] == project["name"]
        assert found["build"]["python"]["entry_points"] == [f"{name} = {entry}" for name, entry in
                                                            project["scripts"].items()]
    assert found["source"] == {"url": "https://pypi.org/packages/source/m/moeliga/moeliga-1.0.tar.gz",
                               "sha256": "714772a9f82b2aeb4fa5f7092d00fe4ac4c9cdeb6800840b6ed39ea64c4d785a"}
