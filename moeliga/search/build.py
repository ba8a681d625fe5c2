"""Build a search that is ready to begin, from a selector and data."""

import math
import time
from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.validation import validate_data

from moeliga.base.budget import Budget
from moeliga.base.checks import check_sparse, conversion
from moeliga.base.decimals import as_written
from moeliga.base.memory import require
from moeliga.base.random_streams import island_seed, seed_words
from moeliga.base.text import first_of
from moeliga.base.threads import n_threads, require_workers
from moeliga.base.warning_filters import warn
from moeliga.data.bands import band_spaces, wider_spaces
from moeliga.data.feature_space import build_space, check_costs, initial_masks
from moeliga.data.frame import read_pair, unread_columns
from moeliga.data.memory_estimate import copy_parts, fit_parts
from moeliga.data.missing import check_complete, check_finite, without_unread
from moeliga.data.one_hot import one_hot_encode
from moeliga.data.problem import Problem
from moeliga.data.subsets import bits_of
from moeliga.distributed.dispatcher import MOST_GENERATIONS, Remote, runs_remotely
from moeliga.evaluation.capabilities import takes_missing, takes_sparse
from moeliga.evaluation.estimator_scorer import EstimatorScorer
from moeliga.evaluation.metadata import Metadata, route
from moeliga.evaluation.objectives import Objectives
from moeliga.evaluation.path import Path, path_of
from moeliga.evaluation.predictors import names_of
from moeliga.evaluation.subsample import SEARCH, Sampler, n_drawn, size_of, stratified_rows
from moeliga.parameters.objectives import NEIGHBOURS, Separability
from moeliga.results.rules import NoLoss
from moeliga.search.archive import Archive
from moeliga.search.checkpoint import seed_in
from moeliga.search.evolution import Search
from moeliga.search.feature_prior import Prior, n_together
from moeliga.search.loop import initial_bits
from moeliga.search.ranking import N_TREES, first_prefixes, rank_features
from moeliga.search.resolve import resolve
from moeliga.search.time_estimate import warn_of_uncompiled

ALWAYS = 1000
"""Number of initial subsets that are created, if not evaluated, whatever `max_time` is."""


@dataclass(frozen=True, eq=False)
class Preparation:
    """A search that is ready to begin, and the objects that it was built from."""

    feature_names: np.ndarray
    search: Search
    bits: np.ndarray  # uint64, shape (n, n_words): chromosomes of generation 0, `population_size` for each island, one
    # island after the other; for the first islands alone, if half of `max_time` was over before the last one
    given: np.ndarray  # uint64, shape (n_given, n_words): chromosomes of the subsets of `init`
    rankings: dict  # name to int64: features from best to worst; empty without bands and cross-fitting
    bands: list  # Space of each band whose best subsets are candidates; empty without cross-fitting
    wider: list  # Space of each further band, for which only the rankings have a subset
    problem: Problem
    metadata: Metadata  # for the deployed model, or for the guides without one
    path: Path  # how objective I is computed
    needs: list  # Part: memory that the fit needs
    seconds: float  # time to build the search


