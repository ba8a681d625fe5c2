"""The choice of a member of the front, its score on new samples, and the selection of its features."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from moeliga.base.checks import check_given, check_sparse
from moeliga.base.estimator import SelectorMixin
from moeliga.base.typing import FixedSplits, Integer, Number, Samples, Splits
from moeliga.data.frame import read_labels, read_table
from moeliga.data.missing import without_unread
from moeliga.data.one_hot import Encoding
from moeliga.evaluation.metadata import route
from moeliga.results.assessment import Assessment
from moeliga.results.front import ParetoFront
from moeliga.results.rules import Rule
from moeliga.results.summary import Summary
from moeliga.results.text import Chosen, choice_names
from moeliga.validation.answers import assess
from moeliga.validation.candidates import Slot, ranking_of
from moeliga.validation.deployed import deployable
from moeliga.validation.summary import summary_of


class Choice(SelectorMixin):
    """Mixin of the selector: the methods that use the fronts, answers and folds of a fit, and need no new search."""

    pareto_front_: ParetoFront
    baselines_: ParetoFront
    honest_score_: float
    honest_interval_: tuple[float, float]
    fold_supports_: dict[Slot, NDArray[np.bool_]]
    support_: NDArray[np.bool_]
    index_: int
    n_features_in_: int
    encoding_: Encoding | None
    rule: Rule
    honest: Splits | None
    cv: FixedSplits | None
    deployed: Callable[[], Any]
    _answers: Any
    _slots: NDArray[np.int64]
    _seed: NDArray[np.uint64]
    _unread: NDArray[np.bool_]
    _chosen: Chosen

    def select(self, rule: Rule | None = None, *, n_features: Integer | None = None,
               max_features: Integer | None = None, max_cost: Number | None = None,
               index: Integer | None = None) -> Self:
        """Choose another member of the front, without a new search; sets `support_`, `index_` and the honest score.

        Parameters
        ----------
        rule : str, NoLoss, callable or None
            None = the selector's own `rule`; see `ParetoFront.choose` for this and the other parameters.
        n_features, max_features, index : int, optional
        max_cost : float, optional

        Returns
        -------
        self

        Raises
        ------
        NotFittedError : before `fit`.
        TypeError, ValueError : as `ParetoFront.choose`; the choice is then as it was.

        Notes
        -----
        No model is fitted: the honest score of the choice is estimated by a bootstrap of the answers, and a callable is
        called again for each bootstrap sample.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from moeliga import MOELIGASelector
        >>> X, y = load_iris(return_X_y=True)
        >>> selector = MOELIGASelector(n_generations=2, honest=None, random_state=0).fit(X, y)
        >>> int(selector.select(max_features=1).support_.sum())
        1
        """
        check_is_fitted(self, "pareto_front_")
        limits: dict[str, Any] = {"n_features": n_features, "max_features": max_features, "max_cost": max_cost,
                                  "index": index}
        rule = self.rule if rule is None else rule
        index = self.pareto_front_.choose(rule, **limits)
        found = self.assess(rule, **limits)  # calls the rule again: after an error the choice is as it was
        self.index_, self.support_ = index, self.pareto_front_.supports[index].copy()
        self.honest_score_, self.honest_interval_ = found.score, found.interval
        self._chosen = Chosen(*choice_names(rule, limits), found)
        return self

    def assess(self, rule: Rule | None = None, *, n_features: Integer | None = None,
               max_features: Integer | None = None, max_cost: Number | None = None,
               index: Integer | None = None) -> Assessment:
        """Return the score of a choice on new samples, without making the choice.

        Parameters
        ----------
        rule, n_features, max_features, max_cost, index
            As for `select`.

        Returns
        -------
        assessment : Assessment
            `index` of the member, its honest `score` corrected for the bias of choosing, the `interval` of 90 %, the
            `difference` to all features and the `difference_interval`; NaN without honest scores.

        Raises
        ------
        NotFittedError, TypeError, ValueError : as `select`.
        """
        check_is_fitted(self, "pareto_front_")
        rule = self.rule if rule is None else rule
        return assess(self._answers, self.pareto_front_, self._slots, lambda front: front.choose(
            rule, n_features=n_features, max_features=max_features, max_cost=max_cost, index=index))

    @property
    def feature_frequency_(self) -> NDArray[np.float64]:
        """Share of the folds whose candidate in the slot of the choice has each feature: float64, (n_features_in_,)."""
        check_is_fitted(self, "support_")
        slot = self._slots[self.index_]
        if slot < 0:
            return np.full(self.n_features_in_, np.nan)
        return self.fold_supports_[self._answers.slots[slot]].mean(axis=0)

    @property
    def ranking_(self) -> NDArray[np.int64]:
        """Place of each feature, 1 = chosen first: ndarray of int64, shape (n_features_in_,)."""
        check_is_fitted(self, "pareto_front_")
        return ranking_of(self.fold_supports_, self.pareto_front_, self.baselines_)

    def pipeline(self, X: Samples, y: ArrayLike, **params: Any) -> Any:
        """Return the model to deploy: the choice of columns, and the deployed model fitted to them.

        Parameters
        ----------
        X, y, **params
            As for `fit`: all samples that the model is to learn from.

        Returns
        -------
        pipeline : sklearn.pipeline.Pipeline, fitted
            Of a `ColumnTransformer` and the model, which are scikit-learn's alone: a file of it is read without
            moeliga, unless the model is one of moeliga's. If X is a table with column names, it takes the chosen
            columns by these and needs no others, categories as the numbers that they stand for; else by their places.
            Sparse data to predict are CSR or CSC.

        Raises
        ------
        NotFittedError : before `fit`.
        TypeError, ValueError : if y is None, or X has other features than that of the fit; for metadata that the
            model's `fit` does not take, or of another length; and as the model's `fit`, for missing values or another
            length of y.

        Notes
        -----
        Costs one fit of the model. Parameters called random_state that are None get a number of the search's seed, so
        the same selector gives the same pipeline. It is for the choice of this moment: after `select`, call it again.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from sklearn.naive_bayes import GaussianNB
        >>> from moeliga import MOELIGASelector
        >>> X, y = load_wine(return_X_y=True)
        >>> selector = MOELIGASelector(GaussianNB(), n_generations=5, honest=3, random_state=0).fit(X, y)
        >>> selector.pipeline(X, y).predict(X[:3])
        array([0, 0, 0])
        """
        check_is_fitted(self, "support_")
        if not hasattr(X, "shape"):
            X = np.asarray(X)
        X = check_sparse("X", X)
        validate_data(self, self._encoded(X), reset=False, skip_check_array=True)
        model, labels = self.deployed(), check_given("y", read_labels(y))
        routed = route(self, params, len(labels), model, self.cv if self.honest is None else self.honest)
        chosen = np.flatnonzero(self.support_).tolist()
        names = getattr(self, "feature_names_in_", None) if hasattr(X, "columns") else None
        columns = chosen if names is None else names[chosen].tolist()
        return deployable(model, columns, X, labels, routed, self._seed, self.encoding_)

    def summary(self) -> Summary:
        """Return a table of the choice of each rule and its honest score, followed by all features and rankings.

        Returns
        -------
        summary : moeliga.results.summary.Summary
            Shown by `print` and as a table in notebooks; `to_frame()` gives a pandas DataFrame.

        Raises
        ------
        NotFittedError : before `fit`.
        """
        check_is_fitted(self, "support_")
        return summary_of(self)

    if not TYPE_CHECKING:  # its types are those of base.estimator
        def transform(self, X: Samples) -> Any:
            """Return the selected columns of X, array-like, sparse or DataFrame.

            Of the others those with names may hold text, and those that `constraints` exclude anything. NotFittedError
            before `fit`; ValueError for other features than in the fit, or for infinity, or NaN that no model takes.
            """
            check_is_fitted(self)
            X = check_sparse("X", self._encoded(X))
            kept = hasattr(X, "iloc") and _get_output_config("transform", self)["dense"] != "default"  # with its dtypes
            if hasattr(X, "columns") and not kept:
                validate_data(self, X, reset=False, skip_check_array=True)
                X = read_table(X, ~self.support_)
            X = validate_data(self, X, dtype=None, accept_sparse="csr", ensure_all_finite=False, reset=False,
                              skip_check_array=kept)
            if not kept:
                allow_nan = self.__sklearn_tags__().input_tags.allow_nan
                assert_all_finite(without_unread(X, self._unread), allow_nan=allow_nan, input_name="X")
            return self._transform(X)

        def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
            """Return the names of the selected features: ndarray of object; NotFittedError before `fit`.

            `input_features` may be the columns of X as it was given; ValueError for others than those of the fit.
            """
            check_is_fitted(self)
            if input_features is not None and self.encoding_ is not None:
                input_features = self.encoding_.features(input_features)
            return super().get_feature_names_out(input_features)

    def _encoded(self, X: Any) -> Any:
        """Return X; if it is a table whose columns were encoded in the fit, they are encoded likewise."""
        return X if self.encoding_ is None else self.encoding_.table(X)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_
