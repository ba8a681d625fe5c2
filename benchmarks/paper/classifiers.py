"""The chosen features under other classifiers: the paper's figure of bars.

  python benchmarks/paper/classifiers.py                     from the results of sota.py
  python benchmarks/paper/classifiers.py --judge svm bayes   first fits these where sota.py was run without them
  python benchmarks/paper/classifiers.py --quick             from those of sota.py --quick

All methods' subsets come from the same runs as in the comparison; moeliga's were chosen for a decision tree. Nothing is
chosen again: a classifier is fitted on the outer training part with the features that sota.csv names. Results:
judged.csv (a row for each choice and classifier of --judge), classifiers.csv with all methods, and classifiers.png with
moeliga and those of the paper.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import competitors, grid, tables
from paper.judge import CLASSIFIERS, judge
from paper.protocol import OWN
from paper.results import KEY, Results

COLUMNS = (*KEY, "choice", "features", "uar", "ovr", "se", "seconds", "status", "date", "cpu", "versions", "command")
"""Of judged.csv; `setting` is the classifier."""
SECONDS = {"tree": 0.1, "forest": 0.3, "adaboost": 1.0, "svm": 0.1, "bayes": 0.02, "mlp": 1.0}
"""What a classifier costs on a few hundred samples, by rule of thumb."""

TITLES = {"tree": "decision tree", "forest": "random forest", "adaboost": "AdaBoost of perceptrons",
          "svm": "linear SVM", "bayes": "Gaussian naive Bayes", "mlp": "multi-layer perceptron"}


def jobs_of(rows, kinds):
    """A job for each choice of sota.csv, random outer splits only, that has no score by a classifier."""
    chosen = {}
    for row in rows:  # the last one, if it was done again
        if row["status"] == "ok" and not row["choice"] and row["split"] != OWN:
            chosen[tuple(row[name] for name in KEY)] = row
    return [grid.Job(*key[:3], seed=key[4], setting=kind, parameters={"chosen": row["chosen"]})
            for key, row in chosen.items() for kind in kinds if not row[f"{kind}_uar"]]


def perform(job, data, known):
    """Rows of a job: one."""
    X_train, y_train, X_test, y_test, _ = data.parts(job.split)
    mask = np.zeros(X_train.shape[1], dtype=bool)
    mask[np.array(job.parameters["chosen"].split(), dtype=int)] = True
    began = time.process_time()
    scores = judge(mask, X_train, y_train, X_test, y_test, (job.setting,))[job.setting]
    return [dict(zip(KEY, job.key, strict=True)) | scores._asdict()
            | {"features": int(mask.sum()), "seconds": time.process_time() - began, "status": "ok"}]


def table(rows, judged=()):
    """(classifiers, data sets, methods, means): test UAR over the outer splits, ndarray of that shape, NaN = none.

    Parameters
    ----------
    rows, judged : sequences of dict
        Of sota.csv, and of judged.csv.
    """
    found = {name: tables.values(rows, f"{name}_uar") for name in CLASSIFIERS}
    for row in judged:
        if row["status"] == "ok" and row["uar"]:
            values = found[row["setting"]].setdefault((row["data"], row["method"]), {})
            values[row["split"], row["seed"]] = float(row["uar"])
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
    parser = grid.reader(__doc__)
    parser.add_argument("--judge", nargs="+", choices=list(CLASSIFIERS), default=(), metavar="NAME",
                        help=f"fit these where scores are missing: {', '.join(CLASSIFIERS)}")
    options = parser.parse_args(argv)
    folder = grid.folder_of(options)
    rows, judged = Results(folder / "sota.csv").rows, Results(folder / "judged.csv", COLUMNS)
    if options.judge:
        jobs = jobs_of(rows, options.judge)
        n_splits = max((int(job.split) + 1 for job in jobs), default=0)
        grid.run(jobs, judged, evaluation__n_splits=n_splits, rows_of=perform, columns=("features", "uar"),
                 expected=lambda job: SECONDS[job.setting])
    kinds, names, methods, means = table(rows, judged.rows)
    if not kinds:
        raise SystemExit(f"{folder / 'sota.csv'} has no results on outer splits: run sota.py first")
    for kind, values in zip(kinds, means, strict=True):
        print(tables.cross(f"Test UAR, {TITLES[kind]}", lambda name, method, values=values: (
            tables.number(values[names.index(name), methods.index(method)])), names, methods))
    tables.write(folder / "classifiers.csv", ("classifier", "data", "method", "uar"), (
        (kind, name, method, float(means[a, b, c])) for a, kind in enumerate(kinds) for b, name in enumerate(names)
        for c, method in enumerate(methods)))
    draw(folder / "classifiers.png", kinds, names, methods, means)


if __name__ == "__main__":
    main()
