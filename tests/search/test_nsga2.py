"""The search that survival="nsga2" makes of dominance fronts and crowding."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from populations import few_values

import naive.crowding
import naive.dominance
from arbitrary import data, expected, first, second
from moeliga import MOGA, LocalImprovement, Variation
from moeliga._ext import bits, dominance
from moeliga.base.random_streams import Purpose
from moeliga.data.subsets import Subsets
from moeliga.search.evolution import originals
from moeliga.search.population import Population
from paper_operators import PAPER, fitting
from single_search import single_search

SMALL = {**PAPER, "population_size": 12, "n_generations": 6, "evaluation__n_rescore_splits": 0,
         "local_improvement": None,
         "survival": "nsga2", "random_state": 0, "n_jobs": 1}
TINY = {"population_size": 24, "n_generations": 1, "local_improvement": None, "evaluation__n_rescore_splits": 2,
        "random_state": 0}


def opposite(mask, X, y):
    """An objective that is the better the worse the first one is."""
    return -first(mask, X, y)


def small(**parameters):
    """A selector that takes milliseconds."""
    return single_search(**fitting({**SMALL, **parameters}))


def test_best_are_by_front_then_distance_then_place(rng):
    """Of a rated population; copies keep their order."""
    objectives = few_values(rng, 40, 2)
    population = Population(Subsets(np.zeros((40, 1), dtype=np.uint64), np.arange(5, dtype=np.int32)), objectives,
                            np.ones(40, dtype=np.int64)).rate_by_crowding()
    keys = naive.crowding.keys(population.rank.tolist(), dominance.crowding(objectives, population.rank).tolist())
    assert population.best(17).tolist() == sorted(range(40), key=lambda i: (*keys[i], i))[:17]


# the search


@pytest.mark.parametrize("reevaluate", ["all", "none", "average"])
def test_the_best_of_parents_and_children_survive(rng, calls, reevaluate):
    """With objectives that depend on the mask alone: brute force over parents and what else was evaluated."""
    X, y = data(rng)
    states = []
    small(evaluation__reevaluate=reevaluate, objectives=(first, second), callbacks=states.append).fit(X, y)
    assert len(states) == len(calls) == 7
    n_parents = 0
    for before, after, (address, masks, rows, *_) in zip(states, states[1:], calls[1:], strict=False):
        assert address == (Purpose.EVALUATE, 0, after.generation)
        n_rivals = 24 if reevaluate != "none" else 12
        assert rows.tolist() == list(range(24 - n_rivals, 24)) and len(masks) == n_rivals
        children = masks[-12:]
        rivals = np.concatenate((before.supports, children))
        if reevaluate != "none":
            assert_array_equal(masks, rivals)
        assert len(np.unique(rivals, axis=0)) == 24
        values = expected(rivals).tolist()
        front = naive.crowding.fronts(values)
        keys = naive.crowding.keys(front, naive.crowding.distances(values, front))
        kept = sorted(range(24), key=lambda i: (*keys[i], i))[:12]
        assert_array_equal(after.supports, rivals[kept])
        assert_array_equal(after.objectives, np.array(values)[kept])
        n_parents += sum(i < 12 for i in kept)
    assert 0 < n_parents < 6 * 12


def test_reevaluation_judges_parents_and_children_on_the_same_occasion(rng, calls):
    """"average": what a parent had is averaged with what it gets now; "none": it keeps what it had."""
    X, y = data(rng)
    for reevaluate in ("average", "none"):
        calls.clear()
        states = []
        small(evaluation__reevaluate=reevaluate, objectives=("uar", "cardinality"), callbacks=states.append).fit(X, y)
        scored = {}
        for state, (_, masks, _, fresh, *_) in zip(states, calls, strict=True):
            for mask, value in zip(masks.tolist(), fresh[:, 0].tolist(), strict=True):
                scored.setdefault(tuple(mask), []).append(value)
            for mask, objectives, n in zip(state.supports.tolist(), state.objectives, state.population.n_scored,
                                           strict=True):
                values = scored[tuple(mask)][-n:]
                assert objectives[0] == pytest.approx(np.mean(values), rel=1e-12)
        longest = max(state.population.n_scored.max() for state in states)
        assert longest == 1 if reevaluate == "none" else longest > 3


@pytest.mark.parametrize("n_features", [2, 4, 5, 20, 70])
@pytest.mark.parametrize("replacement", [None, "parent", "complete", "selection"])
def test_no_individual_is_empty_or_twice(rng, n_features, replacement):
    """But where there are fewer subsets than individuals; values are those of the chromosomes."""
    states = []
    local = replacement and LocalImprovement(2, 7, 2, 2, replacement)
    small(objectives=(first, second), local_improvement=local, callbacks=states.append,
          variation=Variation(mutation_rate=2.0)).fit(*data(rng, n_features=n_features))
    for state in states:
        assert state.supports.shape == (12, n_features) and state.supports.any(axis=1).all()
        assert len(np.unique(state.supports, axis=0)) == 12 or n_features == 2
        assert_array_equal(state.objectives, expected(state.supports))
        assert_array_equal(state.population.rank, dominance.fronts(state.objectives))


@pytest.mark.parametrize("replacement", [None, "parent", "complete", "selection"])
@pytest.mark.parametrize("reevaluate", ["all", "none", "average"])
def test_front_is_all_that_is_not_dominated_of_everything_seen(rng, calls, reevaluate, replacement):
    """The archive also sees the children that do not survive."""
    local = replacement and LocalImprovement(2, 7, 2, 2, replacement)
    front = small(objectives=(first, second), evaluation__reevaluate=reevaluate, local_improvement=local,
                  population_size=5).fit(*data(rng)).pareto_front_
    masks = np.unique(np.concatenate([call.masks for call in calls]), axis=0)
    best = np.array(naive.dominance.rank(expected(masks).tolist())) == 1
    assert {mask.tobytes() for mask in front.supports} == {mask.tobytes() for mask in masks[best]}


def test_nobody_is_lost_where_none_dominates_another(rng, calls):
    """The archive has all children, of which only as many survive as there is room for."""
    front = small(objectives=(first, opposite), population_size=5).fit(*data(rng)).pareto_front_
    seen = {mask.tobytes() for call in calls for mask in call.masks}
    assert {mask.tobytes() for mask in front.supports} == seen and len(seen) > 20


def test_survival_by_competition_has_no_parameters(rng):
    """Elites, gap, sharing and how parents are selected belong to `MOGA`; that is another search."""
    X, y = data(rng)
    with pytest.raises(ValueError, match="survival__n_elite cannot be set: survival='nsga2' has no parameters"):
        small().set_params(survival__n_elite=3)
    one, moga = small().fit(X, y), small(survival=MOGA(n_elite=2, generation_gap=2)).fit(X, y)
    assert moga.history_["hypervolume"].tolist() != one.history_["hypervolume"].tolist()


def test_parents_are_drawn_by_tournaments_of_two(rng, monkeypatch):
    """Of the rated population, by fitness, as many children as there are parents."""
    from moeliga._ext import vary

    drawn, offspring = [], vary.offspring

    def watched(seed, address, parents, fitness, n_features, n_children, selection, tournament_size, *rest):
        drawn.append((len(parents), n_children, selection, tournament_size, fitness.copy()))
        return offspring(seed, address, parents, fitness, n_features, n_children, selection, tournament_size, *rest)

    monkeypatch.setattr("moeliga.search.evolution.vary.offspring", watched)
    states = []
    small(callbacks=states.append).fit(*data(rng))
    assert len(drawn) == 6
    for state, (n, n_children, selection, size, fitness) in zip(states, drawn, strict=False):
        assert (n, n_children, selection, size) == (12, 12, "tournament", 2)
        front = naive.crowding.fronts(state.objectives.tolist())
        keys = naive.crowding.keys(front, naive.crowding.distances(state.objectives.tolist(), front))
        assert fitness.tolist() == naive.dominance.fitness(keys)


@pytest.mark.parametrize(("reevaluate", "each"), [("all", 24), ("average", 24), ("none", 12)])
@pytest.mark.parametrize("limit", [12, 23, 24, 35, 36, 47, 48, 60])
def test_a_generation_that_would_exceed_the_limit_is_not_begun(rng, reevaluate, each, limit):
    """Parents count where they are evaluated again."""
    selector = small(evaluation__reevaluate=reevaluate, max_evaluations=limit, n_generations=99).fit(*data(rng))
    assert selector.n_evaluations_ == 12 + (limit - 12) // each * each
    assert selector.stop_reason_ == "max_evaluations"


@pytest.mark.parametrize(("reevaluate", "each"), [("all", 24), ("average", 24), ("none", 12)])
def test_the_plan_is_exact(rng, reevaluate, each):
    """Evaluations of the main population, and those of subordinate ones."""
    X, y = data(rng)
    selector = small(evaluation__reevaluate=reevaluate)
    assert selector.estimate_time(X, y).n_evaluations == selector.fit(X, y).n_evaluations_ == 12 + 6 * each
    improved = small(evaluation__reevaluate=reevaluate, local_improvement=LocalImprovement(2, 7, 3, 2),
                     objectives=(first,))
    planned = improved.estimate_time(*data(rng, n_features=200)).n_evaluations
    assert planned == 12 + 6 * each + 3 * 2 * (7 + 3 * 7 * each // 12)


def test_originals_are_the_first_of_equals():
    """Of the others only so many stay that there are enough, the first ones."""
    chromosomes = np.array([[1], [2], [1], [3], [2], [1]], dtype=np.uint64)
    assert originals(chromosomes, 2).tolist() == [0, 1, 3]
    assert originals(chromosomes, 3).tolist() == [0, 1, 3]
    assert originals(chromosomes, 4).tolist() == [0, 1, 2, 3]
    assert originals(chromosomes, 6).tolist() == list(range(6))


def test_a_population_of_its_own_rating_is_that_of_a_resumed_search(rng):
    """Rating what survived again changes nothing: a checkpoint needs no ranks."""
    states = []
    small(callbacks=states.append).fit(*data(rng))
    for before, after in itertools.pairwise(states):
        assert before.population is not after.population
    for state in states:
        population = state.population
        again = population.take(np.arange(len(population))).rate_by_crowding()
        assert_array_equal(again.rank, population.rank)
        assert_array_equal(again.fitness, population.fitness)
        assert bits.count(population.bits).min() > 0
