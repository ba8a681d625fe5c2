"""Workers elsewhere, for programs that search on clusters."""

import functools
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager

import joblib
from programs import SIZES, command_of, data, found_by, members, tell

from moeliga.distributed import backends, dispatcher, worker
from moeliga.evaluation import objectives
from single_search import single_search

sent = []
"""What went along for the data with each call, by the names of its types."""


def counting(transport):
    """Have a transport note in `sent` what it sends."""
    answers = transport.answers

    def counted(self, calls, check):
        sent.extend(type(call[4]).__name__ for call in calls)
        return answers(self, calls, check)

    transport.answers = counted


def send_everything():
    """From now on this process sends all work, in many slices, however little it is, and notes it in `sent`."""
    objectives.WORTH_SECONDS, dispatcher.LEAST_SECONDS = 0.0, 1e-9
    counting(backends.JoblibTransport)
    counting(backends.DaskTransport)


def search(**parameters):
    """A small selector."""
    return single_search(**{**SIZES, "random_state": 0, **parameters})


def fit(**parameters):
    """Digest of what it finds."""
    return found_by(search(**parameters).fit(*data()))


def held():
    """Data sets in this process."""
    return len(worker.STORE.states)


@contextmanager
def dask(n_workers=2, threads_per_worker=1, patience=60, **options):
    """Context with workers of Dask for all fits: their client."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=n_workers, threads_per_worker=threads_per_worker, dashboard_address=None,
                      **options) as cluster, Client(cluster) as client:
        client.wait_for_workers(n_workers)
        with joblib.parallel_config("dask", wait_for_workers_timeout=patience):
            yield client


@contextmanager
def one_dies(function=None):
    """Context in which a worker dies in the middle of the first call, or the first of a function.

    Yields a function that says whether it has happened.
    """
    with tempfile.TemporaryDirectory() as folder:
        mark = os.path.join(folder, "mark")
        backends.handle_call = functools.partial(die_once, mark, function)
        try:
            yield lambda: os.path.exists(mark)
        finally:
            backends.handle_call = worker.handle_call


def die_once(mark, function, *arguments):
    """`handle_call`, of a worker that dies before it can answer, unless another one has."""
    answer = worker.handle_call(*arguments)
    if function in (None, arguments[2]) and not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(1)
    return answer


def fit_while_workers_are_killed(make, workers, n, seed):
    """Fit until n workers have been killed, one at a random moment of each fit, on a busy machine, and once more;
    tells what each fit has come to.

    Parameters
    ----------
    make : callable
        Fits, and returns the digest of what it finds.
    workers : str
        What the command lines of workers hold.
    """
    moments = random.Random(seed)
    busy = subprocess.Popen([sys.executable, "-c", f"import os\nwhile os.getppid() == {os.getpid()}: pass"])
    make()
    begun = time.monotonic()
    make()
    seconds, left = time.monotonic() - begun, n
    for _ in range(4 * n):
        over, killed = threading.Event(), []

        def kill(over=over, killed=killed):
            if not over.wait(moments.uniform(0, seconds)):
                others = set(members(os.getsid(0))) - {os.getpid()}  # whose own command line holds this program
                for process in sorted(others, key=lambda process: moments.random()):
                    if workers in command_of(process):
                        os.kill(process, signal.SIGKILL)
                        killed.append(process)
                        break

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            said = {"digest": make()}
        except Exception as error:
            said = {"error": type(error).__name__, "text": str(error)}
        over.set()
        thread.join()
        tell(n_killed=len(killed), **said)
        left -= len(killed)
        if left <= 0:
            break
    busy.kill()
    busy.wait()
    tell(n_killed=0, digest=make())
