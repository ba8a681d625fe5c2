"""What the parameters of a selector stand for, checked."""

import inspect
import os
import warnings
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from sklearn.base import is_classifier, is_regressor

from moeliga.base.checks import check_choice, check_count, check_number, resolve, with_python_integers
from moeliga.base.signals import resolve_signals
from moeliga.evaluation.objectives import SCORES, check_costed, resolve_objectives
from moeliga.evaluation.subsample import check_subsample
from moeliga.parameters.feature_prior import SCORE_FUNCS, FeaturePrior, automatic
from moeliga.parameters.initialisation import LogUniformInit, StaggeredInit
from moeliga.parameters.mechanisms import REPLACEMENTS, Cardinality, FitnessSharing, LocalImprovement
from moeliga.parameters.variation import Variation
from moeliga.results.front import check_rule
from moeliga.search.callback_protocol import HOOKS
from moeliga.search.checkpoint import Checkpoint
from moeliga.search.evolution import REEVALUATE, SURVIVALS

PRESETS = {
    "default": {},
    # the paper's literal choices, where the defaults depart from them
    "paper": {"split_mode": "individual", "reevaluate": "all", "survival": "moga", "init": "staggered",
              "variation": "one_point", "feature_prior": None,
              "sharing": FitnessSharing(rank_normalisation="sum"), "archive": False, "n_rescore_splits": 0,
              "local_improvement": LocalImprovement(population_size=50, n_generations=70)},
}


@dataclass(frozen=True, eq=False)
class Plan:
    """The value objects that short forms stand for.

    Attributes
    ----------
    settings : MOELIGASelector
        To read the other parameters from: its integers are Python's.
    objectives : list, see `objectives.resolve_objectives`
    init : StaggeredInit or LogUniformInit
    variation : Variation
    feature_prior : FeaturePrior or None
    sharing : FitnessSharing or None
    local_improvement : LocalImprovement or None
    callbacks : list of callables
    checkpoint : Checkpoint or None
    stop_signals : list of signal.Signals
    """

    settings: object
    objectives: list
    init: StaggeredInit | LogUniformInit
    variation: Variation
    feature_prior: FeaturePrior | None
    sharing: FitnessSharing | None
    local_improvement: LocalImprovement | None
    callbacks: list
    checkpoint: Checkpoint | None
    stop_signals: list


def make_plan(selector):
    """Check every parameter of a selector.

    Returns
    -------
    plan : Plan

    Raises
    ------
    TypeError, ValueError : naming the parameter, the rule and the value.
    """
    estimator = selector.estimator
    if estimator is not None and (isinstance(estimator, type) or not hasattr(estimator, "fit")
                                  or not (is_classifier(estimator) or is_regressor(estimator))):
        raise TypeError(f"estimator must be a classifier, a regressor or None, got {estimator!r}")
    score = "r2" if estimator is not None and is_regressor(estimator) else "uar"
    for name, low in (("n_splits", 1), ("population_size", 2), ("n_generations", 0), ("generation_gap", 0),
                      ("n_islands", 1), ("migration_interval", 1), ("n_per_size", 0), ("n_rescore_splits", 0)):
        check_count(name, getattr(selector, name), low)
    by_front = isinstance(selector.n_elite, str)
    if by_front and selector.n_elite != "front":
        raise ValueError(f"n_elite must be an integer or 'front', got {selector.n_elite!r}")
    if not by_front:
        check_count("n_elite", selector.n_elite, 0)
    if not isinstance(selector.verbose, bool | np.bool_):
        check_number("verbose", selector.verbose, Integral, 0)
    check_number("validation_size", selector.validation_size, Real, 0, 1, closed="neither")
    check_subsample(selector.subsample)
    check_choice("split_mode", selector.split_mode, ("individual", "generation"))
    check_choice("reevaluate", selector.reevaluate, REEVALUATE)
    check_choice("survival", selector.survival, SURVIVALS)
    if not isinstance(selector.archive, bool | np.bool_):
        raise TypeError(f"archive must be True or False, got {selector.archive!r}")
    if selector.n_per_size and not (selector.archive and selector.n_rescore_splits):
        raise ValueError(f"n_per_size must be 0 for archive=False and for n_rescore_splits=0, got "
                         f"{selector.n_per_size}")
    if selector.max_time is not None:
        check_number("max_time", selector.max_time, Real, 0)
    if selector.max_evaluations is not None:
        check_number("max_evaluations", selector.max_evaluations, Integral)
        if selector.max_evaluations < int(selector.population_size) * int(selector.n_islands):
            several = f" * n_islands={selector.n_islands}" if selector.n_islands > 1 else ""
            raise ValueError(f"max_evaluations must be >= population_size={selector.population_size}{several}, "
                             f"got {selector.max_evaluations}")
    if selector.patience is not None:
        check_number("patience", selector.patience, Integral, 1)
    crossovers = {kind: Variation(crossover=kind) for kind in ("one_point", "two_point", "uniform")}
    modes = {mode: FitnessSharing(mode=mode) for mode in ("cluster", "niche", "mean_distance")}
    replacements = {kind: LocalImprovement(replacement=kind) for kind in REPLACEMENTS}
    plan = Plan(
        settings=with_python_integers(selector),
        objectives=resolve_objectives((score, "cardinality", "separability") if selector.objectives is None else
                                      selector.objectives, score),
        init=resolve("init", selector.init, {"staggered": StaggeredInit(), "log_uniform": LogUniformInit()},
                     StaggeredInit, LogUniformInit),
        variation=resolve("variation", selector.variation, crossovers, Variation),
        feature_prior=prior_of(selector, score),
        sharing=resolve("sharing", selector.sharing, {None: None, **modes}, FitnessSharing),
        local_improvement=resolve("local_improvement", selector.local_improvement, {None: None, **replacements},
                                  LocalImprovement),
        callbacks=callables(selector.callbacks),
        checkpoint=checkpoint_of(selector.checkpoint),
        stop_signals=resolve_signals(selector.stop_signals),
    )
    settings, smallest = plan.settings, plan.settings.population_size
    if plan.local_improvement is not None:
        smallest = min(smallest, plan.local_improvement.population_size)
    n_elite = smallest // 2 if by_front else settings.n_elite
    if settings.survival == "moga" and n_elite + settings.generation_gap >= smallest:
        raise ValueError(f"n_elite + generation_gap must be < {smallest}, the smallest population_size (main or "
                         f"subordinate), got {n_elite} + {settings.generation_gap}")
    if not (selector.scoring is None or isinstance(selector.scoring, str) or callable(selector.scoring)):
        raise TypeError(f"scoring must be a str, a callable or None, got {selector.scoring!r}")
    check_costed(plan.objectives, selector.feature_costs)
    check_fresh_splits(selector, plan.objectives, score, "subsample", "auto")
    check_choosable(selector, plan.objectives, score)
    return plan


