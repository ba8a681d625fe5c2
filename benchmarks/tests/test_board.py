"""The board: entries, what they see, what one fit serves, the runner, and the tables."""

import re
import time
from functools import partial

import numpy as np
import pytest
from evidence import FOLDER, rivals, save_parts
from scipy import stats
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


@pytest.fixture
def entries():
    """Those of the board, moeliga with short searches."""
    from board.entries import ENTRIES

    short = {"n_generations": 2, "population_size": 10, "honest": 2}
    return ENTRIES | {name: ENTRIES[name]._replace(make=partial(ENTRIES[name].make, **short))
                      for name in ("moeliga", "moeliga-panel", "moeliga-guided")}


def cheap_entries():
    """Names of those whose fits of a small set take seconds."""
    from board.entries import ENTRIES

    return [name for name in ENTRIES if name not in {"boruta", "nsga2", "nsga2-time", "genetic-opt", "moeliga-paper"}]


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", cheap_entries())
def test_entries_keep_their_word(entries, parts, name):
    """A mask of their own size where they have one, of the size that they are told where they can be told."""
    from board.models import seeded
    from paper.competitors import need

    with rivals():
        need(entries[name].package or "numpy")
    X, y = parts[0][::2], parts[1][::2]
    for k in [None] * entries[name].own + [4] * entries[name].told:
        selector = entries[name].make(seeded("bayes", 0), 0, k)
        selector.fit(X, y)
        mask = selector.get_support()
        assert mask.dtype == bool and mask.shape == (13,) and mask.sum() in ([4] if k else range(1, 14))
        if k is None and hasattr(selector, "sized") and (sized := selector.sized(3)) is not None:
            np.testing.assert_array_equal(sized, told(entries[name], X, y, 3))


@pytest.mark.slow
def test_what_guides_a_search_is_the_panel_or_the_deployed_model(parts, entries):
    """A panel's searches answer for all models; where the model guides, each has its own."""
    from board.models import seeded
    from board.protocol import Contest

    X, y = parts[0][::2], parts[1][::2]
    panel = Contest(entries["moeliga-panel"], (X, y, *parts[2:]), 0)
    first, second = (panel.chosen(model)[0] for model in ("bayes", "neighbours"))
    assert [type(judge).__name__ for judge in first.selector.islands.judges] == [
        "DecisionTreeClassifier", "GaussianNB", "Pipeline"]
    assert second.selector.fold_supports_ is first.selector.fold_supports_
    assert first.estimate_ == first.selector.honest_score_ != second.estimate_
    guided = Contest(entries["moeliga-guided"], (X, y, *parts[2:]), 0)
    first, second = (guided.chosen(model)[0] for model in ("bayes", "neighbours"))
    for found, model in ((first, "bayes"), (second, "neighbours")):
        assert type(found.selector.islands.judges[0]) is type(seeded(model, 0)) is type(found.selector.estimator)
    assert second.selector.fold_supports_ is not first.selector.fold_supports_


def test_nsga2_spends_what_moeliga_spent_and_chooses_as_it_does(parts):
    """As many evaluations, or as much time; "no_loss" by the scores of re-scoring, which are its estimate."""
    from board.entries import ENTRIES
    from board.protocol import contest
    from paper.competitors import need, nsga

    with rivals():
        need("pymoo")
    X, y = parts[:2]
    rows = contest(ENTRIES["nsga2"], parts, 0, {"tree": [None], "bayes": [None]}, given=700.0)
    assert {row.get("status") for row in rows} == {"ok"}, rows
    assert {row["evaluations"] for row in rows} == {700} and [row["choice"] for row in rows] == [
        "", "best", "one_se"] * 2
    front, count = nsga.front_of(nsga.setting(0), X, y, 700, None)
    place = front.choose("no_loss")
    assert count == 700 and rows[0]["features"] == front.supports[place].sum()
    assert rows[0]["estimate"] == front.score[place] and rows[1]["estimate"] == front.score[front.choose("best")]
    assert all(np.isnan(row["estimate"]) for row in rows[3:])  # it is a tree's
    row = contest(ENTRIES["nsga2-time"], parts, 0, {"tree": [None]}, given=0.4)[0]
    assert 0.4 <= row["cpu"] < 4 and row["evaluations"] != 700


