"""A finished search as it is written down: front, choice, history, settings; without its data."""

import hashlib
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, issparse

from moeliga.base.text import count
from moeliga.base.versions import versions
from moeliga.results.front import RULES, ParetoFront
from moeliga.results.json_values import plain
from moeliga.results.text import score_name

EARLY = {"interrupt": "Ctrl-C", "max_time": "max_time", "max_evaluations": "max_evaluations", "patience": "patience",
         "callback": "a callback"}
"""What ends a search early, by `stop_reason_`; a signal goes by its own name."""


@dataclass(frozen=True, eq=False)
class Record:
    """A finished search.

    Attributes
    ----------
    front : ParetoFront
    chosen : int
        Place of the chosen member in the front.
    how : str
        How it was chosen, as in "rule 'r1'".
    history : dict from str to ndarray, shape (n_generations + 1,)
    settings : dict, as JSON holds it
        "parameters", "score_name", "stop_reason", "n_evaluations", "versions"; perhaps "command", "file", "sha256",
        "seed", "data" and "held_out".
    held_out : ndarray of float64, shape (m,), or None
        Score of each member on samples that the search never saw.
    """

    front: ParetoFront
    chosen: int
    how: str
    history: dict
    settings: dict
    held_out: np.ndarray | None = None

    @classmethod
    def of(cls, selector, *, facts=None, parameters=None, held_out=None, how=None):
        """The record of a fitted selector.

        Parameters
        ----------
        selector : MOELIGASelector, fitted
        facts : dict or None
            Further entries of the settings.
        parameters : dict or None
            Parameters that the settings show in another form than the selector's own.
        held_out : ndarray of float64, shape (m,), or None
        how : str or None
            None finds out whether the selector's rule chooses this member.
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
    def score_name(self):
        return self.settings["score_name"]

    def again(self, rule=None, **limits):
        """The record with another member chosen; see `ParetoFront.choose` for the parameters.

        Without any, the member stays.
        """
        limits = {name: limit for name, limit in limits.items() if limit is not None}
        if rule is None and not limits:
            return self
        if "index" not in limits and "n_features" not in limits:
            own = self.settings["parameters"].get("rule")
            limits = {"rule": rule or (own if own in RULES else "r1"), **limits}
        how = ", ".join(f"{name} {value!r}" for name, value in limits.items())
        return replace(self, chosen=self.front.choose(**limits), how=how)

    def ended(self, names=EARLY):
        """How the search ended, in a sentence."""
        generations, seconds = int(self.history["generation"][-1]), self.history["seconds"][-1]
        text = (f"{count(generations, 'generation')}, {self.settings['n_evaluations']:,} subsets evaluated, "
                f"{seconds:.1f} s")
        reason = self.settings["stop_reason"]
        early = None if reason == "n_generations" else names.get(reason, reason)
        return f"Stopped early by {early} after {text}." if early else f"{text}."


def checksum(X, y):
    """SHA-256 of a data set as hexadecimal text: of its shape, its numbers as float64 row by row, and its labels.

    Sparse data have the checksum of their stored entries, column by column.

    Examples
    --------
    >>> from moeliga.results.run_record import checksum
    >>> checksum([[1.0, 2.0]], ["a"]) == checksum([[1, 2]], ["a"]) != checksum([[1, 2]], ["b"])
    True
    """
    total = hashlib.sha256(repr(np.shape(X)).encode())
    if issparse(X):
        X = csc_array(X, copy=True)
        X.sum_duplicates()
        parts = X.data.astype("<f8"), X.indices.astype("<i8"), X.indptr.astype("<i8")
    else:
        parts = (np.ascontiguousarray(X, dtype="<f8"),)
    for part in parts:
        total.update(part.tobytes())
    total.update("\0".join(map(str, np.asarray(y).tolist())).encode())
    return total.hexdigest()
