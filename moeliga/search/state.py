"""The state of a search that callbacks get after each generation."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from moeliga.base.typing import Integer, Row
from moeliga.search.time_estimate import n_subordinates, planned_main, planned_subordinate


@dataclass(frozen=True, eq=False)
class State:
    """The state of a search after a generation, as callbacks get it.

    Attributes
    ----------
    generation, n_generations : int
    row : dict
        This generation's row of the history: hypervolume, best_score, sizes, n_evaluations, seconds, ...
    search, population, progress
        The search itself, not to be changed. The population is that of all islands, one after the other, ranked
        together; `progress.islands` are the single ones.
    fold : int or None
        Of cross-fitting, from 0; None = the search on all samples, which comes first.
    n_folds : int
        0 without cross-fitting.
    fit_seconds_left : float
        What `max_time` leaves for all searches; infinite without it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import MOELIGASelector
    >>> X, y = load_iris(return_X_y=True)
    >>> def small_enough(state):
    ...     return state.best_score(1) > 0.9
    >>> selector = MOELIGASelector(callbacks=small_enough, honest=None, random_state=0).fit(X, y)
    >>> selector.stop_reason_
    'callback'
    """

    generation: int
    n_generations: int
    row: Row
    search: Any = field(repr=False)
    population: Any = field(repr=False)
    progress: Any = field(repr=False)
    fold: int | None = None
    n_folds: int = 0
    fit_seconds_left: float = math.inf

    @property
    def n_searches_left(self) -> int:
        """The number of searches that come after this one: int."""
        return self.n_folds - (0 if self.fold is None else 1 + self.fold)

    @property
    def supports(self) -> NDArray[np.bool_]:
        """Masks of the population's subsets: ndarray of bool, shape (n_islands * population_size, n_features)."""
        return self.search.space.masks(self.population.chromosomes)

    @property
    def objectives(self) -> NDArray[np.float64]:
        """Objectives: ndarray of float64, shape (n_islands * population_size, n_objectives); a copy."""
        return self.population.objectives.copy()

    def best_score(self, max_features: Integer) -> float | None:
        """Return the best score of the subsets of at most `max_features` in the population: float, or None."""
        sizes = self.search.space.sizes(self.population.chromosomes)
        scores = self.population.objectives[sizes <= max_features, self.search.objectives.primary]
        return float(scores.max()) if len(scores) else None

    @property
    def evaluations_per_second(self) -> float:
        """Evaluations of this search so far, divided by its seconds: float."""
        return self.row["n_evaluations"] / max(self.row["seconds"], 1e-9)

    @property
    def seconds_left(self) -> float:
        """Seconds until the last search ends, at the speed so far: float.

        They are those of the planned evaluations, of which a subordinate population takes as many as the ones before,
        within the limits of time and evaluations. Patience and the re-scoring of the front do not count.
        """
        search, row, budget = self.search, self.row, self.search.budget
        size = len(self.population) // search.n_islands
        main, done = planned_main(search, size, self.generation), n_subordinates(search, self.generation)
        if done:
            each = max(0, row["n_evaluations"] - main) / done
        else:
            each = planned_subordinate(search, self.population.bits)
        n_left: float = planned_main(search, size, self.n_generations) - main
        n_left += (n_subordinates(search, self.n_generations) - done) * each
        if budget.max_evaluations is not None:
            n_left = min(n_left, budget.max_evaluations - row["n_evaluations"])
        seconds = n_left / self.evaluations_per_second
        if budget.max_time is not None:
            seconds = min(seconds, budget.max_time - row["seconds"])
        seconds = max(0.0, seconds)
        return max(0.0, min(seconds + self.n_searches_left * (row["seconds"] + seconds), self.fit_seconds_left))


Callback: TypeAlias = Callable[[State], object]
Callbacks: TypeAlias = Callback | Sequence[Callback]
