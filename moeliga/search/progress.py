"""The progress of a search: its populations, its history, and counters that depend on them."""

from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import get_args

import numpy as np

from moeliga.base.checks import check_array, check_number
from moeliga.base.typing import Counts, Measures
from moeliga.data.subsets import row_keys
from moeliga.search.evolution import Patience, front_hypervolume
from moeliga.search.population import Population, check_sizes, rank_together, split_equally

COLUMNS = (*get_args(Counts), *get_args(Measures))
"""Columns of the history."""


def row_of(search, population, generation, n_replaced, n_initial, best):
    """Return the row of a generation in the history: dict with `COLUMNS`; `best` is the last archive_hypervolume."""
    sizes = search.space.sizes(population.chromosomes)
    scores = population.objectives[:, search.objectives.primary]
    found = front_hypervolume(search, population)
    return {
        "generation": generation,
        "hypervolume": found,
        "archive_hypervolume": max(best, found if search.archive is None else search.archive.hypervolume()),
        "best_score": float(scores.max()),
        "best_score_size": int(sizes[scores == scores.max()].min()),
        "min_size": int(sizes.min()),
        "median_size": float(np.median(sizes)),
        "max_size": int(sizes.max()),
        "front_size": int(np.count_nonzero(population.rank == 1)),
        "archive_size": int(np.count_nonzero(search.archive.non_dominated)) if search.archive is not None else 0,
        "n_replaced": n_replaced,
        "n_initial": n_initial,
        "n_samples": search.ground.n_samples,
        "n_evaluations": search.budget.n_evaluations,
        "seconds": search.budget.seconds,
    }


class Survival:
    """The last generation in which each of the user's own subsets was in the main population."""

    def __init__(self, given):
        self.keys = row_keys(given)
        # int64, shape (n_given,); -1 = not even in the initial population
        self.last = np.full(len(given), -1, dtype=np.int64)

    def record(self, bits, generation):
        """Record which of the subsets are in the population of a generation; return their number."""
        there = set(row_keys(bits)) if self.keys else set()
        found = np.array([key in there for key in self.keys], dtype=bool)
        self.last = np.where(found, generation, self.last)  # not in place: a checkpoint holds the array before
        return int(np.count_nonzero(found))

    def state(self):
        """Return the entries for a checkpoint: dict."""
        return {"last": self.last}

    def restore(self, state, generation):
        """Restore the entries of a checkpoint that was saved after `generation`."""
        last = check_array("survival", state["last"], np.int64, len(self.keys))
        if not np.all((last >= -1) & (last <= generation)):
            raise ValueError(f"survival must be in [-1, {generation}], got {last.min()} to {last.max()}")
        self.last = last


@dataclass(eq=False)
class Progress:
    """The state of a search after a generation: what callbacks and checkpoints get."""

    survival: Survival
    patience: Patience
    n_individuals: int  # of all islands
    generation: int = -1  # -1 before generation 0
    islands: list = field(default_factory=list)  # Population of each island in this generation
    population: Population | None = None  # all islands as one population
    initial: Population | None = None  # front of generation 0
    history: dict = field(default_factory=dict)  # name of a column to a list with an entry for each generation

    @classmethod
    def begin(cls, ready, patience):
        """Return the progress of the search of a `Preparation`, before its first generation."""
        return cls(Survival(ready.given), Patience(patience), ready.search.n_individuals)

    def record_generation(self, search, generation, islands, population, replaced):
        """Set the current generation, its islands, and these as one population; append its row to the history.

        `replaced` has the number of individuals of each island that come from local improvement.
        """
        self.generation, self.islands, self.population = generation, islands, population
        if generation == 0:
            self.initial = population.take(population.rank == 1)
        row = row_of(search, population, generation, sum(replaced), self.survival.record(population.bits, generation),
                     self.history.get("archive_hypervolume", [0.0])[-1])
        for name, value in row.items():
            self.history.setdefault(name, []).append(value)
        self.patience.update(row["hypervolume"])

    @property
    def row(self):
        """The row of the current generation in the history: dict with `COLUMNS`."""
        return {name: column[-1] for name, column in self.history.items()}

    def state(self):
        """Return the entries for a checkpoint: dict."""
        return {
            "generation": self.generation, "history": {name: list(column) for name, column in self.history.items()},
            "population": self.population.state(), "initial": self.initial.state(), "survival": self.survival.state(),
            "patience": self.patience.state()}

    def restore(self, state, search):
        """Restore the entries of a checkpoint of this search; any error means that they are damaged."""
        generation = check_number("generation", state["generation"], Integral, 0)
        check_history(state["history"], generation + 1)
        n_objectives = len(search.objectives.terms)
        population, initial = (Population.restored(name, state[name], search.space, n_objectives)
                               for name in ("population", "initial"))
        if len(population) != self.n_individuals or not len(initial):
            raise ValueError(f"population must have {self.n_individuals} individuals, and initial one at least, got "
                             f"{len(population)} and {len(initial)}")
        islands = split_equally(population, search.n_islands)
        for place, (island, band) in enumerate(zip(islands, search.bands, strict=True)):
            check_sizes(f"island {place}", island.chromosomes, band)
        islands = [search.rate(island, final=True) for island in islands]
        self.generation, self.islands, self.population = generation, islands, rank_together(islands)
        self.initial, self.history = initial, {name: list(column) for name, column in state["history"].items()}
        self.survival.restore(state["survival"], generation)
        self.patience.restore(state["patience"])


def check_history(history, n):
    """Raise TypeError or ValueError unless a history has exactly `COLUMNS`, with `n` numbers each."""
    if sorted(history) != sorted(COLUMNS):
        raise ValueError(f"the history must have the columns {COLUMNS}, got {sorted(history)}")
    for name, column in history.items():
        if not isinstance(column, list) or len(column) != n:
            got = len(column) if isinstance(column, list) else type(column).__name__
            raise ValueError(f"history[{name!r}] must be a list of {n} numbers, got {got}")
        for value in column:
            check_number(f"history[{name!r}]", value, Real)
