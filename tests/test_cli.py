"""The command line: what it prints, writes, refuses, and how it ends."""

import csv
import hashlib
import html
import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import recall_score
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB

import moeliga
from moeliga import DecisionTreeClassifier, MOELIGASelector, ParetoFront
from moeliga.cli import main
from moeliga.results import FILES, results_folder
from moeliga.summary import shorten

PNG = b"\x89PNG\r\n\x1a\n"
ENVIRONMENT = os.environ | {"PYTHONUTF8": "1", "PYTHONPATH": str(Path(moeliga.__file__).parents[1])}
"""Of commands in another process: this package, and text in UTF-8."""


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
                          env={**ENVIRONMENT, "COLUMNS": "100", "MPLCONFIGDIR": str(tmp_path)})
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
        "Written to run: front.csv, front.json, selected.txt, history.csv, settings.json, report.html, front.png.\n")


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
        "Written to run: front.csv, front.json, selected.txt, history.csv, settings.json, report.html.\n"
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
    (["--population", "1"], "argument --population: must be an integer of at least 2, got '1'"),
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
    argv = ["select", "wine.csv", "--target", "alcohol", "--drop", "id", "--drop", "class", "--out", "run"]
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
@pytest.mark.parametrize(("number", "status", "name"), [(signal.SIGINT, 130, "Ctrl-C"),
                                                        (signal.SIGTERM, 143, "SIGTERM")])
def test_a_signal_keeps_the_front_so_far(wine, number, status, name):
    program = ("import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # also in background
               "from moeliga.cli import main; sys.exit(main(sys.argv[1:]))")
    argv = [*SELECT[:-1], "1000000"]
    with subprocess.Popen([sys.executable, "-c", program, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, encoding="utf-8", env=ENVIRONMENT) as process:
        try:
            seen = ""
            while not seen.endswith("0/1000000"):  # the progress bar: the search has begun
                seen += process.stderr.read(1) or pytest.fail(seen)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == status, err
    assert re.search(rf"\nStopped early by {name} after \d+ generations?, [\d,]+ subsets evaluated, [\d.]+ s\.\n$", err)
    assert out.endswith(f"Written to run: {', '.join(FILES)}.\n")
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)


def test_a_second_ctrl_c_aborts(wine, capsys, monkeypatch):
    """The second one reaches the command as KeyboardInterrupt."""
    def fit(self, X, y):
        assert list(Path("run").iterdir())
        raise KeyboardInterrupt
    monkeypatch.setattr(MOELIGASelector, "fit", fit)
    assert run(capsys, *SELECT, "--quiet") == (130, "", "moeliga: interrupted\n")
    assert not Path("run").exists()


@pytest.fixture
def run_folder(wine, capsys):
    """The current folder with wine.csv, and the results of a search of it in `run`."""
    assert run(capsys, *SELECT)[0] == 0
    return Path("run")


def test_all_formats_give_the_same_front(wine, capsys, run_folder):
    """Text, arrays, columns and attributes, with an identifier to leave out."""
    pd, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pd.read_csv("wine.csv")
    frame.to_parquet("wine.parquet", index=False)
    columns = "".join(f"@attribute '{name}' {'string' if name == 'id' else 'numeric'}\n" for name in frame.columns[:-1])
    classes = "@attribute class {class_0,class_1,class_2}\n"
    Path("wine.arff").write_text(f"@relation wine\n{columns}{classes}@data\n"
                                 + frame.to_csv(index=False, header=False))
    for name in ("wine.parquet", "wine.arff"):
        assert run(capsys, "select", name, *SELECT[2:], "--force", "--out", "other")[0] == 0
        assert Path("other/front.json").read_text() == (run_folder / "front.json").read_text()


def test_progress_goes_to_standard_error_and_results_to_standard_output(wine, capsys, monkeypatch):
    """Also where there is no tqdm, and lines stand for the bar."""
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    status, out, err = run(capsys, *SELECT)
    assert status == 0 and "generation    6/6" in err and "generation    6/6" not in out and "Chosen by" in out


