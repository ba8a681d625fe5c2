"""A backend of joblib whose workers are close by."""

import threading
from contextlib import contextmanager

from joblib import parallel_config
from joblib.parallel import ThreadingBackend


class ThreadBackend(ThreadingBackend):
    """Workers that are threads of this process, and seem to be elsewhere; as many as there are, as with Dask."""

    supports_sharedmem = False
    default_n_jobs = -1
    n_workers = 2

    def effective_n_jobs(self, n_jobs):
        return self.n_workers

    def configure(self, n_jobs=1, parallel=None, **options):
        self.parallel, self._n_jobs = parallel, self.n_workers
        return self.n_workers


class LostBackend(ThreadBackend):
    """Workers that are lost, or will be, as Dask's are when its client is closed."""

    n_workers = 3

    def __init__(self, lost=False, **options):
        super().__init__(**options)
        self.lost = lost

    def effective_n_jobs(self, n_jobs):
        if self.lost:
            raise AttributeError("'NoneType' object has no attribute 'ncores'")
        return self.n_workers

    def configure(self, n_jobs=1, parallel=None, **options):
        self.effective_n_jobs(n_jobs)
        return super().configure(n_jobs, parallel, **options)

    def submit(self, func, callback=None):
        self.begin()
        return super().submit(func, callback)

    def apply_async(self, func, callback=None):  # of joblib before 1.5
        self.begin()
        return super().apply_async(func, callback)

    def begin(self):
        if threading.current_thread() is threading.main_thread():  # joblib waits for ever for what others cannot begin
            self.effective_n_jobs(-1)


@contextmanager
def everything_sent(monkeypatch, backend=None):
    """Context in which such workers evaluate all generations, however small."""
    with monkeypatch.context() as patch, parallel_config(backend or ThreadBackend()):
        patch.setattr("moeliga.evaluation.objectives.WORTH_SECONDS", 0.0)
        patch.setattr("moeliga.distributed.dispatcher.LEAST_SECONDS", 1e-9)
        yield
