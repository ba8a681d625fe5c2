"""Transports to remote workers, one for each kind of joblib backend: they send calls and data, and return answers."""

import asyncio
import math
import time
from concurrent import futures
from contextlib import suppress

from joblib import Parallel, delayed, effective_n_jobs

from moeliga.base.budget import until_interrupted
from moeliga.distributed.worker import Reference, work, worker_info

POLL_SECONDS = 0.25
"""Seconds between two checks of the budget while Dask is at work."""

LATE_FACTOR = 3
"""A call is late after this multiple of the time in which half of the calls returned: equal workers need at most 2."""


class JoblibTransport:
    """Calls through any backend of joblib; the data go with calls to workers that have answered "missing"."""

    handle = None  # argument of each call that stands for shared data: Reference, future of Dask or None
    min_workers = 2  # with a single worker joblib would do the work in this process

    def __init__(self, n_jobs):
        self.n_jobs = n_jobs
        # no memory-mapped files: the workers may be on other machines
        self.pool = Parallel(n_jobs=n_jobs, batch_size=1, pre_dispatch="2*n_jobs", max_nbytes=None).__enter__()

    def n_workers(self):
        """Return the number of calls that can run at the same time: int >= 1."""
        return max(1, effective_n_jobs(self.n_jobs))

    def worker_infos(self):
        """Return `worker_info` of each worker that the backend can address: list of tuples."""
        return []

    def share(self, ground, check):
        """Copy the data to a store of the backend, if it has one; `check` as for `answers`."""

    def answers(self, calls, check):
        """Return the answers of `work` to calls, which are tuples of its arguments: list of tuples.

        `check` raises Interrupted if the calls must be cut short.
        """
        found = self.pool(delayed(work)(*call) for call in until_interrupted(calls, check))
        check()
        return found

    def close(self):
        """Release the workers."""
        self.pool.__exit__(None, None, None)


class RayTransport(JoblibTransport):
    """Calls through Ray's backend; the workers of a machine share one copy of the data, in its object store."""

    def share(self, ground, check):
        import ray

        self.handle = Reference(ray.put(ground))


class DaskTransport:
    """Calls as tasks of Dask, through the client of joblib's backend: it knows the workers and can be interrupted."""

    handle, min_workers = None, 1

    def __init__(self, backend):
        self.client, self.options = backend.client, backend.submit_kwargs
        self.patience = backend.wait_for_workers_timeout
        if self.client.status == "closed":
            raise ConnectionError("the client of Dask is closed")

    def n_workers(self):
        """Return the number of threads of all workers, but 1 if there are none yet: Dask may start some on demand."""
        return max(1, sum(self.client.ncores().values()))

    def worker_infos(self):
        return list(self.client.run(worker_info).values())

    def share(self, ground, check):
        """Give the data to a worker, from which others fetch them; raise TimeoutError if there is none in joblib's
        timeout.

        Begins again where a worker is lost meanwhile, which Dask may notice late. Not by broadcast: where a worker is
        lost Dask's scheduler goes on for ever with that, whatever the client does, and copies for nobody else.
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
        """Return the addresses of the workers, once there is one: set of str."""
        begun = time.monotonic()
        while not self.client.ncores():
            check()
            if self.patience and time.monotonic() - begun > self.patience:
                raise TimeoutError(f"no worker of Dask for {self.patience} seconds")
            time.sleep(POLL_SECONDS)
        return set(self.client.ncores())

    def answers(self, calls, check):
        """Return the answers of `work`; raise an error of Dask if the last worker is lost, and the data with it.

        Late calls are made a second time, by an idle worker, in case the first is slow or hangs. The first answer
        counts; the other would be the same.
        """
        from distributed import Future, wait

        attempts, begun, late_at = [[self.submit(call)] for call in calls], time.monotonic(), None
        try:
            while left := [place for place, made in enumerate(attempts) if not any(map(Future.done, made))]:
                check()
                seconds = time.monotonic() - begun
                if late_at is None and 2 * len(left) <= len(calls):
                    late_at = LATE_FACTOR * seconds
                if late_at is not None and seconds > late_at:
                    late_at = math.inf
                    for place in left:
                        attempts[place].append(self.submit(calls[place], priority=-1))  # after all that wait
                with suppress(TimeoutError):
                    wait([future for place in left for future in attempts[place]], timeout=POLL_SECONDS)
            return self.client.gather([next(filter(Future.done, made)) for made in attempts])
        finally:
            if dropped := [future for made in attempts for future in made if not future.done()]:
                with suppress(Exception):  # of a scheduler that is lost
                    self.client.cancel(dropped)

    def submit(self, call, **options):
        """Return a future of the answer to a call."""
        return self.client.submit(work, *call, pure=False, **{**self.options, **options})

    def close(self):
        """Release the data."""
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
