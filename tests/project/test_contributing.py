"""The guide for contributors tells the truth, and linters are the same before a commit, for a pull request and in
`.ci/run`."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import moeliga

ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
GUIDE = ROOT / "CONTRIBUTING.md"
PAGES = sorted(path.relative_to(ROOT).as_posix() for folder in ("", "_ext", "tests", "docs", "wheels", "benchmarks",
                                                                "benchmarks/paper", "benchmarks/honest",
                                                                "benchmarks/board", "benchmarks/judges")
               for path in (ROOT / folder).glob("*.md") if path.name != "CHANGELOG.md")
WORKFLOWS = [GITHUB / "workflows" / f"{name}.yml" for name in ("pull-request", "wheels")]

needs_guide = pytest.mark.skipif(not GUIDE.is_file(), reason="the guide is not here")
needs_workflows = pytest.mark.skipif(not GITHUB.is_dir(), reason="not a checkout: an sdist has no workflows")


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def names_in(path):
    """Return names that a file of Python or Cython defines or assigns, methods too."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return set(re.findall(r"^(?:cdef|def) (?:\w+ )*(\w+)\(", text, re.MULTILINE))
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


def hooks():
    """Return the commands of the hooks of pre-commit."""
    return re.findall(r"^ +entry: (.*)$", read(".pre-commit-config.yaml"), re.MULTILINE)


@needs_guide
def test_what_the_guide_names_is_there():
    """Files and folders in code spans, but for those of a room that is yet to be, and what its links lead to."""
    text = GUIDE.read_text(encoding="utf-8")
    named = re.findall(r"`((?:[\w.]+/)+[\w.]*|[\w.]+\.(?:md|py|toml|cff))`", text)
    linked = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    assert len(named) > 40 and len(linked) > 8
    assert {path for path in [*named, *linked] if not (ROOT / path).exists()
            and not (path.startswith(".") and not GITHUB.is_dir())} == set()


@pytest.mark.parametrize("page", PAGES)
def test_what_pages_name_is_there(page):
    """Files and folders of the package, the core, the tests and the measurements, in code spans; no pattern."""
    named = re.findall(r"`((?:moeliga|_ext|tests|benchmarks|wheels)/[\w./-]+)`", read(page))
    folders = {name for name in ("benchmarks", "wheels") if not (ROOT / name).is_dir()}  # not in an sdist
    assert {path for path in named if path.split("/")[0] not in folders and not (ROOT / path).exists()
            and not [*(ROOT / path).parent.glob(f"{Path(path).name}.*")]} == set()


@pytest.mark.parametrize("page", PAGES)
def test_types_of_the_core_that_pages_name_are_there(page):
    """In a header of the kernels."""
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "_ext" / "kernels").rglob("*.h"))
    assert set(re.findall(r"moe_\w+_t\b", read(page))) <= set(re.findall(r"\bmoe_\w+_t\b", code))


@needs_guide
def test_what_the_guide_says_to_touch_is_there():
    """Each "`name` in `file`", several names too, and each test that is named alone."""
    text = GUIDE.read_text(encoding="utf-8")
    places = re.findall(r"((?:`\w+`(?:, | and )?)+) (?:in|of) `([\w/]+\.pyx?)`", text)
    assert len(places) > 15
    wrong = {(name, path) for names, path in places for name in re.findall(r"`(\w+)`", names)
             if name not in names_in(ROOT / path)}
    known = {name for path in (ROOT / "tests").rglob("test_*.py")
             for name in re.findall(r"^def (test_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)}
    wrong |= {name for name in re.findall(r"`(test_\w+)`", text) if name not in known}
    assert wrong == set()


@needs_guide
def test_the_environment_of_the_guide_has_what_the_project_names():
    """Extras and dependency groups that exist; the group has all linters."""
    project = tomllib.loads(read("pyproject.toml"))
    extras, group = re.search(r"-e '\.\[([\w,]+)\]' --group (\w+)", GUIDE.read_text(encoding="utf-8")).groups()
    assert set(extras.split(",")) <= project["project"]["optional-dependencies"].keys()
    included = [entry["include-group"] for entry in project["dependency-groups"][group] if isinstance(entry, dict)]
    assert sorted(included) == ["lint", "typing"]


@needs_workflows
@pytest.mark.parametrize("path", [".ci/run", ".github/workflows/pull-request.yml"])
def test_linters_are_the_same_everywhere(path):
    """The hooks, `.ci/run` and the workflow of pull requests run the same commands."""
    lines = {line.strip().removeprefix("- run: ") for line in read(path).splitlines()}
    assert len(hooks()) == 4
    assert set(hooks()) <= lines


@needs_workflows
def test_pull_requests_are_tested_by_the_command_of_the_readme():
    """What it installs and what it runs, for a change of any file."""
    text = WORKFLOWS[0].read_text(encoding="utf-8")
    command = re.search(r"<!-- tests -->\n```sh\n(.*)\n```", read("README.md"))[1]
    _, install, tests = (part.removeprefix(".venv/bin/") for part in command.split(" && "))
    assert f"- run: python -m {install}\n" in text and f"- run: python -m {tests}\n" in text
    assert "paths" not in text
    lowest = tomllib.loads(read("pyproject.toml"))["project"]["requires-python"].removeprefix(">=")
    assert f'python: ["{lowest}",' in text


@needs_workflows
def test_workflows_may_read_only_and_use_the_same_actions():
    """But for the job that publishes."""
    texts = [path.read_text(encoding="utf-8") for path in WORKFLOWS]
    assert all("\npermissions:\n  contents: read\n" in text for text in texts)
    assert "write" not in texts[0]
    used = [set(re.findall(r"uses: (\S+)", text)) for text in texts]
    assert used[0] and used[0] <= used[1]


@needs_workflows
def test_forms_and_settings_can_be_read():
    """All are YAML, and a form has what GitHub asks for."""
    yaml = pytest.importorskip("yaml")
    for path in [*GITHUB.rglob("*.yml"), ROOT / ".pre-commit-config.yaml"]:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert isinstance(content, dict), path
        if path.parent.name == "ISSUE_TEMPLATE" and path.stem != "config":
            assert content["name"] and content["description"]
            for part in content["body"]:
                assert part["attributes"].keys() & {"label", "value"}, path


@needs_workflows
def test_forms_name_what_there_is():
    """Functions of moeliga and files of the project; no address, since that of the project may change."""
    forms = [*(GITHUB / "ISSUE_TEMPLATE").iterdir(), GITHUB / "PULL_REQUEST_TEMPLATE.md"]
    text = "\n".join(path.read_text(encoding="utf-8") for path in forms)
    names = set(re.findall(r"\bmoeliga\.(\w+)", text))
    assert "show_versions" in names and names <= set(moeliga.__all__)
    paths = re.findall(r"`((?:docs|tests)/[\w./]+|[A-Z]+\.md)`", text)
    assert len(paths) > 4 and [path for path in paths if not (ROOT / path).is_file()] == []
    assert "http" not in text
