"""Boruta (boruta_py) against moeliga.

python benchmarks/peers/boruta_py.py [data set ..]
"""

import protocol
from paper.competitors import boruta_py

NOTES = """
Boruta answers another question: which features tell anything at all about the class, and not which few suffice. It
scores no subset; it compares the importances in random forests with those of shuffled copies. So its subsets are
large, and their size is no fault. Its trees are those of forests, at most 5 deep. It may confirm no feature, which
then is a row without a score.
"""


def boruta(X, y, seed):
    found = boruta_py.boruta(X, y, None, seed)
    return found.mask, found.evaluations


if __name__ == "__main__":
    protocol.main(__doc__, "Boruta", {"Boruta": boruta}, NOTES)
