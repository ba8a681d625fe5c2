"""Searches of three islands that take milliseconds, their data, and a callback that keeps the islands."""

from small_selectors import every_fifth as data  # noqa: F401

from moeliga import LocalImprovement, StaggeredInit
from paper_operators import fitting
from single_search import single_search

LOCAL = LocalImprovement(n_populations=2, population_size=9, n_generations=3, every=2)
SMALL = {"population_size": 20, "n_generations": 8, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 3,
         "local_improvement": LOCAL, "init": StaggeredInit(rates=(0.3, 0.5, 0.7)), "random_state": 1,
         "islands__n": 3, "islands__every": 3, "n_jobs": 1}


def small(**parameters):
    """A selector of three islands that takes milliseconds."""
    return single_search(**fitting({**SMALL, **parameters}))


class Watch:
    """A callback that keeps the islands of every generation, as their chromosomes and all that is known of them."""

    def __init__(self):
        self.states, self.islands = [], []

    def __call__(self, state):
        self.states.append(state)
        self.islands.append(state.progress.islands)

    def known(self, generation, place):
        """Of an island: chromosome, objectives and evaluations of each."""
        part = self.islands[generation][place]
        return [part.bits.tolist(), part.objectives.tolist(), part.n_scored.tolist()]
