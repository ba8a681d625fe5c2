"""The chosen features under other classifiers: the paper's figure of bars.

  python benchmarks/paper/classifiers.py            from the results of sota.py
  python benchmarks/paper/classifiers.py --quick    from those of sota.py --quick --classifiers tree forest ..

All methods' subsets come from the same runs as in the comparison; moeliga's were chosen for a decision tree. Results:
classifiers.csv with all methods, and classifiers.png with moeliga and those of the paper.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import competitors, grid, tables
from paper.judge import CLASSIFIERS
from paper.results import Results

TITLES = {"tree": "decision tree", "forest": "random forest", "adaboost": "AdaBoost of perceptrons",
          "svm": "linear SVM", "bayes": "Gaussian naive Bayes", "mlp": "multi-layer perceptron"}


def table(rows):
    """(classifiers, data sets, methods, means): test UAR over the outer splits, ndarray of that shape, NaN = none."""
    found = {name: tables.values(rows, f"{name}_uar") for name in CLASSIFIERS}
    found = {name: values for name, values in found.items() if values}
    keys = {key: None for values in found.values() for key in values}
    names, labels = tables.ordered(keys)
    methods = [method for method in competitors.METHODS if method in labels]
    means = np.array([[[tables.mean(values.get((name, method), {})) for method in methods] for name in names]
                      for values in found.values()])
    return list(found), names, methods, means


def draw(path, kinds, names, methods, means):
    """A picture for each classifier, a group of bars for each data set, a bar for moeliga and the paper's methods."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    kept = [place for place, method in enumerate(methods) if method in ("moeliga", *competitors.PAPER)]
    methods, means = [methods[place] for place in kept], means[:, :, kept]
    figure = Figure(figsize=(max(8, 0.09 * len(names) * (len(methods) + 2)), 1.7 * len(kinds) + 0.8), dpi=110,
                    layout="constrained")
    pictures = figure.subplots(len(kinds), 1, sharex=True, squeeze=False)[:, 0]
    width, colours = 0.85 / len(methods), colormaps["tab20"].colors
    for axes, kind, values in zip(pictures, kinds, means, strict=True):
        for place, method in enumerate(methods):
            axes.bar(np.arange(len(names)) + (place - (len(methods) - 1) / 2) * width, values[:, place], width,
                     label=method, color="black" if method == "moeliga" else colours[place % len(colours)])
        axes.set_ylabel("test UAR")
        axes.set_ylim(0, 1)
        axes.set_xlim(-0.6, len(names) - 0.4)
        axes.set_title(TITLES[kind], fontsize=10)
        axes.grid(axis="y", linewidth=0.4)
        axes.set_axisbelow(True)
    pictures[-1].set_xticks(np.arange(len(names)), names)
    handles, labels = pictures[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=6, fontsize=8)
    figure.savefig(path)


def main(argv=None):
    options = grid.reader(__doc__).parse_args(argv)
    folder = grid.folder_of(options)
    kinds, names, methods, means = table(Results(folder / "sota.csv").rows)
    if not kinds:
        raise SystemExit(f"{folder / 'sota.csv'} has no results on outer splits: run sota.py first")
    for kind, values in zip(kinds, means, strict=True):
        print(tables.cross(f"Test UAR, {TITLES[kind]}", lambda name, method, values=values: (
            f"{values[names.index(name), methods.index(method)]:.3f}"), names, methods))
    tables.write(folder / "classifiers.csv", ("classifier", "data", "method", "uar"), (
        (kind, name, method, float(means[a, b, c])) for a, kind in enumerate(kinds) for b, name in enumerate(names)
        for c, method in enumerate(methods)))
    draw(folder / "classifiers.png", kinds, names, methods, means)


if __name__ == "__main__":
    main()
