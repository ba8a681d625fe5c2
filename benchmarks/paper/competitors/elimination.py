"""Recursive elimination: features leave one after the other, the least important in a tree first."""

import numpy as np
from counted import CountedTree
from paper.competitors.selection import Selection, top
from sklearn.feature_selection import RFE, RFECV
from sklearn.model_selection import StratifiedKFold

DEPTH = 2
"""The authors' script: RFE(DecisionTreeClassifier(random_state=0, max_depth=2)), step=1."""

FOLDS = 3


def rfe(X, y, n_features, random_state):
    """RFE with the authors' tree of depth 2, one feature at a time. Without a size it goes down to one feature."""
    tree = CountedTree(max_depth=DEPTH, random_state=random_state or 0)
    search = RFE(tree, n_features_to_select=n_features or 1, step=1).fit(X, y)
    ranking = None if n_features else np.argsort(search.ranking_, kind="stable")
    return Selection(search.support_ if n_features else None, ranking=ranking)


def rfecv(X, y, n_features, random_state, folds=None):
    """RFECV with a tree of depth 100. It chooses the size itself. Not among the paper's.

    Above 1000 features it eliminates 1 % of them at a time: one by one would grow 3 trees for each.
    """
    seed = random_state or 0
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed) if folds is None else folds
    search = RFECV(CountedTree(max_depth=100, random_state=seed), step=1 if X.shape[1] <= 1000 else 0.01, cv=folds,
                   scoring="balanced_accuracy").fit(X, y)
    sizes = np.asarray(search.cv_results_["n_features"])
    scores = np.asarray(search.cv_results_["mean_test_score"])
    ranking = np.argsort(search.ranking_, kind="stable") if n_features else None
    return Selection(top(ranking, n_features) if n_features else search.support_,
                     evaluations=folds.get_n_splits(X, y) * len(sizes), ranking=ranking,
                     in_search=np.nan if n_features else float(scores[sizes == search.n_features_][0]))
