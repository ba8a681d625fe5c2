"""The space of allowed subsets: groups, features always or never in, sizes."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from moeliga._ext import bits
from moeliga.data.feature_space import (
    build_space,
    check_costs,
    fitting_groups,
    group_labels,
    initial_masks,
)
from moeliga.data.subsets import Subsets
from moeliga.parameters.constraints import Constraints

NAMES = np.array(list("abcdef"))


def space(max_features=None, **constraints):
    """Return the space of six features with these constraints."""
    return build_space(6, NAMES, Constraints(**constraints), max_features)


def allowed(built):
    """All subsets of features that a space allows, found by trying every chromosome."""
    everything = np.array(list(itertools.product([0, 1], repeat=built.n_groups)), dtype=np.uint8)
    packed = bits.pack(everything)
    weight = everything @ built.weights
    fits = (weight >= built.least) & (weight <= built.most)
    return {tuple(mask) for mask in built.masks(built.chromosomes(packed[fits]))}


def wanted(groups=(), always=(), never=(), least=1, most=6):
    """All subsets of six features that follow the rules, found by trying every mask."""
    found = set()
    for mask in itertools.product([False, True], repeat=6):
        whole = all(len({mask[f] for f in group}) == 1 for group in groups)
        if whole and all(mask[f] for f in always) and not any(mask[f] for f in never) and least <= sum(mask) <= most:
            found.add(mask)
    return found


@pytest.mark.parametrize(("structure", "rules"), [
    ({}, {}),
    ({"groups": [[0, 2], ["d", "e"]]}, {"groups": [[0, 2], [3, 4]]}),
    ({"groups": {"one": [4, 1], "two": ["f", "a"]}}, {"groups": [[4, 1], [5, 0]]}),
    ({"groups": ["p", "q", "p", None, "q", "q"]}, {"groups": [[0, 2], [1, 4, 5]]}),
    ({"groups": [7, 7.5, 7, np.nan, np.nan, 7.5]}, {"groups": [[0, 2], [1, 5]]}),
    ({"groups": np.array(["p", "q", "p", "r", "q", "q"])}, {"groups": [[0, 2], [1, 4, 5]]}),
    ({"must_include": ["b"]}, {"always": [1]}),
    ({"must_include": [1], "groups": [[1, 4]]}, {"always": [1, 4]}),
    ({"exclude": [0, 5]}, {"never": [0, 5]}),
    ({"exclude": np.array([True, False, False, False, True, False])}, {"never": [0, 4]}),
    ({"exclude": [4], "groups": [[1, 4, 2]]}, {"never": [4], "groups": [[1, 2]]}),
    ({"exclude": [4], "must_include": [2], "groups": [[1, 4, 2]]}, {"never": [4], "always": [1, 2]}),
    ({"min_features": 3}, {"least": 3}),
    ({"max_features": 2}, {"most": 2}),
    ({"min_features": 6}, {"least": 6}),
    ({"min_features": 2, "max_features": 3, "must_include": ["a"]}, {"least": 2, "most": 3, "always": [0]}),
    ({"min_features": 4, "max_features": 5, "groups": [[0, 1], [2, 3, 4]]},
     {"least": 4, "most": 5, "groups": [[0, 1], [2, 3, 4]]}),
    ({"must_include": [], "exclude": []}, {}),
], ids=str)
def test_a_space_is_exactly_what_its_rules_allow(structure, rules):
    """By brute force over all masks; the witness is allowed too."""
    built = space(**structure)
    assert allowed(built) == wanted(**rules)
    witness = built.masks(built.chromosomes(bits.pack(built.witness[None].view(np.uint8))))[0]
    assert tuple(witness) in wanted(**rules)


def test_sizes_and_ratios_count_all_features():
    """Forced features and whole groups."""
    built = space(must_include=[5], groups=[[0, 1], [2, 3]])
    given = built.chromosomes(bits.pack(np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 1]], dtype=np.uint8)))
    assert built.sizes(given).tolist() == [1, 3, 4, 6]
    assert built.ratios(given).tolist() == [5 / 6, 3 / 6, 2 / 6, 0]


def test_subsets_of_a_template(rng):
    """Short chromosomes over some of the groups stand for the features of these."""
    for structure in ({}, {"exclude": [1]}, {"must_include": [1]}, {"groups": [[0, 2], [3, 4]]}):
        built = space(**structure)
        positions = np.array([0, 2], dtype=np.int32)
        found = built.subsets(Subsets(bits.pack(np.array([[0, 1], [1, 1]], dtype=np.uint8)), positions))
        got = bits.unpack(bits.lift(found.bits, found.positions, 6), 6)
        assert_array_equal(found.masks(6), got)
        short = np.zeros((2, built.n_groups), dtype=np.uint8)
        short[:, positions] = [[0, 1], [1, 1]]
        assert_array_equal(got, built.masks(built.chromosomes(bits.pack(short))))


def test_limits_are_none_where_only_the_empty_subset_is_ruled_out():
    """Then the kernels need none."""
    assert space().limits(np.arange(6, dtype=np.int32)) is None
    assert space(exclude=[2]).limits(np.arange(5, dtype=np.int32)) is None
    built = space(max_features=3)
    assert built.limits(np.array([1, 4], dtype=np.int32)) is None  # a template is small enough as it is
    assert built.limits(built.positions)[:2] == (1, 3)
    assert space(must_include=[2]).limits(np.arange(5, dtype=np.int32))[:2] == (0, 5)


def test_limits_of_a_template_of_groups_have_it_as_their_witness():
    """All of its groups together are allowed, as it was."""
    built = space(groups=[[0, 1], [2, 3]], min_features=3)
    limits = built.limits(np.array([0, 1], dtype=np.int32))
    assert (limits.least, limits.most, limits.weights.tolist(), limits.witness.tolist()) == (3, 4, [2, 2], [3])


@pytest.mark.parametrize("structure", [{"max_features": 3}, {"min_features": 3, "max_features": 4}], ids=str)
def test_limits_of_all_groups_have_a_witness_that_they_allow(structure):
    """Not all groups together, which are too large."""
    built = space(groups=[[0, 1], [2, 3, 4]], **structure)
    limits = built.limits(built.positions)
    assert limits.weights.tolist() == [2, 3, 1]
    chosen = bits.unpack(limits.witness[None], 3)[0]
    assert limits.least <= limits.weights[chosen].sum() <= limits.most


@pytest.mark.parametrize("groups", [[[5, 2], [4, 1, 1]], {"b": [5, 2], "a": [4, 1]}, ["x", "y", "z", None, "y", "z"]])
def test_a_group_is_labelled_by_its_first_feature(groups):
    """Whatever the order in which it is given."""
    assert group_labels(groups, 6, NAMES).tolist() == [0, 1, 2, 3, 1, 2]


def test_fitting_groups_equals_brute_force(rng):
    """Found exactly where there is a way, and what is found fits."""
    for _ in range(300):
        weights = rng.integers(1, 9, size=rng.integers(1, 8))
        least = int(rng.integers(1, 20))
        most = least + int(rng.integers(0, 3))
        sums = {int(weights[np.array(chosen)].sum()) for chosen in
                itertools.product([False, True], repeat=len(weights))}
        got = fitting_groups(weights, least, most)
        assert (got is not None) == any(least <= total <= most for total in sums)
        assert got is None or least <= weights[got].sum() <= most


@pytest.mark.parametrize(("structure", "error", "message"), [
    ({"must_include": ["z"]}, ValueError, "constraints.must_include must name features of X, got the unknown name 'z'"),
    ({"exclude": [6]}, ValueError, "constraints.exclude must hold indices in [0, 6), got [6]"),
    ({"must_include": ["b"], "exclude": [1]}, ValueError,
     "constraints.must_include and constraints.exclude must not share a feature, got 'b'"),
    ({"exclude": range(6)}, ValueError, "must leave features to choose from, got 0 and 6 of 6"),
    ({"must_include": range(4), "exclude": [4, 5]}, ValueError, "must leave features to choose from, got 4 and 2 of 6"),
    ({"groups": [[0, 1], [1, 2]]}, ValueError,
     "constraints.groups[1] must not share features with another group, got [1, 2]"),
    ({"groups": {"one": [0, 1], "two": ["b"]}}, ValueError,
     "constraints.groups['two'] must not share features with another group, got ['b']"),
    ({"groups": [[0, 1], []]}, ValueError, "constraints.groups[1] must not be empty, got []"),
    ({"groups": ["p", "q"]}, ValueError, "constraints.groups must be 6 labels, one for each feature, or subsets"),
    ({"groups": ["p", "q", [1], "p", "p", "p"]}, ValueError, "constraints.groups must be 6 labels"),
    ({"groups": 3}, TypeError, "constraints.groups must be a sequence of labels or of subsets, got 3"),
    ({"groups": "abcdef"}, TypeError,
     "constraints.groups must be a sequence of labels or of subsets, got 'abcdef'"),
    ({"min_features": 0}, ValueError, "constraints.min_features must be in [1, 6], got 0"),
    ({"min_features": 1.5}, TypeError, "constraints.min_features must be an integer, got 1.5"),
    ({"max_features": 7}, ValueError, "max_features must be in [1, 6], got 7"),
    ({"min_features": 4, "max_features": 3}, ValueError, "max_features must be >= constraints.min_features=4, got 3"),
    ({"must_include": [0, 1], "max_features": 2}, ValueError, "max_features must be > 2, the number of features of"),
    ({"exclude": [0, 1, 2], "min_features": 4}, ValueError,
     "constraints.min_features must be <= 3, the features that constraints.exclude leaves, got 4"),
    ({"groups": [[0, 1, 2], [3, 4, 5]], "min_features": 4, "max_features": 5}, ValueError,
     "constraints.groups must allow a subset of 4 to 5 features (constraints.min_features to max_features), got "
     "groups of [3] features"),
    ({"groups": [[0, 1, 2], [3, 4, 5]], "max_features": 2}, ValueError,
     "constraints.groups must allow a subset of 1 to 2 features (constraints.min_features to max_features), got "
     "groups of [3] features"),
], ids=str)
def test_contradictions_are_errors(structure, error, message):
    """The message names the argument, the rule and the value."""
    with pytest.raises(error) as caught:
        space(**structure)
    assert message in str(caught.value)


def test_group_labels_number_groups_by_their_first_features():
    """None and NaN stand alone, each by itself."""
    assert group_labels(["q", None, "p", "q", None, "p"], 6, NAMES).tolist() == [0, 1, 2, 0, 4, 2]


def test_a_given_subset_becomes_groups():
    """Forced features may be left out."""
    built = space(must_include=["a"], groups=[["c", "d"]])
    for mask in ([1, 0, 1, 1, 0, 0], [0, 0, 1, 1, 0, 0]):
        assert built.groups_of("it", np.array(mask, dtype=bool)).tolist() == [False, True, False, False]


@pytest.mark.parametrize(("mask", "message"), [
    ([0, 1, 0, 0, 0, 0], "it must not hold features of constraints.exclude, got feature 1"),
    ([0, 0, 1, 0, 0, 0], "it must hold all features of a group or none, got 1 of the group [2, 3]"),
    ([1, 0, 0, 0, 0, 0], "it must have 2 to 4 features, those of constraints.must_include counted, got 1"),
    ([1, 0, 1, 1, 1, 1], "it must have 2 to 4 features, those of constraints.must_include counted, got 5"),
])
def test_a_given_subset_that_is_not_allowed_is_refused(mask, message):
    """A feature that is excluded, part of a group, too few, too many."""
    built = space(must_include=["a"], exclude=["b"], groups=[["c", "d"]], min_features=2, max_features=4)
    with pytest.raises(ValueError) as caught:
        built.groups_of("it", np.array(mask, dtype=bool))
    assert str(caught.value) == message


class Chosen:
    """Looks like a fitted selector."""

    def get_support(self):
        return np.array([False, True, False, False, True, False])


@pytest.mark.parametrize("subset", [[1, 4], np.array([4, 1], dtype=np.uint8), ["b", "e"], np.array(["e", "b"]),
                                    np.array(["b", "e"], dtype=object), [False, True, False, False, True, False],
                                    (4, 1, 1), Chosen()], ids=lambda subset: repr(subset)[:60].partition(" at ")[0])
def test_subsets_are_masks_names_indices_or_selectors(subset):
    """All mean features 1 and 4."""
    masks = initial_masks([[0], subset], 6, NAMES)
    assert masks.dtype == bool
    assert [np.flatnonzero(mask).tolist() for mask in masks] == [[0], [1, 4]]


def test_no_subsets_are_no_masks():
    """None and an empty list."""
    assert initial_masks(None, 6, NAMES).shape == initial_masks([], 6, NAMES).shape == (0, 6)


@pytest.mark.parametrize(("costs", "message"), [
    ([1.0] * 5, "costs must be 6 numbers, one for each feature of X, got an array of float64 of shape (5,)"),
    (["1"] * 6, "costs must be 6 numbers, one for each feature of X, got an array of <U1 of shape (6,)"),
    ([1, 1, -2, 1, 1, 1], "costs must be finite and >= 0, got -2.0 for feature 2"),
    ([1, np.nan, 1, 1, 1, 1], "costs must be finite and >= 0, got nan for feature 1"),
    ([0] * 6, "costs must be > 0 for at least one feature, got 0 for all"),
    ([1e308] * 6, "costs must have a finite sum, got inf"),
])
def test_costs_are_checked(costs, message):
    """Shape, type, sign."""
    with pytest.raises(ValueError) as caught:
        check_costs("costs", costs, 6, NAMES)
    assert str(caught.value) == message
    assert check_costs("costs", None, 6, NAMES) is None
    assert check_costs("costs", [0, 0, 0, 0, 0, 2], 6, NAMES).dtype == np.float64
