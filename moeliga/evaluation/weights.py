"""Weights of classes and of samples for compiled judges: how often each training row counts."""

from dataclasses import replace
from fractions import Fraction
from math import prod

import numpy as np
import sklearn
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from moeliga._ext.evaluate import MOST_COUNTED
from moeliga._ext.judges import KINDS
from moeliga.base.decimals import as_written
from moeliga.evaluation.compiled_judge import FOREST, TREE, NotCompiled
from moeliga.evaluation.metadata import Metadata, check_entries, check_takes
from moeliga.forest.class_weight import class_weights, integer_ratios
from moeliga.forest.classifier import RandomForestClassifier

NAME = "sample_weight"


def with_weights(judge, estimator, metadata, problem):
    """Return the `Judge` of an estimator with the weights of its classes, and of the samples of a fit.

    `metadata` is what the estimator's fit and its scorer get. NotCompiled names the parameter that is not compiled;
    ValueError if a weight is wrong.
    """
    name = weight_name(estimator)
    others = [entry for entry in (*metadata.fit, *metadata.score) if entry != name or entry in metadata.score]
    if others:
        raise NotCompiled(others[0])
    samples = check_sample_weight(name, metadata.fit[name]) if name in metadata.fit else None
    if samples is not None and judge.balanced:
        raise NotCompiled(name)
    if isinstance(judge.class_weight, str):
        return with_balanced_classes(judge, problem)
    classes = None if judge.class_weight is None else class_weights(judge.class_weight, problem.values)
    if samples is None and classes is None:
        return judge
    if judge.coded:
        return with_counts(judge, name, samples, classes, problem)
    if classes is not None and not classes.all():  # a class without weight has no optimum
        raise NotCompiled(f"class_weight={judge.class_weight!r}")
    closed = judge.closed and (samples is None or (judge.kind == KINDS["ridge"] and bool(samples.all())))
    return replace(judge, weights=samples, closed=closed, priors=judge.priors if classes is None else classes)


def metadata_of(estimator, weights, n_samples):
    """Return the `Metadata` that pass `weights` of samples, or None, to the fit of an estimator.

    ValueError if there is not one for each sample, or if the estimator's fit takes none.
    """
    if weights is None:
        return Metadata({}, {}, {}, n_samples)
    check_entries(NAME, weights, n_samples, NAME)
    name = weight_name(estimator) or NAME
    check_takes(estimator, [name])
    return Metadata({name: weights}, {}, {}, n_samples)


def weight_name(estimator):
    """Return the name by which the fit of a recognised estimator takes sample weights for its model alone: str; None if
    the model takes none, or if a scaler before it might get them, too."""
    name, model = estimator.steps[-1] if type(estimator) is Pipeline else ("", estimator)
    if not has_fit_parameter(model, NAME):
        return None
    if type(estimator) is not Pipeline:
        return NAME
    routed = sklearn.get_config()["enable_metadata_routing"]  # perhaps to the scaler, too
    return None if routed else f"{name}__{NAME}"


def check_sample_weight(name, values):
    """Return checked weights of samples: ndarray of float64, shape (n_samples,); NotCompiled for anything else."""
    try:
        weights = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise NotCompiled(name) from error
    if weights.ndim != 1:
        raise NotCompiled(name)
    wrong = weights[~((weights >= 0) & (weights < np.inf))]
    if len(wrong):
        raise ValueError(f"{name} must be finite and >= 0, got {wrong[0]}")
    if not weights.any():
        raise ValueError(f"{name} must have an entry above 0, all are 0")
    return weights


def with_counts(judge, name, samples, classes, problem):
    """Return the judge of a tree or forest with weights of samples and classes; a tree becomes a forest of one.

    Trees depend only on the ratios of the weights, which are therefore scaled to whole numbers.
    """
    which = name if classes is None else f"class_weight={judge.class_weight!r}"
    labels = np.zeros(len(problem.y), dtype=np.int64) if classes is None else problem.labels
    of_each = [as_written(weight) for weight in (np.ones(1) if classes is None else classes)]
    given, places = (np.ones(1), np.zeros(len(labels), dtype=np.int64)) if samples is None else np.unique(
        samples, return_inverse=True)
    given = [as_written(weight) for weight in given]
    numbers = integer_ratios([own * weight for own in of_each for weight in given])
    if max(numbers) * len(labels) > MOST_COUNTED:
        raise NotCompiled(which)
    weights = np.array(numbers, dtype=np.float64).reshape(len(of_each), len(given))[labels, places]
    if not weights.any():
        raise ValueError(f"{name} and class_weight must give a sample a weight above 0, all of them weigh 0")
    return replace(as_forest(judge) if judge.kind == TREE else judge, weights=weights)


def with_balanced_classes(judge, problem):
    """Return the judge of a tree or forest for `balanced_weights`, a tree as a forest of one; NotCompiled if weights
    might be too large for some part of the samples."""
    sizes = np.bincount(problem.labels).tolist()
    if prod(sizes) // min(sizes) * len(problem.y) > MOST_COUNTED:
        raise NotCompiled(f"class_weight={judge.class_weight!r}")
    return as_forest(judge) if judge.kind == TREE else judge


def balanced_weights(samples, n_learn):
    """Return weights of rows, whole numbers in float64, so that the training rows of each class sum to the same weight.

    `n_learn`, ndarray of int of shape (n_classes,), > 0, is the number of training rows of each class.
    """
    numbers = integer_ratios([Fraction(1, size) for size in n_learn.tolist()])
    weights = np.empty(samples.n_samples)
    weights[samples.rows] = np.array(numbers, dtype=np.float64)[samples.labels]
    return weights


def as_forest(judge):
    """Return a compiled tree as a forest of one tree, which has the same nodes, found by other sums."""
    depth, split, leaf = judge.rules
    model = RandomForestClassifier(1, max_features=None, max_depth=depth, min_samples_split=split,
                                   min_samples_leaf=leaf, bootstrap=False, random_state=0)
    return replace(judge, kind=FOREST, model=model, whole=(1, depth, split, leaf))
