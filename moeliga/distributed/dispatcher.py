"""Evaluation by the remote workers of an enclosing `joblib.parallel_config("dask")`, "ray" and the like.

An evaluation is cut into slices. A slice holds chromosomes and addresses of random numbers, so its values are the same
wherever, whenever and however often it is evaluated: no bit of the result depends on the number of workers, on the
slices, or on workers that die.

The data set goes to each worker once. Dask keeps it on its workers, Ray in the store of each machine. Other backends
only call functions: there each slice names the data set by a fingerprint, a worker without it answers "missing", and
its slices are sent again with the data. The same is done for workers that join late.
"""

import sys
import weakref
from contextlib import closing, suppress

import numpy as np
from joblib import parallel

from moeliga.base.memory import size
from moeliga.base.threads import LOCAL_BACKENDS, n_joblib_workers
from moeliga.base.versions import own_version
from moeliga.base.warning_filters import warn
from moeliga.distributed.backends import serves_threads, transport_for
from moeliga.distributed.worker import evaluate_slice

WORTH_SECONDS = 0.25
"""Least seconds of an evaluation in this process for which it is sent: the transfer takes a tenth of that."""

LEAST_SECONDS, MOST_SECONDS = 0.05, 1.0
"""Estimated seconds of a slice: enough to outweigh the transfer, few enough to keep a time limit."""

MOST_GENERATIONS = 20
"""Most generations of an island in one task: callbacks and checkpoints wait for all of them."""

SLICES_PER_WORKER = 2
"""Slices sent to each worker: the second waits there while the first is evaluated."""

ATTEMPTS = 3
"""Attempts to get one evaluation done by the workers; after the last failure the search goes on without them."""


class WorkerError(RuntimeError):
    """Raised for workers that cannot take part, for a reason that another attempt does not remove."""


def runs_remotely(n_jobs):
    """Return True if a fit with `n_jobs` sends work to remote workers.

    It does inside a `joblib.parallel_config` with a backend other than joblib's own, in place of which threads of this
    process are used. It does not with n_jobs=1, nor in a task of such a backend, whose workers have other tasks.
    """
    if n_jobs == 1:
        return False
    backend, configured = parallel.get_active_backend()
    shared = getattr(backend, "supports_sharedmem", False)
    # joblib recognises a task of Dask by the same attribute
    dask_thread = getattr(sys.modules.get("distributed.utils"), "thread_state", None)
    if type(backend) in LOCAL_BACKENDS or shared or backend.nesting_level or hasattr(dask_thread, "execution_state"):
        return False
    wanted = [number for number in (n_jobs, configured, backend.default_n_jobs) if number is not None]
    return wanted[0] != 1


