"""The search: generations, survivors, the archive and the history."""

import itertools
import warnings
from typing import get_args

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from recorded_searches import LOCAL, REPLACEMENTS, Recorder, small

from arbitrary import data, expected, first, second
from moeliga import Cardinality, FitnessSharing, MOELIGASelector, Variation, separability
from moeliga._ext import bits
from moeliga.base.budget import Budget
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.base.typing import Counts, Measures
from moeliga.data.subsets import Subsets
from moeliga.search.population import make_distinct


def non_dominated(values):
    """Indices of the rows that no other row dominates."""
    return [i for i, a in enumerate(values)
            if not any(np.all(b >= a) and np.any(b > a) for b in values)]


def as_set(masks):
    return {tuple(mask) for mask in np.asarray(masks).tolist()}


# what holds after every generation


@pytest.mark.parametrize("n_features", [4, 20, 70])
@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize("reevaluate", ["all", "none", "average"])
def test_no_objective_is_stale_and_no_individual_empty_or_twice(rng, reevaluate, replacement, n_features):
    """After every generation the objectives are those of the chromosomes, bit for bit, and all individuals differ."""
    X, y = data(rng, n_features=n_features)
    seen = Recorder()
    small(replacement, evaluation__reevaluate=reevaluate, objectives=(first, second), callbacks=seen,
          variation=Variation(mutation_rate=2.0)).fit(X, y)
    assert len(seen.states) == 6
    for state in seen.states:
        supports = state.supports
        assert supports.shape == (12, n_features)
        assert supports.any(axis=1).all()
        assert len(as_set(supports)) == 12
        assert_array_equal(state.objectives, expected(supports))


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_elites_survive_by_rank_then_fitness_then_place(rng, replacement):
    """The first individuals of a generation are the best of the one before."""
    X, y = data(rng)
    seen = Recorder()
    small(replacement, evaluation__reevaluate="none", objectives=(first, second), survival__n_elite=4, callbacks=seen,
          survival__sharing=FitnessSharing(sigma=0.6)).fit(X, y)
    for before, after in itertools.pairwise(seen.states):
        if after.row["n_replaced"]:
            continue
        old = before.population
        order = sorted(range(12), key=lambda i: (old.rank[i], -old.fitness[i], i))
        assert_array_equal(after.supports[:4], before.supports[order[:4]])
        assert_array_equal(after.objectives[:4], before.objectives[order[:4]])


def test_the_best_of_a_deterministic_objective_is_never_lost(rng):
    """With an elite, the best score and the hypervolume of the front do not fall."""
    selector = small("parent", objectives=(first, Cardinality()), n_generations=12, evaluation__reevaluate="none")
    history = selector.fit(*data(rng)).history_
    assert np.all(np.diff(history["best_score"]) >= 0)


@pytest.mark.parametrize("gap", [0, 5])
def test_members_of_the_gap_are_survivors_or_changed_copies(rng, gap):
    """Without crossover and mutation everybody descends unchanged, but for copies that had to differ."""
    X, y = data(rng, n_features=64)
    seen = Recorder()
    small(survival__generation_gap=gap, objectives=(first, second), callbacks=seen,
          variation=Variation(crossover_rate=0.0, mutation_rate=0.0)).fit(X, y)
    for before, after in itertools.pairwise(seen.states):
        distance = (before.supports[:, None, :] != after.supports[None, :, :]).sum(axis=2).min(axis=0)
        assert distance[:3].max() == 0  # elites
        assert distance.max() <= 4  # a copy gets one flip, more only where that was taken


# re-evaluation


def test_reevaluate_none_evaluates_only_what_is_new(rng, calls):
    """Survivors keep their values exactly; newcomers are evaluated once, at their own place."""
    seen = Recorder()
    small(evaluation__reevaluate="none", callbacks=seen).fit(*data(rng))
    for before, after in itertools.pairwise(seen.states):
        address = Purpose.EVALUATE, 0, after.generation
        _, masks, rows, values, *_ = next(call for call in calls if call.address == address)
        assert len(set(rows.tolist())) == len(rows)
        kept = np.setdiff1d(np.arange(12), rows)
        assert kept.max() < 5
        assert set(kept.tolist()) >= {0, 1, 2}
        assert_array_equal(after.supports[rows], masks)
        assert_array_equal(after.objectives[rows], values)
        old = {tuple(mask): value.tolist() for mask, value in
               zip(before.supports.tolist(), before.objectives, strict=True)}
        for row in kept:
            assert old[tuple(after.supports[row].tolist())] == after.objectives[row].tolist()
    assert all(state.population.n_scored.max() == 1 for state in seen.states)


