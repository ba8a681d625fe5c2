"""Base classes of the displays, which work as scikit-learn's; matplotlib is imported only when something is drawn."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from moeliga.base.checks import check_instance
from moeliga.base.text import score_format, visible
from moeliga.selector import MOELIGASelector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure

LONGEST_NAME = 32
"""Characters of a feature name that are shown."""

WIDEST_LEGEND = 0.86
"""Width of a legend, at most, as a share of the figure's: the rest is beside the axes."""


def check_selector(selector: object) -> None:
    """Raise TypeError unless it is a MOELIGASelector, and NotFittedError unless it is fitted."""
    check_is_fitted(check_instance("selector", selector, MOELIGASelector), "pareto_front_")


class Display:
    """Base of the displays."""

    ax_: "Axes"
    figure_: "Figure"

    def _axes(self, ax: Any, **options: Any) -> Any:
        """Return `ax`, or where it is None the axes of a new figure, with options of `matplotlib.pyplot.subplots`."""
        try:
            import matplotlib  # noqa: F401
        except ImportError as error:
            raise ImportError(f"{type(self).__name__} needs matplotlib: pip install 'moeliga[plot]'") from error
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(layout="constrained", **options)
        return ax

    def _finish(self, ax: Any, **grid: Any) -> Self:
        """Draw a grid below all else, set the attributes and return self."""
        for axis in (ax.xaxis, ax.yaxis):
            if hasattr(axis.get_major_formatter(), "set_useOffset"):  # no "1e6" beside the axis, where the legend is
                axis.get_major_formatter().set_useOffset(False)
                if score_format(axis.get_view_interval()).endswith("e"):
                    axis.set_major_formatter(f"{{x:.{digits_between(*axis.get_view_interval())}g}}")
        ax.grid(True, color="0.93", **grid)
        ax.set_axisbelow(True)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class BarDisplay(Display):
    """Base of the displays of shares: one horizontal bar for each feature, the first at the top."""

    bars_: "BarContainer"
    order_: NDArray[np.intp]

    def _draw_bars(self, ax, names, shares, colors, label, left_out, above=0.0):
        """Draw bars of shares in [0, 1] below each other and return the axes.

        `left_out` is text on features that are not shown, or empty; `above` are inches of a new figure for a title.
        """
        ax = self._axes(ax, figsize=(6.4, figure_height(len(names)) + above))
        from matplotlib import ticker

        self.bars_ = ax.barh(np.arange(len(names)), shares, color=colors, height=0.76)
        ax.set_yticks(np.arange(len(names)), [tick_label(name) for name in names])
        ax.set(xlim=(0, 1), ylim=(len(names) - 0.4, -0.6))
        ax.xaxis.set_major_formatter(ticker.PercentFormatter(1.0, decimals=0))
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel(f"{label}\n{f'not shown: {left_out}' if left_out else 'all features are shown'}", loc="right")
        return ax


def digits_between(low, high):
    """Return the number of digits that ticks between two numbers need to differ from each other: int in [6, 15]."""
    ends = np.array([low, high])
    apart = np.ptp(ends / np.abs(ends).max())
    return int(np.clip(4 - np.floor(np.log10(apart)), 6, 15))


def figure_height(n_bars):
    """Return the height of a figure with `n_bars`, in inches."""
    return 1.5 + 0.21 * max(n_bars, 3)


def tick_label(name):
    """Return a feature's name, cut in the middle if it is too long, with "$" escaped, which would begin a formula, and
    what fonts do not have, control characters, too: matplotlib would warn of it in its own form."""
    name = visible(name)
    if len(name) > LONGEST_NAME:
        half = LONGEST_NAME // 2
        name = f"{name[: half - 1]}…{name[-half:]}"
    return name.replace("$", r"\$")


def is_log(smallest, largest, log_above):
    """Return True for counts that `scale_counts` has on a logarithmic scale."""
    return largest > log_above and largest > 10 * smallest


def scale_counts(ax, side, smallest, largest, log_above=50):
    """Set whole numbers on the axis ("x" or "y") of counts; a logarithmic scale if they span more than a decade and go
    beyond `log_above`.
    """
    from matplotlib import ticker

    axis = getattr(ax, f"{side}axis")
    if is_log(smallest, largest, log_above):
        ax.set(**{f"{side}scale": "log"})
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if largest <= 500 * smallest else (1,)))
        axis.set_minor_formatter(ticker.NullFormatter())
    else:
        axis.set_major_locator(ticker.MaxNLocator(7, steps=(1, 2, 5, 10), integer=True, min_n_ticks=1))
        if largest - smallest < 3:  # room beside a lone count, without ticks below one
            ax.set(**{f"{side}lim": (smallest - 0.6, largest + 0.6)})
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))


def legend_above(ax, ncols=1, **options):
    """Add a legend without a frame above the axes, where it hides nothing, in `ncols` columns or, where these are too
    wide, fewer."""
    for n in range(ncols, 0, -1):
        legend = ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, frameon=False, ncols=n,
                           **options)
        if legend.get_window_extent().width <= WIDEST_LEGEND * ax.figure.bbox.width:
            break


def known_errors(errors):
    """Return standard errors as ndarray of float64, or None if none is finite."""
    return None if errors is None or not np.isfinite(np.asarray(errors)).any() else np.asarray(errors)
