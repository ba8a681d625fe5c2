"""Record the calls that a population evolved on a worker would make to the budget and the archive, and replay them."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from moeliga.distributed.worker import most_threads


class CallLog:
    """Replaces the budget and the archive of a search on a worker: it records the calls of their methods.

    `allows` always returns True. When the search replays the `entries` in order, its budget may return False, at the
    same call as without workers, and its archive gets the same individuals.
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
        """Return the recorded entries, and start an empty list."""
        entries, self.entries = self.entries, []
        return entries

    def check(self):
        """Do nothing in place of `Budget.check`: a worker cannot be interrupted."""

    def add(self, bits, objectives):
        """Record `Archive.add`, with only those words of the chromosomes that are not all 0, a few of many."""
        words = np.flatnonzero(bits.any(axis=0))
        self.entries.append(("add", bits.shape, words, bits[:, words], objectives.copy()))


def packed(search):
    """Return a search without data, which the worker has, and without objects that must stay in this process."""
    sampler = replace(search.sampler, problem=None, check=None, ground=None)
    return replace(search, budget=None, archive=None, sampler=sampler,
                   objectives=replace(search.objectives, X=None, y=None, remote=None))


@contextmanager
def unpacked(search, state, archived):
    """Context with a `packed` search on a worker's data, and its `CallLog`, its archive too if `archived`."""
    log = CallLog()
    with state.ground() as ground:
        yield replace(search, sampler=replace(search.sampler, ground=ground), budget=log,
                      objectives=replace(search.objectives, n_threads=most_threads(), share=None),
                      archive=log if archived else None), log


def replay(entries, search):
    """Make the recorded calls, up to the first that the budget does not allow; return True if it allows all."""
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
