"""Display of a Pareto front."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_flag
from moeliga.base.text import count, score_format
from moeliga.base.typing import Boolean, Column, Integer, Numbers
from moeliga.results.front import ParetoFront
from moeliga.results.rules import RULES
from moeliga.results.text import Names, Worth, with_error
from moeliga.selector import MOELIGASelector
from moeliga.visualisation.display import Display, check_selector, is_log, known_errors, legend_above, scale_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection, PolyCollection
    from matplotlib.colorbar import Colorbar
    from matplotlib.colors import Colormap
    from matplotlib.container import ErrorbarContainer
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation


class ParetoFrontDisplay(Display):
    """A Pareto front: number of features against score, with the chosen member marked.

    Make one with `from_selector`. A front with honest scores shows the best one of every size as a line, with a band of
    one standard error either way, all features as a dashed line, the choice of each rule, and behind them the scores in
    the search, which are optimistic and of the model that guides it; the legend counts those that are off the axis. A
    front without honest scores, or any front with `axes`, shows the members as dots, coloured by R1 or another column,
    with bars of one standard error of the score either way; a grey line is the best score up to each number of
    features: members below it are on the front for another objective, such as separability. The front of the first
    generation can be drawn too. The axis of sizes is logarithmic where they span more than a decade.

    Parameters
    ----------
    n_selected : array-like of int, shape (m,), >= 1
    score : array-like of float, shape (m,)
        In the search, or on fresh splits.
    r1 : array-like of float, shape (m,)
    n_features : int
        Features of the data.
    score_se : array-like of float, shape (m,), or None, default=None
        Standard error of each score; NaN where it is not known.
    chosen : int or None, default=None
        Index of the chosen member.
    score_name : str, default="UAR"
    honest : dict or None, default=None
        "score" and "se", array-like of float of shape (m,), NaN = none; "name", of the score; "all_features", a float,
        NaN = unknown; and "rules", a dict from the name of a rule to the index of the member that it chooses.
    worth : tuple of three floats, default=(nan, nan, nan)
        What the chosen member is worth, and the ends of the interval; NaN = unknown.
    objectives : dict from str to array-like of float, shape (m,), or None, default=None
        Further columns that can be drawn, by name.
    initial : dict from str to array-like, shape (m_0,), or None, default=None
        The front of the first generation: n_selected, score, r1 and the names of `objectives`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    points_ : matplotlib PathCollection
        The members, by their scores in the search.
    honest_, all_features_ : matplotlib Line2D or None
        Best honest score of each size; honest score of all features.
    band_ : matplotlib PolyCollection or None
    rules_ : dict from str to matplotlib Annotation
        Labels of members, by their texts: the names of the rules that choose a member, joined by commas.
    initial_points_, chosen_ : matplotlib PathCollection or None
        The front of the first generation; the ring around the chosen member.
    errorbar_ : matplotlib ErrorbarContainer or None
    colorbar_ : matplotlib Colorbar or None
        None if all members have the same colour.
    """

    points_: "PathCollection"
    honest_: "Line2D | None"
    all_features_: "Line2D | None"
    band_: "PolyCollection | None"
    rules_: "dict[str, Annotation]"
    initial_points_: "PathCollection | None"
    errorbar_: "ErrorbarContainer | None"
    chosen_: "PathCollection | None"
    colorbar_: "Colorbar | None"

    def __init__(self, n_selected: Numbers, score: Numbers, *, r1: Numbers, n_features: Integer,
                 score_se: Numbers | None = None, chosen: Integer | None = None, score_name: str = "UAR",
                 honest: Mapping[str, Any] | None = None, worth: tuple[float, float, float] = 3 * (np.nan,),
                 objectives: Mapping[str, Numbers] | None = None, initial: Mapping[str, Numbers] | None = None) -> None:
        self.n_selected = n_selected
        self.score = score
        self.r1 = r1
        self.n_features = n_features
        self.score_se = score_se
        self.chosen = chosen
        self.score_name = score_name
        self.honest = honest
        self.worth = worth
        self.objectives = objectives
        self.initial = initial

    @classmethod
    def from_selector(cls, selector: MOELIGASelector, ax: "Axes | None" = None, *,
                      axes: tuple[str, str] | list[str] | Column[Any] | None = None, color: str | None = "r1",
                      initial: Boolean = False, cmap: "str | Colormap" = "viridis") -> Self:
        """Draw the front of a fitted selector and return its display.

        Parameters
        ----------
        selector : MOELIGASelector, fitted
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        axes : sequence of two str, or None, default=None
            Columns on the horizontal and the vertical axis: "n_selected", "score", "honest_score", "r1", or the name of
            an objective. None = the honest curve, or ("n_selected", "score") without honest scores.
        color : str or None, default="r1"
            Column that sets the colour of dots: one of the same names. None = one colour for all. Not used by the
            honest curve.
        initial : bool, default=False
            Draw the front of the first generation too, as small orange dots; scored on the same splits as the last
            front if there was re-scoring (`n_rescore_splits`).
        cmap : str or matplotlib Colormap, default="viridis"

        Returns
        -------
        display : ParetoFrontDisplay

        Raises
        ------
        ImportError : without matplotlib.
        NotFittedError : if the selector is not fitted; TypeError if it is no MOELIGASelector.
        TypeError : if `initial` is no bool.
        ValueError : if `axes` or `color` name no column, or for `initial` with "honest_score".
        KeyError : if matplotlib has no `cmap` of this name.

        Examples
        --------
        Three objectives, first against last generation:

        >>> from sklearn.datasets import load_iris
        >>> from moeliga import MOELIGASelector, ParetoFrontDisplay
        >>> X, y = load_iris(return_X_y=True)
        >>> selector = MOELIGASelector(n_generations=2, honest=None, random_state=0).fit(X, y)
        >>> display = ParetoFrontDisplay.from_selector(selector, axes=("n_selected", "score"), color="separability",
        ...                                            initial=True)
        >>> display.colorbar_.ax.get_ylabel()
        'separability'
        """
        check_selector(selector)
        first = selector.initial_front_
        display = cls._of(selector.pareto_front_, selector.index_, Names.of(selector), Worth.of(selector), {
            "n_selected": first.n_selected, "score": first.score, "r1": first.r1, **objectives_of(first)})
        return display.plot(ax, axes=axes, color=color, initial=initial, cmap=cmap)

    @classmethod
    def _of(cls, front: ParetoFront, chosen: Integer, names: Names, worth: Worth,
            initial: Mapping[str, Numbers] | None = None) -> Self:
        """Return the display of a front."""
        honest = None
        if front.honest is not None:
            honest = {"score": front.honest_score, "se": front.honest_se, "name": names.honest,
                      "all_features": worth.all_features, "rules": choices_of(front),
                      "n_all": int(max(front.n_selected[front.source == "all"], default=front.n_features))}
        return cls(front.n_selected, front.score, r1=front.r1, n_features=front.n_features, score_se=front.score_se,
                   chosen=chosen, score_name=names.search, honest=honest, worth=worth[:3],
                   objectives=objectives_of(front), initial=initial)

    def plot(self, ax: "Axes | None" = None, *, axes: tuple[str, str] | list[str] | Column[Any] | None = None,
             color: str | None = "r1", initial: Boolean = False, cmap: "str | Colormap" = "viridis") -> Self:
        """Draw the front; see `from_selector` for the parameters, and for what is raised. Returns self.

        ValueError also for `initial` without a first generation.
        """
        curve = axes is None and self.honest is not None
        axes = ("n_selected", "score") if axes is None else axes
        columns = {**(self.objectives or {}), "n_selected": self.n_selected, "score": self.score, "r1": self.r1}
        if self.honest is not None:
            columns["honest_score"] = self.honest["score"]
        columns = {name: np.asarray(values) for name, values in columns.items()}

        def is_column(name: object) -> bool:
            return isinstance(name, str) and name in columns

        check_flag("initial", initial)
        pair = tuple(axes) if isinstance(axes, Sequence) or getattr(axes, "ndim", 0) == 1 else ()
        if isinstance(axes, str) or len(pair) != 2 or not all(map(is_column, pair)):
            raise ValueError(f"axes must be two of {tuple(columns)}, got {axes!r}")
        if color is not None and not is_column(color):
            raise ValueError(f"color must be None or one of {tuple(columns)}, got {color!r}")
        if initial and self.initial is None:
            raise ValueError(f"initial must be False for a display without a first generation, got {initial!r}")
        if initial and "honest_score" in pair:
            raise ValueError("initial must be False where axes have 'honest_score', which the first generation lacks, "
                             f"got {initial!r}")
        ax = self._axes(ax)
        x, y = (columns[name] for name in pair)
        first, errors, many = self.initial if initial else None, known_errors(self.score_se), len(x) > 60
        self.initial_points_ = self.errorbar_ = self.colorbar_ = self.chosen_ = None
        self.honest_, self.all_features_, self.band_, self.rules_ = None, None, None, {}
        if first is not None:
            self.initial_points_ = ax.scatter(*(first[name] for name in pair), s=11, color="tab:orange",
                                              zorder=3.5, label="front of the first generation")
        if curve:
            self._draw_curve(ax, x, y)
        else:
            if pair == ("n_selected", "score"):
                order = np.lexsort((-y, x))
                ax.plot(x[order], np.maximum.accumulate(y[order]), drawstyle="steps-post", color="0.75", linewidth=1,
                        zorder=1)
            if "score" in pair and errors is not None:
                self.errorbar_ = ax.errorbar(x, y, **{"yerr" if pair[1] == "score" else "xerr": errors}, fmt="none",
                                             ecolor="0.55", elinewidth=0.9, capsize=0 if many else 2, zorder=2)
            if color is not None and not np.isfinite(columns[color]).any():
                color = None  # for example R1, which some scores do not have
            colors = {"color": "tab:blue"}
            if color is not None:  # members without the value are grey
                from matplotlib import colormaps

                cmap = colormaps[cmap] if isinstance(cmap, str) else cmap
                colors = {"c": columns[color], "cmap": cmap.with_extremes(bad="0.8"), "plotnonfinite": True}
            self.points_ = ax.scatter(x, y, **colors, s=20 if many else 42, edgecolors="0.25", linewidths=0.4, zorder=3)
            if color is not None and np.ptp(columns[color][np.isfinite(columns[color])]) > 0:
                self.colorbar_ = ax.figure.colorbar(self.points_, ax=ax, label=self._label(color))
        member = self.chosen
        if member is not None:
            height = self.honest["score"][member] if curve and self.honest is not None else np.nan
            height = y[member] if np.isnan(height) else height
            self.chosen_ = ax.scatter(x[member], height, s=170, facecolors="none", edgecolors="tab:red",
                                      linewidths=1.8, zorder=5, label=self._chosen_label(errors, curve))
        if curve or initial or member is not None:
            compact = {"ncols": 2, "fontsize": "small", "columnspacing": 1, "handlelength": 1.6}
            legend_above(ax, **(compact if curve else {}))
        for side, name in zip("xy", pair, strict=True):
            if name == "n_selected":
                drawn = np.concatenate((columns[name], [] if first is None else np.asarray(first[name])))
                scale_counts(ax, side, int(drawn.min()), int(drawn.max()), 12 if curve else 50)
            ax.set(**{f"{side}label": self._label("honest_score" if curve and name == "score" else name)})
        return self._finish(ax)

    def _draw_curve(self, ax, x, in_search):
        """Draw the honest curve, a line for all features, the rules' choices and, behind them, scores in the search."""
        honest, name = self.honest, self.honest["name"]
        score, error = np.asarray(honest["score"]), np.asarray(honest["se"])
        # the model that guides may be far worse than the deployed one: its scores must not compress the honest curve
        drawn = np.array([score, score - error, score + error, np.full(len(score), honest["all_features"])])
        lowest, highest = np.nanmin(drawn), np.nanmax(drawn)
        span = highest - lowest or np.inf
        off = (in_search < lowest - 2 * span) | (in_search > highest + 2 * span)
        label = f"{self.score_name} in the search" + (f", {np.count_nonzero(off)} off the axis" if off.any() else "")
        self.points_ = ax.scatter(x, in_search, s=16, facecolors="none", edgecolors="0.6", linewidths=0.9, zorder=2,
                                  label=label)
        places = np.array([max(np.flatnonzero(x == size), key=lambda i: np.nan_to_num(score[i], nan=-np.inf))
                           for size in np.unique(x[np.isfinite(score)])])
        self.honest_, = ax.plot(x[places], score[places], "o-", color="tab:blue", markersize=4.5, linewidth=1.4,
                                label=f"honest {name} ± standard error", zorder=4)
        self.band_ = ax.fill_between(x[places], score[places] - error[places], score[places] + error[places],
                                     color="tab:blue", alpha=0.16, linewidth=0, zorder=1)
        if np.isfinite(honest["all_features"]):
            level, n_all = honest["all_features"], honest.get("n_all", self.n_features)
            self.all_features_ = ax.axhline(level, color="0.35", linestyle="--", linewidth=1, zorder=3,
                                            label=f"all {n_all:,} features: {level:{score_format(score)}}")
        rules_of = {}
        for rule, member in honest["rules"].items():
            rules_of.setdefault(member, []).append(rule)
        low, high = ax.get_ylim()
        if off.any():
            near = np.append(in_search[~off], (lowest, highest))
            low, high = near.min() - 0.05 * np.ptp(near), near.max() + 0.05 * np.ptp(near)
        step = 0.075 * (high - low)
        sizes = np.log(x) if is_log(x.min(), x.max(), 12) else x
        middle = (sizes.min() + sizes.max()) / 2
        ax.set_ylim(low - step * (len(rules_of) + 0.3), high)  # space below for the names of rules, one on each line
        for line, (member, rules) in enumerate(sorted(rules_of.items()), 1):
            text, own = ", ".join(rules), member == self.chosen
            right = sizes[member] > middle
            self.rules_[text] = ax.annotate(
                text, (x[member], score[member]), xytext=(x[member], low + step * (line - len(rules_of) - 0.5)),
                ha="right" if right else "left", va="center", fontsize="small", color="tab:red" if own else None,
                fontweight="bold" if own else None, zorder=6,
                arrowprops={"arrowstyle": "-", "color": "0.6", "linewidth": 0.7, "shrinkA": 0, "relpos": (right, 0.5)})

    def _label(self, name):
        """Return the label of a column for an axis or the colour bar."""
        return {"n_selected": f"selected features, of {self.n_features:,}", "score": self.score_name, "r1": "R1",
                "honest_score": f"honest {self.honest['name']}" if self.honest else ""}.get(name, name)

    def _chosen_label(self, errors, curve):
        """Return the size and the scores of the chosen member as text, for the legend."""
        member, size = self.chosen, int(self.n_selected[self.chosen])
        text = f"chosen: {count(size, 'feature')}, "
        if np.isfinite(self.worth[0]):
            score, low, high = self.worth
            honest, form = "" if curve else "honest ", score_format(score)  # without the curve it is on no axis
            taken = ",\ncorrected for selection bias" * curve  # the point in the ring is not
            return f"{text}{honest}{score:{form}} ({low:{form}} to {high:{form}}){taken}"
        if curve and np.isfinite(self.honest["score"][member]):  # a choice that was not assessed
            score = self.honest["score"]
            return text + with_error(score[member], self.honest["se"][member], score_format(score))
        score = with_error(self.score[member], np.nan if errors is None else errors[member], score_format(self.score))
        where = " in the search" if self.honest is not None else ""
        r1 = f", R1 {self.r1[member]:.3f}" if np.isfinite(self.r1[member]) else ""
        return f"{text}{self.score_name} {score}{where}{r1}"


def choices_of(front: ParetoFront) -> dict[str, int]:
    """Return a dict from rules to the index of the member that each chooses, without rules that the front excludes."""
    found: dict[str, int] = {}
    for rule in RULES:
        with suppress(ValueError):
            found[rule] = front.choose(rule)
    return found


def objectives_of(front: ParetoFront) -> dict[str, NDArray[np.float64]]:
    """Return the objectives of a front by name."""
    return dict(zip(front.names, front.objectives.T, strict=True))
