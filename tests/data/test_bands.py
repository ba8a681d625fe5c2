"""Bands of sizes: where they end, and which subsets are in them."""

import itertools
import re

import numpy as np
import pytest

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import assume, given
from hypothesis import strategies as st

from moeliga._ext import bits
from moeliga.data.bands import LARGEST, SMALLEST, automatic_edges, band_spaces, wider_spaces
from moeliga.data.feature_space import build_space
from moeliga.parameters.constraints import Constraints
from strategies import cases


def space(n_features, max_features=None, **constraints):
    """Return the space of so many features with these constraints."""
    return build_space(n_features, np.arange(n_features).astype(str), Constraints(**constraints), max_features)


def subsets(built):
    """Sizes of all subsets that a space allows, by trying every chromosome: dict from mask to size."""
    everything = np.array(list(itertools.product([0, 1], repeat=built.n_groups)), dtype=np.uint8)
    weight = everything @ built.weights
    fits = (weight >= max(1, built.least)) & (weight <= built.most)
    masks = built.masks(built.chromosomes(bits.pack(everything[fits])))
    return {tuple(mask): sum(mask) for mask in masks.tolist()}


@st.composite
def constrained(draw, most=7):
    """(number of features, parameters of `space`), which may contradict each other."""
    n_features = draw(st.integers(1, most))
    features = st.lists(st.integers(0, n_features - 1), max_size=n_features // 2, unique=True)
    labels = st.lists(st.integers(0, 3) | st.none(), min_size=n_features, max_size=n_features)
    return n_features, {
        "must_include": draw(features), "exclude": draw(features), "groups": draw(st.none() | labels),
        "min_features": draw(st.integers(1, n_features)), "max_features": draw(st.none() | st.integers(1, n_features))}


def built_from(n_features, parameters):
    """The space, or None where the parameters contradict each other."""
    try:
        return space(n_features, **parameters)
    except ValueError:
        return None


# spaces


@given(constrained(), st.integers(0, 8), st.integers(0, 8))
@cases(150)
def test_a_part_of_a_space_has_the_subsets_of_its_sizes(structure, least, most):
    """All of them and no others, forced features counted; None where there are none; the witness is one of them."""
    whole = built_from(*structure)
    assume(whole is not None)
    wanted = {mask: size for mask, size in subsets(whole).items() if least <= size <= most}
    part = whole.within(least, most)
    assert (part is None) == (not wanted)
    if part is not None:
        assert subsets(part) == wanted
        witness = part.masks(part.chromosomes(bits.pack(part.witness[None].view(np.uint8))))[0]
        assert tuple(witness.tolist()) in wanted


@given(constrained(), st.none() | st.lists(st.integers(1, 8), min_size=1, max_size=5, unique=True).map(sorted))
@cases(150)
def test_bands_share_out_all_subsets_up_to_the_last_edge(structure, edges):
    """None is in two of them, and none of them is empty; an error where there would be none. None: the whole space."""
    whole = built_from(*structure)
    assume(whole is not None)
    top = 8 if edges is None else edges[-1]
    wanted = {mask: size for mask, size in subsets(whole).items() if size <= top}
    if not wanted:
        with pytest.raises(ValueError, match="islands.sizes must end with a larger number, as"):
            band_spaces(edges, whole, structure[1]["max_features"])
        return
    bands = [subsets(band) for band in band_spaces(edges, whole, structure[1]["max_features"])]
    assert all(bands) and sum(map(len, bands)) == len(wanted)
    assert {mask: size for band in bands for mask, size in band.items()} == wanted
    for lower, upper in itertools.pairwise([max(band.values()) for band in bands]):
        assert lower < upper
    for band in bands if edges is not None else []:
        assert len({sum(size > edge for edge in edges) for size in band.values()}) == 1


def test_without_bands_the_space_is_the_only_one():
    """The very object, by which a search knows that it has none."""
    whole = space(9)
    found, = band_spaces(None, whole, None)
    assert found is whole


@pytest.mark.parametrize(("sizes", "constraints", "message"), [
    ((2,), {"min_features": 3}, "3 to 9 features, got (2,)"),
    ((2, 3), {"must_include": [1, 2, 3]}, "3 to 9 features, got (2, 3)"),
    ([1, 2], {"min_features": 3, "max_features": 4}, "3 to 4 features, got [1, 2]"),
    ((2,), {"groups": [0, 0, 0, 1, 1, 1, 2, 2, 2]}, "1 to 9 features, got (2,)")], ids=str)
def test_bands_without_a_subset_are_an_error(sizes, constraints, message):
    """It says which sizes are allowed, and what was given."""
    message = f"islands.sizes must end with a larger number, as constraints and max_features allow subsets of {message}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        band_spaces(sizes, space(9, **constraints), constraints.get("max_features"))


# automatic edges


@pytest.mark.parametrize(("n_features", "max_features", "edges"), [
    (1, None, [1]), (2, None, [2]), (6, None, [6]), (8, None, [8]), (9, None, [6, 9]), (12, None, [6, 12]),
    (13, None, [6, 12]), (24, None, [6, 12]), (26, None, [6, 13]), (34, None, [6, 17]), (36, None, [6, 12, 18]),
    (60, None, [6, 12, 30]), (100, None, [6, 12, 24, 50]), (192, None, [6, 12, 24, 48, 96]),
    (16063, None, [6, 12, 24, 48, 96]), (200, 1, [1]), (200, 8, [8]), (200, 9, [6, 9]), (200, 12, [6, 12]),
    (200, 150, [6, 12, 24, 48, 96, 150]), (200, 200, [6, 12, 24, 48, 96, 200]), (10, 10, [6, 10])])
def test_automatic_edges_of_some_sizes(n_features, max_features, edges):
    """6, 12, 24, ... up to half of the features or `max_features`; up to twelve features, all sizes."""
    assert automatic_edges(space(n_features, max_features), max_features) == edges


@given(st.integers(1, 400), st.none() | st.integers(1, 400), st.integers(0, 60), st.integers(0, 60),
       st.integers(1, 100), st.sampled_from((1, 1, 2, 5, 40)))
@cases(300)
def test_automatic_edges_are_bands_without_a_gap(n_features, max_features, n_forced, n_excluded, least, group):
    """Ascending doubles of `SMALLEST`, but for the last, which ends a band of at least half its full width, is no more
    than `max_features` and than what may be chosen, and allows a subset, whatever else is asked for."""
    structure = {"must_include": list(range(min(n_forced, n_features))), "min_features": min(least, n_features),
                 "exclude": list(range(n_features - min(n_excluded, n_features), n_features)),
                 "groups": [f // group for f in range(n_features)],
                 "max_features": None if max_features is None else min(max_features, n_features)}
    whole = built_from(n_features, structure)
    assume(whole is not None)
    edges = automatic_edges(whole, structure["max_features"])
    *doubles, last = edges
    assert doubles == [SMALLEST * 2**place for place in range(len(doubles))]
    assert 1.5 * doubles[-1] <= last < 3 * doubles[-1] if doubles else 1 <= last < 1.5 * SMALLEST
    most = n_features if max_features is None else structure["max_features"]
    n_able = whole.n_forced + len(whole.members)
    assert last <= min(most, n_able)
    bands = band_spaces("auto", whole, structure["max_features"])
    assert 1 <= len(bands) <= len(edges)
    if max_features is not None:
        assert last == min(most, n_able)
    elif group == least == 1:
        n_free = len(whole.members)
        assert bands[-1].most == min(n_free, LARGEST, max(n_free // 2, 2 * SMALLEST))


def test_features_that_are_always_selected_leave_room_for_others():
    """Half of the others, or twelve, may be selected with them."""
    bands = band_spaces("auto", space(30, must_include=range(18)), None)
    assert [(band.least, band.most) for band in bands] == [(0, 12)]
    bands = band_spaces("auto", space(300, must_include=range(100)), None)
    assert [(band.least, band.most) for band in bands] == [(0, 96)]


def test_features_that_are_never_selected_do_not_count():
    """Half of what is left is the usual end."""
    assert automatic_edges(space(1000, exclude=range(100, 1000)), None) == [6, 12, 24, 50]
    assert automatic_edges(space(1000, exclude=range(100, 1000)), 500) == [6, 12, 24, 48, 100]


def test_many_features_at_least_leave_room_for_more():
    """Half of the others, as without a limit."""
    bands = band_spaces("auto", space(200, min_features=150), None)
    assert [(band.least, band.most) for band in bands] == [(150, 174)]


@pytest.mark.parametrize(("n_features", "constraints", "wanted"), [
    (60, {}, []), (250, {}, []), (384, {}, [(97, 192)]), (2000, {}, [(97, 192), (193, 384), (385, 768)]),
    (2000, {"exclude": range(1200)}, [(97, 192), (193, 384)]), (2000, {"must_include": range(500)}, []),
    (1, {}, []), (2, {}, []),
])
def test_wider_bands_double_up_to_half_of_the_features(n_features, constraints, wanted):
    """Forced features count, excluded ones do not; the last is not more than half."""
    whole = space(n_features, **constraints)
    found = wider_spaces(band_spaces("auto", whole, None), whole)
    assert [(band.least + band.n_forced, band.most + band.n_forced) for band in found] == wanted
