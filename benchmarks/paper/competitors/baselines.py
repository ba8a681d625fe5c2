"""What a method has to beat: all features, and features drawn at random."""

import numpy as np
from paper.competitors.selection import Selection, top


def everything(X, y, n_features, random_state):
    return Selection(np.ones(X.shape[1], dtype=bool))


def chance(X, y, n_features, random_state):
    """So many features, drawn at random: one draw, so that its mean over splits is a mean over draws."""
    ranking = np.random.default_rng(random_state or 0).permutation(X.shape[1])
    return Selection(top(ranking, n_features), ranking=ranking)
