"""The sweep over sizes: every size once, the size chosen without the test part, and jobs done once."""


from importlib.util import find_spec

import numpy as np
import pytest
from evidence import AT_HAND, module, save_parts
from sklearn.datasets import load_wine
from sklearn.feature_selection import mutual_info_classif
from sklearn.preprocessing import scale

pytestmark = AT_HAND


@pytest.fixture
def sweep(monkeypatch, tmp_path):
    """The script, and a folder with one small data set."""
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    X, y = load_wine(return_X_y=True)
    X, y = X[::2], y[::2]
    save_parts(tmp_path / "mine.npz", X, y)
    return module("sweep")


@pytest.mark.evidence
def test_the_command_sweeps_resumes_and_draws(sweep, tmp_path, capsys):
    """Mutual information with all sizes, in the order of its ranking; moeliga with its own; a second run is idle."""
    pytest.importorskip("matplotlib")
    command = ["mine", "--splits", "1", "--largest", "3", "--generations", "1", "--out", str(tmp_path / "out")]
    assert sweep.main(command) == 0
    rows = sweep.Results(tmp_path / "out" / "sweep.csv", sweep.COLUMNS).rows
    jobs = sweep.by_job(rows)
    assert len(jobs["mine", "0", "moeliga"]) == 1
    found = jobs["mine", "0", "mi 1..3"]
    assert [row["size"] for row in found] == ["1", "2", "3"]
    X, y, _, _, _ = module("crew").Data("mine", 1).parts("0")
    order = np.argsort(-mutual_info_classif(scale(X), y, random_state=0))
    for row in found:
        assert {int(place) for place in row["chosen"].split()} == set(order[: int(row["size"])])
        assert 0 < float(row["validation"]) <= 1 and 0 < float(row["test"]) <= 1
    if find_spec("mlxtend"):
        assert [row["size"] for row in jobs["mine", "0", "sffs 1..3"]] == ["1", "2", "3"]
    printed = capsys.readouterr().out
    assert "3 jobs, 0 done, 3 to do: about " in printed and "Sizes chosen within the training part" in printed
    for name in ("sweep.png", "sweep-sizes.png"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\x89PNG")
    sweep.main(command)
    assert sweep.Results(tmp_path / "out" / "sweep.csv", sweep.COLUMNS).rows == rows


def test_every_split_is_searched_from_a_seed_of_its_own(sweep, tmp_path, monkeypatch):
    """That of --seed and the next ones, and the rows say so."""
    seeds, select = [], sweep.competitors.select
    monkeypatch.setattr(sweep, "METHODS", ("moeliga", "mi"))
    monkeypatch.setattr(sweep, "draw", lambda *arguments: None)
    monkeypatch.setattr(sweep.competitors, "select", lambda *a, **o: seeds.append((a[0], a[4])) or select(*a, **o))
    sweep.main(["mine", "--splits", "2", "--seed", "5", "--largest", "1", "--generations", "1", "--out",
                str(tmp_path / "out")])
    assert sorted(seeds) == [("mi", 5), ("mi", 6), ("moeliga", 5), ("moeliga", 6)]
    rows = sweep.Results(tmp_path / "out" / "sweep.csv", sweep.COLUMNS).rows
    assert {(row["split"], row["seed"]) for row in rows} == {("0", "5"), ("1", "6")}


def test_the_size_is_chosen_by_validation_and_the_smallest_of_equals(sweep):
    """The best on the test part stands apart."""
    rows = [{"size": size, "validation": validation, "test": test} for size, validation, test in
            (("1", "0.5", "0.9"), ("2", "0.7", "0.6"), ("3", "0.7", "0.8"), ("4", "0.6", "0.9"))]
    choice, bound = sweep.chosen(rows)
    assert (choice["size"], bound["size"]) == ("2", "1")


def test_the_summary_is_a_mean_over_splits(sweep):
    known = {"data": "d", "method": "mi", "setting": "", "choice": "", "seconds": "2",
             "status": "ok"}
    rows = [known | {"split": split, "size": size, "validation": validation, "test": test}
            for split, size, validation, test in (("0", "1", "0.5", "0.9"), ("0", "2", "0.7", "0.6"),
                                                  ("1", "1", "0.8", "0.4"), ("1", "2", "0.7", "0.5"))]
    assert sweep.summary(rows)[0] == pytest.approx(["d", "mi", 2, 1.5, 0.75, 0.5, 0.2 / np.sqrt(2), 2.0, 0.7, 1.5])


def test_sffs_is_left_out_where_it_would_take_days(sweep, tmp_path, monkeypatch, capsys):
    """And said so; with a largest size it is not."""
    monkeypatch.setattr(sweep, "SMALL", 12)
    monkeypatch.setattr(sweep, "perform", lambda job, *rest: [
        dict(zip(sweep.KEY, job.key, strict=True)) | {"size": 1, "validation": 0.5, "test": 0.5, "seconds": 1.0,
                                                        "status": "ok"}])
    monkeypatch.setattr(sweep, "draw", lambda *arguments: None)
    sweep.main(["mine", "--splits", "1", "--out", str(tmp_path / "out")])
    assert "mine sffs: left out, more than 12 features" in capsys.readouterr().out
    sweep.main(["mine", "--splits", "1", "--largest", "2", "--out", str(tmp_path / "out")])
    assert "mine 0 sffs 1..2: 1 features" in capsys.readouterr().out


def test_a_failure_is_written_down_and_does_not_count(sweep, tmp_path, monkeypatch, capsys):
    """With --again it is done again."""
    command, perform = ["mine", "--splits", "1", "--largest", "2", "--out", str(tmp_path / "out")], sweep.perform
    monkeypatch.setattr(sweep, "draw", lambda *arguments: None)
    monkeypatch.setattr(sweep, "METHODS", ("mi",))
    monkeypatch.setattr(sweep, "perform", lambda *arguments: 1 / 0)
    assert sweep.main(command) == 1
    assert "mine 0 mi 1..2: failed: ZeroDivisionError" in capsys.readouterr().out
    monkeypatch.setattr(sweep, "perform", perform)
    assert sweep.main([*command, "--again"]) == 0
    rows = sweep.Results(tmp_path / "out" / "sweep.csv", sweep.COLUMNS).rows
    assert len(rows) == 3 and [len(found) for found in sweep.by_job(rows).values()] == [2]
