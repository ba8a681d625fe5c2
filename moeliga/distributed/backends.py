"""Transports to workers elsewhere: how they are called, and how the data get to them."""

import math
import time
from contextlib import suppress

from moeliga.base.budget import Interrupted
from moeliga.distributed.worker import Reference, work, worker_info

POLL_SECONDS = 0.25
"""How often the budget is asked while Dask is at work."""

LATE_FACTOR = 3
"""Times as long as half of the calls took: what is not back then is late. With equal workers all is back after twice as
long, or sooner."""


class JoblibTransport:
    """Calls by any backend of joblib. The data travel with the calls of workers that ask for them.

    Parameters
    ----------
    n_jobs : int or None

    Attributes
    ----------
    handle : Reference, future of Dask or None
        What every call takes along for the data.
    min_workers : int
        Workers that are of use: a single one is not, joblib would do its work here.
    """

    handle, min_workers = None, 2

    def __init__(self, n_jobs):
        from joblib import Parallel

        self.n_jobs = n_jobs
        # no maps of files: they would have to be on the machine of the worker
        self.pool = Parallel(n_jobs=n_jobs, batch_size=1, pre_dispatch="2*n_jobs", max_nbytes=None).__enter__()

    def n_workers(self):
        """Calls that are under way at the same time: int >= 1."""
        from joblib import effective_n_jobs

        return max(1, effective_n_jobs(self.n_jobs))

    def worker_infos(self):
        """What the workers say of themselves, see `worker_info`: those that can all be asked."""
        return []

    def share(self, payload, check):
        """Put the data where the backend has a place for them; `check` as for `answers`."""

    def answers(self, calls, check):
        """What `work` answers to calls.

        Parameters
        ----------
        calls : list of tuples
            Arguments of `work`.
        check : callable
            Raises Interrupted if it must be cut short.
        """
        from joblib import delayed

        def until_interrupted():  # joblib takes calls as workers become free, and must not be left in between
            for call in calls:
                try:
                    check()
                except Interrupted:
                    return
                yield delayed(work)(*call)

        found = self.pool(until_interrupted())
        check()
        return found

    def close(self):
        """Let the workers go."""
        self.pool.__exit__(None, None, None)


class RayTransport(JoblibTransport):
    """The same for Ray's backend: the data are in the store of each machine, where its workers share them."""

    def share(self, payload, check):
        """See `JoblibTransport.share`."""
        import ray

        self.handle = Reference(ray.put(payload))


class DaskTransport:
    """Calls as tasks of Dask, by the client of joblib's backend: it can be asked who is there, and be left at any time.

    Parameters
    ----------
    backend : joblib's backend "dask"
    """

    handle, min_workers = None, 1

    def __init__(self, backend):
        self.client, self.options = backend.client, backend.submit_kwargs
        self.patience = backend.wait_for_workers_timeout

    def n_workers(self):
        """See `JoblibTransport.n_workers`. Without any there may be some soon: calls that wait ask for them."""
        return max(1, sum(self.client.ncores().values()))

    def worker_infos(self):
        """See `JoblibTransport.worker_infos`."""
        return list(self.client.run(worker_info).values())

    def share(self, payload, check):
        """See `JoblibTransport.share`. Dask copies them to workers that come later, too.

        Raises
        ------
        TimeoutError : if there is no worker for as long as joblib would wait for the first one.
        """
        begun = time.monotonic()
        while not self.client.ncores():
            check()
            if self.patience and time.monotonic() - begun > self.patience:
                raise TimeoutError(f"no worker of Dask for {self.patience} seconds")
            time.sleep(POLL_SECONDS)
        self.handle = self.client.scatter(payload, broadcast=True, hash=False)

    def answers(self, calls, check):
        """See `JoblibTransport.answers`. When the last worker goes, so do the data, and Dask gives up what needs them.

        Calls that are late are made once more, so that a worker that is slow, or hangs, is not waited for: Dask gives
        them to those that have nothing to do. The first answer counts; the other one would be the same.
        """
        from distributed import Future, wait

        attempts, begun, late_at = [[self.submit(call)] for call in calls], time.monotonic(), None
        try:
            while left := [place for place, futures in enumerate(attempts) if not any(map(Future.done, futures))]:
                check()
                seconds = time.monotonic() - begun
                if late_at is None and 2 * len(left) <= len(calls):
                    late_at = LATE_FACTOR * seconds
                if late_at is not None and seconds > late_at:
                    late_at = math.inf
                    for place in left:
                        attempts[place].append(self.submit(calls[place]))
                with suppress(TimeoutError):
                    wait([future for place in left for future in attempts[place]], timeout=POLL_SECONDS)
            return self.client.gather([next(filter(Future.done, futures)) for futures in attempts])
        finally:
            if dropped := [future for futures in attempts for future in futures if not future.done()]:
                with suppress(Exception):  # of a scheduler that is lost
                    self.client.cancel(dropped)

    def submit(self, call):
        """A future of the answer to a call."""
        return self.client.submit(work, *call, pure=False, **self.options)

    def close(self):
        """See `JoblibTransport.close`."""
        self.handle = None


def transport_for(backend, n_jobs):
    """The transport for a backend of joblib."""
    if hasattr(getattr(backend, "client", None), "scatter"):
        return DaskTransport(backend)
    if type(backend).__module__.startswith("ray."):
        return RayTransport(n_jobs)
    return JoblibTransport(n_jobs)
