"""Tables and commands of the guide say what the code says."""

import re
import shlex
from inspect import signature
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import moeliga
from moeliga import MOELIGASelector
from moeliga.cli.main import main
from moeliga.cli.run_folder import FILES
from moeliga.results.rules import RULES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the guide is not here")


def page(name):
    """Text of a page of the guide, empty if that is not here."""
    path = DOCS / f"{name}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


PARAMETERS = page("parameters")


def rows_of(text):
    """Rows of all tables of a text, as lists of cells."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in text.splitlines()
            if line.startswith("|")]
    ruled = [number for number, row in enumerate(rows) if set(row[0]) == {"-"}]
    return [row for number, row in enumerate(rows) if number not in ruled and number + 1 not in ruled]


def section(text, heading):
    """What stands below a heading, up to the next one of its level."""
    level = heading.split()[0]
    return re.split(rf"^{level} ", f"{text}\n".split(f"\n{heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def defaults(rows):
    """Default of each parameter in a table, and those that it marks as departing from the paper."""
    values = {name.strip("`"): eval(default.strip("*`"), {}) for name, default, *_ in rows}
    return values, {name.strip("`") for name, default, *_ in rows if default.startswith("**")}


@pytest.mark.docs
def test_commands_run(tmp_path, monkeypatch, rng, capsys):
    """The commands of the page, in order, on files as it describes them; with short searches."""
    pytest.importorskip("pyarrow")  # reads the files
    monkeypatch.chdir(tmp_path)
    fit = MOELIGASelector.fit
    monkeypatch.setattr(MOELIGASelector, "fit", lambda self, X, y, **params: fit(
        self.set_params(honest=2, n_generations=2, population_size=25, n_jobs=1), X, y, **params))
    names = ["age", "blood_a", "blood_b", "pulse"]
    for file in ("data.csv", "new.csv"):
        rows = [f"p{i // 2},{'ill' if i % 2 else 'well'},{','.join(map(repr, row))}" for i, row in
                enumerate(rng.normal(size=(60, 4)).tolist())]
        Path(file).write_text("\n".join([f"id,class,{','.join(names)}", *rows]))
    Path("costs.csv").write_text("feature,cost\n" + "".join(f"{name},2\n" for name in names))
    text = page("command-line")
    commands = [line for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
                for line in block.splitlines()]
    for command in commands:
        program, *argv = shlex.split(command)
        assert (program, main(argv)) == ("moeliga", 0), (command, capsys.readouterr().err)
    assert len(commands) == 10
    rows = rows_of(section(text, "## What it writes"))
    files = {name for row in rows for name in re.findall(r"`([\w.]+)`", row[0])}
    assert files == set(FILES) == {path.name for path in Path("run").iterdir()}


def documented(kind):
    """Parameters of a class that have a default, in order: dict from name to default."""
    return {name: parameter.default for name, parameter in signature(kind).parameters.items()
            if parameter.default is not parameter.empty}


def test_table_of_parameters_is_that_of_the_selector():
    """Every parameter, in order, with its default."""
    values, _ = defaults(rows_of(section(PARAMETERS, "## The selector")))
    assert list(values.items()) == list(documented(MOELIGASelector).items())


VALUE_OBJECTS = [name for name in moeliga.__all__
                 if isinstance(thing := getattr(moeliga, name), type) and hasattr(thing, "validate")
                 and documented(thing)]


def test_every_value_object_has_a_table_and_nothing_else_has():
    found = re.findall(r"^### (\w+)$", section(PARAMETERS, "## Value objects"), re.MULTILINE)
    assert sorted(found) == sorted(VALUE_OBJECTS)


@pytest.mark.parametrize("name", VALUE_OBJECTS)
def test_table_of_a_value_object_is_that_of_the_class(name):
    """Every parameter, in order, with its default."""
    values, _ = defaults(rows_of(section(PARAMETERS, f"### {name}")))
    assert list(values.items()) == list(documented(getattr(moeliga, name)).items())


def test_every_default_has_its_row_of_evidence():
    """The page of defaults has every parameter with the default in force, and says what that rests on."""
    text, wanted = page("defaults"), dict(documented(MOELIGASelector))
    for name in VALUE_OBJECTS:
        wanted |= {f"{name}.{parameter}": value for parameter, value in documented(getattr(moeliga, name)).items()}
    rows = rows_of(section(text, "## The selector")) + rows_of(section(text, "## Value objects"))
    assert defaults(rows)[0] == wanted
    for name, _, evidence in rows:
        shared = re.match(r"as `(\w+)`", evidence)
        assert evidence.startswith(("No evidence", "`Evaluation()`")) or re.search(r"\.\d", evidence) or (
            shared and any(other.strip("`").split(".")[-1] == shared[1] for other, *_ in rows)), name


def departures(ours, theirs, owner=""):
    """Parameters by which an estimator departs from another of its class: set of "name" or "ValueObject.name".

    One whose value object is only spelled out, to say more of it, is none itself.
    """
    found = set()
    for name, value in theirs.get_params(deep=False).items():
        mine = getattr(ours, name)
        made, paper = (each.stands_for(name) if name in getattr(each, "short_forms", ()) else None
                       for each in (ours, theirs))
        if paper is not None:
            found |= departures(type(paper)(), paper, f"{type(paper).__name__}.")
        if value != mine and not (isinstance(value, BaseEstimator) and type(made) is type(paper)):
            found.add(owner + name)
    return found


def test_bold_defaults_are_what_the_paper_preset_changes():
    bold = defaults(rows_of(section(PARAMETERS, "## The selector")))[1] | {
        f"{kind}.{name}" for kind in VALUE_OBJECTS for name in defaults(rows_of(section(PARAMETERS, f"### {kind}")))[1]}
    assert bold == departures(MOELIGASelector(), MOELIGASelector.from_preset("paper"))


def test_rules_are_those_of_the_front():
    rows = rows_of(section(page("choosing"), "## The rules"))
    assert sorted(row[0].split("`")[1].strip('"') for row in rows) == sorted(RULES)


@pytest.mark.parametrize("path", sorted({path for row in rows_of(
    section(page("algorithm"), "## From the paper to the code") if page("algorithm") else "")
    for path in re.findall(r"`([\w/]+\.\w+)`", row[1])}))
def test_files_named_in_the_map_exist(path):
    assert (ROOT / path).is_file()
