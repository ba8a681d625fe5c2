"""How long work takes that is cut into tasks for many workers.

A search waits for all tasks of an evaluation before it goes on. It hands them out one after the other, each costs it a
moment and its bytes take time on the way; a worker that is free takes the next one.
"""

import heapq
from dataclasses import dataclass

import numpy as np

from moeliga.distributed import dispatcher

BANDWIDTH = 1.25e8
"""Bytes a second between machines, where nothing else is said: Ethernet of 1 Gbit/s, slow for a cluster."""


@dataclass(frozen=True)
class Way:
    """What the way to the workers costs.

    Attributes
    ----------
    dispatch : float
        Seconds of the search, and of what stands between it and the workers, for each task.
    trip : float
        Seconds from an evaluation of one task without work to its answer.
    bandwidth : float
        Bytes a second.
    """

    dispatch: float
    trip: float
    bandwidth: float = BANDWIDTH


def makespan(tasks, n_bytes, n_workers, way):
    """Seconds until all of some tasks are done.

    Parameters
    ----------
    tasks, n_bytes : sequences of float, shape (n_tasks,)
        Seconds of work, and bytes there and back, of each, in the order in which they are handed out.
    n_workers : int
    way : Way
    """
    free, handed_out, done = [0.0] * n_workers, 0.0, 0.0
    for seconds, size in zip(tasks, n_bytes, strict=True):
        handed_out += way.dispatch + size / way.bandwidth
        begun = max(handed_out, heapq.heappop(free))
        heapq.heappush(free, begun + seconds)
        done = max(done, begun + seconds)
    return done + way.trip


def slices(rough, seconds, n_workers):
    """Seconds of the tasks that `Remote.evaluate` makes of an evaluation, and how many rows each has.

    Parameters
    ----------
    rough : ndarray of float64, shape (n_rows,)
        What it takes each row to need.
    seconds : float
        What all of them needed.
    """
    total = rough.sum()
    parts = dispatcher.split_by_work(np.argsort(-rough, kind="stable"), dispatcher.n_slices(total, n_workers))
    return [float(rough[rows].sum() * seconds / total) for rows in parts], [len(rows) for rows in parts]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluation that is worth sending: its rows, how long they took on one thread, bytes for each row."""

    rough: np.ndarray
    seconds: float
    row_bytes: float
    task_bytes: float

    def elapsed(self, n_workers, way):
        """(Seconds with so many workers, tasks, bytes)."""
        tasks, rows = slices(self.rough, self.seconds, n_workers)
        n_bytes = [self.task_bytes + n * self.row_bytes for n in rows]
        return makespan(tasks, n_bytes, n_workers, way), len(tasks), sum(n_bytes)


@dataclass(frozen=True, eq=False)
class Exploration:
    """Subordinate populations that are sent whole: how long each took on one thread, and its bytes."""

    parts: list
    n_bytes: list

    @property
    def seconds(self):
        return float(sum(self.parts))

    def elapsed(self, n_workers, way):
        """(Seconds with so many workers, tasks, bytes)."""
        return makespan(self.parts, self.n_bytes, n_workers, way), len(self.parts), sum(self.n_bytes)


def predicted(total, sent, n_workers, way):
    """A search with so many workers.

    Parameters
    ----------
    total : float
        Its seconds on one thread.
    sent : list of Evaluation and Exploration
        What of it would be sent.

    Returns
    -------
    elapsed : float, seconds
    transit : float
        Share of the workers' time, while the search waits for them, that is not work.
    """
    times = [part.elapsed(n_workers, way)[0] for part in sent]
    here = total - sum(part.seconds for part in sent)
    busy, waited = sum(part.seconds for part in sent), n_workers * sum(times)
    return here + sum(times), 1 - busy / waited if sent else 0.0


def fits(whole, folds, n_bytes, n_workers, way):
    """Efficiency of a cross-fitted fit whose folds are tasks: their work over the time of all workers.

    Parameters
    ----------
    whole : float
        Seconds of the search on all samples, which comes first, on one of the workers.
    folds : sequence of float
        Seconds of the searches on the folds.
    n_bytes : float
        Of the data of one.
    n_workers : int
    way : Way

    Returns
    -------
    apart, together : float
        As it is, and if the search on all samples were one of the tasks.
    """
    work, sizes = whole + sum(folds), [n_bytes] * len(folds)
    apart = whole + makespan(folds, sizes, n_workers, way)
    together = makespan([whole, *folds], [n_bytes, *sizes], n_workers, way)
    return work / n_workers / apart, work / n_workers / together


def islands(epochs, n_workers, way, n_bytes, seed=0, n_draws=200):
    """Efficiency of as many islands as workers: the mean of their times over the time until the last is done, each
    epoch.

    Parameters
    ----------
    epochs : ndarray of float64, shape (n_searches, n_epochs)
        Seconds of each epoch of some searches with different seeds; islands beyond their number are drawn from them.
    n_bytes : float
        Of a population, there and back.
    """
    rng, found = np.random.default_rng(seed), []
    for _ in range(n_draws):
        rows = epochs[rng.integers(len(epochs), size=n_workers)]
        elapsed = sum(makespan(column, [n_bytes] * n_workers, n_workers, way) for column in rows.T)
        found.append(rows.sum() / n_workers / elapsed)
    return float(np.mean(found))
