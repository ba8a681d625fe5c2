"""`moeliga select`: what it writes and prints, and what reaches the search."""

import csv
import hashlib
import html
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from commands import DATA, PNG, SELECT, read_csv, run
from sklearn.metrics import recall_score
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB

import moeliga
from moeliga import DecisionTreeClassifier, FitnessSharing, ParetoFront
from moeliga.base.signals import Stopping
from moeliga.cli.main import build_parser
from moeliga.cli.run_folder import FILES, results_folder
from moeliga.cli.select import choose, read_tables, score_held_out
from single_search import single_search


def test_select_writes_the_result(wine_csv, capsys, pictures):
    """Files hold what the selector found, to the last digit."""
    status, out, _ = run(capsys, *SELECT, "--n-jobs", "1", "--seed", "5")
    assert status == 0
    selector = single_search(rule="no_loss", n_generations=6, random_state=5).fit(wine_csv.data, wine_csv.target)
    front, names = selector.pareto_front_, np.array([*wine_csv.feature_names[:-1], "proline; raw"])
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
    assert Path("run/report.html").read_text().count("data:image/svg") == 4
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)
    chosen = selector.index_
    assert re.sub(r"[\d.]+ s\.", "S s.", out) == (
        "wine.csv: 178 samples, 13 features, 3 classes.\n"
        f"6 generations, {selector.n_evaluations_:,} subsets evaluated, S s.\n"
        "Written to run: front.csv, front.json, selected.txt, history.csv, settings.json, report.html, front.png.\n"
        f"Pareto front: {len(front)} subsets of {front.n_selected[0]} to {front.n_selected[-1]} features.\n"
        f"Chosen by rule 'no_loss': {front.n_selected[chosen]} of 13 features, UAR {front.score[chosen]:.3f} ± "
        f"{front.score_se[chosen]:.3f} in the search, too high for new samples.\n")


def test_names_are_written_as_the_file_has_them(wine_csv, capsys):
    """They keep their spaces; a test file may have other spaces around them, and options may omit these."""
    head, rows = Path("wine.csv").read_text().split("\n", 1)
    Path("spaced.csv").write_text(f"{head.replace(',', ', ')}\n{rows}")
    options = ["--target", "class", "--drop", "id", "--must-include", "ash", "--seed", "5", *SELECT[8:], "--quiet"]
    assert run(capsys, "select", "wine.csv", *options, "--out", "plain", "--test", "spaced.csv")[0] == 0
    assert run(capsys, "select", "spaced.csv", *options, "--out", "spaced", "--test", "wine.csv")[0] == 0
    names = Path("spaced/selected.txt").read_text().splitlines()
    assert " ash" in names and set(names) <= set(head.replace(",", ", ").split(","))
    assert [name.strip() for name in names] == Path("plain/selected.txt").read_text().splitlines()
    assert "&#x27; ash&#x27;" in Path("spaced/report.html").read_text()  # the program in the report
    scores = [json.loads(Path(folder, "settings.json").read_text())["held_out"]["scores"] for folder in
              ("plain", "spaced")]
    assert scores[0] == scores[1]


def test_settings_say_all_that_is_needed_to_repeat_the_run(wine_csv, capsys):
    options = ["--population", "30", "--n-splits", "2", "--local-improvement", "none", "--rule", "knee", "--seed", "7",
               "--max-time", "60.5", "--max-evaluations", "5000", "--preset", "paper", "--n-jobs", "2", "--quiet"]
    assert run(capsys, *SELECT, *options) == (0, "", "")
    settings = json.loads(Path("run/settings.json").read_text())
    assert settings["command"].split()[:4] == ["moeliga", "select", "wine.csv", "--target"]
    assert settings["sha256"] == hashlib.sha256(Path("wine.csv").read_bytes()).hexdigest()
    assert (settings["file"], settings["seed"], settings["stop_reason"]) == ("wine.csv", 7, "n_generations")
    assert settings["versions"]["moeliga"] == moeliga.__version__
    wanted = {"n_generations": 6, "population_size": 30, "evaluation.n_splits": 2, "local_improvement": None,
              "rule": "knee", "random_state": 7, "max_time": 60.5, "max_evaluations": 5000, "n_jobs": 2,
              "archive": False, "evaluation.n_rescore_splits": 0, "verbose": 0,
              "survival.sharing.rank_normalisation": "sum"}
    assert wanted == {path: settings["parameters"][path] for path in wanted}
    assert {row["score_se"] for row in read_csv("run/front.csv")} == {""}


