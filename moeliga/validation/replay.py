"""Estimators that return stored answers, so that any scorer of scikit-learn can score them again."""

import math
import re
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.metaestimators import available_if

from moeliga.base.checks import check_returned
from moeliga.base.estimator import BaseEstimator, ClassifierMixin, RegressorMixin
from moeliga.base.text import score_name, usual_score
from moeliga.base.warning_filters import quiet
from moeliga.evaluation.estimator_scorer import find_scorer
from moeliga.results.rules import check_unit, is_unit

METHODS = ("predict", "predict_proba", "decision_function")
"""Methods of a model whose answers are stored, if it has them."""


def stored_method(name):
    """Return a method `name` that returns the stored answers, and exists only if there are any."""
    def method(self, X):
        return self.answers[name]

    method.__name__ = name  # scorers read it
    return available_if(lambda self: name in self.answers)(method)


class Replay(BaseEstimator):
    """A fitted model that returns the stored `answers`, dict from method to ndarray, for any X."""

    def __init__(self, answers):
        self.answers = answers

    predict, predict_proba, decision_function = map(stored_method, METHODS)

    def __sklearn_is_fitted__(self):
        return True


class ReplayClassifier(ClassifierMixin, Replay):
    """Stored answers of a classifier with `classes_`."""

    def __init__(self, answers, classes_):
        super().__init__(answers)
        self.classes_ = classes_


class ReplayRegressor(RegressorMixin, Replay):
    """Stored answers of a regressor."""


def never_has(model, method):
    """Return True if a model cannot have a method, whatever it is fitted to."""
    while hasattr(model, "steps"):
        model = model.steps[-1][1]
    if model is None or hasattr(model, method) or hasattr(type(model), "__getattr__"):
        return False
    if not hasattr(type(model), method):
        return True
    # it may depend on the fit: of models outside scikit-learn, searches of parameters, and a default final estimator
    own = type(model).__module__.startswith("sklearn.")
    return own and not hasattr(model, "refit") and getattr(model, "final_estimator", own) is not None


class Score(NamedTuple):
    """The scorer of answers, and the range of its values."""

    scorer: Any  # None: UAR, or R2
    best: float  # of perfect answers
    least: float  # the smallest possible score, -inf if unknown
    unit: bool  # False for a score that is known not to be in [0, 1]

    @classmethod
    def of(cls, plan, problem, metadata):
        """Return the `Score` of the deployed model; errors as `check_scorer`, and for a rule that does not allow it."""
        scoring, model = plan.model_scoring, plan.model
        name, named = score_name(scoring, problem.regression), scoring is None or isinstance(scoring, str)
        usual = named and name == usual_score(problem.regression)  # under any of its names
        scorer = None if usual else find_scorer(model, scoring)
        methods = [method for method in METHODS if problem.regression or not never_has(model, method)]
        best = 1.0 if usual else check_scorer(scorer, problem, metadata, methods)
        # the name of a callable does not tell its range, but a positive score of perfect answers does
        unit = is_unit(name) and (best > 0 or named)
        known, least = isinstance(scoring, str) and not problem.regression and name != "r2", -math.inf
        if known and (unit or name == "matthews_corrcoef"):
            least = 0.0 if unit else -1.0
        check_unit(plan.rule, name, unit)
        return cls(scorer, best, least, unit)

    def check(self, problem, metadata, methods):
        """Raise the errors of `check_scorer` for answers by these methods."""
        if self.scorer is not None:
            check_scorer(self.scorer, problem, metadata, methods)


