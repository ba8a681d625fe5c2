"""Scores on fresh splits and of samples held out, by scikit-learn."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.metrics import accuracy_score, get_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import ExtraTreeClassifier

from cross_fitted import data, small
from moeliga.evaluation.held_out import fitted_scores, fresh_scores, held_out_scores

MASKS = np.array([[1, 1, 0, 0], [0, 1, 1, 0]], dtype=bool)


def test_scores_are_those_of_scikit_learn_with_weights_and_a_seed(rng):
    """The estimator's own seed is none."""
    X, y = rng.normal(size=(60, 4)), rng.integers(2, size=60)
    weights = np.maximum(rng.random(60) - 0.5, 0)
    found = fitted_scores(ExtraTreeClassifier(), MASKS, X, y, X, y, [get_scorer("accuracy")], 7,
                          {"sample_weight": weights})
    for mask, score in zip(MASKS, found, strict=True):
        model = ExtraTreeClassifier(random_state=7).fit(X[:, mask], y, sample_weight=weights)
        assert score == [accuracy_score(y, model.predict(X[:, mask]))]


def test_text_is_refused_in_a_column_that_any_subset_has(rng):
    """In others it is not read."""
    pd = pytest.importorskip("pandas")
    table, y = pd.DataFrame(rng.normal(size=(20, 4)), columns=list("abcd")), np.arange(20) % 2
    for name in "dca":
        given = table.assign(**{name: "text"})
        if name == "d":
            fitted_scores(GaussianNB(), MASKS, given, y, given, y, [get_scorer("accuracy")], 0, {})
            continue
        with pytest.raises(ValueError, match=f"^X must hold numbers, but 1 column does not: '{name}'"):
            fitted_scores(GaussianNB(), MASKS, given, y, given, y, [get_scorer("accuracy")], 0, {})


def test_scores_of_a_front_are_the_selector_s(rng):
    """By its own `scoring`."""
    X, y = rng.normal(size=(30, 4)), np.repeat([0, 1, 0], 10)
    selector = SimpleNamespace(random_state=0, deployed=GaussianNB, scoring="accuracy",
                               pareto_front_=SimpleNamespace(supports=MASKS))
    expected = [GaussianNB().fit(X[:, mask], y).score(X[:, mask], y) for mask in MASKS]
    assert_array_equal(held_out_scores(selector, X, y, X, y), expected)


def test_fresh_splits_are_the_same_for_all_subsets(rng):
    """And different ones for other seeds."""
    X, y = data(rng)
    one, other = (fresh_scores(small(), X, y, np.ones((2, 9), dtype=bool), 0.3, 9, seed) for seed in (1, 2))
    assert_array_equal(one[0], one[1])
    assert not np.array_equal(one, other)