def prepare(selector, X, y, metadata):
    """Check parameters and data of a fit; return its `Plan` and `Preparation`. For errors see `MOELIGASelector.fit`.

    On the selector it sets `n_features_in_`, `feature_names_in_`, `encoding_`, `classes_`, and `_unread`, the excluded
    columns, which are never read.
    """
    plan = resolve(selector)
    budget = Budget(plan.max_evaluations, plan.max_time)
    allow_nan = selector.__sklearn_tags__().input_tags.allow_nan
    X, constraints, selector.encoding_ = one_hot_encode(X, plan.constraints)
    plan = replace(plan, constraints=constraints)
    require("the conversion of X to float64", copy_parts(X))
    with conversion():
        X, y = read_pair(check_sparse("X", X), y, constraints.exclude)
        X, y = validate_data(selector, X, y, dtype=[np.float64, np.float32], ensure_min_samples=2,
                             accept_sparse=["csc", "csr"] if all(map(takes_sparse, plan.predictors)) else False,
                             ensure_all_finite=False)
    names = getattr(selector, "feature_names_in_", None)
    selector._unread = unread_columns(constraints.exclude, X.shape[1], names)
    X = without_unread(X, selector._unread)
    check_finite(X, names)
    if not allow_nan:
        check_complete(X, next(model for model in plan.predictors if not takes_missing(model)), names)
    problem = Problem.from_data(X, y, is_regressor(plan.guides[0]), plan.model is not None)
    if problem.regression:
        vars(selector).pop("classes_", None)
    else:
        selector.classes_ = problem.values
        if plan.cv is None:
            warn_of_single(problem)
    routed = route(selector, metadata, len(y), plan.guides[0] if plan.model is None else plan.model,
                   plan.cv if plan.honest is None else plan.honest, plan.model is None)
    if plan.model is None and len(plan.guides) > 1 and routed.fit:
        raise ValueError(f"{', '.join(routed.fit)} must not be given to several judges; set one judge in islands")
    if runs_remotely(plan.n_jobs):
        require_workers(plan.n_jobs)
    ready = build(plan, problem, names, routed, budget=budget)
    if any(ready.path.reasons):
        warn_of_uncompiled(plan, ready)
    return plan, ready


def warn_of_single(problem):
    """Warn of classes of one sample, which no validation part can hold, unless there are no other classes."""
    single = problem.values[problem.single].tolist()
    if single:
        names = first_of(map(repr, single))
        what, these, them = ("class", "this class", "it") if len(single) == 1 else ("classes", "these classes", "them")
        warn(f"y has {len(single)} {what} of one sample ({names}): no validation part holds {them}, so UAR "
             f"does not count {these}")


def warn_of_blind(plan, ready, folds):
    """Warn once if guides have too few training samples for a cut, in the splits of all samples or of those of a fold.

    All subsets then score alike. `ready` is the `Preparation` of the search on all samples, `folds` are (training rows,
    test rows).
    """
    leaves = [getattr(guide, "min_samples_leaf", 1) for guide in plan.guides]
    leaf, search = min(leaf if isinstance(leaf, Integral) else 1 for leaf in leaves), ready.search
    if leaf < 2 or plan.cv is not None or search.objectives.score is None:
        return
    parts = [search.sampler.ground.samples]
    if folds:
        labelled = replace(ready.problem, X=ready.problem.X[:, :0])  # classes are counted, features need no copy
        part = labelled.part(min((train for train, _ in folds), key=len))
        size = size_of(plan.evaluation.subsample, len(part.y))
        parts.append(part.part(stratified_rows(part.samples(), size, search.seed, (SEARCH, 0, 0, 0))).samples())
    n = min(len(part.rows) - int(part.n_validation(plan.evaluation.validation_size).sum()) for part in parts)
    if n < 2 * leaf:
        warn(f"the judge learns nothing from {n} samples, the training part of a split: with min_samples_leaf={leaf} "
             f"a cut needs {2 * leaf}, so all subsets score alike; set another judge, "
             "islands=Islands(judges=[model])")


