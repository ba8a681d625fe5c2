"""The numbers of threads and workers, and how threads survive a fork of the process."""

import os
import sys
import threading
from contextlib import contextmanager, nullcontext
from multiprocessing import current_process
from numbers import Integral

from joblib import effective_n_jobs, parallel_config
from joblib.parallel import LokyBackend, MultiprocessingBackend, SequentialBackend, ThreadingBackend, get_active_backend
from threadpoolctl import ThreadpoolController

from moeliga._ext import evaluate
from moeliga.base.warning_filters import warn

LOCAL_BACKENDS = (LokyBackend, MultiprocessingBackend, SequentialBackend, ThreadingBackend)
"""joblib's backends of this machine, which warn if they are asked for their workers inside another backend."""


def n_threads(n_jobs):
    """Return the number of threads of the compiled core for `n_jobs`: int >= 1; ValueError for 0 or no integer.

    None = 1, or the number of an enclosing `joblib.parallel_config`; -1 = all processors, -2 = all but one, ... Never
    more than the OpenMP runtime allows: `OMP_NUM_THREADS`, `threadpoolctl` limits, the processors of this process
    (affinity) and, inside a joblib worker, the worker's share (1 in a thread and in a `multiprocessing.Pool`).
    """
    check_jobs(n_jobs)
    # these cases come first: joblib would warn that they cannot start processes
    if n_jobs == 1 or current_process().daemon or in_thread_of_joblib():
        return 1
    most = evaluate.threads()["max_threads"]
    return max(1, min(n_joblib_workers(n_jobs, most), most))


def n_workers(n_jobs):
    """Return the number of joblib workers for `n_jobs`, which is read as by `n_threads`: int >= 1; 1 = a plain loop.

    In a process that is itself a joblib worker never more than its share of the processors; in a thread that is one,
    and in a `multiprocessing.Pool`, 1. In a child forked from a process with workers of loky 1, with a UserWarning.
    """
    check_jobs(n_jobs)
    backend, _ = get_active_backend()
    alone = current_process().daemon and isinstance(backend, LokyBackend | MultiprocessingBackend)
    if alone or in_thread_of_joblib():
        return 1  # joblib would warn
    wanted = effective_n_jobs(n_jobs)
    if wanted == 1:
        return 1
    if backend.nesting_level:
        return min(wanted, evaluate.threads()["max_threads"])
    if forked_with_workers and isinstance(backend, LokyBackend):
        warn(f"joblib has one worker instead of {wanted}: this process was forked from one that had workers already; "
             "for more, start processes by 'spawn' (multiprocessing), not 'fork'")
        return 1
    return wanted


def n_joblib_workers(n_jobs, otherwise):
    """Return the number of joblib's workers: int; `otherwise` if its cluster is lost."""
    try:
        return effective_n_jobs(n_jobs)
    except Exception:  # of whatever kind: a closed client of Dask raises an AttributeError
        return otherwise


def require_workers(n_jobs):
    """Wait for a worker of an enclosing cluster; raise joblib's TimeoutError if none comes in time."""
    try:
        effective_n_jobs(n_jobs)
    except TimeoutError:
        raise
    except Exception:  # the cluster is lost, see `cluster_is_lost`
        pass


def cluster_is_lost():
    """Return True if the cluster of an enclosing `joblib.parallel_config` no longer exists."""
    return type(get_active_backend()[0]) not in LOCAL_BACKENDS and n_joblib_workers(-1, 0) == 0


def local_backend_if_lost(backend):
    """Return a context in which joblib uses this backend, one of this machine, if its cluster is lost."""
    return parallel_config(backend, n_jobs=-1) if cluster_is_lost() else nullcontext()


def check_jobs(n_jobs):
    """Raise ValueError unless `n_jobs` is None or an integer other than 0."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")


def in_thread_of_joblib():
    """Return True in a thread that joblib started as a worker."""
    nested = get_active_backend()[0].nesting_level
    return bool(nested) and threading.current_thread() is not threading.main_thread()


class Blas:
    """Limit BLAS to one thread while any thread of this process is inside `at_one_thread`.

    BLAS has one number of threads for the whole process (OpenMP has one per thread). If each thread restored the number
    that it found, one would restore it while another still works, and the last would restore the limit of 1.
    """

    def __init__(self):
        self.lock = threading.RLock()
        self.users = []  # the ident of each thread that is inside, once per entry
        self.limits = None

    @contextmanager
    def at_one_thread(self, libraries):
        """Context of the limit; `libraries` is a ThreadpoolController of BLAS alone."""
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

    def after_fork_in_child(self):
        """Forget, in a forked child, the other threads, which do not exist there, and their lock."""
        self.lock = threading.RLock()
        self.users = [user for user in self.users if user == threading.get_ident()]


BLAS = Blas()

LISTING_LOCK = threading.RLock()
"""Held while the loaded libraries are listed, and during a fork. The system's own lock for the list would never be
released in a child forked by another thread meanwhile."""


class Libraries:
    """The loaded libraries of OpenMP and of BLAS, as two ThreadpoolControllers: listed anew after each import.

    To list them takes milliseconds, to limit them microseconds. A library comes with an import: each new module is the
    last of `sys.modules`.
    """

    def __init__(self):
        self.modules, self.found = None, None

    def loaded(self):
        """Return the libraries of OpenMP and those of BLAS, which are limited and restored apart."""
        with LISTING_LOCK:
            modules = len(sys.modules), next(reversed(sys.modules))  # read first: others may import meanwhile
            if self.modules != modules:
                found = ThreadpoolController()
                self.found = found.select(user_api="openmp"), found.select(user_api="blas")
                self.modules = modules
            return self.found


LIBRARIES = Libraries()


@contextmanager
def one_thread():
    """Context in which BLAS and OpenMP have one thread each; several threads may be inside."""
    openmp, blas = LIBRARIES.loaded()
    with openmp.limit(limits=1), BLAS.at_one_thread(blas):
        yield


forked_with_workers = False
"""True if this process, or an ancestor, was forked from a process with workers of loky."""


def before_fork():
    """Prepare a fork: end the threads of GNU OpenMP, which hangs in a child forked after a parallel region."""
    evaluate.pause()
    LISTING_LOCK.acquire()


def after_fork_in_parent():
    """Release, in the parent after a fork, the lock that `before_fork` took; `after_fork_in_child` makes another."""
    LISTING_LOCK.release()


def after_fork_in_child():
    """Drop, in a forked child, what belongs to the parent; joblib would wait for the parent's workers for ever."""
    global forked_with_workers, LISTING_LOCK
    LISTING_LOCK = threading.RLock()
    loky = sys.modules.get("joblib.externals.loky.reusable_executor")
    forked_with_workers = forked_with_workers or getattr(loky, "_executor", None) is not None
    BLAS.after_fork_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork_in_parent, after_in_child=after_fork_in_child)
