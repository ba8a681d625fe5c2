"""One entry on one outer split: it chooses on the training rows, and deployed models judge by the others."""

import signal
import time
import warnings
from contextlib import contextmanager

import numpy as np
from board.models import judge, seeded
from threadpoolctl import threadpool_limits

LIMIT = 300
"""Seconds of processor time that a fit may take."""

KEY = ("set", "split", "entry", "choice", "model", "told")
COLUMNS = (*KEY, "features", "test", "estimate", "cpu", "wall", "spent", "evaluations", "samples", "of", "classes",
           "status", "commit", "date", "machine")
"""A row for each choice. `choice` is "" for what the entry chose, else the rule of a further choice from the same fit;
`told` is the number of features that it was told, "" where it chose this itself. `cpu` and `wall` are seconds of a fit
for this model alone, `spent` the processor's beyond what other models had from the same fit; `evaluations` are subsets
that it scored, where the selector says so. `samples` are those of the
training part. A row without a model says why there are none."""


class TooLong(RuntimeError):
    """A fit has taken more than its limit."""


@contextmanager
def timed(clock, limit=LIMIT):
    """Add to `clock`, [processor's seconds, wall's], what the block takes; TooLong after `limit` of the processor's.

    On Windows, which has no such alarm, nothing ends it.
    """
    def stop(number, frame):
        raise TooLong(f"takes more than {limit:g} s")

    alarm, begun = hasattr(signal, "setitimer"), (time.process_time(), time.perf_counter())
    if alarm:
        before = signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        yield
    finally:
        if alarm:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
        clock[0] += time.process_time() - begun[0]
        clock[1] += time.perf_counter() - begun[1]


class Contest:
    """An entry on the rows of a split, for one deployed model after the other.

    Parameters
    ----------
    entry : Entry
    parts : (X_train, y_train, X_test, y_test)
    seed : int
    limit : float
        Seconds of a fit.
    given : float or None
        What the entry needs of moeliga's row.
    """

    def __init__(self, entry, parts, seed, limit=LIMIT, given=None):
        self.entry, self.parts, self.seed, self.limit = entry, parts, seed, limit
        self.given = {"given": given} if entry.needs else {}
        self.first = self.base = None
        self.told = {}

    def fit(self, model, n_features=None):
        """(selector, [cpu, wall]) of a fit."""
        clock = [0.0, 0.0]
        selector = self.entry.make(seeded(model, self.seed), self.seed, n_features, **self.given)
        with timed(clock, self.limit):
            selector.fit(*self.parts[:2])
        return selector, clock

    def chosen(self, model):
        """(selector, [cpu, wall] of a fit for this model, processor's seconds spent) of its own size."""
        if self.first is None:
            self.first, self.base = self.fit(model)
            return self.first, self.base, self.base[0]
        if not self.entry.asks:
            return self.first, self.base, 0.0
        if not hasattr(self.first, "for_model"):
            selector, clock = self.fit(model)
            return selector, clock, clock[0]
        clock = list(self.base)
        with timed(clock, self.limit):
            selector = self.first.for_model(seeded(model, self.seed), *self.parts[:2])
        return selector, clock, clock[0] - self.base[0]

    def own(self, model):
        """Rows of its own size."""
        selector, clock, spent = self.chosen(model)
        known = self.entry.asks or model == self.entry.estimates
        estimate = getattr(selector, "estimate_", np.nan) if known else np.nan
        evaluations = getattr(selector, "n_evaluations_", "")
        rows = [self.row(model, selector.get_support(), clock, spent, evaluations, estimate=estimate)]
        for name, (mask, estimate) in getattr(selector, "choices", dict)().items():
            rows.append(self.row(model, mask, clock, 0.0, evaluations, estimate=estimate if known else np.nan,
                                 choice=name))
        return rows

    def at(self, model, k):
        """The row of k features."""
        of = self.parts[0].shape[1]
        if k == of:
            return self.row(model, np.ones(of, dtype=bool), [0.0, 0.0], 0.0, told=k)
        mask, clock, spent = None, self.base, 0.0
        if self.entry.own and self.first is not None and hasattr(self.first, "sized"):
            mask = self.first.sized(k)
        if mask is None and (self.entry.asks or k not in self.told):
            selector, clock = self.fit(model, k)
            mask, spent = selector.get_support(), clock[0]
            self.told[k] = mask, clock
        elif mask is None:
            mask, clock = self.told[k]
        return self.row(model, mask, clock, spent, told=k)

    def row(self, model, mask, clock, spent, evaluations="", told="", choice="", estimate=np.nan):
        mask = np.asarray(mask, dtype=bool)
        return {"model": model, "choice": choice, "told": told, "features": int(mask.sum()),
                "test": judge(model, mask, self.parts, self.seed), "estimate": float(estimate), "cpu": clock[0],
                "wall": clock[1], "spent": spent, "evaluations": evaluations, "status": "ok"}


def contest(entry, parts, seed, wanted, limit=LIMIT, given=None):
    """Rows of an entry on a split, without the columns that name both.

    Parameters
    ----------
    entry : Entry
    parts : (X_train, y_train, X_test, y_test)
    seed : int
    wanted : dict from str to list
        For each deployed model the sizes asked for: None is the entry's own, which comes first.
    limit : float
        Seconds of processor time of a fit.
    given : float or None
        What the entry needs of moeliga's row.

    Returns
    -------
    rows : list of dict
        A single one, without a model, if a fit failed or took too long.
    """
    X_train, y_train = parts[:2]
    shape = {"samples": len(y_train), "of": X_train.shape[1], "classes": len(np.unique(y_train))}
    if len(y_train) > entry.most_samples or shape["of"] > entry.most_features:
        return [shape | {"status": f"takes more than {limit:g} s by its limits"}]
    match, rows = Contest(entry, parts, seed, limit, given), []
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for model, sizes in wanted.items():
                for k in sizes:
                    rows += match.own(model) if k is None else [match.at(model, k)]
    except TooLong as error:
        rows = [{"status": str(error)}]
    except Exception as error:  # whatever a selector raises is its result
        rows = [{"status": f"{type(error).__name__}: {error}"[:200]}]
    return [shape | row for row in rows]
