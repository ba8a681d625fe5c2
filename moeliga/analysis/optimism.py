"""Report on optimism: how much of the scores of a front is chance."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from moeliga.analysis.permutation_test import median, p_value
from moeliga.analysis.replication import Replications, without_folds
from moeliga.analysis.resampling import held_out_part
from moeliga.analysis.result_cache import path_of
from moeliga.base.checks import check_number
from moeliga.base.random_streams import spawn
from moeliga.base.text import count, preformatted, score_format, score_name
from moeliga.base.typing import Integer, Number, PathLike, RandomState
from moeliga.evaluation.estimator_scorer import find_scorer
from moeliga.evaluation.held_out import fitted_scores, fresh_scores, uar_error
from moeliga.evaluation.objectives import combine_judges, resolve_objectives
from moeliga.results.files import DataFrame, data_frame
from moeliga.results.front import ParetoFront
from moeliga.results.rules import is_unit
from moeliga.results.text import search_scores
from moeliga.selector import MOELIGASelector


class OptimismReport:
    """How much of a front's scores is chance; made by `optimism_report`.

    There is a row for each member with an honest score; without honest scores, for each member that scores higher than
    all smaller ones. Rows are sorted from small to large.

    Attributes
    ----------
    front : ParetoFront
        Of the search on the training samples.
    index, n_selected : ndarray of int, shape (n_rows,)
        Index in `front` and size of each row's member.
    chosen : int or None
        Row of the member that the selector's rule chose; None if it is in no row.
    search_score : ndarray of float64, shape (n_rows,)
        Score in the search: by default the mean over all splits on which it evaluated the member. Too high, as members
        were kept because of it; less so for a member that was evaluated often. NaN for members that it did not find.
    score : ndarray of float64, shape (n_rows,)
        Score in `front`: re-scored if the selector has `n_rescore_splits`, else search_score.
    fresh_score, fresh_se : ndarray of float64, shape (n_rows,)
        Mean over `n_splits` new random splits of the training samples, the same for all members and used for no
        choice, and its standard error over splits. Still too high for new samples, as the features were chosen with the
        labels of all training samples; or too low, as each fit has only a part of them.
    split_luck, sample_fit : ndarray of float64, shape (n_rows,)
        search_score - fresh_score, luck with splits; and fresh_score - test_score, fit to the training samples.
    test_score, test_se : ndarray of float64, shape (n_rows,)
        Score on the samples held out, of what guides the search, fitted to the member's features on all training
        samples. For UAR of one judge (else NaN) test_se is the error due to the few samples held out,
        sqrt(sum over classes of p (1 - p) / n_c) / n_classes, with the recall p estimated as (hits + 1) / (n_c + 2),
        so that a class without an error does not count as certain.
    honest_score, deployed_score : ndarray of float64, shape (n_rows,)
        Scores of the deployed model: the member's honest score, and the score on the samples held out, which the honest
        score predicts. NaN without honest scores.
    null_score : ndarray of float64, shape (n_permutations, n_rows)
        Best score with at most the row's features in each front of a search with shuffled labels; NaN where it has no
        such member.
    p_value : ndarray of float64, shape (n_rows,), in (0, 1]; NaN without permutations
        Share of searches, the real one counted too, that reach the real front's best score at that size:
        (1 + count) / (1 + n_permutations). It tests whether features and labels have anything to do with each other; a
        small p does not say that the score is right. With one p for each size, some are small by chance.
    hypervolume, hypervolume_p_value : float, NaN for losses and other scores beyond [0, 1]
        The same test once for the whole front, which needs no correction for the number of sizes.
    null_hypervolume : ndarray of float64, shape (n_permutations,)
    chance : float
        UAR of guessing: 1 / n_classes; NaN for another score.
    n_train, n_test, n_permutations : int
    """

    front: ParetoFront
    index: NDArray[np.intp]
    n_selected: NDArray[np.int64]
    chosen: int | None
    search_score: NDArray[np.float64]
    score: NDArray[np.float64]
    fresh_score: NDArray[np.float64]
    fresh_se: NDArray[np.float64]
    test_score: NDArray[np.float64]
    test_se: NDArray[np.float64]
    honest_score: NDArray[np.float64]
    deployed_score: NDArray[np.float64]
    null_score: NDArray[np.float64]
    p_value: NDArray[np.float64]
    hypervolume: float
    hypervolume_p_value: float
    null_hypervolume: NDArray[np.float64]
    chance: float
    n_train: int
    n_test: int

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)

    @property
    def n_permutations(self) -> int:
        """Searches with shuffled labels: int >= 0."""
        return len(self.null_hypervolume)

    @property
    def split_luck(self) -> NDArray[np.float64]:
        """search_score - fresh_score: ndarray of float64, shape (n_rows,)."""
        return self.search_score - self.fresh_score

    @property
    def sample_fit(self) -> NDArray[np.float64]:
        """fresh_score - test_score: ndarray of float64, shape (n_rows,)."""
        return self.fresh_score - self.test_score

    def __repr__(self) -> str:
        return (f"<OptimismReport of {count(len(self.index), 'subset')}, {count(self.n_test, 'sample')} held out, "
                f"{count(self.n_permutations, 'permutation')}; summary() shows it>")

    def _repr_html_(self) -> str:
        return preformatted(self.summary())

    def to_frame(self) -> "DataFrame":
        """Return the rows as a pandas DataFrame; ImportError without pandas."""
        names = ("n_selected", "search_score", "score", "fresh_score", "fresh_se", "test_score", "test_se",
                 "honest_score", "deployed_score")
        return data_frame(self, {
            **{name: getattr(self, name) for name in names},
            "null_median": median(self.null_score),
            "p_value": self.p_value,
            "features": [self.front.features(i) for i in self.index],
        })

    def summary(self) -> str:
        """Return the report as text of several lines."""
        deployed = bool(np.isfinite(self.deployed_score).any())
        lines = [f"{self.n_train:,} samples searched, {self.n_test:,} held out, "
                 f"{count(self.n_permutations, 'permutation')}",
                 "  features  search  fresh splits   held out       shuffled  p"
                 + "      honest  deployed, held out" * deployed]
        shuffled = median(self.null_score)
        form = score_format(self.search_score, self.test_score)
        for row in range(len(self.index)):
            lines.append(
                f"{'*' if row == self.chosen else ' '} {self.n_selected[row]:8,d}  "
                f"{text(self.search_score[row], form):>6}  "
                f"{plus_minus(self.fresh_score[row], self.fresh_se[row], form)}  "
                f"{plus_minus(self.test_score[row], self.test_se[row], form)}  "
                f"{text(shuffled[row], form):>8}  {text(self.p_value[row]):5}"
                + f"  {text(self.honest_score[row], form):>6}  {text(self.deployed_score[row], form)}" * deployed)
        null = self.null_hypervolume
        if np.isfinite(self.hypervolume):
            lines.append(f"hypervolume {self.hypervolume:.3f}"
                         + (f"; shuffled {null.min():.3f} to {null.max():.3f}; p {text(self.hypervolume_p_value)}"
                            if len(null) else ""))
        if np.isfinite(self.chance):
            lines.append(f"guessing gives {self.chance:{form}}")
        if deployed:
            lines.append("honest is the forecast for the deployed model, the scores to its left are those of the judge")
        if self.chosen is not None:
            lines.append("* = chosen")
        return "\n".join(lines)


def optimism_report(selector: MOELIGASelector, X: ArrayLike, y: ArrayLike, *, X_test: ArrayLike | None = None,
                    y_test: ArrayLike | None = None, test_size: Number = 0.3, n_permutations: Integer = 19,
                    n_splits: Integer = 50, groups: ArrayLike | None = None, random_state: RandomState = None,
                    n_jobs: Integer | None = None, checkpoint: PathLike | None = None) -> OptimismReport:
    """Estimate how much of a front's scores is chance.

    A clone of the selector searches again on a part of the samples (the given one, fitted or not, stays as it is), and
    the members of its front are scored in several ways: see `OptimismReport`. With `honest` a second clone is
    cross-fitted there, and its honest scores are compared with the scores of the deployed model on the held-out part.

    Parameters
    ----------
    selector : MOELIGASelector, fitted or not
        Its objectives must hold the score that guides the search.
    X : array-like or sparse of shape (n_samples, n_features), numbers; NaN = missing
    y : array-like of shape (n_samples,), class labels, or for a regressor numbers
    X_test, y_test : array-like, X_test also sparse, or None, default=None
        Samples to hold out; then X and y are searched as a whole. None = hold out a part of X and y.
    test_size : float in (0, 1), default=0.3
        Share of each class, or decile of the target, that is held out; at least one sample and never all.
    n_permutations : int >= 0, default=19
        Searches with shuffled labels, without folds. The smallest p value is 1 / (1 + n_permutations): 0.05 for 19.
    n_splits : int >= 2, default=50; fresh splits
    groups : array-like of shape (n_samples,) or None, default=None
        Samples that belong together: whole groups are held out, about `test_size` of the samples, and the fits get
        them, for `honest` or `cv`. Fresh splits and shuffled labels do not keep to them.
    random_state : None, int, RandomState or Generator, default=None
        The same int gives the same report, for any `n_jobs`.
    n_jobs : int or None, default=None
        Searches at the same time; None = as the selector says.
    checkpoint : str, path or None, default=None
        A file to which the result of each search is written at once; the same call with the file makes only the
        missing searches. A result that cannot be written is a RuntimeWarning.

    Raises
    ------
    TypeError, ValueError : as `fit` for selector, X and y; for a number out of its range; X_test without y_test, with
        other features, another order of columns or other classes; groups of another length, or of which none can be
        held out; a checkpoint of other data, parameters or version, damaged, in use, in no folder, or with
        `random_state=None`.

    Notes
    -----
    Cost: 1 + n_permutations searches, and for honest scores a whole fit. Memory: `n_jobs` searches. The tests suppose
    that samples are exchangeable. If several are of one patient (`groups`), do not trust the p values. With `max_time`
    shuffled searches may get less far than the real one. Callbacks are called in all searches. Fresh splits are random,
    of `validation_size`, also with `cv`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from moeliga import MOELIGASelector, optimism_report
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = MOELIGASelector(n_generations=5, honest=None)
    >>> optimism_report(selector, X, y, n_permutations=3, random_state=0).hypervolume_p_value
    0.25
    """
    check_number("test_size", test_size, Real, 0, 1, closed="neither")
    check_number("n_permutations", n_permutations, Integral, 0)
    check_number("n_splits", n_splits, Integral, 2)
    if (X_test is None) != (y_test is None):
        raise ValueError(f"X_test and y_test must be given together, got {'y' if X_test is None else 'X'}_test alone")
    path = path_of(checkpoint, random_state)
    replications = Replications(selector, X, y, n_jobs, groups)
    whole, replications.selector = replications.selector, without_folds(replications.selector)
    problem = replications.problem
    guide = score_name(selector.guide_scoring(), problem.regression)
    if selector.objectives is not None and guide not in resolve_objectives(selector.objectives, guide):
        raise ValueError(f"objectives must hold {guide!r} for optimism_report, got {selector.objectives!r}")
    split_seed, search_seed, score_seed, *null_seeds = spawn(random_state, 3 + 2 * n_permutations)
    values, y, n_samples = replications.values, replications.y, len(replications.y)
    if X_test is None:
        test = held_out_part(replications.labels, float(test_size), split_seed, replications.group,
                             not problem.regression)
        train = np.setdiff1d(np.arange(n_samples), test)
    else:
        values, y = replications.append_test(X_test, y_test)
        train, test = np.arange(n_samples), np.arange(n_samples, len(y))
    y_train = y[train]
    tasks = [(train, np.random.default_rng(shuffle).permutation(y_train), seed)
             for shuffle, seed in zip(null_seeds[::2], null_seeds[1::2], strict=True)]
    null_fronts = replications.outcomes(tasks, front_to_json, ParetoFront.from_json, path)
    fitted = found = replications.search(train, y_train, search_seed)
    index, guides = improving_members(found.pareto_front_), selector.guides()
    by_uar = selector.guide_scoring() is None and not problem.regression and len(guides) == 1
    if selector.honest is not None:
        fitted = replications.search(train, y_train, search_seed, whole)
        index = np.flatnonzero(np.isfinite(fitted.pareto_front_.honest_score))
    front = fitted.pareto_front_
    sizes, masks = front.n_selected[index], front.supports[index]
    fresh = fresh_scores(found, values[train], y_train, masks, fitted.stands_for("evaluation").validation_size,
                         n_splits, score_seed)

    def held_out(model: Any, *scorers: Any) -> NDArray[np.float64]:
        return fitted_scores(model, masks, values[train], y_train, values[test], y[test], scorers, score_seed, {})
    guided = [held_out(guide, find_scorer(guide, selector.guide_scoring()), uar_error if by_uar else lambda *_: np.nan)
              for guide in guides]
    test_score = combine_judges(np.stack(guided, axis=1)[..., 0], selector.stands_for("islands").combine)
    model, best = fitted.deployed(), best_at_most(found.pareto_front_, sizes)
    deployed = np.full(len(index), np.nan) if selector.honest is None else (
        held_out(model, find_scorer(model, selector.scoring))[:, 0])
    null_score = np.array([best_at_most(other, sizes) for other in null_fronts]).reshape(n_permutations, len(index))
    areas = np.array([other.hypervolume for other in (found.pareto_front_, *null_fronts)])
    if not is_unit(front.names[front.primary]):
        areas[:] = np.nan  # no area with (0, 0)
    chosen = np.flatnonzero(index == fitted.index_)
    return OptimismReport(
        front=front, index=index, n_selected=sizes, chosen=int(chosen[0]) if len(chosen) else None,
        search_score=search_scores(front)[index], score=front.score[index],
        fresh_score=fresh.mean(axis=1), fresh_se=fresh.std(axis=1, ddof=1) / np.sqrt(n_splits),
        test_score=test_score, test_se=guided[0][:, 1], honest_score=front.honest_score[index], deployed_score=deployed,
        null_score=null_score, p_value=p_value(best, null_score), null_hypervolume=areas[1:],
        hypervolume=float(areas[0]), hypervolume_p_value=float(p_value(areas[0], areas[1:])),
        chance=1 / len(problem.values) if by_uar else np.nan, n_train=len(train), n_test=len(test))


def front_to_json(selector: MOELIGASelector) -> str:
    return selector.pareto_front_.to_json()


def improving_members(front: ParetoFront) -> NDArray[np.intp]:
    """Return the indices of the members that score higher than all smaller ones, from small to large."""
    order = np.lexsort((-front.score, front.n_selected))
    score = front.score[order]
    return order[score > np.append(-np.inf, np.maximum.accumulate(score)[:-1])]


def best_at_most(front: ParetoFront, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the best score of the members up to each of `sizes`: ndarray of float64, NaN if all are larger."""
    return np.array([max(front.score[front.n_selected <= size].tolist(), default=np.nan) for size in sizes])


def text(value: float, form: str = ".3f") -> str:
    return "-" if np.isnan(value) else f"{value:{form}}"


def plus_minus(value: float, error: float, form: str) -> str:
    return f"{value:{form}}" + (f" ± {error:{form}}" if error > 0 else " " * 8)
