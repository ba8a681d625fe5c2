"""A hold-out inside the training part: it ends the search when the front stops growing there, and may choose too."""

import numpy as np
from paper.found import Found, rescored
from paper.measures import held_out

from moeliga.evaluation.held_out import stratified
from moeliga.results.front import hypervolume

SHARE = 0.25
"""Of each class; at least one sample, and never all."""

EVERY = 2
"""Generations from one look to the next."""

PATIENCE = 5
"""Looks without growth after which the search ends."""


class HoldOut:
    """A callback that scores the present front on samples that the search does not see.

    Parameters
    ----------
    X, y : the training part
    rows : ndarray of int
        Of the hold-out; the others are the search's.

    Attributes
    ----------
    best : float
        Largest hypervolume of (UAR on the hold-out, CR) so far.
    waited : int
        Looks since.
    """

    def __init__(self, X, y, rows):
        kept = np.setdiff1d(np.arange(len(y)), rows)
        self.parts = X[kept], y[kept], X[rows], y[rows]
        self.known, self.best, self.waited = {}, 0.0, 0

    def scores(self, supports):
        """UAR and its standard error for each subset: ndarray of float64, shape (m, 2)."""
        found = []
        for support in supports:
            key = np.packbits(support).tobytes()
            if key not in self.known:
                self.known[key] = held_out(support, *self.parts)
            found.append(self.known[key])
        return np.array(found)

    def __call__(self, state):
        if state.generation % EVERY:
            return False
        supports = state.supports[state.population.rank == 1]
        volume = hypervolume(self.scores(supports)[:, 0], 1 - supports.mean(axis=1))
        self.best, self.waited = (volume, 0) if volume > self.best else (self.best, self.waited + 1)
        return self.waited >= PATIENCE


def hold_out_stop(make, X, y, budget, seed, chooses=False):
    """A search that ends when its front stops growing on the hold-out."""
    rows = stratified(np.unique(y, return_inverse=True)[1], SHARE, seed)
    watcher, selector = HoldOut(X, y, rows), make(budget, seed)
    selector.set_params(callbacks=[*(selector.callbacks or ()), watcher])
    selector.fit(watcher.parts[0], watcher.parts[1])
    front, judged = selector.pareto_front_, None
    if chooses:
        front = judged = rescored(front, *watcher.scores(front.supports).T)
    note = f"{len(rows)} held out; {selector.stop_reason_}"
    return Found.by_rules(front, selector.n_evaluations_, judged, note)


def hold_out(make, X, y, budget, seed):
    """The same, and the choice goes by the scores on the hold-out."""
    return hold_out_stop(make, X, y, budget, seed, chooses=True)