def told(entry, X, y, k):
    from board.models import seeded

    selector = entry.make(seeded("bayes", 0), 0, k)
    selector.fit(X, y)
    return selector.get_support()


@pytest.mark.slow
def test_a_ranking_chooses_as_a_grid_search_does(parts):
    """Over a pipeline that ranks within each fold; and for another model without ranking anew."""
    from board.contestants import Ranking, folds
    from board.models import seeded

    X, y = parts[:2]
    selector = Ranking("kbest", seeded("neighbours", 0), 3).fit(X, y)
    for model in ("neighbours", "bayes"):
        search = GridSearchCV(make_pipeline(SelectKBest(f_classif), seeded(model, 0)), cv=list(folds(y, 3)),
                              param_grid={"selectkbest__k": [1, 2, 4, 8, 13]}, scoring="balanced_accuracy").fit(X, y)
        other = selector.for_model(seeded(model, 0), X, y)
        assert other.estimate_ == pytest.approx(search.best_score_, rel=1e-12)
        np.testing.assert_array_equal(other.get_support(), search.best_estimator_[0].get_support())
    assert selector.estimate_ == selector.for_model(seeded("neighbours", 0), X, y).estimate_


def test_l1_keeps_the_features_that_have_a_weight(parts):
    """Not those above the mean weight, which is what scikit-learn takes where it sees no penalty; C by the folds."""
    from board.contestants import Linear, folds

    X, y = parts[:2]
    found = Linear(None, 3).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    scores = {}
    for C in Linear.GRID:
        model = make_pipeline(StandardScaler(), OneVsRestClassifier(
            LogisticRegression(C=C, l1_ratio=1.0, solver="liblinear", max_iter=1000, random_state=3)))
        scores[C] = cross_val_score(model, X, y, cv=list(folds(y, 3)), scoring="balanced_accuracy").mean()
    best = max(scores, key=scores.get)
    weights = [LogisticRegression(C=best, l1_ratio=1.0, solver="liblinear", max_iter=1000, random_state=3).fit(
        scaled, y == label).coef_[0] for label in np.unique(y)]
    np.testing.assert_array_equal(found.get_support(), np.any(np.abs(weights) > 1e-5, axis=0))
    assert found.estimate_ == pytest.approx(scores[best], rel=1e-12)
    np.testing.assert_array_equal(found.sized(2), np.isin(np.arange(13), np.argsort(-np.abs(weights).max(axis=0))[:2]))


def test_mrmr_is_the_quotient_of_relevance_and_redundancy(parts):
    """Against a plain loop; constant features come last."""
    from board.contestants import mrmr

    X, y = np.hstack((parts[0], np.ones((len(parts[1]), 1)))), parts[1]
    left, order = list(range(13)), []
    while left:
        def worth(place):
            redundancy = [abs(stats.pearsonr(X[:, place], X[:, before]).statistic) for before in order]
            return f_classif(X[:, [place]], y)[0][0] / max(np.mean(redundancy) if redundancy else 0.0, 1e-3)

        order.append(max(left, key=worth))
        left.remove(order[-1])
    assert mrmr(X, y).tolist() == [*order, 13]
    assert mrmr(X, y, most=2).tolist()[:2] == order[:2] and sorted(mrmr(X, y, most=2)) == list(range(14))


def test_the_judge_fits_to_the_training_rows(parts):
    """Balanced accuracy of the model on the test rows, without a feature that of a guess."""
    from board.models import judge, seeded

    X_train, y_train, X_test, y_test = parts
    mask = np.arange(13) % 3 == 0
    for name, seeds in (("svm", [0]), ("forest", [7]), ("tree", [7 + 1000 * place for place in range(5)])):
        scores = [balanced_accuracy_score(y_test, seeded(name, seed).fit(X_train[:, mask], y_train).predict(
            X_test[:, mask])) for seed in seeds]
        assert judge(name, mask, parts, seeds[0]) == pytest.approx(np.mean(scores), rel=1e-12)
    assert judge("bayes", np.zeros(13, dtype=bool), parts, 0) == pytest.approx(1 / 3)


