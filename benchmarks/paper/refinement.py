"""The paper's refinement: lambda of objective II and sigma of sharing, median R1 on every data set.

  python benchmarks/paper/refinement.py --quick       dermatology and leukemia, two outer splits, 20 generations
  python benchmarks/paper/refinement.py [NAME ..]     five outer splits, 300 generations; says its cost first

With sharing in decision space lambda changes no rank and no distance, so the search is the same bit for bit for each of
its values: all columns of one sigma are equal. Results: refinement.csv, refinement-table.csv and refinement.png.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import grid, study, tables
from paper.results import Results

AXES = {"lambda": (None, 0.5, 1.5, 15.0), "sigma": (0.0025, 0.005, 0.025)}
"""The paper's values."""

QUICK = ("dermatology", "leukemia")
"""Two sets on which a search takes a second."""


def parameters(setting):
    return {"objectives": ("uar", study.lambda_of(setting["lambda"]), "separability"),
            "survival__sharing": study.sharing_of(setting["sigma"])}


def table(rows, settings):
    """(data sets, values): median R1, ndarray of shape (n_data_sets, n_settings), NaN where a job is missing."""
    found = study.medians(rows, settings)
    names = list(dict.fromkeys(name for name, _ in found))
    nothing = (np.nan, 0)
    return names, np.array([[found.get((name, study.named(setting)), nothing)[0] for setting in settings]
                            for name in names])


def draw(path, names, values, settings):
    """The table as a picture; colours go from the least to the largest value of each row, as in the paper."""
    from matplotlib.figure import Figure

    low, high = np.nanmin(values, axis=1, keepdims=True), np.nanmax(values, axis=1, keepdims=True)
    shade = np.where(high > low, (values - low) / np.where(high > low, high - low, 1.0), 0.5)
    figure = Figure(figsize=(0.85 * len(settings) + 2, 0.45 * len(names) + 1.4), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.imshow(shade, cmap="RdYlGn", vmin=-0.4, vmax=1.4, aspect="auto")
    for (i, j), value in np.ndenumerate(values):
        axes.text(j, i, "–" if np.isnan(value) else f"{value:.3f}", ha="center", va="center", fontsize=8)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_xticks(range(len(settings)), [f"λ {setting['lambda']}\nσ {setting['sigma']}" for setting in settings],
                    fontsize=8)
    axes.set_title("median R1 with the test UAR", fontsize=10)
    figure.savefig(path)


def main(argv=None):
    options = grid.parser(__doc__, "two small data sets, two outer splits, short searches").parse_args(argv)
    options.names = options.names or (list(QUICK) if options.quick else None)
    options.splits = (2 if options.quick else study.REPLICATIONS) if options.splits is None else options.splits
    options = grid.defaults(options)
    settings, results = study.product(AXES), Results(options.out / "refinement.csv")
    jobs = study.jobs(options.names, settings, options.splits, options.seed, options.generations, parameters)
    failed = grid.run(jobs, results, evaluation__n_splits=options.splits, again=options.again, dry=options.dry_run,
                      limit=options.limit, n_jobs=options.jobs, scheduler=options.scheduler)
    names, values = table(results.rows, settings)
    if names and not options.dry_run:
        header = ("data", *(study.named(setting) for setting in settings))
        lines = [[name, *map(float, row)] for name, row in zip(names, values, strict=True)]
        lines += [["mean", *map(float, values.mean(axis=0))]]
        print("\n" + tables.markdown("Median R1 over outer splits, with the test UAR", header, (
            [f"{cell:.3f}" if isinstance(cell, float) else cell for cell in line] for line in lines)))
        tables.write(options.out / "refinement-table.csv", header, lines)
        draw(options.out / "refinement.png", names, values, settings)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
