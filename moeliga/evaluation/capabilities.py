"""What data an estimator takes, where its tags do not say it."""

from sklearn import ensemble, model_selection
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

PASSED_TO = {TransformedTargetRegressor: "regressor", **dict.fromkeys((
    ensemble.BaggingClassifier, ensemble.BaggingRegressor, CalibratedClassifierCV, OneVsRestClassifier,
    model_selection.FixedThresholdClassifier, model_selection.GridSearchCV, model_selection.RandomizedSearchCV,
    model_selection.TunedThresholdClassifierCV), "estimator")}
"""Estimators that pass X on as it is, and the parameter that gets it."""

ENSEMBLES = (ensemble.VotingClassifier, ensemble.VotingRegressor, ensemble.StackingClassifier,
             ensemble.StackingRegressor)
"""Estimators that pass X on to several."""


def takes_sparse(estimator):
    """Return True if sparse data may be tried.

    A pipeline's tag is that of its most demanding step, but an earlier step may make the data dense.
    """
    if get_tags(estimator).input_tags.sparse:
        return True
    steps = [step for _, step in estimator.steps if hasattr(step, "fit")] if isinstance(estimator, Pipeline) else []
    return len(steps) > 1 and takes_sparse(steps[0])


def takes_missing(estimator):
    """Return True if X may hold NaN.

    The tags of pipelines, and of estimators that pass X on, do not say what their parts take.
    In a pipeline each step has to take NaN, up to one that fills it in.
    """
    if isinstance(estimator, ENSEMBLES):  # whose tags forget the last of them
        parts = [part for _, part in estimator.estimators if part != "drop"]
        if getattr(estimator, "passthrough", False):
            parts.append(estimator.final_estimator)
        return all(part is not None and takes_missing(part) for part in parts)
    if get_tags(estimator).input_tags.allow_nan:
        return True
    if isinstance(estimator, tuple(PASSED_TO)):
        part = getattr(estimator, next(name for kind, name in PASSED_TO.items() if isinstance(estimator, kind)))
        return part is not None and takes_missing(part)
    if not isinstance(estimator, Pipeline):
        return False
    for _, step in estimator.steps:
        if hasattr(step, "fit"):  # else "passthrough" or None
            if not takes_missing(step):
                return False
            if fills_in(step):
                return True
    return True


def fills_in(step):
    """Return True if a step of a pipeline leaves no NaN."""
    if isinstance(step, Pipeline):
        return any(fills_in(part) for _, part in step.steps)
    return type(step).__name__.endswith("Imputer")
