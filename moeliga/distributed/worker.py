"""The side of the remote worker: it keeps data sets in memory, and answers calls of functions on them."""

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

MAX_DATA_SETS = 2
"""Number of data sets that a worker keeps, those used last: two searches that alternate need one each."""


@dataclass(frozen=True)
class Reference:
    """A `Ground` in the object store of Ray, which every machine has."""

    object_ref: object  # ray.ObjectRef

    def load(self):
        """Return the Ground, its arrays shared by all workers of the machine."""
        import ray

        return ray.get(self.object_ref)


class WorkerState:
    """A `Ground` in the memory of this process, with a pool of copies, each with an evaluator of its own."""

    def __init__(self, ground):
        self.source = ground
        self.fitting = ground.fresh(tree.LEVEL)  # at most for the instruction set of this processor
        self.idle = []

    @contextmanager
    def ground(self):
        """Lend a `Ground` whose evaluator no other thread uses: context manager."""
        try:
            taken = self.idle.pop()
        except IndexError:
            taken = self.fitting.fresh()
        yield taken
        self.idle.append(taken)


class Store:
    """The data sets in the memory of this process: the last `MAX_DATA_SETS` used."""

    def __init__(self):
        self.lock = threading.Lock()
        self.states = {}  # fingerprint to `WorkerState`, the last used at the end

    def get(self, fingerprint, payload):
        """Return the `WorkerState` of a data set; None if it is neither here nor in `payload`, see `handle_call`.

        A Ground as payload replaces the one held here: Dask keeps it in memory anyway, so there is only one copy.
        """
        with self.lock:
            state = self.states.pop(fingerprint, None)
            if isinstance(payload, Ground) and (state is None or state.source is not payload):
                state = WorkerState(payload)
            elif state is None and payload is not None:
                state = WorkerState(payload.load())
            if state is not None:
                self.states[fingerprint] = state
                if len(self.states) > MAX_DATA_SETS:
                    del self.states[next(iter(self.states))]
            return state


STORE = Store()


def worker_name():
    """Return the name of this worker for messages: str."""
    return f"{platform.node()}, process {os.getpid()}"


def free_bytes(dask_worker=None):
    """Return the bytes that are free by all limits of this process and its Dask worker: int, None without a limit."""
    known = [limit.free for limit in limits()]
    most = None if dask_worker is None else dask_worker.memory_manager.memory_limit
    if most:
        known.append(int(most) - int(dask_worker.monitor.get_process_memory()))
    return min(known, default=None)


def worker_info(dask_worker=None):
    """Return (name of this worker, its version of moeliga, free bytes or None); Dask passes `dask_worker`."""
    return worker_name(), own_version(), free_bytes(dask_worker)


def max_threads():
    """Return the number of threads for one task, as many as OpenMP may use, see `OMP_NUM_THREADS`: int >= 1."""
    return evaluate.threads()["max_threads"]


def evaluate_slice(state, bits, features, *common):
    """Return (score, separability) of subsets, see `Evaluator.evaluate`; None for `features` stands for all features.

    `common` are the further arguments before the number of threads.
    """
    with state.ground() as ground:
        features = np.arange(ground.n_features, dtype=np.int32) if features is None else features
        return ground.evaluator.evaluate(bits, features, *common, max_threads())


def handle_call(version, fingerprint, function, arguments, payload=None):
    """Call a function with the `WorkerState` of a data set, and with arguments; return one of these answers.

    ("result", result of the function)
    ("missing", name of the worker, free bytes or None): the worker does not have the data set
    ("version", name of the worker, its version of moeliga): it differs from `version`, that of the search
    ("memory", name of the worker, text of the MemoryError)

    `function` is defined at the top of a module, so that it can be pickled. `payload` is the data set with this
    fingerprint, a Ground or a Reference; None = the worker may have it already.
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
