"""The benchmarks run, their rivals give the same answers as moeliga, and a slower build is found out."""

import dataclasses
import importlib
import json
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
from evidence import FOLDER
from sklearn.datasets import load_iris, load_wine

import moeliga
from moeliga.data.subsets import Subsets

MODULES = sorted(path.stem for path in FOLDER.glob("bench_*.py"))


@pytest.fixture
def run():
    return importlib.import_module("run")


@pytest.fixture
def rivals():
    return importlib.import_module("rivals")


@pytest.fixture
def iris():
    """X (float32), y, and some subsets."""
    X, y = load_iris(return_X_y=True)
    return X.astype(np.float32), y, np.array([[1, 0, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1]], dtype=bool)


def classes_of(module):
    """The benchmarks that a module defines."""
    return [thing for thing in vars(module).values()
            if isinstance(thing, type) and thing.__module__ == module.__name__ and hasattr(thing, "params")]


# discovery


@pytest.mark.parametrize("name", MODULES)
def test_benchmarks_have_what_asv_looks_for(name):
    """Lists of parameters with names, methods that take them, and a quick selection of as many."""
    for kind in classes_of(importlib.import_module(name)):
        assert len(kind.params) == len(kind.param_names)
        assert all(isinstance(values, tuple) and values for values in kind.params)
        assert all(len(parameters) == len(kind.params) for parameters in kind.quick)
        methods = [method for method in dir(kind) if method.startswith(("time_", "track_", "peakmem_"))]
        assert methods
        for method in [getattr(kind, method) for method in [*methods, "setup"]]:
            code = method.__code__
            assert code.co_varnames[1 : code.co_argcount] == tuple(kind.param_names)


def test_every_benchmark_belongs_to_a_group(run):
    """run.py leaves out none of them, and only those of RACES have a rival."""
    kinds = {kind for name in MODULES for kind in classes_of(importlib.import_module(name))}
    assert kinds == {*run.RACES.values(), *run.FIGURES.values()}
    assert {kind for kind in kinds if hasattr(kind, "time_rival")} == set(run.RACES.values())


@pytest.mark.parametrize("room", ["tree", "relief", "evaluate", "niche", "vary", "bits", "draw", "dataset"])
def test_every_room_has_its_benchmark(room):
    assert f"bench_{room}" in MODULES


@pytest.mark.parametrize("name, kind, parameters", [
    ("bench_tree", "Tree", ("wine", 10)), ("bench_niche", "Niche", (20, 130, 0.3)), ("bench_vary", "Vary", (20, 130)),
    ("bench_bits", "Bits", (20, 130)), ("bench_draw", "Draw", (100,)), ("bench_dataset", "Encode", ("wine",)),
    ("bench_relief", "Relief", (100, 22)), ("bench_evaluate", "Evaluate", ("wine", 1)),
    ("bench_evaluate", "Threads", ("wine",)), ("bench_niche", "Generation", (20, 130)),
    ("bench_tree", "Classifier", ("500 x 5",)), ("bench_tree", "RegressionTree", (200, 10)),
    ("bench_tree", "Regressor", ("500 x 5",)),
    ("bench_forest", "Fit", ("RandomForestRegressor", "100 x 5")),
    ("bench_forest", "Predict", ("RandomForestClassifier", "100 x 8"))])
def test_benchmarks_run_and_agree(name, kind, parameters):
    """Small cases of the benchmarks, without timing."""
    benchmark = getattr(importlib.import_module(name), kind)()
    benchmark.setup(*parameters)
    if hasattr(benchmark, "agreement"):
        assert benchmark.agreement(*parameters)
    else:
        for method in dir(benchmark):
            if method.startswith("time_"):
                getattr(benchmark, method)(*parameters)


def test_impossible_combinations_are_left_out():
    """A subset larger than the data set is no case."""
    with pytest.raises(NotImplementedError, match="13 features"):
        importlib.import_module("bench_tree").Tree().setup("wine", 22)


# rivals


def test_rival_separability_is_ours(rivals, iris):
    X, y, masks = iris
    for mask in masks:
        theirs = rivals.separability(rivals.scale(X)[:, mask], y, np.arange(len(y)))
        assert moeliga.separability(X, y, mask) == pytest.approx(theirs, abs=1e-6)


