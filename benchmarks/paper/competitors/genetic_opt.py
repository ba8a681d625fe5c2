"""The genetic search of sklearn-genetic-opt."""

import random
import warnings

import numpy as np
from counted import CountedTree
from paper.competitors.selection import Selection, need
from sklearn.model_selection import StratifiedKFold

FOLDS = 3


def genetic(X, y, n_features, random_state, tree=None, cv=None, **parameters):
    """GAFeatureSelectionCV with its own defaults: 50 individuals, 80 generations, 3 folds. Not among the paper's.

    It draws from the global generators of Python and NumPy, which are seeded here and put back afterwards; versions
    that have `random_state` get the seed too. With a size it takes at most so many features.
    """
    need("sklearn-genetic-opt")
    from sklearn_genetic import GAFeatureSelectionCV

    seed = random_state or 0
    tree = CountedTree(max_depth=100, random_state=seed) if tree is None else tree
    cv = StratifiedKFold(FOLDS, shuffle=True, random_state=seed) if cv is None else cv
    before, states = CountedTree.grown, (random.getstate(), np.random.get_state())
    random.seed(seed)
    np.random.seed(seed)
    try:
        search = GAFeatureSelectionCV(tree, cv=cv, scoring="balanced_accuracy", verbose=False, n_jobs=1,
                                      max_features=n_features, **parameters)
        if "random_state" in search.get_params(deep=False):
            search.set_params(random_state=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search.fit(X, y)
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
    return Selection(np.asarray(search.support_, dtype=bool), in_search=float(np.max(search.history["fitness_max"])),
                     evaluations=(CountedTree.grown - before - 1) // cv.get_n_splits(X, y))  # one refit
