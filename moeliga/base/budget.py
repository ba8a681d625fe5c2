"""Budget: the limits of a search, on evaluations and time, and signals that end it."""

import math
import signal
import time
from contextlib import contextmanager
from numbers import Integral, Real

from moeliga.base.checks import check_number


class Interrupted(KeyboardInterrupt):
    """Raised to stop a search in the middle of a generation; `except Exception` does not catch it."""


GRACE = 10.0
"""Seconds that re-scoring may take after a signal, or beyond `max_time`."""


class Budget:
    """The evaluations and seconds of a search, and their limits; `max_time` is in seconds from now.

    None = no limit. A generation that would exceed `max_evaluations` does not begin.
    """

    def __init__(self, max_evaluations=None, max_time=None):
        self.max_evaluations = max_evaluations
        self.max_time = max_time
        self.started = time.monotonic()
        self.earlier = 0.0  # seconds of the search before it was resumed
        self.n_evaluations = 0
        self.work, self.seconds_working = 0.0, 0.0  # sums over the calls of `spend`
        self.reserve = 0.0  # seconds of max_time that are reserved for re-scoring after the search
        self.timed = False  # max_time interrupts a generation
        self.reason = None  # "max_evaluations", "max_time", "callback", "patience", "interrupt" (Ctrl-C) or "SIG..."
        self.abandoned = False  # a signal has come after which the search has no result
        self.urgent = False  # a signal has come: `check` raises
        self.immediate = False  # `interrupt` itself raises
        self.stopped = False  # a signal has come, before `close` or after

    @property
    def seconds(self):
        """Seconds of the whole search, those before it was resumed included."""
        return self.earlier + time.monotonic() - self.started

    @property
    def seconds_left(self):
        """Seconds left of `max_time` without the reserve: float, infinite without a limit."""
        return math.inf if self.max_time is None else self.max_time - self.reserve - (self.seconds - self.earlier)

    @property
    def seconds_after_search(self):
        """Seconds left after the search, those in reserve included: float, infinite without a limit or a signal."""
        left = math.inf if self.max_time is None else self.max_time - (self.seconds - self.earlier)
        return min(left, GRACE) if self.stopped else left

    @property
    def half_over(self):
        """True if half of `max_time` is over, the most that may pass before the first evaluation."""
        return self.max_time is not None and self.seconds_left < self.max_time / 2

    def state(self):
        """Return the entries of a checkpoint."""
        return {"n_evaluations": self.n_evaluations, "seconds": self.seconds}

    def restore(self, state):
        """Set the entries of a checkpoint: evaluations before it count for their limit, seconds before it do not."""
        self.n_evaluations = check_number("n_evaluations", state["n_evaluations"], Integral, 0)
        self.earlier = float(check_number("seconds", state["seconds"], Real, 0))

    def restart(self, n=1):
        """Count time from now; `max_time` becomes one of `n` equal shares of the seconds left."""
        if self.max_time is not None:
            self.max_time = max(0.0, self.seconds_left) / n
        self.started = time.monotonic()

    def allows(self, n):
        """Return True if `n` more evaluations may begin; the first refusal sets `reason`, and is final."""
        if self.reason is None:
            if self.max_evaluations is not None and self.n_evaluations + n > self.max_evaluations:
                self.reason = "max_evaluations"
            elif self.seconds_left <= 0:
                self.reason = "max_time"
        return self.reason is None

    def spend(self, n, work, seconds):
        """Count `n` evaluations, and the seconds that their `work` (in any unit) took."""
        self.n_evaluations += n
        self.work += work
        self.seconds_working += seconds

    def expected(self, work):
        """Return the seconds that `work` will take at the speed measured so far; 0 before any was measured."""
        return work * self.seconds_working / self.work if self.work else 0.0

    def set_aside(self, work):
        """Reserve the time that `work` after the search will take, at most half of `max_time`."""
        self.reserve = min(self.expected(work), self.max_time / 2)

    def extend(self, seconds):
        """Lower the reserve, even below 0, to leave at least `seconds` until `set_aside` sets it anew."""
        self.reserve = min(self.reserve, self.seconds_after_search - seconds)

    def share(self, work):
        """Return the share of `work` after the search for which `max_time` or a signal leaves time: in [0, 1]."""
        seconds, left = self.expected(work), self.seconds_after_search
        if not seconds or left == math.inf:
            return 1.0
        return min(max(left, 0.0) / seconds, 1.0)

    def too_long(self, work):
        """Return True if `work` after the search would be late by more than `GRACE`."""
        return self.expected(work) - self.seconds_after_search > GRACE

    def check(self):
        """Raise Interrupted if the generation must be stopped now."""
        if self.urgent or (self.timed and not self.allows(0) and self.reason == "max_time"):
            raise Interrupted

    def interrupt(self, number, keep):
        """Record signal `number`; with `keep` the search still has a result."""
        self.reason = "interrupt" if number == signal.SIGINT else signal.Signals(number).name
        self.abandoned = not keep
        self.urgent = self.stopped = True
        if self.immediate:
            raise Interrupted

    def abandon(self):
        """End a search of another thread, which then has no result."""
        self.reason, self.abandoned, self.urgent = "interrupt", True, True

    @contextmanager
    def interruptible(self):
        """Context in which `interrupt` itself raises: for a user's code, which may take long and calls no `check`."""
        self.immediate = True
        try:
            self.check()  # a signal that came before has not raised
            yield
        finally:
            self.immediate = False

    def close(self):
        """Remove the limits after the search: only a further signal interrupts re-scoring."""
        self.timed = self.urgent = False


def until_interrupted(entries, check):
    """Yield entries, each after a check, up to the first that raises Interrupted.

    For joblib, which takes calls as workers become free: an exception inside its loop would leave calls behind, whose
    results joblib would return for the next ones.
    """
    for entry in entries:
        try:
            check()
        except Interrupted:
            return
        yield entry
