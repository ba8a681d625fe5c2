"""The common judge: classifiers fitted on the training part with chosen features, scored on the test part.

The same for every method, and the only one that sees the test part. Plain UAR is the mean of the recalls of the classes
that occur in the test part. `ovr_balanced_accuracy`, the mean over these classes of (recall + specificity) / 2, stands
beside it: it is what the paper's own column very likely shows, and comparable with that column only.
"""

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import moeliga

TREES = 20
"""Seeds of the judging tree, which breaks ties at random: its scores are means over them."""

FRESH_SPLITS = 50
"""Random splits of the training part on which a chosen subset is scored again."""


def tree(k, n_classes, seed):
    return DecisionTreeClassifier(max_depth=100, random_state=seed)


def forest(k, n_classes, seed):
    return RandomForestClassifier(100, random_state=seed)


def boosting(k, n_classes, seed):
    """AdaBoost of perceptrons, as in mlpack, which the paper used."""
    return make_pipeline(StandardScaler(), AdaBoostClassifier(Perceptron(random_state=seed), random_state=seed))


def linear_svm(k, n_classes, seed):
    return make_pipeline(StandardScaler(), LinearSVC(random_state=seed, max_iter=10_000))


def naive_bayes(k, n_classes, seed):
    """Scaled, because the smoothing of variances goes by the largest one."""
    return make_pipeline(StandardScaler(), GaussianNB())


def perceptron(k, n_classes, seed):
    """One hidden layer of (k + classes) / 2 units, the rule of the authors' settings, and at least 16."""
    return make_pipeline(StandardScaler(), MLPClassifier((max(16, (k + n_classes) // 2),), max_iter=500,
                                                         random_state=seed))


CLASSIFIERS = {"tree": tree, "forest": forest, "adaboost": boosting, "svm": linear_svm, "bayes": naive_bayes,
               "mlp": perceptron}
"""By the name of their column: the classifiers of the paper's comparison."""


class Scores(NamedTuple):
    """Of one subset and classifier on a test part; NaN for an empty subset, and for a classifier that gave up."""

    uar: float
    ovr: float
    se: float


def scores_of(y_true, y_pred):
    """`Scores` of predictions; `se` is the standard error of UAR for a test part of this size.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        Classes that occur in `y_pred` only are false alarms for nobody.
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    classes, sizes = np.unique(y_true, return_counts=True)
    hits = np.array([np.count_nonzero((y_true == label) & (y_pred == label)) for label in classes])
    alarms = np.array([np.count_nonzero(y_pred == label) for label in classes]) - hits
    recall, others = hits / sizes, len(y_true) - sizes
    specificity = np.divide(others - alarms, others, out=np.ones(len(classes)), where=others > 0)
    error = np.sqrt(np.sum(recall * (1 - recall) / sizes)) / len(classes)
    return Scores(float(recall.mean()), float(((recall + specificity) / 2).mean()), float(error))


def judge(support, X_train, y_train, X_test, y_test, classifiers=("tree",), seed=0):
    """Scores of a subset on a test part.

    Parameters
    ----------
    support : ndarray of bool, shape (n_features,)
    X_train, X_test : ndarray of float, shape (n_samples, n_features)
    y_train, y_test : ndarray of shape (n_samples,)
    classifiers : sequence of str
        Keys of `CLASSIFIERS`.
    seed : int

    Returns
    -------
    scores : dict from str to Scores
    """
    columns = np.flatnonzero(support)
    if not len(columns):
        return dict.fromkeys(classifiers, Scores(np.nan, np.nan, np.nan))
    X_train, X_test, n_classes = X_train[:, columns], X_test[:, columns], len(np.unique(y_train))
    found = {}
    for name in classifiers:
        runs = []
        for i in range(TREES if name == "tree" else 1):
            model = CLASSIFIERS[name](len(columns), n_classes, seed + i)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                try:
                    runs.append(scores_of(y_test, model.fit(X_train, y_train).predict(X_test)))
                except ValueError:  # AdaBoost gives up where its first perceptron is worse than guessing
                    runs.append(Scores(np.nan, np.nan, np.nan))
        found[name] = Scores(*(float(np.mean(column)) for column in zip(*runs, strict=True)))
    return found


def fresh_score(support, X_train, y_train, seed=0):
    """(UAR, its standard error over splits) of a subset on fresh random splits of the training part.

    It is scored by the compiled tree, on splits that no search has seen; the training samples are those of the search.
    """
    if not np.any(support):
        return np.nan, np.nan
    masks = np.repeat(np.asarray(support, dtype=bool)[None, :], FRESH_SPLITS, axis=0)
    scores = moeliga.evaluate_subsets(X_train, y_train, masks, n_splits=1, objectives=("uar",), random_state=seed)[:, 0]
    return float(scores.mean()), float(scores.std(ddof=1) / np.sqrt(FRESH_SPLITS))
