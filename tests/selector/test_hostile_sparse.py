"""Sparse data of which something is wrong or odd, by every public door: a clear error, or the answer for dense data."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB
from sklearn_objects import data, holes, small

import moeliga
from moeliga import evaluate_subsets, optimism_report, separability, stability_report, write_report

RNG = np.random.default_rng(0)
X, Y = data(RNG)
X = holes(X, RNG)
TARGET = X[:, 0] + Y
N, F = X.shape
EYE = np.eye(F, dtype=bool)


def fitted(model, y=Y):
    return model.fit(X, y)


def found(selector):
    return selector.pareto_front_.objectives


SELECTOR = fitted(small())
TREE, REGRESSION = fitted(moeliga.DecisionTreeClassifier(max_depth=3)), fitted(
    moeliga.DecisionTreeRegressor(max_depth=3), TARGET)
FOREST, TARGETS = fitted(moeliga.RandomForestClassifier(2, random_state=0)), fitted(
    moeliga.ExtraTreesRegressor(2, random_state=0), TARGET)

LEARNING = {
    "selector": lambda X: found(small().fit(X, Y)),
    "selector, target": lambda X: found(small(moeliga.DecisionTreeRegressor(max_depth=3)).fit(X, TARGET)),
    "selector, model": lambda X: found(small(BernoulliNB()).fit(X, Y)),
    "selector, transformed": lambda X: small().fit_transform(X, Y),
    "selector, time": lambda X: small().estimate_time(X, Y).n_evaluations,
    "tree": lambda X: moeliga.DecisionTreeClassifier().fit(X, Y).thresholds_,
    "tree, target": lambda X: moeliga.DecisionTreeRegressor().fit(X, TARGET).values_,
    "forest": lambda X: moeliga.RandomForestClassifier(2, random_state=0).fit(X, Y).feature_importances_,
    "forest, target": lambda X: moeliga.RandomForestRegressor(2, random_state=0).fit(X, TARGET).feature_importances_,
    "extra-trees": lambda X: moeliga.ExtraTreesClassifier(2, random_state=0).fit(X, Y).feature_importances_,
    "subsets": lambda X: evaluate_subsets(X, Y, EYE, random_state=0),
    "subsets, target": lambda X: evaluate_subsets(X, TARGET, EYE, random_state=0,
                                                  estimator=moeliga.DecisionTreeRegressor()),
    "separability": lambda X: separability(X, Y),
    "separability, target": lambda X: separability(X, TARGET, neighbours=0.2),
}
"""Doors that read X with its labels or target, by what they are called here."""

READING = {
    "transform": SELECTOR.transform,
    "pipeline": lambda X: SELECTOR.pipeline(X, Y).predict(sparse.csr_array((2, F))),
    "predict": TREE.predict, "predict_proba": TREE.predict_proba, "apply": TREE.apply,
    "score": lambda X: TREE.score(X, Y),
    "predict, target": REGRESSION.predict, "apply, target": REGRESSION.apply,
    "predict, forest": FOREST.predict, "predict_proba, forest": FOREST.predict_proba,
    "predict, forest, target": TARGETS.predict,
}
"""Doors that read X of what is fitted."""

REFUSING = {
    "selector, folds": lambda X: small(BernoulliNB(), honest=2).fit(X, Y),
    "inverse_transform": SELECTOR.inverse_transform,
    "optimism": lambda given: optimism_report(small(), given, Y, n_permutations=2, random_state=0),
    "optimism, test": lambda given: optimism_report(small(), X, Y, X_test=given, y_test=Y, n_permutations=2,
                                                    random_state=0),
    "stability": lambda given: stability_report(small(), given, Y, n_runs=2, random_state=0),
    "report": lambda given: write_report(SELECTOR, "nowhere/report.html", X=given, y=Y),
    "report, test": lambda given: write_report(SELECTOR, "nowhere/report.html", X=X, y=Y, X_test=given, y_test=Y),
}
"""Doors whose answer is no array; what is wrong they refuse."""

COMPRESSED = [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, lambda X: sparse.bsr_array(X, blocksize=(2, 3))]


def put(name, place, value):
    """What sets one number of a part, in a copy of 64 bits for integers."""
    def change(X):
        array = getattr(X, name).copy()
        array = array if array.dtype.kind == "f" else array.astype(np.int64)
        array[place] = value
        setattr(X, name, array)

    return change


def made(name, by):
    """What replaces a part."""
    return lambda X: setattr(X, name, by(getattr(X, name)))


WRONG = {
    "an index is negative": put("indices", 3, -1),
    "an index is too large": put("indices", 3, 10**8),
    "an index has 64 bits": put("indices", 3, 2**32 + 1),
    "indices are short": made("indices", lambda part: part[:-1]),
    "indices are fractions": made("indices", lambda part: part + 0.5),
    "indices are a list": made("indices", list),
    "there are no indices": made("indices", lambda part: None),
    "pointers fall": put("indptr", 2, 0),
    "a pointer is negative": put("indptr", 1, -1),
    "a pointer has 64 bits": put("indptr", 2, 2**40),
    "pointers begin late": put("indptr", 0, 1),
    "pointers end early": put("indptr", -1, 5),
    "pointers end late": put("indptr", -1, 10**6),
    "pointers are short": made("indptr", lambda part: part[:-1]),
    "there are no pointers": made("indptr", lambda part: None),
    "values are short": made("data", lambda part: part[:-1]),
    "values are long": made("data", lambda part: np.concatenate([part, part])),
    "values have another dimension": made("data", lambda part: part[..., None]),
    "values are one": made("data", lambda part: np.array(1.0)),
    "values are a list": made("data", lambda part: part.tolist()),
    "values are text": made("data", lambda part: part.astype(str)),
    "values are objects": made("data", lambda part: part.astype(object)),
    "values are dates": made("data", lambda part: part.astype("M8[s]")),
    "there are no values": made("data", lambda part: None),
    "there are fewer columns": lambda X: setattr(X, "_shape", (N, 3)),
    "there is one dimension": lambda X: setattr(X, "_shape", (N * F,)),
    "the shape is negative": lambda X: setattr(X, "_shape", (-N, F)),
    "there is no shape": lambda X: setattr(X, "_shape", None),
}
"""What is wrong with CSR, CSC and BSR, and how it comes about."""

OTHERS = {
    "coo": {
        "a row is negative": lambda X: X.row.__setitem__(3, -1),
        "a column is too large": lambda X: X.col.__setitem__(3, 10**8),
        "rows have 64 bits": lambda X: setattr(X, "coords", (X.row.astype(np.int64) + 2**40, X.col)),
        "there are no columns": lambda X: setattr(X, "coords", (X.row,)),
        "columns are fractions": lambda X: setattr(X, "coords", (X.row, X.col + 0.5)),
        "values are short": made("data", lambda part: part[:-1]),
    },
    "lil": {
        "a column is negative": lambda X: X.rows[0].__setitem__(0, -1),
        "a column is too large": lambda X: X.rows[0].__setitem__(0, 10**8),
        "a column is larger than any": lambda X: X.rows[0].__setitem__(0, 2**70),
        "a column is a fraction": lambda X: X.rows[0].__setitem__(0, 0.5),
        "a column is text": lambda X: X.rows[0].__setitem__(0, "a"),
        "a row is nothing": lambda X: X.rows.__setitem__(0, None),
        "a row holds lists": lambda X: X.rows[0].__setitem__(0, [1, 2]),
        "a value is text": lambda X: X.data[0].__setitem__(0, "a"),
        "rows are short": made("rows", lambda part: part[:-1]),
        "rows and values are short": lambda X: (made("rows", lambda part: part[:-1])(X),
                                                made("data", lambda part: part[:-1])(X)),
    },
    "dia": {
        "diagonals are far away": made("offsets", lambda part: part + 10**8),
        "diagonals have 64 bits": made("offsets", lambda part: part.astype(np.int64) + 2**40),
        "diagonals are too few": made("offsets", lambda part: part[:-1]),
        "diagonals are fractions": made("offsets", lambda part: part + 0.5),
        "values are too few": made("data", lambda part: part[:-1]),
        "values have one dimension": made("data", lambda part: part[0]),
        "there are no values": made("data", lambda part: None),
    },
    "dok": {
        "a row is negative": lambda X: X._dict.__setitem__((-1, 0), 1.0),
        "a column is too large": lambda X: X._dict.__setitem__((0, 10**8), 1.0),
        "a column is larger than any": lambda X: X._dict.__setitem__((0, 2**70), 1.0),
        "a cell has one place": lambda X: X._dict.__setitem__((3,), 1.0),
        "a cell is a number": lambda X: X._dict.__setitem__(3, 1.0),
        "a cell is a fraction": lambda X: X._dict.__setitem__((0.5, 0.5), 1.0),
        "a value is text": lambda X: X._dict.__setitem__((1, 1), "a"),
    },
}
"""What is wrong with other formats."""

DOORS = LEARNING | READING | REFUSING
EVERY_COMPRESSED = pytest.mark.parametrize("form", COMPRESSED, ids=["csr", "csc", "csr matrix", "bsr"])


@pytest.mark.quick(20)
@pytest.mark.parametrize("fault", WRONG)
@EVERY_COMPRESSED
def test_compressed_data_that_are_not_sound_are_refused(form, fault):
    """Whatever is wrong, by every door: much of it would be read, or written, far outside of memory."""
    given = form(X)
    WRONG[fault](given)
    assert_refused(given)


@pytest.mark.quick(12)
@pytest.mark.parametrize(("form", "fault"), [(form, fault) for form in OTHERS for fault in OTHERS[form]])
def test_other_formats_that_are_not_sound_are_refused(form, fault):
    """Coordinates, lists, diagonals and dictionaries, too."""
    given = getattr(sparse, f"{form}_array")(X)
    if form == "dok" and not hasattr(given, "_dict"):
        pytest.skip("a dictionary by inheritance")
    OTHERS[form][fault](given)
    assert_refused(given)


def assert_refused(given):
    """Fail unless every door has an error that names X."""
    for door, call in DOORS.items():
        with pytest.raises(ValueError, match=r"^X(_test)?(\.[a-z]+)? must "):
            pytest.fail(f"{door} has taken it and given {call(given)}")


def reversed_rows(X):
    """Indices and values of each row or column in falling order, and said to be sorted."""
    order = np.concatenate([np.arange(low, high)[::-1] for low, high in pairwise(X.indptr)])
    X.indices, X.data = X.indices[order], X.data[order]
    X.has_sorted_indices = X.has_canonical_format = True


def typed(indices, pointers):
    """What gives indices and pointers these types."""
    def change(X):
        X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(pointers)

    return change


ODD = {
    "64 bits": typed(np.int64, np.int64), "64 and 32 bits": typed(np.int64, np.int32),
    "32 and 64 bits": typed(np.int32, np.int64), "8 and 16 bits": typed(np.int8, np.int16),
    "no signs": typed(np.uint64, np.uint32), "another byte order": typed(">i4", ">i8"),
    "strides": lambda X: (made("indices", lambda part: np.repeat(part, 2)[::2])(X),
                          made("data", lambda part: np.repeat(part, 2, axis=0)[::2])(X)),
    "numbers of another byte order": made("data", lambda part: part.astype(">f8")),
    "order": reversed_rows,
}
"""What is odd, and no fault."""


@cache
def of_dense(door):
    """The answer of a door for the dense array."""
    return DOORS[door](X)


@pytest.mark.slow
@pytest.mark.parametrize("oddity", ODD)
@EVERY_COMPRESSED
def test_odd_data_are_what_they_stand_for(form, oddity):
    """Types of indices, their order, and bytes that lie apart change no answer, by any door."""
    given = form(X)
    ODD[oddity](given)
    for door in LEARNING | READING:
        got = DOORS[door](given)
        assert_array_equal(got.toarray() if sparse.issparse(got) else got, of_dense(door), err_msg=door)


@pytest.mark.quick(1)
@pytest.mark.parametrize("values", [
    lambda part: np.where(np.arange(part.size).reshape(part.shape) % 7 == 0, np.nan, part),
    lambda part: part.astype(np.float16), lambda part: part.astype(np.longdouble),
    lambda part: (2 * part).astype(np.int64), lambda part: part > 0,
], ids=["missing", "half", "long", "integers", "booleans"])
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.dia_array])
def test_odd_values_are_what_they_stand_for(form, values):
    """Missing ones, and numbers of other types, as in the dense array."""
    given = form(X)
    given.data = values(given.data)
    dense = (given.astype(np.float32) if given.dtype == np.float16 else given).toarray()
    models = ("selector, model", "pipeline")  # which take no missing values
    for door in LEARNING | READING:
        if door not in models or not np.isnan(dense.astype(float)).any():
            got, ref = DOORS[door](given), DOORS[door](dense)
            assert_array_equal(got.toarray() if sparse.issparse(got) else got, ref, err_msg=door)