def build(plan, problem, names, metadata, seed=None, budget=None):
    """Build the search of a plan on checked data: `Preparation`.

    `names` None = x0, x1, ...; `seed`, uint64 of shape (2,), None = that of `random_state`, or of the checkpoint
    if this is None; `budget` None = a new one. The time to build the search counts for `max_time`. The budget is
    checked between the steps, while data are coded, and before each island: Interrupted. TypeError and ValueError name
    the argument, the rule and the value, MemoryError says what needs more memory than is free.
    """
    begun = time.monotonic()
    budget = Budget(plan.max_evaluations, plan.max_time) if budget is None else budget
    n_samples, n_features = problem.X.shape
    if seed is None and plan.random_state is None and plan.checkpoint is not None:
        seed = seed_in(plan.checkpoint.path)
    if seed is None:
        seed = seed_words(plan.random_state)
    if names is None:
        names = np.array([f"x{f}" for f in range(n_features)])
    most = plan.max_features
    if most is not None and not isinstance(most, Integral):
        most = math.ceil(as_written(most) * n_features)
    space = build_space(n_features, names, plan.constraints, most)
    if isinstance(plan.rule, NoLoss) and plan.rule.must_reduce and space.within(1, n_features - 1) is None:
        raise ValueError(f"rule.must_reduce must be False where constraints allow no fewer than all {n_features} "
                         "features")
    bands = plan.islands.n * band_spaces(plan.islands.sizes, space, most)
    banded, honest = plan.islands.sizes is not None, plan.model is not None
    check_evaluations(plan, len(bands))
    given = given_bits(plan, space, names)
    shares = divide_by_band(plan, bands, given)
    guiding = replace(metadata, fit={}) if honest else metadata
    if honest and plan.islands.judges is None:  # they belong to the deployed model
        guiding = replace(guiding, score={})
    path = path_of(plan.guides, plan.scoring, plan.cv, plan.objectives, problem, guiding)
    subsampled = size_of(plan.evaluation.subsample, n_samples) < n_samples
    ahead = len(bands) > 1 and runs_remotely(plan.n_jobs)
    needs = fit_parts(
        plan, problem, space, bands, given, n_seen=n_drawn(plan.evaluation.subsample, problem),
        n_ranked=n_together(plan.feature_prior, n_samples, subsampled), n_trees=N_TREES * (banded or honest),
        n_ahead=min(plan.islands.every, plan.n_generations, MOST_GENERATIONS) if ahead else 0,
        is_coded=path.coded, judges=path.judges, splits=path.splits,
        answers=plan.cv is not None or plan.scoring is not None)
    require("fit", needs)
    prior = Prior.of(plan.feature_prior, problem, space, seed, subsampled=subsampled)
    budget.check()
    sampler = build_sampler(plan, problem, path, seed, budget.check)
    budget.check()
    objectives = build_objectives(plan, problem, names, guiding, seed, path)
    search = Search(
        objectives=objectives, sampler=sampler, space=space, whole=space, bands=bands,
        population_size=plan.population_size, variation=plan.variation, moga=plan.moga, sharing=plan.sharing,
        local_improvement=plan.local_improvement, reevaluate=plan.evaluation.reevaluate,
        budget=budget,
        archive=Archive(space, len(objectives.terms), objectives.primary, banded) if plan.archive else None,
        prior=prior, migration_interval=plan.islands.every, baselines=given[:0])
    rankings = {}
    if banded or honest:
        def enough():
            budget.check()
            return budget.half_over

        rankings = rank_features(sampler.seen, seed, plan.n_jobs, sampler.ground.dataset, enough)
    automatic = most is None and (plan.islands.sizes is None or isinstance(plan.islands.sizes, str))
    kept = band_spaces("auto" if plan.islands.sizes is None else plan.islands.sizes, space, most) if honest else []
    bits = chromosomes_of(plan, bands, shares, rankings, prior, seed, budget)
    budget.restart()
    return Preparation(names, search, bits, given, rankings, kept,
                       wider_spaces(kept, space) if kept and automatic else [], problem, metadata, path, needs,
                       time.monotonic() - begun)


def chromosomes_of(plan, bands, shares, rankings, prior, seed, budget):
    """Return `Preparation.bits`: in each band its share of `init`, then prefixes of rankings, then random subsets."""
    islands, banded = [], plan.islands.sizes is not None
    for number, (band, share) in enumerate(zip(bands, shares, strict=True)):
        budget.check()
        if number * plan.population_size >= ALWAYS and budget.half_over:
            break
        first = np.concatenate((share, first_prefixes(rankings, band)))[: plan.population_size] if banded else share
        islands.append(initial_bits(plan.init, plan.population_size, band, first, island_seed(seed, number), prior,
                                    banded))
    return np.concatenate(islands)


