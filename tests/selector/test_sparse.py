"""Sparse data and missing values: as dense data, as far as the estimator takes them."""


import numpy as np
import pytest
from numpy.testing import assert_array_equal
from same_search import assert_same
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn_objects import LOCAL, data, holes, small

from case_names import named
from moeliga import DecisionTreeClassifier, evaluate_subsets
from moeliga.data.dataset import Dataset
from moeliga.evaluation.capabilities import takes_sparse

FORMS = [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix, sparse.csc_matrix, sparse.lil_array]
DENSE = FunctionTransformer(lambda X: X.toarray() if sparse.issparse(X) else X, accept_sparse=True)


@pytest.mark.quick("values")
@pytest.mark.parametrize("options", [
    {},
    {"estimator": DecisionTreeClassifier(max_depth=2), "local_improvement": LOCAL},
    {"cv": 3},
    {"scoring": "accuracy", "objectives": ("accuracy", "cardinality")},
    {"estimator": SklearnTree()},
    {"estimator": SklearnTree(max_depth=3), "objectives": ("uar", "cardinality"), "n_jobs": 2},
    {"estimator": make_pipeline(DENSE, StandardScaler(), LogisticRegression())},
    {"objectives": ("cardinality", "uar")},
], ids=["compiled", "local", "cv", "scoring", "tree", "workers", "linear", "no separability"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_data_give_the_result_of_the_dense(rng, options, form):
    """Bit for bit: compiled and external, scored on drawn and on fixed splits."""
    X, y = data(rng, n_classes=3)
    X = holes(X, rng)
    got, ref = small(**options).fit(form(X), y), small(**options).fit(X, y)
    assert_same(got, ref)
    assert_array_equal(got.transform(form(X)).toarray(), X[:, got.support_])


@pytest.mark.quick(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("estimator", [None, BernoulliNB()], ids=["compiled", "external"])
def test_every_sparse_format_will_do(rng, form, estimator):
    """CSR, CSC and what is converted to them, arrays and matrices; transform gives a sparse result."""
    X, y = data(rng)
    X = holes(X, rng)
    given = form(X)
    selector = small(estimator).fit(given, y)
    assert_same(selector, small(estimator).fit(X, y))
    assert sparse.issparse(selector.transform(given))
    assert_array_equal(selector.transform(given).toarray(), selector.transform(X))


def test_cells_given_in_parts_are_summed(rng):
    """A sparse X with repeated and explicit zero cells is the matrix it stands for."""
    X, y = data(rng)
    X = holes(X, rng)
    row, column = np.nonzero(np.ones_like(X))
    parts = np.concatenate([X.ravel() - 1, np.ones(X.size)])
    pieces = sparse.coo_array((parts, (np.tile(row, 2), np.tile(column, 2))), shape=X.shape)
    given = sparse.csr_array((48, 9))
    order = np.argsort(np.tile(row, 2), kind="stable")
    given.data, given.indices = parts[order], np.tile(column, 2)[order].astype(np.int32)
    given.indptr = np.arange(49, dtype=np.int32) * 18
    whole = pieces.toarray()
    for estimator in (None, BernoulliNB()):
        assert_same(small(estimator).fit(given, y), small(estimator).fit(whole, y))


class Format(BernoulliNB):
    """A classifier that tells what it was given."""

    seen = set()

    def fit(self, X, y):
        Format.seen.add((type(X), X.dtype.name))
        return super().fit(X, y)


@pytest.mark.parametrize(("form", "expected"), [(sparse.csr_matrix, sparse.csr_matrix),
                                                (sparse.csc_array, sparse.csr_array)])
def test_an_estimator_that_takes_sparse_data_never_sees_dense(rng, monkeypatch, form, expected):
    """Without separability nothing is made dense or coded, in the search or before it."""

    def refused(*arguments, **options):
        raise AssertionError("coded")

    def guarded(toarray):
        def guard(array, *arguments, **options):
            assert array.dtype != np.float32, "X was made dense"  # scikit-learn may do so to its own integers
            return toarray(array, *arguments, **options)

        return guard

    X, y = data(rng)
    given = form(holes(X, rng).astype(np.float32))
    Format.seen = set()
    for kind in {type(given), expected}:
        monkeypatch.setattr(kind, "toarray", guarded(kind.toarray))
    monkeypatch.setattr(Dataset, "encode", refused)
    small(Format(), objectives=("uar", "cardinality")).fit(given, y)
    assert Format.seen == {(expected, "float32")}


def test_callables_get_x_as_it_was_given(rng):
    """A sparse X is not made dense for them either."""
    X, y = data(rng)
    seen = set()

    def objective(mask, X, y):
        seen.add(type(X))
        return float(mask.sum())

    small(objectives=("uar", objective)).fit(sparse.csc_array(X), y)
    assert seen == {sparse.csc_array}


@pytest.mark.parametrize("estimator", [GaussianNB(), make_pipeline(StandardScaler(), GaussianNB()),
                                       make_pipeline(MaxAbsScaler(), GaussianNB()), make_pipeline(GaussianNB())],
                         ids=str)
def test_sparse_data_are_refused_where_the_estimator_refuses_them(rng, estimator):
    """With scikit-learn's words."""
    X, y = data(rng)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        small(estimator).fit(sparse.csr_array(X), y)


@pytest.mark.parametrize(("form", "change"), [
    (sparse.csr_array, lambda X: np.zeros_like(X)),
    (sparse.csc_array, lambda X: np.ones_like(X)),
    (np.asarray, lambda X: np.full_like(X, np.nan)),
    (np.asarray, lambda X: np.where(X > 0, 2.0, np.nan)),
    (sparse.csr_array, lambda X: np.where(X > 0, 2.0, np.nan)),
], ids=["zeros", "ones", "missing", "constant", "sparse constant"])
def test_constant_data_are_refused(rng, form, change):
    """Missing values do not count; zeros that are not stored do."""
    X, y = data(rng)
    with pytest.raises(ValueError, match="^X must have a feature with two distinct values"):
        small().fit(form(change(X)), y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_one_cell_that_differs_is_enough(rng, form):
    """A feature that is constant but for one cell, stored or not."""
    _, y = data(rng)
    for value in (0.0, 1.0):
        X = np.full((48, 3), value)
        X[5, 1] = 1.0 - value
        assert small().fit(form(X), y).support_.any()


@pytest.mark.quick("values")
@pytest.mark.parametrize("form", [np.asarray, sparse.csc_array])
@pytest.mark.parametrize("estimator", [None, SklearnTree(), RandomForestClassifier(2)], ids=str)
def test_missing_values_reach_estimators_that_take_them(rng, estimator, form):
    """scikit-learn's tree and forest are evaluated as the compiled ones, also on sparse X. Through transform too."""
    X, y = data(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    selector = small(estimator).fit(form(X), y)
    if form is not np.asarray:
        assert_same(selector, small(estimator).fit(X, y))
    got = selector.transform(form(X))
    assert_array_equal(got.toarray() if sparse.issparse(got) else got, X[:, selector.support_])


def test_evaluate_subsets_takes_sparse_data(rng):
    """The same values as of the dense array."""
    X, y = data(rng)
    X, masks = holes(X, rng), np.eye(9, dtype=bool)
    assert_array_equal(evaluate_subsets(sparse.csr_array(X), y, masks, random_state=0),
                       evaluate_subsets(X, y, masks, random_state=0))


@pytest.mark.parametrize("estimator", [SklearnTree(), BernoulliNB(), HistGradientBoostingClassifier(max_iter=2),
                                       GaussianNB()], ids=str)
def test_tags_are_those_of_the_estimator(estimator):
    """Sparse data and missing values are taken as far as the estimator takes them."""
    got, ref = small(estimator).__sklearn_tags__().input_tags, clone(estimator).__sklearn_tags__().input_tags
    assert (got.sparse, got.allow_nan) == (ref.sparse, ref.allow_nan)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("estimator", "expected"), [
    (make_pipeline(SklearnTree()), True), (make_pipeline(MaxAbsScaler(), SklearnTree()), True),
    (make_pipeline("passthrough", MaxAbsScaler(), GaussianNB()), False),
    (make_pipeline(SimpleImputer(), GaussianNB()), True),
    (make_pipeline(MaxAbsScaler(), make_pipeline(SimpleImputer()), GaussianNB()), True),
    (make_pipeline(PCA(2), SklearnTree()), False), (GridSearchCV(SklearnTree(), {"max_depth": [1, 2]}), True),
    (RandomizedSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1]}, n_iter=1), False)], ids=str)
def test_missing_values_are_taken_where_each_step_takes_them(rng, estimator, expected):
    """Up to one that fills them in, as scikit-learn's own `cross_val_score` finds it; a pipeline's tag does not say."""
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 2
    X[::9, 1] = np.nan
    assert small(estimator).__sklearn_tags__().input_tags.allow_nan == expected
    fitted = clone(estimator)
    if expected:
        fitted.fit(X, y)
        assert small(estimator).fit(X, y).n_features_in_ == 4
    else:
        with pytest.raises(ValueError, match="X must have no missing values for "):
            small(estimator).fit(X, y)


def test_tags_of_the_compiled_tree():
    """It takes both."""
    for estimator in (None, DecisionTreeClassifier()):
        tags = small(estimator).__sklearn_tags__().input_tags
        assert (tags.sparse, tags.allow_nan) == (True, True)


@pytest.mark.parametrize(("estimator", "expected"), [
    (BernoulliNB(), True),
    (GaussianNB(), False),
    (make_pipeline(MaxAbsScaler(), BernoulliNB()), True),
    (make_pipeline(DENSE, GaussianNB()), True),
    (make_pipeline("passthrough", DENSE, GaussianNB()), True),
    (make_pipeline(make_pipeline(DENSE, StandardScaler()), GaussianNB()), True),
    (make_pipeline(StandardScaler(), GaussianNB()), False),
    (make_pipeline("passthrough", GaussianNB()), False),
    (make_pipeline(GaussianNB()), False),
], ids=named)
def test_a_pipeline_that_makes_data_dense_may_try(estimator, expected):
    """Its first step decides, whatever its tag says; the search of a classifier that refuses does not begin."""
    assert takes_sparse(estimator) is expected
