"""Base classes and functions of the displays, which work like those of scikit-learn; drawing imports matplotlib."""

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
"""Largest width of a legend, as a share of the width of the figure; the rest is beside the axes."""


def check_selector(selector: object) -> None:
    """Raise TypeError unless `selector` is a MOELIGASelector, and NotFittedError unless it is fitted."""
    check_is_fitted(check_instance("selector", selector, MOELIGASelector), "pareto_front_")


class Display:
    """Base class of all displays."""

    ax_: "Axes"
    figure_: "Figure"

    def _axes(self, ax: Any, **options: Any) -> Any:
        """Return `ax`, or if it is None the axes of a new figure; `options` are of `matplotlib.pyplot.subplots`."""
        try:
            import matplotlib  # noqa: F401
        except ImportError as error:
            raise ImportError(f"{type(self).__name__} needs matplotlib: pip install 'moeliga[plot]'") from error
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(layout="constrained", **options)
        return ax

    def _finish(self, ax: Any, **grid: Any) -> Self:
        """Format the ticks, draw a grid below everything else, set `ax_` and `figure_`, and return self."""
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
    """Base class of displays with one horizontal bar for each feature: its share of members or runs."""

    bars_: "BarContainer"
    order_: NDArray[np.intp]

    def _draw_bars(self, ax, names, shares, colors, label, left_out, above=0.0):
        """Draw one bar for each of `names`, the first at the top, with lengths `shares` in [0, 1]; return the axes.

        `left_out` is a text on the features that are not shown, or empty. A new figure has `above` inches for a title.
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
    """Return the number of digits (6 to 15) that labels of ticks between two numbers need to differ from each other."""
    ends = np.array([low, high])
    apart = np.ptp(ends / np.abs(ends).max())
    return int(np.clip(4 - np.floor(np.log10(apart)), 6, 15))


def figure_height(n_bars):
    """Return the height of a figure with `n_bars` bars, in inches."""
    return 1.5 + 0.21 * max(n_bars, 3)


def tick_label(name):
    """Return a feature's name for matplotlib: without its middle if it is too long, with "$", which would begin a
    formula, and control characters, of which matplotlib would warn, escaped."""
    name = visible(name)
    if len(name) > LONGEST_NAME:
        half = LONGEST_NAME // 2
        name = f"{name[: half - 1]}…{name[-half:]}"
    return name.replace("$", r"\$")


def is_log(smallest, largest, log_above):
    """Return True if `scale_counts` draws counts of this range on a logarithmic scale."""
    return largest > log_above and largest > 10 * smallest


def scale_counts(ax, side, smallest, largest, log_above=50):
    """Label the axis `side` ("x" or "y") with whole numbers; make its scale logarithmic if the counts span more than a
    decade and the largest is above `log_above`.
    """
    from matplotlib import ticker

    axis = getattr(ax, f"{side}axis")
    if is_log(smallest, largest, log_above):
        ax.set(**{f"{side}scale": "log"})
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if largest <= 500 * smallest else (1,)))
        axis.set_minor_formatter(ticker.NullFormatter())
    else:
        axis.set_major_locator(ticker.MaxNLocator(7, steps=(1, 2, 5, 10), integer=True, min_n_ticks=1))
        if largest - smallest < 3:  # a single count is not at the edge, and no tick is below it
            ax.set(**{f"{side}lim": (smallest - 0.6, largest + 0.6)})
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))


def legend_above(ax, ncols=1, **options):
    """Add a legend without a frame above the axes, where it hides nothing, in `ncols` columns, or fewer if these are
    too wide."""
    for n in range(ncols, 0, -1):
        legend = ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, frameon=False, ncols=n,
                           **options)
        if legend.get_window_extent().width <= WIDEST_LEGEND * ax.figure.bbox.width:
            break


def known_errors(errors):
    """Return standard errors as ndarray of float64, or None if none is finite."""
    return None if errors is None or not np.isfinite(np.asarray(errors)).any() else np.asarray(errors)
