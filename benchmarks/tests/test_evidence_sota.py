"""The comparison's tables say what its rows say."""

import csv

import numpy as np
import pytest
from evidence import module, save_parts
from paper import sota, tables
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_wine


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """A folder with two small data sets."""
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    for name, (X, y) in {"one": load_wine(return_X_y=True), "two": load_breast_cancer(return_X_y=True)}.items():
        X, y = X[::3], y[::3]
        save_parts(tmp_path / f"{name}.npz", X, y)
    return tmp_path


def row(data, split, method, uar, choice="", status="ok", seed="0", features=3):
    """A row as the runner writes it, with the columns that tables need."""
    results = module("results")
    known = {"data": data, "split": split, "method": method, "tree_uar": str(uar), "choice": choice, "status": status,
             "seed": seed, "features": str(features)}
    return dict.fromkeys(results.COLUMNS, "") | known


def test_values_keep_own_parts_choices_and_failures_apart():
    """The last row of a job counts."""
    rows = [row("d", "0", "m", 0.1), row("d", "0", "m", 0.5), row("d", "1", "m", 0.7), row("d", "own", "m", 0.9),
            row("d", "0", "m", 0.2, choice="best"), row("d", "2", "m", 0.3, status="failed: x")]
    assert tables.values(rows, "tree_uar") == {("d", "m"): {("0", "0"): 0.5, ("1", "0"): 0.7},
                                               ("d", "m, best"): {("0", "0"): 0.2}}
    assert tables.values(rows, "tree_uar", own=True) == {("d", "m"): {("own", "0"): 0.9}}


def test_cells_have_mean_and_spread():
    assert tables.plus_minus({"a": 0.5, "b": 0.7}) == "0.600 ± 0.141"
    assert tables.plus_minus({"a": 0.5}, 1) == "0.5"
    assert tables.plus_minus(None) == "–"


def made(rng, ahead):
    """Rows of three methods on twelve data sets and ten splits; "kbest" is behind by `ahead`, "mi" alike."""
    rows = []
    for d in range(12):
        for split in range(10):
            for method, less in (("moeliga", 0.0), ("kbest", ahead), ("mi", 0.0)):
                rows.append(row(f"d{d}", str(split), method, 0.8 - less + 0.01 * rng.standard_normal()))
    return rows


def test_a_method_that_is_behind_is_found_behind_and_another_is_not(rng):
    """On all sets, by itself on each, and with Holm's correction; and the statistic is scipy's."""
    rows = made(rng, 0.2)
    text, lines, (names, kept, scores) = sota.tests(tables.values(rows, "tree_uar"), ["moeliga", "kbest", "mi"])
    assert names == [f"d{d}" for d in range(12)] and kept == ["moeliga", "kbest", "mi"]
    found = {line[0]: line for line in lines}
    assert found["kbest"][3:7] == [12, 0, 12, 0] and found["kbest"][2] == pytest.approx(0.2, abs=0.01)
    assert sum(found["mi"][5:7]) <= 1  # each test errs once in a thousand times: it allows for more overlap
    assert found["kbest"][9] < min(0.05, found["mi"][9]) and found["kbest"][-1] < min(0.05, found["mi"][-1])
    p = {method: stats.wilcoxon(scores[:, 0], scores[:, place]).pvalue for place, method in ((1, "kbest"), (2, "mi"))}
    assert found["kbest"][-2:] == pytest.approx([p["kbest"], 2 * p["kbest"]])  # Holm's: the smaller of two counts twice
    assert found["mi"][-2:] == pytest.approx([p["mi"], p["mi"]])
    assert f"chi2 {stats.friedmanchisquare(*scores.T).statistic:.2f} " in text and "12 data sets, 3 methods" in text


def test_a_method_that_is_ahead_is_said_to_be_ahead(rng):
    found = {line[0]: line for line in sota.tests(tables.values(made(rng, -0.1), "tree_uar"),
                                                  ["moeliga", "kbest", "mi"])[1]}
    assert found["kbest"][3:7] == [0, 12, 0, 12] and found["kbest"][2] < 0 and found["kbest"][7] < 0


