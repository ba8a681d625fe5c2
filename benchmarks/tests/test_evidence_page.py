"""The tables of the page on the first form are those of the results that are at hand."""

import importlib

import numpy as np
import pytest
from evidence import FOLDER, module
from paper import page
from paper.pages import competitors as evidence
from paper.pages import variants
from scipy import stats

SETS = {"one": (100, 20, 2), "two": (300, 30, 7), "half": (50, 40, 3)}
"""Samples, features and classes."""

UAR = {"moeliga": (0.8, 0.5, 0.9), "all": (0.7, 0.55, 0.8), "random": (0.6, 0.4, 0.5), "kbest": (0.7, 0.65, 0.7),
       "mi": (0.75, 0.5, 0.7), "rfecv": (0.85, 0.6, 0.9)}
N_SPLITS = 6


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


def test_data_sets_count_once_all_methods_have_them(folder):
    assert evidence.Rows(folder).names == ["one", "two"]


def test_sets_ahead_and_behind_by_themselves(folder):
    """The t-test of each set, computed here once more."""
    found = evidence.Rows(folder)
    sure = [0, 0]
    for name in found.names:
        apart = np.array([found.uar["moeliga"][name][split] - found.uar["kbest"][name][split]
                          for split in found.uar["moeliga"][name]])
        error = np.sqrt(apart.var(ddof=1) * (1 / N_SPLITS + 0.3 / 0.7))
        if 2 * stats.t.sf(abs(apart.mean()) / error, N_SPLITS - 1) < 0.05:
            sure[int(apart.mean() < 0)] += 1
    assert evidence.against(found, "kbest") == ["1 : 1", f"{sure[0]} : {sure[1]}"]
    assert evidence.against(found, "mi")[0] == "1 : 0"  # equal on the other set, but for the last bits


def test_ranks_are_over_the_sets_that_count(folder):
    """moeliga is first and third, or second where it is level; two sets tell nothing."""
    header, lines = by_first(evidence.tests(evidence.Rows(folder)))
    assert header == ["method", "mean rank", "moeliga ahead by", "p", "p, Holm", "Wilcoxon's p", "Wilcoxon's p, Holm"]
    ranks = {method: float(line[0]) for method, line in lines.items()}
    assert sum(ranks.values()) == 6 and ranks["`kbest`"] == 2 and list(lines)[0] == min(ranks, key=ranks.get)
    assert lines["`moeliga`"][1:] == [""] * 5 and lines["`kbest`"][1] == "-0.025"
    assert lines["`kbest`"][4:] == ["1", "1"]  # ahead by as much as behind
    assert all(float(line[3]) >= float(line[2]) for method, line in lines.items() if method != "`moeliga`")


def test_methods_that_choose_the_size(folder):
    """With the other choices from moeliga's front; the baselines are in the table of the data sets."""
    _, lines = by_first(evidence.own(evidence.Rows(folder)))
    assert list(lines) == ["`moeliga`", "`moeliga, one_se`", "`moeliga, best`", "`rfecv`"]
    assert lines["`moeliga, best`"][:4] == ["0.810 (7)", "0.510 (7)", "0.660", "0 : 2"]
    assert lines["`rfecv`"][:4] == ["0.850 (4)", "0.600 (4)", "0.725", "0 : 2"]


def test_a_dear_method_may_lack_data_sets(folder):
    """It has no mean then, and stands last; what its seeds are plays no part."""
    results = module("results").Results(folder / "sota.csv")
    results.add([{"data": "one", "method": "genetic-opt", "seed": "70", "status": "ok", "split": str(split),
                  "tree_uar": 0.9, "features": 5} for split in range(N_SPLITS)])
    found = evidence.Rows(folder)
    assert found.names == ["one", "two"]
    _, lines = by_first(evidence.own(found))
    assert list(lines)[-1] == "`genetic-opt`"
    assert lines["`genetic-opt`"][:4] == ["0.900 (5)", "–", "–", "0 : 1"]