@pytest.mark.slow
def test_npz_and_csv_give_the_same_front(wine_csv, capsys):
    np.savez("wine.npz", X_train=wine_csv.data, y_train=wine_csv.target, classes=wine_csv.target_names,
             feature_names=[*wine_csv.feature_names[:-1], "proline; raw"])
    assert run(capsys, *SELECT)[0] == 0
    assert run(capsys, "select", "wine.npz", "--out", "other", *SELECT[8:], "--n-jobs", "1")[0] == 0
    for name in ("front.csv", "selected.txt"):
        assert Path("run", name).read_text() == Path("other", name).read_text()


@pytest.mark.slow
def test_warnings_are_lines_with_their_numbers(wine_csv, capsys):
    """There is one for each kind, and none with --quiet; --scale does what the warning recommends."""
    Path("wine.csv").write_text(Path("wine.csv").read_text().replace("class_2", "class_9", 1))
    few = [*DATA, "--honest", "2", "--sizes", "none", "--generations", "1", "--population", "8", "--n-rescore-splits",
           "2", "--force", "--n-jobs", "1", "--n-splits", "1", "--estimator", "LogisticRegression,C=0.01,max_iter=25"]
    status, _, err = run(capsys, *few)
    lines = [line for line in err.splitlines() if line.startswith("moeliga: warning: ")]
    assert status == 0 and lines[0] == ("moeliga: warning: y has 1 class of one sample ('class_9'): no validation "
                                        "part holds it, so UAR does not count this class")
    counted = re.compile(r"moeliga: warning: ConvergenceWarning: lbfgs failed to converge .* \([\d,]+ times\)")
    assert sum(bool(counted.fullmatch(line)) for line in lines) == 1
    assert "Warning:" not in "".join(set(err.splitlines()) - set(lines))
    assert run(capsys, *few, "--quiet") == (0, "", "")
    assert "Convergence" not in run(capsys, *few, "--scale")[2]
    parameters = json.loads(Path("run/settings.json").read_text())["parameters"]
    assert "StandardScaler" in str(parameters["estimator"])


@pytest.mark.slow
def test_signs_that_no_font_has_are_a_line(wine_csv, capsys, pictures):
    """It is one line for plots and reports, and none with --quiet."""
    header, *rows = Path("wine.csv").read_text().splitlines(keepends=True)
    Path("wine.csv").write_text("".join([header.replace("o", "\u65e5"), *rows]), encoding="utf-8")
    few = [*SELECT, "--force", "--sizes", "none", "--generations", "1"]
    show = ["show", "run", "--html", "report.html"]
    for command in (few, show):
        status, _, err = run(capsys, *command)
        lines = [line for line in err.splitlines() if "Glyph" in line]
        assert status == 0
        assert lines and all(re.fullmatch(r"moeliga: warning: Glyph .* missing from .*", line) for line in lines)
    assert run(capsys, *few, "--quiet") == (0, "", "")


@pytest.mark.quick(1)
@pytest.mark.parametrize("guide", [["--estimator", "GaussianNB"], ["--honest", "none", "--judge", "GaussianNB"]],
                         ids=["deployed", "judge"])
def test_missing_values_are_told_by_the_names_of_the_file(wine_csv, capsys, guide):
    """The message says what the command can do."""
    rows = [f"{i},{i % 3},{'' if i < 2 else i},{i % 2}\n" for i in range(20)]
    Path("holes.csv").write_text("".join(["a,b,c,y\n", *rows]))
    assert run(capsys, "select", "holes.csv", "--target", "y", "--out", "run", "--quiet", *guide) == (
        2, "", "moeliga: error: holes.csv: features must have no missing values for GaussianNB(), got some in 1 column "
        "('c'): fill them, leave these columns out with --drop, or take another model, as the default ones take "
        "missing values\n")
    assert run(capsys, "select", "holes.csv", "--target", "y", "--out", "run", "--quiet", "--drop", "c",
               "--generations", "1", *guide)[0] == 0


@pytest.mark.parametrize("options, message", [
    ([], "--scale needs an --estimator: a tree does not depend on the scale of features"),
    (["--estimator", "GaussianNB", "--sample-weight", "ash"],
     "--scale must not be given with --sample-weight, which a pipeline does not pass on")])
