"""
Many machines
=============

A search can have its evaluations made elsewhere: under ``joblib.parallel_config`` of Dask, Ray, or any other backend
whose workers are not threads here.
The result is that of one thread, bit for bit, because every random number has an address in place of a turn.
Here two processes of joblib's own loky stand for the machines.
"""

# %%
# A backend of joblib for executors as those of ``concurrent.futures``: thirty lines, which do for any scheduler that
# has such an executor. With Dask this whole cell is ``joblib.parallel_config("dask")``.

import time

import joblib
import numpy as np
from joblib.externals.loky import get_reusable_executor
from joblib.parallel import ParallelBackendBase
from matplotlib import pyplot as plt
from sklearn.datasets import make_classification

from moeliga import Islands, MOELIGASelector

log = []


class ExecutorBackend(ParallelBackendBase):
    """Calls become tasks of an executor; `log` gets the beginning and the end of each."""

    default_n_jobs = -1

    def __init__(self, executor, n_workers, **options):
        super().__init__(**options)
        self.executor, self.n_workers = executor, n_workers

    def effective_n_jobs(self, n_jobs):
        return self.n_workers

    def submit(self, func, callback=None):
        begun, future = time.perf_counter(), self.executor.submit(func)
        future.get = future.result  # as joblib asks for it
        future.add_done_callback(lambda future: log.append((begun, time.perf_counter())))
        if callback is not None:
            future.add_done_callback(callback)
        return future

    apply_async = submit  # its name before joblib 1.5


# %%
# Four islands, populations that meet every two generations. Between two meetings each is a task for one worker.

X, y = make_classification(3000, 60, n_informative=8, random_state=0)
setting = {"honest": None, "islands": Islands(n=4, sizes=None, every=2), "population_size": 30, "n_generations": 4,
           "random_state": 0}
here = MOELIGASelector(**setting).fit(X, y)

workers = get_reusable_executor(max_workers=2)
joblib.register_parallel_backend("two", lambda **options: ExecutorBackend(workers, 2, **options))
with joblib.parallel_config("two"):
    there = MOELIGASelector(**setting).fit(X, y)
workers.shutdown()  # joblib would take these for its own

print("the same front:", np.array_equal(here.pareto_front_.objectives, there.pareto_front_.objectives))
print("tasks sent:", len(log) > 0)

# %%
# When the tasks were under way: between the meetings of the islands the workers need nothing from each other. The gaps
# are the meetings, and what this process does itself.

fig, ax = plt.subplots(figsize=(8, 2.6), layout="constrained")
begins, ends = np.array(sorted(log)).T
ax.barh(range(len(log)), ends - begins, left=begins - begins.min(), color="C0")
ax.set(xlabel="seconds", ylabel="task", title=f"{len(log)} tasks of two workers")
ax.invert_yaxis()
plt.show()

# %%
# It pays where a generation takes long; `Many machines <../cluster.html>`_ has numbers, and scripts for SLURM, MPI,
# Kubernetes, Dask and Ray. Searches of a cross-validation, and the folds of one fit, are independent and scale without
# loss.