def check_evaluations(plan, n_islands):
    """Raise ValueError unless `max_evaluations` allows the initial populations."""
    n, most = plan.population_size, plan.max_evaluations
    if most is not None and most < n * n_islands:
        several = f" * {n_islands} islands (islands.n, one or more for each of islands.sizes)" if n_islands > 1 else ""
        raise ValueError(f"max_evaluations must be >= population_size={n}{several}, got {most}")


def divide_by_band(plan, bands, given):
    """Give each subset of `init` to the first band that allows it: list of uint64, shape (n, n_words), one a band."""
    shares, left = [given[:0]] * len(bands), np.ones(len(given), dtype=bool)
    for number, band in enumerate(bands):
        if not left.any():
            break
        mine = left & band.allows(band.chromosomes(given))
        shares[number], left = given[mine], left & ~mine
        if len(shares[number]) > plan.population_size:
            raise ValueError(f"init.subsets must hold at most population_size={plan.population_size} subsets"
                             f"{' of a band of islands.sizes' * (len(bands) > 1)}, got {len(shares[number])}")
    if left.any():
        size = int(bands[0].sizes(bands[0].chromosomes(given[left])).max())
        raise ValueError(f"init.subsets[{np.flatnonzero(left)[0]}] must be in a band of islands.sizes, got {size} "
                         "features; max_features, or islands.sizes, set the largest size")
    return shares


def given_bits(plan, space, names):
    """Return the chromosomes of the subsets of `init`: ndarray of uint64, shape (n_subsets, n_words)."""
    masks = initial_masks(plan.init.subsets, space.n_features, names)
    groups = np.zeros((len(masks), space.n_groups), dtype=bool)
    for place, mask in enumerate(masks):
        groups[place] = space.groups_of(f"init.subsets[{place}]", mask)
    return bits_of(groups)


def build_sampler(plan, problem, path, seed, check):
    """Build the sampler, with the samples of generation 0; the data are coded only if the compiled core reads them.

    `check` is called meanwhile, and raises Interrupted.
    """
    separability = next((term for term in plan.objectives if isinstance(term, Separability)), None)
    sampler = Sampler(
        problem, seed, size_of(plan.evaluation.subsample, len(problem.y)), plan.evaluation.validation_size,
        path.coded, separability.neighbours if separability else NEIGHBOURS, n_threads(plan.n_jobs), path.splits,
        path.score, separability is not None, path.compiled, path.one_out, check)
    sampler.advance(0)
    if separability is not None:
        separability.n_instances(sampler.ground.n_samples)
    return sampler


def build_objectives(plan, problem, names, metadata, seed, path):
    """Build the objectives of the search, with scikit-learn only for judges that are not compiled."""
    scorer = remote = None
    others = [guide for guide, judge in zip(plan.guides, path.judges, strict=True) if judge is None]
    if others:
        scorer = EstimatorScorer(others, plan.scoring, path.splits, problem, metadata, plan.n_jobs)
    elif (path.coded or not all(judge.coded for judge in path.judges)) and runs_remotely(plan.n_jobs):
        remote = Remote(plan.n_jobs)
    return Objectives(
        terms=plan.objectives, scorer=scorer, X=problem.X, y=problem.y, seed=seed, n_splits=plan.evaluation.n_splits,
        shared_splits=plan.evaluation.split_mode == "generation", n_threads=n_threads(plan.n_jobs),
        n_samples=len(problem.y), costs=check_costs("constraints.costs", plan.constraints.costs, len(names), names),
        remote=remote, n_fixed=path.n_fixed, judges=path.judges, combine=plan.islands.combine,
        judge_names=names_of(plan.guides) if len(plan.guides) > 1 else ())