class Remote:
    """Sends evaluations on a `Ground` to remote workers; `lost` is True after `ATTEMPTS` failures of one evaluation."""

    def __init__(self, n_jobs):
        self.n_jobs = n_jobs
        self.n_searches = 1  # number of searches that send work to these workers at the same time
        self.version = own_version()
        self.transport, self.shared = None, lambda: None  # weak reference to the Ground that the workers have
        self.lost = False

    @property
    def n_workers(self):
        """The number of slices that are evaluated at the same time: int >= 1; 1 if the workers are lost."""
        return max(1, n_joblib_workers(self.n_jobs, 1))

    @property
    def serves_threads(self):
        """True if searches in several threads can send work at the same time."""
        return serves_threads(parallel.get_active_backend()[0])

    def workers(self):
        """Return a context that releases the workers at its end."""
        return closing(self)

    def close(self):
        """Release the workers; the next evaluation connects again."""
        transport, self.transport = self.transport, None
        if transport is not None:
            transport.close()

    def open(self, ground, check):
        """Connect to the workers and share the data with them, unless done; `check` raises Interrupted to stop this."""
        if self.shared() is not ground:
            self.close()
        if self.transport is None:
            self.transport = transport_for(parallel.get_active_backend()[0], self.n_jobs)
            for worker, version, n_free in self.transport.worker_infos():
                if version != self.version:
                    self.raise_refusal("version", worker, version)
                check_memory(ground, worker, n_free)
            self.transport.share(ground, check)
            self.shared = weakref.ref(ground)

    def evaluate(self, ground, seconds, subsets, individuals, common, budget):
        """Return (score, separability) of subsets, see `Evaluator.evaluate`; None if `call_workers` returns None.

        `seconds`, ndarray of shape (n,), are the estimates for each subset on one thread; `common` are the arguments
        of `Evaluator.evaluate` between `individuals` and the number of threads.
        """
        positions = None if subsets.n_positions == ground.n_features else subsets.positions
        parts = []

        def jobs(n_workers):
            parts[:] = split_by_work(np.argsort(-seconds, kind="stable"), n_slices(seconds.sum(), n_workers))
            return [(subsets.bits[rows], positions, individuals[rows], *common) for rows in parts]

        found = self.call_workers(ground, evaluate_slice, jobs, budget)
        if found is None:
            return None
        score, separability = np.empty((len(subsets), found[0][0].shape[1])), np.empty(len(subsets))
        for rows, part in zip(parts, found, strict=True):
            score[rows], separability[rows] = part
        return score, separability

    def call_workers(self, ground, function, jobs, budget):
        """Return the results of calls of a function, see `handle_call`, by workers that have a Ground: list.

        `jobs` is called with the number of workers, and returns the arguments of all calls: list of tuples. None if
        there are too few workers, or if they are lost, which is a RuntimeWarning. WorkerError if a worker has no
        moeliga or another version, MemoryError if its memory is too small for the data.
        """
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with budget.interruptible():
                    return self.attempt(ground, function, jobs, budget.check)
            except BaseException as error:  # Dask's CancelledError is no Exception
                self.handle_failure(error, attempt)
        return None

    def handle_failure(self, error, attempt):
        """Disconnect after an error; raise it if another attempt cannot help, warn if this was the last attempt."""
        with suppress(Exception):  # the backend may be gone
            self.close()
        if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit | MemoryError | WorkerError):
            raise error
        lacking = missing_module(error)
        if lacking:
            raise WorkerError(f"workers must have moeliga {self.version} and its dependencies, but on one of them, or "
                              f"on the scheduler, a package is missing: {lacking}") from error
        if attempt == ATTEMPTS:
            self.lost = True
            warn("the workers are lost, the search goes on in this process and finds the same: "
                 f"{type(error).__name__}: {error}", RuntimeWarning)

    def attempt(self, ground, function, jobs, check):
        """Return the results as `call_workers` does; errors of the backend and of the workers are raised."""
        self.open(ground, check)
        n_workers = self.transport.n_workers()
        if n_workers < self.transport.min_workers:
            return None
        jobs = jobs(n_workers)
        results = [None] * len(jobs)
        waiting, payload = list(range(len(jobs))), self.transport.handle
        while waiting:
            # only one call for each worker carries the data: the next calls find them there
            sent = waiting if payload is not ground else waiting[:n_workers]
            answers = self.transport.answers(
                [(self.version, ground.fingerprint, function, jobs[place], payload) for place in sent], check)
            missing = []
            for place, (status, *details) in zip(sent, answers, strict=True):
                if status == "missing":
                    check_memory(ground, *details)
                    missing.append(place)
                elif status == "result":
                    results[place], = details
                else:
                    self.raise_refusal(status, *details)
            waiting = missing + waiting[len(sent):]
            payload = ground if missing else self.transport.handle
        return results

    def raise_refusal(self, status, worker, details):
        """Raise the error that stands for an answer "memory" or "version" of `handle_call`."""
        if status == "memory":
            raise MemoryError(f"a worker has too little memory, {worker}: {details}")
        raise WorkerError(f"workers must have moeliga {self.version}, as here, got {details} at {worker}")


def check_memory(ground, worker, n_free):
    """Raise MemoryError if the data set needs more than `n_free` bytes of a worker; None = unknown."""
    if n_free is not None and n_free < ground.n_bytes:
        raise MemoryError(f"each worker needs {size(ground.n_bytes)} of memory for the coded data, and "
                          f"{size(max(0, n_free))} are free at {worker}")


def n_slices(seconds, n_workers):
    """Return the number of slices for an evaluation that takes `seconds` on one thread: int >= 1."""
    most = min(SLICES_PER_WORKER * n_workers, int(seconds / LEAST_SECONDS))
    return max(1, most, int(np.ceil(seconds / MOST_SECONDS)))


def split_by_work(rows, n):
    """Deal rows, sorted by their work, into at most `n` parts of about equal work: list of non-empty ndarrays."""
    n = max(1, min(n, len(rows)))
    return [rows[place::n] for place in range(n)]


def missing_module(error):
    """Return the message of the error, or of one of its causes, about a missing module: str; None without any."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ModuleNotFoundError) or "No module named" in str(error):
            return str(error)
        error = error.__cause__ or error.__context__
    return None