def test_rival_loop_has_the_objectives_of_evaluate_subsets(rivals, iris):
    """Cardinality exactly; the others within the noise of 40 random splits."""
    ours, theirs = moeliga.evaluate_subsets(*iris, n_splits=40, random_state=0), rivals.evaluate_subsets(*iris, 40)
    np.testing.assert_allclose(ours[:, 1], theirs[:, 1], rtol=1e-12)
    np.testing.assert_allclose(ours, theirs, atol=0.05)


@pytest.mark.parametrize("sigma", [0.01, 0.2, 0.5, 0.9])
def test_rival_fitness_is_ours(rivals, rng, sigma):
    masks = rng.random((40, 60)) < rng.random((40, 1))
    objectives = rng.integers(0, 4, size=(40, 3)).astype(float)
    words = np.packbits(np.pad(masks, ((0, 0), (0, 4))), axis=1).view(np.uint64)
    rank, fitness = rivals.shared_fitness(objectives, words, 60, sigma)
    np.testing.assert_array_equal(rank, moeliga.pareto_rank(objectives))
    np.testing.assert_allclose(fitness, moeliga.shared_fitness(objectives, masks, sigma=sigma), rtol=1e-9)


def test_different_answers_are_a_disagreement(rivals):
    """The two criteria let equal answers pass and refuse others, NaN included."""
    assert rivals.check_close("x", [1.0, 2.0], [1.0, 2.0], 0) == "x identical"
    assert rivals.check_mean("x", np.ones(12), np.ones(12))
    for ours in ([1.0, 2.1], [1.0, np.nan]):
        with pytest.raises(rivals.Disagreement, match="x must agree to 0.01"):
            rivals.check_close("x", ours, [1.0, 2.0], 0.01)
    for ours in (np.linspace(1, 1.001, 12), np.full(12, np.nan)):
        with pytest.raises(rivals.Disagreement, match="within 4 standard errors"):
            rivals.check_mean("x", ours, np.zeros(12))


# run.py


class Rigged:
    """A race whose two sides take no time; the ratios come from `ratios`, one for each measurement."""

    params = (("a", "b"),)
    param_names = ("which",)
    quick = (("a",), ("b",))
    unit = "call"
    fault = None

    def setup(self, which):
        pass

    def time_moeliga(self, which):
        pass

    time_rival = time_moeliga

    def agreement(self, which):
        if self.fault:
            raise self.fault
        return "identical"


def record(ratio, gated=True):
    return {"group": "rigged", "ours_ms": 1.0, "rival_ms": ratio, "ratio": ratio, "rounds": 3, "clock": "cpu",
            "unit": "call", "gated": gated}


@pytest.fixture
def rig(run, monkeypatch):
    """run.py with the rigged race alone; `rig(a=[...], b=[...])` gives the ratios it will measure."""

    def set_ratios(**ratios):
        left = {which: list(values) for which, values in ratios.items()}
        monkeypatch.setattr(run, "race", lambda benchmark, parameters, profile, more=1: record(
            left[parameters[0]].pop(0)))
        return left

    monkeypatch.setattr(run, "RACES", {"rigged": Rigged})
    monkeypatch.setattr(run, "FIGURES", {})
    monkeypatch.setattr(run, "facts", lambda: {"cores": 2, "cpu": "a cpu", "compiler": "cc", "versions": dict.fromkeys(
        ("moeliga", "numpy", "scikit-learn", "python"), "1")})
    return set_ratios


@pytest.fixture
def baseline(tmp_path):
    """Writes a file as --json does, and gives its path."""

    def write(profile="quick", form=1, **ratios):
        cases = {f"rigged which={which}": record(ratio) for which, ratio in ratios.items()}
        path = tmp_path / "baseline.json"
        path.write_text(json.dumps({"format": form, "profile": profile, "cases": cases}))
        return str(path)

    return write


def test_compare_finds_regressions_and_cases_of_one_side(run):
    """Below (1 - tolerance) times the baseline is a regression; at it is none."""
    now = {"same": 10.0, "slower": 6.9, "at the limit": 7.0, "faster": 20.0, "new": 1.0}
    before = {"same": 10.0, "slower": 10.0, "at the limit": 10.0, "faster": 10.0, "gone": 5.0}
    assert run.compare(now, before, 0.3) == (["slower"], ["new"], ["gone"])


