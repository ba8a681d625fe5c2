"""MOELIGASelector: random states, the choice, presets, and that options reach the search."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from small_selectors import SMALL_LOCAL, data, small

import moeliga
from moeliga import (
    Cardinality,
    DecisionTreeClassifier,
    FitnessSharing,
    LocalImprovement,
    MOELIGASelector,
    Separability,
    StaggeredInit,
    Variation,
)
from moeliga.results.rules import RULES
from paper_operators import PAPER
from single_search import single_search

# random state


@pytest.mark.parametrize("make", [int, np.int64, np.random.RandomState, np.random.default_rng])
def test_the_same_random_state_gives_the_same_result(seed, rng, make):
    """An int, a RandomState and a Generator in the same state repeat a run."""
    X, y = data(rng)
    one, two = small(random_state=make(seed)).fit(X, y), small(random_state=make(seed)).fit(X, y)
    assert_same(one, two)


def test_different_random_states_give_different_runs(seed, rng):
    """Another seed, no seed, and a generator used twice: each run is another one."""
    X, y = data(rng, n_features=30)
    generator = np.random.default_rng(seed)
    states = (seed, seed + 1, None, None, generator, generator)
    runs = [small(random_state=state).fit(X, y).pareto_front_.search_objectives.tobytes() for state in states]
    assert len(set(runs)) == len(runs)


# choice


@pytest.fixture
def fitted(rng):
    """A selector with members of one, two and three features: each of three bits tells half of the classes apart."""
    X, y = data(rng, n_samples=80, n_classes=8)
    X[:, :3] = (y[:, None] >> np.arange(3) & 1) + 0.1 * X[:, :3]
    selector = small(init__subsets=[[0], [0, 1], [0, 1, 2]]).fit(X, y)
    assert {1, 2, 3} <= set(selector.pareto_front_.n_selected.tolist())
    return selector


@pytest.mark.parametrize("rule", RULES)
def test_select_sets_the_member_that_the_front_chooses(fitted, rule):
    """index_ and support_ follow the rule; the front stays."""
    front = fitted.pareto_front_
    assert fitted.select(rule) is fitted
    assert fitted.index_ == front.choose(rule)
    assert_array_equal(fitted.support_, front.supports[fitted.index_])
    assert fitted.pareto_front_ is front


def test_select_by_size_and_place(fitted):
    """n_features, max_features, index, and a callable."""
    front = fitted.pareto_front_
    size = int(front.n_selected[-1])
    assert fitted.select(n_features=size).support_.sum() == size
    assert fitted.select("best", max_features=size - 1).support_.sum() < size
    assert fitted.select(index=1).index_ == 1
    assert fitted.select(lambda front: len(front) - 1).index_ == len(front) - 1


def test_select_without_arguments_is_the_choice_of_fit(fitted):
    """None means the selector's own rule."""
    chosen = fitted.index_
    assert fitted.select("best").select().index_ == chosen
    fitted.set_params(rule="best")
    assert fitted.select().index_ == fitted.pareto_front_.choose("best")


def test_support_is_a_copy(fitted):
    """Writing to support_ does not change the front."""
    fitted.support_[:] = True
    assert not fitted.pareto_front_.supports[fitted.index_].all()


def test_rule_of_fit_may_be_a_callable(rng):
    """The selector's rule gets the front."""
    selector = small(rule=largest).fit(*data(rng))
    assert selector.index_ == len(selector.pareto_front_) - 1


def largest(front):
    """Index of the largest member."""
    return int(np.flatnonzero(front.n_selected == front.n_selected.max())[-1])


def test_a_failing_rule_leaves_the_front(rng):
    """The search is not lost: another rule can choose."""
    selector = small(rule=lambda front: len(front))
    with pytest.raises(ValueError, match="the index that rule returns must be in"):
        selector.fit(*data(rng))
    assert selector.select("r1").support_.any()


