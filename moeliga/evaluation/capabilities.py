"""Whether an estimator takes sparse X, missing values, and columns without names, where its tags do not tell."""

import numpy as np
from sklearn import ensemble, model_selection
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import get_tags

PASSED_TO = {TransformedTargetRegressor: "regressor", **dict.fromkeys((
    ensemble.BaggingClassifier, ensemble.BaggingRegressor, CalibratedClassifierCV, OneVsRestClassifier,
    model_selection.FixedThresholdClassifier, model_selection.GridSearchCV, model_selection.RandomizedSearchCV,
    model_selection.TunedThresholdClassifierCV), "estimator")}
"""Meta-estimators that pass X on unchanged, and the parameter that holds the estimator that gets it."""

ENSEMBLES = (ensemble.VotingClassifier, ensemble.VotingRegressor, ensemble.StackingClassifier,
             ensemble.StackingRegressor)
"""Meta-estimators that pass X on unchanged to several estimators."""


def takes_sparse(estimator):
    """Return True if an estimator may take sparse data: by its tags, or because it is a pipeline whose first step does.

    A pipeline's tag is that of its most demanding step, but an earlier step may make the data dense.
    """
    if get_tags(estimator).input_tags.sparse:
        return True
    steps = [step for _, step in estimator.steps if hasattr(step, "fit")] if isinstance(estimator, Pipeline) else []
    return len(steps) > 1 and takes_sparse(steps[0])


def check_column_choice(name, estimator):
    """Raise ValueError if a part of an estimator picks columns by name or type: those of a subset have neither."""
    for part in receivers(estimator):
        if isinstance(part, ColumnTransformer) and any(picks_by_name(columns) for _, _, columns in part.transformers):
            raise ValueError(f"{name} must not pick columns by name or type: it gets the selected ones as an array "
                             f"without names; put this step into a pipeline before the selector, got {part!r}")


def receivers(estimator):
    """Return the parts of an estimator that get X unchanged: list."""
    if isinstance(estimator, Pipeline):
        parts = [step for _, step in estimator.steps if hasattr(step, "fit")][:1]
    elif isinstance(estimator, FeatureUnion):
        parts = [part for _, part in estimator.transformer_list]
    elif isinstance(estimator, ENSEMBLES):
        parts = [part for _, part in estimator.estimators]
    elif isinstance(estimator, tuple(PASSED_TO)):
        parts = [passed_to(estimator)]
    else:
        return [estimator]
    return [receiver for part in parts for receiver in receivers(part)]


def passed_to(estimator):
    """Return the estimator to which an estimator of `PASSED_TO` passes X."""
    return getattr(estimator, next(name for kind, name in PASSED_TO.items() if isinstance(estimator, kind)))


def picks_by_name(columns):
    """Return True if `columns`, of a ColumnTransformer, picks columns by their names or types."""
    if isinstance(columns, slice):
        columns = columns.start, columns.stop
    return isinstance(columns, str | make_column_selector) or (
        np.iterable(columns) and any(isinstance(column, str) for column in columns))


def takes_missing(estimator):
    """Return True if an estimator takes X with NaN.

    The tags of pipelines, and of estimators that pass X on, do not say what their parts take.
    In a pipeline each step must take NaN, up to and including the first that fills it in; in a union all parts must.
    """
    if isinstance(estimator, FeatureUnion):
        return all(takes_missing(part) for _, part in estimator.transformer_list if hasattr(part, "fit"))
    if isinstance(estimator, ENSEMBLES):  # whose tags ignore the final estimator, which gets X with `passthrough`
        parts = [part for _, part in estimator.estimators if part != "drop"]
        if getattr(estimator, "passthrough", False):
            parts.append(estimator.final_estimator)
        return all(part is not None and takes_missing(part) for part in parts)
    if get_tags(estimator).input_tags.allow_nan:
        return True
    if isinstance(estimator, tuple(PASSED_TO)):
        part = passed_to(estimator)
        return part is not None and takes_missing(part)
    if not isinstance(estimator, Pipeline):
        return False
    for _, step in estimator.steps:
        if hasattr(step, "fit"):  # else "passthrough" or None
            if not takes_missing(step):
                return False
            if imputes(step):
                return True
    return True


def imputes(step):
    """Return True if a step of a pipeline gives data without NaN."""
    if isinstance(step, Pipeline):
        return any(imputes(part) for _, part in step.steps)
    if isinstance(step, FeatureUnion):
        return all(part == "drop" or imputes(part) for _, part in step.transformer_list)
    return type(step).__name__.endswith(("Imputer", "MissingIndicator"))
