"""The same search again, on other rows, with other labels or seeds: what the reports are made of."""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone, is_regressor
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array

from moeliga.selector import MOELIGASelector
from moeliga.threads import n_workers


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
        if selector.stop_reason_ == "interrupt" or selector.stop_reason_ in selector.stop_signals:
            raise KeyboardInterrupt
        return selector

    def outcomes(self, tasks, keep):
        """What `keep` takes of each search.

        Parameters
        ----------
        tasks : list of (rows, y, seed)
        keep : function of a module, from a fitted selector to anything
        """
        if self.n_workers == 1:
            return [self._outcome(task, keep) for task in tasks]
        return Parallel(n_jobs=self.n_workers)(delayed(self._outcome)(task, keep) for task in tasks)

    def _outcome(self, task, keep):
        return keep(self.search(*task))


def numbers(X):
    """X as an array; the selector refuses missing values where its estimator does not take them."""
    return check_array(X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", ensure_min_samples=2)
