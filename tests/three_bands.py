"""Small searches on three bands of sizes, and an objective that draws them to small subsets."""

from small_selectors import every_fifth as data
from three_islands import Watch

from moeliga import LocalImprovement
from paper_operators import fitting
from single_search import single_search

LOCAL = LocalImprovement(n_populations=2, population_size=9, n_generations=3, every=2)
SMALL = {"population_size": 14, "n_generations": 7, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 3, "local_improvement": LOCAL, "random_state": 1,
         "islands__sizes": (3, 6, 12), "islands__every": 2, "n_jobs": 1}
GROUPS = [f // 3 for f in range(30)]


def few(mask, X, y):
    """An objective: the smaller, the better."""
    return float(1 - mask.mean())


def small(estimator=None, **parameters):
    """A selector of three bands that takes milliseconds."""
    return single_search(estimator, **fitting({**SMALL, **parameters}))


def watched(estimator=None, X_y=None, **parameters):
    """(fitted selector, watch) of a small search."""
    watch = Watch()
    return small(estimator, callbacks=watch, **parameters).fit(*(X_y or data())), watch


def masks_of(search, bits):
    """Masks over all features of full chromosomes: ndarray of bool."""
    return search.space.masks(search.space.chromosomes(bits))
