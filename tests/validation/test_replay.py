"""Stored answers are scored as the model that gave them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer
from sklearn.svm import SVC

from moeliga.validation.replay import ReplayClassifier, ReplayRegressor, answers_of


@pytest.mark.parametrize("n_classes, scoring", [
    (2, "accuracy"), (2, "f1"), (2, "roc_auc"), (2, "neg_log_loss"), (2, "average_precision"),
    (3, "balanced_accuracy"), (3, "f1_macro"), (3, "matthews_corrcoef"), (3, "roc_auc_ovr"), (3, "neg_log_loss"),
])
@pytest.mark.parametrize("model", [LogisticRegression(), SVC()], ids=["probabilities", "decisions"])
def test_scorers_of_classifiers(rng, model, n_classes, scoring):
    """By scikit-learn's scorers, of classes, probabilities and decisions."""
    X = rng.normal(size=(60, 3))
    y = np.arange(60) % n_classes
    if isinstance(model, SVC) and scoring in ("neg_log_loss", "roc_auc_ovr"):
        pytest.skip("has no probabilities")
    model.fit(X, y)
    classes = np.arange(n_classes)
    answers = answers_of(model, X, classes)
    answers["predict"] = classes[answers["predict"]]
    scorer = get_scorer(scoring)
    assert scorer(ReplayClassifier(answers, classes), X[:, :1], y) == scorer(model, X, y)


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_absolute_error"])
def test_scorers_of_regressors(rng, scoring):
    """As of classifiers."""
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    model = Ridge().fit(X, y)
    scorer = get_scorer(scoring)
    assert scorer(ReplayRegressor(answers_of(model, X, None)), X[:, :1], y) == scorer(model, X, y)
