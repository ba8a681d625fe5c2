"""Record on a worker which calls a population makes to budget and archive, and replay them in the search's process."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from moeliga.distributed.worker import max_threads


class CallLog:
    """Stands for the budget and the archive of a search on a worker, and records the calls of their methods.

    `allows` always returns True. When the entries are replayed in order, the budget of the search may return False, at
    the same call as without workers, and its archive gets the same individuals.
    """

    def __init__(self):
        self.entries = []  # tuples: name of the method, and its arguments

    def allows(self, n):
        """Record `Budget.allows`."""
        self.entries.append(("allows", n))
        return True

    def spend(self, n, work, seconds):
        """Record `Budget.spend`."""
        self.entries.append(("spend", n, work, seconds))

    def drain(self):
        """Return the entries recorded since the last call: list of tuples."""
        entries, self.entries = self.entries, []
        return entries

    def check(self):
        """Do nothing in place of `Budget.check`: a worker cannot be interrupted."""

    def add(self, bits, objectives):
        """Record `Archive.add`; words that are 0 in all chromosomes, most of many, are left out."""
        words = np.flatnonzero(bits.any(axis=0))
        self.entries.append(("add", bits.shape, words, bits[:, words], objectives.copy()))


def packed(search):
    """Return a copy of a search for a worker: without the data, which it has, and without objects of this process."""
    sampler = replace(search.sampler, problem=None, check=None, ground=None)
    return replace(search, budget=None, archive=None, sampler=sampler,
                   objectives=replace(search.objectives, X=None, y=None, remote=None))


@contextmanager
def unpacked(search, state, archived):
    """Yield a `packed` search on a worker's data, and its `CallLog`, which is its archive too if `archived`."""
    log = CallLog()
    with state.ground() as ground:
        yield replace(search, sampler=replace(search.sampler, ground=ground), budget=log,
                      objectives=replace(search.objectives, n_threads=max_threads(), share=None),
                      archive=log if archived else None), log


def replay(entries, search):
    """Make the recorded calls up to the first that the budget refuses; return True if it refuses none."""
    for name, *arguments in entries:
        if name == "allows":
            if not search.budget.allows(*arguments):
                return False
        elif name == "spend":
            search.budget.spend(*arguments)
        else:
            shape, words, found, objectives = arguments
            bits = np.zeros(shape, dtype=np.uint64)
            bits[:, words] = found
            search.archive.add(bits, objectives)
    return True
