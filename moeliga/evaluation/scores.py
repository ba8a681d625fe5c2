"""Scores by name: which of them the compiled core has, and what they need."""

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from moeliga._ext.scores import NUMBERS, value
from moeliga.base.text import score_name, suggestion

OF_TARGETS = frozenset(name for name, number in NUMBERS.items() if number >= NUMBERS["r2"])
"""Scores of regressors; all others are scores of classifiers."""

OF_POSITIVE = ("f1", "average_precision")
"""Scores that, for two classes, take the class 1 as the positive one, as scikit-learn's do."""

OF_TWO = ("f1", "roc_auc")
"""Scores that are defined for two classes only."""

OF_PROBABILITIES = ("neg_log_loss", "neg_brier_score", "roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo",
                    "roc_auc_ovo_weighted")
"""Scores that need probabilities; decision values do not do."""

OF_EVERY = frozenset(name for name, number in NUMBERS.items()
                     if NUMBERS["roc_auc"] <= number < NUMBERS["r2"]) - {"soft_uar"}
"""Scores that need samples of every class; but for two classes average precision and the Brier score do not."""


def is_compiled(scoring, regression):
    """Return True if the compiled core has the score `scoring`, for regression or for classification."""
    if isinstance(scoring, str):
        return scoring in NUMBERS and (scoring in OF_TARGETS) == regression
    return scoring is None


def compiled_score(scoring, problem):
    """Return the number of a compiled score, and the index of its positive class: two ints.

    ValueError if the score is not defined for the classes of the Problem.
    """
    number = NUMBERS[score_name(scoring, problem.regression)]
    if problem.regression:
        return number, 0
    classes = problem.values
    if scoring in OF_TWO and len(classes) > 2:
        instead = {"f1": "f1_macro", "roc_auc": "roc_auc_ovr"}[scoring]
        raise ValueError(f"scoring={scoring!r} is for two classes, got {len(classes)}: {instead!r} is for more")
    if scoring in OF_POSITIVE and len(classes) == 2:
        places = np.flatnonzero(classes == 1)
        if not len(places):
            raise ValueError(f"scoring={scoring!r} must have the class 1, the positive one: pass y as 0 and 1, got the "
                             f"classes {classes.tolist()}")
        return number, int(places[0])
    return number, len(classes) - 1


def soft_uar(model, X, y):
    """Return the smooth form of UAR, the balanced Brier score, of a fitted classifier: float in [0, 1].

    It takes probabilities, or decision values if the model has no probabilities; AttributeError if it has neither.
    """
    decisions = hasattr(model, "decision_function") and not hasattr(model, "predict_proba")
    answers = np.asarray(model.decision_function(X) if decisions else model.predict_proba(X))
    if answers.ndim == 1:  # the decision between two classes
        answers = np.column_stack((-answers, answers))
    if answers.shape[1] != len(model.classes_):  # decisions between two classes each
        source = "decision_function" if decisions else "predict_proba"
        raise ValueError(f"scoring='soft_uar' must get one number for each of {len(model.classes_)} classes from "
                         f"{source}, got {answers.shape[1]}")
    classes = np.union1d(model.classes_, y)
    every = np.full((len(answers), len(classes)), -1.0 if decisions else 0.0)
    every[:, np.searchsorted(classes, model.classes_)] = answers
    return value("soft_uar", every, np.searchsorted(classes, y).astype(np.int32), decisions=decisions)


def scorer_named(name):
    """Return the scorer called `name`, scikit-learn's or our own; ValueError for an unknown name suggests another."""
    if name == "soft_uar":
        return soft_uar
    known = get_scorer_names()
    if name not in (*known, "uar"):
        raise ValueError("scoring must be the name of a scorer of scikit-learn, 'uar', 'soft_uar', a callable or None, "
                         f"got {name!r}{suggestion(name, (*known, 'soft_uar'))}")
    return get_scorer("balanced_accuracy" if name == "uar" else name)
