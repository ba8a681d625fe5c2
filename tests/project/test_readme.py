"""The README tells the truth: its examples run, its tables say what the code says."""

import re
import shlex
from inspect import signature
from pathlib import Path

import pytest

import moeliga
from moeliga import MOELIGASelector
from moeliga.cli.main import main
from moeliga.cli.run_folder import FILES
from moeliga.results.front import RULES
from moeliga.search.resolve import PRESETS

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


def test_commands_run(tmp_path, monkeypatch, rng, capsys):
    """The commands of the section on the command line, in order, on files as it describes them; with short searches."""
    monkeypatch.chdir(tmp_path)
    fit = MOELIGASelector.fit
    monkeypatch.setattr(MOELIGASelector, "fit", lambda self, X, y, **params: fit(
        self.set_params(n_generations=2, population_size=25, survival__n_elite=5, survival__generation_gap=5,
                        n_jobs=1), X, y, **params))
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


def test_table_of_parameters_is_that_of_the_selector():
    """Every parameter, in order, with its default."""
    values, _ = defaults(table("## Parameters"))
    parameters = {name: parameter.default for name, parameter in signature(MOELIGASelector).parameters.items()}
    assert list(values.items()) == list(parameters.items())


def test_table_of_value_objects_is_complete():
    """Every parameter of every value object, in order, with its default."""
    values, _ = defaults(table("Each mechanism has a value object"))
    kinds = ("StaggeredInit", "LogUniformInit", "Variation", "FeaturePrior", "FitnessSharing", "LocalImprovement",
             "Cardinality", "Separability", "Checkpoint")
    parameters = {f"{kind}.{name}": parameter.default for kind in kinds
                  for name, parameter in signature(getattr(moeliga, kind)).parameters.items()
                  if parameter.default is not parameter.empty}
    assert list(values.items()) == list(parameters.items())


def test_bold_defaults_are_what_the_paper_preset_changes():
    bold = defaults(table("## Parameters"))[1] | defaults(table("Each mechanism has a value object"))[1]
    paper = dict(PRESETS["paper"])
    changed = set()
    for theirs in (paper.pop("sharing"), paper.pop("local_improvement"),
                   moeliga.Variation(crossover=paper["variation"])):
        values, ours = theirs.get_params(), type(theirs)().get_params()
        changed |= {f"{type(theirs).__name__}.{key}" for key in values if values[key] != ours[key]}
    assert bold == {*paper, *changed}


def test_rules_are_those_of_the_front():
    assert [row[0].split("`")[1].strip('"') for row in table("## Choosing from the front")] == list(RULES)


@pytest.mark.parametrize("path", sorted({path for row in table("## From the paper to the code")
                                         for path in re.findall(r"`([\w/]+\.\w+)`", row[1])}))
def test_files_named_in_the_map_exist(path):
    assert (ROOT / path).is_file()
