"""The pictures of a report as SVG text with alternative texts. Needs matplotlib, imported only then."""

import io
from typing import NamedTuple

import numpy as np

from moeliga.base.text import count
from moeliga.visualisation.axes import height_of
from moeliga.visualisation.convergence import ConvergenceDisplay
from moeliga.visualisation.frequency import FeatureFrequencyDisplay
from moeliga.visualisation.front import ParetoFrontDisplay
from moeliga.visualisation.optimism import OptimismDisplay

WIDTH = 5.8
"""Inches; so that the letters can be read on a screen of 360 pixels."""

MOST_BARS = 25


class Picture(NamedTuple):
    """A drawing and what a reader who cannot see it should know."""

    svg: str
    alt: str


def draw_pictures(record):
    """Pictures of a record by name: "front", "convergence", "frequency" and, where there is something to compare,
    "optimism".

    Parameters
    ----------
    record : Record

    Returns
    -------
    pictures : dict from str to Picture
        The same record gives the same text.

    Raises
    ------
    ImportError : if matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'moeliga[plot]'") from error
    # not with TeX, whatever is set: it would take names of features for commands
    with matplotlib.rc_context({"svg.hashsalt": "moeliga", "svg.fonttype": "path", "font.size": 9,
                                "text.usetex": False}):
        return {name: Picture(svg_of(Figure, draw, record), alt(record)) for name, (draw, alt) in PICTURES.items()
                if name != "optimism" or rescored(record) or record.held_out is not None}


def svg_of(Figure, draw, record):
    figure = Figure(layout="constrained")
    draw(record, figure)
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def rescored(record):
    """Whether the front was scored again after the search."""
    return record.front.n_rescore_splits > 0


def draw_front(record, figure):
    figure.set_size_inches(WIDTH, 4.2)
    plot_front(record, figure.subplots())


def plot_front(record, ax):
    """Draw the front of a record on matplotlib Axes."""
    front = record.front
    ParetoFrontDisplay(front.n_selected, front.score, r1=front.r1, n_features=front.supports.shape[1],
                       score_se=front.score_se, chosen=record.chosen, score_name=record.score_name).plot(ax)


def tell_front(record):
    front, name = record.front, record.score_name
    low, high = np.argmin(front.score), np.argmax(front.score)
    return (f"Pareto front of {count(len(front), 'subset')}: number of features from {front.n_selected[0]} to "
            f"{front.n_selected[-1]} against {name} from {front.score[low]:.3f} to {front.score[high]:.3f}. Chosen: "
            f"{count(front.n_selected[record.chosen], 'feature')}, {name} {front.score[record.chosen]:.3f}.")


def draw_convergence(record, figure):
    figure.set_size_inches(WIDTH, 5)
    panels = figure.subplots(nrows=2, sharex=True, height_ratios=(3, 2))
    ConvergenceDisplay(record.history, n_features=record.front.supports.shape[1],
                       score_name=record.score_name).plot(panels)


def tell_convergence(record):
    history = record.history
    return (f"Above, hypervolume (from {history['hypervolume'][0]:.3f} to {history['hypervolume'][-1]:.3f}) and best "
            f"{record.score_name} (from {history['best_score'][0]:.3f} to {history['best_score'][-1]:.3f}) by "
            f"generation, as the search saw them; below, the sizes of the subsets, with a median from "
            f"{history['median_size'][0]:g} to {history['median_size'][-1]:g} features.")


def draw_frequency(record, figure):
    front = record.front
    n_bars = min(MOST_BARS, int(front.supports.any(axis=0).sum()))
    figure.set_size_inches(WIDTH, height_of(n_bars))
    FeatureFrequencyDisplay(front.feature_names, front.supports.mean(axis=0), chosen=front.supports[record.chosen],
                            n_members=len(front)).plot(figure.subplots(), max_features=MOST_BARS)


def tell_frequency(record):
    front = record.front
    share = front.supports.mean(axis=0)
    first = np.lexsort((np.arange(len(share)), -share))[:3]
    names = ", ".join(f"{front.feature_names[f]} ({share[f]:.0%})" for f in first if share[f] > 0)
    return (f"Share of the {count(len(front), 'member')} that hold each feature, as bars. Most frequent: {names}. "
            f"{np.count_nonzero(share):,} of {len(share):,} features are in some member.")


def draw_optimism(record, figure):
    figure.set_size_inches(WIDTH, 4)
    front, again = record.front, rescored(record)
    OptimismDisplay(front.n_selected, front.search_objectives[:, front.primary], n_features=front.supports.shape[1],
                    score=front.score if again else None, score_se=front.score_se if again else None,
                    held_out=record.held_out, score_name=record.score_name).plot(figure.subplots())


def tell_optimism(record):
    front = record.front
    search = front.search_objectives[:, front.primary]
    parts = [f"in the search {search.mean():.3f}"]
    if rescored(record):
        parts.append(f"on fresh splits {front.score.mean():.3f}")
    if record.held_out is not None:
        parts.append(f"on held-out samples {record.held_out.mean():.3f}")
    return f"{record.score_name} of each member by its number of features; in the mean over members " + (
        ", ".join(parts) + ".")


PICTURES = {
    "front": (draw_front, tell_front),
    "convergence": (draw_convergence, tell_convergence),
    "frequency": (draw_frequency, tell_frequency),
    "optimism": (draw_optimism, tell_optimism),
}
