"""Consensus of short searches on parts of the samples: features that most members of most fronts share."""

import numpy as np
from paper.found import Found, front_of
from paper.measures import fresh_scores

from moeliga.evaluation.held_out import stratified

RUNS = 4
LEFT_OUT = 0.2
"""Of each class, at random for each run."""

LARGEST = 50
"""Features of the largest subset."""


def short_searches(make, X, y, budget, seed):
    """Fitted selectors of `RUNS` searches that share the budget, each on a part of the samples."""
    labels, selectors = np.unique(y, return_inverse=True)[1], []
    for run in range(RUNS):
        part = np.setdiff1d(np.arange(len(y)), stratified(labels, LEFT_OUT, (seed, run)))
        selectors.append(make(budget.part(RUNS), RUNS * seed + run).fit(X[part], y[part]))
    return selectors


def prefixes(fronts):
    """Subsets of the features that most members of most fronts hold, from one feature on.

    Parameters
    ----------
    fronts : list of ParetoFront

    Returns
    -------
    masks : ndarray of bool, shape (m, n_features)
    """
    frequency = np.mean([front.supports.mean(axis=0) for front in fronts], axis=0)
    place = np.empty(len(frequency), dtype=np.int64)
    place[np.argsort(-frequency, kind="stable")] = np.arange(len(frequency))
    return place < np.arange(1, min(np.count_nonzero(frequency), LARGEST) + 1)[:, None]


def agreed(make, X, y, budget, seed, members):
    """The front of the prefixes, and perhaps of all members, scored on fresh splits of the whole training part.

    That corresponds to what other searches do with their fronts at the end, and is not counted either.
    """
    selectors = short_searches(make, X, y, budget, seed)
    fronts = [selector.pareto_front_ for selector in selectors]
    masks = prefixes(fronts)
    if members:
        masks = np.unique(np.concatenate([masks, *(front.supports for front in fronts)]), axis=0)
    front = front_of(masks, *fresh_scores(masks, X, y, (seed, RUNS)))
    return Found.by_rules(front, sum(selector.n_evaluations_ for selector in selectors))


def consensus(make, X, y, budget, seed):
    """Short searches; the subsets are prefixes of the ranking of features by frequency."""
    return agreed(make, X, y, budget, seed, members=False)


def merged(make, X, y, budget, seed):
    """The same, and the members of all fronts."""
    return agreed(make, X, y, budget, seed, members=True)
