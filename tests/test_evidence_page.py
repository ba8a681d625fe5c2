"""The tables of docs/evidence.md are those of the results that are at hand."""

import numpy as np
import pytest
from evidence import AT_HAND, FOLDER, module
from scipy import stats

pytestmark = AT_HAND

SETS = {"one": (100, 20, 2), "two": (300, 30, 7), "half": (50, 40, 3)}
"""Samples, features and classes."""

UAR = {"moeliga": (0.8, 0.5, 0.9), "all": (0.7, 0.55, 0.8), "random": (0.6, 0.4, 0.5), "kbest": (0.7, 0.65, 0.7),
       "mi": (0.75, 0.5, 0.7), "rfecv": (0.85, 0.6, 0.9)}
N_SPLITS = 6


@pytest.fixture
def page():
    return module("page")


@pytest.fixture
def folder(tmp_path, rng):
    """Results of six methods on two data sets with all splits, and on one with a method that lacks a split."""
    results, rows = module("results"), []
    for method, means in UAR.items():
        for (name, (samples, of, classes)), uar in zip(SETS.items(), means, strict=True):
            base = {"data": name, "method": method, "seed": "0", "status": "ok", "samples": samples, "of": of,
                    "classes": classes}
            n_splits = N_SPLITS - (name == "half" and method == "mi")
            spread = rng.normal(scale=0.02, size=n_splits)
            for split, shift in enumerate(spread - spread.mean()):
                row = base | {"split": str(split), "tree_uar": uar + shift, "features": 3 + split % 2, "seconds": 1.5,
                              "fresh": uar + 0.1, "svm_uar": uar - 0.1 + shift}
                rows += [row] + [row | {"choice": rule, "tree_uar": uar + 0.01, "features": 7}
                                 for rule in ("one_se", "best") if method == "moeliga"]
            rows.append(base | {"split": "own", "tree_uar": 0.123, "features": 9})
    results.Results(tmp_path / "sota.csv").add(rows)
    return tmp_path


def by_first(table):
    """(header, lines by their first cell)."""
    header, lines = table
    assert all(len(line) == len(header) for line in lines)
    return header, {line[0]: line[1:] for line in lines}


def test_data_sets_count_once_all_methods_have_them(page, folder):
    found = page.Rows(folder)
    assert found.names == ["one", "two"]
    _, lines = by_first(page.sets(found))
    assert lines == {"one": ["100", "20", "2", "3.5", "0.700", "0.600"],
                     "two": ["300", "30", "7", "3.5", "0.550", "0.400"]}


def test_methods_that_are_told_the_size(page, folder):
    """Means over splits and sets, sets ahead and behind, and the t-test of each set, computed here once more."""
    found = page.Rows(folder)
    header, lines = by_first(page.told(found))
    assert header == ["method", "one", "two", "mean", "ahead : behind", "by itself"]
    assert list(lines) == ["`moeliga`", "`kbest`", "`mi`"]
    assert lines["`moeliga`"] == ["0.800", "0.500", "0.650", "", ""]
    assert lines["`kbest`"][:4] == ["0.700", "0.650", "0.675", "1 : 1"]
    sure = [0, 0]
    for name in found.names:
        apart = np.array([found.uar["moeliga"][name][split] - found.uar["kbest"][name][split]
                          for split in found.uar["moeliga"][name]])
        error = np.sqrt(apart.var(ddof=1) * (1 / N_SPLITS + 0.3 / 0.7))
        if 2 * stats.t.sf(abs(apart.mean()) / error, N_SPLITS - 1) < 0.05:
            sure[int(apart.mean() < 0)] += 1
    assert lines["`kbest`"][4] == f"{sure[0]} : {sure[1]}"
    assert lines["`mi`"][3] == "1 : 0"  # equal on the other set, but for the last bits


def test_methods_that_choose_the_size(page, folder):
    """With the other choices from moeliga's front; the baselines are in the table of the data sets."""
    _, lines = by_first(page.own(page.Rows(folder)))
    assert list(lines) == ["`moeliga`", "`moeliga, one_se`", "`moeliga, best`", "`rfecv`"]
    assert lines["`moeliga, best`"][:4] == ["0.810 (7)", "0.510 (7)", "0.660", "0 : 2"]
    assert lines["`rfecv`"][:4] == ["0.850 (4)", "0.600 (4)", "0.725", "0 : 2"]