def test_reevaluate_all_gives_everybody_the_splits_of_the_generation(rng, calls):
    """Every generation evaluates all individuals at the addresses of that generation, survivors too."""
    seen = Recorder()
    small(callbacks=seen).fit(*data(rng))
    assert len(calls) == len(seen.states)
    for state, (address, masks, rows, values, *_) in zip(seen.states, calls, strict=True):
        assert address == (Purpose.EVALUATE, 0, state.generation)
        assert_array_equal(rows, np.arange(12))
        assert_array_equal(masks, state.supports)
        assert_array_equal(values, state.objectives)
    elites = [(before.objectives[before.population.best(3), 0], after.objectives[:3, 0])
              for before, after in itertools.pairwise(seen.states)]
    assert any(np.any(old != new) for old, new in elites)


def test_reevaluate_average_is_the_mean_over_all_evaluations(rng, calls):
    """The objectives of a survivor are the mean of every value it ever got, and n_scored counts them."""
    seen = Recorder()
    small(evaluation__reevaluate="average", n_generations=10, objectives=("uar", "separability"),
          callbacks=seen).fit(*data(rng))
    values_of, longest = {}, 0
    for state in seen.states:
        _, _, rows, fresh, *_ = next(call for call in calls if call.address == (Purpose.EVALUATE, 0, state.generation))
        assert_array_equal(rows, np.arange(12))
        heirs = {}
        for row, mask in enumerate(state.supports.tolist()):
            n_scored = state.population.n_scored[row]
            before = values_of[tuple(mask)] if n_scored > 1 else []
            heirs[tuple(mask)] = [*before, fresh[row]]
            assert len(heirs[tuple(mask)]) == n_scored
            assert_allclose(state.objectives[row], np.mean(heirs[tuple(mask)], axis=0), rtol=0, atol=1e-13)
            longest = max(longest, n_scored)
        values_of = heirs
    assert longest > 3


def test_reevaluate_average_leaves_constant_objectives_as_they_are(rng):
    """A mean of equal numbers is that number, to the last bit."""
    seen = Recorder()
    small(evaluation__reevaluate="average", n_generations=30, objectives=(tenth, Cardinality()),
          callbacks=seen).fit(*data(rng))
    for state in seen.states:
        assert_array_equal(state.objectives[:, 0], 0.1)
        assert_array_equal(state.objectives[:, 1], Cardinality().values(state.supports.sum(axis=1), 20))


def tenth(mask, X, y):
    """No binary fraction."""
    return 0.1


# splits


@pytest.mark.parametrize(("mode", "same"), [("generation", True), ("individual", False)])
def test_equal_chromosomes_have_equal_scores_where_a_generation_shares_its_splits(rng, mode, same):
    """split_mode="generation": one set of splits and instances for all; else each individual has its own."""
    X, y = data(rng)
    seen = Recorder()
    small(evaluation__split_mode=mode, callbacks=seen).fit(X, y)
    search = seen.states[0].search
    twins = Subsets(bits.pack(np.repeat(rng.random((1, 20)) < 0.5, 40, axis=0).astype(np.uint8)),
                    np.arange(20, dtype=np.int32))
    values, scores = search.objectives.evaluate(search.ground, twins, (Purpose.EVALUATE, 0, 3))
    assert (len(np.unique(values, axis=0)) == 1) == same
    assert (len(np.unique(scores, axis=0)) == 1) == same
    later, _ = search.objectives.evaluate(search.ground, twins, (Purpose.EVALUATE, 0, 4))
    assert np.any(later != values)


# the archive and the front


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize("reevaluate", ["all", "none", "average"])
def test_front_is_all_that_is_not_dominated_of_everything_seen(rng, calls, reevaluate, replacement):
    """With deterministic objectives the archive is exact: brute force over all evaluations finds the same subsets."""
    selector = small(replacement, evaluation__reevaluate=reevaluate, objectives=(first, second), n_generations=8)
    front = selector.fit(*data(rng)).pareto_front_
    masks = np.array(sorted(set().union(*(as_set(call.masks) for call in calls))))
    best = non_dominated(expected(masks))
    assert as_set(front.supports) == as_set(masks[best])
    assert_array_equal(front.objectives, expected(front.supports))
    assert selector.history_["archive_size"][-1] == len(best)


