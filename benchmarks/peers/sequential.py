"""Sequential selection, forward and backward (scikit-learn's SequentialFeatureSelector), against moeliga.

python benchmarks/peers/sequential.py [data set ..]
"""

import protocol
from sklearn.feature_selection import SequentialFeatureSelector

NOTES = """
The selector stops where the next step gains less than `tol`: 0.001 forward; backward it may lose 0.001 at most.
Without `tol` it takes half of the features, whatever they are worth. All steps use the same folds, so the search fits
these folds the more, the longer it goes on.
"""


def select(direction, tol):
    """A search in one direction."""

    def search(X, y, seed):
        selector = SequentialFeatureSelector(
            protocol.tree(seed), n_features_to_select="auto", tol=tol, direction=direction,
            cv=protocol.folds(seed), scoring="balanced_accuracy").fit(X, y)
        return selector.support_, protocol.CountedTree.grown // protocol.FOLDS

    return search


SEARCHES = {"SFS, forward": select("forward", 1e-3), "SFS, backward": select("backward", -1e-3)}

if __name__ == "__main__":
    protocol.main(__doc__, "scikit-learn", SEARCHES, NOTES)
