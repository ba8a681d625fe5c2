"""The building blocks as functions: objectives of given subsets, separability, Pareto rank, shared fitness."""

from collections.abc import Mapping
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _get_feature_names, check_array, check_X_y

from moeliga._ext import dominance, draw, relief
from moeliga._ext.scores import NUMBERS
from moeliga.base.checks import (
    ALIGNED,
    check_bool,
    check_count,
    check_count_or_share,
    check_flag,
    check_number,
    check_sparse,
    check_target,
    conversion,
)
from moeliga.base.memory import require
from moeliga.base.random_streams import Purpose, seed_words
from moeliga.base.text import score_name
from moeliga.base.threads import n_threads
from moeliga.base.typing import Boolean, FixedSplits, Integer, Number, Numbers, Predictor, RandomState
from moeliga.base.typing import Samples as Data
from moeliga.data.dataset import check_n_classes
from moeliga.data.feature_space import check_costs
from moeliga.data.frame import read_pair
from moeliga.data.ground import Ground, parts_of
from moeliga.data.memory_estimate import subsets_parts
from moeliga.data.problem import Problem, check_like_labels
from moeliga.data.subsets import Subsets, bits_of
from moeliga.evaluation.judges import compiled, judge_of
from moeliga.evaluation.objectives import Objectives, check_costed, resolve_objectives
from moeliga.evaluation.path import path_of
from moeliga.evaluation.scores import OF_TARGETS, is_compiled
from moeliga.evaluation.subsample import PUBLIC, size_of, stratified_rows, with_judges
from moeliga.evaluation.weights import metadata_of
from moeliga.parameters.moga import FitnessSharing, Normalisation, Sharing, Space
from moeliga.parameters.objectives import NEIGHBOURS, Separability
from moeliga.parameters.objectives import Objectives as Terms
from moeliga.search import population
from moeliga.tree import TRAINING, estimator_or_tree


def checked_problem(X, y, regression, judge=None):
    """Return the Problem of checked data, without missing values if a compiled `judge` takes none."""
    with conversion():
        X, y = read_pair(check_sparse("X", X), y)
        complete = {} if judge is None or judge.coded else {"ensure_all_finite": True, "estimator": judge.name}
        X, y = check_X_y(X, y, ensure_min_samples=2, **{**TRAINING, **complete})
    way = "neighbours" if judge is None else "model"
    problem = Problem(X, check_target(y) if regression else check_like_labels(y, way), regression)
    if len(problem.values) < 2:
        several, one = ("values", "value") if regression else ("classes", "class")
        raise ValueError(f"y must have at least 2 {several}, got 1 {one}: {problem.values.tolist()[0]!r}")
    if not regression:
        check_n_classes(len(problem.values))
    return problem


def encode(problem, neighbours=None, n_jobs=1, masks=None, judge=None, coded=True, splits=None):
    """Return the Samples of a Problem, a Dataset if `coded`; no `neighbours` = classes, no `masks` = one subset."""
    threads, n_classes = n_threads(n_jobs), None if problem.regression else len(problem.values)
    require("the evaluation", subsets_parts(problem.X, n_classes, threads, masks, judge, coded, splits))
    return problem.dataset(neighbours, threads) if coded else problem.samples()


