"""Callers' functions that return, raise or change anything: their own error, a refusal, or a result that is right."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from call_outcome import outcome
from forms import X, Y, honest_one, small
from moeliga import pareto_rank, shared_fitness
from state import image
from strategies import WILD, cases


class Boom(Exception):
    """What a caller's function raises, and no other code."""


class Lying:
    """An array by its own account."""

    def __init__(self, answer):
        self.answer, self.shape, self.dtype = answer, (3, 2), np.dtype("f8")

    def __len__(self):
        return 3

    def __array__(self, dtype=None, copy=None):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Number:
    """A number by a method that fails."""

    def __float__(self):
        raise TypeError("no number")


RETURNS = WILD | st.sampled_from((
    "0.5", b"0.5", "nan", np.array([0.5]), np.array(0.5), np.float16(0.5), np.longdouble(0.25), Decimal("0.5"),
    Fraction(1, 3), Decimal("nan"), np.inf, -np.inf, 1e400, 10**400, True, np.bool_(False), np.str_("0.5"), Number(),
    np.datetime64("2020-01-01"), np.timedelta64(3, "s"), [0.5], (0.5,), {0.5}, bytearray(b"1"), np.ma.masked,
    np.array("0.5"), np.array(None), memoryview(b"1"), iter([0.5]), NotImplemented, ...))


def real(value):
    """The float that a number is, or None for anything that is none."""
    if isinstance(value, str | bytes | np.str_ | bytearray) or np.ndim(value) or (
            isinstance(value, np.ndarray) and value.dtype.kind not in "iufbO"):
        return None
    try:
        value = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if np.isfinite(value) else None


@given(RETURNS, st.integers(0, 5))
@cases(60)
def test_what_an_objective_returns_is_a_number_or_refused(value, late):
    """From the first call or only from a later one."""
    calls = []

    def mine(mask, X, y):
        calls.append(1)
        return value if len(calls) > late else 0.25

    found, refusal = outcome(lambda: small(objectives=("uar", mine)).fit(X, Y), "objective 'mine'", "mine")
    assert (refusal is None) == (real(value) is not None), refusal
    assert refusal is not None or set(found.pareto_front_.objectives[:, 1].tolist()) <= {0.25, real(value)}


@given(RETURNS.filter(lambda value: not 1e100 < abs(real(value) or 0)), st.sampled_from(("judge", "model")))
@cases(40)
def test_what_a_scorer_returns_is_a_number_or_refused(value, whose):
    """That of the judge that guides, and that of the model that is deployed."""
    def scorer(model, X, y):
        return value

    if whose == "judge":
        found, refusal = outcome(lambda: small(GaussianNB(), scoring=scorer).fit(X, Y), "scoring", "objective",
                                 "scorer")
    else:
        found, refusal = outcome(lambda: honest_one(2, scoring=scorer).fit(X, Y), "scoring")
    if refusal is None:
        assert np.isfinite(found.pareto_front_.objectives).all()
        assert real(value) is not None or whose == "model"
        if whose == "judge":
            assert set(found.pareto_front_.score.tolist()) == {real(value)}


@given(st.permutations(("one", "two", "three")), st.sampled_from((1, 2, 3)))
@cases(20)
def test_masks_that_objectives_change_are_copies(order, n_terms):
    """No other objective sees them, and no subset is another one afterwards."""
    seen = {name: [] for name in order}

    def term(name, change):
        def objective(mask, X, y):
            seen[name].append(mask.copy())
            value = float(mask.sum() * (1 + order.index(name)))
            if change:
                np.logical_not(mask, out=mask)
            return value

        objective.__name__ = name
        return objective

    fits = [small(objectives=("uar", *(term(name, change) for name in order[:n_terms]))).fit(X, Y)
            for change in (True, False)]
    assert_array_equal(fits[0].pareto_front_.objectives, fits[1].pareto_front_.objectives)
    assert_array_equal(fits[0].pareto_front_.supports, fits[1].pareto_front_.supports)
    for name in order[:n_terms]:
        half = len(seen[name]) // 2
        assert_array_equal(seen[name][:half], seen[name][half:])


