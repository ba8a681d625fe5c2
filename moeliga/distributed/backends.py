"""Transports to remote workers, one for each kind of joblib backend: they send calls and data, and return answers."""

import asyncio
import math
import time
from concurrent import futures
from contextlib import suppress

from joblib import Parallel, delayed, effective_n_jobs

from moeliga.base.budget import until_interrupted
from moeliga.distributed.worker import Reference, handle_call, worker_info

POLL_SECONDS = 0.25
"""Seconds between two checks of the budget while Dask is at work."""

LATE_FACTOR = 3
"""A call is late after this multiple of the time in which half of the calls returned: equal workers need at most 2."""


class JoblibTransport:
    """Sends calls through any backend of joblib; after an answer "missing" the data go with the calls."""

    handle = None  # `payload` of each call once data are shared: Reference, future of Dask, or None without a store
    min_workers = 2  # with a single worker joblib would do the work in this process

    def __init__(self, n_jobs):
        self.n_jobs = n_jobs
        # no memory-mapped files: the workers may be on other machines
        self.pool = Parallel(n_jobs=n_jobs, batch_size=1, pre_dispatch="2*n_jobs", max_nbytes=None).__enter__()

    def n_workers(self):
        """Return the number of calls that can run at the same time: int >= 1."""
        return max(1, effective_n_jobs(self.n_jobs))

    def worker_infos(self):
        """Return `worker_info` of each worker, as far as the backend can address them: list of tuples."""
        return []

    def share(self, ground, check):
        """Copy the data to a store of the backend, if it has one; `check` as for `answers`."""

    def answers(self, calls, check):
        """Return the answers of `handle_call` to calls, tuples of its arguments: list of tuples, in the same order.

        `check` is called meanwhile, and raises Interrupted if the search must stop.
        """
        found = self.pool(delayed(handle_call)(*call) for call in until_interrupted(calls, check))
        check()
        return found

    def close(self):
        """Release the workers."""
        self.pool.__exit__(None, None, None)


class RayTransport(JoblibTransport):
    """Sends calls through Ray's backend; the workers of a machine share one copy of the data, in its object store."""

    def share(self, ground, check):
        import ray

        self.handle = Reference(ray.put(ground))


class DaskTransport:
    """Sends calls as tasks of Dask, by the client of joblib's backend: it knows the workers and can cancel tasks."""

    handle, min_workers = None, 1

    def __init__(self, backend):
        self.client, self.options = backend.client, backend.submit_kwargs
        self.timeout = backend.wait_for_workers_timeout
        if self.client.status == "closed":
            raise ConnectionError("the client of Dask is closed")

    def n_workers(self):
        """Return the number of threads of all workers, 1 without any, as Dask may start some on demand: int >= 1."""
        return max(1, sum(self.client.ncores().values()))

    def worker_infos(self):
        return list(self.client.run(worker_info).values())

    def share(self, ground, check):
        """Copy the data to one worker, from which the others fetch them; TimeoutError if joblib's timeout passes first.

        If a worker is lost meanwhile, which Dask may notice late, the copy begins again. A broadcast to all workers
        would not do: if one is lost, Dask's scheduler never ends it, and serves no other copy.
        """
        while True:
            workers = self.workers(check)
            copying = asyncio.run_coroutine_threadsafe(
                self.client.scatter(ground, hash=False, asynchronous=True), self.client.loop.asyncio_loop)
            while not copying.done() and workers <= set(self.client.ncores()):
                check()
                futures.wait([copying], timeout=POLL_SECONDS)
            if copying.done():
                self.handle = copying.result()
                return
            copying.cancel()

    def workers(self, check):
        """Wait for a worker, and return the addresses of all: set of str."""
        begun = time.monotonic()
        while not self.client.ncores():
            check()
            if self.timeout and time.monotonic() - begun > self.timeout:
                raise TimeoutError(f"no worker of Dask for {self.timeout} seconds")
            time.sleep(POLL_SECONDS)
        return set(self.client.ncores())

    def answers(self, calls, check):
        """Return the answers of `handle_call`; Dask raises an error if the last worker is lost, and the data with it.

        A late call is submitted a second time, for an idle worker, since the first worker may be slow or hang. The
        first answer is taken; the second would be the same.
        """
        from distributed import Future, wait

        attempts, begun, late_at = [[self.submit(call)] for call in calls], time.monotonic(), None
        try:
            while pending := [place for place, tasks in enumerate(attempts) if not any(map(Future.done, tasks))]:
                check()
                seconds = time.monotonic() - begun
                if late_at is None and 2 * len(pending) <= len(calls):
                    late_at = LATE_FACTOR * seconds
                if late_at is not None and seconds > late_at:
                    late_at = math.inf
                    for place in pending:
                        attempts[place].append(self.submit(calls[place], priority=-1))  # after all waiting calls
                with suppress(TimeoutError):
                    wait([future for place in pending for future in attempts[place]], timeout=POLL_SECONDS)
            return self.client.gather([next(filter(Future.done, tasks)) for tasks in attempts])
        finally:
            if dropped := [future for tasks in attempts for future in tasks if not future.done()]:
                with suppress(Exception):  # the scheduler may be lost
                    self.client.cancel(dropped)

    def submit(self, call, **options):
        """Return a future of the answer to a call."""
        return self.client.submit(handle_call, *call, pure=False, **{**self.options, **options})

    def close(self):
        """Release the data; the client is the user's."""
        self.handle = None


def serves_threads(backend):
    """Return True for a backend of joblib that searches in several threads can use at the same time: Dask's."""
    return hasattr(getattr(backend, "client", None), "scatter")


def transport_for(backend, n_jobs):
    """Return the transport for a backend of joblib."""
    if serves_threads(backend):
        return DaskTransport(backend)
    if type(backend).__module__.startswith("ray."):
        return RayTransport(n_jobs)
    return JoblibTransport(n_jobs)
