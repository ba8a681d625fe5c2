"""What runs on a remote worker: it keeps data sets in memory, and calls functions on them."""

import os
import platform
import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import metadata

import numpy as np

from moeliga._ext import evaluate, tree
from moeliga.base.memory import limits
from moeliga.data.ground import Ground

KEPT = 2
"""Data sets that a worker keeps, the last ones used: one for each of two searches that alternate."""


@dataclass(frozen=True)
class Reference:
    """A `Ground` in Ray's object store: there is one store on each machine."""

    object_ref: object  # ray.ObjectRef

    def load(self):
        """Return the Ground, its arrays shared by all workers of the machine."""
        import ray

        return ray.get(self.object_ref)


class WorkerState:
    """A `Ground` in the memory of this process, and idle copies of it, each with an evaluator of its own."""

    def __init__(self, ground):
        self.source = ground
        # the instruction set depends on the processor, which may be a lesser one here
        self.samples = replace(ground.samples, level=min(ground.samples.level, tree.LEVEL))
        self.idle = []

    @contextmanager
    def ground(self):
        """Context with a `Ground` whose evaluator no other thread uses."""
        try:
            taken = self.idle.pop()
        except IndexError:
            taken = replace(self.source, samples=self.samples)
        yield taken
        self.idle.append(taken)


class Store:
    """The `KEPT` states of this process that were used last."""

    def __init__(self):
        self.lock = threading.Lock()
        self.states = OrderedDict()

    def get(self, fingerprint, payload):
        """Return the `WorkerState` of a data set, or None if it is neither here nor given itself or by reference.

        A given Ground replaces the one held here: Dask keeps it in memory anyway, and two would be too many.
        """
        with self.lock:
            state = self.states.get(fingerprint)
            if isinstance(payload, Ground) and (state is None or state.source is not payload):
                state = WorkerState(payload)
            elif state is None and payload is not None:
                state = WorkerState(payload.load())
            if state is not None:
                self.states[fingerprint] = state
                self.states.move_to_end(fingerprint)
                while len(self.states) > KEPT:
                    self.states.popitem(last=False)
            return state


STORE = Store()


@cache
def own_version():
    """Return the version of moeliga installed here."""
    return metadata.version("moeliga")


def worker_name():
    """Return a name of this worker for messages: str."""
    return f"{platform.node()}, process {os.getpid()}"


def free_bytes(dask_worker=None):
    """Return the memory this process may still take, by all known limits, a Dask worker's own included: int or None."""
    known = [limit.free for limit in limits()]
    most = None if dask_worker is None else dask_worker.memory_manager.memory_limit
    if most:
        known.append(int(most) - int(dask_worker.monitor.get_process_memory()))
    return min(known, default=None)


def worker_info(dask_worker=None):
    """Return (name of this worker, version of moeliga, free bytes or None); Dask passes its own worker."""
    return worker_name(), own_version(), free_bytes(dask_worker)


def most_threads():
    """Return the number of threads of one task: as many as OpenMP may use, see `OMP_NUM_THREADS`."""
    return evaluate.threads()["max_threads"]


def values(state, bits, features, *common):
    """Evaluate subsets: (score, separability), see `Evaluator.evaluate`; None for `features` stands for all.

    `common` are its further arguments, without the number of threads.
    """
    with state.ground() as ground:
        features = np.arange(ground.n_features, dtype=np.int32) if features is None else features
        return ground.evaluator.evaluate(bits, features, *common, most_threads())


def work(version, fingerprint, function, arguments, payload=None):
    """Call a function on a data set, or say why it cannot be called.

    Parameters
    ----------
    version : str
        Of moeliga in the process of the search.
    fingerprint : str
        Of the data set.
    function : function at the top of a module
        Called with the `WorkerState` and the arguments.
    arguments : tuple
    payload : Ground, Reference or None
        The data set; None = the worker may hold it already.

    Returns
    -------
    answer : tuple that begins with a word
        ("result", what the function returns)
        ("missing", name of the worker, free bytes or None): the worker does not hold the data set
        ("version", name of the worker, its version of moeliga)
        ("memory", name of the worker, text of the MemoryError)
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
