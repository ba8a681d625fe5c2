"""Whether everything that a release says of itself agrees: python wheels/release.py [--tag v1.2.3] [DIST]

The version of pyproject.toml, which is the one place where it is set, against CITATION.cff, the first heading of
CHANGELOG.md, the tag, and the names of the files of a folder. The exit status is 1 if one of them differs.
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]


def disagreements(tree, tag=None, dist=None):
    """What differs from the version in pyproject.toml: that version, and a list of lines."""
    version = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    said = {
        "CITATION.cff": find(r"^version: (.*)$", tree / "CITATION.cff"),
        "CHANGELOG.md": find(r"^## (\S+?),? ", tree / "CHANGELOG.md"),
    }
    if tag is not None:
        said["the tag"] = tag.removeprefix("v") if tag.startswith("v") else f"{tag!r}, which does not start with v"
        if "not released yet" in find(r"^## (.*)$", tree / "CHANGELOG.md"):
            said["CHANGELOG.md"] = "not released yet"
    if dist is not None:
        names = sorted(path.name for path in dist.iterdir())
        found = {name: re.fullmatch(r"moeliga-([^-]+?)(\.tar\.gz|-.*\.whl)", name) for name in names}
        said |= {name: match[1] if match else "no file of a release" for name, match in found.items()}
        said |= {} if names else {str(dist): "no files"}
    return version, [f"{place}: {what}, not {version}" for place, what in said.items() if what != version]


def find(pattern, path):
    """The first match of a pattern in a file, "nothing" if there is none."""
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else "nothing"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2])
    parser.add_argument("--tag", help="the tag of the release, v and the version")
    parser.add_argument("dist", nargs="?", type=Path, metavar="DIST", help="folder of the sdist and the wheels")
    options = parser.parse_args()
    version, lines = disagreements(TREE, options.tag, options.dist)
    print("\n".join(lines) or f"{version} everywhere")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
