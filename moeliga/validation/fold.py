"""The candidates of the search on a fold, and the answers of the deployed model for the samples held out."""

from dataclasses import asdict, astuple, dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_array, check_number
from moeliga.validation.candidates import Slot
from moeliga.validation.extent import Extent
from moeliga.validation.replay import METHODS


@dataclass(frozen=True, eq=False)
class Fold:
    """The result of a fold: candidates of its search, and the answers of the deployed model for them."""

    slots: list[Slot]
    supports: NDArray[np.bool_]  # shape (n_slots, n_features)
    answers: dict[str, NDArray[Any]]  # method to shape (n_slots, n_test, ...)
    n_evaluations: int
    extent: Extent  # of its search

    def state(self):
        """Return the entries of a checkpoint."""
        return {**vars(self), "slots": [list(astuple(slot)) for slot in self.slots], "extent": asdict(self.extent)}

    @classmethod
    def restored(cls, state, problem, n_test, last):
        """Return the fold that a checkpoint holds, with `n_test` samples held out and the slot `last` at its end; any
        error means that the checkpoint is invalid."""
        slots = [Slot(str(source), check_number("least", least, Integral, 1), check_number("most", most, Integral, 1))
                 for source, least, most in state["slots"]]
        supports = check_array("supports", state["supports"], bool, len(slots), problem.X.shape[1])
        answers, n_classes, regression = dict(state["answers"]), len(problem.values), problem.regression
        for method, values in answers.items():
            if method not in METHODS or values.shape[:2] != (len(slots), n_test):
                raise ValueError(f"answers.{method} must be of {len(slots)} subsets for {n_test} samples")
            if values.dtype != (np.int64 if method == "predict" and not regression else np.float64):
                raise ValueError(f"answers.{method} must be numbers, got {values.dtype}")
        if "predict" not in answers or len(set(slots)) < len(slots) or slots[-1] != last:
            raise ValueError("answers must hold predictions of distinct subsets, with all features last")
        if answers["predict"].ndim > 2 or not (
                regression or np.all((-1 <= answers["predict"]) & (answers["predict"] < n_classes))):
            raise ValueError(f"answers.predict must be in [-1, {n_classes})")
        n_evaluations = int(check_number("n_evaluations", state["n_evaluations"], Integral, 0))
        return cls(slots, supports, answers, n_evaluations, Extent.restored(state["extent"]))
