"""What a search has found: a front, and a choice from it by every rule."""

from dataclasses import dataclass

import numpy as np

from moeliga import ParetoFront
from moeliga._ext import dominance

RULES = {"r1": ("r1", None), "best": ("best", None), "one_se": ("one_se", None), "five": ("best", 5),
         "ten": ("best", 10)}
"""Rules of `ParetoFront.choose` with a largest size: "five" is the best of at most five features, and the smallest
member where all are larger."""


@dataclass(frozen=True, eq=False)
class Found:
    """Of one search.

    Attributes
    ----------
    front : ParetoFront
    choices : dict from rule to int
        Places in the front; a rule is missing where the front has no standard errors for it.
    evaluations : int
    note : str
    """

    front: ParetoFront
    choices: dict
    evaluations: int
    note: str = ""

    @classmethod
    def by_rules(cls, front, evaluations, note=""):
        """Choices by all rules from a front."""
        rules = [name for name in RULES if name != "one_se" or np.isfinite(front.score_se).all()]
        return cls(front, {name: choice(front, *RULES[name]) for name in rules}, evaluations, note)


def choice(front, rule, largest):
    """Place of a member of at most so many features; of the smallest where all have more."""
    if largest is not None:
        largest = max(largest, int(front.n_selected.min()))
    return front.choose(rule, max_features=largest)


def front_of(masks, scores, errors, feature_names=None):
    """The non-dominated of some subsets by score and size, from small to large, which no search has seen.

    Parameters
    ----------
    masks : ndarray of bool, shape (m, n_features), distinct
    scores, errors : ndarray of float64, shape (m,)
    """
    ratios = 1 - masks.mean(axis=1)
    objectives = np.column_stack((scores, ratios))
    kept = np.flatnonzero(dominance.rank(np.ascontiguousarray(objectives)) == 1)
    kept = kept[np.lexsort((-scores[kept], masks[kept].sum(axis=1)))]
    names = np.array([f"x{i}" for i in range(masks.shape[1])]) if feature_names is None else feature_names
    unseen = np.full((len(kept), 2), np.nan)
    return ParetoFront(masks[kept], objectives[kept], ("uar", "cardinality"), 0, errors[kept], unseen, names)
