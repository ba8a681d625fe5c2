"""Callbacks that show the progress of a search.

A callback is any callable that takes a `State` after every generation (0 = the initial population); the search stops
when one returns True. Callbacks of scikit-learn's protocol are set with `MOELIGASelector.set_callbacks`.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from html import escape
from numbers import Integral
from typing import Any, Self

from moeliga.base.checks import check_number, check_sequence
from moeliga.base.text import LABELS, count, duration, in_notebook, score_format
from moeliga.base.typing import Integer, Stream
from moeliga.search.state import State

SMALL_SIZES = (3, 10)
"""Sizes up to which the best score is shown by default."""

MAX_NAME_LENGTH = 10
"""Most characters of the name of a score in a bar, as that may have 80 columns; "score" replaces longer names."""


def check_sizes(sizes: Sequence[Integer]) -> list[int]:
    """Return `sizes` as a list; raise TypeError or ValueError unless they are integers >= 1."""
    return [check_number("sizes", size, Integral, 1) for size in check_sequence("sizes", sizes, "integers")]


def score_name_of(state: State) -> str:
    """Return the name of the score in the search: "UAR", "R2", or that of the first objective."""
    objectives = state.search.objectives
    name = objectives.names[objectives.primary]
    return LABELS.get(name, name)


def score_parts(state: State, sizes: Sequence[Integer]) -> list[str]:
    """Return texts: the best score, its size, and the best scores of subsets of at most `sizes` features."""
    row = state.row
    known = [(size, state.best_score(size)) for size in sizes if size < row["best_score_size"]]
    form = score_format(row["best_score"])
    return [f"{row['best_score']:{form}}", count(row["best_score_size"], "feature"),
            *(f"{score:{form}} with up to {size}" for size, score in known if score is not None)]


def volume_part(state: State) -> list[str]:
    """Return a list of one text, the hypervolume; of none if there is no hypervolume, as for a loss."""
    return [f"hypervolume {state.row['hypervolume']:.3f}"] if state.row["hypervolume"] > 0 else []


class PrintProgress:
    """Print a line for each generation: best scores, hypervolume, evaluations and their rate, time gone, time left.

    Parameters
    ----------
    stream : file, default=None
        None = standard output.
    sizes : sequence of int >= 1, default=(3, 10)
        Limits of size: the best score of the subsets within each is shown, too.

    Raises
    ------
    TypeError, ValueError : unless `sizes` is a sequence of integers >= 1.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import MOELIGASelector, PrintProgress
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = MOELIGASelector(n_generations=1, honest=None, random_state=0, callbacks=PrintProgress(sizes=(1,)))
    >>> _ = selector.fit(X, y)  # doctest: +ELLIPSIS
    generation    0/1  UAR in the search: best ...
    generation    1/1  UAR in the search: best ...
    """

    def __init__(self, stream: Stream | None = None, sizes: Sequence[Integer] = SMALL_SIZES) -> None:
        self.stream = stream
        self.sizes = check_sizes(sizes)
        self.n_folds = 0

    def __call__(self, state: State) -> None:
        self.n_folds = state.n_folds
        row, (best, size, *parts) = state.row, score_parts(state, self.sizes)
        others = f" ({', '.join(parts)})" if parts else ""
        where = "" if state.fold is None else f"fold {state.fold + 1}/{state.n_folds}  "
        self._print(f"{where}generation {state.generation:4d}/{state.n_generations}",
                    f"{score_name_of(state)} in the search: best {best} with {size}{others}",
                    *volume_part(state), f"front {row['front_size']}",
                    f"evaluations {row['n_evaluations']} ({state.evaluations_per_second:,.0f}/s)",
                    f"{row['seconds']:.1f} s, {duration(state.seconds_left)} left")

    def fold_done(self, fold: int) -> None:
        """Print that the search on a fold, one of several at the same time, is done."""
        self._print(f"fold {fold + 1}/{self.n_folds}", "done")

    def _print(self, *parts: str) -> None:
        """Print a line of parts; a stream that is closed, or on a full disk, does not end the search."""
        with suppress(OSError, ValueError):
            print(*parts, sep="  ", file=self.stream or sys.stdout, flush=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        other = object.__new__(type(self))
        memo[id(self.stream)] = self.stream  # a clone prints to the same stream
        vars(other).update(deepcopy(vars(self), memo))
        return other

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"stream": None}  # a file cannot be pickled: a copy prints to standard output


class HtmlBar:
    """A bar in a notebook: one output, replaced at each update, which needs no widgets and is saved with the notebook.

    It has the attributes and methods of tqdm's bar that `ProgressBar` uses; with `container` the text may be long.
    """

    container = True

    def __init__(self, total: int, **options: Any) -> None:
        from IPython.display import display

        self.n, self.total, self.text, self.started = 0, total, "", time.monotonic()
        self.handle = display(self, display_id=True)

    def __repr__(self) -> str:
        return f"moeliga: {self.n}/{self.total} [{time.monotonic() - self.started:.0f} s, {self.text}]"

    def _repr_html_(self) -> str:
        return f'<progress value="{self.n}" max="{self.total}"></progress> <code>{escape(repr(self))}</code>'

    def set_postfix_str(self, text: str, refresh: bool = True) -> None:
        self.text = text

    def update(self, n: int) -> None:
        self.n += n
        self.handle.update(self)

    def close(self) -> None:
        self.handle.update(self)


class ProgressBar:
    """A progress bar over the generations, with best scores, hypervolume, evaluations a second and time left.

    The time left is the estimate of `State`: generations with local improvement take far longer than others, so tqdm's
    own estimate would jump. Parts that do not fit into the terminal, or into 80 columns, are left out. The bar is
    tqdm's in a terminal, and HTML in a notebook.

    Parameters
    ----------
    sizes : sequence of int >= 1, default=(3, 10)
        Limits of size: the best score of the subsets within each is shown, too.

    Raises
    ------
    ImportError : without tqdm, outside of a notebook.
    TypeError, ValueError : unless `sizes` is a sequence of integers >= 1.

    Examples
    --------
    >>> from moeliga import MOELIGASelector, ProgressBar
    >>> selector = MOELIGASelector(callbacks=ProgressBar(sizes=(5, 20)))
    """

    broken = False

    def __init__(self, sizes: Sequence[Integer] = SMALL_SIZES) -> None:
        self.sizes = check_sizes(sizes)
        self.kind: Any = HtmlBar
        if not in_notebook():
            try:
                from tqdm import tqdm
            except ImportError as error:
                raise ImportError("ProgressBar needs tqdm: pip install 'moeliga[progress]'") from error
            self.kind = tqdm
        self.bar: Any = None
        self.n_generations = 0
        self.scores = ""

    def __call__(self, state: State) -> None:
        no_stream = self.kind is not HtmlBar and sys.stderr is None  # as under pythonw, and in some services
        if not (self.broken or no_stream):
            with self._unless_broken():
                self._show(state)

    def _show(self, state: State) -> None:
        """Show a generation."""
        self.n_generations = state.n_generations
        if self.bar is None or (state.generation == 0 and state.fold is None):
            self.close()
            self.bar = self.kind(total=state.n_generations * (1 + state.n_folds), unit="gen", desc="moeliga",
                                 bar_format="{l_bar}{bar}| {n_fmt}/{total_fmt} [{elapsed}{postfix}]")
            if not hasattr(self.bar, "container"):
                self.bar.ncols = self.bar.ncols or 80
        always = len(f"moeliga: 100%|####| {state.n_generations}/{state.n_generations} [0:00:00, , ]")
        left, text, name = f"{duration(state.seconds_left)} left", "", score_name_of(state)
        best, size, *parts = score_parts(state, self.sizes)
        best = f"search {name if len(name) <= MAX_NAME_LENGTH else 'score'} {best}, {size}"
        for part in (best, *parts, *volume_part(state),
                     f"{state.evaluations_per_second:,.0f} evaluations/s"):
            if hasattr(self.bar, "container") or len(left) + len(text) + len(part) + always <= self.bar.ncols:
                text += f", {part}"
        self.scores = text
        self.bar.set_postfix_str(left + text, refresh=False)
        passed = state.n_generations * (0 if state.fold is None else 1 + state.fold)
        self.bar.update(passed + state.generation - self.bar.n)

    def fold_done(self, fold: int) -> None:
        """Show that the search on a fold, one of several at the same time, is done; the time left is not known."""
        if self.bar is not None:
            with self._unless_broken():
                self.bar.set_postfix_str(self.scores.removeprefix(", "), refresh=False)
                self.bar.update(self.n_generations * (2 + fold) - self.bar.n)

    def close(self) -> None:
        """End the bar, if there is one; the next search begins another."""
        if self.bar is not None:
            with self._unless_broken():
                self.bar.close()
            self.bar = None

    @contextmanager
    def _unless_broken(self) -> Iterator[None]:
        """Context of writing to a terminal, in which an error (closed, full disk) ends the bar and not the search."""
        try:
            yield
        except (OSError, ValueError):
            self.broken = True
            if self.bar is not None:
                self.bar.disable = True  # or it would write again when it is collected
                self.bar = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"bar": None}  # a copy, as of a fitted selector, has no terminal


def progress_callbacks(verbose: int) -> list[PrintProgress | ProgressBar]:
    """Return the callbacks for `verbose`: 0 = none, 1 = a bar (lines without tqdm), 2 = a line for each generation."""
    if not verbose:
        return []
    if verbose == 1:
        try:
            return [ProgressBar()]
        except ImportError:
            pass
    return [PrintProgress()]
