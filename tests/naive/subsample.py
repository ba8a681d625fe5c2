"""Twin of stratified subsamples: which rows, and whether a front's scores are too noisy, by exact fractions."""

from fractions import Fraction
from statistics import mean, pvariance, variance

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


def too_noisy(scores, validation_size):
    """Whether the mean corrected variance of the scores of a front is more than a sixteenth of their own variance.

    Parameters
    ----------
    scores : list of lists of float
        Of each member on each of its splits, in one evaluation.
    validation_size : str
        A decimal number.
    """
    v, n_splits = Fraction(validation_size), len(scores[0])
    exact = [[Fraction(score) for score in row] for row in scores]
    noise = mean(variance(row) * (Fraction(1, n_splits) + v / (1 - v)) for row in exact)
    return len(scores) > 1 and noise > pvariance([mean(row) for row in exact]) / 16
