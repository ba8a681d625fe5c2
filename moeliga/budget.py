"""When a search has to stop: evaluations, time, interrupts, callbacks."""

import signal
import threading
import time
from contextlib import contextmanager


class Interrupted(Exception):
    """The user asked to stop in the middle of a generation."""


class Budget:
    """Counts evaluations and time, and says whether a search may go on.

    Parameters
    ----------
    max_evaluations : int or None
        Never exceeded: a generation that would exceed it is not begun.
    max_time : float or None
        Seconds from now; a generation that is under way is finished.

    Attributes
    ----------
    n_evaluations : int
        Subsets evaluated so far.
    earlier : float
        Seconds of a search that was taken up again.
    reason : str or None
        Why the search has to stop: "max_evaluations", "max_time", "interrupt", "callback", "patience".
    """

    def __init__(self, max_evaluations=None, max_time=None):
        self.max_evaluations = max_evaluations
        self.max_time = max_time
        self.started = time.monotonic()
        self.earlier = 0.0
        self.n_evaluations = 0
        self.reason = None

    @property
    def seconds(self):
        """Of the whole search, those before it was taken up again included."""
        return self.earlier + time.monotonic() - self.started

    def go_on(self, n_evaluations, seconds):
        """Take up a search that has come so far. Its evaluations count for the limit, its time does not."""
        self.n_evaluations, self.earlier = n_evaluations, seconds

    def restart(self):
        """Time counts from now."""
        self.started = time.monotonic()

    def allows(self, n):
        """Whether `n` more evaluations may begin; the first "no" sets `reason` and stays."""
        if self.reason is None:
            if self.max_evaluations is not None and self.n_evaluations + n > self.max_evaluations:
                self.reason = "max_evaluations"
            elif self.max_time is not None and self.seconds - self.earlier >= self.max_time:
                self.reason = "max_time"
        return self.reason is None

    def spend(self, n):
        self.n_evaluations += n

    def check_interrupt(self):
        """Raise Interrupted if Ctrl-C was pressed during the search."""
        if self.reason == "interrupt":
            raise Interrupted

    @contextmanager
    def interruptible(self):
        """Inside, the first Ctrl-C stops the search within about a second; a second one raises as usual.

        Works in the main thread under Python's own handler; elsewhere Ctrl-C raises as usual.
        """
        main = threading.current_thread() is threading.main_thread()
        if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return

        def note(signum, frame):  # prints nothing: it may have interrupted somebody else's printing
            self.reason = "interrupt"
            signal.signal(signal.SIGINT, signal.default_int_handler)

        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
