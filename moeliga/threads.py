"""How many threads and workers, and what happens to threads when the process forks."""

import os
import sys
import threading

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
        process (affinity) and, inside a joblib worker, the worker's share.

    Raises
    ------
    ValueError : if `n_jobs` is 0 or not an integer.
    """
    wanted = n_wanted(n_jobs)
    return 1 if wanted == 1 else max(1, min(wanted, evaluate.threads()["max_threads"]))


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
        in a thread that is one, 1.

    Raises
    ------
    ValueError : if `n_jobs` is 0 or not an integer.
    """
    wanted = n_wanted(n_jobs)
    if wanted == 1:
        return 1
    from joblib.parallel import get_active_backend

    if not get_active_backend()[0].nesting_level:
        return wanted
    if threading.current_thread() is not threading.main_thread():
        return 1
    return min(wanted, evaluate.threads()["max_threads"])


def n_wanted(n_jobs):
    """The positive number that `n_jobs` stands for."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__") or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
    # None asks for joblib's surroundings, and without joblib there are none
    if n_jobs == 1 or (n_jobs is None and sys.modules.get("joblib") is None):
        return 1
    from joblib import effective_n_jobs

    return effective_n_jobs(n_jobs)


# GNU OpenMP hangs in a child that was forked after a parallel region of its parent: hand its threads back first.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=evaluate.pause)
