"""Signals to a process of its own, as from a terminal or a batch system."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from interpreters import environment

posix = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

PROGRAM = """
import signal, sys, time
import numpy as np
from sklearn.naive_bayes import GaussianNB
import moeliga
from single_search import single_search

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored

class Sleeper(GaussianNB):
    def fit(self, X, y):
        if len(X) < 60:  # not the fits of the caller
            time.sleep(0.02)
        return super().fit(X, y)

rng = np.random.default_rng(0)
X, y = rng.normal(size=(60, 10)), np.arange(60) % 2
n_seen = 0

def watch(state):
    global n_seen
    n_seen += 1
    if n_seen == 2:
        print("running", flush=True)
    if n_seen > 1 and {sleep}:
        time.sleep(60)

options = dict(n_generations=10**9, population_size=12, local_improvement=None, callbacks=watch, random_state=0,
               evaluation=moeliga.Evaluation(n_rescore_splits=2))
selector = single_search(**{{**options, {options}}})
try:
    with moeliga.stop_on(*{stop}):
        selector.fit(X, y)
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
else:
    print(selector.stop_reason_, selector.support_.any(), flush=True)
"""


def ended(options, numbers, sleep=False, stop=()):
    """Return the output of a program that gets signals during its search, and its exit status."""
    program = PROGRAM.format(options=options, sleep=sleep, stop=stop)
    child = subprocess.Popen([sys.executable, "-c", program], env=environment(__file__), stdout=subprocess.PIPE,
                             text=True)
    try:
        assert child.stdout.readline() == "running\n"
        for number in numbers:
            time.sleep(0.3)
            child.send_signal(number)
        out, _ = child.communicate(timeout=100)
    finally:
        child.kill()
    return out, child.returncode


@pytest.mark.process
@posix
@pytest.mark.parametrize(("options", "stop", "numbers", "sleep", "expected"), [
    ("", (), [signal.SIGINT], False, ("interrupt True\n", 0)),
    ("", (), [signal.SIGINT, signal.SIGINT], True, ("KeyboardInterrupt\n", 0)),
    ("", (), [signal.SIGTERM], False, ("", -15)),
    ("", ("SIGTERM",), [signal.SIGTERM], False, ("SIGTERM True\n", 0)),
    ("", ("SIGTERM",), [signal.SIGINT], False, ("interrupt True\n", 0)),
    ("", ("SIGTERM",), [signal.SIGTERM, signal.SIGTERM], True, ("", -15)),
    ("'estimator': Sleeper(), 'n_jobs': 2", (), [signal.SIGINT], False, ("interrupt True\n", 0)),
    ("'estimator': Sleeper(), 'n_jobs': 2", ("SIGTERM",), [signal.SIGTERM], False, ("SIGTERM True\n", 0)),
], ids=["Ctrl-C", "Ctrl-C twice", "SIGTERM", "SIGTERM named", "Ctrl-C, SIGTERM named", "SIGTERM twice",
        "Ctrl-C, workers", "SIGTERM named, workers"])
def test_a_program_that_gets_signals(options, stop, numbers, sleep, expected):
    """The program has a result or ends as usual."""
    assert ended(options, numbers, sleep, stop) == expected


@pytest.mark.process
@posix
def test_sigterm_saves_the_checkpoint_and_has_its_usual_effect(tmp_path):
    """The process ends as killed; the search goes on from the last complete generation, not from the last save."""
    path = tmp_path / "state.npz"
    options = f"'checkpoint': __import__('moeliga').Checkpoint({str(path)!r}, every=10**6)"
    assert ended(options, [signal.SIGTERM]) == ("", -15)
    with np.load(path) as file:
        assert b'"generation": ' in file["head"].tobytes()
        assert b'"generation": 0,' not in file["head"].tobytes()
    assert ended(options, [signal.SIGINT]) == ("interrupt True\n", 0)


@pytest.mark.process
@pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs Linux")
def test_no_worker_outlives_a_search_that_a_signal_ended(tmp_path):
    """Neither a result nor a death leaves processes of joblib behind."""
    program = textwrap.dedent("""
        import os, sys
        os.setsid()
        exec(sys.argv[1])
    """)
    for stop, status in ((("SIGTERM",), 0), ((), -15)):
        options = f"'estimator': Sleeper(), 'n_jobs': 2, 'checkpoint': {str(tmp_path / str(stop))!r}"
        source = PROGRAM.format(options=options, sleep=False, stop=stop)
        child = subprocess.Popen([sys.executable, "-c", program, source], env=environment(__file__),
                                 stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "running\n"
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=100)
        assert child.returncode == status
        deadline = time.monotonic() + 60
        while members(child.pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert members(child.pid) == []


def members(session):
    """Return the living processes of a session."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{int(entry)}/stat") as file:
                state, _, _, owner = file.read().rpartition(") ")[2].split()[:4]
        except (OSError, ValueError):
            continue
        if int(owner) == session and state != "Z":
            found.append(int(entry))
    return found