def test_slower_build_exits_1(run, rig, baseline, capsys):
    rig(a=[5.0, 5.0, 6.0], b=[10.0])
    assert run.main(["--against", baseline(a=10.0, b=10.0)]) == 1
    assert "- regressed: rigged which=a, ratio 6.00, was 10.00" in capsys.readouterr().out


def test_suspect_is_measured_again_and_its_best_ratio_counts(run, rig, baseline):
    """One bad measurement is no regression; good ones are not repeated."""
    left = rig(a=[5.0, 9.0, 1.0], b=[10.0, 1.0])
    assert run.main(["--against", baseline(a=10.0, b=10.0)]) == 0
    assert left == {"a": [1.0], "b": [1.0]}


def test_cases_of_one_side_are_listed_and_no_failure(run, rig, baseline, capsys):
    rig(a=[1.0], b=[1.0])
    assert run.main(["--against", baseline(a=1.0, c=9.0)]) == 0
    output = capsys.readouterr().out
    assert "- not in the file: rigged which=b" in output
    assert "- only in the file: rigged which=c" in output


def test_written_file_is_a_baseline(run, rig, tmp_path):
    """What --json writes, --against reads."""
    rig(a=[2.0, 2.0], b=[3.0, 3.0])
    path = str(tmp_path / "out.json")
    assert run.main(["--json", path]) == 0
    assert run.read_baseline(path, "quick") == {"rigged which=a": 2.0, "rigged which=b": 3.0}
    assert run.main(["--against", path]) == 0


def test_disagreement_exits_2_and_names_the_case(run, rivals, rig, monkeypatch, capsys):
    rig(a=[], b=[])
    monkeypatch.setattr(Rigged, "fault", rivals.Disagreement("x must agree to 0, but differs by 1"))
    assert run.main([]) == 2
    assert "disagreement: rigged which=a: x must agree to 0" in capsys.readouterr().err


@pytest.mark.parametrize("arguments, message", [
    (["--only", "rigged,nonsense"], "argument --only: must be groups out of rigged, got 'nonsense'"),
    (["--tolerance", "1"], "argument --tolerance: must be a number in [0, 1), got '1'"),
    (["--tolerance", "x"], "argument --tolerance: must be a number in [0, 1), got 'x'"),
    (["--profile", "slow"], "argument --profile: invalid choice: 'slow'"),
    (["--against", "/nowhere/x.json"], "argument --against: cannot be read: No such file or directory, got"),
    (["--json", "/nowhere/x.json"], "argument --json: must be in a folder that exists, got '/nowhere/x.json'")])
def test_bad_arguments_exit_2_naming_argument_rule_and_value(run, rig, capsys, arguments, message):
    with pytest.raises(SystemExit) as caught:
        run.main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"cases": []}', '{"cases": {"a": 1}, "profile": "quick"}'])
def test_broken_baseline_is_refused(run, tmp_path, text):
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="must be a file that --json has written, got .*broken.json"):
        run.read_baseline(path, "quick")


def test_baseline_of_another_kind_is_refused(run, rig, baseline, capsys):
    """Another profile or format, or a ratio that is none."""
    with pytest.raises(SystemExit) as caught:
        run.main(["--against", baseline(profile="full", a=1.0)])
    assert caught.value.code == 2
    assert "argument --against: must be of the profile 'quick', got 'full'" in capsys.readouterr().err
    with pytest.raises(ValueError, match="must have format 1, got 0"):
        run.read_baseline(baseline(form=0, a=1.0), "quick")
    for ratio in (0.0, -1.0, float("nan"), "fast", True):
        with pytest.raises(ValueError, match="must hold ratios > 0, got"):
            run.read_baseline(baseline(a=ratio), "quick")


def test_baseline_at_hand_is_of_the_quick_profile(run):
    """The file in the repository can be compared with."""
    assert run.read_baseline(FOLDER / "baseline.json", "quick")


def test_race_counts_rounds_and_takes_the_median_ratio(run):
    """A side that sleeps twice as long has about twice the time."""
    spent = {"ours": 0, "rival": 0}

    class Race(Rigged):
        def time_moeliga(self, which):
            spent["ours"] += 1

        def time_rival(self, which):
            spent["rival"] += 1
            sum(range(20_000))

    found = run.race(Race(), ("a",), "quick")
    assert found["rounds"] >= run.LEAST_ROUNDS
    assert found["ratio"] > 5
    assert spent["ours"] > spent["rival"] > 0


