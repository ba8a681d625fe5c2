"""Subsamples: a search on a part of the samples, against an evaluation of that part by hand."""


import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from same_search import assert_same
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB
from small_selectors import small

import naive.evaluate
import naive.subsample
from moeliga import (
    Cardinality,
    Checkpoint,
    DecisionTreeRegressor,
    Evaluation,
    LocalImprovement,
    Separability,
    evaluate_subsets,
    separability,
)
from moeliga._ext import bits as bits_room
from moeliga._ext.evaluate import Evaluator
from moeliga.base.budget import Interrupted
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.data.dataset import Dataset, Samples
from moeliga.data.target import strata
from moeliga.evaluation import subsample
from moeliga.evaluation.objectives import Objectives
from moeliga.search import islands
from single_search import single_search

LOCAL = LocalImprovement(n_populations=2, population_size=7, n_generations=2, every=2)


def data(n_samples=120, n_features=9, sizes=None, seed=0, strength=1.5):
    """Noise and, in columns 2 and 5, the class; classes in equal parts, or of the given sizes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 3 if sizes is None else np.repeat(np.arange(len(sizes)), sizes)
    y = rng.permutation(y)
    X = rng.normal(size=(len(y), n_features))
    X[:, [2, 5]] += strength * y[:, None]
    return X, y


def classes_of(y):
    return [np.flatnonzero(y == label).tolist() for label in np.unique(y)]


@pytest.fixture
def calls(monkeypatch):
    """Every evaluation: generation it belongs to, address, masks, individuals, objectives, scores, splits shared."""
    found, original = [], Objectives.evaluate

    def evaluate(self, ground, subsets, address, individuals=None, **options):
        values = original(self, ground, subsets, address, individuals, **options)
        purpose, population, generation = address
        if purpose in (Purpose.EVALUATE, Purpose.RESCORE) and population == 0:
            now = generation
        elif found:
            now = found[-1][0]
        rows = np.arange(len(subsets)) if individuals is None else individuals.copy()
        found.append((now, address, subsets.masks(ground.n_features), rows, values[0].copy(),
                      values[1][:, 0].copy(),
                      self.shared_splits if options.get("shared") is None else options["shared"]))
        return values

    monkeypatch.setattr(Objectives, "evaluate", evaluate)
    return found


# which samples


@pytest.mark.parametrize("sizes", [[40, 40], [100, 7, 3], [50, 2, 1], [1, 1, 200], [5] * 20])
@pytest.mark.parametrize("size", [1, 2, 10, 29])
def test_the_same_share_of_each_class_and_two_at_least(key, sizes, size):
    """The rows are those of the twin; a class of one or two is there as a whole."""
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(len(sizes)), sizes))
    samples = Samples.sort(3, y, len(sizes))
    for address in ((0, 0, 0, 0), (0, 5, 0, 0), (1, 0, 3, 1)):
        rows = subsample.stratified_rows(samples, size, key, address)
        assert rows.tolist() == naive.subsample.rows(classes_of(y), size, key, address)
        counts = np.bincount(y[rows], minlength=len(sizes))
        assert np.all(counts >= np.minimum(sizes, 2)) and np.all(counts <= sizes)
        assert size <= len(rows) <= size + 2 * len(sizes)
        exact = np.array(sizes) * size / sum(sizes)
        assert np.all(counts <= np.maximum(exact + 1, 2)) and np.all(counts >= np.minimum(exact, sizes))


def test_every_row_has_the_same_chance(key):
    """Over many draws, each row of a class is there about equally often."""
    y = np.repeat([0, 1], [30, 10])
    samples, seen = Samples.sort(1, y, 2), np.zeros(40)
    for generation in range(2000):
        seen[subsample.stratified_rows(samples, 12, key, (0, generation, 0, 0))] += 1
    assert_allclose(seen[:30] / 2000, 9 / 30, atol=0.05)
    assert_allclose(seen[30:] / 2000, 3 / 10, atol=0.05)


@pytest.mark.parametrize(("given", "size"), [(None, 250), (0.1, 25), (0.3, 75), (0.07, 18), (1.0, 250), (5e-324, 1),
                                             (7, 7), (10**9, 250)])
def test_sizes_are_shares_rounded_up_or_numbers(given, size):
    assert subsample.size_of(given, 250) == size


# the search, by hand


@pytest.mark.quick(2)
@pytest.mark.parametrize("options", [
    {}, {"evaluation__split_mode": "generation", "local_improvement": LOCAL},
    {"survival": "nsga2", "evaluation__reevaluate": "average"},
    {"local_improvement": LocalImprovement(**LOCAL.get_params() | {"replacement": "complete"})},
], ids=str)
def test_a_search_sees_the_subsample_of_its_generation_and_nothing_else(calls, options):
    """Every score and separability is, bit for bit, what the twin finds on those rows of X and y alone."""
    X, y = data(sizes=[50, 30, 3])
    given = {"local_improvement": None, "evaluation__n_rescore_splits": 0, "evaluation__subsample": 25, **options}
    found = small(**given, objectives=("uar", Separability(samples=0.4))).fit(X, y)
    seed, checked = seed_words(0), 0
    for generation, address, masks, individuals, objectives, scores, shared in calls:
        rows = np.array(naive.subsample.rows(classes_of(y), 25, seed, (0, generation, 0, 0)))
        order = rows[np.argsort(y[rows], kind="stable")]
        n_validation = [min(n - 1, max(1, -(-3 * n // 10))) for n in np.bincount(y[rows])]
        some = slice(0, 3)
        uar, near = naive.evaluate.evaluate(
            X[order], y[order], 3, masks[some], seed, *address, individuals[some], 3, shared, n_validation,
            -(-4 * len(rows) // 10), True)
        assert_array_equal(scores[some], uar)
        assert_array_equal(objectives[some, 1], near)
        checked += 1
    assert checked >= 3
    assert_array_equal(found.history_["n_samples"], [len(rows)] * 3)


def test_generations_have_samples_of_their_own():
    """Drawn afresh: two generations share about as many rows as chance says."""
    y = np.arange(300) % 3
    draws = [set(naive.subsample.rows(classes_of(y), 60, seed_words(0), (0, g, 0, 0))) for g in range(6)]
    shared = [len(a & b) for a in draws for b in draws if a is not b]
    assert 4 < np.mean(shared) < 20


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_same_bits_for_any_number_of_threads(n_jobs):
    X, y = data(400)
    one, more = (small(evaluation__subsample=0.3, n_jobs=n).fit(X, y) for n in (1, n_jobs))
    assert_same(one, more)


@pytest.mark.quick(2)
@pytest.mark.parametrize("estimator", [None, DecisionTreeRegressor(max_depth=4), GaussianNB()], ids=str)
def test_a_subsample_of_all_is_all(estimator):
    """A share of 1, a number as large as there are, and None: the same bits."""
    X, y = data(60)
    few = {"population_size": 6, "n_generations": 1}
    ref = small(estimator, **few).fit(X, y)
    for given in (1.0, 60, 10**6):
        assert_same(small(estimator, **few, evaluation__subsample=given).fit(X, y), ref)


@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.csc_array])
@pytest.mark.parametrize("estimator", [None, DecisionTreeRegressor(max_depth=4)], ids=str)
def test_sparse_and_dense_give_the_same_bits(form, estimator):
    X, y = data()
    X[X < 0.5] = 0
    one, two = (small(estimator, evaluation__subsample=40).fit(table, y) for table in (X, form(X)))
    assert_same(one, two)


def test_regression_is_stratified_by_deciles(calls):
    """Of each stratum of the target the same share; scores are those of these rows alone."""
    X, y = data(200)
    y = X[:, 2] + X[:, 5] ** 2
    small(DecisionTreeRegressor(max_depth=3), evaluation__subsample=0.2, objectives=("r2",), local_improvement=None,
          evaluation__split_mode="individual", n_generations=1, evaluation__n_rescore_splits=0).fit(X, y)
    order, starts = np.argsort(y, kind="stable"), strata(200)
    blocks = [order[a:b].tolist() for a, b in zip(starts[:-1], starts[1:], strict=True)]
    for generation, address, masks, individuals, _, scores, _ in calls:
        rows = np.array(naive.subsample.rows(blocks, 40, seed_words(0), (0, generation, 0, 0)))
        assert all(len(set(rows) & set(block)) == 4 for block in blocks)
        dataset = Dataset.encode_target(X[rows], y[rows])
        evaluator = Evaluator(dataset, dataset.n_validation(0.3), 3, 2, 1)
        ref, _ = evaluator.evaluate(bits_room.pack(masks.view(np.uint8)), np.arange(9, dtype=np.int32),
                                    individuals.astype(np.int32), seed_words(0), address, 3, False, 0, True, 1)
        assert_array_equal(scores, ref)


# after the search


def test_the_front_is_scored_on_all_of_the_data(calls):
    """Scores on splits of all rows, the same for all; objective III on every instance of one more subsample."""
    X, y = data(300, strength=0.6)
    found = small(evaluation__subsample=30).fit(X, y)
    _, address, masks, _, objectives, scores, shared = calls[-1]
    assert address == (Purpose.RESCORE, 0, 0) and shared
    dataset = Dataset.encode(X, y, 3)
    ref, _ = Evaluator(dataset, dataset.n_validation(0.3), 100, 2, 1).evaluate(
        bits_room.pack(masks.view(np.uint8)), np.arange(9, dtype=np.int32), np.arange(len(masks), dtype=np.int32),
        seed_words(0), address, 3, True, 0, False, 1)
    assert_array_equal(scores, ref)
    rows = naive.subsample.rows(classes_of(y), 30, seed_words(0), (1, 0, 0, 0))
    assert_array_equal(objectives[:, 2], [separability(X[rows], y[rows], mask) for mask in masks])
    front = found.pareto_front_
    assert {tuple(mask) for mask in front.supports} <= {tuple(mask) for mask in masks}


# other estimators


def test_another_classifier_sees_the_same_samples(calls):
    """Its scores are those of scikit-learn on splits of the rows of the generation."""
    X, y = data(90)
    small(GaussianNB(), evaluation__subsample=36, objectives=("uar", "cardinality"), local_improvement=None,
          n_generations=1,
          evaluation__split_mode="individual", evaluation__n_splits=2, evaluation__n_rescore_splits=0).fit(X, y)
    for generation, address, masks, individuals, _, scores, _ in calls:
        rows = np.array(naive.subsample.rows(classes_of(y), 36, seed_words(0), (0, generation, 0, 0)))
        order = rows[np.argsort(y[rows], kind="stable")]
        starts = np.searchsorted(y[order], np.arange(4))
        for mask, individual, row in zip(masks[:3], individuals, scores, strict=False):
            for test, score in enumerate(row):
                stream = naive.draw.Stream(seed_words(0), *address, int(individual), test)
                out = np.array(naive.draw.split(stream, starts, [4, 4, 4]))
                model = GaussianNB().fit(X[order[~out]][:, mask], y[order[~out]])
                assert score == balanced_accuracy_score(y[order[out]], model.predict(X[order[out]][:, mask]))


def test_of_fixed_splits_every_part_keeps_its_share_and_groups_their_side(calls):
    """Rows of each part of each split, by class; the front is scored on the splits as they were."""
    X, y = data(180)
    groups, cv = np.arange(180) // 5, GroupKFold(4)
    folds = list(cv.split(X, y, groups))
    small(GaussianNB(), evaluation__subsample=0.25, cv=cv, objectives=("uar",), local_improvement=None,
          n_generations=2).fit(
        X, y, groups=groups)
    for generation, address, masks, _, _, scores, _ in calls:
        for place, (train, test) in enumerate(folds):
            parts = [train, test]
            if address[0] != Purpose.RESCORE:
                for side, part in enumerate(parts):
                    some = [part[y[part] == label].tolist() for label in range(3)]
                    size = -(-len(part) // 4)
                    rows = naive.subsample.rows(some, size, seed_words(0), (0, generation, 1 + place, side))
                    assert set(rows) <= set(part) and size <= len(rows) <= size + 3
                    parts[side] = np.array(rows)
            assert not set(groups[parts[0]]) & set(groups[parts[1]])
            for mask, row in zip(masks[:2], scores, strict=False):
                model = GaussianNB().fit(X[parts[0]][:, mask], y[parts[0]])
                assert_allclose(row[place], balanced_accuracy_score(y[parts[1]], model.predict(X[parts[1]][:, mask])))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"cv": KFold(3)}], ids=str)
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_workers_find_the_same(options, form):
    """joblib's processes; and sparse X, as far as an estimator takes it."""
    from sklearn.tree import DecisionTreeClassifier

    X, y = data(80)
    X[X < 0] = 0
    given = {"evaluation__subsample": 40, "objectives": ("uar", "cardinality"), "n_generations": 1,
             "local_improvement": None}
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    one, two = (small(model, **given, **options, n_jobs=n).fit(form(X), y) for n in (1, 2))
    assert_same(one, two)
    assert_same(one, small(model, **given, **options).fit(X, y))