def warn_of_idle(selector, plan):
    """Warn of what was set for the paper's selection where the other one has no use for it.

    Defaults do not count, in whatever form they are written, and neither do the paper preset's own values: nobody has
    to undo them to change `survival`.
    """
    if selector.survival == "moga":
        return
    defaults = inspect.signature(selector.__init__).parameters
    idle = []
    for name in ("n_elite", "generation_gap"):
        if name in defaults and repr(getattr(selector, name)) != repr(defaults[name].default):
            idle.append(f"{name}={getattr(selector, name)!r}")
    if repr(plan.sharing) not in (repr(FitnessSharing()), repr(PRESETS["paper"]["sharing"])):
        idle.append(f"sharing={selector.sharing!r}")
    if plan.variation.selection != Variation().selection:
        idle.append(f"Variation(selection={plan.variation.selection!r})")
    if idle:
        warnings.warn(f"{', '.join(idle)} {'have' if len(idle) > 1 else 'has'} no part in a search with "
                      f"survival={selector.survival!r}, only with survival='moga'", stacklevel=2)


def prior_of(selector, score):
    """The selector's `feature_prior` as a value object, or None."""
    prior = selector.feature_prior
    if isinstance(prior, str) or (callable(prior) and not isinstance(prior, type)):
        prior = FeaturePrior(prior)
    if not (prior is None or isinstance(prior, FeaturePrior)):
        raise TypeError(f"feature_prior must be a scoring function, the name of one, a FeaturePrior or None, got "
                        f"{prior!r}")
    if prior is not None:
        prior.validate()
        if automatic(prior):
            return prior if score == "uar" else None
        if isinstance(prior.score_func, str) and prior.score_func not in SCORE_FUNCS[score]:
            raise ValueError(f"feature_prior must be one of {tuple(SCORE_FUNCS[score])} or a callable for "
                             f"{SCORES[score]}, got {prior.score_func!r}")
    return prior


def check_fresh_splits(selector, terms, score, name, value):
    """Refuse a value of a parameter that goes by the noise of scores, where there are none of several fresh splits."""
    if getattr(selector, name) != value:
        return
    setting = f"{name}={value!r}"
    if score not in terms:
        raise ValueError(f"objectives must hold {score!r} for {setting}, got {selector.objectives!r}")
    if selector.cv is not None:
        raise ValueError(f"cv must be None for {setting}, which needs fresh splits, got {selector.cv!r}")
    if selector.n_splits < 2:
        raise ValueError(f"n_splits must be >= 2 for {setting}, got {selector.n_splits}")


def check_choosable(selector, terms, score):
    """Refuse, before the search and not after it, a rule that could not choose from the front."""
    check_rule(selector.rule)
    if callable(selector.rule):
        return
    if selector.rule == "r1_lambda" and not any(isinstance(term, Cardinality) for term in terms):
        raise ValueError(f"objectives must hold 'cardinality' for rule='r1_lambda', got {selector.objectives!r}")
    if selector.rule == "one_se":
        if score not in terms:
            raise ValueError(f"objectives must hold {score!r} for rule='one_se', got {selector.objectives!r}")
        least = 2 if selector.cv is None else 1
        if selector.n_rescore_splits < least:
            raise ValueError(f"n_rescore_splits must be >= {least} for rule='one_se', got {selector.n_rescore_splits}")


def checkpoint_of(checkpoint):
    """The selector's `checkpoint` as a value object, or None."""
    if isinstance(checkpoint, str | os.PathLike):
        checkpoint = Checkpoint(checkpoint)
    if not (checkpoint is None or isinstance(checkpoint, Checkpoint)):
        raise TypeError(f"checkpoint must be a path, a Checkpoint or None, got {checkpoint!r}")
    if checkpoint is not None:
        checkpoint.validate()
    return checkpoint


def callables(callbacks):
    """The selector's `callbacks` as a list."""
    if callbacks is None:
        return []
    callbacks = list(callbacks) if isinstance(callbacks, list | tuple) else [callbacks]
    for callback in callbacks:
        if not callable(callback) and all(hasattr(callback, hook) for hook in HOOKS):
            raise TypeError(f"callbacks must be callables; callbacks of scikit-learn's protocol are set with "
                            f"set_callbacks, got {callback!r}")
        if not callable(callback):
            raise TypeError(f"callbacks must be a callable or a list of callables, got {callback!r}")
    return callbacks
