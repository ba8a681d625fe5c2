"""The genetic search of sklearn-genetic-opt (GAFeatureSelectionCV) against moeliga.

python benchmarks/peers/genetic_opt.py [data set ..]
"""

import random

import numpy as np
import protocol

NOTES = """
Both are genetic algorithms. GAFeatureSelectionCV runs with its own defaults: 50 individuals, 80 generations. It counts
size only where scores are equal, so little drives its subsets to be small. It draws from the global generators of
Python and NumPy, which are seeded here; versions that have `random_state` get the seed too.
"""


def genetic(X, y, seed):
    from sklearn_genetic import GAFeatureSelectionCV

    random.seed(seed)
    np.random.seed(seed)
    search = GAFeatureSelectionCV(protocol.tree(seed), cv=protocol.folds(seed), scoring="balanced_accuracy",
                                  verbose=False, n_jobs=1)
    if "random_state" in search.get_params(deep=False):
        search.set_params(random_state=seed)
    search.fit(X, y)
    return search.support_, (protocol.CountedTree.grown - 1) // protocol.FOLDS  # one refit


if __name__ == "__main__":
    protocol.main(__doc__, "sklearn-genetic-opt", {"GAFeatureSelectionCV": genetic}, NOTES)
