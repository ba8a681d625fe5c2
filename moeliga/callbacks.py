"""Watching a search, and stopping it.

A callback is any callable that takes a `State` after every generation (0 = the initial population); the search stops
when one returns True. Callbacks of scikit-learn's protocol are set with `MOELIGASelector.set_callbacks`, see
`moeliga.search.callback_protocol`.
"""

import sys
from dataclasses import dataclass
from numbers import Integral

from moeliga.base.checks import check_number, check_sequence
from moeliga.search.time_estimate import duration, n_subordinates, planned_main, planned_subordinate

SMALL_SIZES = (3, 10)
"""Sizes up to which the best score is shown."""


@dataclass(frozen=True, eq=False)
class State:
    """What a callback sees.

    Attributes
    ----------
    generation, n_generations : int
    row : dict
        This generation's row of the history: hypervolume, best_score, sizes, n_evaluations, seconds, ...
    search, population, progress
        The search itself, not to be changed. The population is that of all islands, one after the other, ranked
        together; `progress.islands` are the single ones.
    """

    generation: int
    n_generations: int
    row: dict
    search: object
    population: object
    progress: object

    @property
    def supports(self):
        """Masks of the population: ndarray of bool, shape (n_islands * population_size, n_features)."""
        return self.search.space.masks(self.population.bits, self.population.positions)

    @property
    def objectives(self):
        """Objectives: ndarray of float64, shape (n_islands * population_size, n_objectives); a copy."""
        return self.population.objectives.copy()

    def best_score(self, max_features):
        """Best score of the population's subsets of at most so many features: float, or None without any."""
        sizes = self.search.space.sizes(self.population.bits, self.population.positions)
        scores = self.population.objectives[sizes <= max_features, self.search.objectives.primary]
        return float(scores.max()) if len(scores) else None

    @property
    def evaluations_per_second(self):
        """float"""
        return self.row["n_evaluations"] / max(self.row["seconds"], 1e-9)

    @property
    def seconds_left(self):
        """Seconds until the search ends, if it goes on as so far: float.

        By planned evaluations; a subordinate population takes as many as those before did. The limits of time and
        evaluations count, patience and the re-scoring of the front do not.
        """
        search, row, budget = self.search, self.row, self.search.budget
        size = len(self.population) // search.n_islands
        main, done = planned_main(search, size, self.generation), n_subordinates(search, self.generation)
        if done:
            each = max(0, row["n_evaluations"] - main) / done
        else:
            each = planned_subordinate(search, self.population.bits)
        n_left = planned_main(search, size, self.n_generations) - main
        n_left += (n_subordinates(search, self.n_generations) - done) * each
        if budget.max_evaluations is not None:
            n_left = min(n_left, budget.max_evaluations - row["n_evaluations"])
        seconds = n_left / self.evaluations_per_second
        if budget.max_time is not None:
            seconds = min(seconds, budget.max_time - row["seconds"])
        return max(0.0, seconds)


def check_sizes(sizes):
    """`sizes` as a list of integers >= 1; raises TypeError or ValueError."""
    return [check_number("sizes", size, Integral, 1) for size in check_sequence("sizes", sizes, "integers")]


def best_scores(state, sizes):
    """Text: the best score with its size, and the best ones of smaller subsets, where there are any."""
    row = state.row
    text = f"best {row['best_score']:.3f} with {row['best_score_size']} features"
    known = [(size, state.best_score(size)) for size in sizes if size < row["best_score_size"]]
    parts = [f"{score:.3f} with up to {size}" for size, score in known if score is not None]
    return f"{text} ({', '.join(parts)})" if parts else text


class PrintProgress:
    """Prints one line a generation: best scores, hypervolume, evaluations and their rate, time gone and time left.

    Parameters
    ----------
    stream : file, default=None
        None = standard output.
    sizes : sequence of int >= 1, default=(3, 10)
        Sizes up to which the best score is shown too.

    Raises
    ------
    TypeError, ValueError : if `sizes` is not that.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import MOELIGASelector, PrintProgress
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = MOELIGASelector(n_generations=1, random_state=0, callbacks=PrintProgress(sizes=(1,)))
    >>> _ = selector.fit(X, y)  # doctest: +ELLIPSIS
    generation    0/1  best ...
    generation    1/1  best ...
    """

    def __init__(self, stream=None, sizes=SMALL_SIZES):
        self.stream = stream
        self.sizes = check_sizes(sizes)

    def __call__(self, state):
        row = state.row
        print(f"generation {state.generation:4d}/{state.n_generations}  {best_scores(state, self.sizes)}  "
              f"hypervolume {row['hypervolume']:.3f}  front {row['front_size']}  evaluations {row['n_evaluations']} "
              f"({state.evaluations_per_second:,.0f}/s)  {row['seconds']:.1f} s, {duration(state.seconds_left)} left",
              file=self.stream or sys.stdout, flush=True)


class ProgressBar:
    """A tqdm progress bar over the generations, in terminals and notebooks.

    Beside it stand the time left, best scores, the hypervolume and evaluations a second. The time left is `State`'s:
    generations with local improvement take far longer than others, so tqdm's own would jump.

    Parameters
    ----------
    sizes : sequence of int >= 1, default=(3, 10)
        Sizes up to which the best score is shown too.

    Raises
    ------
    ImportError : if tqdm is not installed.
    TypeError, ValueError : if `sizes` is not that.

    Examples
    --------
    >>> from moeliga import MOELIGASelector, ProgressBar
    >>> selector = MOELIGASelector(callbacks=ProgressBar(sizes=(5, 20)))
    """

    def __init__(self, sizes=SMALL_SIZES):
        self.sizes = check_sizes(sizes)
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("ProgressBar needs tqdm: pip install 'moeliga[progress]'") from error
        self.tqdm = tqdm
        self.bar = None

    def __call__(self, state):
        if self.bar is None or state.generation == 0:
            self.close()
            self.bar = self.tqdm(total=state.n_generations, unit="gen", desc="moeliga",
                                 bar_format="{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]")
        self.bar.set_postfix_str(
            f"{duration(state.seconds_left)} left, {best_scores(state, self.sizes)}, "
            f"hypervolume {state.row['hypervolume']:.3f}, {state.evaluations_per_second:,.0f} evaluations/s",
            refresh=False)
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
