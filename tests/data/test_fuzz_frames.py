"""Tables of pandas and polars with columns, names and labels of every type: refused clearly, or what they stand for."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("pandas")
pytest.importorskip("hypothesis", reason="needs hypothesis")

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from call_outcome import outcome
from forms import honest_one, small
from moeliga import DecisionTreeClassifier, evaluate_subsets
from strategies import SEEDS, cases

N = 20
Y = np.arange(N) % 2


def whole(values):
    return np.array([0 if value != value else int(value) for value in values])


def with_none(values, none):
    return [none if value != value else value for value in values.tolist()]


COLUMNS = {  # of pandas: from float64 of small whole numbers, some of them NaN; (column, what it stands for)
    "float": lambda v: (v, v),
    "float32": lambda v: (v.astype(np.float32), v),
    "int8": lambda v: (whole(v).astype(np.int8), whole(v)),
    "uint64": lambda v: (whole(v).astype(np.uint64), whole(v)),
    "bool": lambda v: (v > 1, v > 1),
    "Int64": lambda v: (pd.array(with_none(v, pd.NA), dtype="Int64"), v),
    "UInt8": lambda v: (pd.array(with_none(v, pd.NA), dtype="UInt8"), v),
    "Float32": lambda v: (pd.array(with_none(v, pd.NA), dtype="Float32"), v),
    "boolean": lambda v: (pd.array([pd.NA if x != x else x > 1 for x in v], dtype="boolean"),
                          np.where(np.isnan(v), np.nan, v > 1)),
    "category": lambda v: (pd.Categorical(v), v),
    "ordered": lambda v: (pd.Categorical(with_none(v, None), categories=[3.0, 0.0, 2.0, 1.0, 9.0], ordered=True), v),
    "category of text": lambda v: (pd.Categorical([None if x != x else str(x) for x in v]), v),
    "objects": lambda v: (pd.Series(with_none(v, None), dtype=object), v),
    "NA as objects": lambda v: (pd.Series(with_none(v, pd.NA), dtype=object), v),
    "text": lambda v: (pd.Series([None if x != x else str(x) for x in v], dtype=object), v),
    "strings": lambda v: (pd.array([pd.NA if x != x else str(x) for x in v], dtype="string"), v),
    "decimals": lambda v: (pd.Series([Decimal("nan") if x != x else Decimal(x) for x in v], dtype=object), v),
    "fractions": lambda v: (pd.Series([None if x != x else Fraction(x) for x in v], dtype=object), v),
    "arrow": lambda v: (pd.array(with_none(v, None), dtype="double[pyarrow]"), v),
    "arrow int": lambda v: (pd.array(with_none(v, None), dtype="int8[pyarrow]"), v),
    "arrow bool": lambda v: (pd.array([None if x != x else bool(x > 1) for x in v], dtype="bool[pyarrow]"),
                             np.where(np.isnan(v), np.nan, v > 1)),
    "arrow decimal": lambda v: (pd.array([None if x != x else Decimal(int(x)) for x in v],
                                         dtype=pd.ArrowDtype(__import__("pyarrow").decimal128(5, 2))), v),
}
UNUSABLE = {
    "words": lambda v: pd.Series(["yes", "no"] * (N // 2), dtype=object),
    "dates": lambda v: pd.date_range("2020", periods=N),
    "spans": lambda v: pd.to_timedelta(whole(v), unit="s"), "complex": lambda v: v * 1j,
    "periods": lambda v: pd.period_range("2020", periods=N, freq="D"), "intervals": lambda v: pd.interval_range(0, N),
    "lists": lambda v: pd.Series([[1, 2]] * N, dtype=object), "bytes": lambda v: pd.Series([b"x"] * N, dtype=object),
    "days": lambda v: pd.Series([date(2020, 1, 1)] * N, dtype=object),
    "dicts": lambda v: pd.Series([{}] * N, dtype=object),
    "arrow text": lambda v: pd.array(["a", None] * (N // 2), dtype="string[pyarrow]"),
    "classes": lambda v: pd.Series([int] * N, dtype=object), "huge": lambda v: pd.Series([10**400] * N, dtype=object),
    "infinite": lambda v: np.where(np.arange(N) == 3, np.inf, v),
    "infinite objects": lambda v: pd.Series([-np.inf] * N, dtype=object),
}
POLARS = ("Float64", "Float32", "Int8", "UInt64", "Boolean", "Decimal", "String", "Categorical", "Enum", "Object",
          "List", "Date", "Null", "Duration", "Binary", "Struct", "Int128")
NAMES = (["a", "b", "c", "d", "e"], list("aabcd"), [0, 1, 2, 3, 4], ["", " ", "\n", "é", "\u202e"],
         [1, "1", 1.5, None, "x"],
         [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("c", 1)], [True, False, 2, 3, 4],
         ["columns", "shape", "iloc", "dtypes", "X"],
         [np.nan, "a", "b", "c", "d"], pd.date_range("2020", periods=5), pd.MultiIndex.from_product([["a"], range(5)]),
         ["a=1", "a=2", "b=", "=c", "="], [b"a", b"b", b"c", b"d", b"e"], [1j, 2j, 3j, 4j, 5j])
INDICES = (None, np.arange(N)[::-1], ["row"] * N, pd.date_range("2020", periods=N), [np.nan] * N,
           pd.MultiIndex.from_product([[1, 2], range(N // 2)]))


def numbers(rng):
    """A column of 0 to 3, which tells something of the class, with some missing."""
    values = (rng.integers(0, 3, N) + Y * rng.integers(0, 2)).astype(float)
    values[rng.random(N) < rng.choice([0, 0.2])] = np.nan
    return values


@st.composite
def pandas_tables(draw, most_unusable=1):
    """A table, its float64, or None if a column holds no numbers, and the names."""
    rng = np.random.default_rng(draw(SEEDS))
    columns, meaning, unusable = [], [], False
    for place in range(5):
        values = numbers(rng)
        if place < most_unusable and draw(st.integers(0, 5)) == 3:
            columns.append(UNUSABLE[draw(st.sampled_from(tuple(UNUSABLE)))](values))
            unusable = True
            continue
        column, known = COLUMNS[draw(st.sampled_from(tuple(COLUMNS)))](values)
        columns.append(column)
        meaning.append(np.asarray(known, dtype=np.float64))
    names, index = draw(st.sampled_from(NAMES)), draw(st.sampled_from(INDICES))
    table = pd.DataFrame({place: pd.Series(np.asarray(column) if isinstance(column, np.ndarray) else column)
                          for place, column in enumerate(columns)})
    table.columns = names
    if index is not None:
        table.index = index
    return table, None if unusable else np.column_stack(meaning), list(table.columns)


LABELS = {
    "int": lambda y: y, "series": lambda y: pd.Series(y, index=np.arange(N)[::-1]),
    "Int64": lambda y: pd.Series(y, dtype="Int64"), "boolean": lambda y: pd.Series(y == 1, dtype="boolean"),
    "category": lambda y: pd.Series(y, dtype="category"), "text": lambda y: pd.Series(np.array(["no", "yes"])[y]),
    "string": lambda y: pd.Series(np.array(["no", "yes"])[y], dtype="string"),
    "categories": lambda y: pd.Categorical(np.array(["no", "yes"])[y], categories=["yes", "no", "maybe"]),
    "arrow": lambda y: pd.Series(y, dtype="int8[pyarrow]"), "float": lambda y: pd.Series(y, dtype="Float64"),
    "index": lambda y: pd.Index(y),
    "arrow text": lambda y: pd.Series(np.array(["no", "yes"])[y], dtype="string[pyarrow]"),
}
"""Labels that ascend with 0 and 1."""


@given(pandas_tables(), st.sampled_from(tuple(LABELS)), st.booleans())
@cases(30)
def test_a_table_of_pandas_is_the_floats_that_it_stands_for(table, form, honest):
    """In a fit, a transform, a tree and an evaluation; names are those of the columns; nothing is changed."""
    X, meaning, names = table
    y, before = LABELS[form](Y), X.copy(deep=True)
    make = (lambda: honest_one(2, estimator=DecisionTreeClassifier())) if honest else (lambda: small())
    found, refusal = outcome(lambda: make().fit(X, y), "dtype")
    masks = np.eye(5, dtype=bool)
    scores, other = outcome(lambda: evaluate_subsets(X, y, masks, random_state=0))
    tree, third = outcome(lambda: DecisionTreeClassifier().fit(X, y))
    pd.testing.assert_frame_equal(X, before)
    distinct, texts = len(set(names)) == 5, {isinstance(name, str) for name in names}
    if refusal is not None or other is not None or third is not None:
        assert meaning is None or not distinct or len(texts) == 2, (refusal, other, third)
        return
    assert meaning is not None and distinct
    plain = make().fit(meaning, Y)
    assert_array_equal(found.pareto_front_.objectives, plain.pareto_front_.objectives)
    assert_array_equal(found.pareto_front_.supports, plain.pareto_front_.supports)
    assert_array_equal(found.pareto_front_.honest_score, plain.pareto_front_.honest_score)
    assert_array_equal(found.transform(X), plain.transform(meaning))
    assert_array_equal(scores, evaluate_subsets(meaning, Y, masks, random_state=0))
    assert_array_equal(tree.predict_proba(X), DecisionTreeClassifier().fit(meaning, Y).predict_proba(meaning))
    if texts == {True}:
        assert found.feature_names_in_.tolist() == names
        shown = found.set_output(transform="pandas").transform(X)
        assert list(shown.columns) == [name for name, chosen in zip(names, found.support_, strict=True) if chosen]
        assert shown.index.equals(X.index)


def of_polars(pl, kind, values):
    """A column of polars of one type, and its float64; None for one that holds no numbers."""
    known = [None if value != value else int(value) for value in values]
    if kind in ("Float64", "Float32", "Int8", "UInt64", "Int128"):
        return pl.Series(known, dtype=getattr(pl, kind)), values
    if kind == "Boolean":
        return (pl.Series([None if value is None else value > 1 for value in known], dtype=pl.Boolean),
                np.where(np.isnan(values), np.nan, values > 1))
    if kind == "Decimal":
        known = [None if value is None else Decimal(value) for value in known]
        return pl.Series(known, dtype=pl.Decimal(10, 2)), values
    if kind == "Object":
        return pl.Series(known, dtype=pl.Object), values
    texts = [None if value is None else str(value) for value in known]
    if kind in ("String", "Categorical"):
        return pl.Series(texts, dtype=getattr(pl, kind)), values
    if kind == "Enum":
        return pl.Series(texts, dtype=pl.Enum(["3", "1", "0", "2", "9"])), values
    return {"List": pl.Series([[1, 2]] * N), "Date": pl.Series([date(2020, 1, 1)] * N), "Null": pl.Series([None] * N),
            "Duration": pl.Series(known, dtype=pl.Duration), "Binary": pl.Series([b"x"] * N),
            "Struct": pl.Series([{"a": 1}] * N)}[kind], np.full(N, np.nan) if kind == "Null" else None


@given(SEEDS, st.lists(st.sampled_from(POLARS[:10]), min_size=4, max_size=4), st.sampled_from(POLARS), st.booleans(),
       st.sampled_from(("series", "text", "array", "Categorical", "Enum", "Boolean", "UInt8", "null")))
@cases(30)
def test_a_table_of_polars_is_the_floats_that_it_stands_for(seed, kinds, last, honest, form):
    """As with pandas; a column that holds no numbers is named."""
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(seed)
    columns = [of_polars(pl, kind, numbers(rng)) for kind in (*kinds, last)]
    X = pl.DataFrame({f"c {place}": column for place, (column, _) in enumerate(columns)})
    texts = np.array(["no", "yes"])[Y].tolist()
    y = {"series": lambda: pl.Series(Y), "text": lambda: pl.Series(texts), "array": lambda: Y,
         "Categorical": lambda: pl.Series(texts, dtype=pl.Categorical), "UInt8": lambda: pl.Series(Y, dtype=pl.UInt8),
         "Enum": lambda: pl.Series(texts, dtype=pl.Enum(["yes", "no"])), "Boolean": lambda: pl.Series(Y == 1),
         "null": lambda: pl.Series([*texts[:-1], None])}[form]()
    before = X.schema, [str(column.to_list()) for column in X]
    make = (lambda: honest_one(2, estimator=DecisionTreeClassifier())) if honest else (lambda: small())
    found, refusal = outcome(lambda: make().fit(X, y))
    scores, other = outcome(lambda: evaluate_subsets(X, y, np.eye(5), random_state=0))
    assert (X.schema, [str(column.to_list()) for column in X]) == before
    assert (refusal is None) == (other is None), (refusal, other)
    if refusal is not None:
        assert columns[-1][1] is None or form == "null", refusal
        return
    meaning = np.column_stack([known for _, known in columns]).astype(np.float64)
    plain = make().fit(meaning, Y)
    assert_array_equal(found.pareto_front_.objectives, plain.pareto_front_.objectives)
    assert_array_equal(found.pareto_front_.honest_score, plain.pareto_front_.honest_score)
    assert_array_equal(found.transform(X), plain.transform(meaning))
    assert_array_equal(scores, evaluate_subsets(meaning, Y, np.eye(5), random_state=0))
    shown = found.set_output(transform="polars").transform(X)
    assert shown.columns == [name for name, chosen in zip(X.columns, found.support_, strict=True) if chosen]
