"""The ablation: measures are what they say, no search sees the test part, comparisons are paired, the command runs."""


import numpy as np
import pytest
from evidence import module, rivals, save_parts
from sklearn.datasets import load_wine
from sklearn.metrics import balanced_accuracy_score

import moeliga

FEW = 400
"""Evaluations."""


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """Folders with one small data set each."""
    (tmp_path / "paper").mkdir()
    (tmp_path / "extra").mkdir()
    monkeypatch.setenv("MOELIGA_DATA", str(tmp_path / "paper"))
    X, y = load_wine(return_X_y=True)
    for path, rows in (("paper/mine.npz", slice(None, None, 2)), ("extra/other.npz", slice(1, None, 2))):
        save_parts(tmp_path / path, X[rows], y[rows])
    return tmp_path


@pytest.fixture
def budget():
    return module("budget").Budget


# measures


def test_measures_are_what_they_say(parts, budget):
    """By hand: test scores by balanced accuracy, hypervolumes by a grid of ratios."""
    X, y, X_test, y_test = parts
    found = module("variants").Variant.parse("default").search(X, y, budget(evaluations=1000), 0)
    row, front = module("measures").measured(found, *parts), found.front
    scores = module("measures").outer_scores(front.supports, *parts)
    tree, sizes = moeliga.DecisionTreeClassifier(max_depth=100), front.n_selected
    for mask, score in zip(front.supports, scores, strict=True):
        columns, random = np.flatnonzero(mask), np.random.default_rng(0)
        orders = [random.permutation(columns) for _ in range(5)]
        uar = [balanced_accuracy_score(y_test, tree.fit(X[:, order], y).predict(X_test[:, order])) for order in orders]
        assert score == pytest.approx(np.mean(uar))
    picks = [max(np.flatnonzero(sizes <= size), key=lambda i: (front.score[i], -sizes[i]), default=None)
             for size in range(1, 14)]
    best = [max(scores[sizes <= size], default=0) for size in range(1, 14)]
    assert row["test_hv"] == pytest.approx(sum(best[:-1]) / 13)
    assert row["test_area"] == pytest.approx(sum(0 if i is None else scores[i] for i in picks[:-1]) / 13)
    assert row["test_area"] <= row["test_hv"]
    place = front.choose("r1")
    fresh = moeliga.evaluate_subsets(X, y, front.supports, n_splits=50, objectives=("uar",), shared=True,
                                     random_state=0)[:, 0]
    assert row["r1_test"] == scores[place] and row["r1_size"] == sizes[place]
    assert row["r1_fresh"] == fresh[place] and row["r1_reported"] == front.score[place]
    assert row["five_size"] <= 5 and row["reported_hv"] == front.hypervolume


def test_the_picked_area_follows_the_scores(rng):
    """A member that the scores do not pick has no part; with values for scores it is the hypervolume."""
    area = module("measures").picked_area
    assert area(np.array([0.5, 0.8]), np.array([0.9, 0.5]), np.array([0.6, 0.4])) == pytest.approx(
        0.6 * 0.4 + 0.4 * 0.5)
    assert area(np.array([0.5, 0.4]), np.array([0.9, 0.5]), np.array([0.6, 1.0])) == pytest.approx(0.6 * 0.9)
    values, ratios = rng.random(20), rng.random(20)
    assert area(values, ratios, values) == pytest.approx(moeliga.results.front.hypervolume(values, ratios))


def test_fresh_scores_need_no_other_features(parts):
    """Leaving out columns that nobody uses changes nothing."""
    X, y = parts[:2]
    masks = np.eye(13, dtype=bool)[[3, 7]]
    whole = moeliga.evaluate_subsets(X, y, masks, n_splits=50, objectives=("uar",), shared=True, random_state=0)[:, 0]
    assert np.array_equal(module("measures").shared_scores(masks, X, y), whole)


@pytest.mark.evidence
def test_the_test_part_has_no_part_in_the_search(budget):
    """Other test rows and labels: the same fronts, choices and scores but for those on the test part."""
    ablation = module("ablation")
    X_train, y_train, X_test, y_test, note = module("crew").Data("mine", 1).parts("0")
    rows = {}

    class Data:
        whole = module("datasets").whole("mine")

        def __init__(self, *test):
            self.test = test

        def parts(self, split):
            return X_train, y_train, *self.test, note

    for kind, data in {"true": Data(X_test, y_test), "other": Data(-X_test[::-1], y_test[::-1])}.items():
        for name in ("default", "default & screen100"):
            job = module("grid").Job("mine", "0", name, setting="x")
            row, = ablation.perform(job, data, None, budget(evaluations=FEW))
            rows[name, kind] = {key: repr(value) for key, value in row.items()
                                if "test" not in key and key not in ("seconds", "judging")}
            rows[name, kind, "test"] = row["test_hv"]
    for name in {key[0] for key in rows}:
        assert rows[name, "true"] == rows[name, "other"]
        assert rows[name, "true", "test"] != rows[name, "other", "test"]


