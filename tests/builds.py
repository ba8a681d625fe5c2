"""Build moeliga with every compiler, switch and Python that is here, and compare each build with the golden file.

    python tests/builds.py                      a line for each build; status 1 if one differs or does not build
    python tests/builds.py --suite              run the tests of the compiled rooms in each of them too
    python tests/builds.py --only clang         builds whose names hold this
    python tests/builds.py --python python3.14  further Pythons, beside those found

The Python that runs this builds in every way; each other one, from 3.11 on, with gcc -O3, in a virtual environment
made for it. Everything is written to a temporary folder, or to the one that --folder names and keeps.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("_ext", "moeliga", "tests", "setup.py", "pyproject.toml", "README.md", "LICENSE")
TESTS = ("_ext/test_build.py", "project/test_golden.py", "project/test_reproducible.py",
         *sorted(f"_ext/test_{path.stem}.py" for path in (ROOT / "_ext").glob("*.pyx")))
OLDEST = (3, 11)

BUILDS = {
    "gcc -O3": {"CC": "gcc"},
    "gcc -O2": {"CC": "gcc", "MOELIGA_OPTIMISE": "2"},
    "gcc -O0": {"CC": "gcc", "MOELIGA_OPTIMISE": "0"},
    "gcc -O3, full API": {"CC": "gcc", "MOELIGA_FULL_API": "1"},
    "gcc -O3, plain loops": {"CC": "gcc", "MOELIGA_PLAIN": "1"},
    "gcc -O3, no OpenMP": {"CC": "gcc", "MOELIGA_NO_OPENMP": "1"},
    "gcc, debug": {"CC": "gcc", "MOELIGA_DEBUG": "1"},
    "clang -O3": {"CC": "clang"},
    "clang -O0": {"CC": "clang", "MOELIGA_OPTIMISE": "0"},
    "clang -O3, plain loops": {"CC": "clang", "MOELIGA_PLAIN": "1"},
}
"""Environment of each build; the first is that of other Pythons."""


class Python(NamedTuple):
    """An interpreter, and whether it is the one that runs this program."""

    path: str
    version: tuple
    own: bool

    def __str__(self):
        return ".".join(map(str, self.version))


class LeftOut(Exception):
    """Why there is no such build here."""


class Failure(Exception):
    """What a build or a comparison printed before it failed."""


def environment(**variables):
    """This process's environment, without what leads a build or an interpreter elsewhere."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "MOELIGA_", "_PYTHON"))
            and name not in ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "LDSHARED", "VIRTUAL_ENV")} | variables


def run(command, folder, timeout, **variables):
    """Run a command in a folder; returns what it printed.

    Raises
    ------
    Failure : with the same, if its status is not 0 or it takes longer than `timeout` seconds.
    """
    try:
        done = subprocess.run([str(part) for part in command], cwd=folder, env=environment(**variables), text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{error}\n{error.output or ''}") from error
    if done.returncode:
        raise Failure(done.stdout)
    return done.stdout


def pythons(further):
    """The Pythons of this machine, one of each minor version, that of this process first."""
    found = [Python(sys.executable, sys.version_info[:3], True)]
    candidates = [*further, *sorted(str(path) for path in Path(
        os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob("versions/*/bin/python"))]
    candidates += [path for minor in range(OLDEST[1], 20) if (path := shutil.which(f"python3.{minor}"))]
    for path in candidates:
        try:
            version = run([path, "-c", "import sys; print(*sys.version_info[:3])"], None, 60).split()
        except (OSError, Failure):
            continue
        version = tuple(int(part) for part in version)
        if version >= OLDEST and version[:2] not in [python.version[:2] for python in found]:
            found.append(Python(path, version, False))
    return [found[0], *sorted(found[1:], key=lambda python: python.version)]


def ready(python, folder, suite):
    """An interpreter with all that a build needs: the same one, or that of a virtual environment in `folder`."""
    if python.own:
        return python.path
    place = folder / f"venv-{python}"
    if not (place / "bin" / "python").exists():
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        packages = project["build-system"]["requires"] + project["project"]["dependencies"]
        run([python.path, "-m", "venv", place], folder, 600)
        run([place / "bin" / "python", "-m", "pip", "install", "--quiet", *packages, *(["pytest"] if suite else [])],
            folder, 1800)
    return place / "bin" / "python"


def built(name, python, interpreter, folder):
    """A copy of the sources with the compiled rooms in it: its folder."""
    variables = BUILDS[name]
    place = folder / f"{name.replace(',', '').replace(' ', '-')}-{python}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for source in SOURCES:
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, place / source, ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
        else:
            shutil.copy2(ROOT / source, place / source)
    # what Cython makes is the same for all builds, but for the bounds checks of one
    made = folder / ("cython-debug" if "MOELIGA_DEBUG" in variables else "cython")
    try:
        run([interpreter, "setup.py", "-q", "egg_info", "build_ext", "--inplace", f"-j{os.cpu_count()}"], place, 3600,
            MOELIGA_CYTHON_DIR=str(made), **{"MOELIGA_REQUIRE_OPENMP": "1"} | variables)
    except Failure as error:
        if "OpenMP does not work" in str(error):
            raise LeftOut(f"{variables['CC']} has no OpenMP here") from error
        raise
    return place


def compared(name, interpreter, place, suite):
    """The last line of the comparison, and of the tests where they were asked for."""
    variables = BUILDS[name] | {"PYTHONPATH": str(place)}  # a test asks which switches were on
    out = run([interpreter, "tests/golden.py"], place, 3600, **variables)
    answer, _, package = out.splitlines()[-1].rpartition("; ")
    if Path(package) != place / "moeliga" / "__init__.py":
        raise Failure(f"compared another package than the one that was built: {package}")
    if suite:
        tests = [f"tests/{name}" for name in TESTS]
        out = run([interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "", *tests], place, 7200,
                  **variables)
        answer += f"; tests: {out.splitlines()[-1]}"
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", action="store_true", help="run the tests of the compiled rooms too")
    parser.add_argument("--only", default="", metavar="TEXT", help="builds whose names hold this")
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help="a further Python")
    parser.add_argument("--folder", type=Path, help="where builds are made and kept")
    options = parser.parse_args()
    failures = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for python in pythons(options.python):
            for name in list(BUILDS) if python.own else list(BUILDS)[:1]:
                if options.only not in f"{name} {python}":
                    continue
                try:
                    if not shutil.which(BUILDS[name]["CC"]):
                        raise LeftOut(f"{BUILDS[name]['CC']} is not installed")
                    interpreter = ready(python, folder, options.suite)
                    place = built(name, python, interpreter, folder)
                    answer = compared(name, interpreter, place, options.suite)
                except LeftOut as error:
                    answer = f"left out: {error}"
                except Failure as error:
                    answer = "FAILED"
                    failures.append(f"--- {name}, Python {python}\n{error}")
                print(f"{name:24} {python!s:8} {answer}", flush=True)
    print("\n".join(failures), end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
