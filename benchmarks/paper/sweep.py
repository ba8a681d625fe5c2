"""Every subset size for mutual information and SFFS, against moeliga, which chooses the size itself; with times.

  python benchmarks/paper/sweep.py --quick       two small sets, one outer split, sizes up to 8
  python benchmarks/paper/sweep.py [NAME ..]     three outer splits, all sizes, SFFS on sets of at most 100 features;
                                                 says its cost first

Mutual information ranks once and every prefix of its ranking is scored; SFFS goes through all sizes by itself. The size
is chosen by the score on random splits of the training part, the same for all sizes, and the smallest of equals is
taken; the paper seems to take the best on the test part, which stands beside it as a bound that nobody can choose.
Seconds are of processor time: the search, and the scoring of all sizes. Results: sweep.csv (a row for each size),
sweep-summary.csv, sweep.png (the paper's bars) and sweep-sizes.png (score against size).
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import competitors, cost, datasets, grid, tables
from paper.judge import TREES, fresh_score, judge
from paper.results import KEY, Results

import moeliga

METHODS = ("moeliga", "mi", "sffs")
COLUMNS = (*KEY, "choice", "size", "validation", "test", "seconds", "status", "chosen", "date", "cpu", "versions",
           "command")
SPLITS = 20
"""Random splits of the training part on which all sizes are scored."""

SMALL = 100
"""Features above which SFFS is left out unless --largest is given: the time grows with their cube."""


def steps(method, X, y, seed, largest, generations):
    """(masks of all sizes, seconds): what a method offers, from small to large; one mask of moeliga's."""
    if method == "moeliga":
        found = competitors.select(method, X, y, None, seed, n_generations=generations)
        return [found.mask], found.seconds
    if method == "mi":
        found = competitors.select(method, X, y, None, seed)
        return [np.isin(np.arange(X.shape[1]), found.ranking[:size]) for size in range(1, largest + 1)], found.seconds
    found = competitors.select(method, X, y, largest, seed)
    return [found.path[size] for size in sorted(found.path)], found.seconds


def perform(job, data, known):
    """Rows of a data set, split and method: one for each size."""
    X_train, y_train, X_test, y_test, _ = data.parts(job.split)
    masks, seconds = steps(job.method, X_train, y_train, int(job.seed), **job.parameters)
    began = time.process_time()
    if len(masks) > 1:
        validation = moeliga.evaluate_subsets(X_train, y_train, masks, n_splits=SPLITS, objectives=("uar",),
                                              shared=True, random_state=0)[:, 0]
    else:
        validation = [fresh_score(masks[0], X_train, y_train)[0]]
    seconds += time.process_time() - began
    return [dict(zip(KEY, job.key, strict=True)) | {
        "size": int(mask.sum()), "validation": float(score), "seconds": seconds, "status": "ok",
        "test": judge(mask, X_train, y_train, X_test, y_test)["tree"].uar,
        "chosen": " ".join(map(str, np.flatnonzero(mask)))} for mask, score in zip(masks, validation, strict=True)]


def jobs_of(names, n_splits, seed, largest, generations):
    """Jobs of all methods on all random outer splits, and what they will cost: dict from Job to seconds.

    SFFS is left out, and named, where it would go through all sizes of more than `SMALL` features.
    """
    costs = {}
    for name in names:
        whole = datasets.whole(name)
        n_samples, n_features = whole.X.shape
        size = min(n_features, largest or n_features)
        for method in METHODS:
            if method == "sffs" and n_features > SMALL and not largest:
                print(f"{name} sffs: left out, more than {SMALL} features; --largest takes it up to a size")
                continue
            setting = "" if method == "moeliga" or not largest else f"1..{largest}"
            guess = cost.guess(method, 0.7 * n_samples, n_features, len(np.unique(whole.y)), size, generations)
            if method != "moeliga":  # every size has its judge
                guess += size * TREES * cost.tree(0.7 * n_samples, size / 2)
            costs |= {grid.Job(name, str(split), method, grid.seed_of(split, seed), setting, {
                "largest": size, "generations": generations}): guess for split in range(n_splits)}
    return costs


def chosen(rows):
    """Of the rows of one job (the one with the best validation, the one with the best test): the smallest of equals."""
    return tuple(min(rows, key=lambda row: (-float(row[column]), int(row["size"])))
                 for column in ("validation", "test"))


def by_job(rows):
    """Rows by (data, split, method with its setting), in the order of their first appearance; without failures."""
    found = {}
    for row in rows:
        if row["status"] == "ok":
            found.setdefault((row["data"], row["split"], tables.label(row)), []).append(row)
    return found


