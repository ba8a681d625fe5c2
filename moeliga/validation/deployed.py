"""The deployed model: fitted to the candidates of a fold, it answers for the samples held out."""

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed

from moeliga.base.budget import until_interrupted
from moeliga.base.random_streams import Purpose
from moeliga.base.threads import n_workers, one_thread
from moeliga.evaluation.estimator_scorer import seed_model, seeded_parameters
from moeliga.evaluation.warning_tally import without_noise
from moeliga.validation.replay import METHODS, answers_of


class Deployed:
    """A model that is fitted to subsets of features, and answers for other rows.

    It is cloned for every fit; parameters called random_state that are None get a number of the search's own streams,
    the same for all candidates of a fold. `n_jobs` fits are made at the same time, in threads unless joblib is
    configured otherwise; with `every_answer` probabilities and decisions are stored too, which some scorers need.
    """

    def __init__(self, model, problem, metadata, seed, n_jobs, every_answer):
        self.model, self.problem, self.metadata, self.seed = model, problem, metadata, seed
        self.n_workers, self.methods = n_workers(n_jobs), METHODS if every_answer else METHODS[:1]
        self.X = problem.X.tocsc() if issparse(problem.X) else problem.X
        self.seeded = seeded_parameters(model)

    def ask(self, masks, train, test, fold, check=lambda: None):
        """Return the answers for rows `test` of the model fitted to each subset on rows `train`.

        `masks` are bool, shape (n, n_features); equal ones are fitted once. `check`, called before each fit, may raise
        Interrupted.

        Returns
        -------
        answers : dict from method to ndarray, shape (n, n_test, ...)
        """
        distinct, places = np.unique(masks, axis=0, return_inverse=True)
        # the largest first
        order = np.argsort(-distinct.sum(axis=1), kind="stable")
        with without_noise():
            found = Parallel(self.n_workers, prefer="threads")(
                delayed(self.answer)(distinct[place], train, test, fold) for place in until_interrupted(order, check))
        check()  # if it has cut the work short
        back = np.argsort(order)[places.reshape(-1)]
        return {method: np.array([found[place][method] for place in back]) for method in found[0]}

    def answer(self, mask, train, test, fold):
        """Return the answers for rows `test` of the model fitted to one subset: dict from method to ndarray."""
        columns, model, problem = self.X[:, np.flatnonzero(mask)], clone(self.model), self.problem
        if issparse(columns):
            columns = columns.tocsr()
        seed_model(model, self.seeded, self.seed, (Purpose.ESTIMATOR << 8 | Purpose.FOLD, fold, 0, 0, 0))
        with one_thread():
            model.fit(columns[train], problem.y[train], **self.metadata.fit_at(train))
            return answers_of(model, columns[test], None if problem.regression else problem.values, self.methods)


def deployable(model, columns, X, y, metadata, seed, encoding=None):
    """Return a model fitted to some columns of X, and what takes them from X, in scikit-learn's `Pipeline`.

    The model is cloned, and seeded as `Deployed` does; `columns` are indices, or names of X's columns; `encoding` makes
    them of the columns of X as the caller has it.
    """
    parts = [("passthrough", columns)] if encoding is None else encoding.transformers(columns)
    choice = ColumnTransformer([(f"part {number}", *part) for number, part in enumerate(parts)], sparse_threshold=1.0,
                               verbose_feature_names_out=False)
    if isinstance(columns[0], str):
        choice.set_output(transform="pandas" if hasattr(X, "iloc") else "polars")
    model = clone(model)
    seed_model(model, seeded_parameters(model), seed, (Purpose.ESTIMATOR, 0, 0, 0, 0))
    model.fit(choice.fit_transform(X.tocsc() if issparse(X) else X), y, **metadata.fit)
    return Pipeline([("columns", choice), ("model", model)])
