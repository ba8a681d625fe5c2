"""Rules that choose a member of a Pareto front."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from moeliga.base.text import meant
from moeliga.base.typing import Integer

RULES = ("r1", "r1_lambda", "knee", "one_se", "best")

Rule: TypeAlias = Literal["r1", "r1_lambda", "knee", "one_se", "best"] | Callable[[Any], Integer]


def check_rule(rule: object) -> None:
    """Raise ValueError unless `rule` is one that `ParetoFront.choose` knows, or a callable."""
    if not callable(rule) and not (isinstance(rule, str) and rule in RULES):
        raise ValueError(f"rule must be one of {RULES} or a callable, got {rule!r}{meant(rule, RULES)}")


def closeness(score: NDArray[np.float64], ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - Euclidean distance of (score, ratio) to the ideal point (1, 1)."""
    with np.errstate(over="ignore"):  # an R2 may be below -1e154
        return 1.0 - np.sqrt((1.0 - score) * (1.0 - score) + (1.0 - ratio) * (1.0 - ratio))


def merit_of(front: Any, rule: Any, candidates: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return what a rule of `RULES` maximises among the candidates: ndarray of float64."""
    size, score = front.n_selected[candidates].astype(float), front.score[candidates]
    smallest, best = np.lexsort((-score, size))[0], np.lexsort((size, -score))[0]
    if rule == "r1":
        return front.r1[candidates]
    if rule == "r1_lambda":
        if "cardinality" not in front.names:
            raise ValueError(f"rule='r1_lambda' needs the objective 'cardinality', got {front.names}")
        return closeness(score, front.objectives[candidates, front.names.index("cardinality")])
    if rule == "one_se":
        error = front.score_se[candidates[best]]
        if not np.isfinite(error):
            raise ValueError("rule='one_se' needs a front re-scored on at least 2 splits (n_rescore_splits)")
        return np.where(score >= score[best] - error, -size, -np.inf)
    if rule == "knee" and size[best] != size[smallest]:
        # height above the line between the two ends, both axes scaled to the rectangle between them; negative for
        # members larger than the best
        x = (size - size[smallest]) / (size[best] - size[smallest])
        y = (score - score[smallest]) / (score[best] - score[smallest])
        return y - x
    return score
