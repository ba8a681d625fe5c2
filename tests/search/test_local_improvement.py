"""Evolutionary local improvement: what subordinate populations see, and what they may replace."""

import itertools
import signal
import zlib
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from arbitrary import sized
from moeliga import LocalImprovement, StaggeredInit, Variation
from moeliga._ext import bits
from moeliga.base.random_streams import Purpose
from moeliga.data.subsets import Subsets
from moeliga.parameters.local_improvement import REPLACEMENTS
from moeliga.search import local_improvement as local_module
from moeliga.search.evolution import start
from moeliga.search.local_improvement import explore, improve, templates
from moeliga.search.population import Population
from paper_operators import PAPER, fitting
from single_search import single_search

SMALL = {**PAPER, "population_size": 12, "n_generations": 6, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 0,
         "random_state": 0, "n_jobs": 1}
LOCAL = {"n_populations": 3, "population_size": 10, "n_generations": 3, "every": 2}
LARGE = StaggeredInit(rates=(0.3, 0.5, 0.7))
data = sized(30, 24, 3)


def small(local=None, **parameters):
    """A selector that takes milliseconds and starts from subsets large enough to evolve inside."""
    setting = LocalImprovement(**{**LOCAL, **(local or {})})
    return single_search(**fitting({**SMALL, "init": LARGE, "local_improvement": setting, **parameters}))


def hashed(mask, X, y):
    """A number in [0, 1) that depends on every bit of the mask, and on nothing else."""
    return zlib.crc32(np.packbits(mask)) / 2**32


def subsets_of(masks, positions=None):
    """Of some positions; None = of all."""
    positions = np.arange(np.shape(masks)[1], dtype=np.int32) if positions is None else positions
    return Subsets(bits.pack(np.ascontiguousarray(masks, dtype=np.uint8)), positions)


@pytest.fixture
def rounds(monkeypatch):
    """Every local improvement: list of (search, population before, generation, population after, n_replaced)."""
    found, original = [], local_module.improve

    def watched(search, population, generation):
        result = original(search, population, generation)
        found.append((search, population, generation, *result))
        return result

    monkeypatch.setattr("moeliga.search.islands.improve", watched)
    return found


def parts(calls, number):
    """The calls that belong to one subordinate population."""
    return [call for call in calls if call.address[:2] == (Purpose.EVALUATE, number)]


def numbers(calls):
    """Numbers of the subordinate populations, in order of their first evaluation."""
    found = [call.address for call in calls]
    return list(dict.fromkeys(number for purpose, number, _ in found if purpose == Purpose.EVALUATE and number > 0))


def supports(search, population):
    return search.space.masks(population.chromosomes)


# subordinate populations


@pytest.mark.parametrize("n_features", [10, 24, 130])
@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_every_individual_of_a_subordinate_population_is_a_subset_of_its_template(rng, calls, rounds, replacement,
                                                                                 n_features):
    """What is evaluated in a subordinate population selects features of the template only, and at least one."""
    small({"replacement": replacement}).fit(*data(rng, n_features=n_features))
    assert [entry[2] for entry in rounds] == [2, 4, 6]
    found = numbers(calls)
    for search, before, generation, *_ in rounds:
        chosen = templates(search, before, 3)
        for place, template in enumerate(supports(search, before)[chosen]):
            number = 1 + generation * 3 + place
            for call in parts(calls, number):
                assert_array_equal(call.positions, np.flatnonzero(template))
                assert call.masks.any(axis=1).all()
                assert not call.masks[:, ~template].any()
            assert (number in found) == (template.sum() > 1)
    assert len(found) > 3


def test_numbers_of_subordinate_populations_are_unique_over_a_run(rng, calls):
    """No address is used twice: neither by two populations nor by two generations of one."""
    small({"every": 1, "n_populations": 4}).fit(*data(rng))
    addresses = [call.address for call in calls]
    assert len(set(addresses)) == len(addresses)
    assert len(numbers(calls)) > 12