def test_other_classifiers(folder):
    """From both files, on the sets that all have judged."""
    judged = module("results").Results(folder / "judged.csv", module("classifiers").COLUMNS)
    judged.add([{"data": name, "split": str(split), "method": method, "setting": "bayes", "seed": "0", "status": "ok",
                 "uar": UAR[method][0] - 0.2} for method in UAR for name in ("one", "two") for split in range(N_SPLITS)
                if (name, method) != ("two", "mi")])
    found = evidence.Rows(folder)
    header, lines = by_first(evidence.judges(found))
    assert header == ["method, 1 sets", "decision tree", "linear SVM", "Gaussian naive Bayes"]
    assert list(lines) == ["`moeliga`", "`kbest`", "`mi`", "`all`"]
    assert lines["`kbest`"] == ["0.700", "0.600", "0.500"] and lines["`moeliga`"] == ["0.800", "0.700", "0.600"]


@pytest.fixture
def searches(tmp_path, rng):
    """Rows of an ablation: four variants on nine data sets, ten splits; a curve on two of them with three splits."""
    ablation, rows = module("ablation"), []
    names = [*ablation.CHOOSING[:5], *ablation.CONFIRMING[:3], "madelon"]
    for variant in ("default", "paper", "nsga2", "curve of mi"):
        for place, name in enumerate(names if variant != "curve of mi" else names[:2]):
            n_splits = 3 if variant == "curve of mi" else 4 if name == "madelon" else 10
            for split in range(n_splits):
                row = {column: float(rng.random()) for column in ablation.COLUMNS
                       if column.startswith(("test_", "fresh_", "r1_", "one_se_", "best_"))}
                row |= {"data": name, "split": str(split), "method": variant, "setting": "8000 evaluations",
                        "seed": str(split), "seconds": 2.0 + place, "r1_size": 3 + split, "samples": 100,
                        "status": "ok"}
                rows.append(row)
    module("results").Results(tmp_path / "ablation.csv", ablation.COLUMNS).add(rows)
    return tmp_path, rows


def of(rows, column, variant, name, splits=range(10)):
    """Its values in the order of the splits."""
    return np.array([row[column] for split in splits for row in rows
                     if (row["method"], row["data"], row["split"]) == (variant, name, str(split))])


def test_differences_are_paired_by_split_and_tested_over_data_sets(searches):
    """Sets outside the study do not count; Wilcoxon's test is scipy's."""
    folder, rows = searches
    found = variants.Rows(folder)
    names = [*module("ablation").CHOOSING[:5], *module("ablation").CONFIRMING[:3]]
    header, lines = by_first(variants.evaluations(found))
    assert header == ["", "sets", "test area", "test hypervolume", "test UAR", "fresh hypervolume"]
    cells = lines["the defaults less NSGA-II"]
    assert cells[0] == 8 and lines["the same, sets that confirm"][0] == 3
    for cell, column in zip(cells[1:], ("test_area", "test_hv", "r1_test", "fresh_hv"), strict=True):
        apart = np.array([np.mean(of(rows, column, "default", name) - of(rows, column, "nsga2", name))
                          for name in names])
        p = stats.wilcoxon(apart).pvalue
        expected = f"{apart.mean():+.3f} ({np.sum(apart > 0)}:{np.sum(apart < 0)}), {p:.2g}"
        assert cell == expected.replace("0.", ".")


def test_means_are_over_the_sets_with_all_splits(searches):
    folder, rows = searches
    names = [name for name in dict.fromkeys(row["data"] for row in rows) if name != "madelon"]
    _, lines = by_first(variants.means(variants.Rows(folder)))
    mean = np.mean([of(rows, "test_area", "paper", name).mean() for name in names])
    assert lines["the `paper` preset"][0] == f"{mean:.3f}"[1:]
    assert lines["the `paper` preset"][5] == "7.5" and lines["the `paper` preset"][8] == "5.5"
    optimism = np.mean([(of(rows, "r1_reported", "paper", name) - of(rows, "r1_fresh", "paper", name)).mean()
                        for name in names])
    assert lines["the `paper` preset"][6] == f"{optimism:+.3f}".replace("0.", ".")
    assert lines["NSGA-II, two objectives"] == ["–"] * 9


