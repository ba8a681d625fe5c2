"""The parameters of a selector, checked and resolved to a `Plan`. Nothing below reads them from the selector or its own
value objects, since a callback may set them for the next fit."""

import os
from copy import copy
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from reprlib import repr as shortened

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.model_selection import PredefinedSplit

from moeliga.base.checks import check_count, check_count_or_share, check_flag, check_number, check_splits
from moeliga.base.text import score_name, suggestion, usual_score
from moeliga.evaluation.objectives import SCORES, check_costed, resolve_objectives
from moeliga.evaluation.predictors import check_apart, guide_scoring, guides_and_model
from moeliga.parameters.checkpoint import Checkpoint
from moeliga.parameters.constraints import Constraints
from moeliga.parameters.evaluation import Evaluation
from moeliga.parameters.feature_prior import SCORE_FUNCS, FeaturePrior, automatic
from moeliga.parameters.initialisation import LogUniformInit, StaggeredInit
from moeliga.parameters.islands import Islands
from moeliga.parameters.local_improvement import LocalImprovement
from moeliga.parameters.moga import MOGA, FitnessSharing
from moeliga.parameters.objectives import Cardinality
from moeliga.parameters.variation import Variation
from moeliga.results.rules import NoLoss, check_rule, check_unit, is_unit
from moeliga.search.callback_protocol import HOOKS

AS_GIVEN = ("honest", "cv", "rule", "max_features", "population_size", "n_generations", "max_time", "max_evaluations",
            "patience", "random_state", "n_jobs")
MECHANISMS = ("evaluation", "constraints", "init", "variation", "local_improvement")
"""Parameters that a `Plan` has as given, except for integers of NumPy; and those that are value objects there."""


@dataclass(frozen=True, eq=False)
class Plan:
    """The parameters of a selector, with value objects for short forms, and integers of Python for those of NumPy."""

    parameters: dict  # name to value as given, with the parameters of value objects, see `ShortForms.described`
    guides: list  # estimators whose score guides the search: the judges of `islands`, or the compiled tree
    scoring: object  # the score of `guides`: str, callable or None
    model: object  # the deployed model, which predicts the test samples of each fold; None = no cross-fitting
    model_scoring: object  # the score of `model`: str, callable or None
    honest: object  # folds of the cross-fitting: int, splitter, iterable or None
    cv: object  # int, splitter, iterable, "oob" or None
    rule: object  # str, NoLoss or callable
    objectives: list  # see `objectives.resolve_objectives`
    evaluation: Evaluation
    max_features: int | float | None
    constraints: Constraints
    population_size: int
    n_generations: int
    islands: Islands
    moga: MOGA | None  # None = survival by competition, as in NSGA-II
    sharing: FitnessSharing | None  # of `moga`
    init: StaggeredInit | LogUniformInit
    variation: Variation
    feature_prior: FeaturePrior | None
    local_improvement: LocalImprovement | None
    archive: bool
    max_time: float | None
    max_evaluations: int | None
    patience: int | None
    checkpoint: Checkpoint | None
    callbacks: list  # of callables
    verbose: int
    random_state: object  # None, int, RandomState or Generator
    n_jobs: int | None

    @property
    def predictors(self):
        """The guides, and the deployed model if there is one: list."""
        return self.guides if self.model is None else [*self.guides, self.model]


def resolve(selector):
    """Check every parameter of a selector: `Plan`; errors name the parameter, the rule and the value."""
    for name in ("estimator", "checkpoint", *selector.short_forms):  # before repr and clone: some hold themselves
        check_apart(name, getattr(selector, name), (selector,))
    islands = selector.resolved("islands")
    guides, model = guides_and_model(selector.estimator, islands.judges, selector.honest)
    guides, model = list(map(clone, guides)), None if model is None else clone(model)
    if not (selector.scoring is None or isinstance(selector.scoring, str) or callable(selector.scoring)):
        raise TypeError(f"scoring must be a str, a callable or None, got {selector.scoring!r}")
    regression = is_regressor(guides[0])
    scoring = guide_scoring(selector.scoring, guides[0], model is not None and islands.judges is None)
    score = score_name(scoring, regression)
    check_numbers(selector)
    check_splits("cv", selector.cv)
    given = {name: getattr(selector, name) for name in AS_GIVEN}
    if isinstance(selector.rule, NoLoss):
        given["rule"] = copy(selector.rule)
    moga = selector.resolved("survival")
    plan = Plan(
        **{name: int(value) if isinstance(value, np.integer) else value for name, value in given.items()},
        **{name: selector.resolved(name) for name in MECHANISMS},
        parameters=selector.described(),
        guides=guides,
        scoring=scoring,
        model=model,
        model_scoring=selector.scoring,
        objectives=resolve_objectives(selector.objectives, score),
        islands=islands,
        moga=moga,
        sharing=None if moga is None else moga.resolved("sharing", "survival."),
        feature_prior=prior_of(selector, usual_score(regression)),
        archive=bool(selector.archive),
        checkpoint=checkpoint_of(selector.checkpoint),
        callbacks=callbacks_of(selector.callbacks),
        verbose=int(selector.verbose),
    )
    fixed = isinstance(plan.cv, PredefinedSplit) or not (plan.cv is None or isinstance(plan.cv, Integral)
                                                         or hasattr(plan.cv, "split"))
    if plan.model is not None and fixed:
        raise ValueError("cv must be a number, a splitter or None unless honest=None: each fold searches a part of the "
                         f"rows of X, got {shortened(plan.cv)}; to set the folds yourself, pass them as honest")
    check_sizes(plan)
    check_costed(plan.objectives, plan.constraints.costs)
    check_choosable(plan, score)
    return plan


