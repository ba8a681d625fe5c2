"""How many threads, and what happens to them when the process forks."""

import os

from moeliga._ext import evaluate


def n_threads(n_jobs):
    """Threads to use for `n_jobs`.

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
    if n_jobs is not None and (isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__") or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
    if n_jobs == 1:
        return 1
    from joblib import effective_n_jobs

    return max(1, min(effective_n_jobs(n_jobs), evaluate.threads()["max_threads"]))


# GNU OpenMP hangs in a child that was forked after a parallel region of its parent: hand its threads back first.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=evaluate.pause)
