"""Ctrl-C and SIGTERM at moments of `moeliga select` outside of the search's generations."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ENVIRONMENT, HONEST

from moeliga.cli.run_folder import FILES, read_results

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
                                              ("moeliga.search.progress:Progress.record_generation", 2)],
                         ids=["before the first evaluation", "twice"])
def test_what_ends_without_a_result_leaves_nothing(wine_csv, place, times, number, status):
    """There is neither a folder nor a file."""
    assert signalled(place, number, times) == (status, "moeliga: interrupted\n")
    assert not Path("run").exists()


@EITHER
@pytest.mark.parametrize("place", ["moeliga.cli.select:choose", "moeliga.cli.run_folder:write_csv", "os:replace"],
                         ids=["before", "between two files", "at the end"])
def test_a_finished_search_is_written_first(wine_csv, place, number, status):
    """All files are there, and the status is that of the signal."""
    assert signalled(place, number, 1) == (status, "")
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)


@EITHER
def test_held_out_scores_are_not_waited_for(wine_csv, number, status):
    """Everything else is written."""
    told = "moeliga: interrupted; no held-out scores\n"
    assert signalled("moeliga.evaluation.held_out:fitted_scores", number, 1, "--test", "wine.csv") == (status, told)
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)
    assert read_results("run").held_out is None


@EITHER
def test_a_second_signal_aborts_what_is_written(wine_csv, number, status):
    assert signalled("moeliga.cli.run_folder:write_csv", number, 2) == (status, "moeliga: interrupted\n")
    assert not Path("run").exists()


def test_a_run_that_was_killed_is_not_in_the_way(wine_csv):
    """The next run removes its temporary folder, without --force."""
    assert signalled("moeliga.search.progress:Progress.record_generation", signal.SIGKILL, 1)[0] == -signal.SIGKILL
    assert [path.suffix for path in Path("run").iterdir() if not path.is_dir()] == [".lock"]
    assert signalled("moeliga.search.progress:Progress.record_generation", signal.SIGKILL, 0) == (0, "")
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)
