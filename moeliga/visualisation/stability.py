"""Display of a stability report."""

from numbers import Integral
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from moeliga.analysis.resampling import Resample
from moeliga.analysis.stability import StabilityReport, stability_report
from moeliga.base.checks import check_instance, check_number
from moeliga.base.typing import Integer, Number, PathLike, RandomState
from moeliga.results.rules import Rule
from moeliga.selector import MOELIGASelector
from moeliga.visualisation.display import BarDisplay, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = {"core": "tab:blue", "interchangeable": "tab:orange", "optional": "lightskyblue", "rare": "0.75"}


class StabilityOptions(TypedDict, total=False):
    """The keywords of `stability_report`."""

    n_runs: Integer
    resample: Resample
    subsample_size: Number
    rule: Rule | None
    core: Number
    optional: Number
    association: Number
    confidence: Number
    groups: ArrayLike | None
    random_state: RandomState
    n_jobs: Integer | None
    checkpoint: PathLike | None


class StabilityDisplay(BarDisplay):
    """How often each feature was chosen over the runs of a `StabilityReport`, coloured by its kind.

    Make one with `from_report`, or with `from_selector`, which makes the report too. The most frequent features are
    drawn, with the limits of "core" and "optional" as lines; the title gives the stability index.

    Parameters
    ----------
    report : StabilityReport

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    bars_ : matplotlib BarContainer
    order_ : ndarray of int
        The features drawn, from top to bottom.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import MOELIGASelector, StabilityDisplay, stability_report
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = MOELIGASelector(n_generations=2, honest=None)
    >>> display = StabilityDisplay.from_report(stability_report(selector, X, y, n_runs=3, random_state=0))
    >>> display.ax_.get_xlabel().splitlines()[0]
    'share of the 3 runs that chose the feature'
    """

    def __init__(self, report: StabilityReport) -> None:
        self.report = report

    @classmethod
    def from_selector(cls, selector: MOELIGASelector, X: ArrayLike, y: ArrayLike, ax: "Axes | None" = None, *,
                      max_features: Integer = 30, **options: Unpack[StabilityOptions]) -> Self:
        """Make a report, draw it and return the display, whose `report` it is.

        Parameters
        ----------
        selector, X, y, **options
            As for `stability_report`, which repeats the search.
        ax, max_features
            As for `from_report`.

        Returns
        -------
        display : StabilityDisplay

        Raises
        ------
        ImportError, NotFittedError, TypeError, ValueError : as `stability_report` and `from_report`.
        """
        check_number("max_features", max_features, Integral, 1)
        return cls.from_report(stability_report(selector, X, y, **options), ax, max_features=max_features)

    @classmethod
    def from_report(cls, report: StabilityReport, ax: "Axes | None" = None, *, max_features: Integer = 30) -> Self:
        """Draw a report and return the display.

        Parameters
        ----------
        report : StabilityReport
        ax : matplotlib Axes or None, default=None
            None makes a new figure, as high as it needs to be.
        max_features : int >= 1, default=30
            Features drawn at most.

        Returns
        -------
        display : StabilityDisplay

        Raises
        ------
        ImportError : without matplotlib.
        TypeError, ValueError : unless `report` is a StabilityReport, and `max_features` an integer >= 1.
        """
        return cls(report).plot(ax, max_features=max_features)

    def plot(self, ax: "Axes | None" = None, *, max_features: Integer = 30) -> Self:
        """Draw the report; see `from_report` for the parameters, and for what is raised. Returns self."""
        check_number("max_features", max_features, Integral, 1)
        report = check_instance("report", self.report, StabilityReport)
        chosen = report.order()
        self.order_ = order = chosen[:max_features]
        kinds = report.kind[order]
        counts = {"less frequent": len(chosen) - len(order), "never chosen": len(report.frequency) - len(chosen)}
        ax = self._draw_bars(ax, report.feature_names[order], report.frequency[order],
                             [COLORS[kind] for kind in kinds],
                             f"share of the {report.n_runs:,} runs that chose the feature",
                             ", ".join(f"{count:,} {what}" for what, count in counts.items() if count), above=0.4)
        for limit in (report.core, report.optional):
            ax.axvline(limit, color="0.4", linewidth=0.9, linestyle=":")
        ax.set_title(report.stability_text(2), loc="left", pad=24, fontsize="medium")
        first = {kind: self.bars_[int(np.argmax(kinds == kind))] for kind in COLORS if kind in kinds}
        legend_above(ax, handles=list(first.values()), labels=list(first), ncols=len(first), columnspacing=1.2,
                     handlelength=1.2)
        return self._finish(ax, axis="x")