# generations


def test_islands_share_samples(monkeypatch):
    """All of a generation is evaluated on one data set, whatever island it is on; each has its own random numbers."""
    seen, original = {}, Objectives.evaluate

    def evaluate(self, ground, subsets, address, *rest, **options):
        if address[:2] == (Purpose.EVALUATE, 0):
            seen.setdefault(address[2], []).append((ground, self.seed.tolist()))
        return original(self, ground, subsets, address, *rest, **options)

    monkeypatch.setattr(Objectives, "evaluate", evaluate)
    found = small(evaluation__subsample=30, islands__n=3, islands__every=2, n_generations=4).fit(*data(400))
    for n_samples, rows in zip(found.history_["n_samples"], [seen[g] for g in range(5)], strict=True):
        assert len(rows) == 3 and len({tuple(seed) for _, seed in rows}) == 3
        assert all(ground is rows[0][0] for ground, _ in rows)
        assert rows[0][0].n_samples == n_samples
    assert len({id(rows[0][0]) for rows in seen.values()}) == 5


@pytest.mark.parametrize("given", [18, 28])  # of 30 samples: some, or all but for rounding
def test_a_front_is_scored_as_if_a_generation_that_is_dropped_had_not_begun(monkeypatch, given):
    """Its objective III on the subsample of the end of a search, whatever samples the next generation had."""
    X, y = data(30)
    setting = {"evaluation__subsample": given, "islands__n": 2, "local_improvement": None}
    ref = small(**setting, n_generations=0).fit(X, y)

    def advance(search, *rest):
        raise Interrupted

    monkeypatch.setattr(islands, "advance", advance)
    cut = small(**setting).fit(X, y)
    assert cut.history_["generation"].tolist() == [0]
    for found, front in ((cut.pareto_front_, ref.pareto_front_), (cut.initial_front_, ref.initial_front_)):
        assert_array_equal(found.supports, front.supports)
        assert_array_equal(found.objectives, front.objectives)


