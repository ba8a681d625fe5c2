"""Rankings that choose their size themselves: the prefix that scores best within the training part."""

import numpy as np
from paper.competitors.selection import Selection, top

import moeliga

LARGEST = 100
"""Prefixes are tried up to this size, or all features where there are fewer."""

SPLITS = 20
"""Random splits of the training part on which prefixes are scored, the same for all; moeliga's own tree is used."""


def prefixes(ranking):
    """Masks of the first features of a ranking, from one feature on: ndarray of bool, shape (m, n_features)."""
    return np.array([top(ranking, size) for size in range(1, min(LARGEST, len(ranking)) + 1)])


def best_prefix(search):
    """A method that ranks by `search` and takes the prefix with the best mean UAR; the smallest of equals."""

    def choose(X, y, n_features, random_state, **options):
        ranking = search(X, y, None, random_state, **options).ranking
        masks = prefixes(ranking)
        scores = moeliga.evaluate_subsets(X, y, masks, n_splits=SPLITS, objectives=("uar",), shared=True,
                                          random_state=random_state or 0)[:, 0]
        best = int(np.argmax(scores))
        return Selection(masks[best], evaluations=len(masks), in_search=float(scores[best]), ranking=ranking)

    return choose
