"""How long work takes that is cut into tasks for many workers.

One search waits for all tasks of an evaluation before it goes on. It hands them out one after the other, each costs it
a moment and its bytes take time on the way; a worker that is free takes the next one.
"""

import heapq
import itertools
from collections import deque
from dataclasses import dataclass
from functools import partial

import numpy as np

from moeliga.distributed import dispatcher
from moeliga.evaluation.objectives import WORTH_SECONDS

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


def slices(rough, seconds, n_workers, more=1.0):
    """Seconds of the tasks that `Remote.evaluate` makes of an evaluation, and how many rows each has.

    Parameters
    ----------
    rough : ndarray of float64, shape (n_rows,)
        What it takes each row to need.
    seconds : float
        What all of them needed, in one piece.
    more : float
        What they need in slices, whose trees share no nodes with those of others, over that.
    """
    total = rough.sum()
    parts = dispatcher.split_by_work(np.argsort(-rough, kind="stable"), dispatcher.n_slices(total, n_workers))
    seconds *= more if len(parts) > 1 else 1.0
    return [float(rough[rows].sum() * seconds / total) for rows in parts], [len(rows) for rows in parts]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluation that is worth sending: its rows, how long they took on one thread, bytes for each row; how much
    longer they take in slices."""

    rough: np.ndarray
    seconds: float
    row_bytes: float
    task_bytes: float
    more: float = 1.0

    def elapsed(self, n_workers, way):
        """(Seconds with so many workers, tasks, bytes)."""
        tasks, rows = slices(self.rough, self.seconds, n_workers, self.more)
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


@dataclass(frozen=True, eq=False)
class Banded:
    """A search with bands of sizes, on one thread; an evaluation is a pair (rough seconds of its rows, seconds).

    Attributes
    ----------
    begin : float
        Seconds before generation 0.
    first, last : list of evaluations
        Those of generation 0, a band each, and of the members in the end.
    generations : list of lists of evaluations
        Of each generation, a band each.
    here : float
        Seconds of a generation without its evaluations.
    n_bytes : float
        Of the data.
    more : float
        What evaluations take in slices over what they take in one piece.
    """

    begin: float
    first: list
    last: list
    generations: list
    here: float
    n_bytes: float
    more: float = 1.0

    def scaled(self, share):
        """The same search of a share of the samples, as long as it takes work in proportion."""
        first, last, *generations = ([(rough * share, seconds * share) for rough, seconds in each]
                                     for each in (self.first, self.last, *self.generations))
        return Banded(self.begin * share, first, last, generations, self.here, self.n_bytes * share, self.more)

    def seconds(self, n_generations):
        """Seconds of so many generations on one thread: those recorded, again and again."""
        mean = self.here + sum(seconds for each in self.generations for _, seconds in each) / len(self.generations)
        return self.begin + sum(seconds for _, seconds in (*self.first, *self.last)) + n_generations * mean

    def sliced(self, n_workers, n_searches=1):
        """True if generations go to the workers as slices, False if bands do as tasks: as `Objectives.worth_sending`
        says of so many searches at the same time."""
        mean = np.mean([rough.sum() for each in self.generations for rough, _ in each])
        return mean >= WORTH_SECONDS and n_searches * len(self.first) < n_workers


class Cluster:
    """Workers that searches in threads of one process send tasks to, as events in the order of time.

    Tasks are handed out one after the other, and what the process does itself is done in turns too.
    """

    def __init__(self, n_workers, way):
        self.n_workers, self.idle, self.way = n_workers, n_workers, way
        self.events, self.counter, self.waiting = [], itertools.count(), deque()
        self.now = self.handed_out = self.here = 0.0

    def run(self):
        """Seconds until all is done."""
        while self.events:
            self.now, _, happen = heapq.heappop(self.events)
            happen()
        return self.now

    def at(self, time, happen):
        heapq.heappush(self.events, (time, next(self.counter), happen))

    def locally(self, seconds, then):
        self.here = max(self.here, self.now) + seconds
        self.at(self.here, then)

    def gather(self, tasks, then):
        """Work on tasks of so many seconds, and go on after the last of them."""
        left = len(tasks)

        def done():
            nonlocal left
            left -= 1
            if not left:
                then()

        for seconds in tasks:
            self.handed_out = max(self.handed_out, self.now) + self.way.dispatch
            self.at(self.handed_out, partial(self.arrive, seconds, done))

    def arrive(self, seconds, done):
        self.waiting.append((seconds, done))
        self.start()

    def start(self):
        while self.idle and self.waiting:
            seconds, done = self.waiting.popleft()
            self.idle -= 1
            self.at(self.now + seconds, partial(self.leave, done))

    def leave(self, done):
        self.idle += 1
        self.start()
        self.at(self.now + self.way.trip, done)

    def search(self, banded, n_generations, every, n_searches=1):
        """Begin one of so many searches."""
        def evaluate(evaluations, then):
            if not evaluations:
                return then()
            tasks, _ = slices(*evaluations[0], self.n_workers, banded.more)
            return self.gather(tasks, lambda: evaluate(evaluations[1:], then))

        def follow(generation):
            n = min(every, n_generations - generation)
            some = [banded.generations[(generation + place) % len(banded.generations)] for place in range(n)]
            if not n:
                evaluate(banded.last, lambda: None)
            elif banded.sliced(self.n_workers, n_searches):
                evaluate(some[0], lambda: self.locally(banded.here, lambda: follow(generation + 1)))
            else:
                self.gather([sum(seconds for _, seconds in band) for band in reversed([*zip(*some, strict=True)])],
                            lambda: self.locally(n * banded.here, lambda: follow(generation + n)))

        def place():
            self.at(self.now + banded.n_bytes / self.way.bandwidth, lambda: evaluate(banded.first, lambda: follow(0)))

        self.locally(banded.begin, place)


def fits(searches, n_generations, every, n_workers, way):
    """Efficiency of a cross-fitted fit: the work of its searches over the time of all workers.

    Parameters
    ----------
    searches : sequence of Banded
        That on all samples first.
    n_generations, every : int
        Of each, and between migrations.
    n_workers : int
    way : Way

    Returns
    -------
    apart, beside : float
        If the search on all samples came first, on one worker, and then each of the others as one task; and as it is:
        all begin at once.
    """
    times = [search.seconds(n_generations) for search in searches]
    apart = times[0] + makespan(times[1:], [search.n_bytes for search in searches[1:]], n_workers, way)
    cluster = Cluster(n_workers, way)
    for search in searches:
        cluster.search(search, n_generations, every, len(searches))
    return sum(times) / n_workers / apart, sum(times) / n_workers / cluster.run()


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
