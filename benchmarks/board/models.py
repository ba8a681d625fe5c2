"""The models that are deployed with what an entry has chosen: scikit-learn's, with their defaults."""

import numpy as np
from paper.measures import recalls
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

MODELS = {
    "tree": DecisionTreeClassifier(),
    "forest": RandomForestClassifier(),
    "boosting": HistGradientBoostingClassifier(),
    "bayes": GaussianNB(),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "svm": make_pipeline(StandardScaler(), SVC()),
}
"""By name; a scaler where distances or penalties depend on units."""

SEEDS = {"tree": 5}
"""Fits over which a test score is a mean, where it is not one: a tree breaks ties at random."""


def seeded(name, seed):
    """A model, unfitted, with a seed where it takes one."""
    model = clone(MODELS[name])
    return model.set_params(random_state=seed) if "random_state" in model.get_params() else model


def judge(name, mask, parts, seed):
    """UAR on the test rows of a model that was fitted to the training rows with the chosen features.

    Parameters
    ----------
    name : str, of `MODELS`
    mask : ndarray of bool, shape (n_features,)
        Without any feature the score is that of a guess.
    parts : (X_train, y_train, X_test, y_test)
    seed : int
    """
    X_train, y_train, X_test, y_test = parts
    if not mask.any():
        return 1 / len(np.unique(y_test))
    scores = []
    for place in range(SEEDS.get(name, 1)):
        model = seeded(name, seed + 1000 * place).fit(X_train[:, mask], y_train)
        scores.append(recalls(y_test, model.predict(X_test[:, mask]))[0].mean())
    return float(np.mean(scores))
