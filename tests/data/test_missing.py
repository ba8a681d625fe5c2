"""Columns that nobody reads may hold anything, and those that hold what is no number are named."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csc_array, csr_array
from sklearn.naive_bayes import GaussianNB

from cross_fitted import data, small
from moeliga import Constraints
from moeliga.data import missing

FORMS = {"NumPy": np.asarray, "pandas": lambda X: pd.DataFrame(X, columns=[f"g{f}" for f in range(X.shape[1])]),
         "CSR": csr_array, "CSC": csc_array}


def without_honesty(form, **parameters):
    """A selector whose guide takes missing values, and sparse data, or a naive Bayes that does not."""
    model = None if form in ("CSR", "CSC") else GaussianNB()
    return small(None, honest=None, islands=None, **parameters) if model is None else small(model, **parameters)


@pytest.mark.quick(2)
@pytest.mark.parametrize("form", FORMS)
def test_columns_that_are_left_out_may_hold_anything(rng, form):
    """The search is that of zeros there, and what the user has given stays as it is."""
    X, y = data(rng)
    X, zeros = X.copy(), X.copy()
    X[::3, 2], X[::4, 5], X[0, 5] = np.nan, np.inf, -np.inf
    zeros[::3, 2], zeros[::4, 5] = 0, 0
    given = FORMS[form](X)
    before = given.copy()
    constraints = Constraints(exclude=["g2", "g5"] if form == "pandas" else [2, 5])
    found = without_honesty(form, constraints=constraints).fit(given, y)
    wanted = without_honesty(form, constraints=constraints).fit(FORMS[form](zeros), y)
    assert_array_equal(found.pareto_front_.supports, wanted.pareto_front_.supports)
    assert_array_equal(found.pareto_front_.objectives, wanted.pareto_front_.objectives)
    both = [part.toarray() if form in ("CSR", "CSC") else np.asarray(part) for part in (given, before)]
    assert_array_equal(*both)


@pytest.mark.parametrize("form", FORMS)
def test_columns_with_infinity_are_named(rng, form):
    X, y = data(rng)
    X = np.where(np.arange(X.shape[1]) == 4, np.inf, X)
    name = "'g4'" if form == "pandas" else "x4"
    with pytest.raises(ValueError, match=rf"^X must hold no infinity, got it in 1 column \({name}\)$"):
        without_honesty(form, constraints=Constraints(exclude=[2])).fit(FORMS[form](X), y)


@pytest.mark.parametrize("n_bytes", [1, 100, 1 << 24])
def test_columns_are_looked_at_some_at_a_time(rng, monkeypatch, n_bytes):
    monkeypatch.setattr(missing, "BLOCK_BYTES", n_bytes)
    X = np.where(rng.random((30, 20)) < 0.02, np.nan, 1.0)
    assert_array_equal(missing.columns_with(np.isnan, X), np.flatnonzero(np.isnan(X).any(axis=0)))
    assert_array_equal(missing.columns_with(np.isnan, csr_array(X)), np.flatnonzero(np.isnan(X).any(axis=0)))


@pytest.mark.filterwarnings("error")
def test_numbers_whose_sum_is_infinite_are_finite(rng):
    X, y = data(rng)
    small(honest=None, islands=None).fit(np.where(np.arange(X.shape[1]) < 2, 1.5e308 * np.sign(X), X), y)


@pytest.mark.quick(4)
@pytest.mark.parametrize("output", ["default", "pandas"])
@pytest.mark.parametrize("form", FORMS)
def test_transform_reads_no_column_that_is_left_out(rng, form, output):
    """It may hold NaN, infinity and, with a name, text."""
    X, y = data(rng)
    sparse = form in ("CSR", "CSC")
    selector = without_honesty(form, constraints=Constraints(exclude=[2, 5])).fit(FORMS[form](X), y)
    if not sparse:
        selector.set_output(transform=output)
    odd = X.copy()
    odd[:, 2], odd[::2, 5] = np.nan, np.inf
    odd = FORMS[form](odd)
    odd = odd.assign(g2="text") if form == "pandas" else odd
    found = selector.transform(odd)
    assert_array_equal(found.toarray() if sparse else np.asarray(found, dtype=float), X[:, selector.support_])


@pytest.mark.parametrize("form", FORMS)
def test_transform_looks_at_all_other_columns(rng, form):
    """Selected or not, as scikit-learn's own selectors do."""
    X, y = data(rng)
    selector = without_honesty(form, constraints=Constraints(exclude=[2, 5])).fit(FORMS[form](X), y)
    for chosen in (True, False):
        odd = X.copy()
        odd[1, np.setdiff1d(np.flatnonzero(selector.support_ == chosen), [2, 5])[0]] = np.inf
        with pytest.raises(ValueError, match="infinity"):
            selector.transform(FORMS[form](odd))


@pytest.mark.quick(3)
@pytest.mark.parametrize("dtype", [object, np.float32, int, bool, "U5"])
def test_transform_takes_arrays_of_every_type_without_a_column(rng, dtype):
    """Of objects what is left out may be text and NaN."""
    X, y = data(rng)
    selector = without_honesty("NumPy", constraints=Constraints(exclude=[2, 5])).fit(X, y)
    given = np.round(10 * X).astype(dtype)
    if dtype is object:
        given[0, 2], given[1, 5] = "text", np.nan
    found = selector.transform(given)
    assert_array_equal(found, given[:, selector.support_])
    assert found.dtype == given.dtype