PLACES = {
    "objective": lambda mine: small(objectives=("uar", lambda mask, X, y: mine())),
    "scoring": lambda mine: small(GaussianNB(), scoring=lambda model, X, y: mine()),
    "feature_prior": lambda mine: small(feature_prior=lambda X, y: mine()),
    "callbacks": lambda mine: small(callbacks=lambda state: mine()),
    "rule": lambda mine: small(rule=lambda front: mine()),
    "honest scoring": lambda mine: honest_one(2, scoring=lambda model, X, y: mine()),
    "honest callbacks": lambda mine: honest_one(2, callbacks=lambda state: mine()),
}


@given(st.sampled_from(tuple(PLACES)), st.sampled_from((Boom, KeyError, ZeroDivisionError, OSError, StopIteration,
                                                        RuntimeError, MemoryError, AttributeError)), st.integers(0, 3))
@cases(40)
def test_what_a_function_raises_comes_through(place, kind, late):
    """The same error, from the first call or from a later one, and the next fit is as if nothing had been."""
    calls, error = [], kind("of the caller's own")

    def mine():
        calls.append(1)
        if len(calls) > late:
            raise error
        usual = {"feature_prior": np.ones(X.shape[1]), "callbacks": None, "honest callbacks": None, "rule": 0}
        return usual.get(place, 0.5)

    try:
        PLACES[place](mine).fit(X, Y)
    except kind as caught:
        assert caught is error
    else:
        assert len(calls) <= late
    calls.clear()
    late = 10**9
    again = [small().fit(X, Y).pareto_front_.objectives.tobytes() for _ in range(2)]
    assert again[0] == again[1]


HOSTILE = WILD | st.sampled_from((
    Lying(Boom("x")), Lying(np.zeros(3)), Lying(np.zeros((3, 2))), Lying(np.zeros((0, 2))), Lying(np.array(3.0)),
    Lying(np.full((3, 2), np.nan)), Lying(np.array([["a", "b"]] * 3)), Lying(np.zeros((3, 2), dtype=object)),
    np.zeros((3, 0)), np.zeros((0, 3)), np.zeros((2, 2, 2)), [[1, 2], [3]], [[1, 2], None], [["a", "b"]] * 3,
    np.array([[1j, 2]] * 3), np.full((3, 2), np.inf), np.full((3, 2), 1e308), np.full((3, 2), -0.0),
    np.zeros((3, 2), dtype="M8[s]"), np.ma.masked_array(np.ones((3, 2)), mask=True), np.matrix("1 2; 3 4; 5 6"),
    np.zeros((3, 2), dtype=[("a", "f8")]), {0: [1, 2]}, {(1, 2)}, "abc", b"abc", iter([[1, 2]]), [[True, False]] * 3,
    np.full((3, 2), 2**63, dtype=np.uint64), np.full((3, 2), 5e-324), np.full((3, 2), np.longdouble("1e4000")),
    [[10**400, 1]] * 3, [["1", "2"]] * 3, [[Decimal(1), Fraction(1, 2)]] * 3))


@given(HOSTILE, HOSTILE, st.sampled_from(("decision", "objective")))
@cases(80)
def test_fitness_of_anything_is_refused_or_finite(objectives, masks, space):
    """`shared_fitness` and `pareto_rank` of what is no table of numbers; nothing is changed."""
    before = image(objectives), image(masks)
    for given_masks in (masks, np.eye(3, dtype=bool)):
        try:
            fitness, refusal = outcome(lambda m=given_masks: shared_fitness(objectives, m, space=space), "objectives",
                                       "masks")
        except Boom:
            continue
        assert refusal is not None or (np.isfinite(fitness).all() and (fitness >= 0).all())
    try:
        rank, refusal = outcome(lambda: pareto_rank(objectives), "objectives")
    except Boom:
        return
    assert refusal is not None or rank.min() == 1
    assert (image(objectives), image(masks)) == before
