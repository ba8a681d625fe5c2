"""Judges that answer for many subsets on one split: each subset has the score that it has alone."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from test_batch import draw_masks, one_by_one, scores

from moeliga._ext import evaluate
from moeliga._ext.scores import NUMBERS
from moeliga.data.dataset import Dataset
from moeliga.evaluation.judges import recognise

CLASSIFIERS = [GaussianNB(), GaussianNB(priors=[0.5, 0.3, 0.2], var_smoothing=1e-3), RidgeClassifier(),
               RidgeClassifier(0.1, fit_intercept=False), RidgeClassifier(class_weight="balanced"),
               RidgeClassifier(class_weight={0: 2.0, 1: 1.0, 2: 0.5}), KNeighborsClassifier(3)]
REGRESSORS = [Ridge(), Ridge(0.01, fit_intercept=False), LinearRegression()]


def judged(rng, model, n_samples, n_features, level=None, score=None, splits=None):
    """An evaluator by a model, of data that it can learn a little from; columns that are constant, twice or large."""
    y = rng.permutation(np.arange(n_samples) % 3)
    X = y[:, None] * rng.random(n_features) + rng.normal(size=(n_samples, n_features))
    X[:, ::5] = np.round(X[:, ::5])
    X[:, 3::7] = 2.0
    X[:, 4::9] = 1e8 + X[:, 1:2]
    X[:, 2::11] = X[:, :1]
    judge = recognise(model)
    dataset = Dataset.encode_target(X, y + X[:, 0]) if judge.regression else Dataset.encode(X, y, 3)
    target = y + X[:, 0] if judge.regression else None
    if level is not None:
        dataset = replace(dataset, level=level)
    return evaluate.Evaluator(dataset, dataset.n_validation(0.3), 0, 2, 1, -1 if score is None else NUMBERS[score], 1,
                              splits, judge, np.ascontiguousarray(X.T), target)


@pytest.mark.quick("values")
@pytest.mark.parametrize("scaler", [None, StandardScaler(), MinMaxScaler()])
@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=repr)
@pytest.mark.parametrize(("n_samples", "n_features"), [(9, 3), (90, 6), (133, 40), (30, 130)])
def test_together_as_alone(key, n_samples, n_features, model, scaler):
    """Whatever the instruction set, the number of threads, and where a batch is cut; more features than rows, too."""
    masks = draw_masks(np.random.default_rng(0), 24, n_features)
    behind = model if scaler is None else make_pipeline(scaler, model)
    for level in (0, 3, 4):
        evaluator = judged(np.random.default_rng([n_samples, n_features]), behind, n_samples, n_features, level)
        alone = one_by_one(evaluator, key, masks)
        for n_threads in (1, 3):
            np.testing.assert_array_equal(scores(evaluator, key, masks, n_threads=n_threads), alone)
        found = scores(evaluator, key, masks, check=lambda: None, tree_seconds=1e-2)
        np.testing.assert_array_equal(found, alone)


@pytest.mark.parametrize("score", ["uar", "roc_auc_ovr", "neg_log_loss", "f1_macro"])
@pytest.mark.parametrize("model", [GaussianNB(), RidgeClassifier()], ids=repr)
def test_together_as_alone_on_fixed_splits(rng, key, model, score):
    """Splits of the user's, each of another size, some samples in neither part; one of them lacks a class."""
    splits = rng.choice(3, size=(4, 150), p=[0.6, 0.3, 0.1]).astype(np.uint8)
    splits[1, :50] = 1
    if score == "neg_log_loss" and isinstance(model, RidgeClassifier):
        score = "accuracy"  # decision values have no probabilities
    evaluator = judged(rng, model, 150, 20, score=score, splits=splits)
    masks = draw_masks(rng, 20, 20)
    np.testing.assert_array_equal(scores(evaluator, key, masks, 4), one_by_one(evaluator, key, masks, 4))


@pytest.mark.slow
def test_what_does_not_fit_is_answered_for_in_parts(rng, key):
    """A batch is cut where what its subsets share would take more than 32 MB."""
    evaluator = judged(rng, GaussianNB(), 3000, 2000)
    masks = rng.random((12, 2000)) < np.linspace(0.01, 0.4, 12)[:, None]
    np.testing.assert_array_equal(scores(evaluator, key, masks, 1), one_by_one(evaluator, key, masks, 1))
