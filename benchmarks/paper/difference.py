"""moeliga against the best of the paper's other methods on each data set, by classes and samples.

  python benchmarks/paper/difference.py            from the results of sota.py, mean test UAR over the outer splits
  python benchmarks/paper/difference.py --own      from the data sets' own parts
  python benchmarks/paper/difference.py --quick    from the results of sota.py --quick

Which method is the best is decided after the fact, on the same test parts, among up to eleven: that flatters the
competitor. Results: difference.csv and difference.png (difference-own with --own).
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import competitors, grid, tables
from paper.results import Results

HEADER = ("data", "samples", "classes", "moeliga", "best competitor", "its name", "difference")


def differences(rows, own=False):
    """Lines of the table, see `HEADER`; data sets without moeliga or without a competitor are left out."""
    uar, lines = tables.values(rows, "tree_uar", own), []
    shape = {row["data"]: (int(row["samples"]), int(row["classes"])) for row in rows if row["status"] == "ok"}
    for name in tables.ordered(uar)[0]:
        theirs = {method: tables.mean(uar[name, method]) for method in competitors.PAPER if (name, method) in uar}
        if theirs and (name, "moeliga") in uar:
            best = max(theirs, key=theirs.get)
            mine = tables.mean(uar[name, "moeliga"])
            lines.append([name, *shape[name], mine, theirs[best], best, mine - theirs[best]])
    return lines


def draw(path, lines, title):
    """Circles at samples and classes, as large as the difference: blue where moeliga is ahead, red where behind."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), dpi=120, layout="constrained")
    axes = figure.subplots()
    # neighbours have their names above and below in turn
    for place, (name, samples, classes, _, _, _, difference) in enumerate(sorted(lines, key=lambda line: line[2:0:-1])):
        colour = "tab:grey" if difference == 0 else "tab:blue" if difference > 0 else "tab:red"
        area = 30 + 6000 * abs(difference)
        axes.scatter(samples, classes, s=area, alpha=0.55, linewidths=0, color=colour)
        above, clear = place % 2 == 0, 2 + area**0.5 / 2
        axes.annotate(f"{name} {difference:+.3f}", (samples, classes), xytext=(0, clear if above else -clear),
                      fontsize=8, textcoords="offset points", ha="center", va="bottom" if above else "top")
    axes.set_xscale("log")
    axes.set_yscale("log", base=2)
    for place, apart, set_ticks in ((1, 1.45, axes.set_xticks), (2, 1.1, axes.set_yticks)):
        ticks = []
        for value in sorted({line[place] for line in lines}):
            ticks += [value] if not ticks or value > apart * ticks[-1] else []  # no room for more
        set_ticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.margins(0.22, 0.25)
    axes.set_xlabel("samples")
    axes.set_ylabel("classes")
    axes.set_title(title, fontsize=10)
    figure.savefig(path)


def main(argv=None):
    parser = grid.reader(__doc__)
    parser.add_argument("--own", action="store_true", help="the data sets' own parts")
    options = parser.parse_args(argv)
    folder = grid.folder_of(options)
    lines = differences(Results(folder / "sota.csv").rows, options.own)
    if not lines:
        raise SystemExit(f"{folder / 'sota.csv'} has no data set with moeliga and a competitor: run sota.py first")
    where = "the data sets' own parts" if options.own else "outer splits"
    print(tables.markdown(f"Test UAR on {where}", HEADER, ([f"{cell:.3f}" if isinstance(cell, float) else cell
                                                            for cell in line] for line in lines)))
    name = "difference-own" if options.own else "difference"
    tables.write(folder / f"{name}.csv", HEADER, lines)
    draw(folder / f"{name}.png", lines, f"test UAR of moeliga less that of the best other method, {where}")


if __name__ == "__main__":
    main()
