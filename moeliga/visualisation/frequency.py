"""Display of the features that the members of a front share."""

from numbers import Integral
from typing import TYPE_CHECKING, Self

import numpy as np

from moeliga.base.checks import check_number
from moeliga.base.text import count
from moeliga.base.typing import Integer, Numbers, Rows, Texts
from moeliga.results.front import ParetoFront
from moeliga.selector import MOELIGASelector
from moeliga.visualisation.display import BarDisplay, check_selector, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FeatureFrequencyDisplay(BarDisplay):
    """Which features the members of a front share: for each feature, the share of members that hold it.

    Make one with `from_selector`. The most frequent features are drawn, those of the chosen member in red and first
    among equally frequent ones. The text below counts the features that are left out.

    Members of one front descend from each other. A high share does not say that another sample of the data would
    give the same feature: for that see `stability_report`.

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
    ax_, figure_ : matplotlib Axes and Figure
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

    def __init__(self, feature_names: Texts, frequency: Numbers, *, chosen: Rows, n_members: Integer) -> None:
        self.feature_names = feature_names
        self.frequency = frequency
        self.chosen = chosen
        self.n_members = n_members

    @classmethod
    def from_selector(cls, selector: MOELIGASelector, ax: "Axes | None" = None, *,
                      max_features: Integer = 30) -> Self:
        """Draw the features of a fitted selector's front and return its display.

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
        ImportError : without matplotlib.
        NotFittedError : if the selector is not fitted; TypeError if it is no MOELIGASelector.
        TypeError, ValueError : unless `max_features` is an integer >= 1.
        """
        check_selector(selector)
        return cls._of(selector.pareto_front_, selector.index_).plot(ax, max_features=max_features)

    @classmethod
    def _of(cls, front: ParetoFront, chosen: Integer) -> Self:
        """Return the display of a front."""
        return cls(front.feature_names, front.supports.mean(axis=0), chosen=front.supports[chosen],
                   n_members=len(front))

    def plot(self, ax: "Axes | None" = None, *, max_features: Integer = 30) -> Self:
        """Draw the features; see `from_selector` for the parameters, and for what is raised. Returns self."""
        check_number("max_features", max_features, Integral, 1)
        frequency, chosen = np.asarray(self.frequency), np.asarray(self.chosen, dtype=bool)
        held = np.lexsort((~chosen, -frequency))[:np.count_nonzero(frequency)]
        self.order_ = order = held[:max_features]
        left_out = held[max_features:]
        parts = []
        if len(left_out):
            n_chosen = np.count_nonzero(chosen[left_out])
            parts.append(f"{len(left_out):,} less frequent" + (f" ({n_chosen:,} of them chosen)" if n_chosen else ""))
        if len(held) < len(frequency):
            parts.append(f"{len(frequency) - len(held):,} in no member")
        ax = self._draw_bars(ax, [self.feature_names[f] for f in order], frequency[order],
                             np.where(chosen[order], "tab:red", "0.68"),
                             "share of the one member that holds the feature" if self.n_members == 1 else
                             f"share of the {self.n_members:,} members that hold the feature", ",\n".join(parts))
        if chosen[order].any():
            size = np.count_nonzero(chosen)
            legend_above(ax, handles=[self.bars_[int(np.argmax(chosen[order]))]],
                         labels=[f"in the chosen member ({count(size, 'feature')})"])
        return self._finish(ax, axis="x")