def test_individual_0_is_the_template_and_the_others_have_each_feature_by_chance(rng, calls):
    """A subordinate population starts from the template and random halves of it, all distinct."""
    small({"population_size": 40, "n_populations": 4}, init=StaggeredInit(rates=(0.9, 0.9, 0.9))).fit(
        *data(rng, n_features=40))
    shares, evolved = [], 0
    for number in numbers(calls):
        begin = parts(calls, number)[0]
        assert begin.address == (Purpose.EVALUATE, number, 0)
        if begin.shared:
            continue  # enumerated
        inside = begin.masks[:, begin.positions]
        assert len(inside) == 40
        assert inside[0].all()
        assert len(np.unique(inside, axis=0)) == 40
        shares.append(inside[1:].mean())
        evolved += 1
    assert evolved >= 4
    assert 0.45 < np.mean(shares) < 0.55


def test_subordinate_populations_have_their_own_size_and_generations(rng, calls):
    """population_size and n_generations of the setting, whatever those of the main population."""
    small().fit(*data(rng))
    for number in numbers(calls):
        found = parts(calls, number)
        if not found[0].shared:
            assert [call.address[2] for call in found] == [0, 1, 2, 3]
            assert [len(call.masks) for call in found] == [10] * 4


@pytest.mark.parametrize("every", [1, 2, 4, 7])
def test_every_counts_generations_of_the_main_population(rng, rounds, every):
    """Improvement follows generations every, 2 every, ..., never generation 0."""
    small({"every": every}).fit(*data(rng))
    assert [entry[2] for entry in rounds] == [g for g in range(1, 7) if g % every == 0]


def test_templates_are_the_fittest_and_distinct(rng):
    """By rank, then fitness, then R1; equal chromosomes count once."""
    masks = np.eye(6, dtype=bool)[[3, 3, 1, 1, 0, 2]] | (np.arange(6) == 5)
    population = Population(subsets_of(masks), np.array([[0.9], [0.9], [0.8], [0.8], [0.95], [0.1]]),
                            np.ones(6, dtype=np.int64))
    population.rank = np.array([1, 1, 1, 1, 2, 3], dtype=np.int32)
    population.fitness = np.array([5.0, 5.0, 6.0, 6.0, 9.0, 9.0])
    search = search_for(rng, n_features=6)
    assert templates(search, population, 3) == [2, 0, 4]
    assert templates(search, population, 9) == [2, 0, 4, 5]
    population.fitness[:] = 1.0  # R1: the higher score of equal sizes
    assert templates(search, population, 2) == [0, 2]


# enumeration


def search_for(rng, n_features=24, objectives=("uar", "cardinality", "separability"), local=None, archive=True,
               **parameters):
    """The Search of a selector that has just begun."""
    seen = []
    small(local, n_generations=0, objectives=objectives, archive=archive, callbacks=seen.append, **parameters).fit(
        *data(rng, n_features=n_features))
    return seen[0].search


@pytest.mark.parametrize(("k", "population_size", "enumerated"), [
    (2, 7, True), (3, 7, True), (3, 8, True), (3, 6, False), (4, 15, True), (4, 14, False), (5, 14, False),
])
def test_a_small_template_is_enumerated(rng, calls, k, population_size, enumerated):
    """2^k - 1 <= population_size: all subsets, once each, on the same splits; above that it is evolved."""
    search = search_for(rng, local={"population_size": population_size})
    features = np.sort(rng.choice(24, size=k, replace=False)).astype(np.int32)
    calls.clear()
    found = explore(search, features, 77)
    assert found.rank is not None
    if not enumerated:
        assert len(found) == population_size
        assert len(calls) == 4
        return
    (address, masks, _, values, _, shared), = calls
    assert address == (Purpose.EVALUATE, 77, 0)
    assert shared
    expected = {mask for mask in itertools.product([False, True], repeat=k) if any(mask)}
    assert len(masks) == len(expected)
    assert {tuple(mask) for mask in masks[:, features].tolist()} == expected
    assert_array_equal(found.objectives, values)
    one, _ = search.objectives.evaluate(search.ground, subsets_of(masks[-1:]), address, shared=True)
    assert_array_equal(one[0], values[-1])


