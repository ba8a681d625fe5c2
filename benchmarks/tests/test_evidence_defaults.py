"""The page of defaults: its rows of evidence are those of the results, some of them computed here once more."""

import csv

import numpy as np
import pytest
from evidence import AT_HAND, FOLDER

pytestmark = AT_HAND


@pytest.fixture
def defaults(benchmarks):
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


def test_the_page_says_what_the_results_say(defaults, capsys):
    if not defaults.PAGE.is_file():
        pytest.skip("the page is not here")
    assert defaults.main([]) == 0, capsys.readouterr().out


def test_every_parameter_has_a_text_in_order(defaults):
    for kind, texts in defaults.EVIDENCE.items():
        assert list(texts) == list(defaults.defaults(kind)), kind


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
