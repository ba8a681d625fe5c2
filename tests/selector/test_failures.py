"""What a fit that fails leaves: the result of the one before, or nothing."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from cross_fitted import data, small


def raises(front):
    raise ZeroDivisionError("mine")


def broken(state):
    raise ZeroDivisionError("mine")


def table(X, names):
    return pd.DataFrame(X, columns=list(names))


@pytest.mark.quick(1)
@pytest.mark.parametrize("parameters", [{"population_size": 0}, {"callbacks": broken}, {"scoring": "none"}], ids=list)
def test_a_fit_that_fails_leaves_the_one_before(rng, parameters):
    """Other columns have another meaning: nothing of the new ones stays."""
    X, y = data(rng)
    before = table(X, "abcdefghi")
    selector = small().fit(before, y)
    found, text = selector.transform(before), repr(selector.summary())
    other = table(X[:, ::-1][:, :5], "ihgfe")
    with pytest.raises((ValueError, ZeroDivisionError)):
        selector.set_params(**parameters).fit(other, y)
    selector.set_params(**{name: small().get_params()[name] for name in parameters})
    assert_array_equal(selector.transform(before), found)
    assert selector.feature_names_in_.tolist() == list("abcdefghi")
    assert repr(selector.summary()) == text
    with pytest.raises(ValueError, match="feature names"):
        selector.transform(other)


def test_a_refused_checkpoint_leaves_the_result(rng, tmp_path):
    """The file is of other data."""
    X, y = data(rng)
    before, other = table(X, "abcdefghi"), table(X[:, ::-1], "ihgfedcba")
    selector = small(checkpoint=tmp_path / "search.npz").fit(before, y)
    found = selector.transform(before)
    with pytest.raises(ValueError, match="other"):
        selector.fit(other, y)
    assert_array_equal(selector.transform(before), found)


def test_a_first_fit_that_fails_leaves_nothing(rng):
    selector = small(callbacks=broken)
    with pytest.raises(ZeroDivisionError):
        selector.fit(*data(rng))
    assert not [name for name in vars(selector) if name.endswith("_") and not name.startswith("_")]
    with pytest.raises(NotFittedError):
        selector.transform(data(rng)[0])


def test_a_rule_that_fails_leaves_the_front(rng):
    """A search may have taken hours: the choice is made again, from what the new data gave."""
    X, y = data(rng)
    selector = small().fit(X, y)
    with pytest.raises(ZeroDivisionError):
        selector.set_params(rule=raises).fit(X[:, :5], y)
    check_is_fitted(selector, "pareto_front_")
    assert selector.pareto_front_.n_features == selector.n_features_in_ == 5
    for what in (lambda: selector.transform(X[:, :5]), selector.summary, lambda: selector.pipeline(X[:, :5], y),
                 lambda: selector.feature_frequency_):
        with pytest.raises(NotFittedError):
            what()
    assert not hasattr(selector, "honest_score_")  # that was of the fit before
    selector.select("best")
    assert selector.transform(X[:, :5]).shape == (48, selector.pareto_front_.n_selected[selector.index_])
    assert_array_equal(pickle.loads(pickle.dumps(selector.set_params(rule="best"))).support_, selector.support_)


def test_names_of_a_front_are_its_own(rng):
    """Nobody changes those of the selector through it."""
    X, y = data(rng)
    selector = small().fit(table(X, "abcdefghi"), y)
    names = selector.pareto_front_.feature_names
    with pytest.raises(ValueError, match="read-only"):
        names[0] = "z"
    selector.feature_names_in_[0] = "z"
    assert names.tolist() == np.array(list("abcdefghi")).tolist()