def test_a_dear_method_may_lack_data_sets(page, folder):
    """It has no mean then, and stands last."""
    results = module("results").Results(folder / "sota.csv")
    results.add([{"data": "one", "method": "genetic-opt", "seed": "0", "status": "ok", "split": str(split),
                  "tree_uar": 0.9, "features": 5} for split in range(N_SPLITS)])
    found = page.Rows(folder)
    assert found.names == ["one", "two"]
    _, lines = by_first(page.own(found))
    assert list(lines)[-1] == "`genetic-opt`"
    assert lines["`genetic-opt`"][:4] == ["0.900 (5)", "–", "–", "0 : 1"]


def test_seconds_and_the_gap(page, folder):
    found = page.Rows(folder)
    _, lines = by_first(page.seconds(found))
    assert list(lines) == ["`moeliga`", "`kbest`", "`mi`", "`rfecv`"] and lines["`mi`"] == ["1.5", "1.5"]
    assert by_first(page.gap(found))[1] == {"one": ["0.900", "0.800"], "two": ["0.600", "0.500"]}


def test_other_classifiers_and_the_best_competitor(page, folder):
    """The first from both files; the second among the paper's methods only."""
    judged = module("results").Results(folder / "judged.csv", module("classifiers").COLUMNS)
    judged.add([{"data": name, "split": str(split), "method": "kbest", "setting": "bayes", "seed": "0", "status": "ok",
                 "uar": 0.5 + 0.1 * place} for place, name in enumerate(SETS) for split in range(N_SPLITS)])
    found = page.Rows(folder)
    header, lines = by_first(page.judges(found))
    assert header == ["method", "decision tree", "linear SVM", "Gaussian naive Bayes"]
    assert list(lines) == ["`moeliga`", "`kbest`", "`mi`", "`all`"]
    assert lines["`kbest`"] == ["0.675", "0.575", "0.550"] and lines["`moeliga`"] == ["0.650", "0.550", "–"]
    _, lines = by_first(page.best(found))
    assert lines == {"one": [100, 2, "0.800", "0.750", "`mi`", "+0.050"],
                     "two": [300, 7, "0.500", "0.650", "`kbest`", "-0.150"]}


def test_sizes_are_those_of_the_sweep(page, folder):
    sweep = module("sweep")
    module("results").Results(folder / "sweep.csv", sweep.COLUMNS).add(
        [{"data": "one", "split": "0", "method": "mi", "seed": "0", "size": size, "validation": validation,
          "test": test, "seconds": 12.34, "status": "ok"}
         for size, validation, test in ((1, 0.5, 0.6), (2, 0.9, 0.7), (3, 0.9, 0.8))])
    _, lines = page.sizes(page.Rows(folder))
    assert lines == [["one", "`mi`", "2.0", "0.900", "0.700", "12.3", "0.800 (3)"]]


def test_tables_are_put_where_their_names_are(page, folder):
    """Lines of a table below its name are replaced, others are not; a second time nothing is new."""
    found = page.Rows(folder)
    before = "# Title\n\n<!-- table gap -->\n| old |\n|---|\n\n| other |\n|---|\n<!-- table sets -->\nText.\n"
    after, changed = page.filled(before, found)
    assert changed == ["gap", "sets"]
    assert after.startswith("# Title\n\n<!-- table gap -->\n|  | on fresh splits | on the test part |\n"
                            "|---|---|---|\n| one | ")
    assert "| old |" not in after and "\n\n| other |\n|---|\n<!-- table sets -->\n|  | samples |" in after
    assert after.endswith(" |\nText.\n")
    assert page.filled(after, found) == (after, [])


def test_the_command_names_what_differs_and_writes_it(page, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(page.grid, "RESULTS", folder)
    monkeypatch.setattr(page, "PAGE", tmp_path / "evidence.md")
    page.PAGE.write_text("<!-- table told -->\n", encoding="utf-8")
    assert page.main([]) == 1
    assert capsys.readouterr().out == "evidence.md: the table told is another than the results give\n"
    assert page.PAGE.read_text(encoding="utf-8") == "<!-- table told -->\n"
    assert page.main(["--write"]) == 0
    assert capsys.readouterr().out == "evidence.md: the table told is new\n"
    assert page.main([]) == 0 and not capsys.readouterr().out


def test_the_page_says_what_the_results_say(page):
    if not (FOLDER / "paper" / "results" / "sota.csv").exists() or not page.PAGE.exists():
        pytest.skip("the results or the page are not here")
    text = page.PAGE.read_text(encoding="utf-8")
    assert text.count("<!-- table ") == len(page.TABLE.findall(text)) > 0
    assert page.filled(text, page.Rows(page.grid.RESULTS))[1] == []
