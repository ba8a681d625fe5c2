"""The paper's screening of seven parameters: which values the ten best settings have.

  python benchmarks/paper/screening.py --quick       leukemia, two outer splits, 20 generations, 24 settings
  python benchmarks/paper/screening.py [NAME ..]     madelon and leukemia (the paper: gcm too), five outer splits,
                                                     300 generations; says its cost first, which is days

Only two of the paper's six values of lambda are run, none and 0.5: with sharing in decision space all of them give the
same search bit for bit (see refinement.py). Without subordinate populations there is nothing to replace: the paper's
value None of the replacement is that setting. Results: screening.csv, screening-top.csv and screening.png.
"""

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import grid, study, tables
from paper.results import Results

AXES = {"splits": (1, 3), "objectives": (2, 3), "replacement": (None, "parent", "selection"), "lambda": (None, 0.5),
        "sigma": (0.001, 0.0025, 0.005, 0.015, 0.04, 0.08, 0.15, 0.3)}
"""Those of the paper's table; `replacement` None means no subordinate populations."""

QUICK_SIGMA = (0.0025,)
BEST = 10
"""Settings that are counted."""

FULL = ("madelon", "leukemia")


def parameters(setting):
    objectives = ("uar", study.lambda_of(setting["lambda"]), "separability")[: setting["objectives"]]
    return {"evaluation__n_splits": setting["splits"], "objectives": objectives,
            "local_improvement": setting["replacement"],
            "survival__sharing": study.sharing_of(setting["sigma"])}


def best(rows, settings, n=BEST):
    """The settings with the largest medians on each data set: dict from data set to list of (value, setting).

    Equals stand in the order of the grid.
    """
    found = study.medians(rows, settings)
    names = list(dict.fromkeys(name for name, _ in found))
    ranked = {}
    for name in names:
        known = [(found[name, study.named(setting)][0], setting) for setting in settings
                 if (name, study.named(setting)) in found]
        ranked[name] = sorted(known, key=lambda pair: -pair[0])[:n]
    return ranked


def shares(ranked):
    """How often each value of each axis is among the best: dict from axis to dict from data set to Counter."""
    return {axis: {name: Counter(setting[axis] for _, setting in pairs) for name, pairs in ranked.items()}
            for axis in AXES}


def draw(path, ranked, values_of):
    """A picture for each parameter, a bar for each of the values that were run, and data set."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6.5), dpi=110, layout="constrained")
    pictures, names = figure.subplots(2, 3).ravel(), list(ranked)
    width = 0.8 / len(names)
    for axes, (axis, counts) in zip(pictures, shares(ranked).items(), strict=False):
        values = values_of[axis]
        for i, name in enumerate(names):
            axes.bar([place + (i - (len(names) - 1) / 2) * width for place in range(len(values))],
                     [counts[name][value] for value in values], width, label=name)
        axes.set_xticks(range(len(values)), [str(value) for value in values], fontsize=8)
        axes.set_title(axis, fontsize=10)
        axes.yaxis.get_major_locator().set_params(integer=True)
    for axes in pictures[len(AXES) :]:
        axes.set_axis_off()
    pictures[0].legend(fontsize=8)
    figure.suptitle(f"how often a value is among the {BEST} best settings", fontsize=11)
    figure.savefig(path)


def main(argv=None):
    options = grid.parser(__doc__, "leukemia, two outer splits, short searches, 24 settings").parse_args(argv)
    options.names = options.names or (["leukemia"] if options.quick else list(FULL))
    options.splits = (2 if options.quick else study.REPLICATIONS) if options.splits is None else options.splits
    options = grid.defaults(options)
    axes = AXES | ({"sigma": QUICK_SIGMA} if options.quick else {})
    settings, results = study.product(axes), Results(options.out / "screening.csv")
    jobs = study.jobs(options.names, settings, options.splits, options.seed, options.generations, parameters)
    failed = grid.run(jobs, results, evaluation__n_splits=options.splits, again=options.again, dry=options.dry_run,
                      limit=options.limit, n_jobs=options.jobs, scheduler=options.scheduler)
    ranked = best(results.rows, settings)
    if ranked and not options.dry_run:
        header = ("data", "place", "median R1", *AXES)
        lines = [[name, place, value, *(str(setting[axis]) for axis in AXES)]
                 for name, pairs in ranked.items() for place, (value, setting) in enumerate(pairs, 1)]
        print("\n" + tables.markdown(f"The {BEST} best of {len(settings)} settings", header, (
            [f"{cell:.3f}" if isinstance(cell, float) else cell for cell in line] for line in lines)))
        tables.write(options.out / "screening-top.csv", header, lines)
        draw(options.out / "screening.png", ranked, axes)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
