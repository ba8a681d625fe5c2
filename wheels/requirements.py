"""Build with the lowest and with the highest versions that pyproject.toml allows: python wheels/requirements.py

For each end, in environments of their own and far from the source tree: an sdist, a wheel from this sdist, the audit of
both, and the smoke test of the wheel, installed beside the lowest (or newest) versions of what it needs to run. Takes
minutes, and packages to install. The exit status is 1 if something fails.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))
BUILD, RUN = PROJECT["build-system"]["requires"], PROJECT["project"]["dependencies"]
ENDS = ("lowest", "highest")
NO_SOURCES = (".*", "*.egg-info", "*.so", "__pycache__", "build", "dist")
SDIST = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"


def pinned(requirement, end):
    """A requirement such as "Cython>=3.1.0,<3.4" for one end of its range: "Cython==3.1.0", or as it is."""
    name, _, limits = requirement.partition(">=")
    return f"{name}=={limits.partition(',')[0]}" if end == "lowest" else requirement


def environment(folder, requirements):
    """A new virtual environment with packages; returns its Python."""
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", *requirements)
    return python


def run(*command, folder=None, **variables):
    """Run a command, shown; what it prints is let through. A failure ends the program."""
    command = [str(word) for word in command]
    print("+", shlex.join(command), flush=True)
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    status = subprocess.run(command, cwd=folder, env={**clean, **variables}).returncode
    if status:
        raise SystemExit(f"{command[0]} ended with status {status}")


def check(end, place):
    """Build, audit and try out with one end of all ranges; returns the wheel."""
    dist = place / "dist"
    tools = environment(place / "build", [pinned(requirement, end) for requirement in BUILD])
    run(tools, "-m", "pip", "list")
    shutil.copytree(TREE, place / "tree", ignore=shutil.ignore_patterns(*NO_SOURCES))
    run(tools, "-c", SDIST, dist, folder=place / "tree")
    sdist, = dist.glob("*.tar.gz")
    # without isolation, as this environment is one: it holds the versions above and nothing else
    run(tools, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--check-build-dependencies", "--wheel-dir",
        dist, sdist, folder=place, MOELIGA_REQUIRE_OPENMP="1")
    wheel, = dist.glob("*.whl")
    run(sys.executable, TREE / "wheels" / "audit.py", sdist, wheel)
    user = environment(place / "use", [wheel, *(pinned(requirement, end) for requirement in RUN)])
    run(user, TREE / "wheels" / "smoke.py", folder=place)
    return wheel


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2])
    parser.add_argument("--only", choices=ENDS, help="one end of the ranges")
    options = parser.parse_args()
    for end in ENDS if options.only is None else (options.only,):
        with tempfile.TemporaryDirectory(prefix=f"moeliga-{end}-") as place:
            wheel = check(end, Path(place))
            print(f"{end}: {wheel.name} builds, passes the audit and works", flush=True)


if __name__ == "__main__":
    main()