def test_progress_is_the_best_hypervolume_of_the_archive(rng):
    """Of all that was found so far, feature by feature: it never falls, though fresh splits make populations worse."""
    volumes = []

    def watch(state):
        archive, n = state.search.archive, 20
        sizes, scores = archive.sizes[archive.non_dominated], archive.objectives[archive.non_dominated, 0]
        volumes.append(sum(max([0.0, *scores[sizes <= n - k]]) / n for k in range(1, n + 1)))

    history = small("parent", callbacks=watch, n_generations=9).fit(*data(rng)).history_
    np.testing.assert_allclose(history["archive_hypervolume"], np.maximum.accumulate(volumes), rtol=1e-12)
    assert np.any(np.diff(history["hypervolume"]) < 0)
    history = small("parent", archive=False, n_generations=9).fit(*data(rng)).history_
    assert_array_equal(history["archive_hypervolume"], np.maximum.accumulate(history["hypervolume"]))


def test_without_archive_the_front_is_that_of_the_last_population(rng):
    """archive=False is the paper's literal result."""
    seen = Recorder()
    selector = small("parent", archive=False, objectives=(first, second), callbacks=seen).fit(*data(rng))
    last = seen.states[-1]
    assert as_set(selector.pareto_front_.supports) == as_set(last.supports[last.population.rank == 1])
    assert selector.history_["archive_size"].tolist() == [0] * 6


@pytest.mark.parametrize(("n_features", "n_flips"), [(999, 1), (1000, 1), (1001, 2), (2000, 2), (2001, 3)])
def test_a_copy_differs_in_a_thousandth_of_its_bits(rng, seed, n_features, n_flips):
    """Rounded up; the first stays, and so does who is no copy."""
    masks = (rng.random((3, n_features)) < 0.5).astype(np.uint8)
    masks[2] = masks[0]
    given = Subsets(bits.pack(masks), np.arange(n_features, dtype=np.int32))
    found, changed = make_distinct(given, seed_words(seed), (Purpose.DISTINCT, 0, 0))
    assert changed.tolist() == [False, False, True]
    assert (bits.unpack(found.bits, n_features) != masks.astype(bool)).sum(axis=1).tolist() == [0, 0, n_flips]


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_fewer_subsets_than_individuals_are_all_found(rng, n_features, replacement):
    """Where 2^F - 1 < P copies stay, nothing hangs, and the front is that of the whole space."""
    X, y = data(rng, n_features=n_features)
    seen = Recorder()
    selector = small(replacement, objectives=(first, second), n_generations=20, callbacks=seen,
                     variation=Variation(mutation_rate=1.0)).fit(X, y)
    everything = np.array(list(itertools.product([False, True], repeat=n_features))[1:])
    best = non_dominated(expected(everything))
    assert as_set(selector.pareto_front_.supports) == as_set(everything[best])
    for state in seen.states:
        assert_array_equal(state.objectives, expected(state.supports))


def test_as_many_individuals_as_subsets_are_the_whole_space(rng):
    """Where 2^F - 1 = P every subset is there, once, in every generation."""
    seen = Recorder()
    small(population_size=15, objectives=(first, second), callbacks=seen).fit(*data(rng, n_features=4))
    everything = set(itertools.product([False, True], repeat=4)) - {(False,) * 4}
    assert all(as_set(state.supports) == everything for state in seen.states)