def test_quiet_prints_nothing(wine, capsys):
    assert run(capsys, *SELECT, "--quiet") == (0, "", "")


@pytest.mark.parametrize("error, status, message", [
    (ZeroDivisionError("division by zero"), 1, "moeliga: failed: ZeroDivisionError: division by zero\n"),
    (MemoryError("no more"), 1, "moeliga: failed: MemoryError: no more\n"),
    (ValueError("X must be\nfinite"), 2, "moeliga: error: X must be finite\n"),
    (OSError(28, "No space left on device", "run/x"), 2, "moeliga: error: run/x: No space left on device\n"),
])
def test_failures_and_wrong_input_have_their_own_status(wine, capsys, monkeypatch, error, status, message):
    """What is no fault of the command line comes with a traceback, for a bug report."""
    def fit(self, X, y):
        raise error
    monkeypatch.setattr(MOELIGASelector, "fit", fit)
    got, _, err = run(capsys, *SELECT)
    assert got == status and err.endswith(message) and ("Traceback" in err) == (status == 1)
    assert not Path("run").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise on Windows")
def test_a_reader_that_has_enough_is_no_error(run_folder):
    """As in `moeliga show run | head -1`."""
    program = "from moeliga.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen([sys.executable, "-c", program, "show", "run"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait(60) == 1


def test_constraints_and_costs_reach_the_search(wine, capsys):
    """Groups by pattern and file, patterns of names, costs, a subset to start from: in the front, and by name in the
    settings."""
    names = wine.feature_names[:-1]
    Path("costs.csv").write_text("feature,cost\n" + "".join(f"{name},{i % 4 + 1}\n" for i, name in enumerate(names))
                                 + "proline; raw,2\nid,9\n")
    Path("start.txt").write_text("alcohol\nash\nhue\n")
    options = ["--must-include", "hue", "--exclude", "*phenols", "--feature-groups", "(a).*", "--feature-costs",
               "costs.csv", "--objectives", "uar,cost,separability", "--max-features", "8", "--initial-subsets",
               "start.txt", "--sharing", "niche,sigma=0.1", "--max-cost", "9", "--rule", "best"]
    status, _, err = run(capsys, *SELECT, *options, "--quiet")
    assert status == 2 and "initial_subsets[0] must hold all features of a group or none" in err
    Path("start.txt").write_text("alcohol\nash\nhue\nalcalinity_of_ash\n")
    status, out, err = run(capsys, *SELECT, *options)
    assert status == 0, err
    front = ParetoFront.from_json("run/front.json")
    costs = np.array([*(i % 4 + 1.0 for i in range(len(names))), 2.0])
    np.testing.assert_allclose(front.cost, [costs[support].sum() for support in front.supports])
    for i in range(len(front)):
        features = set(front.features(i))
        assert "hue" in features and not any(name.endswith("phenols") for name in features) and len(features) <= 8
        assert len(features & {"alcohol", "ash", "alcalinity_of_ash"}) in (0, 3)
    chosen = Path("run/selected.txt").read_text().splitlines()
    within = front.cost <= 9
    assert front.features(int(np.argmax(np.where(within, front.score, 0)))) == chosen
    assert "Chosen by rule 'best', max_cost 9.0: " in out
    parameters = json.loads(Path("run/settings.json").read_text())["parameters"]
    assert parameters["must_include"] == ["hue"]
    assert parameters["exclude"] == ["total_phenols", "nonflavanoid_phenols"]
    assert parameters["feature_groups"] == {"a": ["alcohol", "ash", "alcalinity_of_ash"]}
    assert parameters["feature_costs"]["proline; raw"] == 2.0
    assert parameters["initial_subsets"] == [["alcohol", "ash", "hue", "alcalinity_of_ash"]]
    assert parameters["sharing"]["FitnessSharing"] == {"alpha": 1.0, "mode": "niche", "rank_normalisation": "mean",
                                                       "sigma": 0.1, "space": "decision"}


