"""What individuals are compared by: means over all evaluations."""

from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from arbitrary import sized
from moeliga import LocalImprovement
from moeliga.base.random_streams import Purpose
from moeliga.data.subsets import Subsets
from moeliga.search.local_improvement import improve
from moeliga.search.population import Population, join, unevaluated
from paper_operators import PAPER, fitting
from single_search import single_search

SMALL = {**PAPER, "population_size": 12, "n_generations": 8, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 0,
         "local_improvement": None, "random_state": 0, "n_jobs": 1, "evaluation__reevaluate": "average"}
data = sized(36, 20, 3)


def small(*arguments, **parameters):
    """A selector that takes milliseconds."""
    return single_search(*arguments, **fitting({**SMALL, **parameters}))


# populations


def test_heirs_know_what_their_places_knew():
    """The others know nothing; the population that they come from is not written to."""
    values = np.arange(8.0).reshape(4, 2)
    parents = Population(Subsets(np.arange(4, dtype=np.uint64)[:, None], np.arange(5, dtype=np.int32)), values,
                         np.arange(1, 5))
    chromosomes = Subsets(np.array([[9], [8], [7]], dtype=np.uint64), parents.chromosomes.positions)
    heirs = parents.carry_over(chromosomes, np.array([2, 0]))
    heirs.objectives[0, 0] += 1
    assert heirs.bits.tolist() == [[9], [8], [7]] and heirs.n_scored.tolist() == [3, 1, 0]
    assert heirs.objectives.tolist() == [[5.0, 5.0], [0.0, 1.0], [0.0, 0.0]]
    assert parents.objectives[2, 0] == 4.0
    both = join([parents.take(np.array([3])), unevaluated(chromosomes, 2)])
    assert both.objectives.tolist() == [[6.0, 7.0]] + 3 * [[0.0, 0.0]] and both.n_scored.tolist() == [4, 0, 0, 0]


# the search


@pytest.mark.parametrize("options", [
    {}, {"survival": "nsga2"}, {"evaluation__split_mode": "generation", "evaluation__n_splits": 2},
    {"objectives": ("separability", "uar")},
], ids=str)
def test_objectives_are_means_since_an_individual_came(rng, calls, options):
    """Over all of its evaluations, by NumPy."""
    states = []
    selector = small(**{"objectives": ("uar", "cardinality", "separability"), **options}, callbacks=states.append)
    selector.fit(*data(rng))
    seen = {}
    for call in calls:
        for mask, values in zip(call.masks, call.objectives, strict=True):
            seen.setdefault(mask.tobytes(), []).append(values)
    longest = 0
    for mask, values, n in zip(states[-1].supports, states[-1].objectives, states[-1].population.n_scored, strict=True):
        assert_allclose(values, np.mean(seen[mask.tobytes()][-n:], axis=0), rtol=0, atol=1e-12)
        longest = max(longest, n)
    assert longest > 3


def test_what_replaces_a_template_begins_with_the_comparison(rng, calls):
    """Its objectives are those on the splits on which it was compared with the template."""
    states = []
    small(n_generations=0, callbacks=states.append, init="log_uniform").fit(*data(rng))
    search, population = states[0].search, states[0].population
    n_replaced = 0
    for generation in range(1, 9):
        search.local_improvement = LocalImprovement(3, 9, 4, 1)
        calls.clear()
        after, n = improve(search, population, generation)
        before = search.space.masks(population.chromosomes)
        winners, there = [], Counter(mask.tobytes() for mask in before)
        for address, masks, _, objectives, *_ in calls:
            if address[0] == Purpose.PAIR:
                size, score = masks.sum(axis=1), objectives[:, 0]
                better = (score >= score[0]) & (size <= size[0]) & ((score > score[0]) | (size < size[0]))
                winners += [(masks[i].tobytes(), objectives[i]) for i in np.flatnonzero(better)[:1]]
        assert n == len(winners)
        there.update(mask for mask, _ in winners)
        found = {mask.tobytes(): i for i, mask in enumerate(search.space.masks(after.chromosomes))}
        for mask, objectives in winners:
            if there[mask] > 1:
                continue  # of equal individuals the later one is changed
            i = found[mask]
            assert_array_equal(after.objectives[i], objectives)
            assert after.n_scored[i] == 1
        n_replaced += n
    assert n_replaced > 3


def test_the_front_shows_the_means_of_the_search(rng):
    """As the values that the search saw, beside those of re-scoring."""
    X, y = data(rng)
    states = []
    front = small(archive=False, callbacks=states.append).fit(X, y).pareto_front_
    last = {mask.tobytes(): values for mask, values in zip(states[-1].supports, states[-1].objectives, strict=True)}
    assert_array_equal(front.search_objectives, [last[mask.tobytes()] for mask in front.supports])
    rescored = small(archive=False, evaluation__n_rescore_splits=40).fit(X, y).pareto_front_
    for mask, values, score in zip(rescored.supports, rescored.search_objectives, rescored.score, strict=True):
        assert_array_equal(values, last[mask.tobytes()])
        assert score != values[0]