# comparisons


def made(method, data, split, uar, seed="0", **more):
    return {"method": method, "data": data, "split": split, "seed": seed, "status": "ok", "uar": str(uar), **more}


def test_differences_are_paired_by_split():
    """Splits and seeds that one of the two lacks do not count; seeds are averaged; the last row of a job counts."""
    comparison = module("comparison")
    rows = [made("a", "d", "0", 0.1), made("a", "d", "0", 0.5), made("a", "d", "1", 0.7), made("a", "d", "2", 0.9),
            made("b", "d", "0", 0.4), made("b", "d", "0", 0.6, seed="1"), made("b", "d", "1", 0.4),
            made("a", "d", "1", 0.2, seed="1"), made("b", "d", "1", 0.1, seed="1"),
            made("b", "e", "0", 0.4), made("a", "e", "0", "nan"), made("a", "d", "3", 0.0) | {"status": "failed"}]
    values = comparison.by_split(rows, lambda row: float(row["uar"]))
    found = comparison.differences(values, "a", "b")
    assert list(found) == ["d"] and found["d"] == pytest.approx([0.1, 0.2])
    assert comparison.over_seeds(values["b"]["d"]) == pytest.approx([0.5, 0.25])
    rows += [made("curve", "d", split, 0.0) for split in "01"]
    values = comparison.by_split(rows, lambda row: float(row["uar"]), ["curve"])
    assert comparison.differences(values, "b", "curve")["d"] == pytest.approx([0.5, 0.25])  # for all seeds


def test_comparisons_count_and_test(rng):
    """Against scipy where it has the test; Holm over the variants of one reference."""
    from scipy import stats

    comparison = module("comparison")
    shifts = {"a": 0.05, "b": 0.0, "c": -0.02}
    values = {name: {f"d{i}": {str(j): {"0": float(rng.normal(shift, 0.01))} for j in range(10)} for i in range(9)}
              for name, shift in shifts.items()}
    values["zero"] = {data: dict.fromkeys(splits, {"0": 0.0}) for data, splits in values["a"].items()}
    found = comparison.family(values, [("a", "zero"), ("b", "zero"), ("c", "zero"), ("a", "none")])
    assert set(found) == {("a", "zero"), ("b", "zero"), ("c", "zero")}
    means = [np.mean(comparison.over_seeds(splits)) for splits in values["b"].values()]
    result = found["b", "zero"]
    assert result.difference == pytest.approx(np.mean(means)) and result.sets == 9
    assert result.p == pytest.approx(stats.wilcoxon(means).pvalue)
    assert result.d == pytest.approx(np.mean(means) / np.std(means, ddof=1))
    assert result.ahead + result.behind == 9 and result.ahead == sum(mean > 0 for mean in means)
    a, c = found["a", "zero"], found["c", "zero"]
    assert a.biserial == 1 and c.biserial == -1 and a.p == pytest.approx(2 / 2**9) == a.sign
    assert a.holm == pytest.approx(3 * a.p) and c.holm == pytest.approx(max(a.holm, 2 * c.p))
    assert a.surely_ahead == 9 and a.surely_behind == 0 and c.surely_ahead == 0 and c.surely_behind > 0
    same = comparison.family(values, [("zero", "zero")])["zero", "zero"]
    assert (same.p, same.sign, same.biserial, same.d) == (1.0, 1.0, 0.0, 0.0)


def test_the_rank_biserial_correlation_weighs_ranks():
    """Ranks 1, 2, 3 with the second negative: (1 + 3 - 2)/6; zeros do not count."""
    p, biserial = module("comparison").signed_ranks([0.1, -0.2, 0.3, 0.0])
    assert biserial == pytest.approx(1 / 3) and p == 0.75


def test_mean_ranks_are_over_complete_sets():
    values = {"a": {"d": {"0": {"0": 0.7, "1": 1.1}}, "e": {"0": {"0": 0.5}}, "f": {"0": {"0": 1.0}}},
              "b": {"d": {"0": {"0": 0.8}}, "e": {"0": {"0": 0.5}}}}
    ranks, sets = module("comparison").mean_ranks(values)
    assert ranks == {"a": 1.25, "b": 1.75} and sets == ["d", "e"]


# the command


def test_sets_of_both_folders_are_found():
    datasets = module("datasets")
    assert datasets.names() == ["mine"] and datasets.extra() == ["other"]
    assert datasets.whole("other").X.shape[1] == 13
    with pytest.raises(SystemExit, match="there is no data set 'third'"):
        datasets.load("third")


