"""Whole fits: what a trial decides, what rooms are timed, and the tables of the page."""

import importlib

import numpy as np
import pytest
from evidence import FOLDER, rivals, save_parts
from sklearn.datasets import load_wine

SHORT = {"n_generations": 2, "population_size": 10, "honest": None}


@pytest.fixture
def fits(monkeypatch, tmp_path):
    """The script, with wine as the only data set, and short searches."""
    save_parts(tmp_path / "wine.npz", *load_wine(return_X_y=True))
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    module = importlib.import_module("fits")
    selector = module.MOELIGASelector
    monkeypatch.setattr(module, "MOELIGASelector", lambda **options: selector(**SHORT | options))
    monkeypatch.setattr(module, "SETS", ("wine",))
    return module


def test_rooms_are_timed_and_the_fit_is_the_same(parts):
    """Each room has some of the time, all together no more than there is; afterwards nothing is timed."""
    import time

    from rooms import watched

    from moeliga import MOELIGASelector
    from moeliga.data import ground

    plain = MOELIGASelector(random_state=0, **SHORT).fit(*parts[:2])
    evaluator, began = ground.Evaluator, time.process_time()
    with watched() as seconds:
        found = MOELIGASelector(random_state=0, **SHORT).fit(*parts[:2])
        spent = time.process_time() - began
    assert ground.Evaluator is evaluator
    assert np.array_equal(found.pareto_front_.supports, plain.pareto_front_.supports)
    assert {"evaluate", "dominance", "vary"} <= seconds.keys() and "_ext" not in seconds
    assert min(seconds.values()) > 0 and sum(seconds.values()) < spent


@pytest.mark.slow
def test_rows_are_made_once_and_dear_fits_are_left_out(fits, tmp_path, monkeypatch, capsys):
    path = tmp_path / "fits.csv"
    command = ["--results", str(path), "--who", "moeliga", "rfecv"]
    fits.main([*command, "--dry-run"])
    assert not path.exists() and "wine moeliga: about " in capsys.readouterr().out
    fits.main(command)
    fits.main(command)
    rows = fits.rows(path)
    assert [(row["who"], row["status"]) for row in rows] == [("moeliga", "ok"), ("rfecv", "ok")]
    assert 0 < int(rows[0]["features"]) <= 13 and int(rows[0]["evaluations"]) > 0 and rows[0]["rooms"]
    monkeypatch.setattr(fits, "LIMIT", 0)
    other = tmp_path / "other.csv"
    fits.main(["--results", str(other), "--who", "moeliga", "nsga2"] if nsga2_is_there() else
              ["--results", str(other), "--who", "moeliga"])
    rows = fits.rows(other)
    assert "more than" in rows[0]["status"] and not rows[0]["cpu"]
    assert [row["status"] for row in rows[1:]] in ([], ["needs the evaluations of moeliga's fit"])
    fits.main(["--results", str(other), "--who", "moeliga", "--limit", "60"])  # again, and no more than once
    fits.main(["--results", str(other), "--who", "moeliga", "--limit", "60"])
    trial, done = fits.rows(other)[len(rows):]  # a long fit begins with the row of its trial
    assert trial["status"] == "would take more than 0 s" and trial["expected"] == done["expected"]
    assert not trial["cpu"] and float(done["cpu"]) > 0 and fits.find([trial, done], "wine", "moeliga") is done


def nsga2_is_there():
    from paper.competitors import Missing, need

    try:
        return bool(need("pymoo"))
    except Missing:
        return False


def test_nsga2_has_moeligas_evaluations(fits, tmp_path):
    from paper.competitors import need

    with rivals():
        need("pymoo")
    path = tmp_path / "fits.csv"
    fits.main(["--results", str(path), "--who", "moeliga", "nsga2"])
    ours, theirs = fits.rows(path)
    assert theirs["status"] == "ok" and ours["evaluations"] == theirs["evaluations"]


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_search_of_the_paper_is_shared_out(fits, preset):
    """Trees, separability and the rest are all of it, and the row has a cell for each column."""
    run = importlib.import_module("paper.run")
    row = dict(zip(run.COLUMNS, run.measure("wine", preset, 2, 0, 1, 0), strict=True))
    shares = [int(share) for share in row["tree / separability / rest"].replace("%", "").split(" / ")]
    assert all(share >= 0 for share in shares) and 98 <= sum(shares) <= 102 and row["train x features"] == "133 x 13"


def test_the_tables_say_what_is_left_out(fits, tmp_path, monkeypatch):
    """By hand."""
    row = dict.fromkeys(fits.COLUMNS, "") | {"set": "wine", "samples": "9", "of": "4", "classes": "3", "status": "ok"}
    ours = row | {"who": "moeliga", "cpu": "2", "evaluations": "1200", "rooms": "evaluate:0.700 vary:0.1 code:0.001"}
    found = [ours, row | {"who": "rfecv", "cpu": "1", "evaluations": "90"},
             row | {"who": "genetic-opt", "expected": "1234.4", "status": "would take more than 300 s"}]
    columns = ["set", "size", "classes", "moeliga", "before", "rfecv", "nsga2", "genetic-opt", "evaluations"]
    assert fits.times(found) == (columns, [
        ["wine", "9 x 4", "3", "2", "–", "1, 0.5", "–", "(1,234)", "1,200 / 90 / – / –"]])
    before = tmp_path / "times.csv"
    before.write_text(",".join(fits.honest.COLUMNS) + "\nwine,9,4,now,0,9,7,2,.5,\nwine,9,4,before,0,9,5,2,,\n")
    monkeypatch.setattr(fits, "BEFORE", before)
    assert fits.times(found)[1][0][4] == "5, 2.5"
    assert fits.seconds(row | {"status": "a trial takes more than 600 s"}) == "> 600"
    assert fits.shares(found) == (["set", "evaluate", "vary", "elsewhere"], [["wine", "70%", "10%", "20%"]])


def test_the_tables_of_the_page_are_those_of_the_rows():
    fits, page = importlib.import_module("fits"), importlib.import_module("paper.page")
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert text.count("<!-- table ") == len(fits.TABLES) + len(importlib.import_module("threads").TABLES)
    assert page.filled(text, fits, fits.rows(FOLDER / "fits.csv"))[1] == []
