"""The command line: what it prints, writes, refuses, and how it ends."""

import csv
import hashlib
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

import moeliga
from moeliga import MOELIGASelector
from moeliga.cli import main, shorten
from moeliga.results import FILES, results_folder

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def wine(tmp_path, monkeypatch):
    """The wine data as CSV in the current folder; the identifier is no feature, one name has a semicolon."""
    monkeypatch.chdir(tmp_path)
    data = load_wine()
    names = ["id", *data.feature_names[:-1], "proline; raw", "class"]
    with open("wine.csv", "w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(names)
        for i, row in enumerate(data.data):
            lines.writerow([f"w{i}", *row, data.target_names[data.target[i]]])
    return data


SELECT = ["select", "wine.csv", "--target", "class", "--drop", "id", "--out", "run", "--generations", "6"]


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def run(capsys, *argv):
    """Exit status, standard output and standard error of a command."""
    try:
        status = main(list(argv))
    except SystemExit as caught:
        status = caught.code
    return status, *capsys.readouterr()


# moeliga demo


def test_demo_shows_front_choice_and_held_out_score(tmp_path):
    """The real command, as installed: ends well, says what it found, and writes a plot."""
    program = Path(sys.executable).with_name("moeliga")
    done = subprocess.run([program, "demo"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
                          env={"COLUMNS": "100", "PYTHONUTF8": "1", "MPLCONFIGDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert "171 samples are held out, stratified by class; the search sees the other 398." in text
    assert re.search(r"^300 generations, [\d,]+ subsets evaluated, [\d.]+ s\.$", text, re.MULTILINE)
    rows = re.findall(r"^([* ])  +(\d+)  0\.\d{3} ± 0\.\d{3} +-?0\.\d{3}  0\.\d{3}  (.*)$", text, re.MULTILINE)
    sizes = [int(size) for _, size, _ in rows]
    assert sizes == sorted(sizes) and len(rows) >= 3
    chosen, = ((int(size), names) for mark, size, names in rows if mark == "*")
    assert chosen[0] == chosen[1].count(",") + 1
    assert f"* chosen by rule 'r1': {chosen[1]}\n" in text
    uar = dict(re.findall(r"^ +(chosen|all) +\d+ features +UAR (0\.\d+) ± 0\.\d+$", text, re.MULTILINE))
    assert float(uar["chosen"]) > 0.88 and float(uar["all"]) > 0.88
    assert max(map(len, text.splitlines())) <= 120
    assert text.endswith(f"Plot of the front: {Path('moeliga-demo', 'front.png')}\n")
    assert (tmp_path / "moeliga-demo" / "front.png").read_bytes().startswith(PNG)


@pytest.fixture
def short_search(monkeypatch):
    """The selector with a few generations, for what does not depend on how good the search is."""
    fit = MOELIGASelector.fit
    monkeypatch.setattr(MOELIGASelector, "fit", lambda self, X, y: fit(self.set_params(n_generations=3), X, y))


def test_demo_overwrites_nothing(tmp_path, capsys, short_search):
    (tmp_path / "front.png").write_text("mine")
    for name in ("front-2.png", "front-3.png"):
        status, out, _ = run(capsys, "demo", "--out", str(tmp_path), "--seed", "3", "--n-jobs", "1")
        assert status == 0 and out.endswith(f"Plot of the front: {tmp_path / name}\n")
    assert (tmp_path / "front.png").read_text() == "mine"


def test_demo_without_matplotlib_and_tqdm_says_how_to_get_the_plot(tmp_path, capsys, short_search, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure", "tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    status, out, _ = run(capsys, "demo", "--out", str(tmp_path))
    assert status == 0 and out.endswith("\nNo plot: front.png needs matplotlib: pip install 'moeliga[plot]'\n")
    assert "generation    3/3" in out
    assert list(tmp_path.iterdir()) == []


def test_demo_refuses_a_folder_that_it_cannot_make(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert run(capsys, "demo", "--out", str(tmp_path / "file" / "sub")) == (
        2, "", f"moeliga: error: {tmp_path / 'file' / 'sub'}: Not a directory\n")


def test_lists_of_names_are_cut_to_the_width():
    assert shorten(["alpha", "beta", "gamma"], 18) == "alpha, beta, gamma"
    assert shorten(["alpha", "beta", "gamma"], 17) == "alpha, beta, + 1"
    assert shorten(["alpha", "beta", "gamma"], 5) == "alpha, + 2"


# moeliga select


def test_select_writes_the_result(wine, capsys):
    """Files hold what the selector found, to the last digit."""
    status, out, _ = run(capsys, *SELECT, "--n-jobs", "1", "--seed", "5")
    assert status == 0
    selector = MOELIGASelector(n_generations=6, random_state=5).fit(wine.data, wine.target)
    front, names = selector.pareto_front_, np.array([*wine.feature_names[:-1], "proline; raw"])
    rows = read_csv("run/front.csv")
    assert list(rows[0]) == ["n_selected", "uar", "cardinality", "separability", "score_se", "r1", "chosen", "features"]
    for column, values in (("n_selected", front.n_selected), ("uar", front.score), ("score_se", front.score_se),
                           ("separability", front.objectives[:, 2]), ("r1", front.r1)):
        np.testing.assert_array_equal([float(row[column]) for row in rows], values)
    assert [row["chosen"] for row in rows] == ["1" if i == selector.index_ else "0" for i in range(len(front))]
    assert [next(csv.reader([row["features"]], delimiter=";")) for row in rows] == [
        names[support].tolist() for support in front.supports]
    assert Path("run/selected.txt").read_text().splitlines() == names[selector.support_].tolist()
    history = read_csv("run/history.csv")
    assert list(history[0]) == list(selector.history_)
    np.testing.assert_array_equal([float(row["hypervolume"]) for row in history], selector.history_["hypervolume"])
    assert Path("run/front.png").read_bytes().startswith(PNG)
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)
    chosen = selector.index_
    assert re.sub(r"[\d.]+ s\.", "S s.", out) == (
        "wine.csv: 178 samples, 13 features, 3 classes.\n"
        f"6 generations, {selector.n_evaluations_:,} subsets evaluated, S s.\n"
        f"Pareto front: {len(front)} subsets of {front.n_selected[0]} to {front.n_selected[-1]} features.\n"
        f"Chosen by rule 'r1': {front.n_selected[chosen]} features, UAR {front.score[chosen]:.3f} ± "
        f"{front.score_se[chosen]:.3f} on validation splits of these samples; expect less on others.\n"
        "Written to run: front.csv, selected.txt, history.csv, settings.json, front.png.\n")


def test_settings_say_all_that_is_needed_to_repeat_the_run(wine, capsys):
    options = ["--population", "30", "--n-splits", "2", "--local-improvement", "none", "--rule", "knee", "--seed", "7",
               "--max-time", "60.5", "--max-evaluations", "5000", "--preset", "paper", "--n-jobs", "2", "--quiet"]
    assert run(capsys, *SELECT, *options) == (0, "", "")
    settings = json.loads(Path("run/settings.json").read_text())
    assert settings["command"].split()[:4] == ["moeliga", "select", "wine.csv", "--target"]
    assert settings["sha256"] == hashlib.sha256(Path("wine.csv").read_bytes()).hexdigest()
    assert (settings["file"], settings["seed"], settings["stop_reason"]) == ("wine.csv", 7, "n_generations")
    assert settings["versions"]["moeliga"] == moeliga.__version__
    wanted = {"n_generations": 6, "population_size": 30, "n_splits": 2, "local_improvement": None, "rule": "knee",
              "random_state": 7, "max_time": 60.5, "max_evaluations": 5000, "n_jobs": 2, "archive": False,
              "n_rescore_splits": 0, "verbose": 0}
    assert wanted.items() <= settings["parameters"].items()
    assert "rank_normalisation" in settings["parameters"]["sharing"]["FitnessSharing"]
    assert {row["score_se"] for row in read_csv("run/front.csv")} == {""}


def test_npz_and_csv_give_the_same_front(wine, capsys):
    np.savez("wine.npz", X_train=wine.data, y_train=wine.target, classes=wine.target_names,
             feature_names=[*wine.feature_names[:-1], "proline; raw"])
    assert run(capsys, *SELECT)[0] == 0
    assert run(capsys, "select", "wine.npz", "--out", "other", "--generations", "6", "--n-jobs", "1")[0] == 0
    for name in ("front.csv", "selected.txt"):
        assert Path("run", name).read_text() == Path("other", name).read_text()


def test_n_features_chooses_the_nearest_size(wine, capsys):
    """A size that the front lacks must not lose the search."""
    for wanted, how in ((2, "Chosen: 2 features, "), (13, "Chosen, as no member has 13: ")):
        status, out, _ = run(capsys, *SELECT, "--force", "--n-features", str(wanted))
        assert status == 0 and how in out
        sizes = [int(row["n_selected"]) for row in read_csv("run/front.csv")]
        chosen = Path("run/selected.txt").read_text().splitlines()
        assert len(chosen) == max(size for size in sizes if size <= wanted)


def test_earlier_results_are_replaced_only_by_force(wine, capsys, monkeypatch):
    """Other files stay; a plot of an earlier front does not survive beside a new front."""
    Path("run").mkdir()
    Path("run/notes.txt").write_text("mine")
    Path("run/front.png").write_text("old")
    assert run(capsys, *SELECT)[::2] == (2, "moeliga: error: run is not empty; choose another folder, or replace the "
                                            "results in it with --force\n")
    assert Path("run/front.png").read_text() == "old"
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    status, out, _ = run(capsys, *SELECT, "--force")
    assert status == 0 and out.endswith(
        "Written to run: front.csv, selected.txt, history.csv, settings.json.\n"
        "No plot: front.png needs matplotlib: pip install 'moeliga[plot]'\n")
    assert sorted(path.name for path in Path("run").iterdir()) == sorted([*FILES[:-1], "notes.txt"])


def test_a_plot_that_fails_does_not_lose_the_search(wine, capsys, monkeypatch):
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *arguments: 1 / 0)
    status, out, _ = run(capsys, *SELECT)
    assert status == 0 and out.endswith("No plot: front.png could not be drawn: division by zero\n")
    assert Path("run/front.csv").exists()


def test_a_failure_leaves_no_file(tmp_path):
    """Neither half of the results, nor a new folder; earlier results stay as they are."""
    for folder in (tmp_path / "new" / "run", tmp_path):
        (tmp_path / "front.csv").write_text("old")
        with pytest.raises(ZeroDivisionError), results_folder(folder, force=True) as staging:
            (staging / "front.csv").write_text("half")
            raise ZeroDivisionError
        assert (tmp_path / "front.csv").read_text() == "old"
        assert not (tmp_path / "new" / "run").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["front.csv", "new"]


@pytest.mark.parametrize("options, message", [
    (["--population", "20"], "argument --population: must be an integer of at least 21, got '20'"),
    (["--generations", "many"], "argument --generations: must be an integer of at least 0, got 'many'"),
    (["--n-splits", "0"], "argument --n-splits: must be an integer of at least 1, got '0'"),
    (["--max-time", "inf"], "argument --max-time: must be a number of at least 0, got 'inf'"),
    (["--seed", "-1"], "argument --seed: must be an integer of at least 0, got '-1'"),
    (["--rule", "best", "--n-features", "3"], "argument --n-features: not allowed with argument --rule"),
    (["--gen", "3"], "unrecognized arguments: --gen 3"),
    (["--max-evaluations", "50"], "--max-evaluations must be at least 90, the size of the population, got 50"),
    (["--preset", "paper", "--rule", "one_se"],
     "--rule one_se needs standard errors, which the preset 'paper' does not give"),
    (["--drop", "name"], "wine.csv: no column to drop is called 'name'; there are 15 columns: id, alcohol, malic_acid, "
     "ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids, ..."),
    (["--separator", "|"], "wine.csv: no column 'class'; there is 1 column: id,alcohol,malic_acid,ash,"
     "alcalinity_of_ash,magnesium,total_phenols,flavanoids,nonflavanoid_phenols,proanthocyanins,color_intensity,hue,"
     "od280/od315_of_diluted_wines,proline; raw,class; with another --separator there may be more"),
    (["--out", "wine.csv"], "wine.csv is not a folder"),
    (["--out", "wine.csv/sub"], "wine.csv/sub: Not a directory"),
    (["--n-jobs", "0"], "n_jobs must be None or an integer other than 0, got 0"),
])
def test_wrong_options_are_refused_before_the_search(wine, capsys, options, message):
    """One line that says what is wrong, status 2, and no folder."""
    status, _, err = run(capsys, *SELECT, *options)
    assert (status, err) == (2, f"moeliga: error: {message}\n")
    assert not Path("run").exists()


@pytest.mark.parametrize("argv, message", [
    ([], "the following arguments are required: COMMAND"),
    (["select"], "the following arguments are required: FILE, --out"),
    (["select", "absent.csv", "--target", "y", "--out", "run"], "absent.csv: No such file or directory"),
    (["select", "wine.csv", "--out", "run"], "wine.csv: name the column of the class labels (--target); there are 15 "
     "columns: id, alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids, ..."),
    (["select", "one.csv", "--target", "y", "--out", "run"], "y must have at least 2 classes, got 1 class: 1"),
    (["select", "row.csv", "--target", "y", "--out", "run"],
     "Found array with 1 sample(s) (shape=(1, 1)) while a minimum of 2 is required by MOELIGASelector."),
])
def test_wrong_input_is_refused(wine, capsys, argv, message):
    Path("one.csv").write_text("a,y\n1,1\n2,1\n")
    Path("row.csv").write_text("a,y\n1,1\n")
    status, _, err = run(capsys, *argv)
    assert (status, err) == (2, f"moeliga: error: {message}\n")
    assert not Path("run").exists()


def test_labels_without_classes_are_refused(wine, capsys):
    argv = ["select", "wine.csv", "--target", "alcohol", "--drop", "id", "--exclude", "class", "--out", "run"]
    status, _, err = run(capsys, *argv)
    assert status == 2 and err.startswith("moeliga: error: Unknown label type: continuous.") and err.count("\n") == 1


def test_a_front_of_one_size_is_told_in_the_singular(wine, capsys):
    Path("one.csv").write_text("a,y\n1,0\n2,1\n1,0\n2,1\n")
    status, out, _ = run(capsys, "select", "one.csv", "--target", "y", "--out", "run", "--generations", "1")
    assert status == 0 and out.startswith("one.csv: 4 samples, 1 feature, 2 classes.\n")
    assert "\nPareto front: 1 subset of 1 feature.\nChosen by rule 'r1': 1 feature, UAR 1.000 ± 0.000 on " in out


def test_a_search_cut_short_says_so(wine, capsys):
    status, out, _ = run(capsys, *SELECT, "--max-evaluations", "200")
    assert status == 0 and "\nStopped early by --max-evaluations after 1 generation, 180 subsets evaluated, " in out


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process on Windows")
def test_ctrl_c_keeps_the_front_so_far(wine):
    program = ("import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # also in background
               "from moeliga.cli import main; sys.exit(main(sys.argv[1:]))")
    argv = [*SELECT[:-1], "1000000"]
    with subprocess.Popen([sys.executable, "-c", program, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, encoding="utf-8", env={"PYTHONUTF8": "1"}) as process:
        try:
            assert process.stderr.read(1)  # the progress bar: the search has begun
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert re.search(r"\nStopped early by Ctrl-C after \d+ generations?, [\d,]+ subsets evaluated, [\d.]+ s\.\n$", err)
    assert out.endswith("Written to run: front.csv, selected.txt, history.csv, settings.json, front.png.\n")
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)


def test_a_second_ctrl_c_aborts(wine, capsys, monkeypatch):
    """The second one reaches the command as KeyboardInterrupt."""
    def fit(self, X, y):
        assert list(Path("run").iterdir())
        raise KeyboardInterrupt
    monkeypatch.setattr(MOELIGASelector, "fit", fit)
    assert run(capsys, *SELECT, "--quiet") == (130, "", "moeliga: interrupted\n")
    assert not Path("run").exists()


# moeliga versions


def test_versions_and_version(capsys):
    assert run(capsys, "--version") == (0, f"moeliga {moeliga.__version__}\n", "")
    status, out, _ = run(capsys, "versions")
    assert status == 0 and f"\nmoeliga: {moeliga.__version__}\n" in out and "\nopenmp: " in out
