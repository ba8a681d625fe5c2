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
class Cargo:
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
    """Where a `Cargo` is: in the object store of Ray, of which there is one on each machine.

    Attributes
    ----------
    place : ray.ObjectRef
    """

    place: object

    def open(self):
        """The Cargo, whose arrays stay in the store: the workers of a machine share them."""
        import ray

        return ray.get(self.place)


class Desk:
    """A data set in the memory of this process, and the evaluators of it that no thread is using.

    Parameters
    ----------
    cargo : Cargo
    """

    def __init__(self, cargo):
        self.source = cargo
        # the instruction set is a matter of the processor, and here may be another one
        self.cargo = replace(cargo, dataset=replace(cargo.dataset, level=min(cargo.dataset.level, tree.LEVEL)))
        self.idle = []

    @contextmanager
    def evaluator(self):
        """Context; several threads may be inside, each has its own."""
        try:
            taken = self.idle.pop()
        except IndexError:
            taken = evaluate.Evaluator(self.cargo.dataset, self.cargo.n_validation, *self.cargo.rules)
        yield taken
        self.idle.append(taken)


class Store:
    """The `KEPT` desks of this process that were used last."""

    def __init__(self):
        self.lock = threading.Lock()
        self.desks = OrderedDict()

    def desk(self, fingerprint, cargo):
        """The desk of a data set, or None if it is neither here nor given.

        What is given takes the place of what is here: Dask holds it anyway, and two are too many.
        """
        with self.lock:
            desk = self.desks.get(fingerprint)
            if isinstance(cargo, Cargo) and (desk is None or desk.source is not cargo):
                desk = Desk(cargo)
            elif desk is None and cargo is not None:
                desk = Desk(cargo.open())
            if desk is not None:
                self.desks[fingerprint] = desk
                self.desks.move_to_end(fingerprint)
                while len(self.desks) > KEPT:
                    self.desks.popitem(last=False)
            return desk


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


def greeting(dask_worker=None):
    """(Name of this worker, version of moeliga, bytes of memory free or None); Dask passes its own worker."""
    return name(), own_version(), free_bytes(dask_worker)


def most_threads():
    """Threads of this process for one task: as many as OpenMP may have, which `OMP_NUM_THREADS` says."""
    return evaluate.threads()["max_threads"]


def values(desk, bits, features, *common):
    """Evaluate subsets: (score, separability), see `Evaluator.evaluate`.

    Parameters
    ----------
    desk : Desk
    bits, features
        None for the features stands for all.
    *common
        The further arguments, without the number of threads.
    """
    if features is None:
        features = np.arange(desk.cargo.dataset.n_features, dtype=np.int32)
    with desk.evaluator() as evaluator:
        return evaluator.evaluate(bits, features, *common, most_threads())


def work(version, fingerprint, function, arguments, cargo=None):
    """Do something with a data set, or say why not.

    Parameters
    ----------
    version : str
        Of moeliga, where the search runs.
    fingerprint : str
        Of the data set.
    function : function of a module
        Called with a `Desk` and the arguments.
    arguments : tuple
    cargo : Cargo, Reference or None
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
    desk = STORE.desk(fingerprint, cargo)
    if desk is None:
        return "missing", name(), free_bytes()
    try:
        return "result", function(desk, *arguments)
    except MemoryError as error:
        return "memory", name(), str(error)
