"""Twin of stratified subsamples: which rows, by exact fractions."""

from fractions import Fraction

import naive.draw

SUBSAMPLE = 17


def kept(n_of_class, n_samples, size):
    """Samples that a class keeps: its share, rounded up, and two if it has them."""
    share = -(-Fraction(n_of_class * size, n_samples) // 1)
    return min(n_of_class, max(2, int(share)))


def rows(strata, size, seed, address):
    """Rows of a subsample, ascending.

    Parameters
    ----------
    strata : list of lists of int
        Rows of each class, or stratum, in their order.
    size : int
    seed : two words
    address : (population, generation, individual, test)
    """
    n_samples = sum(map(len, strata))
    starts = [sum(map(len, strata[:c])) for c in range(len(strata) + 1)]
    marks = naive.draw.split(naive.draw.Stream(seed, SUBSAMPLE, *address), starts,
                             [kept(len(some), n_samples, size) for some in strata])
    return sorted(row for row, mark in zip([row for some in strata for row in some], marks, strict=True) if mark)