HEADER = ("data", "method", "splits", "features", "validation", "test UAR", "sd", "seconds", "best on test", "its size")


def summary(rows):
    """Lines of the table: means over outer splits, see `HEADER`."""
    lines, jobs = [], by_job(rows)
    for name, method in dict.fromkeys((name, method) for name, _, method in jobs):
        pairs = [chosen(found) for (data, _, kind), found in jobs.items() if (data, kind) == (name, method)]
        means = [[float(row[column]) for row, _ in pairs] for column in ("size", "validation", "test", "seconds")]
        bound = [[float(row[column]) for _, row in pairs] for column in ("test", "size")]
        size, validation, test, seconds = (float(np.mean(values)) for values in means)
        sd = float(np.std(means[2], ddof=1)) if len(pairs) > 1 else np.nan
        lines.append([name, method, len(pairs), size, validation, test, sd, seconds,
                      *map(float, np.mean(bound, axis=1))])
    return lines


def outside_legend(figure):
    """One below the pictures, of all labels in them, so that it covers nothing."""
    entries = {label: handle for axes in figure.axes
               for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(entries.values(), entries.keys(), loc="outside lower center", ncols=3, fontsize=8)


def draw(folder, rows, lines):
    """The paper's three rows of bars, and the scores against the size on the first outer split."""
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(line[0] for line in lines))
    figure = Figure(figsize=(max(6, 1.3 * len(names)), 7), dpi=120, layout="constrained")
    bars = {"test UAR": 5, "features": 3, "CPU seconds": 7}
    for axes, (label, place) in zip(figure.subplots(3, 1, sharex=True), bars.items(), strict=True):
        for i, method in enumerate(METHODS):
            found = {line[0]: line[place] for line in lines if line[1].split()[0] == method}
            axes.bar([names.index(name) + 0.27 * (i - 1) for name in found], list(found.values()), 0.25, label=method)
        axes.set_ylabel(label)
        axes.set_xticks(range(len(names)), names)
        if place != 5:
            axes.set_yscale("log")
            axes.set_ylim(bottom=min(line[place] for line in lines) / 3)
    outside_legend(figure)
    figure.savefig(folder / "sweep.png")
    figure = Figure(figsize=(10, 3.2 * ((len(names) + 1) // 2)), dpi=120, layout="constrained")
    pictures = figure.subplots((len(names) + 1) // 2, 2, squeeze=False).ravel()
    for (name, split, method), found in by_job(rows).items():
        if split != "0":
            continue
        axes, colour = pictures[names.index(name)], f"C{METHODS.index(method.split()[0])}"
        size, test, validation = ([float(row[column]) for row in found] for column in ("size", "test", "validation"))
        for scores, mark, line, word in ((test, "full", "-", "test"), (validation, "none", ":", "validation")):
            axes.plot(size, scores, color=colour, linewidth=1, linestyle=line, label=f"{method}, {word}",
                      marker="" if len(size) > 1 else "o", fillstyle=mark)
        axes.set_title(name, fontsize=9)
        axes.set_xlabel("features")
        axes.set_ylabel("UAR")
    for axes in pictures[len(names) :]:
        axes.set_axis_off()
    outside_legend(figure)
    figure.savefig(folder / "sweep-sizes.png")


def main(argv=None):
    parser = grid.parser(__doc__, "two small data sets, one outer split, sizes up to 8", seed=grid.COUNTED)
    parser.add_argument("--largest", type=int, help="size at which MI and SFFS end; default: all features")
    options = parser.parse_args(argv)
    options.splits = (1 if options.quick else 3) if options.splits is None else options.splits
    options = grid.defaults(options)
    results = Results(options.out / "sweep.csv", COLUMNS)
    costs = jobs_of(options.names, options.splits, int(options.seed),
                    options.largest or (8 if options.quick else None), options.generations)
    failed = grid.run(list(costs), results, evaluation__n_splits=options.splits, again=options.again,
                      dry=options.dry_run,
                      limit=options.limit, rows_of=perform, expected=costs.get, columns=("size", "test"),
                      shown=lambda rows: chosen(rows)[0], n_jobs=options.jobs, scheduler=options.scheduler)
    if results.rows and not options.dry_run:
        lines = summary(results.rows)
        print("\n" + tables.markdown("Sizes chosen within the training part", HEADER, (
            ["–" if cell != cell else f"{cell:.3f}" if isinstance(cell, float) else cell for cell in line]
            for line in lines)))
        tables.write(options.out / "sweep-summary.csv", HEADER, lines)
        draw(options.out, results.rows, lines)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
