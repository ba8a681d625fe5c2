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
        switches = tables.Rows(tmp_path / "board.csv")

    low, high = -0.125 - 12.7062 * 0.175, -0.125 + 12.7062 * 0.175  # of +0.05 and -0.30, one degree of freedom
    assert defaults.fitted("as it is", **{"3_folds": "`3`", "no_prior": "none"})(Found) == (
        f"as it is; with folds: `3` -0.125 ({low:+.3f} to {high:+.3f}), 1:1 (2 splits), seconds x 0.5")
    assert defaults.fitted(lambda found: "no rows", no_prior="none")(Found) == "no rows"


@pytest.mark.slow
def test_switches_are_fits_with_one_default_changed(parts):
    from board import switches
    from board.models import seeded

    assert switches.edges(200, 2.0) == (6, 12, 24, 48, 96) and switches.edges(34, 2.0) == (6, 12, 17)
    assert switches.edges(34, 4.0) == (6, 17) and switches.edges(10, 2.0) == (5,)
    short = {"n_generations": 2, "population_size": 10}
    plain = switches.Ours(seeded("bayes", 0), 0).selector
    for name, entry in switches.ENTRIES.items():
        selector = entry.make(seeded("bayes", 0), 0).selector
        other = {key for key, value in selector.get_params(deep=False).items()
                 if repr(value) != repr(plain.get_params(deep=False)[key])}
        # bands depend on the data, and rankings are no parameter; a score out of bag needs a forest
        assert len(other) == {"default": 0, "bands x 4": 0, "bands x 1.4": 0, "no rankings": 0, "out of bag": 3}.get(
            name, 1), name
    for name in ("default", "bands x 4"):
        found = switches.ENTRIES[name].make(seeded("bayes", 0), 0)
        found.selector.set_params(honest=2, **short)
        found.fit(*parts[:2])
        assert 0 < found.get_support().sum() <= 13
        if name == "default":
            sizes = {label: mask.sum() for label, (mask, _) in found.choices().items()}
            assert sizes["margin 0"] >= sizes["margin 0.5"] >= sizes["margin 1"]
        else:
            assert found.selector.islands.sizes == (6,)


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
