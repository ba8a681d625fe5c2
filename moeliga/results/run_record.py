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
from moeliga.results.rules import RULES, NoLoss, Rule
from moeliga.results.summary import Summary
from moeliga.results.text import Names, Worth, choice_names, choice_sentence

EARLY = {"interrupt": "Ctrl-C", "max_time": "max_time", "max_evaluations": "max_evaluations", "patience": "patience",
         "callback": "a callback"}
"""Words for each `stop_reason_` that ends a search early; a signal keeps its own name."""


@dataclass(frozen=True, eq=False)
class Record:
    """The result of a finished search."""

    front: ParetoFront
    chosen: int  # index of the chosen member in the front
    how: str  # how it was chosen, as in "rule 'r1'"
    history: History  # name to ndarray of shape (n_generations + 1,)
    # JSON values: "parameters", "stop_reason", "n_evaluations", "versions"; from the command line "command", "file",
    # "sha256", "seed", "data" and "held_out", too
    settings: dict[str, Any]
    names: Names  # of its scores
    summary: Summary
    worth: Worth  # of the chosen member
    held_out: NDArray[np.float64] | None = None  # score of each member on samples outside the search, shape (m,)

    @classmethod
    def of(cls, selector: Any, *, facts: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None,
           held_out: NDArray[np.float64] | None = None, how: str | None = None) -> Self:
        """Return the record of a fitted selector.

        `facts` are further entries of `settings`, `parameters` replace parameters of the selector there; `how` None =
        how the selector chose.
        """
        front, names, index = selector.pareto_front_, Names.of(selector), int(selector.index_)
        how = selector._chosen.how if how is None else how
        settings = {
            **(facts or {}),
            "parameters": plain({**selector.described(), **(parameters or {})}),
            "stop_reason": selector.stop_reason_,
            "n_evaluations": int(selector.n_evaluations_),
            "versions": versions(),
        }
        summary = selector.summary()
        worth = Worth.of(selector)
        summary.sentences[0] = choice_sentence(front, index, how, worth, names)
        return cls(front, index, how, selector.history_, settings, names, summary, worth, held_out)

    def worth_settings(self) -> dict[str, float | None]:
        """Return `worth` for JSON: dict, with None for NaN."""
        return {name: None if np.isnan(value) else float(value) for name, value in self.worth._asdict().items()}

    def with_choice(self, rule: Rule | None = None, **limits: Any) -> Self:
        """Return the record with another choice, by `ParetoFront.choose`; without arguments the record itself."""
        limits = {name: limit for name, limit in limits.items() if limit is not None}
        if rule is None and not limits:
            return self
        rule = rule or self.rule()
        row, how = choice_names(rule, limits)
        index, alone = self.front.choose(rule, **limits), None if limits else row
        rows = [row for row in self.summary.rows if row["rule"] == alone]
        score, low, high = (rows[0][name] if rows else np.nan for name in ("honest_score", "low", "high"))
        worth = Worth(score, low, high, self.summary.all_features)
        sentence = choice_sentence(self.front, index, how, worth, self.names)
        summary = self.summary.with_choice(alone, self.front, index, sentence)
        return replace(self, chosen=index, how=how, worth=worth, summary=summary)

    def rule(self) -> Rule:
        """Return the rule of the selector; "no_loss" in place of a function."""
        own = self.settings["parameters"].get("rule")
        if isinstance(own, dict) and "NoLoss" in own:
            return NoLoss(**own["NoLoss"])
        return own if own in RULES else "no_loss"

    def ended(self, names: Mapping[str, str] = EARLY) -> str:
        """Return a sentence on how the search ended; `names` are words for the reasons that end it early."""
        asked = self.settings["parameters"]
        return end_sentence(self.history, self.front, self.settings["n_evaluations"], self.settings["stop_reason"],
                            asked.get("n_generations"), asked.get("honest"), names)


def end_sentence(history: History, front: ParetoFront, n_evaluations: int, reason: str, n_generations: Any,
                 honest: Any, names: Mapping[str, str] = EARLY) -> str:
    """Return a sentence on how a fit with the parameters `n_generations` and `honest` ended: str."""
    generations, seconds = int(history["generation"][-1]), history["seconds"][-1]
    n_folds = 0 if front.honest is None else front.honest.folds.shape[1]
    text = (f"{count(generations, 'generation')}, {n_evaluations:,} subsets evaluated"
            + (f" by {1 + n_folds} searches, the one on all samples in" if n_folds else ",") + f" {seconds:.1f} s")
    if reason == "n_generations":
        return f"{text}."
    if generations == n_generations and isinstance(honest, int | np.integer) and n_folds < honest:
        text += f", with {n_folds or 'too few'} of {honest} folds"  # the search on all samples was not ended
    return f"Stopped early by {names.get(reason, reason)} after {text}."


def checksum(X: Any, y: ArrayLike) -> str:
    """Return the SHA-256 of shape, numbers (float64, row by row) and labels of a data set: hex text.

    For sparse data the numbers are the stored entries, column by column.

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
