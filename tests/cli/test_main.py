"""The command line: the demo, what is refused, what is printed where, and how commands end."""

import errno
import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENVIRONMENT, PNG, SELECT, run
from sklearn.tree import ExtraTreeClassifier

import moeliga
from moeliga import MOELIGASelector
from moeliga.cli.run_folder import FILES, results_folder
from moeliga.results.text import shorten

# moeliga demo


@pytest.mark.slow
def test_demo_ends_with_the_honest_table_and_held_out_scores(tmp_path):
    """The real command, as installed: little more than a screen, which says what it found; and a plot."""
    program = Path(sys.executable).with_name("moeliga")
    done = subprocess.run([program, "demo"], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8",
                          env={**ENVIRONMENT, "MPLCONFIGDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    text, lines = done.stdout, done.stdout.splitlines()
    assert "The fit sees 1257 samples; the other 540, stratified by class, are held out." in text
    assert re.search(r"^60 generations, [\d,]+ subsets evaluated by 6 searches, the one on all samples in [\d.]+ s\.$",
                     text, re.MULTILINE)
    assert f"Plot of the front: {Path('moeliga-demo', 'front.png')}" in lines
    chosen, = re.findall(r"^\* no_loss +(\d+) +\w+ +(0\.\d{3}) (0\.\d{3}) to ([01]\.\d{3})  ", text, re.MULTILINE)
    size, score, low, high = map(float, chosen)
    assert size < 64 and 0.9 < low < score < high <= 1
    assert f"{size:.0f} of 64 features, honest UAR {score:.3f} ({low:.3f} to {high:.3f}), all" in " ".join(lines)
    found = re.search(r"^On the 540 samples held out, .*: UAR (0\.\d{3}) ± (0\.\d{3}), which agrees with the\n"
                      r"honest score; all features 0\.\d{3} ± 0\.\d{3} \(standard errors\)\.\n$", text, re.MULTILINE)
    held_out, error = map(float, found.groups())
    assert low - 1.7 * error < held_out < high + 1.7 * error
    assert len(lines) <= 28 and max(map(len, lines)) <= 100
    assert done.stderr.splitlines()[-1].startswith(
        f"moeliga: rule 'no_loss': {size:.0f} of 64 features, honest UAR {score:.3f} (")
    assert (tmp_path / "moeliga-demo" / "front.png").read_bytes().startswith(PNG)


@pytest.fixture
def short_search(monkeypatch):
    """The selector with a few generations and samples, for what does not depend on how good the search is."""
    fit, short = MOELIGASelector.fit, {"n_generations": 3, "honest": 2, "estimator": ExtraTreeClassifier()}
    monkeypatch.setattr(MOELIGASelector, "fit", lambda self, X, y: fit(self.set_params(**short), X[:300], y[:300]))


@pytest.mark.slow
def test_demo_overwrites_nothing(tmp_path, capsys, short_search):
    for name in ("front.png", "front-2.png"):
        (tmp_path / name).write_text("mine")
    status, out, _ = run(capsys, "demo", "--out", str(tmp_path), "--seed", "3", "--n-jobs", "1")
    assert status == 0 and f"\nPlot of the front: {tmp_path / 'front-3.png'}\n" in out
    assert {(tmp_path / name).read_text() for name in ("front.png", "front-2.png")} == {"mine"}


@pytest.mark.slow
def test_demo_without_matplotlib_and_tqdm_says_how_to_get_the_plot(tmp_path, capsys, short_search, monkeypatch):
    for name in ("matplotlib", "matplotlib.figure", "tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    status, out, _ = run(capsys, "demo", "--out", str(tmp_path))
    assert status == 0 and "\nNo plot: front.png needs matplotlib: pip install 'moeliga[plot]'\n" in out
    assert "generation    3/3" in out and "\nfold 1/2  done\nfold 2/2  done\n" in out
    assert list(tmp_path.iterdir()) == []


def test_demo_refuses_a_folder_that_it_cannot_make(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert run(capsys, "demo", "--out", str(tmp_path / "file" / "sub")) == (
        2, "", f"moeliga: error: {tmp_path / 'file' / 'sub'}: Not a directory\n")


# what is refused


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
     "--rule one_se needs standard errors, which the preset 'paper' does not give: set "
     "--n-rescore-splits to at least 2"),
    (["--rule", "best", "--margin", "1"], "--margin must be given with the rule no_loss only, got 1 with 'best'"),
    (["--rule", "builtins.len", "--feature-costs", "costs.csv", "--max-cost", "1"],
     "--max-cost must not be given with a function as --rule, which has its own way to choose"),
    (["--estimator", "GaussianNB"], "--estimator must be a tree of moeliga with --honest none, as no model is "
     "deployed then; to guide the search by another model, give --judge and --sizes none"),
    (["--drop", "name"], "wine.csv: no column to drop is called 'name'; there are 15 columns: id, alcohol, malic_acid, "
     "ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids, ..."),
    (["--separator", "|"], "wine.csv: no column 'class'; there is 1 column: id,alcohol,malic_acid,ash,alcalinity_of_"
     "...; try --separator ','"),
    (["--out", "wine.csv"], "wine.csv is not a folder"),
    (["--out", "wine.csv/sub"], "wine.csv/sub: Not a directory"),
    (["--n-jobs", "0"], "--n-jobs must be None or an integer other than 0, got 0"),
])
def test_wrong_options_are_refused_before_the_search(wine_csv, capsys, options, message):
    """The error is one line, the status is 2, and there is no folder."""
    status, _, err = run(capsys, *SELECT, *options)
    assert (status, err) == (2, f"moeliga: error: {message}\n")
    assert not Path("run").exists()


@pytest.mark.parametrize("argv, message", [
    ([], "the following arguments are required: COMMAND"),
    (["select"], "the following arguments are required: --out"),
    (["select", "--out", "run"], "the following arguments are required: FILE"),
    (["select", "--target", "y", "--out", "run", "--drop", "a", "b"], "the following arguments are required: FILE"),
    (["select", "absent.csv", "--target", "y", "--out", "run"], "absent.csv: No such file or directory"),
    (["select", "wine.csv", "--out", "run"], "wine.csv: name the column of the target (--target); there are 15 "
     "columns: id, alcohol, malic_acid, ash, alcalinity_of_ash, magnesium, total_phenols, flavanoids, ..."),
    (["select", "one.csv", "--target", "y", "--out", "run"],
     "one.csv: the target must have at least 2 classes, got 1 class: 1"),
    (["select", "row.csv", "--target", "y", "--out", "run"],
     "Found array with 1 sample(s) (shape=(1, 1)) while a minimum of 2 is required by MOELIGASelector."),
])
def test_wrong_input_is_refused(wine_csv, capsys, argv, message):
    Path("one.csv").write_text("a,y\n1,1\n2,1\n")
    Path("row.csv").write_text("a,y\n1,1\n")
    status, _, err = run(capsys, *argv)
    assert (status, err) == (2, f"moeliga: error: {message}\n")
    assert not Path("run").exists()


def test_labels_without_classes_are_refused(wine_csv, capsys):
    argv = ["select", "wine.csv", "--target", "alcohol", "--drop", "id", "--drop", "class", "--out", "run"]
    status, _, err = run(capsys, *argv)
    assert (status, err) == (2, "moeliga: error: wine.csv: the target must hold class labels, got numbers such as "
                                "14.23; for a continuous target give --estimator moeliga.RandomForestRegressor or "
                                "another regressor, for classes write text\n")
    Path("test.csv").write_text(Path("wine.csv").read_text().replace("14.23", "15.5"))
    status, out, _ = run(capsys, *argv, "--estimator", "moeliga.DecisionTreeRegressor", "--honest", "none",
                         "--generations", "1", "--test", "test.csv")
    assert status == 0 and out.startswith("wine.csv: 178 samples, 12 features, a continuous target.\n")
    assert "\nOn held-out samples: R2 " in out


@pytest.mark.parametrize("header, cell, message", [
    ("ash", "class_0",
     "test.csv: must have the features of wine.csv, got no 'ash'"),
    (None, "class_9", "test.csv: the classes must be among those of wine.csv, got 'class_9'"),
])
def test_held_out_samples_of_another_kind_are_refused(wine_csv, capsys, header, cell, message):
    text = Path("wine.csv").read_text().replace("class_0", cell)
    Path("test.csv").write_text(text.replace(",ash,", ",ash2,", 1) if header else text)
    assert run(capsys, *SELECT, "--test", "test.csv") == (2, "", f"moeliga: error: {message}\n")


# how it ends


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process on Windows")
@pytest.mark.parametrize(("number", "status", "name"), [(signal.SIGINT, 130, "Ctrl-C"),
                                                        (signal.SIGTERM, 143, "SIGTERM")])
def test_a_signal_keeps_the_front_so_far(wine_csv, number, status, name):
    program = ("import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # also in background
               "from moeliga.cli.main import main; sys.exit(main(sys.argv[1:]))")
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
    assert f"\nWritten to run: {', '.join(FILES)}.\n" in out
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)


