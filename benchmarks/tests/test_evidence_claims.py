"""The page of evidence: what it says is what the rows say, by arithmetic done here once more."""

import numpy as np
import pytest
from scipy import stats

GAINS = {"tree": (0.1, 0.0, 0.3), "forest": (0.0, 0.0, 0.0), "neighbours": (0.021, 0.031, 0.041),
         "svm": (-0.1, 0.2, 0.0), "logistic": (-0.1, -0.2, -0.3)}
"""By set; the first two sets are small, the last is wide."""

SHAPES = ((60, 20), (90, 200), (300, 2000))
"""Samples and features."""


@pytest.fixture
def claims():
    import board.claims

    return board.claims


@pytest.fixture
def found(claims, tmp_path):
    """Three sets of two splits, in both studies; the board has another entry, and a model that `folds` lacks."""
    from board.protocol import COLUMNS
    from honest.honesty import CHOICES, SLOTS
    from honest.tables import DEFAULT
    from paper.results import Results

    choices, rows = [], []
    for model, gains in GAINS.items():
        for place, (gain, (samples, of)) in enumerate(zip(gains, SHAPES, strict=True)):
            for split, shift in enumerate((-0.05, 0.05)):
                choices.append({
                    "set": ("sonar", "nakayama", "arcene")[place], "split": split, "setting": "", "model": model,
                    "rule": DEFAULT, "n_selected": 10, "source": "search", "honest": 0.7, "low": 0.5,
                    "high": 0.9, "folds": 0.75, "difference": -0.1 if gain < 0 else 0.1, "test": 0.6 + gain + shift,
                    "test_se": 0.1, "test_all": 0.6, "samples": samples, "of": of, "classes": 2, "seconds": 10 + split})
    for name in ("one", "two", "three"):
        for model, ours in (("tree", 0.9), ("bayes", 0.7)):
            for entry, score in (("moeliga", ours), ("all", ours - 0.1), ("kbest", ours + 0.2)):
                rows.append({"set": name, "split": 0, "entry": entry, "choice": "", "model": model, "told": "",
                             "features": 5, "test": score, "estimate": 0.9, "cpu": 2.0 if entry == "kbest" else 8.0,
                             "wall": 9.0, "spent": 1.0, "samples": 60, "of": 20, "classes": 2, "status": "ok"})
    Results(tmp_path / "choices.csv", CHOICES).add(choices)
    Results(tmp_path / "slots.csv", SLOTS).add([dict.fromkeys(SLOTS, "")])
    Results(tmp_path / "board.csv", COLUMNS).add(rows)
    return claims.Rows(tmp_path, tmp_path / "board.csv")


@pytest.mark.slow
def test_the_page_says_what_the_results_say(claims):
    text = claims.PAGE.read_text(encoding="utf-8")
    assert claims.filled(text, claims.Rows()) == (text, [])
    for name in (*claims.TABLES, *claims.LISTS):
        kind = "table" if name in claims.TABLES else "list"
        assert text.count(f"<!-- {kind} {name} -->\n{'|' if kind == 'table' else '- '}") == 1


def test_differences_are_over_sets_with_students_interval(claims, found):
    header, lines = claims.models(found)
    lines = {line[0]: line[1:] for line in lines}
    assert all(len(line) == len(header) - 1 for line in lines.values())
    assert list(lines) == [*GAINS, "bayes"]
    for model, gains in GAINS.items():
        low, high = stats.ttest_1samp(gains, 0).confidence_interval() if any(gains) else (0.0, 0.0)
        assert lines[model][:2] == [3, f"{np.mean(gains):+.3f} ({low:+.3f} to {high:+.3f})"]
        assert lines[model][2] == f"{sum(gain > 0 for gain in gains)}:{sum(gain < 0 for gain in gains)}"
    # three signs alike have p = .25, corrected over five models; the two medians are of shares 1/2, 1/20 and 1/200
    assert lines["logistic"][3] == lines["neighbours"][3] == "0.25, 1" and lines["forest"][3] == "1, 1"
    assert lines["tree"][4:7] == [3, "+0.100 (+0.100 to +0.100)", "3:0"] and lines["tree"][7] == "5.0%"
    assert lines["bayes"][:4] == ["–"] * 4 and lines["bayes"][4] == 3


def test_groups_are_by_samples_and_by_features(claims, found):
    _, lines = claims.groups(found)
    cells = {line[0]: dict(zip(("sets", *GAINS), line[1:], strict=True)) for line in lines}
    assert [line["sets"] for line in cells.values()] == [3, 2, 1, 1, 1, 1]
    assert cells["100 samples at most"]["tree"] == "+0.050 (1:0)"
    assert cells["more than 1,000 features"]["logistic"] == "-0.300 (0:1)"
    header, lines = claims.board_groups(found)
    assert header == ["sets with", "bayes: sets", "less all features"]  # folds has the tree
    assert lines[1] == ["100 samples at most", 3, "+0.100 (3:0)"] and lines[2][1:] == [0, "–"]
    _, lines = claims.costs(found)
    assert lines[0][1:] == [3, "10", "5.0%", "10", "11", "10.5"]


