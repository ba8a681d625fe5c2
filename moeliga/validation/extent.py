"""How far the search on a fold has gone: a later fit with other limits may have to continue it."""

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

from moeliga.base.checks import check_number

REASONS = ("n_generations", "patience", "max_evaluations", "max_time", "callback")
"""Reasons for which a search ends with a result."""


@dataclass(frozen=True)
class Extent:
    """The reason why a search ended, and the limits that it had."""

    reason: str  # of REASONS
    n_generations: int
    patience: int | None
    max_evaluations: int | None
    n_rescore_splits: int

    @classmethod
    def of(cls, plan: Any, reason: str) -> Self:
        """Return the extent of a search by a `Plan` that ended for this reason."""
        return cls(reason, plan.n_generations, plan.patience, plan.max_evaluations, plan.evaluation.n_rescore_splits)

    def suffices(self, plan: Any) -> bool:
        """Return False if the search would go further by this plan, or re-score on another number of splits.

        `max_time` counts from the start of a fit: a search that it ended goes on in the next fit.
        """
        now = self.of(plan, self.reason)
        if self.reason == "max_time" or now.n_rescore_splits != self.n_rescore_splits:
            return False
        return self.reason == "callback" or now.limit <= self.limit

    @property
    def limit(self) -> float:
        """The limit that has ended the search; infinite for None."""
        value = getattr(self, self.reason)
        return math.inf if value is None else value

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Self:
        """Return the extent that a checkpoint holds; any error means that the checkpoint is invalid."""
        found = cls(**state)
        if found.reason not in REASONS:
            raise ValueError(f"reason must be in {REASONS}, got {found.reason!r}")
        check_number("n_generations", found.n_generations, Integral, 0)
        check_number("n_rescore_splits", found.n_rescore_splits, Integral, 0)
        for name in ("patience", "max_evaluations"):
            if getattr(found, name) is not None:
                check_number(name, getattr(found, name), Integral, 0)
        return found