def test_a_second_ctrl_c_aborts(wine_csv, capsys, monkeypatch):
    """The second one reaches the command as KeyboardInterrupt."""
    def fit(self, X, y):
        assert list(Path("run").iterdir())
        raise KeyboardInterrupt
    monkeypatch.setattr(MOELIGASelector, "fit", fit)
    assert run(capsys, *SELECT, "--quiet") == (130, "", "moeliga: interrupted\n")
    assert not Path("run").exists()


@pytest.mark.parametrize("error, status, message", [
    (ZeroDivisionError("division by zero"), 1, "moeliga: failed: ZeroDivisionError: division by zero\n"),
    (MemoryError("no more"), 1, "moeliga: failed: MemoryError: no more\n"),
    (ValueError("X must be\nfinite"), 2, "moeliga: error: wine.csv: the features must be finite\n"),
    (OSError(28, "No space left on device", "run/x"), 1, "moeliga: error: run/x: No space left on device\n"),
])
def test_failures_and_wrong_input_have_their_own_status(wine_csv, capsys, monkeypatch, error, status, message):
    """An error that no command line can avoid comes with a traceback, for a bug report."""
    def fit(self, X, y):
        raise error
    monkeypatch.setattr(MOELIGASelector, "fit", fit)
    got, _, err = run(capsys, *SELECT)
    assert got == status and err.endswith(message)
    assert ("Traceback" in err) == isinstance(error, ZeroDivisionError | MemoryError)
    assert not Path("run").exists()


