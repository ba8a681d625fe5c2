"""The whole search, held to the whole-algorithm twin in plain Python."""

import numpy as np
import pytest
from sklearn.feature_selection import f_classif

from moeliga import (
    Cardinality,
    FeaturePrior,
    FitnessSharing,
    LocalImprovement,
    LogUniformInit,
    MOELIGASelector,
    StaggeredInit,
    Variation,
)
from moeliga.base.random_streams import seed_words
from naive.islands import Archipelago
from naive.moeliga import PAPER, Run
from paper_operators import PAPER as OPERATORS
from paper_operators import fitting, plainly
from single_search import single_search

# sizes at which the twin takes seconds; everything else is the preset's
TINY = {"population_size": 14, "n_generations": 4, "survival__n_elite": 3, "survival__generation_gap": 3,
        "evaluation__n_rescore_splits": 4}
TINY_LOCAL = {"n_populations": 2, "population_size": 9, "n_generations": 3, "every": 2}


def data(rng, n_samples=45, n_features=26, n_classes=3):
    """Small data with ties, a constant feature and many features that each tell a little."""
    y = np.arange(n_samples) % n_classes
    X = rng.integers(0, 4, size=(n_samples, n_features)).astype(float)
    X[:, ::2] += (y[:, None] + np.arange(0, n_features, 2)) % n_classes
    X[:, 7] = 1.0
    return X, y


def both(X, y, seed, selector, **options):
    """(fitted selector, what the twin found) for the same seed."""
    local = {f"sub_{name}" if name in ("population_size", "n_generations") else name: value
             for name, value in TINY_LOCAL.items()}
    kind = Archipelago if {"islands__n", "islands__sizes"} & options.keys() else Run
    twin = kind(X, y, seed_words(seed), **plainly({**TINY, **local, **options}))
    return selector.fit(X, y), twin.run()


def assert_same(selector, found):
    front, history, chosen = found
    assert selector.pareto_front_.supports.tolist() == [list(mask) for mask, _ in front]
    assert selector.pareto_front_.objectives.tolist() == [values for _, values in front]
    for name in history[0]:
        assert selector.history_[name].tolist() == [row[name] for row in history], name
    assert selector.index_ == chosen


def test_paper_preset_equals_the_twin_bit_for_bit(rng, seed):
    """The `paper` preset finds the same front, history and choice as the plain-Python algorithm."""
    X, y = data(rng)
    tiny = {name: value for name, value in TINY.items() if next(iter(plainly({name: value}))) not in PAPER}
    selector = MOELIGASelector.from_preset("paper", **tiny, local_improvement=LocalImprovement(**TINY_LOCAL),
                                           random_state=seed)
    selector, found = both(X, y, seed, selector, **PAPER)
    assert_same(selector, found)


def test_lambda_does_not_change_the_search(rng):
    """Objective II is increasing whatever it is, and nothing that is shared in decision space looks at its values."""
    X, y = data(rng)
    found = []
    for lambda_ in (None, 0.5, 1.5, 15.0):
        selector = MOELIGASelector.from_preset("paper", population_size=30, n_generations=6, random_state=1,
                                               objectives=("uar", Cardinality(lambda_), "separability"))
        found.append((selector.fit(X, y).pareto_front_.supports.tolist(), selector.support_.tolist()))
    assert all(one == found[0] for one in found)


@pytest.mark.slow
def test_evolved_subordinate_populations_equal_the_twin_bit_for_bit(rng, seed):
    """With large templates the subordinate populations evolve, and replace parents, in both alike."""
    X, y = data(rng)
    rates = (0.3, 0.5, 0.7)
    local = LocalImprovement(**{**TINY_LOCAL, "every": 1})
    operators = {**OPERATORS, "init": StaggeredInit(rates=rates)}
    selector = single_search(**TINY, **operators, local_improvement=local, random_state=seed)
    selector, found = both(X, y, seed, selector, rates=rates, every=1)
    assert_same(selector, found)
    assert found[1][-1]["n_evaluations"] > 5 * 14 + 4 * 9, "no subordinate population was evolved"
    assert sum(row["n_replaced"] for row in found[1]) > 0, "no parent was replaced"