class Spender:
    """Takes as many features as it is given evaluations."""

    def __init__(self, model, random_state, n_features=None, given=None):
        self.n_evaluations_ = given

    def fit(self, X, y):
        pass

    def get_support(self):
        return np.arange(13) < self.n_evaluations_


class Spy:
    """Takes the first features, some time, and a note of what it was given."""

    seen = []

    def __init__(self, model, random_state, n_features=None, seconds=0.0):
        self.n_features, self.seconds = n_features, seconds

    def fit(self, X, y):
        Spy.seen.append((X, y, self.n_features))
        until = time.process_time() + self.seconds
        while time.process_time() < until:
            pass

    def get_support(self):
        return np.arange(13) < (self.n_features or 5)


def test_an_entry_sees_the_training_rows_alone_and_is_fitted_as_seldom_as_can_be(parts, monkeypatch):
    """Once for all models that it does not use, and once for each size; all features need no fit."""
    from board.entries import Entry
    from board.protocol import contest

    monkeypatch.setattr(Spy, "seen", [])
    wanted = {"bayes": [None, 3], "neighbours": [None, 3, 13], "logistic": [2]}
    rows = contest(Entry(partial(Spy, seconds=0.01)), parts, 0, wanted)
    assert [(row["model"], row["told"], row["features"]) for row in rows] == [
        ("bayes", "", 5), ("bayes", 3, 3), ("neighbours", "", 5), ("neighbours", 3, 3), ("neighbours", 13, 13),
        ("logistic", 2, 2)]
    assert [n_features for _, _, n_features in Spy.seen] == [None, 3, 2]
    assert all(X is parts[0] and y is parts[1] for X, y, _ in Spy.seen)
    assert [row["spent"] > 0 for row in rows] == [True, True, False, False, False, True]
    Spy.seen.clear()
    contest(Entry(Spy, asks=True), parts, 0, {"bayes": [None, 3], "neighbours": [None, 3]})
    assert [n_features for _, _, n_features in Spy.seen] == [None, 3, None, 3]


def test_what_fails_or_takes_too_long_is_a_row_without_a_model(parts):
    from board.entries import Entry
    from board.protocol import contest

    for entry, said in ((Entry(partial(Spy, seconds=5.0)), "takes more than 0.2 s"),
                        (Entry(partial(Spy, seconds="long")), "TypeError: unsupported"),
                        (Entry(Spy, most_features=12), "takes more than 0.2 s by its limits")):
        row, = contest(entry, parts, 0, {"bayes": [None]}, limit=0.2)
        assert row["status"].startswith(said) and "model" not in row and row["of"] == 13


@pytest.fixture
def board(tmp_path, monkeypatch, entries):
    """The command on wine: a function of its options; its rows."""
    from board import run
    from board.protocol import COLUMNS
    from paper.results import Results

    save_parts(tmp_path / "wine.npz", *load_wine(return_X_y=True))
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path))
    monkeypatch.setattr(run, "ENTRIES", entries)
    monkeypatch.setattr(run, "commit", lambda: "first")

    def command(*options):
        results = tmp_path / "results"
        run.main(["--sets", "wine", "--models", "bayes", "neighbours", "--results", str(results), *options])
        return Results(results / "board.csv", COLUMNS).rows

    return command


