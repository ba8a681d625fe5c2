"""Sequential forward selection and its floating form, of mlxtend."""

from counted import CountedTree
from paper.competitors.selection import Selection, chosen, need

FOLDS = 3
"""The authors' script: cv=3, which is stratified and not shuffled; scoring balanced_accuracy, a tree without a limit
of depth, random_state=0."""


def search(X, y, n_features, random_state, floating, tree=None, cv=FOLDS):
    """SFS or SFFS up to a size; without one through all sizes, and then the size with the best score.

    Parameters
    ----------
    tree : CountedTree or None
        None = the authors'.
    cv : int or list of splits
    """
    need("mlxtend")
    from mlxtend.feature_selection import SequentialFeatureSelector

    tree = CountedTree(random_state=random_state or 0) if tree is None else tree
    before, n_splits = CountedTree.grown, cv if isinstance(cv, int) else len(cv)
    selector = SequentialFeatureSelector(tree, k_features=n_features or "best", forward=True, floating=floating,
                                         scoring="balanced_accuracy", cv=cv, n_jobs=1).fit(X, y)
    path = {size: chosen(step["feature_idx"], X.shape[1]) for size, step in selector.subsets_.items()}
    return Selection(chosen(selector.k_feature_idx_, X.shape[1]), in_search=float(selector.k_score_), path=path,
                     evaluations=(CountedTree.grown - before) // n_splits)


def sfs(X, y, n_features, random_state):
    return search(X, y, n_features, random_state, floating=False)


def sffs(X, y, n_features, random_state):
    return search(X, y, n_features, random_state, floating=True)
