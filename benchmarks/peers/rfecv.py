"""Recursive feature elimination with cross-validation (scikit-learn's RFECV) against moeliga.

python benchmarks/peers/rfecv.py [data set ..]
"""

import protocol
from paper.competitors import elimination

NOTES = """
RFECV scores one nested sequence of subsets in each fold: those that are left when the feature of the least importance
goes, one by one. A subset is scored on one fold only, and subsets of one size differ between folds; what is
cross-validated is the size. It takes the size of the highest mean score, so it does not look for small subsets.
"""


def rfecv(X, y, seed):
    found = elimination.rfecv(X, y, None, seed)
    return found.mask, found.evaluations


if __name__ == "__main__":
    protocol.main(__doc__, "scikit-learn", {"RFECV": rfecv}, NOTES)
