"""Trees and coded data for inputs that hypothesis draws: a clear refusal, or what the twins say, bit for bit."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_array_equal

pytest.importorskip("hypothesis", reason="needs hypothesis")

from hypothesis import given
from hypothesis import strategies as st

import naive.code
import naive.regression
import naive.tree
from call_outcome import outcome
from moeliga import DecisionTreeClassifier, DecisionTreeRegressor
from moeliga.data.dataset import Dataset
from state import image
from strategies import COLUMN_LAYOUTS, LAYOUTS, SPARSE, WILD, cases, cast, classified, predicted, tables

FIELDS = ("codes", "order", "lower", "upper", "offset", "values")
RULES = st.fixed_dictionaries({
    "max_depth": st.sampled_from((None, None, 0, 1, 3, 2**40)),
    "min_samples_split": st.sampled_from((2, 2, 3, 9)),
    "min_samples_leaf": st.sampled_from((1, 1, 2, 5)),
    "n_jobs": st.sampled_from((None, 1, 2, 3)),
})


def twin_rules(rules):
    """max_depth, min_samples_split, min_samples_leaf as the twins take them."""
    depth = 1000 if rules["max_depth"] is None else rules["max_depth"]
    return depth, rules["min_samples_split"], rules["min_samples_leaf"]


@given(st.data())
@cases(40)
def test_data_are_coded_as_the_twin_codes_them(data):
    """Codes, orders, edges and scaled values for any layout, dense or sparse, and any number of threads."""
    n, n_features = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 20))
    numbers = data.draw(tables(n, n_features, layouts=("C",))).meaning
    X = cast(numbers, data.draw(st.sampled_from(("f8", "f4"))))
    layout = data.draw(st.sampled_from(("Fortran", *COLUMN_LAYOUTS[:6], *SPARSE)))
    value = {**LAYOUTS, **SPARSE}[layout](X)
    y = np.random.default_rng(n).integers(3, size=n)
    before = image(value)
    dataset, refusal = outcome(lambda: Dataset.encode(value, y, 3, data.draw(st.integers(1, 4))))
    assert refusal is None and image(value) == before
    assert_array_equal(dataset.rows, np.argsort(y, kind="stable"))
    ref = naive.code.encode(X, dataset.rows)
    for name, array in zip(FIELDS, ref, strict=False):
        assert_array_equal(getattr(dataset, name), array, name, strict=True)


@given(st.data())
@cases(10)
def test_an_infinite_value_is_not_coded(data):
    """Wherever it stands."""
    X = data.draw(tables(data.draw(st.integers(1, 30)), 3, layouts=("C",))).meaning.copy()
    row, column = data.draw(st.integers(0, len(X) - 1)), data.draw(st.integers(0, 2))
    X[row, column] = data.draw(st.sampled_from((np.inf, -np.inf)))
    for value in (X, LAYOUTS["strided"](X), SPARSE["CSC"](X)):
        _, refusal = outcome(lambda value=value: Dataset.encode(value, np.zeros(len(X), dtype=int), 1))
        assert "X must be finite or NaN, got an infinite value in column" in str(refusal)


@given(classified(), RULES, st.data())
@cases(45)
def test_a_classifier_is_the_tree_of_the_twin(problem, rules, data):
    """Node by node; and it predicts as the twin does, also for other data of another type; nothing is changed."""
    X, y = problem
    before = image(X.value), image(y.value)
    tree, refusal = outcome(lambda: DecisionTreeClassifier(**rules).fit(X.value, y.value))
    assert refusal is None, refusal
    ref = naive.tree.grow(X.meaning, y.meaning, len(y.classes), *twin_rules(rules))
    assert naive.tree.unfold(tree.nodes_, tree.thresholds_, tree.counts_) == ref
    assert tree.classes_.tolist() == y.classes
    other = data.draw(tables(5, X.meaning.shape[1], layouts=(*LAYOUTS, "CSR", "CSC")))
    for table in (X, other):
        untouched = image(table.value)
        predicted, refusal = outcome(lambda table=table: tree.predict(table.value))
        assert refusal is None, refusal
        assert predicted.tolist() == [y.classes[label] for label in naive.tree.predict(ref, table.meaning)]
        assert image(table.value) == untouched
    assert (image(X.value), image(y.value)) == before


@given(predicted(), RULES, st.data())
@cases(40)
def test_a_regressor_is_the_tree_of_the_twin(problem, rules, data):
    """Node by node, on a target whose steps are as near to it as they can be; nothing is changed."""
    X, y = problem
    before = image(X.value), image(y.value)
    tree, refusal = outcome(lambda: DecisionTreeRegressor(**rules).fit(X.value, y.value))
    assert refusal is None, refusal
    dataset = Dataset.encode_target(X.meaning, y.meaning)
    target, rows = dataset.target, dataset.rows
    step = Fraction(2) ** target.exponent
    for value, steps in zip(y.meaning[rows].tolist(), target.steps.tolist(), strict=True):
        assert abs(Fraction(value) - (target.centre + steps) * step) <= step / 2
    ref = naive.regression.grow(X.meaning[rows], target.steps, *twin_rules(rules))
    got = naive.regression.unfold(tree.nodes_, tree.thresholds_, tree.values_, tree.counts_)
    assert got == with_values(ref, target)
    other = data.draw(tables(5, X.meaning.shape[1], layouts=(*LAYOUTS, "CSR", "CSC")))
    for table in (X, other):
        untouched = image(table.value)
        values, refusal = outcome(lambda table=table: tree.predict(table.value))
        assert refusal is None, refusal
        assert_array_equal(values, naive.regression.predict(got, table.meaning))
        assert image(table.value) == untouched
    assert (image(X.value), image(y.value)) == before


def with_values(node, target):
    """A tree of means of steps as one of means of the target."""
    below = {name: with_values(getattr(node, name), target) for name in ("left", "right") if node.cut is not None}
    return node._replace(mean=float(target.values(node.mean)), **below)


# what is refused

X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 1, 0, 1, 0, 1])
BAD_X = {
    "an infinite number": lambda rng: np.where(np.arange(12).reshape(6, 2) == rng.integers(12), np.inf, X),
    "beyond single precision": lambda rng: np.where(X == rng.integers(12), -np.inf, X).astype(np.float32),
    "beyond a double": lambda rng: np.where(X == rng.integers(12), np.longdouble("1e4000"), X),
    "an integer beyond a double": lambda rng: [[1, 2]] * 5 + [[-(10**400), 2]],
    "text": lambda rng: np.where(X == rng.integers(12), "x", X.astype(str)).astype(object),
    "complex": lambda rng: X + 1j,
    "one dimension": lambda rng: X[:, 0],
    "three dimensions": lambda rng: X[None],
    "no dimension": lambda rng: np.float64(3),
    "no samples": lambda rng: X[:0],
    "no features": lambda rng: X[:, :0],
    "too few samples": lambda rng: X[: rng.integers(1, 6)],
    "rows of several lengths": lambda rng: [[1, 2]] * 5 + [[1]],
    "None": lambda rng: None,
    "a dict": lambda rng: {"a": [1, 2]},
    "a cell that is an object": lambda rng: np.array([[object(), 1]] * 6),
    "infinite and sparse": lambda rng: SPARSE["CSR"](np.where(X == rng.integers(12), np.inf, X)),
    "records": lambda rng: np.zeros((6, 2), dtype="V3"),
}
BAD_LABELS = {
    "too many": lambda rng: np.append(Y, 1),
    "missing": lambda rng: np.where(np.arange(6) == rng.integers(6), np.nan, Y),
    "infinite": lambda rng: np.where(np.arange(6) == rng.integers(6), -np.inf, Y),
    "continuous": lambda rng: Y + rng.random(6),
    "beyond integers": lambda rng: Y * 1e300,
    "two columns": lambda rng: np.stack([Y, Y], axis=1),
    "None": lambda rng: None,
    "one number": lambda rng: 3,
    "complex": lambda rng: Y + 1j,
    "bytes": lambda rng: np.array([b"a", b"b"])[Y],
    "of several types": lambda rng: np.array(["a", 1], dtype=object)[Y],
    "text and None": lambda rng: np.array(["a", None], dtype=object)[Y],
    "integers as objects": lambda rng: np.array([10**400, 1], dtype=object)[Y],
    "objects": lambda rng: np.array([object(), object()])[Y],
    "sparse": lambda rng: SPARSE["CSR"](Y[:, None]),
}
BAD_TARGETS = {
    **{name: BAD_LABELS[name] for name in ("too many", "missing", "infinite", "two columns", "None", "one number",
                                           "complex", "of several types", "text and None", "integers as objects",
                                           "objects", "sparse")},
    "text": lambda rng: np.array(["a", "b"])[Y],
    "beyond a double": lambda rng: np.array([np.longdouble("1e4000"), 1])[Y],
    "bytes": lambda rng: np.array([b"a", b"b"])[Y],
}


@given(st.data(), st.integers(0, 99))
@cases(20)
def test_bad_data_are_refused_in_words(data, seed):
    """Every kind of wrong X and y, to grow on and to predict for; a fitted tree stays usable."""
    rng = np.random.default_rng(seed)
    kind, bad_y = data.draw(st.sampled_from([(DecisionTreeClassifier, BAD_LABELS),
                                             (DecisionTreeRegressor, BAD_TARGETS)]))
    wrong, pool = data.draw(st.sampled_from([("X", BAD_X), ("y", bad_y)]))
    values = pool[data.draw(st.sampled_from(tuple(pool)))](rng)
    before = image(values)
    call = (lambda: kind().fit(values, Y)) if wrong == "X" else (lambda: kind().fit(X, values))
    _, refusal = outcome(call)
    assert refusal is not None and image(values) == before
    if wrong == "X" and not (hasattr(values, "shape") and len(np.shape(values)) == 2 and values.shape[1] == 2):
        tree = kind().fit(X, Y)
        _, refusal = outcome(lambda: tree.predict(values))
        assert refusal is not None
        assert_array_equal(tree.predict(X), Y)


@given(st.sampled_from((DecisionTreeClassifier, DecisionTreeRegressor)),
       st.sampled_from(("max_depth", "min_samples_split", "min_samples_leaf", "n_jobs")), WILD)
@cases(15)
def test_any_parameter_is_refused_by_name_or_obeyed(kind, name, value):
    """What is taken is an integer, and gives the tree of the twin."""
    tree, refusal = outcome(lambda: kind(**{name: value}).fit(X, Y), name)
    if refusal is not None:
        return
    assert value is None or (isinstance(value, int | np.integer) and not isinstance(value, bool))
    rules = twin_rules({"max_depth": None, "min_samples_split": 2, "min_samples_leaf": 1, name: value})
    if kind is DecisionTreeClassifier:
        ref, got = naive.tree.grow(X, Y, 2, *rules), naive.tree.unfold(tree.nodes_, tree.thresholds_, tree.counts_)
    else:
        dataset = Dataset.encode_target(X, Y.astype(float))
        ref = with_values(naive.regression.grow(X[dataset.rows], dataset.target.steps, *rules), dataset.target)
        got = naive.regression.unfold(tree.nodes_, tree.thresholds_, tree.values_, tree.counts_)
    assert got == ref