def test_growth_exponent_is_that_of_the_upper_half():
    """Constant costs at small sizes do not count."""
    pytest.importorskip("matplotlib")
    growth = importlib.import_module("growth")
    assert growth.exponent([1, 2, 4, 8, 16, 32], [9, 9, 9, 64, 256, 1024]) == pytest.approx(2)
    assert growth.exponent([1, 2], [4, 2]) == pytest.approx(-1)
    assert np.isnan(growth.exponent([1], [1]))


# many workers


@pytest.fixture
def model():
    return importlib.import_module("cluster_model")


def test_tasks_wait_for_workers_and_for_their_turn(model):
    """Cases that can be added up by hand."""
    free = model.Way(0.0, 0.0, np.inf)
    assert model.makespan([1.0] * 6, [0] * 6, 3, free) == 2
    assert model.makespan([3.0, 1.0, 1.0, 1.0], [0] * 4, 2, free) == 3
    assert model.makespan([1.0], [0], 256, model.Way(0.0, 0.5, np.inf)) == 1.5
    # three tasks are handed out after 1, 2 and 3 seconds, bytes make it twice that
    assert model.makespan([10.0] * 3, [0] * 3, 3, model.Way(1.0, 0.0, np.inf)) == 13
    assert model.makespan([10.0] * 3, [5] * 3, 3, model.Way(1.0, 0.0, 5.0)) == 16


def test_makespans_lie_between_what_no_schedule_can_beat_and_what_every_one_keeps(model):
    rng = np.random.default_rng(0)
    for n_workers in (1, 2, 7, 30):
        tasks = rng.exponential(size=40)
        found = model.makespan(tasks, np.zeros(40), n_workers, model.Way(0.0, 0.0, np.inf))
        least = max(tasks.max(), tasks.sum() / n_workers)
        assert least - 1e-9 <= found <= tasks.sum() / n_workers + tasks.max() * (1 - 1 / n_workers) + 1e-9


def banded(model, bands, n_generations=4, begin=0.0, here=0.0, rough=0.01):
    """A search whose bands take so many seconds a generation, and nothing else does."""
    generation = [(np.array([rough]), seconds) for seconds in bands]
    return model.Banded(begin, [(np.array([rough]), 0.0)] * len(bands), [], [generation] * n_generations, here, 0.0)


def test_searches_of_a_fit_side_by_side(model):
    """By hand: before, the folds came after the search on all samples; now the longest bands are waited for."""
    free, whole = model.Way(0.0, 0.0, np.inf), banded(model, [3.0, 1.0])
    searches = [whole, banded(model, [2.0, 1.0]), banded(model, [2.0, 1.0])]
    work = 4 * 10.0
    assert [search.seconds(4) for search in searches] == [16.0, 12.0, 12.0]
    assert model.fits(searches, 4, 2, 100, free) == pytest.approx((work / 100 / 28, work / 100 / 12))
    assert model.fits(searches, 4, 2, 1, free) == pytest.approx((1, 1))
    assert model.fits(searches, 8, 2, 1, free) == pytest.approx((1, 1))  # the generations known, again
    late = banded(model, [1.0], begin=5.0, here=0.5)
    assert model.fits([late], 4, 4, 1, free)[1] == pytest.approx(1)
    assert model.fits([late] * 2, 4, 4, 2, free)[1] == pytest.approx((5 + 4 + 2) / (10 + 4 + 2))  # begin in their turn


def test_searches_of_a_fit_in_slices(model, monkeypatch):
    """Generations that are worth the way fill as many workers as there are slices, a band after the other."""
    monkeypatch.setattr(model.dispatcher, "LEAST_SECONDS", 1.0)
    monkeypatch.setattr(model.dispatcher, "MOST_SECONDS", 100.0)
    free, rough = model.Way(0.0, 0.0, np.inf), np.full(4, 1.0)
    search = model.Banded(0.0, [(rough, 0.0)] * 2, [(rough, 4.0)], [[(rough, 4.0), (rough, 4.0)]], 0.0, 0.0)
    assert search.sliced(4) and not search.sliced(2) and search.sliced(7, 3) and not search.sliced(6, 3)
    assert model.fits([search], 3, 3, 4, free)[1] == pytest.approx(1)  # 28 seconds in 7
    assert model.fits([search], 3, 3, 8, free)[1] == pytest.approx(1 / 2)
    assert model.fits([search] * 2, 3, 3, 8, free)[1] == pytest.approx(1)
    dearer = dataclasses.replace(search, more=2.0)  # its trees share nodes, those of different slices do not
    assert model.fits([dearer], 3, 3, 4, free)[1] == pytest.approx(1 / 2)
    assert model.fits([dearer], 3, 3, 2, free)[1] == pytest.approx(28 / 2 / (3 * 4 + 4))  # bands in one piece
    half = search.scaled(0.5)
    assert half.seconds(3) == pytest.approx(14)
    tripped = model.fits([search], 3, 3, 4, model.Way(0.0, 1.0, np.inf))[1]
    assert tripped == pytest.approx(7 / (2 + 7 + 7))  # each evaluation comes back a second later, those of 0 too


