"""Repeated searches for the reports: on parts of the samples, with shuffled labels or other seeds."""

import signal

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend
from scipy.sparse import issparse, vstack
from sklearn.base import clone, is_regressor
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d
from sklearn.utils.validation import _get_feature_names, check_array

from moeliga.analysis.result_cache import marks_of, open_cache
from moeliga.base.checks import check_given, check_instance, check_sparse
from moeliga.base.threads import n_workers
from moeliga.data.frame import check_columns, read_pair, unread_columns
from moeliga.data.missing import check_finite, without_unread
from moeliga.data.one_hot import one_hot_encode
from moeliga.data.problem import Problem
from moeliga.evaluation.capabilities import takes_sparse
from moeliga.evaluation.metadata import check_groups, plain
from moeliga.search.resolve import resolve
from moeliga.selector import MOELIGASelector


class Replications:
    """Fit clones of a selector to variations of one data set; the selector itself is never changed.

    `n_jobs` searches run in parallel (None = the selector's `n_jobs`), each on one thread. `parameters` replace those
    of the selector. `labels` are the classes of `y`, or its deciles: ndarray of int. `groups` say which samples belong
    together, None = each is alone; `group` is the number of each sample's group, from 0.
    """

    def __init__(self, selector, X, y, n_jobs, groups=None, **parameters):
        plan = resolve(check_instance("selector", selector, MOELIGASelector))
        self.n_workers = n_workers(selector.n_jobs if n_jobs is None else n_jobs)
        # the same encoding in all searches
        X, constraints, self.encoding = one_hot_encode(check_sparse("X", X), selector.resolved("constraints"))
        self.selector = clone(selector).set_params(verbose=0, n_jobs=1, checkpoint=None, constraints=constraints,
                                                   **parameters)
        # a table stays one, so that each search sees the names of the columns
        self.X, y = read_pair(X, check_given("y", y), constraints.exclude)
        # a search refuses missing values if its estimator does not take them
        sparse = "csr" if all(map(takes_sparse, plan.predictors)) else False
        values = check_array(self.X, dtype=[np.float64, np.float32], ensure_all_finite=False, ensure_min_samples=2,
                             accept_sparse=sparse, input_name="X")
        if issparse(values):
            self.X = values  # CSR, which has rows
        names = _get_feature_names(self.X)
        self.values = without_unread(values, unread_columns(constraints.exclude, values.shape[1], names))
        check_finite(self.values, names)
        self.y = column_or_1d(y)
        check_consistent_length(self.values, self.y)
        self.problem = Problem.from_data(self.values, self.y, is_regressor(selector.guides()[0]),
                                    selector.honest is not None)
        self.labels = self.problem.classes()
        self.groups = self.group = None
        if groups is not None:
            self.groups = np.asarray(check_groups("groups", plain(groups)))
            check_consistent_length(self.values, self.groups)
            self.group = np.unique(self.groups, return_inverse=True)[1]

    def search(self, rows, y, seed, selector=None):
        """Return a clone of `selector`, None = of `self.selector`, fitted to some rows of X with the labels `y`.

        KeyboardInterrupt after a signal, which must end all searches.
        """
        selector = clone(self.selector if selector is None else selector).set_params(random_state=seed)
        taken = selector.honest is not None or not (selector.cv is None or isinstance(selector.cv, str))
        selector.fit(_safe_indexing(self.X, rows), y, groups=self.groups[rows] if taken and self.groups is not None
                     else None)
        if selector.stop_reason_ == "interrupt" or selector.stop_reason_ in signal.Signals.__members__:
            raise KeyboardInterrupt
        return selector

    def append_test(self, X_test, y_test):
        """Check the samples held out, and return X and y with them appended: a pair of arrays."""
        X_test, y_test = read_pair(check_sparse("X_test", X_test), check_given("y_test", y_test),
                                   self.selector.constraints.exclude, self.encoding)
        check_columns("X_test", X_test, _get_feature_names(self.X))
        sparse = "csr" if issparse(self.values) else False
        X_test = check_array(X_test, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan",
                             input_name="X_test", accept_sparse=sparse)
        y_test = column_or_1d(y_test)
        check_consistent_length(X_test, y_test)
        n_features = self.values.shape[1]
        if X_test.shape[1] != n_features:
            raise ValueError(f"X_test must have {n_features} features, as X has, got {X_test.shape[1]}")
        unknown = np.setdiff1d(y_test, self.problem.values)
        if len(unknown) and not self.problem.regression:
            raise ValueError(f"y_test must hold classes of y only, got {unknown.tolist()}")
        values = vstack((self.values, X_test), "csr") if sparse else np.concatenate((self.values, X_test))
        return values, np.concatenate((self.y, y_test))

    def outcomes(self, tasks, encode, decode, checkpoint=None):
        """Return the outcome of the search of each task (rows, y, seed): list.

        `encode`, which must be picklable, makes a JSON value of a fitted selector, and `decode` an outcome of this
        value. Values in the checkpoint are not computed again.
        """
        with open_cache(checkpoint, lambda: marks_of(self, tasks)) as cache:
            found = {} if cache is None else cache.decoded(decode)
            for index, result in self._results([(i, *task, encode) for i, task in enumerate(tasks) if i not in found]):
                found[index] = decode(result)
                if cache is not None:
                    cache.add(index, result)
        return [found[index] for index in range(len(tasks))]

    def _results(self, jobs):
        """Yield (index, result) of jobs in any order as they finish, or all at the end if joblib has no generator."""
        if self.n_workers == 1 or not jobs:
            return (self._result(*job) for job in jobs)
        streams = getattr(get_active_backend()[0], "supports_return_generator", False)
        parallel = Parallel(n_jobs=self.n_workers, return_as="generator_unordered" if streams else "list")
        return parallel(delayed(self._result)(*job) for job in jobs)

    def _result(self, index, rows, y, seed, encode):
        return index, encode(self.search(rows, y, seed))


def without_folds(selector):
    """Return a selector for the same search on all samples, without honest scores."""
    if selector.honest is None:
        return selector
    return clone(selector).set_params(honest=None, scoring=selector.guide_scoring(),
                                      estimator=None if selector.stands_for("islands").judges else selector.guides()[0])