def evaluate_subsets(X: Data, y: ArrayLike, masks: ArrayLike, *, n_splits: Integer = 3, validation_size: Number = 0.3,
                     subsample: Number | None = None, objectives: Terms | None = None,
                     feature_costs: Numbers | Mapping[str, Number] | None = None, estimator: Predictor | None = None,
                     sample_weight: Numbers | None = None, scoring: str | None = None,
                     cv: FixedSplits | None = None, shared: Boolean = False,
                     random_state: RandomState = None, n_jobs: Integer | None = None) -> NDArray[np.float64]:
    """Return the objectives of any feature subsets, from one call of the compiled core.

    Parameters
    ----------
    X : array-like or sparse of shape (n_samples, n_features), numbers; NaN = missing
    y : array-like of shape (n_samples,), class labels; for a regressor numbers
    masks : array-like of bool, shape (m, n_features); no row is empty
    n_splits : int >= 1, default=3
        Random stratified splits for each subset: by class, or by deciles of the numbers.
    validation_size : float in (0, 1), default=0.3
    subsample : None, int >= 2 or float in (0, 1], default=None
        Number or share of the samples that are used, drawn once, stratified, at least two of each class: for the
        splits, and as instances and neighbours of objective III. Callables get all rows.
    objectives : sequence or None, default=None
        As for `MOELIGASelector`; None = ("uar", "cardinality", "separability"), for a regressor "r2" for "uar".
    feature_costs : array-like of float, shape (n_features,), dict or Series by feature name, or None, default=None
        Costs >= 0 for the objective "cost".
    estimator : classifier, regressor or None, default=None
        A tree of this package, or a judge that is compiled (`docs/judges.md`); None = a classification tree with
        max_depth=100.
    sample_weight : array-like of float, shape (n_samples,), >= 0, or None, default=None
        How often each row counts where `estimator` learns from it; scores count every row once. See `docs/judges.md`.
    scoring : str or None, default=None
        A score of the compiled core, see `MOELIGASelector`, as objective I; None = "uar", for a regressor "r2".
    cv : int, splitter, iterable, 'oob' or None, default=None
        Fixed splits in place of random ones, the same for all subsets; `n_splits` and `validation_size` do not count.
        "oob" is for forests: their trees answer for the samples that they have not drawn.
    shared : bool, default=False
        Use the same splits and instances for all subsets: differences between them are then less noisy.
    random_state : None, int, RandomState or Generator, default=None
    n_jobs : int or None, default=None; threads

    Returns
    -------
    objectives : ndarray of float64, shape (m, n_objectives), larger is better

    Raises
    ------
    TypeError : if `estimator` is not compiled; for a number, flag or sequence of another type; for labels of bytes.
    ValueError : unless X is a table of numbers, without infinity; if y has another length, missing values or one class;
        if masks have another width than X, or an empty row; for an unknown name, a number out of its range,
        `subsample` with `cv`, a split with a row in both parts, or weights that `estimator` does not take.
    MemoryError : if more memory is needed than is free.

    Notes
    -----
    O(m (n_splits k n depth + 0.3 n^2 k)) for k selected features and n samples, or `subsample` of them. The result does
    not depend on `n_jobs`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from moeliga import evaluate_subsets
    >>> X, y = load_iris(return_X_y=True)
    >>> evaluate_subsets(X, y, np.eye(4, dtype=bool), random_state=0).shape
    (4, 3)

    A continuous target, the last column, by each of the others:

    >>> from moeliga import DecisionTreeRegressor
    >>> r2 = evaluate_subsets(X[:, :3], X[:, 3], np.eye(3, dtype=bool), objectives=("r2",), shared=True,
    ...                       estimator=DecisionTreeRegressor(max_depth=2), random_state=0)
    >>> int(r2.argmax())
    2
    """
    tree = estimator_or_tree(estimator)
    judge = compiled(estimator, *judge_of(tree))
    regression = judge.regression
    if not is_compiled(scoring, regression):
        names = ", ".join(repr(name) for name in NUMBERS if (name in OF_TARGETS) == regression)
        raise ValueError(f"scoring must be one of {names} or None, got {scoring!r}")
    terms = resolve_objectives(objectives, score_name(scoring, regression))
    check_costed(terms, feature_costs, "feature_costs")
    check_count("n_splits", n_splits, 1)
    check_flag("shared", shared)
    check_number("validation_size", validation_size, Real, 0, 1, closed="neither")
    if subsample is not None:
        check_count_or_share("subsample", subsample, 2)
        if cv is not None:
            raise ValueError(f"subsample must be None with cv, got {subsample!r}")
    seed = seed_words(random_state)
    near = next((term.neighbours for term in terms if isinstance(term, Separability)), None)
    neighbours = float(NEIGHBOURS if near is None else near) if regression else None
    problem = part = checked_problem(X, y, regression, judge)
    weights = metadata_of(tree, sample_weight, len(problem.y))
    masks = check_bool("masks", masks, 2, problem.X.shape[1])
    empty = np.flatnonzero(~masks.any(axis=1))
    if len(empty):
        raise ValueError(f"masks must select a feature in every row, row {empty[0]} is empty")
    if subsample is not None:
        rows = stratified_rows(problem.samples(), size_of(subsample, len(problem.y)), seed, (PUBLIC, 0, 0, 0))
        part, weights = problem.part(rows), weights.part(rows)
    path = path_of([tree], scoring, cv, terms, part, weights)
    judge = path.judges[0]
    if path.reasons[0]:
        compiled(estimator, judge, path.reasons[0])
    if path.score is None:
        raise ValueError("cv must give rows to train on and others to validate on, none of them twice in a split, got "
                         f"{cv!r}")
    samples = encode(part, neighbours, n_jobs, masks, judge, judge.coded or near is not None, path.splits)
    ground = with_judges(Ground(
        samples, samples.n_validation(validation_size), score=path.score,
        parts=None if path.splits is None else parts_of(path.splits, samples.rows)), [judge], part, path.one_out)
    evaluator = Objectives(
        terms=terms, scorer=None, X=problem.X, y=problem.y, seed=seed, n_splits=int(n_splits),
        shared_splits=bool(shared), n_threads=n_threads(n_jobs), n_samples=len(problem.y),
        costs=check_costs("feature_costs", feature_costs, samples.n_features, _get_feature_names(X)),
        n_fixed=path.n_fixed, judges=path.judges)
    subsets = Subsets(bits_of(masks), np.arange(samples.n_features, dtype=np.int32))
    return evaluator.evaluate(ground, subsets, (Purpose.PUBLIC, 0, 0))[0]


