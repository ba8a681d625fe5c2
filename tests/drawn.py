"""Matplotlib without a screen, and what is read on a figure."""

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: F401


def tick_labels(axis):
    axis.figure.canvas.draw()
    low, high = sorted(axis.get_view_interval())
    return [tick.label1.get_text() for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]