def test_the_sets_for_choosing_and_confirming_are_apart():
    ablation = module("ablation")
    names = ablation.CHOOSING + ablation.CONFIRMING + ablation.MORE
    assert len(set(names)) == len(names) == 25 and len(ablation.PARTS["all"]) == 16


@pytest.mark.evidence
def test_the_command_runs_resumes_and_draws(folder, capsys):
    """Absent sets are named and left out; a second run does nothing and prints the same."""
    pytest.importorskip("matplotlib")
    ablation = module("ablation")
    command = ["mine", "other", "sonar", "--evaluations", "200", "--splits", "2", "--variants", "default", "paper",
               "paper + prior", "moga", "default & screen100", "--out", str(folder / "out")]
    assert ablation.main([*command, "--dry-run"]) == 0
    assert "left out, because they are not at hand: sonar" in capsys.readouterr().out
    assert ablation.main(command) == 0
    first = capsys.readouterr().out
    assert "20 jobs, 0 done, 20 to do" in first and "| paper + prior | paper | 2 |" in first
    files = sorted(path.name for path in (folder / "out").iterdir())
    assert files == ["ablation-evaluations.png", "ablation-ranks.csv", "ablation-summary.csv", "ablation-tests.csv",
                     "ablation.csv"]
    content = (folder / "out" / "ablation.csv").read_bytes()
    assert ablation.main(command) == 0
    assert "20 jobs, 20 done, 0 to do" in capsys.readouterr().out
    assert (folder / "out" / "ablation.csv").read_bytes() == content
    rows = module("results").Results(folder / "out" / "ablation.csv", ablation.COLUMNS).rows
    assert {row["setting"] for row in rows} == {"200 evaluations"} and len(rows) == 20
    means, tests, ranked, everything = ablation.summaries(rows)
    own = [float(row["test_hv"]) for row in rows if (row["data"], row["method"]) == ("mine", "default")]
    line, = (line for line in means if line[:3] == ["200 evaluations", "mine", "default"])
    assert line[4] == pytest.approx(np.mean(own)) and line[3] == 2
    other = [float(row["test_hv"]) for row in rows if (row["data"], row["method"]) == ("mine", "moga")]
    both = everything["200 evaluations", "all", "test hypervolume", ("default", "moga")]
    assert both.sets == 2 and len(tests) > 5 and len(ranked) > 5
    assert ("200 evaluations", "choosing", "test hypervolume", ("default", "moga")) not in everything
    assert np.sign(np.mean(own) - np.mean(other)) in (0, *([1] if both.ahead else []), *([-1] if both.behind else []))


def test_no_two_searches_of_a_variant_on_a_set_have_one_seed(budget):
    """Variants on one split have the same seeds; curves are made once."""
    variants = ["default", "curve of mi", "paper"]
    jobs = module("ablation").jobs_of(["mine", "other"], variants, 12, 3, budget(evaluations=9))
    seeds = {}
    for job in jobs:
        seeds.setdefault((job.data, job.method), []).append((job.split, job.seed))
    assert seeds["mine", "default"] == seeds["mine", "paper"] == seeds["other", "default"]
    assert len({seed for _, seed in seeds["mine", "default"]}) == len(seeds["mine", "default"]) == 36
    assert seeds["mine", "curve of mi"] == [(str(split), "0") for split in range(12)]
    assert len({job.key for job in jobs}) == len(jobs) == 2 * (36 + 36 + 12)


def test_nsga2_has_as_many_evaluations_as_the_default_at_the_papers_budget(budget):
    """With the default's row; without it the job has to wait."""
    with rivals():
        module("competitors").need("pymoo")
    ablation, grid = module("ablation"), module("grid")
    data, job = grid.crew.Data("mine", 1), grid.Job("mine", "0", "nsga2", setting="300 generations")

    class Rows:
        row = None

        def find(self, key):
            assert key == ("mine", "0", "default", "300 generations", "0")
            return self.row

    with pytest.raises(grid.crew.Needed, match="default"):
        ablation.perform(job, data, Rows(), budget(generations=300))
    Rows.row = {"status": "ok", "evaluations": "180"}
    assert ablation.perform(job, data, Rows(), budget(generations=300))[0]["evaluations"] == 180


@pytest.mark.parametrize("wrong", [["--variants", "worst"], ["--seed", "1"], ["--seconds", "1", "--evaluations", "9"],
                                   ["--generations", "3"]])
def test_wrong_options_are_refused(wrong, capsys):
    with pytest.raises(SystemExit):
        module("ablation").main(["mine", *wrong])
    assert "error:" in capsys.readouterr().err