def separability(X: Data, y: ArrayLike, mask: ArrayLike | None = None, *, samples: Number = 1.0,
                 replace: Boolean = False, neighbours: Number | None = None,
                 random_state: RandomState = None) -> float:
    """Return how well a feature subset separates the classes: nearest miss minus nearest hit (Eq. mdist).

    The mean, over sampled instances, of (L1 distance to the nearest sample of another class - L1 distance to the
    nearest of the same class) / k, on features scaled to [0, 1].

    Parameters
    ----------
    X : array-like or sparse of shape (n_samples, n_features), numbers
        A missing value (NaN) counts as the mean of its feature.
    y : array-like of shape (n_samples,), class labels
    mask : array-like of bool, shape (n_features,), with a feature, or None = all features, default=None
    samples : int or float in (0, 1], default=1.0
        Number or share of the instances, see `Separability`.
    replace : bool, default=False; draw the instances with replacement
    neighbours : float in (0, 1) or None, default=None
        None = y are class labels. Else y is a continuous target, and the hits of an instance are this share of the
        samples, those with the nearest targets.
    random_state : None, int, RandomState or Generator, default=None
        Has no effect when every instance is used once.

    Returns
    -------
    separability : float in [-1, 1]; 0 if no instance has both a hit and a miss

    Raises
    ------
    TypeError, ValueError : as `evaluate_subsets`; for more instances than samples without `replace`, or with more than
        10^8 distances to the samples.
    MemoryError : if more memory is needed than is free.

    Notes
    -----
    O(samples n k); one thread.

    Examples
    --------
    >>> from moeliga import separability
    >>> separability([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
    1.0
    """
    setting = Separability(samples, replace, NEIGHBOURS if neighbours is None else neighbours)
    setting.validate("")
    dataset = encode(checked_problem(X, y, neighbours is not None), None if neighbours is None else float(neighbours))
    mask = np.ones(dataset.n_features, dtype=bool) if mask is None else check_bool("mask", mask, 1, dataset.n_features)
    if not mask.any():
        raise ValueError("mask must select a feature, got none")
    instances = draw.instances(seed_words(random_state), (Purpose.PUBLIC, 0, 0, 0, draw.SAMPLE), dataset.n_samples,
                               setting.n_instances(dataset.n_samples, ""), bool(replace))
    return relief.separability(dataset.values, dataset.hits_from, dataset.hits_to,
                               np.flatnonzero(mask).astype(np.int32), instances)


def check_objectives(objectives: ArrayLike) -> NDArray[np.float64]:
    """Return objectives as a finite ndarray of float64, shape (n, n_objectives)."""
    with conversion("objectives"):
        return np.require(check_array(objectives, dtype=np.float64, input_name="objectives"), requirements=ALIGNED)


def pareto_rank(objectives: ArrayLike) -> NDArray[np.int32]:
    """Return the rank of points, one more than the number of points that dominate them (Eq. eqrank).

    Parameters
    ----------
    objectives : array-like of finite float, shape (n, n_objectives), larger is better

    Returns
    -------
    rank : ndarray of int32, shape (n,), >= 1; 1 means non-dominated

    Raises
    ------
    TypeError, ValueError : unless `objectives` are a dense table of finite numbers, of one row and column at least.

    Notes
    -----
    O(n^2 n_objectives), one thread. Equal points do not dominate each other.

    Examples
    --------
    >>> from moeliga import pareto_rank
    >>> pareto_rank([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]).tolist()
    [1, 1, 3]
    """
    return dominance.rank(check_objectives(objectives))


def shared_fitness(objectives: ArrayLike, masks: ArrayLike | None = None, *, mode: Sharing = "cluster",
                   space: Space = "decision", sigma: Number = 0.0025, alpha: Number = 1.0,
                   rank_normalisation: Normalisation = "mean") -> NDArray[np.float64]:
    """Return the fitness f'' of a population: rank, rank fitness, sharing, normalisation (Eqs. eqrank to eqnormasfit).

    Parameters
    ----------
    objectives : array-like of finite float, shape (n, n_objectives), larger is better
    masks : array-like of bool, shape (n, n_features), or None, default=None; needed for space="decision"
    mode, space, sigma, alpha, rank_normalisation
        See `FitnessSharing`.

    Returns
    -------
    fitness : ndarray of float64, shape (n,), >= 0

    Raises
    ------
    TypeError, ValueError : for `objectives` as `pareto_rank`; for `masks` that space="decision" lacks, or of another
        number of rows; for a parameter out of its range.

    Notes
    -----
    O(n^2 (n_objectives + F / 64)) and the clusters; one thread.

    Examples
    --------
    >>> from moeliga import shared_fitness
    >>> shared_fitness([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], space="objective").tolist()
    [2.5, 2.5, 1.0]
    """
    sharing = FitnessSharing(mode, space, sigma, alpha, rank_normalisation)
    sharing.validate("")
    objectives = check_objectives(objectives)
    if space == "objective":
        return population.shared_fitness(objectives, None, 0, sharing)[1]
    if masks is None:
        raise ValueError("masks must be given for space='decision', got None")
    masks = check_bool("masks", masks, 2)
    if len(masks) != len(objectives):
        raise ValueError(f"masks must have {len(objectives)} rows, as objectives has, got {len(masks)}")
    return population.shared_fitness(objectives, bits_of(masks), masks.shape[1], sharing)[1]