@pytest.mark.slow
def test_the_command_goes_on_where_it_was(board, capsys, monkeypatch):
    """Cost first; sizes are moeliga's on the same rows; what is there is passed over, but for another commit's."""
    from board import run

    assert board("all", "--dry-run", "--splits", "2") == []
    assert re.search(r"all: 2 splits to do, about \d s of one core from a probe", capsys.readouterr().out)
    board("moeliga", "--splits", "1")
    capsys.readouterr()
    rows = board("moeliga", "all", "kbest", "--splits", "2")
    assert [(row["split"], row["entry"], row["model"]) for row in rows if not row["choice"] and not row["told"]] == [
        (split, entry, model) for split, entry in (("0", "moeliga"), ("1", "moeliga"), ("0", "all"), ("1", "all"),
                                                   ("0", "kbest"), ("1", "kbest")) for model in ("bayes", "neighbours")]
    ours = {(row["split"], row["model"]): row["features"] for row in rows
            if row["entry"] == "moeliga" and not row["choice"]}
    assert {(row["split"], row["model"]): row["told"] for row in rows if row["told"]} == ours
    assert {row["choice"] for row in rows if row["entry"] == "moeliga"} == {
        "", "best", "one_se", "knee", "r1", "r1_lambda"}
    assert re.search(r"moeliga: 1 splits to do, about \d s of one core from its rows", capsys.readouterr().out)
    monkeypatch.setattr(run, "commit", lambda: "second")
    assert board("all", "moeliga", "--splits", "2") == rows
    assert "moeliga: nothing to do" in capsys.readouterr().out
    new = board("moeliga", "--renew", "--splits", "2")[len(rows):]
    assert {row["commit"] for row in new} == {"second"} and len(new) == 24
    columns = ("split", "model", "choice", "features", "test", "estimate")
    assert [[row[name] for name in columns] for row in new] == [
        [row[name] for name in columns] for row in rows if row["entry"] == "moeliga"]


@pytest.mark.slow
def test_an_entry_gets_what_it_needs_of_moeligas_row(board, entries, monkeypatch, capsys):
    """It waits for that row; models that it cannot take are left out; of several models' rows the first counts."""
    from board import run
    from board.entries import Entry

    spender = Entry(Spender, told=False, needs="evaluations", models=("neighbours", "svm"))
    monkeypatch.setattr(run, "ENTRIES", entries | {"spender": spender})
    assert board("spender", "--splits", "1") == []
    *ours, row = board("moeliga", "spender", "--splits", "1")
    assert re.search(r"spender: 1 splits to do, about \d s of one core from moeliga's rows", capsys.readouterr().out)
    spent, = {own["evaluations"] for own in ours}
    assert int(spent) > 100 and (row["model"], row["evaluations"], row["features"]) == ("neighbours", spent, "13")
    rows = {("wine", "0", "moeliga", "", model, ""): {"evaluations": evaluations, "cpu": cpu}
            for model, evaluations, cpu in (("svm", "90", ""), ("bayes", "", "3"), ("logistic", "80", "4"))}
    monkeypatch.setattr(run.Board, "known", lambda self, name, split: rows)
    given = partial(run.Board(None, entries).given, "wine", 0)
    assert (given(spender), given(spender._replace(needs="cpu"))) == (80.0, 3.0)
    rows.clear()
    assert given(spender) is None


@pytest.mark.parametrize("arguments, message", [
    (["default"], "there is no entry 'default'; at hand: .*kbest.*moeliga"),
    (["all", "--sets", "wine", "nowhere"], "there is no set 'nowhere'; at hand: .*wine"),
    (["all", "--splits", "0"], "argument --splits: must be an integer of at least 1, got '0'"),
    (["all", "--sets", "sonar"], "none of the sets is at hand"),
])
def test_what_is_not_there_is_named(board, capsys, arguments, message):
    with pytest.raises(SystemExit):
        board(*arguments)
    assert re.search(message, capsys.readouterr().err)


def test_a_file_without_entries_is_named(board, tmp_path):
    """And a file that is not there; an error of the file's own is shown as it is."""
    mine = tmp_path / "mine.py"
    with pytest.raises(SystemExit, match=f"argument --enter: there is no file {mine}"):
        board("--enter", str(mine))
    mine.write_text("entries = {}\n")
    with pytest.raises(SystemExit, match=f"argument --enter: {mine} must define ENTRIES"):
        board("--enter", str(mine))
    mine.write_text("{}['mine']\n")
    with pytest.raises(KeyError, match="mine"):
        board("--enter", str(mine))


