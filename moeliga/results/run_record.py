"""The record of a finished search: front, chosen member, history and settings, without the data."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csc_array, issparse

from moeliga.base.checks import check_sparse
from moeliga.base.text import count
from moeliga.base.typing import History
from moeliga.base.versions import versions
from moeliga.results.front import ParetoFront
from moeliga.results.json_values import plain
from moeliga.results.rules import RULES, Rule
from moeliga.results.text import score_name

EARLY = {"interrupt": "Ctrl-C", "max_time": "max_time", "max_evaluations": "max_evaluations", "patience": "patience",
         "callback": "a callback"}
"""Words for each `stop_reason_` that ends a search early; a signal keeps its own name."""


@dataclass(frozen=True, eq=False)
class Record:
    """A finished search."""

    front: ParetoFront
    chosen: int  # index of the chosen member in the front
    how: str  # how it was chosen, as in "rule 'r1'"
    history: History  # name to ndarray of shape (n_generations + 1,)
    # as JSON holds them: "parameters", "score_name", "stop_reason", "n_evaluations", "versions"; perhaps "command",
    # "file", "sha256", "seed", "data" and "held_out"
    settings: dict[str, Any]
    held_out: NDArray[np.float64] | None = None  # score of each member on samples outside the search, shape (m,)

    @classmethod
    def of(cls, selector: Any, *, facts: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None,
           held_out: NDArray[np.float64] | None = None, how: str | None = None) -> Self:
        """Return the record of a fitted selector.

        `facts` are further entries of the settings, `parameters` replace the selector's own there. `how` is None for
        the selector's rule, if that chooses its member, or else the member's index.
        """
        front = selector.pareto_front_
        if how is None:
            rule = front.choose(selector.rule) == selector.index_
            how = f"rule {plain(selector.rule)!r}" if rule else f"index {selector.index_}"
        settings = {
            **(facts or {}),
            "parameters": plain({**selector.described(), **(parameters or {})}),
            "score_name": score_name(selector),
            "stop_reason": selector.stop_reason_,
            "n_evaluations": int(selector.n_evaluations_),
            "versions": versions(),
        }
        return cls(front, int(selector.index_), how, selector.history_, settings, held_out)

    @property
    def score_name(self) -> str:
        return self.settings["score_name"]

    def again(self, rule: Rule | None = None, **limits: Any) -> Self:
        """Return the record with a member chosen by `ParetoFront.choose`; without arguments the record itself."""
        limits = {name: limit for name, limit in limits.items() if limit is not None}
        if rule is None and not limits:
            return self
        if "index" not in limits and "n_features" not in limits:
            own = self.settings["parameters"].get("rule")
            limits = {"rule": rule or (own if own in RULES else "r1"), **limits}
        how = ", ".join(f"{name} {value!r}" for name, value in limits.items())
        return replace(self, chosen=self.front.choose(**limits), how=how)

    def ended(self, names: Mapping[str, str] = EARLY) -> str:
        """Return a sentence on how the search ended; `names` are words for the reasons that end it early."""
        generations, seconds = int(self.history["generation"][-1]), self.history["seconds"][-1]
        text = (f"{count(generations, 'generation')}, {self.settings['n_evaluations']:,} subsets evaluated, "
                f"{seconds:.1f} s")
        reason = self.settings["stop_reason"]
        early = None if reason == "n_generations" else names.get(reason, reason)
        return f"Stopped early by {early} after {text}." if early else f"{text}."


def checksum(X: Any, y: ArrayLike) -> str:
    """Return the SHA-256 of shape, numbers (float64, row by row) and labels of a data set: hex text.

    Of sparse data it takes the stored entries, column by column.

    Examples
    --------
    >>> from moeliga.results.run_record import checksum
    >>> checksum([[1.0, 2.0]], ["a"]) == checksum([[1, 2]], ["a"]) != checksum([[1, 2]], ["b"])
    True
    """
    total = hashlib.sha256(repr(np.shape(X)).encode())
    if issparse(X):
        X = csc_array(check_sparse("X", X), copy=True)
        X.sum_duplicates()
        parts: tuple[NDArray[Any], ...] = X.data.astype("<f8"), X.indices.astype("<i8"), X.indptr.astype("<i8")
    else:
        parts = (np.ascontiguousarray(X, dtype="<f8"),)
    for part in parts:
        total.update(part.tobytes())
    total.update("\0".join(map(str, np.asarray(y).tolist())).encode())
    return total.hexdigest()
