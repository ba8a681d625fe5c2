"""Which switches make the search better: every variant on the same rows, with the same budget.

  python benchmarks/paper/ablation.py --quick               two small sets, two outer splits, six variants
  python benchmarks/paper/ablation.py [NAME ..]             16 sets, ten outer splits, 8,000 evaluations each
  python benchmarks/paper/ablation.py --seconds 2           the same with equal processor time
  python benchmarks/paper/ablation.py --paper-budget        the same with 300 generations, which takes days
  python benchmarks/paper/ablation.py --variants default curves     against the competitors' curves over sizes

NAME is a data set, or "choosing", "confirming" or "more". --variants takes names and groups of `variants.py`. Results:
ablation.csv (a row for each search), ablation-summary.csv, ablation-tests.csv, ablation-ranks.csv, and a picture for
the budget, such as ablation-evaluations.png.
"""

import statistics
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from options import sets_of
from paper import comparison, datasets, grid, tables
from paper.budget import PAPER_GENERATIONS, Budget
from paper.crew import Needed
from paper.found import RULES
from paper.measures import measured
from paper.results import KEY, Results
from paper.variants import CURVES, GROUPS, ON_REQUEST, named, of_name

CHOOSING = ("dermatology", "movement_libras", "arrhythmia", "sonar", "leukemia", "srbct", "orlraws10p", "lymphoma")
CONFIRMING = ("soybean", "sorlie", "lung_small", "christensen", "glioma", "braintumor", "subramanian", "nakayama")
"""Data sets by which variants are chosen, and those that nobody looks at before; half of each have more than 2,000
features."""

MORE = ("ionosphere", "colon_alon", "cnae9", "splice", "mfeat", "madelon", "spambase", "waveform5000", "optdigits")
"""Sets that were looked at when the defaults had been chosen; the last seven have 1,080 to 5,620 samples."""

PARTS = {"all": CHOOSING + CONFIRMING, "choosing": CHOOSING, "confirming": CONFIRMING, "more": MORE}
EVALUATIONS = 8000
REPETITION = 1000
"""Between the seeds of two searches on one outer split; that of the first is the number of the split."""

QUICK = ("dermatology", "leukemia")
QUICK_VARIANTS = ("bases", "default & screen100")
PER_RULE = ("size", "in_search", "reported", "fresh", "test")
COLUMNS = (*KEY, "choice", "members", "test_hv", "test_area", "fresh_hv", "reported_hv",
           *(f"{rule}_{name}" for rule in RULES for name in PER_RULE), "seconds", "judging", "evaluations", "samples",
           "classes", "of", "note", "status", "date", "cpu", "versions")
"""Of ablation.csv. `seconds` are processor time of the search, `judging` that of its measures."""


def column(name, sign=1):
    return lambda row: sign * float(row[name]) if row[name] else np.nan


def gap(upper, lower):
    """How much one column flatters against another; the less the better."""
    return lambda row: float(row[lower]) - float(row[upper]) if row[upper] and row[lower] else np.nan


MEASURES = {
    "test hypervolume": column("test_hv"), "test area": column("test_area"),
    "fresh hypervolume": column("fresh_hv"), **{f"test UAR, {rule}": column(f"{rule}_test") for rule in RULES},
    "- size, r1": column("r1_size", -1), "- optimism, r1": gap("r1_reported", "r1_fresh"),
    "- optimism of the search, r1": gap("r1_in_search", "r1_fresh"),
    "- fit to the samples, r1": gap("r1_fresh", "r1_test"), "- seconds": column("seconds", -1)}
"""Measures of a row, all to be maximised."""

COLOURS = ((CHOOSING, "tab:blue", "sets for choosing"), (CONFIRMING, "tab:orange", "sets for confirming"),
           (MORE, "tab:green", "more sets"))
"""Of the pictures."""

SHOWN = ("test hypervolume", "test area", "fresh hypervolume", "test UAR, r1", "test UAR, one_se")


def perform(job, data, results, budget):
    """The row of a job, in a list.

    Raises
    ------
    Needed : if NSGA-II shall do as many evaluations as the default, and that has not been run.
    Missing : if a package is not installed.
    """
    variant = of_name(job.method)
    if variant.base == "nsga2" and budget.kind == "paper":
        row = results.find((job.data, job.split, "default", job.setting, job.seed))
        if row is None or row["status"] != "ok":
            raise Needed("it needs the default's evaluations on the same rows first")
        budget = Budget(evaluations=int(row["evaluations"]))
    X_train, y_train, X_test, y_test, note = data.parts(job.split)
    began = time.process_time()
    found = variant.search(X_train, y_train, budget, int(job.seed))
    ended = time.process_time()
    row = dict(zip(KEY, job.key, strict=True)) | measured(found, X_train, y_train, X_test, y_test)
    row |= {"seconds": ended - began, "judging": time.process_time() - ended, "evaluations": found.evaluations,
            "samples": len(y_train) + len(y_test), "classes": len(np.unique(data.whole.y)), "of": X_train.shape[1],
            "note": "; ".join(filter(None, (found.note, note))), "status": "ok"}
    return [row]