def test_scale_is_for_an_estimator(wine_csv, capsys, options, message):
    assert run(capsys, *SELECT, "--scale", *options) == (2, "", f"moeliga: error: {message}\n")


@pytest.mark.slow
def test_n_features_chooses_the_nearest_size(wine_csv, capsys):
    """A size that the front lacks must not lose the search."""
    for wanted, how in ((2, "Chosen by n_features 2: 2 of 13 features, "), (13, ", as no member has 13: ")):
        status, out, _ = run(capsys, *SELECT, "--force", "--n-features", str(wanted))
        assert status == 0 and how in out
        sizes = [int(row["n_selected"]) for row in read_csv("run/front.csv")]
        chosen = Path("run/selected.txt").read_text().splitlines()
        assert len(chosen) == max(size for size in sizes if size <= wanted)


def test_earlier_results_are_replaced_only_by_force(wine_csv, capsys, monkeypatch):
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
    assert status == 0 and (
        "\nWritten to run: front.csv, front.json, selected.txt, history.csv, settings.json, report.html.\n"
        "No plot: front.png needs matplotlib: pip install 'moeliga[plot]'\n") in out
    assert sorted(path.name for path in Path("run").iterdir()) == sorted([*FILES[:-1], "notes.txt"])


def test_a_folder_is_not_replaced(wine_csv, capsys):
    """The error comes before the search, and nothing else is replaced."""
    Path("run/report.html").mkdir(parents=True)
    Path("run/front.json").write_text("old")
    assert run(capsys, *SELECT, "--force")[::2] == (
        2, "moeliga: error: run/report.html is a folder, which the results must not replace; move it away\n")
    assert Path("run/front.json").read_text() == "old"


def test_features_of_a_test_file_go_by_their_names(tmp_path):
    """In whatever order they are, and among whatever others."""
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("a,b,y\n1,2,p\n3,4,q\n")
    other.write_text("more,b,y,a\n9,20,q,10\n")
    arguments = build_parser().parse_args(["select", str(one), "--target", "y", "--test", str(other), "--out", "run"])
    table, test = read_tables(arguments, {}, False)
    assert (table.X.tolist(), test.X.tolist()) == ([[1.0, 2.0], [3.0, 4.0]], [[10.0, 20.0]])
    assert table.feature_names.tolist() == test.feature_names.tolist() == ["a", "b"]


@pytest.mark.parametrize(("size", "limit", "chosen"), [
    (2, 4.0, {"n_features": 1, "max_cost": 4.0}), (9, 4.0, {"n_features": 3, "max_cost": 4.0}),
    (2, 0.5, {"index": 0})])
def test_the_nearest_size_is_one_that_can_be_paid_for(size, limit, chosen):
    """A larger one that costs too much is none of those to choose from."""
    front, asked = SimpleNamespace(n_selected=np.array([1, 2, 3]), cost=np.array([1.0, 9.0, 3.0])), []
    selector = SimpleNamespace(pareto_front_=front, select=lambda **how: asked.append(how), index_=0,
                               _chosen=SimpleNamespace(how="a size"))
    choose(selector, SimpleNamespace(n_features=size, max_cost=limit))
    assert asked == [chosen]


def test_a_folder_made_during_the_search_is_not_replaced(tmp_path):
    """And no other result is."""
    path = tmp_path / "run"
    path.mkdir()
    (path / "front.csv").write_text("old")
    with pytest.raises(ValueError, match="report.html is a folder"), results_folder(path, force=True) as staging:
        for name in FILES:
            Path(staging, name).write_text("new")
        (path / "report.html").mkdir()
    assert sorted(path.iterdir()) == [path / "front.csv", path / "report.html"]
    assert (path / "front.csv").read_text() == "old"


def test_numbers_of_a_test_file_are_text_where_the_labels_are(wine_csv, capsys):
    Path("train.csv").write_text("a,y\n" + "".join(f"{row % 3},{row % 3 if row % 3 < 2 else 'unknown'}\n"
                                                   for row in range(30)))
    Path("test.csv").write_text("a,y\n0,0\n1,1\n")
    argv = ["--target", "y", "--out", "run", "--generations", "1", "--honest", "none", "--sizes", "none"]
    assert run(capsys, "select", "train.csv", *argv, "--test", "test.csv")[0] == 0
    held_out = json.loads(Path("run/settings.json").read_text())["held_out"]
    assert held_out["n_samples"] == 2 and held_out["scores"] == [1.0]


