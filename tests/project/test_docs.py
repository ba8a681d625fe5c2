"""The guide tells the truth: its examples run and print what it says, its links lead somewhere, its claims have tests.
"""

import ast
import importlib
import importlib.util
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import moeliga

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")
               if not {"_build", "auto_gallery"} & set(path.parts))

pytestmark = pytest.mark.skipif(not PAGES, reason="the guide is not here")


@pytest.fixture
def runner(monkeypatch):
    """The module that runs the examples."""
    monkeypatch.syspath_prepend(str(DOCS))
    return importlib.import_module("examples")


def prose(page):
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """Where links can lead to within a page: its headings, as myst-parser and GitHub name them, and its targets."""
    text = prose(page)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r"^\((.+)\)=$", text, re.MULTILINE))


def listed(page):
    """Pages that the tables of contents of a page list."""
    text, here = (DOCS / page).read_text(encoding="utf-8"), (DOCS / page).parent
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line and not line.startswith(":") and line != "auto_gallery/index":  # made of docs/gallery
                yield (here / f"{line}.md").resolve().relative_to(DOCS).as_posix()


@pytest.mark.docs
@pytest.mark.parametrize("page", PAGES)
def test_examples_run_and_print_what_the_page_says(runner, tmp_path, monkeypatch, page):
    """All Python of a page in one session; blocks that need what is not installed are left out."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    for example, printed in runner.run_page(DOCS / page):
        if printed is not None and example.prints is not None:
            assert printed == example.prints, f"line {example.line}"


@pytest.mark.docs
@pytest.mark.parametrize("page", sorted(path.name for path in (DOCS / "gallery").glob("*.py")))
def test_the_gallery_runs_and_draws(page, monkeypatch):
    """Each page by itself, as a program; every picture has something in it."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("pandas")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    with pyplot.ioff():
        pyplot.switch_backend("Agg")
        runpy.run_path(str(DOCS / "gallery" / page), run_name="__main__")
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    try:
        assert figures
        for figure in figures:
            figure.canvas.draw()
            assert all(axes.has_data() for axes in figure.axes)
    finally:
        pyplot.close("all")


@pytest.mark.docs
def test_a_larger_margin_of_the_gallery_is_a_smaller_panel(monkeypatch, capsys):
    """Those that are printed differ."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pytest.importorskip("pandas")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    pyplot.switch_backend("Agg")
    runpy.run_path(str(DOCS / "gallery" / "plot_regression.py"), run_name="__main__")
    pyplot.close("all")
    sizes = [int(size) for size in re.findall(r"^margin [\d.]+: (\d+) features", capsys.readouterr().out, re.MULTILINE)]
    assert len(sizes) == 4 and sizes == sorted(sizes, reverse=True) and len(set(sizes)) > 1


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_python_is_an_example(runner, page):
    """None is hidden from the runner by the way it is fenced."""
    text = (DOCS / page).read_text(encoding="utf-8")
    assert len(re.findall(r"^\s*[`~]{3,}.*python", text, re.MULTILINE)) == len(runner.examples(DOCS / page))


def test_a_wrong_output_is_found_and_corrected(runner, tmp_path, capsys):
    """The runner compares, writes what is printed, and leaves the rest of the page as it is."""
    page = tmp_path / "page.md"
    block = "```python\nprint({})\n```\n\n```text\n{}\n```\n\nwords\n\n"
    page.write_text(block.format(1, 1) + block.format(2, "two\nlines") + block.format(3, 4))
    assert runner.main([str(page)]) == 1
    assert runner.main(["--write", str(page)]) == 0
    assert page.read_text() == block.format(1, 1) + block.format(2, 2) + block.format(3, 3)
    assert runner.main([str(page)]) == 0
    capsys.readouterr()


def test_what_cannot_run_is_skipped(runner, tmp_path, capsys):
    """A package that is not installed."""
    page = tmp_path / "page.md"
    page.write_text("```python\nimport no_such_package\n```\n\n"
                    "```python\nprint(1)\n```\n")
    assert [printed for _, printed in runner.run_page(page)] == [None, "1\n"]
    assert runner.main([str(page)]) == 0
    assert "lacks no_such_package" in capsys.readouterr().out


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """Pages, files of the project, and places within pages."""
    for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        file = (DOCS / page).parent / path if path else DOCS / page
        assert file.is_file(), target
        if anchor:
            assert anchor in anchors(file.resolve().relative_to(DOCS).as_posix()), target


def test_every_page_is_in_the_table_of_contents_once():
    """Nothing is lost, nothing is in two places."""
    assert sorted(["index.md", *(other for page in PAGES for other in listed(page))]) == PAGES


def test_the_reference_has_every_public_name():
    """What `moeliga` exports is documented, and nothing else of the package's top level."""
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    names = re.findall(r"^\.\. auto(?:class|function):: moeliga\.(\w+)$", text, re.MULTILINE)
    assert sorted(names) == sorted(moeliga.__all__)


