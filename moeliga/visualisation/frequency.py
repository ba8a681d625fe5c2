"""Drawing which features a front holds, with scikit-learn's Display habits. Needs matplotlib, imported only then."""

from numbers import Integral
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from moeliga.base.checks import check_number
from moeliga.base.typing import Integer, Numbers, Rows, Texts
from moeliga.visualisation.axes import axes_for, draw_shares, height_of, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure

    from moeliga.selector import MOELIGASelector


class FeatureFrequencyDisplay:
    """Which features the members of a front share: for each feature, the share of members that hold it.

    Make one with `from_selector`. The most frequent features are drawn, those of the chosen member in red; among
    equally frequent ones the chosen come first, then the order of the data. The line below says what is left out.

    Members of one front descend from each other. A high share says that the search found nothing better, not that
    another sample of the data would give the same feature: for that see `stability_report`.

    Parameters
    ----------
    feature_names : array-like of str, shape (n_features,)
    frequency : array-like of float, shape (n_features,), in [0, 1]
    chosen : array-like of bool, shape (n_features,)
        Features of the chosen member.
    n_members : int
        Subsets that the frequency was counted over.

    Attributes
    ----------
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    bars_ : matplotlib BarContainer
    order_ : ndarray of int
        The features drawn, from top to bottom.

    Examples
    --------
    >>> from moeliga import FeatureFrequencyDisplay
    >>> display = FeatureFrequencyDisplay(["a", "b", "c"], [0.25, 1.0, 0.0], chosen=[False, True, False], n_members=4)
    >>> display.plot().order_.tolist()
    [1, 0]
    """

    ax_: "Axes"
    figure_: "Figure"
    bars_: "BarContainer"
    order_: NDArray[np.intp]

    def __init__(self, feature_names: Texts, frequency: Numbers, *, chosen: Rows, n_members: Integer) -> None:
        self.feature_names = feature_names
        self.frequency = frequency
        self.chosen = chosen
        self.n_members = n_members

    @classmethod
    def from_selector(cls, selector: "MOELIGASelector", ax: "Axes | None" = None, *,
                      max_features: Integer = 30) -> Self:
        """Draw the features of a fitted selector's front.

        Parameters
        ----------
        selector : MOELIGASelector, fitted
        ax : matplotlib Axes or None, default=None
            None makes a new figure, as high as it needs to be.
        max_features : int >= 1, default=30
            Features drawn at most.

        Returns
        -------
        display : FeatureFrequencyDisplay

        Raises
        ------
        ImportError : if matplotlib is not installed.
        TypeError, ValueError : if `max_features` is not an integer of at least 1.
        """
        check_is_fitted(selector, "pareto_front_")
        front = selector.pareto_front_
        display = cls(front.feature_names, front.supports.mean(axis=0), chosen=selector.support_, n_members=len(front))
        return display.plot(ax, max_features=max_features)

    def plot(self, ax: "Axes | None" = None, *, max_features: Integer = 30) -> Self:
        """Draw the features; see `from_selector` for the parameters. Returns self."""
        check_number("max_features", max_features, Integral, 1)
        frequency, chosen = np.asarray(self.frequency), np.asarray(self.chosen, dtype=bool)
        held = np.flatnonzero(frequency > 0)
        self.order_ = held[np.lexsort((held, ~chosen[held], -frequency[held]))][:max_features]
        left_out = np.setdiff1d(held, self.order_)
        ax = axes_for(self, ax, figsize=(6.4, height_of(len(self.order_))))
        colors = np.where(chosen[self.order_], "tab:red", "0.68")
        self.bars_ = draw_shares(ax, [self.feature_names[f] for f in self.order_], frequency[self.order_], colors)
        ax.set_xlabel(f"share of the {self.n_members:,} members that hold the feature\n"
                      f"{self._left_out(len(left_out), int(chosen[left_out].sum()), len(frequency) - len(held))}",
                      loc="right")
        handles = [bar for bar, mark in zip(self.bars_, chosen[self.order_], strict=True) if mark][:1]
        if handles:
            size = int(chosen.sum())
            legend_above(ax, handles=handles, labels=[f"in the chosen member ({size:,} feature{'s'[: size > 1]})"])
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _left_out(self, n_held: int, n_chosen: int, n_unheld: int) -> str:
        """What is said about the features that are not drawn."""
        if not n_held + n_unheld:
            return "all features are shown"
        parts = []
        if n_held:
            parts.append(f"{n_held:,} less frequent" + (f" ({n_chosen:,} of them chosen)" if n_chosen else ""))
        if n_unheld:
            parts.append(f"{n_unheld:,} in no member")
        return "not shown: " + ",\n".join(parts)
