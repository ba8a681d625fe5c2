"""What a worker elsewhere does: it keeps data sets, and does with them what it is asked."""

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
from moeliga.base.cached_property import kept
from moeliga.base.hashing import digest
from moeliga.base.memory import limits
from moeliga.data.dataset import Dataset

KEPT = 2
"""Data sets that a worker keeps, those used last: one for each of two searches that take turns."""


@dataclass(frozen=True, eq=False)
class Payload:
    """A data set and how subsets of it are evaluated, as they travel to a worker.

    Attributes
    ----------
    dataset : Dataset
    n_validation : ndarray of int32, shape (n_classes,)
    rules : tuple of int
        max_depth, min_samples_split and min_samples_leaf of the tree.
    """

    dataset: Dataset
    n_validation: np.ndarray
    rules: tuple

    @kept
    def arrays(self):
        """All that there are, each once."""
        target = self.dataset.target
        values = [*vars(self.dataset).values(), *(() if target is None else vars(target).values()), self.n_validation]
        return list({id(value): value for value in values if isinstance(value, np.ndarray)}.values())

    @kept
    def fingerprint(self):
        """By which a worker knows it: SHA-256 of what is in it, so that another fit to the same data finds it there."""
        return digest(np.array(self.rules), *self.arrays)

    @property
    def n_bytes(self):
        return sum(array.nbytes for array in self.arrays)

    def __sizeof__(self):
        """Asked by Dask, which keeps account of what its workers hold."""
        return self.n_bytes

    def __getstate__(self):
        return {"dataset": self.dataset, "n_validation": self.n_validation, "rules": self.rules,
                "fingerprint": self.fingerprint}


@dataclass(frozen=True)
class Reference:
    """Where a `Payload` is: in the object store of Ray, of which there is one on each machine.

    Attributes
    ----------
    object_ref : ray.ObjectRef
    """

    object_ref: object

    def load(self):
        """The Payload, whose arrays stay in the store: the workers of a machine share them."""
        import ray

        return ray.get(self.object_ref)


class WorkerState:
    """A data set in the memory of this process, and the evaluators of it that no thread is using.

    Parameters
    ----------
    payload : Payload
    """

    def __init__(self, payload):
        self.source = payload
        # the instruction set is a matter of the processor, and here may be another one
        self.payload = replace(payload, dataset=replace(payload.dataset, level=min(payload.dataset.level, tree.LEVEL)))
        self.idle = []

    @contextmanager
    def evaluator(self):
        """Context; several threads may be inside, each has its own."""
        try:
            taken = self.idle.pop()
        except IndexError:
            taken = evaluate.Evaluator(self.payload.dataset, self.payload.n_validation, *self.payload.rules)
        yield taken
        self.idle.append(taken)


class Store:
    """The `KEPT` states of this process that were used last."""

    def __init__(self):
        self.lock = threading.Lock()
        self.states = OrderedDict()

    def get(self, fingerprint, payload):
        """The state of a data set, or None if it is neither here nor given.

        What is given takes the place of what is here: Dask holds it anyway, and two are too many.
        """
        with self.lock:
            state = self.states.get(fingerprint)
            if isinstance(payload, Payload) and (state is None or state.source is not payload):
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
    """Version of moeliga, as installed here."""
    return metadata.version("moeliga")


def name():
    """Of this worker, for people."""
    return f"{platform.node()}, process {os.getpid()}"


def free_bytes(dask_worker=None):
    """Memory that is left to this process, by all limits that are known: int, or None.

    A worker of Dask has a limit of its own.
    """
    known = [limit.free for limit in limits()]
    most = None if dask_worker is None else dask_worker.memory_manager.memory_limit
    if most:
        known.append(int(most) - int(dask_worker.monitor.get_process_memory()))
    return min(known, default=None)


def worker_info(dask_worker=None):
    """(Name of this worker, version of moeliga, bytes of memory free or None); Dask passes its own worker."""
    return name(), own_version(), free_bytes(dask_worker)


def most_threads():
    """Threads of this process for one task: as many as OpenMP may have, which `OMP_NUM_THREADS` says."""
    return evaluate.threads()["max_threads"]


def values(state, bits, features, *common):
    """Evaluate subsets: (score, separability), see `Evaluator.evaluate`.

    Parameters
    ----------
    state : WorkerState
    bits, features
        None for the features stands for all.
    *common
        The further arguments, without the number of threads.
    """
    if features is None:
        features = np.arange(state.payload.dataset.n_features, dtype=np.int32)
    with state.evaluator() as evaluator:
        return evaluator.evaluate(bits, features, *common, most_threads())


def work(version, fingerprint, function, arguments, payload=None):
    """Do something with a data set, or say why not.

    Parameters
    ----------
    version : str
        Of moeliga, where the search runs.
    fingerprint : str
        Of the data set.
    function : function of a module
        Called with a `WorkerState` and the arguments.
    arguments : tuple
    payload : Payload, Reference or None
        The data set; None = it may be here.

    Returns
    -------
    answer : tuple, that begins with a word
        ("result", what the function returns)
        ("missing", name of the worker, bytes of memory free or None): the data set is not here
        ("version", name of the worker, its version of moeliga)
        ("memory", name of the worker, what could not be had)
    """
    if own_version() != version:
        return "version", name(), own_version()
    state = STORE.get(fingerprint, payload)
    if state is None:
        return "missing", name(), free_bytes()
    try:
        return "result", function(state, *arguments)
    except MemoryError as error:
        return "memory", name(), str(error)