@pytest.mark.quick(1)
@pytest.mark.parametrize("options", [
    {}, {"evaluation__reevaluate": "none"}, {"survival": "nsga2", "evaluation__n_rescore_splits": 0},
    {"islands__n": 2, "islands__every": 2, "evaluation__reevaluate": "average"},
], ids=str)
def test_a_search_that_goes_on_ends_as_if_nothing_had_happened(tmp_path, options):
    """Stopped after any generation."""
    X, y = data(500, strength=0.8)
    given = {"n_generations": 6, "evaluation__subsample": 40, **options}
    whole = small(**given).fit(X, y)
    for last in range(6):
        path = tmp_path / f"{last}.npz"
        small(**{**given, "n_generations": last}, checkpoint=path).fit(X, y)
        again = small(**given, checkpoint=Checkpoint(path)).fit(X, y)
        assert_same(again, whole)


# given subsets


@pytest.mark.parametrize("given", [40, 0.25])
def test_given_subsets_are_evaluated_on_a_subsample(given):
    """Bit for bit what the rows alone give; callables see all rows."""
    X, y = data(160)
    masks = np.eye(9, dtype=bool)
    rows = naive.subsample.rows(classes_of(y), 40, seed_words(5), (2, 0, 0, 0))
    some = evaluate_subsets(X, y, masks, subsample=given, random_state=5)
    assert_array_equal(some, evaluate_subsets(X[rows], y[rows], masks, random_state=5))
    seen = evaluate_subsets(X, y, masks, subsample=given, random_state=5, objectives=(
        "uar", lambda mask, X, y: float(len(X))))
    assert_array_equal(seen[:, 1], 160.0)