def check_scorer(scorer, problem, metadata, methods=METHODS):
    """Return the score of perfect answers by some methods: float, NaN if the scorer refuses them (log of 0).

    ValueError or TypeError if the scorer refuses answers halfway between perfect and uninformative ones.
    """
    every = np.arange(len(problem.y))

    def value(*, perfect):
        share, y = 1.0 if perfect else 0.5, problem.y
        if problem.regression:
            model = ReplayRegressor({"predict": share * y + (1 - share) * np.mean(y)})
        else:
            n_classes = len(problem.values)
            shares = share * np.eye(n_classes)[problem.labels] + (1 - share) / n_classes
            decisions = 2 * shares - 1
            found = {"predict": y, "predict_proba": shares,
                     "decision_function": decisions[:, 1] if n_classes == 2 else decisions}
            model = ReplayClassifier({name: found[name] for name in methods}, problem.values)
        return check_returned("scoring", scorer(model, every[:, None], y, **metadata.at("score", every)))

    try:
        with quiet():
            value(perfect=False)
    except (AttributeError, ValueError) as error:
        name = (ReplayRegressor if problem.regression else ReplayClassifier).__name__
        if isinstance(error, AttributeError) and name not in str(error):
            raise  # of the caller's own code
        said = re.sub(rf"(This )?'?{name}'?( object)?", "the model", str(error))
        raise ValueError(f"scoring must accept the predictions of the deployed model: {said}") from error
    try:
        return value(perfect=True)
    except ValueError:
        return math.nan


def answers_of(model, X, classes, methods=METHODS):
    """Return the answers of a fitted model for rows of X: dict from method to ndarray of shape (n, ...).

    `classes` are all classes, None for a regressor, which only predicts. Classes that the model has not seen have the
    probability 0, and a decision value below all others, at most -1. Predicted classes are indices of `classes`, -1 for
    another label. ValueError if the number of answers is not that of the rows, TypeError for text where classes are
    numbers, or the reverse.
    """
    found = {}
    for method in methods if classes is not None else METHODS[:1]:
        answer = getattr(model, method, None)
        if answer is None:
            continue
        values = np.asarray(answer(X))
        n = X.shape[0]
        if values.ndim == 0 or len(values) != n or (method == "predict" and values.size != n):
            raise ValueError("estimator must give one answer for each sample, but "
                             f"{type(model).__name__}.{method} gave shape {values.shape} for {n} samples")
        if method == "predict":
            values = values.reshape(-1)  # some models return a column
        if method == "predict" and classes is not None:
            if len(values) and is_text(values) != is_text(classes):
                raise TypeError(f"estimator must predict labels of y, such as {classes[0]!r}, but "
                                f"{type(model).__name__}.predict gave {values[0]!r}")
            places = np.searchsorted(classes, values).clip(max=len(classes) - 1)
            values = np.where(classes[places] == values, places, -1)
        else:
            values = values.astype(np.float64)
        if method != "predict" and not np.array_equal(model.classes_, classes):
            if values.ndim > 1 and values.shape[1] != len(model.classes_):
                continue  # decision values for pairs of classes (one against one)
            values = with_all_classes(values, np.searchsorted(classes, model.classes_), len(classes), method)
        found[method] = values
    return found


def is_text(labels):
    """Return True for labels that are text."""
    return labels.dtype.kind in "UT" or (labels.dtype.kind == "O" and isinstance(labels[0], str))


def labels_of(places, classes):
    """Return the labels of predictions by `answers_of`; for -1 a label that is not in `classes`."""
    if (places >= 0).all():
        return classes[places]
    if classes.dtype.kind in "biuf":
        numbers = classes.astype(np.int64) if classes.dtype.kind == "b" else classes
        return np.append(numbers, numbers.max() + 1)[places]
    return np.append(classes, np.array([f"{classes[-1]}?"], dtype=classes.dtype.kind))[places]


def with_all_classes(values, places, n_classes, method):
    """Return answers with a column for each of `n_classes` classes, those of the model at `places`."""
    if values.ndim == 1:  # the decision value of two classes
        values = np.column_stack((-values, values))
    low = 0.0 if method == "predict_proba" else values.min(axis=1, keepdims=True, initial=0.0) - 1.0
    wide = np.broadcast_to(low, (len(values), n_classes)).astype(np.float64)
    wide[:, places] = values
    return wide
