"""Ctrl-C and SIGTERM at moments of `moeliga select` outside of the search's generations."""

import importlib
import os
import signal
import sys
from functools import reduce
from pathlib import Path

import pytest
from commands import HONEST
from programs import status_of_child

from moeliga.cli.main import main
from moeliga.cli.run_folder import FILES, read_results

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

EITHER = pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])


def signalled(place, number, times, *options):
    """Run, in a fork, a search that gets signals when it first calls a function: exit status, standard error."""
    module, path = place.split(":")
    *names, name = path.split(".")
    owner, left = reduce(getattr, names, importlib.import_module(module)), [number] * times
    usual = getattr(owner, name)

    def stopped(*arguments, **options):
        while left:
            signal.raise_signal(left.pop())
        return usual(*arguments, **options)

    def command():
        signal.alarm(200)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
        setattr(owner, name, stopped)
        with open("told", "w") as sys.stderr:
            status = main([*HONEST, *options, "--quiet"])
        os._exit(status)

    status = os.waitstatus_to_exitcode(status_of_child(command))
    return status, Path("told").read_text()


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
