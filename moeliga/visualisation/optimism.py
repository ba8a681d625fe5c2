"""Display of how much too high the scores of a front are."""

from typing import TYPE_CHECKING, Self

import numpy as np

from moeliga.base.checks import conversion
from moeliga.base.typing import Integer, Numbers
from moeliga.results.front import ParetoFront
from moeliga.results.text import Names, search_scores
from moeliga.selector import MOELIGASelector
from moeliga.visualisation.display import Display, check_selector, known_errors, legend_above, scale_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D


class OptimismDisplay(Display):
    """How much too high the scores of a front are, by size: honest ones, in the search, on fresh splits, on held-out
    samples.

    Make one with `from_selector`. A thin line joins the scores of one member. Honest and held-out scores are of the
    deployed model on samples outside the searches; the others are of the model that guides the search. Scores in the
    search are too high: members were kept because of them. Scores on fresh splits of the same samples lack that luck,
    but the features were chosen for these samples. Scores on held-out samples have neither fault, but these samples are
    often few.

    Parameters
    ----------
    n_selected : array-like of int, shape (m,), >= 1
    search_score : array-like of float, shape (m,)
        Score in the search; NaN = the search has not evaluated the member.
    score : array-like of float, shape (m,), or None, default=None
        On fresh splits; None = not scored again.
    score_se : array-like of float, shape (m,), or None, default=None
        Standard error of `score`.
    held_out, honest : array-like of float, shape (m,), or None, default=None
        NaN = none.
    n_features : int
        Features of the data.
    score_name : str, default="UAR"
    honest_name : str or None, default=None
        Name of the score of `held_out` and `honest`; None = the same.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    search_ : matplotlib Line2D
    held_out_, honest_ : matplotlib Line2D or None
    rescored_ : matplotlib ErrorbarContainer or None

    Examples
    --------
    >>> from moeliga import OptimismDisplay
    >>> display = OptimismDisplay([1, 3], [0.8, 1.0], score=[0.75, 0.9], n_features=4).plot()
    >>> display.search_.get_ydata().tolist()
    [0.8, 1.0]
    """

    search_: "Line2D"
    rescored_: "ErrorbarContainer | None"
    held_out_: "Line2D | None"
    honest_: "Line2D | None"

    def __init__(self, n_selected: Numbers, search_score: Numbers, *, n_features: Integer,
                 score: Numbers | None = None, score_se: Numbers | None = None, held_out: Numbers | None = None,
                 honest: Numbers | None = None, score_name: str = "UAR", honest_name: str | None = None) -> None:
        self.n_selected = n_selected
        self.search_score = search_score
        self.n_features = n_features
        self.score = score
        self.score_se = score_se
        self.held_out = held_out
        self.honest = honest
        self.score_name = score_name
        self.honest_name = honest_name

    @classmethod
    def from_selector(cls, selector: MOELIGASelector, ax: "Axes | None" = None, *,
                      held_out: Numbers | None = None) -> Self:
        """Draw the scores of a fitted selector's front and return its display.

        Parameters
        ----------
        selector : MOELIGASelector, fitted
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        held_out : array-like of float, shape (m,), or None, default=None
            Score of each member of `pareto_front_` on samples that the search never saw.

        Returns
        -------
        display : OptimismDisplay

        Raises
        ------
        ImportError : without matplotlib.
        NotFittedError : if the selector is not fitted; TypeError if it is no MOELIGASelector.
        TypeError, ValueError : if `held_out` holds no numbers, or has another length than the front.
        """
        check_selector(selector)
        if held_out is not None:
            with conversion("held_out", "a sequence of numbers"):
                held_out = np.asarray(held_out, dtype=np.float64)
            n_members = len(selector.pareto_front_)
            if held_out.shape != (n_members,):
                raise ValueError(f"held_out must have {n_members} scores, one for each member, got shape "
                                 f"{held_out.shape}")
        return cls._of(selector.pareto_front_, held_out, Names.of(selector)).plot(ax)

    @classmethod
    def _of(cls, front: ParetoFront, held_out: Numbers | None, names: Names) -> Self:
        """Return the display of a front, with scores on fresh splits only if it was scored again."""
        score, score_se = (front.score, front.score_se) if front.n_rescore_splits else (None, None)
        return cls(front.n_selected, search_scores(front), n_features=front.supports.shape[1],
                   score=score, score_se=score_se, held_out=held_out, score_name=names.search,
                   honest=None if front.honest is None else front.honest_score, honest_name=names.honest)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the scores on `ax`, matplotlib Axes, or for None on a new figure. Returns self.

        ImportError without matplotlib.
        """
        ax = self._axes(ax)
        x, search = np.asarray(self.n_selected), np.asarray(self.search_score)
        columns = [search, *(np.asarray(values) for values in (self.score, self.held_out, self.honest)
                             if values is not None)]
        same = self.honest_name in (None, self.score_name)
        search_prefix, honest_prefix = ("", "") if same else (f"{self.score_name} ", f"{self.honest_name} ")
        ax.vlines(x, np.fmin.reduce(columns), np.fmax.reduce(columns), color="0.8", linewidth=1, zorder=1)
        self.search_, = ax.plot(x, search, "o", color="tab:orange", markerfacecolor="none", zorder=3,
                                label=f"{search_prefix}as the search saw it")
        self.rescored_ = self.held_out_ = self.honest_ = None
        if self.score is not None:
            self.rescored_ = ax.errorbar(x, self.score, known_errors(self.score_se), fmt="o", color="tab:blue",
                                         markersize=5, elinewidth=0.9, capsize=0 if len(x) > 60 else 2, zorder=2,
                                         label=f"{search_prefix}on fresh splits")
        if self.held_out is not None:
            self.held_out_, = ax.plot(x, self.held_out, "s", color="tab:green", markersize=5,
                                      label=f"{honest_prefix}on held-out samples", zorder=4)
        if self.honest is not None:
            self.honest_, = ax.plot(x, self.honest, "D", color="tab:red", markersize=4.5, zorder=5,
                                    label=f"honest {self.honest_name or self.score_name}")
        scale_counts(ax, "x", int(x.min()), int(x.max()))
        ax.set(xlabel=f"selected features, of {self.n_features:,}", ylabel=self.score_name if same else "score")
        legend_above(ax, ncols=2, columnspacing=1, handlelength=1.2)
        return self._finish(ax)
