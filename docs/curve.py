"""Draws the picture of the README, docs/_static/curve.svg: what its example has found.

  python docs/curve.py
"""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from moeliga import MOELIGASelector

PICTURE = Path(__file__).resolve().parent / "_static" / "curve.svg"


def draw(selector):
    """Return a Figure: score of the deployed model by size, and what the search thought."""
    front, others = selector.pareto_front_, selector.baselines_
    found = np.flatnonzero((front.source == "search") & np.isfinite(front.honest_score))
    sizes, total = front.n_selected[found], others.honest_score[others.source == "all"][0]
    figure = Figure(figsize=(6.4, 3.4), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(total, color="0.5", linestyle=":")
    axes.plot(front.n_features, total, "D", color="0.5", label="all features")
    axes.errorbar(sizes, front.honest_score[found], front.honest_se[found], color="C0", marker="o", capsize=3,
                  label="subsets of the search, honest score ± 1 SE")
    axes.plot(sizes, front.score[found], color="C0", marker=".", linestyle="--", alpha=0.5,
              label="the same, score in the search (a tree)")
    for name, mark in (("f_classif", "^"), ("forest", "s")):
        rows = others.source == name
        axes.plot(others.n_selected[rows], others.honest_score[rows], mark, color="C1", mfc="none",
                  label=f"first features by {name}")
    chosen = selector.index_
    axes.plot(front.n_selected[chosen], front.honest_score[chosen], "o", color="C3", markersize=9, zorder=3,
              label=f'rule "{selector.rule}"')
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(sorted({1, 2, 3, 5, 7, 10, 15, front.n_features})))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axes.set(xlabel="features", ylabel="UAR of a random forest", title="breast cancer, 569 samples")
    axes.legend(fontsize="small", loc="lower right")
    return figure


if __name__ == "__main__":
    data = load_breast_cancer()
    with matplotlib.rc_context({"svg.hashsalt": "moeliga", "svg.fonttype": "none"}):
        figure = draw(MOELIGASelector(RandomForestClassifier(), random_state=0, n_jobs=-1).fit(data.data, data.target))
        figure.savefig(PICTURE, metadata={"Date": None})
