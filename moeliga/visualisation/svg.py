"""The pictures of a report as SVG text with alternative texts. Needs matplotlib, imported only when they are drawn."""

import io

import numpy as np

from moeliga.base.text import count, score_format, visible
from moeliga.results.text import search_scores, texts, verdict
from moeliga.visualisation.convergence import ConvergenceDisplay, has_hypervolume
from moeliga.visualisation.display import figure_height
from moeliga.visualisation.frequency import FeatureFrequencyDisplay
from moeliga.visualisation.front import ParetoFrontDisplay
from moeliga.visualisation.optimism import OptimismDisplay

WIDTH = 5.4
"""Width of a picture in inches, so that letters are legible on a screen of 360 pixels."""

MOST_BARS = 25

THEME = {"ink": ("#1b1f24", "#e6e9ed"), "dark": ("#404040", "#c3c9d0"), "soft": ("#595959", "#a2acb8"),
         "grid": ("#ededed", "#2a3037"), "blue": ("#1f77b4", "#62aee6"), "orange": ("#ff7f0e", "#ffa04d"),
         "red": ("#d62728", "#ff7570"), "green": ("#2ca02c", "#5fcf5f"), "bar": ("#adadad", "#6f7985")}
"""Colours by name, each for a light and for a dark page."""


def draw_pictures(record):
    """Return the pictures of a record: dict from a name in `PICTURES` to its (SVG, alternative text).

    "optimism" is missing if the front has only scores in the search. The same record gives the same text. An
    ImportError says that matplotlib is missing.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'moeliga[plot]'") from error
    pictures = {}
    has_other_scores = record.front.n_rescore_splits or record.front.honest is not None or record.held_out is not None
    ink = THEME["ink"][0]
    # never with TeX, which would read names of features as commands
    with matplotlib.rc_context({"svg.hashsalt": "moeliga", "svg.fonttype": "path", "font.size": 9,
                                "text.usetex": False, "savefig.transparent": True, **dict.fromkeys(
                                    ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"),
                                    ink)}):
        for name, draw in PICTURES.items():
            if name != "optimism" or has_other_scores:
                figure, svg = Figure(layout="constrained"), io.StringIO()
                alt = draw(record, figure)
                figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
                pictures[name] = themed(svg.getvalue()), alt
    return pictures


def themed(svg):
    """Return a picture in which the colours of `THEME` follow the reader's light or dark mode."""
    for name, (light, _) in THEME.items():
        svg = svg.replace(light, f"var(--{name})")
    light, dark = (" ".join(f"--{name}: {colors[mode]};" for name, colors in THEME.items()) for mode in (0, 1))
    style = f"<style>:root {{ {light} }} @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}</style>"
    return svg.replace("<defs>", f"{style}\n <defs>", 1)


def plot_front(record, ax):
    """Draw the front of a record on matplotlib Axes."""
    ParetoFrontDisplay._of(record.front, record.chosen, record.names, record.worth).plot(ax)


def draw_front(record, figure):
    """Draw the front on a figure and return the alternative text; the functions below do so for the other pictures."""
    figure.set_size_inches(WIDTH, 4.2)
    plot_front(record, figure.subplots())
    front, chosen, honest = record.front, record.chosen, record.front.honest is not None
    name, score = (f"honest {record.names.honest}" if honest else record.names.search), front.worth
    form = score_format(score)
    return (f"Pareto front of {count(len(front), 'subset')}: number of features from {front.n_selected[0]} to "
            f"{front.n_selected[-1]} against {name} from {np.nanmin(score):{form}} to {np.nanmax(score):{form}}. "
            f"Chosen: {verdict(front, chosen, record.worth, record.names)}.")


def draw_convergence(record, figure):
    figure.set_size_inches(WIDTH, 4.6)
    history, name = record.history, record.names.search
    ConvergenceDisplay(history, n_features=record.front.supports.shape[1], score_name=name).plot(
        figure.subplots(nrows=2, sharex=True, height_ratios=(3, 2)))
    volumes, best = history["archive_hypervolume"], texts(history["best_score"])
    volume = (f"hypervolume of the archive (from {volumes[0]:.3f} to {volumes[-1]:.3f}) and "
              if has_hypervolume(history) else "")
    return (f"Above, {volume}best {name} (from {best[0]} to {best[-1]}) by generation, as the search saw them; below,"
            f" the sizes of the subsets, with a median from {history['median_size'][0]:g} to "
            f"{history['median_size'][-1]:g} features.")


def draw_frequency(record, figure):
    front = record.front
    share = front.supports.mean(axis=0)
    n_held = np.count_nonzero(share)
    figure.set_size_inches(WIDTH, figure_height(min(MOST_BARS, n_held)))
    FeatureFrequencyDisplay._of(front, record.chosen).plot(figure.subplots(), max_features=MOST_BARS)
    first = np.argsort(-share, kind="stable")[: min(3, n_held)]
    names = ", ".join(f"{visible(front.feature_names[f])} ({share[f]:.0%})" for f in first)
    return (f"Share of the {count(len(front), 'member')} that hold each feature, as bars. Most frequent: {names}. "
            f"{n_held:,} of {len(share):,} features are in some member.")


def draw_optimism(record, figure):
    figure.set_size_inches(WIDTH, 3.4)
    front, held_out = record.front, record.held_out
    OptimismDisplay._of(front, held_out, record.names).plot(figure.subplots())
    search = search_scores(front)

    def mean(scores):  # each in its own format: scores in the search may be of another kind
        return f"{np.nanmean(scores):{score_format(scores)}}"
    parts = [f"in the search {mean(search)}"] if np.isfinite(search).any() else []
    if front.n_rescore_splits:
        parts.append(f"on fresh splits {mean(front.score)}")
    if front.honest is not None:
        parts.insert(0, f"honest {mean(front.honest_score)}")
    if held_out is not None:
        parts.append(f"on held-out samples {mean(held_out)}")
    return (f"{record.names.search} of each member by its number of features; in the mean over members "
            f"{', '.join(parts)}.")


PICTURES = {"front": draw_front, "convergence": draw_convergence, "frequency": draw_frequency,
            "optimism": draw_optimism}