@pytest.mark.parametrize("method", ["select", "get_support", "get_feature_names_out"])
def test_nothing_is_chosen_before_fit(method):
    """An unfitted selector says so."""
    with pytest.raises(NotFittedError):
        getattr(small(), method)()


@pytest.mark.parametrize("name", ["ranking_", "feature_frequency_"])
def test_nothing_is_known_before_fit(name):
    """As a name that is missing, too."""
    assert not hasattr(small(), name)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(small(), name)


# presets


def test_default_preset_is_the_default():
    """from_preset("default") changes nothing."""
    assert repr(MOELIGASelector.from_preset("default")) == repr(MOELIGASelector())


def test_paper_preset_makes_the_choices_of_the_paper():
    """f'' over the sum of the rank, no archive, no re-scoring; parameters override."""
    selector = MOELIGASelector.from_preset("paper", n_generations=5, archive=True)
    assert selector.survival.sharing.rank_normalisation == "sum"
    assert selector.evaluation.n_rescore_splits == 0
    assert (selector.n_generations, selector.archive) == (5, True)


def test_presets_are_not_shared_between_selectors():
    """Setting a parameter of one selector's mechanism leaves the preset alone."""
    MOELIGASelector.from_preset("paper").set_params(survival__sharing__sigma=0.5)
    assert MOELIGASelector.from_preset("paper").survival.sharing.sigma == 0.0025


def test_unknown_preset_is_refused():
    """The message names those there are."""
    with pytest.raises(ValueError, match=re.escape("name must be one of ('default', 'paper'), got 'fast'")):
        MOELIGASelector.from_preset("fast")


# options reach the search


@pytest.mark.parametrize("parameters", [
    {"init": StaggeredInit(spread=0.25)},
    {"init": StaggeredInit(fractions=(1.0,), rates=(0.5,))},
    {"init": "log_uniform"},
    {"feature_prior": "auto"},
    {"survival": "nsga2"},
    {"init__subsets": [[0, 1], [3]]},
    {"variation": "two_point"},
    {"variation": "uniform"},
    {"survival__selection": "tournament"},
    {"variation": Variation(mutation="chromosome", mutation_rate=0.5)},
    {"variation": Variation(schedule="exponential")},
    {"survival__sharing": None},
    {"survival__sharing": FitnessSharing(mode="niche", sigma=0.5)},
    {"survival__sharing": "mean_distance"},
    {"survival__sharing": FitnessSharing(space="objective", sigma=0.5)},
    {"survival__sharing": FitnessSharing(sigma=0.5, alpha=2.0)},
    {"survival__sharing": FitnessSharing(sigma=0.5, rank_normalisation="sum")},
    {"local_improvement": None},
    {"local_improvement": LocalImprovement(**SMALL_LOCAL)},
    {"local_improvement": LocalImprovement(**SMALL_LOCAL, replacement="complete")},
    {"evaluation__reevaluate": "none"},
    {"evaluation__reevaluate": "average"},
    {"evaluation__split_mode": "generation"},
    {"archive": False},
    {"evaluation__n_rescore_splits": 0},
    {"evaluation__n_splits": 1},
    {"evaluation__validation_size": 0.5},
    {"objectives": ("uar", "cardinality")},
    {"objectives": ("uar",)},
    {"objectives": ("uar", Cardinality(lambda_=None), Separability(samples=5, replace=False))},
    {"survival__n_elite": 0, "survival__generation_gap": 0},
    {"survival__n_elite": 7, "survival__generation_gap": 0},
    {"population_size": 13},
    {"estimator": DecisionTreeClassifier(max_depth=1)},
], ids=str)
def test_every_option_leaves_a_valid_front_and_changes_the_search(rng, parameters):
    """An option is not without effect, and members of the front are distinct, non-empty and non-dominated."""
    X, y = data(rng, n_features=40, n_classes=3)
    base, paths = {**PAPER, "n_generations": 4, "survival__sharing": FitnessSharing(sigma=0.5),
                   "local_improvement": LocalImprovement(**SMALL_LOCAL, replacement="selection")}, []
    for options in (base, {**base, **parameters}):
        paths.append([])
        got = small(**options, callbacks=paths[-1].append).fit(X, y)
    front = got.pareto_front_
    assert front.supports.any(axis=1).all()
    assert len(np.unique(front.supports, axis=0)) == len(front)
    assert_array_equal(moeliga.pareto_rank(front.objectives), 1)
    assert np.all(np.diff(front.n_selected) >= 0)
    assert got.history_["generation"].tolist() == [0, 1, 2, 3, 4]
    assert_array_equal(got.support_, front.supports[got.index_])
    changes_the_search = any(one.supports.tobytes() != two.supports.tobytes() or
                             one.objectives.tobytes() != two.objectives.tobytes()
                             for one, two in zip(*paths, strict=True))
    assert changes_the_search or parameters.keys() <= {"archive", "evaluation__n_rescore_splits"}


