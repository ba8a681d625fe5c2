"""A backend of joblib for any executor of `concurrent.futures`."""

from joblib.parallel import ParallelBackendBase


class ExecutorBackend(ParallelBackendBase):
    """Calls become tasks of an executor.

    Parameters
    ----------
    executor : concurrent.futures.Executor
    n_workers : int
    """

    default_n_jobs = -1

    def __init__(self, executor, n_workers, **options):
        super().__init__(**options)
        self.executor = executor
        self.n_workers = n_workers

    def effective_n_jobs(self, n_jobs):
        return self.n_workers

    def submit(self, func, callback=None):
        future = self.executor.submit(func)
        future.get = future.result  # as joblib asks for it
        if callback is not None:
            future.add_done_callback(callback)
        return future

    apply_async = submit  # its name before joblib 1.5