def test_a_front_of_one_size_is_told_in_the_singular(wine_csv, capsys):
    Path("one.csv").write_text("a,y\n1,0\n2,1\n1,0\n2,1\n")
    argv = ["--target", "y", "--out", "run", "--generations", "1", "--honest", "none", "--sizes", "none"]
    status, out, _ = run(capsys, "select", "one.csv", *argv)
    assert status == 0 and out.startswith("one.csv: 4 samples, 1 feature, 2 classes.\n")
    assert ("\nPareto front: 1 subset of 1 feature.\nChosen by rule 'no_loss': 1 of 1 feature, UAR 1.000 in the search"
            in out)


def test_a_search_cut_short_says_so(wine_csv, capsys):
    status, out, _ = run(capsys, *SELECT, "--max-evaluations", "300")
    assert status == 0 and "\nStopped early by --max-evaluations after 1 generation, 270 subsets evaluated, " in out


@pytest.mark.slow
def test_all_formats_give_the_same_front(wine_csv, capsys, run_folder):
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


def test_constraints_and_costs_reach_the_search(wine_csv, capsys):
    """Groups by pattern and file, patterns of names, costs, a subset to start from: in the front, and by name in the
    settings."""
    names = wine_csv.feature_names[:-1]
    Path("costs.csv").write_text("feature,cost\n" + "".join(f"{name},{i % 4 + 1}\n" for i, name in enumerate(names))
                                 + "proline; raw,2\nid,9\n")
    Path("start.txt").write_text("alcohol\nash\nhue\n")
    options = ["--must-include", "hue", "--exclude", "*phenols", "--feature-groups", "(a).*", "--feature-costs",
               "costs.csv", "--objectives", "uar,cost,separability", "--max-features", "8", "--initial-subsets",
               "start.txt", "--survival", "moga,n_elite=4,sharing=niche,sharing__sigma=0.1", "--max-cost", "9",
               "--rule", "best"]
    status, _, err = run(capsys, *SELECT, *options, "--quiet")
    assert status == 2 and "init.subsets[0] must hold all features of a group or none" in err
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
    of_rule = front.n_selected[front.choose("best")]  # progress ends before the limit chooses, and says by what
    assert f"\nmoeliga: rule 'best': {of_rule} of {len(costs)} features, " in err
    parameters = json.loads(Path("run/settings.json").read_text())["parameters"]
    assert parameters["constraints.must_include"] == ["hue"]
    assert parameters["constraints.exclude"] == ["total_phenols", "nonflavanoid_phenols"]
    assert parameters["constraints.groups"] == {"a": ["alcohol", "ash", "alcalinity_of_ash"]}
    assert parameters["constraints.costs"]["proline; raw"] == 2.0
    assert parameters["init.subsets"] == [["alcohol", "ash", "hue", "alcalinity_of_ash"]]
    sharing = {name: value for name, value in parameters.items() if name.startswith("survival.sharing.")}
    assert sharing == {f"survival.sharing.{name}": value for name, value in FitnessSharing(
        mode="niche", sigma=0.1).get_params().items()} and parameters["survival.n_elite"] == 4


@pytest.mark.slow
def test_a_cost_below_all_members_does_not_lose_the_search(wine_csv, capsys):
    Path("costs.csv").write_text("feature,cost\n" + "".join(f"{name},1\n" for name in
                                                            [*wine_csv.feature_names[:-1], "proline; raw"]))
    status, out, _ = run(capsys, *SELECT, "--feature-costs", "costs.csv", "--max-cost", "0.5")
    assert status == 0 and ", as no member costs at most 0.5: 1 of 13 features, " in out
    assert run(capsys, *SELECT, "--force", "--max-cost", "1")[::2] == (
        2, "moeliga: error: --max-cost needs --feature-costs, got 1 alone\n")


@pytest.mark.slow
def test_a_search_goes_on_from_its_checkpoint(wine_csv, capsys):
    """The result is that of a search without a break."""
    assert run(capsys, *SELECT, "--quiet")[0] == 0
    saved = [*SELECT, "--out", "other", "--checkpoint", "search.npz,every=1", "--quiet"]
    assert run(capsys, *saved, "--max-evaluations", "300") == (0, "", "")
    assert len(read_csv("other/history.csv")) < 7
    assert run(capsys, *saved, "--force")[0] == 0
    assert Path("other/front.json").read_text() == Path("run/front.json").read_text()
    assert json.loads(Path("other/settings.json").read_text())["parameters"]["checkpoint"] == {
        "Checkpoint": {"every": 1, "path": "search.npz"}}