@pytest.mark.parametrize("form", [
    ["x2", "x5"], [2, 5], np.array([2, 5]), np.isin(np.arange(9), [2, 5]), np.isin(np.arange(9), [2, 5]).tolist(),
], ids=["names", "indices", "array", "mask", "list of bool"])
def test_subsets_to_start_from_have_many_forms(rng, form):
    """Names, indices and masks mean the same, and the first place of the population is theirs."""
    X, y = data(rng)
    seen = []
    small(init__subsets=[form], callbacks=lambda state: seen.append(state.supports)).fit(X, y)
    assert_array_equal(np.flatnonzero(seen[0][0]), [2, 5])


def test_subsets_to_start_from_may_be_an_array_of_masks(rng):
    """One mask a row, such as the supports of an earlier front."""
    X, y = data(rng)
    front, seen = small().fit(X, y).pareto_front_, []
    small(init__subsets=front.supports, callbacks=lambda state: seen.append(state.supports)).fit(X, y)
    assert_array_equal(seen[0][:len(front)], front.supports)


def test_a_clone_starts_from_the_same_subsets(rng):
    """Fitted selectors among them stay fitted, as a search over parameters needs, and are its own copies."""
    X, y = data(rng)
    fitted = SelectKBest(k=2).fit(X, y)
    selector = small(init__subsets=[[0, 3], fitted])
    twin = clone(selector)
    assert_array_equal(twin.fit(X, y).pareto_front_.supports, selector.fit(X, y).pareto_front_.supports)
    assert twin.init.subsets[1] is not fitted and not hasattr(clone(selector), "support_")
    assert GridSearchCV(selector, {"evaluation__n_splits": [1, 2]}, cv=2, scoring=lambda one, X, y: one.index_).fit(X,
                                                                                                                    y)


@pytest.mark.parametrize("verbose", [0, 1, 2, True, False])
def test_verbose_prints_as_asked(rng, capsys, verbose):
    """0 is silent; 1 is a bar on the standard error; 2 is a line a generation; both end with a line on the choice."""
    if verbose == 1:
        pytest.importorskip("tqdm")
    small(verbose=verbose).fit(*data(rng))
    out, err = capsys.readouterr()
    assert out.count("\n") == (3 if verbose == 2 else 0)
    assert bool(err) == bool(verbose)
    assert err.count("features, UAR") == (verbose > 0)


# first generation


@pytest.mark.parametrize("n_rescore_splits", [0, 5])
def test_the_front_of_the_first_generation_is_that_of_a_search_without_generations(n_rescore_splits):
    """Bit for bit, and whatever comes after it; scored on the same splits as the last front."""
    X, y = load_wine(return_X_y=True)
    options = {"archive": False, "local_improvement": None, "evaluation__n_rescore_splits": n_rescore_splits,
               "random_state": 3}
    none = single_search(n_generations=0, **options).fit(X, y)
    some = single_search(n_generations=4, **options).fit(X, y)
    for first in (none.initial_front_, some.initial_front_):
        for name in ("supports", "objectives", "score_se", "search_objectives"):
            assert_array_equal(getattr(first, name), getattr(none.pareto_front_, name))
