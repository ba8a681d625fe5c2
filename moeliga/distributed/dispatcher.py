"""Workers elsewhere, on other machines: those of an enclosing `joblib.parallel_config("dask")`, "ray" and the like.

What they are sent are slices of a generation. A slice holds chromosomes and addresses of random numbers, so its values
are the same wherever, whenever and however often it is evaluated: neither the number of workers nor the way a
generation is cut, nor a worker that dies and whose slice another one takes, changes a bit of the result.

The data set goes to each worker once, in the way that the backend has for it: Dask keeps it on its workers, Ray in the
store of each machine. For any other backend, which can do no more than call a function and bring back what it returns,
it travels on demand: a slice names it by a fingerprint, a worker that does not hold it says so, and the slices that
came back are sent again with the data. A worker that joins late is served like the first.
"""

import sys
import warnings
from contextlib import contextmanager

import numpy as np

from moeliga.base.memory import size
from moeliga.distributed.backends import transport_for
from moeliga.distributed.worker import own_version, values

WORTH_SECONDS = 0.25
"""An evaluation that takes less here, by a rough count, is not sent: the way there and back takes a tenth of it."""

LEAST_SECONDS, MOST_SECONDS = 0.05, 1.0
"""Work of a slice, by the same count: not so little that the way costs more than the work, nor so much that a limit of
time is noticed late."""

MOST_GENERATIONS = 20
"""Of an island that evolves elsewhere without a word: callbacks and checkpoints wait so long."""

BATCHES = 2
"""Slices for each worker: the second is there when the first is done."""

ATTEMPTS = 3
"""Failures of the backend in one evaluation, after which the search goes on without it."""


class WorkerError(RuntimeError):
    """Workers that cannot take part, and will not by themselves."""


def runs_remotely(n_jobs):
    """Whether the work of a fit goes to workers elsewhere.

    Parameters
    ----------
    n_jobs : int or None
        Of the selector; 1 keeps the work here.

    Returns
    -------
    there : bool
        True where an enclosing `joblib.parallel_config` names a backend that is not one of joblib's own for this
        machine ("loky", "multiprocessing", "threading", "sequential"): here, threads do the same with less. False in
        a task of such a backend, which is one of many that share the workers.
    """
    parallel = sys.modules.get("joblib.parallel")
    if n_jobs == 1 or parallel is None:
        return False
    backend, configured = parallel.get_active_backend()
    own = (parallel.LokyBackend, parallel.MultiprocessingBackend, parallel.SequentialBackend, parallel.ThreadingBackend)
    shared = getattr(backend, "supports_sharedmem", False)
    if type(backend) in own or shared or backend.nesting_level or in_task_of_dask():
        return False
    wanted = [number for number in (n_jobs, configured, backend.default_n_jobs) if number is not None]
    return wanted[0] != 1


def in_task_of_dask():
    """Whether this thread is a worker of Dask, by the sign that joblib goes by."""
    utilities = sys.modules.get("distributed.utils")
    return hasattr(getattr(utilities, "thread_state", None), "execution_state")