def test_results_that_cannot_be_written_are_a_failure(wine_csv, capsys, monkeypatch):
    """The command line was right, the disk is full."""
    def fail(*arguments):
        raise OSError(28, "No space left on device", "run/front.csv")
    monkeypatch.setattr("moeliga.cli.select.write_results", fail)
    assert run(capsys, *SELECT, "--quiet") == (1, "", "moeliga: error: run/front.csv: No space left on device\n")
    assert not Path("run").exists()


@pytest.mark.quick(1)
@pytest.mark.parametrize("error, status, message", [
    (KeyboardInterrupt(), 130, "moeliga: interrupted; no held-out scores\n"),
    (ValueError("no\nway"), 1, "moeliga: error: no held-out scores: no way\n"),
])
def test_held_out_scores_that_fail_do_not_lose_the_search(wine_csv, capsys, monkeypatch, error, status, message):
    def fail(*arguments, **params):
        raise error
    monkeypatch.setattr("moeliga.cli.select.held_out_scores", fail)
    got, _, err = run(capsys, *SELECT, "--test", "wine.csv", "--quiet")
    assert (got, err) == (status, message)
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)
    assert run(capsys, "show", "run")[0] == 0


def test_a_plot_that_fails_does_not_lose_the_search(wine_csv, capsys, monkeypatch):
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *arguments: 1 / 0)
    status, out, _ = run(capsys, *SELECT)
    assert status == 0 and "\nNo plot: front.png could not be drawn: division by zero\n" in out
    assert Path("run/front.csv").exists()


