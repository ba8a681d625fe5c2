"""What the twins say of subsets, for the arguments of a public call.

Validation parts, strata and hits are worked out here.
"""

import math
from fractions import Fraction

import numpy as np

import naive.evaluate
import naive.niche
import naive.regression
from moeliga.data.target import Target


def share_of(number, n):
    """Smallest whole number that is at least so large a share of n."""
    return math.ceil(Fraction(repr(float(number))) * n)


def validation_parts(share, sizes):
    """Validation samples of each class or stratum."""
    return [min(n - 1, max(1, share_of(share, n))) for n in sizes]


def means(scores):
    return [naive.niche.total(row) / len(row) for row in scores]


def for_classes(X, labels, masks, seed, address, *, n_splits, shared, validation_size, n_instances, replace=True,
                rules=(None, 2, 1)):
    """(UAR, separability) of each mask, means over the splits; labels are 0, 1, ... in any order of rows."""
    order = np.argsort(labels, kind="stable")
    parts = validation_parts(validation_size, np.bincount(labels).tolist())
    with np.errstate(invalid="ignore"):  # a NaN may be one that signals
        uar, apart = naive.evaluate.evaluate(
            X[order], labels[order], int(labels.max()) + 1, masks, seed, *address, range(len(masks)), n_splits, shared,
            parts, n_instances, replace, len(X) if rules[0] is None else rules[0], *rules[1:])
    return means(uar), apart


def for_target(X, y, masks, seed, address, *, n_splits, shared, validation_size, n_instances, replace=True,
               rules=(None, 2, 1), neighbours=0.1):
    """(R2, separability) of each mask, means over the splits."""
    order, n = np.argsort(y, kind="stable"), len(y)
    n_strata = max(1, min(10, n // 10))
    strata = np.array([i * n // n_strata for i in range(n_strata + 1)], dtype=np.int32)
    hits = naive.regression.hits(y[order].tolist(), Fraction(repr(neighbours)))
    parts = validation_parts(validation_size, np.diff(strata).tolist())
    with np.errstate(invalid="ignore"):
        r2, apart = naive.evaluate.evaluate_target(
            X[order], Target.code(y[order]).steps, hits, masks, seed, address, range(len(masks)), n_splits, shared,
            strata, parts, n_instances, replace, (n if rules[0] is None else rules[0], *rules[1:]))
    return means(r2), apart