def test_given_subsets_of_a_target():
    X, y = data(160)
    y, masks = X[:, 2] * X[:, 5], np.eye(9, dtype=bool)
    order, starts = np.argsort(y, kind="stable"), strata(160)
    blocks = [order[a:b].tolist() for a, b in zip(starts[:-1], starts[1:], strict=True)]
    rows = naive.subsample.rows(blocks, 64, seed_words(5), (2, 0, 0, 0))
    tree = DecisionTreeRegressor(max_depth=4)
    some = evaluate_subsets(X, y, masks, subsample=0.4, random_state=5, estimator=tree)
    assert_array_equal(some, evaluate_subsets(X[rows], y[rows], masks, random_state=5, estimator=tree))


@pytest.mark.parametrize(("given", "error", "message"), [
    (1, ValueError, "subsample must be >= 2, got 1"),
    (0.0, ValueError, r"subsample must be in \(0, 1\], got 0.0"),
    (1.5, ValueError, r"subsample must be in \(0, 1\], got 1.5"),
    ("auto", TypeError, "subsample must be a number"),
    (True, TypeError, "subsample must be a number, got True"),
    ([3], TypeError, "subsample must be a number"),
])
def test_no_subsample_of_given_subsets(given, error, message):
    X, y = data(30)
    with pytest.raises(error, match=message):
        evaluate_subsets(X, y, np.eye(9, dtype=bool), subsample=given)