def test_a_cost_below_all_members_does_not_lose_the_search(wine, capsys):
    Path("costs.csv").write_text("feature,cost\n" + "".join(f"{name},1\n" for name in
                                                            [*wine.feature_names[:-1], "proline; raw"]))
    status, out, _ = run(capsys, *SELECT, "--feature-costs", "costs.csv", "--max-cost", "0.5")
    assert status == 0 and "Chosen, as no member costs at most 0.5: 1 feature, " in out
    assert run(capsys, *SELECT, "--force", "--max-cost", "1")[::2] == (
        2, "moeliga: error: --max-cost needs --feature-costs, got 1 alone\n")


def test_a_search_goes_on_from_its_checkpoint(wine, capsys):
    """With the same result as one that was never cut short."""
    assert run(capsys, *SELECT, "--quiet")[0] == 0
    saved = [*SELECT, "--out", "other", "--checkpoint", "search.npz,every=1", "--quiet"]
    assert run(capsys, *saved, "--max-evaluations", "300") == (0, "", "")
    assert len(read_csv("other/history.csv")) < 7
    assert run(capsys, *saved, "--force")[0] == 0
    assert Path("other/front.json").read_text() == Path("run/front.json").read_text()
    assert json.loads(Path("other/settings.json").read_text())["parameters"]["checkpoint"] == {
        "Checkpoint": {"every": 1, "path": "search.npz"}}


def test_groups_and_weights_reach_the_fit(wine, capsys):
    """Columns that belong to the samples are no features; the result is that of the same fit in Python."""
    groups, weight = np.arange(178) % 6, np.arange(178) % 3 + 1.0
    with open("grouped.csv", "w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*wine.feature_names, "class", "patient", "weight"])
        lines.writerows([*row, *rest] for row, *rest in zip(wine.data, wine.target, groups, weight, strict=True))
    status, _, err = run(
        capsys, "select", "grouped.csv", "--target", "class", "--groups", "patient", "--sample-weight", "weight",
        "--cv", "GroupKFold,n_splits=2", "--estimator", "GaussianNB,var_smoothing=1e-6", "--generations", "1",
        "--population", "24", "--local-improvement", "none", "--out", "run", "--n-jobs", "1", "--quiet")
    assert (status, err) == (0, "")
    selector = MOELIGASelector(GaussianNB(var_smoothing=1e-6), cv=GroupKFold(2), n_generations=1, population_size=24,
                               local_improvement=None, n_jobs=1, random_state=0)
    selector.fit(wine.data, wine.target, groups=groups, sample_weight=weight)
    front = ParetoFront.from_json("run/front.json")
    np.testing.assert_array_equal(front.supports, selector.pareto_front_.supports)
    np.testing.assert_array_equal(front.objectives, selector.pareto_front_.objectives)
    settings = json.loads(Path("run/settings.json").read_text())["parameters"]
    assert settings["estimator"] == {"sklearn.naive_bayes.GaussianNB": {"priors": None, "var_smoothing": 1e-6}}
    assert settings["cv"] == "GroupKFold(n_splits=2, random_state=None, shuffle=False)"
    status, _, err = run(capsys, *SELECT, "--force", "--groups", "hue")
    assert status == 2 and err.startswith("moeliga: error: groups must come with cv, ")


def test_held_out_samples_are_scored_and_shown(wine, capsys):
    """By the tree of the search, fitted to all samples of the search."""
    lines = Path("wine.csv").read_text().splitlines()
    Path("train.csv").write_text("\n".join(lines[:1] + lines[1::2]))
    Path("test.csv").write_text("\n".join(lines[:1] + lines[2::2]))
    argv = ["select", "train.csv", *SELECT[2:], "--test", "test.csv"]
    status, out, _ = run(capsys, *argv)
    front = ParetoFront.from_json("run/front.json")
    X, y = wine.data, wine.target
    scores = [recall_score(y[1::2], DecisionTreeClassifier(max_depth=100).fit(X[::2, mask], y[::2]).predict(
        X[1::2, mask]), average="macro") for mask in front.supports]
    held_out = json.loads(Path("run/settings.json").read_text())["held_out"]
    np.testing.assert_allclose(held_out["scores"], scores, rtol=1e-12)
    assert held_out["n_samples"] == 89 and held_out["file"] == "test.csv"
    chosen = [int(row["chosen"]) for row in read_csv("run/front.csv")].index(1)
    assert status == 0 and f"\nOn held-out samples: UAR {scores[chosen]:.3f}.\n" in out
    assert f"On held-out samples: UAR {scores[chosen]:.3f}." in run(capsys, "show", "run")[1]


@pytest.mark.parametrize("error, status, message", [
    (KeyboardInterrupt(), 130, "moeliga: interrupted; no held-out scores\n"),
    (ValueError("no\nway"), 1, "moeliga: error: no held-out scores: no way\n"),
])
def test_held_out_scores_that_fail_do_not_lose_the_search(wine, capsys, monkeypatch, error, status, message):
    def fail(*arguments, **params):
        raise error
    monkeypatch.setattr("moeliga.selection.held_out_scores", fail)
    got, _, err = run(capsys, *SELECT, "--test", "wine.csv", "--quiet")
    assert (got, err) == (status, message)
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)
    assert run(capsys, "show", "run")[0] == 0


