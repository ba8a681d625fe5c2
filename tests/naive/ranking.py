"""Twin of the rankings: F-tests and forests called directly, sorting, and the first features one after the other."""

import math
import warnings

import numpy as np
from sklearn.feature_selection import f_classif, f_regression

from moeliga import RandomForestClassifier, RandomForestRegressor
from moeliga._ext import draw
from moeliga.base.random_streams import Purpose

N_TREES = 100


def ordered(scores):
    """Features from best to worst: those without a score last, ties by column."""
    return sorted(range(len(scores)), key=lambda f: (np.isnan(scores[f]), -np.nan_to_num(scores[f]), f))


def importances(X, y, seed, regression=False, n_trees=N_TREES):
    """Of the package's forest, which has a twin of its own; its random state is of the streams of the search.

    `y` are numbers of classes.
    """
    word = int(draw.words(seed, (Purpose.ESTIMATOR << 8 | Purpose.RANK, 0, 0, 0, 0), 1)[0])
    forest = RandomForestRegressor if regression else RandomForestClassifier
    return forest(n_estimators=n_trees, random_state=word >> 33).fit(X, y).feature_importances_


def f_scores(X, y, regression=False):
    """Of scikit-learn's F-test."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return (f_regression if regression else f_classif)(X, y)[0]


def rankings(X, y, seed):
    """Of a classification without missing values: lists of features, from best to worst."""
    return [ordered(f_scores(X, y)), ordered(importances(X, y, seed))]


def first_features(order, size, groups, forced, least=0, most=math.inf):
    """The first features of a ranking, `size` with those that are forced: set, or None if these, without the forced,
    are none or not [least, most]. Groups come whole, one after the other, where they still fit."""
    chosen = set()
    for feature in order:
        group = next((set(group) for group in groups if feature in group), set())
        if len(chosen | group) + len(forced) <= size:
            chosen |= group
    return chosen | set(forced) if chosen and least <= len(chosen) <= most else None


def first_subsets(orders, n_features, band):
    """Masks that a band of sizes begins with: of each ranking the first features, in three numbers, each mask once."""
    low, high = band
    subsets = [first_features(order, size, [[f] for f in range(n_features)], [], low, high)
               for order in orders for size in sorted({low, round(math.sqrt(low * high)), high})]
    return list(dict.fromkeys(tuple(f in subset for f in range(n_features)) for subset in subsets))
