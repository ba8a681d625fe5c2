"""A signal to all processes of a group, as of a terminal, GNU timeout or a batch system: workers die of it, too."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.neighbors import NearestCentroid

from interpreters import environment
from moeliga.cli.run_folder import FILES

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
from moeliga.cli.main import main
sys.exit(main("select wine.csv --target class --drop id --out run --n-jobs 2 --judge test_group_signals:Judge "
              "--sizes none --population 10 --generations 1000000 --honest 2 --estimator GaussianNB --seed 0".split()))
"""

SCRIPT = """
import os, signal
import numpy as np
import moeliga
from single_search import single_search
from test_group_signals import Judge

signal.signal(signal.SIGINT, signal.default_int_handler)

def between(state):  # when the workers have nothing to do
    if state.generation == {at}:
        os.killpg(0, signal.{name})

X, y = np.random.default_rng(0).normal(size=(60, 10)), np.arange(60) % 2
selector = single_search(Judge(), n_generations=10**6, population_size=12, local_improvement=None, callbacks=between,
                         random_state=0, n_jobs=2, evaluation=moeliga.Evaluation(n_rescore_splits=2))
with moeliga.stop_on("SIGTERM"):
    selector.fit(X, y)
print(selector.stop_reason_, selector.support_.any(), selector.pareto_front_.n_rescore_splits)
"""


class Judge(NearestCentroid):
    """The worker that makes fit number FATAL sends the signal to its group, and dies of it, as one that just starts."""

    def fit(self, X, y):
        with open("fits", "ab", buffering=0) as file:
            file.write(b".")
            if file.tell() == int(os.environ["FATAL"]):
                number = signal.Signals[os.environ["NAME"]]
                signal.signal(number, signal.SIG_DFL)
                os.killpg(0, number)
        return super().fit(X, y)


def ended(program, fatal, name):
    """Run a program in a group of its own: its exit status, and what it has printed."""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=environment(__file__) | {"FATAL": str(fatal), "NAME": name}, start_new_session=True)
    try:
        out, err = child.communicate(timeout=120)
    finally:
        child.kill()
    return child.returncode, out, err


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_the_command_writes_the_front_so_far(wine_csv, name, status):
    """A broken pool is no failure."""
    found, _, err = ended(COMMAND, 500, name)
    assert found == status, err
    assert "Stopped early by" in err and "Traceback" not in err
    assert sorted(path.name for path in Path("run").iterdir()) == sorted(FILES)


def test_there_is_none_before_the_first_evaluation(wine_csv):
    """Ctrl-C is an interrupt as usual then."""
    found, out, err = ended(COMMAND, 1, "SIGINT")
    assert (found, err.splitlines()[-1]) == (130, "moeliga: interrupted")
    assert not Path("run").exists()


@pytest.mark.parametrize(("fatal", "at"), [(500, -1), (0, 3)], ids=["in a fit", "between"])
@pytest.mark.parametrize(("name", "reason"), [("SIGINT", "interrupt"), ("SIGTERM", "SIGTERM")])
def test_a_script_gets_a_front_that_is_scored_again(tmp_path, monkeypatch, name, reason, fatal, at):
    """By new workers."""
    monkeypatch.chdir(tmp_path)
    found, out, err = ended(SCRIPT.format(at=at, name=name), fatal, name)
    assert (found, out) == (0, f"{reason} True 2\n"), err