def test_cost_and_estimate_count_the_samples_there_are(monkeypatch):
    """The work of a subset is that of its samples; scored again it is that of all. With a clock that is even."""
    from moeliga.search.build import prepare
    from moeliga.search.loop import rescoring_work

    X, y = data(1000)
    given = {"random_state": 0, "objectives": ("uar", Cardinality())}
    some, every = (prepare(single_search(**given, evaluation__subsample=share), X, y, {})[1] for share in (0.1, None))
    subsets, n_samples = some.search.space.chromosomes(some.bits[:5]), some.search.ground.n_samples
    work = [ready.search.objectives.work(ready.search.ground, subsets) for ready in (some, every)]
    again = [ready.search.objectives.work(ready.search.ground, subsets, 50, exhaustive=True) for ready in (some, every)]
    assert_allclose(work[0], work[1] * n_samples / 1000)
    assert_allclose(again[0], again[1])
    monkeypatch.setattr("moeliga.search.loop.front_sources", lambda search, progress: [(some.bits[:5], None)])
    set_aside = [rescoring_work(ready.search, None, 50) for ready in (some, every)]
    assert_allclose(set_aside[0], set_aside[1])
    monkeypatch.setattr("moeliga.search.time_estimate.evaluate", lambda search, bits, rows: float(len(rows)))
    once, again = (single_search(evaluation=Evaluation(subsample=0.1, n_rescore_splits=n), random_state=0,
                                 n_generations=1, local_improvement=None).estimate_time(X, y) for n in (0, 50))
    assert once.seconds == once.n_evaluations == again.n_evaluations
    assert_allclose(again.seconds - once.seconds, 90 / 2 * 50 / 3 * 1000 / n_samples)
