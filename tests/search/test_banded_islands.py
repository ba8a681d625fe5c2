"""Islands that keep to bands of sizes: how they begin, what they find for each other, and that they stay in them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from moeliga import LocalImprovement, MOELIGASelector
from moeliga.base.random_streams import island_seed
from moeliga.search.build import prepare
from moeliga.search.islands import Islands
from moeliga.search.local_improvement import explore
from paper_operators import fitting

LOCAL = LocalImprovement(n_populations=2, population_size=9, n_generations=3, every=2)
SMALL = {"population_size": 14, "n_generations": 7, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 3, "local_improvement": LOCAL, "random_state": 1,
         "islands__sizes": (3, 6, 12), "islands__every": 2, "n_jobs": 1}


def data(seed=0):
    """Noise and, in every fifth feature, something of the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(45) % 3
    X = rng.normal(size=(45, 30))
    X[:, ::5] += y[:, None]
    return X, y


def few(mask, X, y):
    """An objective: the smaller, the better."""
    return float(1 - mask.mean())


def small(estimator=None, **parameters):
    """A selector of three bands that takes milliseconds."""
    return MOELIGASelector(estimator).set_params(**fitting({**SMALL, **parameters}))


# subordinate populations


@pytest.mark.parametrize("survival", ["moga", "nsga2"])
def test_subordinate_populations_are_those_of_a_search_over_all_sizes(survival):
    """Whatever the band of their template, they search all of its subsets, smaller ones too, in every generation."""
    X, y = data()
    banded = prepare(small(survival=survival), X, y, {})[1].search
    free = prepare(small(survival=survival, islands__sizes=None), X, y, {})[1].search
    free = replace(free, objectives=replace(free.objectives, seed=island_seed(free.seed, 2)))
    own, wanted = (explore(search, np.arange(0, 22, 2, dtype=np.int32), 5)
                   for search in (Islands(banded).searches[2], free))
    assert_array_equal(own.bits, wanted.bits)
    assert_array_equal(own.objectives, wanted.objectives)
    assert own.chromosomes.counts().min() < 7


@pytest.mark.parametrize("replacement", ["parent", "complete", "selection"])
def test_a_subordinate_population_may_leave_the_band_altogether(replacement):
    """Then it replaces nobody: where small subsets are better at everything, none of a large band is left in it."""
    X, y = data()
    local = LocalImprovement(2, 9, 6, 1, replacement)
    selector = small(objectives=(few,), islands__sizes=(20, 30), local_improvement=local, survival="moga",
                     survival__n_elite=1, survival__generation_gap=1).fit(X, y)
    assert selector.stop_reason_ == "n_generations"
