"""How objective I is computed: by the compiled core or by joblib, with trees or other judges, on which splits."""

from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.model_selection import LeaveOneOut

from moeliga.base.warning_filters import quiet
from moeliga.evaluation.compiled_judge import FOREST
from moeliga.evaluation.estimator_scorer import Splits, fixed_splits
from moeliga.evaluation.judges import judge_of
from moeliga.evaluation.scores import OF_EVERY, OF_PROBABILITIES, compiled_score, is_compiled
from moeliga.parameters.objectives import Separability


@dataclass(frozen=True, eq=False)
class Path:
    """How objective I is computed."""

    score: tuple | None  # of the compiled core, see `Ground`; None = joblib computes it
    coded: bool  # the data are coded for the compiled core
    judges: tuple  # for each guiding model its `Judge`; None = it is fitted by joblib
    reasons: tuple  # for each guiding model the parameter that keeps it from being compiled, or None
    one_out: bool  # each sample is predicted by a model learnt without it: leave-one-out in closed form, or out of bag
    splits: Splits | None  # of a user's `cv`; None = splits are drawn, or `one_out`

    @property
    def compiled(self):
        """The compiled ones of `judges`: tuple."""
        return tuple(judge for judge in self.judges if judge is not None)

    @property
    def n_fixed(self):
        """The number of splits that do not change, or None."""
        if self.splits is None:
            return 1 if self.one_out else None
        return len(self.splits)


def check_out_of_bag(models, found, scoring):
    """Raise ValueError unless all models are compiled forests with samples out of bag; `found` has their `judge_of`,
    which for a `scoring` that is not compiled holds no judge."""
    for model, (judge, reason) in zip(models, found, strict=True):
        if judge is None or not judge.bagged:
            why = f", which is not compiled with {reason}" if reason else ""
            raise ValueError("cv='oob' must come with forests as judges, with bootstrap=True, and a scoring that the "
                             f"compiled core computes, got scoring={scoring!r} and {model!r}{why}")


def has_needed_classes(scoring, cv, problem, metadata):
    """Return False if a split of a Problem's samples is known to lack a class that the score needs (those of a user's
    own splitter are not known here); ValueError if `cv` cannot split the samples."""
    splits = None
    if isinstance(cv, Integral) or type(cv).__module__.startswith("sklearn.model_selection"):
        with quiet():  # the search will give the warnings
            splits = fixed_splits(deepcopy(cv), problem, metadata.split)  # a random_state in `cv` must not advance
    n_classes = len(problem.values)
    if not isinstance(scoring, str) or scoring not in OF_EVERY or (
            n_classes == 2 and scoring in ("average_precision", "neg_brier_score")):
        return True
    if splits is None or isinstance(cv, LeaveOneOut):
        return np.bincount(problem.labels).min() > 1
    return all(len(np.unique(problem.labels[rows])) == n_classes for pair in splits for rows in pair)


def path_of(models, scoring, cv, terms, problem, metadata=None):
    """Return how objective I is computed: Path.

    `models` are those that guide the search, `terms` the objectives, see `resolve_objectives`, and `metadata` is for
    the models' fit, the splitter and the scorer. All models have the same splits, so leave-one-out is in closed form
    only if each model has it. ValueError if a compiled model has no probabilities for a score that needs them, or if
    `cv` is "oob" and a model has no samples out of bag.
    """
    scored = is_compiled(scoring, problem.regression)
    found = [judge_of(model, problem, metadata) if scored else (None, None) for model in models]
    if scoring == "average_precision" and len(problem.values) > 2:
        found = [(None, "scoring='average_precision' of several classes") if judge is not None and judge.centres
                 else (judge, why) for judge, why in found]
    one_out = type(cv) is LeaveOneOut and all(judge is not None and judge.closed for judge, _ in found)
    if isinstance(cv, str) and cv == "oob":
        check_out_of_bag(models, found, scoring)
        one_out = True
    splits = None
    if cv is not None and not one_out:
        splits = fixed_splits(cv, problem, None if metadata is None else metadata.split)
    if splits is not None:  # balanced weights would differ from split to split
        found = [(None, f"class_weight={judge.class_weight!r}") if judge is not None and judge.kind == FOREST
                 and judge.balanced else (judge, why) for judge, why in found]
    judges = tuple(judge if splits is None or splits.are_disjoint() else None for judge, _ in found)
    for judge in judges:
        if judge is not None and judge.decides and scoring in OF_PROBABILITIES:
            raise ValueError("scoring must be a score that needs no probabilities, such as 'uar' or 'soft_uar', for "
                             f"{judge.name}, which has no predict_proba, got {scoring!r}")
    coded = any(isinstance(term, Separability) for term in terms) or (
        any(isinstance(term, str) for term in terms) and any(judge is not None and judge.coded for judge in judges))
    return Path(score=compiled_score(scoring, problem) if any(judges) else None, coded=coded, judges=judges,
                reasons=tuple(why for _, why in found), one_out=one_out, splits=splits)
