"""Watching a search, and stopping it.

A callback is any callable that takes a `State` after every generation (0 = the initial population); the search stops
when one returns True.
"""

import sys
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class State:
    """What a callback sees.

    Attributes
    ----------
    generation, n_generations : int
    row : dict
        This generation's row of the history: hypervolume, best_score, sizes, n_evaluations, seconds, ...
    search, population
        The search itself, not to be changed.
    """

    generation: int
    n_generations: int
    row: dict
    search: object
    population: object

    @property
    def supports(self):
        """Masks of the population: ndarray of bool, shape (population_size, n_features)."""
        return self.search.space.masks(self.population.bits, self.population.positions)

    @property
    def objectives(self):
        """Objectives of the population: ndarray of float64, shape (population_size, n_objectives); a copy."""
        return self.population.objectives.copy()


class PrintProgress:
    """Prints one line a generation.

    Parameters
    ----------
    stream : file, default=None
        None = standard output.
    """

    def __init__(self, stream=None):
        self.stream = stream

    def __call__(self, state):
        row = state.row
        print(f"generation {state.generation:4d}/{state.n_generations}  best {row['best_score']:.3f} with "
              f"{row['best_score_size']} features  hypervolume {row['hypervolume']:.3f}  "
              f"front {row['front_size']}  evaluations {row['n_evaluations']}  {row['seconds']:.1f} s",
              file=self.stream or sys.stdout, flush=True)


class ProgressBar:
    """A tqdm progress bar over the generations.

    Raises
    ------
    ImportError : if tqdm is not installed.
    """

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("ProgressBar needs tqdm: pip install 'moeliga[progress]'") from error
        self.tqdm = tqdm
        self.bar = None

    def __call__(self, state):
        if self.bar is None or state.generation == 0:
            self.bar = self.tqdm(total=state.n_generations, unit="gen", desc="moeliga")
        row = state.row
        rate = row["n_evaluations"] / max(row["seconds"], 1e-9)
        self.bar.set_postfix_str(f"best {row['best_score']:.3f} ({row['best_score_size']}), "
                                 f"hv {row['hypervolume']:.3f}, {rate:,.0f} subsets/s", refresh=False)
        self.bar.update(state.generation - self.bar.n)

    def close(self):
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def watchers(verbose):
    """Callbacks for the selector's `verbose`: 0 = none, 1 = a bar (lines without tqdm), 2 = a line a generation."""
    if not verbose:
        return []
    if verbose == 1:
        try:
            return [ProgressBar()]
        except ImportError:
            pass
    return [PrintProgress()]
