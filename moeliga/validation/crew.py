"""How searches side by side share the threads of the compiled core."""

import threading
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(eq=False)
class Share:
    """The number of threads of the compiled core that a search has at this moment."""

    n: int


class Crew:
    """Searches side by side, at most `most` at a time, that have `n` threads of the compiled core together.

    Each has as many threads as the others, the first ones one more where they do not come out even, and at least one.
    A search that ends leaves its threads to the others, which take them with their next evaluation.
    """

    def __init__(self, n, most):
        self.n, self.most = n, most
        self.changed, self.waiting, self.shares = threading.Condition(), [], []

    @contextmanager
    def acquire(self):
        """Context with the `Share` of a search, for which others that came before have made room."""
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
        """Give all searches their threads, and let the next one look for a place."""
        for number, share in enumerate(self.shares):
            share.n = max(1, self.n // len(self.shares) + (number < self.n % len(self.shares)))
        self.changed.notify_all()