@pytest.mark.slow
def test_groups_and_weights_reach_the_fit(wine_csv, capsys):
    """Columns that belong to the samples are no features; the result is that of the same fit in Python."""
    groups, weight = np.arange(178) % 6, np.arange(178) % 3 + 1.0
    with open("grouped.csv", "w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow([*wine_csv.feature_names, "class", "patient", "weight"])
        lines.writerows([*row, *rest] for row, *rest in zip(
            wine_csv.data, wine_csv.target, groups, weight, strict=True))
    status, _, err = run(
        capsys, "select", "grouped.csv", "--target", "class", "--groups", "patient", "--sample-weight", "weight",
        "--cv", "GroupKFold,n_splits=2", "--judge", "GaussianNB,var_smoothing=1e-6", "--generations", "1", "--honest",
        "none", "--sizes", "none", "--population", "24", "--local-improvement", "none", "--out", "run", "--n-jobs", "1",
        "--quiet")
    assert (status, err) == (0, "")
    selector = single_search(GaussianNB(var_smoothing=1e-6), cv=GroupKFold(2), n_generations=1, population_size=24,
                             local_improvement=None, n_jobs=1, random_state=0)
    selector.fit(wine_csv.data, wine_csv.target, groups=groups, sample_weight=weight)
    front = ParetoFront.from_json("run/front.json")
    np.testing.assert_array_equal(front.supports, selector.pareto_front_.supports)
    np.testing.assert_array_equal(front.objectives, selector.pareto_front_.objectives)
    settings = json.loads(Path("run/settings.json").read_text())["parameters"]
    assert settings["islands.judges"] == [{"sklearn.naive_bayes.GaussianNB": {"priors": None, "var_smoothing": 1e-6}}]
    assert settings["cv"] == "GroupKFold(n_splits=2, random_state=None, shuffle=False)"
    status, _, err = run(capsys, *SELECT, "--force", "--groups", "hue")
    assert status == 2 and err.startswith("moeliga: error: groups must come with honest, ")


def test_weights_reach_the_fit_that_is_scored_on_samples_held_out(monkeypatch):
    """Groups do not: they are for splitters."""
    given = []
    monkeypatch.setattr("moeliga.cli.select.held_out_scores", lambda *parts, **params: given.append((parts, params)))
    table = SimpleNamespace(X="X", y="y", metadata={"groups": "patients", "sample_weight": "weights"})
    with Stopping([], saved=False) as stopping:
        score_held_out("selector", table, SimpleNamespace(X="X held out", y="y held out"), stopping)
    assert given == [(("selector", "X", "y", "X held out", "y held out"), {"sample_weight": "weights"})]


def test_held_out_samples_are_scored_and_shown(wine_csv, capsys):
    """The tree of the search scores them, fitted to all samples of the search."""
    lines = Path("wine.csv").read_text().splitlines()
    Path("train.csv").write_text("\n".join(lines[:1] + lines[1::2]))
    Path("test.csv").write_text("\n".join(lines[:1] + lines[2::2]))
    argv = ["select", "train.csv", *SELECT[2:], "--test", "test.csv"]
    status, out, _ = run(capsys, *argv)
    front = ParetoFront.from_json("run/front.json")
    X, y = wine_csv.data, wine_csv.target
    scores = [recall_score(y[1::2], DecisionTreeClassifier(max_depth=100).fit(X[::2, mask], y[::2]).predict(
        X[1::2, mask]), average="macro") for mask in front.supports]
    held_out = json.loads(Path("run/settings.json").read_text())["held_out"]
    np.testing.assert_allclose(held_out["scores"], scores, rtol=1e-12)
    assert held_out["n_samples"] == 89 and held_out["file"] == "test.csv"
    chosen = [int(row["chosen"]) for row in read_csv("run/front.csv")].index(1)
    assert status == 0 and f"\nOn held-out samples: UAR {scores[chosen]:.3f}.\n" in out
    assert f"On held-out samples: UAR {scores[chosen]:.3f}." in run(capsys, "show", "run")[1]


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", ["wine.csv", "wine.npz"])
def test_the_program_of_the_report_selects_from_the_file(wine_csv, capsys, name):
    """It takes columns by name from a table, and by index from an array, counted with dropped columns."""
    names = np.array([*wine_csv.feature_names[:-1], "proline; raw"])
    np.savez("wine.npz", X=wine_csv.data, y=wine_csv.target, feature_names=names)
    argv = ["--target", "class", "--drop", "id"] if name == "wine.csv" else []
    assert run(capsys, "select", name, *argv, "--drop", "malic_acid", "--out", "run", "--generations", "3", "--honest",
               "none", "--rule", "best", "--quiet")[0] == 0
    code = re.search(r"<code>(.*?)</code>", Path("run/report.html").read_text(encoding="utf-8"), re.DOTALL)[1]
    pd = pytest.importorskip("pandas")
    space = {"X": pd.read_csv("wine.csv") if name == "wine.csv" else wine_csv.data}
    exec(html.unescape(code), space)
    chosen = np.isin(names, Path("run/selected.txt").read_text().splitlines())
    assert chosen.sum() > 1
    np.testing.assert_array_equal(space["X_selected"], wine_csv.data[:, chosen])


@pytest.mark.parametrize("named", [["run/history.csv"], ["--feature-costs", "run/front.csv"],
                                   ["--checkpoint", "run/front.json"], ["--checkpoint=run/front.json"],
                                   ["--checkpoint=run/../run/front.json"],
                                   ["--test", "run/selected.txt"], ["--must-include", "@run/settings.json"]], ids=str)
def test_results_do_not_replace_what_the_command_names(wine_csv, capsys, named):
    """A data set or a checkpoint would be lost, also with --force."""
    Path("run").mkdir()
    for name in FILES:
        Path("run", name).write_bytes(Path("wine.csv").read_bytes())
    file = named if len(named) == 1 and not named[0].startswith("--") else ["wine.csv"]
    argv = ["select", *file, *SELECT[2:], *(named if file == ["wine.csv"] else []), "--force"]
    status, _, err = run(capsys, *argv)
    assert status == 2 and "would replace " in err and "choose another folder" in err
    assert all(Path("run", name).read_bytes() == Path("wine.csv").read_bytes() for name in FILES)


def test_a_test_file_may_have_other_columns(wine_csv, capsys):
    """They may be text or without a name, and those of --drop may be missing."""
    rows = [line.split(",") for line in Path("wine.csv").read_text().splitlines()]
    header = rows[0]
    place = header.index("id")
    Path("test.csv").write_text("\n".join(
        ",".join([*row[:place], *row[place + 1:], "note" if i == 0 else "some text", "" if i == 0 else "x"])
        for i, row in enumerate(rows)) + "\n")
    assert run(capsys, *SELECT, "--drop", "id", "--test", "test.csv", "--quiet") == (0, "", "")
    assert json.loads(Path("run/settings.json").read_text())["held_out"]["n_samples"] == len(rows) - 1


@pytest.mark.quick(1)
@pytest.mark.parametrize(("body", "said"), [
    ("raise KeyError('no such member')", "KeyError: 'no such member'"), ("return 10**6", "IndexError|ValueError"),
    ("return 'x'", "TypeError|ValueError")])
@pytest.mark.parametrize("honest", ["2", "none"])
def test_a_rule_that_fails_does_not_lose_the_search(wine_csv, capsys, monkeypatch, body, said, honest):
    """Another rule has chosen, the results are written, and the status says that something has failed."""
    Path("own_rules.py").write_text(f"def bad(front):\n    {body}\n\n\ndef good(front):\n    return 0\n")
    monkeypatch.syspath_prepend(".")
    sys.modules.pop("own_rules", None)
    argv = [*SELECT, "--honest", honest, "--generations", "1", "--population", "12"]
    status, _, err = run(capsys, *argv, "--rule", "own_rules.bad", "--quiet")
    assert status == 1
    assert re.search("^moeliga: error: the function of --rule has failed, so the rule '.*' has chosen instead: "
                     f"({said})", err, re.MULTILINE)
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)
    status, out, err = run(capsys, *argv, "--rule", "own_rules.good", "--force")
    assert status == 0
    front = read_csv("run/front.csv")
    assert front[0]["chosen"] == "1" and "good" in out
