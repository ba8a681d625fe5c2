"""The genetic search of sklearn-genetic-opt (GAFeatureSelectionCV) against moeliga.

python benchmarks/peers/genetic_opt.py [data set ..]
"""

import protocol
from paper.competitors import genetic_opt

NOTES = """
Both are genetic algorithms. GAFeatureSelectionCV runs with its own defaults: 50 individuals, 80 generations. It counts
size only where scores are equal, so little drives its subsets to be small. It draws from the global generators of
Python and NumPy, which are seeded here; versions that have `random_state` get the seed too.
"""


def genetic(X, y, seed):
    found = genetic_opt.genetic(X, y, None, seed)
    return found.mask, found.evaluations


if __name__ == "__main__":
    protocol.main(__doc__, "sklearn-genetic-opt", {"GAFeatureSelectionCV": genetic}, NOTES)