def test_results_that_cannot_be_written_are_a_failure(wine, capsys, monkeypatch):
    """The command line was right, the disk is full."""
    def fail(*arguments):
        raise OSError(28, "No space left on device", "run/front.csv")
    monkeypatch.setattr("moeliga.selection.write_results", fail)
    assert run(capsys, *SELECT, "--quiet") == (1, "", "moeliga: error: run/front.csv: No space left on device\n")
    assert not Path("run").exists()


@pytest.mark.parametrize("header, cell, message", [
    ("ash", "class_0",
     "test.csv: the features must be those of wine.csv in the same order, got 'ash2' in place of 'ash'"),
    (None, "class_9", "test.csv: the classes must be among those of wine.csv, got 'class_9'"),
])
def test_held_out_samples_of_another_kind_are_refused(wine, capsys, header, cell, message):
    text = Path("wine.csv").read_text().replace("class_0", cell)
    Path("test.csv").write_text(text.replace(",ash,", ",ash2,", 1) if header else text)
    assert run(capsys, *SELECT, "--test", "test.csv") == (2, "", f"moeliga: error: {message}\n")


@pytest.mark.parametrize("name", ["wine.csv", "wine.npz"])
def test_the_program_of_the_report_selects_from_the_file(wine, capsys, name):
    """Columns by name from a table; from an array by place, where those before a dropped one keep their places."""
    names = np.array([*wine.feature_names[:-1], "proline; raw"])
    np.savez("wine.npz", X=wine.data, y=wine.target, feature_names=names)
    argv = ["--target", "class", "--drop", "id"] if name == "wine.csv" else []
    assert run(capsys, "select", name, *argv, "--drop", "malic_acid", "--out", "run", "--generations", "3", "--rule",
               "best", "--quiet")[0] == 0
    code = re.search(r"<code>(.*?)</code>", Path("run/report.html").read_text(encoding="utf-8"), re.DOTALL)[1]
    pd = pytest.importorskip("pandas")
    space = {"X": pd.read_csv("wine.csv") if name == "wine.csv" else wine.data}
    exec(html.unescape(code), space)
    chosen = np.isin(names, Path("run/selected.txt").read_text().splitlines())
    assert chosen.sum() > 1
    np.testing.assert_array_equal(space["X_selected"], wine.data[:, chosen])


