"""The deployed model: it is fitted to the candidates of a fold, and answers for the samples held out."""

import math
import time
from contextlib import nullcontext
from itertools import groupby

import numpy as np
from joblib.parallel import get_active_backend
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.parallel import Parallel, delayed

from moeliga.base.budget import until_interrupted
from moeliga.base.memory import SMALL, n_concurrent
from moeliga.base.random_streams import Purpose
from moeliga.base.threads import cluster_is_lost, local_backend_if_lost, n_workers, one_thread
from moeliga.base.warning_filters import warn, without_noise
from moeliga.data.memory_estimate import COPIES, forest_parts
from moeliga.data.subsets import bits_of, row_keys
from moeliga.evaluation.estimator_scorer import seed_model, seeded_parameters
from moeliga.forest.ensemble import Forest
from moeliga.validation.replay import METHODS, answers_of

PARALLEL_BYTES = 1 << 24
"""Bytes for compiled forests fitted beside another one; beyond that one forest is fitted at a time, with threads."""


class Deployed:
    """A model that is fitted to subsets of features, and predicts other rows: its answers.

    It is cloned for each fit; parameters called random_state that are None get a number from the streams of the search,
    the same for all candidates of a fold. `n_jobs` fits run in parallel, in threads unless joblib is configured
    otherwise; large compiled forests are fitted one after the other, each with `n_jobs` threads. With `every_answer`
    the answers include class probabilities and decision values, which some scorers need.
    """

    def __init__(self, model, problem, metadata, seed, n_jobs, every_answer):
        self.model, self.problem, self.metadata, self.seed = model, problem, metadata, seed
        self.n_workers, self.methods = n_workers(n_jobs), METHODS if every_answer else METHODS[:1]
        self.X = problem.X.tocsc() if issparse(problem.X) else problem.X
        self.seeded = seeded_parameters(model)

    def answers_for(self, masks, train, test, fold, check=lambda: None):
        """Return the answers for rows `test` of the model fitted to each subset on rows `train`.

        They are a dict from method to ndarray of shape (n, n_test, ...), with the methods that all fitted models have:
        a search over several kinds of models may give one without probabilities. `masks` are bool, shape (n,
        n_features); equal ones are fitted once. `check`, called before each fit, may raise Interrupted. If the workers
        of a cluster are lost, the fits are made in this process.
        """
        try:
            with local_backend_if_lost("threading"):
                return self.fit_all(masks, train, test, fold, check)
        except BaseException as error:  # Dask's CancelledError is no Exception
            if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit) or not cluster_is_lost():
                raise
            warn(f"the workers are lost, the model is fitted in this process: {type(error).__name__}: {error}",
                 RuntimeWarning)
        with local_backend_if_lost("threading"):
            return self.fit_all(masks, train, test, fold, check)

    def fit_all(self, masks, train, test, fold, check):
        """Return the answers of `answers_for` by the workers of the current backend."""
        # compare rows by their bits: np.unique takes seconds for rows of a million cells
        keys = row_keys(bits_of(masks))
        once, places = np.unique([keys.index(key) for key in keys], return_inverse=True)
        distinct = masks[once]
        order = np.argsort(-distinct.sum(axis=1), kind="stable")  # the largest subsets first
        inside = self.threads_inside(len(train))
        with without_noise():
            found = []
            for batch in self.batches(order, distinct.sum(axis=1)):
                places_left = until_interrupted(batch, check)
                if inside:
                    found += [self.answer(distinct[place], train, test, fold, self.n_workers) for place in places_left]
                else:
                    found += Parallel(min(self.n_workers, len(batch)), prefer="threads")(
                        delayed(self.answer)(distinct[place], train, test, fold) for place in places_left)
                check()  # raise here if it has ended the batch early
        back = np.argsort(order)[places]
        methods = [method for method in found[0] if all(method in answers for answers in found)]
        return {method: np.array([found[place][method] for place in back]) for method in methods}

    def try_out(self, masks, train, test, score):
        """Raise before any search the errors that the model, or its `Score`, would raise for subsets."""
        score.check(self.problem, self.metadata, self.answers_for(masks, train, test, 0))

    def seconds(self, masks, sizes, train, test, over):
        """Measure and return the seconds that the answers for subsets of `sizes` features take: float.

        The smallest and the largest of the masks, without all features, are timed, as many as are fitted in parallel;
        other sizes lie on the line through both times. The small ones are timed twice, as the first fit may have to
        load modules, unless `over()` becomes True.
        """
        n, measured = masks.sum(axis=1), {}
        n_at_once = 1 if self.threads_inside(len(train)) else self.n_workers
        ascending = np.argsort(n, kind="stable")
        descending = np.flip(ascending[n[ascending] < n.max()] if n.min() < n.max() else ascending)
        together = max(1, np.count_nonzero(np.cumsum(n[descending]) <= masks.shape[1]))
        small, large = ascending[:n_at_once], descending[: min(n_at_once, together)]
        for name, places in (("small", small), ("large", large), ("small", small)):
            begun = time.monotonic()
            self.answers_for(masks[places], train, test, 0)
            measured[name] = min(measured.get(name, math.inf), time.monotonic() - begun)
            if over():
                break
        first, last, least = measured["small"], measured.get("large", measured["small"]), n[small].max()
        slope = max(0.0, last - first) / max(1, n[large].max() - least)
        each = first + slope * np.maximum(0, np.asarray(sizes) - least)
        return float(max(each.max(), each.sum() / n_at_once))

    def threads_inside(self, n):
        """Return True if forests, fitted to `n` rows in parallel, would be too large: then each has the threads inside.

        The C library keeps freed memory for each thread: many large fits in threads would take more and more.
        """
        model, X = self.model, self.problem.X
        if (self.n_workers == 1 or not isinstance(model, Forest)
                or not getattr(get_active_backend(prefer="threads")[0], "supports_sharedmem", False)):
            return False
        model.rules()  # checks the parameters
        needs = forest_parts(X, None if self.problem.regression else len(self.problem.values), 1, model.n_estimators,
                          model.n_drawn(n), model.random_cuts, model.oob_score, n)
        return n_concurrent(needs, self.n_workers - 1, PARALLEL_BYTES) < self.n_workers - 1

    def batches(self, order, sizes):
        """Yield lists of subsets, in `order`, that are fitted together: a few large ones, at last all that remain.

        The fits that run in parallel copy no more of X together than one fit to all features would, or little.
        """
        X, order = self.problem.X, order.tolist()
        n_bytes = X.data.nbytes if issparse(X) else X.nbytes
        most = max(1.0, SMALL / (COPIES * n_bytes)) * X.shape[1]
        while order:
            taken = np.cumsum(sizes[order])
            n = len(order) if taken[: self.n_workers][-1] <= most else max(1, np.count_nonzero(taken <= most))
            yield order[:n]
            order = order[n:]

    def answer(self, mask, train, test, fold, n_threads=1):
        """Return the answers for rows `test` of the model fitted to one subset: dict from method to ndarray.

        `n_threads` > 1 only for a `Forest`, which uses them itself.
        """
        model, problem = clone(self.model), self.problem
        seed_model(model, self.seeded, self.seed, (Purpose.ESTIMATOR << 8 | Purpose.FOLD, fold, 0, 0, 0))
        if n_threads > 1:
            model.set_params(n_jobs=n_threads)
        try:
            with one_thread() if n_threads == 1 else nullcontext():
                model.fit(self.part(train, mask), problem.y[train], **self.metadata.at("fit", train))
                values = None if problem.regression else problem.values
                return answers_of(model, self.part(test, mask), values, self.methods)
        except Exception as error:
            note = (f"estimator was fitted to {mask.sum()} of {len(mask)} features and {len(train)} samples for "
                    f"fold {fold} of honest; with checkpoint=, a later fit goes on from the searches that are done")
            if isinstance(error, StopIteration):  # joblib's generators would replace it by an error without the note
                stopped = RuntimeError(f"estimator raised {error!r}")
                stopped.add_note(note)
                raise stopped from error
            error.add_note(note)
            raise

    def part(self, rows, mask):
        """Return some rows and columns of X: dense in C order, or CSR."""
        if issparse(self.X):
            return self.X[:, np.flatnonzero(mask)].tocsr()[rows]
        return self.X[rows] if mask.all() else self.X[np.ix_(rows, mask)]


