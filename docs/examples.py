"""Runs the examples of these pages.

  python docs/examples.py           all of them; exit code 1 if one prints something else than its page says
  python docs/examples.py --write   put what they print now into the pages

A page is a session: its blocks of Python run in order, in one namespace. A block of text right after one of Python is
what that prints. A block is skipped if it imports a package that is not installed.
"""

import argparse
import ast
import contextlib
import importlib.util
import io
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```$"
    r"(?P<gap>\n\n```text\n(?P<prints>.*?)^```$)?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A block of Python.

    `line` is that of its first line in the page; `prints` is None where the page does not say what it prints, `span`
    the part of the page that says it.
    """

    path: Path
    line: int
    code: str
    prints: str | None
    span: tuple

    def lacks(self):
        """Names of the packages that are missing to run it."""
        found = []
        for node in ast.walk(ast.parse(self.code)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module]
            for name in {name.partition(".")[0] for name in names}:
                if importlib.util.find_spec(name) is None:
                    found.append(name)
        return found

    def run(self, session):
        """What it prints, run in a namespace."""
        out = io.StringIO()
        code = compile("\n" * (self.line - 1) + self.code, str(self.path), "exec")
        with contextlib.redirect_stdout(out):
            exec(code, session)
        return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def pages():
    """The pages, sorted."""
    return sorted(path for path in FOLDER.rglob("*.md") if "_build" not in path.parts)


def examples(path):
    """Examples of a page, in order."""
    text = path.read_text(encoding="utf-8")
    return [Example(path, text.count("\n", 0, found.start("code")) + 1, found["code"],
                    found["prints"], found.span("prints"))
            for found in BLOCK.finditer(text)]


def run_page(path):
    """Yields (example, what it prints) for every example of a page; None for one that is skipped."""
    session = {"__name__": "__main__"}
    for example in examples(path):
        yield example, None if example.lacks() else example.run(session)


def compare(path, write):
    """Number of examples of a page that print something else than it says; with `write` the page says so then."""
    text, moved, n_wrong = path.read_text(encoding="utf-8"), 0, 0
    for example, printed in run_page(path):
        place = f"{path}:{example.line}"
        if printed is None:
            print(f"{place}: skipped, lacks {', '.join(example.lacks())}")
        elif example.prints is not None and printed != example.prints:
            n_wrong += 1
            print(f"{place}: prints something else\n{printed}", end="")
            begin, end = (at + moved for at in example.span)
            text = text[:begin] + printed + text[end:]
            moved += len(printed) - len(example.prints)
    if write:
        path.write_text(text, encoding="utf-8")
    return n_wrong


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put what is printed into the pages")
    parser.add_argument("paths", nargs="*", type=Path, help="pages; default: all")
    options = parser.parse_args(argv)
    os.environ.setdefault("MPLBACKEND", "Agg")
    paths = [path.resolve() for path in options.paths] or pages()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # for the files that examples write
        n_wrong = sum(compare(path, options.write) for path in paths)
    return 0 if options.write else min(n_wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