# moeliga show


def test_show_tells_what_select_told(run_folder, capsys):
    """Front, choice and end, from the folder alone."""
    front = ParetoFront.from_json("run/front.json")
    status, out, err = run(capsys, "show", "run")
    lines = out.splitlines()
    assert (status, err) == (0, "") and len(lines) == 1 + len(front) + 4 + int(front.n_selected[chosen_of(lines)]) + 1
    assert re.search(r"^6 generations, [\d,]+ subsets evaluated, [\d.]+ s\.$", out, re.MULTILINE)
    assert "\nChosen by rule 'r1': " in out
    assert lines[-int(front.n_selected[chosen_of(lines)]):] == Path("run/selected.txt").read_text().splitlines()


def chosen_of(lines):
    """Place of the line with a star."""
    return next(i for i, line in enumerate(lines) if line.startswith("* ")) - 1


@pytest.mark.parametrize("options, arguments", [
    ([], {"rule": "r1"}),
    (["--rule", "knee"], {"rule": "knee"}),
    (["--rule", "best", "--max-features", "3"], {"rule": "best", "max_features": 3}),
    (["--max-features", "2"], {"rule": "r1", "max_features": 2}),
    (["--n-features", "2"], {"n_features": 2}),
    (["--index", "0"], {"index": 0}),
])
def test_show_chooses_as_the_front_does_and_writes_nothing(run_folder, capsys, options, arguments):
    before = {path.name: path.read_bytes() for path in run_folder.iterdir()}
    front = ParetoFront.from_json("run/front.json")
    index = front.choose(**arguments)
    status, out, _ = run(capsys, "show", "run", *options)
    assert status == 0 and chosen_of(out.splitlines()) == index
    told = json.loads(run(capsys, "show", "run", "--json", *options)[1])
    assert told["chosen"]["index"] == index and told["chosen"]["features"] == front.features(index)
    assert {path.name: path.read_bytes() for path in run_folder.iterdir()} == before


def test_show_json_is_the_front(run_folder, capsys):
    """For scripts: strict JSON, every number to the last digit."""
    front = ParetoFront.from_json("run/front.json")
    told = json.loads(run(capsys, "show", "run", "--json")[1], parse_constant=pytest.fail)
    assert [member["uar"] for member in told["front"]] == front.score.tolist()
    assert [member["features"] for member in told["front"]] == [front.features(i) for i in range(len(front))]
    assert told["stop_reason"] == "n_generations"


def test_show_writes_the_report_of_a_choice(run_folder, capsys):
    """The same file as that of select for its choice; another for another; none is overwritten."""
    assert run(capsys, "show", "run", "--html", "again.html") == (0, "", "")
    assert Path("again.html").read_bytes() == (run_folder / "report.html").read_bytes()
    assert run(capsys, "show", "run", "--html", "again.html") == (
        2, "", "moeliga: error: again.html exists; choose another name, or replace it with --force\n")
    assert run(capsys, "show", "run", "--rule", "best", "--html", "again.html", "--force") == (0, "", "")
    assert "Chosen by rule &#x27;best&#x27;: " in Path("again.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("argv, message", [
    (["absent"], "absent is not a folder of results"),
    (["."], "front.json: No such file or directory"),
    (["run", "--n-features", "13"], "n_features must be the size of a member of the front, got 13; "),
    (["run", "--index", "99"], "index must be in [0, "),
    (["run", "--max-cost", "2"], "max_cost must be None for a front without feature_costs, got 2.0"),
    (["run", "--rule", "middle"], "argument --rule: invalid choice: 'middle'"),
])
def test_show_refuses(run_folder, capsys, argv, message):
    status, out, err = run(capsys, "show", *argv)
    assert (status, out) == (2, "") and err.startswith(f"moeliga: error: {message}") and err.count("\n") == 1


