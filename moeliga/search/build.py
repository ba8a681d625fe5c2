"""From parameters and data to a search that is ready to begin."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import is_regressor
from sklearn.model_selection import check_cv
from sklearn.utils.validation import validate_data

from moeliga._ext import bits as bits_room
from moeliga.base.budget import Budget
from moeliga.base.checks import conversion
from moeliga.base.memory import require
from moeliga.base.random_streams import island_seed, seed_words
from moeliga.base.threads import n_threads
from moeliga.data.feature_space import build_space, check_costs, initial_masks
from moeliga.data.memory_estimate import of_copy, of_fit
from moeliga.data.problem import Problem
from moeliga.distributed.dispatcher import MOST_GENERATIONS, Remote, elsewhere
from moeliga.distributed.worker import Cargo
from moeliga.evaluation.estimator_scorer import EstimatorScorer, Splits, find_scorer, takes_sparse
from moeliga.evaluation.metadata import route, takes_no_metadata
from moeliga.evaluation.objectives import SCORES, Objectives
from moeliga.evaluation.subsample import Sampler, n_drawn, size_of
from moeliga.parameters.mechanisms import NEIGHBOURS, Separability
from moeliga.results.front import Archive
from moeliga.search.archive import SizedArchive
from moeliga.search.checkpoint import seed_in
from moeliga.search.evolution import Search
from moeliga.search.feature_prior import Prior, n_together
from moeliga.search.loop import initial_bits
from moeliga.search.resolve import Plan, make_plan, warn_of_idle
from moeliga.tree import DecisionTreeClassifier, DecisionTreeRegressor, estimator_or_tree


@dataclass(frozen=True, eq=False)
class Preparation:
    """A search that is ready to begin, and what it was made of.

    Attributes
    ----------
    plan : Plan
    X : ndarray or CSC or CSR, shape (n_samples, n_features), checked
    y : ndarray of shape (n_samples,), checked
    feature_names : ndarray of str, shape (n_features,)
    search : Search
    bits : ndarray of uint64, shape (n_islands * population_size, n_words)
        Chromosomes of generation 0, island after island.
    given : ndarray of uint64, shape (n_given, n_words)
        Those of `initial_subsets`.
    """

    plan: Plan
    X: object
    y: np.ndarray
    feature_names: np.ndarray
    search: Search
    bits: np.ndarray
    given: np.ndarray


def prepare(selector, X, y, metadata):
    """Check parameters and data of a selector's fit, and set what the data say of it (`n_features_in_`, `classes_`).

    Parameters
    ----------
    selector : MOELIGASelector
    X, y : as for its `fit`
    metadata : dict

    Returns
    -------
    preparation : Preparation

    Raises
    ------
    TypeError, ValueError : naming the argument, the rule and the value.
    MemoryError : if more memory is needed than is free, saying for what.
    """
    plan = make_plan(selector)
    settings = plan.settings
    warn_of_idle(settings, plan)
    tree = estimator_or_tree(selector.estimator)
    allow_nan = selector.__sklearn_tags__().input_tags.allow_nan
    require("the conversion of X to float64", of_copy(X))
    with conversion():
        X, y = validate_data(selector, X, y, dtype=[np.float64, np.float32], ensure_min_samples=2,
                             accept_sparse=["csc", "csr"] if takes_sparse(tree) else False,
                             ensure_all_finite="allow-nan" if allow_nan else True)
    problem = Problem.pose(X, y, is_regressor(tree))
    if problem.regression:
        vars(selector).pop("classes_", None)
    else:
        selector.classes_ = problem.values
    seed = None
    if selector.random_state is None and plan.checkpoint is not None:
        seed = seed_in(plan.checkpoint.path)
    if seed is None:
        seed = seed_words(selector.random_state)
    names = getattr(selector, "feature_names_in_", np.array([f"x{f}" for f in range(X.shape[1])]))
    space = build_space(X.shape[1], names, must_include=settings.must_include, exclude=settings.exclude,
                        feature_groups=settings.feature_groups, min_features=settings.min_features,
                        max_features=settings.max_features)
    given = given_bits(settings, space, names)
    compiled, coded = kinds(settings, plan.objectives)
    part = size_of(settings.subsample, len(y)) < len(y)
    ahead = settings.n_islands > 1 and elsewhere(settings.n_jobs)
    require("fit", of_fit(
        settings, plan, problem, space, given, n_seen=n_drawn(settings.subsample, problem),
        n_ranked=n_together(plan.feature_prior, len(y), part), is_coded=coded,
        n_ahead=min(settings.migration_interval, settings.n_generations, MOST_GENERATIONS) if ahead else 0,
        depth=tree.rules()[0] if compiled else None))
    prior = Prior.of(plan.feature_prior, problem, space, seed, part)
    objectives = build_objectives(settings, plan, problem, metadata, seed)
    search = Search(
        objectives=objectives, space=space, variation=plan.variation, sharing=plan.sharing,
        local_improvement=plan.local_improvement, n_elite=settings.n_elite, generation_gap=settings.generation_gap,
        survival=settings.survival, reevaluate=settings.reevaluate, n_confirmations=settings.n_confirmations,
        budget=Budget(settings.max_evaluations, settings.max_time), archive=build_archive(settings, space, objectives),
        prior=prior, n_islands=settings.n_islands, migration_interval=settings.migration_interval)
    islands = [initial_bits(plan.init, settings.population_size, space, given if number == 0 else given[:0],
                            island_seed(seed, number), prior) for number in range(settings.n_islands)]
    return Preparation(plan, problem.X, problem.y, names, search, np.concatenate(islands), given)


def build_archive(selector, space, objectives):
    """The archive of the search, or None."""
    size = space.n_groups, len(objectives.terms)
    if selector.n_per_size:
        return SizedArchive(*size, selector.n_per_size, objectives.primary,
                            lambda bits: space.sizes(bits, space.positions))
    return Archive(*size) if selector.archive else None


def given_bits(selector, space, names):
    """Chromosomes of `initial_subsets`: ndarray of uint64, shape (n_subsets, n_words)."""
    masks = initial_masks(selector.initial_subsets, space.n_features, names)
    if len(masks) > selector.population_size:
        raise ValueError(f"initial_subsets must hold at most population_size={selector.population_size} subsets, got "
                         f"{len(masks)}")
    groups = np.zeros((len(masks), space.n_groups), dtype=bool)
    for place, mask in enumerate(masks):
        groups[place] = space.groups_of(f"initial_subsets[{place}]", mask)
    return bits_room.pack(groups.view(np.uint8))


def kinds(selector, terms):
    """Whether the compiled core grows the trees of objective I, and whether the data are coded: (bool, bool)."""
    ours = type(estimator_or_tree(selector.estimator)) in (DecisionTreeClassifier, DecisionTreeRegressor)
    compiled = ours and selector.scoring is None and selector.cv is None
    scored = compiled and any(score in terms for score in SCORES)
    return compiled, scored or any(isinstance(term, Separability) for term in terms)


def build_objectives(selector, plan, problem, params, seed):
    """The evaluator of the search, on the compiled path where it can be; codes the data only if it has to."""
    tree, terms, X, y = estimator_or_tree(selector.estimator), plan.objectives, problem.X, problem.y
    compiled, coded = kinds(selector, terms)
    metadata = route(selector, params, len(y), takes_no_metadata(tree))
    separability = next((term for term in terms if isinstance(term, Separability)), None)
    splits = None
    if selector.cv is not None:
        cv = check_cv(selector.cv, y, classifier=not problem.regression)
        splits = Splits(cv.split(X, y, **metadata.split), len(y))
        if not len(splits):
            raise ValueError(f"cv must give at least one split, got none from {selector.cv!r}")
    sampler = Sampler(
        problem, seed, size_of(selector.subsample, len(y)), selector.validation_size,
        tree.rules() if compiled else (0, 2, 1), coded, separability.neighbours if separability else NEIGHBOURS,
        n_threads(selector.n_jobs), splits)
    ground = sampler.draw(0)
    if separability is not None:
        separability.n_instances(ground.samples.n_samples)
    scorer, remote = None, None
    if not compiled:
        scorer = EstimatorScorer(tree, find_scorer(tree, selector.scoring), splits, X, problem.values, problem.labels,
                                 metadata, ground, selector.n_jobs)
    elif ground.evaluator is not None and elsewhere(selector.n_jobs):
        remote = Remote(Cargo(ground.samples, ground.n_validation, sampler.rules), selector.n_jobs)
    return Objectives(
        terms=terms, dataset=ground.samples, evaluator=ground.evaluator, scorer=scorer, X=X, y=y, seed=seed,
        n_splits=selector.n_splits, shared_splits=selector.split_mode == "generation",
        n_threads=n_threads(selector.n_jobs), costs=check_costs(selector.feature_costs, X.shape[1]), remote=remote,
        sampler=sampler, adaptive=selector.subsample == "auto")