def test_every_public_name_has_an_example():
    """In its docstring or in that of one of its methods; reports have theirs where they are made."""
    made_elsewhere = {"OptimismReport", "StabilityReport"}
    for name in set(moeliga.__all__) - made_elsewhere:
        thing = getattr(moeliga, name)
        assert any(">>>" in (part.__doc__ or "") for part in [thing, *vars(thing).values()]), name


def test_the_readme_links_to_the_guide():
    """From the first page of the project."""
    assert "](docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.docs
@pytest.mark.skipif(any(importlib.util.find_spec(name) is None for name in ("sphinx", "myst_parser",
                                                                                    "sphinx_gallery")),
                    reason="Sphinx, myst-parser and sphinx-gallery are not installed")
def test_the_guide_builds_without_warnings(tmp_path):
    """The one command, with warnings as errors."""
    done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(DOCS), str(tmp_path)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_number_of_evaluations_on_a_cluster_is_that_of_its_setting(runner):
    """The page's setting, where it is run without Dask, on other data: the number depends on neither."""
    examples = runner.examples(DOCS / "cluster.md")
    code, = (example for example in examples if example.prints and " True" in example.prints)
    setting = {"honest": None, "random_state": 0}
    (call,) = (node for node in ast.walk(ast.parse(code.code)) if isinstance(node, ast.AugAssign))
    setting |= eval(ast.unparse(call.value), {"dict": dict, "Islands": moeliga.Islands})
    X, y = np.random.default_rng(0).normal(size=(40, 60)), np.arange(40) % 2
    found = moeliga.MOELIGASelector(**setting).fit(X, y)
    assert code.prints.split()[0] == str(found.n_evaluations_)


# the table of peers


def names_of_tests(path):
    """Names of the tests in a file."""
    return {node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}


def peer_rows():
    """Rows of the tables of features: (feature, cell of moeliga)."""
    for line in prose("peers.md").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) > 8 and not line.startswith(("|---", "| feature |")):
            yield cells[0], cells[1]


def peer_evidence():
    """Rows of the table of evidence: (features, {path: names of tests})."""
    for line in prose("peers.md").split("\n## Evidence\n")[1].splitlines():
        if line.startswith("| ") and not line.startswith("| features |"):
            features, tests = line.strip("| ").split(" | ")
            yield features.split("; "), {path: re.findall(r"`(\w+)`", names) for path, names in re.findall(
                r"\]\(\.\./(tests/[\w/]+\.py)\)((?:,? `\w+`)*)", tests)}


def test_every_tick_of_moeliga_has_tests_that_exist():
    """Features with a tick are those of the table of evidence, each once or more; its files have its tests."""
    rows, evidence = list(peer_rows()), list(peer_evidence())
    ticked = {feature for feature, cell in rows if re.match("[✔◐]", cell)}
    assert len(ticked) > 30 and ticked == {feature for features, _ in evidence for feature in features}
    for features, tests in evidence:
        assert any(tests.values()), features
        for path, names in tests.items():
            assert set(names) <= names_of_tests(ROOT / path), features