def test_a_template_of_one_feature_is_skipped(rng, calls, rounds):
    """There is nothing inside it; the other templates keep their numbers."""
    X, y = data(rng, n_features=6)
    small(init=StaggeredInit((1.0,), (0.01,)), n_generations=2, population_size=6, survival__n_elite=5,
          survival__generation_gap=0,
          variation=Variation(crossover_rate=0.0, mutation_rate=0.0)).fit(X, y)
    (search, before, generation, after, n_replaced), = rounds
    sizes = supports(search, before).sum(axis=1)[templates(search, before, 3)]
    assert 1 in sizes
    assert numbers(calls) == [1 + generation * 3 + place for place in range(3) if sizes[place] > 1]
    if (sizes == 1).all():
        assert after is before
        assert n_replaced == 0


def test_nothing_happens_where_all_templates_have_one_feature(rng):
    """The population comes back as it is, at no cost, for every replacement."""
    for replacement in REPLACEMENTS:
        search = search_for(rng, local={"replacement": replacement})
        population = start(search, subsets_of(np.eye(24)[:12]), 0)
        spent = search.budget.n_evaluations
        assert improve(search, population, 5) == (population, 0)
        assert search.budget.n_evaluations == spent


# patience


def test_patience_ends_a_subordinate_population_that_does_not_grow(rng, calls):
    """It ends where its hypervolume has not grown for so many generations; without patience it runs to the end."""
    X, y = data(rng)

    def generations(patience):
        calls.clear()
        small({"patience": patience, "n_generations": 30}, evaluation__reevaluate="none").fit(X, y)
        counts = Counter(call.address[1] for call in calls
                         if call.address[0] == Purpose.EVALUATE and call.address[1] > 0 and not call.shared)
        return [n - 1 for n in counts.values()]

    assert set(generations(None)) == {30}
    assert max(generations(1)) < 30
    assert min(generations(3)) >= 3


# replacement by "parent"