def test_slices_are_those_of_the_search(model, monkeypatch):
    """As many, and with the rows, that `Remote.evaluate` sends."""
    rough, sent = np.random.default_rng(0).exponential(0.05, 90), []
    remote = model.dispatcher.Remote(4)

    def ask(ground, function, jobs, budget):
        sent.extend(jobs(16))

    monkeypatch.setattr(remote, "ask", ask)
    subsets = Subsets(np.arange(90)[:, None], np.arange(3))
    remote.evaluate(mock.Mock(), rough, subsets, np.arange(90), (), None)
    tasks, rows = model.slices(rough, 2 * rough.sum(), 16)
    assert rows == [len(bits) for bits, *_ in sent]
    np.testing.assert_allclose(tasks, [2 * rough[bits[:, 0]].sum() for bits, *_ in sent])


def test_a_search_with_one_worker_and_no_way_takes_what_it_took(model):
    sent = [model.Evaluation(np.ones(30), 2.0, 8, 100), model.Exploration([0.5, 1.5], [100, 100])]
    elapsed, transit = model.predicted(10.0, sent, 1, model.Way(0.0, 0.0, np.inf))
    assert elapsed == pytest.approx(10) and transit == pytest.approx(0, abs=1e-12)
    elapsed, transit = model.predicted(10.0, sent, 2, model.Way(0.0, 0.0, np.inf))
    assert elapsed == pytest.approx(10 - 4 + 1 + 1.5) and transit == pytest.approx(1 - 4 / 5)
    assert model.predicted(10.0, [], 16, model.Way(1.0, 1.0)) == (10.0, 0.0)


def test_islands_wait_for_the_slowest(model):
    way = model.Way(0.0, 0.0, np.inf)
    assert model.islands(np.array([[2.0, 3.0]]), 16, way, 0) == pytest.approx(1)
    assert model.islands(np.array([[1.0, 1.0], [3.0, 3.0]]), 1, way, 0) == pytest.approx(1)
    assert model.islands(np.array([[1.0, 3.0], [3.0, 1.0]]), 64, way, 0) == pytest.approx(2 / 3)


def test_a_recorded_search_says_what_would_be_sent(monkeypatch):
    """Generations as slices, where they are worth the way; else subordinate populations as a whole; else nothing."""
    efficiency = importlib.import_module("efficiency")
    X, y = load_wine(return_X_y=True)
    improvement = moeliga.LocalImprovement(n_populations=2, population_size=12, n_generations=8, every=1)
    setting = {"population_size": 20, "n_generations": 2, "evaluation__n_rescore_splits": 4,
               "local_improvement": improvement, "random_state": 0, "honest": None, "islands": None}
    ref = moeliga.MOELIGASelector().set_params(n_jobs=1, **setting).fit(X, y)
    total, sent, selector = efficiency.recorded(X, y, **setting)
    assert sent == [] and total > 0
    objectives = importlib.import_module("moeliga.evaluation.objectives")
    for worth, kinds in ((0.0, {efficiency.Evaluation}), (0.002, {efficiency.Evaluation, efficiency.Exploration})):
        monkeypatch.setattr(objectives, "WORTH_SECONDS", worth)
        total, sent, selector = efficiency.recorded(X, y, **setting)
        np.testing.assert_array_equal(selector.pareto_front_.objectives, ref.pareto_front_.objectives)
        assert {type(part) for part in sent} == kinds
        assert all(part.seconds > 0 for part in sent) and sum(part.seconds for part in sent) < total
        assert sum(len(part.rough) for part in sent if isinstance(part, efficiency.Evaluation)) > 0
    some = {name: value for name, value in setting.items() if name not in ("honest", "islands", "local_improvement")}
    found = efficiency.recorded_bands(X, y, **some)
    assert len(found.generations) == 2 and len(found.first) == len(found.generations[0]) == 2
    assert len(found.last) == 1 and 0 < found.seconds(2) and found.here > 0
    assert {len(rough) for each in found.generations for rough, _ in each} == {40}  # parents and children
    epochs = efficiency.epochs_of(ref, 1)
    assert len(epochs) == 3 and epochs.sum() == pytest.approx(ref.history_["seconds"][-1])


