"""Boruta (boruta_py) against moeliga.

python benchmarks/peers/boruta_py.py [data set ..]
"""

import protocol

NOTES = """
Boruta answers another question: which features tell anything at all about the class, and not which few suffice. It
scores no subset; it compares the importances in random forests with those of shuffled copies. So its subsets are
large, and their size is no fault. Its trees are those of forests, at most 5 deep. It may confirm no feature, which
then is a row without a score.
"""


def boruta(X, y, seed):
    from boruta import BorutaPy

    forest = protocol.CountedForest(max_depth=5, class_weight="balanced", random_state=seed, n_jobs=1)
    selector = BorutaPy(forest, n_estimators="auto", random_state=seed).fit(X, y)
    return selector.support_, None


if __name__ == "__main__":
    protocol.main(__doc__, "Boruta", {"Boruta": boruta}, NOTES)