def numeric_transformers(transformer, columns, X):
    """Return transformers that convert categorical, object and nullable columns of a pandas table to float64.

    The model had such numbers in each fold, and some models treat other dtypes differently. There is a pair
    (transformer, columns) for each run of columns of one kind, which keeps the order of the columns.
    """
    if transformer != "passthrough" or not hasattr(X, "iloc"):
        return [(transformer, columns)]
    dtypes = [X[name].dtype if isinstance(name, str) else X.iloc[:, name].dtype for name in columns]
    odd = [not isinstance(dtype, np.dtype) or dtype.kind == "O" for dtype in dtypes]
    # by way of the nullable dtype, which accepts pandas.NA and None
    steps = [FunctionTransformer(type(X).astype, kw_args={"dtype": name}, feature_names_out="one-to-one")
             for name in ("Float64", "float64")]
    return [(make_pipeline(*map(clone, steps)) if kind else transformer, [name for name, _ in run])
            for kind, run in groupby(zip(columns, odd, strict=True), key=lambda pair: pair[1])]


def deployable(model, columns, X, y, metadata, seed, encoding=None):
    """Return scikit-learn's `Pipeline` that selects columns of X and predicts by the model fitted to them.

    The model is cloned, and seeded as by `Deployed`; `columns` are indices or names; `encoding`, or None, makes them
    from the columns of the caller's X.
    """
    parts = [("passthrough", columns)] if encoding is None else encoding.transformers(columns)
    parts = [part for given in parts for part in numeric_transformers(*given, X)]
    choice = ColumnTransformer([(f"part {number}", *part) for number, part in enumerate(parts)], sparse_threshold=1.0,
                               verbose_feature_names_out=False)
    if isinstance(columns[0], str):
        choice.set_output(transform="pandas" if hasattr(X, "iloc") else "polars")
    model = clone(model)
    seed_model(model, seeded_parameters(model), seed, (Purpose.ESTIMATOR, 0, 0, 0, 0))
    model.fit(choice.fit_transform(X.tocsc() if issparse(X) else X), y, **metadata.fit)
    return Pipeline([("columns", choice), ("model", model)])
