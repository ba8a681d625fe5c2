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
from moeliga.base.memory import limits
from moeliga.data.ground import Ground

KEPT = 2
"""Data sets that a worker keeps, those used last: one for each of two searches that take turns."""


@dataclass(frozen=True)
class Reference:
    """Where a `Ground` is: in the object store of Ray, of which there is one on each machine.

    Attributes
    ----------
    place : ray.ObjectRef
    """

    place: object

    def open(self):
        """The Ground, whose arrays stay in the store: the workers of a machine share them."""
        import ray

        return ray.get(self.place)


class Desk:
    """A data set in the memory of this process, and the evaluators of it that no thread is using.

    Parameters
    ----------
    ground : Ground
    """

    def __init__(self, ground):
        self.source = ground
        # the instruction set is a matter of the processor, and here may be another one
        self.samples = replace(ground.samples, level=min(ground.samples.level, tree.LEVEL))
        self.idle = []

    @contextmanager
    def ground(self):
        """Context with the samples and an evaluator of them; several threads may be inside, each has its own."""
        try:
            taken = self.idle.pop()
        except IndexError:
            taken = replace(self.source, samples=self.samples)
        yield taken
        self.idle.append(taken)


class Store:
    """The `KEPT` desks of this process that were used last."""

    def __init__(self):
        self.lock = threading.Lock()
        self.desks = OrderedDict()

    def desk(self, fingerprint, ground):
        """The desk of a data set, or None if it is neither here nor given.

        What is given takes the place of what is here: Dask holds it anyway, and two are too many.
        """
        with self.lock:
            desk = self.desks.get(fingerprint)
            if isinstance(ground, Ground) and (desk is None or desk.source is not ground):
                desk = Desk(ground)
            elif desk is None and ground is not None:
                desk = Desk(ground.open())
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
    with desk.ground() as ground:
        features = np.arange(ground.n_features, dtype=np.int32) if features is None else features
        return ground.evaluator.evaluate(bits, features, *common, most_threads())


def work(version, fingerprint, function, arguments, ground=None):
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
    ground : Ground, Reference or None
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
    desk = STORE.desk(fingerprint, ground)
    if desk is None:
        return "missing", name(), free_bytes()
    try:
        return "result", function(desk, *arguments)
    except MemoryError as error:
        return "memory", name(), str(error)
