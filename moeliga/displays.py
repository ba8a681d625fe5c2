"""Drawing results, with scikit-learn's Display habits. Needs matplotlib, imported only when something is drawn."""

import numpy as np
from sklearn.utils.validation import check_is_fitted


class ParetoFrontDisplay:
    """A Pareto front: number of features against score, coloured by R1, with the chosen member marked.

    Make one with `from_selector`. The grey line is the best score with at most so many features; members below it are
    on the front for another objective, such as separability. Bars are one standard error either way. The axis of the
    number of features is logarithmic where the sizes span more than a decade.

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
        Place of the chosen member.
    score_name : str, default="UAR"

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    points_ : matplotlib PathCollection
        The members.
    errorbar_ : matplotlib ErrorbarContainer or None
    chosen_ : matplotlib PathCollection or None
        The ring around the chosen member.
    colorbar_ : matplotlib Colorbar or None
        None if all members have the same R1.

    Examples
    --------
    >>> from moeliga import ParetoFrontDisplay
    >>> display = ParetoFrontDisplay([1, 2, 5], [0.8, 0.9, 0.92], r1=[0.79, 0.88, 0.87], n_features=30, chosen=1)
    >>> display.plot().ax_.get_ylabel()
    'UAR'
    """

    def __init__(self, n_selected, score, *, r1, n_features, score_se=None, chosen=None, score_name="UAR"):
        self.n_selected = n_selected
        self.score = score
        self.r1 = r1
        self.n_features = n_features
        self.score_se = score_se
        self.chosen = chosen
        self.score_name = score_name

    @classmethod
    def from_selector(cls, selector, ax=None, *, cmap="viridis"):
        """Draw the front of a fitted selector.

        Parameters
        ----------
        selector : MOELIGASelector, fitted
        ax : matplotlib Axes or None, default=None
            None makes a new figure.
        cmap : str or matplotlib Colormap, default="viridis"
            Colours of R1.

        Returns
        -------
        display : ParetoFrontDisplay

        Raises
        ------
        ImportError : if matplotlib is not installed.
        """
        check_is_fitted(selector, "pareto_front_")
        front = selector.pareto_front_
        display = cls(front.n_selected, front.score, r1=front.r1, n_features=front.supports.shape[1],
                      score_se=front.score_se, chosen=selector.index_,
                      score_name="UAR" if "uar" in front.names and selector.scoring is None else "score")
        return display.plot(ax, cmap=cmap)

    def plot(self, ax=None, *, cmap="viridis"):
        """Draw the front; see `from_selector` for the parameters. Returns self."""
        try:
            from matplotlib import ticker
        except ImportError as error:
            raise ImportError("ParetoFrontDisplay needs matplotlib: pip install 'moeliga[plot]'") from error
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(layout="constrained")
        size, score, r1 = np.asarray(self.n_selected), np.asarray(self.score), np.asarray(self.r1)
        order = np.lexsort((-score, size))
        ax.plot(size[order], np.maximum.accumulate(score[order]), drawstyle="steps-post", color="0.75", linewidth=1,
                zorder=1)
        self.errorbar_ = None
        if self.score_se is not None and np.isfinite(self.score_se).any():
            self.errorbar_ = ax.errorbar(size, score, yerr=self.score_se, fmt="none", ecolor="0.55", elinewidth=0.9,
                                         capsize=2 if len(size) <= 60 else 0, zorder=2)
        self.points_ = ax.scatter(size, score, c=r1, cmap=cmap, s=42 if len(size) <= 60 else 20, edgecolors="0.25",
                                  linewidths=0.4, zorder=3)
        self.colorbar_ = None
        if np.ptp(r1) > 0:
            self.colorbar_ = ax.figure.colorbar(self.points_, ax=ax, label="R1")
        self.chosen_ = None
        if self.chosen is not None:
            self.chosen_ = ax.scatter(size[self.chosen], score[self.chosen], s=170, facecolors="none",
                                      edgecolors="tab:red", linewidths=1.8, zorder=4, label=self._chosen_label())
            ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, frameon=False)  # above the axes
        self._scale_sizes(ax, ticker)
        ax.set(xlabel=f"selected features, of {self.n_features:,}", ylabel=self.score_name)
        ax.grid(True, color="0.93")
        ax.set_axisbelow(True)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _chosen_label(self):
        size, error = int(self.n_selected[self.chosen]), np.nan
        if self.score_se is not None:
            error = self.score_se[self.chosen]
        bar = f" ± {error:.3f}" if np.isfinite(error) else ""
        return (f"chosen: {size:,} feature{'s' if size > 1 else ''}, {self.score_name} "
                f"{self.score[self.chosen]:.3f}{bar}, R1 {self.r1[self.chosen]:.3f}")

    def _scale_sizes(self, ax, ticker):
        """Whole numbers on the axis of sizes; a logarithmic axis where they span more than a decade."""
        smallest, largest = int(np.min(self.n_selected)), int(np.max(self.n_selected))
        if largest > 50 and largest > 10 * smallest:
            ax.set_xscale("log")
            few = largest <= 500 * smallest
            ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if few else (1,)))
            ax.xaxis.set_minor_formatter(ticker.NullFormatter())
        else:
            ax.xaxis.set_major_locator(ticker.MaxNLocator(7, steps=(1, 2, 5, 10), integer=True, min_n_ticks=1))
            if largest - smallest < 3:  # room beside a lone size, without ticks below one feature
                ax.set_xlim(smallest - 0.6, largest + 0.6)
        ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
