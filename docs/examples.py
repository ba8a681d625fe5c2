"""Runs the examples of these pages.

  python docs/examples.py           all of them; exit code 1 if one prints something else than its page says
  python docs/examples.py --write   put what they print now into the pages

A page is a session: its blocks of Python run in order, in one namespace. A block of text right after one of Python is
what that prints. A block is skipped if it imports a package that is not installed, or if the comment
`<!-- needs: parameter -->` before it names a parameter that MOELIGASelector does not have.
"""

import argparse
import ast
import contextlib
import importlib.util
import io
import os
import re
import sys
from dataclasses import dataclass
from inspect import signature
from pathlib import Path

from moeliga import MOELIGASelector

FOLDER = Path(__file__).resolve().parent

BLOCK = re.compile(
    r"^(?:<!-- needs: (?P<needs>[\w, ]+) -->\n)?```python\n(?P<code>.*?)^```$"
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
    needs: tuple
    prints: str | None
    span: tuple

    def lacks(self):
        """What is missing to run it: names of packages and parameters."""
        found = [name for name in self.needs if name not in signature(MOELIGASelector).parameters]
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
                    tuple(re.findall(r"\w+", found["needs"] or "")), found["prints"], found.span("prints"))
            for found in BLOCK.finditer(text)]


def run_page(path):
    """Yields (example, what it prints) for every example of a page; None for one that is skipped."""
    session = {"__name__": "__main__"}
    for example in examples(path):
        yield example, None if example.lacks() else example.run(session)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put what is printed into the pages")
    parser.add_argument("paths", nargs="*", type=Path, help="pages; default: all")
    options = parser.parse_args(argv)
    os.environ.setdefault("MPLBACKEND", "Agg")
    n_wrong = 0
    for path in options.paths or pages():
        text, moved = path.read_text(encoding="utf-8"), 0
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
        if options.write:
            path.write_text(text, encoding="utf-8")
    return 0 if options.write else min(n_wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
