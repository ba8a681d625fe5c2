"""What a search may spend: evaluations, processor time, or the paper's generations."""

import time
from dataclasses import dataclass

PAPER_GENERATIONS = 300
MANY = 1_000_000
"""Generations where something else ends the search."""

SPLITS = 3
"""Trees that count as one evaluation: the paper's splits."""

FULL = 100_000
"""Evaluations from which subordinate populations have the paper's size: one improvement takes 10,650 of them."""

SHORT = {"local_improvement__population_size": 40, "local_improvement__n_generations": 8}
"""Below, and for budgets of time: 1,080 evaluations for each improvement, beside 450 of the main population. Smaller
populations would hold little more than their 20 survivors."""


@dataclass(frozen=True)
class Budget:
    """One of the three is given.

    Attributes
    ----------
    evaluations : int or None
        Of three splits each; where a search grows other numbers of trees for each, it gets as many trees.
    seconds : float or None
        Of processor time, looked at after every generation; re-scoring comes on top.
    generations : int or None
    """

    evaluations: int | None = None
    seconds: float | None = None
    generations: int | None = None

    @property
    def kind(self):
        return "evaluations" if self.evaluations else "time" if self.seconds else "paper"

    @property
    def name(self):
        """As in the column `setting`."""
        if self.evaluations:
            return f"{self.evaluations} evaluations"
        return f"{self.seconds:g} s" if self.seconds else f"{self.generations} generations"

    @property
    def full(self):
        """Whether it pays for subordinate populations of the paper's size."""
        return self.kind == "paper" or (self.evaluations or 0) >= FULL

    def evaluations_of(self, selector):
        """Evaluations of a selector that grow as many trees as ours; None without a limit. At least its population."""
        if self.evaluations is None:
            return None
        return max(selector.population_size, self.evaluations * SPLITS // selector.stands_for("evaluation").n_splits)

    def given_to(self, selector):
        """A selector that keeps to it, from now on; returns it."""
        evaluations = self.evaluations_of(selector)
        selector.set_params(n_generations=self.generations or evaluations or MANY, max_evaluations=evaluations)
        if self.seconds:
            selector.set_params(callbacks=[Clock(self.seconds)])
        return selector


class Clock:
    """A callback that ends a search after so many seconds of processor time from now."""

    def __init__(self, seconds):
        self.end = time.process_time() + seconds

    def __call__(self, state):
        return time.process_time() >= self.end
