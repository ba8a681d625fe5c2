"""Searches that take milliseconds, with local improvement or without, and a callback that keeps what it sees."""

from moeliga import LocalImprovement
from paper_operators import PAPER, fitting
from single_search import single_search

LOCAL = {"n_populations": 2, "population_size": 7, "n_generations": 2, "every": 2}
SMALL = {**PAPER, "population_size": 12, "n_generations": 5, "survival__n_elite": 3, "survival__generation_gap": 2,
         "evaluation__n_rescore_splits": 0,
         "local_improvement": None, "random_state": 0, "n_jobs": 1}
REPLACEMENTS = [None, "parent", "complete", "selection"]


def small(replacement=None, **parameters):
    """A selector that takes milliseconds, with local improvement by a replacement or without."""
    if replacement is not None:
        parameters["local_improvement"] = LocalImprovement(**LOCAL, replacement=replacement)
    return single_search(**fitting({**SMALL, **parameters}))


class Recorder:
    """A callback that keeps what it sees."""

    def __init__(self):
        self.states = []

    def __call__(self, state):
        self.states.append(state)
        assert state.generation == len(self.states) - 1
