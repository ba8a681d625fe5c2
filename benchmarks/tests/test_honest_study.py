"""The study of honest scores: one fit for several models, its rows, and the tables of its page."""

import importlib
import itertools

import numpy as np
import pytest
from evidence import save_parts
from sklearn.datasets import load_wine
from sklearn.neighbors import KNeighborsClassifier

from moeliga import DecisionTreeClassifier, MOELIGASelector

SMALL = {"n_generations": 3, "population_size": 10, "honest": 3, "random_state": 0}


@pytest.fixture
def wine():
    return load_wine(return_X_y=True)


@pytest.mark.slow
def test_one_fit_for_several_models_is_that_of_each(wine):
    from honest.panel import subsets_of, with_model

    X, y = wine
    first = MOELIGASelector(DecisionTreeClassifier(max_depth=100), **SMALL).fit(X, y)
    shared = with_model(first, X, y, KNeighborsClassifier())
    alone = MOELIGASelector(KNeighborsClassifier(), **SMALL).fit(X, y)
    assert shared.honest_score_ == alone.honest_score_ != first.honest_score_
    assert shared.honest_interval_ == alone.honest_interval_
    for name in ("honest_score", "honest_se", "supports", "score", "source"):
        mine, its = getattr(shared.pareto_front_, name), getattr(alone.pareto_front_, name)
        np.testing.assert_array_equal(mine, its)
    for rule in ("no_loss", "best", "one_se"):
        assert shared.assess(rule) == alone.assess(rule)
    # of each slot the subset that has its honest score
    subsets = subsets_of(alone)
    for place, slot in enumerate(alone._answers.slots):
        assert slot.least <= subsets[place].sum() <= slot.most
    assert subsets[-1].all()


def test_uar_and_its_error_by_hand():
    from honest.honesty import uar

    score, error = uar(np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1]))
    assert score == pytest.approx((2 / 3 + 1) / 2)
    assert error == pytest.approx(np.sqrt(0.625 * 0.375 / 3 + (2.5 / 3) * (0.5 / 3) / 2) / 2)


@pytest.mark.slow
def test_a_study_goes_on_where_it_was(tmp_path, monkeypatch, wine, capsys):
    from honest import run
    from paper.results import Results

    save_parts(tmp_path / "wine.npz", *wine)
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    monkeypatch.setitem(run.SETTINGS, "", {"n_generations": 2, "population_size": 10, "honest": 2})
    command = ["wine", "sonar", "--models", "tree", "neighbours", "--results", str(tmp_path), "--splits"]
    run.main([*command, "1"])
    run.main([*command, "2"])
    run.main([*command, "2"])
    choices = Results(tmp_path / "choices.csv", run.CHOICES).rows
    slots = Results(tmp_path / "slots.csv", run.SLOTS).rows
    assert [(row["split"], row["model"]) for row in choices if row["rule"] == "no_loss 0"] == [
        ("0", "tree"), ("0", "neighbours"), ("1", "tree"), ("1", "neighbours")]
    said = capsys.readouterr().out.splitlines()
    assert said.count("left out, because they are not at hand: sonar") == 3 and len(said) == 5
    for row in choices:
        found = [slot for slot in slots if all(slot[name] == row[name] for name in run.CHOICES[:4])]
        assert row["test_all"] == next(slot["test"] for slot in found if slot["source"] == "all")
        assert (row["folds"], row["test"]) in [(slot["folds"], slot["test"]) for slot in found]
    for name, other in itertools.pairwise(["no_loss 0", "no_loss 0.125", "no_loss 0.25"]):
        sizes = [[int(row["n_selected"]) for row in choices if row["rule"] == rule] for rule in (name, other)]
        assert all(size >= smaller for size, smaller in zip(*sizes, strict=True))
    assert {slot["source"] for slot in slots} == {"search", "f_classif", "forest", "all"}
    few = [slot for slot in slots if slot["folds"] in ("", "nan")]
    assert {(slot["source"], slot["n_selected"]) for slot in few} == {("f_classif", "3"), ("forest", "3")}


@pytest.mark.parametrize("script, command, message", [
    ("honest.run", ["nosuch"], "there is no set 'nosuch'; at hand: wine"),
    ("honest.run", ["wine", "--splits", "-1"], "argument --splits: must be an integer of at least 1, got '-1'"),
    ("honest.run", ["wine", "--splits", "0"], "argument --splits: must be an integer of at least 1, got '0'"),
    ("honest.regression", ["--splits", "0"], "argument --splits: must be an integer of at least 1, got '0'"),
    ("honest.run", ["sonar"], "none of the sets is at hand; see MOELIGA_DATA"),
    ("honest.times", ["wine", "--against", "nosuch"], "argument --against: must be a folder that holds moeliga"),
    ("judges.run", ["--sets", "nosuch"], "there is no set 'nosuch'"),
    ("fits", ["nosuch"], "there is no set 'nosuch'"),
    ("threads", ["nosuch"], "there is no set 'nosuch'"),
    ("threads", ["wide", "--threads", "0"], "argument --threads: must be an integer of at least 1, got '0'"),
    ("paper.ablation", ["nosuch"], "there is no set 'nosuch'"),
    ("paper.ablation", ["sonar"], "none of the sets is at hand"),
])
def test_what_nobody_knows_is_refused(tmp_path, monkeypatch, wine, capsys, script, command, message):
    """Before anything is done, in one line."""
    save_parts(tmp_path / "wine.npz", *wine)
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    with pytest.raises(SystemExit) as caught:
        importlib.import_module(script).main(command)
    assert caught.value.code == 2 and message in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.quick(1)