def test_a_failure_leaves_no_file(tmp_path):
    """There are neither partial results nor a new folder; earlier results stay unchanged."""
    for folder in (tmp_path / "new" / "run", tmp_path):
        (tmp_path / "front.csv").write_text("old")
        with pytest.raises(ZeroDivisionError), results_folder(folder, force=True) as staging:
            (staging / "front.csv").write_text("half")
            raise ZeroDivisionError
        assert (tmp_path / "front.csv").read_text() == "old"
        assert not (tmp_path / "new" / "run").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["front.csv", "new"]


def test_a_run_that_is_under_way_keeps_its_folder(tmp_path):
    """It counts as a file of the folder; with --force both write, and the last one stays."""
    with results_folder(tmp_path) as first:
        (first / "front.csv").write_text("first")
        with pytest.raises(ValueError, match="is not empty"), results_folder(tmp_path):
            pass
        with results_folder(tmp_path, force=True) as second:
            (second / "front.csv").write_text("second")
            assert (first / "front.csv").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["front.csv"]
    assert (tmp_path / "front.csv").read_text() == "first"


def left_by_the_dead(path):
    """Make a folder like that of a run that was killed."""
    path.mkdir()
    with pytest.raises(ZeroDivisionError), results_folder(path) as staging:
        (staging / "front.csv").write_text("half")
        shutil.copytree(path, path.parent / "copy")
        raise ZeroDivisionError
    path.rmdir()
    (path.parent / "copy").rename(path)


def test_what_dead_runs_have_left_is_removed(tmp_path):
    """A lock without a folder is ignored too."""
    path = tmp_path / "run"
    left_by_the_dead(path)
    assert len(list(path.iterdir())) == 2
    with results_folder(path):
        assert len(list(path.glob(".unfinished-*"))) == 1
    assert not list(path.iterdir())
    (path / ".moeliga-0123456789abcdef.lock").touch()
    with results_folder(path):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="locks of POSIX")
