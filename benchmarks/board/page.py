"""The tables of benchmarks/board/README.md and its diagrams, from results/board.csv.

  python benchmarks/board/page.py           names what differs; exit code 1 if something does
  python benchmarks/board/page.py --write   puts the tables into the page and draws the diagrams
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from board import tables
from board.goals import goals
from paper.page import filled, to_write
from paper.significance import diagram

FOLDER = Path(__file__).resolve().parent
TABLES = {
    "goals": goals,
    "default": tables.default,
    "sets": tables.sets,
    "own-ranks": lambda found: tables.ranked(found, "own"),
    "told-ranks": lambda found: tables.ranked(found, "told"),
    "area-ranks": lambda found: tables.ranked(found, "own", tables.area),
    "own-against": lambda found: tables.against(found, "own"),
    "told-against": lambda found: tables.against(found, "told"),
    "costs": tables.costs,
    "commits": tables.commits,
    "left": tables.left,
    "judged": tables.judged,
}
"""By their names in the page."""

DIAGRAMS = {"own": "own sizes", "told": "moeliga's sizes"}


def drawn(found):
    """Diagrams by file name: ranks of each entry's mean score over the models. None where there are too few."""
    texts = {}
    for kind, title in DIAGRAMS.items():
        entries, names, scores, _ = tables.common(found, kind)
        texts[f"{kind}.svg"] = None if min(len(entries), len(names)) < 2 else diagram(
            entries, np.mean(list(scores.values()), axis=0),
            f"mean ranks of the test score, mean over {len(scores)} models, on {len(names)} sets: {title}")
    return {name: text for name, text in texts.items() if text is not None}


def main(argv=None, folder=FOLDER):
    write = to_write(argv, __doc__)
    found, page = tables.Rows(folder / "results" / "board.csv"), folder / "README.md"
    text, changed = filled(page.read_text(encoding="utf-8"), sys.modules[__name__], found)
    for name, picture in drawn(found).items():
        path = folder / "results" / name
        if not path.is_file() or path.read_text(encoding="utf-8") != picture:
            changed.append(name)
            if write:
                path.write_text(picture, encoding="utf-8")
    for name in changed:
        print(f"{name} {'is new' if write else 'is another than the results give'}")
    if write:
        page.write_text(text, encoding="utf-8")
    return 1 if changed and not write else 0


if __name__ == "__main__":
    sys.exit(main())
