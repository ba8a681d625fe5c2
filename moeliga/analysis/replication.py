"""The same search again, on other rows, with other labels or seeds: what the reports are made of."""

import signal

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from sklearn.base import clone, is_regressor
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array

from moeliga.analysis.result_cache import Ledger, marks_of
from moeliga.base.threads import n_workers
from moeliga.selector import MOELIGASelector


class Replications:
    """Searches like one selector's on variations of one data set. The selector itself is never changed.

    Parameters
    ----------
    selector : MOELIGASelector, fitted or not
    X : array-like of shape (n_samples, n_features)
        Kept as it is, so that each search sees the names of its columns.
    y : array-like of shape (n_samples,)
    n_jobs : int or None
        Searches at the same time; each runs on one thread. None = the selector's own.
    **parameters
        Of the selector, in place of its own.

    Attributes
    ----------
    values : ndarray of float32 or float64, shape (n_samples, n_features), NaN = missing
    y : ndarray of shape (n_samples,)
    classes : ndarray of shape (n_classes,)
    labels : ndarray of int, shape (n_samples,)
        Places of `y` in `classes`.

    Raises
    ------
    TypeError, ValueError : if one of them is none of these.
    """

    def __init__(self, selector, X, y, n_jobs, **parameters):
        if not isinstance(selector, MOELIGASelector):
            raise TypeError(f"selector must be a MOELIGASelector, got {selector!r}")
        if selector.estimator is not None and is_regressor(selector.estimator):
            raise TypeError(f"selector.estimator must be a classifier or None, got {selector.estimator!r}")
        self.n_workers = n_workers(selector.n_jobs if n_jobs is None else n_jobs)
        self.selector = clone(selector).set_params(verbose=0, n_jobs=1, checkpoint=None, **parameters)
        self.X = X
        self.values = numbers(X)
        self.y = column_or_1d(y)
        check_consistent_length(self.values, self.y)
        check_classification_targets(self.y)
        self.classes, self.labels = np.unique(self.y, return_inverse=True)
        if len(self.classes) < 2:
            raise ValueError(f"y must have at least 2 classes, got 1 class: {self.classes.tolist()[0]!r}")

    def search(self, rows, y, seed):
        """The selector fitted to some rows, with labels for them and a seed.

        Raises
        ------
        KeyboardInterrupt : after Ctrl-C, which must end a report and not one search of it.
        """
        selector = clone(self.selector).set_params(random_state=seed).fit(_safe_indexing(self.X, rows), y)
        if selector.stop_reason_ == "interrupt" or selector.stop_reason_ in signal.Signals.__members__:
            raise KeyboardInterrupt
        return selector

    def outcomes(self, tasks, keep, revive, checkpoint=None):
        """What is of interest of each search: list.

        Parameters
        ----------
        tasks : list of (rows, y, seed)
        keep : function of a module, from a fitted selector to what JSON holds
        revive : callable, from that to an outcome
        checkpoint : str, path or None
            See `Ledger`: searches whose results are there are not made again.

        Raises
        ------
        TypeError, ValueError, OSError : see `Ledger`.
        """
        ledger = None if checkpoint is None else Ledger(checkpoint, marks_of(self, tasks))
        found = {} if ledger is None else ledger.revived(revive)
        left = [(place, task, keep) for place, task in enumerate(tasks) if place not in found]
        for place, result in self._results(left):
            found[place] = revive(result)
            if ledger is not None:
                ledger.add(place, result)
        return [found[place] for place in range(len(tasks))]

    def _results(self, jobs):
        """Results of jobs as they come; of a backend that cannot do so (Ray's), all at the end."""
        if self.n_workers == 1 or not jobs:
            return (self._outcome(*job) for job in jobs)
        comes = getattr(get_active_backend()[0], "supports_return_generator", False)
        parallel = Parallel(n_jobs=self.n_workers, return_as="generator_unordered" if comes else "list")
        return parallel(delayed(self._outcome)(*job) for job in jobs)

    def _outcome(self, place, task, keep):
        return place, keep(self.search(*task))


def check_repeatable(checkpoint, random_state):
    """Refuse to keep results that no later call could go on from."""
    if checkpoint is not None and random_state is None:
        raise ValueError("random_state must give the same searches again where there is a checkpoint, got None")


def numbers(X):
    """X as an array; the selector refuses missing values where its estimator does not take them."""
    return check_array(X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", ensure_min_samples=2)