@pytest.mark.slow
def test_two_builds_run_the_same_cases(run):
    """A build against itself: every case of a group on one thread once, and times that are about the same."""
    root = str(FOLDER.parent)
    out = subprocess.run([sys.executable, str(FOLDER / "two_builds.py"), root, root, "--only", "niche"],
                         check=True, text=True, capture_output=True).stdout
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in out.splitlines()[2:]]
    assert [row[0] for row in rows[:-1]] == [name for name, _, _ in run.cases(["niche"], "quick")]
    assert all(0.5 < float(row[-1]) < 2 for row in rows)


# bounds


def test_every_judge_has_a_bound(monkeypatch):
    """Its units are counted, and cost something."""
    def once(run):
        run()
        return 1.0

    bounds = importlib.import_module("bounds")
    monkeypatch.setattr(bounds, "seconds", once)
    rows = list(bounds.rows("wine", 5, 1e9))
    assert [row[1] for row in rows] == ["tree", "forest", *bounds.JUDGES]
    for _, judge, _, units, cycles, bound in rows:
        assert units > 0 and cycles == 1e9 / units and 0 < bound < 10, judge


def test_products_of_a_linear_system_are_counted():
    """As loops make them: the upper half of the Gram matrix, and a product for each class and row asked."""
    n, m, k, n_classes = 30, 11, 4, 3
    gram = sum(1 for _ in range(n) for f in range(k) for _ in range(f, k))
    units, _ = importlib.import_module("bounds").solved(n, m, k, n_classes)
    assert units == gram + k**3 // 6 + n * k * n_classes + k * k * n_classes + m * k * n_classes


@pytest.mark.parametrize(("seconds", "n_threads", "gain", "most", "elapsed"), [
    ([3.0], 1, 2.0, 9, 3.0),
    ([4.0, 4.0], 2, 1.5, 9, 4.0),
    ([4.0, 2.0], 2, 2.0, 9, 3.0),  # the last one alone, twice as fast
    ([4.0, 2.0], 2, 1.0, 9, 4.0),
    ([10.0, 8.0, 8.0, 8.0, 8.0, 8.0], 2, 1.6, 2, 24.0 + 2.0 / 1.6),
    ([2.0, 1.0], 3, 1.5, 9, 1.0 + 0.5 / 3 ** 0.5849625007211562),  # two threads and one, then three
    ([4.0, 2.0], 2, 1.5, 1, 4.0),  # one after the other
    ([2.0, 2.0, 2.0], 4, 1.5, 2, 2.0 / 1.5 + 2.0 / 1.5 ** 2),  # two threads each, then four
])
def test_searches_side_by_side_are_predicted(seconds, n_threads, gain, most, elapsed):
    """By hand."""
    model = importlib.import_module("side_by_side")
    assert model.side_by_side(seconds, n_threads, gain, most) == pytest.approx(elapsed)


def test_the_searches_of_a_fit_are_timed(monkeypatch):
    """Each is there, that on all samples first; the fit is the same. As many run at a time as memory lets them."""
    X, y = load_wine(return_X_y=True)
    some = {"random_state": 0, "n_generations": 2, "population_size": 8, "honest": 3}
    fitted = importlib.import_module("side_by_side").fitted
    selector, spent, searches, most = fitted(X, y, **some)
    assert len(searches) == 4 and min(searches) > 0 and sum(searches) < spent and most == 1
    assert fitted(X, y, n_jobs=2, **some)[3] == 2
    monkeypatch.setattr("moeliga.base.memory.SMALL", 0)
    assert fitted(X, y, n_jobs=2, **some)[3] == 1
    assert np.array_equal(selector.support_, moeliga.MOELIGASelector(**some).fit(X, y).support_)