class Remote:
    """Evaluates subsets by workers elsewhere.

    Parameters
    ----------
    payload : Payload
    n_jobs : int or None
        For joblib.
    """

    def __init__(self, payload, n_jobs):
        self.payload = payload
        self.n_jobs = n_jobs
        self.version = own_version()
        self.transport = None
        self.lost = False

    @property
    def n_workers(self):
        """Slices that are evaluated at the same time: int >= 1."""
        from joblib import effective_n_jobs

        return max(1, effective_n_jobs(self.n_jobs))

    @contextmanager
    def workers(self):
        """Context at whose end the workers are let go."""
        try:
            yield
        finally:
            self.close()

    def close(self):
        """Let the workers go; the next evaluation takes them up again."""
        transport, self.transport = self.transport, None
        if transport is not None:
            transport.close()

    def set_payload(self, payload):
        """Evaluate on another data set from now on; None = there is none yet."""
        if self.transport is not None:
            self.close()
        self.payload = payload

    def open(self, check):
        """Take up the workers, and place the data."""
        from joblib.parallel import get_active_backend

        if self.transport is None:
            self.transport = transport_for(get_active_backend()[0], self.n_jobs)
            for worker, version, n_free in self.transport.worker_infos():
                if version != self.version:
                    self.raise_refusal("version", worker, version)
                self.check_memory(worker, n_free)
            self.transport.share(self.payload, check)

    def evaluate(self, seconds, bits, features, individuals, common, budget):
        """Evaluate every row of `bits`; see `Evaluator.evaluate`.

        Parameters
        ----------
        seconds : ndarray of float64, shape (n,)
            Of each row on one thread, by a rough count.
        common : tuple
            Further arguments of `Evaluator.evaluate`, without the number of threads.
        budget : Budget

        Returns
        -------
        values : (score, separability), or None; see `ask`
        """
        some = None if len(features) == self.payload.dataset.n_features else features
        parts = []

        def jobs(n_workers):
            parts[:] = split_by_work(np.argsort(-seconds, kind="stable"), n_slices(seconds.sum(), n_workers))
            return [(bits[rows], some, individuals[rows], *common) for rows in parts]

        found = self.ask(values, jobs, budget)
        if found is None:
            return None
        score, separability = np.empty((len(bits), found[0][0].shape[1])), np.empty(len(bits))
        for rows, (some_scores, some_separability) in zip(parts, found, strict=True):
            score[rows], separability[rows] = some_scores, some_separability
        return score, separability

    def ask(self, function, jobs, budget):
        """Have workers call a function.

        Parameters
        ----------
        function : function of a module, see `work`
        jobs : callable
            From the number of workers to a list of arguments, one for each call.
        budget : Budget

        Returns
        -------
        results : list, or None
            None: the workers are lost, or too few, and the work is still to be done.

        Raises
        ------
        WorkerError : if a worker has no moeliga, or another version.
        MemoryError : if a worker has too little memory for the data set.

        Warns
        -----
        RuntimeWarning : when the workers are lost.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with budget.immediately():
                    return self.attempt(function, jobs, budget.check)
            except BaseException as error:  # Dask's CancelledError is no Exception
                self.handle_failure(error, attempt)
        return None

    def handle_failure(self, error, attempt):
        """Give up what is under way after an error; raises those that trying again does not help against."""
        try:
            self.close()
        except Exception:  # of a backend that is no longer there
            self.transport = None
        if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit | MemoryError | WorkerError):
            raise error
        lacking = missing_module(error)
        if lacking:
            raise WorkerError(f"workers must have moeliga {self.version} and what it needs, but one of them, or the "
                              f"scheduler, has not: {lacking}") from error
        if attempt == ATTEMPTS:
            self.lost = True
            warnings.warn("the workers are lost, the search goes on in this process and finds the same: "
                          f"{type(error).__name__}: {error}", RuntimeWarning, stacklevel=2)

    def attempt(self, function, jobs, check):
        """`ask`, once; any error."""
        self.open(check)
        n_workers = self.transport.n_workers()
        if n_workers < self.transport.min_workers:
            return None
        jobs = jobs(n_workers)
        results = [None] * len(jobs)
        waiting, payload = list(range(len(jobs))), self.transport.handle
        while waiting:
            # as many take the data along as there are workers; after them the others may find what they need
            sent = waiting if payload is not self.payload else waiting[:n_workers]
            answers = self.transport.answers(
                [(self.version, self.payload.fingerprint, function, jobs[place], payload) for place in sent], check)
            missing = []
            for place, (word, *said) in zip(sent, answers, strict=True):
                if word == "missing":
                    self.check_memory(*said)
                    missing.append(place)
                elif word == "result":
                    results[place], = said
                else:
                    self.raise_refusal(word, *said)
            waiting = missing + waiting[len(sent):]
            payload = self.payload if missing else self.transport.handle
        return results

    def check_memory(self, worker, n_free):
        """Raise MemoryError if a worker has not the memory to hold the data set."""
        n_bytes = self.payload.n_bytes
        if n_free is not None and n_free < n_bytes:
            raise MemoryError(f"each worker needs {size(n_bytes)} of memory for the coded data, and "
                              f"{size(max(0, n_free))} are free at {worker}")

    def raise_refusal(self, word, worker, said):
        """Raise what a worker has complained of."""
        if word == "memory":
            raise MemoryError(f"a worker has too little memory, {worker}: {said}")
        raise WorkerError(f"workers must have moeliga {self.version}, as here, got {said} at {worker}")


def n_slices(seconds, n_workers):
    """Slices to cut an evaluation of so many seconds into: int >= 1."""
    return max(1, min(BATCHES * n_workers, int(seconds / LEAST_SECONDS)), int(np.ceil(seconds / MOST_SECONDS)))


def split_by_work(rows, n):
    """Rows in at most `n` parts of about the same work: list of ndarrays, none of them empty.

    Every so-many-th row goes to the same part: `rows` are in order of their work.
    """
    n = max(1, min(n, len(rows)))
    return [rows[place::n] for place in range(n)]


def missing_module(error):
    """What an error, or one that it came from, says of a missing module; None if it is of another kind."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ModuleNotFoundError) or "No module named" in str(error):
            return str(error)
        error = error.__cause__ or error.__context__
    return None
