"""The figures of the comparison are drawn from its rows, and say what the rows say."""

import csv

import numpy as np
import pytest
from evidence import module


@pytest.fixture
def rows(tmp_path):
    """Results of four methods on three data sets, two splits and own parts, in sota.csv of `tmp_path`."""
    results = module("results")
    base = {("d1", "moeliga"): 0.8, ("d1", "kbest"): 0.7, ("d1", "mi"): 0.75, ("d2", "moeliga"): 0.5,
            ("d2", "kbest"): 0.65, ("d2", "mi"): 0.6, ("d3", "moeliga"): 0.9, ("d3", "nsga2"): 0.9}
    shape = {name: {"samples": 100 + 200 * place, "classes": 2 + 5 * place}
             for place, name in enumerate(("d1", "d2", "d3"))}
    added = [{"data": name, "split": split, "method": method, "seed": "0", "status": "ok", **shape[name],
              "tree_uar": uar + shift + (0.1 if split == "own" and method == "mi" else 0),
              "svm_uar": uar - 0.1 + shift}
             for (name, method), uar in base.items() for split, shift in (("own", 0.0), ("0", -0.02), ("1", 0.02))]
    file = results.Results(tmp_path / "sota.csv")
    file.add(added)
    return file.rows


def test_differences_are_to_the_best_of_the_papers_methods(rows):
    """nsga2 is none of them, so d3 is left out; own parts have another best."""
    difference = module("difference")
    lines = difference.differences(rows)
    assert [line[:3] + line[5:6] for line in lines] == [["d1", 100, 2, "mi"], ["d2", 300, 7, "kbest"]]
    np.testing.assert_allclose([line[-1] for line in lines], [0.05, -0.15])
    lines = difference.differences(rows, own=True)
    assert [line[5] for line in lines] == ["mi", "mi"]
    np.testing.assert_allclose([line[-1] for line in lines], [-0.05, -0.2])


@pytest.mark.parametrize("name, options, title", [
    ("difference", [], "Test UAR on outer splits"), ("difference", ["--own"], "own parts"),
    ("classifiers", [], "Test UAR, linear SVM")])
def test_figures_are_drawn_and_tables_written(rows, tmp_path, capsys, name, options, title):
    pytest.importorskip("matplotlib")
    module(name).main(["--out", str(tmp_path), *options])
    assert title in capsys.readouterr().out
    stem = name + ("-own" if options else "")
    assert (tmp_path / f"{stem}.png").read_bytes().startswith(b"\x89PNG")
    with open(tmp_path / f"{stem}.csv", newline="", encoding="utf-8") as file:
        assert len(list(csv.reader(file))) > 2


@pytest.mark.parametrize("name", ["difference", "classifiers", "reproduction"])
def test_without_results_they_say_what_to_run(tmp_path, name):
    with pytest.raises(SystemExit, match=r"run sota\.py first"):
        module(name).main(["--out", str(tmp_path)])


def test_classifiers_without_results_are_left_out(rows):
    """Two of six judged; a method that is missing on a set has no mean there."""
    kinds, names, methods, means = module("classifiers").table(rows)
    assert (kinds, names, methods) == (["tree", "svm"], ["d1", "d2", "d3"], ["moeliga", "mi", "kbest", "nsga2"])
    np.testing.assert_allclose(means[1], [[0.7, 0.65, 0.6, np.nan], [0.4, 0.5, 0.55, np.nan],
                                          [0.8, np.nan, np.nan, 0.8]])


def test_the_reproduction_compares_like_with_like(tmp_path, capsys):
    """Own parts only; moeliga's printed column by the other metric; marks beyond two standard errors."""
    results, reproduction = (module(name) for name in ("results", "reproduction"))
    known = {"data": "dermatology", "seed": "0", "status": "ok", "tree_se": 0.04, "features": 6}
    results.Results(tmp_path / "sota.csv").add([
        known | {"split": "own", "method": "moeliga", "tree_uar": 0.9, "tree_ovr": 0.95},
        known | {"split": "own", "method": "kbest", "tree_uar": 0.6, "tree_ovr": 0.8},
        known | {"split": "0", "method": "mi", "tree_uar": 0.6, "tree_ovr": 0.8}])
    lines = reproduction.comparison(results.Results(tmp_path / "sota.csv").rows)
    assert [(line[1], line[-1], round(line[6], 3)) for line in lines] == [
        ("moeliga", "paper", -0.01), ("kbest", "paper", 0.1), ("kbest", "measured", 0.11)]
    assert [reproduction.marked(line) for line in lines] == ["-0.010", "**+0.100**", "**+0.110**"]
    reproduction.main(["--out", str(tmp_path)])
    out = capsys.readouterr().out
    assert "| kbest | **+0.100** |" in out and "1 numbers of competitors: mean difference +0.100" in out
    assert (tmp_path / "reproduction.csv").exists()
