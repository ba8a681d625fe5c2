"""The tables of docs/first-form.md, from the results that are at hand.

  python benchmarks/paper/page.py           names the tables that differ; exit code 1 if one does
  python benchmarks/paper/page.py --write   puts them into the page

In the page a table stands below `<!-- table NAME -->`. What is told about the numbers between the tables is written by
hand.
"""

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from paper import grid, tables
from paper.pages import first_form

DOCS = Path(__file__).resolve().parents[2] / "docs"

PAGES = {"first-form.md": first_form}
"""Modules with `Rows`, the results of a folder, and `TABLES`, functions of these by the names of tables."""

TABLE = re.compile(r"^(?P<mark><!-- table (?P<name>[a-z-]+) -->\n)(?P<lines>(?:\|.*\n)*)", re.MULTILINE)


def filled(text, module, found):
    """A page with the tables of the results, and the names of those that were others; tables of other modules stay.

    Parameters
    ----------
    text : str
    module : module
        Of `PAGES`.
    found : Rows
    """
    changed = []

    def put(match):
        if match["name"] not in module.TABLES:
            return match[0]
        table = tables.ruled(*module.TABLES[match["name"]](found))
        if table != match["lines"]:
            changed.append(match["name"])
        return match["mark"] + table

    return TABLE.sub(put, text), changed


def to_write(argv, about):
    """Whether arguments ask to write a page; `about` is what the help says."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put into the page what the results give")
    return parser.parse_args(argv).write


def renewed(argv, path, fill, about, kind="the table "):
    """Compare a page with its results, or write it for ["--write"]; return the exit status, 1 if something differs.

    Parameters
    ----------
    argv : list of str, or None
        None: those of the command.
    path : Path
    fill : callable
        Returns the text that a text becomes, and the names of what differs, which are printed after `kind`.
    about : str
        What the help of the command says.
    """
    write = to_write(argv, about)
    text, changed = fill(path.read_text(encoding="utf-8"))
    for name in changed:
        print(f"{kind}{name} {'is new' if write else 'is another than the results give'}")
    if write:
        path.write_text(text, encoding="utf-8")
    return 1 if changed and not write else 0


def main(argv=None):
    write, differ = to_write(argv, __doc__), False
    for name, module in PAGES.items():
        text, changed = filled((DOCS / name).read_text(encoding="utf-8"), module, module.Rows(grid.RESULTS))
        for table in changed:
            print(f"{name}: the table {table} {'is new' if write else 'is another than the results give'}")
        if write and changed:
            (DOCS / name).write_text(text, encoding="utf-8")
        differ |= bool(changed)
    return 1 if differ and not write else 0


if __name__ == "__main__":
    sys.exit(main())
