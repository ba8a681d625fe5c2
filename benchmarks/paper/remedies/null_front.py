"""The front of a search with shuffled labels: how good a subset of each size looks where there is nothing to find."""

import numpy as np
from paper.found import Found, rescored

from moeliga.analysis.optimism import best_at_most


def shuffled(y, seed):
    """The labels in random order."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,))).permutation(y)


def calibrated(make, X, y, budget, seed):
    """Half of the budget for the search, half for one with shuffled labels; the choice is by what is above the second.

    A member's score is lowered by how far the best of the null front with at most so many features is above chance.
    Rule "best" then takes the largest margin, "r1" the R1 of it. The reported scores are those of the search.
    """
    selector = make(budget.part(2), seed).fit(X, y)
    null = make(budget.part(2), seed).fit(X, shuffled(y, seed))
    front, chance = selector.pareto_front_, 1 / len(np.unique(y))
    # NaN where no null member is so small
    excess = np.fmax(best_at_most(null.pareto_front_, front.n_selected) - chance, 0.0)
    judged = rescored(front, front.score - excess, front.score_se)
    return Found.by_rules(front, selector.n_evaluations_ + null.n_evaluations_, judged,
                          f"null {null.pareto_front_.score.max():.3f}")