@pytest.mark.parametrize("package", [
    "", "raise ImportError('not built')", "__file__ = '/elsewhere/moeliga/__init__.py'"])
def test_times_are_those_of_the_folder(tmp_path, wine, capfd, package):
    """A package that is not that of the folder, or none at all, is not timed."""
    from honest import times

    (tmp_path / "moeliga").mkdir()
    (tmp_path / "moeliga" / "__init__.py").write_text(f"class MOELIGASelector: pass\n{package}\n")
    with pytest.raises(SystemExit, match=f"{tmp_path}: the fit failed"):
        times.fit(*wine, 0, tmp_path)
    said = capfd.readouterr().err
    assert ("its package is not what is imported, /elsewhere" in said) == ("elsewhere" in package)


@pytest.mark.slow
def test_the_study_of_regression_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    """Its choice is tested on rows that the fit has not seen, and its leaves are those of the guide."""
    from honest import regression
    from paper.results import Results

    monkeypatch.setattr(regression, "NOISY_LEAVES", (20,))  # of diabetes
    monkeypatch.setattr(regression, "MODELS", {"ridge": regression.MODELS["ridge"]})
    command = ["--sets", "diabetes", "--results", str(tmp_path), "--splits"]
    regression.main([*command, "1"])
    regression.main([*command, "2"])
    rows = Results(tmp_path / "regression.csv", regression.COLUMNS).rows
    assert [(row["split"], row["model"], row["leaf"]) for row in rows] == [("0", "ridge", "20"), ("1", "ridge", "20")]
    assert len(capsys.readouterr().out.splitlines()) == 2
    X, others, y, known = regression.parts_of("diabetes", 1)
    assert float(rows[1]["test_all"]) == pytest.approx(regression.MODELS["ridge"]().fit(X, y).score(others, known),
                                                       abs=1e-6)
    assert float(rows[1]["test_1"]) < float(rows[1]["test"]) < 1


def test_the_study_of_regression_needs_a_place_for_its_rows(tmp_path, monkeypatch):
    """Which is known before the first fit."""
    from honest import regression

    monkeypatch.setattr(regression, "row_of", None)
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"file must be a folder that can be written to, for the results$"):
        regression.main(["--sets", "diabetes", "--results", str(tmp_path / "file")])


@pytest.mark.parametrize("name", ["diabetes", "friedman1", "friedman2", "friedman3", "linear", "mixed", "clean",
                                  "wide", "clinic"])
def test_sets_of_regression_are_split_anew(name):
    """The same parts for the same seed, others for another, and no row in both."""
    from honest import regression

    assert name in regression.SETS
    X, others, y, known = regression.parts_of(name, 0)
    assert X.shape[0] == len(y) == {"diabetes": 309, "wide": 100, "clinic": 400}.get(name, 200)
    assert len(others) == len(known)
    assert not (others[:, None] == X[:1]).all(axis=2).any()
    assert (regression.parts_of(name, 0)[0] == X).all() and (regression.parts_of(name, 1)[0] != X).any()


@pytest.mark.evidence
def test_the_tables_of_the_page_are_those_of_the_results():
    from honest import tables

    assert tables.filled(tables.PAGE.read_text(encoding="utf-8"))[1] == []


def test_times_are_ratios_of_means_and_their_geometric_mean(tmp_path):
    from honest import tables, times
    from paper.results import Results

    for name in ("choices", "slots"):
        (tmp_path / f"{name}.csv").touch()
    rows = [{"set": name, "samples": 10, "of": 3, "what": what, "run": run, "cpu": cpu}
            for name, what, run, cpu in (
                ("first", "now", 0, 1.0), ("first", "now", 1, 3.0), ("first", "before", 0, 4.0),
                ("second", "now", 0, 8.0), ("second", "before", 0, 1.0), ("half", "now", 0, 5.0))]
    Results(tmp_path / "times.csv", times.COLUMNS).add(rows)
    _, lines = tables.times(tables.Rows(tmp_path))
    assert [(line[0], line[-1]) for line in lines] == [
        ("first", "0.50"), ("second", "8.00"), ("geometric mean", "2.00")]
