"""Data that a selector refuses, and those that look like it: each message says what is wrong, and what to do."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from small_selectors import data, small

import moeliga
from moeliga import Islands, MOELIGASelector


@pytest.mark.parametrize("sparse", [False, True])
def test_missing_values_are_the_matter_of_the_model(rng, sparse):
    """The message names it and the columns."""
    X, y = data(rng)
    X[3, 1] = X[4, 1] = X[0, 8] = np.nan
    names = "x1, x8"
    if sparse:
        X = csr_array(X)
    else:
        pd = pytest.importorskip("pandas")
        X, names = pd.DataFrame(X, columns=list("abcdefghi")), "'b', 'i'"
    for given, shown in ((LogisticRegression(), "LogisticRegression()"), (
            make_pipeline(MaxAbsScaler(), LogisticRegression()),
            "Pipeline(steps=[('maxabsscaler', MaxAbsScaler()), ('logisticregression', LogisticRegression())])")):
        with pytest.raises(ValueError) as caught:
            small(estimator=given).fit(X, y)
        assert str(caught.value) == (
            f"X must have no missing values for {shown}, got NaN in 2 columns ({names}): impute them, as "
            "make_pipeline(SimpleImputer(), ...) does, or pass a model that takes NaN, as the default ones do")
    assert small().fit(X, y).n_evaluations_ > 0


@pytest.mark.filterwarnings("ignore:The number of unique classes")
@pytest.mark.parametrize(("change", "error", "message"), [
    (lambda X, y: (X, np.zeros(40)), ValueError, "^y must have at least 2 classes, got 1 class: 0.0$"),
    (lambda X, y: (X, ["a"] * 40), ValueError, "^y must have at least 2 classes, got 1 class: 'a'$"),
    (lambda X, y: (X, np.arange(40).astype(str)), ValueError,
     "^y must have a class with at least 2 samples, got 40 classes of 1 sample$"),
    (lambda X, y: (np.ones((40, 3)), y), ValueError,
     "^X must have a feature with two distinct values, all features are constant$"),
    (lambda X, y: (np.full((40, 3), np.nan), y), ValueError,
     "^X must have a feature with two distinct values, all features are constant$"),
    (lambda X, y: (X[:0], y[:0]), ValueError, "0 sample"),
    (lambda X, y: (X[:1], y[:1]), ValueError, "1 sample"),
    (lambda X, y: (X[:, :0], y), ValueError, "0 feature"),
    (lambda X, y: (np.where(X > 1, np.inf, X), y), ValueError,
     r"^X must hold no infinity, got it in 9 columns \(x0, x1, x2, x3, x4, x5, x6, x7, x8\)$"),
    (lambda X, y: (X[:, 0], y), ValueError, "^X must be a table of numbers: Expected 2D array"),
    (lambda X, y: (y, X), ValueError,
     r"^X must be a table and y its labels, got X of shape \(40,\) and y of shape \(40, 9\): X comes first$"),
    (lambda X, y: (X[None], y), ValueError, "dim 3"),
    (lambda X, y: (X, y[:-1]), ValueError, "inconsistent numbers of samples"),
    (lambda X, y: (X, None), ValueError, "requires y"),
    (lambda X, y: (X, np.stack([y, y], axis=1)), ValueError, "1d array"),
    (lambda X, y: (X, X[:, 0]), ValueError, r"^y must hold class labels, got numbers such as -?\d"),
    (lambda X, y: (X, np.where(y, np.nan, 1.0)), ValueError, "^y must have no missing values, got nan at position "),
    (lambda X, y: (X + 1j, y), ValueError, "Complex data"),
    (lambda X, y: (np.full((40, 3), "red"), y), ValueError, "^X must be a table of numbers: could not convert string"),
], ids=["one class", "one string class", "only single samples", "constant", "all missing", "no rows", "one row",
        "no columns", "infinity", "1-d", "swapped", "3-d", "lengths", "no y", "2-d y", "continuous y", "NaN in y",
        "complex", "text"])
def test_bad_data_are_refused(rng, change, error, message):
    """Data that cannot be searched raise before the search, with a reason."""
    with pytest.raises(error, match=message):
        small().fit(*change(*data(rng)))


def test_a_frame_with_text_columns_is_refused(rng):
    """Columns must be numbers; nothing is coded behind the user's back."""
    pd = pytest.importorskip("pandas")
    X, y = data(rng)
    frame = pd.DataFrame(X).assign(colour=["red"] * len(X))
    frame.columns = frame.columns.astype(str)
    with pytest.raises(ValueError, match=r"^X must hold numbers, but 1 column does not: 'colour' \((str|object), 'red' "
                       "in row 0\\); drop them"):
        small().fit(frame, y)


def test_transform_refuses_another_number_of_features(rng):
    """X must be as wide as at fit."""
    X, y = data(rng)
    with pytest.raises(ValueError, match="8 features"):
        small().fit(X, y).transform(X[:, :8])


def test_numbers_like_a_continuous_target_are_no_classes():
    """Whole numbers too; the message says what to pass instead."""
    X, y = load_diabetes(return_X_y=True)
    ways = {5: "a regressor as estimator, such as moeliga.RandomForestRegressor() or one of scikit-learn",
            None: "moeliga.DecisionTreeRegressor() as estimator, or regressors as the judges of islands"}
    for honest, way in ways.items():
        selector = MOELIGASelector(honest=honest, population_size=4, n_generations=1, random_state=0)
        for target in (y, y.astype(int)):
            message = ("y must hold class labels, got 214 distinct numbers for 442 samples, 84 of them once: for a "
                       f"continuous target pass {way}; for classes pass text, as y.astype(str)")
            with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                selector.fit(X, target)
    judged = clone(selector).set_params(islands=Islands(judges=[Ridge()]))
    for told in (selector.set_params(estimator=moeliga.DecisionTreeRegressor()), judged):  # what the last message says
        assert told.fit(X, y).pareto_front_.names[0] == "r2"


@pytest.mark.filterwarnings("ignore:The number of unique classes", "ignore:y has")
@pytest.mark.parametrize("y", [
    np.arange(60) // 2,  # pairs, as with two pictures of each person
    np.r_[np.arange(20), np.zeros(40)],  # few classes, most of them of one sample
    np.r_[np.arange(25), np.repeat(np.arange(5), 7)].astype(str),  # names are names
    [f"{label}" for label in range(59)] + ["0"],
], ids=["pairs", "few", "text of numbers", "text"])
def test_labels_of_many_classes_are_classes(rng, y):
    assert len(small(n_generations=0).fit(rng.normal(size=(60, 4)), y).classes_) == len(set(np.asarray(y).tolist()))