def test_budgets_are_compared_by_the_first_search_of_each_split(searches):
    """Further searches with one of the budgets change nothing; sets without all budgets and splits do not count."""
    folder, rows = searches
    ours = [row for row in rows if row["method"] == "default"]
    names = [*module("ablation").CHOOSING[:5], *module("ablation").CONFIRMING[:3]]
    others = [row | {"setting": setting, "test_area": row["test_area"] / 2}
              for setting in ("2000 evaluations", "16000 evaluations", "32000 evaluations", "300 generations")
              for row in ours if row["data"] != names[0] or setting != "300 generations"]
    again = [row | {"seed": "1003", "test_area": 0.0} for row in ours if row["split"] == "3"]
    module("results").Results(folder / "ablation.csv", module("ablation").COLUMNS).add(others + again)
    header, lines = by_first(variants.budgets(variants.Rows(folder)))
    assert header[:3] == ["7 sets", "2,000", "8,000"]
    mean = np.mean([of(rows, "test_area", "default", name).mean() for name in names[1:]])
    assert lines["test area"] == [f"{value:.3f}"[1:] for value in (mean / 2, mean, mean / 2, mean / 2, mean / 2)]


def test_curves_are_compared_on_the_splits_that_they_have(searches):
    """Two sets of three splits; none with all."""
    folder, rows = searches
    header, lines = variants.curves(variants.Rows(folder))
    line, = (line for line in lines if line[0] == "`mi`")
    apart = [np.mean(of(rows, "test_area", "default", name, range(3)) - of(rows, "test_area", "curve of mi", name,
                                                                             range(3)))
             for name in module("ablation").CHOOSING[:2]]
    ahead = sum(value > 0 for value in apart)
    assert len(header) == len(line) and line[1:4] == ["–"] * 3
    assert line[4:6] == [2, f"{np.mean(apart):+.3f} ({ahead}:{2 - ahead})".replace("0.", ".")]


def test_gaps_and_the_luck_of_seeds_are_by_samples(searches):
    """The first set has 100 samples, so 70 in a search, the others 200; a second series of seeds is .2 above."""
    folder, rows = searches
    ours = [row | {"samples": 100 if row["data"] == module("ablation").CHOOSING[0] else 200} for row in rows
            if row["method"] == "default"]
    again = [row | {"seed": str(1000 + int(row["seed"])), "r1_test": row["r1_test"] + 0.2} for row in ours]
    module("results").Results(folder / "ablation.csv", module("ablation").COLUMNS).add(ours + again)
    found = variants.Rows(folder)
    (label, n_sets, n_series, mean, most), few = variants.seeds(found)[1]
    assert (label, n_sets, n_series, mean, most) == ("100 or more", 7, 2, ".20", ".20") and few[1:3] == [1, 2]
    more, few = variants.gap(found)[1]
    name = module("ablation").CHOOSING[0]
    reported, test = (of(ours, column, "default", name) for column in ("r1_reported", "r1_test"))
    assert few[1:3] == [1, "70 to 70"] and few[3] == variants.short(np.mean(reported - test - 0.1), 2, "+")
    assert more[1:3] == [7, "140 to 140"]


def test_remedies_are_compared_on_the_sets_for_choosing(searches):
    """A screen that gains .01 everywhere, also on a set that confirms, which does not count."""
    folder, rows = searches
    own = [row | {"method": "default & screen100", "test_area": row["test_area"] + 0.01} for row in rows
           if row["method"] == "default"]
    module("results").Results(folder / "ablation.csv", module("ablation").COLUMNS).add(own)
    _, lines = by_first(variants.remedies(variants.Rows(folder)))
    assert lines["only the 100"][0] == "+.010 (5:0), .062" and lines["only the 100"][3] == "+.000 (0:0), 1"
    assert lines["`validation_size=0.2`"] == [""] * 4