def test_sentences_go_by_the_numbers(claims, found):
    ahead, behind, rest, new = claims.verdicts(found)
    assert ahead.endswith(": neighbours +0.031, bayes +0.100.")
    assert behind.endswith(": none.") and "logistic -0.200" in rest and "svm +0.033" in rest
    # all but sonar had no part in choosing the defaults
    assert new.startswith("On the 2 sets") and "tree +0.150" in new and "logistic -0.250" in new
    # three sets of three are no evidence; of eight choices whose fits warn of them six are logistic's, two svm's
    warned, others = claims.losses(found)
    assert ": 8, on the test rows -0.175; 8 of them" in warned
    # .05 below: the lower split of four level sets, and of neighbours' first
    assert ": 22, " in others and "; 6 of them" in others


def test_a_loss_is_one_where_most_sets_have_it(claims, found):
    """Eight sets of eight are told; seven of eight, with p = .07, are not."""
    for row in found.folds["logistic"]:
        row["of"] = 2000
    first = found.folds["logistic"][0]
    found.folds["logistic"] = [first | {"set": str(place), "test": 0.5} for place in range(8)]
    lines = claims.losses(found)
    assert lines[0] == ("**logistic, 100 samples at most**: -0.100, behind on 8 of 8 sets and ahead on 0 (sign test "
                        "p = 0.0078, one of 25 comparisons).")
    found.folds["logistic"][0]["test"] = 0.7
    assert not claims.losses(found)[0].startswith("**")


def test_estimates_and_intervals(claims, found):
    """The test scores of the tree's first set are .65 and .75; its interval is .5 to .9, its estimate .7."""
    header, lines = claims.estimates(found)
    tests = np.add.outer(np.add(0.6, GAINS["tree"]), (-0.05, 0.05))
    off = 0.7 - tests.mean(axis=1)
    low, high = stats.ttest_1samp(off, 0).confidence_interval()
    assert lines[0][:3] == ["tree", 3, f"{off.mean():+.3f} ({low:+.3f} to {high:+.3f})"]
    assert header[3:5] == ["on the 2 sets of 100 samples at most", "on the 1 sets of more than 100 samples"]
    low, high = stats.ttest_1samp(off[:2], 0).confidence_interval()
    assert lines[0][3:5] == [f"{off[:2].mean():+.3f} ({low:+.3f} to {high:+.3f})", "-0.200"]
    assert lines[0][5] == f"{np.mean((tests >= 0.5) & (tests <= 0.9)):.0%}"
    half = np.hypot(0.2, 1.645 * 0.1)
    assert lines[0][6] == f"{np.mean(np.abs(tests - 0.7) <= half):.0%}"


def test_an_estimate_that_is_too_low_is_named(claims, found):
    """Of gains and the estimate of .7 where all features have .6; the board's own model has .9 for .7."""
    for row in found.folds["tree"]:
        row["honest"] = 0.6
    small, large, bayes = claims.low(found)
    assert small == ("On sets of 100 samples at most the estimate is, in the mean, too low by more than 0.02 under "
                     "1 of 5 models: tree -0.050.")
    assert large.endswith(" under 1 of 5 models: tree -0.300.")
    assert bayes == ("bayes, in `board` alone, 3 sets: all sets +0.200 (+0.200 to +0.200); 100 samples at most +0.200 "
                     "(+0.200 to +0.200); more than 100 samples –.")
    for row in found.folds["tree"]:
        row["honest"] = 0.9
    assert claims.low(found)[0].endswith(" under none of the models.")


def test_other_entries_and_ranks(claims, found):
    _, lines = claims.others(found)
    lines = {line[0]: line[1:] for line in lines}
    assert lines["kbest"] == [3, 3, "-0.200 (-0.200 to -0.200)", "0:3", "0.25, 0.5", "25%", "0.25"]
    places, friedman, left = claims.ranks(found)
    assert places.endswith("(3 splits): kbest 1.0, moeliga 2.0, all 3.0.")
    # three sets agree on three entries: 6 of a chi-squared of 2 degrees
    assert friedman == f"Friedman's p: tree {np.exp(-3):.2g}, bayes {np.exp(-3):.2g}."
    assert left.endswith(": none.")


def test_the_command_names_what_differs_and_writes_it(claims, found, tmp_path, capsys):
    path = tmp_path / "page.md"
    path.write_text("Text.\n\n<!-- list verdicts -->\n- old\n\n- not its own\n<!-- table groups -->\n",
                    encoding="utf-8")
    assert claims.main([], path, found) == 1
    assert capsys.readouterr().out == ("groups is another than the results give\n"
                                       "verdicts is another than the results give\n")
    assert claims.main(["--write"], path, found) == 0 and "is new" in capsys.readouterr().out
    text = path.read_text(encoding="utf-8")
    assert "- old" not in text and "\n\n- not its own\n" in text and "| all sets | 3 |" in text
    assert claims.main([], path, found) == 0 and not capsys.readouterr().out
