"""Rules that choose a member of a Pareto front."""

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from moeliga.base.checks import check_flag, check_number
from moeliga.base.estimator import BaseEstimator
from moeliga.base.text import suggestion
from moeliga.base.typing import Boolean, Integer, Number

RuleName: TypeAlias = Literal["no_loss", "one_se", "best", "knee", "r1", "r1_lambda"]
RULES: tuple[RuleName, ...] = get_args(RuleName)

OTHERS = "use 'no_loss', 'one_se', 'best' or 'knee'"

ROUNDING = 1e-12
"""Largest difference that rounding may make between equal scores, as a share of the largest score."""


class NoLoss(BaseEstimator):
    """Rule: the smallest subset that is not worse than the best one, all features among them.

    `MOELIGASelector.fit` and `ParetoFront.choose` raise TypeError or ValueError for parameters out of their range.

    Not worse: the difference of their scores is at most `margin` standard errors of this difference. Honest scores are
    smoothed over sizes first: each becomes a weighted mean of those of its source. One of r times as many features, or
    as few, has the weight r^-3, and none if the two differ by more than three standard errors. So a size is not chosen
    for its luck alone.
    The error is that of the paired differences over folds, by Nadeau and Bengio's correction for folds that share
    training samples; without honest scores it is the best one's `score_se`, and nothing is smoothed.

    A model that gives one answer for all samples of a fold, whatever the features, has learnt nothing from so few
    samples: its scores do not distinguish subsets, and the largest is chosen.

    Parameters
    ----------
    margin : float >= 0, default=0.25
        A larger margin chooses smaller subsets, which lose more.
    must_reduce : bool, default=False
        Never choose all features.

    Examples
    --------
    >>> from moeliga import MOELIGASelector, NoLoss
    >>> MOELIGASelector(rule=NoLoss(margin=0.5, must_reduce=True))
    MOELIGASelector(rule=NoLoss(margin=0.5, must_reduce=True))
    """

    def __init__(self, margin: Number = 0.25, must_reduce: Boolean = False) -> None:
        self.margin = margin
        self.must_reduce = must_reduce

    def validate(self, name: str = "rule") -> None:
        """Raise TypeError or ValueError naming the parameter, the rule and the value."""
        check_number(f"{name}.margin", self.margin, Real, 0)
        check_flag(f"{name}.must_reduce", self.must_reduce)


Rule: TypeAlias = RuleName | NoLoss | Callable[[Any], Integer]


def check_rule(rule: object) -> None:
    """Raise ValueError unless `rule` is one that `ParetoFront.choose` knows, or a callable."""
    if isinstance(rule, NoLoss):
        rule.validate()
    elif isinstance(rule, type) or not (callable(rule) or isinstance(rule, str) and rule in RULES):
        raise ValueError(f"rule must be one of {RULES}, a NoLoss or a callable, got {rule!r}{suggestion(rule, RULES)}")


def is_unit(name: str) -> bool:
    """Return False for a score that is known not to be in [0, 1]; True for R2, although it may be negative."""
    others = ("matthews_corrcoef", "explained_variance", "positive_likelihood_ratio", "mutual_info_score",
              "adjusted_mutual_info_score", "adjusted_rand_score")
    return not name.startswith(("neg_", "d2_")) and name not in others


def check_unit(rule: Rule, name: str, unit: bool) -> None:
    """Raise ValueError for a rule by R1, the distance to a score of 1, unless the score is in [0, 1]."""
    if rule in ("r1", "r1_lambda") and not unit:
        raise ValueError(f"rule={rule!r} needs a score in [0, 1], got {name!r}: {OTHERS}")


def rule_for(front: Any, rule: Rule) -> Rule:
    """Return the rule, or in place of "one_se" another one if the front has no standard errors.

    They are missing without re-scoring, or if a signal ended it: the end of a search must still choose a member.
    """
    if rule != "one_se" or np.isfinite(front.worth_se).any():
        return rule
    return "r1" if front.unit else "best"


def closeness(score: NDArray[np.float64], ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 - Euclidean distance of (score, ratio) to the ideal point (1, 1)."""
    with np.errstate(over="ignore"):  # an R2 may be below -1e154
        return 1.0 - np.sqrt((1.0 - score) * (1.0 - score) + (1.0 - ratio) * (1.0 - ratio))


def slack_of(score: NDArray[np.float64]) -> float:
    """Return the largest difference that rounding may make between smoothed scores: float."""
    return ROUNDING * float(np.abs(score).max())


def merit_of(front: Any, rule: Any, candidates: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the quantity that a rule of `RULES` maximises, for each candidate: ndarray of float64.

    `front` has `n_selected`, `worth` (honest scores, or else those of the search), `worth_se`, `honest`, `source`,
    `cardinality_ratio`, `n_features`, `names`, `primary` and `objectives`.
    """
    size, score = front.n_selected[candidates].astype(float), front.worth[candidates]
    smallest, best = np.lexsort((-score, size))[0], np.lexsort((size, -score))[0]
    if rule in ("r1", "r1_lambda"):
        if front.honest is not None and not front.honest.unit:
            raise ValueError(f"rule={rule!r} needs a score in [0, 1], which honest scores are not: {OTHERS}")
        check_unit(rule, front.names[front.primary], is_unit(front.names[front.primary]))
    if rule == "r1":
        return closeness(score, front.cardinality_ratio[candidates])
    if rule == "r1_lambda":
        if "cardinality" not in front.names:
            raise ValueError(f"rule='r1_lambda' needs the objective 'cardinality', got {front.names}")
        return closeness(score, front.objectives[candidates, front.names.index("cardinality")])
    if rule == "one_se":
        error = front.worth_se[candidates]
        known = np.flatnonzero(np.isfinite(error))
        if not len(known) and front.honest is not None:
            raise ValueError("rule='one_se' needs standard errors, but honest scores have none: fewer than two folds "
                             "have a score of their own; use another rule")
        if not len(known):
            raise ValueError("rule='one_se' needs a front re-scored on at least 2 splits, got n_rescore_splits="
                             f"{front.n_rescore_splits}")
        best = known[np.lexsort((size[known], -score[known]))[0]]
        return np.where(score >= score[best] - error[best], -size, -np.inf)
    if rule == "knee" and size[best] != size[smallest]:
        # height above the line between the two ends, both axes scaled to the rectangle between them; negative for
        # members larger than the best
        x = (size - size[smallest]) / (size[best] - size[smallest])
        y = (score - score[smallest]) / (score[best] - score[smallest])
        height = y - x
        return np.where(height >= height.max() - ROUNDING, height.max(), height)  # heights equal but for rounding tie
    if rule == "no_loss" or isinstance(rule, NoLoss):
        if front.honest is not None and front.honest.constant:
            return size
        margin = NoLoss().margin if isinstance(rule, str) else rule.margin
        if front.honest is None:
            error = np.full(len(candidates), front.worth_se[candidates[best]])
        else:
            smooth = front.honest.part(candidates).smoothed(front.source[candidates], front.n_selected[candidates])
            score = smooth.score
            top = np.flatnonzero(score >= score.max() - slack_of(score))
            error = smooth.errors(top[np.lexsort((-score[top], size[top]))[0]])
        error = np.nan_to_num(error, nan=0.0)
        return np.where(score >= score.max() - slack_of(score) - margin * error, -size, -np.inf)
    return score