def test_results_that_cannot_be_written_are_refused_before_a_fit(board, tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(SystemExit, match="results must be a folder that can be written to"):
        board("all", "--splits", "1")


def test_a_selector_of_ones_own_enters(board, capsys, entries):
    """The example of the page; and an entry without its package is passed over."""
    from board import run

    example = FOLDER / "board" / "example.py"
    rows = board("largest-variance", "random", "--splits", "1", "--enter", str(example))
    X, _, _, _ = run.datasets.load("wine")
    assert {row["features"] for row in rows} == {str(X.shape[1] // 2)} and len(rows) == 2
    code = example.read_text(encoding="utf-8").split('"""\n', 2)[-1].strip()
    assert code in (FOLDER / "board" / "README.md").read_text(encoding="utf-8")
    run.ENTRIES = entries | {"absent": entries["all"]._replace(package="no-such-package")}
    assert board("absent") == rows
    assert "absent: passed over, no-such-package is not installed" in capsys.readouterr().out


def made(rows):
    """Rows of a file: (set, split, entry, model, told, features, test)."""
    names = ("set", "split", "entry", "model", "told", "features", "test")
    return [dict(zip(names, row, strict=True)) | {"samples": 70, "of": 20, "classes": 3, "cpu": 1.0, "wall": 2.0,
                                                   "estimate": float(row[-1]) + 0.1, "status": "ok", "commit": "abc",
                                                   "date": "2026-01-01T00:00"} for row in rows]


@pytest.fixture
def found(tmp_path):
    """Two sets, two splits, three entries, of which one lacks a set at its own size; a set that nobody else has."""
    from board.protocol import COLUMNS
    from board.tables import Rows
    from paper.results import Results

    rows = []
    for model, shift in (("tree", 0.0), ("svm", 0.1)):
        for split in ("0", "1"):
            for place, name in enumerate(("one", "two")):
                score = 0.5 + shift + 0.1 * place + 0.02 * int(split)
                rows += [(name, split, "moeliga", model, "", 9, 0.0), (name, split, "moeliga", model, "", 4, score),
                         (name, split, "all", model, "", 20, score - 0.05), (name, split, "kbest", model, 9, 9, 0.99),
                         (name, split, "kbest", model, 4, 4, score - 0.1)]
            rows.append(("one", split, "kbest", model, "", 10, 0.9))
        rows.append(("three", "0", "moeliga", model, "", 1, 0.5))
    results = Results(tmp_path / "board.csv", COLUMNS)
    results.add(made(rows) + [{"set": "two", "split": "0", "entry": "kbest", "status": "takes more than 300 s"}])
    return Rows(results.path)


def test_tables_by_hand(found):
    """The last row of a choice counts, and rows of the size that moeliga has now."""
    from board import tables
    from board.goals import goals

    entries, names, scores, cells = tables.common(found, "told")
    assert (entries, names, cells) == (["moeliga", "kbest"], ["one", "two"], 4)
    np.testing.assert_allclose(scores["svm"], [[0.61, 0.51], [0.71, 0.61]], rtol=0, atol=1e-12)
    assert tables.common(found, "own")[:2] == (["moeliga", "all"], ["one", "two"])
    assert tables.ranked(found, "told")[1][:2] == [["moeliga", *["1.00"] * 3], ["kbest", *["2.00"] * 3]]
    header, (tree, svm) = tables.default(found)
    assert header[4] == "less all features" and tree[:6] == ["tree", 2, 5, "0.560", "+0.050 ± 0.000", "2:0"]
    assert svm[7:] == ["20%", "+0.100 ± 0.000"]
    assert tables.against(found, "own")[1] == [["all", 2, "+0.050 (2:0)", "+0.050 (2:0)"],
                                               ["kbest", 1, "-0.390 (0:1)", "-0.290 (0:1)"]]
    assert tables.commits(found)[1] == [["abc", "2026-01-01", 5, 0, 0, 0, 0, 0, 5]]
    left = {(entry, why): sets for entry, sets, why in tables.left(found)[1]}
    assert left["all", "not run yet"] == "three" and left["l1", "not run yet"] == "all"
    assert [key for key in left if key[0] == "kbest"] == [("kbest", "not run yet")]  # it has rows of the second set
    found.left["kbest", "three"] = "takes more than 300 s"
    assert ["kbest", "three", "takes more than 300 s"] in tables.left(found)[1]
    lacking = "forest 0, boosting 0, bayes 0, neighbours 0, logistic 0"
    assert tables.judged(found)[1][0] == ["moeliga", 3, lacking, "not run yet"]
    row = {"test": 0.8, "classes": 5, "features": 5, "of": 20}
    assert tables.area(row) == pytest.approx((0.8 - 0.2) / 0.8 * 0.75)
    reached = {line[0]: line[1:] for line in goals(found)[1]}
    assert reached["test score above all features by .02"] == ["yes", "tree +0.050, svm +0.050"]
    assert reached["no entry ahead by more than noise on any set"][0] == "no"
    assert reached["own estimate within .01 of the test score"] == ["no", "+0.100"]
    assert reached["10 times as fast as genetic-opt on all sets"] == ["not known", "no rows"]
    eleven, = (numbers for goal, (_, numbers) in reached.items() if "eleven" in goal)
    assert eleven.count(", ") == 10 and "kbest 0" in eleven and eleven.count(" no rows") == 10


def test_why_a_model_has_judged_fewer_sets_is_told(found):
    """Not run, taken too long, or, where only some models are taken, more than a fit may take."""
    from board import tables
    from board.entries import ENTRIES
    from board.goals import goals

    for name in ("two", "three"):
        del found.own["svm"]["moeliga"][name]
    found.left["moeliga", "three"] = "takes more than 300 s"
    assert tables.unjudged(found, "moeliga", "svm") == "not run yet (two), takes more than 300 s (three)"
    del found.own["svm"]["all"]["two"]
    assert tables.unjudged(found, "all", "svm") == "not run yet (two)"
    assert tables.unjudged(found, "all", "forest") == "not run yet"
    assert tables.unjudged(found, "moeliga-guided", "svm") == "more than five minutes a fit"
    assert "svm" not in ENTRIES["moeliga-guided"].models
    line, = (line for line in tables.judged(found)[1] if line[0] == "moeliga")
    assert line[2].endswith("svm 1") and line[3].startswith("forest: not run yet (one, two), ")
    assert line[3].endswith("; svm: not run yet (two), takes more than 300 s (three)")
    del found.own["svm"]["kbest"]
    found.own["tree"]["kbest"]["two"] = found.own["tree"]["kbest"]["one"]
    numbers = {line[0]: line[2] for line in goals(found)[1]}
    assert numbers["best mean rank of areas at own sizes"].endswith("; out of the ranks: svm")


@pytest.mark.evidence
def test_the_page_is_that_of_the_results(capsys):
    """Tables and diagrams, to the last digit."""
    from board import page

    assert page.main([]) == 0, capsys.readouterr().out


def test_the_page_has_every_table():
    from board import page
    from paper.page import TABLE

    text = (page.FOLDER / "README.md").read_text(encoding="utf-8")
    assert sorted(match["name"] for match in TABLE.finditer(text)) == sorted(page.TABLES)


def test_noise_is_not_judged_by_single_splits(found):
    """No set has two splits: whether somebody is ahead by more than noise is not known."""
    from board.goals import goals

    for kind in (found.own, found.told):
        for entries in kind.values():
            for sets in entries.values():
                for splits in sets.values():
                    splits.pop("1", None)
    reached = {line[0]: line[1:] for line in goals(found)[1]}
    assert [reached[goal][0] for goal in reached if "more than noise" in goal] == ["not known"] * 3
    assert reached["test score above all features by .02"][0] == "yes"