def test_tables_are_put_where_their_names_are(folder):
    """Lines of a table below its name are replaced, others are not; a second time nothing is new."""
    found = evidence.Rows(folder)
    before = "# Title\n\n<!-- table own -->\n| old |\n|---|\n\n| other |\n|---|\n<!-- table tests -->\nText.\n"
    after, changed = page.filled(before, evidence, found)
    assert changed == ["own", "tests"]
    assert after.startswith("# Title\n\n<!-- table own -->\n| method | one | two | mean |")
    assert "| old |" not in after and "\n\n| other |\n|---|\n<!-- table tests -->\n| method | mean rank |" in after
    assert after.endswith(" |\nText.\n")
    assert page.filled(after, evidence, found) == (after, [])


def test_the_command_names_what_differs_and_writes_it(folder, searches, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(page.grid, "RESULTS", folder)
    monkeypatch.setattr(page, "DOCS", tmp_path)
    path = tmp_path / "first-form.md"
    path.write_text("<!-- table tests -->\n\n<!-- table time -->\nText.\n", encoding="utf-8")
    assert page.main([]) == 1
    assert capsys.readouterr().out == ("first-form.md: the table tests is another than the results give\n"
                                       "first-form.md: the table time is another than the results give\n")
    assert path.read_text(encoding="utf-8") == "<!-- table tests -->\n\n<!-- table time -->\nText.\n"
    assert page.main(["--write"]) == 0
    assert capsys.readouterr().out == ("first-form.md: the table tests is new\n"
                                       "first-form.md: the table time is new\n")
    assert page.main([]) == 0 and not capsys.readouterr().out


class Asked(dict):
    """A dict that writes down what it is asked for."""

    def __init__(self, values, budget, asked):
        super().__init__(values)
        self.budget, self.asked = budget, asked

    def __getitem__(self, variant):
        self.asked.add((variant, self.budget))
        return super().__getitem__(variant)

    def get(self, variant, *other):
        self.asked.add((variant, self.budget))
        return super().get(variant, *other)


@pytest.mark.evidence
def test_the_page_says_what_the_results_say_and_all_of_them():
    """Its tables, and those of the page of defaults, read every variant of ablation.csv; leakage.md has its seeds."""
    from board import defaults

    path, results = page.DOCS / "first-form.md", FOLDER / "paper" / "results"
    text, kind = path.read_text(encoding="utf-8"), page.PAGES[path.name]
    found, other, asked = kind.Rows(results), defaults.Rows(), set()
    there = {(variant, budget) for (budget, _), variants in found.searches.values.items() for variant in variants}
    for rows in (found.searches, other.first):
        rows.values = {key: Asked(values, key[0], asked) for key, values in rows.values.items()}
    assert text.count("<!-- table ") == len(page.TABLE.findall(text)) == len(kind.TABLES)
    assert page.filled(text, kind, found)[1] == []
    for table in defaults.TABLES.values():
        table(other)
    assert there <= asked
    many, few = kind.TABLES["seeds"](found)[1]
    assert f"by up to {few[-1]} on" in (leakage := (page.DOCS / "leakage.md").read_text(encoding="utf-8"))
    assert f"by up to {many[-1]} on" in leakage


@pytest.mark.parametrize("script", ["paper.page", "board.page", "board.claims", "board.defaults", "honest.tables",
                                    "judges.tables"])
@pytest.mark.parametrize(("argument", "status"), [("--help", 0), ("--wite", 2), ("page", 2)])
def test_arguments_that_no_page_knows_are_refused(script, argument, status, capsys):
    """Before results are read."""
    with pytest.raises(SystemExit) as caught:
        importlib.import_module(script).main([argument])
    assert caught.value.code == status
    said = capsys.readouterr()
    assert ("--write" in said.out) == (not status) and ("unrecognized arguments" in said.err) == bool(status)
