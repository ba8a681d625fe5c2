"""Display of a Pareto front."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from moeliga.base.typing import Boolean, Integer, Numbers
from moeliga.results.front import ParetoFront
from moeliga.results.text import score_name
from moeliga.visualisation.display import Display, known, legend_above, scale_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.colorbar import Colorbar
    from matplotlib.colors import Colormap
    from matplotlib.container import ErrorbarContainer

    from moeliga.selector import MOELIGASelector


class ParetoFrontDisplay(Display):
    """A Pareto front: number of features against score, coloured by R1, with the chosen member marked.

    Make one with `from_selector`. Other axes and another colour show a third objective; the front of the first
    generation can be drawn too. The grey line is the best score with at most so many features; members below it are on
    the front for another objective, such as separability. Bars are one standard error of the score either way. The axis
    of sizes is logarithmic where they span more than a decade.

    Parameters
    ----------
    n_selected : array-like of int, shape (m,), >= 1
    score : array-like of float, shape (m,)
    r1 : array-like of float, shape (m,)
    n_features : int
        Features of the data.
    score_se : array-like of float, shape (m,), or None, default=None
        Standard error of each score; NaN where it is not known.
    chosen : int or None, default=None
        Index of the chosen member.
    score_name : str, default="UAR"
    objectives : dict from str to array-like of float, shape (m,), or None, default=None
        Further columns that can be drawn, by name.
    initial : dict from str to array-like, shape (m_0,), or None, default=None
        The front of the first generation: n_selected, score, r1 and the names of `objectives`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : matplotlib PathCollection
        The members.
    initial_points_, chosen_ : matplotlib PathCollection or None
        The front of the first generation; the ring around the chosen member.
    errorbar_ : matplotlib ErrorbarContainer or None
    colorbar_ : matplotlib Colorbar or None
        None if all members have the same colour.
    """

    points_: "PathCollection"
    initial_points_: "PathCollection | None"
    errorbar_: "ErrorbarContainer | None"
    chosen_: "PathCollection | None"
    colorbar_: "Colorbar | None"

    def __init__(self, n_selected: Numbers, score: Numbers, *, r1: Numbers, n_features: Integer,
                 score_se: Numbers | None = None, chosen: Integer | None = None, score_name: str = "UAR",
                 objectives: Mapping[str, Numbers] | None = None, initial: Mapping[str, Numbers] | None = None) -> None:
        self.n_selected = n_selected
        self.score = score
        self.r1 = r1
        self.n_features = n_features
        self.score_se = score_se
        self.chosen = chosen
        self.score_name = score_name
        self.objectives = objectives
        self.initial = initial

    @classmethod
    def from_selector(cls, selector: "MOELIGASelector", ax: "Axes | None" = None, *,
                      axes: tuple[str, str] | list[str] = ("n_selected", "score"), color: str | None = "r1",
                      initial: Boolean = False, cmap: "str | Colormap" = "viridis") -> Self:
        """Draw the front of a fitted selector and return its display.

        Parameters
        ----------
        selector : MOELIGASelector, fitted
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        axes : pair of str, default=("n_selected", "score")
            Columns on the horizontal and the vertical axis: "n_selected", "score", "r1", or the name of an objective.
        color : str or None, default="r1"
            Column that sets the colour: one of the same names. None = one colour for all.
        initial : bool, default=False
            Draw the front of the first generation too, as small orange dots; scored on the same splits as the last
            front if there was re-scoring (`n_rescore_splits`).
        cmap : str or matplotlib Colormap, default="viridis"

        Examples
        --------
        Three objectives, first against last generation:

        >>> from sklearn.datasets import load_iris
        >>> from moeliga import MOELIGASelector, ParetoFrontDisplay
        >>> X, y = load_iris(return_X_y=True)
        >>> selector = MOELIGASelector(n_generations=2, local_improvement=None, random_state=0).fit(X, y)
        >>> display = ParetoFrontDisplay.from_selector(selector, color="separability", initial=True)
        >>> display.colorbar_.ax.get_ylabel()
        'separability'
        """
        check_is_fitted(selector, "pareto_front_")
        first = selector.initial_front_
        display = cls._of(selector.pareto_front_, selector.index_, score_name(selector), {
            "n_selected": first.n_selected, "score": first.score, "r1": first.r1, **objectives_of(first)})
        return display.plot(ax, axes=axes, color=color, initial=initial, cmap=cmap)

    @classmethod
    def _of(cls, front: ParetoFront, chosen: Integer, score_name: str,
            initial: Mapping[str, Numbers] | None = None) -> Self:
        """Return the display of a front."""
        return cls(front.n_selected, front.score, r1=front.r1, n_features=front.supports.shape[1],
                   score_se=front.score_se, chosen=chosen, score_name=score_name, objectives=objectives_of(front),
                   initial=initial)

    def plot(self, ax: "Axes | None" = None, *, axes: tuple[str, str] | list[str] = ("n_selected", "score"),
             color: str | None = "r1", initial: Boolean = False, cmap: "str | Colormap" = "viridis") -> Self:
        """Draw the front; see `from_selector` for the parameters. Returns self."""
        columns = {**(self.objectives or {}), "n_selected": self.n_selected, "score": self.score, "r1": self.r1}
        columns = {name: np.asarray(values) for name, values in columns.items()}
        if isinstance(axes, str) or len(axes) != 2 or not set(axes) <= set(columns):
            raise ValueError(f"axes must be two of {tuple(columns)}, got {axes!r}")
        if color is not None and color not in columns:
            raise ValueError(f"color must be None or one of {tuple(columns)}, got {color!r}")
        if initial and self.initial is None:
            raise ValueError(f"initial must be False for a display without a first generation, got {initial!r}")
        ax = self._axes(ax)
        x, y = (columns[name] for name in axes)
        first, errors, many = self.initial if initial else None, known(self.score_se), len(x) > 60
        self.initial_points_ = self.errorbar_ = self.colorbar_ = self.chosen_ = None
        if tuple(axes) == ("n_selected", "score"):
            order = np.lexsort((-y, x))
            ax.plot(x[order], np.maximum.accumulate(y[order]), drawstyle="steps-post", color="0.75", linewidth=1,
                    zorder=1)
        if first is not None:
            self.initial_points_ = ax.scatter(*(first[name] for name in axes), s=11, color="tab:orange",
                                              zorder=3.5, label="front of the first generation")
        if "score" in axes and errors is not None:
            self.errorbar_ = ax.errorbar(x, y, **{"yerr" if axes[1] == "score" else "xerr": errors}, fmt="none",
                                         ecolor="0.55", elinewidth=0.9, capsize=0 if many else 2, zorder=2)
        colors = {"color": "tab:blue"} if color is None else {"c": columns[color], "cmap": cmap}
        self.points_ = ax.scatter(x, y, **colors, s=20 if many else 42, edgecolors="0.25", linewidths=0.4, zorder=3)
        if color is not None and np.ptp(columns[color]) > 0:
            self.colorbar_ = ax.figure.colorbar(self.points_, ax=ax, label=self._label(color))
        if self.chosen is not None:
            self.chosen_ = ax.scatter(x[self.chosen], y[self.chosen], s=170, facecolors="none", edgecolors="tab:red",
                                      linewidths=1.8, zorder=4, label=self._chosen_label(errors))
        if initial or self.chosen is not None:
            legend_above(ax)
        for side, name in zip("xy", axes, strict=True):
            if name == "n_selected":
                drawn = np.concatenate((columns[name], [] if first is None else np.asarray(first[name])))
                scale_counts(ax, side, int(drawn.min()), int(drawn.max()))
            ax.set(**{f"{side}label": self._label(name)})
        return self._finish(ax)

    def _label(self, name):
        """Return what an axis or the colour bar says about a column."""
        return {"n_selected": f"selected features, of {self.n_features:,}", "score": self.score_name,
                "r1": "R1"}.get(name, name)

    def _chosen_label(self, errors):
        """Return the size and the scores of the chosen member as text, for the legend."""
        place, size = self.chosen, int(self.n_selected[self.chosen])
        bar = "" if errors is None or not np.isfinite(errors[place]) else f" ± {errors[place]:.3f}"
        return (f"chosen: {size:,} feature{'s' if size > 1 else ''}, {self.score_name} {self.score[place]:.3f}{bar}, "
                f"R1 {self.r1[place]:.3f}")


def objectives_of(front: ParetoFront) -> dict[str, NDArray[np.float64]]:
    """Return the objectives of a front by name."""
    return dict(zip(front.names, front.objectives.T, strict=True))
