"""The paper's comparison with other methods: test UAR of the tree, and whether the differences are more than noise.

  python benchmarks/paper/sota.py --quick       two small sets, two outer splits, short searches: ten minutes
  python benchmarks/paper/sota.py [NAME ..]     ten outer splits, 300 generations; says its cost first
  python benchmarks/paper/sota.py --dry-run     the cost alone

The same command again goes on where an earlier run was stopped. Results: sota.csv (a row for each choice),
sota-summary.csv (a row for each data set and method), sota-tests.csv, sota-told.svg and sota-own.svg (diagrams of mean
ranks, for methods that are told moeliga's size and for those that choose it) in the folder of the results.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import comparison, competitors, grid, significance, tables
from paper.judge import CLASSIFIERS
from paper.protocol import OWN, TEST_SIZE
from paper.results import Results

QUICK = {"genetic-opt": {"population_size": 10, "generations": 5}, "boruta": {"max_iter": 20},
         "boruta-own": {"max_iter": 20}}
"""Shorter searches for --quick."""

SHARE = TEST_SIZE / (1 - TEST_SIZE)
LEAST_SPLITS = 5
"""Outer splits for a test on one data set: with fewer its p-values mean little."""


def parameters(generations, quick):
    """Options of the methods by name."""
    ours = {name: {"n_generations": generations} for name in ("moeliga", "moeliga-paper", "nsga2", "nsga2-time")}
    return ours | (QUICK if quick else {})


def summary(rows):
    """(header, lines) of the summary: every data set and method, its scores on random splits and on its own parts."""
    columns = ("told", "features", "in_search", "fresh", "seconds", "evaluations",
               *(f"{name}_{score}" for name in CLASSIFIERS for score in ("uar", "ovr")))
    random = {column: tables.values(rows, column) for column in columns}
    own = {column: tables.values(rows, column, own=True) for column in ("features", "tree_uar", "tree_ovr", "tree_se")}
    lines = []
    for key in dict.fromkeys([*random["features"], *own["features"]]):
        uar = random["tree_uar"].get(key, {})
        lines.append([*key, len(uar), *(tables.mean(random[column].get(key, {})) for column in columns),
                      tables.spread(uar), *(tables.mean(own[column].get(key, {})) for column in own)])
    return ("data", "method", "splits", *columns, "tree_uar_sd", *(f"{OWN}_{column}" for column in own)), lines


def complete(uar, methods):
    """(data sets, methods, scores): the methods that have a result on every data set, all on the same splits.

    Parameters
    ----------
    uar : dict, see `tables.values`
    methods : sequence of str

    Returns
    -------
    names, methods : lists of str
    scores : ndarray of float64, shape (n_data_sets, n_methods)
    """
    names = tables.ordered(uar)[0]
    kept = [method for method in methods
            if all(uar.get((name, method), {}).keys() == uar.get((name, "moeliga"), {}).keys() for name in names)]
    return names, kept, np.array([[tables.mean(uar[name, method]) for method in kept] for name in names])


TESTS = ("method", "mean rank", "moeliga ahead by", "sets ahead", "sets behind", "better by itself", "worse by itself",
         "z", "p", "p, Holm", "Wilcoxon's p", "Wilcoxon's p, Holm")
"""Two tests over data sets: on mean ranks (Demsar), which the other methods in the table have a part in, and Wilcoxon's
signed ranks of the two methods alone (advised by Benavoli, Corani and Mangili, JMLR 17, 2016)."""


def tests(uar, methods):
    """Lines on every method against moeliga: over data sets, and on how many it is better or worse by itself.

    Returns
    -------
    text : str
        Friedman's test and Iman and Davenport's.
    lines : list of list
    found : tuple
        Of `complete`.
    """
    found = names, kept, scores = complete(uar, methods)
    if len(kept) < 2 or len(names) < 2 or "moeliga" not in kept:
        return "The tests need two data sets with two methods, one of them moeliga.\n", [], found
    friedman, iman = significance.friedman(scores), significance.iman_davenport(scores)
    ours, means = kept.index("moeliga"), significance.ranks(scores).mean(axis=0)
    over = [test for test in significance.against_control(scores, ours) if test]
    apart = np.delete(scores[:, [ours]] - scores, ours, axis=1)
    apart[np.abs(apart) < 1e-12] = 0.0
    alone = [comparison.signed_ranks(column)[0] for column in apart.T]
    adjusted = zip(over, significance.holm([test.p for test in over]), alone, significance.holm(alone), strict=True)
    lines = []
    for place, method in enumerate(kept):
        if place == ours:
            lines.append([method, float(means[place]), *[""] * (len(TESTS) - 2)])
            continue
        better = worse = 0
        for name in names:
            mine, theirs = uar[name, "moeliga"], uar[name, method]
            if len(mine) >= LEAST_SPLITS:
                test = significance.overlapping_t([mine[split] - theirs[split] for split in mine], SHARE)
                better += test.p < 0.05 and test.statistic > 0
                worse += test.p < 0.05 and test.statistic < 0
        test, corrected, p, p_corrected = next(adjusted)
        lines.append([method, float(means[place]), float(np.mean(scores[:, ours] - scores[:, place])),
                      int(np.sum(scores[:, ours] > scores[:, place])), int(np.sum(scores[:, ours] < scores[:, place])),
                      better, worse, test.statistic, test.p, float(corrected), p, float(p_corrected)])
    text = (f"Friedman chi2 {friedman.statistic:.2f} (p {friedman.p:.3g}), Iman-Davenport F {iman.statistic:.2f} "
            f"(p {iman.p:.3g}); {len(names)} data sets, {len(kept)} methods, critical difference (Nemenyi, .05) "
            f"{significance.critical_difference(len(kept), len(names)):.2f}.\n")
    return text, sorted(lines, key=lambda line: line[1]), found


GROUPS = {"told": "Methods that are told moeliga's size", "own": "Methods that choose the size themselves"}
"""Tested apart: the first asks who chooses the better features, the second who makes the better choice; and with fewer
methods in a test it sees smaller differences."""


def in_group(method, group):
    """Whether a method is in a group; moeliga is in both."""
    return method == "moeliga" or (method not in competitors.BASELINES
                                   and competitors.METHODS[method].sized == (group == "told"))


def report(results, out):
    """Print the tables; write the summary, the tests and the diagrams."""
    rows = results.rows
    uar, own, size = (tables.values(rows, "tree_uar"), tables.values(rows, "tree_uar", own=True),
                      tables.values(rows, "features"))
    own_size, seconds = tables.values(rows, "features", own=True), tables.values(rows, "seconds")
    ovr = tables.values(rows, "tree_ovr")
    stages = [tables.values(rows, column) for column in ("in_search", "fresh", "tree_uar")]
    names, labels = tables.ordered(uar | own)
    print("\n" + tables.cross("Test UAR, decision tree: mean ± standard deviation over outer splits",
                              lambda name, line: tables.plus_minus(uar.get((name, line))), names, labels))
    print(tables.cross("Number of features", lambda name, line: tables.plus_minus(size.get((name, line)), 1), names,
                       labels))
    print(tables.cross("Test UAR (features) on the set's own parts, the authors' but for isolet", lambda name, line: (
        f"{tables.mean(own[name, line]):.3f} ({tables.mean(own_size[name, line]):.0f})" if (name, line) in own
        else "–"), names, labels))
    print(tables.cross("In search / on fresh splits / on the outer test part", lambda name, line: " / ".join(
        f"{tables.mean(stage[name, line]):.3f}" if (name, line) in stage else "–" for stage in stages), names, labels))
    print(tables.cross("ovr_balanced_accuracy on the outer test part: comparable with the paper's own column only",
                       lambda name, line: tables.plus_minus(ovr.get((name, line))), names, labels))
    print(tables.cross("Seconds of processor time", lambda name, line: tables.plus_minus(seconds.get((name, line)), 1),
                       names, tables.ordered(seconds)[1]))
    tables.write(out / "sota-summary.csv", *summary(rows))
    written = []
    for group, title in GROUPS.items():
        methods = [method for method in competitors.METHODS if method in labels and in_group(method, group)]
        text, lines, (known, kept, scores) = tests(uar, methods)
        print(f"{title}. {text}")
        if lines:
            print(tables.markdown(f"Against moeliga, {group}", TESTS, (
                [f"{cell:.3g}" if isinstance(cell, float) else cell for cell in line] for line in lines)))
            (out / f"sota-{group}.svg").write_text(significance.diagram(
                kept, scores, f"mean ranks of test UAR on {len(known)} data sets: {title.lower()}"), encoding="utf-8")
            written += [[group, *line] for line in lines]
        if len(kept) < len(methods):
            print("Not tested, because results are missing: "
                  f"{', '.join(method for method in methods if method not in kept)}.\n")
    if written:
        print("\"better by itself\" and \"worse by itself\" count the data sets on which the corrected t-test over "
              f"outer splits, from {LEAST_SPLITS} splits on, finds a difference at .05, without correction for their "
              "number.")
        tables.write(out / "sota-tests.csv", ("group", *TESTS), written)


def main(argv=None):
    options = grid.defaults(grid.parser(__doc__, "two small data sets, two outer splits, short searches",
                                        tuple(competitors.METHODS), seed=grid.COUNTED).parse_args(argv))
    results = Results(options.out / "sota.csv")
    jobs = grid.jobs_of(options.names, options.methods, options.splits, options.seed,
                        parameters(options.generations, options.quick))
    failed = grid.run(jobs, results, n_splits=options.splits, classifiers=options.classifiers,
                      again=options.again,
                      dry=options.dry_run, limit=options.limit, n_jobs=options.jobs, scheduler=options.scheduler)
    if results.rows and not options.dry_run:
        report(results, options.out)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
