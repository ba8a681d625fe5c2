"""The check of the harness: do the competitors come out as in the paper, and as an earlier program measured them?

  python benchmarks/paper/reproduction.py            from the results of sota.py, on the data sets' own parts
  python benchmarks/paper/reproduction.py --quick    from those of sota.py --quick

A cell is our test UAR less the other number. It is marked where it is farther off than two standard errors of a test
UAR for a test part of that size, an ample allowance: the splits are the same, and only ties and seeds differ. moeliga's
column is compared by `ovr_balanced_accuracy`, which the paper's very likely shows. Results: reproduction.csv.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import grid, printed, tables
from paper.facts import FACTS
from paper.results import Results

HEADER = ("data", "method", "features", "ours", "standard error", "other", "difference", "source")


def references():
    """Numbers to compare with: dict from (source, data, method) to float."""
    found = {("paper", name, method): value for name, row in printed.PRINTED.items() if FACTS[name].own
             for method, value in zip(printed.METHODS, row, strict=True)}
    found |= {("measured", name, method): value for method, row in printed.MEASURED.items()
              for name, value in zip(printed.SETS, row, strict=True) if value is not None}
    return found


def comparison(rows):
    """Lines of the table, see `HEADER`: every reference that there is a result for."""
    columns = {name: tables.values(rows, name, own=True) for name in ("tree_uar", "tree_ovr", "tree_se", "features")}
    lines = []
    for (source, name, method), other in references().items():
        column = "tree_ovr" if (source, method) == ("paper", "moeliga") else "tree_uar"
        if (name, method) in columns[column]:
            ours, error, size = (tables.mean(columns[which][name, method]) for which in (column, "tree_se", "features"))
            lines.append([name, method, int(size), ours, error, other, ours - other, source])
    return lines


def marked(line):
    """The difference of a line, in asterisks where it is larger than two standard errors."""
    return f"**{line[6]:+.3f}**" if abs(line[6]) > 2 * line[4] else f"{line[6]:+.3f}"


def main(argv=None):
    options = grid.reader(__doc__).parse_args(argv)
    folder = grid.folder_of(options)
    lines = comparison(Results(folder / "sota.csv").rows)
    if not lines:
        raise SystemExit(f"{folder / 'sota.csv'} has no results on own parts to compare: run sota.py first")
    for source, title in (("paper", "Ours less the paper's printed number"),
                          ("measured", "Ours less what an earlier program measured")):
        found = {(line[0], line[1]): line for line in lines if line[-1] == source}
        if found:
            names, methods = tables.ordered(found)
            print(tables.cross(title, lambda name, method, found=found: marked(found[name, method])
                               if (name, method) in found else "–", names, methods))
            rest = [line[6] for line in found.values() if line[1] != "moeliga"]
            print(f"{len(rest)} numbers of competitors: mean difference {np.mean(rest):+.3f}, mean absolute "
                  f"{np.mean(np.abs(rest)):.3f}; {sum(marked(line)[0] == '*' for line in found.values())} of "
                  f"{len(found)} farther off than two standard errors.\n")
    tables.write(folder / "reproduction.csv", HEADER, lines)


if __name__ == "__main__":
    main()
