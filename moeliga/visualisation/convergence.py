"""Display of how a search went."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_choice
from moeliga.base.typing import Integer, Numbers
from moeliga.results.text import Names
from moeliga.selector import MOELIGASelector
from moeliga.visualisation.display import Display, check_selector, legend_above, scale_counts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.lines import Line2D

Against: TypeAlias = Literal["generation", "n_evaluations", "seconds"]
AGAINST = {"generation": "generation", "n_evaluations": "subsets evaluated", "seconds": "seconds"}


def has_hypervolume(history: Mapping[str, Numbers]) -> bool:
    """Return True if the archive ever has a hypervolume: a score that is never above 0, as of a loss, gives none."""
    return bool(np.max(np.asarray(history["archive_hypervolume"])) > 0)


class ConvergenceDisplay(Display):
    """How a search went: hypervolume, best score and sizes, generation by generation.

    Make one with `from_selector`. The thick line of the upper panel is the best hypervolume in (score, CR) of the
    archive so far: where it is level, the search finds nothing more. A score that is never above 0, as of a loss, has
    no hypervolume. The thin line is the best score of each generation; it falls as well as rises, since a generation
    has fresh splits unless `cv` is set. Both are as the search saw them: too high. The lower panel has the sizes of the
    subsets, on a logarithmic axis where they span more than a decade.

    Parameters
    ----------
    history : dict from str to array-like, shape (n_generations + 1,)
        Columns of a selector's `history_`: archive_hypervolume, best_score, best_score_size, min_size, median_size,
        max_size, and what they are drawn against.
    n_features : int
        Features of the data.
    score_name : str, default="UAR"

    Attributes
    ----------
    ax_, sizes_ax_ : matplotlib Axes
        Hypervolume and best score; sizes.
    figure_ : matplotlib Figure
    hypervolume_, best_score_, median_size_, best_score_size_ : matplotlib Line2D
        The first is None without a hypervolume.
    range_ : matplotlib PolyCollection
        Smallest to largest size, as a band.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import ConvergenceDisplay, MOELIGASelector
    >>> X, y = load_iris(return_X_y=True)
    >>> selector = MOELIGASelector(n_generations=3, honest=None, random_state=0).fit(X, y)
    >>> display = ConvergenceDisplay.from_selector(selector)
    >>> display.hypervolume_.get_xdata().tolist()
    [0, 1, 2, 3]
    """

    sizes_ax_: "Axes"
    hypervolume_: "Line2D | None"
    best_score_: "Line2D"
    median_size_: "Line2D"
    best_score_size_: "Line2D"
    range_: "PolyCollection"

    def __init__(self, history: Mapping[str, Numbers], *, n_features: Integer, score_name: str = "UAR") -> None:
        self.history = history
        self.n_features = n_features
        self.score_name = score_name

    @classmethod
    def from_selector(cls, selector: MOELIGASelector,
                      ax: "Axes | Sequence[Axes] | NDArray[np.object_] | None" = None, *,
                      against: Against = "generation") -> Self:
        """Draw the history of a fitted selector and return its display.

        Parameters
        ----------
        selector : MOELIGASelector, fitted
        ax : matplotlib Axes, pair of Axes or None, default=None
            None makes a new figure with one panel above the other. A pair takes scores, then sizes. One Axes takes
            both, with the sizes on a second scale at its right.
        against : {"generation", "n_evaluations", "seconds"}, default="generation"

        Returns
        -------
        display : ConvergenceDisplay

        Raises
        ------
        ImportError : without matplotlib.
        NotFittedError : if the selector is not fitted; TypeError if it is no MOELIGASelector.
        ValueError : for another `against`, or more than two Axes.
        """
        check_selector(selector)
        display = cls(selector.history_, n_features=selector.n_features_in_, score_name=Names.of(selector).search)
        return display.plot(ax, against=against)

    def plot(self, ax: "Axes | Sequence[Axes] | NDArray[np.object_] | None" = None, *,
             against: Against = "generation") -> Self:
        """Draw the history; see `from_selector` for the parameters, and for what is raised. Returns self."""
        check_choice("against", against, AGAINST)
        panels = np.ravel(self._axes(ax, nrows=2, sharex=True, figsize=(6.4, 5.6), height_ratios=(3, 2)))
        if len(panels) > 2:
            raise ValueError(f"ax must be None, one Axes or two, got {len(panels)}")
        one = len(panels) == 1
        scores, sizes = (panels[0], panels[0].twinx()) if one else panels
        history = {name: np.asarray(values) for name, values in self.history.items()}
        x = history[against]
        style = {"marker": "o", "markersize": 3.5} if len(x) <= 30 else {"linewidth": 1.2}
        self.hypervolume_ = None
        if has_hypervolume(history):
            self.hypervolume_, = scores.plot(x, history["archive_hypervolume"], color="tab:orange", label="hypervolume",
                                             **{**style, "linewidth": 2.2}, zorder=3)
        self.best_score_, = scores.plot(x, history["best_score"], color="tab:blue", alpha=0.6, **style,
                                        label=f"best {self.score_name} of each generation")
        self.range_ = sizes.fill_between(x, history["min_size"], history["max_size"], color="0.5", alpha=0.2,
                                         linewidth=8 if len(x) == 1 else 0, label="smallest to largest")
        self.median_size_, = sizes.plot(x, history["median_size"], color="0.35", label="median", **style)
        self.best_score_size_, = sizes.plot(x, history["best_score_size"], color="tab:blue", linestyle="--",
                                            label=f"of the best {self.score_name}", **style)
        scale_counts(sizes, "y", int(history["min_size"].min()), int(history["max_size"].max()))
        volume = f",{chr(10) if len(self.score_name) > 20 else ' '}hypervolume" * has_hypervolume(history)
        scores.set_ylabel(f"{self.score_name}{volume}")
        sizes.set_ylabel(f"features, of {self.n_features:,}")
        sizes.set_axisbelow(True)
        if one:
            n_scores = len(scores.get_lines())
            handles = [*scores.get_lines(), self.range_, *sizes.get_lines()]
            labels = [handle.get_label() for handle in handles]
            legend_above(scores, ncols=2, fontsize="small", handles=handles,
                         labels=[*labels[:n_scores], *(f"features: {label}" for label in labels[n_scores:])])
            scores.set_zorder(sizes.get_zorder() + 1)  # draw lines of scores over the band of sizes
            scores.patch.set_visible(False)
        else:
            legend_above(scores, ncols=2)
            legend_above(sizes, ncols=3, columnspacing=1, handlelength=1.6)
            sizes.grid(True, color="0.93")
        bottom = scores if one else sizes
        bottom.set_xlabel(AGAINST[against])
        if against != "seconds":
            bottom.xaxis.get_major_locator().set_params(integer=True, min_n_ticks=1)
            bottom.xaxis.set_major_formatter("{x:,.0f}")
            if len(x) == 1:
                bottom.set_xlim(x[0] - 0.6, x[0] + 0.6)
        self.sizes_ax_ = sizes
        return self._finish(scores)
