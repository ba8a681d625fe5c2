"""Values with names of features: the order in which they are given does not matter."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from cross_fitted import data, small
from moeliga import Constraints, evaluate_subsets
from moeliga.data.labelled import aligned

NAMES = np.array(["a", "b", "c", "d"])
SHUFFLED = [2, 0, 3, 1]


@pytest.mark.parametrize("make", [lambda labels, values: dict(zip(labels, values, strict=True)),
                                  lambda labels, values: pd.Series(values, index=labels)], ids=["dict", "Series"])
def test_values_go_to_their_features(make):
    values = np.array([1.0, 2.0, 3.0, 4.0])
    assert aligned("costs", make(NAMES[SHUFFLED], values[SHUFFLED]), NAMES) == values.tolist()


@pytest.mark.parametrize("names", [NAMES, None], ids=["names", "no names"])
@pytest.mark.parametrize("values", [[1.0, 2.0], np.arange(4), pd.Series([3, 1, 2]), pd.DataFrame({"a": [1]}), None],
                         ids=lambda values: type(values).__name__)
def test_values_without_labels_stay_as_they_are(values, names):
    """An index of places is none of names."""
    assert aligned("costs", values, names) is values


@pytest.mark.parametrize(("labels", "names", "message"), [
    (["a", "b", "c"], NAMES, "costs must have one entry for each feature of X, got none for 'd'"),
    (["a"], np.array([*"abcdefghijklmn"]), "one entry for each feature of X, got none for 'b', .*, \\.\\.\\.$"),
    (["a", "b", "c", "e"], NAMES, "costs must have features of X as labels, or be an array, got the unknown 'e'"),
    ([2, 0, 3, 1], NAMES, "costs must have features of X as labels, or be an array, got the unknown 2, 0, 3, 1"),
    (["a", "b", "c", "d", "a"], NAMES, "costs must have one entry for each feature of X, got 5 for 4 different labels"),
    (["a", "b", "c", "d"], None, "costs must be an array, as X has no names of features, got a Series with the labels "
     "'a', 'b', 'c', 'd'"),
], ids=str)
def test_labels_that_are_not_those_of_x_are_refused(labels, names, message):
    with pytest.raises(ValueError, match=f"^{message}" if message.startswith("costs") else message):
        aligned("costs", pd.Series(np.ones(len(labels)), index=labels), names)


def test_a_search_takes_labels(rng):
    """Costs, masks and groups by name, as by place."""
    X, y = data(rng)
    names = np.array([f"g{f}" for f in range(X.shape[1])])
    frame, mixed = pd.DataFrame(X, columns=names), rng.permutation(len(names))
    places = np.arange(len(names))
    given = {"costs": 1.0 + places, "must_include": places == 1, "exclude": places == 4, "groups": places // 2}
    wanted = small(honest=None, objectives=("uar", "cost"), constraints=Constraints(**given)).fit(frame, y)
    labelled = {name: pd.Series(values[mixed], index=names[mixed]) for name, values in given.items()}
    found = small(honest=None, objectives=("uar", "cost"), constraints=Constraints(**labelled)).fit(frame, y)
    assert_array_equal(found.pareto_front_.supports, wanted.pareto_front_.supports)
    assert_array_equal(found.pareto_front_.cost, wanted.pareto_front_.cost)
    with pytest.raises(ValueError, match=r"^constraints\.costs must have features of X as labels.* got the unknown 'g"):
        small(honest=None, constraints=Constraints(costs=labelled["costs"])).fit(X, y)


def test_given_subsets_take_labels(rng):
    X, y = data(rng)
    names = [f"g{f}" for f in range(X.shape[1])]
    costs, masks = dict(zip(names, range(1, 1 + len(names)), strict=True)), np.eye(len(names), dtype=bool)
    backwards = dict(reversed(costs.items()))
    found = [evaluate_subsets(pd.DataFrame(X, columns=names), y, masks, objectives=("uar", "cost"),
                              feature_costs=given)[:, 1] for given in (list(costs.values()), costs, backwards)]
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])
    with pytest.raises(ValueError, match="^feature_costs must be an array, as X has no names of features, got a dict"):
        evaluate_subsets(X, y, masks, objectives=("uar", "cost"), feature_costs=costs)
