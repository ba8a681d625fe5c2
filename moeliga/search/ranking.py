"""Rankings of the features: their prefixes begin the bands, and are baselines that a search must beat."""

import numpy as np

from moeliga.base.random_streams import Purpose, random_states
from moeliga.base.threads import n_threads
from moeliga.data.subsets import bits_of
from moeliga.forest.classifier import RandomForestClassifier
from moeliga.forest.ensemble import importances
from moeliga.forest.regressor import RandomForestRegressor
from moeliga.parameters.feature_prior import FeaturePrior
from moeliga.search.feature_prior import rankable

N_TREES = 100
"""Number of trees of the forest whose importances rank features."""


def rank_features(problem, seed, n_jobs, dataset=None, enough=lambda: False):
    """Return the features from best to worst by each ranking that the data allow: dict from name to ndarray of int64.

    "f_classif" or "f_regression" is by the F-test of each feature, if no value is missing. "forest" is by the
    importances of a random forest, which reads `dataset`, the coded problem, if there is one; it stops growing when
    `enough`, called between trees, returns True. Features with equal scores are in the order of their columns, those
    without a score (constant ones) come last; a ranking without any score is left out.
    """
    name, found = "f_regression" if problem.regression else "f_classif", {}
    if rankable(problem):
        found[name] = FeaturePrior(name).scores(problem.X, problem.y, seed)
    state, = random_states(seed, (Purpose.ESTIMATOR << 8 | Purpose.RANK, 0, 0, 0, 0))
    forest = RandomForestRegressor if problem.regression else RandomForestClassifier
    model = forest(N_TREES, random_state=state, n_jobs=n_threads(n_jobs))
    y = problem.y if problem.regression else problem.labels
    found["forest"] = importances(model, (problem.X, y) if dataset is None else dataset, enough)
    return {name: np.argsort(-np.where(np.isnan(scores), -np.inf, scores), kind="stable")
            for name, scores in found.items() if not np.all(np.isnan(scores))}


def prefix(order, space, size):
    """Return the groups of the best features of a ranking, at most `size` features: ndarray of bool, or None.

    Groups are taken in the order of their best features, forced features count, and a group that no longer fits is
    passed over. None if `space` does not allow the number of features reached.
    """
    group_of = np.full(space.n_features, -1)
    group_of[space.members] = np.repeat(np.arange(space.n_groups), space.weights)
    groups = group_of[order]
    groups = groups[groups >= 0]
    n_left = size - space.n_forced
    chosen = np.zeros(space.n_groups, dtype=bool)
    if not space.grouped:
        chosen[groups[: max(0, n_left)]] = True
    else:
        for group in dict.fromkeys(groups.tolist()):
            if space.weights[group] <= n_left:
                chosen[group] = True
                n_left -= int(space.weights[group])
    weight = int(space.weights[chosen].sum())
    return chosen if chosen.any() and space.least <= weight <= space.most else None


def first_prefixes(rankings, space):
    """Return the prefixes of rankings with which a band begins: ndarray of uint64, shape (n, n_words), distinct rows.

    Of each ranking they have the smallest size of the band, the largest one, and the geometric mean of both.
    """
    low, high = space.least + space.n_forced, space.most + space.n_forced
    sizes = sorted({low, round((low * high) ** 0.5), high})
    found = [prefix(order, space, size) for order in rankings.values() for size in sizes]
    masks = {mask.tobytes(): mask for mask in found if mask is not None}
    return bits_of(np.array(list(masks.values()), dtype=bool).reshape(len(masks), space.n_groups))
