"""The functions that run on a remote worker: they keep data sets in memory, and call functions on them."""

import os
import platform
import threading
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from moeliga._ext import evaluate, tree
from moeliga.base.memory import limits
from moeliga.base.versions import own_version
from moeliga.data.ground import Ground

KEPT = 2
"""Number of data sets that a worker keeps, the last ones used: one for each of two searches that alternate."""


@dataclass(frozen=True)
class Reference:
    """A `Ground` in Ray's object store, of which each machine has one."""

    object_ref: object  # ray.ObjectRef

    def load(self):
        """Return the Ground, its arrays shared by all workers of the machine."""
        import ray

        return ray.get(self.object_ref)


class WorkerState:
    """A `Ground` in the memory of this process, and idle copies of it, each with an evaluator of its own."""

    def __init__(self, ground):
        self.source = ground
        self.fitting = ground.fresh(tree.LEVEL)  # this processor may have less than that of the search
        self.idle = []

    @contextmanager
    def ground(self):
        """Context with a `Ground` whose evaluator no other thread uses."""
        try:
            taken = self.idle.pop()
        except IndexError:
            taken = self.fitting.fresh()
        yield taken
        self.idle.append(taken)


class Store:
    """The `KEPT` states of this process that were used last."""

    def __init__(self):
        self.lock = threading.Lock()
        self.states = {}  # by fingerprint, the last used one at the end

    def get(self, fingerprint, payload):
        """Return the `WorkerState` of a data set, or None if it is neither here nor given as Ground or Reference.

        A given Ground replaces the one held here: Dask keeps it in memory anyway, so there is only one copy.
        """
        with self.lock:
            state = self.states.pop(fingerprint, None)
            if isinstance(payload, Ground) and (state is None or state.source is not payload):
                state = WorkerState(payload)
            elif state is None and payload is not None:
                state = WorkerState(payload.load())
            if state is not None:
                self.states[fingerprint] = state
                if len(self.states) > KEPT:
                    del self.states[next(iter(self.states))]
            return state


STORE = Store()


def worker_name():
    """Return the name of this worker for messages: str."""
    return f"{platform.node()}, process {os.getpid()}"


def free_bytes(dask_worker=None):
    """Return the free bytes by all limits of this process and of a Dask worker: int, or None if no limit is known."""
    known = [limit.free for limit in limits()]
    most = None if dask_worker is None else dask_worker.memory_manager.memory_limit
    if most:
        known.append(int(most) - int(dask_worker.monitor.get_process_memory()))
    return min(known, default=None)


def worker_info(dask_worker=None):
    """Return (name of this worker, version of moeliga, free bytes or None); Dask passes the worker."""
    return worker_name(), own_version(), free_bytes(dask_worker)


def most_threads():
    """Return the number of threads of one task, the most that OpenMP may use, see `OMP_NUM_THREADS`: int >= 1."""
    return evaluate.threads()["max_threads"]


def values(state, bits, features, *common):
    """Return (score, separability) of subsets, see `Evaluator.evaluate`; `features` is None for all of them.

    `common` are further arguments, without the number of threads.
    """
    with state.ground() as ground:
        features = np.arange(ground.n_features, dtype=np.int32) if features is None else features
        return ground.evaluator.evaluate(bits, features, *common, most_threads())


def work(version, fingerprint, function, arguments, payload=None):
    """Call a function with the `WorkerState` of a data set and arguments; return the answer, one of these tuples.

    ("result", result of the function)
    ("missing", name of the worker, free bytes or None): the worker does not have the data set
    ("version", name of the worker, its version of moeliga), if it is not `version`, that of the search
    ("memory", name of the worker, text of the MemoryError)

    `function` is one at the top of a module, so that it can be pickled. `payload` is the data set of the fingerprint,
    as Ground or Reference; None = the worker may have it already.
    """
    if own_version() != version:
        return "version", worker_name(), own_version()
    state = STORE.get(fingerprint, payload)
    if state is None:
        return "missing", worker_name(), free_bytes()
    try:
        return "result", function(state, *arguments)
    except MemoryError as error:
        return "memory", worker_name(), str(error)
