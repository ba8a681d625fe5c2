"""What a population that evolves elsewhere would have asked the search and told it, to be made up for afterwards."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from moeliga.distributed.worker import most_threads


class CallLog:
    """Stands for the budget and the archive of a search where neither is.

    Every question is answered with yes. When the log is read again where they are, in the order of the entries, the
    budget may say no, at the same place at which it would have said so there; and the archive sees what it would have
    seen.

    Attributes
    ----------
    entries : list of tuples
        The name of what was called, and its arguments.
    """

    def __init__(self):
        self.entries = []

    def allows(self, n):
        """See `Budget.allows`."""
        self.entries.append(("allows", n))
        return True

    def spend(self, n, work, seconds):
        """See `Budget.spend`."""
        self.entries.append(("spend", n, work, seconds))

    def drain(self):
        """What has been written so far, which is then no longer here."""
        entries, self.entries = self.entries, []
        return entries

    def check(self):
        """See `Budget.check`: nothing is cut short elsewhere."""

    def add(self, bits, objectives):
        """See `Archive.add`; of the chromosomes only the words that hold something are kept, a few of many."""
        words = np.flatnonzero(bits.any(axis=0))
        self.entries.append(("add", bits.shape, words, bits[:, words], objectives.copy()))


def packed(search):
    """A search as it travels to a worker: without what is there already, and without what has to stay here."""
    return replace(search, budget=None, archive=None, objectives=replace(
        search.objectives, dataset=None, evaluator=None, X=None, y=None, remote=None, sampler=None))


@contextmanager
def unpacked(search, state, archived):
    """Context with a `packed` search on a worker, and the log that stands for what has stayed behind.

    Parameters
    ----------
    search : Search
    state : WorkerState
    archived : bool
        Whether the search has an archive.

    Yields
    ------
    search : Search
    log : CallLog
    """
    log = CallLog()
    with state.evaluator() as evaluator:
        objectives = replace(search.objectives, dataset=state.payload.dataset, evaluator=evaluator,
                             n_threads=most_threads())
        yield replace(search, objectives=objectives, budget=log, archive=log if archived else None), log


def replay(entries, search):
    """Make up for what a log holds.

    Returns
    -------
    allowed : bool
        False: the budget has said no, and the rest has not happened.
    """
    for what, *said in entries:
        if what == "allows":
            if not search.budget.allows(*said):
                return False
        elif what == "spend":
            search.budget.spend(*said)
        else:
            shape, words, found, objectives = said
            bits = np.zeros(shape, dtype=np.uint64)
            bits[:, words] = found
            search.archive.add(bits, objectives)
    return True
