"""When a search has to stop: evaluations, time, signals, callbacks."""

import math
import signal
import time
from contextlib import contextmanager


class Interrupted(KeyboardInterrupt):
    """The search has to stop in the middle of a generation. Like any Ctrl-C to code that catches Exception."""


class Budget:
    """Counts evaluations and time, and says whether a search may go on.

    Parameters
    ----------
    max_evaluations : int or None
        Never exceeded: a generation that would exceed it is not begun.
    max_time : float or None
        Seconds from now.

    Attributes
    ----------
    n_evaluations : int
        Subsets evaluated so far.
    earlier : float
        Seconds of a search that was taken up again.
    reserve : float
        Seconds of `max_time` that are set aside for what comes after the search.
    timed : bool
        Whether `max_time` may cut short what is under way; the initial population is always evaluated.
    reason : str or None
        Why the search has to stop: "max_evaluations", "max_time", "callback", "patience", "interrupt" for Ctrl-C, or
        the name of another signal.
    abandoned : bool
        A signal has come after which the search has no result.
    """

    def __init__(self, max_evaluations=None, max_time=None):
        self.max_evaluations = max_evaluations
        self.max_time = max_time
        self.started = time.monotonic()
        self.earlier = 0.0
        self.n_evaluations = 0
        self.work, self.seconds_working = 0.0, 0.0
        self.reserve = 0.0
        self.timed = False
        self.reason = None
        self.abandoned = False
        self.urgent = False
        self.immediate = False

    @property
    def seconds(self):
        """Of the whole search, those before it was taken up again included."""
        return self.earlier + time.monotonic() - self.started

    @property
    def seconds_left(self):
        """Of `max_time`, without what is set aside: float, infinite without a limit."""
        return math.inf if self.max_time is None else self.max_time - self.reserve - (self.seconds - self.earlier)

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
            elif self.seconds_left <= 0:
                self.reason = "max_time"
        return self.reason is None

    def spend(self, n, work, seconds):
        """Count `n` evaluations, in all so much work (in any unit), that took so many seconds."""
        self.n_evaluations += n
        self.work += work
        self.seconds_working += seconds

    def expected(self, work):
        """Seconds that so much work may take, by what it took so far; 0 before there was any."""
        return work * self.seconds_working / self.work if self.work else 0.0

    def set_aside(self, work):
        """Set aside the time of so much work after the search; at most half of it."""
        self.reserve = min(self.expected(work), self.max_time / 2)

    def share(self, work):
        """The part of so much work after the search that time is left for: float in [0, 1]."""
        seconds = self.expected(work)
        if self.max_time is None or not seconds:
            return 1.0
        left = self.max_time - (self.seconds - self.earlier)
        return min(max(left, 0.0) / seconds, 1.0)

    def check(self):
        """Raise Interrupted if what is under way must be cut short."""
        if self.urgent or (self.timed and not self.allows(0) and self.reason == "max_time"):
            raise Interrupted

    def interrupt(self, number, keep):
        """A signal has come; `keep` = the search shall have a result."""
        self.reason = "interrupt" if number == signal.SIGINT else signal.Signals(number).name
        self.abandoned = not keep
        self.urgent = True
        if self.immediate:
            raise Interrupted

    @contextmanager
    def immediately(self):
        """Inside, `interrupt` itself raises Interrupted: for code that is not ours and may take long."""
        self.check()
        self.immediate = True
        try:
            yield
        finally:
            self.immediate = False

    def close(self):
        """The search is over: what comes now has no limit of time, and only a further signal cuts it short."""
        self.timed = self.urgent = False