def jobs_of(names, variants, n_splits, n_searches, budget):
    """Jobs of all variants on all random outer splits, the variants from the same seeds.

    No two searches of a variant on a data set have one seed, see `grid.seed_of`. Curves are made once, from seed 0.
    """
    return [grid.Job(name, str(split), variant, "0" if variant in CURVES else grid.seed_of(split, REPETITION * search),
                     budget.name)
            for name in names for split in range(n_splits) for search in range(n_searches) for variant in variants
            if not (search and variant in CURVES)]


def costs(rows, budget):
    """Seconds of a job by the median of rows like it, else of its data set, else by rule: callable from a job."""
    known = {}
    for row in rows:
        if row["status"] == "ok" and row["setting"] == budget.name:
            spent = float(row["seconds"]) + float(row["judging"])
            known.setdefault((row["data"], row["method"]), []).append(spent)
            known.setdefault(row["data"], []).append(spent)
    known = {key: statistics.median(values) for key, values in known.items()}
    evaluations = budget.evaluations or 450_000
    usual = 0.5 + (budget.seconds or evaluations / 5000)
    return lambda job: known.get((job.data, job.method), known.get(job.data, usual))


def pairs_of(variants):
    """Each variant with what it differs from in one point, all with NSGA-II, and curves with the defaults."""
    references = [(name, of_name(name).reference) for name in variants]
    bases = [("default", "paper"), ("default", "moga"), ("default", "nsga2 + log_uniform + prior"),
             ("moga", "paper")]
    rival = [(name, "nsga2") for name in variants if name not in CURVES and name.partition(" ")[0] != "nsga2"]
    return [pair for pair in dict.fromkeys([*references, *bases, *rival]) if set(pair) <= set(variants)]


def families(variants):
    """What is ranked, and corrected by Holm, together: searches, and the defaults with competitors' curves."""
    return ([name for name in variants if name not in CURVES],
            [name for name in variants if name in CURVES or name == "default"])


def summaries(rows):
    """(lines of means, lines of tests, lines of ranks, comparisons by (budget, part, measure, pair))."""
    means, tests, ranked, everything = [], [], [], {}
    rows = [row for row in rows if row["status"] == "ok"]
    for budget in dict.fromkeys(row["setting"] for row in rows):
        own = [row for row in rows if row["setting"] == budget]
        values = {name: comparison.by_split(own, value, CURVES) for name, value in MEASURES.items()}
        variants = list(dict.fromkeys(row["method"] for row in own))
        for data in dict.fromkeys(row["data"] for row in own):
            for variant in variants:
                cells = [comparison.over_seeds(sets.get(variant, {}).get(data, {})) for sets in values.values()]
                if any(cells):
                    means.append([budget, data, variant, max(map(len, cells)),
                                  *(float(np.mean(cell)) if cell else np.nan for cell in cells)])
        for part, names in PARTS.items():
            for measure, whole in values.items():
                kept = {variant: {data: splits for data, splits in sets.items() if data in names or part == "all"}
                        for variant, sets in whole.items()}
                for family in families(variants):
                    for pair, result in comparison.family(kept, pairs_of(family)).items():
                        everything[budget, part, measure, pair] = result
                        tests.append([budget, part, measure, *pair, *result])
                    ranks, sets = comparison.mean_ranks({name: kept[name] for name in family if name in kept})
                    ranked += [[budget, part, measure, variant, rank, len(ranks), len(sets)]
                               for variant, rank in sorted(ranks.items(), key=lambda pair: pair[1])]
    return means, tests, ranked, everything


def printed(budget, everything, variants):
    """Markdown: differences from the reference, all data sets; * = significant after Holm's correction."""
    lines = []
    for pair in pairs_of(variants):
        cells = [everything.get((budget, "all", measure, pair)) for measure in SHOWN]
        lines.append([*pair, cells[0].sets if cells[0] else 0, *(
            "–" if cell is None else f"{cell.difference:+.4f} ({cell.ahead}:{cell.behind})"
            + ("*" if cell.holm < comparison.LEVEL else "") for cell in cells)])
    return tables.markdown(f"Differences over data sets, {budget}; sets ahead and behind",
                           ["variant", "less", "sets", *SHOWN], lines)


