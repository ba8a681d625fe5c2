"""Parallel searches share the threads of the compiled core."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(eq=False)
class Share:
    """The number `n` of threads that a search may use at present; `ThreadShares` changes it."""

    n: int


class ThreadShares:
    """Divide `n` threads of the compiled core among parallel searches, of which at most `most` run at a time.

    Shares are equal up to one thread, of at least one, with the larger ones for the earlier searches. When a search
    ends, the others get its threads with their next evaluation.
    """

    def __init__(self, n, most):
        self.n, self.most = n, most
        self.changed, self.waiting, self.shares = threading.Condition(), [], []

    @contextmanager
    def acquire(self):
        """Context with the `Share` of a search; it waits, first come, first served, while `most` searches run."""
        share = Share(1)
        with self.changed:
            self.waiting.append(share)
            self.changed.wait_for(lambda: self.waiting[0] is share and len(self.shares) < self.most)
            self.shares.append(self.waiting.pop(0))
            self.redistribute()
        try:
            yield share
        finally:
            with self.changed:
                self.shares.remove(share)
                self.redistribute()

    def redistribute(self):
        """Set the shares of all running searches anew, and wake the waiting ones."""
        for number, share in enumerate(self.shares):
            share.n = max(1, self.n // len(self.shares) + (number < self.n % len(self.shares)))
        self.changed.notify_all()
