"""The searches with each compiled judge: their rows, and the tables of their page."""

import pytest
from evidence import save_parts
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.metrics import balanced_accuracy_score


def test_every_judge_is_compiled():
    from judges.run import JUDGES

    from moeliga.evaluation.judges import recognise

    assert all(recognise(model) is not None for model in JUDGES.values())


def test_a_study_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    from judges import run
    from paper import datasets
    from paper.results import Results

    save_parts(tmp_path / "wine.npz", *load_wine(return_X_y=True))
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    command = ["--sets", "wine", "isolet", "--results", str(tmp_path), "--judges", "ridge"]
    run.main([*command, "--dry-run"])
    lacks, said = capsys.readouterr().out.splitlines()
    assert lacks == "left out, because they are not at hand: isolet" and said.startswith("1 searches, about ")
    run.main(command)
    run.main([*command, "forest, out of bag"])
    rows = Results(tmp_path / "searches.csv", run.COLUMNS).rows
    assert [(row["set"], row["judge"]) for row in rows] == [("wine", "ridge"), ("wine", "forest, out of bag")]
    assert len(capsys.readouterr().out.splitlines()) == 4
    X, y, X_test, y_test = datasets.load("wine")
    selector = run.selector_of("ridge", 13).fit(X, y)
    model = clone(run.JUDGES["ridge"]).fit(X[:, selector.support_], y)
    predicted = model.predict(X_test[:, selector.support_])
    assert float(rows[0]["test"]) == pytest.approx(balanced_accuracy_score(y_test, predicted), abs=1e-6)
    assert int(rows[0]["n_selected"]) == selector.support_.sum()


def test_the_tables_of_the_page_are_those_of_the_results():
    from judges import tables

    assert tables.filled(tables.PAGE.read_text(encoding="utf-8"))[1] == []


def test_speed_is_a_row_for_each_judge(capsys):
    from judges import speed

    speed.main(["--judges", "ridge", "logistic", "--sets", "wine", "breast_cancer", "--every", "30", "--rounds", "1"])
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head == "| judge | wine | breast_cancer | < 500 rows | all |"
    for row, judge in zip(rows, ("ridge", "logistic"), strict=True):
        name, *ratios = (cell.strip() for cell in row.strip("|").split("|"))
        wine, cancer, few, every = map(float, ratios)
        assert name == judge and few == pytest.approx(every) == pytest.approx((wine * cancer) ** 0.5, abs=0.2 * every)


def test_both_scripts_know_a_judge_by_either_name(tmp_path, monkeypatch, capsys):
    """One table of names; rows have those of the study."""
    save_parts(tmp_path / "wine.npz", *load_wine(return_X_y=True))
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    from bench_judges import ALONE
    from judges import run, speed

    assert run.NAMES.keys() <= ALONE.keys() and set(run.NAMES.values()) <= run.JUDGES.keys()
    assert type(ALONE["bayes"]) is type(run.JUDGES["naive Bayes"])
    for name in ("bayes", "naive Bayes"):
        run.main(["--judges", name, "--dry-run", "--sets", "wine", "--results", str(tmp_path)])
        assert "wine by naive Bayes " in capsys.readouterr().out
        speed.main(["--judges", name, "--sets", "wine", "--every", "45", "--rounds", "1"])
        assert capsys.readouterr().out.splitlines()[-1].startswith("| bayes |")