def test_defaults_equal_the_twin_bit_for_bit(rng, seed):
    """The defaults find the same front, history and choice as the plain-Python algorithm."""
    X, y = data(rng)
    selector = single_search(**fitting(TINY), local_improvement=LocalImprovement(**TINY_LOCAL), random_state=seed)
    scores = f_classif(X[:, np.ptp(X, axis=0) > 0], y)[0].tolist()
    scores.insert(7, float("nan"))  # the constant feature
    assert_same(*both(X, y, seed, selector, survival="nsga2", evaluation__split_mode="generation",
                      evaluation__reevaluate="average", init="log_uniform", crossover="uniform", scores=scores))


SCORES = [float("nan") if f == 7 else 5 * f % 11 for f in range(26)]
ISLANDS = {"islands__n": 3, "islands__every": 2}
BANDS = {"islands__sizes": (3, 7, 14), "islands__every": 2}
VARIANTS = {
    "feature prior": (
        {"feature_prior": lambda X, y: SCORES, "init": StaggeredInit(rates=(0.1, 0.5, 0.7)),
         "variation": Variation(crossover="one_point", mutation_rate=2.0),
         "local_improvement": LocalImprovement(**{**TINY_LOCAL, "every": 1})},
        {"scores": SCORES, "rates": (0.1, 0.5, 0.7), "mutation_rate": 2.0, "every": 1}),
    "feature prior, nsga2": (
        {"feature_prior": FeaturePrior(lambda X, y: (SCORES, None), share=0.9, offset=0), "survival": "nsga2",
         "variation": Variation(crossover="two_point", mutation_rate=2.0)},
        {"scores": SCORES, "share": 0.9, "offset": 0, "survival": "nsga2", "crossover": "two_point",
         "mutation_rate": 2.0}),
    "nsga2, running means, union": (
        {"survival": "nsga2", "evaluation__reevaluate": "average",
         "local_improvement": LocalImprovement(replacement="complete", **TINY_LOCAL)},
        {"survival": "nsga2", "evaluation__reevaluate": "average", "replacement": "complete"}),
    "complete": ({"local_improvement": LocalImprovement(replacement="complete", **TINY_LOCAL)},
                 {"replacement": "complete"}),
    "selection": ({"local_improvement": LocalImprovement(replacement="selection", **TINY_LOCAL)},
                  {"replacement": "selection"}),
    "no local improvement": ({"local_improvement": None}, {"replacement": None}),
    "generation splits, running means": ({"evaluation__split_mode": "generation", "evaluation__reevaluate": "average"},
                                         {"evaluation__split_mode": "generation", "evaluation__reevaluate": "average"}),
    "survivors keep their values": ({"evaluation__reevaluate": "none"}, {"evaluation__reevaluate": "none"}),
    "objective space": ({"survival__sharing": FitnessSharing(space="objective", sigma=0.2, alpha=0.7)},
                        {"space": "objective", "sigma": 0.2, "alpha": 0.7}),
    "wide niches": ({"survival__sharing": FitnessSharing(mode="niche", sigma=0.5)},
                    {"survival__sharing": "niche", "sigma": 0.5}),
    "nsga2": ({"survival": "nsga2"}, {"survival": "nsga2"}),
    "log-uniform sizes": ({"init": LogUniformInit(2, 0.8)}, {"init": "log_uniform", "smallest": 2, "largest": 0.8}),
    "nsga2, survivors keep their values, complete": (
        {"survival": "nsga2", "evaluation__reevaluate": "none",
         "local_improvement": LocalImprovement(replacement="complete", **TINY_LOCAL)},
        {"survival": "nsga2", "evaluation__reevaluate": "none", "replacement": "complete"}),
    "nsga2, running means, shared splits, selection": (
        {"survival": "nsga2", "evaluation__reevaluate": "average", "evaluation__split_mode": "generation",
         "local_improvement": LocalImprovement(replacement="selection", **TINY_LOCAL)},
        {"survival": "nsga2", "evaluation__reevaluate": "average", "evaluation__split_mode": "generation",
         "replacement": "selection"}),
    "two islands": ({"islands__n": 2, "islands__every": 1}, {"islands__n": 2, "islands__every": 1}),
    "three islands, running means": (
        {"evaluation__reevaluate": "average", "evaluation__split_mode": "generation", **ISLANDS},
        {"evaluation__reevaluate": "average", "evaluation__split_mode": "generation", **ISLANDS}),
    "three islands, no archive": (
        {"archive": False, "evaluation__n_rescore_splits": 0, **ISLANDS},
        {"archive": False, "evaluation__n_rescore_splits": 0, **ISLANDS}),
    "three islands, nsga2, values kept": (
        {"survival": "nsga2", "evaluation__reevaluate": "none", **ISLANDS},
        {"survival": "nsga2", "evaluation__reevaluate": "none", **ISLANDS}),
    "bands": ({"local_improvement": LocalImprovement(**{**TINY_LOCAL, "every": 1}), **BANDS}, {"every": 1, **BANDS}),
    "bands, nsga2, running means, two of each": (
        {"survival": "nsga2", "evaluation__reevaluate": "average", "islands__n": 2, **BANDS},
        {"survival": "nsga2", "evaluation__reevaluate": "average", "islands__n": 2, **BANDS}),
    "bands, log-uniform sizes, feature prior, complete": (
        {"init": "log_uniform", "feature_prior": lambda X, y: SCORES, "survival": "nsga2",
         "local_improvement": LocalImprovement(replacement="complete", **TINY_LOCAL), **BANDS},
        {"init": "log_uniform", "scores": SCORES, "survival": "nsga2", "replacement": "complete", **BANDS}),
    "bands, selection, values kept": (
        {"evaluation__reevaluate": "none", "islands__sizes": (9, 12, 99), "islands__every": 1,
         "local_improvement": LocalImprovement(replacement="selection", **TINY_LOCAL)},
        {"evaluation__reevaluate": "none", "islands__sizes": (9, 12, 99), "islands__every": 1,
         "replacement": "selection"}),
    "bands, no archive": ({"archive": False, **BANDS}, {"archive": False, **BANDS}),
    "no sharing, tournament, uniform": (
        {"survival__sharing": None, "survival__selection": "tournament", "variation": Variation(mutation_rate=2.0)},
        {"survival__sharing": None, "selection": "tournament", "crossover": "uniform", "mutation_rate": 2.0}),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("variant", VARIANTS)
def test_options_equal_the_twin_bit_for_bit(variant, rng, seed):
    """Each mechanism, switched on by itself, does what the plain-Python algorithm does."""
    X, y = data(rng)
    parameters, options = VARIANTS[variant]
    given = {**TINY, **OPERATORS, "local_improvement": LocalImprovement(**TINY_LOCAL), **parameters}
    selector = single_search(**fitting(given), random_state=seed)
    assert_same(*both(X, y, seed, selector, **options))


@pytest.mark.slow
def test_missing_values_and_a_lone_sample_equal_the_twin(rng, seed):
    """NaN in half of the features and a class of one sample change nothing about the agreement."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.1 * (np.arange(X.shape[1]) % 2)] = np.nan
    y[np.flatnonzero(y == 2)[1:]] = 0
    selector = single_search(**TINY, **OPERATORS, local_improvement=LocalImprovement(**TINY_LOCAL), random_state=seed)
    assert_same(*both(X, y, seed, selector))
