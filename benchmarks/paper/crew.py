"""Jobs done one after the other, or by workers, perhaps on other machines: what comes of each, when it comes."""

import os
import time
from contextlib import contextmanager
from functools import lru_cache

import joblib
from paper import datasets
from paper.competitors import Missing
from paper.protocol import outer_splits


class Needed(LookupError):
    """Another job has to be done first."""


class Data:
    """A data set with its outer splits; read when it is first asked for."""

    def __init__(self, name, n_splits):
        self.whole = datasets.whole(name)
        self.splits = {split.name: split for split in outer_splits(self.whole, n_splits)}

    def parts(self, split):
        """X_train, y_train, X_test, y_test, note."""
        split = self.splits[split]
        X, y = self.whole.X, self.whole.y
        return X[split.train], y[split.train], X[split.test], y[split.test], split.note


@lru_cache(maxsize=1)
def read(name, n_splits, folder):
    """The data set of the job before, most of the time; `folder` is what MOELIGA_DATA says."""
    return Data(name, n_splits)


def attempt(job, known, rows_of, n_splits):
    """Do a job: (job, what came of it, rows or message, seconds).

    What came of it is "rows", "missing" (a package), "needed" (another job), or "failed".
    """
    began, kind = time.perf_counter(), "rows"
    try:
        said = rows_of(job, read(job.data, n_splits, os.environ.get("MOELIGA_DATA")), known)
    except Missing as error:
        kind, said = "missing", str(error)
    except Needed as error:
        kind, said = "needed", str(error)
    except Exception as error:
        kind, said = "failed", f"failed: {type(error).__name__}: {error}"
    return job, kind, said, time.perf_counter() - began


@contextmanager
def backend(scheduler):
    """Context in which joblib's workers are those of a Dask cluster, if the address of its scheduler is given."""
    if scheduler is None:
        yield
        return
    from distributed import Client

    with Client(scheduler), joblib.parallel_config("dask"):
        yield


def outcomes(jobs, results, rows_of, n_splits, n_jobs):
    """`attempt` of all jobs, as they end; those that need another one are tried again after the others.

    Parameters
    ----------
    jobs : list of Job
    results : Results
        Whoever takes an outcome adds its rows here before taking the next one.
    rows_of : callable
        From a job, its `Data` and `Known` to rows; with several workers it has to be picklable.
    n_splits : int
    n_jobs : int
        At the same time, for joblib.
    """
    waiting = jobs
    while waiting:
        calls = ((job, results.beside(job), rows_of, n_splits) for job in waiting)
        if n_jobs == 1:
            found = (attempt(*call) for call in calls)
        else:
            found = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
                joblib.delayed(attempt)(*call) for call in calls)
        needed, n_done = [], 0
        for outcome in found:
            if outcome[1] == "needed":
                needed.append(outcome)
                continue
            n_done += 1
            yield outcome
        if not n_done:
            yield from needed
            return
        waiting = [job for job, *_ in needed]
