"""A backend of joblib whose workers are close by."""

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


@contextmanager
def everything_sent(monkeypatch):
    """Context in which such workers evaluate all generations, however small."""
    with monkeypatch.context() as patch, parallel_config(ThreadBackend()):
        patch.setattr("moeliga.evaluation.objectives.WORTH_SECONDS", 0.0)
        patch.setattr("moeliga.distributed.dispatcher.LEAST_SECONDS", 1e-9)
        yield
