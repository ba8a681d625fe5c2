"""The README tells the truth: its examples run, its tables say what the code says."""

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
README = (ROOT / "README.md").read_text(encoding="utf-8")


def table(heading):
    """Rows of the first table after a line, as lists of cells."""
    lines = README.split(heading, 1)[1].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def defaults(rows):
    """Default of each parameter in a table, and those that it marks as departing from the paper."""
    values = {name.strip("`"): eval(default.strip("*`"), {}) for name, default, *_ in rows}
    return values, {name.strip("`") for name, default, *_ in rows if default.startswith("**")}


@pytest.mark.docs
def test_examples_run(capsys):
    """All Python of the README, in one session, as a reader would type it."""
    session, printed = {}, []
    for block in re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        exec(block, session)
        printed.append(capsys.readouterr().out.splitlines())
    start, _, folds, optimism, stability, _, _ = printed
    assert re.fullmatch(r" +1 features  UAR 0\.\d+ ± 0\.\d+", start[0])
    folds = [float(fold) for fold in folds[0].strip("[]").split()]
    assert float(start[-1].rsplit(" ", 1)[1]) > 0.85 and len(folds) == 3 and min(folds) > 0.85
    assert optimism[0] == "397 samples searched, 172 held out, 9 permutations" and optimism[-1] == "* = chosen"
    assert stability[0] == "10 runs on random parts of the samples"


@pytest.mark.docs
def test_commands_run(tmp_path, monkeypatch, rng, capsys):
    """The commands of the section on the command line, in order, on files as it describes them; with short searches."""
    pytest.importorskip("pyarrow")  # reads the files
    monkeypatch.chdir(tmp_path)
    fit = MOELIGASelector.fit
    monkeypatch.setattr(MOELIGASelector, "fit", lambda self, X, y, **params: fit(
        self.set_params(n_generations=2, population_size=25, n_jobs=1), X, y, **params))
    names = ["age", "blood_a", "blood_b", "pulse"]
    for file in ("data.csv", "new.csv"):
        rows = [f"p{i // 2},{'ill' if i % 2 else 'well'},{','.join(map(repr, row))}" for i, row in
                enumerate(rng.normal(size=(60, 4)).tolist())]
        Path(file).write_text("\n".join([f"id,class,{','.join(names)}", *rows]))
    Path("costs.csv").write_text("feature,cost\n" + "".join(f"{name},2\n" for name in names))
    section = README.split("## On the command line\n")[1].split("\n## ")[0]
    commands = [line for block in re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
                for line in block.splitlines()]
    for command in commands:
        program, *argv = shlex.split(command)
        assert (program, main(argv)) == ("moeliga", 0), (command, capsys.readouterr().err)
    assert len(commands) == 10
    rows = table("The first command writes into `run`:")
    files = {name for row in rows for name in re.findall(r"`([\w.]+)`", row[0])}
    assert files == set(FILES) == {path.name for path in Path("run").iterdir()}


def documented(kind):
    """Parameters of a class that have a default, in order: dict from name to default."""
    return {name: parameter.default for name, parameter in signature(kind).parameters.items()
            if parameter.default is not parameter.empty}


def test_table_of_parameters_is_that_of_the_selector():
    """Every parameter, in order, with its default."""
    values, _ = defaults(table("## Parameters"))
    assert list(values.items()) == list(documented(MOELIGASelector).items())


VALUE_OBJECTS = [name for name in moeliga.__all__
                 if isinstance(thing := getattr(moeliga, name), type) and hasattr(thing, "validate")
                 and documented(thing)]


def test_every_value_object_has_a_table_and_nothing_else_has():
    section = README.split("## Parameters")[1].split("\n## ")[0]
    assert sorted(re.findall(r"^### (\w+)$", section, re.MULTILINE)) == sorted(VALUE_OBJECTS)


@pytest.mark.parametrize("name", VALUE_OBJECTS)
def test_table_of_a_value_object_is_that_of_the_class(name):
    """Every parameter, in order, with its default."""
    values, _ = defaults(table(f"\n### {name}\n"))
    assert list(values.items()) == list(documented(getattr(moeliga, name)).items())


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
    bold = defaults(table("## Parameters"))[1] | {
        f"{kind}.{name}" for kind in VALUE_OBJECTS for name in defaults(table(f"\n### {kind}\n"))[1]}
    assert bold == departures(MOELIGASelector(), MOELIGASelector.from_preset("paper"))


def test_rules_are_those_of_the_front():
    assert [row[0].split("`")[1].strip('"') for row in table("## Choosing from the front")] == list(RULES)


@pytest.mark.parametrize("path", sorted({path for row in table("## From the paper to the code")
                                         for path in re.findall(r"`([\w/]+\.\w+)`", row[1])}))
def test_files_named_in_the_map_exist(path):
    assert (ROOT / path).is_file()
