"""Tables that are encoded, of hostile columns: a clear refusal, or the fit of the zeros and ones worked out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("pandas")
pytest.importorskip("hypothesis", reason="needs hypothesis")

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import cross_fitted
from call_outcome import outcome
from moeliga import Constraints, DecisionTreeClassifier, FeatureCost
from strategies import SEEDS, cases

N = 24
Y = np.arange(N) % 2
pick = st.sampled_from
NAMES = (["a", "b", "c", "d"], ["a", "a=x", "b", "c"], ["=", "==", "", " "], [0, 1, 2, 3], ["a", 1, "b", "c"],
         ["a", "a", "b", "c"], ["\u202e", "\n", "é", "columns"])
COLUMNS = {  # of a generator: a column, and whether it is encoded (None: whether it may be)
    "number": (lambda rng: rng.normal(size=N) + Y, False),
    "few": (lambda rng: rng.choice(["x", "y"], N).astype(object), True),
    "one value": (lambda rng: np.full(N, "x", dtype=object), True),
    "missing text": (lambda rng: np.where(rng.random(N) < 0.4, None, rng.choice(["x", "y", "z"], N)), None),
    "all missing": (lambda rng: np.full(N, None, dtype=object), False),
    "in one row": (lambda rng: np.where(np.arange(N) == rng.integers(N), "rare", "x").astype(object), True),
    "of every row": (lambda rng: np.array([f"v{i}" for i in range(N)], dtype=object), None),
    "text of numbers": (lambda rng: rng.choice(["1", "2.5", "nan"], N).astype(object), False),
    "hostile text": (lambda rng: rng.choice(["", " ", "=", "a=x", "\n", "\u202e", "nan"], N).astype(object), None),
    "mixed types": (lambda rng: np.array([rng.choice(["x", "y"]) if i % 2 else i % 3 for i in range(N)], object), None),
    "tuples": (lambda rng: pd.Series([(1, "x")] * N, dtype=object), None),
    "category": (lambda rng: pd.Categorical(rng.choice(["p", "q"], N), categories=["q", "never", "p"]), True),
    "category of numbers": (lambda rng: pd.Categorical(rng.choice([3, 10, 2], N)), True),
    "mixed category": (lambda rng: pd.Categorical(rng.choice(np.array([1, "1", 2.5, True], dtype=object), N)), None),
    "missing category": (lambda rng: pd.Categorical(np.where(rng.random(N) < 0.4, None, "p")), None),
    "empty category": (lambda rng: pd.Categorical([None] * N, categories=["a", "b"]), None),
    "many categories": (lambda rng: pd.Categorical([f"v{i}" for i in range(N)]), True),
    "intervals": (lambda rng: pd.cut(rng.normal(size=N), 3), True),
    "dates": (lambda rng: pd.Categorical(pd.to_datetime(rng.integers(0, 3, N), unit="D")), True),
    "strings": (lambda rng: pd.array(rng.choice(["x", "y"], N), dtype="string"), True),
    "arrow": (lambda rng: pd.array(rng.choice(["x", None], N), dtype="string[pyarrow]"), None),
}


def by_hand(column, name):
    """Features of a column that is encoded: its values in order, each a column of zeros and ones."""
    cells = list(column)
    known = {cell for cell in cells if not pd.isna(cell)}
    try:
        known = sorted(known)
    except TypeError:
        known = sorted(known, key=str)
    return {f"{name}={value}": np.array([not pd.isna(cell) and cell == value for cell in cells], dtype=float)
            for value in known}


def select(constraints, **more):
    """A selector of two folds."""
    return cross_fitted.small(DecisionTreeClassifier(), honest=2, population_size=4, n_generations=1, islands=None,
                              feature_prior=None, local_improvement=None, constraints=constraints, **more)


@st.composite
def tables(draw):
    """A table of four columns, and the generator that it came from."""
    rng, kinds = np.random.default_rng(draw(SEEDS)), ["number", *draw(st.permutations(tuple(COLUMNS)))[:3]]
    table = pd.DataFrame({place: pd.Series(COLUMNS[kind][0](rng)) for place, kind in enumerate(kinds)})
    table.columns = draw(pick(NAMES))
    table.index = draw(pick((np.arange(N), np.arange(N)[::-1], np.zeros(N))))
    return rng, kinds, table


@given(tables(), st.booleans(), st.booleans())
@cases(30)
def test_a_fit_is_that_of_zeros_and_ones_and_of_their_groups(drawn, costly, grouped):
    """With groups and costs of columns, in folds that lack values, and for new rows with values that nobody has seen;
    the table stays as it is."""
    rng, kinds, table = drawn
    names, before = list(table.columns), table.copy(deep=True)
    costs = rng.integers(0, 4, 4).astype(float) if costly else None
    groups = [0, 1, 1, 2] if grouped else None
    objectives = {"objectives": ("uar", FeatureCost()) if costly else ("uar", "cardinality")}
    selector = select(Constraints(encode="onehot", costs=costs, groups=groups), **objectives)
    found, refusal = outcome(lambda: selector.fit(table, Y), "dtype")
    pd.testing.assert_frame_equal(table, before)
    usual = len(set(names)) == 4 and {type(name) for name in names} == {str}
    if refusal is not None:
        assert not usual or None in [COLUMNS[kind][1] for kind in kinds] or "all missing" in kinds or \
            names == NAMES[1] or "text of numbers" in kinds, refusal
        return
    encoding = getattr(found, "encoding_", None)
    values = {} if encoding is None else encoding.values
    for kind, name in zip(kinds, names, strict=True):
        assert COLUMNS[kind][1] in (None, name in values), kind
    parts, labels, paid = {}, [], []
    for place, name in enumerate(names):
        column = table[name]
        features = by_hand(column, name) if name in values else {name: column}
        parts |= features
        labels += len(features) * [place if groups is None else groups[place]]
        paid += [costs[place] if costly and not j else 0 for j in range(len(features))]
    X = pd.DataFrame({place: np.asarray(part) for place, part in enumerate(parts.values())})
    X.columns = list(parts)
    plain = select(Constraints(groups=labels, costs=paid if costly else None), **objectives).fit(X, Y)
    for name in ("objectives", "supports", "honest_score"):
        assert_array_equal(getattr(found.pareto_front_, name), getattr(plain.pareto_front_, name))
    assert_array_equal(np.asarray(found.transform(table), float), np.asarray(plain.transform(X), float))
    new, hidden = table.copy(), X.copy()
    for name in values:
        new[name] = pd.Series(["never seen"] * N, index=new.index, dtype=object)
        hidden[list(by_hand(table[name], name))] = 0.0
    assert_array_equal(np.asarray(found.transform(new), float), np.asarray(plain.transform(hidden), float))


@given(SEEDS, st.integers(2, 60))
@cases(5)
def test_text_of_many_values_is_refused_by_name_and_categories_are_not(seed, n_values):
    """More than twenty values of text; as many categories as there are rows, in as many features."""
    rng = np.random.default_rng(seed)
    texts = np.array([f"v{i % n_values}" for i in rng.permutation(60)], dtype=object)
    table, y = pd.DataFrame({"a": rng.normal(size=60), "text": texts}), np.arange(60) % 2
    found, refusal = outcome(lambda: select(Constraints(encode="onehot")).fit(table, y))
    assert (refusal is not None) == (n_values > 20)
    if refusal is not None:
        assert "'text'" in str(refusal) and f"{n_values} values" in str(refusal)
    found = select(Constraints(encode="onehot")).fit(table.astype({"text": "category"}), y)
    assert len(found.feature_names_in_) == 1 + n_values