def check_numbers(selector):
    """Raise TypeError or ValueError if a parameter that must be a number in a range is not."""
    check_count("population_size", selector.population_size, 2)
    check_count("n_generations", selector.n_generations, 0)
    if not isinstance(selector.verbose, bool | np.bool_):
        check_number("verbose", selector.verbose, Integral, 0)
    check_flag("archive", selector.archive)
    if selector.max_time is not None:
        check_number("max_time", selector.max_time, Real, 0)
    if selector.max_features is not None:
        check_count_or_share("max_features", selector.max_features, 1)
    if selector.max_evaluations is not None:
        check_number("max_evaluations", selector.max_evaluations, Integral)
    if selector.patience is not None:
        check_number("patience", selector.patience, Integral, 1)
        name = score_name(selector.guide_scoring(), is_regressor(selector.guides()[0]))
        if not is_unit(name):  # the hypervolume of other scores may always be 0
            raise ValueError(f"patience must be None for a search by {name!r}, got {selector.patience!r}: it watches "
                             "the hypervolume, which needs scores in [0, 1]")


def check_sizes(plan):
    """Raise ValueError unless populations are larger than the elites and the generational gap together."""
    n = plan.population_size
    smallest = n if plan.local_improvement is None else min(n, plan.local_improvement.population_size)
    if plan.moga is not None and plan.moga.n_elite + plan.moga.generation_gap >= smallest:
        raise ValueError(f"survival.n_elite + generation_gap must be < {smallest}, the smallest population_size (main "
                         f"or subordinate), got {plan.moga.n_elite} + {plan.moga.generation_gap}")


def prior_of(selector, score):
    """Return the selector's `feature_prior` as a value object, or None."""
    prior = copy(selector.stands_for("feature_prior"))
    if prior is None and isinstance(selector.feature_prior, str):
        known = tuple(selector.short_forms["feature_prior"][0])
        raise ValueError(f"feature_prior must be one of {known}, a scoring function or a FeaturePrior, got "
                         f"{selector.feature_prior!r}{suggestion(selector.feature_prior, known)}")
    if prior is None and selector.feature_prior is not None:
        raise TypeError(f"feature_prior must be a scoring function, the name of one, a FeaturePrior or None, got "
                        f"{selector.feature_prior!r}")
    if prior is not None:
        prior.validate()
        if automatic(prior):
            return prior if score == "uar" else None
        if isinstance(prior.score_func, str) and prior.score_func not in SCORE_FUNCS[score]:
            raise ValueError(f"feature_prior must be one of {tuple(SCORE_FUNCS[score])} or a callable for "
                             f"{SCORES[score]}, got {prior.score_func!r}")
    return prior


def check_choosable(plan, score):
    """Raise an error, before the search, for a rule that could not choose from its front."""
    check_rule(plan.rule)
    name = score_name(plan.model_scoring, is_regressor(plan.guides[0]))
    check_unit(plan.rule, name, is_unit(name))
    if callable(plan.rule):
        return
    given = plan.parameters["objectives"]
    if plan.rule == "r1_lambda" and not any(isinstance(term, Cardinality) for term in plan.objectives):
        raise ValueError(f"objectives must hold 'cardinality' for rule='r1_lambda', got {given!r}")
    if plan.rule == "one_se" and plan.model is None:
        if score not in plan.objectives:
            raise ValueError(f"objectives must hold {score!r} for rule='one_se', got {given!r}")
        least, n_rescored = 2 if plan.cv is None else 1, plan.evaluation.n_rescore_splits
        if n_rescored < least:
            raise ValueError(f"evaluation.n_rescore_splits must be >= {least} for rule='one_se', got {n_rescored}")


def checkpoint_of(checkpoint):
    """Return the selector's `checkpoint` as a value object, or None."""
    if isinstance(checkpoint, str | os.PathLike):
        checkpoint = Checkpoint(checkpoint)
    if not (checkpoint is None or isinstance(checkpoint, Checkpoint)):
        raise TypeError(f"checkpoint must be a path, a Checkpoint or None, got {checkpoint!r}")
    if checkpoint is None:
        return None
    checkpoint.validate()
    return Checkpoint(Path(checkpoint.path).absolute(), checkpoint.every)  # a callback may change the folder


def callbacks_of(callbacks):
    """Return the selector's `callbacks` as a list."""
    if callbacks is None:
        return []
    callbacks = list(callbacks) if isinstance(callbacks, list | tuple) else [callbacks]
    for callback in callbacks:
        if not callable(callback) and all(hasattr(callback, hook) for hook in HOOKS):
            raise TypeError(f"callbacks must be callables; callbacks of scikit-learn's protocol are set with "
                            f"set_callbacks, got {callback!r}")
        if isinstance(callback, type):
            raise TypeError(f"callbacks must be made, as in {callback.__name__}(), got the class {callback!r}")
        if not callable(callback):
            raise TypeError(f"callbacks must be a callable or a list of callables, got {callback!r}")
    return callbacks
