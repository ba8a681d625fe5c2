"""The Pareto front: the result of a search."""

from collections.abc import Iterable, Mapping
from copy import copy
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moeliga._ext import bits as bits_room
from moeliga._ext import dominance
from moeliga.base.checks import check_number, indexing
from moeliga.base.text import count, score_format
from moeliga.base.typing import FeatureNames, Integer, Number
from moeliga.base.versions import Versioned
from moeliga.results.export import Export
from moeliga.results.honesty import Honesty, freeze, variances
from moeliga.results.rules import NoLoss, Rule, check_rule, closeness, is_unit, merit_of


def hypervolume(scores: Iterable[float], ratios: Iterable[float]) -> float:
    """Return the area dominated by points (score, CR) above (0, 0): float >= 0; scores below 0 count as 0.

    Examples
    --------
    >>> from moeliga.results.front import hypervolume
    >>> hypervolume([0.5, 1.0], [0.75, 0.5])
    0.625
    """
    area, height = 0.0, 0.0
    for ratio, score in sorted(zip(ratios, scores, strict=True), reverse=True):
        if score > height:
            area += float(ratio) * float(score - height)
            height = score
    return area


class ParetoFront(Versioned, Export):
    """Feature subsets, from small to large: the non-dominated ones, and with honest scores all that were cross-fitted,
    which may be dominated on the samples of the search but not on others. Read-only; its arrays are copies. It can be
    written as CSV, JSON or Parquet, and as a pandas DataFrame.

    Attributes
    ----------
    supports : ndarray of bool, shape (m, n_features)
    objectives : ndarray of float64, shape (m, n_objectives), larger is better
        Re-scored on fresh splits if the search was asked to (`n_rescore_splits`).
    names : tuple of str, names of the objectives
    primary : int
        Index of the score among the objectives.
    n_selected : ndarray of int, shape (m,)
    score : ndarray of float64, shape (m,)
        The score: UAR of the compiled tree unless the search used another.
    score_se : ndarray of float64, shape (m,)
        Standard error of `score` over its splits; NaN for fewer than two splits.
    judges : dict from str to ndarray of float64, shape (m,)
        The score of each of several judges on the fresh splits, of which `score` is the mean or the minimum, by the
        name of its class; empty without fresh splits, and for one judge.
    search_objectives : ndarray of float64, shape (m, n_objectives)
        The values that the search itself used, by default means over its evaluations: optimistic, because it
        selected by them.
    feature_names : ndarray of str, shape (n_features,)
    cost : ndarray of float64, shape (m,), or None
        Sum of the costs of each member's features (`Constraints(costs=...)`), if the selector had any.
    n_rescore_splits : int
        Fresh splits on which `objectives` were measured; 0 = they are the search's own. Fewer than the selector was
        asked for if `max_time` left too little time, 0 if a signal ended the re-scoring.
    source : ndarray of str, shape (m,)
        Origin of each member: "search"; "f_classif" (or "f_regression") or "forest", for the first features of this
        ranking; or "all" features. A subset of several origins has the first of them, "search" only if it is the best
        of its range; all features are always "all".
    honest : Honesty or None
        None: the search was not cross-fitted.
    honest_score, honest_se : ndarray of float64, shape (m,)
        Score of the deployed model on samples held out, and its standard error: in each fold it is fitted to the subset
        of the same source and range of sizes. NaN for members without it: non-dominated ones that are not the best of
        their range.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import MOELIGASelector
    >>> X, y = load_iris(return_X_y=True)
    >>> front = MOELIGASelector(n_generations=5, random_state=0).fit(X, y).pareto_front_
    >>> best = front.choose("best")
    >>> front.features(best), bool(front.score[best] > 0.9)
    (['x3'], True)
    """

    def __init__(self, supports: ArrayLike, objectives: ArrayLike, names: Iterable[str], primary: int,
                 score_se: ArrayLike, search_objectives: ArrayLike, feature_names: FeatureNames,
                 cost: ArrayLike | None = None, n_rescore_splits: int = 0, source: ArrayLike | None = None,
                 honest: Honesty | None = None, judges: Mapping[str, ArrayLike] | None = None) -> None:
        self.supports: NDArray[np.bool_] = frozen(supports)
        self.objectives: NDArray[np.float64] = frozen(objectives)
        self.names = tuple(names)
        self.primary = primary
        self.score: NDArray[np.float64] = self.objectives[:, primary]
        self.score_se: NDArray[np.float64] = frozen(score_se)
        self.search_objectives: NDArray[np.float64] = frozen(search_objectives)
        self.feature_names: FeatureNames = names_of(feature_names)
        self.n_selected: NDArray[np.int64] = frozen(self.supports.sum(axis=1))
        self.cost: NDArray[np.float64] | None = None if cost is None else frozen(cost)
        self.n_rescore_splits = n_rescore_splits
        self.source: NDArray[np.str_] = frozen(np.full(len(self.supports), "search") if source is None else source)
        self.honest = honest
        self.judges: dict[str, NDArray[np.float64]] = {name: frozen(values) for name, values in (judges or {}).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        arrays = (*vars(self).values(), *self.judges.values())
        freeze(*(array for array in arrays if isinstance(array, np.ndarray)))

    def __len__(self) -> int:
        return len(self.supports)

    def __repr__(self) -> str:
        least, most = (self.n_selected.min(), self.n_selected.max()) if len(self) else (0, 0)
        sizes = count(most, "feature") if least == most else f"{least} to {count(most, 'feature')}"
        honest = np.isfinite(self.honest_score)
        score = self.honest_score[honest].max(initial=-np.inf)
        best = f", honest score up to {score:{score_format(score)}}" if honest.any() else ""
        return f"<ParetoFront of {count(len(self), 'subset')} with {sizes}{best}>"

    @property
    def n_features(self) -> int:
        """F, the number of features to choose from: int."""
        return self.supports.shape[1]

    @property
    def honest_score(self) -> NDArray[np.float64]:
        """Score of the deployed model on samples held out: ndarray of float64, shape (m,)."""
        return np.full(len(self), np.nan) if self.honest is None else self.honest.score

    @property
    def honest_se(self) -> NDArray[np.float64]:
        """Standard error of `honest_score`: ndarray of float64, shape (m,)."""
        return np.full(len(self), np.nan) if self.honest is None else self.honest.errors()

    @property
    def dominated(self) -> NDArray[np.bool_]:
        """True where another member is at least as good in all objectives and better in one: ndarray of bool, (m,)."""
        return dominance.rank(np.array(self.objectives)) > 1

    @property
    def worth(self) -> NDArray[np.float64]:
        """The scores by which rules choose, honest ones or else `score`: ndarray of float64, shape (m,)."""
        return self.score if self.honest is None else self.honest.score

    @property
    def worth_se(self) -> NDArray[np.float64]:
        """The standard errors of `worth`: ndarray of float64, shape (m,)."""
        return self.score_se if self.honest is None else self.honest_se

    @property
    def cardinality_ratio(self) -> NDArray[np.float64]:
        """CR = (F - k) / F (Eq. featureratio): ndarray of float64, shape (m,)."""
        return (self.n_features - self.n_selected) / self.n_features

    @property
    def r1(self) -> NDArray[np.float64]:
        """R1 = 1 - sqrt((1 - score)^2 + (1 - CR)^2) (Eq. R1), of `worth`: ndarray of float64, shape (m,); NaN for
        scores that are not in [0, 1]."""
        return closeness(self.worth, self.cardinality_ratio) if self.unit else np.full(len(self), np.nan)

    @property
    def unit(self) -> bool:
        """False if `worth` is a score that is known not to be in [0, 1], so that R1 has no meaning: bool."""
        return is_unit(self.names[self.primary]) and (self.honest is None or self.honest.unit)

    @property
    def hypervolume(self) -> float:
        """Area dominated in (score, CR) above (0, 0): float."""
        return hypervolume(self.score, self.cardinality_ratio)

    def features(self, index: Integer) -> list[str]:
        """Return the names of the features of member `index`: list of str; IndexError unless it is in [-m, m)."""
        with indexing("index", index, len(self)):
            return self.feature_names[self.supports[index]].tolist()

    def choose(self, rule: Rule = "no_loss", *, n_features: Integer | None = None, max_features: Integer | None = None,
               max_cost: Number | None = None, index: Integer | None = None) -> int:
        """Return the index of one member: int.

        Parameters
        ----------
        rule : {"no_loss", "one_se", "best", "knee", "r1", "r1_lambda"}, NoLoss or callable, default="no_loss"
            "no_loss": smallest that is not worse than the best by more than a quarter of the standard error of the
            difference, by scores smoothed over sizes, see `NoLoss`; "one_se": smallest within one standard error of the
            best score; "best": highest score; "knee": farthest from the line between the smallest member and the best;
            "r1": largest R1 (paper); "r1_lambda": R1 with objective II (CR_lambda) in place of CR. Scores are honest
            ones, if there are any, and members without one are not chosen. A callable gets the front and returns an
            index. Ties go to the smaller subset, then to the higher score.
        n_features : int, optional
            The best score among members of exactly this size.
        max_features : int, optional
            Consider only members of at most this size; not with a callable.
        max_cost : float, optional
            Consider only members of at most this total cost; not with a callable.
        index : int, optional
            Choose this member.

        Raises
        ------
        TypeError, ValueError : for an unknown rule, or one that the front does not allow: "one_se" without standard
            errors, R1 of a score beyond [0, 1], "r1_lambda" without cardinality; for an index, also that of a callable,
            beyond the front or beside limits, limits with a callable, `max_cost` without costs; if no member fits.
        """
        check_rule(rule)
        if index is not None:
            if not (n_features is None and max_features is None and max_cost is None):
                raise ValueError("index must be None where n_features, max_features or max_cost is given, got "
                                 f"{index!r}")
            return int(check_number("index", index, Integral, 0, len(self), closed="left"))
        if not len(self):
            raise ValueError("the front must have a member, to choose it by a rule or a size, got none")
        candidates = self._eligible(rule, n_features, max_features, max_cost)
        if n_features is not None:
            rule = "best"
        if callable(rule):
            return int(check_number("the index that rule returns", rule(self), Integral, 0, len(self), closed="left"))
        known = candidates[np.isfinite(self.worth[candidates])]
        if not len(known):  # none of these sizes was cross-fitted
            merit, known = self.score[candidates], candidates
        else:
            merit = merit_of(self, rule, known)
        # largest merit, then the smaller subset, then the higher score, then the lower index
        scores = (-self.score[known], -np.nan_to_num(self.worth[known]))
        return int(known[np.lexsort((known, *scores, self.n_selected[known], -merit))[0]])

    def _eligible(self, rule: Rule, n_features: Integer | None, max_features: Integer | None,
                  max_cost: Number | None) -> NDArray[np.intp]:
        """Return the indices of the members within the limits: ndarray of int, not empty; ValueError if none is."""
        for name, limit in (("max_features", max_features), ("max_cost", max_cost)):
            if callable(rule) and limit is not None and n_features is None:
                raise ValueError(f"{name} must be None for a callable rule, got {limit!r}")
        sizes = sorted(set(self.n_selected.tolist()))
        candidates = np.arange(len(self))
        if n_features is not None:
            check_number("n_features", n_features, Integral)
            candidates = np.flatnonzero(self.n_selected == n_features)
            if not len(candidates):
                raise ValueError(f"n_features must be the size of a member of the front, got {n_features}; "
                                 f"there are members of {sizes} features (max_features= takes the best up to a size)")
        if max_features is not None:
            check_number("max_features", max_features, Integral)
            smallest = sizes[0] if n_features is None else n_features
            candidates = candidates[self.n_selected[candidates] <= max_features]
            if not len(candidates):
                raise ValueError(f"max_features must be >= {smallest}, the size of the smallest member that may be "
                                 f"chosen, got {max_features}")
        if max_cost is not None:
            check_number("max_cost", max_cost, Real, 0)
            if self.cost is None:
                raise ValueError(f"max_cost must be None for a front without costs, got {max_cost!r}")
            least = self.cost[candidates].min()
            candidates = candidates[self.cost[candidates] <= max_cost]
            if not len(candidates):
                raise ValueError(f"max_cost must be >= {least}, the cost of the cheapest member that may be chosen, "
                                 f"got {max_cost}")
        if isinstance(rule, NoLoss) and rule.must_reduce and n_features is None:
            every = (self.n_selected == self.n_features) | (self.source == "all")
            candidates = candidates[~every[candidates]]
            if not len(candidates):
                raise ValueError("rule.must_reduce must be False where all members that may be chosen have all "
                                 "features")
        return candidates

    def part(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> "ParetoFront":
        """Return the front of some members, by index or mask: ParetoFront; IndexError if there is no such member."""
        honest = None if self.honest is None else self.honest.part(rows)
        return ParetoFront(self.supports[rows], self.objectives[rows], self.names, self.primary, self.score_se[rows],
                           self.search_objectives[rows], self.feature_names,
                           None if self.cost is None else self.cost[rows], self.n_rescore_splits, self.source[rows],
                           honest, {name: values[rows] for name, values in self.judges.items()})


def frozen(array: ArrayLike) -> NDArray[Any]:
    """Return a read-only copy of an array."""
    copy = np.array(array)
    freeze(copy)
    return copy


def names_of(feature_names):
    """Return the names, copied unless they are a read-only array that owns its data."""
    owned = isinstance(feature_names, np.ndarray) and feature_names.flags.owndata
    return feature_names if owned and not feature_names.flags.writeable else frozen(feature_names)


def renamed(front, feature_names):
    """Return the front with other feature names: ParetoFront."""
    other = copy(front)
    other.feature_names = names_of(feature_names)
    return other


def build_front(bits, objectives, search_objectives, scores, evaluator, feature_names, n_rescore_splits, *, kept=None,
                source=None, honest=None, judged=None):
    """Return the `ParetoFront` of some rows, sorted by size, then by falling score, then by mask.

    `bits` are distinct subsets of all features, uint64 of shape (n, n_words); `objectives` and `search_objectives` are
    float64 of shape (n, n_objectives), `scores` the score on each split, float64 of shape (n, n_splits); `evaluator` is
    an `Objectives`; `kept`, bool of shape (n,), are the rows of the front, None = the non-dominated ones. `judged` are
    the scores of several judges, float64 of shape (n, n_judges). See `ParetoFront` for the others, of n rows each.
    """
    kept = np.flatnonzero(dominance.rank(objectives) == 1 if kept is None else kept)
    supports = bits_room.unpack(bits[kept], len(feature_names))
    sizes, score = supports.sum(axis=1), objectives[kept, evaluator.primary]
    order = sorted(range(len(kept)), key=lambda i: (sizes[i], -score[i], supports[i].tobytes()))
    kept, supports = kept[order], supports[order]
    errors, cost = np.sqrt(variances(scores) / max(1, scores.shape[1]))[kept], None
    if evaluator.costs is not None:
        cost = bits_room.total(bits[kept], np.arange(supports.shape[1], dtype=np.int32), evaluator.costs)
    return ParetoFront(supports, objectives[kept], evaluator.names, evaluator.primary, errors,
                       search_objectives[kept], feature_names, cost, n_rescore_splits,
                       None if source is None else source[kept], None if honest is None else honest.part(kept),
                       None if judged is None else dict(zip(evaluator.judge_names, judged[kept].T, strict=False)))
