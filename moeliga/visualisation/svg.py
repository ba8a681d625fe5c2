"""The pictures of a report as SVG text with alternative texts. Needs matplotlib, imported only when they are drawn."""

import io

import numpy as np

from moeliga.base.text import count
from moeliga.visualisation.convergence import ConvergenceDisplay
from moeliga.visualisation.display import height_of
from moeliga.visualisation.frequency import FeatureFrequencyDisplay
from moeliga.visualisation.front import ParetoFrontDisplay
from moeliga.visualisation.optimism import OptimismDisplay

WIDTH = 5.8
"""Inches; letters stay legible on a screen of 360 pixels."""

MOST_BARS = 25


def draw_pictures(record):
    """Return the pictures of a record: dict from a name in `PICTURES` to its (SVG, alternative text).

    There is no "optimism" if the front has only scores in the search. The same record gives the same text. An
    ImportError says that matplotlib is missing.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'moeliga[plot]'") from error
    pictures = {}
    # never with TeX: it would take names of features for commands
    with matplotlib.rc_context({"svg.hashsalt": "moeliga", "svg.fonttype": "path", "font.size": 9,
                                "text.usetex": False}):
        for name, draw in PICTURES.items():
            if name != "optimism" or record.front.n_rescore_splits or record.held_out is not None:
                figure, svg = Figure(layout="constrained"), io.StringIO()
                alt = draw(record, figure)
                figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
                pictures[name] = svg.getvalue(), alt
    return pictures


def plot_front(record, ax):
    """Draw the front of a record on matplotlib Axes."""
    ParetoFrontDisplay._of(record.front, record.chosen, record.score_name).plot(ax)


def draw_front(record, figure):
    """Draw the front on a figure and return the alternative text, as the functions below do with other pictures."""
    figure.set_size_inches(WIDTH, 4.2)
    plot_front(record, figure.subplots())
    front, name, chosen = record.front, record.score_name, record.chosen
    return (f"Pareto front of {count(len(front), 'subset')}: number of features from {front.n_selected[0]} to "
            f"{front.n_selected[-1]} against {name} from {front.score.min():.3f} to {front.score.max():.3f}. Chosen: "
            f"{count(front.n_selected[chosen], 'feature')}, {name} {front.score[chosen]:.3f}.")


def draw_convergence(record, figure):
    figure.set_size_inches(WIDTH, 5)
    history, name = record.history, record.score_name
    ConvergenceDisplay(history, n_features=record.front.supports.shape[1], score_name=name).plot(
        figure.subplots(nrows=2, sharex=True, height_ratios=(3, 2)))
    return (f"Above, hypervolume (from {history['hypervolume'][0]:.3f} to {history['hypervolume'][-1]:.3f}) and best "
            f"{name} (from {history['best_score'][0]:.3f} to {history['best_score'][-1]:.3f}) by generation, as the "
            f"search saw them; below, the sizes of the subsets, with a median from {history['median_size'][0]:g} to "
            f"{history['median_size'][-1]:g} features.")


def draw_frequency(record, figure):
    front = record.front
    share = front.supports.mean(axis=0)
    n_held = np.count_nonzero(share)
    figure.set_size_inches(WIDTH, height_of(min(MOST_BARS, n_held)))
    FeatureFrequencyDisplay._of(front, record.chosen).plot(figure.subplots(), max_features=MOST_BARS)
    first = np.argsort(-share, kind="stable")[: min(3, n_held)]
    names = ", ".join(f"{front.feature_names[f]} ({share[f]:.0%})" for f in first)
    return (f"Share of the {count(len(front), 'member')} that hold each feature, as bars. Most frequent: {names}. "
            f"{n_held:,} of {len(share):,} features are in some member.")


def draw_optimism(record, figure):
    figure.set_size_inches(WIDTH, 4)
    front, held_out = record.front, record.held_out
    OptimismDisplay._of(front, held_out, record.score_name).plot(figure.subplots())
    parts = [f"in the search {front.search_objectives[:, front.primary].mean():.3f}"]
    if front.n_rescore_splits:
        parts.append(f"on fresh splits {front.score.mean():.3f}")
    if held_out is not None:
        parts.append(f"on held-out samples {held_out.mean():.3f}")
    return f"{record.score_name} of each member by its number of features; in the mean over members {', '.join(parts)}."


PICTURES = {"front": draw_front, "convergence": draw_convergence, "frequency": draw_frequency,
            "optimism": draw_optimism}
