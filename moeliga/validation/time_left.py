"""The division of `max_time` among the searches on folds and the answers of the deployed model."""

import math
import time

from moeliga.base.budget import Interrupted

SLOWER = 1.25
"""Factor for the seconds that the model took for a fold: it may take longer for the next one."""

GRACE = 1.0
"""Seconds after the limit that the model may still take for its answers."""

LATE = 0.05
"""Share of the time of parallel searches that is kept back: each ends a little late, and the model waits for it."""


class TimeLeft:
    """Seconds left of `max_time`, which count from now; None = no limit.

    `build_seconds` is the time to build a search, `model_seconds` the time of the model for a fold, 0 = unknown.
    """

    def __init__(self, max_time, build_seconds):
        self.max_time, self.build_seconds, self.model_seconds = max_time, build_seconds, 0.0
        self.started = time.monotonic()

    def __call__(self, n_folds=0):
        """Return the seconds left after the model's answers for `n_folds` folds: float, infinite without a limit."""
        if self.max_time is None:
            return math.inf
        return self.max_time - (time.monotonic() - self.started) - n_folds * SLOWER * self.model_seconds

    def checker(self, budget):
        """Return a function that raises `Interrupted` if a `Budget` does, or `GRACE` seconds after the limit."""
        def check():
            budget.check()
            if self() < -GRACE:
                budget.reason = "max_time"
                raise Interrupted

        return check

    def share(self, n_left, n_done):
        """Return the seconds for the next of `n_left` searches, one after the other; None without a limit.

        They get equal shares, if each is twice as long as it takes to build a search; else fewer searches share the
        time, but with the `n_done` finished ones at least two, as the scores of a single fold are of no use.
        """
        if self.max_time is None:
            return None
        left, least = self(), 2 * self.build_seconds + SLOWER * self.model_seconds
        n_searches = min(n_left, max(2 - n_done, 1, int(left / least))) if least else n_left
        return left / n_searches - SLOWER * self.model_seconds

    def first_share(self, n_left, n_done):
        """Return the seconds for the final search before `n_left` folds: an equal share, or all that is left if the
        rest would not suffice for two folds, the `n_done` finished ones included."""
        left, n_needed = self(), max(2 - n_done, 1)
        share = left / (1 + n_left)
        return share if (left - share) / n_needed - SLOWER * self.model_seconds > self.build_seconds else left

    def parallel_share(self, n_folds, n_searches, most):
        """Return the seconds for the next of `n_searches`, of which `most` run at a time, before the model's answers
        for `n_folds` folds; None without a limit."""
        if self.max_time is None:
            return None
        return max(0.0, (1 - LATE) * self(n_folds) / math.ceil(n_searches / most))

    def n_affordable(self, n_left, n_done, n_beside, most):
        """Return how many of `n_left` folds there is time for: int, 0 if only one fold could be done. Each search takes
        twice its time to build, `most` run at a time, `n_beside` others among them; then the model answers."""
        for n in range(n_left, max(1 - n_done, 0), -1):
            if self(n) > 2 * self.build_seconds * math.ceil((n_beside + n) / most):
                return n
        return 0