def test_no_rescoring_keeps_the_values_of_the_search(rng):
    """n_rescore_splits=0: objectives are the search's own, without a standard error, and there is nothing to tell."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        front = small("parent").fit(*data(rng)).pareto_front_
    assert_array_equal(front.objectives, front.search_objectives)
    assert np.isnan(front.score_se).all()


def test_rescoring_is_one_set_of_fresh_splits_for_all_members(rng, calls):
    """All members are scored on the same splits, each once, however many rows go into a call; objective III takes all
    samples. So a subset has the same values in the last front and in that of the first generation."""
    X, y = data(rng)
    selector = small("parent", evaluation__n_rescore_splits=7, random_state=1).fit(X, y)
    front = selector.pareto_front_
    rescored = [call for call in calls if call.address[0] == Purpose.RESCORE]
    values = {tuple(mask): row.tolist() for _, masks, _, objectives, *_ in rescored
              for mask, row in zip(masks.tolist(), objectives, strict=True)}
    assert len(values) == sum(len(call.masks) for call in rescored) >= len(front)
    for members in (front, selector.initial_front_):
        assert members.objectives.tolist() == [values[tuple(mask)] for mask in members.supports.tolist()]
        for mask, value in zip(members.supports, members.objectives[:, 2], strict=True):
            assert value == separability(X, y, mask)
    assert np.any(front.objectives[:, 0] != front.search_objectives[:, 0])


def test_the_result_does_not_depend_on_how_evaluations_are_sliced(rng, monkeypatch):
    """One region for a whole population, or one for each instance and tree: the same history and the same front."""
    X, y = data(rng)
    whole = small("parent", evaluation__n_rescore_splits=7, random_state=1).fit(X, y)
    checks, check = [], Budget.check
    monkeypatch.setattr(Budget, "check", lambda self: checks.append(1) or check(self))
    small("parent", evaluation__n_rescore_splits=7, random_state=1).fit(X, y)
    n_whole = len(checks)
    monkeypatch.setattr("moeliga.evaluation.objectives.TREE_COST", 1e9)
    monkeypatch.setattr("moeliga.evaluation.objectives.SEPARABILITY_COST", 1e9)
    sliced = small("parent", evaluation__n_rescore_splits=7, random_state=1).fit(X, y)
    assert len(checks) - n_whole > 5 * n_whole
    assert_array_equal(sliced.pareto_front_.objectives, whole.pareto_front_.objectives)
    assert_array_equal(sliced.pareto_front_.score_se, whole.pareto_front_.score_se)
    assert_array_equal(sliced.history_["hypervolume"], whole.history_["hypervolume"])


def test_rescoring_does_not_change_the_search(rng):
    """The history is the same for any number of splits."""
    X, y = data(rng)
    one, two = small(evaluation__n_rescore_splits=0).fit(X, y), small(evaluation__n_rescore_splits=9).fit(X, y)
    for name in one.history_.keys() - {"seconds"}:
        assert_array_equal(one.history_[name], two.history_[name])
    assert one.n_evaluations_ == two.n_evaluations_


# history


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_history_tells_what_the_callbacks_saw(rng, replacement, calls):
    """Every column follows from the populations and from the evaluations that were made."""
    seen = Recorder()
    selector = small(replacement, callbacks=seen).fit(*data(rng))
    history, rows = selector.history_, [state.row for state in seen.states]
    assert history.keys() == rows[0].keys() == {*get_args(Counts), *get_args(Measures)}
    assert all(history[name].dtype == np.int64 for name in get_args(Counts))
    assert all(name in MOELIGASelector.__doc__ for name in history)
    for name, column in history.items():
        assert column.tolist() == [row[name] for row in rows], name
    assert history["generation"].tolist() == [0, 1, 2, 3, 4, 5]
    assert np.all(np.diff(history["seconds"]) >= 0)
    assert history["n_evaluations"][-1] == selector.n_evaluations_ == sum(len(call.masks) for call in calls)
    for state in seen.states:
        row, sizes, scores = state.row, state.supports.sum(axis=1), state.objectives[:, 0]
        front = non_dominated(state.objectives)
        assert (row["min_size"], row["max_size"], row["median_size"]) == (sizes.min(), sizes.max(), np.median(sizes))
        assert row["best_score"] == scores.max()
        assert row["best_score_size"] == sizes[scores == scores.max()].min()
        assert row["front_size"] == len(front)
        edges = np.concatenate(([0.0], np.unique((20 - sizes) / 20)))  # area by vertical strips
        heights = [max([scores[i] for i in front if (20 - sizes[i]) / 20 >= edge], default=0.0) for edge in edges[1:]]
        assert_allclose(row["hypervolume"], np.sum(np.diff(edges) * heights), rtol=1e-13)
        if replacement is None or state.generation % LOCAL["every"]:
            assert row["n_replaced"] == 0


def test_a_fixed_schedule_is_the_mutation_rate(rng):
    """A schedule from r to r is mutation_rate=r, bit for bit; another one is another search."""
    X, y = data(rng)
    runs = [small(variation=variation).fit(X, y) for variation in (
        Variation(mutation_rate=2.0), Variation(schedule=(2.0, 2.0)), Variation(schedule="exponential"))]
    paths = [run.pareto_front_.objectives.tobytes() for run in runs]
    assert paths[0] == paths[1] != paths[2]
