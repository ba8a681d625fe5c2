"""Boruta, of the package boruta."""

import warnings

import numpy as np
from counted import CountedForest
from paper.competitors.selection import Selection, need, top


def boruta(X, y, n_features, random_state, **parameters):
    """BorutaPy with a forest of balanced trees of depth 5 and `n_estimators="auto"`.

    The authors' repository has no script for it. The paper says Boruta with `n_estimators` auto, and not how k features
    were taken; here they are the first k by Boruta's rank, and by the median importance among equals. Without a size
    they are those that Boruta confirms.
    """
    need("boruta")
    from boruta import BorutaPy

    seed = random_state or 0
    forest = CountedForest(max_depth=5, class_weight="balanced", random_state=seed, n_jobs=1)
    selector = BorutaPy(forest, n_estimators="auto", random_state=seed, **parameters).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any importance
        importance = np.nanmedian(selector.importance_history_[1:], axis=0)
    ranking = np.lexsort((-np.nan_to_num(importance, nan=-np.inf), selector.ranking_))
    confirmed = int(selector.support_.sum())
    return Selection(selector.support_.copy() if n_features is None else top(ranking, n_features), ranking=ranking,
                     note=f"{confirmed} confirmed")
