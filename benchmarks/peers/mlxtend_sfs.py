"""Sequential forward selection and its floating form (mlxtend's SFS and SFFS) against moeliga.

python benchmarks/peers/mlxtend_sfs.py [data set ..]
"""

import protocol
from paper.competitors import sequential

NOTES = """
mlxtend goes through all sizes (`k_features="best"`) and takes the size of the best score; `"parsimonious"` would take
the smallest within one standard error. It keeps the best subset of each size in `subsets_`, the peers' nearest thing
to a front. The floating form takes features back when that helps.
"""


def select(floating):
    """A forward search, floating or not."""

    def search(X, y, seed):
        folds = list(protocol.folds(seed).split(X, y))
        found = sequential.search(X, y, None, seed, floating, protocol.tree(seed), folds)
        return found.mask, found.evaluations

    return search


SEARCHES = {"mlxtend SFS": select(False), "mlxtend SFFS": select(True)}

if __name__ == "__main__":
    protocol.main(__doc__, "mlxtend", SEARCHES, NOTES)
