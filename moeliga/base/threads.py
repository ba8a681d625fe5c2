"""How many threads and workers, and what happens to them when the process forks."""

import os
import sys
import threading
import warnings
from contextlib import contextmanager
from multiprocessing import current_process
from numbers import Integral

from threadpoolctl import ThreadpoolController

from moeliga._ext import evaluate


def n_threads(n_jobs):
    """Threads of the compiled core to use for `n_jobs`.

    Parameters
    ----------
    n_jobs : int or None
        None = 1, or what an enclosing `joblib.parallel_config` says; -1 = all processors, -2 = all but one, ...

    Returns
    -------
    n_threads : int >= 1
        Never more than the OpenMP runtime allows: `OMP_NUM_THREADS`, `threadpoolctl` limits, the processors of this
        process (affinity) and, inside a joblib worker, the worker's share: what joblib gave to a process of loky, 1 in
        a thread and in a process of `multiprocessing.Pool`.

    Raises
    ------
    ValueError : if `n_jobs` is 0 or not an integer.
    """
    check_jobs(n_jobs)
    # asked first: joblib would warn of processes, which threads are not
    if n_jobs == 1 or current_process().daemon or in_thread_of_joblib():
        return 1
    return max(1, min(n_wanted(n_jobs), evaluate.threads()["max_threads"]))


def n_workers(n_jobs):
    """joblib workers to use for `n_jobs`.

    Parameters
    ----------
    n_jobs : int or None
        As for `n_threads`.

    Returns
    -------
    n_workers : int >= 1
        1 = a plain loop. In a process that is itself a joblib worker, never more than its share of the processors;
        in a thread that is one, 1. In a child forked from a process that has workers of loky, 1.

    Raises
    ------
    ValueError : if `n_jobs` is 0 or not an integer.

    Warns
    -----
    UserWarning : if there are fewer for the last reason.
    """
    check_jobs(n_jobs)
    wanted = n_wanted(n_jobs)
    if wanted == 1 or in_thread_of_joblib():
        return 1
    from joblib.parallel import LokyBackend, get_active_backend

    backend, _ = get_active_backend()
    if backend.nesting_level:
        return min(wanted, evaluate.threads()["max_threads"])
    if parted and isinstance(backend, LokyBackend):
        warnings.warn(f"n_jobs is 1 instead of {wanted}: this process was forked from one whose joblib workers it "
                      "cannot use", stacklevel=2)
        return 1
    return wanted


def check_jobs(n_jobs):
    """Raise ValueError unless `n_jobs` is None or an integer other than 0."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")


def in_thread_of_joblib():
    """Whether this is one of the threads that joblib started as workers."""
    parallel = sys.modules.get("joblib.parallel")
    nested = parallel is not None and parallel.get_active_backend()[0].nesting_level
    return bool(nested) and threading.current_thread() is not threading.main_thread()


def n_wanted(n_jobs):
    """The positive number that `n_jobs` stands for."""
    # None asks for joblib's surroundings, and without joblib there are none
    if n_jobs == 1 or (n_jobs is None and sys.modules.get("joblib") is None):
        return 1
    from joblib import effective_n_jobs

    return effective_n_jobs(n_jobs)


class Blas:
    """BLAS at one thread, for as long as any of this process's threads needs it so.

    Its number of threads belongs to the process, unlike that of OpenMP: of several that set it and put it back, each
    as it found it, one would put it back under another that still works, and the last one to the number of the first.
    """

    def __init__(self):
        self.lock = threading.RLock()
        self.users = []  # ident of a thread, once for each time that it is inside
        self.limits = None

    @contextmanager
    def at_one_thread(self, libraries):
        """Context; `libraries` is a ThreadpoolController of BLAS alone."""
        user = threading.get_ident()
        with self.lock:
            self.users.append(user)
            if self.limits is None:
                self.limits = libraries.limit(limits=1)
        try:
            yield
        finally:
            with self.lock:
                self.users.remove(user)
                if not self.users:
                    self.limits.restore_original_limits()
                    self.limits = None

    def part(self):
        """In a forked child: the other threads, and what they hold, are no more."""
        self.lock = threading.RLock()
        self.users = [user for user in self.users if user == threading.get_ident()]


BLAS = Blas()

LOOKING = threading.RLock()
"""Held by whoever looks through the libraries of the process, and by whoever forks. The system has a lock of its own
for the former: for a child that is forked by another thread meanwhile it would be held for ever."""


@contextmanager
def one_thread():
    """Context in which BLAS and OpenMP have one thread each; several threads may be inside."""
    with LOOKING:
        found = ThreadpoolController()
    openmp, blas = found.select(user_api="openmp"), found.select(user_api="blas")  # each puts all that it has back
    with openmp.limit(limits=1), BLAS.at_one_thread(blas):
        yield


parted = False
"""Whether this process, or one that it descends from, was forked from one with workers of loky."""


def halt():
    """Before a fork. GNU OpenMP hangs in a child that was forked after a parallel region of its parent: hand its
    threads back first."""
    evaluate.pause()
    LOOKING.acquire()


def resume():
    """After a fork, in the parent; in a child that forks itself it is another lock."""
    LOOKING.release()


def part():
    """In a forked child: note what belongs to the parent. joblib itself does not, and would wait for ever."""
    global parted, LOOKING
    LOOKING = threading.RLock()
    loky = sys.modules.get("joblib.externals.loky.reusable_executor")
    parted = parted or getattr(loky, "_executor", None) is not None
    BLAS.part()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=halt, after_in_parent=resume, after_in_child=part)
