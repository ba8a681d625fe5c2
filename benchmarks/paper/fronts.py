"""Pareto fronts of the first and the last generation.

  python benchmarks/paper/fronts.py --quick       dermatology, 20 generations
  python benchmarks/paper/fronts.py [NAME ..]     movement_libras and mfeat (the paper: gcm too), 300 generations

The paper preset, on the training part of each set's own parts, or of the first random split where it has none. Values
are those that the search saw. Sizes are numbers of features: the paper seems to have read them off objective II after
its sigmoid, which turns every small subset into "37 to 40 % of the features". Results: fronts.csv (a row for each
member of either front) and fronts-NAME.png.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import crew, grid, tables
from paper.results import KEY, Results

from moeliga import MOELIGASelector

COLUMNS = (*KEY, "choice", "front", "features", "uar", "cardinality", "separability", "of", "seconds", "status",
           "chosen", "date", "cpu", "versions", "command")
NAMES = ("movement_libras", "mfeat")
FIRST, LAST = "first", "last"


def perform(job, X, y):
    """Rows of a search: the members of both fronts."""
    began = time.process_time()
    selector = MOELIGASelector.from_preset("paper", random_state=int(job.seed), n_jobs=1, **job.parameters).fit(X, y)
    seconds = time.process_time() - began
    key = dict(zip(KEY, job.key, strict=True)) | {"of": X.shape[1], "seconds": seconds, "status": "ok"}
    return [key | {"front": kind, "features": int(front.n_selected[i]), "chosen": " ".join(
        map(str, np.flatnonzero(front.supports[i])))} | dict(zip(front.names, map(float, front.search_objectives[i]),
                                                                strict=True))
            for kind, front in ((FIRST, selector.initial_front_), (LAST, selector.pareto_front_))
            for i in range(len(front))]


def columns(rows, kind):
    """UAR, features, separability and R1 of the members of a front: ndarrays of float64."""
    members = [row for row in rows if row["front"] == kind]
    uar, size, separability = (np.array([float(row[name]) for row in members])
                               for name in ("uar", "features", "separability"))
    share = size / int(rows[0]["of"])
    return uar, size, separability, 1 - np.hypot(1 - uar, share)


def draw(path, name, rows):
    """Every pair of objectives, and all three: small orange dots first, large ones last, coloured by R1."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogFormatter

    first, last = columns(rows, FIRST), columns(rows, LAST)
    labels = ("UAR", "features", "separability")
    figure = Figure(figsize=(10, 8), dpi=120, layout="constrained")
    for place, pair in enumerate(((0, 1), (2, 1), (0, 2))):
        axes = figure.add_subplot(2, 2, place + 1)
        axes.scatter(*(first[i] for i in pair), s=8, color="tab:orange", label="first generation")
        drawn = axes.scatter(*(last[i] for i in pair), s=45, c=last[3], cmap="viridis", label="last generation")
        axes.set_xlabel(labels[pair[0]])
        axes.set_ylabel(labels[pair[1]])
        if pair[1] == 1:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(LogFormatter(labelOnlyBase=False))  # 20, not 2 x 10^1
            axes.yaxis.set_minor_formatter(LogFormatter(labelOnlyBase=False, minor_thresholds=(2, 0.4)))
    figure.axes[0].legend(fontsize=8)
    axes = figure.add_subplot(2, 2, 4, projection="3d")
    axes.scatter(first[0], np.log10(first[1]), first[2], s=8, color="tab:orange")
    axes.scatter(last[0], np.log10(last[1]), last[2], s=45, c=last[3], cmap="viridis")
    axes.set_xlabel(labels[0])
    axes.set_ylabel("log10 features")
    axes.set_zlabel(labels[2])
    figure.colorbar(drawn, ax=figure.axes, label="R1", shrink=0.5)
    figure.suptitle(f"{name}: fronts of the first and the last generation", fontsize=11)
    figure.savefig(path)


def medians(name, rows):
    """A line of the table: how the fronts differ."""
    first, last = columns(rows, FIRST), columns(rows, LAST)
    best = int(np.argmax(last[3]))
    return [name, rows[0]["of"], len(first[0]), len(last[0]), *(f"{np.median(first[i]):.3g}" for i in (0, 1, 2)),
            *(f"{np.median(last[i]):.3g}" for i in (0, 1, 2)), f"{last[0][best]:.3f} ({last[1][best]:.0f})"]


HEADER = ("data", "of", "first: members", "last: members", "first: median UAR", "features", "separability",
          "last: median UAR", "features", "separability", "last: UAR (features) of the largest R1")


def main(argv=None):
    options = grid.parser(__doc__, "dermatology, 20 generations", workers=False).parse_args(argv)
    options.names = options.names or (["dermatology"] if options.quick else list(NAMES))
    options = grid.defaults(options)
    results, where, lines = Results(options.out / "fronts.csv", COLUMNS), grid.facts_of_run(), []
    if not options.dry_run:
        results.ready()
    for name in options.names:
        split = grid.OWN if grid.has_own(name) else "0"
        job = grid.Job(name, split, "moeliga-paper", options.seed, "", {"n_generations": options.generations})
        if results.find(job.key) is None:
            seconds = grid.cost.expected(job, grid.FACTS.get(name), [])
            print(f"{name}: about {grid.cost.spoken(seconds)} of one core, give or take a factor of three", flush=True)
            if options.dry_run:
                continue
            X_train, y_train, _, _, _ = crew.Data(name, 1).parts(split)
            results.add([row | where for row in perform(job, X_train, y_train)])
        rows = [row for row in results.rows if tuple(row[column] for column in KEY) == job.key]
        lines.append(medians(name, rows))
        draw(options.out / f"fronts-{name}.png", name, rows)
    if lines:
        print("\n" + tables.markdown("Values that the search saw", HEADER, lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