@pytest.mark.quick(1)
@pytest.mark.parametrize("reevaluate", ["all", "none", "average"])
def test_parents_are_replaced_only_by_what_is_no_worse_and_better_on_the_same_splits(rng, calls, rounds, reevaluate):
    """On the splits on which both were judged neither score nor size is worse, and one is better; else it stays."""
    n_replaced = n_kept = 0
    for seed in range(6):
        calls.clear()
        rounds.clear()
        small(n_generations=10, random_state=seed, evaluation__reevaluate=reevaluate).fit(*data(rng))
        for search, before, generation, after, replaced in rounds:
            old, new = supports(search, before), supports(search, after)
            pairs = [call for call in calls if call.address[0] == Purpose.PAIR
                     and (call.address[1] - 1) // 3 == generation]
            winners = 0
            for (_, number, _), masks, _, values, _, shared in pairs:
                assert shared
                assert len(masks) == 2
                template = templates(search, before, 3)[(number - 1) % 3]
                assert_array_equal(masks[0], old[template])
                (score, _, _), (other, _, _) = values
                size, smaller = masks.sum(axis=1)
                better = other >= score and smaller <= size and (other > score or smaller < size)
                assert not (masks[1] & ~masks[0]).any()
                if better:
                    winners += 1
                    if np.array_equal(new[template], masks[1]):  # else it was a copy, and had to change
                        assert_array_equal(after.objectives[template], values[1])
                        assert after.n_scored[template] == 1
                else:
                    n_kept += 1
                    assert np.array_equal(new[template], old[template]) or replaced
            assert replaced == winners
            n_replaced += replaced
            untouched = np.setdiff1d(np.arange(12), templates(search, before, 3))
            changed = np.flatnonzero((old != new).any(axis=1))
            assert len(np.intersect1d(changed, untouched)) <= replaced  # copies of newcomers
    assert n_replaced > 5
    assert n_kept > 5


def test_the_fittest_of_the_subordinate_population_is_judged(rng, monkeypatch):
    """By rank, then fitness, then R1; where it is the template itself nothing is evaluated."""
    search = search_for(rng, objectives=(hashed, "cardinality"), local={"n_populations": 1})
    whole = np.ones((1, 24), dtype=bool)
    population = start(search, subsets_of(np.concatenate((whole, np.eye(24, dtype=bool)[:11]))), 0)
    monkeypatch.setattr(local_module, "templates", lambda search, population, n: [0])
    monkeypatch.setattr(local_module, "explore", lambda search, features, number: start(
        search, subsets_of(whole, features), number))
    spent = search.budget.n_evaluations
    after, n_replaced = improve(search, population, 5)
    assert after is population
    assert n_replaced == 0
    assert search.budget.n_evaluations == spent + 1  # the subordinate population itself


def test_of_equally_fit_ones_the_nearest_to_the_ideal_is_judged(rng, monkeypatch, calls):
    """Rank and fitness being equal, R1 decides, not the place."""

    def score(mask, X, y):
        return {24: 0.1, 12: 0.8, 2: 0.2}[int(mask.sum())]

    search = search_for(rng, objectives=(hashed, "cardinality"), local={"n_populations": 1}, survival__sharing=None)
    search.objectives.terms[0] = score
    masks = np.arange(24) < np.array([[24], [2], [12]])  # R1: 0, 0.196, 0.461
    population = start(search, subsets_of(masks[:1]), 0)
    monkeypatch.setattr(local_module, "templates", lambda search, population, n: [0])
    monkeypatch.setattr(local_module, "explore", lambda search, features, number: start(
        search, subsets_of(masks[1:], features), number))
    improve(search, population, 5)
    pair, = (call for call in calls if call.address[0] == Purpose.PAIR)
    assert_array_equal(pair.masks, masks[[0, 2]])


def given_pair(rng, monkeypatch, before, candidate, scores, **options):
    """Improve a population whose first template meets one candidate; `scores` are those of the pair."""

    def score(mask, X, y):
        return scores[tuple(np.flatnonzero(mask).tolist())]

    search = search_for(rng, objectives=(hashed, "cardinality"), local={"n_populations": 1}, archive=False,
                        **options)
    search.objectives.terms[0] = score
    masks = np.zeros((len(before), 24), dtype=bool)
    for mask, features in zip(masks, before, strict=True):
        mask[features] = True
    population = start(search, subsets_of(masks), 0)

    def subordinate(search, features, number):
        return start(search, subsets_of(np.isin(features, candidate)[None], features), number)

    monkeypatch.setattr(local_module, "templates", lambda search, population, n: [0])
    monkeypatch.setattr(local_module, "explore", subordinate)
    after, n_replaced = improve(search, population, 5)
    found = [np.flatnonzero(mask).tolist() for mask in supports(search, after)]
    return found, after, n_replaced


@pytest.mark.parametrize(("score", "replaced"), [(0.6, True), (0.5, True), (0.4, False)])
def test_a_smaller_subset_replaces_unless_its_score_is_lower(rng, monkeypatch, score, replaced):
    """Size is better; the score may be equal but not worse."""
    scores = {(0, 1, 2): 0.5, (0, 1): score, (7,): 0.1}
    found, after, n_replaced = given_pair(rng, monkeypatch, [[0, 1, 2], [7]], [0, 1], scores,
                                          evaluation__reevaluate="average")
    assert n_replaced == replaced and after.n_scored.tolist() == [1, 1]
    assert found == [[0, 1] if replaced else [0, 1, 2], [7]]
    assert after.objectives[0, 0] == (score if replaced else 0.5)


def test_a_newcomer_that_is_there_already_differs_in_the_end(rng, monkeypatch):
    """The later of two equal individuals is changed and evaluated anew."""
    subsets = [tuple(c) for k in (1, 2, 3, 4) for c in itertools.combinations(range(24), k)]
    scores = dict.fromkeys(subsets, 0.25) | {(0, 1, 2): 0.5, (0, 1): 0.6}
    found, after, n_replaced = given_pair(rng, monkeypatch, [[0, 1, 2], [7], [0, 1]], [0, 1], scores,
                                          evaluation__reevaluate="average")
    assert n_replaced == 1
    assert found[:2] == [[0, 1], [7]]
    assert found[2] != [0, 1]
    assert after.objectives[:, 0].tolist() == [0.6, 0.25, scores[tuple(found[2])]]
    assert after.n_scored.tolist() == [1, 1, 1]


@pytest.mark.parametrize(("n_left", "n_replaced", "n_spent"), [(3, 0, 3), (4, 1, 4)])
def test_a_copy_that_cannot_be_evaluated_anew_ends_the_improvement(rng, monkeypatch, n_left, n_replaced, n_spent):
    """After one subordinate individual and two of a pair; the limit holds."""
    search = search_for(rng, objectives=(hashed, "cardinality"), local={"n_populations": 1})
    search.objectives.terms[0] = lambda mask, X, y: {(0, 1, 2): 0.5, (0, 1): 0.6}.get(tuple(np.flatnonzero(mask)), 0.25)
    masks = np.array([np.isin(np.arange(24), subset) for subset in ([0, 1, 2], [7], [0, 1])])
    population = start(search, subsets_of(masks), 0)
    monkeypatch.setattr(local_module, "templates", lambda search, population, n: [0])
    monkeypatch.setattr(local_module, "explore", lambda search, features, number: start(
        search, subsets_of(np.isin(features, [0, 1])[None], features), number))
    begun, budget = search.budget.n_evaluations, search.budget
    budget.max_evaluations = begun + n_left
    after, replaced = improve(search, population, 5)
    assert (replaced, budget.n_evaluations - begun) == (n_replaced, n_spent)
    assert (after is population) == (n_replaced == 0)
    assert budget.reason == (None if n_replaced else "max_evaluations")


@pytest.mark.parametrize(("n_left", "allowed"), [(6, False), (7, True)])
def test_a_template_is_enumerated_only_as_a_whole(rng, n_left, allowed):
    """Seven subsets of three features."""
    search = search_for(rng, objectives=(hashed, "cardinality"))
    search.budget.max_evaluations = search.budget.n_evaluations + n_left
    assert (explore(search, np.array([1, 4, 9], dtype=np.int32), 1) is not None) == allowed


@pytest.mark.parametrize(("n_left", "n_spent"), [(2, 1), (3, 3)])
def test_a_pair_is_compared_only_as_a_whole(rng, monkeypatch, n_left, n_spent):
    """Two evaluations, after that of the subordinate individual."""
    search = search_for(rng, objectives=(hashed, "cardinality"), local={"n_populations": 1})
    population = start(search, subsets_of(np.eye(24, dtype=bool)[[0, 7]] | np.eye(24, dtype=bool)[[1, 8]]), 0)
    monkeypatch.setattr(local_module, "templates", lambda search, population, n: [0])
    monkeypatch.setattr(local_module, "explore", lambda search, features, number: start(
        search, subsets_of(np.array([[True, False]]), features), number))
    begun = search.budget.n_evaluations
    search.budget.max_evaluations = begun + n_left
    improve(search, population, 5)
    assert search.budget.n_evaluations - begun == n_spent


# replacement from the union


def union_of(calls, search, before, generation):
    """Masks and objectives of the main population and of the last generations of its subordinate populations."""
    masks, values = [supports(search, before)], [before.objectives]
    for number in numbers(calls):
        if (number - 1) // 3 == generation:
            last = parts(calls, number)[-1]
            masks.append(last.masks)
            values.append(last.objectives)
    return np.concatenate(masks), np.concatenate(values)


def rank_of(values):
    return np.array([1 + sum(np.all(b >= a) and np.any(b > a) for b in values) for a in values])


def test_complete_keeps_the_best_of_the_union(rng, calls, rounds):
    """P individuals by rank, then f''; without sharing f'' is the rank's own, and ties go by place in the union."""
    small({"replacement": "complete"}, survival__sharing=None, objectives=(hashed, "cardinality")).fit(*data(rng))
    assert len(rounds) == 3
    for search, before, generation, after, n_replaced in rounds:
        masks, values = union_of(calls, search, before, generation)
        assert len(masks) > 12
        chosen = np.argsort(rank_of(values), kind="stable")[:12]
        assert n_replaced == np.count_nonzero(chosen >= 12)
        got, distinct = supports(search, after), {}
        for place, index in enumerate(chosen):
            if distinct.setdefault(tuple(masks[index].tolist()), place) == place:
                assert_array_equal(got[place], masks[index])
                assert_array_equal(after.objectives[place], values[index])
            else:  # a copy had to change
                assert not np.array_equal(got[place], masks[index])
        assert len(np.unique(got, axis=0)) == 12
    assert sum(entry[4] for entry in rounds) > 0


def test_selection_draws_from_the_union_by_fitness(rng, calls, rounds):
    """Members of all populations are drawn, and the better the rank, the likelier."""
    origins, drawn, available = [], [], []
    for seed in range(15):
        calls.clear()
        rounds.clear()
        small({"replacement": "selection"}, survival__sharing=None, objectives=(hashed, "cardinality"),
              random_state=seed).fit(*data(rng))
        for search, before, generation, after, n_replaced in rounds:
            masks, values = union_of(calls, search, before, generation)
            places = {tuple(mask): i for i, mask in reversed(list(enumerate(masks.tolist())))}
            rank = rank_of(values)
            found = [places.get(tuple(mask)) for mask in supports(search, after).tolist()]
            origins += [place >= 12 for place in found if place is not None]
            drawn += [rank[place] for place in found if place is not None]
            available += rank.tolist()
            assert n_replaced > 0
    assert 0.4 < np.mean(origins) < 0.95
    assert np.mean(drawn) < 0.85 * np.mean(available)


# stopping


@pytest.mark.slow
@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_a_budget_that_runs_out_inside_leaves_the_main_population(rng, rounds, replacement):
    """Where not all subordinate populations can be done, or compared, the population is what it was before."""
    X, y = data(rng)
    whole = small({"replacement": replacement, "every": 3}, n_generations=3, objectives=(hashed, "cardinality"))
    spent = whole.fit(X, y).history_["n_evaluations"]
    for limit in range(int(spent[2]) + 12, int(spent[3])):
        rounds.clear()
        selector = small({"replacement": replacement, "every": 3}, n_generations=3, objectives=(hashed, "cardinality"),
                         max_evaluations=limit).fit(X, y)
        (_, before, _, after, n_replaced), = rounds
        assert after is before
        assert n_replaced == 0
        assert selector.stop_reason_ == "max_evaluations"
        assert selector.history_["n_evaluations"][-1] <= limit
        assert selector.history_["generation"].tolist() == [0, 1, 2, 3]
        assert selector.history_["n_replaced"].tolist() == [0, 0, 0, 0]


def test_an_interrupt_inside_leaves_the_main_population(rng, rounds, monkeypatch):
    """Ctrl-C in a subordinate population drops this improvement."""
    original = local_module.explore

    def pressed(search, features, number):
        if number > 1 + 2 * 3:  # not the first of generation 2
            signal.raise_signal(signal.SIGINT)
        return original(search, features, number)

    monkeypatch.setattr(local_module, "explore", pressed)
    selector = small().fit(*data(rng))
    (_, before, _, after, n_replaced), = rounds
    assert after is before
    assert n_replaced == 0
    assert selector.stop_reason_ == "interrupt"
    assert selector.support_.any()


@pytest.mark.parametrize("archive", [True, False])
@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_the_population_that_is_improved_is_not_written_to(rng, replacement, archive):
    """What comes back is another population, or the very same one."""
    search = search_for(rng, archive=archive, local={"replacement": replacement})
    population = start(search, subsets_of(rng.random((12, 24)) < 0.5), 0)
    before = [population.bits.copy(), population.objectives.copy(), population.n_scored.copy()]
    improve(search, population, 5)
    assert_array_equal(population.bits, before[0])
    assert_array_equal(population.objectives, before[1])
    assert_array_equal(population.n_scored, before[2])


@pytest.mark.parametrize("every", [1, 2, 5])
def test_every_so_many_generations_are_improved(rng, calls, every):
    """The score grows with the subset, so templates are large."""
    def size(mask, X, y):
        return float(mask.mean())

    local = {"n_populations": 1, "every": every, "n_generations": 1}
    small(local, objectives=(size, "cardinality"), n_generations=11).fit(*data(rng))
    assert {address[1] - 1 for address, *_ in calls if address[1]} == set(range(every, 12, every))