def test_a_method_without_all_results_is_not_tested(rng):
    """Not even if one split of one set is missing: means over other splits cannot be compared."""
    rows = [known for known in made(rng, 0.1) if (known["data"], known["split"], known["method"]) != ("d3", "7", "mi")]
    assert sota.complete(tables.values(rows, "tree_uar"), ["moeliga", "kbest", "mi"])[1] == ["moeliga", "kbest"]


@pytest.mark.evidence
def test_the_command_runs_resumes_and_draws(folder, capsys):
    """Two sets, two splits beside their own parts, three methods: a table of each kind, files, a diagram."""
    command = ["one", "two", "--splits", "2", "--generations", "1", "--methods", "moeliga", "kbest", "mi", "all",
               "--classifiers", "tree", "bayes", "--out", str(folder / "out")]
    assert sota.main(command) == 0
    out = capsys.readouterr().out
    assert "24 jobs, 0 done, 24 to do" in out
    for title in ("Test UAR, decision tree", "own parts", "In search / on fresh splits", "ovr_balanced_accuracy",
                  "Seconds of processor time", "Friedman chi2", "Against moeliga, told",
                  "themselves. The tests need two data sets with two methods"):
        assert title in out
    assert (folder / "out" / "sota-told.svg").read_text(encoding="utf-8").startswith("<svg")
    assert not (folder / "out" / "sota-own.svg").exists()
    with open(folder / "out" / "sota-tests.csv", newline="", encoding="utf-8") as file:
        assert {line["method"] for line in csv.DictReader(file)} == {"moeliga", "kbest", "mi"}
    with open(folder / "out" / "sota-summary.csv", newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert [(line["data"], line["method"]) for line in lines if line["method"] in ("kbest", "mi")] == [
        ("one", "kbest"), ("one", "mi"), ("two", "kbest"), ("two", "mi")]
    with open(folder / "out" / "sota.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    line = next(line for line in lines if line["data"] == "two" and line["method"] == "mi")
    scores = [float(known["bayes_uar"]) for known in rows if known["data"] == "two" and known["method"] == "mi"
              and known["split"] != "own"]
    assert float(line["bayes_uar"]) == pytest.approx(np.mean(scores), abs=1e-6) and line["splits"] == "2"
    assert sota.main(command) == 0
    again = capsys.readouterr().out
    assert "24 jobs, 24 done, 0 to do" in again
    assert again.splitlines()[1:] == out.splitlines()[-len(again.splitlines()) + 1 :]


@pytest.mark.evidence
def test_choices_are_judged_afterwards_as_they_would_have_been_at_once(folder, capsys):
    """By a classifier that was left out: the scores are those of a run with it, and a second time nothing is left."""
    pytest.importorskip("matplotlib")
    classifiers = module("classifiers")
    command = ["one", "two", "--splits", "3", "--generations", "1", "--methods", "moeliga", "kbest", "--classifiers"]
    sota.main([*command, "tree", "bayes", "--out", str(folder / "both")])
    sota.main([*command, "tree", "--out", str(folder / "later")])
    capsys.readouterr()
    later = ["--out", str(folder / "later"), "--judge", "bayes"]
    classifiers.main(later)
    assert "12 jobs, 0 done, 12 to do" in capsys.readouterr().out
    classifiers.main(later)
    assert "12 jobs, 12 done, 0 to do" in capsys.readouterr().out
    classifiers.main(["--out", str(folder / "both")])
    tables = [(folder / name / "classifiers.csv").read_text("utf-8") for name in ("both", "later")]
    assert tables[0] == tables[1] and "bayes,one,kbest" in tables[0]


def test_every_method_is_in_one_group_and_moeliga_in_both():
    for method in sota.competitors.METHODS:
        groups = [group for group in sota.GROUPS if sota.in_group(method, group)]
        assert len(groups) == (2 if method == "moeliga" else 0 if method in ("all", "random") else 1)
    assert all(sota.in_group(method, "told") for method in sota.competitors.PAPER)


def test_short_searches_do_not_get_among_the_long_ones():
    with pytest.raises(SystemExit, match="--generations 5 needs --out"):
        sota.main(["one", "--generations", "5"])
