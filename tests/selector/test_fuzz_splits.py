"""Splits of every type, for `cv` and `honest`: a clear refusal that names them, or what a plain loop says of each."""

from collections import UserList, deque

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import given
from hypothesis import strategies as st

from call_outcome import outcome
from forms import FORMS, Broken, N, Shaped, X, Y, honest_one, pandas, small, twin
from strategies import SEEDS, WILD, cases

ROUTES = st.booleans()


def parts_of(draw, rng):
    """A pair of rows to train on and to validate on, which have none in common: two ndarrays of int64."""
    n = draw(st.integers(3, 6))  # of each class, or scikit-learn warns
    train, test = zip(*((rows[n:], rows[:n]) for rows in (rng.permutation(np.flatnonzero(Y == c)) for c in (0, 1))),
                      strict=True)
    return rng.permutation(np.concatenate(train)), rng.permutation(np.concatenate(test))


MASKS = {"mask": lambda rows: np.isin(np.arange(N), rows),
         "list of bool": lambda rows: np.isin(np.arange(N), rows).tolist()}
PARTS = {**MASKS, **{name: FORMS[name] for name in FORMS if name != "frame"}, "range": lambda rows: rows,
         "bytes": lambda rows: bytearray(rows.tolist()), "from the end": lambda rows: rows - N,
         "series": lambda rows: pandas(rows, "int64"), "unsigned": lambda rows: rows.astype(np.uint8)}
ITERABLES = {"list": list, "tuple": tuple, "generator": lambda pairs: (pair for pair in pairs), "iterator": iter,
             "deque": deque, "user list": UserList, "map": lambda pairs: map(tuple, pairs)}


class Splitting:
    """A splitter of the caller's own."""

    def __init__(self, pairs):
        self.pairs = pairs

    def split(self, X, y=None, groups=None):
        yield from self.pairs

    def get_n_splits(self, X=None, y=None, groups=None):
        return len(self.pairs)


@st.composite
def splits(draw):
    """Splits as an iterable or a splitter, of rows in any form, and the pairs of ndarrays that they stand for."""
    rng = np.random.default_rng(draw(SEEDS))
    meaning = [parts_of(draw, rng) for _ in range(draw(st.integers(1, 3)))]
    if draw(st.booleans()):
        meaning[0] = tuple(np.append(part, part[:2]) for part in meaning[0])  # rows twice
    pairs = []
    for place, pair in enumerate(meaning):
        form = draw(st.sampled_from(tuple(PARTS)))
        if form in MASKS:  # they have an order of their own
            meaning[place] = pair = tuple(map(np.unique, pair))
        pairs.append(draw(st.sampled_from((tuple, list)))([PARTS[form](part) for part in pair]))
    if draw(st.booleans()):
        return Splitting(pairs), meaning
    return ITERABLES[draw(st.sampled_from(tuple(ITERABLES)))](pairs), meaning


@given(splits(), st.booleans(), ROUTES)
@cases(20)
def test_splits_of_any_form_are_those_of_a_loop(given, compiled, route):
    """Rows as indices, masks or bytes, of iterables, generators and splitters: each member has the mean of their
    scores, of the compiled judge and of joblib's alike."""

    class Plain(GaussianNB):
        """One that is not recognised."""

    cv, meaning = given
    with sklearn.config_context(enable_metadata_routing=route):
        found, refusal = outcome(lambda: small(GaussianNB() if compiled else Plain(), cv=cv).fit(X, Y), "cv")
    assert refusal is None, refusal
    for mask, score in zip(found.pareto_front_.supports, found.pareto_front_.score, strict=True):
        assert_allclose(score, twin(mask, meaning), rtol=1e-12)


ROWS = st.one_of(WILD, st.sampled_from((
    b"", "", b"ab", "ab", b"\x00\x01", {}, {0: 1}, {0, 1}, [N], [-N - 1], [0.0, 1.0], [[0, 1], [2, 3]], [None], ["0"],
    np.zeros(N + 1, dtype=bool), np.zeros(N, dtype=bool), np.array([0, 1], dtype=object),
    [10**30], [2**63], [np.nan], range(0), slice(3), Broken(3), Broken(None), Shaped((3,)), np.array(["a"]), [True],
    [True, False], np.zeros(3, dtype="M8[D]"), (row for row in (1, 2)))))
GOOD = np.arange(0, N, 2), np.arange(1, N, 2)


@given(ROWS, st.integers(0, 2), st.sampled_from(("cv", "honest")), st.booleans(), ROUTES)
@cases(30)
def test_rows_of_any_type_are_refused_or_split(rows, place, name, splitter, route):
    """Those to train on, those to validate on, or the whole pair."""
    pairs = [GOOD, GOOD[::-1], rows if place == 2 else (rows, GOOD[1]) if place == 0 else (GOOD[0], rows)]
    cv = Splitting(pairs) if splitter else pairs
    with sklearn.config_context(enable_metadata_routing=route):
        selector = small(cv=cv) if name == "cv" else honest_one(cv)
        found, refusal = outcome(lambda: selector.fit(X, Y), name)
    if refusal is None:
        taken = [np.arange(N)[np.asarray(part)] if len(part) else [] for part in pairs[2]]
        assert name == "honest" or all(len(part) and np.ndim(part) == 1 for part in taken)
        assert np.isfinite(found.pareto_front_.objectives).all()


@given(WILD | st.sampled_from((b"ab", bytearray(b"ab"), memoryview(b"ab"), "ab", [], (), {}, {1: 2}, [b"ab"] * 2,
                               ["ab"] * 2, [GOOD[0]], [GOOD, 3], {GOOD[0].tobytes(): 1}, KFold, KFold(2), KFold(N + 1),
                               2.0, True, np.array([GOOD, GOOD[::-1]]), np.array(3), iter(()), range(3), Splitting([]),
                               Splitting([b"ab"]), Splitting([GOOD[0]]))),
       st.sampled_from(("cv", "honest")), ROUTES)
@cases(30)
def test_anything_as_splits_is_refused_or_split(value, name, route):
    """By the name of the parameter, also where scikit-learn's routing asks first."""
    with sklearn.config_context(enable_metadata_routing=route):
        selector = small(cv=value) if name == "cv" else honest_one(value)
        found, refusal = outcome(lambda: selector.fit(X, Y), name, "n_splits")
        if refusal is not None:
            again, asked = outcome(selector.get_metadata_routing, name)
    assert refusal is not None or np.isfinite(found.pareto_front_.objectives).all()
