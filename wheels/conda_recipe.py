"""Writes the recipe for conda-forge, of what pyproject.toml says: python wheels/conda_recipe.py [--sdist FILE]

Without a file the recipe, wheels/conda/recipe.yaml, builds this checkout, in its folder by `rattler-build build -r
wheels/conda`. With the sdist that the index has it is printed with its address there and its checksum, to be sent to
conda-forge.
"""

import argparse
import hashlib
import re
import sys
import tomllib
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
RECIPE = TREE / "wheels" / "conda" / "recipe.yaml"

TEXT = """\
# By wheels/conda_recipe.py, of pyproject.toml
schema_version: 1

context:
  version: "{version}"

package:
  name: moeliga
  version: ${{{{ version }}}}

source:
{source}

build:
  number: 0
  script:
    env:
      MOELIGA_REQUIRE_OPENMP: "1"
      MOELIGA_FULL_API: "1"
    content: ${{{{ PYTHON }}}} -m pip install . -vv --no-deps --no-build-isolation
  python:
    entry_points:
      - {script}

requirements:
  build:
    - ${{{{ compiler("c") }}}}
    - ${{{{ stdlib("c") }}}}
  host:
    - python
    - pip
{build}
    - if: linux
      then: libgomp
    - if: osx
      then: llvm-openmp
  run:
    - python {python}
{run}

tests:
  - python:
      imports: [moeliga]
      pip_check: true
  - script: moeliga versions

about:
  summary: {summary}
  license: {license}
  license_file: LICENSE

extra:
  recipe-maintainers: []  # accounts on GitHub of those who will look after it
"""


def recipe(sdist=None):
    """Return the text of the recipe; of an sdist, or of this checkout."""
    setup = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))
    project = setup["project"]
    source = "  path: ../.."
    if sdist is not None:
        source = (f"  url: https://pypi.org/packages/source/m/moeliga/{sdist.name}\n"
                  f"  sha256: {hashlib.sha256(sdist.read_bytes()).hexdigest()}")
    (script, entry), = project["scripts"].items()
    return TEXT.format(
        version=project["version"], source=source, script=f"{script} = {entry}", summary=project["description"],
        python=project["requires-python"], license=project["license"],
        build=lines(setup["build-system"]["requires"]), run=lines(project["dependencies"]))


def lines(requirements):
    """Return requirements as entries of the recipe: names in small letters, then a space and the versions."""
    return "\n".join("    - " + re.sub(r"^([\w-]+)(.*)$", lambda found: f"{found[1].lower()} {found[2]}", each)
                     for each in requirements)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2])
    parser.add_argument("--sdist", type=Path, metavar="FILE", help="the sdist that the index has")
    options = parser.parse_args()
    if options.sdist is None:
        RECIPE.write_text(recipe(), encoding="utf-8")
    else:
        sys.stdout.write(recipe(options.sdist))


if __name__ == "__main__":
    main()
