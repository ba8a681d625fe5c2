"""The page of defaults: its rows of evidence are those of the results, some of them computed here once more."""

import csv

import numpy as np
import pytest
from evidence import FOLDER


@pytest.fixture
def defaults():
    import board.defaults

    return board.defaults


def by_set(rows):
    """Mean over sets of means over splits, from pairs of set and number."""
    found = {}
    for name, number in rows:
        found.setdefault(name, []).append(number)
    return np.array([np.mean(numbers) for numbers in found.values()])


def rows_of(name):
    with open(FOLDER / "honest" / "results" / f"{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.evidence
def test_the_page_says_what_the_results_say(defaults, capsys):
    assert defaults.main([]) == 0, capsys.readouterr().out


def test_every_parameter_has_a_text_in_order(defaults):
    for kind, texts in defaults.EVIDENCE.items():
        assert list(texts) == list(defaults.defaults(kind)), kind


@pytest.mark.evidence
def test_numbers_of_deployed_models_are_those_of_the_files(defaults):
    choices = [row for row in rows_of("choices") if (row["setting"], row["rule"]) == ("", "no_loss 0.25")]
    found = defaults.Rows()
    for model in ("forest", "svm"):
        own = [row for row in choices if row["model"] == model]
        mean = by_set((row["set"], float(row["test"])) for row in own).mean()
        assert f"{model} {mean:.3f}" in defaults.deployed(found)
    slots = [row for row in rows_of("slots") if (row["setting"], row["source"], row["model"]) == ("", "search", "svm")]
    score = {(row["set"], row["split"], row["most"]): float(row["test"]) for row in slots}
    apart = by_set((name, score[name, split, "96"] - score[name, split, "6"]) for name, split, most in score
                   if most == "96")
    assert f"svm {apart.mean():+.3f} ± {apart.std(ddof=1) / np.sqrt(len(apart)):.3f}" in defaults.bands(found)


@pytest.mark.evidence
def test_leaves_of_regression_are_those_of_the_file(defaults):
    rows = [row for row in rows_of("regression") if row["leaf"] == "3"]
    assert {row["set"] for row in rows} == {"diabetes", "clinic"}
    mean = by_set((row["set"], float(row["test"])) for row in rows).mean()
    assert f", 3 {mean:.3f}, " in defaults.leaves(defaults.Rows())


def test_a_switch_is_the_mean_over_models_and_splits_by_set(defaults, tmp_path):
    """By hand: two sets, one of them with two splits, of which one lacks the switch, and two models."""
    from board import tables
    from board.protocol import COLUMNS
    from paper.results import Results

    scores = {("one", "0", "tree"): (0.5, 0.6), ("one", "0", "svm"): (0.7, 0.7), ("two", "0", "tree"): (0.9, 0.5),
              ("two", "0", "svm"): (0.8, 0.6), ("two", "1", "tree"): (0.4, None), ("two", "1", "svm"): (0.4, None)}
    plain = dict.fromkeys(COLUMNS, "") | {"features": 1, "samples": 2, "of": 3, "classes": 2, "status": "ok"}
    rows = [plain | {"set": name, "split": split, "model": model, "entry": entry, "test": test, "cpu": cpu}
            for (name, split, model), both in scores.items()
            for entry, test, cpu in zip(("default", "3 folds"), both, (2.0, 1.0), strict=True) if test is not None]
    Results(tmp_path / "board.csv", COLUMNS).add(rows)

    class Found:
        switches, before = tables.Rows(tmp_path / "board.csv"), tables.Rows(tmp_path / "none.csv")

    low, high = -0.125 - 12.7062 * 0.175, -0.125 + 12.7062 * 0.175  # of +0.05 and -0.30, one degree of freedom
    assert defaults.fitted("as it is", **{"3_folds": "`3`", "no_prior": "none"})(Found) == (
        f"as it is; with folds: `3` -0.125 ({low:+.3f} to {high:+.3f}), 1:1 (2 splits), seconds x 0.5")
    assert defaults.fitted(lambda found: "no rows", no_prior="none")(Found) == "no rows"

    Found.switches, Found.before = Found.before, Found.switches
    assert defaults.fitted("as it is", **{"3_folds": "`3`"})(Found).endswith("x 0.5, before scores were smoothed")


def test_sets_that_confirm_are_told_apart(defaults, tmp_path):
    """A switch is told by the sets that choose, then by the others; sets on which it does nothing are not lacking."""
    from board import tables
    from board.protocol import COLUMNS
    from paper.results import Results

    other = defaults.CONFIRMING[0]
    plain = dict.fromkeys(COLUMNS, "") | {"split": "0", "model": "svm", "samples": 2, "classes": 2, "status": "ok"}
    rows = [plain | {"features": 1, "set": name, "of": of, "entry": entry, "test": test, "cpu": 1.0}
            for name, of, entry, test in (
                ("one", 9, "default", 0.5), ("wide", 500, "default", 0.5), (other, 500, "default", 0.5),
                ("wide", 500, "bands to 384", 0.75), (other, 500, "bands to 384", 0.25), ("one", 9, "soft", 0.75))]
    Results(tmp_path / "board.csv", COLUMNS).add(rows)

    class Found:
        switches, before = tables.Rows(tmp_path / "board.csv"), tables.Rows(tmp_path / "none.csv")

    assert defaults.fitted("as it is", bands_to_384="`384`", soft="`soft`")(Found) == (
        "as it is; with folds: `384` +0.250, 1:0 (1 splits), seconds x 1.0; on other sets -0.250, 0:1 (1 splits)")


def test_other_weights_are_told_beside_the_mixture(defaults, tmp_path):
    """By hand: of two models' estimates on one set, less their test scores."""
    from board import tables
    from board.protocol import COLUMNS
    from paper.results import Results

    plain = dict.fromkeys(COLUMNS, "") | {"set": "one", "split": "0", "entry": "default", "features": 1, "samples": 2,
                                          "of": 3, "classes": 2, "test": 0.5, "status": "ok"}
    Results(tmp_path / "board.csv", COLUMNS).add([
        plain | {"model": model, "choice": choice, "estimate": 0.5 + off + more}
        for model, more in (("tree", 0.01), ("svm", 0.03))
        for choice, off in (("", 0.0), ("weight 0", 0.1), ("weight 0.632", -0.1), ("weight 1", -0.2))])

    class Found(defaults.Rows):
        def __init__(self):
            super().__init__()
            self.switches = tables.Rows(tmp_path / "board.csv")

    assert defaults.mixture(Found()).endswith(
        "; with folds, 1 splits of 1 sets: by all answers +0.120, .632 of the others -0.080, mixed +0.020, by the "
        "others alone -0.180")


def test_switched_bands_are_those_of_the_package():
    from board import switches

    from moeliga.data.bands import automatic_edges
    from moeliga.data.feature_space import build_space
    from moeliga.parameters.constraints import Constraints

    for n in (3, 8, 10, 13, 34, 60, 200, 456):
        space = build_space(n, np.arange(n).astype(str), Constraints(), None)
        assert list(switches.edges(n)) == automatic_edges(space, None)
    assert switches.edges(456, largest=384) == (6, 12, 24, 48, 96, 228)
    assert switches.edges(34, 4.0) == (6, 17) and switches.edges(200, 4.0) == (6, 24, 96)
    halves = switches.halved([space.within(1, 6), space.within(7, 12), space.within(1, 1)])
    assert [(half.least, half.most) for half in halves] == [(1, 3), (4, 6), (7, 9), (10, 12), (1, 1)]


@pytest.mark.slow
def test_switches_are_fits_with_one_default_changed(parts):
    from board import switches
    from board.models import seeded

    short = {"n_generations": 2, "population_size": 10}
    plain = switches.Ours(seeded("bayes", 0), 0).selector
    for name, entry in switches.ENTRIES.items():
        selector = entry.make(seeded("bayes", 0), 0).selector
        other = {key for key, value in selector.get_params(deep=False).items()
                 if repr(value) != repr(plain.get_params(deep=False)[key])}
        # bands depend on the data, and rankings are no parameter; a score out of bag needs a forest
        assert len(other) == {"default": 0, "bands x 4": 0, "bands x 1.4": 0, "bands to 384": 0, "no rankings": 0,
                              "two of each band": 0, "out of bag": 3}.get(name, 1), name
    for name in ("default", "bands x 4", "two of each band"):
        found = switches.ENTRIES[name].make(seeded("bayes", 0), 0)
        found.selector.set_params(honest=2, **short)
        found.fit(*parts[:2])
        assert 0 < found.get_support().sum() <= 13
        ends = {source: [slot.most for slot in found.selector._answers.slots if slot.source == source]
                for source in ("search", "f_classif", "forest", "all")}
        if name == "default":
            sizes = {label: mask.sum() for label, (mask, _) in found.choices().items()}
            assert sizes["margin 0"] >= sizes["margin 0.5"] >= sizes["margin 1"]
            scores = {label: score for label, (_, score) in found.choices().items()}
            assert scores["weight 0"] == found.selector.pareto_front_.honest.score[found.selector.index_]
            assert scores["weight 0"] >= scores["weight 0.632"] >= scores["weight 1"]
        ranked = {"default": [6, 12], "bands x 4": [12], "two of each band": [3, 6, 9, 12]}[name]
        assert ends["f_classif"] == ends["forest"] == ranked and ends["all"] == [13]
        assert {*ends["search"]} <= {*range(1, 13 if name == "bands x 4" else 7), *ranked}


def test_the_command_names_what_differs_and_writes_it(defaults, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(defaults, "Rows", lambda: None)
    monkeypatch.setattr(defaults, "EVIDENCE", {"NoLoss": {"margin": lambda found: "7", "must_reduce": "No evidence"}})
    path = tmp_path / "defaults.md"
    path.write_text("<!-- table objects -->\n", encoding="utf-8")
    assert defaults.main([], path) == 1
    assert capsys.readouterr().out == "the table objects is another than the results give\n"
    assert defaults.main(["--write"], path) == 0
    assert path.read_text(encoding="utf-8") == (
        "<!-- table objects -->\n| parameter | default | evidence |\n|---|---|---|\n| `NoLoss.margin` | `0.25` | 7 |\n"
        "| `NoLoss.must_reduce` | `False` | No evidence |\n")
    assert defaults.main([], path) == 0
    assert [defaults.written(value) for value in (1 / 3, "a", 0.0025)] == ["1 / 3", '"a"', "0.0025"]