def test_where_there_are_no_locks_nobody_is_taken_for_dead(tmp_path, monkeypatch):
    def refused(*arguments):
        raise OSError(errno.ENOLCK, "No locks available")
    left_by_the_dead(tmp_path / "run")
    monkeypatch.setattr("fcntl.flock", refused)
    with pytest.raises(ValueError, match="is not empty"), results_folder(tmp_path / "run"):
        pass
    assert list((tmp_path / "run").glob(".unfinished-*"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise on Windows")
def test_a_reader_that_has_enough_is_no_error(run_folder):
    """For example `moeliga show run | head -1`."""
    program = "from moeliga.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen([sys.executable, "-c", program, "show", "run"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait(60) == 141


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pipes break otherwise on Windows")
def test_results_are_written_though_nobody_reads_the_output(wine_csv):
    """Even the first line, before the search, may have no reader."""
    program = "from moeliga.cli.main import main; import sys; sys.exit(main(sys.argv[1:]))"
    with subprocess.Popen([sys.executable, "-c", program, *SELECT], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=ENVIRONMENT) as process:
        process.stdout.close()
        told = process.stderr.read()
        assert process.wait(60) == 0, told
    assert b"BrokenPipe" not in told
    assert Path("run/front.json").exists()


# what is printed


def test_progress_goes_to_standard_error_and_results_to_standard_output(wine_csv, capsys, monkeypatch):
    """This is also so without tqdm, when lines replace the bar."""
    for name in ("tqdm", "tqdm.auto"):
        monkeypatch.setitem(sys.modules, name, None)
    status, out, err = run(capsys, *SELECT)
    assert status == 0 and "generation    6/6" in err and "generation    6/6" not in out and "Chosen by" in out


def test_quiet_prints_nothing(wine_csv, capsys):
    assert run(capsys, *SELECT, "--quiet") == (0, "", "")


@pytest.mark.slow
def test_the_package_is_the_program(capsys):
    """`python -m moeliga`: the same output and status."""
    for arguments in (["versions"], ["show", "nowhere"], ["select", "--help"]):
        command = [sys.executable, "-m", "moeliga", *arguments]
        there = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
        status, out, err = run(capsys, *arguments)
        assert (there.returncode, there.stderr) == (status, err)
        assert there.stdout == out or arguments == ["select", "--help"]  # as wide as the terminal
        assert there.stdout[:40] == out[:40]


def test_versions_and_version(capsys):
    assert run(capsys, "--version") == (0, f"moeliga {moeliga.__version__}\n", "")
    status, out, _ = run(capsys, "versions")
    assert status == 0 and f"\nmoeliga: {moeliga.__version__}\n" in out and "\nopenmp: " in out


@pytest.mark.parametrize("width", [1, 5, 17, 18, 40, 400])
@pytest.mark.parametrize("n", [1, 2, 9, 10, 11, 40, 300])
def test_as_many_names_as_fit_are_shown(rng, width, n):
    """The result is that of leaving out one name after the other."""
    names = ["x" * size for size in rng.integers(0, 9, size=n)]
    fitting = [text for shown in range(n, 0, -1) if len(text := ", ".join(names[:shown]) + (
        f", + {n - shown}" if shown < n else "")) <= width or shown == 1]
    assert shorten(names, width) == fitting[0]


def test_lists_of_names_are_cut_to_the_width():
    assert shorten(["alpha", "beta", "gamma"], 18) == "alpha, beta, gamma"
    assert shorten(["alpha", "beta", "gamma"], 17) == "alpha, beta, + 1"
    assert shorten(["alpha", "beta", "gamma"], 5) == "alpha, + 2"


@pytest.mark.slow
def test_held_out_samples_may_have_columns_elsewhere(wine_csv, capsys):
    """They may also have further columns: the features are found by their names."""
    lines = [line.split(",") for line in Path("wine.csv").read_text().splitlines()]
    Path("test.csv").write_text("\n".join(
        ",".join((*line[::-1], "more" if place == 0 else "7")) for place, line in enumerate(lines)))
    said = [run(capsys, *SELECT, "--test", name, "--force", "--quiet", "--out", name[:4]) for name in (
        "wine.csv", "test.csv")]
    assert [status for status, _, _ in said] == [0, 0]
    held_out = [json.loads(Path(folder, "settings.json").read_text())["held_out"]["scores"] for folder in (
        "wine", "test")]
    assert held_out[0] == held_out[1]


@pytest.mark.slow
def test_a_rule_beside_a_size_is_refused_in_show_too(wine_csv, capsys):
    assert run(capsys, *SELECT, "--quiet")[0] == 0
    for option in ("--index", "--n-features"):
        status, _, err = run(capsys, "show", SELECT[SELECT.index("--out") + 1], option, "1", "--rule", "best")
        assert status == 2
        assert err == f"moeliga: error: --rule cannot be combined with {option}, which chooses without a rule\n"


@pytest.mark.slow
def test_a_margin_stays_beside_its_rule(wine_csv, capsys):
    chosen = []
    for more in ([], ["--rule", "no_loss"]):
        argv = [*SELECT, "--estimator", "GaussianNB", "--honest", "2", "--margin", "1000", *more, "--force", "--json"]
        status, out, _ = run(capsys, *[word for word in argv if word != "--json"])
        assert status == 0 and "NoLoss(margin=1000" in out
        chosen.append(next(line for line in out.splitlines() if line.startswith("Chosen by")))
    assert chosen[0] == chosen[1]
