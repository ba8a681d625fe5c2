"""What is pickled is read by the version that wrote it, and by no other."""

import copy
import pickle

import numpy as np
import pytest

from cross_fitted import assert_same_fit, assert_same_front, data, small
from moeliga import MOELIGASelector, RandomForestClassifier
from moeliga.base import versions


@pytest.fixture(scope="module")
def fitted():
    return small(RandomForestClassifier(n_estimators=3)).fit(*data(np.random.default_rng(0)))


def test_a_pickle_of_this_version_is_the_same(fitted):
    """A copy is the same, too; an unpickled selector chooses and predicts as before."""
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), copy.copy(fitted)):
        assert_same_fit(other, fitted)
        assert vars(other).keys() == vars(fitted).keys()
        assert other.assess("best") == fitted.assess("best")
    assert_same_front(pickle.loads(pickle.dumps(fitted.pareto_front_)), fitted.pareto_front_)


@pytest.mark.parametrize("name", ["MOELIGASelector", "ParetoFront", "RandomForestClassifier"])
def test_a_pickle_of_another_version_is_refused(monkeypatch, fitted, name):
    """The error names both versions, however deep the object is."""
    X, y = data(np.random.default_rng(0))
    made = {"MOELIGASelector": MOELIGASelector(), "ParetoFront": fitted.pareto_front_,
            "RandomForestClassifier": RandomForestClassifier(n_estimators=2).fit(X, y)}[name]
    own = versions.own_version()
    with monkeypatch.context() as patch:
        patch.setattr(versions, "own_version", lambda: "9.8.7")
        forged = pickle.dumps({"kept": [made]})
    with pytest.raises(ValueError, match=f"^a pickled {name} must be of moeliga {own}.* got one of 9.8.7"):
        pickle.loads(forged)


def test_a_pickle_without_a_version_is_refused(fitted):
    """Early versions did not write their version."""
    state = vars(fitted)
    with pytest.raises(ValueError, match="got one of an unknown version"):
        MOELIGASelector().__setstate__(state)
