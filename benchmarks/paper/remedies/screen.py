"""A search among the features alone that look best by themselves: fewer subsets that fit the training part by luck."""

import numpy as np
from paper.found import Found
from sklearn.feature_selection import f_classif


def anova_scores(X, y):
    """ANOVA's F of each feature, finite: -1 for constant ones."""
    with np.errstate(divide="ignore", invalid="ignore"):  # constant features, and perfect ones
        return np.nan_to_num(f_classif(np.nan_to_num(X), y)[0], nan=-1.0, posinf=1e300)


def screened(n_features, make, X, y, budget, seed):
    """The whole budget for a search of the first features by ANOVA's F on the training part; the others are excluded.

    Parameters
    ----------
    n_features : int
        How many are left; with no more than so many it is the variant itself.
    """
    selector = make(budget, seed)
    if n_features < X.shape[1]:
        selector.set_params(constraints__exclude=np.argsort(-anova_scores(X, y), kind="stable")[n_features:])
    selector.fit(X, y)
    return Found.by_rules(selector.pareto_front_, selector.n_evaluations_, note=selector.stop_reason_)
