"""Constraints in whole searches: groups, forced and excluded features, sizes, costs, subsets to start from."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from moeliga import FeatureCost, LocalImprovement, LogUniformInit, Variation, evaluate_subsets
from moeliga.results.rules import closeness
from paper_operators import fitting
from single_search import single_search

LABELS = [f // 3 for f in range(18)]


def data(rng, n_samples=40, n_features=18):
    y = np.arange(n_samples) % 3
    X = rng.normal(size=(n_samples, n_features))
    X[:, ::4] += y[:, None]
    return X, y


class Seen:
    """Keeps the masks of every subset that the search evaluates, in subordinate populations too."""

    def __init__(self):
        self.masks = []

    def __call__(self, mask, X, y):
        self.masks.append(mask.copy())
        return 0.0


def small(rng, **parameters):
    """A fitted selector, its X and y, and all masks that it evaluated."""
    seen = Seen()
    given = {"population_size": 16, "n_generations": 6, "survival__n_elite": 3, "survival__generation_gap": 3,
             "evaluation__n_rescore_splits": 4,
             "local_improvement": LocalImprovement(population_size=8, n_generations=3, every=2), "random_state": 0,
             "objectives": ("uar", "cardinality", seen), **parameters}
    X, y = data(rng)
    selector = single_search(**fitting(given)).fit(X, y)
    return selector, X, y, np.array(seen.masks)


@pytest.mark.quick("values")
@pytest.mark.parametrize(("survival", "replacement"), [("moga", "parent"), ("moga", "complete"), ("moga", "selection"),
                                                       ("nsga2", "parent"), ("nsga2", "complete")])
@pytest.mark.parametrize("variation", ["one_point", "uniform", Variation(mutation_rate=2.0)], ids=str)
@pytest.mark.parametrize("structure", [
    {"constraints__groups": LABELS},
    {"constraints__must_include": [2, 7], "constraints__exclude": [0, 1]},
    {"constraints__min_features": 4, "max_features": 6},
    {"max_features": 1},
    {"constraints__min_features": 18},
    {"constraints__must_include": [4], "max_features": 2},
    {"constraints__groups": LABELS, "constraints__must_include": [0], "constraints__exclude": [4],
     "constraints__min_features": 5, "max_features": 9},
    {"constraints__groups": [[0, 1, 2, 3, 4], [5, 6, 7]], "constraints__min_features": 6, "max_features": 6},
    {"feature_prior": "f_classif", "constraints__groups": [f // 2 for f in range(9)] + list(range(9, 18)),
     "constraints__must_include": [0], "constraints__exclude": [4], "constraints__min_features": 5, "max_features": 9},
    {"feature_prior": "f_classif", "constraints__min_features": 4, "max_features": 6},
], ids=str)
def test_every_subset_of_a_search_keeps_to_the_constraints(rng, structure, variation, survival, replacement):
    """Initial, bred, improved, changed for being copies, and in the front: all of them."""
    local = LocalImprovement(population_size=8, n_generations=3, every=2, replacement=replacement)
    selector, *_, masks = small(rng, variation=variation, survival=survival, local_improvement=local, **structure)
    sizes = masks.sum(axis=1)
    assert structure.get("constraints__min_features", 1) <= sizes.min()
    assert sizes.max() <= (structure.get("max_features") or 18)
    left_out = structure.get("constraints__exclude", [])
    assert masks[:, structure.get("constraints__must_include", [])].all() and not masks[:, left_out].any()
    groups = structure.get("constraints__groups", [])
    if groups and not isinstance(groups[0], list):
        groups = [[f for f in range(18) if groups[f] == label] for label in set(groups)]
    for group in groups:
        columns = masks[:, [f for f in group if f not in left_out]]
        assert_array_equal(columns.all(axis=1), columns.any(axis=1))
    evaluated = {mask.tobytes() for mask in masks}
    assert all(support.tobytes() in evaluated for support in selector.pareto_front_.supports)


def test_without_constraints_the_search_is_the_same(rng):
    """Constraints that rule nothing out change no bit, whichever way they are written."""
    one, X, y, _ = small(rng, objectives=("uar", "cardinality", "separability"))
    for structure in ({"constraints__groups": list(range(18))}, {"constraints__min_features": 1, "max_features": 18},
                      {"constraints__exclude": []},
                      {"constraints__groups": [[f] for f in range(18)]}, {"constraints__groups": 18 * [None]}):
        two = single_search(**fitting({**one.get_params(deep=False), **structure})).fit(X, y)
        assert_array_equal(two.pareto_front_.supports, one.pareto_front_.supports)
        assert two.pareto_front_.objectives.tobytes() == one.pareto_front_.objectives.tobytes()


def test_an_excluded_feature_might_as_well_not_be_there(rng):
    """Same draws, same subsets: only the share of features left out counts it."""
    X, y = data(rng)
    wide = np.insert(X, [0, 9], rng.normal(size=(40, 2)), axis=1)
    setting = {"population_size": 16, "n_generations": 6, "random_state": 0, "objectives": ("uar", "separability")}
    one = single_search(**setting).fit(X, y)
    two = single_search(**setting, constraints__exclude=[0, 10]).fit(wide, y)
    assert_array_equal(np.delete(two.pareto_front_.supports, [0, 10], axis=1), one.pareto_front_.supports)
    assert two.pareto_front_.objectives.tobytes() == one.pareto_front_.objectives.tobytes()


def test_forced_features_are_scored_with_the_others(rng):
    """The objectives of the front are those of whole subsets."""
    selector, X, y, _ = small(rng, constraints__must_include=[2, 7], constraints__groups=LABELS,
                              objectives=("uar", "cardinality", "separability"))
    front = selector.pareto_front_
    assert front.supports[:, [0, 1, 2, 6, 7, 8]].all()  # with their groups
    ref = evaluate_subsets(X, y, front.supports, n_splits=400, shared=True, random_state=1)
    np.testing.assert_allclose(front.score, ref[:, 0], atol=0.2)
    assert_array_equal(front.objectives[:, 1], ref[:, 1])


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_same_bits_for_any_number_of_threads(rng, n_jobs):
    """Constraints draw from the same addresses."""
    structure = {"constraints__groups": LABELS, "constraints__must_include": [0], "max_features": 9,
                 "objectives": ("uar", "cardinality")}
    one, X, y, _ = small(rng, **structure)
    two = single_search(**fitting({**one.get_params(deep=False), "n_jobs": n_jobs})).fit(X, y)
    assert two.pareto_front_.objectives.tobytes() == one.pareto_front_.objectives.tobytes()


# costs


def test_cost_is_an_objective_in_place_of_cardinality(rng):
    """The share of the cost saved, for every member; select(max_cost=) keeps within a budget."""
    costs = rng.random(18) * 5
    selector, *_ = small(rng, constraints__costs=costs, objectives=("uar", FeatureCost()))
    front = selector.pareto_front_
    assert front.names == ("uar", "cost")
    np.testing.assert_allclose(front.cost, front.supports @ costs, rtol=1e-12)
    np.testing.assert_allclose(front.objectives[:, 1], 1 - front.supports @ costs / costs.sum(), rtol=1e-9, atol=1e-12)
    for budget in (front.cost.min(), np.median(front.cost), front.cost.max()):
        chosen = selector.select("best", max_cost=budget).index_
        assert front.score[chosen] == front.score[front.cost <= budget].max()
        assert front.cost[chosen] <= budget
    with pytest.raises(ValueError, match="max_cost must be >= .*, the cost of the cheapest member that may be "):
        selector.select(max_cost=front.cost.min() / 2)
    assert front.to_frame()["total_cost"].tolist() == front.cost.tolist()


def test_equal_costs_are_the_cardinality_ratio(rng):
    """Cost beside cardinality: with equal costs both say the same."""
    selector, *_ = small(rng, constraints__costs=np.full(18, 0.25), objectives=("uar", "cost", "cardinality"))
    front = selector.pareto_front_
    np.testing.assert_allclose(front.objectives[:, 1], front.cardinality_ratio, rtol=1e-15)
    assert_array_equal(front.r1, closeness(front.score, front.cardinality_ratio))


def test_costs_without_the_objective_are_for_the_choice_only(rng):
    """The search is the same with and without them."""
    one, X, y, _ = small(rng, objectives=("uar", "cardinality"))
    two = single_search(**fitting({**one.get_params(deep=False), "constraints__costs": np.arange(18)})).fit(X, y)
    assert one.pareto_front_.cost is None
    assert_array_equal(two.pareto_front_.supports, one.pareto_front_.supports)
    assert_array_equal(two.pareto_front_.cost, two.pareto_front_.supports @ np.arange(18))


def test_evaluate_subsets_takes_costs(rng):
    """The same objective for any subsets."""
    X, y = data(rng)
    masks = rng.random((7, 18)) < 0.5
    masks[:, 0] = True
    costs = rng.random(18)
    got = evaluate_subsets(X, y, masks, objectives=("uar", "cost"), feature_costs=costs)
    np.testing.assert_allclose(got[:, 1], 1 - masks @ costs / costs.sum(), rtol=1e-12)
    with pytest.raises(ValueError, match="feature_costs must be given for the objective 'cost', got None"):
        evaluate_subsets(X, y, masks, objectives=("uar", "cost"))


# subsets to start from


def test_history_says_which_subsets_survived(rng):
    """One that is far better than all others stays; its copy never enters as itself."""
    X, y = data(rng)
    X[:, 5] = y
    generations = []
    selector = single_search(
        population_size=16, n_generations=5, random_state=0, local_improvement=None,
        init=LogUniformInit(subsets=[[5], [5], range(9, 18)]),
        callbacks=lambda state: generations.append(state.supports)).fit(X, y)
    wanted = [np.arange(18) == 5, np.arange(18) == 5, np.arange(18) >= 9]
    there = np.array([[any(np.array_equal(mask, row) for row in masks) for mask in wanted] for masks in generations])
    assert_array_equal(selector.history_["n_initial"], there.sum(axis=1))
    last = [np.flatnonzero(column)[-1] if column.any() else -1 for column in there.T]
    assert selector.initial_survival_.tolist() == last
    assert selector.initial_survival_[0] == 5


def test_a_fitted_selector_may_be_an_initial_subset(rng):
    """Any selector of scikit-learn."""
    from sklearn.feature_selection import SelectKBest

    best, seen = SelectKBest(k=4).fit(*data(rng)), []
    small(rng, init__subsets=[best], callbacks=lambda state: seen.append(state.supports))
    assert any(np.array_equal(row, best.get_support()) for row in seen[0])


def test_without_subsets_of_the_user_nothing_survives(rng):
    """An empty array, and zeros in the history."""
    selector, *_ = small(rng)
    assert selector.initial_survival_.shape == (0,)
    assert not selector.history_["n_initial"].any()


@pytest.mark.parametrize("share, size", [(0.28, 7), (0.281, 8), (1e-9, 1), (1.0, 25)])
def test_a_share_of_the_features_is_rounded_up(rng, share, size):
    """0.28 of 25 is 7, though 0.28 * 25 is more in floating point; the search is that of the number."""
    X, y = rng.normal(size=(40, 25)), np.arange(40) % 2
    found = [single_search(population_size=8, n_generations=2, local_improvement=None, max_features=most,
                             islands="sizes" if size > 1 else None, random_state=0).fit(X, y).pareto_front_
             for most in (share, size)]
    assert_array_equal(found[0].supports, found[1].supports)
    assert found[0].n_selected.max() <= size
