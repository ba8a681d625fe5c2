"""Fronts that hypothesis draws: choices are those of the definitions, files come back to the last bit."""

import json
import math
import sys
from numbers import Integral, Real

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import given
from hypothesis import strategies as st

from call_outcome import outcome
from moeliga import ParetoFront
from moeliga.results.rules import RULES
from strategies import WILD, cases

SCORES = st.sampled_from((0.0, 0.25, 0.5, 0.5, 0.75, 0.9, 1.0, -0.3, -1e300, 0.1 + 0.2, 5e-324)) | st.floats(-2, 1)
NAMES = ("uar", "r2", "cardinality", "score_se", "a b", "é", "\"q\"", "features")
TEXT = st.text(max_size=4)


@st.composite
def fronts(draw):
    """Members of any sizes and scores, with ties, with and without costs and standard errors."""
    m, n_features = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    supports = np.array([draw(st.lists(st.booleans(), min_size=n_features, max_size=n_features)) for _ in range(m)])
    supports[~supports.any(axis=1), draw(st.integers(0, n_features - 1))] = True
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    objectives = np.array([draw(st.lists(SCORES, min_size=len(names), max_size=len(names))) for _ in range(m)])
    errors = np.array(draw(st.lists(st.sampled_from((0.0, 0.1, 0.5, np.nan)), min_size=m, max_size=m)))
    costs = st.lists(st.floats(0, 10) | st.sampled_from((0.0, 1e300)), min_size=m, max_size=m)
    cost = draw(st.none() | costs)
    features = draw(st.lists(TEXT.filter(lambda name: "\0" not in name), min_size=n_features, max_size=n_features,
                             unique=True))
    return ParetoFront(supports, objectives, names, draw(st.integers(0, len(names) - 1)), errors,
                       objectives[::-1].copy(),
                       np.array(features, dtype=str), None if cost is None else np.array(cost))


def choice(front, rule, n_features=None, max_features=None, max_cost=None):
    """The member that the definitions of `ParetoFront.choose` choose, or None where there is none."""
    members = range(len(front))
    size, score = front.n_selected.tolist(), front.score.tolist()
    if n_features is not None:
        members, rule = [i for i in members if size[i] == n_features], "best"
    if max_features is not None:
        members = [i for i in members if size[i] <= max_features]
    if max_cost is not None:
        members = [i for i in members if front.cost is not None and front.cost[i] <= max_cost]
    if not members:
        return None
    n = front.supports.shape[1]
    best = min(members, key=lambda i: (-score[i], size[i], i))
    small = min(members, key=lambda i: (size[i], -score[i], i))
    if rule == "one_se" and not math.isfinite(front.score_se[best]):
        return None
    if rule == "r1_lambda" and "cardinality" not in front.names:
        return None

    def r1(i, ratio):
        return 1 - math.sqrt((1 - score[i]) * (1 - score[i]) + (1 - ratio) * (1 - ratio))

    def knee(i):
        if size[best] == size[small]:
            return score[i]
        return ((score[i] - score[small]) / (score[best] - score[small])
                - (size[i] - size[small]) / (size[best] - size[small]))

    def no_loss(i):
        error = front.score_se[best] if math.isfinite(front.score_se[best]) else 0.0
        return -size[i] if score[i] >= score[best] - 0.25 * error else -math.inf

    merit = {
        "no_loss": no_loss,
        "best": lambda i: score[i],
        "r1": lambda i: r1(i, (n - size[i]) / n),
        "r1_lambda": lambda i: r1(i, float(front.objectives[i, front.names.index("cardinality")])),
        "one_se": lambda i: -size[i] if score[i] >= score[best] - front.score_se[best] else -math.inf,
        "knee": knee,
    }[rule]
    return min(members, key=lambda i: (-merit(i), size[i], -score[i], i))


LIMITS = st.none() | st.integers(-1, 6) | WILD


@given(fronts(), st.sampled_from(RULES), LIMITS, LIMITS, st.none() | st.floats(0, 20) | WILD)
@cases(40)
def test_the_member_of_the_definition_is_chosen(front, rule, n_features, max_features, max_cost):
    """Or the call is refused by the name of what is wrong; the front stays as it is."""
    before = front.to_json()
    got, refusal = outcome(
        lambda: front.choose(rule, n_features=n_features, max_features=max_features, max_cost=max_cost),
        "n_features", "max_features", "max_cost", "rule")
    assert front.to_json() == before
    limits = ((n_features, Integral), (max_features, Integral), (max_cost, Real))
    numbers = all(value is None or (isinstance(value, kind) and not isinstance(value, bool | np.bool_))
                  for value, kind in limits) and (max_cost is None or 0 <= max_cost <= sys.float_info.max)
    if not numbers or (max_cost is not None and front.cost is None):
        assert refusal is not None
    else:
        expected = choice(front, rule, n_features, max_features, max_cost)
        assert got == expected and (refusal is None) == (expected is not None)


@given(fronts(), WILD, st.sampled_from((None, 1)))
@cases(15)
def test_any_index_or_rule_is_refused_by_name_or_obeyed(front, value, n_features):
    """An index is a place in the front, and stands alone; a rule is a name, or returns an index."""
    got, refusal = outcome(lambda: front.choose(index=value, n_features=n_features), "index", "n_features")
    if refusal is None:
        assert got == (choice(front, "best", n_features) if value is None and n_features else
                       choice(front, "r1") if value is None else value)
        assert 0 <= got < len(front)
    else:
        assert value is not None or n_features not in front.n_selected
    got, refusal = outcome(lambda: front.choose(lambda front: value), "rule")
    assert refusal is not None or (got == value and 0 <= got < len(front))


@given(fronts())
@cases(10)
def test_a_front_comes_back_from_json(front):
    """All arrays, to the last bit."""
    again = ParetoFront.from_json(front.to_json())
    for name in ("supports", "objectives", "score", "score_se", "search_objectives", "feature_names", "n_selected"):
        assert_array_equal(getattr(again, name), getattr(front, name), name)
    assert (again.names, again.primary) == (front.names, front.primary)
    assert (again.cost is None) == (front.cost is None) and (front.cost is None or (again.cost == front.cost).all())


SCALARS = (st.none() | st.booleans() | st.integers(-2, 5) | st.sampled_from((10**400, -(2**70))) | st.floats() | TEXT)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=2),
                    max_leaves=4)


@given(fronts(), st.data())
@cases(30)
def test_json_that_says_something_else_is_refused_or_is_a_front(front, data):
    """Any part of the text replaced by any other: a refusal that names the source, or a front that is written and read
    again as the same, and chooses by its rules."""
    content = json.loads(front.to_json())
    at, place = content, data.draw(st.sampled_from(sorted(content)))
    while isinstance(at[place], list | dict) and at[place] and data.draw(st.booleans()):
        at = at[place]
        place = data.draw(st.sampled_from(sorted(at)) if isinstance(at, dict) else st.integers(0, len(at) - 1))
    if data.draw(st.booleans()) or isinstance(at, list):
        at[place] = data.draw(JSON)
    else:
        del at[place]
    changed, refusal = outcome(lambda: ParetoFront.from_json(json.dumps(content)), "source")
    if refusal is None:
        assert ParetoFront.from_json(changed.to_json()).to_json() == changed.to_json()
        for rule in RULES if len(changed) else ():
            got, refusal = outcome(lambda rule=rule: changed.choose(rule), "rule")
            assert got == choice(changed, rule)