@pytest.mark.parametrize("name, old, new, message", [
    ("front.json", '"format"', '"form"', "run/front.json: source must be a front that to_json has written: "),
    ("settings.json", '"chosen"', '"chose"', "run/settings.json: not written by moeliga select: 'chosen' is missing"),
    ("settings.json", '"index": ', '"index": null, "was": ',
     "run/settings.json: chosen.index must be an integer, got None"),
    ("settings.json", '"index": ', '"index": 9', "run/settings.json: index must be in [0, "),
    ("settings.json", '"stop_reason"', '"stop"', "run/settings.json: not written by moeliga select: 'stop_reason' is"),
    ("settings.json", "{", "", "run/settings.json: "),
    ("history.csv", "seconds", "hours", "run/history.csv: not written by moeliga select: 'seconds' is missing"),
    ("settings.json", '"stop_reason": ', '"stop_reason": 3, "x": ',
     "run/settings.json: stop_reason must be of type str, "
     "got 3"),
    ("settings.json", '"versions": {', '"versions": [], "x": {',
     "run/settings.json: versions must be of type dict, got []"),
    ("settings.json", "{", 100_000 * "[", "run/settings.json: "),
    ("history.csv", "\n0,", "\nzero,", "run/history.csv: generation must hold numbers, got ['zero', "),
    ("history.csv", "\n0,", "\n", "run/history.csv: row 0 must have 14 values, got 13"),
    ("history.csv", "hypervolume", '"hyper"',
     "run/history.csv: not written by moeliga select: 'hypervolume' is missing"),
    ("history.csv", "\n0,", "\n" + 200_000 * "0" + ",", "run/history.csv: field larger than field limit (131072)"),
])
def test_show_says_which_file_is_damaged(run_folder, capsys, request, name, old, new, message):
    request.addfinalizer(partial(csv.field_size_limit, csv.field_size_limit(131_072)))  # scipy.io.arff lifts it
    path = run_folder / name
    path.write_text(path.read_text().replace(old, new, 1))
    status, out, err = run(capsys, "show", "run")
    assert (status, out) == (2, "") and err.startswith(f"moeliga: error: {message}") and err.count("\n") == 1


def test_a_foreign_folder_cannot_steer_the_terminal(run_folder, capsys):
    """Names that would clear the screen, set a title, turn the text round or end the line are written out."""
    steering = {"\\u001b[2J": r"\x1b[2J", "\\u009b31m": r"\x9b31m", "\\u202e": r"\u202e", "\\n\\r": r"\n\r",
                "\\u0007": r"\x07", "\\u007f": r"\x7f"}
    path = run_folder / "front.json"
    names = json.loads(path.read_text())["feature_names"]
    for name, (escape, _) in zip(names, [*steering.items(), *steering.items(), ("é", "é")], strict=True):
        path.write_text(path.read_text().replace(f'"{name}"', f'"{name}{escape}"', 1))
    front = ParetoFront.from_json(path)
    for index in range(len(front)):
        status, out, err = run(capsys, "show", "run", "--index", str(index))
        assert (status, err) == (0, "")
        assert all(line.isprintable() for line in out.splitlines())
        assert len(out.splitlines()) == 1 + len(front) + 4 + int(front.n_selected[index]) + 1
        for name in front.features(index):
            assert name.encode("unicode_escape").decode("latin-1") in out or name in out
    Path("\x1b[2J.csv").write_text("a,y\n1,2\n")
    status, out, err = run(capsys, "select", "\x1b[2J.csv", "--target", "z", "--out", "other")
    assert (status, out) == (2, "") and err.startswith(r"moeliga: error: \x1b[2J.csv: no column 'z'; ")


# moeliga versions


def test_versions_and_version(capsys):
    assert run(capsys, "--version") == (0, f"moeliga {moeliga.__version__}\n", "")
    status, out, _ = run(capsys, "versions")
    assert status == 0 and f"\nmoeliga: {moeliga.__version__}\n" in out and "\nopenmp: " in out
