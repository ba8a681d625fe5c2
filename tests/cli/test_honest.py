"""Honest scores on the command line: they come first, and the folder of results keeps them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from commands import HONEST, run
from sklearn.naive_bayes import GaussianNB

from moeliga import MOELIGASelector, NoLoss, ParetoFront


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the data, and the results of a cross-fitted search in `run`."""
    from commands import write_wine

    from moeliga.cli.main import main

    pytest.importorskip("pyarrow")
    found = tmp_path_factory.mktemp("honest")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(found)
        patch.setattr("moeliga.visualisation.report.draw_pictures", lambda record: {})
        data = write_wine()
        assert main([*HONEST, "--margin", "0.5", "--scoring", "recall_macro", "--quiet"]) == 0
    return found, data


@pytest.fixture(scope="module")
def selector(folder):
    """The same search in Python."""
    data = folder[1]
    found = MOELIGASelector(GaussianNB(), honest=3, rule=NoLoss(margin=0.5), scoring="recall_macro", population_size=20,
                            n_generations=3, random_state=0)
    return found.fit(data.data, data.target)


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder[0])


def test_select_ends_with_the_summary(tmp_path, folder, monkeypatch, capsys):
    """It is that of the same selector in Python, with the names of its scores; progress ends with one line on it."""
    monkeypatch.chdir(folder[0])
    status, out, err = run(capsys, *HONEST, "--out", str(tmp_path / "run"))
    selector = MOELIGASelector(GaussianNB(), honest=3, population_size=20, n_generations=3, random_state=0)
    selector.fit(folder[1].data, folder[1].target)
    assert status == 0 and out.endswith(f".\n\n{selector.summary()}\n")
    low, high = selector.honest_interval_
    everything, = selector.baselines_.honest_score[selector.baselines_.source == "all"]
    assert err.endswith(f"\nmoeliga: rule 'no_loss': {selector.support_.sum()} of 13 features, "
                        f"honest UAR {selector.honest_score_:.3f} ({low:.3f} to {high:.3f}), "
                        f"all features {everything:.3f}\n")


def test_show_tells_the_same_from_the_folder_alone(here, capsys, selector):
    """The front with its honest scores first, and the summary."""
    front = selector.pareto_front_
    status, out, _ = run(capsys, "show", "run")
    lines = out.splitlines()
    assert status == 0 and f"\n{selector.summary()}\n" in out
    assert re.match(r" +size +honest recall_macro +in search +separability +R1 +source +features$", lines[0])
    for line, score, error in zip(lines[1:], front.honest_score, front.honest_se, strict=False):
        assert (f" {score:.3f} ± {error:.3f} " in line) == np.isfinite(score)
    assert "Chosen by rule 'NoLoss(margin=0.5)': " in out and "; UAR in the search " in out
    assert Path("run/selected.txt").read_text() == "".join(f"{name}\n" for name in front_names(selector))


def front_names(selector):
    front = ParetoFront.from_json("run/front.json")
    return front.features(selector.index_)


def test_another_rule_has_its_own_honest_score(here, capsys, selector):
    """It is that of the table, which marks the rule; there is no new search."""
    worth = selector.assess("knee")
    out = " ".join(run(capsys, "show", "run", "--rule", "knee")[1].split())
    assert (f"Chosen by rule 'knee': {selector.pareto_front_.n_selected[worth.index]} of 13 features, honest "
            f"recall_macro {worth.score:.3f} ({worth.interval[0]:.3f} to {worth.interval[1]:.3f})") in out
    assert out.count("* knee ") == 1 and "* NoLoss" not in out


def test_a_size_has_the_score_of_its_member(here, capsys, selector):
    """The score includes what choosing adds: the folder lacks the answers of the model to correct this."""
    front = selector.pareto_front_
    index = front.choose(n_features=2)
    out = " ".join(run(capsys, "show", "run", "--n-features", "2")[1].split())
    assert (f"Chosen by n_features 2: 2 of 13 features, honest recall_macro {front.honest_score[index]:.3f} ± "
            f"{front.honest_se[index]:.3f}, which is too high because it was chosen among many, all features ") in out
    assert " * " not in out[out.index(" vs all "):]


def test_json_has_them(here, capsys, selector):
    """They are strict JSON, to the last digit; null for a missing score."""
    told = json.loads(run(capsys, "show", "run", "--json")[1], parse_constant=pytest.fail)
    assert told["score_names"] == {"honest": "recall_macro", "search": "UAR"}
    low, high = selector.honest_interval_
    assert [told["chosen"]["worth"][name] for name in ("score", "low", "high")] == [selector.honest_score_, low, high]
    scores = [np.nan if member["honest_score"] is None else member["honest_score"] for member in told["front"]]
    np.testing.assert_array_equal(scores, selector.pareto_front_.honest_score)
    rows = selector.summary().rows
    assert [row["rule"] for row in told["summary"]["rows"]] == [row["rule"] for row in rows]
    found = [np.nan if row["difference_low"] is None else row["difference_low"] for row in told["summary"]["rows"]]
    np.testing.assert_array_equal(found, [row["difference_low"] for row in rows])
    assert told["summary"]["sentences"] == selector.summary().sentences


@pytest.mark.slow
def test_a_chosen_size_is_assessed_by_select(tmp_path, folder, monkeypatch, capsys):
    """`select` has the answers: the score of a choice by size is without what choosing adds."""
    monkeypatch.chdir(folder[0])
    status, out, _ = run(capsys, *HONEST, "--out", str(tmp_path / "run"), "--n-features", "2")
    selector = MOELIGASelector(GaussianNB(), honest=3, population_size=20, n_generations=3, random_state=0)
    selector.fit(folder[1].data, folder[1].target).select(n_features=2)
    low, high = selector.honest_interval_
    assert status == 0 and (f"Chosen by n_features 2: 2 of 13 features, honest UAR {selector.honest_score_:.3f} "
                            f"({low:.3f} to {high:.3f})") in " ".join(out.split())