def draw(path, rows, budget):
    """Difference of every variant from its reference: a dot for each data set, a bar for mean and 95 % interval."""
    from matplotlib.figure import Figure

    own = [row for row in rows if row["status"] == "ok" and row["setting"] == budget]
    variants = list(dict.fromkeys(row["method"] for row in own))
    known = comparison.by_split(own, MEASURES["test area"], CURVES)
    known_sets = {name for names, *_ in COLOURS for name in names}
    pairs = [pair for pair in pairs_of(variants) if (pair[1] != "nsga2" or pair[0] in GROUPS["bases"])
             and comparison.differences(known, *pair)]  # both have run on a data set
    figure = Figure(figsize=(13, 1.6 + 0.27 * max(len(pairs), 4)), dpi=110, layout="constrained")
    pictures = figure.subplots(1, 3, sharey=True)
    for axes, measure in zip(pictures, ("test hypervolume", "test area", "test UAR, r1"), strict=True):
        values = comparison.by_split(own, MEASURES[measure], CURVES)
        for place, pair in enumerate(pairs):
            found = {data: float(np.mean(numbers)) for data, numbers in
                     comparison.differences(values, *pair).items()}
            for names, colour, _ in (*COLOURS, ({*found} - known_sets, "tab:grey", "others")):
                dots = [value for data, value in found.items() if data in names]
                axes.plot(dots, [place] * len(dots), "o", color=colour, alpha=0.5, markersize=4)
            if found:
                numbers = np.array(list(found.values()))
                error = 1.96 * numbers.std(ddof=1) / np.sqrt(len(numbers)) if len(numbers) > 1 else 0.0
                axes.errorbar(numbers.mean(), place, xerr=error, fmt="|", color="black", markersize=11, capsize=3)
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_title(f"{measure}, difference", fontsize=10)
        axes.grid(axis="y", alpha=0.3)
    pictures[0].set_yticks(range(len(pairs)), [f"{variant}  –  {reference}" for variant, reference in pairs],
                           fontsize=8)
    pictures[0].set_ylim(len(pairs) - 0.5, -0.5)
    for _, colour, word in COLOURS:
        pictures[0].plot([], [], "o", color=colour, alpha=0.5, markersize=4, label=word)
    figure.legend(*pictures[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
    figure.suptitle(f"budget: {budget}", fontsize=11)
    figure.savefig(path)


def options_of(argv):
    """Options, with what depends on --quick filled in."""
    parser = grid.parser(__doc__, "two small data sets, two outer splits, 1,000 evaluations, a few variants")
    parser.add_argument("--variants", nargs="+", metavar="VARIANT",
                        help=f"names or groups: {', '.join(GROUPS)}; default: all but {' and '.join(ON_REQUEST)}")
    parser.add_argument("--searches", type=int, default=1, metavar="N",
                        help="of each variant on each split, each from a seed of its own")
    parser.add_argument("--evaluations", type=int, help=f"of each search; default: {EVALUATIONS}, quick 1000")
    parser.add_argument("--seconds", type=float, help="of processor time, in place of evaluations")
    parser.add_argument("--paper-budget", action="store_true", help=f"{PAPER_GENERATIONS} generations in place of both")
    options = parser.parse_args(argv)
    if options.seed != "0" or options.generations is not None:
        parser.error("--seed and --generations are not for this study: see --searches and the budgets")
    if sum((options.evaluations is not None, options.seconds is not None, options.paper_budget)) > 1:
        parser.error("only one of --evaluations, --seconds and --paper-budget")
    names = [*options.names] or list(QUICK if options.quick else PARTS["all"])
    names = list(dict.fromkeys(data for name in names for data in PARTS.get(name, (name,))))
    known = dict.fromkeys(data for part in PARTS.values() for data in part)
    options.names = sets_of(parser, names, known, {*datasets.names(), *datasets.extra()})
    try:
        options.variants = named(options.variants or (
            QUICK_VARIANTS if options.quick else [name for name in GROUPS if name not in ON_REQUEST]))
    except ValueError as error:
        parser.error(str(error))
    if options.paper_budget:
        options.budget = Budget(generations=PAPER_GENERATIONS)
    elif options.seconds:
        options.budget = Budget(seconds=options.seconds)
    else:
        options.budget = Budget(evaluations=options.evaluations or (1000 if options.quick else EVALUATIONS))
    return grid.defaults(options)


def main(argv=None):
    options = options_of(argv)
    results, budget = Results(options.out / "ablation.csv", COLUMNS), options.budget
    jobs = jobs_of(options.names, options.variants, options.splits, options.searches, budget)
    failed = grid.run(jobs, results, n_splits=options.splits, again=options.again, dry=options.dry_run,
                      limit=options.limit, n_jobs=options.jobs, scheduler=options.scheduler,
                      rows_of=partial(perform, budget=budget),
                      expected=costs(results.rows, budget), columns=("r1_size", "r1_test"))
    if results.rows and not options.dry_run:
        means, tests, ranked, everything = summaries(results.rows)
        tables.write(options.out / "ablation-summary.csv", ("budget", "data", "variant", "splits", *MEASURES), means)
        tables.write(options.out / "ablation-tests.csv", ("budget", "part", "measure", "variant", "reference",
                                                          *comparison.Comparison._fields), tests)
        tables.write(options.out / "ablation-ranks.csv",
                     ("budget", "part", "measure", "variant", "mean rank", "variants", "sets"), ranked)
        variants = list(dict.fromkeys(line[2] for line in means if line[0] == budget.name))
        print("\n" + printed(budget.name, everything, variants))
        draw(options.out / f"ablation-{budget.kind}.png", results.rows, budget.name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
