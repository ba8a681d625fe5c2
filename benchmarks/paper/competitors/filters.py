"""Methods that score each feature by itself, and the importance in a forest."""

import warnings

import numpy as np
from counted import CountedForest
from paper.competitors.selection import ranked
from sklearn.feature_selection import f_classif, mutual_info_classif

MI_SEED = 42
"""The authors' script: mutual_info_classif(random_state=42), with its default of 3 neighbours."""


def anova(X, y, n_features, random_state):
    """SelectKBest(f_classif), as the authors' script has it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", UserWarning)  # constant features: F is NaN
        scores, _ = f_classif(X, y)
    return ranked(scores, n_features)


def mutual_information(X, y, n_features, random_state):
    """Top k by mutual information, as the authors' script has it."""
    seed = MI_SEED if random_state is None else random_state
    return ranked(mutual_info_classif(X, y, random_state=seed), n_features)


def forest_importance(X, y, random_state=None):
    """The importances in a random forest of 500 trees."""
    return CountedForest(500, random_state=random_state or 0, n_jobs=1).fit(X, y).feature_importances_


def importance(X, y, n_features, random_state):
    """Top k by the importance in a random forest. Not among the paper's."""
    return ranked(forest_importance(X, y, random_state), n_features)
