"""What `max_time` leaves for the searches on folds, and for the deployed model's answers."""

import math
import time

from moeliga.base.budget import Interrupted

SLOWER = 1.25
"""Factor of the time that the model took for a fold: for the next one it may take longer."""

GRACE = 1.0
"""Seconds by which the model's answers for a fold may be late."""

LATE = 0.05
"""Share of the time of searches side by side that is kept back: each ends a little late, and the model waits for it."""


class TimeLeft:
    """Seconds left of `max_time`, which count from now; None = no limit.

    `building` are the seconds that it takes to build a search, and `asking` those that the model takes for a fold, 0
    as long as that is not known.
    """

    def __init__(self, max_time, building):
        self.max_time, self.build_seconds, self.model_seconds = max_time, building, 0.0
        self.started = time.monotonic()

    def __call__(self, n_folds=0):
        """Return the seconds left after those that the model will take for `n_folds` folds; infinite without a
        limit."""
        if self.max_time is None:
            return math.inf
        return self.max_time - (time.monotonic() - self.started) - n_folds * SLOWER * self.model_seconds

    def checker(self, budget):
        """Return a function that ends the model's fits by `Interrupted`, as the check of a `Budget` does, and where
        they are late."""
        def check():
            budget.check()
            if self() < -GRACE:
                budget.reason = "max_time"
                raise Interrupted

        return check

    def share(self, n_left, n_done):
        """Return the seconds for the next of `n_left` searches, one after the other; None without a limit.

        Where an equal share is not twice as long as it takes to build a search, what is left is for fewer of them, but
        for two at least, those that are done included: the scores of a single fold are of no use.
        """
        if self.max_time is None:
            return None
        left, least = self(), 2 * self.build_seconds + SLOWER * self.model_seconds
        n_searches = min(n_left, max(2 - n_done, 1, int(left / least))) if least else n_left
        return left / n_searches - SLOWER * self.model_seconds

    def first_share(self, n_left, n_done):
        """Return the seconds for the search before those of `n_left` folds, an equal share: all, where what is left
        would be too little for as many folds as are of use."""
        left, n_needed = self(), max(2 - n_done, 1)
        share = left / (1 + n_left)
        return share if (left - share) / n_needed - SLOWER * self.model_seconds > self.build_seconds else left

    def parallel_share(self, n_folds, n_searches, most):
        """Return the seconds for the next of `n_searches`, `most` of them at a time, before the model's answers for
        `n_folds`; None without a limit."""
        if self.max_time is None:
            return None
        return max(0.0, (1 - LATE) * self(n_folds) / math.ceil(n_searches / most))

    def n_affordable(self, n_left, n_done, n_beside, most):
        """Return for how many of `n_left` folds there is time to search them, `most` at a time with `n_beside` other
        searches, twice as long as it takes to build each, and then for the model: int, 0 where that is one fold alone.
        """
        for n in range(n_left, max(1 - n_done, 0), -1):
            if self(n) > 2 * self.build_seconds * math.ceil((n_beside + n) / most):
                return n
        return 0
