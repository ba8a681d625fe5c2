"""Ctrl-C and SIGTERM at moments of `moeliga select` outside of the search's generations."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENVIRONMENT, HONEST

pytestmark = [pytest.mark.process, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

PROGRAM = """
import importlib, signal, sys
from moeliga.cli.main import main

def signalled(*arguments, **options):
    while left:
        signal.raise_signal(left.pop())
    return usual(*arguments, **options)

module, path, number, times, *argv = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
left, owner, names = [int(number)] * int(times), importlib.import_module(module), path.split(".")
for name in names[:-1]:
    owner = getattr(owner, name)
usual = getattr(owner, names[-1])
setattr(owner, names[-1], signalled)
sys.exit(main(argv))
"""

EITHER = pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


def signalled(place, number, times, *options):
    """Run a search that gets signals when it first calls a function: exit status, standard error."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, *place.split(":"), str(int(number)), str(times), *HONEST,
                           *options, "--quiet"], env=ENVIRONMENT, capture_output=True, text=True, timeout=200)
    return done.returncode, done.stderr


@EITHER
@pytest.mark.parametrize(("place", "times"), [("moeliga.evaluation.objectives:Objectives.evaluate", 1),
                                              ("moeliga.search.progress:Progress.arrive", 2)],
                         ids=["before the first evaluation", "twice"])
def test_what_ends_without_a_result_leaves_nothing(wine_csv, place, times, number, status):
    """Neither a folder nor what was to be in it."""
    assert signalled(place, number, times) == (status, "moeliga: interrupted\n")
    assert not Path("run").exists()
